//! The data: messages, blocks, content kinds, plans and their application, shape rules. Imports no other folder.

mod address;
mod attached;
mod block;
mod bound;
mod estimate;
mod fields;
mod fingerprint;
pub mod json_text;
mod known;
mod line_numbers;
mod message;
pub mod near_bytes;
mod pins;
mod plan;
mod reader;
mod rebuild;
mod recipe;
mod remembered;
mod scan;
mod searchable;
mod shape;
pub mod surrogates;
mod text_addresses;
mod tool_input;
pub mod utf16;
mod view;
mod visible;

use std::{
    any::Any,
    ops::Deref,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

pub(crate) use self::remembered::Reading;
pub use self::{
    address::ContentKind,
    attached::{AttachedFile, Media, Service, typed_files},
    block::{Block, Holes},
    bound::{BoundPlan, Replaced},
    estimate::Estimate,
    fields::Fields,
    fingerprint::{Contents, DIGITS, Fingerprint, content_digits, hash_of_blocks},
    json_text::PathStep,
    known::KnownMessages,
    line_numbers::{NumberStyle, lines_in},
    message::{Content, Message, Role},
    pins::Pins,
    plan::{BlockOrigins, Edit, Inserted, NewValue, Plan, PlanError},
    reader::{MessageReader, NotMessages, each_raw},
    rebuild::{OutsidePath, SourceText},
    recipe::{Recipe, RecipeLines, RecipeWriter},
    scan::string_end,
    shape::{Problem, answered, answers, calls, is_blank, new_problems, problems, problems_after},
    text_addresses::TextAt,
    view::{Json, JsonObject},
    visible::{is_invisible, is_unseen, on_line, visible},
};
use crate::{maps::HashMap, parallel::in_parts};

/// A conversation in progress: its messages and their origins. Messages are shared, so copies are cheap.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    entries: Arc<Entries>,
    /// The number of messages at the beginning of the original conversation that are kept unchanged, with nothing
    /// inserted between them.
    frozen: usize,
}

/// The messages of a conversation, and what a module read in all of them together.
#[derive(Debug, Default)]
struct Entries {
    all: Vec<Entry>,
    reading: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Deref for Entries {
    type Target = Vec<Entry>;

    fn deref(&self) -> &Vec<Entry> {
        &self.all
    }
}

/// Identifies an entry. A message keeps its id while it changes, and two added messages never share one. Later ids
/// are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(u64);

impl EntryId {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A message and its origin.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The entry's identity, before and after plans.
    pub id: EntryId,
    /// The index in the call's input; `None` for a message added since.
    pub origin: Option<usize>,
    /// The number of the host's own object, if the host created the message.
    pub foreign: Option<usize>,
    /// The message; the same allocation as long as it does not change.
    pub message: Arc<Message>,
    /// Parts of its texts that are placeholders for a model's words.
    pub estimates: Vec<Estimate>,
    /// The blocks that must not change.
    pub pins: Pins,
}

/// The error for text that is not a JSON array.
#[derive(Debug, thiserror::Error)]
#[error("messages must be a JSON array: {0}")]
pub struct NotAnArray(#[from] serde_json::Error);

impl Entry {
    /// Creates the entry of the input message at `index`.
    fn original(index: usize, message: Arc<Message>) -> Self {
        Self {
            id: EntryId::new(),
            origin: Some(index),
            foreign: None,
            message,
            estimates: Vec::new(),
            pins: Pins::default(),
        }
    }

    /// Creates the entry of an added message.
    fn inserted(inserted: &Inserted) -> Self {
        let Inserted { message, foreign, estimates } = inserted.clone();
        Self { id: EntryId::new(), origin: None, foreign, message, estimates, pins: Pins::default() }
    }
}

impl Conversation {
    /// Reads a JSON array of messages. Elements that are not messages are carried through.
    ///
    /// # Errors
    /// [`NotAnArray`] if `json` is not a JSON array.
    ///
    /// # Examples
    /// ```
    /// use roo_condense::{Conversation, Role};
    ///
    /// let conversation = Conversation::parse(r#"[{"role": "user", "content": "Hello", "ts": 1}, {"role": "alien"}]"#)?;
    /// assert_eq!(conversation.len(), 2);
    /// assert_eq!(conversation.message(0).role, Role::User);
    /// # Ok::<(), roo_condense::NotAnArray>(())
    /// ```
    pub fn parse(json: &str) -> Result<Self, NotAnArray> {
        let json = surrogates::enter(json);
        let raw: Vec<&RawValue> = serde_json::from_str(&json)?;
        let read = |raw: &[&RawValue]| raw.iter().map(|raw| Message::read(raw)).collect();
        Ok(Self::new(in_parts(&raw, |raw| raw.get().len(), read)))
    }

    /// Creates a conversation of these messages.
    pub fn new(messages: Vec<Message>) -> Self {
        Self::of_shared(messages.into_iter().map(Arc::new))
    }

    fn of_shared(messages: impl IntoIterator<Item = Arc<Message>>) -> Self {
        let entries = messages.into_iter().enumerate().map(|(index, message)| Entry::original(index, message));
        Self::from_entries(entries.collect())
    }

    /// Returns this conversation with other messages in the place of its last one. The messages before it are shared.
    pub fn ending_with(&self, messages: Vec<Arc<Message>>) -> Self {
        let kept = self.entries.iter().take(self.len().saturating_sub(1)).map(|entry| Arc::clone(&entry.message));
        Self::of_shared(kept.chain(messages))
    }

    fn from_entries(entries: Vec<Entry>) -> Self {
        Self { entries: Arc::new(Entries { all: entries, reading: OnceLock::new() }), frozen: 0 }
    }

    /// Returns the result of `read`, which the first call computes. Copies share it, and a changed conversation has none.
    /// `read` may divide its work among threads, but no thread that does part of other work may call this: it would wait
    /// for itself.
    ///
    /// # Panics
    /// If the first call had another type: only one module may keep a result.
    pub(crate) fn reading<T: Send + Sync + 'static>(&self, read: impl FnOnce() -> T) -> &T {
        let reading = self.entries.reading.get_or_init(|| Box::new(read()));
        reading.downcast_ref().expect("the same type as in the first call")
    }

    /// Returns the conversation with at least the first `count` input messages frozen.
    pub fn with_frozen(&self, count: usize) -> Self {
        Self { frozen: self.frozen.max(count), ..self.clone() }
    }

    /// Returns the same conversation as one that came in: the origin of each message is its index.
    pub(crate) fn as_original(&self) -> Self {
        let entry = |(index, entry): (usize, &Entry)| Entry { origin: Some(index), ..entry.clone() };
        Self { frozen: self.frozen, ..Self::from_entries(self.entries.iter().enumerate().map(entry).collect()) }
    }

    /// Returns the number of frozen messages at the beginning.
    pub fn frozen(&self) -> usize {
        let is_frozen = |entry: &&Entry| entry.origin.is_some_and(|origin| origin < self.frozen);
        self.entries.iter().take_while(is_frozen).count()
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no messages.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the messages with their origins.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the messages.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.entries.iter().map(|entry| &*entry.message)
    }

    /// Returns the approximate number of bytes to read.
    pub(crate) fn bytes(&self) -> usize {
        self.messages().map(Message::bytes).sum()
    }

    /// Returns the message at `index`.
    ///
    /// # Panics
    /// If there is none.
    pub fn message(&self, index: usize) -> &Message {
        &self.entries[index].message
    }

    /// Maps each entry to its index.
    pub(crate) fn positions(&self) -> HashMap<EntryId, usize> {
        self.entries.iter().enumerate().map(|(index, entry)| (entry.id, index)).collect()
    }

    /// Returns the number of messages at the beginning that contain the task and are never cut: the first one, or, if
    /// messages of other roles precede it (as `system` does in other formats), all up to the user's first.
    pub fn task(&self) -> usize {
        let others = self.messages().take_while(|message| matches!(message.role, Role::Other(_))).count();
        let is_users = self.entries.get(others).is_some_and(|entry| entry.message.role == Role::User);
        if is_users { others + 1 } else { self.len().min(1) }
    }

    /// Returns the number of messages at the beginning that never change: the task and the frozen ones.
    pub fn fixed(&self) -> usize {
        self.task().max(self.frozen())
    }

    /// Returns the number of messages at the beginning that are never dropped: the fixed ones, and the results of
    /// calls in the last of them.
    pub fn head(&self) -> usize {
        let mut head = self.fixed().min(self.len());
        let (mut answered, has_calls) = (None, |index: usize| !shape::calls(self.message(index)).is_empty());
        while (1..self.len()).contains(&head) {
            // Checked first, because it is hardly ever true, and matching results with calls takes longer.
            let may_answer = !shape::answers(self.message(head)).is_empty();
            let goes_on = may_answer && answered.get_or_insert_with(|| shape::answered(self))[head].is_some();
            if !goes_on && !has_calls(head - 1) {
                break;
            }
            head += 1;
        }
        head
    }

    /// Returns the texts of every message, see [`Message::texts`].
    pub fn texts(&self) -> Vec<Vec<TextAt<'_>>> {
        in_parts(
            self.entries(),
            |entry| entry.message.bytes(),
            |entries| entries.iter().map(|entry| entry.message.texts()).collect(),
        )
    }

