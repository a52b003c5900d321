//! Carries a plan for a projection over to the caller's messages.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::value::RawValue;

use super::{
    edit::{Added, ForeignEdit, Inside, edited, rewritten, without_field},
    format::Near,
    part::{Path, Place, Slot, below, checked},
    projection::{Projection, alone},
};
use crate::conversation::{
    Block, Content, Contents, Edit, Fingerprint, Inserted, Json, NewValue, PathStep, Plan, Problem, Role,
    content_digits,
    json_text::{escape, splice},
};

#[cfg(test)]
mod tests;

/// A plan for a projection, as edits on the caller's messages.
#[derive(Debug, Default)]
pub struct Carried {
    /// The edits.
    pub edits: Vec<ForeignEdit>,
    /// For each edit, the edits of the plan that it comes from.
    pub from: Vec<Vec<usize>>,
    /// The content hash of each message afterwards.
    pub contents: Contents,
    /// The new index of each of the caller's messages; `None` if it was removed.
    positions: Vec<Option<usize>>,
    /// The added messages, by the edit of the plan: index of the message, and path of the text.
    added: HashMap<usize, (usize, Path)>,
    /// The messages of the new projection: an old index, or the edit that added it.
    layout: Vec<Result<usize, usize>>,
    /// Whether the blocks of each projected message have moved.
    moved: Vec<bool>,
    /// Removed and added elements, by message of the caller.
    inside: BTreeMap<usize, Vec<Inside>>,
}

/// The reason why a plan cannot be carried over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCarried {
    /// The plan needs something that the format cannot express.
    #[error("messages of format \"{format}\" cannot hold {what}")]
    NoForm {
        /// The format.
        format: &'static str,
        /// The kind of content that it has no form for.
        what: &'static str,
    },
    /// The messages were invalid before, and would violate another rule of their format.
    #[error("a message would break a rule of its format: {}", .0.message)]
    Broken(Problem),
}

impl Projection {
    /// Returns the edits on the caller's messages that correspond to `plan` on the projection.
    ///
    /// # Errors
    /// [`NotCarried`] if the plan inserts content that the format cannot express (no built-in provider does), or if
    /// messages that already violate the format's rules would violate them elsewhere.
    pub fn carried(&self, plan: &Plan) -> Result<Carried, NotCarried> {
        let mut carry = Carry {
            of: self,
            gone: self.parts.iter().map(|parts| vec![None; parts.len()]).collect(),
            inside: BTreeMap::new(),
            inputs: BTreeMap::new(),
            added: Vec::new(),
            behind_results: self.behind_results(),
        };
        for (index, edit) in plan.edits.iter().enumerate() {
            carry.removal_or_set(index, edit)?;
        }
        carry.write_inputs();
        carry.spread();
        for (index, edit) in plan.edits.iter().enumerate() {
            carry.addition(index, edit)?;
        }
        let carried = carry.done(plan);
        match self.new_problem(&carried) {
            Some(problem) => Err(NotCarried::Broken(problem)),
            None => Ok(carried),
        }
    }

