//! The input of a provider.

use std::{borrow::Cow, sync::Arc};

use super::{choices::Choices, thinking::ThinkingRule};
use crate::{
    cancel::Cancel,
    conversation::{Conversation, Plan},
    progress::Progress,
    salience::History,
    summaries::{Llm, SummaryContext},
    tokens::{Scale, Tally},
    transcript::{ToolRows, ToolTable},
};

/// A condensation to be done.
#[derive(Clone)]
pub struct Request {
    /// The conversation as the caller passed it.
    pub original: Conversation,
    /// The conversation as earlier providers of this call left it.
    pub conversation: Conversation,
    /// The token counts of `conversation`, unscaled.
    pub tally: Tally,
    /// Tokens of the system prompt, unscaled. They count towards the target.
    pub system_tokens: usize,
    /// Tokens of the model's own tokenizer per counted token.
    pub scale: Scale,
    /// Maximum tokens, scaled, of conversation and system prompt afterwards.
    pub target_tokens: Option<usize>,
    /// True if the caller wants about `target_tokens` to remain; false if they are only a limit.
    pub fills_target: bool,
    /// Overrides for fields of the provider's configuration.
    pub config: serde_json::Value,
    /// The meanings of the tools in the conversation.
    pub tools: ToolTable,
    /// The treatment of signed thinking after a change.
    pub thinking: ThinkingRule,
    /// True if the model has the recall tool, so that markers mention it.
    pub recall: bool,
    /// The call's data for custom providers.
    pub host_call: HostCall,
    /// The means to call a language model, and the dollars spent so far.
    pub llm: Llm,
    /// The ids of the strategies that run this provider, outermost first.
    pub within: Vec<&'static str>,
    /// The owner of the conversation.
    pub subject: Subject,
    /// The decisions of strategies. They are recorded as they are made, so that they are known even if the call fails
    /// later.
    pub choices: Arc<Choices>,
    /// Cancels the work.
    pub cancel: Cancel,
    /// Receives progress events.
    pub progress: Progress,
}

/// Returns why messages in the caller's format cannot hold what a plan inserts, or `None` if they can.
pub type Refusal = dyn Fn(&Plan) -> Option<String> + Send + Sync;

/// The call's data for custom providers.
#[derive(Clone, Default)]
pub struct HostCall {
    /// The host's number for the call.
    pub id: u32,
    /// Checks whether the caller's messages can hold a plan's insertions, if their format is not ours.
    pub refusal: Option<Arc<Refusal>>,
}

/// The owner of a conversation, as the host names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The user's id.
    pub user: Option<String>,
    /// The task's id.
    pub task: Option<String>,
}

/// Number of times a plan is rebuilt with a smaller budget to meet its target once settled. Settling may repair
/// pointers, which can take more tokens than estimated.
pub const MAX_FITTINGS: usize = 4;

impl Request {
    /// Creates a request without a target, system prompt, configuration or handler.
    #[must_use]
    pub fn new(conversation: Conversation, tally: Tally) -> Self {
        Self {
            original: conversation.clone(),
            conversation,
            tally,
            system_tokens: 0,
            scale: Scale::default(),
            target_tokens: None,
            fills_target: true,
            config: serde_json::Value::Null,
            tools: ToolTable::default(),
            thinking: ThinkingRule::default(),
            recall: false,
            host_call: HostCall::default(),
            llm: Llm::default(),
            within: Vec::new(),
            subject: Subject::default(),
            choices: Arc::default(),
            cancel: Cancel::default(),
            progress: Progress::default(),
        }
    }

    /// Returns what `provider` needs to request summaries.
    pub(crate) fn summaries(&self, provider: &'static str) -> SummaryContext<'_> {
        SummaryContext {
            llm: &self.llm,
            provider,
            encoding: self.tally.encoding(),
            scale: self.scale,
            cancel: &self.cancel,
            progress: &self.progress,
        }
    }

    /// Returns the request with the tools named in a provider's configuration. They take precedence over those
    /// already known.
    #[must_use]
    pub fn with_tools(&self, rows: &ToolRows) -> Cow<'_, Self> {
        if rows.is_empty() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { tools: self.tools.with(rows), ..self.clone() })
    }

    /// Returns by how many scaled tokens a conversation with this tally exceeds the target; 0 without a target.
    #[must_use]
    pub fn over_target(&self, tally: &Tally) -> usize {
        self.target_tokens.map_or(0, |target| self.scaled(tally).saturating_sub(target))
    }

    /// Returns the scaled tokens of a conversation with this tally, system prompt included.
    #[must_use]
    pub fn scaled(&self, tally: &Tally) -> usize {
        self.scale.apply(self.system_tokens + tally.total())
    }

    /// Returns true if a conversation with this tally has at most the target tokens, or if there is no target.
    #[must_use]
    pub fn meets_target(&self, tally: &Tally) -> bool {
        self.target_tokens.is_none_or(|target| self.scaled(tally) <= target)
    }

    /// Returns the input of a salience selection.
    #[must_use]
    pub(crate) fn history(&self) -> History<'_> {
        History {
            conversation: &self.conversation,
            original: &self.original,
            tally: &self.tally,
            tools: &self.tools,
            cancel: &self.cancel,
        }
    }

    /// Returns the maximum of unscaled tokens that the messages may have to meet the target; `None` without a target.
    #[must_use]
    pub fn budget(&self) -> Option<usize> {
        let target = self.target_tokens?;
        // Find the largest number that scales to at most the target. The division is at most one off.
        let mut tokens = (target as f64 / self.scale.factor()) as usize;
        tokens = tokens.saturating_add(1);
        while tokens > 0 && self.scale.apply(tokens) > target {
            tokens -= 1;
        }
        Some(tokens.saturating_sub(self.system_tokens))
    }
}
