//! How to put a text together again from the condensed conversation, so that restoring needs few bytes beside it.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::{
    conversation::{
        Conversation, Edit, Message, NewValue, NumberStyle, PathStep, Plan, TextAt, surrogates::differs_outside,
    },
    markers::{NUMBERED_EVERY, Pointer, Target, may_hold_pointers, messages_named},
    parallel::in_parts,
};

use super::{
    decoder::rows_of,
    names::{Names, TextPlace},
    rows::{NONE, RowKind, Rows},
};

/// The parts of a text. Joined by line feeds they are what it said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recipe {
    /// The texts that the parts are taken from: index of the message in the condensed conversation, and path in it.
    texts: Vec<(usize, Vec<PathStep>)>,
    parts: Vec<Part>,
}

/// Some lines. As JSON `[text, start, end, from, to, times]`: index in [`Recipe::texts`], UTF-16 units, numbers to be taken off
/// (`[number, width, separator, every]`, 0 for none), numbers to be put on (`[number, width, separator]`, 0 for none), how often
/// it stands there. What is 0, and 1 for `times`, is left out at the end.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    text: usize,
    /// UTF-16 units.
    range: Range<usize>,
    /// The first line's number and how it is written. Lines whose number is a multiple of the last value carry theirs.
    from: Option<(u32, NumberStyle, u32)>,
    to: Option<(u32, NumberStyle)>,
    times: u32,
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let length = match (&self.from, &self.to, self.times) {
            (None, None, 1) => 3,
            (Some(_), None, 1) => 4,
            (_, Some(_), 1) => 5,
            _ => 6,
        };
        let mut part = serializer.serialize_seq(Some(length))?;
        part.serialize_element(&self.text)?;
        part.serialize_element(&self.range.start)?;
        part.serialize_element(&self.range.end)?;
        if length > 3 {
            match self.from {
                Some((number, style, every)) => {
                    part.serialize_element(&(number, style.width(), style.separator(), every))?
                }
                None => part.serialize_element(&0)?,
            }
        }
        if length > 4 {
            match self.to {
                Some((number, style)) => part.serialize_element(&(number, style.width(), style.separator()))?,
                None => part.serialize_element(&0)?,
            }
        }
        if length > 5 {
            part.serialize_element(&self.times)?;
        }
        part.end()
    }
}

/// Recipes for the old texts of a plan that turns `before` into `after`, each with the index of its edit. Every one has been tried:
/// where none leads to the old text exactly, or it would not be shorter, there is none.
#[must_use]
pub fn recipes(before: &Conversation, after: &Conversation, plan: &Plan) -> Vec<(usize, Recipe)> {
    let edits: Vec<(usize, &Edit)> = plan.edits.iter().enumerate().filter(|(_, edit)| may_have_recipe(edit)).collect();
    if edits.is_empty() {
        return Vec::new();
    }
    let position: HashMap<usize, usize> =
        after.entries().iter().enumerate().filter_map(|(at, entry)| Some((entry.origin?, at))).collect();
    let needed = needed(before, plan, &position);
    let messages: Vec<Option<&Message>> =
        after.messages().enumerate().map(|(index, message)| needed.contains(&index).then_some(message)).collect();
    let texts: Vec<Vec<TextAt<'_>>> = in_parts(
        &messages,
        |message| message.map_or(0, Message::bytes),
        |messages| messages.iter().map(|message| message.map_or_else(Vec::new, Message::texts)).collect(),
    );
    let flat: Vec<(usize, &TextAt<'_>)> =
        texts.iter().enumerate().flat_map(|(message, texts)| texts.iter().map(move |text| (message, text))).collect();
    let names = Names::new(flat.iter().map(|(message, text)| TextPlace {
        message: *message,
        block: text.block,
        path: &text.path,
        kind: text.kind,
    }));
    // Where the texts of each message begin in the list of all.
    let starts: Vec<usize> =
        texts.iter().scan(0, |next, texts| Some(std::mem::replace(next, *next + texts.len()))).collect();
    let bytes = |(_, edit): &(usize, &Edit)| match edit {
        Edit::Set { message, .. } => before.entries().get(*message).map_or(0, |entry| entry.message.bytes()),
        Edit::Drop { .. } | Edit::Insert { .. } => 0,
    };
    in_parts(&edits, bytes, |edits| {
        let mut rebuild = Rebuild { texts: &flat, names: &names, rows: HashMap::new(), units: HashMap::new() };
        let mut found = Vec::new();
        // The texts of the message that the edit before was about: most often it is the same.
        let mut old_texts: (usize, Vec<TextAt<'_>>) = (usize::MAX, Vec::new());
        for (edit, set) in edits {
            let Edit::Set { message, path, .. } = set else { continue };
            let Some(old) = before.entries().get(*message) else { continue };
            let Some(at) = old.origin.and_then(|origin| position.get(&origin)) else { continue };
            let Some(text) = texts[*at].iter().position(|text| text.path == *path) else { continue };
            if old_texts.0 != *message {
                old_texts = (*message, old.message.texts());
            }
            let Some(was) = old_texts.1.iter().find(|text| text.path == *path) else { continue };
            if let Some(recipe) = rebuild.recipe(starts[*at] + text, &was.text) {
                found.push((*edit, recipe));
            }
        }
        found
    })
}

/// Without a marker, nothing says where the old text stands.
fn may_have_recipe(edit: &Edit) -> bool {
    matches!(edit, Edit::Set { value: NewValue::Text(new), .. } if may_hold_pointers(new))
}

/// The messages of the condensed conversation in which the recipes can find something: those that change, and those that are named in them.
fn needed(before: &Conversation, plan: &Plan, position: &HashMap<usize, usize>) -> HashSet<usize> {
    let mut needed = HashSet::new();
    for edit in &plan.edits {
        let Edit::Set { message, value: NewValue::Text(new), .. } = edit else { continue };
        let origin = before.entries().get(*message).and_then(|entry| entry.origin);
        needed.extend(origin.and_then(|origin| position.get(&origin)));
        needed.extend(messages_named(new));
    }
    needed
}

struct Rebuild<'a> {
    texts: &'a [(usize, &'a TextAt<'a>)],
    names: &'a Names<'a>,
    rows: HashMap<usize, Rows>,
    units: HashMap<usize, Units>,
}

