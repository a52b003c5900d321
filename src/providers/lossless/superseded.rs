//! Leaves out state that a later message replaced, with a note that says so (the operations of grade "superseded").

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use serde_json::value::RawValue;

use crate::{
    conversation::{
        Block, ContentKind, Conversation, Edit, NewValue, PathStep,
        json_text::{escape, splice, string_values},
    },
    maps::{HashMap, HashSet},
    markers::{Gap, LeftOut, LineGap, OldState, may_hold_pointers},
    restore::Decoder,
    tokens::{Encoding, count_inside},
    transcript::{
        Action, CallOutcome, Event, Excerpt, Numbering, Place, Replaced, ReplacedLines, Transcript, replaced,
    },
};

use super::{
    inline::{BYTES_PER_TOKEN, Done},
    operations::{LosslessConfig, LosslessOperation},
    work_text::{Text, given},
};

/// The state left out of the texts.
#[derive(Default)]
pub struct Superseded {
    /// The operations performed, by the index of the text.
    pub done: Vec<(usize, Done)>,
    /// Changed inputs of calls, by message and block, where something other than text is left out.
    pub inputs: BTreeMap<(usize, usize), NewInput>,
    /// True if stale state is kept only because of pointers to it that may be left out themselves.
    pub unfinished: bool,
    /// Overwritten writes that are kept, as indices of events: see [`Replaced::unproven`].
    pub unproven: Vec<usize>,
}

/// The replacement of a call's input. An edit either sets a whole input or texts in it.
#[derive(Clone)]
pub struct NewInput {
    json: Box<RawValue>,
    /// The new contents of its texts, by their paths in it.
    texts: Vec<(Vec<PathStep>, String)>,
}

impl NewInput {
    /// Sets a text, given by its path from the message.
    pub fn set(&mut self, path: &[PathStep], text: String) {
        self.texts.push((path[INPUT_DEPTH..].to_vec(), text));
    }

    /// Returns the edit that replaces the input.
    pub fn into_edit(self, message: usize, block: usize) -> Edit {
        let Self { json, texts } = self;
        let literals: HashMap<Vec<PathStep>, Range<usize>> =
            string_values(json.get()).into_iter().map(|value| (value.path, value.literal)).collect();
        let texts = texts.iter().filter_map(|(path, text)| Some((literals.get(path)?.clone(), escape(text))));
        let mut texts: Replacements = texts.collect();
        let whole = RawValue::from_string(splice(json.get(), &mut texts)).unwrap_or(json);
        Edit::set(message, vec!["content".into(), block.into(), "input".into()], NewValue::Json(whole))
    }
}

/// The depth of a call's input in a message's path.
const INPUT_DEPTH: usize = 3;

/// Stale state at a place.
struct Obsolete<'a, P> {
    /// The place of the state.
    place: P,
    /// The note that replaces it.
    note: LeftOut<'a>,
    /// The marker that replaces it if only some lines are left out.
    gap: Option<Gap>,
    /// Bytes in it that were not replaced themselves, but are left out because the rest of their file changed.
    lost: usize,
}

/// Returns the operation that leaves out this kind of stale state.
fn operation(state: OldState<'_>) -> LosslessOperation {
    match state {
        OldState::Environment => LosslessOperation::Snapshot,
        OldState::List => LosslessOperation::TodoList,
        OldState::Read(_) => LosslessOperation::StaleRead,
        OldState::Written(_) => LosslessOperation::OverwrittenWrite,
        OldState::FailedEdit(_) => LosslessOperation::FailedEdit,
    }
}

enum What {
    /// Part of a text.
    Text(Place),
    /// A todo list in a parameter of a call.
    List(ListAt),
}

/// The position of a todo list.
struct ListAt {
    message: usize,
    block: usize,
    parameter: String,
}

