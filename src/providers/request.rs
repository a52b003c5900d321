//! What a provider is given, and what it gives back.

use serde::Serialize;

use super::PassReport;
use crate::{
    cancel::Cancel,
    conversation::{Conversation, Plan},
    progress::Progress,
    salience::History,
    summaries::{Llm, SummaryContext},
    tokens::{Scale, Tally},
    transcript::ToolTable,
    warning::Warning,
};

/// A condensation to be done.
#[derive(Clone)]
pub struct Request {
    /// The conversation as it came in.
    pub original: Conversation,
    /// The conversation now: what providers before have left.
    pub conversation: Conversation,
    /// Its tokens, unscaled.
    pub tally: Tally,
    /// Tokens of the system prompt, unscaled; they count towards the target.
    pub system_tokens: usize,
    /// How many tokens of the model's own tokenizer one of ours stands for.
    pub scale: Scale,
    /// How many tokens, scaled, the conversation and system prompt may have afterwards.
    pub target_tokens: Option<usize>,
    /// Overrides fields of the provider's configuration.
    pub config: serde_json::Value,
    /// What the tools in the conversation do.
    pub tools: ToolTable,
    /// The host's own name for this call.
    pub host_call: u32,
    /// What is needed to ask a model, and what that has cost.
    pub llm: Llm,
    /// Stops the work.
    pub cancel: Cancel,
    /// Told how the work goes.
    pub progress: Progress,
}

impl Request {
    /// A condensation of a conversation with this tally, without a target, a system prompt, a configuration or anybody to ask.
    #[must_use]
    pub fn new(conversation: Conversation, tally: Tally) -> Self {
        Self {
            original: conversation.clone(),
            conversation,
            tally,
            system_tokens: 0,
            scale: Scale::default(),
            target_tokens: None,
            config: serde_json::Value::Null,
            tools: ToolTable::default(),
            host_call: 0,
            llm: Llm::default(),
            cancel: Cancel::default(),
            progress: Progress::default(),
        }
    }

    /// What `provider` asks for summaries with.
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

    /// Scaled tokens of a conversation with this tally.
    #[must_use]
    pub fn scaled(&self, tally: &Tally) -> usize {
        self.scale.apply(self.system_tokens + tally.total())
    }

    /// Whether a conversation with this tally has at most the target tokens; true without a target.
    #[must_use]
    pub fn meets_target(&self, tally: &Tally) -> bool {
        self.target_tokens.is_none_or(|target| self.scaled(tally) <= target)
    }

    /// What is asked about when it is to be known what should stay.
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

    /// How many unscaled tokens the messages may have so that the target is met.
    #[must_use]
    pub fn budget(&self) -> Option<usize> {
        let target = self.target_tokens?;
        // The largest number that scales to no more than the target: at most one off either way from the division.
        let mut tokens = (target as f64 / self.scale.factor()) as usize;
        tokens = tokens.saturating_add(1);
        while tokens > 0 && self.scale.apply(tokens) > target {
            tokens -= 1;
        }
        Some(tokens.saturating_sub(self.system_tokens))
    }
}

/// Why something was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Index of the message in the conversation that the plan is for.
    pub message: usize,
    /// The block; `None` for the whole message.
    pub block: Option<usize>,
    /// What was done, as a fixed word.
    pub operation: &'static str,
    /// What was done and why, for a person.
    pub reason: String,
    /// How much of a promise the change keeps, where it makes one.
    pub grade: Option<Grade>,
}

/// How lossless a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// What was removed can be read back from what is still in the conversation.
    Inline,
    /// What was removed is state that a later message replaced.
    Superseded,
}

/// What a provider decides.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// The edits.
    pub plan: Plan,
    /// Why, for the blocks and messages that the plan touches. A block may have several, one for each thing that was done to it.
    pub notes: Vec<Note>,
    /// About how many tokens each of the notes has saved, where blocks have several: what a block saved is shared out by them.
    pub shares: Vec<usize>,
    /// The summary, if one was written.
    pub summary: String,
    /// Dollars spent.
    pub cost: f64,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// How each pass went, for providers that work in passes.
    pub passes: Vec<PassReport>,
}
