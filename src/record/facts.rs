//! What a conversation tells of the work that was done in it.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    agenda::agenda,
    checks::{failure, goes_on, says_well, verdict},
    commands::{SimpleCommand, simple_commands},
    in_force::{design, has_ended, in_force},
    standing::records,
    text::{is_record, read},
};
use crate::{
    conversation::{ContentKind, Conversation, Role, calls},
    transcript::{
        self, Action, CallOutcome, Event, HostText, PieceSource, SPOKEN, ToolTable, Transcript, decompose_texts,
        with_texts,
    },
};

/// So many characters tell what somebody said, or how something ended.
pub(super) const TELLING: usize = 160;

/// So many of what the user said, because instructions hold until they are taken back. Older ones are told shorter.
const INSTRUCTION: usize = 600;

/// The newest of the user's messages that are told at that length.
const INSTRUCTIONS: usize = 6;

/// Of a command.
const COMMAND: usize = 80;

/// Shorter words of the user say little without what they answer.
const MIN_WORDS: usize = 12;

/// Shorter words of the assistant are no answer.
const MIN_ANSWER: usize = 40;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The mode, a skill or a sub-agent that is in force.
    Now(String),
    /// A line of the plan that was agreed on.
    Design(String),
    /// An item of the newest list of things to do.
    Plan { item: String, state: Option<ItemState> },
    /// How a check ended the last time.
    Check { command: String, verdict: String },
    /// A call that failed, and was not seen to work since.
    Failed { call: String, line: String },
    /// A call that failed, and the same worked later.
    Mended { call: String, line: String },
    /// A file that was changed.
    Changed { path: String, how: String },
    /// What the user said.
    Asked(String),
    /// What the assistant said before the user spoke again.
    Answered(String),
    /// A name that the assistant used.
    Named(String),
}

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemState {
    Done,
    UnderWay,
    Open,
}

impl Fact {
    /// The words by which a reader would find it.
    pub fn proof(&self) -> &str {
        match self {
            Self::Plan { item, .. } => item,
            // The last line that says how it ended.
            Self::Check { verdict, .. } => verdict.rsplit(" / ").next().unwrap_or(verdict),
            Self::Failed { line, .. } | Self::Mended { line, .. } => line,
            Self::Changed { path, .. } => path,
            Self::Now(text) | Self::Design(text) | Self::Asked(text) | Self::Answered(text) | Self::Named(text) => text,
        }
    }
}

/// The facts of a conversation, each kind oldest first; those of an earlier record before them.
pub fn facts(conversation: &Conversation, tools: &ToolTable) -> Vec<Fact> {
    let transcript = transcript::read(conversation, tools);
    let mut facts: Vec<Fact> = records(conversation, tools).iter().flat_map(|record| read(record.text)).collect();
    let recorded: Vec<Fact> = facts.extract_if(.., |fact| matches!(fact, Fact::Plan { .. })).collect();
    let now = in_force(conversation, &transcript, tools);
    let design = design(conversation, &transcript, tools);
    // A newer plan takes the place of a recorded one, and a mode that of another.
    facts.retain(|fact| match fact {
        Fact::Design(_) => design.is_empty(),
        Fact::Now(told) => still_in_force(told, &now, &transcript),
        _ => true,
    });
    facts.extend(now);
    facts.extend(design);
    facts.extend(agenda(conversation, &transcript, tools, recorded));
    facts.extend(checks(&transcript));
    facts.extend(failures(&transcript));
    facts.extend(changes(&transcript));
    facts.extend(words(conversation, tools));
    facts
}

/// On one line, with one blank wherever there were several.
pub fn squeezed(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let add = |word: &str| {
        line.push_str(word);
        line.push(' ');
    };
    // Most texts are ASCII, whose blanks are told by their bytes.
    if text.is_ascii() {
        let is_blank = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
        text.split(is_blank).filter(|word| !word.is_empty()).for_each(add);
    } else {
        text.split_whitespace().for_each(add);
    }
    line.truncate(line.trim_end_matches(' ').len());
    line
}

/// The beginning of a text on one line.
pub(super) fn beginning(text: &str, most: usize) -> String {
    // What is squeezed has no more characters, so a little more than enough of a huge text will do.
    let part: String = text.chars().take(8 * most).collect();
    squeezed(&part).chars().take(most).collect::<String>().trim_end().to_owned()
}

fn answer_of(event: &Event, transcript: &Transcript<'_>) -> String {
    event.answers.iter().map(|place| transcript.text(place)).collect::<Vec<_>>().join("\n")
}

fn command_of<'t>(event: &Event, transcript: &'t Transcript<'_>) -> Option<&'t str> {
    let place = event.call.as_ref()?.place.as_ref()?;
    Some(transcript.text(place))
}

