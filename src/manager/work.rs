//! A conversation, and everything else about one call.

use std::sync::Arc;

use super::{CallOptions, in_force::InForce, numbers::Goal};
use crate::{
    cancel::Cancel,
    conversation::Conversation,
    llm::{HostRequest, ModelPrice},
    progress::Progress,
    providers::{Binding, Call, HostCall, Request, Subject, ThinkingRule},
    summaries::Llm,
    tokens::{Encoding, Tally, count_inside},
};

/// A conversation and everything else about one call.
#[derive(Clone)]
pub struct Work {
    /// The conversation.
    pub conversation: Conversation,
    /// The options of the call.
    pub options: CallOptions,
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
    pub fn new(conversation: Conversation) -> Self {
        Self {
            conversation,
            options: CallOptions::default(),
            in_force: None,
            host_call: HostCall::default(),
            llm: Llm::default(),
            cancel: Cancel::default(),
            progress: Progress::default(),
        }
    }

    /// Returns the settings of the call for providers.
    pub(super) fn call_for_providers(&self, encoding: Encoding) -> Call {
        let task = Some(self.options.task_id.clone()).filter(|task| !task.is_empty());
        Call {
            system_tokens: self.system_tokens(encoding),
            thinking: self.thinking(),
            recall: self.options.recall,
            host: self.host_call.clone(),
            subject: Subject { user: self.options.user_id.clone(), task },
            ..Call::default()
        }
    }

    /// Returns the request of the call, without tools and models. The protected content of `conversation` must be
    /// pinned.
    pub(super) fn request(&self, call: Call, conversation: Conversation, tally: Tally, goal: Goal) -> Request {
        let request = Request {
            call: Arc::new(call),
            cancel: self.cancel.clone(),
            progress: self.progress.clone(),
            ..Request::new(conversation, tally)
        };
        Request { target_tokens: goal.counted_target(request.scaled(&request.tally)), ..request }
    }

    /// Returns the host's own request. An unreadable one is ignored: summaries are then requested separately.
    pub(super) fn host_request(&self) -> Option<Arc<HostRequest>> {
        self.options.host_request.as_deref().and_then(|json| HostRequest::read(json).ok()).map(Arc::new)
    }

    /// Returns the price of the conversation's own model: from the call, or else from its handler.
    pub(super) fn conversation_price(&self) -> Option<ModelPrice> {
        let of_handler = || self.llm.handler.as_ref().and_then(|handler| handler.price().cloned());
        self.options.price.clone().or_else(of_handler)
    }

    /// Returns the price of summaries that the conversation's own model writes.
    pub(super) fn summary_price(&self) -> Option<ModelPrice> {
        self.options.price.clone().filter(|_| self.llm.condensing_handler.is_none())
    }

    /// Returns the call's option for thinking, and how the model binds thinking: from the call, or else by the
    /// handler's model.
    pub(super) fn thinking(&self) -> ThinkingRule {
        let of_handler = || self.llm.handler.as_ref().map(|handler| Binding::of_model(handler.model()));
        let binding = match (self.options.preserved_thinking, self.options.model.as_deref()) {
            (Some(true), _) => Binding::Prefix,
            (Some(false), _) => Binding::Loop,
            (None, Some(model)) => Binding::of_model(model),
            (None, None) => of_handler().unwrap_or_default(),
        };
        ThinkingRule { wish: self.options.thinking.unwrap_or_default(), binding }
    }

    /// Returns the unscaled tokens of the system prompt.
    pub(super) fn system_tokens(&self, encoding: Encoding) -> usize {
        let prompt = &self.options.system_prompt;
        if prompt.is_empty() { 0 } else { count_inside(prompt, encoding).tokens }
    }
}
