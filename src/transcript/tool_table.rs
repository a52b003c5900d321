//! What the tools of the known agents mean, and how users add their own.

use std::collections::HashMap;

use serde_json::Value;

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// Sets the list of things to do.
    Todo,
    /// Deletes or moves a file, or changes it in a way that the conversation does not show.
    Touch,
    /// Nothing that is followed.
    Other,
}

const MEANINGS: [(&str, Meaning); 10] = [
    ("read", Meaning::Read),
    ("write", Meaning::Write),
    ("edit", Meaning::Edit),
    ("editor", Meaning::Editor),
    ("search", Meaning::Search),
    ("list", Meaning::List),
    ("command", Meaning::Command),
    ("todo", Meaning::Todo),
    ("touch", Meaning::Touch),
    ("other", Meaning::Other),
];

/// A parameter's role in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Path,
    Content,
    Old,
    New,
    ReplaceAll,
    Edits,
    Diff,
    Line,
    Offset,
    Limit,
    LastLine,
    Command,
}

/// The roles with their names in a configuration and the parameter names that mean them by default.
const ROLES: [(Role, &str, &[&str]); 12] = [
    (
        Role::Path,
        "path",
        &[
            "file_path",
            "path",
            "filePath",
            "target_file",
            "notebook_path",
            "filename",
            "file",
            "relative_path",
            "absolute_path",
            "uri",
        ],
    ),
    (Role::Content, "content", &["content", "contents", "file_text", "text", "new_source"]),
    (Role::Old, "old", &["old_string", "old_str", "oldText", "oldString", "search", "old_text"]),
    (Role::New, "new", &["new_string", "new_str", "newText", "newString", "replace", "new_text"]),
    (Role::ReplaceAll, "replaceAll", &["replace_all", "replaceAll", "expected_replacements"]),
    (Role::Edits, "edits", &["edits", "operations"]),
    (Role::Diff, "diff", &["diff", "patch", "input", "patch_text", "patchText"]),
    (Role::Line, "line", &["line", "insert_line"]),
    (Role::Offset, "offset", &["offset", "start_line", "startLine", "start_line_one_indexed"]),
    (Role::Limit, "limit", &["limit", "max_lines"]),
    (Role::LastLine, "lastLine", &["end_line", "endLine", "end_line_one_indexed_inclusive"]),
    (Role::Command, "command", &["command", "cmd", "script"]),
];

/// What one tool means and what its parameters are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) meaning: Meaning,
    /// Names that a user gave; they come before the default ones.
    named: Vec<(Role, String)>,
}

impl Tool {
    /// A tool about which nothing is known.
    pub(super) const fn unknown() -> Self {
        Self { meaning: Meaning::Other, named: Vec::new() }
    }

    /// The names under which the parameter can be found.
    pub(super) fn parameter(&self, role: Role) -> impl Iterator<Item = &str> {
        let named = self.named.iter().filter(move |(named, _)| *named == role).map(|(_, name)| name.as_str());
        let default = ROLES.iter().find(|(listed, ..)| *listed == role).map_or(&[][..], |(_, _, names)| names);
        named.chain(default.iter().copied())
    }
}

/// The tools by name. The default knows Roo, Cline, Kilo Code, Claude Code, mini-swe-agent, Codex, OpenCode, Gemini CLI, OpenHands and the common file
/// servers of the Model Context Protocol.
#[derive(Debug, Clone)]
pub struct ToolTable {
    tools: HashMap<String, Tool>,
}

/// A configuration of tool names that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, but {allowed}")]
pub struct ToolTableError {
    /// Where it stands, such as `toolNames.my_read.meaning`.
    pub field: String,
    /// The value, as JSON.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

impl ToolTableError {
    /// The code of this error: always `invalid_tool_names`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "invalid_tool_names"
    }
}

