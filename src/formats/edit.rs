//! Edits on messages of another format.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::value::RawValue;

use super::part::{Path, checked};
use crate::conversation::{Json, NewValue, PathStep, json_text::escape};

/// An edit on messages of another format, in the form that JavaScript applies. Indices and paths refer to the
/// messages before all edits.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum ForeignEdit {
    /// Replaces a value.
    Set {
        /// The index of the message.
        message: usize,
        /// The path from the message to the value.
        path: Path,
        /// The new value.
        value: NewValue,
        /// The fingerprint of the old value.
        was: String,
    },
    /// Removes a message.
    Drop {
        /// The index of the message.
        message: usize,
        /// The hash of its content, as in `conversation::Contents`.
        was: String,
        /// Its fingerprint.
        fingerprint: String,
    },
    /// Adds a message.
    Insert {
        /// The index of the message to insert before; the number of messages for the end.
        before: usize,
        /// The new message.
        value: Added,
    },
    /// Removes an element of an array in a message.
    DropBlock {
        /// The index of the message.
        message: usize,
        /// The path of the array.
        at: Path,
        /// The index of the element.
        block: usize,
        /// Its fingerprint.
        was: String,
    },
    /// Adds an element to an array in a message.
    InsertBlock {
        /// The index of the message.
        message: usize,
        /// The path of the array.
        at: Path,
        /// The index of the element to insert before; the number of elements for the end.
        before: usize,
        /// The new element.
        value: Box<RawValue>,
    },
}

/// An added message.
#[derive(Debug, Clone, Serialize)]
pub struct Added {
    /// The message.
    pub message: Box<RawValue>,
}

/// An edit inside one message.
#[derive(Debug, Clone)]
pub enum Inside {
    /// Sets a value.
    Set(Path, NewValue),
    /// Removes an element of the array at the path.
    Drop(Path, usize),
    /// Inserts an element before another one.
    Insert(Path, usize, String),
}

impl Inside {
    fn path(&self) -> &[PathStep] {
        match self {
            Self::Set(path, _) | Self::Drop(path, _) | Self::Insert(path, ..) => path,
        }
    }
}

/// Returns the message `json` with these edits made; everything else stays byte for byte.
pub fn rewritten(json: Json<'_>, edits: &[Inside]) -> Box<RawValue> {
    let mut out = String::with_capacity(json.json().len());
    rewrite(json, 0, &edits.iter().collect::<Vec<_>>(), &mut out);
    checked(out)
}

/// Returns the message without a field.
pub(super) fn without_field(json: Json<'_>, name: &str) -> Box<RawValue> {
    let mut out = String::new();
    fields(json, |key| key != name, |_, value, out| out.push_str(value.json()), &mut out);
    checked(out)
}

fn fields(
    json: Json<'_>,
    stays: impl Fn(&str) -> bool,
    mut write: impl FnMut(&str, Json<'_>, &mut String),
    out: &mut String,
) {
    out.push('{');
    let object = json.object();
    for (index, (key, value)) in object.iter().filter(|(key, _)| stays(key)).enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&escape(key));
        out.push(':');
        write(key, value, out);
    }
    out.push('}');
}

fn rewrite(json: Json<'_>, depth: usize, edits: &[&Inside], out: &mut String) {
    if edits.is_empty() {
        out.push_str(json.json());
        return;
    }
    let set = edits.iter().find_map(|edit| match edit {
        Inside::Set(path, value) if path.len() == depth => Some(value),
        _ => None,
    });
    if let Some(value) = set {
        match value {
            NewValue::Text(text) => out.push_str(&escape(text)),
            NewValue::Json(raw) => out.push_str(raw.get()),
        }
        return;
    }
    let inner = |is_it: &dyn Fn(&PathStep) -> bool| -> Vec<&Inside> {
        edits.iter().copied().filter(|edit| edit.path().get(depth).is_some_and(is_it)).collect()
    };
    if json.is_object() {
        let write = |key: &str, value: Json<'_>, out: &mut String| {
            let edits = inner(&|step| matches!(step, PathStep::Key(name) if name == key));
            rewrite(value, depth + 1, &edits, out);
        };
        return fields(json, |_| true, write, out);
    }
    let mut within: HashMap<usize, Vec<&Inside>> = HashMap::new();
    let mut gone: HashSet<usize> = HashSet::new();
    let mut added: HashMap<usize, Vec<&str>> = HashMap::new();
    for edit in edits.iter().copied() {
        match (edit.path().get(depth), edit) {
            (Some(step), edit) => within.entry(step.index().unwrap_or(usize::MAX)).or_default().push(edit),
            (None, Inside::Drop(_, element)) => drop(gone.insert(*element)),
            (None, Inside::Insert(_, before, value)) => added.entry(*before).or_default().push(value),
            (None, Inside::Set(..)) => {}
        }
    }
    let elements = json.elements();
    let mut written: Vec<String> = Vec::new();
    for index in 0..=elements.len() {
        written.extend(added.get(&index).into_iter().flatten().map(|value| (*value).to_owned()));
        let Some(element) = elements.get(index).filter(|_| !gone.contains(&index)) else { continue };
        let mut text = String::new();
        rewrite(*element, depth + 1, within.get(&index).map_or(&[], Vec::as_slice), &mut text);
        written.push(text);
    }
    out.push('[');
    out.push_str(&written.join(","));
    out.push(']');
}

/// Applies edits to messages as JavaScript does.
///
/// # Panics
/// If an edit names something that does not exist.
pub fn edited(messages: &[Box<RawValue>], edits: &[ForeignEdit]) -> Vec<Box<RawValue>> {
    let mut result = Vec::new();
    for index in 0..=messages.len() {
        for edit in edits {
            if let ForeignEdit::Insert { before, value } = edit
                && *before == index
            {
                result.push(value.message.clone());
            }
        }
        let Some(raw) = messages.get(index) else { break };
        if edits.iter().any(|edit| matches!(edit, ForeignEdit::Drop { message, .. } if *message == index)) {
            continue;
        }
        let inside: Vec<Inside> = edits.iter().filter_map(|edit| inside(edit, index)).collect();
        result.push(if inside.is_empty() { raw.clone() } else { rewritten(Json::from(&**raw), &inside) });
    }
    result
}

fn inside(edit: &ForeignEdit, index: usize) -> Option<Inside> {
    match edit {
        ForeignEdit::Set { message, path, value, .. } if *message == index => {
            Some(Inside::Set(path.clone(), value.clone()))
        }
        ForeignEdit::DropBlock { message, at, block, .. } if *message == index => {
            Some(Inside::Drop(at.clone(), *block))
        }
        ForeignEdit::InsertBlock { message, at, before, value } if *message == index => {
            Some(Inside::Insert(at.clone(), *before, value.get().to_owned()))
        }
        _ => None,
    }
}
