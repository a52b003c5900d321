//! Projects a history of another format to messages in our own format.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::{
    format::Format,
    part::{Part, Path, Place},
};
use crate::{
    conversation::{
        Block, Content, Contents, Conversation, Entry, Json, Message, NotAnArray, PathStep, Problem, Role,
        hash_of_blocks, surrogates,
    },
    parallel::in_parts,
};

/// A history of another format, and the same history in our own format. If the format joins messages, adjacent ones of
/// one role become one message, and a result is moved to the message directly after its call.
pub struct Projection {
    pub(super) format: &'static dyn Format,
    /// The caller's messages.
    pub(super) raws: Vec<Box<RawValue>>,
    conversation: Conversation,
    /// The parts of each of the caller's messages: the place in it, and the message and block of the projection.
    pub(super) parts: Vec<Vec<(Place, (usize, usize))>>,
    /// For each projected message, the sources of its blocks: the caller's message, and the part.
    pub(super) sources: Vec<Vec<(usize, usize)>>,
}

/// Adjacent blocks of one role.
struct Group {
    /// The caller's message in which it begins.
    message: usize,
    role: Role,
    blocks: Vec<(Block, (usize, usize))>,
    /// The results of its calls.
    results: Vec<(Block, (usize, usize))>,
}

impl Projection {
    /// Reads a JSON array of messages.
    pub fn parse(format: &'static dyn Format, json: &str) -> Result<Self, NotAnArray> {
        let json = surrogates::enter(json);
        let raw: Vec<&RawValue> = serde_json::from_str(&json)?;
        Ok(Self::assemble(format, raw.into_iter().map(|raw| (raw.to_owned(), format.parts(Json::from(raw)))).collect()))
    }

    /// Projects messages that were read.
    pub(super) fn assemble(format: &'static dyn Format, read: Vec<(Box<RawValue>, Vec<Part>)>) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        // For each id, the groups with unanswered calls, and the last group that had such a call.
        let mut open: HashMap<String, (Vec<usize>, usize)> = HashMap::new();
        let mut raws = Vec::with_capacity(read.len());
        let mut parts: Vec<Vec<(Place, (usize, usize))>> = Vec::with_capacity(read.len());
        let messages: Vec<Json<'_>> = read.iter().map(|(raw, _)| Json::from(&**raw)).collect();
        let start = format.start(&messages);
        for (message, (raw, read)) in read.into_iter().enumerate() {
            raws.push(raw);
            let read = if message < start { Vec::new() } else { read };
            let mut places = Vec::with_capacity(read.len());
            for (index, Part { role, block, place }) in read.into_iter().enumerate() {
                places.push((place, (0, 0)));
                let source = (message, index);
                if format.joins()
                    && let Block::ToolResult { tool_use_id, .. } = &block
                    && let Some((waiting, last)) = open.get_mut(tool_use_id)
                    // Ids may be reused: a result answers the newest call. A repeated result is placed next to the
                    // first one.
                    && let Some(of) = waiting.pop().or_else(|| (*last + 1 == groups.len()).then_some(*last))
                {
                    groups[of].results.push((block, source));
                    continue;
                }
                let joins = groups.last().is_some_and(|last| {
                    let is_one = format.joins() && !matches!(role, Role::Other(_));
                    last.role == role && last.results.is_empty() && (is_one || last.message == message)
                });
                if !joins {
                    groups.push(Group { message, role, blocks: Vec::new(), results: Vec::new() });
                }
                let of = groups.len() - 1;
                if let Block::ToolUse { id, .. } = &block {
                    let (waiting, last) = open.entry(id.clone()).or_default();
                    waiting.push(of);
                    *last = of;
                }
                groups[of].blocks.push((block, source));
            }
            parts.push(places);
        }
        let mut messages = Vec::new();
        let mut sources = Vec::new();
        let mut add = |role: Role, blocks: Vec<(Block, (usize, usize))>| {
            for (block, (_, (message, part))) in blocks.iter().enumerate() {
                parts[*message][*part].1 = (messages.len(), block);
            }
            let (mut blocks, from): (Vec<Block>, Vec<(usize, usize)>) = blocks.into_iter().unzip();
            let is_string = |(message, part): (usize, usize)| {
                parts[message][part].0.at.iter().all(|at| matches!(at.last(), Some(PathStep::Key(_))))
            };
            let content = match &mut blocks[..] {
                [Block::Text { text, .. }] if is_string(from[0]) => Content::Text(std::mem::take(text)),
                _ => Content::Blocks(blocks),
            };
            messages.push(Message::new(role, content));
            sources.push(from);
        };
        let mut groups = groups.into_iter().peekable();
        while let Some(Group { role, blocks, results, .. }) = groups.next() {
            add(role, blocks);
            if results.is_empty() {
                continue;
            }
            let mut answers = results;
            if let Some(next) = groups.peek_mut().filter(|next| next.role == Role::User && next.results.is_empty()) {
                answers.append(&mut next.blocks);
                groups.next();
            }
            add(Role::User, answers);
        }
        Self { format, raws, conversation: Conversation::new(messages), parts, sources }
    }

