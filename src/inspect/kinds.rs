//! Divides the tokens of each block by kind.

use std::{borrow::Cow, ops::Range};

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    cancel::{Cancel, Cancelled},
    conversation::{Block, ContentKind, Conversation, Media, Message, Role, TextAt, surrogates},
    markers::{SummaryHead, is_summary},
    story::story_blocks,
    tokens::{Scale, Tally, count_all, file_tokens, image_tokens},
    transcript::{ContentPiece, PieceSource, Pieces, Voice},
};

/// Kinds of content.
///
/// - `user`, `assistant`: their words
/// - `thinking`, `images`
/// - `calls`: names and parameters of tool calls
/// - `results`: tool results, and files the user mentioned
/// - `environment`: injected context, such as environment snapshots and reminders
/// - `summaries`: summaries and logs of earlier messages or texts
/// - `other`: blocks of other types, and invalid messages
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TokenKind"))]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// The user's words.
    User,
    /// The assistant's words.
    Assistant,
    /// The assistant's thinking.
    Thinking,
    /// Names and parameters of tool calls.
    Calls,
    /// Tool results, and files that the user mentioned.
    Results,
    /// Images.
    Images,
    /// Context that the host injects: snapshots of the environment, reminders.
    Environment,
    /// Summaries and logs of earlier messages.
    Summaries,
    /// Blocks of other types, and JSON that is not a message.
    Other,
}

impl Kind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::User,
        Self::Assistant,
        Self::Thinking,
        Self::Calls,
        Self::Results,
        Self::Images,
        Self::Environment,
        Self::Summaries,
        Self::Other,
    ];
}

/// Tokens by kind. The JSON contains only kinds with tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindTokens([usize; Kind::ALL.len()]);

impl KindTokens {
    /// Returns the tokens of one kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.0[kind as usize]
    }

    /// Returns the tokens of all kinds.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the kind with the most tokens, the first if there are several.
    pub fn main(&self) -> Kind {
        Kind::ALL.into_iter().rev().max_by_key(|kind| self.count(*kind)).unwrap_or(Kind::Other)
    }

    fn add(&mut self, kind: Kind, tokens: usize) {
        self.0[kind as usize] += tokens;
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, tokens)| *sum += tokens);
    }

    pub(super) fn scaled(self, scale: Scale) -> Self {
        Self(self.0.map(|tokens| scaled(scale, tokens)))
    }
}

impl Serialize for KindTokens {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for kind in Kind::ALL {
            if self.count(kind) > 0 {
                map.serialize_entry(&kind, &self.count(kind))?;
            }
        }
        map.end()
    }
}

/// The tokens of a block by kind, and its subject.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockKinds {
    pub(super) kinds: KindTokens,
    pub(super) label: String,
}

/// A run of bytes of one kind in a text with several kinds.
struct Run<'a> {
    message: usize,
    block: usize,
    kind: Kind,
    text: Cow<'a, str>,
}

/// Returns the tokens of each block of each message. Parts of a text are counted separately; the difference to the
/// count of the whole is added to its largest part, so that the sums equal the tally's.
pub(super) fn kinds_of(
    conversation: &Conversation,
    tally: &Tally,
    pieces: &[Pieces],
    cancel: &Cancel,
) -> Result<Vec<Vec<BlockKinds>>, Cancelled> {
    let mut found: Vec<Vec<BlockKinds>> = Vec::with_capacity(conversation.len());
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (index, (message, pieces)) in conversation.messages().zip(pieces).enumerate() {
        let texts = message.texts();
        let stories = story_blocks(conversation, index);
        let mut blocks = Vec::with_capacity(tally.blocks(index).len());
        for (block, tokens) in tally.blocks(index).iter().enumerate() {
            let own = &pieces[range_of(pieces, block, |piece| piece.block)];
            let label = own.iter().map(|piece| piece.source.label()).find(|label| !label.is_empty());
            let label = label.or_else(|| file_name(message.content.blocks().get(block)?));
            let mut told = BlockKinds { kinds: KindTokens::default(), label: label.unwrap_or_default().to_owned() };
            // A log quotes removed content, so it does not count as the user's words.
            let parts =
                if stories.contains(&block) { Whole::Of(Kind::Summaries) } else { whole(message, block, own, &texts) };
            match parts {
                Whole::Of(kind) => told.kinds.add(kind, *tokens),
                Whole::WithImages(kind, images) => {
                    told.kinds.add(Kind::Images, images.min(*tokens));
                    told.kinds.add(kind, tokens.saturating_sub(images));
                }
                Whole::Mixed(cut, images) => {
                    told.kinds.add(Kind::Images, images.min(*tokens));
                    runs.extend(cut.into_iter().map(|(kind, text, range)| Run {
                        message: index,
                        block,
                        kind,
                        text: surrogates::leave_text(&texts[text].text[range]),
                    }));
                }
            }
            blocks.push(told);
        }
        found.push(blocks);
    }
    let texts: Vec<&str> = runs.iter().map(|run| run.text.as_ref()).collect();
    let counts = count_all(&texts, tally.encoding(), cancel)?;
    for (run, count) in runs.iter().zip(&counts) {
        found[run.message][run.block].kinds.add(run.kind, count.tokens);
    }
    for run in &runs {
        let kinds = &mut found[run.message][run.block].kinds;
        let (total, counted) = (tally.blocks(run.message)[run.block], kinds.total());
        let main = &mut kinds.0[kinds.main() as usize];
        *main = (*main + total).saturating_sub(counted);
    }
    Ok(found)
}

