//! What a provider is given.

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
    /// Whether that is what the caller wants to be left, rather than a limit that may not be passed.
    pub fills_target: bool,
    /// Overrides fields of the provider's configuration.
    pub config: serde_json::Value,
    /// What the tools in the conversation do.
    pub tools: ToolTable,
    /// What is done with signed thinking behind a change.
    pub thinking: ThinkingRule,
    /// Whether the model has the tool that brings back what is left out, so that what says so names it.
    pub recall: bool,
    /// The call, as providers of the host know it.
    pub host_call: HostCall,
    /// What is needed to ask a model, and what that has cost.
    pub llm: Llm,
    /// The ids of the strategies within which this is asked, from the outside in.
    pub within: Vec<&'static str>,
    /// Whose conversation it is.
    pub subject: Subject,
    /// What strategies decide, added to as they do, so that it is known whatever happens then.
    pub choices: Arc<Choices>,
    /// Stops the work.
    pub cancel: Cancel,
    /// Told how the work goes.
    pub progress: Progress,
}

/// Why messages of the caller's format cannot hold what a plan puts into the conversation; `None` where they can.
pub type Refusal = dyn Fn(&Plan) -> Option<String> + Send + Sync;

/// A call, as providers of the host know it.
#[derive(Clone, Default)]
pub struct HostCall {
    /// The host's own name for it.
    pub id: u32,
    /// Asked what the caller's messages cannot hold, where they are of another format than ours.
    pub refusal: Option<Arc<Refusal>>,
}

/// Whose conversation it is, as the host names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The user.
    pub user: Option<String>,
    /// The task.
    pub task: Option<String>,
}

/// How often a plan is made anew with less room, so that it fits its target once it is settled: pointers that are led elsewhere then may take more room than was
/// reckoned.
pub const MAX_FITTINGS: usize = 4;

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

    /// The same with the tools that the configuration of a provider names; they come before those that are here.
    #[must_use]
    pub fn with_tools(&self, rows: &ToolRows) -> Cow<'_, Self> {
        if rows.is_empty() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { tools: self.tools.with(rows), ..self.clone() })
    }

    /// Tokens, scaled, by which a conversation with this tally misses the target.
    #[must_use]
    pub fn over_target(&self, tally: &Tally) -> usize {
        self.target_tokens.map_or(0, |target| self.scaled(tally).saturating_sub(target))
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
