//! Reads restore data, which a host may have stored anywhere and changed.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, value::RawValue};

use super::answer::Invalid;
use crate::{
    conversation::{Contents, DIGITS, Fingerprint, OutsidePath, PathStep, Recipe},
    formats::{self, Format},
    maps::HashSet,
};

/// The supported version of restore data.
const VERSION: u64 = 2;
/// Upper limit on block indices: no message has this many blocks.
const MAX_BLOCKS: usize = u32::MAX as usize;
/// Marks an edit that belongs to no group.
const NO_GROUP: usize = usize::MAX;

/// Restore data, checked to have the form that a condensation returns.
pub(super) struct RestoreData<'a> {
    pub edits: Vec<UndoEdit>,
    /// The digits of each message that the condensation left.
    pub contents: Vec<&'a str>,
    /// The ids of the changes that can only be undone together.
    pub groups: Vec<Vec<String>>,
    pub format: Option<&'static dyn Format>,
}

/// An edit that undoes one edit of the condensation.
#[derive(Deserialize)]
#[serde(try_from = "Fields")]
pub(super) struct UndoEdit {
    pub step: Step,
    pub group: usize,
    /// The fingerprint of the value that it restores.
    pub was: String,
    has_value: bool,
}

/// The fields of all edits.
#[derive(Deserialize)]
struct Fields {
    op: String,
    message: Option<usize>,
    path: Option<OutsidePath>,
    #[serde(default, deserialize_with = "given")]
    recipe: Option<Recipe>,
    #[serde(default, deserialize_with = "given")]
    at: Option<OutsidePath>,
    block: Option<usize>,
    before: Option<usize>,
    #[serde(default = "no_group")]
    group: usize,
    #[serde(default)]
    was: String,
    /// True if the edit has a value, which is stored elsewhere.
    #[serde(default)]
    value: bool,
}

impl TryFrom<Fields> for UndoEdit {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { op, message, path, recipe, at, block, before, group, was, value } = fields;
        // Blocks are added to and removed from the content, unless an edit names another array.
        let at = at.map_or_else(|| vec!["content".into()], |OutsidePath(at)| at);
        let step = match (&*op, message, block, before, path) {
            ("set", Some(message), _, _, Some(OutsidePath(path))) => Step::Set { message, path, recipe },
            ("drop", Some(message), ..) => Step::Drop { message },
            ("drop_block", Some(message), Some(block), ..) => Step::DropBlock { message, at, block },
            ("insert", _, _, Some(before), _) => Step::Insert { before },
            ("insert_block", Some(message), _, Some(before), _) => Step::InsertBlock { message, at, before },
            _ => return Err("an edit names an operation and its place"),
        };
        Ok(Self { step, group, was, has_value: value })
    }
}

fn no_group() -> usize {
    NO_GROUP
}

/// The place of an edit, and for a text the recipe to rebuild it.
pub(super) enum Step {
    Set { message: usize, path: Vec<PathStep>, recipe: Option<Recipe> },
    Drop { message: usize },
    DropBlock { message: usize, at: Vec<PathStep>, block: usize },
    Insert { before: usize },
    InsertBlock { message: usize, at: Vec<PathStep>, before: usize },
}

/// Reads a field that is omitted, or has a value of its type: not null.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl UndoEdit {
    /// Returns the message that the edit is in; `None` for a message that it inserts.
    pub fn message(&self) -> Option<usize> {
        match self.step {
            Step::Set { message, .. }
            | Step::Drop { message }
            | Step::DropBlock { message, .. }
            | Step::InsertBlock { message, .. } => Some(message),
            Step::Insert { .. } => None,
        }
    }

    /// Returns the path of a value that the edit sets.
    pub fn set_path(&self) -> Option<&[PathStep]> {
        if let Step::Set { path, .. } = &self.step { Some(path) } else { None }
    }

    /// Returns true if the edit concerns one of `length` messages and has the value that it needs.
    fn is_of(&self, length: usize, value: &RawValue) -> bool {
        let has_was = || Fingerprint::length_in(&self.was).is_some();
        let is_inside = self.message().is_none_or(|message| message < length);
        is_inside
            && match &self.step {
                Step::Set { path, recipe, .. } => {
                    let is_source = match recipe {
                        Some(recipe) => recipe.sources().iter().all(|(message, _)| *message < length),
                        None => self.has_value,
                    };
                    !path.is_empty() && has_was() && is_source
                }
                Step::Drop { .. } => true,
                Step::DropBlock { block, .. } => *block <= MAX_BLOCKS,
                Step::InsertBlock { before, .. } => *before <= MAX_BLOCKS && self.has_value && has_was(),
                Step::Insert { before } => *before <= length && has_was() && inserted(value).is_some(),
            }
    }
}

/// The value of an edit that inserts a message.
#[derive(Deserialize)]
struct Inserted<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
    #[serde(default, deserialize_with = "given")]
    foreign: Option<&'a RawValue>,
}

