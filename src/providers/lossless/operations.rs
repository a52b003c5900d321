//! What the provider can do, and what of it is switched on.

use crate::providers::{Field, FieldKind, Grade, Settings};

/// An operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LosslessOperation {
    /// A whole part becomes a pointer to one that is the same.
    Reference,
    /// A whole part becomes a pointer into one that contains it.
    Containment,
    /// A file is shown again after a change: what did not change becomes pointers to the other version.
    Diff,
    /// Lines that stand elsewhere too become a pointer.
    RepeatedLines,
    /// Numbers of lines are left out behind a heading that restores them.
    LineNumbers,
    /// A snapshot of the environment that is not the newest.
    Snapshot,
    /// A file as it was before a later change.
    StaleRead,
    /// What was written and then written over.
    OverwrittenWrite,
    /// A list of things to do that is not the newest.
    TodoList,
    /// An edit that failed and was then done right.
    FailedEdit,
}

/// All of them, with the word that a result says and the switch that turns each off.
const ALL: [(LosslessOperation, &str, &str); 10] = [
    (LosslessOperation::Reference, "reference", "reference"),
    (LosslessOperation::Containment, "containment", "containment"),
    (LosslessOperation::Diff, "diff", "diff"),
    (LosslessOperation::RepeatedLines, "repeated_lines", "repeatedLines"),
    (LosslessOperation::LineNumbers, "line_numbers", "lineNumbers"),
    (LosslessOperation::Snapshot, "environment_snapshot", "environmentSnapshots"),
    (LosslessOperation::StaleRead, "stale_read", "staleReads"),
    (LosslessOperation::OverwrittenWrite, "overwritten_write", "overwrittenWrites"),
    (LosslessOperation::TodoList, "todo_list", "todoLists"),
    (LosslessOperation::FailedEdit, "failed_edit", "failedEdits"),
];

impl LosslessOperation {
    /// The word in results.
    #[must_use]
    pub fn word(self) -> &'static str {
        ALL[self as usize].1
    }

    fn switch(self) -> &'static str {
        ALL[self as usize].2
    }

    /// What it keeps of the promise.
    #[must_use]
    pub fn grade(self) -> Grade {
        if self >= Self::Snapshot { Grade::Superseded } else { Grade::Inline }
    }
}

/// The fields of the configuration.
pub const FIELDS: &[Field] = &[
    flag("deduplicateFileReads", "Say the lines of a file once, however often it was read, written and listed."),
    flag("consolidateToolResults", "Say lines of other tool results once: logs, test output, listings, searches."),
    flag("removeObsoleteState", "Leave out what a later message replaced. What is left out is in restoreData only."),
    flag(
        "maintainReferenceCache",
        "Remember what was found in the newest conversation, so that it is not looked through twice when an estimate comes before the \
         condensation. The result is the same either way.",
    ),
    Field {
        name: "strict",
        kind: FieldKind::Flag { default: false },
        description: "Do only what can be read back from the conversation itself: turns removeObsoleteState off.",
    },
    Field {
        name: "keep",
        kind: FieldKind::Choice { default: "last", allowed: &["last", "first"] },
        description: "Which copy stays: the newest, so that every pointer leads to a later message; or the oldest, which leaves the \
                      beginning of the history, and so the model provider's prompt cache, alone.",
    },
    Field {
        name: "preserveRecentCount",
        kind: FieldKind::Integer { default: 4, min: 0, max: 1_000_000 },
        description: "In so many of the newest messages nothing obsolete is left out, and lines keep their numbers.",
    },
    Field {
        name: "minTokensSaved",
        kind: FieldKind::Integer { default: 24, min: 1, max: 1_000_000 },
        description: "A pointer that saves fewer tokens is not put: a text in many small pieces is hard to read.",
    },
    flag("toolParameters", "Change long texts in the parameters of tool calls too."),
    flag("reference", "Operation: a result becomes a pointer to one that is the same."),
    flag("containment", "Operation: a result becomes a pointer into one that contains it."),
    flag("diff", "Operation: of a file that was shown in another version too, only the differences stay."),
    flag("repeatedLines", "Operation: lines that stand elsewhere become a pointer."),
    flag("lineNumbers", "Operation: numbers of lines are left out behind a heading that restores them."),
    flag("environmentSnapshots", "Operation: snapshots of the environment but the newest are left out."),
    Field {
        name: "staleReads",
        kind: FieldKind::Choice { default: "seenAgain", allowed: &["seenAgain", "changed", "off"] },
        description: "Operation: what was read of a file is left out once the file was changed and then read or written again \
                      (seenAgain), so that the newest view of every file stays; or as soon as it was changed (changed); or never (off).",
    },
    flag("overwrittenWrites", "Operation: what was written to a file that was written again later is left out."),
    flag("todoLists", "Operation: lists of things to do but the newest are left out."),
    flag("failedEdits", "Operation: edits that failed before the same file was edited are left out."),
];

const fn flag(name: &'static str, description: &'static str) -> Field {
    Field { name, kind: FieldKind::Flag { default: true }, description }
}

/// A configuration as the operations read it.
#[derive(Debug, Clone)]
pub struct LosslessOptions {
    /// What was found is remembered.
    pub remembers: bool,
    /// The oldest copy stays, not the newest.
    pub keep_first: bool,
    /// Pointers for lines of files.
    pub files: bool,
    /// Pointers for other lines.
    pub results: bool,
    /// Parameters of tool calls may be changed.
    pub parameters: bool,
    /// The fewest tokens for which a pointer is put.
    pub least_saved: usize,
    /// In so many of the newest messages less is done.
    pub recent: usize,
    /// A stale read stays until the file is seen again.
    pub needs_new_view: bool,
    on: [bool; ALL.len()],
}

impl LosslessOptions {
    /// Reads them.
    #[must_use]
    pub fn read(settings: &Settings) -> Self {
        let obsolete = settings.flag("removeObsoleteState") && !settings.flag("strict");
        Self {
            remembers: settings.flag("maintainReferenceCache"),
            keep_first: settings.choice("keep") == "first",
            files: settings.flag("deduplicateFileReads"),
            results: settings.flag("consolidateToolResults"),
            parameters: settings.flag("toolParameters"),
            least_saved: settings.integer("minTokensSaved"),
            recent: settings.integer("preserveRecentCount"),
            needs_new_view: settings.choice("staleReads") == "seenAgain",
            on: ALL.map(|(operation, ..)| {
                let is_on = match operation {
                    LosslessOperation::StaleRead => settings.choice("staleReads") != "off",
                    _ => settings.flag(operation.switch()),
                };
                is_on && (operation.grade() == Grade::Inline || obsolete)
            }),
        }
    }

    /// Whether an operation is switched on.
    #[must_use]
    pub fn is_on(&self, operation: LosslessOperation) -> bool {
        self.on[operation as usize]
    }
}
