//! Divides the texts of a conversation into pieces of one kind of content each, in any dialect.

use std::{ops::Range, sync::Arc};

use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Message, PathStep, Reading, Role, TextAt},
    maps::{HashMap, HashSet},
    markers::{LOG_HEADING, is_summary},
};

use super::{
    labels::{Parameter, ToolSource},
    tools::{Meaning, ToolTable},
    user_text::{SectionKind, UserTexts},
    voice::{self, Stretch, Voice},
    xml_calls,
};

/// A part of a text that has one kind of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPiece {
    /// The index of the block; 0 if the content is a string.
    pub block: usize,
    /// The path from the message to the text, as in [`Message::texts`]. The pieces of one text share it.
    pub path: Arc<[PathStep]>,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The kind of content.
    pub kind: ContentKind,
    /// Its source.
    pub source: PieceSource,
    /// The speaker. The user's words may contain pastes and notices of the host, which [`ContentPiece::stretches`]
    /// separates.
    pub voice: Voice,
}

impl ContentPiece {
    /// Divides the piece, which is of `text`, into stretches with one voice each: in order, without gaps, at least
    /// one.
    pub fn stretches(&self, text: &str) -> Vec<Stretch> {
        voice::stretches(self.voice, self.range.clone(), text)
    }
}

/// The pieces of a message, in order.
pub type Pieces = Arc<[ContentPiece]>;

/// Returns true for a text that begins as the story does, which providers write in place of messages.
fn is_log(text: &str) -> bool {
    text.strip_prefix(LOG_HEADING).is_some_and(|rest| rest.starts_with('\n'))
}

/// The owner of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceSource {
    /// The words of the user, of the assistant or of the host.
    Words,
    /// A tool call or its result, including the header of a plain-text result and the tags of a call in XML.
    Tool(Arc<ToolSource>),
    /// A snapshot of the host's environment (`<environment_details>`).
    EnvironmentDetails,
    /// The content of a file that the user mentioned.
    Mention(Arc<ToolSource>),
}

impl PieceSource {
    /// Returns a short line for people, such as `read_file src/a.ts`; empty if there is nothing to say.
    pub fn label(&self) -> &str {
        match self {
            Self::Words => "",
            Self::Tool(tool) | Self::Mention(tool) => &tool.label,
            Self::EnvironmentDetails => "environment details",
        }
    }

    /// Returns the place where a reader sees it again: the file, or else [`Self::label`].
    pub fn place(&self) -> &str {
        match self {
            Self::Tool(tool) | Self::Mention(tool) if !tool.file.is_empty() => &tool.file,
            _ => self.label(),
        }
    }

    /// Returns the name of the tool; empty if there is none or it is unknown.
    pub fn tool(&self) -> &str {
        match self {
            Self::Tool(tool) => &tool.name,
            _ => "",
        }
    }

    /// Returns the tool's action.
    pub fn meaning(&self) -> Meaning {
        match self {
            Self::Tool(tool) | Self::Mention(tool) => tool.meaning,
            Self::Words | Self::EnvironmentDetails => Meaning::Other,
        }
    }

    /// Returns true for a command line that shows files or their changes.
    pub fn is_showing_command(&self) -> bool {
        matches!(self, Self::Tool(tool) if tool.shows_files)
    }

    /// Returns true for a command line that shows files or their changes and does nothing else.
    pub fn only_shows_files(&self) -> bool {
        matches!(self, Self::Tool(tool) if tool.only_shows_files)
    }

    /// Returns true for a tool that asks the user.
    pub fn asks_user(&self) -> bool {
        matches!(self, Self::Tool(tool) if tool.asks_user)
    }
}

/// Returns the pieces of every message, in order. The pieces of a text cover it without gaps; an empty text has one
/// empty piece. Each message is read once: all conversations that contain it share its pieces.
pub fn decompose(conversation: &Conversation, tools: &ToolTable) -> Vec<Pieces> {
    let mut decomposer = Decomposer { tools, calls: HashMap::default(), called: Arc::default() };
    conversation.messages().map(|message| decomposer.message(message)).collect()
}