/// Returns the message in the value of an edit; `None` if there is none, or if a custom provider created it.
pub(super) fn inserted(value: &RawValue) -> Option<&RawValue> {
    let Inserted { message, foreign } = serde_json::from_str(value.get()).ok()?;
    foreign.is_none().then_some(message)
}

/// The unchecked fields of restore data.
#[derive(Deserialize)]
pub(super) struct Form<'a> {
    version: Option<Value>,
    #[serde(borrow)]
    edits: Option<Vec<&'a RawValue>>,
    #[serde(default, deserialize_with = "given")]
    original: Option<Value>,
    #[serde(borrow, default, deserialize_with = "given")]
    messages: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "given")]
    groups: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    format: Option<Value>,
}

impl<'a> Form<'a> {
    /// Returns the data, if it has the form that a condensation returns.
    pub fn read(&self, values: &[&RawValue]) -> Result<RestoreData<'a>, Invalid> {
        let version = self.version.as_ref().and_then(Value::as_u64);
        if version == Some(1) {
            return Err(Invalid::new(
                "restoreData.version",
                "1 is of an earlier version of roo-condense, which alone can read it; this one reads 2",
            ));
        }
        if let Some(version) = version.filter(|version| *version != VERSION) {
            let reason = format!("{version} is not known here; this roo-condense reads {VERSION}");
            return Err(Invalid::new("restoreData.version", reason));
        }
        let Some(edits) = self.edits.as_ref().filter(|_| version == Some(VERSION)) else {
            let reason = format!("not what a condensation returned (version {VERSION}, with edits)");
            return Err(Invalid::new("restoreData", reason));
        };
        if edits.is_empty() {
            // A condensation that changed nothing has no other fields.
            return if self.original.is_none() && self.messages.is_none() {
                Ok(RestoreData { edits: Vec::new(), contents: Vec::new(), groups: Vec::new(), format: None })
            } else {
                Err(Invalid::new("restoreData.edits", "are missing: there is no way back without them"))
            };
        }
        let format = self.format.as_ref().map(|format| {
            let format = format.as_str().and_then(formats::named);
            format.ok_or_else(|| Invalid::new("restoreData.format", "is no format that is known here"))
        });
        let format = format.transpose()?;
        let original = self.original.as_ref().and_then(Value::as_str);
        if original.and_then(Fingerprint::length_in).is_none() {
            return Err(Invalid::new("restoreData.original", "is not a number of messages with a hash"));
        }
        let contents = self.messages.and_then(|messages| serde_json::from_str(messages.get()).ok());
        let contents = contents
            .and_then(Contents::divide)
            .ok_or_else(|| Invalid::new("restoreData.messages", format!("is not {DIGITS} digits for each message")))?;
        let groups = self.groups.as_ref().map_or(Some(Vec::new()), |groups| Vec::deserialize(groups).ok());
        let groups = groups.ok_or_else(|| Invalid::new("restoreData.groups", "are not the ids of changes"))?;
        let edits = read_edits(edits, values, contents.len())?;
        check_disjoint(&edits)?;
        Ok(RestoreData { edits, contents, groups, format })
    }
}

fn read_edits(edits: &[&RawValue], values: &[&RawValue], length: usize) -> Result<Vec<UndoEdit>, Invalid> {
    let read = |(index, (edit, value)): (usize, (&&RawValue, &&RawValue))| {
        let edit: Option<UndoEdit> = serde_json::from_str(edit.get()).ok();
        let edit = edit.filter(|edit| edit.is_of(length, value));
        edit.ok_or_else(|| Invalid::new(&place(index), "is not an edit of these messages"))
    };
    edits.iter().zip(values).enumerate().map(read).collect()
}

/// Returns the place of an edit for an error.
pub(super) fn place(edit: usize) -> String {
    format!("restoreData.edits[{edit}]")
}

/// Rejects edits if two of them concern the same value, or a value and a part of it.
fn check_disjoint(edits: &[UndoEdit]) -> Result<(), Invalid> {
    let mut taken: HashSet<(usize, Cow<'_, [PathStep]>)> = HashSet::default();
    for (index, edit) in edits.iter().enumerate() {
        let value = match &edit.step {
            Step::Set { message, path, .. } => (*message, Cow::Borrowed(&**path)),
            Step::Drop { message } => (*message, Cow::Owned(Vec::new())),
            Step::DropBlock { message, at, block } => {
                (*message, at.iter().cloned().chain([PathStep::Index(*block)]).collect())
            }
            Step::Insert { .. } | Step::InsertBlock { .. } => continue,
        };
        if !taken.insert(value) {
            return Err(Invalid::new(&place(index), "another edit is about the same"));
        }
    }
    for (index, edit) in edits.iter().enumerate() {
        let (message, path, holders) = match &edit.step {
            Step::Set { message, path, .. } => (*message, path, path.len()),
            Step::InsertBlock { message, at, .. } => (*message, at, at.len() + 1),
            _ => continue,
        };
        if (0..holders).any(|length| taken.contains(&(message, Cow::Borrowed(&path[..length])))) {
            return Err(Invalid::new(&place(index), "another edit is about what holds it"));
        }
    }
    Ok(())
}
