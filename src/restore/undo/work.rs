//! Messages with the edits that undo their changes: which changes cannot be undone, and which pointers would resolve to
//! other lines.

use std::cell::OnceCell;

use serde_json::value::RawValue;

use super::{
    answer::{Invalid, Left, Moved},
    back::Back,
    data::{RestoreData, Step, UndoEdit},
    pointers::{Expanded, Place, Pointers, bare_lines},
    values::{Restored, Values},
};
use crate::{
    conversation::{
        Contents, PathStep,
        json_text::{string_values, unescape},
        utf16::utf16_length,
    },
    formats::{Messages, NotCarried},
    maps::{HashMap, HashSet},
};

/// Number of lines by which the change that removed them is identified.
const MAX_TELLING_LINES: usize = 5;
/// Minimum UTF-16 units of a line that identifies a change. Shorter ones, such as brackets, are too common.
const MIN_TELLING_UNITS: usize = 4;

/// A reason why one group cannot be undone.
pub(super) struct Obstacle {
    pub reason: String,
    pub message: Option<usize>,
}

/// A pointer that would resolve to other lines.
pub(super) struct Misled {
    /// The message with the pointer.
    pub message: usize,
    /// The group that wrote the pointer, or removed its lines.
    pub group: Option<usize>,
    /// The group that restores the pointer.
    pub own: Option<usize>,
}

/// The messages before the condensation, as far as they can be restored, and their pointers.
struct Original<'a> {
    back: Back<'a>,
    pointers: Pointers,
}

/// The messages of a condensation, with what undoes its changes.
pub(super) struct Work<'w, 'a> {
    messages: &'w [&'a RawValue],
    pub data: &'w RestoreData<'a>,
    values: &'w Values<'a>,
    /// For each message, true if it is as the condensation left it.
    is_same: Vec<bool>,
    by_group: HashMap<usize, Vec<usize>>,
    pointers: OnceCell<Pointers>,
    original: OnceCell<Original<'a>>,
    by_line: OnceCell<HashMap<String, Vec<usize>>>,
}

