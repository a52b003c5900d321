//! How each check, a test, a build or a linter, ended the last time. A run that tries less than one that failed leaves that told.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    calls::Call,
    commands::{SimpleCommand, may_be_inside, name_of, simple_commands},
    facts::{
        BETWEEN_LINES, Fact, TELLING, beginning, command_line, end_of, has_failed, has_run, in_order, is_cut, is_note,
        is_told_as,
    },
    recorded::{Begun, Recorded, Step, steps},
};
use crate::transcript::{
    Event, Transcript,
    endings::{Verdict, counted_failures, failure, goes_on, is_bad, shown_command, verdict, well_ones},
};

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

/// Between the name of a task and the program that runs it.
const RUNNING: [&str; 4] = ["run", "run-script", "exec", "x"];

/// Programs that run a command of many words before it.
const CONTAINERS: [&str; 3] = ["docker", "docker-compose", "podman"];

/// With these nothing is checked.
const SHOWING_FLAGS: [&str; 13] = [
    "--help",
    "-h",
    "--version",
    "-V",
    "--collect-only",
    "--co",
    "--list",
    "--listTests",
    "--list-tests",
    "--dry-run",
    "--showConfig",
    "--print-config",
    "--init",
];

/// Flags that say where a command of a package manager runs.
const PLACES: [&str; 9] = ["--filter", "--prefix", "-F", "-C", "--cwd", "--dir", "--workspace", "-w", "--package"];

/// Flags that take nothing away from what is checked.
const HARMLESS_FLAGS: [&str; 48] = [
    "-q",
    "-s",
    "-x",
    "-l",
    "-n",
    "-w",
    "-j",
    "-D",
    "-W",
    "--quiet",
    "--verbose",
    "--silent",
    "--no-color",
    "--color",
    "--colors",
    "--run",
    "--tb",
    "--nocapture",
    "--no-capture",
    "--release",
    "--no-fail-fast",
    "--all",
    "--all-features",
    "--all-targets",
    "-count",
    "-race",
    "-timeout",
    "--timeout",
    "--jobs",
    "--noEmit",
    "--pretty",
    "--coverage",
    "--reporter",
    "--reporters",
    "--max-warnings",
    "--maxWorkers",
    "--watch",
    "--ci",
    "--bail",
    "--forceExit",
    "--runInBand",
    "--no-coverage",
    "--no-cache",
    "--durations",
    "--maxfail",
    "--fix",
    "--write",
    "--parallel",
];

/// Flags without which less is checked.
const WIDENING_FLAGS: [&str; 13] = [
    "-D",
    "-W",
    "--max-warnings",
    "-race",
    "--release",
    "--features",
    "--all-features",
    "--include-ignored",
    "--ignored",
    "--runslow",
    "-tags",
    "--strict",
    "--all-targets",
];

/// Programs whose words are tasks, which have nothing to do with each other.
const TASK_RUNNERS: [&str; 6] = ["make", "gradle", "gradlew", "mvn", "tox", "nox"];

/// So many words of a command say what it does; what follows says to what.
const TELLING_WORDS: usize = 4;

/// A check, and what it is limited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it checks with, such as `cargo test` or `eslint`.
    pub name: String,
    folder: Option<String>,
    settings: Vec<String>,
    words: Vec<String>,
    flags: Vec<String>,
}

impl Check {
    /// Of a line that is told in part.
    fn told(line: &str) -> Self {
        Self { name: line.to_owned(), folder: None, settings: Vec::new(), words: Vec::new(), flags: Vec::new() }
    }

