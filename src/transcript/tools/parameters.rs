//! The roles of tool parameters, and their usual names.

use crate::maps::HashMap;
use std::sync::LazyLock;

/// The content of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParameterRole {
    /// The file.
    Path,
    /// Several files.
    Files,
    /// The whole new content of a file, or the lines to insert.
    Content,
    /// The text to replace.
    Old,
    /// The new text.
    New,
    /// True to replace every occurrence.
    ReplaceAll,
    /// A list of changes, each with an old and a new text.
    Edits,
    /// SEARCH/REPLACE blocks or a patch.
    Diff,
    /// The line at which to insert.
    Line,
    /// The first line to read.
    Offset,
    /// The number of lines to read.
    Limit,
    /// The last line to read.
    LastLine,
    /// The command line.
    Command,
    /// The pattern to search for.
    Pattern,
    /// The address of a page.
    Url,
    /// The todo list.
    Todos,
    /// The source of a move or a copy.
    From,
    /// The destination of a move or a copy.
    To,
    /// The assistant's words to the user.
    Speech,
    /// The subject of the call, in a few words for people.
    Label,
    /// The name of the called tool, if this tool calls others.
    Tool,
    /// The parameters of the called tool, as JSON.
    Arguments,
}

/// The names of a role.
struct Naming {
    role: ParameterRole,
    /// Names that mean this role in any tool.
    common: &'static [&'static str],
    /// True if the value in XML may contain anything, including closing tags. It then ends at the last closing tag of
    /// its name.
    is_free_text: bool,
}

const fn naming(role: ParameterRole, common: &'static [&'static str], is_free_text: bool) -> Naming {
    Naming { role, common, is_free_text }
}

use ParameterRole as P;

/// In the order of [`ParameterRole`].
const NAMINGS: [Naming; 22] = [
    naming(
        P::Path,
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
        false,
    ),
    naming(P::Files, &["files", "paths", "file_paths"], false),
    naming(P::Content, &["content", "contents", "file_text", "text", "new_source"], true),
    naming(P::Old, &["old_string", "old_str", "oldText", "oldString", "search", "old_text"], false),
    naming(P::New, &["new_string", "new_str", "newText", "newString", "replace", "new_text"], true),
    naming(P::ReplaceAll, &["replace_all", "replaceAll", "expected_replacements"], false),
    naming(P::Edits, &["edits", "operations"], true),
    naming(P::Diff, &["diff", "patch", "input", "patch_text", "patchText"], true),
    naming(P::Line, &["line", "insert_line"], false),
    naming(P::Offset, &["offset", "start_line", "startLine", "start_line_one_indexed"], false),
    naming(P::Limit, &["limit", "max_lines"], false),
    naming(P::LastLine, &["end_line", "endLine", "end_line_one_indexed_inclusive"], false),
    naming(P::Command, &["command", "cmd", "script"], true),
    naming(P::Pattern, &["pattern", "regex", "query"], false),
    naming(P::Url, &["url"], false),
    naming(P::Todos, &["todos", "plan", "task_progress"], true),
    naming(P::From, &["source", "from", "old_path"], false),
    naming(P::To, &["destination", "to", "new_path", "new_name"], false),
    naming(P::Speech, &["result", "question", "response", "follow_up"], true),
    naming(P::Label, &["description", "tool_name", "name", "server_name"], false),
    naming(P::Tool, &[], false),
    naming(P::Arguments, &[], true),
];

/// Further parameters of tools in XML.
const OTHERS_IN_XML: [&str; 22] = [
    "line_count",
    "cwd",
    "file_pattern",
    "recursive",
    "use_regex",
    "ignore_case",
    "action",
    "coordinate",
    "size",
    "task",
    "options",
    "mode_slug",
    "reason",
    "mode",
    "prompt",
    "image",
    "requires_approval",
    "timeout",
    "context",
    "needs_more_exploration",
    "instructions",
    "line_range",
];

/// The parameters in [`OTHERS_IN_XML`] that may contain anything.
const OTHER_FREE_TEXTS: [&str; 4] = ["args", "arguments", "message", "code_edit"];

/// The parameters that name the subject of a call, the best first.
pub(super) const TELLING: [ParameterRole; 5] = [P::Path, P::Command, P::Pattern, P::Url, P::Label];

/// The same for a search, where the folder says little.
pub(super) const TELLING_OF_SEARCH: [ParameterRole; 5] = [P::Pattern, P::Path, P::Command, P::Url, P::Label];

impl ParameterRole {
    fn naming(self) -> &'static Naming {
        let naming = &NAMINGS[self as usize];
        debug_assert_eq!(naming.role, self, "a row for each role, in their order");
        naming
    }

    /// Returns the names that mean this role in any tool, the likeliest first.
    pub fn common_names(self) -> &'static [&'static str] {
        self.naming().common
    }

    pub(super) fn is_free_text(self) -> bool {
        self.naming().is_free_text
    }
}

/// Returns `Some` if a parameter of any tool in XML has this name; true if it may contain anything.
pub(super) fn common_in_xml(name: &str) -> Option<bool> {
    static NAMES: LazyLock<HashMap<&str, bool>> = LazyLock::new(|| {
        let mut names: HashMap<&str, bool> = OTHERS_IN_XML.iter().map(|name| (*name, false)).collect();
        names.extend(OTHER_FREE_TEXTS.iter().map(|name| (*name, true)));
        for naming in &NAMINGS {
            for name in naming.common {
                *names.entry(name).or_default() |= naming.is_free_text;
            }
        }
        names
    });
    NAMES.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_its_own_naming() {
        for (index, naming) in NAMINGS.iter().enumerate() {
            assert_eq!(naming.role as usize, index, "{:?}", naming.role);
        }
    }

    #[test]
    fn what_may_hold_anything_in_xml() {
        let known = ["content", "args", "message", "command", "path", "server_name", "nothing"].map(common_in_xml);
        assert_eq!(known, [Some(true), Some(true), Some(true), Some(true), Some(false), Some(false), None]);
    }
}
