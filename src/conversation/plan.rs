//! Plans: edits on a conversation, and the one place that applies them.

use crate::maps::HashMap;
use std::{borrow::Cow, sync::Arc};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;

use super::{
    Block, Content, Conversation, Entry, EntryId, Estimate, Fields, Message, PathStep, Pins,
    block::Depth,
    estimate::estimates_after,
    fields::to_raw,
    json_text::{self, escape},
    tool_input::{InputText, ToolInput},
};

/// One edit. Indices refer to the conversation that the plan was made for.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Edit {
    /// Replaces a value.
    Set {
        /// The index of the message.
        message: usize,
        /// The path from the message to the value.
        path: Vec<PathStep>,
        /// The new value.
        value: NewValue,
        /// Parts of the value that are placeholders for a model's words, with paths from the message.
        #[serde(skip)]
        estimates: Vec<Estimate>,
    },
    /// Removes a message.
    Drop {
        /// The index of the message.
        message: usize,
    },
    /// Adds a message.
    Insert {
        /// The index of the message to insert before; the number of messages for the end.
        before: usize,
        /// The new message.
        value: Inserted,
    },
    /// Removes a block of a message. Paths in other edits of the message still count it.
    #[serde(rename = "drop_block")]
    DropBlock {
        /// The index of the message.
        message: usize,
        /// The index of the block.
        block: usize,
    },
    /// Adds a block to a message whose content is blocks. Paths in other edits of the message do not count it yet.
    #[serde(rename = "insert_block")]
    InsertBlock {
        /// The index of the message.
        message: usize,
        /// The index of the block to insert before; the number of blocks for the end.
        before: usize,
        /// The new block.
        value: Box<RawValue>,
    },
}

/// A message that an [`Edit::Insert`] adds. As JSON it is `{message}`, or `{foreign}` if the host already has the
/// object.
#[derive(Debug, Clone)]
pub struct Inserted {
    /// The message.
    pub message: Arc<Message>,
    /// The number of the host's own object, if the host created the message.
    pub foreign: Option<usize>,
    /// Parts of its texts that are placeholders for a model's words.
    pub estimates: Vec<Estimate>,
}

impl From<Message> for Inserted {
    fn from(message: Message) -> Self {
        Self { message: Arc::new(message), foreign: None, estimates: Vec::new() }
    }
}

impl Serialize for Inserted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self.foreign {
            Some(foreign) => map.serialize_entry("foreign", &foreign)?,
            None => map.serialize_entry("message", &self.message)?,
        }
        map.end()
    }
}

/// The new value of an [`Edit::Set`].
#[derive(Debug, Clone)]
pub enum NewValue {
    /// A text.
    Text(String),
    /// Any JSON value.
    Json(Box<RawValue>),
}

impl NewValue {
    fn json(&self) -> Box<RawValue> {
        match self {
            Self::Text(text) => to_raw(text),
            Self::Json(raw) => raw.clone(),
        }
    }
}

impl Serialize for NewValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Json(raw) => raw.serialize(serializer),
        }
    }
}

/// A plan that does not fit the conversation it is applied to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The plan names a message that does not exist, such as message 12 of 10.
    #[error("the plan names message {message}, but there are only {length}")]
    NoSuchMessage {
        /// The named index.
        message: usize,
        /// The number of messages.
        length: usize,
    },
    /// The plan names a value that does not exist, such as `["content",3,"text"]` in a message of two blocks.
    #[error("message {message} has nothing to replace at {path}")]
    NoSuchPath {
        /// The index of the message.
        message: usize,
        /// The path, as JSON.
        path: String,
    },
}

impl Edit {
    /// Creates an edit that replaces a text of [`Message::texts`].
    pub fn set_text(message: usize, path: impl AsRef<[PathStep]>, text: String) -> Self {
        Self::set(message, path.as_ref().to_vec(), NewValue::Text(text))
    }

