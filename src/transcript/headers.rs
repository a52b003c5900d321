//! The line that announces a tool's result in plain text: `[read_file for 'src/a.ts'] Result:`.

use super::tools::{Meaning, ToolTable};

/// The end of a header.
const CLOSE: &str = "] Result:";

/// A header at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header<'a> {
    /// The tool.
    pub(super) name: &'a str,
    /// The text between the name and the closing bracket, such as ` for 'src/a.ts'`.
    pub(super) subject: &'a str,
    /// Start of the header.
    pub(super) start: usize,
    /// The index after its last byte.
    pub(super) end: usize,
}

impl<'a> Header<'a> {
    /// Returns the subject: the path of `for 'PATH'`, the command of `for 'COMMAND'`; empty if there is none.
    pub(super) fn target(&self) -> &'a str {
        let Some(quoted) = self.subject.strip_prefix(" for '") else { return self.subject.trim() };
        // Roo's advice to read several files at once comes after the name.
        let quoted = quoted.find("'. Reading multiple files").map_or(quoted, |end| &quoted[..end]);
        quoted.strip_suffix('\'').unwrap_or(quoted)
    }

    /// Parses a header at the start of `text`, after optional blanks. `called` returns true for called tools, which
    /// may have names of any form.
    pub(super) fn at_start(text: &'a str, called: impl Fn(&str) -> bool) -> Option<Self> {
        let start = text.len() - text.trim_start().len();
        let (name, subject_start) = name(text, start)?;
        // `[ERROR]` and `[TASK RESUMPTION]` are Roo's own notes.
        if !name.starts_with(|first: char| first.is_ascii_lowercase()) && !called(name) {
            return None;
        }
        let subject = &text[subject_start..];
        let quoted = subject.starts_with(" for '");
        if !quoted && !subject.starts_with(CLOSE) && text.trim_end().ends_with(CLOSE) {
            // The reason for a mode switch and the message of a new task may contain anything.
            let end = text.trim_end().len();
            return Some(Self { name, subject: &text[subject_start..end - CLOSE.len()], start, end });
        }
        let closes = || memchr::memmem::find_iter(subject.as_bytes(), CLOSE);
        let close = if quoted {
            // A command may contain the closing text itself; the header's own follows a quote or a sentence.
            closes().find(|close| subject[..*close].ends_with(['\'', '.'])).or_else(|| closes().next())
        } else {
            closes().next()
        }?;
        Some(Self { name, subject: &subject[..close], start, end: subject_start + close + CLOSE.len() })
    }

    /// Parses a header at the start of a line inside a text. It must end on the same line, and `called` must know its
    /// tool, because a file may contain such a line.
    pub(super) fn on_line(text: &'a str, line_start: usize, called: impl Fn(&str) -> bool) -> Option<Self> {
        let (name, subject_start) = name(text, line_start)?;
        if !called(name) {
            return None;
        }
        let line_end = memchr::memchr(b'\n', &text.as_bytes()[line_start..]).map_or(text.len(), |at| line_start + at);
        let line = text[line_start..line_end].trim_end();
        let subject = text[subject_start..line_start + line.len()].strip_suffix(CLOSE)?;
        Some(Self { name, subject, start: line_start, end: line_start + line.len() })
    }
}

/// Returns the tool's name after an opening bracket at `start`, and the end of the name.
fn name(text: &str, start: usize) -> Option<(&str, usize)> {
    let rest = text[start..].strip_prefix('[')?;
    let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let name = &rest[..length];
    let behind = &rest[length..];
    let goes_on =
        [CLOSE, " for ", " to ", " in ", " completed", " because", " ("].iter().any(|next| behind.starts_with(next));
    (length > 0 && goes_on).then_some((name, start + 1 + length))
}

/// Returns the file in `[read_file for 'PATH']` on its own line, as Roo introduces a mentioned file since 2026, and
/// the start of its content.
pub(super) fn announced_read<'a>(text: &'a str, tools: &ToolTable) -> Option<(&'a str, usize)> {
    let (name, subject) = name(text, 0)?;
    let rest = text[subject..].strip_prefix(" for '").filter(|_| tools.meaning(name) == Meaning::Read)?;
    let path = &rest[..rest.find("']\n")?];
    (!path.contains('\n')).then(|| (path, text.len() - rest.len() + path.len() + "']\n".len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(&str, &str, &str)> {
        Header::at_start(text, |name| name == "FsGrab")
            .map(|header| (header.name, header.target(), &text[header.end..]))
    }

    #[test]
    fn headers_of_roo_and_cline() {
        let advice = "Reading multiple files at once is more efficient for the LLM. Please read them simultaneously.";
        assert_eq!(read(&format!("[read_file for 'a b.ts'. {advice}] Result:")), Some(("read_file", "a b.ts", "")));
        assert_eq!(read("[read_file for 'x'] Result:\n[y] Result:"), Some(("read_file", "x", "\n[y] Result:")));
        assert_eq!(read("[update_todo_list] Result:"), Some(("update_todo_list", "", "")));
        assert_eq!(read("[read_file for 5 files] Result:"), Some(("read_file", "for 5 files", "")));
        assert_eq!(
            read("[execute_command for 'echo \"[x] Result:\"\nls'] Result:"),
            Some(("execute_command", "echo \"[x] Result:\"\nls", ""))
        );
        assert_eq!(read("[switch_mode to 'code' because: a] Result: b] Result:").map(|read| read.2), Some(""));
        assert_eq!(read("[FsGrab for 'x'] Result:"), Some(("FsGrab", "x", "")));
        assert_eq!(read("[new_task completed] Result: # Report"), Some(("new_task", "completed", " # Report")));
    }

    #[test]
    fn prose_is_none() {
        for text in [
            "see [read_file for 'x'] Result:",
            "[ERROR] You did not",
            "[link](url) Result:",
            "[a",
            "[read_file for 'x']",
            "[]] Result:",
            "[",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