    /// Returns a problem that the edits add to messages that are already invalid. In valid messages pairs stay whole,
    /// so nothing has to be read again.
    fn new_problem(&self, carried: &Carried) -> Option<Problem> {
        let known = self.problems();
        if known.is_empty() {
            return None;
        }
        // A repeated result counts as an orphan once the other one is removed with their call.
        let key = |problem: &Problem| (problem.code.replace("repeated_", "orphan_"), problem.tool_id.clone());
        let mut left: HashMap<_, usize> = HashMap::new();
        for problem in &known {
            *left.entry(key(problem)).or_default() += 1;
        }
        let messages = edited(self.messages(), &carried.edits);
        let found = self.format.problems(&messages.iter().map(|raw| Json::from(&**raw)).collect::<Vec<_>>());
        found.into_iter().find(|problem| match left.get_mut(&key(problem)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
    }

    /// Returns, for each projected message and for the end, the index after the caller's messages with results for
    /// the messages before it.
    fn behind_results(&self) -> Vec<usize> {
        let mut ends = vec![0];
        let mut end = 0;
        for (message, from) in self.conversation().messages().zip(&self.sources) {
            let results = message.content.blocks().iter().zip(from);
            let results = results.filter(|(block, _)| matches!(block, Block::ToolResult { .. }));
            end = results.map(|(_, (message, _))| *message + 1).max().unwrap_or_default().max(end);
            ends.push(end);
        }
        ends
    }

    /// Returns message and path of a projected text in the caller's condensed messages; `None` if they do not contain
    /// it unchanged.
    pub fn text_place(&self, carried: &Carried, message: usize, path: &[PathStep]) -> Option<(usize, Path)> {
        let is_whole = path.len() == 1 || (path.len() == 3 && path[1].index() == Some(0));
        let projected = match carried.layout.get(message)? {
            Err(edit) => return carried.added.get(edit).filter(|_| is_whole).cloned(),
            Ok(projected) => *projected,
        };
        if carried.moved[projected] {
            return None;
        }
        let (block, rest) = match path {
            [_] => (0, &[PathStep::from("text")][..]),
            [_, block, rest @ ..] => (block.index()?, rest),
            [] => return None,
        };
        let (of, part) = *self.sources[projected].get(block)?;
        let stands = self.parts[of][part].0.slot.text_at(rest)?;
        Some((carried.positions[of]?, moved(stands, carried.inside.get(&of).map_or(&[], Vec::as_slice))))
    }
}

impl Carried {
    /// Returns the index of one of the caller's messages afterwards; `None` if the message was removed.
    pub fn position(&self, message: usize) -> Option<usize> {
        self.positions.get(message).copied().flatten()
    }

    /// Returns the index, in the caller's condensed messages, at which a message of the condensed projection begins.
    pub fn position_of(&self, projection: &Projection, condensed: usize) -> Option<usize> {
        match self.layout.get(condensed)? {
            Err(edit) => self.added.get(edit).map(|(position, _)| *position),
            Ok(projected) => {
                let mut from: Vec<usize> = projection.sources[*projected].iter().map(|(message, _)| *message).collect();
                from.sort_unstable();
                from.into_iter().find_map(|message| self.position(message))
            }
        }
    }
}

/// Returns a path adjusted to removed and added elements of the arrays on it.
fn moved(mut path: Path, inside: &[Inside]) -> Path {
    for depth in 0..path.len() {
        let Some(index) = path[depth].index() else { continue };
        let before: Vec<i64> = inside
            .iter()
            .filter_map(|edit| match edit {
                Inside::Drop(at, gone) if *at == path[..depth] && *gone < index => Some(-1),
                Inside::Insert(at, before, _) if *at == path[..depth] && *before <= index => Some(1),
                _ => None,
            })
            .collect();
        path[depth] = PathStep::Index((index as i64 + before.iter().sum::<i64>()).max(0) as usize);
    }
    path
}

impl Slot {
    /// Returns the place of the text at `rest`, a path from the block, if it is there unchanged.
    fn text_at(&self, rest: &[PathStep]) -> Option<Path> {
        match (self, rest) {
            (Self::Text(path), [_]) => Some(path.clone()),
            (Self::Texts(paths) | Self::Strings(paths), [_, block, _]) => paths.get(block.index()?)?.clone(),
            (Self::Input(path), [_, rest @ ..]) if !rest.is_empty() => Some(below(path, rest.iter().cloned())),
            (Self::Parameter(_, path), [_, _]) => Some(path.clone()),
            _ => None,
        }
    }
}

/// An edit of a call's parameters: the path in them, the new value, and the index of the plan's edit.
type InputEdit = (Path, NewValue, usize);

/// An edit inside a message: the part it concerns, if any, the edit, and the indices of the plan's edits that it
/// comes from.
type Within = (Option<usize>, Inside, Vec<usize>);

/// An added message.
struct New {
    /// The caller's message before which it is inserted.
    before: usize,
    /// The order of messages added at the same place: by message of the projection, and additions at the end of a
    /// message before additions after it.
    order: (usize, bool, usize),
    json: Box<RawValue>,
    text: Path,
    from: Vec<usize>,
}

/// A message that others may refer to.
struct Heir {
    /// The caller's message that it is, or before which it is inserted.
    before: usize,
    name: String,
    /// The plan's edits that added it.
    from: Vec<usize>,
}

struct Carry<'a> {
    of: &'a Projection,
    /// For each part, the edit that removes it.
    gone: Vec<Vec<Option<usize>>>,
    /// By message of the caller: the part, the edit, and the indices of the plan's edits. An added part has `None`.
    inside: BTreeMap<usize, Vec<Within>>,
    inputs: BTreeMap<(usize, usize), Vec<InputEdit>>,
    added: Vec<New>,
    /// See [`Projection::behind_results`].
    behind_results: Vec<usize>,
}

/// Returns the text of a content that is only text.
fn only_text(content: &Content) -> Option<String> {
    match content {
        Content::Text(text) => Some(text.clone()),
        Content::Blocks(blocks) => {
            let text = |block: &Block| if let Block::Text { text, .. } = block { Some(text.clone()) } else { None };
            Some(blocks.iter().map(text).collect::<Option<Vec<_>>>()?.join("\n\n"))
        }
        Content::Other(_) | Content::Missing => None,
    }
}

/// Reads the content that an edit puts in place.
fn content_of(value: &NewValue) -> Content {
    match value {
        NewValue::Text(text) => Content::Text(text.clone()),
        NewValue::Json(raw) => {
            let json = Json::from(&**raw);
            match json.string() {
                Some(text) => Content::Text(text),
                None => {
                    Content::Blocks(json.elements().into_iter().map(|block| Block::read(&block.to_raw())).collect())
                }
            }
        }
    }
}

impl Carry<'_> {
    fn refused(&self, what: &'static str) -> NotCarried {
        NotCarried::NoForm { format: self.of.format.name(), what }
    }

