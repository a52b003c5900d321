//! What a conversation tells of the work that was done in it.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::{
    checks::{check_of, failure, verdict},
    text::read,
};
use crate::{
    conversation::{Block, ContentKind, Conversation, Role, calls},
    transcript::{self, Action, CallOutcome, Event, PieceSource, ToolTable, Transcript, decompose_texts},
};

/// So many characters tell what somebody said, or how something ended.
pub(super) const TELLING: usize = 160;

/// Of a command.
const COMMAND: usize = 80;

/// Shorter words of the user say little without what they answer.
const MIN_WORDS: usize = 16;

/// Shorter words of the assistant are no answer.
const MIN_ANSWER: usize = 40;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
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
            Self::Check { verdict, .. } => verdict,
            Self::Failed { line, .. } | Self::Mended { line, .. } => line,
            Self::Changed { path, .. } => path,
            Self::Asked(text) | Self::Answered(text) | Self::Named(text) => text,
        }
    }
}

/// The facts of a conversation, each kind oldest first; those of an earlier record before them.
pub fn facts(conversation: &Conversation, tools: &ToolTable) -> Vec<Fact> {
    let transcript = transcript::read(conversation, tools);
    let mut facts: Vec<Fact> = transcript.texts.iter().flat_map(|text| read(text.text)).collect();
    let plan = plan(conversation, &transcript);
    if !plan.is_empty() {
        facts.retain(|fact| !matches!(fact, Fact::Plan { .. }));
    }
    facts.extend(plan);
    facts.extend(checks(&transcript));
    facts.extend(failures(&transcript));
    facts.extend(changes(&transcript));
    facts.extend(words(conversation, tools));
    facts
}

