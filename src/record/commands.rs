//! What a command line runs: its simple commands, so that the same is known again with other filters, redirections and neighbours.

use std::borrow::Cow;

use super::facts::GOES_ON;

/// A simple command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Its words, without redirections, settings of the environment and what only runs another command.
    words: Vec<String>,
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
}

/// Commands that only prepare, wait or speak: whether they worked is not what the line is about.
const PREPARING: [&str; 12] =
    ["cd", "export", "set", "source", ".", "sleep", "echo", "pushd", "popd", "true", ":", "wait"];

/// Commands that run the command behind them.
const RUNNING: [&str; 7] = ["time", "sudo", "nohup", "command", "exec", "env", "nice"];

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
            folder: None,
            hides_its_end: false,
            filter: None,
            is_redirected: false,
            is_alternative: false,
        }
    }

    /// Its words.
    pub fn words(&self) -> &[String] {
        &self.words
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
        is_same && may_be_inside(other.folder(), self.folder())
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

    /// Whether it is one of those that begin so, whatever is set before the step.
    pub fn begins_as(&self, beginning: &str) -> bool {
        let step = self.words.iter().find(|word| STEPWISE.contains(&word.as_str()));
        name_of(&self.words[0]) == "git" && step.is_some_and(|step| beginning == format!("git {step}"))
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
    let mut end = line.len().min(MAX_LINE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let line = &*without_heredocs(&line[..end]);
    let texts = divided(line);
    let redirects: Vec<usize> = (0..texts.len()).filter(|at| redirects_output(texts[*at].0)).collect();
    let parts: Vec<(Vec<String>, End)> = texts.into_iter().map(|(text, end)| (words_of(text), end)).collect();
    let program = |words: &[String]| words.first().map_or("", String::as_str).to_owned();
    // `set -e` ends the line where a command fails, `set -o pipefail` hears of it behind a filter.
    let sets = |what: fn(&str) -> bool| {
        parts.iter().any(|(words, _)| program(words) == "set" && words[1..].iter().any(|word| what(word)))
    };
    let stops = sets(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('e'));
    let hears = sets(|word| word == "pipefail");
    let goes_on_after = |at: usize| {
        let separators = parts[at..].iter().zip(&parts[at + 1..]);
        let mut separators = separators.filter(|(_, (next, _))| !next.is_empty()).map(|((_, end), _)| *end);
        separators.any(|end| end == End::Or || (end == End::Other && !stops))
            || parts[at..].iter().any(|(_, end)| *end == End::Background)
    };
    let mut commands: Vec<SimpleCommand> = Vec::new();
    let mut folder = None;
    let mut before = End::Other;
    for (at, (words, end)) in parts.iter().enumerate() {
        let ends = std::mem::replace(&mut before, *end);
        let program = program(words);
        if ends == End::Pipe {
            let piped = commands.last_mut().filter(|command| command.hides_its_end || hears);
            piped.into_iter().for_each(|command| command.filter = Some(program.clone()));
            continue;
        }
        if ["cd", "pushd"].contains(&program.as_str()) {
            folder = words.get(1).map(|folder| folder.trim_matches(['"', '\'']).to_owned());
        }
        if !words.is_empty() && !PREPARING.contains(&program.as_str()) {
            let hides_its_end = (*end == End::Pipe && !hears) || goes_on_after(at);
            let (words, folder, is_alternative) = (words.clone(), folder.clone(), ends == End::Or);
            let is_redirected = *end == End::Background || redirects.contains(&at);
            commands.push(SimpleCommand { words, folder, hides_its_end, filter: None, is_redirected, is_alternative });
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