    fn source(&self, message: usize, block: usize) -> Result<(usize, usize), NotCarried> {
        let source = self.of.sources.get(message).and_then(|from| from.get(block));
        source.copied().ok_or_else(|| self.refused("what is not in the conversation"))
    }

    fn place(&self, (message, part): (usize, usize)) -> &Place {
        &self.of.parts[message][part].0
    }

    fn put(&mut self, (message, part): (usize, usize), edit: Inside, from: usize) {
        self.inside.entry(message).or_default().push((Some(part), edit, vec![from]));
    }

    fn removal_or_set(&mut self, index: usize, edit: &Edit) -> Result<(), NotCarried> {
        match edit {
            Edit::Drop { message } => {
                let sources = self.of.sources.get(*message).cloned().unwrap_or_default();
                for (of, part) in sources {
                    self.gone[of][part] = Some(index);
                }
            }
            Edit::DropBlock { message, block } => {
                let (of, part) = self.source(*message, *block)?;
                self.gone[of][part] = Some(index);
            }
            Edit::Set { message, path, value, .. } => match &path[..] {
                [_] => self.set_content(index, *message, value)?,
                [_, block, rest @ ..] => {
                    let source = self.source(*message, block.index().unwrap_or(usize::MAX))?;
                    self.set(index, source, rest, value)?;
                }
                [] => return Err(self.refused("a message in the place of another")),
            },
            Edit::Insert { .. } | Edit::InsertBlock { .. } => {}
        }
        Ok(())
    }

    /// Sets the content of a whole message.
    fn set_content(&mut self, index: usize, message: usize, value: &NewValue) -> Result<(), NotCarried> {
        let text = only_text(&content_of(value)).ok_or_else(|| self.refused("another content than text"))?;
        let sources = self.of.sources.get(message).cloned().unwrap_or_default();
        let blocks = self.of.conversation().message(message).content.blocks();
        let has_text = |source: &(usize, usize)| {
            let (_, block) = self.of.parts[source.0][source.1].1;
            blocks.get(block).is_none_or(|block| matches!(block, Block::Text { .. }))
        };
        let kept = sources.iter().copied().find(has_text);
        for (of, part) in &sources {
            if Some((*of, *part)) != kept {
                self.gone[*of][*part] = Some(index);
            }
        }
        match kept {
            Some(source) => self.set_text(index, source, &text),
            None => {
                let role = self.of.conversation().message(message).role.clone();
                self.add_message(self.of.message(message), (message, false, index), &role, &text, vec![index]);
                Ok(())
            }
        }
    }

    /// Sets the single text of a part.
    fn set_text(&mut self, index: usize, source: (usize, usize), text: &str) -> Result<(), NotCarried> {
        let slots = [std::slice::from_ref(&self.place(source).slot), &self.place(source).copies].concat();
        for slot in slots {
            match slot {
                Slot::Text(path) => self.put(source, Inside::Set(path, NewValue::Text(text.to_owned())), index),
                Slot::Wrapped(path, wrap) => self.put(source, Inside::Set(path, NewValue::Json(wrap(text))), index),
                Slot::Joined(paths) => {
                    for (at, path) in paths.into_iter().enumerate() {
                        match path.split_last().map(|(_, element)| element.split_last()) {
                            Some(Some((PathStep::Index(element), array))) if at > 0 => {
                                self.put(source, Inside::Drop(array.to_vec(), *element), index);
                            }
                            _ => self.put(source, Inside::Set(path, NewValue::Text(text.to_owned())), index),
                        }
                    }
                }
                _ => return Err(self.refused("a text in the place of what is none")),
            }
        }
        Ok(())
    }