/// How the last run of each check ended. What says nothing of that takes the place of what an earlier run said all the same.
fn checks(transcript: &Transcript<'_>) -> Vec<Fact> {
    let mut newest: BTreeMap<String, (usize, Option<Fact>)> = BTreeMap::new();
    for (index, event) in transcript.events.iter().enumerate().filter(|(_, event)| event.action == Action::Command) {
        let Some(command) = command_of(event, transcript).filter(|_| has_run(event)) else { continue };
        let commands = simple_commands(command);
        let all: Vec<String> = commands.iter().filter_map(SimpleCommand::check).collect();
        if all.is_empty() {
            continue;
        }
        let ended = ending(event, is_any_piped(&commands), &answer_of(event, transcript));
        let fact = ended.map(|verdict| Fact::Check { command: beginning(command, COMMAND), verdict });
        newest.extend(all.into_iter().map(|check| (check, (index, fact.clone()))));
    }
    let told = newest.into_values().filter_map(|(index, fact)| Some((index, fact?)));
    let mut facts = in_order(told.collect());
    // A line that runs several checks ended once.
    facts.dedup();
    facts
}

/// How a check ended, as far as it is known.
fn ending(event: &Event, is_piped: bool, answer: &str) -> Option<String> {
    if goes_on(answer) {
        return None;
    }
    if let Some((counts, last)) = verdict(answer) {
        let told: Vec<String> = counts.into_iter().chain([last]).map(|line| beginning(line, TELLING)).collect();
        return Some(told.join(" / "));
    }
    if has_failed(event) {
        return Some(failure(answer).map_or_else(|| "failed".to_owned(), |line| beginning(line, TELLING)));
    }
    if is_piped {
        return None;
    }
    // Package managers begin with what they run.
    let mut told = answer.lines().rev().map(|line| beginning(line, TELLING));
    let last = told.find(|line| !line.is_empty() && !line.starts_with('>'));
    Some(last.unwrap_or_else(|| "ended without an error".to_owned()))
}

fn has_failed(event: &Event) -> bool {
    event.outcome == CallOutcome::Failed || event.exit_code.is_some_and(|code| code != 0)
}

/// Whether a call was allowed and answered.
fn has_run(event: &Event) -> bool {
    !matches!(event.outcome, CallOutcome::Denied | CallOutcome::Unanswered)
}

fn in_order(mut facts: Vec<(usize, Fact)>) -> Vec<Fact> {
    facts.sort_by_key(|(index, _)| *index);
    facts.into_iter().map(|(_, fact)| fact).collect()
}

/// What a call is about: the file, or the command.
fn about(event: &Event, transcript: &Transcript<'_>) -> String {
    let command = || command_of(event, transcript).map(|command| beginning(command, COMMAND));
    event.path.as_deref().map(str::to_owned).or_else(command).unwrap_or_default()
}

/// What a call runs; nothing where it runs no command line.
fn commands_of(event: &Event, transcript: &Transcript<'_>) -> Vec<SimpleCommand> {
    let line = command_of(event, transcript).filter(|_| event.action == Action::Command);
    line.map_or_else(Vec::new, simple_commands)
}

fn is_any_piped(commands: &[SimpleCommand]) -> bool {
    commands.iter().any(|command| command.is_piped)
}

/// What a call did, in parts that may be done again by themselves: each command of a command line.
fn parts_of(event: &Event, transcript: &Transcript<'_>) -> Vec<String> {
    let parts: Vec<String> = commands_of(event, transcript).iter().map(SimpleCommand::text).collect();
    if parts.is_empty() { vec![about(event, transcript)] } else { parts }
}

/// A call that failed.
struct Failure {
    /// The event.
    at: usize,
    tool: Arc<str>,
    call: String,
    line: String,
    /// What of it was not seen to work since.
    open: Vec<String>,
}

fn failures(transcript: &Transcript<'_>) -> Vec<Fact> {
    let mut all: Vec<Failure> = Vec::new();
    let ran = |event: &&Event| event.call.is_some() && has_run(event);
    for (at, event) in transcript.events.iter().enumerate().filter(|(_, event)| ran(event)) {
        let parts = parts_of(event, transcript);
        if !has_failed(event) {
            let is_open = |failure: &&mut Failure| failure.tool == event.tool && !failure.open.is_empty();
            let mut open = all
                .iter_mut()
                .filter(is_open)
                .filter(|failure| failure.open.iter().any(|part| parts.contains(part)))
                .peekable();
            // What a filter lets through says whether the command before it has worked.
            if open.peek().is_some() && works(event, transcript) {
                open.for_each(|failure| failure.open.retain(|part| !parts.contains(part)));
            }
            continue;
        }
        let answer = answer_of(event, transcript);
        if let Some(line) = failure(&answer) {
            let call = [event.tool.trim(), &about(event, transcript)].join(" ").trim().to_owned();
            let line = beginning(line, TELLING);
            all.retain(|known| {
                known.open.is_empty() || known.open != parts || known.tool != event.tool || known.line != line
            });
            all.push(Failure { at, tool: event.tool.clone(), call, line, open: parts });
        }
    }
    let told = all.into_iter().map(|Failure { at, call, line, open, .. }| {
        (at, if open.is_empty() { Fact::Mended { call, line } } else { Fact::Failed { call, line } })
    });
    in_order(told.collect())
}

