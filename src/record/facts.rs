//! What a conversation tells of the work that was done in it.

use super::{
    agenda::agenda,
    calls::calls,
    changes::changes,
    checks::checks,
    failures::failures,
    in_force::{design, has_ended, in_force, is_committed, is_left},
    must::{limits_in, sets_limit},
    recorded::{Recorded, message_of, recorded},
    squeeze::{squeeze_into, squeezed},
    text::is_record,
};
use crate::{
    conversation::{self, Block, ContentKind, Conversation, Role, TextAt},
    markers::NoteLine,
    transcript::{
        self, Action, CallOutcome, Event, HostText, Meaning, PieceSource, SPOKEN, ToolTable, Transcript,
        decompose_texts, is_answer, user_words, with_texts,
    },
};

/// So many characters tell what somebody said, or how something ended.
pub(super) const TELLING: usize = 160;

/// So many of what the user said, because instructions hold until they are taken back. Older ones are told shorter.
const INSTRUCTION: usize = 600;

/// The newest of the user's messages that are told at that length.
const INSTRUCTIONS: usize = 6;

/// So many of what the assistant answered last: how the newest work ended. Older answers are told shorter.
const ANSWER: usize = 400;

/// The newest answers that are told at that length.
const ANSWERS: usize = 2;

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
    /// An item of the newest list of things to do, and whether something was committed since and the user has spoken behind that.
    Plan { item: String, state: Option<ItemState>, is_older: bool },
    /// How a check ended the last time, and whether files were changed since.
    Check { command: String, verdict: String, is_older: bool },
    /// A call that failed, and was not seen to work since; whether a file that it names was changed since, and whether it only looked for something.
    Failed { call: String, line: String, is_older: bool, is_lookup: bool },
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
            Self::Check { verdict, .. } => verdict.rsplit(BETWEEN_LINES).next().unwrap_or(verdict),
            // The first line that tells of it; behind it stands why.
            Self::Failed { line, .. } | Self::Mended { line, .. } => line.split(BETWEEN_LINES).next().unwrap_or(line),
            Self::Changed { path, .. } => path,
            Self::Asked(text) | Self::Answered(text) => without_cuts(text),
            Self::Now(text) | Self::Design(text) | Self::Named(text) => text,
        }
    }
}

/// Stands between the lines by which a check or a failure is told.
pub(super) const BETWEEN_LINES: &str = " / ";

/// Stands where words go on that are told in part.
pub(super) const GOES_ON: &str = "…";

/// Words without what says that they are a part.
fn without_cuts(words: &str) -> &str {
    let words = words.strip_prefix(GOES_ON).unwrap_or(words);
    words.strip_suffix(GOES_ON).unwrap_or(words).trim()
}