    /// Returns the history in our own format.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Returns the caller's messages.
    pub fn messages(&self) -> &[Box<RawValue>] {
        &self.raws
    }

    /// Returns the number of the caller's messages.
    pub(super) fn len(&self) -> usize {
        self.raws.len()
    }

    /// Returns each of the caller's messages separately, as one message in our own format.
    pub fn each(&self) -> Conversation {
        let messages: Vec<Json<'_>> = self.raws.iter().map(|raw| Json::from(&**raw)).collect();
        let start = self.format.start(&messages);
        let read = |(index, message): (usize, Json<'_>)| {
            if index < start {
                return Message::new(Role::Other(String::new()), Content::Blocks(Vec::new()));
            }
            alone(self.format, message)
        };
        Conversation::new(messages.into_iter().enumerate().map(read).collect())
    }

    /// Hashes the content of each of the caller's messages, as `Contents::hash` does for [`Self::each`].
    pub fn contents(&self) -> Contents {
        let hashes = |entries: &[Entry]| entries.iter().map(|entry| entry.message.block_hashes()).collect();
        let of_blocks = in_parts(self.conversation.entries(), |entry| entry.message.bytes(), hashes);
        let hash = |parts: &Vec<(Place, (usize, usize))>| {
            let role = parts.first().map_or("", |(_, (message, _))| self.conversation.message(*message).role.as_str());
            hash_of_blocks(role, parts.iter().map(|(_, (message, block))| of_blocks[*message][*block]))
        };
        self.parts.iter().map(hash).collect::<Vec<u64>>().into()
    }

    /// Lists the problems for which the format's service refuses the messages.
    pub fn problems(&self) -> Vec<Problem> {
        let messages: Vec<Json<'_>> = self.raws.iter().map(|raw| Json::from(&**raw)).collect();
        self.format.problems(&messages)
    }

    /// Returns the projected messages with parts that are never removed.
    pub fn staying(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flatten().filter(|(place, _)| place.stays).map(|(_, (message, _))| *message)
    }

    /// Returns the caller's message with which a projected message begins; after the last, the number of messages.
    pub fn message(&self, projected: usize) -> usize {
        self.sources.get(projected).and_then(|from| from.iter().min()).map_or(self.len(), |(message, _)| *message)
    }

    /// Returns the caller's message from which a block came, and the index of its content element if it is one.
    pub fn place(&self, projected: usize, block: usize) -> (usize, Option<usize>) {
        let Some(from) = self.sources.get(projected) else { return (self.len(), None) };
        let Some((message, part)) = from.get(block) else {
            return (from.iter().max().map_or(self.len(), |(message, _)| *message), None);
        };
        let at = self.parts[*message][*part].0.at.first();
        let is_content = |at: &&Path| at.len() == 2 && (at[0] == "content".into() || at[0] == "parts".into());
        let element = at.filter(is_content).and_then(|at| at[1].index());
        (*message, element)
    }

    /// Returns the projected messages with parts of one of the caller's.
    pub fn projected(&self, message: usize) -> impl Iterator<Item = usize> {
        self.parts.get(message).into_iter().flatten().map(|(_, (projected, _))| *projected)
    }

    /// Returns the number of projected messages with parts of the caller's first `count` messages.
    pub fn frozen(&self, count: usize) -> usize {
        (0..count.min(self.len())).flat_map(|message| self.projected(message)).max().map_or(0, |last| last + 1)
    }
}

/// Converts one of the caller's messages to our own format.
pub(super) fn alone(format: &dyn Format, message: Json<'_>) -> Message {
    let parts = format.parts(message);
    let role = parts.first().map_or_else(|| Role::Other(String::new()), |part| part.role.clone());
    Message::new(role, Content::Blocks(parts.into_iter().map(|part| part.block).collect()))
}
