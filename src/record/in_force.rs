//! What is still in force: the mode, skills that were loaded, sub-agents that run, and the plan that was agreed on.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    calls::Call,
    commands::SimpleCommand,
    facts::{Fact, beginning, has_failed},
    git::{TreeChange, is_refused, tree_change},
    input::Input,
    paths::is_same_file,
    recorded::message_of,
    text::is_record,
};
use crate::{
    conversation::Conversation,
    transcript::{Action, CallOutcome, ConversationText, Event, Meaning, ParameterRole, ToolTable, Touch, Transcript},
};

/// Of what a mode, a skill or a sub-agent is called.
const NAME: usize = 100;

/// Lines of a plan, and characters of one.
const MAX_LINES: usize = 80;
const MAX_LINE: usize = 400;

/// Skills that were loaded last.
const MAX_SKILLS: usize = 6;

/// What a sub-agent is called by, where an answer says so.
static AGENT_ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\bagent_?id\b["']?\s*[:=]\s*["']?([A-Za-z0-9_-]{4,64})"#)
        .expect("the pattern is a constant, and tested")
});

/// The words of an answer that says that a sub-agent works on while others go on.
const STARTED: [&str; 4] = ["launched", "in the background", "spawned", "\"agent_id\""];

/// The words of a text that says that one has ended.
const ENDED: [&str; 7] = ["completed", "finished", "failed", "killed", "closed", "cancelled", "stopped"];

/// The newest mode, the skills, and the sub-agents that are not known to have ended.
pub fn in_force(conversation: &Conversation, transcript: &Transcript<'_>, tools: &ToolTable) -> Vec<Fact> {
    let named = |event: &Event| {
        let tool = tools.tool(&event.tool)?;
        let name = Input::of(event, conversation, transcript)?.text(tool.parameter(ParameterRole::Label))?;
        let name = beginning(&name, NAME);
        (!name.is_empty()).then_some(name)
    };
    let (mut mode, mut skills, mut agents) = (None, Vec::new(), Vec::new());
    for event in transcript.events.iter().filter(|event| event.outcome == CallOutcome::Ok) {
        match tools.meaning(&event.tool) {
            Meaning::Mode => mode = named(event).or(mode),
            Meaning::Skill => {
                if let Some(name) = named(event) {
                    skills.retain(|known| *known != name);
                    skills.push(name);
                }
            }
            Meaning::Agent => agents.extend(running(event, transcript).map(|id| match named(event) {
                Some(name) => format!("sub-agent {id}, running: {name}"),
                None => format!("sub-agent {id}, running"),
            })),
            _ => {}
        }
    }
    skills.drain(..skills.len().saturating_sub(MAX_SKILLS));
    let mode = mode.map(|mode| format!("mode: {mode}"));
    let skills = skills.into_iter().map(|skill| format!("skill in use: {skill}"));
    mode.into_iter().chain(skills).chain(agents).map(Fact::Now).collect()
}

/// The id of the sub-agent that a call has started, where it is not known to have ended.
fn running(event: &Event, transcript: &Transcript<'_>) -> Option<String> {
    let answer = event.answers.iter().map(|place| transcript.text(place)).collect::<String>();
    let lower = answer.to_ascii_lowercase();
    if answer.len() > 4000 || !STARTED.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let id = AGENT_ID.captures(&answer)?.get(1)?.as_str().to_owned();
    let launched = event.answers.iter().map(|place| place.text).max()?;
    (!has_ended(&id, &transcript.texts[launched + 1..])).then_some(id)
}

/// Whether one of these texts says that a sub-agent has ended.
pub fn has_ended(id: &str, texts: &[ConversationText<'_>]) -> bool {
    let says = |text: &str, word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    texts
        .iter()
        .any(|text| says(text.text, id) && !is_record(text.text) && ENDED.iter().any(|word| says(text.text, word)))
}

/// The newest plan that was presented and not refused: its message, and its lines.
pub fn design(
    conversation: &Conversation,
    transcript: &Transcript<'_>,
    tools: &ToolTable,
) -> Option<(usize, Vec<Fact>)> {
    let is_plan = |event: &&Event| tools.meaning(&event.tool) == Meaning::Plan && event.outcome == CallOutcome::Ok;
    let event = transcript.events.iter().rev().find(is_plan)?;
    let tool = tools.tool(&event.tool)?;
    let text = Input::of(event, conversation, transcript)?.text(tool.parameter(ParameterRole::Speech))?;
    // A note of what is left out of it comes out empty.
    let lines = text.lines().map(|line| beginning(line, MAX_LINE)).filter(|line| !line.is_empty());
    let lines: Vec<Fact> = lines.take(MAX_LINES).map(Fact::Design).collect();
    (!lines.is_empty()).then(|| (message_of(event, transcript), lines))
}

/// Whether a plan was surely carried out: every file that it names was changed since, that was committed, and the user went on to something else.
pub fn is_committed(
    lines: &[&str],
    plan: usize,
    calls: &[Call<'_>],
    transcript: &Transcript<'_>,
    last_said: impl FnOnce() -> Option<usize>,
) -> bool {
    let mut open: Vec<&str> = lines.iter().flat_map(|line| files_in(line)).collect();
    if open.is_empty() {
        return false;
    }
    let mut committed = None;
    for call in calls.iter().filter(|call| call.message > plan && call.event.outcome == CallOutcome::Ok) {
        let is_change = matches!(call.event.action, Action::Write(_) | Action::Edit(_) | Action::Touch(Touch::Changed));
        if let Some(path) = call.event.path.as_deref().filter(|_| is_change) {
            open.retain(|file| !names(file, path));
            committed = None;
        }
        if open.is_empty() && committed.is_none() && commits(call, transcript) {
            committed = Some(call.message);
        }
    }
    committed.is_some_and(|committed| last_said().is_some_and(|said| said > committed))
}

/// Whether something was committed since this message, and the user has spoken behind that.
pub fn is_left(
    message: usize,
    calls: &[Call<'_>],
    transcript: &Transcript<'_>,
    last_said: impl FnOnce() -> Option<usize>,
) -> bool {
    let is_commit =
        |call: &&Call<'_>| call.message > message && call.event.outcome == CallOutcome::Ok && commits(call, transcript);
    let committed = calls.iter().find(is_commit).map(|call| call.message);
    committed.is_some_and(|committed| last_said().is_some_and(|said| said > committed))
}

/// Whether a call is known to have committed something.
fn commits(call: &Call<'_>, transcript: &Transcript<'_>) -> bool {
    let is_commit = |command: &SimpleCommand| matches!(tree_change(command), Some((TreeChange::Commit(_), _)));
    let mut commits = call.commands.iter().filter(|command| is_commit(command)).peekable();
    let answer = || call.answer(transcript);
    commits.peek().is_some()
        && commits.all(|command| !command.hides_its_end && !command.is_alternative)
        && !has_failed(call.event)
        && !is_refused(answer())
        && !answer().contains("nothing to commit")
}

/// The words of a line that look like files.
fn files_in(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c.is_whitespace() || "`'\"()[],;*".contains(c));
    words.map(|word| word.trim_end_matches(['.', ':', '!', '?'])).filter(|word| {
        let extension = word.rsplit_once('.').filter(|(name, _)| !name.is_empty() && !name.contains("://"));
        extension.is_some_and(|(_, extension)| {
            (1..=5).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        })
    })
}

/// Whether the words of a plan name this file.
fn names(file: &str, path: &str) -> bool {
    let file = file.trim_start_matches("./");
    is_same_file(path, file) || path.strip_suffix(file).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
