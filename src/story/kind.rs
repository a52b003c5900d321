//! The kinds of entries.

use super::text::{ASSISTANT, NOTICE, PASTE, SUMMARY, SYSTEM, USER};
use crate::transcript::{Meaning, ToolTable, changed_by_command};

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The user's words.
    User,
    /// A log, list or code that the user pasted.
    Paste,
    /// A summary of earlier messages.
    Summary,
    /// The assistant's words.
    Assistant,
    /// The assistant's words that report or ask: its last words before the user's, or a call that shows words to the
    /// user.
    Report,
    /// A notice from the host.
    Notice,
    /// The newest todo list.
    List,
    /// A write or an edit of a file.
    Change,
    /// An item of a todo list, or its new state.
    Item,
    /// A command that may change something. Without it, an earlier edit or failure that it ended would seem to last.
    Command,
    /// A command that certainly changes nothing.
    Inspection,
    /// Another call with a reply, such as to an agent, a website or a custom tool.
    Asked,
    /// A read or search. It is quoted if it failed, or for lines that keep names readable.
    Look,
    /// An entry with nothing to quote, such as an older todo list.
    Silent,
}

/// The beginning of a patch in a command line.
pub const PATCH: &str = " *** Begin Patch";

/// Returns the command line in the head of a command.
pub fn command(head: &str) -> &str {
    head.split_once(' ').map_or("", |(_, command)| command)
}

impl Kind {
    /// Returns the kind of calls to tools with this meaning.
    fn from_meaning(meaning: Meaning) -> Self {
        match meaning {
            Meaning::Edit | Meaning::Write | Meaning::Touch | Meaning::Editor => Self::Change,
            Meaning::Command => Self::Command,
            Meaning::Read | Meaning::Search | Meaning::List | Meaning::Skill | Meaning::Recall => Self::Look,
            Meaning::Todo => Self::Silent,
            Meaning::Item => Self::Item,
            Meaning::Ask => Self::Report,
            Meaning::Plan | Meaning::Agent | Meaning::Mode | Meaning::Web | Meaning::Other => Self::Asked,
        }
    }

    /// Returns the kind of a call with this meaning and head. A command that certainly changes files, such as
    /// `git checkout -- src/a.ts`, is a change. Without it, an earlier edit would seem to last.
    pub fn from_call(meaning: Meaning, head: &str, only_reads: bool) -> Self {
        match Self::from_meaning(meaning) {
            Self::Command if head.contains(PATCH) || !changed_by_command(command(head)).is_empty() => Self::Change,
            Self::Command if only_reads => Self::Inspection,
            kind => kind,
        }
    }

    /// Returns the kind of an entry read back from a story.
    pub fn from_head(head: &str, tools: &ToolTable) -> Self {
        match head {
            USER | SYSTEM => Self::User,
            PASTE => Self::Paste,
            SUMMARY => Self::Summary,
            ASSISTANT => Self::Assistant,
            NOTICE => Self::Notice,
            // The head does not hold all of a long command.
            call => match Self::from_call(tools.meaning(call.split(' ').next().unwrap_or(call)), call, false) {
                Self::Silent => Self::List,
                kind => kind,
            },
        }
    }
}
