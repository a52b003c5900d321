//! What a command line runs: its simple commands, so that the same is known again with other filters, redirections and neighbours.

use std::borrow::Cow;

use super::facts::GOES_ON;

/// A simple command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Its words, without redirections, settings of the environment and what only runs another command.
    words: Vec<String>,
    /// What is set for it in the environment and may change what it does, in alphabetical order.
    settings: Vec<String>,
    /// The folder that the line has gone to, as it names it.
    folder: Option<String>,
    /// Whether nobody is told how it ended: a filter reads its output, or another command ends the line whatever became of this one.
    pub hides_its_end: bool,
    /// The last program that reads its output.
    filter: Option<String>,
    /// Whether its output goes to a file, or it goes on in the background.
    is_redirected: bool,
    /// Whether it only runs where another one failed.
    pub is_alternative: bool,
    /// Whether it ran on something else that git had put in the place of the work.
    pub is_elsewhere: bool,
}

/// Commands that only prepare, wait or speak: whether they worked is not what the line is about.
const PREPARING: [&str; 12] =
    ["cd", "export", "set", "source", ".", "sleep", "echo", "pushd", "popd", "true", ":", "wait"];

/// Commands that run the command behind them.
const RUNNING: [&str; 7] = ["time", "sudo", "nohup", "command", "exec", "env", "nice"];

/// What is set in the environment and does not change what is done.
const HARMLESS_SETTINGS: [&str; 28] = [
    "CI",
    "FORCE_COLOR",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "TERM",
    "LANG",
    "LC_ALL",
    "TZ",
    "HOME",
    "PATH",
    "PWD",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CARGO_TERM_COLOR",
    "CARGO_TARGET_DIR",
    "CARGO_INCREMENTAL",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONWARNINGS",
    "NODE_ENV",
    "NODE_NO_WARNINGS",
    "GOCACHE",
    "HUSKY",
    "PAGER",
];

/// What git does in steps, and stops at.
const STEPWISE: [&str; 5] = ["rebase", "cherry-pick", "merge", "revert", "am"];

/// How what stopped is brought to an end.
const ENDINGS: [&str; 4] = ["--continue", "--abort", "--skip", "--quit"];

/// Fewer bytes of the beginning of a command do not say which it is.
const MIN_TOLD: usize = 20;

/// A longer command line is a script: only its beginning is read.
const MAX_LINE_BYTES: usize = 4096;

impl SimpleCommand {
    /// Something that is not a command line, to be compared as one.
    pub fn named(name: &str) -> Self {
        Self {
            words: vec![name.to_owned()],
            settings: Vec::new(),
            folder: None,
            hides_its_end: false,
            filter: None,
            is_redirected: false,
            is_alternative: false,
            is_elsewhere: false,
        }
    }

    /// Its words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// What is set for it in the environment and may change what it does.
    pub fn settings(&self) -> &[String] {
        &self.settings
    }

    /// Whether the end of its output can be read.
    pub fn shows_its_end(&self) -> bool {
        !self.is_redirected && self.filter.as_deref().is_none_or(|filter| ["tail", "cat", "tee"].contains(&filter))
    }

    /// The folder that the line has gone to before it, as the line names it.
    pub fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// The command alone.
    #[cfg(test)]
    fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Whether it does what `other` did, as far as that is known: of what is told in part only the beginning is.
    pub fn does_again(&self, other: &Self) -> bool {
        let is_same = match other.words.last().and_then(|last| last.strip_suffix(GOES_ON)) {
            Some(_) => {
                let told = other.words.join(" ");
                let told = told.trim_end_matches(GOES_ON);
                told.len() >= MIN_TOLD && self.words.join(" ").starts_with(told)
            }
            None => self.words == other.words,
        };
        is_same && self.settings == other.settings && may_be_inside(other.folder(), self.folder())
    }

    /// Whether it only makes ready what a `git push`, or a step of git such as a merge, behind it takes.
    pub fn prepares_git(&self) -> bool {
        self.is_git(&["add", "commit", "checkout", "switch", "stash", "fetch"])
    }