/// Lines in a text, in bytes.
struct Lines {
    text: usize,
    range: Range<usize>,
    from: Option<(u32, NumberStyle, u32)>,
    to: Option<(u32, NumberStyle)>,
    times: u32,
}

impl Rebuild<'_> {
    fn recipe(&mut self, text: usize, was: &str) -> Option<Recipe> {
        let lines = self.lines(text)?;
        if self.written(&lines, was.len())? != was {
            return None;
        }
        let mut recipe = Recipe { texts: Vec::new(), parts: Vec::new() };
        let mut known: HashMap<usize, usize> = HashMap::new();
        for Lines { text, range, from, to, times } in lines {
            let (message, place) = self.texts[text];
            let content = place.text.as_ref();
            let units = self.units.entry(text).or_insert_with(|| Units::of(content));
            if units.stand_ins {
                return None;
            }
            let number = *known.entry(text).or_insert_with(|| {
                recipe.texts.push((message, place.path.clone()));
                recipe.texts.len() - 1
            });
            let range = units.at(content, range.start)..units.at(content, range.end);
            recipe.parts.push(Part { text: number, range, from, to, times });
        }
        let size = serde_json::to_string(&recipe).ok()?.len();
        (size < was.len()).then_some(recipe)
    }

    /// The lines that a condensed text stands for, and where they are.
    fn lines(&mut self, index: usize) -> Option<Vec<Lines>> {
        let content = self.texts[index].1.text.as_ref();
        self.read(index);
        let rows = self.rows.remove(&index)?;
        let mut found: Vec<Lines> = Vec::new();
        // Whether the next line can be added to the last part: it is this text's own, and nothing came between.
        let mut open = false;
        for (at, row) in rows.rows.iter().enumerate() {
            let excerpt = (row.excerpt != NONE).then(|| &rows.excerpts[row.excerpt as usize]);
            let number = excerpt.map(|excerpt| (excerpt.number_of(row.line), excerpt.style));
            match row.kind {
                RowKind::Heading => open = false,
                RowKind::Line => {
                    let sparse = excerpt.is_some_and(|excerpt| excerpt.sparse);
                    let continues = open && found.last().is_some_and(|last| last.from.is_some() == sparse);
                    if let Some(last) = found.last_mut().filter(|_| continues) {
                        last.range.end = row.range().end;
                    } else {
                        let from = number.filter(|_| sparse).map(|(number, style)| (number, style, NUMBERED_EVERY));
                        let to = number.filter(|_| sparse);
                        found.push(Lines { text: index, range: row.range(), from, to, times: 1 });
                    }
                    open = true;
                }
                RowKind::Pointer => {
                    open = false;
                    let lines = match Pointer::read(&content[row.content_range()])? {
                        Pointer::Repeat { times } => {
                            let above = rows.rows[..at].last().filter(|above| above.kind == RowKind::Line)?;
                            Lines { text: index, range: above.content_range(), from: None, to: number, times }
                        }
                        Pointer::Reference(reference) => {
                            let target = match &reference.target {
                                Target::Above => index,
                                Target::Text(name) => self.names.find(name)?,
                            };
                            let there = if target == index { &rows } else { self.read(target) };
                            let visible = if target == index { at } else { there.rows.len() };
                            let named = &there.rows[rows_of(there, visible, &reference)?];
                            let (first, last) = (named.first()?, named.last()?);
                            let from = (first.excerpt != NONE).then(|| {
                                let excerpt = &there.excerpts[first.excerpt as usize];
                                let every = if excerpt.sparse { NUMBERED_EVERY } else { 1 };
                                (excerpt.number_of(first.line), excerpt.style, every)
                            });
                            Lines {
                                text: target,
                                range: first.range().start..last.range().end,
                                from,
                                to: number,
                                times: 1,
                            }
                        }
                        Pointer::Sparse { .. } => return None,
                    };
                    found.push(lines);
                }
            }
        }
        self.rows.insert(index, rows);
        Some(found)
    }

    /// What the parts say together; `None` as soon as it is longer than it should be.
    fn written(&self, parts: &[Lines], length: usize) -> Option<String> {
        let mut out = String::with_capacity(length);
        let mut prefix = String::new();
        for (at, part) in parts.iter().enumerate() {
            let content = &self.texts[part.text].1.text[part.range.clone()];
            for turn in 0..part.times {
                for (offset, line) in (0..).zip(content.split('\n')) {
                    if at > 0 || turn > 0 || offset > 0 {
                        out.push('\n');
                    }
                    let mut line = line;
                    if let Some((number, style, every)) = part.from
                        && (number + offset) % every == 0
                    {
                        prefix.clear();
                        style.write(number + offset, &mut prefix);
                        line = line.strip_prefix(prefix.as_str())?;
                    }
                    if let Some((number, style)) = part.to {
                        style.write(number + turn + offset, &mut out);
                    }
                    out.push_str(line);
                    if out.len() > length {
                        return None;
                    }
                }
            }
        }
        Some(out)
    }

    fn read(&mut self, index: usize) -> &Rows {
        self.rows.entry(index).or_insert_with(|| Rows::read(&self.texts[index].1.text))
    }
}

