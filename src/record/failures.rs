//! The calls that failed, and whether the same was seen to work since.

use std::collections::{HashMap, HashSet};

use super::{
    MAX_FACTS,
    calls::Call,
    checks::{Check, echoed, says_all},
    commands::{SimpleCommand, name_of, simple_commands},
    facts::{BETWEEN_LINES, Fact, GOES_ON, TELLING, about, beginning, has_failed, has_run, in_order, is_cut},
    recorded::{Begun, Recorded, Step, steps},
};
use crate::transcript::{
    Meaning, ToolTable, Transcript,
    endings::{cause, counted_failures, failed_task, failure, goes_on, says_well, verdict},
};

/// Programs that only look for something, or at it.
const LOOKING: [&str; 15] =
    ["cat", "ls", "grep", "rg", "find", "fd", "head", "tail", "nl", "which", "file", "stat", "wc", "tree", "du"];

/// What may be done again by itself: a command of a command line, or what a call is about that runs none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    command: SimpleCommand,
    check: Option<Check>,
}

impl Part {
    fn of(command: SimpleCommand) -> Self {
        Self { check: Check::of(&command), command }
    }

    /// What a call is about that runs no command: whatever it is called, a search in `src/_pytest` checks nothing.
    fn named(name: &str) -> Self {
        Self { command: SimpleCommand::named(name), check: None }
    }

    /// Whether it does again what another one did, as far as is known.
    fn does_again(&self, other: &Self) -> bool {
        let checks = || self.check.as_ref().zip(other.check.as_ref());
        let is_elsewhere = self.command.is_elsewhere && self.check.is_some();
        !(self.command.is_alternative || is_elsewhere)
            && (self.command.does_again(&other.command)
                || checks().is_some_and(|(check, other)| check.name == other.name && check.covers(other)))
    }

    /// By what those are found that it may do again, and it by them.
    fn keys(&self) -> impl Iterator<Item = Key> {
        let words = Key::Words(self.command.words().join(" "));
        let check = self.check.as_ref().map(|check| Key::Check(check.name.clone()));
        std::iter::once(words).chain(check)
    }
}

/// By what open parts of failures are found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Words(String),
    Check(String),
    /// What git does in steps.
    Step(String),
    /// Only its beginning is known.
    Cut,
}

/// The commands that may be done again, or what a call is about that runs none. What a push or a merge takes has been made ready, once one works.
fn parts_of(commands: &[SimpleCommand], about: &str) -> Vec<Part> {
    let takes_them = commands.iter().any(SimpleCommand::is_push_or_step);
    let prepares = |command: &SimpleCommand| command.prepares_git() && !command.is_push_or_step();
    let left = commands.iter().filter(|command| !(takes_them && prepares(command)));
    let left: Vec<Part> = left.cloned().map(Part::of).collect();
    if left.is_empty() { vec![Part::named(about)] } else { left }
}

/// A call that failed.
struct Failure {
    /// The step.
    at: usize,
    tool: String,
    /// As a record tells of it.
    call: String,
    line: String,
    /// What of it was not seen to work since.
    open: Vec<Part>,
    /// So many parts it had, and the last of them.
    parts: usize,
    last: SimpleCommand,
    /// Whether the same failed again.
    is_outdated: bool,
    /// Whether a file that it names was changed since, as a record tells.
    is_older: bool,
    /// Whether it only looked for something, as a record tells.
    is_lookup: bool,
}

impl Failure {
    fn new(at: usize, tool: &str, call: String, line: String, open: Vec<Part>) -> Self {
        let last = open.last().map_or_else(|| SimpleCommand::named(&call), |part| part.command.clone());
        let (tool, parts) = (tool.to_owned(), open.len());
        Self { at, tool, call, line, parts, open, last, is_outdated: false, is_older: false, is_lookup: false }
    }

    /// One that an earlier record tells of.
    fn recorded(at: usize, fact: Fact, tools: &ToolTable) -> Option<Self> {
        let (call, line, is_open, is_older, is_lookup) = match fact {
            Fact::Failed { call, line, is_older, is_lookup } => (call, line, true, is_older, is_lookup),
            Fact::Mended { call, line } => (call, line, false, false, false),
            _ => return None,
        };
        let (tool, about) = call.split_once(' ').unwrap_or((&call, ""));
        let open = match (is_open, tools.meaning(tool)) {
            (false, _) => Vec::new(),
            (true, Meaning::Command) => parts_of(&simple_commands(about), about),
            (true, _) => vec![Part::named(about)],
        };
        let tool = tool.to_owned();
        Some(Self { is_older, is_lookup, ..Self::new(at, &tool, call, line, open) })
    }

    /// Whether it only looked for something: nothing has to be mended.
    fn is_lookup(&self, tools: &ToolTable) -> bool {
        match tools.meaning(&self.tool) {
            _ if self.is_lookup => true,
            Meaning::Read | Meaning::Search | Meaning::List | Meaning::Web => true,
            Meaning::Command => {
                let looks = |part: &Part| {
                    let words = part.command.words();
                    let acts =
                        words.iter().any(|word| ["-exec", "-execdir", "-delete", "-ok"].contains(&word.as_str()));
                    !acts && words.first().is_some_and(|word| LOOKING.contains(&name_of(word)))
                };
                !self.open.is_empty() && self.open.iter().all(looks)
            }
            _ => false,
        }
    }