    /// Creates an edit that replaces a value by one without placeholders.
    pub fn set(message: usize, path: Vec<PathStep>, value: NewValue) -> Self {
        Self::Set { message, path, value, estimates: Vec::new() }
    }
}

/// A provider's edits. An empty plan changes nothing.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct Plan {
    /// The edits, in any order, except that inserts before the same message keep theirs.
    pub edits: Vec<Edit>,
}

impl Plan {
    /// Returns the plan with the host's own messages as JSON, for when the host has forgotten its objects.
    pub fn without_foreign(mut self) -> Self {
        for edit in &mut self.edits {
            if let Edit::Insert { value, .. } = edit {
                value.foreign = None;
            }
        }
        self
    }

    /// Returns true if the plan changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the plan that turns `before` into `after`, which must result from it by [`Conversation::apply`].
    pub fn between(before: &Conversation, after: &Conversation) -> Self {
        let position = before.positions();
        let mut edits = Vec::new();
        let mut next = 0;
        for entry in after.entries() {
            match position.get(&entry.id).copied() {
                Some(index) => {
                    edits.extend((next..index).map(|message| Edit::Drop { message }));
                    next = index + 1;
                    differences(index, &before.entries()[index], entry, &mut edits);
                }
                None => {
                    let Entry { message, foreign, estimates, .. } = entry.clone();
                    let value = Inserted { message, foreign, estimates };
                    edits.push(Edit::Insert { before: next, value });
                }
            }
        }
        edits.extend((next..before.len()).map(|message| Edit::Drop { message }));
        Self { edits }
    }

    /// Returns the edits that turn the content of message `index` from `from` into `to`.
    pub fn of_message(index: usize, from: &Message, to: &Message) -> Vec<Edit> {
        let entry = |message: &Message| Entry::inserted(&message.clone().into());
        let mut edits = Vec::new();
        differences(index, &entry(from), &entry(to), &mut edits);
        edits
    }

    /// Returns the plan that turns `after` back into `before`.
    ///
    /// # Examples
    /// ```
    /// use roo_condense::{Conversation, Edit, Plan};
    ///
    /// let before = Conversation::parse(r#"[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]"#)?;
    /// let after = before.apply(&Plan { edits: vec![Edit::Drop { message: 1 }] })?;
    /// assert_eq!(after.len(), 1);
    ///
    /// let restored = after.apply(&Plan::inverse(&before, &after))?;
    /// assert_eq!(serde_json::to_string(&restored)?, serde_json::to_string(&before)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn inverse(before: &Conversation, after: &Conversation) -> Self {
        let position = before.positions();
        let mut edits = Vec::new();
        let mut next = 0;
        let missing = |range: std::ops::Range<usize>, at: usize, edits: &mut Vec<Edit>| {
            edits.extend(range.map(|index| {
                let Entry { message, estimates, .. } = before.entries()[index].clone();
                let value = Inserted { message, foreign: None, estimates };
                Edit::Insert { before: at, value }
            }));
        };
        for (at, entry) in after.entries().iter().enumerate() {
            match position.get(&entry.id).copied() {
                Some(index) => {
                    missing(next..index, at, &mut edits);
                    next = index + 1;
                    differences(at, entry, &before.entries()[index], &mut edits);
                }
                None => edits.push(Edit::Drop { message: at }),
            }
        }
        missing(next..before.len(), after.len(), &mut edits);
        Self { edits }
    }
}