/// Pairs the pieces of a message with their texts. Texts and pieces have the same order.
pub fn with_texts<'p, 't, 'a>(
    pieces: &'p [ContentPiece],
    texts: &'t [TextAt<'a>],
) -> impl Iterator<Item = (&'p ContentPiece, &'t TextAt<'a>)> + use<'p, 't, 'a> {
    let mut texts = texts.iter().peekable();
    pieces.iter().map_while(move |piece| {
        while texts.next_if(|text| *text.path != *piece.path).is_some() {}
        Some((piece, *texts.peek()?))
    })
}

struct Decomposer<'a, 't> {
    tools: &'t ToolTable,
    /// The native calls so far by id.
    calls: HashMap<&'a str, Arc<ToolSource>>,
    /// The names of the tools called in the newest message of the assistant.
    called: Arc<HashSet<String>>,
}

/// A message's pieces, with all that they depend on beside the message.
struct Decomposed {
    context: Context,
    pieces: Pieces,
    /// Its native calls, in order.
    calls: Vec<Arc<ToolSource>>,
    /// The names of the tools that it calls.
    called: Arc<HashSet<String>>,
}

/// All that the pieces of a message depend on beside the message.
#[derive(Clone)]
struct Context {
    tools: ToolTable,
    /// The calls of earlier messages to which its blocks belong, in the order of the blocks.
    earlier: Vec<(usize, Arc<ToolSource>)>,
    called: Arc<HashSet<String>>,
}

impl Context {
    /// Returns true if the pieces are the same. Readers pair calls and results by their shared allocation, so two equal
    /// calls are not the same.
    fn is_same(&self, other: &Self) -> bool {
        self.calls().eq(other.calls()) && self.called == other.called && self.tools == other.tools
    }

    fn calls(&self) -> impl Iterator<Item = (usize, *const ToolSource)> {
        self.earlier.iter().map(|(block, call)| (*block, Arc::as_ptr(call)))
    }
}

impl<'a> Decomposer<'a, '_> {
    /// Returns the pieces of the next message: as they were read before, if the messages before it give them the same
    /// meaning.
    fn message(&mut self, message: &'a Message) -> Pieces {
        let context = self.context(message);
        let kept = message.reading(Reading::Pieces, || Decomposed::new(message, context.clone()));
        match kept.filter(|kept| kept.context.is_same(&context)) {
            Some(kept) => self.passed(message, kept),
            None => self.passed(message, &Decomposed::new(message, context)),
        }
    }

    fn context(&self, message: &Message) -> Context {
        let is_own = message.role == Role::Assistant;
        let earlier = message.content.blocks().iter().enumerate().filter_map(|(index, block)| match block {
            Block::ToolUse { .. } if is_own => None,
            Block::ToolUse { id, .. } | Block::ToolResult { tool_use_id: id, .. } => {
                Some((index, self.calls.get(id.as_str())?.clone()))
            }
            _ => None,
        });
        let called = if is_own { Arc::default() } else { self.called.clone() };
        Context { tools: self.tools.clone(), earlier: earlier.collect(), called }
    }

    fn passed(&mut self, message: &'a Message, decomposed: &Decomposed) -> Pieces {
        if message.role == Role::Assistant {
            self.calls.extend(call_ids(message).zip(decomposed.calls.iter().cloned()));
            self.called = decomposed.called.clone();
        }
        decomposed.pieces.clone()
    }
}

fn call_ids(message: &Message) -> impl Iterator<Item = &str> {
    message.content.blocks().iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(id.as_str()),
        _ => None,
    })
}

impl Decomposed {
    fn new(message: &Message, context: Context) -> Self {
        let texts = &message.texts();
        let mut found = Self { context, pieces: Pieces::default(), calls: Vec::new(), called: Arc::default() };
        let pieces: Vec<ContentPiece> = match message.role {
            Role::Assistant => found.assistant(message, texts),
            Role::User => found.user(message, texts),
            Role::Other(_) => texts.iter().map(|text| whole(text, PieceSource::Words, Voice::Host)).collect(),
        };
        Self { pieces: pieces.into(), ..found }
    }