    /// Whether it names a file that was changed behind it.
    fn is_before(&self, changed: &Changed) -> bool {
        let is_in_name = |letter: char| letter.is_alphanumeric() || "._-+@".contains(letter);
        let words = [&self.call, &self.line].into_iter().flat_map(|text| text.split(move |c: char| !is_in_name(c)));
        self.is_older || words.filter_map(|word| changed.get(word.trim_end_matches('.'))).any(|last| *last > self.at)
    }

    /// What is open of it when this work was done.
    fn open_after(&self, work: &Work) -> Vec<Part> {
        let is_ended = |part: &Part| work.ended.iter().any(|beginning| part.command.begins_as(beginning));
        let is_open = |part: &&Part| !work.did(part) && !is_ended(part);
        let open: Vec<Part> = self.open.iter().filter(is_open).cloned().collect();
        // Where all but one of several did work, the last of them too, it was not the one that nobody tried again.
        let was_run = self.parts > 2 && open.len() == 1 && open[0].command != self.last;
        if was_run { Vec::new() } else { open }
    }

    /// By what it is known that the same failed again.
    fn same(&self) -> (String, String) {
        (self.line.clone(), self.open.iter().map(|part| part.command.words().join(" ")).collect::<Vec<_>>().join("\n"))
    }
}

/// What a call did that did not fail.
struct Work {
    parts: Vec<Part>,
    /// How what it brought to an end begins.
    ended: Vec<String>,
}

impl Work {
    fn of(call: &Call<'_>, transcript: &Transcript<'_>) -> Self {
        let mut parts = parts_of(&call.commands, &about(call.event, transcript));
        parts.extend(echoed(call, transcript).into_iter().map(Part::of));
        Self { parts, ended: call.commands.iter().filter_map(SimpleCommand::ends).collect() }
    }

    fn did(&self, part: &Part) -> bool {
        self.parts.iter().any(|own| own.does_again(part))
    }

    fn keys(&self) -> impl Iterator<Item = Key> {
        let ended = self.ended.iter().cloned().map(Key::Step);
        self.parts.iter().flat_map(Part::keys).chain(ended).chain([Key::Cut])
    }
}

/// The calls that failed, and where they are found again.
#[derive(Default)]
struct Failures {
    all: Vec<Failure>,
    open: HashMap<Key, Vec<usize>>,
    by_call: HashMap<String, Vec<usize>>,
    same: HashMap<(String, String), Vec<usize>>,
}

impl Failures {
    fn add(&mut self, failure: Failure) {
        let at = self.all.len();
        for part in &failure.open {
            let is_cut = part.command.words().last().is_some_and(|last| last.ends_with(GOES_ON));
            let cut = is_cut.then_some(Key::Cut);
            let step = part.command.step().map(|step| Key::Step(format!("git {step}")));
            for key in part.keys().chain(cut).chain(step) {
                self.open.entry(key).or_default().push(at);
            }
        }
        self.by_call.entry(failure.call.clone()).or_default().push(at);
        self.same.entry(failure.same()).or_default().push(at);
        self.all.push(failure);
    }

    /// A record, whose first line is this step, tells of it: what stands of it still is older than that.
    fn tell(&mut self, told: Failure, first: usize) {
        for at in self.by_call.get(&told.call).into_iter().flatten().copied() {
            let known = &mut self.all[at];
            known.is_outdated |= known.at < first && known.tool == told.tool;
        }
        self.add(told);
    }

    /// A call has failed: once more, if the same did.
    fn fail(&mut self, failure: Failure) {
        for at in self.same.remove(&failure.same()).unwrap_or_default() {
            let known = &mut self.all[at];
            known.is_outdated |= !known.open.is_empty() && known.open == failure.open && known.tool == failure.tool;
        }
        self.add(failure);
    }

