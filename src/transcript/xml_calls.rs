//! Tool calls that the assistant writes as XML in its text (Roo and Cline before native tool calls).
//!
//! Parameters are not escaped, so a file to be written may contain the closing tags of its own call.

use crate::maps::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::tools::{Tool, ToolTable};

/// A tool call in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct XmlCall<'a, 't> {
    /// The tool's name as written.
    pub(super) name: &'a str,
    /// The tool.
    pub(super) tool: &'t Tool,
    /// The bytes from the opening tag through the closing one.
    pub(super) range: Range<usize>,
    /// The parameters in order.
    pub(super) parameters: Vec<Parameter<'a>>,
    /// True if there is a closing tag; a response that was cut off has none.
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

impl XmlCall<'_, '_> {
    /// Returns the range of the first of these parameters that exists.
    pub(super) fn parameter<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> Option<Range<usize>> {
        let of_name = |name: &str| self.parameters.iter().find(|parameter| parameter.name == name);
        names.find_map(of_name).map(|parameter| parameter.value.clone())
    }
}

/// The value of a parameter of a call.
pub(super) struct Value<'a> {
    /// The name of the innermost parameter.
    pub(super) name: &'a str,
    /// Its byte range, which is not empty.
    pub(super) range: Range<usize>,
    /// True if it is inside another parameter.
    pub(super) is_nested: bool,
    /// True if it contains the assistant's words to the user.
    pub(super) is_spoken: bool,
}

/// Parameters that contain others in tags, if a call concerns several files.
const NESTING: [&str; 4] = ["args", "file", "files", "diff"];
/// The deepest nesting is `<args><file><diff>`.
const MAX_NESTED: usize = 4;

/// Returns the values of a call in order: of its parameters, and of those inside them.
pub(super) fn values<'a>(text: &'a str, call: &XmlCall<'a, '_>) -> Vec<Value<'a>> {
    let mut found = Vec::new();
    for parameter in &call.parameters {
        push_values(text, parameter, call.tool, MAX_NESTED, &mut found);
    }
    found
}

fn push_values<'a>(text: &'a str, parameter: &Parameter<'a>, tool: &Tool, most: usize, found: &mut Vec<Value<'a>>) {
    let range = parameter.value.clone();
    if most > 0 && NESTING.contains(&parameter.name) && opens_parameter(&text[..range.end], range.start, tool) {
        let within = parameters(text, range, tool);
        within.iter().for_each(|parameter| push_values(text, parameter, tool, most - 1, found));
    } else if !range.is_empty() {
        let name = parameter.name;
        found.push(Value { name, range, is_nested: most < MAX_NESTED, is_spoken: tool.speaks_in(name) });
    }
}

/// Returns the tool calls of `text`, in order. Only a tag at the start of a line opens one.
pub(super) fn calls<'a, 't>(text: &'a str, tools: &'t ToolTable) -> Vec<XmlCall<'a, 't>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The last closing tag of each tool. An opening tag after it is never closed, and searching for that repeatedly
    // would be quadratic.
    let mut last_close: HashMap<&str, Option<usize>> = HashMap::default();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'<', &bytes[at..]).map(|step| at + step) {
        at = open + 1;
        let Some(name) = tag_name(text, open).filter(|_| starts_line(text, open)) else { continue };
        let Some((tool, is_certain)) = tools.tool_in_xml(name) else { continue };
        let inside = open + name.len() + 2;
        if !is_certain && !opens_parameter(text, inside, tool) {
            continue;
        }
        let close_tag = format!("</{name}>");
        let last = *last_close.entry(name).or_insert_with(|| memmem::rfind(bytes, close_tag.as_bytes()));
        let (end, closed) = match last.filter(|last| *last >= inside) {
            Some(last) => (matching_close(text, name, &close_tag, inside, last), true),
            // The call was cut off. A bare tag in prose has no parameter after it.
            None if opens_parameter(text, inside, tool) => (text.len(), false),
            None => continue,
        };
        let range = open..if closed { end + close_tag.len() } else { end };
        at = range.end;
        found.push(XmlCall { name, tool, parameters: parameters(text, inside..end, tool), range, closed });
    }
    found
}

/// Returns the closing tag of the call whose content starts at `inside`. Tags at line starts are matched like
/// brackets. So a call shown in a written file belongs to the content, and a second call in the text does not.
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
            // There are more closing tags than opening ones, because the content contains closing tags. The last
            // one is the call's own.
            return last;
        }
    }
    matching.unwrap_or(last)
}

