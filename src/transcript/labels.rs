//! Short names for people: what was read, run or written, in a form that fits a marker.

use crate::markers::NoteLine;

use super::{
    patches, shell,
    tools::{Meaning, ParameterRole, ToolTable},
    unseen,
};

/// A text in the parameters of a call.
#[derive(Debug, Clone, Copy)]
pub struct Parameter<'a> {
    /// The parameter's name.
    pub key: &'a str,
    /// The text.
    pub value: &'a str,
    /// True if it is inside a list or an object.
    pub is_nested: bool,
}

/// The tool call that a piece belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolSource {
    /// The tool's name; empty if unknown.
    pub name: String,
    /// A short line for people, such as `read_file src/a.ts` or `npm test`; at most 80 characters.
    pub label: String,
    /// The call on one line, quoted: its name, its subject, and its other short parameters by name, such as
    /// `execute_command npm test cwd=packages/b`.
    pub head: String,
    /// The tool's action.
    pub meaning: Meaning,
    /// The file that is read or changed, as the call names it; the first if a patch has several. Empty if unknown.
    pub file: String,
    /// True if the tool's result is the user's answer.
    pub asks_user: bool,
    /// True if the command line shows files or their changes (`cat`, `sed -n`, `head`, `tail`, `nl`, `git diff`, `git
    /// show`).
    pub shows_files: bool,
    /// True if the command line only shows files or their changes.
    pub only_shows_files: bool,
    /// True if the command line is known to change nothing.
    pub only_reads: bool,
}

/// Maximum characters of a label.
const MAX_LABEL_CHARS: usize = 80;

/// Maximum characters of a parameter in [`ToolSource::head`]; longer ones are left out, except the subject of the call.
pub const MAX_HEAD_PARAMETER: usize = 80;

/// Maximum characters of the subject of a call.
pub const MAX_HEAD_TARGET: usize = 160;

/// Maximum number of parameters besides the subject.
const MAX_HEAD_PARAMETERS: usize = 4;

impl ToolSource {
    /// Creates the source of a file that was shown without a call.
    pub(super) fn of_file(path: &str) -> Self {
        let label = one_line(&format!("file {}", one_line(path)));
        let (name, file, head) = ("file".to_owned(), path.to_owned(), label.clone());
        Self {
            name,
            label,
            head,
            meaning: Meaning::Read,
            file,
            asks_user: false,
            shows_files: false,
            only_shows_files: false,
            only_reads: true,
        }
    }

    /// Creates the source of a call whose subject is `target`: a path or a command.
    pub(super) fn new(name: &str, target: &str, tools: &ToolTable) -> Self {
        let (meaning, asks_user) =
            tools.tool(name).map_or_else(Default::default, |tool| (tool.meaning, tool.asks_user));
        let (command, target) = (target, one_line(target));
        let label = match (target.is_empty(), meaning) {
            (true, _) => one_line(name),
            (false, Meaning::Command) => target,
            (false, _) => one_line(&format!("{name} {target}")),
        };
        let shows_files = meaning == Meaning::Command && shell::shows_files(command);
        let only_shows_files = meaning == Meaning::Command && shell::only_shows_files(command);
        let only_reads = meaning == Meaning::Command && unseen::only_reads(command);
        let file = if meaning.is_about_files() { command.trim().to_owned() } else { String::new() };
        let head = match (first_lines(command, MAX_HEAD_TARGET), called(name)) {
            (target, name) if target.is_empty() => name,
            // The command was cut away, and a note about that is not a command.
            (_, name) if NoteLine::read(command.trim()).is_some() => format!("{name} …"),
            (target, name) => format!("{name} {target}"),
        };
        Self { name: name.to_owned(), label, head, meaning, file, asks_user, shows_files, only_shows_files, only_reads }
    }

