//! The tools of the known agents, one row each: Roo, Cline, Kilo Code, Claude Code, mini-swe-agent, Codex, OpenCode,
//! Gemini CLI, OpenHands and the common file servers of the Model Context Protocol.
//!
//! To add a tool, add a row. Nothing else has to change, because all code takes its knowledge of tools from this table.

use super::{
    meaning::Meaning::{
        self, Agent, Ask, Command, Edit, Editor, Item, List, Mode, Other, Plan, Read, Recall, Search, Skill, Todo,
        Touch, Web, Write,
    },
    parameters::ParameterRole,
};

/// A known tool.
pub(super) struct KnownTool {
    /// The name as called; may contain `*` and `?`.
    pub(super) name: &'static str,
    pub(super) meaning: Meaning,
    pub(super) asks_user: bool,
    pub(super) in_xml: bool,
    pub(super) numbers_lines: bool,
    pub(super) replaces_all: bool,
    pub(super) parameters: &'static [(ParameterRole, &'static str)],
}

/// Creates a tool that is called natively, with the usual parameter names.
const fn tool(name: &'static str, meaning: Meaning) -> KnownTool {
    KnownTool {
        name,
        meaning,
        asks_user: matches!(meaning, Ask),
        in_xml: false,
        numbers_lines: matches!(meaning, Editor),
        replaces_all: false,
        parameters: &[],
    }
}

impl KnownTool {
    /// Also called in XML: `<name><parameter>…</parameter></name>`.
    const fn in_xml(self) -> Self {
        Self { in_xml: true, ..self }
    }

    /// Declares that the result consists of the user's words.
    const fn asks_user(self) -> Self {
        Self { asks_user: true, ..self }
    }

    /// Declares that the tool numbers every line of a file, so a result without numbers is not the file.
    const fn numbers_lines(self) -> Self {
        Self { numbers_lines: true, ..self }
    }

    /// Declares that the tool replaces every occurrence of a text.
    const fn replaces_all(self) -> Self {
        Self { replaces_all: true, ..self }
    }

    /// Adds its own parameter names; the usual ones count too.
    const fn with(self, parameters: &'static [(ParameterRole, &'static str)]) -> Self {
        Self { parameters, ..self }
    }
}

