//! What a command line runs: its simple commands, so that the same is known again with other filters, redirections and neighbours.

use std::borrow::Cow;

/// A simple command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Its words, without redirections, settings of the environment and what only runs another command.
    words: Vec<String>,
    /// Whether a filter reads its output: then the exit code is that of the filter.
    pub is_piped: bool,
}

/// A run of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it checks with, such as `cargo test` or `eslint`.
    pub name: String,
    /// What it is limited to, such as the files that are tested.
    pub of: Vec<String>,
}

/// What a command of git does to all files that it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeChange {
    /// What was changed stays.
    Commit,
    /// What was changed since the last commit is gone.
    TakeBack,
    /// It is put aside.
    Stash,
    /// What was put aside last is there again, and kept aside, too.
    ApplyStash,
    /// What was put aside last is there again.
    PopStash,
    /// What was put aside last is gone.
    DropStash,
}

/// Commands that only prepare, wait or speak: whether they worked is not what the line is about.
const PREPARING: [&str; 12] =
    ["cd", "export", "set", "source", ".", "sleep", "echo", "pushd", "popd", "true", ":", "wait"];

/// Commands that run the command behind them.
const RUNNING: [&str; 7] = ["time", "sudo", "nohup", "command", "exec", "env", "nice"];

/// Programs that show, find or keep files: what they are given may well be called `test`.
const SHOWING: [&str; 37] = [
    "git", "cat", "grep", "rg", "ls", "find", "fd", "sed", "awk", "head", "tail", "cp", "mv", "rm", "mkdir", "touch",
    "less", "wc", "diff", "curl", "wget", "gh", "ssh", "chmod", "which", "printf", "tee", "jq", "tree", "du", "xargs",
    "sort", "uniq", "stat", "file", "kill", "pkill",
];

/// What package managers do beside running checks.
const MANAGING: [&str; 13] = [
    "install",
    "add",
    "i",
    "ci",
    "remove",
    "uninstall",
    "init",
    "create",
    "view",
    "info",
    "list",
    "outdated",
    "publish",
];

/// Words that say by themselves what checks.
const CHECKERS: [&str; 24] = [
    "vitest",
    "jest",
    "mocha",
    "pytest",
    "unittest",
    "phpunit",
    "rspec",
    "tsc",
    "eslint",
    "biome",
    "ruff",
    "mypy",
    "clippy",
    "nextest",
    "golangci",
    "make",
    "gradle",
    "gradlew",
    "mvn",
    "tox",
    "nox",
    "ctest",
    "playwright",
    "cypress",
];

/// Words that say it together with the program.
const TASKS: [&str; 8] = ["test", "tests", "build", "lint", "check", "typecheck", "vet", "fmt"];

/// What git does in steps, and stops at.
const STEPWISE: [&str; 5] = ["rebase", "cherry-pick", "merge", "revert", "am"];

/// How what stopped is brought to an end.
const ENDINGS: [&str; 4] = ["--continue", "--abort", "--skip", "--quit"];

/// So many words of a command say what it does; what follows says to what.
const TELLING_WORDS: usize = 4;

/// A longer command line is a script: only its beginning is read.
const MAX_LINE_BYTES: usize = 4096;

impl SimpleCommand {
    /// What it checks; `None` for a command that checks nothing.
    pub fn check(&self) -> Option<Check> {
        let program = name_of(self.words.first()?);
        if SHOWING.contains(&program) || self.words.get(1).is_some_and(|word| MANAGING.contains(&word.as_str())) {
            return None;
        }
        let words = self.words.iter().enumerate().filter(|(_, word)| !word.starts_with('-'));
        let (at, name, part) = words.take(TELLING_WORDS).find_map(|(at, word)| {
            let mut parts = name_of(word).split([':', '-', '.', '_']);
            parts.find_map(|part| {
                let is_named = CHECKERS.contains(&part) || (TASKS.contains(&part) && part == program);
                let name = if is_named { part.to_owned() } else { format!("{program} {part}") };
                (is_named || TASKS.contains(&part)).then_some((at, name, part))
            })
        })?;
        // A task of many, such as `test:unit`, is limited by its own name.
        let task = name_of(&self.words[at]);
        let of = self.words[at + 1..].iter().filter(|word| !word.starts_with('-') && *word != "run").cloned();
        Some(Check { name, of: (task != part).then(|| task.to_owned()).into_iter().chain(of).collect() })
    }

    /// The command alone, to be compared.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Whether it only makes ready what a `git push`, or a step of git such as a merge, behind it takes.
    pub fn prepares_git(&self) -> bool {
        self.is_git(&["add", "commit", "checkout", "switch", "stash", "fetch"])
    }

    /// Whether it is a `git push`, or what git does in steps.
    pub fn is_push_or_step(&self) -> bool {
        self.is_git(&["push"]) || self.is_git(&STEPWISE)
    }

