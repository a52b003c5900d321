//! Short names for people: what was read, run or written, as a marker can say it.

use std::fmt::Write as _;

/// Which tool a piece belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolSource {
    /// The tool's name; empty when it is not known.
    pub name: String,
    /// A short line for people, such as `read_file src/a.ts` or `npm test`; at most 80 characters.
    pub label: String,
}

/// The longest label in characters.
const MAX_LABEL_CHARS: usize = 80;

/// Parameters that say what a call is about, the best first.
const TELLING: [&str; 18] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "target_file",
    "file",
    "filename",
    "command",
    "cmd",
    "pattern",
    "regex",
    "query",
    "url",
    "uri",
    "description",
    "tool_name",
    "name",
    "server_name",
];

impl ToolSource {
    pub(super) fn new(name: &str, target: &str) -> Self {
        let target = one_line(target);
        let runs = matches!(name, "execute_command" | "Bash" | "bash" | "shell" | "run_command" | "run_terminal_cmd");
        let label = match (target.is_empty(), runs) {
            (true, _) => one_line(name),
            (false, true) => target,
            (false, false) => one_line(&format!("{name} {target}")),
        };
        Self { name: name.to_owned(), label }
    }

    /// The source of a call with these parameters (name and value).
    pub(super) fn of_call<'a>(name: &str, parameters: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let rank = |key: &str| TELLING.iter().position(|telling| *telling == key);
        let best = parameters.filter_map(|(key, value)| Some((rank(key)?, value))).min_by_key(|(rank, _)| *rank);
        Self::new(name, best.map_or("", |(_, value)| value))
    }
}

/// `text` on one line, cut to [`MAX_LABEL_CHARS`] characters.
fn one_line(text: &str) -> String {
    // Only the start is looked at: a target may be a file of megabytes.
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > 4 * MAX_LABEL_CHARS {
            break;
        }
        let space = if line.is_empty() { "" } else { " " };
        let _ = write!(line, "{space}{}", word.get(..4 * MAX_LABEL_CHARS).unwrap_or(word));
    }
    match line.char_indices().nth(MAX_LABEL_CHARS) {
        None => line,
        Some(_) => {
            let end = line.char_indices().nth(MAX_LABEL_CHARS - 1).map_or(line.len(), |(end, _)| end);
            format!("{}…", &line[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_say_what() {
        let label = |name: &str, target: &str| ToolSource::new(name, target).label;
        assert_eq!(label("read_file", "src/a.ts"), "read_file src/a.ts");
        assert_eq!(label("execute_command", "npm\n test"), "npm test");
        assert_eq!(label("update_todo_list", ""), "update_todo_list");
        assert_eq!(label("x", &"é".repeat(200)).chars().count(), MAX_LABEL_CHARS);
        let call = [("content", "long"), ("path", "a"), ("file_path", "b")];
        assert_eq!(ToolSource::of_call("Write", call.into_iter()).label, "Write b");
    }
}