    /// Those that are open and may be mended by work of this kind, oldest first: of each kind so many of the newest as may be told.
    fn open_for(&mut self, tool: &str, keys: impl Iterator<Item = Key>) -> Vec<usize> {
        let Self { all, open, .. } = self;
        let mut found: Vec<usize> = Vec::new();
        for key in keys {
            let Some(places) = open.get_mut(&key) else { continue };
            places.retain(|at| !all[*at].is_outdated && !all[*at].open.is_empty());
            places.drain(..places.len().saturating_sub(MAX_FACTS));
            found.extend(places.iter().filter(|at| all[**at].tool == tool));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A call has worked, or so it seems.
    fn work(&mut self, call: &Call<'_>, transcript: &Transcript<'_>) {
        if self.open.is_empty() {
            return;
        }
        let work = Work::of(call, transcript);
        let open = self.open_for(call.event.tool.trim(), work.keys());
        let mended = open.into_iter().filter_map(|at| {
            let open = self.all[at].open_after(&work);
            (open.len() < self.all[at].open.len()).then_some((at, open))
        });
        let mended: Vec<(usize, Vec<Part>)> = mended.collect();
        // What a filter lets through says whether the command before it has worked.
        if mended.is_empty() || !works(call, transcript) {
            return;
        }
        for (at, open) in mended {
            self.all[at].open = open;
            self.same.entry(self.all[at].same()).or_default().push(at);
        }
    }

    /// What is told of them, oldest first.
    fn told(&self, changed: &Changed, tools: &ToolTable) -> Vec<Fact> {
        let told = || self.all.iter().filter(|failure| !failure.is_outdated);
        let open = told().filter(|failure| !failure.open.is_empty());
        let open: HashSet<(String, String)> =
            open.map(|failure| (failure.call.clone(), failure.line.clone())).collect();
        // What failed in the same way again has not worked later.
        let is_told = |failure: &&Failure| {
            !failure.open.is_empty() || !open.contains(&(failure.call.clone(), failure.line.clone()))
        };
        let told = told().filter(is_told).map(|failure| {
            let (is_older, is_lookup) = (failure.is_before(changed), failure.is_lookup(tools));
            let (at, call, line) = (failure.at, failure.call.clone(), failure.line.clone());
            let is_mended = failure.open.is_empty();
            (at, if is_mended { Fact::Mended { call, line } } else { Fact::Failed { call, line, is_older, is_lookup } })
        });
        in_order(told.collect())
    }
}

/// The files that were changed, by the last part of their paths, with the first step of the newest message that changes them.
type Changed = HashMap<String, usize>;

/// The calls that failed.
pub fn failures(
    recorded: Vec<Recorded>,
    calls: &[Call<'_>],
    transcript: &Transcript<'_>,
    tools: &ToolTable,
) -> Vec<Fact> {
    let (mut failures, mut changed, mut begun) = (Failures::default(), Changed::new(), Begun::default());
    // The first line of the record that is being read.
    let mut first_told = None;
    for (at, step) in steps(recorded, calls).into_iter().enumerate() {
        if let Step::Call(call) = &step {
            first_told = None;
            let first = begun.first(at, call);
            let path = call.event.path.as_deref().filter(|_| call.has_changed_files());
            changed.extend(path.and_then(|path| path.rsplit('/').next()).map(|name| (name.to_owned(), first)));
        }
        match step {
            Step::Told(fact) => {
                let first = *first_told.get_or_insert(at);
                if let Some(told) = Failure::recorded(at, fact, tools) {
                    failures.tell(told, first);
                }
            }
            Step::Call(call) if call.event.call.is_none() || !has_run(call.event) => {}
            Step::Call(call) if !has_failed(call.event) => failures.work(call, transcript),
            Step::Call(call) => {
                if let Some(failure) = failed(at, call, transcript) {
                    failures.fail(failure);
                }
            }
        }
    }
    failures.told(&changed, tools)
}

/// A call that failed, as its answer tells.
fn failed(at: usize, call: &Call<'_>, transcript: &Transcript<'_>) -> Option<Failure> {
    let answer = call.answer(transcript);
    let first = failure(answer)?;
    let (tool, about) = (call.event.tool.trim(), about(call.event, transcript));
    let mut parts = parts_of(&call.commands, &about);
    // What fails elsewhere says nothing of the work.
    if parts.iter().any(|part| part.command.is_elsewhere && part.check.is_some()) {
        return None;
    }
    // Where a runner says which task failed, the others of its line did not.
    let tasks: Vec<&str> = answer.lines().filter_map(failed_task).collect();
    let is_failed = |part: &Part| tasks.iter().any(|task| part.command.words().iter().any(|word| word == task));
    if parts.iter().any(is_failed) {
        parts.retain(is_failed);
    }
    let mut line = beginning(first, TELLING);
    if let Some(cause) = cause(answer).filter(|cause| *cause != first) {
        line = [line, beginning(cause, TELLING)].join(BETWEEN_LINES);
    }
    Some(Failure::new(at, tool, [tool, &about].join(" ").trim().to_owned(), line, parts))
}

/// Programs that run a script. One that tries something says what came of it, and ends well all the same.
const INTERPRETERS: [&str; 11] =
    ["python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "bash", "sh", "ts-node"];

/// Whether a call that did not fail is known to have done what it was asked to.
fn works(call: &Call<'_>, transcript: &Transcript<'_>) -> bool {
    let answer = call.answer(transcript);
    let runs_script = |command: &SimpleCommand| {
        let program = command.words().first().map_or("", |word| word.as_str());
        (INTERPRETERS.contains(&name_of(program)) || program.starts_with("./")) && Check::of(command).is_none()
    };
    let mut hidden = call.commands.iter().filter(|command| command.hides_its_end).peekable();
    if goes_on(answer) || (call.commands.iter().any(runs_script) && !says_well(answer)) {
        return false;
    }
    if hidden.peek().is_none() {
        return true;
    }
    let has_verdict = verdict(answer).is_some();
    let tells_error = call.commands.len() > 1 && failure(answer).is_some();
    !tells_error
        && hidden.all(|command| says_all(command, has_verdict))
        && says_well(answer)
        && counted_failures(answer).is_none()
        && !is_cut(call.event, transcript)
}