    /// What it does to all files that git knows; `None` for what names files, and for all else.
    pub fn tree_change(&self) -> Option<TreeChange> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let [program, words @ ..] = words.as_slice() else { return None };
        let words = if let ["-C", _, words @ ..] = words { words } else { words };
        if name_of(program) != "git" {
            return None;
        }
        let is_all = |words: &[&str]| {
            let named = words.iter().filter(|word| !word.starts_with('-') && **word != "HEAD");
            named.eq(&["."]) && !words.iter().any(|word| ["--staged", "-S", "--ours", "--theirs"].contains(word))
        };
        Some(match words {
            ["commit", ..] => TreeChange::Commit,
            ["checkout" | "restore", of @ ..] if is_all(of) => TreeChange::TakeBack,
            ["reset", of @ ..] if of.contains(&"--hard") => TreeChange::TakeBack,
            ["stash"] => TreeChange::Stash,
            ["stash", "push" | "save", of @ ..] if !of.contains(&"--") => TreeChange::Stash,
            ["stash", "apply"] => TreeChange::ApplyStash,
            ["stash", "pop"] => TreeChange::PopStash,
            ["stash", "drop"] => TreeChange::DropStash,
            ["stash", flag, ..] if flag.starts_with('-') => TreeChange::Stash,
            _ => return None,
        })
    }

    fn is_git(&self, what: &[&str]) -> bool {
        name_of(&self.words[0]) == "git" && self.words.iter().any(|word| what.contains(&word.as_str()))
    }

    /// How the commands begin that this one brings to an end, such as `git rebase` with `--continue`. A merge that stopped ends with a commit.
    pub fn ends(&self) -> Option<String> {
        if self.is_git(&["commit"]) {
            return Some("git merge".to_owned());
        }
        let step = self.words.iter().find(|word| STEPWISE.contains(&word.as_str()))?;
        self.is_git(&ENDINGS).then(|| format!("git {step}"))
    }

    /// Whether it is one of those that begin so, whatever is set before the step.
    pub fn begins_as(&self, beginning: &str) -> bool {
        let step = self.words.iter().find(|word| STEPWISE.contains(&word.as_str()));
        name_of(&self.words[0]) == "git" && step.is_some_and(|step| beginning == format!("git {step}"))
    }
}

/// The last part of a path, without quotes.
fn name_of(word: &str) -> &str {
    let word = word.trim_matches(['"', '\'']);
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// The simple commands of a command line, in order. What only prepares is left out, and filters are.
pub fn simple_commands(line: &str) -> Vec<SimpleCommand> {
    let mut end = line.len().min(MAX_LINE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let line = &*without_heredocs(&line[..end]);
    let mut commands = Vec::new();
    let mut is_filter = false;
    for (text, end) in divided(line) {
        if !is_filter {
            let words = words_of(text);
            if words.first().is_some_and(|word| !PREPARING.contains(&word.as_str())) {
                commands.push(SimpleCommand { words, is_piped: end == End::Pipe });
            }
        }
        is_filter = end == End::Pipe;
    }
    commands
}

/// A command line without what its heredocs hold, which is no command. Behind one whose end is not there, nothing is known.
fn without_heredocs(line: &str) -> Cow<'_, str> {
    let mut rest = line;
    let mut commands = String::new();
    while let Some(at) = rest.find("<<") {
        let (before, behind) = (&rest[..at], rest[at + 2..].trim_start_matches('-').trim_start_matches(' '));
        commands.push_str(before);
        if let Some(words) = behind.strip_prefix('<') {
            // A here-string.
            rest = words;
            continue;
        }
        let delimiter = behind.trim_start_matches(['\'', '"', '\\']);
        let length = delimiter.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(delimiter.len());
        let (delimiter, behind) = delimiter.split_at(length);
        let (same_line, body) = behind.split_once('\n').unwrap_or((behind, ""));
        commands.push_str(same_line.trim_start_matches(['\'', '"']));
        let mut held = 0;
        let end = body.split_inclusive('\n').find_map(|line| {
            held += line.len();
            (line.trim() == delimiter).then_some(held)
        });
        let Some(end) = end.filter(|_| length > 0) else { return commands.into() };
        commands.push('\n');
        rest = &body[end..];
    }
    if commands.is_empty() { line.into() } else { (commands + rest).into() }
}

/// What ends a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Pipe,
    Other,
}

/// The simple commands as they stand.
fn divided(line: &str) -> Vec<(&str, End)> {
    let bytes = line.as_bytes();
    let (mut parts, mut start, mut at, mut quote) = (Vec::new(), 0, 0, None);
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1).copied());
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let ends = match (quote, byte) {
            (Some(open), byte) => {
                if byte == open {
                    quote = None;
                }
                None
            }
            (None, b'\\') => {
                at += 2;
                continue;
            }
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                None
            }
            (None, b'|') if next == Some(b'|') => Some((End::Other, 2)),
            (None, b'|') => Some((End::Pipe, if next == Some(b'&') { 2 } else { 1 })),
            (None, b'&') if next == Some(b'&') => Some((End::Other, 2)),
            // `2>&1` and `&>` redirect.
            (None, b'&') if before == Some(b'>') || next == Some(b'>') => None,
            (None, b'&' | b';' | b'\n') => Some((End::Other, 1)),
            _ => None,
        };
        if let Some((end, length)) = ends {
            parts.push((&line[start..at], end));
            start = at + length;
            at = start;
        } else {
            at += 1;
        }
    }
    parts.push((&line[start.min(line.len())..], End::Other));
    parts
}

