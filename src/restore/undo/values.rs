//! The values that edits restore: stored values, and texts rebuilt by recipes.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

use serde_json::value::RawValue;

use super::{
    answer::Invalid,
    data::{RestoreData, Step, inserted, place},
};
use crate::{
    conversation::{Fingerprint, Json, NewValue, PathStep, Recipe, SourceText},
    maps::HashMap,
    markers::may_point_elsewhere,
};

/// The value that an edit restores.
#[derive(Clone)]
pub(super) enum Restored<'a> {
    /// Nothing, because the edit removes something.
    Nothing,
    /// A stored value.
    Kept(&'a RawValue),
    /// A text that a recipe rebuilt.
    Rebuilt(String),
}

impl Restored<'_> {
    /// Returns true if there may be pointers to other texts in the value.
    pub fn may_point_elsewhere(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Kept(value) => may_point_elsewhere(value.get()),
            Self::Rebuilt(text) => may_point_elsewhere(text),
        }
    }

    /// Returns the value for an edit that sets it.
    pub fn new_value(&self) -> Option<NewValue> {
        match self {
            Self::Nothing => None,
            Self::Kept(value) => Some(NewValue::Json((*value).to_owned())),
            Self::Rebuilt(text) => Some(NewValue::Text(text.clone())),
        }
    }

    /// Returns the text, if a recipe rebuilt one.
    pub fn rebuilt(&self) -> Option<&str> {
        if let Self::Rebuilt(text) = self { Some(text) } else { None }
    }
}

/// The texts that recipes refer to, by message and path, or the reason why a text is missing.
type Texts<'a> = HashMap<(usize, &'a [PathStep]), Result<Rc<SourceText>, String>>;

/// The values of all edits, each read and compared with its fingerprint on first use.
pub(super) struct Values<'a> {
    data: &'a RestoreData<'a>,
    messages: &'a [&'a RawValue],
    kept: &'a [&'a RawValue],
    /// Values that JavaScript could not write, with the reason.
    unwritten: &'a HashMap<usize, String>,
    restored: Vec<OnceCell<Result<Restored<'a>, Invalid>>>,
    texts: RefCell<Texts<'a>>,
}

impl<'a> Values<'a> {
    pub fn new(
        data: &'a RestoreData<'a>,
        messages: &'a [&'a RawValue],
        kept: &'a [&'a RawValue],
        unwritten: &'a HashMap<usize, String>,
    ) -> Self {
        let restored = data.edits.iter().map(|_| OnceCell::new()).collect();
        Self { data, messages, kept, unwritten, restored, texts: RefCell::default() }
    }

    /// Returns the value of an edit, or why it is not the one that the condensation removed.
    pub fn restored(&self, edit: usize) -> Result<&Restored<'a>, &Invalid> {
        self.restored[edit].get_or_init(|| self.read(edit)).as_ref()
    }

    fn read(&self, edit: usize) -> Result<Restored<'a>, Invalid> {
        let place = place(edit);
        let value = self.kept[edit];
        match &self.data.edits[edit].step {
            Step::Drop { .. } | Step::DropBlock { .. } => Ok(Restored::Nothing),
            Step::Insert { .. } => {
                self.checked(edit, Restored::Kept(inserted(value).unwrap_or(value)), &format!("{place}.value.message"))
            }
            Step::InsertBlock { .. } => self.checked(edit, Restored::Kept(value), &format!("{place}.value")),
            Step::Set { message, path, recipe } => {
                let (part, restored) = match recipe {
                    None => (format!("{place}.value"), Restored::Kept(value)),
                    Some(recipe) => {
                        let part = format!("{place}.recipe");
                        let text = self.rebuilt(recipe, edit).map_err(|reason| Invalid::foreign(&part, &reason))?;
                        (part, Restored::Rebuilt(text))
                    }
                };
                self.checked(edit, restored, &format!("{part}, for {}", place_of(*message, path)))
            }
        }
    }

    /// Returns a value if it has the fingerprint of the one that was removed.
    fn checked(&self, edit: usize, restored: Restored<'a>, place: &str) -> Result<Restored<'a>, Invalid> {
        let is = match &restored {
            Restored::Rebuilt(text) => Fingerprint::of_text(text),
            Restored::Kept(value) => match self.unwritten.get(&edit) {
                Some(reason) => return Err(Invalid::foreign(place, reason)),
                None => Fingerprint::of_json(value.get()),
            },
            Restored::Nothing => return Ok(restored),
        };
        let was = &self.data.edits[edit].was;
        if is.to_string() == *was {
            return Ok(restored);
        }
        Err(Invalid::new(place, format!("is not what stood there ({is} instead of {was})")))
    }

    fn rebuilt(&self, recipe: &'a Recipe, edit: usize) -> Result<String, String> {
        let length = Fingerprint::length_in(&self.data.edits[edit].was).unwrap_or_default();
        let texts = recipe.sources().iter().map(|(message, path)| self.text(*message, path));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let texts: Vec<&SourceText> = texts.iter().map(|text| &**text).collect();
        recipe.rebuilt(&texts, length).map_err(|error| error.to_string())
    }

    /// Returns the text at a path in a message.
    fn text(&self, message: usize, path: &'a [PathStep]) -> Result<Rc<SourceText>, String> {
        let read = || {
            let shown = || serde_json::to_string(path).unwrap_or_default();
            let value = self.messages.get(message).and_then(|message| Json::from(*message).at(path));
            let value = value.ok_or_else(|| format!("there is nothing at {}", shown()))?;
            let text = value.string().ok_or_else(|| format!("there is no text at {}", shown()))?;
            Ok(Rc::new(text.into()))
        };
        self.texts.borrow_mut().entry((message, path)).or_insert_with(read).clone()
    }
}

/// Describes a place in messages, for people.
fn place_of(message: usize, path: &[PathStep]) -> String {
    let is_name =
        |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte));
    let steps = path.iter().map(|step| match step {
        PathStep::Key(key) if is_name(key) => format!(".{key}"),
        PathStep::Key(key) => format!("[{}]", serde_json::to_string(key).unwrap_or_default()),
        PathStep::Index(index) => format!("[{index}]"),
    });
    format!("messages[{message}]{}", steps.collect::<String>())
}