    /// What a command checks; `None` for one that checks nothing.
    pub fn of(command: &SimpleCommand) -> Option<Self> {
        let words = command.words();
        let program = name_of(words.first()?);
        let manages = words.get(1).is_some_and(|word| MANAGING.contains(&word.as_str()));
        if SHOWING.contains(&program) || manages || words.iter().any(|word| SHOWING_FLAGS.contains(&word.as_str())) {
            return None;
        }
        let (at, name) = named(program, words)?;
        let is_checker = !name.contains(' ');
        if is_checker && words[at + 1..].iter().any(|word| ["format", "fmt"].contains(&word.as_str())) {
            return None;
        }
        // `playwright test` has no other way to check.
        let runs_tests = is_checker && !TASK_RUNNERS.contains(&name.as_str());
        let is_flag = |word: &String| word.starts_with('-');
        let says_where = |word: &String| PLACES.contains(&word.split('=').next().unwrap_or_default());
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_limit = |word: &String| !is_flag(word) && !RUNNING.contains(&word.as_str()) && !is_number(word);
        let before = (1..at).filter(|at| {
            says_where(&words[*at]) || (is_limit(&words[*at]) && (!is_checker || says_where(&words[at - 1])))
        });
        let behind = words[at + 1..].iter().filter(|word| *word != "--" && !(runs_tests && *word == "test"));
        let (flags, words): (Vec<String>, Vec<String>) = before
            .map(|at| &words[at])
            .chain(behind.filter(|word| is_flag(word) || is_limit(word)))
            .cloned()
            .partition(is_flag);
        let (folder, settings) = (command.folder().map(str::to_owned), command.settings().to_vec());
        Some(Self { name, folder, settings, words, flags })
    }

    /// Whether it tries again all that another one of its name tries, as far as is known.
    pub fn covers(&self, other: &Self) -> bool {
        let limits = |flag: &&String| {
            let name = flag.split('=').next().unwrap_or_default();
            !HARMLESS_FLAGS.contains(&name) && !name.starts_with("-v") && !name.starts_with("-j")
        };
        let widens = |flag: &&String| WIDENING_FLAGS.contains(&flag.split('=').next().unwrap_or_default());
        let has_words = if TASK_RUNNERS.contains(&self.name.as_str()) {
            self.words.is_empty() == other.words.is_empty() && other.words.iter().all(|task| self.words.contains(task))
        } else {
            let is_tried = |word: &String| self.words.iter().any(|own| takes_in(own, word));
            self.words.is_empty() || (!other.words.is_empty() && other.words.iter().all(is_tried))
        };
        has_words
            && self.settings == other.settings
            && may_be_inside(other.folder.as_deref(), self.folder.as_deref())
            && self.flags.iter().filter(limits).all(|flag| other.flags.contains(flag))
            && other.flags.iter().filter(widens).all(|flag| self.flags.contains(flag))
    }
}

/// What a command line checks with, and the word that says so.
fn named(program: &str, words: &[String]) -> Option<(usize, String)> {
    if program == "node" && words.iter().any(|word| word == "--test") {
        return Some((0, "node test".to_owned()));
    }
    let most = if CONTAINERS.contains(&program) { 2 * TELLING_WORDS } else { TELLING_WORDS };
    let mut telling = words.iter().enumerate().filter(|(_, word)| !word.starts_with('-')).take(most);
    telling.find_map(|(at, word)| {
        let task = name_of(word);
        let name = task.split([':', '-', '.', '_']).find_map(|part| match part {
            _ if CHECKERS.contains(&part) => Some(part.to_owned()),
            _ if !TASKS.contains(&part) => None,
            _ if at == 0 => Some(task.to_owned()),
            _ => Some(format!("{program} {task}")),
        });
        Some((at, name?))
    })
}