impl<'w, 'a> Work<'w, 'a> {
    pub fn new(messages: &'w [&'a RawValue], data: &'w RestoreData<'a>, values: &'w Values<'a>) -> Self {
        let is_same = compared(messages, data);
        let mut by_group: HashMap<usize, Vec<usize>> = HashMap::default();
        for (index, edit) in data.edits.iter().enumerate() {
            by_group.entry(edit.group).or_default().push(index);
        }
        Self {
            messages,
            data,
            values,
            is_same,
            by_group,
            pointers: OnceCell::new(),
            original: OnceCell::new(),
            by_line: OnceCell::new(),
        }
    }

    /// Returns why a group cannot be undone in any case.
    pub fn obstacle(&self, group: usize) -> Option<Obstacle> {
        self.by_group.get(&group).into_iter().flatten().copied().find_map(|edit| {
            let message = self.changed_at(edit);
            if message.is_some() || self.messages.len() < self.data.contents.len() {
                let shown = message.unwrap_or(self.messages.len());
                let reason = format!("messages[{shown}] is no longer what the condensation left there");
                return Some(Obstacle { reason, message });
            }
            let error = self.values.restored(edit).err()?;
            Some(Obstacle { reason: error.message(), message: None })
        })
    }

    /// Returns true if undoing these groups may restore pointers.
    pub fn returns_pointers(&self, undone: &HashSet<usize>) -> bool {
        self.edits_of(undone).into_iter().any(|edit| self.may_point(edit))
    }

    /// Returns the pointers that would resolve to other lines if these groups were undone: pointers in the current
    /// messages, and pointers that are restored without their lines.
    pub fn misled(&self, undone: &HashSet<usize>) -> Result<Vec<Misled>, NotCarried> {
        let taken = self.edits_of(undone);
        let before = self.pointers()?;
        // An edit that cannot be made is refused when it is requested.
        if taken.iter().any(|edit| self.values.restored(*edit).is_err()) {
            return Ok(Vec::new());
        }
        let returning: Vec<usize> = taken.iter().copied().filter(|edit| self.may_point(*edit)).collect();
        if before.texts.is_empty() && returning.is_empty() {
            return Ok(Vec::new());
        }
        let back = self.back(&taken);
        let after = Pointers::resolve(&Messages::read(self.data.format, &back.raws()))?;
        let places = after.by_place();
        let mut of_message: HashMap<usize, Vec<usize>> = HashMap::default();
        for edit in &taken {
            if let Some(message) = self.data.edits[*edit].message() {
                of_message.entry(message).or_default().push(*edit);
            }
        }
        let is_taken = |text: &Expanded| {
            of_message
                .get(&text.message)
                .is_some_and(|edits| edits.iter().any(|edit| self.is_inside(*edit, &text.path)))
        };
        let is_misled =
            |text: &&Expanded| !is_taken(text) && !stands(text, &places, (back.shift.place(text.message), &text.path));
        let mut misled: Vec<Misled> = before
            .texts
            .iter()
            .filter(is_misled)
            .map(|text| Misled { message: text.message, group: self.writer(text, undone), own: None })
            .collect();
        if !returning.is_empty() {
            self.misled_there(&returning, undone, &back, &after, &mut misled)?;
        }
        Ok(misled)
    }

    /// Adds the pointers that these edits restore, if they would resolve to other lines than before the condensation,
    /// with the groups that removed the original lines.
    fn misled_there(
        &self,
        returning: &[usize],
        undone: &HashSet<usize>,
        back: &Back<'_>,
        after: &Pointers,
        misled: &mut Vec<Misled>,
    ) -> Result<(), NotCarried> {
        let original = self.original()?;
        let is_left = |edit: &usize| !undone.contains(&self.data.edits[*edit].group) && self.is_possible(*edit);
        let left: Vec<usize> = self.edits().filter(is_left).collect();
        let (now, then) = (after.by_message(), original.pointers.by_message());
        let (places_now, places_then) = (after.by_place(), original.pointers.by_place());
        for edit in returning.iter().copied() {
            let of = &self.data.edits[edit];
            let message = of.message();
            let (at, was) = (back.place(edit, message), original.back.place(edit, message));
            let here = self.texts_of(edit, &now, at);
            let there = self.texts_of(edit, &then, was);
            let place = |message: Option<usize>| message.unwrap_or(usize::MAX);
            let is_wrong = here.iter().any(|text| !stands(text, &places_then, (place(was), &text.path)));
            let missing: Vec<&&Expanded> =
                there.iter().filter(|text| !stands(text, &places_now, (place(at), &text.path))).collect();
            if !is_wrong && missing.is_empty() {
                continue;
            }
            let known: HashSet<&str> = here.iter().flat_map(|text| text.lines()).collect();
            let is_telling = |line: &&str| utf16_length(line) >= MIN_TELLING_UNITS && !known.contains(line);
            let lines = missing.iter().flat_map(|text| text.lines()).filter(is_telling).take(MAX_TELLING_LINES);
            let others = self.removers(lines, &left);
            let message = message.unwrap_or(if let Step::Insert { before } = of.step { before } else { 0 });
            let groups = if others.is_empty() { &left } else { &others };
            misled.extend(groups.iter().map(|other| Misled {
                message,
                group: Some(self.data.edits[*other].group),
                own: Some(of.group),
            }));
        }
        Ok(())
    }

    /// Returns the edits among `left` that each restore all of these lines.
    fn removers<'l>(&self, lines: impl Iterator<Item = &'l str>, left: &[usize]) -> Vec<usize> {
        let left: HashSet<usize> = left.iter().copied().collect();
        let restorers = lines.map(|line| self.by_line().get(line).map_or(&[][..], Vec::as_slice));
        let all = restorers.map(|edits| edits.iter().copied().filter(|edit| left.contains(edit)).collect::<Vec<_>>());
        all.reduce(|common, edits| common.into_iter().filter(|edit| edits.contains(edit)).collect()).unwrap_or_default()
    }

    /// Returns the texts with pointers that an edit restores, of those in the message at `place`.
    fn texts_of<'t>(
        &self,
        edit: usize,
        texts: &HashMap<usize, Vec<&'t Expanded>>,
        place: Option<usize>,
    ) -> Vec<&'t Expanded> {
        let texts = place.and_then(|place| texts.get(&place)).into_iter().flatten();
        texts.copied().filter(|text| self.is_inside(edit, &text.path)).collect()
    }

    /// Returns true if an edit concerns the text at a path in its message.
    fn is_inside(&self, edit: usize, path: &[PathStep]) -> bool {
        self.data.edits[edit].set_path().is_none_or(|set| path.starts_with(set))
    }

    /// Returns the group that wrote a pointer, if that group is not undone.
    fn writer(&self, text: &Expanded, undone: &HashSet<usize>) -> Option<usize> {
        let writes = |edit: &&UndoEdit| {
            let block = edit.set_path().and_then(|path| path.get(1));
            edit.message() == Some(text.message)
                && !undone.contains(&edit.group)
                && (block.is_none() || block == text.path.get(1))
        };
        self.data.edits.iter().find(writes).map(|edit| edit.group)
    }

    /// Returns the edits to make, the others adjusted to the messages after them, and the digits of those messages.
    pub fn done(&self, undone: &HashSet<usize>) -> (Vec<usize>, Left) {
        let taken = self.edits_of(undone);
        let back = self.back(&taken);
        let touched: HashSet<usize> = taken.iter().filter_map(|edit| self.data.edits[*edit].message()).collect();
        let left = self.edits().filter(|edit| !undone.contains(&self.data.edits[*edit].group));
        let edits = left.map(|edit| (edit, self.moved(edit, &back, &touched))).collect();
        // Unchanged messages are not hashed again. A message that was edited since keeps its old digits, so that it is
        // still recognised as edited.
        let length = self.data.contents.len();
        let behind = self.messages.len().saturating_sub(length);
        let mut digits: Vec<Option<&str>> = vec![None; back.messages.len().saturating_sub(behind)];
        for (index, content) in self.data.contents.iter().enumerate().filter(|(index, _)| !touched.contains(index)) {
            if let Some(place) = digits.get_mut(back.shift.place(index)) {
                *place = Some(content);
            }
        }
        let raws = back.raws();
        let anew: Vec<&RawValue> =
            digits.iter().zip(&raws).filter(|(known, _)| known.is_none()).map(|(_, raw)| *raw).collect();
        let anew = Messages::read(self.data.format, &anew).contents().to_string();
        let mut anew = Contents::divide(&anew).unwrap_or_default().into_iter();
        let contents = digits.into_iter().filter_map(|known| known.or_else(|| anew.next())).collect();
        (taken, Left { edits, contents })
    }

    /// Returns the fields of an edit that change with its place. If other edits changed the source lines of its recipe,
    /// the text replaces the recipe.
    fn moved(&self, edit: usize, back: &Back<'_>, touched: &HashSet<usize>) -> Moved {
        let place = |message: usize| Some(back.shift.place(message));
        let of = &self.data.edits[edit];
        let mut moved = Moved { message: of.message().and_then(place), ..Moved::default() };
        match &of.step {
            Step::Insert { before } => moved.before = place(*before),
            Step::Set { recipe: Some(recipe), .. } => {
                let is_touched = recipe.sources().iter().any(|(message, _)| touched.contains(message));
                let text = self.values.restored(edit).ok().and_then(Restored::rebuilt).filter(|_| is_touched);
                moved.value = text.map(str::to_owned);
                if moved.value.is_none() {
                    moved.recipe = recipe.moved(|message, path| Some((back.shift.place(message), path.to_vec())));
                }
            }
            _ => {}
        }
        moved
    }

    /// Returns the text of each recipe among these edits.
    pub fn texts(&self, taken: &[usize]) -> Vec<(usize, Option<String>)> {
        let text = |edit: usize| self.values.restored(edit).ok().and_then(Restored::rebuilt).map(str::to_owned);
        taken.iter().map(|edit| (*edit, text(*edit))).collect()
    }

    fn edits(&self) -> std::ops::Range<usize> {
        0..self.data.edits.len()
    }

    fn edits_of(&self, groups: &HashSet<usize>) -> Vec<usize> {
        self.edits().filter(|edit| groups.contains(&self.data.edits[*edit].group)).collect()
    }

    fn back(&self, taken: &[usize]) -> Back<'a> {
        Back::make(self.messages, self.data, self.values, taken)
    }

    /// Returns true if the value that an edit restores may contain pointers.
    fn may_point(&self, edit: usize) -> bool {
        self.values.restored(edit).is_ok_and(Restored::may_point_elsewhere)
    }

    /// Returns a message that an edit concerns and that is not as the condensation left it.
    fn changed_at(&self, edit: usize) -> Option<usize> {
        let of = &self.data.edits[edit];
        let places = match of.step {
            Step::Insert { before } => [before.checked_sub(1), Some(before)],
            _ => [of.message(), None],
        };
        places.into_iter().flatten().find(|index| self.is_same.get(*index) == Some(&false))
    }

    /// Returns true if an edit can be made, because its message is as the condensation left it.
    fn is_possible(&self, edit: usize) -> bool {
        self.changed_at(edit).is_none() && self.values.restored(edit).is_ok()
    }

    fn pointers(&self) -> Result<&Pointers, NotCarried> {
        kept(&self.pointers, || Pointers::resolve(&Messages::read(self.data.format, self.messages)))
    }

    fn original(&self) -> Result<&Original<'a>, NotCarried> {
        kept(&self.original, || {
            let possible: Vec<usize> = self.edits().filter(|edit| self.is_possible(*edit)).collect();
            let back = self.back(&possible);
            let pointers = Pointers::resolve(&Messages::read(self.data.format, &back.raws()))?;
            Ok(Original { back, pointers })
        })
    }

    /// Returns the edits that restore each line.
    fn by_line(&self) -> &HashMap<String, Vec<usize>> {
        self.by_line.get_or_init(|| {
            let mut edits: HashMap<String, Vec<usize>> = HashMap::default();
            for edit in self.edits().filter(|edit| self.is_possible(*edit)) {
                let texts = self.values.restored(edit).map(texts_in).unwrap_or_default();
                let lines: HashSet<&str> = texts.iter().flat_map(|text| bare_lines(text)).collect();
                for line in lines {
                    edits.entry(line.to_owned()).or_default().push(edit);
                }
            }
            edits
        })
    }
}