/// Collects the edits that turn message `index` from `from` into `to`.
fn differences(index: usize, from: &Entry, to: &Entry, edits: &mut Vec<Edit>) {
    if Arc::ptr_eq(&from.message, &to.message) {
        return;
    }
    if let (Content::Blocks(blocks), Content::Blocks(wanted)) = (&from.message.content, &to.message.content)
        && let Some(pairs) = paired(blocks, wanted)
    {
        for pair in pairs {
            match pair {
                Pair::Both(block, at) => {
                    let mut set = |path: Vec<PathStep>, value| {
                        let estimates = to.estimates.iter().filter_map(|estimate| estimate.moved(at, block));
                        let estimates = estimates.filter(|estimate| estimate.path.starts_with(&path)).collect();
                        edits.push(Edit::Set { message: index, path, value, estimates });
                    };
                    block_differences(&["content".into(), block.into()], &blocks[block], &wanted[at], &mut set);
                }
                Pair::Gone(block) => edits.push(Edit::DropBlock { message: index, block }),
                Pair::New(before, at) => {
                    edits.push(Edit::InsertBlock { message: index, before, value: to_raw(&wanted[at]) });
                }
            }
        }
        return;
    }
    let mut set = |path: Vec<PathStep>, value| {
        let estimates = to.estimates.iter().filter(|estimate| estimate.path.starts_with(&path)).cloned().collect();
        edits.push(Edit::Set { message: index, path, value, estimates });
    };
    content_differences(&["content".into()], &from.message.content, &to.message.content, &mut set);
}

/// The fate of an old block, or the origin of a new one.
enum Pair {
    /// This block became that one.
    Both(usize, usize),
    /// This block was removed.
    Gone(usize),
    /// Before the first block, the second is new.
    New(usize, usize),
}

/// Pairs the blocks of two contents, if one has thinking that the other has not, or all blocks of the other and more,
/// and everything else of both is in the same order. `None` if they differ otherwise, or have the same number of
/// blocks.
fn paired(from: &[Block], to: &[Block]) -> Option<Vec<Pair>> {
    if from.len() == to.len() {
        return None;
    }
    let is_same = |one: &Block, other: &Block| to_raw(one).get() == to_raw(other).get();
    let is_there =
        |one: &Block, other: &Block| one.kind() == other.kind() && (!one.is_thinking() || is_same(one, other));
    // Calls and results match by their ids, whatever else changed.
    let is_counterpart = |one: &Block, other: &Block| match (one, other) {
        (Block::ToolUse { id, .. }, Block::ToolUse { id: other, .. }) => id == other,
        (Block::ToolResult { tool_use_id, .. }, Block::ToolResult { tool_use_id: other, .. }) => tool_use_id == other,
        _ => is_same(one, other),
    };
    // Two texts at the same position may be one text before and after a change.
    let may_be = |one: &Block, other: &Block| {
        is_counterpart(one, other) || matches!((one, other), (Block::Text { .. }, Block::Text { .. }))
    };
    // Unchanged blocks are paired first: in invalid histories two results may have one id.
    paired_by(from, to, is_same, |_| true)
        .or_else(|| paired_by(from, to, is_there, Block::is_thinking))
        .or_else(|| paired_by(from, to, is_counterpart, |_| true))
        .or_else(|| paired_by(from, to, may_be, |_| true))
}

/// `is_there` returns true if two blocks match, `may_miss` if a block may have no match.
fn paired_by(
    from: &[Block],
    to: &[Block],
    is_there: impl Fn(&Block, &Block) -> bool,
    may_miss: impl Fn(&Block) -> bool,
) -> Option<Vec<Pair>> {
    let shrinks = to.len() < from.len();
    let (long, short) = if shrinks { (from, to) } else { (to, from) };
    let mut pairs = Vec::with_capacity(long.len());
    let mut at = 0;
    for (index, block) in long.iter().enumerate() {
        if short.get(at).is_some_and(|other| is_there(block, other)) {
            pairs.push(if shrinks { Pair::Both(index, at) } else { Pair::Both(at, index) });
            at += 1;
        } else if may_miss(block) {
            pairs.push(if shrinks { Pair::Gone(index) } else { Pair::New(at, index) });
        } else {
            return None;
        }
    }
    (at == short.len()).then_some(pairs)
}

