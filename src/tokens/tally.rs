//! Tokens of messages and conversations.

use std::{borrow::Cow, ops::Range, sync::Arc};

use serde_json::value::RawValue;

use super::{Count, Encoding, count_all, count_inside, file_tokens, image_tokens};
use crate::{
    cancel::{Cancel, Cancelled},
    conversation::{
        AttachedFile, Block, Content, Conversation, Message, Reading,
        json_text::{escape, splice},
        surrogates,
    },
};

/// Tokens of every block of a conversation, unscaled. Blocks that did not change are not counted again.
///
/// Counted are texts; a tool call's name and the JSON text of its input; a tool result's texts; thinking; images by
/// `image_tokens`; blocks of other types by their JSON text, in which files count by `file_tokens`. Roles, ids and
/// other fields count nothing.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    encoding: Encoding,
    /// Parallel to the conversation's messages; one number per block, one for a content string.
    messages: Vec<Arc<[usize]>>,
    total: usize,
    /// True if at least one text was too uniform to be counted exactly.
    approximate: bool,
}

/// A block with texts still to be counted: the tokens already known, and the range of its texts.
type Uncounted = (usize, Range<usize>);

/// A message with its blocks still to be counted.
type UncountedMessage<'a> = (&'a Message, Vec<Uncounted>);

/// The tokens of each block of a message, kept with it.
struct Counted {
    encoding: Encoding,
    tokens: Arc<[usize]>,
    approximate: bool,
}

/// A part of a block's count.
enum Part<'a> {
    Text(Cow<'a, str>),
    Tokens(usize),
}

impl<'a> Part<'a> {
    /// Creates a part from a text, in its outside form.
    fn text(text: &'a str) -> Self {
        Self::Text(surrogates::leave_text(text))
    }

    /// Creates a part from JSON, in its outside form.
    fn json(json: &'a RawValue) -> Self {
        Self::Text(surrogates::leave_json(json.get()))
    }
}

impl Tally {
    /// Counts `conversation`, on all cores if it is large.
    pub fn count(conversation: &Conversation, encoding: Encoding, cancel: &Cancel) -> Result<Self, Cancelled> {
        Self::count_messages(encoding, conversation.messages().map(Err), cancel)
    }

    /// Counts `after`, which results from `before`, and reuses the counts of unchanged messages.
    pub fn recount(&self, before: &Conversation, after: &Conversation, cancel: &Cancel) -> Result<Self, Cancelled> {
        let mut known = before.entries().iter().zip(&self.messages).peekable();
        let newest = before.entries().iter().map(|entry| entry.id).max();
        let messages = after.entries().iter().map(|entry| {
            // Old messages are still in the same order, so one walk over each is enough.
            let is_new = newest.is_none_or(|newest| entry.id > newest);
            while !is_new && known.peek().is_some_and(|(old, _)| old.id != entry.id) {
                known.next();
            }
            match known.peek() {
                Some((old, tokens)) if Arc::ptr_eq(&old.message, &entry.message) => Ok((*tokens).clone()),
                _ => Err(&*entry.message),
            }
        });
        let messages: Vec<_> = messages.collect();
        let mut tally = Self::count_messages(self.encoding, messages.into_iter(), cancel)?;
        tally.approximate |= self.approximate;
        Ok(tally)
    }

    fn count_messages<'a>(
        encoding: Encoding,
        messages: impl Iterator<Item = Result<Arc<[usize]>, &'a Message>>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut texts: Vec<Cow<'_, str>> = Vec::new();
        // For each message its tokens, or else for each block the parts it is counted by (texts by their index).
        let mut layout: Vec<Result<Arc<[usize]>, UncountedMessage<'_>>> = Vec::new();
        let mut approximate = false;
        for message in messages {
            let known = |message: &Message| {
                let counted: &Counted = message.known(Reading::Tokens)?;
                (counted.encoding == encoding).then(|| (counted.tokens.clone(), counted.approximate))
            };
            let message = message.or_else(|message| {
                let (tokens, is_approximate) = known(message).ok_or(message)?;
                approximate |= is_approximate;
                Ok(tokens)
            });
            layout.push(message.map_err(|message: &Message| {
                let mut blocks = Vec::new();
                for parts in message_parts(message) {
                    let first = texts.len();
                    let mut tokens = 0;
                    for part in parts {
                        match part {
                            Part::Text(text) => texts.push(text),
                            Part::Tokens(known) => tokens += known,
                        }
                    }
                    blocks.push((tokens, first..texts.len()));
                }
                (message, blocks)
            }));
        }
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let counts = count_all(&texts, encoding, cancel)?;
        let mut counted = |(message, blocks): UncountedMessage<'_>| {
            let all: Vec<Count> = blocks.iter().map(|(_, texts)| counts[texts.clone()].iter().copied().sum()).collect();
            let is_approximate = all.iter().any(|count| count.approximate);
            let tokens: Arc<[usize]> = blocks.iter().zip(&all).map(|((known, _), all)| known + all.tokens).collect();
            let kept = Counted { encoding, tokens: tokens.clone(), approximate: is_approximate };
            message.reading(Reading::Tokens, || kept);
            approximate |= is_approximate;
            tokens
        };
        let messages: Vec<Arc<[usize]>> =
            layout.into_iter().map(|message| message.unwrap_or_else(&mut counted)).collect();
        let total = messages.iter().map(|blocks| blocks.iter().sum::<usize>()).sum();
        Ok(Self { encoding, messages, total, approximate })
    }

    /// Returns the tokens of all messages.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns the tokens of one message.
    pub fn message(&self, index: usize) -> usize {
        self.messages[index].iter().sum()
    }

    /// Returns the tokens of each block of a message.
    pub fn blocks(&self, message: usize) -> &[usize] {
        &self.messages[message]
    }

    /// Returns true if a text was too uniform to be counted exactly.
    pub fn is_approximate(&self) -> bool {
        self.approximate
    }

    /// Returns the encoding used for counting.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }
}

