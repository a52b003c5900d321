//! A conversation, and everything else about one call.

use std::sync::Arc;

use super::{CallOptions, in_force::InForce};
use crate::{cancel::Cancel, conversation::Conversation, progress::Progress, providers::HostCall, summaries::Llm};

/// A conversation and everything else about one call.
pub struct Work {
    /// The conversation.
    pub conversation: Conversation,
    /// The options of the call.
    pub call: CallOptions,
    /// The manager's settings when the call was made. If absent, the current ones when they are needed.
    pub in_force: Option<Arc<InForce>>,
    /// The call, as custom providers know it.
    pub host_call: HostCall,
    /// The handlers of the call.
    pub llm: Llm,
    /// Stops the work.
    pub cancel: Cancel,
    /// Progress callback.
    pub progress: Progress,
}

impl Work {
    /// Creates work on a conversation, with default options, no handlers and no progress callback.
    #[must_use]
    pub fn new(conversation: Conversation) -> Self {
        Self {
            conversation,
            call: CallOptions::default(),
            in_force: None,
            host_call: HostCall::default(),
            llm: Llm::default(),
            cancel: Cancel::default(),
            progress: Progress::default(),
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_call(&self, call: CallOptions) -> Self {
        Self {
            conversation: self.conversation.clone(),
            call,
            in_force: self.in_force.clone(),
            host_call: self.host_call.clone(),
            llm: self.llm.clone(),
            cancel: self.cancel.clone(),
            progress: self.progress.clone(),
        }
    }
}
