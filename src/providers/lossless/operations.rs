//! The provider's operations, and the options that enable them.

use crate::{
    options::{Field, Settings, Table},
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

/// All operations, each with its word in results and the option that disables it.
const ALL: [(LosslessOperation, &str, &str); 11] = [
    (LosslessOperation::Reference, "reference", "reference"),
    (LosslessOperation::Containment, "containment", "containment"),
    (LosslessOperation::Diff, "diff", "diff"),
    (LosslessOperation::RepeatedLines, "repeated_lines", "repeatedLines"),
    (LosslessOperation::LineNumbers, "line_numbers", "lineNumbers"),
    (LosslessOperation::Snapshot, "environment_snapshot", "environmentSnapshots"),
    (LosslessOperation::StaleRead, "stale_read", "staleReads"),
    (LosslessOperation::StaleFile, "stale_file", "staleReads"),
    (LosslessOperation::OverwrittenWrite, "overwritten_write", "overwrittenWrites"),
    (LosslessOperation::TodoList, "todo_list", "todoLists"),
    (LosslessOperation::FailedEdit, "failed_edit", "failedEdits"),
];

impl LosslessOperation {
    /// Returns the operation's word in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        ALL[self as usize].1
    }

    /// The maximum of [`LosslessOperation::harm`].
    pub const MOST_HARM: u8 = 3;

    /// Returns how much it hinders a reader who continues to work with the text, from 0. Measured by whether passages
    /// that are edited next stay whole in one block. Differences between versions of a file and repeated lines divide
    /// passages; pointers to a whole text, and snapshots, do not (`docs/decisions/0010-salience.md`).
    #[must_use]
    pub fn harm(self) -> u8 {
        match self {
            Self::Snapshot | Self::TodoList | Self::Reference | Self::LineNumbers => 0,
            Self::Containment | Self::OverwrittenWrite | Self::FailedEdit => 1,
            Self::RepeatedLines | Self::StaleRead => 2,
            Self::Diff | Self::StaleFile => 3,
        }
    }

    fn switch(self) -> &'static str {
        ALL[self as usize].2
    }

    /// Returns the grade of the operation; `None` if it loses content.
    #[must_use]
    pub fn grade(self) -> Option<Grade> {
        match self {
            Self::StaleFile => None,
            _ if self >= Self::Snapshot => Some(Grade::Superseded),
            _ => Some(Grade::Inline),
        }
    }
}

/// The configuration.
pub(in crate::providers) static TABLE: Table = Table::new(
    "Configuration of the lossless provider",
    &[
        Field::flag(
            "deduplicateFileReads",
            true,
            "Say the lines of a file once, however often it was read, written and listed.",
        ),
        Field::flag(
            "consolidateToolResults",
            true,
            "Say lines of other tool results once: logs, test output, listings, searches.",
        ),
        Field::flag(
            "removeObsoleteState",
            true,
            "Leave out what a later message replaced. What is left out is in restoreData only.",
        ),
        Field::flag(
            "maintainReferenceCache",
            true,
            "Remember what was found in the newest conversation, so that it is not looked through twice when an estimate comes before the \
         condensation. The result is the same either way.",
        ),
        Field::flag(
            "strict",
            false,
            "Do only what can be read back from the conversation itself: turns removeObsoleteState off.",
        ),
        Field::choice(
            "keep",
            &["last", "first"],
            "Which copy stays: the newest, so that every pointer leads to a later message; or the oldest, which leaves the \
                      beginning of the history, and so the model provider's prompt cache, alone.",
        ),
        Field::integer(
            "preserveRecentCount",
            4,
            0,
            1_000_000,
            "In so many of the newest messages nothing obsolete is left out, and lines keep their numbers.",
        ),
        Field::integer(
            "minTokensSaved",
            24,
            1,
            1_000_000,
            "A pointer that saves fewer tokens is not put: a text in many small pieces is hard to read.",
        ),
        Field::flag("toolParameters", true, "Change long texts in the parameters of tool calls too."),
        Field::flag("reference", true, "Operation: a result becomes a pointer to one that is the same."),
        Field::flag("containment", true, "Operation: a result becomes a pointer into one that contains it."),
        Field::flag(
            "diff",
            true,
            "Operation: of a file that was shown in another version too, only the differences stay.",
        ),
        Field::flag("repeatedLines", true, "Operation: lines that stand elsewhere become a pointer."),
        Field::flag(
            "lineNumbers",
            true,
            "Operation: numbers of lines are left out behind a heading that restores them.",
        ),
        Field::flag(
            "environmentSnapshots",
            true,
            "Operation: snapshots of the environment but the newest are left out.",
        ),
        Field::choice(
            "staleReads",
            &["lines", "file", "off"],
            "Operation: of what was read of a file, the lines that a later edit, write or view of the whole file replaced are left out (lines); or \
             all of it, once the file was changed in any way and then read or written again (file): what is true of it goes too, and is lost; or \
             nothing (off).",
        ),
        Field::flag(
            "overwrittenWrites",
            true,
            "Operation: what was written to a file that was written again later is left out.",
        ),
        Field::flag("todoLists", true, "Operation: lists of things to do but the newest are left out."),
        Field::flag("failedEdits", true, "Operation: edits that failed before the same file was edited are left out."),
        TOOLS,
        PROTECT,
        FROZEN_MESSAGES,
    ],
);

/// A configuration as the operations read it.
#[derive(Debug, Clone)]
pub struct LosslessOptions {
    /// True if results are remembered for the next call.
    pub remembers: bool,
    /// True if the oldest copy stays instead of the newest.
    pub keep_first: bool,
    /// True if lines of files may become pointers.
    pub files: bool,
    /// True if other lines may become pointers.
    pub results: bool,
    /// True if parameters of tool calls may change.
    pub parameters: bool,
    /// Minimum tokens that a pointer must save.
    pub least_saved: usize,
    /// Number of newest messages in which less is done.
    pub recent: usize,
    /// True if a read is left out as a whole once its file was changed and seen again.
    pub whole_reads: bool,
    /// The host's own tools.
    pub tools: ToolRows,
    on: [bool; ALL.len()],
}

impl LosslessOptions {
    /// Reads the options.
    #[must_use]
    pub fn read(settings: &Settings<'_>) -> Self {
        let obsolete = settings.flag("removeObsoleteState") && !settings.flag("strict");
        Self {
            remembers: settings.flag("maintainReferenceCache"),
            keep_first: settings.text("keep") == "first",
            files: settings.flag("deduplicateFileReads"),
            results: settings.flag("consolidateToolResults"),
            parameters: settings.flag("toolParameters"),
            least_saved: settings.integer("minTokensSaved"),
            recent: settings.integer("preserveRecentCount"),
            whole_reads: settings.text("staleReads") == "file",
            tools: ToolRows::of(settings),
            on: ALL.map(|(operation, ..)| {
                let is_on = match operation {
                    LosslessOperation::StaleRead | LosslessOperation::StaleFile => settings.text("staleReads") != "off",
                    _ => settings.flag(operation.switch()),
                };
                is_on && (operation.grade() == Some(Grade::Inline) || obsolete)
            }),
        }
    }

    /// Returns true if an operation is enabled.
    #[must_use]
    pub fn is_on(&self, operation: LosslessOperation) -> bool {
        self.on[operation as usize]
    }
}