fn words_of(command: &str) -> Vec<String> {
    let mut all =
        command.trim_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).split_whitespace().peekable();
    let mut words: Vec<String> = Vec::new();
    while let Some(word) = all.next() {
        let redirects = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        if let Some(target) = redirects.strip_prefix(['>', '<']) {
            if target.trim_start_matches('>').is_empty() {
                all.next();
            }
            continue;
        }
        if words.is_empty() {
            let is_setting = word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
            if is_setting || RUNNING.contains(&word) {
                continue;
            }
            if word == "timeout" {
                // With its limit.
                while all.next_if(|word| word.starts_with('-')).is_some() {}
                all.next();
                continue;
            }
        }
        words.push(word.to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn checks(line: &str) -> Vec<String> {
        simple_commands(line).iter().filter_map(SimpleCommand::check).map(|check| check.name).collect()
    }

    fn texts(line: &str) -> Vec<String> {
        simple_commands(line).iter().map(SimpleCommand::text).collect()
    }

    #[test]
    fn checks_are_known_by_what_is_run() {
        for (line, expected) in [
            ("cd app && npm test -- --run", "npm test"),
            ("cargo clippy -q", "clippy"),
            ("make -j2", "make"),
            ("npx tsc --noEmit", "tsc"),
            ("./node_modules/.bin/eslint .", "eslint"),
            ("CI=1 timeout 60 go build ./... 2>&1 | tail -20", "go build"),
            ("python -m pytest tests/unit", "pytest"),
            ("npm run test:unit", "npm test"),
            ("mise run lint", "mise lint"),
            ("bash scripts/test.sh", "bash test"),
        ] {
            assert_eq!(checks(line), [expected], "{line}");
        }
        for line in [
            "ls src",
            "git commit -m \"make it build\"",
            "git log --oneline | grep test",
            "cat tests/fixtures/a.py",
            "cd /home/u/test/app && ls nosuch",
            "grep -rn fail test/",
            "npm install jest",
            "node build/index.js",
            "echo make",
            "",
        ] {
            assert_eq!(checks(line), [""; 0], "{line}");
        }
        assert_eq!(checks("npm run build && npm test; npm run lint"), ["npm build", "npm test", "npm lint"]);
    }

    #[test]
    fn filters_redirections_and_neighbours_make_no_difference() {
        let same = [
            "mise run test",
            "mise run test 2>&1 | tail -5",
            "cd a; mise run test > log.txt 2> err.txt",
            "(mise run test) &",
        ];
        for line in same {
            assert_eq!(texts(line), ["mise run test"], "{line}");
        }
        assert_eq!(texts("a 'x && y' && b \"c;d\" || e"), ["a 'x && y'", "b \"c;d\"", "e"]);
        assert_eq!(texts("cat > a.txt <<'EOF'\nmake test\nEOF"), ["cat"]);
        let commit = "git commit -m \"$(cat <<'EOF'\nFix it && make test\nEOF\n)\" && git push <<< \"$x\" && make";
        assert_eq!(texts(commit)[1..], ["git push \"$x\"", "make"]);
        assert_eq!(texts("cat <<EOF > a.txt; make\nmore"), ["cat", "make"]);
        assert_eq!(texts("cat << \nx"), ["cat"]);
        let trees = |line: &str| simple_commands(line).iter().map(SimpleCommand::tree_change).collect::<Vec<_>>();
        for (line, change) in [
            ("git -C /srv checkout -- . 2>&1", Some(TreeChange::TakeBack)),
            ("git restore .", Some(TreeChange::TakeBack)),
            ("git reset --hard origin/main", Some(TreeChange::TakeBack)),
            ("git commit -m 'reset --hard'", Some(TreeChange::Commit)),
            ("git stash -u", Some(TreeChange::Stash)),
            ("git stash push -m x", Some(TreeChange::Stash)),
            ("git stash pop", Some(TreeChange::PopStash)),
            ("git stash list", None),
            ("git restore --staged .", None),
            ("git checkout main", None),
            ("git checkout a.py", None),
            ("git reset HEAD~1", None),
            ("ls .", None),
        ] {
            assert_eq!(trees(line), [change], "{line}");
        }
        let piped = |line: &str| simple_commands(line).iter().map(|command| command.is_piped).collect::<Vec<_>>();
        assert_eq!(piped("a | b | c && d"), [true, false]);
    }

    proptest! {
        #[test]
        fn any_line_comes_apart(line in "[a-z&|;<>'\"\\\\ \n()0-9=é]{0,60}") {
            for command in simple_commands(&line) {
                prop_assert!(!command.text().is_empty());
                command.check();
            }
        }
    }
}