const DEFAULT: [(Meaning, &[&str]); 9] = [
    (
        Meaning::Read,
        &[
            "read_file",
            "read",
            "Read",
            "View",
            "view",
            "simple_read_file",
            "read_text_file",
            "read_multiple_files",
            "read_files",
            "NotebookRead",
            "cat_file",
            "open_file",
            "get_file_contents",
            "view_file",
        ],
    ),
    (Meaning::Write, &["write_to_file", "write", "Write", "write_file", "create_file", "create", "new_file", "Create"]),
    (
        Meaning::Edit,
        &[
            "Edit",
            "MultiEdit",
            "edit",
            "edit_file",
            "multi_edit",
            "apply_diff",
            "replace_in_file",
            "search_replace",
            "str_replace",
            "search_and_replace",
            "insert_content",
            "apply_patch",
            "patch",
            "insert",
            "multi_edit_file",
            "replace",
            "append_file",
            "ApplyPatch",
        ],
    ),
    (Meaning::Editor, &["str_replace_editor", "str_replace_based_edit_tool", "text_editor", "file_editor"]),
    (
        Meaning::Search,
        &[
            "search_files",
            "codebase_search",
            "Grep",
            "grep",
            "grep_search",
            "search_file_content",
            "ripgrep",
            "search_in_files",
        ],
    ),
    (
        Meaning::List,
        &[
            "list_files",
            "list",
            "Glob",
            "glob",
            "LS",
            "ls",
            "list_directory",
            "list_dir",
            "directory_tree",
            "list_directory_contents",
            "file_search",
        ],
    ),
    (
        Meaning::Command,
        &[
            "execute_command",
            "Bash",
            "bash",
            "shell",
            "run_command",
            "run_terminal_cmd",
            "execute_bash",
            "run_shell_command",
            "terminal",
            "exec_command",
            "local_shell",
        ],
    ),
    (Meaning::Todo, &["update_todo_list", "TodoWrite", "todo_write", "update_plan", "focus_chain", "todowrite"]),
    (Meaning::Touch, &["move_file", "delete_file", "delete_files", "rename_file", "NotebookEdit", "fast_apply"]),
];

impl Default for ToolTable {
    fn default() -> Self {
        let tools = DEFAULT.iter().flat_map(|(meaning, names)| {
            names.iter().map(|name| ((*name).to_owned(), Tool { meaning: *meaning, named: Vec::new() }))
        });
        Self { tools: tools.collect() }
    }
}

impl ToolTable {
    /// The default table with the tools of a configuration added: `{"my_read": "read"}`, or with the names of parameters,
    /// `{"my_write": {"meaning": "write", "path": "where", "content": "body"}}`.
    ///
    /// Meanings: `read`, `write`, `edit`, `editor`, `search`, `list`, `command`, `todo`, `touch`, `other`. Parameters: `path`, `content`,
    /// `old`, `new`, `replaceAll`, `edits`, `diff`, `line`, `offset`, `limit`, `lastLine`, `command`.
    ///
    /// # Errors
    /// [`ToolTableError`] when a meaning or a parameter is not one of these.
    pub fn with_names(names: &Value) -> Result<Self, ToolTableError> {
        let wrong = |field: &str, value: &Value, allowed: String| ToolTableError {
            field: field.to_owned(),
            value: value.to_string(),
            allowed,
        };
        let Value::Object(names) = names else {
            return Err(wrong("toolNames", names, "it must be an object from tool name to meaning".to_owned()));
        };
        let mut table = Self::default();
        for (name, value) in names {
            let field = format!("toolNames.{name}");
            let tool = match value {
                Value::String(_) => Tool { meaning: meaning(&field, value)?, named: Vec::new() },
                Value::Object(parameters) => {
                    let mut tool = Tool { meaning: Meaning::Other, named: Vec::new() };
                    let missing = || wrong(&format!("{field}.meaning"), &Value::Null, allowed_meanings());
                    tool.meaning =
                        meaning(&format!("{field}.meaning"), parameters.get("meaning").ok_or_else(missing)?)?;
                    for (key, value) in parameters.iter().filter(|(key, _)| *key != "meaning") {
                        let field = format!("{field}.{key}");
                        let roles = || format!("the parameters are {}", ROLES.map(|(_, role, _)| role).join(", "));
                        let (role, ..) = ROLES
                            .iter()
                            .find(|(_, role, _)| role == key)
                            .ok_or_else(|| wrong(&field, value, roles()))?;
                        let name = value
                            .as_str()
                            .ok_or_else(|| wrong(&field, value, "it must be the name of a parameter".to_owned()))?;
                        tool.named.push((*role, name.to_owned()));
                    }
                    tool
                }
                _ => return Err(wrong(&field, value, "it must be a meaning or an object with `meaning`".to_owned())),
            };
            table.tools.insert(name.clone(), tool);
        }
        Ok(table)
    }

