//! The calls that failed, and whether the same was seen to work since.

use super::{
    checks::{checks_again, says_all},
    commands::{SimpleCommand, simple_commands},
    facts::{
        BETWEEN_LINES, Fact, TELLING, about, answer_of, beginning, commands_of, has_failed, has_run, in_order, is_cut,
    },
    recorded::{Recorded, Step, steps},
};
use crate::transcript::{
    Event, Meaning, ToolTable, Transcript,
    endings::{cause, counted_failures, failure, goes_on, says_well, verdict},
};

/// What a call did.
struct Work {
    tool: String,
    /// As a record tells of it.
    call: String,
    commands: Vec<SimpleCommand>,
    /// What may be done again by itself: each command of a command line.
    parts: Vec<SimpleCommand>,
}

impl Work {
    fn of(event: &Event, transcript: &Transcript<'_>) -> Self {
        let (tool, about) = (event.tool.trim().to_owned(), about(event, transcript));
        let commands = commands_of(event, transcript);
        let parts = parts_of(&commands, &about);
        Self { call: [tool.as_str(), &about].join(" ").trim().to_owned(), tool, commands, parts }
    }

    /// Whether it did this, as far as is known.
    fn did(&self, part: &SimpleCommand) -> bool {
        self.parts.iter().any(|own| !own.is_alternative && (own.does_again(part) || checks_again(own, part)))
    }
}

/// The commands that may be done again, or what a call is about that runs none. What a push or a merge takes has been made ready, once one works.
fn parts_of(commands: &[SimpleCommand], about: &str) -> Vec<SimpleCommand> {
    let takes_them = commands.iter().any(SimpleCommand::is_push_or_step);
    let prepares = |command: &SimpleCommand| command.prepares_git() && !command.is_push_or_step();
    let left: Vec<SimpleCommand> =
        commands.iter().filter(|command| !(takes_them && prepares(command))).cloned().collect();
    if left.is_empty() { vec![SimpleCommand::named(about)] } else { left }
}

/// A call that failed.
struct Failure {
    /// The event.
    at: usize,
    tool: String,
    call: String,
    line: String,
    /// What of it was not seen to work since.
    open: Vec<SimpleCommand>,
    /// So many parts it had, and the last of them.
    parts: usize,
    last: SimpleCommand,
}

impl Failure {
    /// One that an earlier record tells of.
    fn recorded(at: usize, fact: Fact, tools: &ToolTable) -> Option<Self> {
        let (call, line, is_open) = match fact {
            Fact::Failed { call, line } => (call, line, true),
            Fact::Mended { call, line } => (call, line, false),
            _ => return None,
        };
        let (tool, about) = call.split_once(' ').unwrap_or((&call, ""));
        let open = match (is_open, tools.meaning(tool)) {
            (false, _) => Vec::new(),
            (true, Meaning::Command) => parts_of(&simple_commands(about), about),
            (true, _) => vec![SimpleCommand::named(about)],
        };
        let last = open.last().cloned().unwrap_or_else(|| SimpleCommand::named(about));
        Some(Self { at, tool: tool.into(), line, parts: open.len(), last, open, call })
    }

    /// What is open of it when this call has worked.
    fn open_after(&self, work: &Work) -> Vec<SimpleCommand> {
        let ended: Vec<String> = work.commands.iter().filter_map(SimpleCommand::ends).collect();
        let is_ended = |part: &SimpleCommand| ended.iter().any(|beginning| part.begins_as(beginning));
        let is_open = |part: &&SimpleCommand| !work.did(part) && !is_ended(part);
        let open: Vec<SimpleCommand> = self.open.iter().filter(is_open).cloned().collect();
        // Where all but one of several did work, the last of them too, it was not the one that nobody tried again.
        let was_run = self.parts > 2 && open.len() == 1 && open[0] != self.last;
        if was_run { Vec::new() } else { open }
    }
}

/// The calls that failed.
pub fn failures(recorded: Vec<Recorded>, transcript: &Transcript<'_>, tools: &ToolTable) -> Vec<Fact> {
    let mut all: Vec<Failure> = Vec::new();
    for (at, step) in steps(recorded, transcript).into_iter().enumerate() {
        let event = match step {
            Step::Told(fact) => {
                if let Some(told) = Failure::recorded(at, fact, tools) {
                    // What stands of it still is older than what a record tells.
                    all.retain(|known| known.tool != told.tool || known.call != told.call);
                    all.push(told);
                }
                continue;
            }
            Step::Event(event) => event,
        };
        if event.call.is_none() || !has_run(event) {
            continue;
        }
        if !has_failed(event) {
            let is_open = |failure: &&mut Failure| failure.tool == event.tool.trim() && !failure.open.is_empty();
            let mut open = all.iter_mut().filter(is_open).peekable();
            if open.peek().is_none() {
                continue;
            }
            let work = Work::of(event, transcript);
            let mended = open.filter_map(|failure| {
                let open = failure.open_after(&work);
                (open.len() < failure.open.len()).then_some((failure, open))
            });
            let mended: Vec<(&mut Failure, Vec<SimpleCommand>)> = mended.collect();
            // What a filter lets through says whether the command before it has worked.
            if !mended.is_empty() && works(event, &work, transcript) {
                mended.into_iter().for_each(|(failure, open)| failure.open = open);
            }
            continue;
        }
        let answer = answer_of(event, transcript);
        if let Some(first) = failure(&answer) {
            let mut line = beginning(first, TELLING);
            if let Some(cause) = cause(&answer).filter(|cause| *cause != first) {
                line = [line, beginning(cause, TELLING)].join(BETWEEN_LINES);
            }
            let work = Work::of(event, transcript);
            all.retain(|known| {
                known.open.is_empty() || known.open != work.parts || known.tool != work.tool || known.line != line
            });
            let Work { tool, call, parts: open, .. } = work;
            let last = open[open.len() - 1].clone();
            all.push(Failure { at, tool, call, line, parts: open.len(), last, open });
        }
    }
    let told = all.into_iter().map(|Failure { at, call, line, open, .. }| {
        (at, if open.is_empty() { Fact::Mended { call, line } } else { Fact::Failed { call, line } })
    });
    in_order(told.collect())
}

/// Whether a call that did not fail is known to have done what it was asked to.
fn works(event: &Event, work: &Work, transcript: &Transcript<'_>) -> bool {
    let answer = answer_of(event, transcript);
    let mut hidden = work.commands.iter().filter(|command| command.hides_its_end).peekable();
    if goes_on(&answer) || hidden.peek().is_none() {
        return !goes_on(&answer);
    }
    let has_verdict = verdict(&answer).is_some();
    let tells_error = work.commands.len() > 1 && failure(&answer).is_some();
    !tells_error
        && hidden.all(|command| says_all(command, has_verdict))
        && says_well(&answer)
        && counted_failures(&answer).is_none()
        && !is_cut(event, transcript)
}