/// Returns the tokens of everything in a tool result except its texts, such as images and JSON.
pub fn count_beside_texts(result: &Block, encoding: Encoding) -> usize {
    let parts: Vec<Part<'_>> = match result {
        Block::ToolResult { content: Content::Blocks(blocks), .. } => {
            blocks.iter().filter(|block| !matches!(block, Block::Text { .. })).flat_map(block_parts).collect()
        }
        Block::ToolResult { content: content @ Content::Other(_), .. } => content_parts(content),
        _ => Vec::new(),
    };
    let count = |part: &Part<'_>| match part {
        Part::Text(text) => count_inside(text, encoding).tokens,
        Part::Tokens(tokens) => *tokens,
    };
    parts.iter().map(count).sum()
}

fn message_parts(message: &Message) -> Vec<Vec<Part<'_>>> {
    match &message.content {
        Content::Blocks(blocks) => blocks.iter().map(block_parts).collect(),
        other => vec![content_parts(other)],
    }
}

fn content_parts(content: &Content) -> Vec<Part<'_>> {
    match content {
        Content::Text(text) => vec![Part::text(text)],
        Content::Blocks(blocks) => {
            let (json, rest) = shaped(blocks).unwrap_or((Vec::new(), blocks));
            json.into_iter().chain(rest.iter().flat_map(block_parts)).collect()
        }
        Content::Other(raw) if raw.get() != RawValue::NULL.get() => vec![Part::json(raw)],
        Content::Other(_) | Content::Missing => Vec::new(),
    }
}

fn block_parts(block: &Block) -> Vec<Part<'_>> {
    match block {
        Block::Text { text, .. } => vec![Part::text(text)],
        Block::ToolUse { name, input, .. } => vec![Part::text(name), Part::json(input)],
        Block::ToolResult { content, .. } => content_parts(content),
        Block::Image { data_length, .. } => vec![Part::Tokens(image_tokens(*data_length))],
        Block::Thinking { thinking, .. } => vec![Part::text(thinking)],
        Block::Other { raw, holes, .. } => json_parts(raw, &holes.files, Vec::new()),
    }
}

/// Returns the parts of JSON that is carried through: files by their kind, everything else as text, with `filled`
/// replacing ranges.
fn json_parts<'a>(raw: &'a RawValue, files: &[AttachedFile], mut filled: Vec<(Range<usize>, String)>) -> Vec<Part<'a>> {
    filled.extend(files.iter().filter_map(|file| Some((file.literal.clone()?, "\"\"".to_owned()))));
    let text = if filled.is_empty() {
        Part::json(raw)
    } else {
        Part::Text(surrogates::leave(splice(raw.get(), &mut filled)).into())
    };
    std::iter::once(text).chain(files.iter().map(|file| Part::Tokens(file_tokens(file)))).collect()
}

/// Returns the parts of a JSON value whose long strings are the text blocks after it, whole, so that it counts the
/// same however it is read; and the blocks after those.
fn shaped(blocks: &[Block]) -> Option<(Vec<Part<'_>>, &[Block])> {
    let (Block::Other { raw, holes, .. }, behind) = blocks.split_first()? else { return None };
    let (texts, rest) = behind.split_at_checked(holes.texts.len()).filter(|(texts, _)| !texts.is_empty())?;
    let text = |block: &Block| if let Block::Text { text, .. } = block { Some(escape(text)) } else { None };
    let texts = texts.iter().map(text).collect::<Option<Vec<_>>>()?;
    Some((json_parts(raw, &holes.files, holes.texts.iter().cloned().zip(texts).collect()), rest))
}