/// Replaces stale state in the texts.
pub fn leave_out(
    conversation: &Conversation,
    transcript: &Transcript<'_>,
    texts: &mut [Text<'_>],
    options: &LosslessConfig,
    encoding: Encoding,
) -> Superseded {
    let mut replaced = replaced(transcript);
    let unproven = std::mem::take(&mut replaced.unproven).into_iter().map(|(write, _)| write).rev().collect();
    let obsolete = Finder { transcript, options, replaced, found: Vec::new() }.find();
    let mut superseded = Superseded { unproven, ..Superseded::default() };
    if obsolete.is_empty() {
        return superseded;
    }
    let contents: Vec<&str> = texts.iter().map(|text| &*text.text).collect();
    // Text that looks like a pointer but whose quote is not found would become a pointer if its quote were found
    // elsewhere.
    let quoted = Decoder::new(&contents).of_pointers(Decoder::quoted);
    let pointed: HashSet<usize> = quoted.into_iter().map(|quoted| quoted.text).collect();
    let task = conversation.task();
    let is_old = |message: usize, block: usize| {
        let is_pinned = conversation.entries()[message].pins.holds(block);
        message >= task && message + options.preserve_recent_count < conversation.len() && !is_pinned
    };
    let mut places = Vec::new();
    for Obsolete { place, note, gap, lost } in obsolete {
        match place {
            What::Text(place) if !is_old(texts[place.text].message, texts[place.text].block) => {}
            What::Text(place) if pointed.contains(&place.text) => superseded.unfinished = true,
            What::Text(place) => {
                // A result that contains pointers may be misread.
                let is_condensed = note.state != OldState::Environment && may_hold_pointers(&texts[place.text].text);
                if !is_condensed {
                    places.push(Obsolete { place, note, gap, lost });
                }
            }
            What::List(at) if !is_old(at.message, at.block) => {}
            What::List(at)
                if pointed.iter().any(|text| (texts[*text].message, texts[*text].block) == (at.message, at.block)) =>
            {
                superseded.unfinished = true;
            }
            What::List(at) => {
                superseded.list(conversation, texts, &at, note, encoding);
            }
        }
    }
    places.sort_by_key(|Obsolete { place, .. }| (place.text, place.range.start, place.range.end));
    let mut replacements: Vec<(usize, Replacements)> = Vec::new();
    for Obsolete { place, note, gap, lost } in places {
        let removed = &texts[place.text].text[place.range.clone()];
        let new = gap.map_or_else(|| note.to_string(), |gap| gap.to_string());
        let Some(saved) = saved(removed, &new, encoding) else { continue };
        if replacements.last().is_none_or(|(text, _)| *text != place.text) {
            replacements.push((place.text, Vec::new()));
        }
        let Some((_, of_text)) = replacements.last_mut() else { continue };
        if of_text.last().is_none_or(|(before, _)| before.end <= place.range.start) {
            let lost = saved * lost.min(place.range.len()) / place.range.len();
            of_text.push((place.range, new));
            let shares = [(operation(note.state), saved - lost), (LosslessOperation::StaleFile, lost)];
            let shares = shares.into_iter().filter(|(_, saved)| *saved > 0);
            let done = shares.map(|(operation, saved)| (place.text, Done { operation, saved, reason: note.reason() }));
            superseded.done.extend(done);
        }
    }
    for (text, mut replacements) in replacements {
        let text = &mut texts[text];
        move_parts(text, &replacements);
        text.text = splice(&text.text, &mut replacements).into();
    }
    superseded.unfinished &= !superseded.done.is_empty();
    superseded
}

/// Ranges of a text with their replacements.
type Replacements = Vec<(Range<usize>, String)>;

/// Minimum number of tokens that leaving out stale state must save.
const MIN_SAVED_TOKENS: usize = 8;

/// A text with this many times the bytes of the note has more tokens than the note for certain, unless it is blank.
const CLEARLY: usize = 16;

/// Returns the tokens saved by replacing `removed` with `new`, if they are enough.
fn saved(removed: &str, new: &str, encoding: Encoding) -> Option<usize> {
    if removed.len() <= new.len() {
        return None;
    }
    if removed.len() > CLEARLY * new.len()
        && !removed.bytes().take(CLEARLY * new.len()).all(|byte| byte.is_ascii_whitespace())
    {
        return Some((removed.len() - new.len()) / BYTES_PER_TOKEN);
    }
    let saved = count_inside(removed, encoding).tokens.checked_sub(count_inside(new, encoding).tokens)?;
    (saved >= MIN_SAVED_TOKENS).then_some(saved)
}

impl Superseded {
    /// Replaces the list in a call's parameter with a single text.
    fn list(
        &mut self,
        conversation: &Conversation,
        texts: &mut [Text<'_>],
        at: &ListAt,
        note: LeftOut<'_>,
        encoding: Encoding,
    ) {
        let (message, block) = (at.message, at.block);
        let Some(Block::ToolUse { input, .. }) = conversation.message(message).content.blocks().get(block) else {
            return;
        };
        let input = self.inputs.get(&(message, block)).map_or(input.get(), |new| new.json.get());
        let Ok(fields) = serde_json::from_str::<HashMap<String, &RawValue>>(input) else { return };
        let Some(list) = fields.get(&at.parameter) else { return };
        let start = list.get().as_ptr() as usize - input.as_ptr() as usize;
        let range = start..start + list.get().len();
        let new = note.to_string();
        let json = format!("[{}]", escape(&new));
        let Some(saved) = saved(list.get(), &json, encoding) else { return };
        let Ok(value) = RawValue::from_string(splice(input, &mut [(range, json)])) else { return };
        let first = texts.partition_point(|text| (text.message, text.block) < (message, block));
        let of_block = texts[first..].iter().take_while(|text| (text.message, text.block) == (message, block)).count();
        if of_block == 0 {
            return;
        }
        for text in texts.iter_mut().skip(first).take(of_block) {
            let is_in_list = text.path.get(INPUT_DEPTH) == Some(&PathStep::key(&at.parameter));
            if is_in_list {
                // The parameter now contains a note, which no pointer can quote.
                (text.parts, text.may_change, text.text) = (Vec::new(), Vec::new(), Cow::Borrowed(""));
            }
        }
        let reason = note.reason();
        self.done.push((first, Done { operation: operation(note.state), saved, reason }));
        self.inputs.insert((message, block), NewInput { json: value, texts: Vec::new() });
    }
}

struct Finder<'a> {
    transcript: &'a Transcript<'a>,
    options: &'a LosslessConfig,
    replaced: Replaced,
    found: Vec<Obsolete<'a, What>>,
}

/// The later events of a file, as indices of messages.
#[derive(Default, Clone, Copy)]
struct Later {
    /// The first later change of any kind.
    changed: Option<usize>,
    /// The first later edit or write.
    edited: Option<usize>,
    /// True if it is read or written later.
    seen: bool,
}

impl<'a> Finder<'a> {
    fn find(mut self) -> Vec<Obsolete<'a, What>> {
        let transcript = self.transcript;
        if !self.options.drops_whole_reads() {
            self.lines();
        }
        self.written();
        let mut files: HashMap<&str, Later> = HashMap::default();
        let mut snapshot = None;
        let mut list = None;
        for (index, event) in transcript.events.iter().enumerate().rev() {
            let message = message_of(transcript, event);
            match &event.action {
                Action::Environment => {
                    if let Some(newer) = snapshot.replace(message) {
                        let note = LeftOut { state: OldState::Environment, newer };
                        self.leave_out(note, event.answers.iter().cloned().map(What::Text));
                    }
                }
                Action::Todo if event.outcome == CallOutcome::Ok => {
                    if let Some(newer) = list.replace(message) {
                        let place = event.call.as_ref().and_then(|call| match (&call.place, &call.list) {
                            (Some(place), _) => Some(What::Text(place.clone())),
                            (None, Some(parameter)) => {
                                let (message, block) = (call.message, call.block);
                                Some(What::List(ListAt { message, block, parameter: parameter.clone() }))
                            }
                            (None, None) => None,
                        });
                        self.leave_out(LeftOut { state: OldState::List, newer }, place.into_iter());
                    }
                }
                _ => {}
            }
            let Some(path) = event.path.as_deref() else { continue };
            let later = files.entry(path).or_default();
            let after = *later;
            let done = matches!(event.outcome, CallOutcome::Ok | CallOutcome::CutOff);
            match &event.action {
                Action::Write(_) if done => {
                    let message = Some(message);
                    *later = Later { changed: message, edited: message, seen: true };
                }
                Action::Edit(_) if done => (later.changed, later.edited) = (Some(message), Some(message)),
                Action::Touch(_) if done => later.changed = Some(message),
                Action::Read(_) if !event.shown.is_empty() => later.seen = true,
                _ => {}
            }
            self.file(index, path, after);
        }
        self.found
    }

    /// Leaves out the content that an event shows of a file, or was to write to it, if later events make it stale.
    fn file(&mut self, index: usize, path: &'a str, later: Later) {
        let event = &self.transcript.events[index];
        if let Some(changed) = later.changed.filter(|_| later.seen && self.options.drops_whole_reads()) {
            let note = LeftOut { state: OldState::Read(path), newer: changed };
            let replaced = &self.replaced.lines;
            let first = replaced.partition_point(|lines| lines.event < index);
            let of_event = replaced[first..].partition_point(|lines| lines.event == index);
            for place in shown_places(event) {
                let replaced = self.replaced.lines[first..first + of_event]
                    .iter()
                    .map(|lines| lines_of(self.transcript, &event.shown[lines.excerpt], &lines.lines));
                let replaced: usize =
                    replaced.filter(|lines| lines.text == place.text).map(|lines| lines.range.len()).sum();
                let lost = place.range.len().saturating_sub(replaced);
                self.found.push(Obsolete { place: What::Text(place), note, gap: None, lost });
            }
        }
        if let Some(edited) = later.edited.filter(|_| event.outcome == CallOutcome::Failed) {
            let note = LeftOut { state: OldState::FailedEdit(path), newer: edited };
            self.leave_out(note, given(event).into_iter().map(What::Text));
        }
    }

    /// Leaves out the contents of overwritten writes.
    fn written(&mut self) {
        let transcript = self.transcript;
        for (index, newer) in std::mem::take(&mut self.replaced.written) {
            let event = &transcript.events[index];
            let Some(path) = event.path.as_deref() else { continue };
            let newer = message_of(transcript, &transcript.events[newer]);
            let note = LeftOut { state: OldState::Written(path), newer };
            self.leave_out(note, given(event).into_iter().map(What::Text));
        }
    }

    fn leave_out(&mut self, note: LeftOut<'a>, places: impl Iterator<Item = What>) {
        let in_results = matches!(note.state, OldState::Environment | OldState::Read(_));
        if self.options.is_on(operation(note.state)) && (self.options.tool_parameters || in_results) {
            self.found.extend(places.map(|place| Obsolete { place, note, gap: None, lost: 0 }));
        }
    }

    /// Leaves out replaced lines: with a note if nothing else of the file is shown, else with gaps.
    fn lines(&mut self) {
        if !self.options.is_on(LosslessOperation::StaleRead) {
            return;
        }
        let transcript = self.transcript;
        for of_event in self.replaced.lines.chunk_by(|one, next| one.event == next.event) {
            let event = &transcript.events[of_event[0].event];
            let Some(path) = event.path.as_deref() else { continue };
            let newer = |lines: &ReplacedLines| message_of(transcript, &transcript.events[lines.newer]);
            for place in shown_places(event) {
                let here = |lines: &&ReplacedLines| event.shown[lines.excerpt].text == place.text;
                let shown = event.shown.iter().filter(|shown| shown.text == place.text);
                let shown: usize = shown.map(|shown| shown.lines.len()).sum();
                let gone: usize = of_event.iter().filter(here).map(|lines| lines.lines.len()).sum();
                let Some(last) = of_event.iter().rfind(here) else { continue };
                if gone == shown {
                    let note = LeftOut { state: OldState::Read(path), newer: newer(last) };
                    self.found.push(Obsolete { place: What::Text(place), note, gap: None, lost: 0 });
                    continue;
                }
                for lines in of_event.iter().filter(here) {
                    let excerpt = &event.shown[lines.excerpt];
                    let note = LeftOut { state: OldState::Read(path), newer: newer(lines) };
                    let first = first_number(transcript, event, excerpt) + lines.lines.start;
                    let gap = Gap::Lines(LineGap { first, last: first + lines.lines.len() - 1 });
                    let place = What::Text(lines_of(transcript, excerpt, &lines.lines));
                    self.found.push(Obsolete { place, note, gap: Some(gap), lost: 0 });
                }
            }
        }
    }
}