/// UTF-16 units of a text by byte.
struct Units {
    /// How many units the characters have that begin before every [`Units::STEP`]th byte; empty when bytes are units.
    before: Vec<usize>,
    /// There may be stand-ins for unpaired surrogates, which count differently in JavaScript.
    stand_ins: bool,
}

impl Units {
    const STEP: usize = 1024;

    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self { before: Vec::new(), stand_ins: false };
        }
        let mut count = 0;
        let before = text.as_bytes().chunks(Self::STEP).map(|chunk| {
            let before = count;
            count += Self::in_bytes(chunk);
            before
        });
        let before = before.collect();
        let stand_ins = differs_outside(text);
        Self { before, stand_ins }
    }

    /// The units of the characters that begin in `bytes` of a text: one each, two where four bytes are needed.
    fn in_bytes(bytes: &[u8]) -> usize {
        bytes.iter().map(|byte| usize::from(*byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
    }

    fn at(&self, text: &str, byte: usize) -> usize {
        let Some(last) = self.before.len().checked_sub(1) else { return byte };
        let step = (byte / Self::STEP).min(last);
        self.before[step] + Self::in_bytes(&text.as_bytes()[step * Self::STEP..byte])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn units_are_those_of_utf16(text in "(a{0,600}|é|→|\u{1F600}){0,40}") {
            let units = Units::of(&text);
            for (at, _) in text.char_indices().step_by(7).chain([(text.len(), ' ')]) {
                prop_assert_eq!(units.at(&text, at), text[..at].encode_utf16().count());
            }
        }
    }
}