/// The facts of a conversation, whose texts these are, each kind oldest first.
pub fn facts<'c>(conversation: &'c Conversation, texts: Vec<Vec<TextAt<'c>>>, tools: &ToolTable) -> Vec<Fact> {
    let said = said(conversation, &texts, tools);
    let transcript = transcript::read_texts(conversation, texts, tools);
    let calls = calls(&transcript, tools);
    let mut told = recorded(conversation, tools);
    let mut of_kind = |is_such: fn(&Fact) -> bool| told.extract_if(.., |told| is_such(&told.fact)).collect::<Vec<_>>();
    let planned = of_kind(|fact| matches!(fact, Fact::Plan { .. }));
    let checked = of_kind(|fact| matches!(fact, Fact::Check { .. }));
    let failed = of_kind(|fact| matches!(fact, Fact::Failed { .. } | Fact::Mended { .. }));
    let changed = of_kind(|fact| matches!(fact, Fact::Changed { .. }));
    let held = of_kind(|fact| matches!(fact, Fact::Now(_) | Fact::Design(_)));
    let now = in_force(conversation, &transcript, tools);
    let told_list = planned.last().map(|recorded| recorded.message);
    let was_left = planned.iter().any(|recorded| matches!(recorded.fact, Fact::Plan { is_older: true, .. }));
    let mut agenda = agenda(conversation, &transcript, tools, planned);
    let last_said = || said.iter().rev().find(|said| said.role == Role::User).map(|said| said.message);
    let is_listed = |event: &&Event| {
        let is_list = event.action == Action::Todo || tools.meaning(&event.tool) == Meaning::Item;
        is_list && event.outcome == CallOutcome::Ok
    };
    let listed = transcript.events.iter().rev().find(is_listed).map(|event| message_of(event, &transcript));
    let is_request = |said: &&Said| said.role == Role::User && said.words.len() >= MIN_WORDS;
    let last_request = || said.iter().rev().find(is_request).map(|said| said.message);
    let is_left = |list: usize| is_left(list, &calls, &transcript, last_request);
    if (was_left && told_list >= listed) || listed.max(told_list).is_some_and(is_left) {
        for fact in &mut agenda {
            if let Fact::Plan { is_older, .. } = fact {
                *is_older = true;
            }
        }
    }
    let is_current = |message: usize, plan: &[&Fact]| {
        let lines: Vec<&str> = plan.iter().map(|fact| fact.proof()).collect();
        !is_carried_out(message, &agenda, &transcript, tools)
            && !is_committed(&lines, message, &calls, &transcript, last_said)
    };
    let design = design(conversation, &transcript, tools);
    // A newer plan takes the place of a recorded one, and a mode that of another.
    let told_plan: Vec<&Recorded> = held.iter().filter(|told| matches!(told.fact, Fact::Design(_))).collect();
    let told_lines: Vec<&Fact> = told_plan.iter().map(|told| &told.fact).collect();
    let is_told_plan_current =
        design.is_none() && told_plan.last().is_some_and(|told| is_current(told.message, &told_lines));
    let held = held.iter().filter(|Recorded { fact, .. }| match fact {
        Fact::Design(_) => is_told_plan_current,
        Fact::Now(told) => still_in_force(told, &now, &transcript),
        _ => true,
    });
    let mut facts: Vec<Fact> = held.map(|recorded| recorded.fact.clone()).collect();
    facts.extend(now);
    let design = design.filter(|(message, lines)| is_current(*message, &lines.iter().collect::<Vec<_>>()));
    facts.extend(design.into_iter().flat_map(|(_, lines)| lines));
    facts.extend(agenda);
    facts.extend(checks(checked, &calls, &transcript));
    facts.extend(failures(failed, &calls, &transcript, tools));
    facts.extend(changes(changed, &calls, &transcript));
    facts.extend(words(&said, told));
    facts
}

/// Whether a plan that was agreed on in this message is done: so is everything on a list of things to do that is newer.
fn is_carried_out(plan: usize, agenda: &[Fact], transcript: &Transcript<'_>, tools: &ToolTable) -> bool {
    let is_done = |fact: &Fact| matches!(fact, Fact::Plan { state: Some(ItemState::Done), .. });
    let is_listed = |event: &Event| event.action == Action::Todo || tools.meaning(&event.tool) == Meaning::Item;
    let mut newer = transcript.events.iter().filter(|event| message_of(event, transcript) > plan);
    !agenda.is_empty() && agenda.iter().all(is_done) && newer.any(is_listed)
}

/// The beginning of a text on one line, up to where something is left out of it.
pub(super) fn beginning(text: &str, most: usize) -> String {
    // What is squeezed has no more characters, so a little more than enough of a huge text will do.
    let end = if text.len() <= 8 * most { None } else { text.char_indices().nth(8 * most) };
    let lines = text[..end.map_or(text.len(), |(at, _)| at)].split('\n');
    let lines = lines.skip_while(|line| line.trim().is_empty() || is_note(line)).take_while(|line| !is_note(line));
    let mut told = String::new();
    for line in lines {
        let before = told.len();
        squeeze_into(&mut told, line);
        if told.len() > before {
            told.push(' ');
        }
        // No character has more than four bytes.
        if told.len() > 4 * most {
            break;
        }
    }
    let end = told.char_indices().nth(most).map_or(told.len(), |(at, _)| at);
    told.truncate(told[..end].trim_end().len());
    told
}

