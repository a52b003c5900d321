//! Makes some edits, and translates the places of all other edits to the resulting messages.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    data::{RestoreData, Step},
    values::{Restored, Values},
};
use crate::{
    conversation::Json,
    formats::{Inside, rewritten},
    maps::{HashMap, HashSet},
};

/// The messages after some edits.
pub(super) struct Back<'a> {
    pub messages: Vec<Cow<'a, RawValue>>,
    /// The places of inserted messages, by their edits.
    inserted: HashMap<usize, usize>,
    pub shift: Shift,
}

impl<'a> Back<'a> {
    /// Makes these edits. The value of each must be available.
    pub fn make(messages: &[&'a RawValue], data: &RestoreData<'_>, values: &Values<'a>, taken: &[usize]) -> Self {
        let mut inside: HashMap<usize, Vec<Inside>> = HashMap::default();
        let mut inserts: HashMap<usize, Vec<(usize, &'a RawValue)>> = HashMap::default();
        let mut dropped: HashSet<usize> = HashSet::default();
        for edit in taken {
            let Ok(restored) = values.restored(*edit) else { continue };
            match (&data.edits[*edit].step, restored) {
                (Step::Set { message, path, .. }, restored) => {
                    let set = restored.new_value().map(|value| Inside::Set(path.clone(), value));
                    inside.entry(*message).or_default().extend(set);
                }
                (Step::DropBlock { message, at, block }, _) => {
                    inside.entry(*message).or_default().push(Inside::Drop(at.clone(), *block));
                }
                (Step::InsertBlock { message, at, before }, Restored::Kept(value)) => {
                    inside.entry(*message).or_default().push(Inside::Insert(
                        at.clone(),
                        *before,
                        value.get().to_owned(),
                    ));
                }
                (Step::Insert { before }, Restored::Kept(value)) => {
                    inserts.entry(*before).or_default().push((*edit, value));
                }
                (Step::Drop { message }, _) => drop(dropped.insert(*message)),
                (Step::Insert { .. } | Step::InsertBlock { .. }, _) => {}
            }
        }
        let mut made = Self { messages: Vec::new(), inserted: HashMap::default(), shift: Shift::by(data, taken) };
        for index in 0..=messages.len() {
            for (edit, message) in inserts.remove(&index).into_iter().flatten() {
                made.inserted.insert(edit, made.messages.len());
                made.messages.push(Cow::Borrowed(message));
            }
            if let Some(message) = messages.get(index).filter(|_| !dropped.contains(&index)) {
                made.messages.push(match inside.get(&index) {
                    None => Cow::Borrowed(*message),
                    Some(edits) => Cow::Owned(rewritten(Json::from(*message), edits)),
                });
            }
        }
        made
    }

    /// Returns the new index of the message that an edit concerns.
    pub fn place(&self, edit: usize, message: Option<usize>) -> Option<usize> {
        message.map_or_else(|| self.inserted.get(&edit).copied(), |message| Some(self.shift.place(message)))
    }

    /// Returns the messages.
    pub fn raws(&self) -> Vec<&RawValue> {
        self.messages.iter().map(|message| &**message).collect()
    }
}

/// The positions from which edits move the later messages.
pub(super) struct Shift {
    /// Each index from which messages move, and the total distance there, in order.
    steps: Vec<(usize, isize)>,
}

impl Shift {
    fn by(data: &RestoreData<'_>, taken: &[usize]) -> Self {
        let mut steps: Vec<(usize, isize)> = taken
            .iter()
            .filter_map(|edit| match data.edits[*edit].step {
                Step::Drop { message } => Some((message + 1, -1)),
                Step::Insert { before } => Some((before, 1)),
                _ => None,
            })
            .collect();
        steps.sort_by_key(|(from, _)| *from);
        let mut total = 0;
        for (_, step) in &mut steps {
            total += *step;
            *step = total;
        }
        Self { steps }
    }

    /// Returns the index that the message at `index` has after the edits.
    pub fn place(&self, index: usize) -> usize {
        let before = self.steps.partition_point(|(from, _)| *from <= index);
        let moved = before.checked_sub(1).map_or(0, |last| self.steps[last].1);
        index.saturating_add_signed(moved)
    }
}
