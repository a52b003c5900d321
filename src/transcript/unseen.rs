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
const LOOK: [&str; 61] = [
    "[",
    "basename",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "exit",
    "export",
    "expr",
    "false",
    "fgrep",
    "file",
    "fold",
    "free",
    "grep",
    "head",
    "hostname",
    "id",
    "join",
    "jq",
    "ls",
    "lsof",
    "md5",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "paste",
    "pgrep",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rg",
    "sha256sum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "true",
    "type",
    "uname",
    "wc",
    "which",
    "whoami",
];

/// Words of a shell's grammar that stand before a command or alone.
const GRAMMAR: [&str; 10] = ["if", "then", "elif", "else", "while", "until", "do", "!", "done", "fi"];

/// Subcommands that change no file, whatever their arguments but those in [`WRITES`].
const LOOKS: [&str; 67] = [
    "docker compose logs",
    "docker compose ps",
    "docker images",
    "docker inspect",
    "docker logs",
    "docker ps",
    "gh issue list",
    "gh issue view",
    "gh pr checks",
    "gh pr diff",
    "gh pr list",
    "gh pr status",
    "gh pr view",
    "gh release list",
    "gh release view",
    "gh repo view",
    "gh run list",
    "gh run view",
    "gh run watch",
    "git blame",
    "git branch --contains",
    "git branch --list",
    "git branch --merged",
    "git branch --show-current",
    "git cat-file",
    "git check-ignore",
    "git cherry",
    "git config --get",
    "git config --get-all",
    "git config --list",
    "git config -l",
    "git count-objects",
    "git describe",
    "git diff",
    "git diff-index",
    "git diff-tree",
    "git for-each-ref",
    "git fsck",
    "git grep",
    "git log",
    "git ls-files",
    "git ls-remote",
    "git ls-tree",
    "git merge-base",
    "git name-rev",
    "git reflog show",
    "git remote get-url",
    "git remote show",
    "git rev-list",
    "git rev-parse",
    "git shortlog",
    "git show",
    "git show-ref",
    "git stash list",
    "git stash show",
    "git status",
    "git tag --list",
    "git tag -l",
    "git var",
    "git version",
    "git --version",
    "git worktree list",
    "go version",
    "kubectl describe",
    "kubectl get",
    "kubectl logs",
    "npm ls",
];

/// Subcommands that only list if they have no arguments but [`FLAGS`].
const LISTS: [&str; 4] = ["git branch", "git reflog", "git remote", "git tag"];
const FLAGS: [&str; 7] = ["-a", "-r", "-v", "-vv", "-av", "--all", "--remotes"];

/// Options with which [`LOOKS`] write a file.
const WRITES: [&str; 5] = ["--output", "-O", "--ext-diff", "--lost-found", "--web"];

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
    let only_shows = !view.contains(['&', ';', '\n', '⏎', '…']) && only_reads(&view);
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
    let from = command.iter().take_while(|word| GRAMMAR.contains(&word.as_str())).count();
    let Some((program, arguments)) = command[from..].split_first() else { return true };
    let program = program.rsplit('/').next().unwrap_or_default();
    let has = |flags: &[&str]| arguments.iter().any(|argument| flags.iter().any(|flag| argument.starts_with(flag)));
    let is_flag = |argument: &&String| argument.starts_with('-');
    match program {
        "for" => arguments.get(1).is_some_and(|word| word == "in"),
        "find" => !has(&["-delete", "-exec", "-ok", "-fprint", "-fls"]),
        // `sed` writes by flag, and by its script's commands `w` and `e`; only scripts that print lines are certain.
        "sed" => {
            arguments.first().is_some_and(|flag| flag == "-n") && !has(&["-i", "--in-place", "-s"]) && {
                // Every other part between slashes is an expression that selects lines.
                let parts = arguments.get(1).map_or("", String::as_str).split('/').step_by(2);
                parts.flat_map(str::chars).all(|c| c.is_ascii_digit() || matches!(c, ',' | '$' | 'p' | ';' | ' '))
            }
        }
        // It writes by redirections and pipes in its script.
        "awk" => {
            !has(&["-i", "-f"])
                && !arguments.iter().any(|argument| argument.contains(['>', '|']) || argument.contains("system"))
        }
        "sort" => !has(&["-o", "--output"]),
        // Its second operand is a file that it writes.
        "uniq" => arguments.iter().filter(|argument| !is_flag(argument)).count() < 2,
        "xargs" => {
            let rest = arguments.iter().take_while(is_flag).count();
            rest < arguments.len() && only_looks(&arguments[rest..])
        }
        "env" | "export" => arguments.iter().all(|argument| argument.contains('=')),
        _ => LOOK.contains(&program) || subcommand_looks(program, arguments),
    }
}

/// Returns true if a program's subcommand is known to only read.
fn subcommand_looks(program: &str, arguments: &[String]) -> bool {
    let mut words = vec![program];
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match word {
            "--no-pager" | "-P" => {}
            "-C" if words.len() == 1 => _ = rest.next(),
            word => words.push(word),
        }
    }
    let line = words.join(" ");
    let behind =
        |command: &&&str| line.strip_prefix(**command).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let writes = || words.iter().any(|word| WRITES.iter().any(|flag| word.starts_with(flag)));
    let only_lists = || words.len() > 1 && words[2..].iter().all(|word| FLAGS.contains(word));
    (LOOKS.iter().any(|command| behind(&command)) && !writes())
        || (LISTS.iter().any(|command| behind(&command)) && only_lists())
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
            "sed -n '/from w/,/to e/p' a.ts",
            "awk '{print $1}' a.ts",
            "for a in b c; do cat $a; done; if test -f a; then ls; fi",
            "git -C /w/cli log --oneline -5 && git branch -av && git worktree list",
            "gh pr view 12 --json title",
            "find . -print0 | xargs -0 grep -l a",
            "",
        ] {
            let expected = if line.contains("printenv") { Unseen::Changes } else { Unseen::Nothing };
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
            "git -C /w checkout .",
            "git branch old",
            "git branch -D old",
            "git worktree remove x",
            "gh pr merge 12",
            "uniq a b",
            "awk '{print > \"b\"}' a",
            "xargs rm",
            "xargs -I {} rm {}",
            "for a in b; do rm $a; done",
            "sed -n '/a/w b' a.ts",
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
