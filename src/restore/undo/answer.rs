//! Answers to the question how something is undone, and the reasons why it cannot be.

use serde::Serialize;

use crate::{conversation::Recipe, formats::NotCarried};

/// Restore data that is damaged, or does not belong to the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The place.
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
    /// The lines of pointers cannot be written in the format of the messages, which would be a bug of ours.
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

/// The fields of an edit that change when others are undone.
#[derive(Debug, Default, Serialize)]
pub struct Moved {
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The message that another is inserted before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// The text, in place of the recipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The recipe, of texts at their new places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
}

/// The edits that are left to undo.
#[derive(Debug, Serialize)]
pub struct Left {
    /// Each by its number, with the fields that change.
    pub edits: Vec<(usize, Moved)>,
    /// The digits of each message after undoing the others.
    pub contents: String,
}

/// How to undo a condensation, or some of its changes.
#[derive(Debug, Default, Serialize)]
pub struct Undone {
    /// The edits to make, by their numbers; where a recipe stands for a text, with that text.
    pub taken: Vec<(usize, Option<String>)>,
    /// The restore data afterwards; none if it stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
    /// The changes asked for that are undone.
    pub restored: Vec<String>,
    /// The changes that are undone because others depend on them, if wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependants: Option<Vec<String>>,
    /// The changes asked for that cannot be undone.
    pub refused: Vec<Refusal>,
}
