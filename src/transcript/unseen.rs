//! Estimates the effects of a command line on files beyond those that are followed. A command line is assumed to change
//! any file, unless each of its commands is known to only read.

use super::{events::Unseen, shell_characters::ShellCharacters};

/// The possible changes to files, and a change of the shell's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Effects {
    pub(super) unseen: Unseen,
    /// The directory of its last `cd`; empty if it is not certain.
    pub(super) directory: Option<String>,
}

/// Programs that only read, whatever their arguments.
const LOOK: [&str; 44] = [
    "[", "basename", "cat", "cd", "cmp", "column", "comm", "cut", "date", "df", "diff", "dirname", "du", "echo",
    "egrep", "env", "exit", "export", "false", "fgrep", "file", "grep", "head", "id", "jq", "ls", "nl", "printf", "ps",
    "pwd", "readlink", "realpath", "rg", "sleep", "stat", "tail", "test", "tr", "tree", "true", "type", "uname", "wc",
    "which",
];

/// Subcommands of `git` that change no file.
const GIT_LOOKS: [&str; 11] =
    ["blame", "describe", "diff", "grep", "log", "ls-files", "ls-tree", "rev-list", "rev-parse", "show", "status"];

/// Commands that change the shell's directory, or may change it.
const LEAVE: [&str; 9] = ["cd", "pushd", "popd", "chdir", "Set-Location", "z", "source", ".", "eval"];

/// Commands, in any shell, that move or copy files.
const MOVE: [&str; 9] = ["mv", "cp", "copy", "rsync", "move", "ren", "rename", "Move-Item", "Rename-Item"];

/// Returns the effects of a command line beyond those followed elsewhere.
pub(super) fn effects(line: &str) -> Effects {
    let mut effects = Effects { unseen: Unseen::Nothing, directory: None };
    let commands = commands(line);
    if commands.as_ref().is_none_or(|commands| !commands.iter().all(|command| only_looks(command))) {
        let moves = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| MOVE.contains(&word));
        effects.unseen = if moves { Unseen::Moves } else { Unseen::Changes };
    }
    let moved = |command: &&Vec<String>| LEAVE.contains(&command[0].as_str());
    match &commands {
        Some(commands) => {
            if let Some(last) = commands.iter().rev().find(moved) {
                let target = last.get(1).filter(|_| last.len() == 2 && last[0] == "cd");
                effects.directory = Some(target.filter(|path| path.starts_with('/')).cloned().unwrap_or_default());
            }
        }
        None => {
            let leaves = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| LEAVE.contains(&word));
            effects.directory = leaves.then(String::new);
        }
    }
    effects
}

/// Returns true if each command of a command line is known to only read.
pub fn only_reads(line: &str) -> bool {
    effects(line).unseen == Unseen::Nothing
}

/// Returns a command line without the pipes and redirections at its end that only choose which output is shown.
pub fn without_view(line: &str) -> &str {
    let end = [" 2>", " | "].iter().filter_map(|sign| line.find(sign)).min().unwrap_or(line.len());
    let view = ["2>&1", "2>/dev/null"].iter().fold(line[end..].to_owned(), |view, sign| view.replace(sign, ""));
    let only_shows = !view.contains(['&', ';', '\n']) && only_reads(&view);
    if only_shows { &line[..end] } else { line }
}

/// Returns the directory in which a command line leaves its shell; `None` if it does not change it. If the directory
/// is not certain, the line itself stands for it.
pub fn left_in(line: &str) -> Option<String> {
    effects(line).directory.map(|directory| if directory.is_empty() { line.to_owned() } else { directory })
}

/// Estimates by the name of an unknown tool whether the tool may move files.
pub(super) fn of_tool(name: &str) -> Unseen {
    let name = name.to_ascii_lowercase();
    if ["move", "rename"].iter().any(|word| name.contains(word)) { Unseen::Moves } else { Unseen::Changes }
}

fn only_looks(command: &[String]) -> bool {
    let program = command[0].rsplit('/').next().unwrap_or_default();
    let arguments = &command[1..];
    let has = |flags: &[&str]| arguments.iter().any(|argument| flags.iter().any(|flag| argument.starts_with(flag)));
    match program {
        "find" => !has(&["-delete", "-exec", "-ok", "-fprint", "-fls"]),
        // `sed` writes by flag, and by its script's commands `w` and `e`; only scripts that print lines are certain.
        "sed" => {
            arguments.first().is_some_and(|flag| flag == "-n") && !has(&["-i", "--in-place", "-s"]) && {
                let script = arguments.get(1).map_or("", String::as_str);
                script.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '$' | 'p' | ';' | ' '))
            }
        }
        "sort" => !has(&["-o", "--output"]),
        "git" => {
            let mut arguments = arguments.iter().map(String::as_str);
            let command = arguments.find(|argument| !matches!(*argument, "--no-pager" | "-P"));
            command.is_some_and(|command| GIT_LOOKS.contains(&command)) && !has(&["--output", "-O", "--ext-diff"])
        }
        "env" | "export" => arguments.iter().all(|argument| argument.contains('=')),
        _ => LOOK.contains(&program),
    }
}