/// Whether a call that did not fail is known to have done what it was asked to.
fn works(event: &Event, transcript: &Transcript<'_>) -> bool {
    let answer = answer_of(event, transcript);
    !goes_on(&answer) && (!is_any_piped(&commands_of(event, transcript)) || says_well(&answer))
}

/// The files that were changed.
pub fn changes(transcript: &Transcript<'_>) -> Vec<Fact> {
    let mut files: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for (index, event) in transcript.events.iter().enumerate().filter(|(_, event)| event.outcome == CallOutcome::Ok) {
        let Some(path) = event.path.as_deref() else { continue };
        let (written, edited) = match event.action {
            Action::Write(_) => (1, 0),
            Action::Edit(_) | Action::Touch => (0, 1),
            _ => continue,
        };
        let known = files.entry(path).or_default();
        *known = (index, known.1 + written, known.2 + edited);
    }
    let facts = files.into_iter().map(|(path, (index, written, edited))| {
        let times = |what: &str, times: usize| match times {
            0 => None,
            1 => Some(what.to_owned()),
            times => Some(format!("{what} {times} times")),
        };
        let how: Vec<String> = [times("written", written), times("edited", edited)].into_iter().flatten().collect();
        (index, Fact::Changed { path: path.to_owned(), how: how.join(", ") })
    });
    in_order(facts.collect())
}

/// What was said: by the user, and by the assistant before the user spoke again.
fn words(conversation: &Conversation, tools: &ToolTable) -> Vec<Fact> {
    let mut facts = Vec::new();
    for Said { role, words, .. } in said(conversation, tools) {
        let most = if role == Role::User { INSTRUCTION } else { TELLING };
        let words = beginning(&words, most);
        match role {
            Role::User if words.len() >= MIN_WORDS => facts.push(Fact::Asked(words)),
            Role::Assistant if words.len() >= MIN_ANSWER => facts.push(Fact::Answered(words)),
            _ => {}
        }
    }
    let asked = facts.iter_mut().rev().filter_map(|fact| match fact {
        Fact::Asked(text) => Some(text),
        _ => None,
    });
    asked.skip(INSTRUCTIONS).for_each(|text| *text = beginning(text, TELLING));
    facts
}

/// What somebody said in a message, without what tools and hosts have put there.
pub(super) struct Said {
    pub message: usize,
    pub role: Role,
    pub words: String,
}

/// What the user said, and what the assistant said before the user spoke again.
pub(super) fn said(conversation: &Conversation, tools: &ToolTable) -> Vec<Said> {
    let texts = conversation.texts();
    let pieces = decompose_texts(conversation, &texts, tools);
    let role = |index: usize| conversation.entries().get(index).map(|entry| &entry.message.role);
    let mut all = Vec::new();
    for (message, pieces) in pieces.into_iter().enumerate() {
        let Some(speaker) = role(message) else { continue };
        let is_last = || {
            role(message + 1) == Some(&Role::User)
                && calls(conversation.message(message)).is_empty()
                && !pieces.iter().any(|piece| matches!(piece.source, PieceSource::Tool(_)))
        };
        if *speaker == Role::User || (*speaker == Role::Assistant && is_last()) {
            let words: Vec<&str> = with_texts(pieces, &texts[message])
                .filter(|(piece, _)| piece.kind == ContentKind::MessageText && piece.source == PieceSource::Words)
                .filter_map(|(piece, whole)| spoken(&whole.text[piece.range]))
                .collect();
            all.push(Said { message, role: speaker.clone(), words: words.join("\n") });
        }
    }
    all
}

/// What somebody says in a text of words; `None` for what hosts write in their place, and we: a text in tags, and a line in brackets.
fn spoken(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_note = text.starts_with('[') && text.ends_with(']') && !text.contains('\n');
    let is_notice = ["[ERROR] ", "[TASK RESUMPTION] "].iter().any(|beginning| text.starts_with(beginning));
    if is_note || is_notice || is_record(text) || HostText::of(text).is_some() {
        return None;
    }
    let inside = |tag: &str| text.strip_prefix(&format!("<{tag}>"))?.strip_suffix(&format!("</{tag}>"));
    if let Some(words) = SPOKEN.iter().chain(&["task"]).find_map(|tag| inside(tag)) {
        return Some(words.trim());
    }
    let is_tagged = text.starts_with('<') && text.ends_with('>');
    (!is_tagged).then_some(text)
}

/// Whether what an earlier record says to be in force still is: no newer mode was set, and the sub-agent is not known to have ended.
fn still_in_force(told: &str, now: &[Fact], transcript: &Transcript<'_>) -> bool {
    let is_mode = |text: &str| text.starts_with("mode: ");
    if is_mode(told) {
        return !now.iter().any(|fact| matches!(fact, Fact::Now(text) if is_mode(text)));
    }
    if now.iter().any(|fact| matches!(fact, Fact::Now(text) if text == told)) {
        return false;
    }
    let id = told.strip_prefix("sub-agent ").and_then(|rest| rest.split([',', ' ']).next());
    id.is_none_or(|id| !has_ended(id, &transcript.texts))
}
