//! Tool calls that the assistant writes as XML in its text (Roo and Cline before native tool calls).
//!
//! What stands in a parameter is not escaped, so a file that is written may hold the closing tags of its own call.

use std::{collections::HashMap, ops::Range};

use memchr::memmem;

/// A tool call in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct XmlCall<'a> {
    /// The tool.
    pub(super) name: &'a str,
    /// From the opening tag to behind the closing one.
    pub(super) range: Range<usize>,
    /// The parameters in order.
    pub(super) parameters: Vec<Parameter<'a>>,
    /// Whether the closing tag is there; a response that was cut off has none.
    pub(super) closed: bool,
}

/// A parameter of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The value, without the line breaks next to the tags.
    pub(super) value: Range<usize>,
}

impl XmlCall<'_> {
    /// The range of the parameter `name`.
    pub(super) fn parameter(&self, name: &str) -> Option<Range<usize>> {
        self.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.value.clone())
    }
}

/// The tools that Roo, Cline and Kilo Code let the model call in XML.
const TOOLS: [&str; 38] = [
    "execute_command",
    "read_file",
    "write_to_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "replace_in_file",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "use_mcp_tool",
    "access_mcp_resource",
    "browser_action",
    "fetch_instructions",
    "ask_followup_question",
    "attempt_completion",
    "switch_mode",
    "new_task",
    "update_todo_list",
    "generate_image",
    "run_slash_command",
    "edit_file",
    "plan_mode_respond",
    "act_mode_respond",
    "load_mcp_documentation",
    "web_fetch",
    "web_search",
    "new_rule",
    "report_bug",
    "condense",
    "focus_chain",
    "search_replace",
    "apply_patch",
    "read_command_output",
    "skill",
    "use_skill",
    "simple_read_file",
];

/// Their parameters at the top level.
const PARAMETERS: [&str; 50] = [
    "path",
    "content",
    "line_count",
    "diff",
    "args",
    "arguments",
    "command",
    "cwd",
    "regex",
    "file_pattern",
    "recursive",
    "line",
    "search",
    "replace",
    "use_regex",
    "ignore_case",
    "start_line",
    "end_line",
    "server_name",
    "tool_name",
    "uri",
    "action",
    "url",
    "coordinate",
    "text",
    "size",
    "task",
    "question",
    "follow_up",
    "options",
    "result",
    "mode_slug",
    "reason",
    "mode",
    "message",
    "todos",
    "query",
    "prompt",
    "image",
    "response",
    "requires_approval",
    "timeout",
    "context",
    "task_progress",
    "needs_more_exploration",
    "target_file",
    "instructions",
    "code_edit",
    "patch",
    "line_range",
];

/// Parameters that may hold anything: they end at the last closing tag of their name.
const FREE_TEXT: [&str; 12] = [
    "content",
    "diff",
    "arguments",
    "args",
    "result",
    "message",
    "todos",
    "command",
    "patch",
    "code_edit",
    "replace",
    "response",
];

/// The tool calls of `text`, in order. Only a tag at the start of a line opens one.
pub(super) fn calls(text: &str) -> Vec<XmlCall<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The last closing tag of each tool: an opening behind it is never closed, and finding that out again and again is quadratic.
    let mut last_close: HashMap<&str, Option<usize>> = HashMap::new();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'<', &bytes[at..]).map(|step| at + step) {
        at = open + 1;
        let Some(name) = tag_name(text, open).filter(|name| TOOLS.contains(name)) else { continue };
        if !starts_line(text, open) {
            continue;
        }
        let inside = open + name.len() + 2;
        let close_tag = format!("</{name}>");
        let last = *last_close.entry(name).or_insert_with(|| memmem::rfind(bytes, close_tag.as_bytes()));
        let (end, closed) = match last.filter(|last| *last >= inside) {
            Some(last) => (matching_close(text, name, &close_tag, inside, last), true),
            // Cut off in the middle of a call; a bare tag in prose has no parameter behind it.
            None if opens_parameter(text, inside) => (text.len(), false),
            None => continue,
        };
        let range = open..if closed { end + close_tag.len() } else { end };
        at = range.end;
        found.push(XmlCall { name, parameters: parameters(text, inside..end), range, closed });
    }
    found
}

/// The closing tag that belongs to the call whose inside starts at `inside`: tags at line starts are counted as brackets, so
/// that a file which shows a call stays inside, and a second call in the same text stays outside.
fn matching_close(text: &str, name: &str, close_tag: &str, inside: usize, last: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 1_usize;
    let mut at = inside;
    let mut matching = None;
    while let Some(tag) = memchr::memchr(b'<', &bytes[at..=last]).map(|step| at + step) {
        at = tag + 1;
        if text[tag..].starts_with(close_tag) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                matching.get_or_insert(tag);
            }
        } else if tag_name(text, tag) == Some(name) && starts_line(text, tag) {
            if matching.is_some() {
                break;
            }
            depth += 1;
        }
        if at > last {
            // More closing tags than opening ones: the call's content holds some, and the last one is the call's own.
            return last;
        }
    }
    matching.unwrap_or(last)
}