/// Returns the index of an event's message.
fn message_of(transcript: &Transcript<'_>, event: &Event) -> usize {
    let answer = event.answers.first().map(|place| transcript.texts[place.text].message);
    event.call.as_ref().map(|call| call.message).or(answer).unwrap_or_default()
}

/// Returns the places where an event shows a file, one per text.
fn shown_places(event: &Event) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for shown in event.shown.iter().filter(|shown| !shown.lines.is_empty()) {
        match places.last_mut() {
            Some(last) if last.text == shown.text => last.range.end = shown.range.end,
            _ => places.push(Place { text: shown.text, range: shown.range.clone() }),
        }
    }
    places
}

/// Returns the place of lines of an excerpt, including their numbers.
fn lines_of(transcript: &Transcript<'_>, excerpt: &Excerpt, lines: &Range<usize>) -> Place {
    let text = transcript.texts[excerpt.text].text;
    let content = excerpt.lines[lines.start].range().start;
    let before = &text.as_bytes()[excerpt.range.start..content];
    let start = memchr::memrchr(b'\n', before).map_or(excerpt.range.start, |at| excerpt.range.start + at + 1);
    Place { text: excerpt.text, range: start..excerpt.lines[lines.end - 1].range().end }
}

/// Returns the number of the first line of an excerpt for gaps: the number shown, or else its position in the result,
/// from 1.
fn first_number(transcript: &Transcript<'_>, event: &Event, excerpt: &Excerpt) -> usize {
    if excerpt.numbering != Numbering::None {
        return excerpt.first as usize;
    }
    let text = &transcript.texts[excerpt.text];
    let answer = event.answers.iter().find(|answer| answer.text == excerpt.text);
    let start = match (text.kind, answer) {
        (ContentKind::MessageText, Some(answer)) => answer.range.start.min(excerpt.range.start),
        _ => 0,
    };
    memchr::memchr_iter(b'\n', &text.text.as_bytes()[start..excerpt.range.start]).count() + 1
}

/// Moves the parts of a text to their positions after the replacements, which are in order.
fn move_parts(text: &mut Text<'_>, replacements: &[(Range<usize>, String)]) {
    let moved = |at: usize, is_end: bool| {
        let mut to = at;
        for (range, new) in replacements {
            if at >= range.end {
                to = to + new.len() - range.len();
            } else if at > range.start {
                to = to + (if is_end { new.len() } else { 0 }) - (at - range.start);
            }
        }
        to
    };
    let parts = text.parts.iter_mut().map(|part| &mut part.range);
    for range in parts.chain(&mut text.may_change) {
        *range = moved(range.start, false)..moved(range.end, true);
    }
}
