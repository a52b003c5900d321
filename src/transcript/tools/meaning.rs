//! The meanings of tools.

use crate::options::words;

/// A tool's action, as far as it decides which of its calls and results can be pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Meaning {
    /// Shows files.
    Read,
    /// Sets the whole content of a file.
    Write,
    /// Changes a file: exchanges a text (`old`, `new`), a list of texts (`edits`), by SEARCH/REPLACE blocks or a patch (`diff`), or
    /// inserts lines (`line`, `content`).
    Edit,
    /// Any of the three, as its parameter `command` says: `view`, `create`, `str_replace`, `insert`.
    Editor,
    /// Shows lines that match.
    Search,
    /// Names files.
    List,
    /// Runs a command line.
    Command,
    /// Fetches or searches pages, or works in a browser.
    Web,
    /// Asks or tells the user something; the answer is what the user says.
    Ask,
    /// Sets the list of things to do.
    Todo,
    /// Adds an item to the list of things to do, or changes one.
    Item,
    /// Presents a plan.
    Plan,
    /// Starts a sub-agent.
    Agent,
    /// Loads instructions for a kind of work.
    Skill,
    /// Switches the mode in which the agent works.
    Mode,
    /// Deletes or moves a file, or changes it in a way that the conversation does not show.
    Touch,
    /// Brings back what stands in this or an earlier conversation: nothing new, and no reading of a file.
    Recall,
    /// Nothing that is followed.
    #[default]
    Other,
}

impl Meaning {
    /// Returns the action of an [`Editor`](Self::Editor) with this `command`.
    #[must_use]
    pub fn of_editor(command: &str) -> Self {
        match command {
            "view" => Self::Read,
            "create" => Self::Write,
            "str_replace" | "insert" => Self::Edit,
            _ => Self::Editor,
        }
    }

    /// Whether its calls show files or set what is in them.
    #[must_use]
    pub fn is_about_files(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Edit | Self::Editor)
    }
}

words! { impl Meaning {
    Read = "read",
    Write = "write",
    Edit = "edit",
    Editor = "editor",
    Search = "search",
    List = "list",
    Command = "command",
    Web = "web",
    Ask = "ask",
    Todo = "todo",
    Item = "item",
    Plan = "plan",
    Agent = "agent",
    Skill = "skill",
    Mode = "mode",
    Touch = "touch",
    Recall = "recall",
    Other = "other",
} }
