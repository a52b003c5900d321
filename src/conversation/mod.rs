//! The data: messages, blocks, content kinds, plans and how they are applied, shape rules. Knows nobody else.

mod block;
mod fields;
pub mod json_text;
mod line_numbers;
mod message;
mod plan;
mod scan;
mod shape;
mod surrogates;
mod texts;
pub mod utf16;

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

pub use self::{
    block::Block,
    fields::Fields,
    json_text::PathStep,
    line_numbers::NumberStyle,
    message::{Content, Message, Role},
    plan::{Edit, Inserted, NewValue, Plan, PlanError},
    shape::{Problem, answers, calls, is_blank, problems, problems_after},
    surrogates::Surrogates,
    texts::{ContentKind, TextAt},
};
use crate::parallel::in_two;

/// A conversation under work: its messages, and where each one came from. Messages are shared, so a copy is cheap.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    entries: Arc<Vec<Entry>>,
    surrogates: Surrogates,
}

/// A message and its origin.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Index in the conversation that came in; `None` for a message added since.
    pub origin: Option<usize>,
    /// Which of the host's own objects this is, when the host made it.
    pub foreign: Option<usize>,
    /// The message; the same allocation as long as nobody changed it.
    pub message: Arc<Message>,
}

/// The text is not a JSON array.
#[derive(Debug, thiserror::Error)]
#[error("messages must be a JSON array: {0}")]
pub struct NotAnArray(#[from] serde_json::Error);

impl Conversation {
    /// Reads a JSON array of messages. What is in it may be anything: whatever is not a message is carried through.
    ///
    /// # Errors
    /// [`NotAnArray`] when `json` is not a JSON array.
    pub fn parse(json: &str) -> Result<Self, NotAnArray> {
        let (json, surrogates) = Surrogates::repair(json);
        let raw: Vec<&RawValue> = serde_json::from_str(&json)?;
        let read = |raw: &[&RawValue]| raw.iter().map(|raw| Message::read(raw)).collect();
        let messages: Vec<Message> = in_two(&raw, |raw| raw.get().len(), read);
        let entries = messages.into_iter().enumerate();
        let entries =
            entries.map(|(index, message)| Entry { origin: Some(index), foreign: None, message: Arc::new(message) });
        Ok(Self { entries: Arc::new(entries.collect()), surrogates })
    }

    /// A conversation of these messages.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        let entries = messages.into_iter().enumerate().map(|(index, message)| Entry {
            origin: Some(index),
            foreign: None,
            message: Arc::new(message),
        });
        Self { entries: Arc::new(entries.collect()), surrogates: Surrogates::default() }
    }

    fn with_entries(&self, entries: Vec<Entry>) -> Self {
        Self { entries: Arc::new(entries), surrogates: self.surrogates }
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The messages with their origins.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The messages.
    #[must_use]
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.entries.iter().map(|entry| &*entry.message)
    }

    /// The message at `index`.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn message(&self, index: usize) -> &Message {
        &self.entries[index].message
    }

    /// The texts of every message: [`Message::texts`].
    #[must_use]
    pub fn texts(&self) -> Vec<Vec<TextAt<'_>>> {
        in_two(
            &self.entries,
            |entry| entry.message.bytes(),
            |entries| entries.iter().map(|entry| entry.message.texts()).collect(),
        )
    }

    /// Whether it has the very same messages.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .entries
                .iter()
                .zip(other.entries.iter())
                .all(|(one, another)| Arc::ptr_eq(&one.message, &another.message))
    }

    /// JSON on its way out: texts that came from this conversation may hold stand-ins for unpaired surrogates, which
    /// become escapes of those surrogates again.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON.
    pub fn export(&self, value: &impl Serialize) -> serde_json::Result<String> {
        Ok(self.surrogates.unrepair(serde_json::to_string(value)?))
    }
}

impl Serialize for Conversation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.messages())
    }
}
