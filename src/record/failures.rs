//! The calls that failed, and whether the same was seen to work since.

use super::{
    commands::{SimpleCommand, simple_commands},
    facts::{
        BETWEEN_LINES, Fact, TELLING, about, answer_of, beginning, commands_of, has_failed, has_run, in_order,
        is_any_piped, is_cut,
    },
    recorded::{Recorded, Step, steps},
};
use crate::transcript::{
    Event, Meaning, ToolTable, Transcript,
    endings::{cause, failure, goes_on, says_well},
};

/// What a call did.
struct Work {
    tool: String,
    /// As a record tells of it.
    call: String,
    commands: Vec<SimpleCommand>,
    /// What may be done again by itself: each command of a command line.
    parts: Vec<String>,
}

impl Work {
    fn of(event: &Event, transcript: &Transcript<'_>) -> Self {
        let (tool, about) = (event.tool.trim().to_owned(), about(event, transcript));
        let commands = commands_of(event, transcript);
        let parts = if commands.is_empty() { vec![about.clone()] } else { texts_of(&commands) };
        Self { call: [tool.as_str(), &about].join(" ").trim().to_owned(), tool, commands, parts }
    }
}

/// The commands that may be done again. What a push or a merge takes has been made ready, once one works.
fn texts_of(commands: &[SimpleCommand]) -> Vec<String> {
    let takes_them = commands.iter().any(SimpleCommand::is_push_or_step);
    let prepares = |command: &SimpleCommand| command.prepares_git() && !command.is_push_or_step();
    let left = commands.iter().filter(|command| !(takes_them && prepares(command)));
    left.map(SimpleCommand::text).collect()
}

/// A call that failed.
struct Failure {
    /// The event.
    at: usize,
    tool: String,
    call: String,
    line: String,
    /// What of it was not seen to work since.
    open: Vec<String>,
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
            (true, Meaning::Command) => texts_of(&simple_commands(about)),
            (true, _) => vec![about.to_owned()],
        };
        Some(Self { at, tool: tool.into(), line, open, call })
    }

    /// What is open of it when this call has worked.
    fn open_after(&self, work: &Work) -> Vec<String> {
        if self.call == work.call {
            return Vec::new();
        }
        let ended: Vec<String> = work.commands.iter().filter_map(SimpleCommand::ends).collect();
        let is_ended = |part: &str| {
            let begins = |command: &SimpleCommand| ended.iter().any(|beginning| command.begins_as(beginning));
            !ended.is_empty() && simple_commands(part).iter().any(begins)
        };
        self.open.iter().filter(|part| !work.parts.contains(part) && !is_ended(part)).cloned().collect()
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
            let mended: Vec<(&mut Failure, Vec<String>)> = mended.collect();
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
            let Work { tool, call, parts, .. } = work;
            all.push(Failure { at, tool, call, line, open: parts });
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
    !goes_on(&answer) && (!is_any_piped(&work.commands) || (says_well(&answer) && !is_cut(event, transcript)))
}