    /// Returns the problems that `before`, from which this conversation results, did not have: see `new_problems`.
    pub fn problems_since(&self, before: &Self) -> Vec<Problem> {
        let placed = |conversation: &Self| -> Vec<(EntryId, Problem)> {
            let found = problems(conversation).into_iter();
            found.map(|problem| (conversation.entries[problem.message_index].id, problem)).collect()
        };
        let found = placed(self);
        if found.is_empty() {
            return Vec::new();
        }
        let met =
            |problems: &[(EntryId, Problem)]| problems.iter().filter(|(_, problem)| problem.is_same_role()).count();
        let (before, now) = (placed(before), met(&found));
        let met_before = met(&before);
        let mut new = new_problems(before, found);
        let stayed = now - new.iter().filter(|problem| problem.is_same_role()).count();
        let mut gone = met_before.saturating_sub(stayed);
        // A message that a host rewrote cannot be matched with the old one, so as many pairs of adjacent messages of
        // one role are allowed as before.
        let is_foreign = |at: usize| self.entries.get(at).is_some_and(|entry| entry.foreign.is_some());
        new.retain(|problem| {
            let at = problem.message_index;
            let is_old =
                gone > 0 && problem.is_same_role() && (is_foreign(at) || at.checked_sub(1).is_some_and(is_foreign));
            gone -= usize::from(is_old);
            !is_old
        });
        new
    }

    /// Returns true if both share their entries: one is a clone of the other, unchanged.
    pub fn is_identical(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.entries, &other.entries)
    }

    /// Returns true if both hold the same message allocations in the same order.
    pub fn is_same(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .entries
                .iter()
                .zip(other.entries.iter())
                .all(|(one, another)| Arc::ptr_eq(&one.message, &another.message))
    }

    /// Writes JSON for the outside: see `surrogates`.
    ///
    /// # Errors
    /// If `value` cannot be written as JSON.
    pub fn export(&self, value: &impl Serialize) -> serde_json::Result<String> {
        Ok(surrogates::leave(serde_json::to_string(value)?))
    }
}

impl Serialize for Conversation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.messages())
    }
}
