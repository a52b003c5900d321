//! The operations of grade "superseded": state that a later message replaced is left out.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use serde_json::value::RawValue;

use crate::{
    conversation::{Block, Conversation, Edit, NewValue, json_text},
    markers::may_hold_markers,
    restore::Names,
    tokens::{Encoding, count},
    transcript::{Action, CallOutcome, Event, Place, Transcript},
};

use super::{
    inline::{BYTES_PER_TOKEN, Done},
    operations::{LosslessOperation, LosslessOptions},
    pointers::pointed_at,
    texts::{Text, given},
};

/// What was left out.
#[derive(Default)]
pub struct LeftOut {
    /// What was done, by the index of a text.
    pub done: Vec<(usize, Done)>,
    /// Changes of tool parameters that are no texts.
    pub edits: Vec<Edit>,
    /// The texts that those concern: they are not to be changed otherwise.
    pub gone: HashSet<usize>,
}

/// Something that a later message replaced.
struct Obsolete {
    operation: LosslessOperation,
    /// What is left out.
    place: What,
    /// What is said instead, without brackets.
    said: String,
}

enum What {
    /// A part of a text.
    Text(Place),
    /// The list in a parameter of a call.
    List(ListAt),
}

/// Where a list of things to do stands.
struct ListAt {
    message: usize,
    block: usize,
    parameter: String,
}