/// The parameters inside a call.
fn parameters(text: &str, inside: Range<usize>) -> Vec<Parameter<'_>> {
    let mut found = Vec::new();
    let mut at = inside.start;
    while let Some(open) = memchr::memchr(b'<', &text.as_bytes()[at..inside.end]).map(|step| at + step) {
        at = open + 1;
        let Some(name) = tag_name(text, open).filter(|name| PARAMETERS.contains(name)) else { continue };
        let start = open + name.len() + 2;
        if start > inside.end {
            break;
        }
        let close_tag = format!("</{name}>");
        let body = &text.as_bytes()[start..inside.end];
        let close = if FREE_TEXT.contains(&name) {
            memmem::rfind(body, close_tag.as_bytes())
        } else {
            memmem::find(body, close_tag.as_bytes())
        };
        // Not closed: cut off, so all the rest belongs to it.
        let end = close.map_or(inside.end, |close| start + close);
        at = close.map_or(inside.end, |_| end + close_tag.len());
        found.push(Parameter { name, value: trim_breaks(text, start..end) });
    }
    found
}

/// `range` without one line break at each end.
pub(super) fn trim_breaks(text: &str, mut range: Range<usize>) -> Range<usize> {
    for line_break in ["\r\n", "\n"] {
        if text[range.clone()].starts_with(line_break) {
            range.start += line_break.len();
            break;
        }
    }
    for line_break in ["\r\n", "\n"] {
        if text[range.clone()].ends_with(line_break) {
            range.end -= line_break.len();
            break;
        }
    }
    range
}

/// The name in an opening tag without attributes at `open`.
pub(super) fn tag_name(text: &str, open: usize) -> Option<&str> {
    let rest = &text.as_bytes()[open + 1..];
    let length = rest.iter().take(40).take_while(|byte| byte.is_ascii_lowercase() || **byte == b'_').count();
    (length > 0 && rest.get(length) == Some(&b'>')).then(|| &text[open + 1..open + 1 + length])
}

/// Whether only blanks stand between the start of the line and `at`.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    let before = text.as_bytes()[..at].iter().rev();
    before.copied().take(80).find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| byte == b'\n')
}

fn opens_parameter(text: &str, inside: usize) -> bool {
    let open = text.len() - text[inside..].trim_start().len();
    text[open..].starts_with('<') && tag_name(text, open).is_some_and(|name| PARAMETERS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, Vec<(&str, &str)>)> {
        let values = |call: XmlCall<'static>| {
            (
                call.name,
                call.parameters.into_iter().map(|parameter| (parameter.name, parameter.value)).collect::<Vec<_>>(),
            )
        };
        let text: &'static str = String::from(text).leak();
        calls(text)
            .into_iter()
            .map(values)
            .map(|(name, values)| (name, values.into_iter().map(|(name, value)| (name, &text[value])).collect()))
            .collect()
    }

    #[test]
    fn a_call_and_its_parameters() {
        let text = "I write.\n\n<write_to_file>\n<path>a.html</path>\n<content>\n<b>\n</b>\n</content>\n<line_count>2</line_count>\n</write_to_file>\nDone.";
        assert_eq!(
            read(text),
            [("write_to_file", vec![("path", "a.html"), ("content", "<b>\n</b>"), ("line_count", "2")])]
        );
    }

    #[test]
    fn content_may_hold_its_own_closing_tags() {
        let text = "<write_to_file>\n<path>p</path>\n<content>\n<write_to_file>\n<content>x</content>\n</write_to_file>\n</content>\n</write_to_file>";
        assert_eq!(read(text)[0].1[1].1, "<write_to_file>\n<content>x</content>\n</write_to_file>");
        let text =
            "<write_to_file>\n<path>p</path>\n<content>\nends with </write_to_file>\n</content>\n</write_to_file>";
        assert_eq!(read(text)[0].1[1].1, "ends with </write_to_file>");
    }

    #[test]
    fn two_calls_in_a_text_are_two() {
        let text = "<read_file>\n<path>a</path>\n</read_file>\n\n<read_file>\n<path>b</path>\n</read_file>";
        assert_eq!(read(text), [("read_file", vec![("path", "a")]), ("read_file", vec![("path", "b")])]);
    }

    #[test]
    fn prose_and_cut_off_calls() {
        assert_eq!(read("Use `<read_file>` and </read_file>.\n<read_file>"), []);
        assert_eq!(read("<read_file>\n<path>a</pa"), [("read_file", vec![("path", "a</pa")])]);
    }
}
