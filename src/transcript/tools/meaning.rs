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
    /// Changes a file: replaces a text (`old`, `new`) or several (`edits`), applies SEARCH/REPLACE blocks or a patch
    /// (`diff`), or inserts lines (`line`, `content`).
    Edit,
    /// Any of these three, as its parameter `command` says: `view`, `create`, `str_replace`, `insert`.
    Editor,
    /// Shows matching lines.
    Search,
    /// Lists files.
    List,
    /// Runs a command line.
    Command,
    /// Fetches or searches pages, or works in a browser.
    Web,
    /// Asks the user or tells the user something; the result is what the user says.
    Ask,
    /// Sets the todo list.
    Todo,
    /// Adds an item to the todo list, or changes one.
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
    /// Brings back content from this or an earlier conversation. It is not new, and does not count as reading a file.
    Recall,
    /// Not followed further.
    #[default]
    Other,
}

impl Meaning {
    /// Returns the action of an [`Editor`](Self::Editor) with this `command`.
    pub fn of_editor(command: &str) -> Self {
        match command {
            "view" => Self::Read,
            "create" => Self::Write,
            "str_replace" | "insert" => Self::Edit,
            _ => Self::Editor,
        }
    }

    /// Returns true if its calls read or write files.
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