    /// What the tool means; [`Meaning::Other`] when it is not known.
    #[must_use]
    pub fn meaning(&self, name: &str) -> Meaning {
        self.tool(name).map_or(Meaning::Other, |tool| tool.meaning)
    }

    /// The tool of this name, or of the name behind an MCP server's: `mcp__server__read_file`, `mcp--server--read_file` and
    /// `mcp_server_read_file` are all `read_file`.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        if let Some(tool) = self.tools.get(name) {
            return Some(tool);
        }
        let rest = name.strip_prefix("mcp")?;
        ["__", "--"].iter().find_map(|separator| self.tools.get(rest.rsplit_once(separator)?.1)).or_else(|| {
            // One underscore separates words too, so the longest known ending counts.
            rest.match_indices('_').filter(|(at, _)| *at > 0).find_map(|(at, _)| self.tools.get(&rest[at + 1..]))
        })
    }
}

fn allowed_meanings() -> String {
    format!("the meanings are {}", MEANINGS.map(|(name, _)| name).join(", "))
}

fn meaning(field: &str, value: &Value) -> Result<Meaning, ToolTableError> {
    let known = MEANINGS.iter().find(|(name, _)| value == name);
    known.map(|(_, meaning)| *meaning).ok_or_else(|| ToolTableError {
        field: field.to_owned(),
        value: value.to_string(),
        allowed: allowed_meanings(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_behind_a_server() {
        let table = ToolTable::default();
        for name in ["mcp__fs__read_file", "mcp--fs--read_file", "mcp_my_fs_read_file", "read_file"] {
            assert_eq!(table.meaning(name), Meaning::Read, "{name}");
        }
        assert_eq!(table.meaning("mcp__linear__get_issue"), Meaning::Other);
    }

    #[test]
    fn users_add_tools() {
        let table = ToolTable::with_names(
            &json!({"peek": "read", "put": {"meaning": "write", "path": "where"}, "Read": "other"}),
        )
        .unwrap();
        assert_eq!((table.meaning("peek"), table.meaning("Read")), (Meaning::Read, Meaning::Other));
        assert_eq!(table.tool("put").unwrap().parameter(Role::Path).next(), Some("where"));
    }

    #[test]
    fn mistakes_are_named() {
        let message = |names: Value| ToolTable::with_names(&names).unwrap_err().to_string();
        let meanings = "the meanings are read, write, edit, editor, search, list, command, todo, touch, other";
        assert_eq!(message(json!({"x": "reed"})), format!("toolNames.x is \"reed\", but {meanings}"));
        assert_eq!(message(json!({"x": {}})), format!("toolNames.x.meaning is null, but {meanings}"));
        assert!(
            message(json!({"x": {"meaning": "read", "paht": "p"}}))
                .starts_with("toolNames.x.paht is \"p\", but the parameters are path,")
        );
        assert!(message(json!([])).starts_with("toolNames is [], but"));
        assert_eq!(ToolTable::with_names(&json!({"x": 1})).unwrap_err().code(), "invalid_tool_names");
    }
}