/// Words that are no longer than that, but for what says that they go on: their beginning, of a question and its answer the end.
fn shortened(words: &str, most: usize) -> String {
    if is_answer(words) {
        let all = squeezed(words);
        let from = all.char_indices().rev().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
        return if from == 0 { all } else { GOES_ON.to_owned() + &all[from..] };
    }
    cut_off(words, most)
}

/// The beginning of a text on one line, with what says that it goes on where it does.
pub(super) fn cut_off(text: &str, most: usize) -> String {
    // Two more, because the next may be a blank.
    let more = beginning(text, most + 2);
    match more.char_indices().nth(most) {
        Some((at, _)) if !more[at..].starts_with(GOES_ON) => more[..at].trim_end().to_owned() + GOES_ON,
        _ => more,
    }
}

/// A command as a record tells of it.
pub(super) fn command_line(command: &str) -> String {
    cut_off(command, COMMAND)
}

/// Whether a command may be the one that a record tells of so, or by all of it.
pub(super) fn is_told_as(command: &str, told: &str) -> bool {
    match told.strip_suffix(GOES_ON) {
        Some(beginning) => squeezed(command).starts_with(beginning),
        None => command == told || command_line(command) == told,
    }
}

/// What a call was answered, without our notes of what was left out of it.
pub(super) fn answer_of(event: &Event, transcript: &Transcript<'_>) -> String {
    let lines = event.answers.iter().flat_map(|place| transcript.text(place).lines());
    lines.filter(|line| !is_note(line)).collect::<Vec<_>>().join("\n")
}

pub(super) fn is_note(line: &str) -> bool {
    NoteLine::read(line.trim()).is_some()
}

/// What a call was answered behind the last place where something is left out of it: how it ended.
pub(super) fn end_of(event: &Event, transcript: &Transcript<'_>) -> String {
    let lines: Vec<&str> = event.answers.iter().flat_map(|place| transcript.text(place).lines()).collect();
    let from = lines.iter().rposition(|line| is_note(line)).map_or(0, |note| note + 1);
    lines[from..].join("\n")
}

/// Whether something is left out of what a call was answered.
pub(super) fn is_cut(event: &Event, transcript: &Transcript<'_>) -> bool {
    event.answers.iter().any(|place| transcript.text(place).lines().any(is_note))
}

pub(super) fn command_of<'t>(event: &Event, transcript: &'t Transcript<'_>) -> Option<&'t str> {
    let place = event.call.as_ref()?.place.as_ref()?;
    Some(transcript.text(place))
}

pub(super) fn has_failed(event: &Event) -> bool {
    event.outcome == CallOutcome::Failed || event.exit_code.is_some_and(|code| code != 0)
}

/// Whether a call was allowed and answered.
pub(super) fn has_run(event: &Event) -> bool {
    !matches!(event.outcome, CallOutcome::Denied | CallOutcome::Unanswered)
}

pub(super) fn in_order(mut facts: Vec<(usize, Fact)>) -> Vec<Fact> {
    facts.sort_by_key(|(index, _)| *index);
    facts.into_iter().map(|(_, fact)| fact).collect()
}

/// What a call is about: the file, or the command.
pub(super) fn about(event: &Event, transcript: &Transcript<'_>) -> String {
    let command = || command_of(event, transcript).map(command_line);
    event.path.as_deref().map(str::to_owned).or_else(command).unwrap_or_default()
}