/// Whether what a check is limited to by one word has what it is limited to by another in it: `tests` has `tests/a.py`, and that `tests/a.py::test_b`.
fn takes_in(outer: &str, inner: &str) -> bool {
    let [outer, inner] = [outer, inner].map(|path| path.strip_prefix("./").unwrap_or(path));
    let outer = outer.strip_suffix("...").unwrap_or(outer).trim_end_matches('/');
    let rest = inner.strip_prefix(outer);
    matches!(outer, "" | ".") || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', '[', '.']))
}

/// A run of a check.
struct Ran {
    index: usize,
    /// The command line, as far as it is known.
    line: String,
    check: Check,
    /// So many checks its line runs, and whether it is the last of them.
    checks: usize,
    is_last: bool,
    /// How it ended, where that is known.
    ended: Option<Ending>,
}

/// How a run ended.
#[derive(Clone)]
struct Ending {
    verdict: String,
    is_bad: bool,
}

impl Ending {
    /// As a record tells of it.
    fn told(text: &str) -> Self {
        let says_bad = |part: &str| verdict(part).map_or(failure(part).is_some(), |verdict| is_bad(&verdict));
        let is_bad = text != WITHOUT_ERROR && (text == FAILED || text.split(BETWEEN_LINES).any(says_bad));
        Self { verdict: text.to_owned(), is_bad }
    }

    /// As far as the answer tells.
    fn of(event: &Event, is_hidden: bool, is_one_of_many: bool, answer: &str) -> Option<Self> {
        if goes_on(answer) {
            return None;
        }
        if has_failed(event) {
            let verdict = verdict_or_failure(answer).unwrap_or_else(|| FAILED.to_owned());
            return Some(Self { verdict, is_bad: true });
        }
        if let Some(mut verdict) = verdict(answer) {
            // Where several commands wrote it, and none says how it ended, the last line may tell of another.
            let tells_error = || is_one_of_many.then(|| failure(answer)).flatten().filter(|_| !is_bad(&verdict));
            let bad = if is_hidden { counted_failures(answer).or_else(tells_error) } else { None };
            if let Some(bad) = bad.filter(|bad| *bad != verdict.1) {
                verdict.0 = Some(bad);
            }
            let is_bad = is_hidden && (bad.is_some() || is_bad(&verdict));
            return Some(Self { is_bad, verdict: line_of(verdict) });
        }
        if is_hidden {
            return None;
        }
        let mut told = answer.lines().rev().map(|line| beginning(line, TELLING));
        let last = told.find(|line| !line.is_empty() && shown_command(line).is_none());
        Some(Self { verdict: last.unwrap_or_else(|| WITHOUT_ERROR.to_owned()), is_bad: false })
    }

    /// With how many were well by themselves, of an answer that is whole: the last of many tells nothing of the others.
    fn with_count(mut self, answer: &str) -> Self {
        let many = well_ones(answer);
        if many > 1 && !self.is_bad && !self.verdict.contains(BETWEEN_LINES) {
            self.verdict = [&format!("{many} ok"), &*self.verdict].join(BETWEEN_LINES);
        }
        self
    }
}

impl Ran {
    /// Whether it says that something failed.
    fn is_bad(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.is_bad)
    }
}

/// The verdict of a check that failed and did not say why.
const FAILED: &str = "failed";

/// The verdict of a check that wrote nothing.
const WITHOUT_ERROR: &str = "ended without an error";

/// So many runs of one check are told, where the newer ones tried less than failed before.
const MAX_RUNS: usize = 4;

/// The newest runs of each check.
#[derive(Default)]
struct Runs {
    by_name: BTreeMap<String, Vec<Ran>>,
    /// The names of the checks that a command line has run.
    names: HashMap<String, BTreeSet<String>>,
}

impl Runs {
    /// `echoed`: what they are known to have run, which mends what failed by another name.
    fn add(&mut self, index: usize, line: &str, checks: &[Check], echoed: &[Check], ended: Option<&Ending>) {
        let is_good = ended.is_some_and(|ended| !ended.is_bad);
        for check in echoed.iter().filter(|_| is_good) {
            let runs = self.by_name.get_mut(&check.name);
            runs.into_iter().for_each(|runs| runs.retain(|known| !known.is_bad() || !check.covers(&known.check)));
        }
        for (at, check) in checks.iter().enumerate() {
            let runs = self.by_name.entry(check.name.clone()).or_default();
            // A run of which nobody knows how it ended says nothing against one that failed.
            runs.retain(|known| known.is_bad() && (ended.is_none() || !check.covers(&known.check)));
            if runs.len() == MAX_RUNS {
                // The oldest tried most.
                runs.remove(1);
            }
            self.names.entry(line.to_owned()).or_default().insert(check.name.clone());
            let (line, check, ended) = (line.to_owned(), check.clone(), ended.cloned());
            runs.push(Ran { index, line, check, checks: checks.len(), is_last: at + 1 == checks.len(), ended });
        }
    }