    fn assistant(&mut self, message: &Message, texts: &[TextAt<'_>]) -> Vec<ContentPiece> {
        let mut called = HashSet::default();
        let mut own = HashMap::default();
        for (index, block) in message.content.blocks().iter().enumerate() {
            let Block::ToolUse { id, name, .. } = block else { continue };
            let first = texts.partition_point(|text| text.block < index);
            let parameters = texts[first..].iter().take_while(|text| text.block == index);
            let parameters = parameters.filter_map(|text| {
                // The path is: content, block, input, parameter.
                Some(Parameter { key: last_key(&text.path)?, value: text.text, is_nested: text.path.len() > 4 })
            });
            let call = Arc::new(ToolSource::of_call(name, parameters, &self.context.tools));
            own.insert(id.as_str(), call.clone());
            self.calls.push(call);
            called.insert(name.clone());
        }
        let mut pieces = Vec::with_capacity(texts.len());
        for text in texts {
            if text.kind != ContentKind::MessageText {
                pieces.push(whole(text, self.source_of(message, text, &own), Voice::Assistant));
                continue;
            }
            let mut cutter = Cutter::new(text, &mut pieces, |_| Voice::Assistant);
            for call in xml_calls::calls(text.text, &self.context.tools) {
                called.insert(call.name.to_owned());
                let values = xml_calls::values(text.text, &call);
                let parameters = values.iter().map(|value| Parameter {
                    key: value.name,
                    value: &text.text[value.range.clone()],
                    is_nested: value.is_nested,
                });
                let source =
                    PieceSource::Tool(Arc::new(ToolSource::of_call(call.name, parameters, &self.context.tools)));
                // The tags are a separate piece, so that cuts of words or values leave the call intact.
                let mut frame = call.range.start;
                for value in values {
                    cutter.cut(frame..value.range.start, ContentKind::MessageText, &source, Voice::Assistant);
                    frame = value.range.end;
                    if !value.is_spoken {
                        cutter.cut(value.range, ContentKind::ToolParameters, &source, Voice::Assistant);
                    }
                }
                if frame < call.range.end {
                    cutter.cut(frame..call.range.end, ContentKind::MessageText, &source, Voice::Assistant);
                }
            }
            cutter.finish();
        }
        self.called = Arc::new(called);
        pieces
    }

    fn user(&self, message: &Message, texts: &[TextAt<'_>]) -> Vec<ContentPiece> {
        let is_one_text = matches!(message.content, Content::Text(_));
        let mut pieces = Vec::with_capacity(texts.len());
        let mut answers = Vec::new();
        {
            let called = &self.context.called;
            let mut reader = UserTexts::new(&self.context.tools, |name: &str| called.contains(name));
            for text in texts {
                // A log of left-out messages quotes files and hosts, so their tags in it mean nothing.
                let is_log = message.content.blocks().len() <= 1 && is_log(text.text);
                let sections = (text.kind == ContentKind::MessageText)
                    .then(|| if is_log { Vec::new() } else { reader.sections(text.text, is_one_text) });
                answers.push(sections);
            }
        }
        for (text, sections) in texts.iter().zip(answers) {
            if text.kind == ContentKind::ToolParameters {
                pieces.push(whole(text, self.source_of(message, text, &HashMap::default()), Voice::Assistant));
                continue;
            }
            let users = |words: &str| if is_summary(message) { Voice::Summary } else { voice::voice_of_words(words) };
            let mut cutter = Cutter::new(text, &mut pieces, users);
            let Some(sections) = sections else {
                let block = message.content.blocks().get(text.block);
                let is_error = matches!(block, Some(Block::ToolResult { is_error: true, .. }));
                cutter.answer(0..text.text.len(), &self.source_of(message, text, &HashMap::default()), is_error);
                cutter.finish();
                continue;
            };
            let mut tool: Option<(usize, Arc<ToolSource>)> = None;
            for section in sections {
                let (kind, source, voice) = match section.kind {
                    SectionKind::Words => continue,
                    SectionKind::EnvironmentDetails => {
                        (ContentKind::ToolResults, PieceSource::EnvironmentDetails, Voice::Host)
                    }
                    SectionKind::Mention(path) => {
                        let source = Arc::new(ToolSource::of_file(path));
                        (ContentKind::ToolResults, PieceSource::Mention(source), Voice::Host)
                    }
                    SectionKind::Header(header) => {
                        let source = Arc::new(ToolSource::new(header.name, header.target(), &self.context.tools));
                        tool = Some((header.end, source.clone()));
                        (ContentKind::MessageText, PieceSource::Tool(source), Voice::Tool)
                    }
                    SectionKind::Body(header) => {
                        let known = tool.as_ref().filter(|(end, _)| header.is_some_and(|header| header.end == *end));
                        let source = known.map(|(_, source)| source.clone());
                        let source = source.unwrap_or_else(|| {
                            Arc::new(header.map_or_else(ToolSource::default, |header| {
                                ToolSource::new(header.name, header.target(), &self.context.tools)
                            }))
                        });
                        cutter.answer(section.range, &PieceSource::Tool(source), false);
                        continue;
                    }
                };
                cutter.cut(section.range, kind, &source, voice);
            }
            cutter.finish();
        }
        pieces
    }

    /// Returns the tool call that a text belongs to: one of the message's `own`, by id, or an earlier one.
    fn source_of(&self, message: &Message, text: &TextAt<'_>, own: &HashMap<&str, Arc<ToolSource>>) -> PieceSource {
        let Some(Block::ToolUse { id, .. } | Block::ToolResult { tool_use_id: id, .. }) =
            message.content.blocks().get(text.block)
        else {
            return PieceSource::Words;
        };
        let earlier = || {
            let at = self.context.earlier.binary_search_by_key(&text.block, |(block, _)| *block).ok()?;
            Some(&self.context.earlier[at].1)
        };
        PieceSource::Tool(own.get(id.as_str()).or_else(earlier).cloned().unwrap_or_default())
    }
}

/// Returns a text as one piece.
fn whole(text: &TextAt<'_>, source: PieceSource, voice: Voice) -> ContentPiece {
    let path = text.path.clone();
    ContentPiece { block: text.block, path, range: 0..text.text.len(), kind: text.kind, source, voice }
}

fn last_key(path: &[PathStep]) -> Option<&str> {
    path.iter().rev().find_map(|step| match step {
        PathStep::Key(key) => Some(key.as_ref()),
        PathStep::Index(_) => None,
    })
}

/// Cuts a text; the text between the cuts becomes pieces of words.
struct Cutter<'p, 't, F> {
    block: usize,
    path: Arc<[PathStep]>,
    text: &'t str,
    /// The speaker of the words between the cuts.
    words: F,
    done: usize,
    pieces: &'p mut Vec<ContentPiece>,
}

impl<'p, 't, F: Fn(&str) -> Voice> Cutter<'p, 't, F> {
    fn new(text: &TextAt<'t>, pieces: &'p mut Vec<ContentPiece>, words: F) -> Self {
        Self { block: text.block, path: text.path.clone(), text: text.text, words, done: 0, pieces }
    }

    fn cut(&mut self, range: Range<usize>, kind: ContentKind, source: &PieceSource, voice: Voice) {
        debug_assert!(self.done <= range.start && range.end <= self.text.len());
        if self.done < range.start {
            self.words(range.start);
        }
        self.push(range.end, kind, source.clone(), voice);
    }

    /// Cuts a tool's result, which may contain the user's words.
    fn answer(&mut self, range: Range<usize>, source: &PieceSource, is_error: bool) {
        let PieceSource::Tool(tool) = source else {
            return self.cut(range, ContentKind::ToolResults, source, Voice::Tool);
        };
        if range.is_empty() {
            return self.cut(range, ContentKind::ToolResults, source, Voice::Tool);
        }
        for stretch in voice::answer_stretches(self.text, range, tool, is_error) {
            let is_users = stretch.voice == Voice::User;
            let kind = if is_users { ContentKind::MessageText } else { ContentKind::ToolResults };
            self.cut(stretch.range, kind, source, stretch.voice);
        }
    }

    fn words(&mut self, end: usize) {
        let voice = (self.words)(&self.text[self.done..end]);
        self.push(end, ContentKind::MessageText, PieceSource::Words, voice);
    }

    fn push(&mut self, end: usize, kind: ContentKind, source: PieceSource, voice: Voice) {
        let range = self.done..end;
        self.done = end;
        self.pieces.push(ContentPiece { block: self.block, path: self.path.clone(), range, kind, source, voice });
    }

    fn finish(mut self) {
        let is_told = self.pieces.last().is_some_and(|last| last.path == self.path);
        if self.done < self.text.len() || (self.text.is_empty() && !is_told) {
            self.words(self.text.len());
        }
    }
}