/// The kinds in a block.
enum Whole {
    /// One kind.
    Of(Kind),
    /// One kind, and tokens of images.
    WithImages(Kind, usize),
    /// Several kinds: kind, index of the text in the message, bytes; and tokens of images.
    Mixed(Vec<(Kind, usize, Range<usize>)>, usize),
}

fn whole(message: &Message, block: usize, pieces: &[ContentPiece], texts: &[TextAt<'_>]) -> Whole {
    if is_summary(message) {
        return Whole::Of(Kind::Summaries);
    }
    match message.content.blocks().get(block) {
        Some(Block::ToolUse { .. }) => Whole::Of(Kind::Calls),
        Some(Block::Image { .. }) => Whole::Of(Kind::Images),
        Some(block) if block.is_thinking() => Whole::Of(Kind::Thinking),
        Some(Block::ToolResult { content, .. }) => match runs_of(message, block, pieces, texts).as_slice() {
            [] => Whole::WithImages(Kind::Results, images_in(content.blocks())),
            [(kind, ..)] => Whole::WithImages(*kind, images_in(content.blocks())),
            runs => Whole::Mixed(runs.to_vec(), images_in(content.blocks())),
        },
        Some(Block::Thinking { .. } | Block::Other { .. }) => {
            Whole::WithImages(Kind::Other, images_in(&message.content.blocks()[block..=block]))
        }
        Some(Block::Text { .. }) | None if texts.iter().all(|text| text.block != block) => Whole::Of(Kind::Other),
        Some(Block::Text { .. }) | None => match runs_of(message, block, pieces, texts).as_slice() {
            [] => Whole::Of(words_of(message)),
            [(kind, ..)] => Whole::Of(*kind),
            runs => Whole::Mixed(runs.to_vec(), 0),
        },
    }
}

/// Returns a word for a block that contains a file.
fn file_name(block: &Block) -> Option<&str> {
    matches!(block, Block::Other { holes, .. } if !holes.files.is_empty()).then(|| block.name())
}

fn images_in(blocks: &[Block]) -> usize {
    let images = |block: &Block| match block {
        Block::Image { data_length, .. } => image_tokens(*data_length),
        Block::Other { holes, .. } => {
            holes.files.iter().filter(|file| file.media == Media::Image).map(file_tokens).sum()
        }
        _ => 0,
    };
    blocks.iter().map(images).sum()
}

/// Returns the texts of a block, divided by kind: kind, index of the text in the message, bytes.
fn runs_of(
    message: &Message,
    block: usize,
    pieces: &[ContentPiece],
    texts: &[TextAt<'_>],
) -> Vec<(Kind, usize, Range<usize>)> {
    let mut runs: Vec<(Kind, usize, Range<usize>)> = Vec::new();
    let mut number = texts.partition_point(|text| text.block < block);
    for piece in pieces {
        while texts.get(number).is_some_and(|text| *text.path != *piece.path) {
            number += 1;
        }
        let Some(text) = texts.get(number) else { break };
        for stretch in piece.stretches(text.text).into_iter().filter(|stretch| !stretch.range.is_empty()) {
            let kind = kind_of(message, piece, stretch.voice, &text.text[stretch.range.clone()]);
            match runs.last_mut() {
                Some((last, of, range)) if (*last, *of, range.end) == (kind, number, stretch.range.start) => {
                    range.end = stretch.range.end;
                }
                _ => runs.push((kind, number, stretch.range)),
            }
        }
    }
    if runs.windows(2).all(|pair| pair[0].0 == pair[1].0) {
        runs.truncate(1);
    }
    runs
}

fn kind_of(message: &Message, piece: &ContentPiece, voice: Voice, text: &str) -> Kind {
    let is_call = piece.kind == ContentKind::ToolParameters;
    match voice {
        _ if is_call => Kind::Calls,
        _ if SummaryHead::at_start(text).is_some() => Kind::Summaries,
        Voice::User | Voice::Paste => Kind::User,
        Voice::Assistant => Kind::Assistant,
        Voice::Summary => Kind::Summaries,
        Voice::Tool => Kind::Results,
        Voice::Host if matches!(piece.source, PieceSource::Mention(_)) => Kind::Results,
        Voice::Host if message.role == Role::User => Kind::Environment,
        Voice::Host => Kind::Other,
    }
}

fn words_of(message: &Message) -> Kind {
    match message.role {
        Role::User => Kind::User,
        Role::Assistant => Kind::Assistant,
        Role::Other(_) => Kind::Other,
    }
}

/// Returns the range of `sorted` that belongs to `block`.
fn range_of<T>(sorted: &[T], block: usize, block_of: impl Fn(&T) -> usize) -> Range<usize> {
    sorted.partition_point(|item| block_of(item) < block)..sorted.partition_point(|item| block_of(item) <= block)
}

/// Scales a part of a sum, rounded to the nearest whole number.
pub(super) fn scaled(scale: Scale, tokens: usize) -> usize {
    (tokens as f64 * scale.factor()).round() as usize
}