fn content_differences(path: &[PathStep], from: &Content, to: &Content, set: &mut impl FnMut(Vec<PathStep>, NewValue)) {
    match (from, to) {
        (Content::Text(from), Content::Text(to)) if from == to => {}
        (_, Content::Text(to)) => set(path.to_vec(), NewValue::Text(to.clone())),
        (Content::Blocks(from), Content::Blocks(to)) if from.len() == to.len() => {
            for (index, (from, to)) in from.iter().zip(to).enumerate() {
                block_differences(&[path, &[index.into()]].concat(), from, to, set);
            }
        }
        _ => {
            let json = to_raw(to);
            if to_raw(from).get() != json.get() {
                set(path.to_vec(), NewValue::Json(json));
            }
        }
    }
}

fn block_differences(path: &[PathStep], from: &Block, to: &Block, set: &mut impl FnMut(Vec<PathStep>, NewValue)) {
    let at = |key: &'static str| [path, &[key.into()]].concat();
    match (from, to) {
        _ if !same_but_content(from, to) => set(path.to_vec(), NewValue::Json(to_raw(to))),
        (Block::Text { text: from, .. }, Block::Text { text: to, .. }) => {
            if from != to {
                set(at("text"), NewValue::Text(to.clone()));
            }
        }
        (Block::ToolResult { content: from, .. }, Block::ToolResult { content: to, .. }) => {
            content_differences(&at("content"), from, to, set);
        }
        (Block::ToolUse { input: from, .. }, Block::ToolUse { input: to, .. }) => {
            input_differences(&at("input"), from, to, set);
        }
        _ => {
            let json = to_raw(to);
            if to_raw(from).get() != json.get() {
                set(path.to_vec(), NewValue::Json(json));
            }
        }
    }
}

/// Returns true if two blocks differ at most in what edits can set inside a block: a text, a tool result's content, a
/// tool's input.
fn same_but_content(from: &Block, to: &Block) -> bool {
    let same = |from: &Fields, to: &Fields| {
        from.len() == to.len() && from.iter().zip(to).all(|(from, to)| from.0 == to.0 && from.1.get() == to.1.get())
    };
    match (from, to) {
        (Block::Text { extra: from, .. }, Block::Text { extra: to, .. }) => same(from, to),
        (
            Block::ToolUse { id, name, input, extra },
            Block::ToolUse { id: new_id, name: new_name, input: new_input, extra: new_extra },
        ) => {
            // Setting a field can neither add nor remove it.
            let both_written = (input.get() == RawValue::NULL.get()) == (new_input.get() == RawValue::NULL.get());
            id == new_id && name == new_name && both_written && same(extra, new_extra)
        }
        (
            Block::ToolResult { tool_use_id, content, extra, .. },
            Block::ToolResult { tool_use_id: new_id, content: new_content, extra: new_extra, .. },
        ) => {
            let both_written = matches!(content, Content::Missing) == matches!(new_content, Content::Missing);
            tool_use_id == new_id && both_written && same(extra, new_extra)
        }
        _ => true,
    }
}

fn input_differences(
    path: &[PathStep],
    from: &ToolInput,
    to: &ToolInput,
    set: &mut impl FnMut(Vec<PathStep>, NewValue),
) {
    if from.get() == to.get() {
        return;
    }
    let (old, new) = (from.texts(), to.texts());
    if !around(from.get(), old).eq(around(to.get(), new)) {
        return set(path.to_vec(), NewValue::Json((**to).to_owned()));
    }
    for (old, new) in old.iter().zip(new) {
        // The same text may be escaped differently.
        if old.text != new.text {
            set([path, &new.path].concat(), NewValue::Text(new.text.clone()));
        }
    }
}

/// Iterates over the JSON around the strings: keys, numbers, brackets.
fn around<'a>(json: &'a str, strings: &'a [InputText]) -> impl Iterator<Item = &'a str> {
    let starts = std::iter::once(0).chain(strings.iter().map(|string| string.literal.end));
    let ends = strings.iter().map(|string| string.literal.start).chain(std::iter::once(json.len()));
    starts.zip(ends).map(|(start, end)| &json[start..end])
}