    fn all(&self) -> impl Iterator<Item = &Ran> {
        self.by_name.values().flatten()
    }

    /// The names of the checks that this command line may have run, by all of it or as a record tells of it.
    fn names_of(&self, line: &str) -> BTreeSet<String> {
        let told = command_line(line);
        let names = [line, told.as_str()].into_iter().filter_map(|line| self.names.get(line));
        names.flatten().cloned().collect()
    }

    /// Whether one of the runs is told as this command line is.
    fn has(&self, line: &str) -> bool {
        let names = self.names_of(line);
        names.iter().filter_map(|name| self.by_name.get(name)).flatten().any(|known| is_told_as(line, &known.line))
    }

    /// What this command line has run before is not told any more: unless it failed, where nobody knows how it ended now.
    fn forget(&mut self, line: &str, is_known: bool) {
        for name in self.names_of(line) {
            let runs = self.by_name.get_mut(&name).into_iter();
            let is_again = |known: &Ran| is_told_as(line, &known.line) && (is_known || !known.is_bad());
            runs.for_each(|runs| runs.retain(|known| !is_again(known)));
        }
    }

    /// What is told of them, oldest first. A line that runs several checks ended once, and tells nothing where all of them but one ran again, the last too.
    fn told(&self, is_older: impl Fn(usize) -> bool) -> Vec<Fact> {
        let mut left: HashMap<usize, usize> = HashMap::new();
        self.all().for_each(|ran| *left.entry(ran.index).or_default() += 1);
        let is_outdated = |ran: &&Ran| ran.checks > 2 && !ran.is_last && left.get(&ran.index) == Some(&1);
        let told = self.all().filter(|ran| !is_outdated(ran)).filter_map(|ran| {
            let verdict = ran.ended.as_ref()?.verdict.clone();
            let is_older = is_older(ran.index);
            Some((ran.index, Fact::Check { command: command_line(&ran.line), verdict, is_older }))
        });
        let mut facts = in_order(told.collect());
        facts.dedup();
        facts
    }
}

/// Which steps were done before files were changed.
#[derive(Default)]
struct Age {
    /// What records tell as older already.
    older: BTreeSet<usize>,
    begun: Begun,
    /// The first step of the newest message that changes files: of what one message changes and checks, nobody knows which came first.
    last_change: Option<usize>,
}

impl Age {
    fn told(&mut self, index: usize, is_older: bool) {
        if is_older {
            self.older.insert(index);
        }
    }

    fn called(&mut self, index: usize, call: &Call<'_>, transcript: &Transcript<'_>) {
        let first = self.begun.first(index, call);
        if call.may_have_changed_work(transcript) {
            self.last_change = Some(first);
        }
    }

    fn is_older(&self, index: usize) -> bool {
        self.older.contains(&index) || self.last_change > Some(index)
    }
}

/// The checks of a command line.
fn checks_of(commands: &[SimpleCommand]) -> Vec<Check> {
    let mut all: Vec<Check> = commands.iter().filter_map(Check::of).collect();
    all.dedup();
    all
}

/// Whether a command is known to have done well by what it wrote, which says nothing bad, although nobody was told how it ended: tests count, where builds
/// may well say nothing.
pub fn says_all(command: &SimpleCommand, has_verdict: bool) -> bool {
    const TESTS: [&str; 9] =
        ["vitest", "jest", "mocha", "rspec", "phpunit", "nextest", "playwright", "cypress", "test"];
    let counts = |check: Check| TESTS.iter().any(|tests| check.name.contains(tests));
    has_verdict || (command.shows_its_end() && !Check::of(command).is_some_and(counts))
}

