//! Decisions about undoing: the edits to make, and the reasons for refusals.

use serde::Serialize;

use crate::{conversation::Recipe, formats::NotCarried};

/// Restore data that is damaged, or does not belong to the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The path of the invalid value.
    pub field: String,
    reason: String,
}

impl Invalid {
    pub fn new(field: &str, reason: impl Into<String>) -> Self {
        Self { field: field.to_owned(), reason: reason.into() }
    }

    /// Creates the error for a value that does not fit the messages.
    pub fn foreign(field: &str, reason: &str) -> Self {
        Self::new(field, format!("does not belong to these messages: {reason}"))
    }

    /// Returns place and reason as one sentence.
    #[must_use]
    pub fn message(&self) -> String {
        format!("{}: {}", self.field, self.reason)
    }
}

/// The reason why nothing can be undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The restore data is damaged, or does not belong to the messages.
    #[error("{}", .0.message())]
    Invalid(Invalid),
    /// The lines of pointers cannot be written in the format of the messages, which would be a bug in this crate.
    #[error(transparent)]
    NotCarried(#[from] NotCarried),
}

impl From<Invalid> for UndoError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// A refusal to undo a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RefusedUndo"))]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// The id of the change.
    pub id: String,
    /// - `unknown_change`: not a change of this condensation, or nothing of it remains
    /// - `needs_others`: other changes (`with`) edited the same text, dropped messages beside these, or added
    ///   pointers that would resolve to other lines; all of them must be undone together
    /// - `changed_since`: the message was edited, condensed again, or moved
    /// - `misleads`: a pointer from outside this condensation would resolve to other lines
    #[cfg_attr(test, ts(type = "\"unknown_change\" | \"needs_others\" | \"changed_since\" | \"misleads\""))]
    pub code: &'static str,
    /// The reason for people.
    pub reason: String,
    /// With `changed_since` and `misleads`: index in `messages` of the message concerned, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_index: Option<usize>,
    /// With `needs_others`: the changes that must be undone too, or with `withDependants` cannot be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Vec<String>>,
}

/// The fields of an edit that change if others are undone.
#[derive(Debug, Default, Serialize)]
pub struct Moved {
    /// The index of its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The index of the message before which it inserts one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// The text, in place of the recipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The recipe, with the new places of its source texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
}

/// The edits that remain to be undone.
#[derive(Debug, Serialize)]
pub struct Left {
    /// The numbers of the edits, each with the changed fields.
    pub edits: Vec<(usize, Moved)>,
    /// The digits of each message after undoing the others.
    pub contents: String,
}

/// How to undo a condensation, or some of its changes.
#[derive(Debug, Default, Serialize)]
pub struct Undone {
    /// The numbers of the edits to make. If the value of an edit is a recipe, the rebuilt text is included.
    pub taken: Vec<(usize, Option<String>)>,
    /// The restore data afterwards; `None` if it does not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
    /// The requested changes that are undone.
    pub restored: Vec<String>,
    /// The further changes that are undone because they depend on the requested ones; `None` if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependants: Option<Vec<String>>,
    /// The requested changes that cannot be undone.
    pub refused: Vec<Refusal>,
}