    /// Creates the source of a call with these parameters (name and value).
    pub(super) fn of_call<'a>(name: &str, parameters: impl Iterator<Item = Parameter<'a>>, tools: &ToolTable) -> Self {
        let tool = tools.tool_or_unknown(name);
        let (mut command, mut patch) = ("", "");
        let mut line: Vec<&str> = Vec::new();
        let mut short: Vec<(&str, &str)> = Vec::new();
        let is_list = tool.meaning == Meaning::Todo;
        let telling = parameters.filter_map(|Parameter { key, value, is_nested }| {
            let is_short = value.len() <= MAX_HEAD_PARAMETER
                && !value.is_empty()
                && !value.contains('\n')
                && NoteLine::read(value).is_none();
            if is_short && !is_nested && !is_list && short.len() <= MAX_HEAD_PARAMETERS {
                short.push((key, value));
            }
            if is_nested && tool.parameter(ParameterRole::Command).any(|name| name == key) {
                line.push(value);
            }
            match key {
                // Only tools that work on files need the command or the patch.
                _ if !tool.meaning.is_about_files() => {}
                "command" => command = value,
                _ if tool.parameter(ParameterRole::Diff).any(|name| name == key) => patch = value,
                _ => {}
            }
            // Within a list, only paths tell the subject of the call.
            let may_tell = !is_nested || tool.parameter(ParameterRole::Path).any(|name| name == key);
            Some((tool.telling(key).filter(|_| may_tell)?, key, value))
        });
        let (target_key, target) =
            telling.min_by_key(|(rank, ..)| *rank).map_or(("", ""), |(_, key, value)| (key, value));
        let line = if target.is_empty() { command_line(&line) } else { String::new() };
        let mut source = Self::new(name, if line.is_empty() { target } else { &line }, tools);
        let is_label = |key: &str| !target.is_empty() && tool.parameter(ParameterRole::Label).any(|label| label == key);
        for (key, value) in short.iter().filter(|(key, value)| (*key, *value) != (target_key, target) && !is_label(key))
        {
            source.head.push_str(&format!(" {}={}", one_line(key), one_line(value)));
        }
        if source.meaning == Meaning::Editor {
            source.meaning = Meaning::of_editor(command);
        }
        if source.meaning == Meaning::Edit && source.file.is_empty() {
            patches::first_file(patch).clone_into(&mut source.file);
        }
        source
    }
}

/// Returns the command line that the words of a list run: those behind `bash -lc` are one.
fn command_line(words: &[&str]) -> String {
    match words {
        [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') => {
            (*line).to_owned()
        }
        _ => words.join(" "),
    }
}

/// Returns `text` on one line, cut to [`MAX_LABEL_CHARS`] characters.
fn one_line(text: &str) -> String {
    shortened(text, MAX_LABEL_CHARS)
}

/// Returns the beginning of `text` on one line, with a sign at former line ends, cut to `characters`.
fn first_lines(text: &str, characters: usize) -> String {
    let lines = text.trim().lines().map(str::trim).filter(|line| !line.is_empty()).take(8);
    shortened(&lines.collect::<Vec<_>>().join(" ⏎ "), characters)
}

/// Returns a tool's name for a head, in quotes if it could be misread.
fn called(name: &str) -> String {
    let name = one_line(name);
    if name.contains([':', ' ', '"']) { format!("{name:?}") } else { name }
}

/// Returns `text` on one line, cut to `characters`.
fn shortened(text: &str, characters: usize) -> String {
    // Only the start is read, because a target may be a file of megabytes.
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > 4 * characters {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word.get(..4 * characters).unwrap_or(word));
    }
    match line.char_indices().nth(characters) {
        None => line,
        Some(_) => {
            let end = line.char_indices().nth(characters - 1).map_or(line.len(), |(end, _)| end);
            format!("{}…", &line[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_say_what() {
        let tools = ToolTable::default();
        let label = |name: &str, target: &str| ToolSource::new(name, target, &tools).label;
        assert_eq!(label("read_file", "src/a.ts"), "read_file src/a.ts");
        for runs in ["execute_command", "exec_command", "Bash", "terminal"] {
            assert_eq!(label(runs, "npm\n test"), "npm test");
        }
        assert_eq!(label("update_todo_list", ""), "update_todo_list");
        assert_eq!(label("x", &"é".repeat(200)).chars().count(), MAX_LABEL_CHARS);
        let call = [("content", "long"), ("path", "a"), ("file_path", "b")];
        let parameter = |(key, value)| Parameter { key, value, is_nested: false };
        assert_eq!(ToolSource::of_call("Write", call.into_iter().map(parameter), &tools).label, "Write b");
        let search = [("path", "packages/core"), ("regex", "parseDay")];
        assert_eq!(
            ToolSource::of_call("search_files", search.into_iter().map(parameter), &tools).label,
            "search_files parseDay"
        );
        for (words, head) in [
            (&["bash", "-lc", "npm test"][..], "shell npm test"),
            (&["npm", "run", "deploy"], "shell npm run deploy"),
            (&["bash", "-lc"], "shell bash -lc"),
        ] {
            let words = words.iter().map(|value| Parameter { key: "command", value, is_nested: true });
            assert_eq!(ToolSource::of_call("shell", words, &tools).head, head);
        }
    }
}
