//! The provider's operations, and the options that enable them.

use crate::{
    options::{Table, Unread, choice, flag, options, whole, words},
    protect::{FROZEN_MESSAGES, PROTECT},
    providers::Grade,
    transcript::{TOOLS, ToolRows},
};

/// An operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LosslessOperation {
    /// A whole part becomes a pointer to an equal one.
    Reference,
    /// A whole part becomes a pointer into another one that contains it.
    Containment,
    /// A file is shown again after a change: the unchanged lines become pointers to the other version.
    Diff,
    /// Lines that occur elsewhere too become a pointer.
    RepeatedLines,
    /// Line numbers are left out below a heading that restores them.
    LineNumbers,
    /// An outdated snapshot of the environment.
    Snapshot,
    /// Lines of a file that were read and then replaced.
    StaleRead,
    /// The other lines of such a read, because their file changed elsewhere.
    StaleFile,
    /// A write whose content was overwritten.
    OverwrittenWrite,
    /// An outdated todo list.
    TodoList,
    /// A failed edit that later succeeded.
    FailedEdit,
}

impl LosslessOperation {
    /// Returns the operation's word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Containment => "containment",
            Self::Diff => "diff",
            Self::RepeatedLines => "repeated_lines",
            Self::LineNumbers => "line_numbers",
            Self::Snapshot => "environment_snapshot",
            Self::StaleRead => "stale_read",
            Self::StaleFile => "stale_file",
            Self::OverwrittenWrite => "overwritten_write",
            Self::TodoList => "todo_list",
            Self::FailedEdit => "failed_edit",
        }
    }

    /// Returns the grade of an operation; `None` if it makes no promise.
    pub fn grade(self) -> Option<Grade> {
        match self {
            Self::StaleFile => None,
            _ if self >= Self::Snapshot => Some(Grade::Superseded),
            _ => Some(Grade::Inline),
        }
    }
}

words! {
    /// The copy that stays.
    pub enum KeptCopy { Last = "last", First = "first" }
}

words! {
    /// The part of an earlier read of a file that is left out.
    pub enum StaleReads { Lines = "lines", File = "file", Off = "off" }
}

options! {
    /// The configuration.
    pub struct LosslessConfig: Table::titled("Configuration of the lossless provider").interface("LosslessConfig", "Configuration of the lossless provider. Every result is verified by expanding it again; `docs/markers.md` shows what the model reads.");

    /// Say the lines of a file once, however often it was read, written and listed.
    deduplicate_file_reads: bool = flag().or(true),
    /// Say lines of other tool results once: logs, test output, listings, searches.
    consolidate_tool_results: bool = flag().or(true),
    /// Leave out what a later message replaced. What is left out is in restoreData only.
    remove_obsolete_state: bool = flag().or(true),
    /// Remember what was found in the newest conversation, so that it is not looked through twice when an estimate comes before the condensation. The result
    /// is the same either way.
    maintain_reference_cache: bool = flag().or(true),
    /// Do only what can be read back from the conversation itself: turns removeObsoleteState off.
    strict: bool = flag().or(false),
    /// Which copy stays: the newest, so that every pointer leads to a later message; or the oldest, which leaves the beginning of the history, and so the
    /// model provider's prompt cache, alone.
    keep: KeptCopy = choice().or_first(),
    /// In so many of the newest messages nothing obsolete is left out, and lines keep their numbers.
    preserve_recent_count: usize = whole(0, 1_000_000).or(4),
    /// A pointer that saves fewer tokens is not put: a text in many small pieces is hard to read.
    min_tokens_saved: usize = whole(1, 1_000_000).or(24),
    /// Change long texts in the parameters of tool calls too.
    tool_parameters: bool = flag().or(true),
    /// Operation: a result becomes a pointer to one that is the same.
    ///
    /// Results name it `reference`.
    reference: bool = flag().or(true),
    /// Operation: a result becomes a pointer into one that contains it.
    ///
    /// Results name it `containment`.
    containment: bool = flag().or(true),
    /// Operation: of a file that was shown in another version too, only the differences stay.
    ///
    /// Results name it `diff`.
    diff: bool = flag().or(true),
    /// Operation: lines that stand elsewhere become a pointer.
    ///
    /// Results name it `repeated_lines`.
    repeated_lines: bool = flag().or(true),
    /// Operation: numbers of lines are left out behind a heading that restores them.
    ///
    /// Results name it `line_numbers`.
    line_numbers: bool = flag().or(true),
    /// Operation: snapshots of the environment but the newest are left out.
    ///
    /// Results name it `environment_snapshot`.
    environment_snapshots: bool = flag().or(true),
    /// Operation: of what was read of a file, the lines that a later edit, write or view of the whole file replaced are left out (lines); or all of it, once
    /// the file was changed in any way and then read or written again (file): what is true of it goes too, and is lost; or nothing (off).
    ///
    /// Results name it `stale_read` or `stale_file`.
    stale_reads: StaleReads = choice().or_first(),
    /// Operation: what was written to a file that was written again later is left out.
    ///
    /// Results name it `overwritten_write`.
    overwritten_writes: bool = flag().or(true),
    /// Operation: lists of things to do but the newest are left out.
    ///
    /// Results name it `todo_list`.
    todo_lists: bool = flag().or(true),
    /// Operation: edits that failed before the same file was edited are left out.
    ///
    /// Results name it `failed_edit`.
    failed_edits: bool = flag().or(true),
    tools: ToolRows = TOOLS,
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

impl LosslessConfig {
    /// Returns true if the oldest copy is kept instead of the newest.
    pub fn keeps_first(&self) -> bool {
        self.keep == KeptCopy::First
    }

    /// Returns true if a read is left out as a whole after its file was changed and seen again.
    pub fn drops_whole_reads(&self) -> bool {
        self.stale_reads == StaleReads::File
    }

    /// Returns true if an operation is enabled.
    pub fn is_on(&self, operation: LosslessOperation) -> bool {
        let is_on = match operation {
            LosslessOperation::Reference => self.reference,
            LosslessOperation::Containment => self.containment,
            LosslessOperation::Diff => self.diff,
            LosslessOperation::RepeatedLines => self.repeated_lines,
            LosslessOperation::LineNumbers => self.line_numbers,
            LosslessOperation::Snapshot => self.environment_snapshots,
            LosslessOperation::StaleRead | LosslessOperation::StaleFile => self.stale_reads != StaleReads::Off,
            LosslessOperation::OverwrittenWrite => self.overwritten_writes,
            LosslessOperation::TodoList => self.todo_lists,
            LosslessOperation::FailedEdit => self.failed_edits,
        };
        is_on && (operation.grade() == Some(Grade::Inline) || (self.remove_obsolete_state && !self.strict))
    }
}