impl Conversation {
    /// Applies a plan: the only place where a conversation changes. `self` is not changed; messages that the plan does
    /// not
    /// touch are shared.
    ///
    /// # Errors
    /// [`PlanError`] if the plan names something that does not exist; then nothing changes.
    ///
    /// # Examples
    /// ```
    /// use roo_condense::{Conversation, Edit, Plan};
    ///
    /// let conversation = Conversation::parse(r#"[{"role": "user", "content": "Hello"}]"#)?;
    /// let edits = vec![Edit::set_text(0, vec!["content".into()], "Hi".to_owned())];
    /// let changed = conversation.apply(&Plan { edits })?;
    /// assert_eq!(serde_json::to_string(&changed)?, r#"[{"role":"user","content":"Hi"}]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&self, plan: &Plan) -> Result<Self, PlanError> {
        let length = self.len();
        let in_range = |message: usize, length: usize| {
            if message < length { Ok(()) } else { Err(PlanError::NoSuchMessage { message, length }) }
        };
        let mut dropped = vec![false; length];
        let mut sets: HashMap<usize, Vec<Set<'_>>> = HashMap::default();
        let mut blocks: HashMap<usize, BlockEdits<'_>> = HashMap::default();
        let mut estimates: HashMap<usize, Vec<Estimate>> = HashMap::default();
        let mut inserts: HashMap<usize, Vec<Entry>> = HashMap::default();
        for edit in &plan.edits {
            match edit {
                Edit::Set { message, path, value, estimates: of_value } => {
                    in_range(*message, length)?;
                    estimates.entry(*message).or_default().extend(of_value.iter().cloned());
                    sets.entry(*message).or_default().push((path, value));
                }
                Edit::Drop { message } => {
                    in_range(*message, length)?;
                    dropped[*message] = true;
                }
                Edit::Insert { before, value } => {
                    in_range(*before, length + 1)?;
                    inserts.entry(*before).or_default().push(Entry::inserted(value));
                }
                Edit::DropBlock { message, block } => {
                    in_range(*message, length)?;
                    blocks.entry(*message).or_default().dropped.push(*block);
                }
                Edit::InsertBlock { message, before, value } => {
                    in_range(*message, length)?;
                    blocks.entry(*message).or_default().added.push((*before, value));
                }
            }
        }
        let mut entries = Vec::with_capacity(length);
        for (index, entry) in self.entries().iter().enumerate() {
            entries.extend(inserts.remove(&index).unwrap_or_default());
            if dropped[index] {
                continue;
            }
            if !sets.contains_key(&index) && !blocks.contains_key(&index) {
                entries.push(entry.clone());
                continue;
            }
            let no_path = |path: &[PathStep]| PlanError::NoSuchPath {
                message: index,
                path: serde_json::to_string(path).unwrap_or_default(),
            };
            let of_message = sets.get(&index).map_or(&[][..], Vec::as_slice);
            let mut message = changed_message(&entry.message, of_message).map_err(no_path)?;
            let new = estimates.remove(&index).unwrap_or_default();
            let mut estimates = estimates_after(&entry.estimates, new, &entry.message, &message);
            if let Some(edits) = blocks.get(&index) {
                edits.apply(&mut message.content).map_err(|block| no_path(&["content".into(), block.into()]))?;
                estimates = estimates.iter().filter_map(|estimate| edits.moved(estimate)).collect();
            }
            let pins = blocks.get(&index).map_or_else(|| entry.pins.clone(), |edits| edits.pins(&entry.pins));
            // A changed message is no longer the host's own object.
            entries.push(Entry { message: Arc::new(message), estimates, pins, foreign: None, ..entry.clone() });
        }
        entries.extend(inserts.remove(&length).unwrap_or_default());
        Ok(Self { frozen: self.frozen, ..Self::from_entries(entries) })
    }
}

/// The former indices of blocks, for messages in which a plan adds or removes blocks.
#[derive(Debug, Default)]
pub struct BlockOrigins(HashMap<EntryId, Vec<Option<usize>>>);