/// Returns the words of every simple command; `None` if the line is more than such commands in sequence or pipes, or
/// writes to a file.
fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut characters = ShellCharacters::new(line);
    while let Some((at, character, is_quoted)) = characters.next() {
        match character {
            '`' => return None,
            '$' if line[at + 1..].starts_with('(') => return None,
            _ if is_quoted => {}
            '(' | ')' | '{' | '}' => return None,
            '<' if line[at..].starts_with("<<") || line[at..].starts_with("<(") => return None,
            '>' => {
                let to = line[at + 1..].trim_start_matches('>').trim_start();
                let (stream, nowhere) = (to.starts_with("&1") || to.starts_with("&2"), to.starts_with("/dev/null"));
                if !stream && !nowhere {
                    return None;
                }
                // A redirection is followed by its target, which is not a command.
                characters.pass(&['>', '&', ' ']);
            }
            ';' | '|' | '&' | '\n' => {
                ends.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    if characters.is_quoted() {
        return None;
    }
    ends.push((start, line.len()));
    for (start, end) in ends {
        let words = shlex::split(&line[start..end])?;
        let is_given = |word: &String| {
            word.split_once('=')
                .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        };
        let words: Vec<String> = words.into_iter().skip_while(is_given).collect();
        if !words.is_empty() {
            found.push(words);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_only_look_change_nothing() {
        for line in [
            "cat a.ts",
            "cd /w && ls -la | head -5",
            "git status; git --no-pager diff HEAD~1 -- a.ts",
            "grep -rn 'a > b' src 2>/dev/null || echo none",
            "find . -name '*.ts' 2>&1 | sort | uniq -c | wc -l",
            "FOO=1 printenv",
            "sed -n '1,9p' a.ts",
            "",
        ] {
            let expected =
                if line.contains("printenv") || line.contains("uniq") { Unseen::Changes } else { Unseen::Nothing };
            assert_eq!(effects(line).unseen, expected, "{line}");
        }
    }

    #[test]
    fn what_is_not_known_may_change_any_file() {
        for line in [
            "npm test",
            "cat a > b",
            "echo x >> a.ts",
            "echo $(rm a)",
            "find . -name x -delete",
            "find . -exec rm {} +",
            "sed -i s/a/b/ a.ts",
            "sed -n 'w b.ts' a.ts",
            "sort -o a a",
            "git checkout .",
            "git stash",
            "git diff --output=x",
            "ls && python3 fix.py",
            "cat <<'EOF' > a\nx\nEOF",
            "env FOO=1 make",
            "echo 'x",
        ] {
            assert_eq!(effects(line).unseen, Unseen::Changes, "{line}");
        }
        for line in ["git mv a b", "ls && mv a b", "npx codemod rename x", "find . -exec mv {} y ;"] {
            assert_eq!(effects(line).unseen, Unseen::Moves, "{line}");
        }
    }

    #[test]
    fn the_end_of_a_line_that_only_shows_is_no_part_of_it() {
        for (line, rest) in [
            ("npm test 2>&1 | tail -5", "npm test"),
            ("npm test | grep -c ok", "npm test"),
            ("npm test 2>/dev/null", "npm test"),
            ("npm test", "npm test"),
            ("git diff > a.patch && git checkout -q .", "git diff > a.patch && git checkout -q ."),
            ("git diff | head -50 && git checkout .", "git diff | head -50 && git checkout ."),
            ("cat m.sql | psql prod", "cat m.sql | psql prod"),
            ("npm test 2> log", "npm test 2> log"),
            ("grep 'a | b' c", "grep 'a | b' c"),
        ] {
            assert_eq!(without_view(line), rest);
        }
    }

    #[test]
    fn the_directory_that_a_shell_is_left_in() {
        assert_eq!(left_in("ls && npm test"), None);
        assert_eq!(left_in("cd /w && npm test").as_deref(), Some("/w"));
        assert_eq!(left_in("cd w && npm test").as_deref(), Some("cd w && npm test"));
        assert_eq!(effects("ls").directory, None);
        assert_eq!(effects("cd /w && ls").directory.as_deref(), Some("/w"));
        assert_eq!(effects("ls; cd sub").directory.as_deref(), Some(""));
        assert_eq!(effects("cd '/w x' && cd ..").directory.as_deref(), Some(""));
        assert_eq!(effects("(cd /w && make)").directory.as_deref(), Some(""), "whatever it does");
    }
}
