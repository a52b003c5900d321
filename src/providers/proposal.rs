//! The proposal that a provider returns, and its result once settled.

use serde::Serialize;

use super::{middle::quality::SummaryQuality, pass_report::PassReport};
use crate::{
    conversation::{Conversation, Plan},
    tokens::Tally,
    warning::Warning,
    words::Said,
};

/// The reason for a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Index of the message in the conversation that the plan is for.
    pub message: usize,
    /// The block's index; `None` for the whole message.
    pub block: Option<usize>,
    /// The operation, as a fixed word.
    pub operation: &'static str,
    /// The change and its reason, as a sentence for people.
    pub reason: Said,
    /// The grade of the change, if its provider promises one.
    pub grade: Option<Grade>,
}

/// The degree to which the removed content is still available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// The removed content can be read elsewhere in the conversation.
    Inline,
    /// The removed content is state that a later message replaced.
    Superseded,
}

/// A provider's decision.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// The edits.
    pub plan: Plan,
    /// Reasons for the blocks and messages that the plan changes. A block has one note per operation on it.
    pub notes: Vec<Note>,
    /// Estimated tokens that each note saved. If a block has several notes, its savings are divided in this
    /// proportion.
    pub shares: Vec<usize>,
    /// The summary, if one was written; else empty.
    pub summary: String,
    /// How much of what it must keep the summary covers, if that was checked.
    pub summary_quality: Option<SummaryQuality>,
    /// Dollars spent.
    pub cost: f64,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// A report on each pass, if the provider works in passes.
    pub passes: Vec<PassReport>,
    /// True if the provider has checked that pointers resolve to the same lines as before, and that its own resolve
    /// correctly.
    pub pointers_checked: bool,
    /// True if the provider may find more to do in its own result.
    pub unfinished: bool,
    /// The result, if the provider settled its work as it went. It is not settled again.
    pub settled: Option<Settled>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ReportedChange"))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The id by which `restore` undoes it. Unique within a result; the same condensation of the same messages
    /// gives the same ids.
    pub id: String,
    /// Index in the input messages; for an added message, the index of the message after it.
    pub message_index: usize,
    /// Index of the block, 0 for content that is a string; `null` for a whole message.
    pub block_index: Option<usize>,
    /// The operation:
    ///
    /// - Lossless, `inline`: `reference` (to an identical result), `containment` (to a result that contains it),
    ///   `diff` (against another version of the file), `repeated_lines`, `line_numbers` (stripped, with a heading
    ///   that restores them)
    /// - Lossless, `superseded`: `environment_snapshot`, `stale_read`, `overwritten_write`, `todo_list`,
    ///   `failed_edit`
    /// - Lossless with `staleReads: "file"`, lossy: `stale_file` (lines of reads that nothing replaced)
    /// - Truncation: `salient` (keeps the lines most likely to be used again), `truncate`, `suppress`, `drop` (a
    ///   message that says too little), `window` (one of the oldest messages), `log` (quotes from dropped messages)
    /// - `tool_rule`: a rule of the option `tools`
    /// - `summarize`: a summary replaces a text or messages
    /// - `drop_thinking`: removes signed thinking after a change, which the model would refuse; see
    ///   `ProviderCallOptions.thinking`
    /// - `pointers`: redirects pointers to another copy of their lines, or replaces them, so that they stay valid
    /// - Custom providers: `replace`, `drop`, `insert`
    #[cfg_attr(test, ts(type = "ChangeOperation | (string & {})"))]
    pub operation: String,
    /// Tokens of the block or message before, unscaled.
    pub tokens_before: usize,
    /// Tokens after.
    pub tokens_after: usize,
    /// The change and the reason for it, for people; may be empty.
    pub reason: String,
    /// The reason as a code and values, for other languages; absent if there is no reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// For lossless changes: `inline` content is still readable in the conversation; `superseded` content was
    /// replaced by a later message, and only `restoreData` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(inline))]
    pub grade: Option<Grade>,
}

/// A proposal that was applied and checked. Only [`settle`](super::settle()) creates one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settled {
    /// The condensed conversation.
    pub conversation: Conversation,
    /// The token counts of `conversation`.
    pub tally: Tally,
    /// The changes made.
    pub changes: Vec<Change>,
    /// Reasons for changes to texts that the provider left alone: pointers in them would have resolved to other
    /// lines.
    pub notes: Vec<Note>,
}
