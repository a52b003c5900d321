//! The operations of grade "superseded": state that a later message replaced is left out.

use std::{collections::HashMap, ops::Range};

use crate::{
    conversation::{ContentKind, json_text::splice},
    tokens::{Encoding, count},
    transcript::{Action, Change, Event, Outcome, Place, Transcript},
};

use super::{
    decoder::Pointers,
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
    let pointers = Pointers::read(texts);
    obsolete.retain(|obsolete| {
        let text = &texts[obsolete.place.text];
        let is_old = text.message > 0 && text.message + options.recent < length;
        is_old && !pointers.reach(obsolete.place.text, &obsolete.place.range)
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