/// The commands that a runner of tasks shows before it runs them. Of a line with several commands nobody knows who wrote it.
pub fn echoed(call: &Call<'_>, transcript: &Transcript<'_>) -> Vec<SimpleCommand> {
    /// Longer lines show no command, and further down there are none.
    const MAX_BYTES: usize = 300;
    const MAX_LINES: usize = 400;
    let [command] = call.commands.as_slice() else { return Vec::new() };
    let Some(check) = Check::of(command) else { return Vec::new() };
    // These show what they run as it stands.
    let shows_all = ["make", "just", "task"].contains(&check.name.split(' ').next().unwrap_or_default());
    let lines = call.answer(transcript).lines().take(MAX_LINES).filter(|line| line.len() < MAX_BYTES);
    let shown = lines.filter_map(|line| shown_command(line).or_else(|| shows_all.then_some(line)));
    let mut commands: Vec<SimpleCommand> = shown.flat_map(simple_commands).collect();
    commands.retain(|command| !command.hides_its_end && Check::of(command).is_some());
    commands
}

/// How the last run of each check ended. What says nothing of that takes the place of what an earlier run said all the same.
pub fn checks(recorded: Vec<Recorded>, calls: &[Call<'_>], transcript: &Transcript<'_>) -> Vec<Fact> {
    let (mut runs, mut age) = (Runs::default(), Age::default());
    for (index, step) in steps(recorded, calls).into_iter().enumerate() {
        match step {
            Step::Told(Fact::Check { command, verdict, is_older }) => {
                age.told(index, is_older);
                let mut checks = checks_of(&simple_commands(&command));
                if checks.is_empty() {
                    // Where the record has cut the line, its beginning is known again.
                    checks.push(Check::told(&command));
                }
                runs.add(index, &command, &checks, &[], Some(&Ending::told(&verdict)));
            }
            Step::Call(call) => {
                age.called(index, call, transcript);
                if has_run(call.event) {
                    ran(&mut runs, index, call, transcript);
                }
            }
            Step::Told(_) => {}
        }
    }
    runs.told(|index| age.is_older(index))
}

/// What a call tells of checks.
fn ran(runs: &mut Runs, index: usize, call: &Call<'_>, transcript: &Transcript<'_>) {
    let Call { event, commands, line: Some(line), .. } = call else { return };
    let checks = checks_of(commands);
    let is_elsewhere = commands.iter().any(|command| command.is_elsewhere && Check::of(command).is_some());
    // Of a command that is cut nobody knows what it runs.
    if checks.is_empty() || is_elsewhere || line.lines().any(is_note) {
        return;
    }
    let is_hidden = commands.iter().any(|command| command.hides_its_end && Check::of(command).is_some());
    let mut ended = Ending::of(event, is_hidden, commands.len() > 1, call.answer(transcript));
    if is_cut(event, transcript) {
        // What is left of an answer may well say nothing of how it ended, or of a part of it; it does not make less true what an earlier record says.
        let end = end_of(event, transcript);
        let says = if has_failed(event) { verdict_or_failure(&end).is_some() } else { verdict(&end).is_some() };
        if !says && (!has_failed(event) || runs.has(line)) {
            return;
        }
        ended = Ending::of(event, is_hidden, commands.len() > 1, &end);
    } else if !is_hidden {
        ended = ended.map(|ended| ended.with_count(call.answer(transcript)));
    }
    runs.forget(line, ended.is_some());
    let echoed = if is_hidden || has_failed(event) { Vec::new() } else { checks_of(&echoed(call, transcript)) };
    runs.add(index, line, &checks, &echoed, ended.as_ref());
}

fn line_of((counts, last): Verdict<'_>) -> String {
    let told: Vec<String> = counts.into_iter().chain([last]).map(|line| beginning(line, TELLING)).collect();
    told.join(BETWEEN_LINES)
}

/// How a check failed. Of one that did, a line that says something good tells of a part of it.
fn verdict_or_failure(answer: &str) -> Option<String> {
    let bad = verdict(answer).filter(is_bad).map(line_of);
    bad.or_else(|| failure(answer).map(|line| beginning(line, TELLING)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(line: &str) -> Vec<String> {
        checks_of(&simple_commands(line)).into_iter().map(|check| check.name).collect()
    }

    fn check(line: &str) -> Check {
        checks_of(&simple_commands(line)).remove(0)
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
            ("npm run test:unit", "npm test:unit"),
            ("mise run lint", "mise lint"),
            ("bash scripts/test.sh", "bash test.sh"),
            ("./test.sh", "test.sh"),
            ("node --test", "node test"),
            ("docker compose run --rm app pytest -q", "pytest"),
        ] {
            assert_eq!(names(line), [expected], "{line}");
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
            "vitest --help",
            "pytest --collect-only -q",
            "echo make",
            "",
        ] {
            assert_eq!(names(line), [""; 0], "{line}");
        }
        assert_eq!(names("npm run build && npm test; npm run lint"), ["npm build", "npm test", "npm lint"]);
    }

    #[test]
    fn a_run_covers_what_it_surely_tries_again() {
        for (newer, older) in [
            ("pytest -q", "pytest"),
            ("pytest", "pytest tests/a.py -k x"),
            ("pytest tests", "pytest tests/a.py::test_b"),
            ("pytest b.py a.py", "pytest a.py"),
            ("go test ./...", "go test ./pkg/x"),
            ("eslint .", "eslint src"),
            ("cargo test lexer", "cargo test lexer::numbers"),
            ("npm test", "cd /w && npm test"),
            ("cd /w && npm test", "npm test | tail"),
            ("make test", "make test -j4"),
            ("make -j 4 test", "make test"),
            ("mvn clean test", "mvn test"),
            ("pytest tests", "pytest ./tests/a.py"),
            ("CI=1 npm test", "FORCE_COLOR=1 npm test"),
            ("A=1 npm test", "A=1 npm test x"),
            ("python -m pytest", "docker compose run --rm app pytest"),
        ] {
            let (newer_check, older_check) = (check(newer), check(older));
            assert!(newer_check.name == older_check.name && newer_check.covers(&older_check), "{newer} {older}");
        }
        for (newer, older) in [
            ("pytest a.py", "pytest"),
            ("pytest a.py", "pytest a.py b.py"),
            ("pytest tests/api", "pytest tests/api_v2.py"),
            ("pytest --lf", "pytest"),
            ("pytest -k x", "pytest"),
            ("cargo test --lib", "cargo test"),
            ("cargo test", "cargo test --features all"),
            ("cargo test -p b", "cargo test -p a x"),
            ("go test -run=X ./...", "go test ./..."),
            ("go test -run X ./...", "go test ./..."),
            ("cd b && npm test", "cd a && npm test"),
            ("npm --prefix b test", "npm --prefix a test"),
            ("pnpm --filter=b test", "pnpm --filter=a test"),
            ("yarn workspace b test", "yarn workspace a test"),
            ("make", "make test"),
            ("npm test --workspace=a", "npm test --workspace=b"),
            ("pytest -m smoke tests", "pytest tests"),
            ("cargo clippy", "cargo clippy -- -D warnings"),
            ("go test ./...", "go test -race ./..."),
            ("mvn -Dtest=X test", "mvn test"),
            ("TEST_FILTER=a npm test", "npm test"),
            ("npm test", "RUN_SLOW=1 npm test"),
        ] {
            let (newer_check, older_check) = (check(newer), check(older));
            assert!(newer_check.name == older_check.name && !newer_check.covers(&older_check), "{newer} {older}");
        }
    }

    proptest! {
        #[test]
        fn every_check_covers_itself(line in "(cd [ab] && )?(npx |python -m )?(pytest|npm test|make|tsc)( [a-c/.=-]{1,6}){0,3}") {
            for check in checks_of(&simple_commands(&line)) {
                prop_assert!(check.covers(&check));
            }
        }
    }
}