/// Returns the parameters inside a call.
fn parameters<'a>(text: &'a str, inside: Range<usize>, tool: &Tool) -> Vec<Parameter<'a>> {
    let mut found = Vec::new();
    let mut at = inside.start;
    while let Some(open) = memchr::memchr(b'<', &text.as_bytes()[at..inside.end]).map(|step| at + step) {
        at = open + 1;
        let Some(name) = tag_name(text, open) else { continue };
        let Some(is_free_text) = tool.in_xml_parameter(name) else { continue };
        let start = open + name.len() + 2;
        if start > inside.end {
            break;
        }
        let close_tag = format!("</{name}>");
        let body = &text.as_bytes()[start..inside.end];
        let close = if is_free_text {
            memmem::rfind(body, close_tag.as_bytes())
        } else {
            memmem::find(body, close_tag.as_bytes())
        };
        // The parameter was cut off, so all the rest belongs to it.
        let end = close.map_or(inside.end, |close| start + close);
        at = close.map_or(inside.end, |_| end + close_tag.len());
        found.push(Parameter { name, value: trim_breaks(text, start..end) });
    }
    found
}

/// Returns `range` without one line break at each end.
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

/// The longest name that the services allow for a tool.
const MAX_TAG_BYTES: usize = 64;

/// Returns the name in an opening tag without attributes at `open`.
pub(super) fn tag_name(text: &str, open: usize) -> Option<&str> {
    let rest = &text.as_bytes()[open + 1..];
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-');
    let length = rest.iter().take(MAX_TAG_BYTES).take_while(in_name).count();
    (length > 0 && rest.get(length) == Some(&b'>')).then(|| &text[open + 1..open + 1 + length])
}

/// Returns true if only blanks precede `at` on its line.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    let before = text.as_bytes()[..at].iter().rev();
    before.copied().take(80).find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| byte == b'\n')
}

fn opens_parameter(text: &str, inside: usize, tool: &Tool) -> bool {
    let open = text.len() - text[inside..].trim_start().len();
    text[open..].starts_with('<') && tag_name(text, open).is_some_and(|name| tool.in_xml_parameter(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::tools::{Meaning, ParameterRole, ToolRows};
    use super::*;

    /// A call: its name, and its parameters with their values.
    type Read = (String, Vec<(String, String)>);

    fn read_with(text: &str, tools: &ToolTable) -> Vec<Read> {
        let value = |parameter: &Parameter<'_>| (parameter.name.to_owned(), text[parameter.value.clone()].to_owned());
        let call = |call: &XmlCall<'_, '_>| (call.name.to_owned(), call.parameters.iter().map(value).collect());
        calls(text, tools).iter().map(call).collect()
    }

    fn read(text: &str) -> Vec<Read> {
        read_with(text, &ToolTable::default())
    }

    fn call(name: &str, parameters: &[(&str, &str)]) -> Read {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        (name.to_owned(), parameters.iter().map(owned).collect())
    }

    #[test]
    fn a_call_and_its_parameters() {
        let text = "I write.\n\n<write_to_file>\n<path>a.html</path>\n<content>\n<b>\n</b>\n</content>\n<line_count>2</line_count>\n</write_to_file>\nDone.";
        assert_eq!(
            read(text),
            [call("write_to_file", &[("path", "a.html"), ("content", "<b>\n</b>"), ("line_count", "2")])]
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
        assert_eq!(read(text), [call("read_file", &[("path", "a")]), call("read_file", &[("path", "b")])]);
    }

    #[test]
    fn prose_and_cut_off_calls() {
        assert_eq!(read("Use `<read_file>` and </read_file>.\n<read_file>"), []);
        assert_eq!(read("<read_file>\n<path>a</pa"), [call("read_file", &[("path", "a</pa")])]);
    }
    #[test]
    fn tools_of_the_host() {
        let mut rows = ToolRows::default();
        rows.insert("fs-Put", Tool::new(Meaning::Write).with(ParameterRole::Content, "body"));
        rows.insert("my_*", Tool::new(Meaning::Read).with(ParameterRole::Path, "target"));
        let tools = ToolTable::default().with(&rows);
        let text = "<fs-Put>\n<path>a</path>\n<body>\nsays </body> itself\n</body>\n</fs-Put>\n\n<my_peek>\n<target>b</target>\n</my_peek>";
        let expected =
            [call("fs-Put", &[("path", "a"), ("body", "says </body> itself")]), call("my_peek", &[("target", "b")])];
        assert_eq!(read_with(text, &tools), expected);
        assert_eq!(read(text), []);
        assert_eq!(read_with("<my_note>\nA glob may mean tags that call nothing.\n</my_note>", &tools), []);
    }
}