/// Replaces what is obsolete in the texts.
pub fn leave_out(
    conversation: &Conversation,
    transcript: &Transcript<'_>,
    texts: &mut [Text<'_>],
    options: &LosslessOptions,
    encoding: Encoding,
) -> LeftOut {
    let obsolete = Finder { transcript, options, found: Vec::new() }.find();
    let mut left_out = LeftOut::default();
    if obsolete.is_empty() {
        return left_out;
    }
    let pointed: HashSet<usize> = {
        let names = Names::new(texts.iter().map(Text::place));
        pointed_at(texts, &names, |text| may_hold_markers(&texts[text].text))
            .into_iter()
            .map(|pointed| pointed.text)
            .collect()
    };
    let is_old = |message: usize| message > 0 && message + options.recent < conversation.len();
    let mut places = Vec::new();
    for Obsolete { operation, place, said } in obsolete {
        match place {
            What::Text(place) if is_old(texts[place.text].message) && !pointed.contains(&place.text) => {
                // An answer with markers in it may be read as something else than it was.
                let is_condensed =
                    operation != LosslessOperation::Snapshot && may_hold_markers(&texts[place.text].text);
                if !is_condensed {
                    places.push((place, operation, said));
                }
            }
            What::List(at) if is_old(at.message) => {
                let new = format!("[Left out: {said}]");
                left_out.list(conversation, texts, &at, operation, &new, encoding);
            }
            _ => {}
        }
    }
    places.sort_by_key(|(place, ..)| (place.text, place.range.start, place.range.end));
    let mut replacements: Vec<(usize, Replacements)> = Vec::new();
    for (place, operation, said) in places {
        let removed = &texts[place.text].text[place.range.clone()];
        let new = format!("[Left out: {said}]");
        let Some(saved) = saved(removed, &new, encoding) else { continue };
        if replacements.last().is_none_or(|(text, _)| *text != place.text) {
            replacements.push((place.text, Vec::new()));
        }
        let Some((_, of_text)) = replacements.last_mut() else { continue };
        if of_text.last().is_none_or(|(before, _)| before.end <= place.range.start) {
            of_text.push((place.range, new));
            left_out.done.push((place.text, Done { operation, saved, reason: said }));
        }
    }
    for (text, mut replacements) in replacements {
        let text = &mut texts[text];
        move_parts(text, &replacements);
        text.text = json_text::splice(&text.text, &mut replacements).into();
    }
    left_out
}

/// What is put where in a text.
type Replacements = Vec<(Range<usize>, String)>;

/// What saves fewer tokens stays: it might as well be read.
const MIN_SAVED_TOKENS: usize = 8;

/// So many times the bytes save tokens for certain.
const CLEARLY: usize = 16;

/// How many tokens it saves to say `new` in the place of `removed`, if it is enough.
fn saved(removed: &str, new: &str, encoding: Encoding) -> Option<usize> {
    if removed.len() <= new.len() {
        return None;
    }
    if removed.len() > CLEARLY * new.len()
        && !removed.bytes().take(CLEARLY * new.len()).all(|byte| byte.is_ascii_whitespace())
    {
        return Some((removed.len() - new.len()) / BYTES_PER_TOKEN);
    }
    let saved = count(removed, encoding).tokens.checked_sub(count(new, encoding).tokens)?;
    (saved >= MIN_SAVED_TOKENS).then_some(saved)
}

impl LeftOut {
    /// Replaces the list in the parameters of a call by one of a single text.
    fn list(
        &mut self,
        conversation: &Conversation,
        texts: &[Text<'_>],
        at: &ListAt,
        operation: LosslessOperation,
        new: &str,
        encoding: Encoding,
    ) {
        let (message, block) = (at.message, at.block);
        let Some(Block::ToolUse { input, .. }) = conversation.message(message).content.blocks().get(block) else {
            return;
        };
        let input = input.get();
        let Ok(fields) = serde_json::from_str::<HashMap<String, &RawValue>>(input) else { return };
        let Some(list) = fields.get(&at.parameter) else { return };
        let start = list.get().as_ptr() as usize - input.as_ptr() as usize;
        let range = start..start + list.get().len();
        let json = format!("[{}]", json_text::escape(new));
        let Some(saved) = saved(list.get(), &json, encoding) else { return };
        let Ok(value) = RawValue::from_string(json_text::splice(input, &mut [(range, json)])) else { return };
        let first = texts.partition_point(|text| (text.message, text.block) < (message, block));
        let of_block = texts[first..].iter().take_while(|text| (text.message, text.block) == (message, block)).count();
        if of_block == 0 {
            return;
        }
        self.gone.extend(first..first + of_block);
        self.done.push((first, Done { operation, saved, reason: new.trim_matches(['[', ']']).to_owned() }));
        let path = vec!["content".into(), block.into(), "input".into()];
        self.edits.push(Edit::Set { message, path, value: NewValue::Json(value) });
    }
}

struct Finder<'a> {
    transcript: &'a Transcript<'a>,
    options: &'a LosslessOptions,
    found: Vec<Obsolete>,
}

/// What happens to a file later on: the messages, from 1.
#[derive(Default, Clone, Copy)]
struct Later {
    /// It is changed, in any way.
    changed: Option<usize>,
    /// It is edited or written.
    edited: Option<usize>,
    /// Its whole content is set.
    written: Option<usize>,
    /// It is seen: read or written.
    seen: bool,
}

impl<'a> Finder<'a> {
    fn find(mut self) -> Vec<Obsolete> {
        let transcript = self.transcript;
        let mut files: HashMap<&str, Later> = HashMap::new();
        let mut snapshot = None;
        let mut list = None;
        for event in transcript.events.iter().rev() {
            let message = self.message(event);
            match &event.action {
                Action::Environment => {
                    if let Some(newer) = snapshot.replace(message) {
                        let said = format!("newer environment details stand in message {newer}");
                        self.leave_out(
                            LosslessOperation::Snapshot,
                            event.answers.iter().cloned().map(What::Text),
                            &said,
                        );
                    }
                }
                Action::Todo if event.outcome == CallOutcome::Ok => {
                    if let Some(newer) = list.replace(message) {
                        let said = format!("a newer list stands in message {newer}");
                        let place = event.call.as_ref().and_then(|call| match (&call.place, &call.list) {
                            (Some(place), _) => Some(What::Text(place.clone())),
                            (None, Some(parameter)) => {
                                let (message, block) = (call.message, call.block);
                                Some(What::List(ListAt { message, block, parameter: parameter.clone() }))
                            }
                            (None, None) => None,
                        });
                        self.leave_out(LosslessOperation::TodoList, place.into_iter(), &said);
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
                    *later = Later { changed: message, edited: message, written: message, seen: true };
                }
                Action::Edit(_) if done => (later.changed, later.edited) = (Some(message), Some(message)),
                Action::Touch if done => later.changed = Some(message),
                Action::Read(_) if !event.shown.is_empty() => later.seen = true,
                _ => {}
            }
            self.file(event, path, after, done);
        }
        self.found
    }

    /// What an event shows and changes of a file, as far as it is obsolete by what happens later.
    fn file(&mut self, event: &Event, path: &str, later: Later, done: bool) {
        if let Some(changed) = later.changed.filter(|_| later.seen || !self.options.needs_new_view) {
            let mut places: Vec<Place> = Vec::new();
            for shown in &event.shown {
                match places.last_mut() {
                    Some(last) if last.text == shown.text => last.range.end = shown.range.end,
                    _ => places.push(Place { text: shown.text, range: shown.range.clone() }),
                }
            }
            let said = format!("{path} was changed in message {changed}");
            self.leave_out(LosslessOperation::StaleRead, places.into_iter().map(What::Text), &said);
        }
        if let Some(written) = later.written.filter(|_| done) {
            let said = format!("{path} was written anew in message {written}");
            self.leave_out(LosslessOperation::OverwrittenWrite, given(event).into_iter().map(What::Text), &said);
        } else if let Some(edited) = later.edited.filter(|_| event.outcome == CallOutcome::Failed) {
            let said = format!("this failed; {path} was changed in message {edited}");
            self.leave_out(LosslessOperation::FailedEdit, given(event).into_iter().map(What::Text), &said);
        }
    }

    fn leave_out(&mut self, operation: LosslessOperation, places: impl Iterator<Item = What>, said: &str) {
        let in_results = matches!(operation, LosslessOperation::Snapshot | LosslessOperation::StaleRead);
        if self.options.is_on(operation) && (self.options.parameters || in_results) {
            self.found.extend(places.map(|place| Obsolete { operation, place, said: said.to_owned() }));
        }
    }

    /// The message of an event, from 1.
    fn message(&self, event: &Event) -> usize {
        let answer = event.answers.first().map(|place| self.transcript.texts[place.text].message);
        event.call.as_ref().map(|call| call.message).or(answer).map_or(0, |message| message + 1)
    }
}

/// Moves the parts of a text to where they stand after the replacements, which come in order.
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