    /// Sets a value inside a block.
    fn set(
        &mut self,
        index: usize,
        source: (usize, usize),
        rest: &[PathStep],
        value: &NewValue,
    ) -> Result<(), NotCarried> {
        let Some((PathStep::Key(field), inner)) = rest.split_first() else {
            return self.replace_block(index, source, value);
        };
        match (field.as_ref(), inner) {
            ("input", inner) => {
                self.inputs.entry(source).or_default().push((inner.to_vec(), value.clone(), index));
                Ok(())
            }
            ("content", [PathStep::Index(block), _]) => {
                let (Slot::Texts(paths) | Slot::Strings(paths)) = &self.place(source).slot else {
                    return Err(self.refused("a text in the place of what is none"));
                };
                let path = paths.get(*block).cloned().flatten();
                let path = path.ok_or_else(|| self.refused("a text in the place of what is none"))?;
                self.put(source, Inside::Set(path, value.clone()), index);
                Ok(())
            }
            ("content", _) if matches!(self.place(source).slot, Slot::Texts(_) | Slot::Strings(_)) => {
                let text = only_text(&content_of(value)).ok_or_else(|| self.refused("another result than text"))?;
                self.set_texts(index, source, &text)
            }
            _ => {
                let text = only_text(&content_of(value)).ok_or_else(|| self.refused("another content than text"))?;
                self.set_text(index, source, &text)
            }
        }
    }

    /// Replaces a result of several blocks with one text: the first block takes the text, and the others are removed.
    fn set_texts(&mut self, index: usize, source: (usize, usize), text: &str) -> Result<(), NotCarried> {
        let slot = self.place(source).slot.clone();
        let (Slot::Texts(paths) | Slot::Strings(paths)) = &slot else { return Ok(()) };
        let mut texts = paths.iter().flatten();
        let first = texts.next().cloned().ok_or_else(|| self.refused("a text in the place of what is none"))?;
        for path in texts {
            if matches!(slot, Slot::Strings(_)) {
                self.put(source, Inside::Set(path.clone(), NewValue::Text(String::new())), index);
            } else if let Some((_, [array @ .., PathStep::Index(element)])) = path.split_last() {
                self.put(source, Inside::Drop(array.to_vec(), *element), index);
            }
        }
        self.put(source, Inside::Set(first, NewValue::Text(text.to_owned())), index);
        let beside = if matches!(slot, Slot::Texts(_)) { self.place(source).beside.clone() } else { Vec::new() };
        for path in beside {
            if let Some((PathStep::Index(element), array)) = path.split_last() {
                self.put(source, Inside::Drop(array.to_vec(), *element), index);
            }
        }
        Ok(())
    }

    /// Replaces a block with another.
    fn replace_block(&mut self, index: usize, source: (usize, usize), value: &NewValue) -> Result<(), NotCarried> {
        let NewValue::Json(raw) = value else { return Err(self.refused("a text in the place of a block")) };
        match Block::read(raw) {
            Block::Text { text, .. } if matches!(self.place(source).slot, Slot::Text(_) | Slot::Joined(_)) => {
                self.set_text(index, source, &text)
            }
            Block::Text { text, .. } => {
                let (of, part) = source;
                let json = Json::from(&*self.of.raws[of]);
                let written = match self.place(source).at.first().and_then(|at| at.split_last()) {
                    Some((PathStep::Index(element), array)) => {
                        let part = self.of.format.text_part(json, array, *element, &text);
                        part.map(|part| Inside::Insert(array.to_vec(), *element, part))
                    }
                    _ => None,
                };
                let edit = written.ok_or_else(|| self.refused("a text in the place of what is none"))?;
                self.gone[of][part] = Some(index);
                self.inside.entry(of).or_default().push((None, edit, vec![index]));
                Ok(())
            }
            Block::ToolResult { content, .. } => {
                let text = only_text(&content).ok_or_else(|| self.refused("another result than text"))?;
                if matches!(self.place(source).slot, Slot::Texts(_) | Slot::Strings(_)) {
                    return self.set_texts(index, source, &text);
                }
                self.set_text(index, source, &text)
            }
            _ => Err(self.refused("one block in the place of another")),
        }
    }