impl BlockOrigins {
    /// Traces the blocks of a plan and the conversation that it is for.
    pub fn trace(plan: &Plan, before: &Conversation) -> Self {
        let mut edits: HashMap<usize, (Vec<usize>, Vec<usize>)> = HashMap::default();
        for edit in &plan.edits {
            match edit {
                Edit::DropBlock { message, block } => edits.entry(*message).or_default().0.push(*block),
                Edit::InsertBlock { message, before, .. } => edits.entry(*message).or_default().1.push(*before),
                _ => {}
            }
        }
        let origins = edits.into_iter().filter_map(|(message, (dropped, added))| {
            let entry = before.entries().get(message)?;
            let length = entry.message.content.blocks().len();
            let mut blocks = Vec::with_capacity(length + added.len());
            for at in 0..=length {
                blocks.extend(added.iter().filter(|before| **before == at).map(|_| None));
                blocks.extend((at < length && !dropped.contains(&at)).then_some(Some(at)));
            }
            Some((entry.id, blocks))
        });
        Self(origins.collect())
    }

    /// Returns the path before the plan of the value that is at `path` now; `None` if its block is new.
    pub fn path<'p>(&self, entry: EntryId, path: &'p [PathStep]) -> Option<Cow<'p, [PathStep]>> {
        let (Some(blocks), Some(PathStep::Index(block))) = (self.0.get(&entry), path.get(1)) else {
            return Some(path.into());
        };
        let mut origin = path.to_vec();
        origin[1] = (*blocks.get(*block)?)?.into();
        Some(origin.into())
    }
}

type Set<'a> = (&'a [PathStep], &'a NewValue);

/// The blocks added to and removed from one message.
#[derive(Default)]
struct BlockEdits<'a> {
    dropped: Vec<usize>,
    added: Vec<(usize, &'a RawValue)>,
}

impl BlockEdits<'_> {
    /// Makes the edits. Returns the index of a block that does not exist as an error.
    fn apply(&self, content: &mut Content) -> Result<(), usize> {
        let Content::Blocks(blocks) = content else {
            return Err(self.dropped.first().or(self.added.first().map(|(before, _)| before)).copied().unwrap_or(0));
        };
        let missing = self.dropped.iter().find(|block| **block >= blocks.len());
        if let Some(missing) = missing.or(self.added.iter().map(|(at, _)| at).find(|before| **before > blocks.len())) {
            return Err(*missing);
        }
        let old = std::mem::take(blocks);
        let length = old.len();
        let mut old = old.into_iter();
        for index in 0..=length {
            let here = self.added.iter().filter(|(before, _)| *before == index);
            blocks.extend(here.map(|(_, value)| Block::read(value)));
            blocks.extend(old.next().filter(|_| !self.dropped.contains(&index)));
        }
        Ok(())
    }

    /// Returns the pins of the blocks that are left.
    fn pins(&self, pins: &Pins) -> Pins {
        let added: Vec<usize> = self.added.iter().map(|(before, _)| *before).collect();
        pins.moved(&self.dropped, &added)
    }

    /// Returns the estimate at its block's new position; `None` if the block is gone.
    fn moved(&self, estimate: &Estimate) -> Option<Estimate> {
        let Some(PathStep::Index(block)) = estimate.path.get(1) else { return Some(estimate.clone()) };
        if self.dropped.contains(block) {
            return None;
        }
        let before = self.dropped.iter().filter(|dropped| *dropped < block).count();
        let added = self.added.iter().filter(|(at, _)| at <= block).count();
        estimate.moved(*block, block - before + added)
    }
}

fn changed_message<'a>(message: &Message, sets: &[Set<'a>]) -> Result<Message, &'a [PathStep]> {
    let mut changed = message.clone();
    let inner: Vec<Set> = sets
        .iter()
        .map(|(path, value)| match path.split_first() {
            Some((PathStep::Key(key), rest)) if key == "content" => Ok((rest, *value)),
            _ => Err(*path),
        })
        .collect::<Result<_, _>>()?;
    set_content(&mut changed.content, &inner, Depth::Message)?;
    Ok(changed)
}

