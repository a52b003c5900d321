//! What a provider gives back, and what comes of it.

use serde::Serialize;

use super::{middle::quality::SummaryQuality, pass_report::PassReport};
use crate::{
    conversation::{Conversation, Plan},
    tokens::Tally,
    warning::Warning,
    words::Said,
};

/// Why something was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Index of the message in the conversation that the plan is for.
    pub message: usize,
    /// The block; `None` for the whole message.
    pub block: Option<usize>,
    /// What was done, as a fixed word.
    pub operation: &'static str,
    /// What was done and why, for a person.
    pub reason: Said,
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
    /// How much of what must survive it tells, where that is known.
    pub summary_quality: Option<SummaryQuality>,
    /// Dollars spent.
    pub cost: f64,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// How each pass went, for providers that work in passes.
    pub passes: Vec<PassReport>,
    /// The provider has seen to it that pointers mean afterwards what they meant before, and that those it put lead where they should.
    pub pointers_checked: bool,
    /// The provider may find more in what comes of the plan, which it can only see there.
    pub unfinished: bool,
    /// What came of the plan, where the work was settled as it went on; it is not settled again.
    pub settled: Option<Settled>,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What it is undone by; empty until the whole condensation is done.
    pub id: String,
    /// Index in the conversation that came in; for an added message the index it was put before.
    pub message_index: usize,
    /// The block; `null` for a whole message.
    pub block_index: Option<usize>,
    /// What was done, as a fixed word.
    pub operation: String,
    /// Tokens of the block or message before.
    pub tokens_before: usize,
    /// And after.
    pub tokens_after: usize,
    /// What was done and why, for a person.
    pub reason: String,
    /// The same as a code and values; `None` where nobody said why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// How lossless the change is, where that is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
}

/// A proposal after it was applied and checked, which [`settle`](super::settle()) alone does.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settled {
    /// The condensed conversation.
    pub conversation: Conversation,
    /// Its tokens.
    pub tally: Tally,
    /// What was changed.
    pub changes: Vec<Change>,
    /// Why texts were changed that the provider left alone: pointers in them would have led elsewhere.
    pub notes: Vec<Note>,
}