/// Returns whether each message is as the condensation left it.
fn compared(messages: &[&RawValue], data: &RestoreData<'_>) -> Vec<bool> {
    let length = messages.len().min(data.contents.len());
    let now = Messages::read(data.format, &messages[..length]).contents().to_string();
    let now = Contents::divide(&now).unwrap_or_default();
    data.contents.iter().enumerate().map(|(index, content)| now.get(index) == Some(content)).collect()
}

/// Returns the first message that is not as the condensation left it.
pub(super) fn check_messages(messages: &[&RawValue], data: &RestoreData<'_>) -> Result<(), Invalid> {
    let known = data.contents.len();
    if messages.len() < known {
        return Err(Invalid::new("messages", format!("the condensation left {known}, here are {}", messages.len())));
    }
    match compared(messages, data).iter().position(|is_same| !is_same) {
        None => Ok(()),
        Some(changed) => Err(Invalid::new(
            &format!("messages[{changed}]"),
            "is not the message that the condensation left there: it was edited, condensed again, restored already, or is of another conversation",
        )),
    }
}

/// Returns the value of a cell, which is read on first use.
fn kept<T>(cell: &OnceCell<T>, read: impl FnOnce() -> Result<T, NotCarried>) -> Result<&T, NotCarried> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = read()?;
    Ok(cell.get_or_init(|| value))
}

/// Returns true if the text at a place has the same lines as `text`.
fn stands(text: &Expanded, places: &HashMap<Place<'_>, &Expanded>, place: Place<'_>) -> bool {
    places.get(&place).is_some_and(|other| text.is_same(other))
}

/// Returns the texts in a value.
fn texts_in(restored: &Restored<'_>) -> Vec<String> {
    match restored {
        Restored::Nothing => Vec::new(),
        Restored::Rebuilt(text) => vec![text.clone()],
        Restored::Kept(value) => {
            string_values(value.get()).into_iter().map(|string| unescape(&value.get()[string.literal])).collect()
        }
    }
}