    /// Writes the edits of call parameters into the slots that hold them.
    fn write_inputs(&mut self) {
        for (source, edits) in std::mem::take(&mut self.inputs) {
            let slots = [std::slice::from_ref(&self.place(source).slot), &self.place(source).copies].concat();
            for slot in slots {
                match slot {
                    Slot::Input(stands) => {
                        for (path, value, index) in &edits {
                            let path = below(&stands, path.iter().cloned());
                            self.put(source, Inside::Set(path, value.clone()), *index);
                        }
                    }
                    Slot::Encoded(stands) => {
                        let Some(json) = self.new_input(source, &edits) else { continue };
                        for (at, (_, _, index)) in edits.iter().enumerate() {
                            if at == 0 {
                                self.put(source, Inside::Set(stands.clone(), NewValue::Text(json.clone())), *index);
                            } else if let Some((_, _, from)) = self.inside.entry(source.0).or_default().last_mut() {
                                from.push(*index);
                            }
                        }
                    }
                    Slot::Parameter(key, stands) => {
                        for (path, value, index) in &edits {
                            let text = match (&path[..], value) {
                                ([_], NewValue::Text(text)) => Some(text.clone()),
                                (_, value) => {
                                    let NewValue::Json(raw) = value else { continue };
                                    let json = Json::from(&**raw);
                                    json.string().or_else(|| json.object().string(key))
                                }
                            };
                            if let Some(text) = text {
                                self.put(source, Inside::Set(stands.clone(), NewValue::Text(text)), *index);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the JSON of a call's parameters after these edits.
    fn new_input(&self, (of, part): (usize, usize), edits: &[InputEdit]) -> Option<String> {
        let (message, block) = self.of.parts[of][part].1;
        let Block::ToolUse { input, .. } = self.of.conversation().message(message).content.blocks().get(block)? else {
            return None;
        };
        let json = |value: &NewValue| match value {
            NewValue::Text(text) => escape(text),
            NewValue::Json(raw) => raw.get().to_owned(),
        };
        if let Some((_, value, _)) = edits.iter().find(|(path, ..)| path.is_empty()) {
            return Some(json(value));
        }
        let literal =
            |path: &Path| input.texts().iter().find(|text| text.path == *path).map(|text| text.literal.clone());
        let replacements: Option<Vec<_>> =
            edits.iter().map(|(path, value, _)| Some((literal(path)?, json(value)))).collect();
        Some(splice(input.get(), &mut replacements?))
    }

    /// Removes the parts that depend on removed parts: parts tied to one, and parts that must directly precede one.
    fn spread(&mut self) {
        let mut tied: HashMap<&str, usize> = HashMap::new();
        let all = || {
            self.of
                .parts
                .iter()
                .enumerate()
                .flat_map(|(at, parts)| parts.iter().enumerate().map(move |(part, (place, _))| (at, part, place)))
        };
        let has_ties = |(_, _, place): &(usize, usize, &Place)| !place.ties.is_empty();
        for (message, part, place) in all().filter(has_ties) {
            if let Some(edit) = self.gone[message][part] {
                place.ties.iter().for_each(|tie| {
                    tied.insert(tie, edit);
                });
            }
        }
        for (message, part, place) in all().filter(has_ties) {
            if self.gone[message][part].is_none() {
                self.gone[message][part] = place.ties.iter().find_map(|tie| tied.get(tie.as_str()).copied());
            }
        }
        let mut next_gone = None;
        for message in (0..self.gone.len()).rev() {
            for part in (0..self.gone[message].len()).rev() {
                if self.of.parts[message][part].0.needs_next && self.gone[message][part].is_none() {
                    self.gone[message][part] = next_gone;
                }
                next_gone = self.gone[message][part];
            }
        }
    }

    /// Returns true if nothing is left of a message.
    fn is_gone(&self, message: usize) -> bool {
        let gone = &self.gone[message];
        !gone.is_empty() && gone.iter().all(Option::is_some) && !self.has_added_part(message)
    }

    /// Returns true if nothing is left of the message before this part.
    fn is_first_left(&self, (message, part): (usize, usize)) -> bool {
        self.gone[message][..part].iter().all(Option::is_some) && !self.has_added_part(message)
    }

    fn has_added_part(&self, message: usize) -> bool {
        let is_added = |(_, edit, _): &Within| matches!(edit, Inside::Insert(..));
        self.inside.get(&message).is_some_and(|edits| edits.iter().any(is_added))
    }

    fn addition(&mut self, index: usize, edit: &Edit) -> Result<(), NotCarried> {
        match edit {
            Edit::Insert { before, value: Inserted { message, .. } } => {
                let text = only_text(&message.content).ok_or_else(|| self.refused("a message of other than text"))?;
                let first = self.of.sources.get(*before).and_then(|from| from.iter().min().copied());
                let Some(source) = first else {
                    self.add_message(self.of.len(), (*before, true, index), &message.role, &text, vec![index]);
                    return Ok(());
                };
                // A result may be far after its call, with nothing allowed between them.
                let behind = self.behind_results[*before];
                if behind > source.0 + 1 {
                    self.add_message(behind, (*before, true, index), &message.role, &text, vec![index]);
                    return Ok(());
                }
                let is_inside = !self.is_first_left(source);
                if !(is_inside && self.add_part(source, false, &text, index)) {
                    self.add_message(source.0, (*before, true, index), &message.role, &text, vec![index]);
                }
            }
            Edit::InsertBlock { message, before, value } => {
                let Block::Text { text, .. } = Block::read(value) else {
                    return Err(self.refused("a block of other than text"));
                };
                let from = self.of.sources.get(*message).map_or(&[][..], Vec::as_slice);
                let last = from.iter().max().copied();
                let (source, is_behind) = match from.get(*before) {
                    Some(source) => (*source, false),
                    None => (last.ok_or_else(|| self.refused("what is not in the conversation"))?, true),
                };
                if !self.add_part(source, is_behind, &text, index) {
                    let role = self.of.conversation().message(*message).role.clone();
                    let before = (source.0 + usize::from(is_behind)).max(self.behind_results[*message + 1]);
                    self.add_message(before, (*message, is_behind, index), &role, &text, vec![index]);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a text next to a part if one is allowed there.
    fn add_part(&mut self, source: (usize, usize), is_behind: bool, text: &str, index: usize) -> bool {
        let place = self.place(source);
        let at = if is_behind { place.at.iter().max() } else { place.at.first() };
        let Some((PathStep::Index(element), array)) = at.and_then(|at| at.split_last()) else { return false };
        let message = Json::from(&*self.of.raws[source.0]);
        let before = *element + usize::from(is_behind);
        let Some(part) = self.of.format.text_part(message, array, before, text) else { return false };
        let edit = Inside::Insert(array.to_vec(), before, part);
        self.inside.entry(source.0).or_default().push((None, edit, vec![index]));
        true
    }

    fn add_message(&mut self, before: usize, order: (usize, bool, usize), role: &Role, text: &str, from: Vec<usize>) {
        // The nearest message with the same role serves as a model for the form; without one, the nearest message.
        let near = (before..self.of.len()).chain((0..before).rev());
        let says = |message: &usize| {
            let first = self.of.projected(*message).next();
            first.is_some_and(|first| self.of.conversation().message(first).role == *role)
        };
        let like = near.clone().find(says).or_else(|| near.clone().next());
        let message = |message: usize| self.of.raws.get(message).map(|raw| Json::from(&**raw));
        let behind = before.checked_sub(1).and_then(message);
        let near = Near { like: like.and_then(message), behind, number: self.added.len() };
        let written = self.of.format.write(role, text, &near);
        self.added.push(New { before, order, json: checked(written.json), text: written.text, from });
    }

    fn done(mut self, plan: &Plan) -> Carried {
        let mut carried = Carried::default();
        let contents = self.of.contents();
        let mut hashes = Vec::new();
        self.added.sort_by_key(|new| (new.before, new.order));
        let mut added = std::mem::take(&mut self.added).into_iter().peekable();
        // The edits that remove the neighbours of a message without any parts.
        let mut before = None;
        let mut after = vec![None; self.of.len()];
        for message in (1..self.of.len()).rev() {
            after[message - 1] = if self.gone[message].is_empty() { after[message] } else { self.last_edit(message) };
        }
        for message in 0..=self.of.len() {
            while let Some(New { json, text, from, .. }) = added.next_if(|new| new.before == message) {
                hashes.push(alone(self.of.format, Json::from(&*json)).content_hash());
                carried.added.insert(from[0], (hashes.len() - 1, text));
                carried.edits.push(ForeignEdit::Insert { before: message, value: Added { message: json } });
                carried.from.push(from);
            }
            let Some(raw) = self.of.raws.get(message) else { break };
            let json = Json::from(&**raw);
            let content = contents.of_message(message).unwrap_or_default();
            let drop = || ForeignEdit::Drop {
                message,
                was: content_digits(content),
                fingerprint: Fingerprint::of_json(json.json()).to_string(),
            };
            if !self.gone[message].is_empty() {
                before = self.last_edit(message);
            }
            // A message without any parts is removed if both its neighbours are.
            let between = if self.gone[message].is_empty() { before.zip(after[message]) } else { None };
            if self.is_gone(message) || between.is_some() {
                let mut from: Vec<usize> = self.gone[message].iter().flatten().copied().collect();
                from.extend(between.into_iter().flat_map(|(before, after)| [before, after]));
                from.sort_unstable();
                from.dedup();
                carried.edits.push(drop());
                carried.from.push(from);
                carried.positions.push(None);
                continue;
            }
            let edits = self.edits_inside(message);
            if edits.is_empty() {
                carried.positions.push(Some(hashes.len()));
                hashes.push(content);
                continue;
            }
            let (inside, from): (Vec<Inside>, Vec<Vec<usize>>) = edits.into_iter().unzip();
            let new = rewritten(json, &inside);
            if let Some(field) = self.emptied_field(json, &inside) {
                let new = without_field(Json::from(&*new), &field);
                let mut from: Vec<usize> = from.into_iter().flatten().collect();
                from.sort_unstable();
                from.dedup();
                hashes.push(alone(self.of.format, Json::from(&*new)).content_hash());
                carried.edits.push(drop());
                carried.from.push(from.clone());
                carried.edits.push(ForeignEdit::Insert { before: message, value: Added { message: new } });
                carried.from.push(from);
                carried.positions.push(None);
                continue;
            }
            carried.positions.push(Some(hashes.len()));
            hashes.push(alone(self.of.format, Json::from(&*new)).content_hash());
            let mut values = Values { json, arrays: HashMap::new() };
            for (edit, from) in inside.iter().zip(from) {
                carried.edits.push(as_edit(message, &mut values, edit));
                carried.from.push(from);
            }
            carried.inside.insert(message, inside);
        }
        carried.contents = hashes.into();
        if let Some(at) = self.of.format.belongs_at() {
            self.name_heirs(&at, &mut carried);
        }
        self.lay_out(plan, &mut carried);
        carried
    }

    /// Redirects references to removed messages, found at this path, to the nearest message before them that remains
    /// or was added.
    fn name_heirs(&self, at: &[PathStep], carried: &mut Carried) {
        let heirs = self.heirs(carried);
        let named = |message: Json<'_>| message.at(at).and_then(Json::string);
        let gone: HashMap<String, usize> = (0..self.of.len())
            .filter(|message| carried.positions[*message].is_none())
            .filter_map(|message| Some((self.of.format.name_of(Json::from(&*self.of.raws[message]))?, message)))
            .collect();
        let heir = |message: usize| {
            let before = heirs.partition_point(|heir| heir.before <= message);
            heirs.get(before.saturating_sub(1))
        };
        for edit in &mut carried.edits {
            let ForeignEdit::Insert { before, value } = edit else { continue };
            let json = Json::from(&*value.message);
            if let (Some(_), Some(heir)) = (named(json).filter(|name| gone.contains_key(name)), heir(*before)) {
                let edit = Inside::Set(at.to_vec(), NewValue::Text(heir.name.clone()));
                value.message = rewritten(json, &[edit]);
            }
        }
        for message in (0..self.of.len()).filter(|message| carried.positions[*message].is_some()) {
            let json = Json::from(&*self.of.raws[message]);
            let parent = named(json).and_then(|name| gone.get(&name));
            let (Some(parent), Some(heir)) = (parent, heir(message)) else { continue };
            let edit = Inside::Set(at.to_vec(), NewValue::Text(heir.name.clone()));
            carried.edits.push(as_edit(message, &mut Values { json, arrays: HashMap::new() }, &edit));
            // This edit is undone together with those that caused it.
            carried.from.push(self.last_edit(*parent).into_iter().chain(heir.from.iter().copied()).collect());
        }
    }

    /// Returns the messages that others may refer to, in their new order.
    fn heirs(&self, carried: &Carried) -> Vec<Heir> {
        let mut heirs = Vec::new();
        for (edit, from) in carried.edits.iter().zip(&carried.from) {
            if let ForeignEdit::Insert { before, value } = edit
                && let Some(name) = self.of.format.name_of(Json::from(&*value.message))
            {
                heirs.push(Heir { before: *before, name, from: from.clone() });
            }
        }
        for message in (0..self.of.len()).filter(|message| carried.positions[*message].is_some()) {
            if let Some(name) = self.of.format.name_of(Json::from(&*self.of.raws[message])) {
                heirs.push(Heir { before: message, name, from: Vec::new() });
            }
        }
        heirs.sort_by_key(|heir| heir.before);
        heirs
    }

    /// Returns one of the edits that remove a message; `None` if the message is kept.
    fn last_edit(&self, message: usize) -> Option<usize> {
        if self.is_gone(message) { self.gone[message].last().copied().flatten() } else { None }
    }

    /// Returns the edits inside a kept message.
    fn edits_inside(&mut self, message: usize) -> Vec<(Inside, Vec<usize>)> {
        let mut edits: Vec<(Inside, Vec<usize>)> = Vec::new();
        for (part, edit, from) in self.inside.remove(&message).unwrap_or_default() {
            if part.is_none_or(|part| self.gone[message][part].is_none()) {
                edits.push((edit, from));
            }
        }
        let mut by_place: BTreeMap<&Path, Vec<Option<usize>>> = BTreeMap::new();
        for ((place, _), gone) in self.of.parts[message].iter().zip(&self.gone[message]) {
            place.at.iter().for_each(|at| by_place.entry(at).or_default().push(*gone));
        }
        for (at, gone) in by_place {
            let Some(mut from) = gone.into_iter().collect::<Option<Vec<usize>>>() else { continue };
            from.dedup();
            match at.split_last() {
                Some((PathStep::Index(element), array)) => edits.push((Inside::Drop(array.to_vec(), *element), from)),
                Some(_) => {
                    let emptied = checked(self.of.format.emptied().to_owned());
                    edits.push((Inside::Set(at.clone(), NewValue::Json(emptied)), from));
                }
                None => {}
            }
        }
        self.keep_apart(message, &mut edits);
        edits
    }

    /// Puts a separator in place of removed elements between two others that would be read and counted as one.
    fn keep_apart(&self, message: usize, edits: &mut [(Inside, Vec<usize>)]) {
        let mut gone: BTreeMap<Path, BTreeMap<usize, usize>> = BTreeMap::new();
        for (index, (edit, _)) in edits.iter().enumerate() {
            if let Inside::Drop(array, element) = edit {
                gone.entry(array.clone()).or_default().insert(*element, index);
            }
        }
        for (array, gone) in gone {
            let Some(elements) = Json::from(&*self.of.raws[message]).at(&array).map(Json::elements) else { continue };
            for (first, edit) in gone.iter().filter(|(first, _)| **first > 0 && !gone.contains_key(&(**first - 1))) {
                let behind = (*first..elements.len()).find(|element| !gone.contains_key(element));
                let separator =
                    behind.and_then(|behind| self.of.format.separator(elements[first - 1], elements[behind]));
                if let Some(separator) = separator {
                    let path = below(&array, [PathStep::Index(*first)]);
                    edits[*edit].0 = Inside::Set(path, NewValue::Json(checked(separator.to_owned())));
                }
            }
        }
    }

    /// Returns the field whose array would become empty although it must have elements.
    fn emptied_field(&self, json: Json<'_>, inside: &[Inside]) -> Option<String> {
        // An array to which a part is added does not become empty.
        let added: HashSet<&Path> = inside
            .iter()
            .filter_map(|edit| if let Inside::Insert(array, ..) = edit { Some(array) } else { None })
            .collect();
        let mut gone: HashMap<&Path, usize> = HashMap::new();
        for edit in inside {
            if let Inside::Drop(array, _) = edit
                && array.len() == 1
                && !added.contains(array)
            {
                *gone.entry(array).or_default() += 1;
            }
        }
        gone.into_iter().find_map(|(array, count)| {
            let is_all = json.at(array).is_some_and(|array| array.elements().len() == count);
            let PathStep::Key(name) = &array[0] else { return None };
            (is_all && !self.of.format.may_be_empty(array)).then(|| name.to_string())
        })
    }

    fn lay_out(&self, plan: &Plan, carried: &mut Carried) {
        let length = self.of.sources.len();
        carried.moved = vec![false; length];
        let mut dropped = vec![false; length];
        let mut inserts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, edit) in plan.edits.iter().enumerate() {
            match edit {
                Edit::Drop { message } => dropped[*message] = true,
                Edit::Insert { before, .. } => inserts.entry(*before).or_default().push(index),
                Edit::DropBlock { message, .. } | Edit::InsertBlock { message, .. } => carried.moved[*message] = true,
                Edit::Set { message, path, .. } if path.len() == 1 => {
                    carried.moved[*message] |= self.of.sources[*message].len() > 1;
                }
                Edit::Set { .. } => {}
            }
        }
        for message in 0..=length {
            carried.layout.extend(inserts.get(&message).into_iter().flatten().map(|edit| Err(*edit)));
            if dropped.get(message) == Some(&false) {
                carried.layout.push(Ok(message));
            }
        }
    }
}

/// The values in a message, whose arrays are divided only once.
struct Values<'a> {
    json: Json<'a>,
    arrays: HashMap<PathStep, Vec<Json<'a>>>,
}

impl Values<'_> {
    fn fingerprint(&mut self, path: &[PathStep]) -> String {
        let value = match path {
            [name, PathStep::Index(index), rest @ ..] => {
                let elements = || self.json.at(std::slice::from_ref(name)).map(Json::elements).unwrap_or_default();
                let array = self.arrays.entry(name.clone()).or_insert_with(elements);
                array.get(*index).and_then(|element| element.at(rest))
            }
            path => self.json.at(path),
        };
        Fingerprint::of_json(value.map_or("null", Json::json)).to_string()
    }
}

fn as_edit(message: usize, values: &mut Values<'_>, edit: &Inside) -> ForeignEdit {
    match edit {
        Inside::Set(path, value) => {
            let was = values.fingerprint(path);
            ForeignEdit::Set { message, path: path.clone(), value: value.clone(), was }
        }
        Inside::Drop(array, block) => {
            let was = values.fingerprint(&below(array, [PathStep::Index(*block)]));
            ForeignEdit::DropBlock { message, at: array.clone(), block: *block, was }
        }
        Inside::Insert(array, before, value) => {
            ForeignEdit::InsertBlock { message, at: array.clone(), before: *before, value: checked(value.clone()) }
        }
    }
}