pub(super) const KNOWN: &[KnownTool] = &[
    // Read files.
    tool("read_file", Read).in_xml(),
    tool("simple_read_file", Read).in_xml(),
    tool("read", Read),
    tool("Read", Read).numbers_lines(),
    tool("NotebookRead", Read).numbers_lines(),
    tool("View", Read),
    tool("view", Read),
    tool("view_file", Read),
    tool("read_text_file", Read),
    tool("read_multiple_files", Read),
    tool("read_files", Read),
    tool("cat_file", Read),
    tool("open_file", Read),
    tool("get_file_contents", Read),
    // Write files.
    tool("write_to_file", Write).in_xml(),
    tool("write", Write),
    tool("Write", Write),
    tool("write_file", Write),
    tool("create_file", Write),
    tool("create", Write),
    tool("new_file", Write),
    tool("Create", Write),
    // Edit files.
    tool("apply_diff", Edit).in_xml(),
    tool("insert_content", Edit).in_xml(),
    tool("search_and_replace", Edit).in_xml().replaces_all(),
    tool("replace_in_file", Edit).in_xml(),
    tool("search_replace", Edit).in_xml(),
    tool("edit_file", Edit).in_xml(),
    tool("apply_patch", Edit).in_xml(),
    tool("ApplyPatch", Edit),
    tool("Edit", Edit),
    tool("MultiEdit", Edit),
    tool("edit", Edit),
    tool("multi_edit", Edit),
    tool("multi_edit_file", Edit),
    tool("str_replace", Edit),
    tool("patch", Edit),
    tool("insert", Edit),
    tool("replace", Edit),
    tool("append_file", Edit),
    // Read, write and edit files.
    tool("str_replace_editor", Editor),
    tool("str_replace_based_edit_tool", Editor),
    tool("text_editor", Editor),
    tool("file_editor", Editor),
    // Search files.
    tool("search_files", Search).in_xml(),
    tool("codebase_search", Search).in_xml(),
    tool("Grep", Search),
    tool("grep", Search),
    tool("grep_search", Search),
    tool("search_file_content", Search),
    tool("ripgrep", Search),
    tool("search_in_files", Search),
    // List files.
    tool("list_files", List).in_xml(),
    tool("list", List),
    tool("Glob", List),
    tool("glob", List),
    tool("LS", List),
    tool("ls", List),
    tool("list_directory", List),
    tool("list_dir", List),
    tool("directory_tree", List),
    tool("list_directory_contents", List),
    tool("file_search", List),
    // Run commands.
    tool("execute_command", Command).in_xml(),
    tool("Bash", Command),
    tool("bash", Command),
    tool("shell", Command),
    tool("run_command", Command),
    tool("run_terminal_cmd", Command),
    tool("execute_bash", Command),
    tool("run_shell_command", Command),
    tool("terminal", Command),
    tool("exec_command", Command),
    tool("local_shell", Command),
    // Read pages.
    tool("browser_action", Web).in_xml(),
    tool("web_fetch", Web).in_xml(),
    tool("web_search", Web).in_xml(),
    tool("WebFetch", Web),
    tool("WebSearch", Web),
    // Ask the user, or tell the user that the work is done.
    tool("ask_followup_question", Ask).in_xml(),
    tool("attempt_completion", Ask).in_xml(),
    tool("AskUserQuestion", Ask),
    tool("question", Ask),
    tool("request_user_input", Ask),
    tool("plan_mode_respond", Plan).in_xml().asks_user(),
    // Set todo lists.
    tool("update_todo_list", Todo).in_xml(),
    tool("focus_chain", Todo).in_xml(),
    tool("TodoWrite", Todo),
    tool("todo_write", Todo),
    tool("todowrite", Todo),
    tool("update_plan", Todo),
    tool("TaskCreate", Item),
    tool("TaskUpdate", Item),
    // Present a plan.
    tool("ExitPlanMode", Plan).with(&[(ParameterRole::Speech, "plan")]),
    tool("exit_plan_mode", Plan).with(&[(ParameterRole::Speech, "plan")]),
    // Start sub-agents.
    tool("Task", Agent),
    tool("Agent", Agent),
    tool("spawn_agent", Agent),
    tool("new_task", Agent).in_xml().with(&[(ParameterRole::Label, "message")]),
    // Load instructions.
    tool("Skill", Skill).with(&[(ParameterRole::Label, "skill"), (ParameterRole::Label, "command")]),
    tool("skill", Skill).in_xml(),
    tool("use_skill", Skill).in_xml().with(&[(ParameterRole::Label, "skill_name")]),
    // Switch the mode.
    tool("switch_mode", Mode).in_xml().with(&[(ParameterRole::Label, "mode_slug")]),
    // Recall earlier content.
    tool("recall", Recall).with(&[(ParameterRole::Label, "query"), (ParameterRole::Label, "key")]),
    // Delete or move files, or change them unseen.
    tool("move_file", Touch),
    tool("delete_file", Touch),
    tool("delete_files", Touch),
    tool("rename_file", Touch),
    tool("NotebookEdit", Touch),
    tool("fast_apply", Touch),
    // Other tools that Roo, Cline and Kilo Code let the model call in XML.
    tool("use_mcp_tool", Other)
        .in_xml()
        .with(&[(ParameterRole::Tool, "tool_name"), (ParameterRole::Arguments, "arguments")]),
    tool("access_mcp_resource", Other).in_xml(),
    tool("act_mode_respond", Other).in_xml(),
    tool("condense", Other).in_xml(),
    tool("fetch_instructions", Other).in_xml(),
    tool("generate_image", Other).in_xml(),
    tool("list_code_definition_names", Other).in_xml(),
    tool("load_mcp_documentation", Other).in_xml(),
    tool("new_rule", Other).in_xml(),
    tool("read_command_output", Other).in_xml(),
    tool("report_bug", Other).in_xml(),
    tool("run_slash_command", Other).in_xml(),
];