    /// Whether it is a `git push`, or what git does in steps.
    pub fn is_push_or_step(&self) -> bool {
        self.is_git(&["push"]) || self.is_git(&STEPWISE)
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

    /// What of git it does that is done in steps.
    pub fn step(&self) -> Option<&str> {
        let step = self.words.iter().find(|word| STEPWISE.contains(&word.as_str()))?;
        (name_of(&self.words[0]) == "git").then_some(step)
    }

    /// Whether it is one of those that begin so, whatever is set before the step.
    pub fn begins_as(&self, beginning: &str) -> bool {
        self.step().is_some_and(|step| beginning == format!("git {step}"))
    }
}

/// Whether one folder may be the other or in it, where nobody may know where a line runs.
pub fn may_be_inside(inner: Option<&str>, outer: Option<&str>) -> bool {
    let (Some(inner), Some(outer)) = (inner, outer) else { return true };
    let [inner, outer] = [inner, outer].map(|folder| folder.trim_end_matches('/'));
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The last part of a path, without quotes.
pub fn name_of(word: &str) -> &str {
    let word = word.trim_matches(['"', '\'']);
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// The simple commands of a command line, in order. What only prepares is left out, and filters are.
pub fn simple_commands(line: &str) -> Vec<SimpleCommand> {
    let line = without_heredocs(line);
    let mut end = line.len().min(MAX_LINE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let texts = divided(&line[..end]);
    let redirects: Vec<bool> = texts.iter().map(|(text, _)| redirects_output(text)).collect();
    let parts: Vec<(Words, End)> = texts.into_iter().map(|(text, end)| (Words::of(text), end)).collect();
    let program = |words: &[String]| words.first().map_or("", String::as_str).to_owned();
    // `set -e` ends the line where a command fails, `set -o pipefail` hears of it behind a filter.
    let sets = |what: fn(&str) -> bool| {
        let mut words = parts.iter().map(|(Words { words, .. }, _)| words);
        words.any(|words| program(words) == "set" && words[1..].iter().any(|word| what(word)))
    };
    let stops = sets(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('e'));
    let hears = sets(|word| word == "pipefail");
    // The last place from which the line goes on whatever became of what stands before it.
    let goes_on = (0..parts.len()).rev().find(|at| match parts[*at].1 {
        End::Background => true,
        End::Or => parts.get(at + 1).is_some_and(|(next, _)| !next.words.is_empty()),
        End::Other => !stops && parts.get(at + 1).is_some_and(|(next, _)| !next.words.is_empty()),
        End::Pipe | End::And => false,
    });
    let mut commands: Vec<SimpleCommand> = Vec::new();
    let mut folder = None;
    let mut exported: Vec<String> = Vec::new();
    let mut before = End::Other;
    for (at, (Words { words, mut settings }, end)) in parts.into_iter().enumerate() {
        let ends = std::mem::replace(&mut before, end);
        let program = program(&words);
        if ends == End::Pipe {
            if let Some(piped) = commands.last_mut().filter(|command| command.hides_its_end || hears) {
                piped.filter = Some(program);
            }
            continue;
        }
        if ["cd", "pushd"].contains(&program.as_str()) {
            folder = words.get(1).map(|folder| folder.trim_matches(['"', '\'']).to_owned());
        }
        if program == "export" {
            exported.extend(words[1..].iter().filter(|word| may_change(word)).cloned());
        }
        if !words.is_empty() && !PREPARING.contains(&program.as_str()) {
            settings.extend(exported.iter().cloned());
            settings.sort_unstable();
            commands.push(SimpleCommand {
                words,
                settings,
                folder: folder.clone(),
                hides_its_end: (end == End::Pipe && !hears) || goes_on.is_some_and(|last| last >= at),
                filter: None,
                is_redirected: end == End::Background || redirects[at],
                is_alternative: ends == End::Or,
                is_elsewhere: false,
            });
        }
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
    And,
    Or,
    Background,
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
            (Some(b'"'), b'\\') => {
                at += 2;
                continue;
            }
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
            // A comment ends with its line.
            (None, b'#') if before.is_none_or(|before| before.is_ascii_whitespace() || before == b';') => {
                let end = line[at..].find('\n').map_or(bytes.len(), |end| at + end);
                parts.push((&line[start..at], End::Other));
                start = end;
                at = end;
                continue;
            }
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                None
            }
            (None, b'|') if next == Some(b'|') => Some((End::Or, 2)),
            (None, b'|') => Some((End::Pipe, if next == Some(b'&') { 2 } else { 1 })),
            (None, b'&') if next == Some(b'&') => Some((End::And, 2)),
            // `2>&1` and `&>` redirect.
            (None, b'&') if before == Some(b'>') || next == Some(b'>') => None,
            (None, b'&') => Some((End::Background, 1)),
            (None, b';' | b'\n') => Some((End::Other, 1)),
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

/// Whether what a command writes goes to a file.
fn redirects_output(command: &str) -> bool {
    command
        .split_whitespace()
        .any(|word| ["&>", "1>", ">"].iter().any(|mark| word.strip_prefix(mark).is_some_and(|to| !to.starts_with('&'))))
}

/// The words of a simple command.
struct Words {
    /// Without redirections, settings and what only runs another command.
    words: Vec<String>,
    /// What is set before it and may change what it does.
    settings: Vec<String>,
}

impl Words {
    fn of(command: &str) -> Self {
        let is_outside = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
        let mut all = command.trim_matches(is_outside).split_whitespace().peekable();
        let (mut words, mut settings): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        while let Some(word) = all.next() {
            let redirects = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
            if let Some(target) = redirects.strip_prefix(['>', '<']) {
                if target.trim_start_matches('>').is_empty() {
                    all.next();
                }
                continue;
            }
            if words.is_empty() {
                if is_setting(word) {
                    let mut setting = word.to_owned();
                    while is_open(&setting) {
                        let Some(more) = all.next() else { break };
                        setting = [&setting, more].join(" ");
                    }
                    if may_change(&setting) {
                        settings.push(setting);
                    }
                    continue;
                }
                // With their flags, and what limits them.
                if RUNNING.contains(&word) || word == "timeout" {
                    while all.next_if(|next| next.starts_with('-')).is_some() {}
                    if word == "timeout" {
                        all.next();
                    }
                    continue;
                }
            }
            words.push(word.to_owned());
        }
        Self { words, settings }
    }
}

/// Whether a word sets something in the environment.
fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Whether what is set may change what a command does.
fn may_change(setting: &str) -> bool {
    setting.split_once('=').is_some_and(|(name, _)| !HARMLESS_SETTINGS.contains(&name))
}

/// Whether the value of a setting goes on behind a blank, in quotes.
fn is_open(setting: &str) -> bool {
    let value = setting.split_once('=').map_or("", |(_, value)| value);
    value.starts_with(['"', '\'']) && (value.len() == 1 || !value.ends_with(&value[..1]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(line: &str) -> Vec<String> {
        simple_commands(line).iter().map(SimpleCommand::text).collect()
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
        let long = format!("cat > t.py <<'EOF'\n{}EOF\npytest t.py", "x = 1\n".repeat(MAX_LINE_BYTES));
        assert_eq!(texts(&long), ["cat", "pytest t.py"]);
    }

    #[test]
    fn what_is_set_before_a_command_may_change_what_it_does() {
        for (line, settings) in [
            ("CI=true FORCE_COLOR=0 npm test", &[][..]),
            ("TEST_FILTER=a npm test", &["TEST_FILTER=a"]),
            ("env -i X=1 PATH=/bin cargo test", &["X=1"]),
            ("B='x y' A=1 npm test", &["A=1", "B='x y'"]),
            ("export X=1 CI=1; npm test", &["X=1"]),
        ] {
            let command = simple_commands(line).remove(0);
            assert_eq!(command.settings(), settings, "{line}");
            assert!(["npm test", "cargo test"].contains(&command.text().as_str()), "{line}");
        }
    }

    #[test]
    fn whose_end_is_not_told_is_known() {
        let hidden = |line: &str| simple_commands(line).iter().map(|command| command.hides_its_end).collect::<Vec<_>>();
        for (line, expected) in [
            ("a | b | c && d", &[true, false][..]),
            ("a && b", &[false, false]),
            ("a; b", &[true, false]),
            ("a && b; echo $?", &[true, true]),
            ("a || true", &[true]),
            ("a\nb\n", &[true, false]),
            ("set -euo pipefail; a | tail; b", &[false, false]),
            ("cd x; a", &[false]),
            ("a &", &[true]),
            ("(a)", &[false]),
            ("a;", &[false]),
        ] {
            assert_eq!(hidden(line), expected, "{line}");
        }
        let alternatives =
            |line: &str| simple_commands(line).iter().map(|command| command.is_alternative).collect::<Vec<_>>();
        assert_eq!(alternatives("a || b && c"), [false, true, false]);
    }

    #[test]
    fn the_same_is_done_again_where_the_folder_may_be_the_same() {
        let does_again = |line: &str, told: &str| simple_commands(line)[0].does_again(&simple_commands(told)[0]);
        for (line, told) in [
            ("npm test", "cd /a && npm test 2>&1 | tail"),
            ("cd /a && npm test", "npm test"),
            ("cd /a && npm test", "cd /a/b && npm test"),
            ("deploy --env staging --region eu", "deploy --env staging --reg…"),
        ] {
            assert!(does_again(line, told), "{line} {told}");
        }
        for (line, told) in [
            ("cd /a && npm test", "cd /b && npm test"),
            ("cd /a/b && npm test", "cd /a && npm test"),
            ("npm test x", "npm test"),
            ("deploy --env production --region eu", "deploy --env staging --reg…"),
            ("deploy --env staging", "dep…"),
        ] {
            assert!(!does_again(line, told), "{line} {told}");
        }
    }

    proptest! {
        #[test]
        fn any_line_comes_apart(line in "[a-z&|;<>'\"\\\\ \n()0-9=é]{0,60}") {
            for command in simple_commands(&line) {
                prop_assert!(!command.text().is_empty() && command.does_again(&command));
            }
        }
    }
}
