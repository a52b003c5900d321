//! The input of a provider.

use std::{borrow::Cow, sync::Arc};

use super::{choices::Choices, thinking::ThinkingRule};
use crate::{
    cancel::Cancel,
    conversation::{Conversation, Plan},
    progress::Progress,
    protect::ProtectRules,
    salience::History,
    summaries::{Llm, SummaryContext},
    tokens::{Scale, Tally},
    transcript::{ToolRows, ToolTable},
    warning::Warning,
};

/// One condensation, or a provider's part of it.
#[derive(Clone, Default)]
pub struct Request {
    /// The host's call; the same for every provider.
    pub call: Arc<Call>,
    /// The conversation as it came in.
    pub original: Conversation,
    /// The conversation now, as earlier providers left it.
    pub conversation: Conversation,
    /// The token counts of `conversation`, unscaled.
    pub tally: Tally,
    /// Scaled tokens that conversation and system prompt may have afterwards.
    pub target_tokens: Option<usize>,
    /// Meanings and rules of the tools in the conversation.
    pub tools: ToolTable,
    /// Sends requests for summaries, and knows their cost.
    pub llm: Llm,
    /// The ids of the strategies that run this, outermost first.
    pub within: Vec<&'static str>,
    /// The decisions of strategies; each is added when it is made, so that it is known if the strategy fails.
    pub choices: Arc<Choices>,
    /// Cancels the work.
    pub cancel: Cancel,
    /// Progress callback.
    pub progress: Progress,
}

/// The settings of the host's call, which do not change while it runs.
#[derive(Clone, Default)]
pub struct Call {
    /// Tokens of the system prompt, unscaled; they count towards the target.
    pub system_tokens: usize,
    /// Tokens of the model's own tokenizer per token counted here.
    pub scale: Scale,
    /// True if the target is only a limit; false if it is the size that the caller wants.
    pub is_limit: bool,
    /// The treatment of signed thinking behind a change.
    pub thinking: ThinkingRule,
    /// True if the model has the recall tool: notes of what is left out then name it.
    pub recall: bool,
    /// The call, as custom providers know it.
    pub host: HostCall,
    /// The conversation's user and task.
    pub subject: Subject,
}

/// Returns the reason why the caller's format cannot express a plan's insertions; `None` if it can.
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
    pub fn new(conversation: Conversation, tally: Tally) -> Self {
        Self { original: conversation.clone(), conversation, tally, ..Self::default() }
    }

    /// Pins what `rules` protect; returns warnings about rules that match nothing in the original.
    pub fn pin(&mut self, rules: &ProtectRules) -> Vec<Warning> {
        if rules.is_empty() {
            return Vec::new();
        }
        self.conversation = rules.pin(&self.conversation, &self.tools);
        let (original, warnings) = rules.pin_telling(&self.original, &self.tools);
        self.original = original;
        warnings
    }

    /// Returns what `provider` needs to request summaries.
    pub(crate) fn summaries(&self, provider: &'static str) -> SummaryContext<'_> {
        SummaryContext {
            llm: &self.llm,
            provider,
            encoding: self.tally.encoding(),
            scale: self.call.scale,
            cancel: &self.cancel,
            progress: &self.progress,
        }
    }

    /// Returns the request with the tools named in a provider's configuration. They take precedence over those
    /// already known.
    pub fn with_tools(&self, rows: &ToolRows) -> Cow<'_, Self> {
        if rows.is_empty() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { tools: self.tools.with(rows), ..self.clone() })
    }

    /// Returns by how many scaled tokens a conversation with this tally exceeds the target; 0 without a target.
    pub fn over_target(&self, tally: &Tally) -> usize {
        self.target_tokens.map_or(0, |target| self.scaled(tally).saturating_sub(target))
    }

    /// Returns the scaled tokens of a conversation with this tally, system prompt included.
    pub fn scaled(&self, tally: &Tally) -> usize {
        self.call.scale.apply(self.call.system_tokens + tally.total())
    }

    /// Returns true if a conversation with this tally has at most the target tokens, or if there is no target.
    pub fn meets_target(&self, tally: &Tally) -> bool {
        self.target_tokens.is_none_or(|target| self.scaled(tally) <= target)
    }

    /// Returns the input of a salience selection.
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
    pub fn budget(&self) -> Option<usize> {
        let target = self.target_tokens?;
        // The largest number that scales to no more than the target: at most one off either way from the division.
        let mut tokens = (target as f64 / self.call.scale.factor()) as usize;
        tokens = tokens.saturating_add(1);
        while tokens > 0 && self.call.scale.apply(tokens) > target {
            tokens -= 1;
        }
        Some(tokens.saturating_sub(self.call.system_tokens))
    }
}