/// On one line, with one blank wherever there were several.
pub fn squeezed(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut is_behind_blank = true;
    // Most texts are ASCII, whose blanks are told by their bytes.
    if text.is_ascii() {
        for c in text.bytes().map(char::from) {
            let is_blank = c.is_ascii_whitespace() || c == '\u{b}';
            if !is_blank {
                line.push(c);
            } else if !is_behind_blank {
                line.push(' ');
            }
            is_behind_blank = is_blank;
        }
    } else {
        for word in text.split_whitespace() {
            line.push_str(word);
            line.push(' ');
        }
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

fn checks(transcript: &Transcript<'_>) -> Vec<Fact> {
    let mut newest: BTreeMap<String, (usize, Fact)> = BTreeMap::new();
    for (index, event) in transcript.events.iter().enumerate().filter(|(_, event)| event.action == Action::Command) {
        let Some(command) = command_of(event, transcript) else { continue };
        let Some(check) = check_of(command) else { continue };
        let answer = answer_of(event, transcript);
        let Some(line) = verdict(&answer) else { continue };
        let fact = Fact::Check { command: beginning(command, COMMAND), verdict: beginning(line, TELLING) };
        newest.insert(check.to_owned(), (index, fact));
    }
    in_order(newest.into_values().collect())
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

fn failures(transcript: &Transcript<'_>) -> Vec<Fact> {
    // Where, in which call, and the line that tells.
    type Failure = (usize, String, String);
    let mut open: HashMap<(String, String), Vec<Failure>> = HashMap::new();
    let mut facts = Vec::new();
    for (index, event) in transcript.events.iter().enumerate().filter(|(_, event)| event.call.is_some()) {
        let about = about(event, transcript);
        let key = (event.tool.to_string(), about.clone());
        let failed = event.outcome == CallOutcome::Failed || event.exit_code.is_some_and(|code| code != 0);
        if !failed {
            let mended = open.remove(&key).unwrap_or_default().into_iter();
            facts.extend(mended.map(|(at, call, line)| (at, Fact::Mended { call, line })));
            continue;
        }
        let answer = answer_of(event, transcript);
        if let Some(line) = failure(&answer) {
            let call = [event.tool.trim(), &about].join(" ").trim().to_owned();
            let (line, failures) = (beginning(line, TELLING), open.entry(key).or_default());
            failures.retain(|(_, _, known)| *known != line);
            failures.push((index, call, line));
        }
    }
    let open = open.into_values().flatten();
    facts.extend(open.map(|(at, call, line)| (at, Fact::Failed { call, line })));
    in_order(facts)
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
        let words = beginning(&words, TELLING);
        match role {
            Role::User if words.len() >= MIN_WORDS => facts.push(Fact::Asked(words)),
            Role::Assistant if words.len() >= MIN_ANSWER => facts.push(Fact::Answered(words)),
            _ => {}
        }
    }
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
    for (message, pieces) in pieces.iter().enumerate() {
        let Some(speaker) = role(message) else { continue };
        let own =
            pieces.iter().filter(|piece| piece.kind == ContentKind::MessageText && piece.source == PieceSource::Words);
        let text = |piece: &transcript::ContentPiece| {
            let whole = texts[message].iter().find(|text| *text.path == *piece.path)?;
            Some(&whole.text[piece.range.clone()])
        };
        let is_last = || {
            role(message + 1) == Some(&Role::User)
                && calls(conversation.message(message)).is_empty()
                && !pieces.iter().any(|piece| matches!(piece.source, PieceSource::Tool(_)))
        };
        if *speaker == Role::User || (*speaker == Role::Assistant && is_last()) {
            let words = own.filter_map(text).filter(|text| !is_hosts(text)).collect::<Vec<_>>().join("\n");
            all.push(Said { message, role: speaker.clone(), words });
        }
    }
    all
}

/// Texts that begin so are written by hosts, and by us.
fn is_hosts(text: &str) -> bool {
    text.trim_start().starts_with(['<', '['])
}

/// The newest list of things to do.
pub fn plan(conversation: &Conversation, transcript: &Transcript<'_>) -> Vec<Fact> {
    let lists =
        transcript.events.iter().rev().filter(|event| event.action == Action::Todo && event.outcome == CallOutcome::Ok);
    let items = |event: &Event| {
        let call = event.call.as_ref()?;
        let items = match conversation.message(call.message).content.blocks().get(call.block) {
            Some(Block::ToolUse { input, .. }) => items_in(&serde_json::from_str(input.get()).ok()?),
            _ => items_of_text(transcript.text(call.place.as_ref()?)),
        };
        (!items.is_empty()).then_some(items)
    };
    lists.take(8).find_map(items).unwrap_or_default()
}

/// The items of a call's input: in the first list of objects with a text, or of lines with boxes in a text.
fn items_in(input: &Value) -> Vec<Fact> {
    let fields = input.as_object().into_iter().flat_map(|object| object.values());
    let lists = fields.map(|value| match value {
        Value::Array(items) => items.iter().filter_map(item).collect(),
        Value::String(text) => items_of_text(text),
        _ => Vec::new(),
    });
    lists.into_iter().find(|items| !items.is_empty()).unwrap_or_default()
}

fn item(value: &Value) -> Option<Fact> {
    let text =
        ["content", "step", "text", "title", "subject"].into_iter().find_map(|name| value.get(name)?.as_str())?;
    let state = value.get("status").or_else(|| value.get("state")).and_then(Value::as_str).and_then(state_of);
    Some(Fact::Plan { item: beginning(text, TELLING), state })
}

fn state_of(word: &str) -> Option<ItemState> {
    match word {
        "completed" | "done" | "complete" => Some(ItemState::Done),
        "in_progress" | "in progress" | "doing" | "active" => Some(ItemState::UnderWay),
        "pending" | "open" | "todo" | "not_started" => Some(ItemState::Open),
        _ => None,
    }
}

/// `[x] done`, `- [ ] open`, `[-] under way`.
fn items_of_text(text: &str) -> Vec<Fact> {
    let item = |line: &str| {
        let rest = line.trim().trim_start_matches(['-', '*']).trim_start().strip_prefix('[')?;
        let (mark, item) = rest.split_once(']')?;
        let state = match mark {
            "x" | "X" => ItemState::Done,
            "-" | "~" | ">" => ItemState::UnderWay,
            "" | " " => ItemState::Open,
            _ => return None,
        };
        let item = beginning(item, TELLING);
        (!item.is_empty()).then_some(Fact::Plan { item, state: Some(state) })
    };
    text.lines().filter_map(item).collect()
}