/// What was said: by the user, and by the assistant before the user spoke again; and what records tell of that, and of names.
fn words(said: &[Said], recorded: Vec<Recorded>) -> Vec<Fact> {
    let mut all: Vec<(usize, Fact, Vec<String>)> = Vec::new();
    for Said { role, words, message } in said {
        match role {
            Role::User if words.len() >= MIN_WORDS || sets_limit(words) => {
                let limits = if is_answer(words) { Vec::new() } else { limits_in(words) };
                all.push((*message, Fact::Asked(shortened(words, INSTRUCTION)), limits));
            }
            Role::Assistant => {
                let words = shortened(words, ANSWER);
                if words.len() >= MIN_ANSWER {
                    all.push((*message, Fact::Answered(words), Vec::new()));
                }
            }
            _ => {}
        }
    }
    // A record tells of what was said before it.
    let told = recorded.into_iter().map(|Recorded { message, fact }| {
        let limits = if let Fact::Asked(words) = &fact { limits_in(words) } else { Vec::new() };
        (message, fact, limits)
    });
    all.extend(told);
    all.sort_by_key(|(message, ..)| *message);
    let asked = all.iter_mut().rev().filter_map(|(_, fact, _)| match fact {
        Fact::Asked(text) => Some(text),
        _ => None,
    });
    asked.skip(INSTRUCTIONS).for_each(|text| *text = shortened(text, TELLING));
    let answered = all.iter_mut().rev().filter_map(|(_, fact, _)| match fact {
        Fact::Answered(text) => Some(text),
        _ => None,
    });
    answered.skip(ANSWERS).for_each(|text| *text = shortened(text, TELLING));
    // A limit is told where the words before it have all the room.
    let with_limits = |(_, fact, mut limits): (usize, Fact, Vec<String>)| {
        limits.retain(|limit| !fact.proof().contains(limit.as_str()));
        std::iter::once(fact).chain(limits.into_iter().map(Fact::Asked))
    };
    all.into_iter().flat_map(with_limits).collect()
}

/// What somebody said in a message, without what tools and hosts have put there.
pub(super) struct Said {
    pub message: usize,
    pub role: Role,
    pub words: String,
}

/// What the user said, and what the assistant said before the user spoke again.
pub(super) fn said(conversation: &Conversation, texts: &[Vec<TextAt<'_>>], tools: &ToolTable) -> Vec<Said> {
    let pieces = decompose_texts(conversation, texts, tools);
    let role = |index: usize| conversation.entries().get(index).map(|entry| &entry.message.role);
    let mut all = Vec::new();
    for (message, pieces) in pieces.into_iter().enumerate() {
        // A summary is nobody's words: what it says is told anew.
        let Some(speaker) = role(message).filter(|_| !conversation.message(message).is_summary()) else { continue };
        let is_last = || {
            role(message + 1) == Some(&Role::User)
                && conversation::calls(conversation.message(message)).is_empty()
                && !pieces.iter().any(|piece| matches!(piece.source, PieceSource::Tool(_)))
        };
        if *speaker == Role::User || (*speaker == Role::Assistant && is_last()) {
            let blocks = conversation.message(message).content.blocks();
            let mut words = Vec::new();
            for (piece, whole) in with_texts(pieces, &texts[message]) {
                let text = &whole.text[piece.range];
                if piece.kind != ContentKind::MessageText {
                    continue;
                }
                if piece.source == PieceSource::Words {
                    words.extend(spoken(text));
                } else if let Some(Block::ToolResult { is_error, .. }) = blocks.get(piece.block) {
                    // Each answer to a question by itself: they are about different things.
                    let answers = user_words(text, piece.source.asks_user(), *is_error);
                    let answers = answers.into_iter().filter(|words| spoken(words).is_some());
                    all.extend(answers.map(|words| Said { message, role: speaker.clone(), words }));
                }
            }
            all.push(Said { message, role: speaker.clone(), words: words.join("\n") });
        }
    }
    all
}

/// What somebody says in a text of words; `None` for what hosts write in their place, and we: a text in tags, and a line in brackets.
fn spoken(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_note = text.starts_with('[') && text.ends_with(']') && !text.contains('\n');
    let notices = ["[ERROR] ", "[TASK RESUMPTION] ", "Please always provide EXACTLY ONE action"];
    let is_notice = notices.iter().any(|beginning| text.starts_with(beginning))
        || (text.starts_with("Tool [") && text.contains("] was not executed"));
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