fn set_content<'a>(content: &mut Content, sets: &[Set<'a>], depth: Depth) -> Result<(), &'a [PathStep]> {
    // A missing content cannot be replaced, because adding one could not be undone.
    if matches!(content, Content::Missing) {
        return Err(sets[0].0);
    }
    let mut by_block: HashMap<usize, Vec<Set<'a>>> = HashMap::default();
    for (path, value) in sets {
        match path.split_first() {
            None => match value {
                NewValue::Text(text) if fill_shape(content, text) => {}
                NewValue::Text(text) => *content = Content::Text(text.clone()),
                NewValue::Json(raw) => *content = Content::read_at(raw.get(), depth),
            },
            Some((PathStep::Index(index), rest)) => by_block.entry(*index).or_default().push((rest, value)),
            Some(_) => return Err(path),
        }
    }
    for (index, sets) in by_block {
        let Content::Blocks(blocks) = content else { return Err(sets[0].0) };
        set_block(blocks.get_mut(index).ok_or(sets[0].0)?, &sets, depth)?;
    }
    Ok(())
}

/// Writes a text into a JSON value without changing its shape: the first long string becomes the text, and the others
/// become empty. Returns false if there is no long string.
fn fill_shape(content: &mut Content, text: &str) -> bool {
    let Content::Blocks(blocks) = content else { return false };
    let Some((Block::Other { holes, .. }, behind)) = blocks.split_first_mut() else { return false };
    let texts = behind.iter_mut().take(holes.texts.len());
    let mut new = Some(text);
    for block in texts {
        if let Block::Text { text, .. } = block {
            new.take().unwrap_or_default().clone_into(text);
        }
    }
    new.is_none()
}

fn set_block<'a>(block: &mut Block, sets: &[Set<'a>], depth: Depth) -> Result<(), &'a [PathStep]> {
    let mut content_sets = Vec::new();
    let mut input_sets = Vec::new();
    for (path, value) in sets {
        let Some((step, rest)) = path.split_first() else {
            *block = Block::read_at(value.json().get(), depth);
            continue;
        };
        let PathStep::Key(key) = step else { return Err(path) };
        match (&mut *block, key.as_ref(), value) {
            (Block::Text { text, .. }, "text", NewValue::Text(new)) if rest.is_empty() => text.clone_from(new),
            (Block::ToolResult { .. }, "content", _) => content_sets.push((rest, *value)),
            (Block::ToolUse { .. }, "input", _) => input_sets.push((rest, *value)),
            _ => return Err(path),
        }
    }
    match block {
        Block::ToolResult { content, .. } if !content_sets.is_empty() => {
            set_content(content, &content_sets, Depth::ToolResult)
        }
        Block::ToolUse { input, extra, .. } if !input_sets.is_empty() => {
            *input = set_input(input, &input_sets)?.into();
            if input.get() == RawValue::NULL.get() {
                extra.push(("input".to_owned(), RawValue::NULL.to_owned()));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn set_input<'a>(input: &ToolInput, sets: &[Set<'a>]) -> Result<Box<RawValue>, &'a [PathStep]> {
    // Null means that the input is missing or null: see `Block::read`.
    if input.get() == RawValue::NULL.get() {
        return Err(sets[0].0);
    }
    if let Some((_, value)) = sets.iter().find(|(path, _)| path.is_empty()) {
        return Ok(value.json());
    }
    let literals: HashMap<&[PathStep], _> =
        input.texts().iter().map(|text| (&*text.path, text.literal.clone())).collect();
    let mut replacements = Vec::with_capacity(sets.len());
    for (path, value) in sets {
        let literal = literals.get(*path).ok_or(*path)?;
        let replacement = match value {
            NewValue::Text(text) => escape(text),
            NewValue::Json(raw) => raw.get().to_owned(),
        };
        replacements.push((literal.clone(), replacement));
    }
    RawValue::from_string(json_text::splice(input.get(), &mut replacements)).map_err(|_| sets[0].0)
}
