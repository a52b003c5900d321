//! The operations of grade "superseded": state that a later message replaced is left out.

use std::{collections::HashMap, ops::Range};

use crate::{
    conversation::json_text::splice,
    tokens::{Encoding, count},
    transcript::{Action, Change, Event, Outcome, Place, Transcript},
};

use super::{
    inline::Done,
    operations::{Operation, Options},
    texts::Text,
};

/// Something that a later message replaced.
struct Obsolete {
    operation: Operation,
    /// What is left out.
    place: Place,
    /// What is said instead, without brackets.
    said: String,
}

/// Replaces what is obsolete in `texts`, of a conversation of `length` messages. Returns what was done, by the index of the text.
pub fn replace(
    transcript: &Transcript<'_>,
    texts: &mut [Text<'_>],
    length: usize,
    options: &Options,
    encoding: Encoding,
) -> Vec<(usize, Done)> {
    let mut obsolete = Finder { transcript, options, found: Vec::new() }.find();
    if obsolete.is_empty() {
        return Vec::new();
    }
    obsolete.retain(|obsolete| {
        let text = &texts[obsolete.place.text];
        let is_old = text.message > 0 && text.message + options.recent < length;
        is_old
    });
    obsolete.sort_by_key(|obsolete| (obsolete.place.text, obsolete.place.range.start, obsolete.place.range.end));
    let mut done = Vec::new();
    let mut replacements: HashMap<usize, Vec<(Range<usize>, String)>> = HashMap::new();
    for Obsolete { operation, place, said } in obsolete {
        let text = &texts[place.text];
        let before = replacements.get(&place.text).and_then(|of_text| of_text.last()).map_or(0, |(range, _)| range.end);
        if place.range.start < before {
            continue;
        }
        let removed = &text.text[place.range.clone()];
        let marker = format!("[Left out: {said}]");
        if removed.len() <= marker.len() {
            continue;
        }
        let saved = count(removed, encoding).tokens.saturating_sub(count(&marker, encoding).tokens);
        if saved < options.least_saved.min(MIN_SAVED) {
            continue;
        }
        done.push((place.text, Done { operation, saved, reason: said }));
        replacements.entry(place.text).or_default().push((place.range, marker));
    }
    for (text, mut replacements) in replacements {
        let text = &mut texts[text];
        move_parts(text, &replacements);
        text.text = splice(&text.text, &mut replacements).into();
    }
    done
}

/// What is obsolete is worth little, so leaving it out is worth it earlier.
const MIN_SAVED: usize = 8;

struct Finder<'a> {
    transcript: &'a Transcript<'a>,
    options: &'a Options,
    found: Vec<Obsolete>,
}

/// What happens to a file later on: the messages, from 1.
#[derive(Default, Clone, Copy)]
struct Later {
    changed: Option<usize>,
    edited: Option<usize>,
    written: Option<usize>,
    shown: Option<usize>,
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
                        self.leave_out(Operation::Snapshot, event.answers.iter().cloned(), &said);
                    }
                }
                Action::Todo if event.outcome == Outcome::Ok => {
                    if let Some(newer) = list.replace(message) {
                        let said = format!("a newer list stands in message {newer}");
                        let place = event.call.as_ref().and_then(|call| call.place.clone());
                        self.leave_out(Operation::TodoList, place.into_iter(), &said);
                    }
                }
                _ => {}
            }
            let Some(path) = event.path.as_deref() else { continue };
            let later = files.entry(path).or_default();
            let after = *later;
            let done = matches!(event.outcome, Outcome::Ok | Outcome::CutOff);
            match &event.action {
                Action::Write(_) if done => *later = Later { changed: Some(message), edited: Some(message), written: Some(message), shown: Some(message) },
                Action::Edit(_) if done => (later.changed, later.edited) = (Some(message), Some(message)),
                Action::Touch if done => later.changed = Some(message),
                Action::Read(crate::transcript::Extent::Whole) => later.shown = Some(message),
                _ => {}
            }
            self.file(event, path, after, done);
        }
        self.found
    }

    /// What an event shows and changes of a file, if that is obsolete by what happens later.
    fn file(&mut self, event: &Event, path: &str, later: Later, done: bool) {
        if let Some(changed) = later.changed.filter(|_| later.shown.is_some() || std::env::var("VARIANT").is_err()) {
            let said = format!("{path} was changed in message {changed}");
            let mut places: Vec<Place> = Vec::new();
            for shown in &event.shown {
                match places.last_mut() {
                    Some(last) if last.text == shown.text => last.range.end = shown.range.end,
                    _ => places.push(Place { text: shown.text, range: shown.range.clone() }),
                }
            }
            self.leave_out(Operation::StaleRead, places.into_iter(), &said);
        }
        let given: Vec<Place> = match &event.action {
            Action::Write(content) => vec![Place { text: content.text, range: content.range.clone() }],
            Action::Edit(changes) => changes.iter().flat_map(given).collect(),
            _ => return,
        };
        if let Some(written) = later.written.filter(|_| done) {
            let said = format!("{path} was written anew in message {written}");
            self.leave_out(Operation::OverwrittenWrite, given.into_iter(), &said);
        } else if let Some(edited) = later.edited.filter(|_| !done && event.outcome == Outcome::Failed) {
            let said = format!("this failed; {path} was changed in message {edited}");
            self.leave_out(Operation::FailedEdit, given.into_iter(), &said);
        }
    }

    fn leave_out(&mut self, operation: Operation, places: impl Iterator<Item = Place>, said: &str) {
        let wanted = self.options.is_on(operation)
            && (self.options.parameters || matches!(operation, Operation::Snapshot | Operation::StaleRead));
        if wanted {
            self.found.extend(places.map(|place| Obsolete { operation, place, said: said.to_owned() }));
        }
    }

    /// The message of an event, from 1.
    fn message(&self, event: &Event) -> usize {
        let answer = event.answers.first().map(|place| self.transcript.texts[place.text].message);
        event.call.as_ref().map(|call| call.message).or(answer).map_or(0, |message| message + 1)
    }
}

/// Where the texts that a change names stand.
fn given(change: &Change) -> Vec<Place> {
    match change {
        Change::Text { old, new, .. } => vec![old.clone(), new.clone()],
        Change::Lines { text, old, new, .. } => [old, new]
            .into_iter()
            .filter_map(|lines| {
                let range = lines.first()?.range().start..lines.last()?.range().end;
                Some(Place { text: *text, range })
            })
            .collect(),
        Change::Insert { .. } => Vec::new(),
    }
}

/// Moves the parts of a text to where they stand after the replacements, which come in order.
fn move_parts(text: &mut Text<'_>, replacements: &[(Range<usize>, String)]) {
    let moved = |at: usize, is_end: bool| {
        let mut to = at;
        for (range, new) in replacements {
            if at >= range.end {
                to = to - range.len() + new.len();
            } else if at > range.start {
                to = to - (at - range.start) + if is_end { new.len() } else { 0 };
            }
        }
        to
    };
    for part in &mut text.parts {
        part.range = moved(part.range.start, false)..moved(part.range.end, true);
    }
}
