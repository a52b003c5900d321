//! The texts of a conversation cut into pieces of one kind of content each, whatever dialect they are in.

use std::{collections::HashMap, ops::Range, sync::Arc};

use crate::conversation::{Block, Content, ContentKind, Conversation, Message, PathStep, Role, TextAt};

use super::{
    labels::{Parameter, ToolSource},
    tools::{Meaning, ToolTable},
    user_answers::refuses_in_words,
    user_text::{SectionKind, UserTexts},
    xml_calls,
};

/// A part of a text that is of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPiece {
    /// The block it stands in; 0 when the content is a string.
    pub block: usize,
    /// From the message to the text, as in [`Message::texts`]. The pieces of one text share it.
    pub path: Arc<[PathStep]>,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What kind of content it is.
    pub kind: ContentKind,
    /// What it belongs to.
    pub source: PieceSource,
}

/// What a piece belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceSource {
    /// The words of the user, of the assistant or of the host.
    Words,
    /// A tool call or its answer (the header that announces the answer in plain text, and the tags of a call in XML, too).
    Tool(Arc<ToolSource>),
    /// A snapshot of the host's environment (`<environment_details>`).
    EnvironmentDetails,
    /// The content of a file that the user mentioned.
    Mention(Arc<ToolSource>),
}

impl PieceSource {
    /// A short line for people, such as `read_file src/a.ts`; empty when there is nothing to say.
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Words => "",
            Self::Tool(tool) | Self::Mention(tool) => &tool.label,
            Self::EnvironmentDetails => "environment details",
        }
    }

    /// What a reader looks at to see it again: the file, or else what [`Self::label`] says.
    #[must_use]
    pub fn place(&self) -> &str {
        match self {
            Self::Tool(tool) | Self::Mention(tool) if !tool.file.is_empty() => &tool.file,
            _ => self.label(),
        }
    }

    /// The name of the tool; empty when there is none or it is not known.
    #[must_use]
    pub fn tool(&self) -> &str {
        match self {
            Self::Tool(tool) => &tool.name,
            _ => "",
        }
    }

    /// What the tool does.
    #[must_use]
    pub fn meaning(&self) -> Meaning {
        match self {
            Self::Tool(tool) | Self::Mention(tool) => tool.meaning,
            Self::Words | Self::EnvironmentDetails => Meaning::Other,
        }
    }

    /// Whether it is a command line that shows files or their changes.
    #[must_use]
    pub fn is_showing_command(&self) -> bool {
        matches!(self, Self::Tool(tool) if tool.shows_files)
    }

    /// Whether it is a tool that asks the user.
    #[must_use]
    pub fn asks_user(&self) -> bool {
        matches!(self, Self::Tool(tool) if tool.asks_user)
    }
}

/// The pieces of every message, in order. The pieces of a text follow each other without gaps and cover it; an empty text has
/// one empty piece. Linear in the length of the conversation.
#[must_use]
pub fn decompose(conversation: &Conversation, tools: &ToolTable) -> Vec<Vec<ContentPiece>> {
    decompose_texts(conversation, &conversation.texts(), tools)
}

/// [`decompose`], for those who have the texts of the conversation already.
#[must_use]
pub fn decompose_texts(
    conversation: &Conversation,
    texts: &[Vec<TextAt<'_>>],
    tools: &ToolTable,
) -> Vec<Vec<ContentPiece>> {
    let mut decomposer = Decomposer { tools, calls: HashMap::new(), called: Vec::new() };
    conversation.messages().zip(texts).map(|(message, texts)| decomposer.message(message, texts)).collect()
}

/// The pieces of a message, each with the text it is a part of. Texts and their pieces come in the same order.
pub fn with_texts<'t, 'a>(
    pieces: Vec<ContentPiece>,
    texts: &'t [TextAt<'a>],
) -> impl Iterator<Item = (ContentPiece, &'t TextAt<'a>)> + use<'t, 'a> {
    let mut texts = texts.iter().peekable();
    pieces.into_iter().map_while(move |piece| {
        while texts.next_if(|text| *text.path != *piece.path).is_some() {}
        Some((piece, *texts.peek()?))
    })
}

struct Decomposer<'a, 't> {
    tools: &'t ToolTable,
    /// The native calls so far by id.
    calls: HashMap<&'a str, Arc<ToolSource>>,
    /// The names of the tools called in the newest message of the assistant.
    called: Vec<String>,
}

impl<'a> Decomposer<'a, '_> {
    fn message(&mut self, message: &'a Message, texts: &[TextAt<'_>]) -> Vec<ContentPiece> {
        match message.role {
            Role::Assistant => self.assistant(message, texts),
            Role::User => self.user(message, texts),
            Role::Other(_) => texts.iter().map(|text| self.whole(message, text)).collect(),
        }
    }

    fn assistant(&mut self, message: &'a Message, texts: &[TextAt<'_>]) -> Vec<ContentPiece> {
        self.called.clear();
        for (index, block) in message.content.blocks().iter().enumerate() {
            let Block::ToolUse { id, name, .. } = block else { continue };
            let first = texts.partition_point(|text| text.block < index);
            let parameters = texts[first..].iter().take_while(|text| text.block == index);
            let parameters = parameters.filter_map(|text| {
                // A message's content, its block, the input, the parameter.
                Some(Parameter { key: last_key(&text.path)?, value: text.text, is_nested: text.path.len() > 4 })
            });
            self.calls.insert(id, Arc::new(ToolSource::of_call(name, parameters, self.tools)));
            self.called.push(name.clone());
        }
        let mut pieces = Vec::with_capacity(texts.len());
        for text in texts {
            if text.kind != ContentKind::MessageText {
                pieces.push(self.whole(message, text));
                continue;
            }
            let mut cutter = Cutter::new(text, &mut pieces);
            for call in xml_calls::calls(text.text, self.tools) {
                self.called.push(call.name.to_owned());
                let values = call.parameters.iter().map(|parameter| Parameter {
                    key: parameter.name,
                    value: &text.text[parameter.value.clone()],
                    is_nested: false,
                });
                let source = PieceSource::Tool(Arc::new(ToolSource::of_call(call.name, values, self.tools)));
                // The tags are a piece of their own: who cuts words or values leaves them, so that the call stays one.
                let mut frame = call.range.start;
                for value in xml_calls::values(text.text, &call) {
                    cutter.cut(frame..value.range.start, ContentKind::MessageText, &source);
                    frame = value.range.end;
                    if !value.is_spoken {
                        cutter.cut(value.range, ContentKind::ToolParameters, &source);
                    }
                }
                if frame < call.range.end {
                    cutter.cut(frame..call.range.end, ContentKind::MessageText, &source);
                }
            }
            cutter.finish();
        }
        pieces
    }

    fn user(&mut self, message: &'a Message, texts: &[TextAt<'_>]) -> Vec<ContentPiece> {
        let whole = matches!(message.content, Content::Text(_));
        let mut pieces = Vec::with_capacity(texts.len());
        let mut answers = Vec::new();
        {
            let called = &self.called;
            let mut reader = UserTexts::new(self.tools, |name: &str| called.iter().any(|called| called == name));
            for text in texts {
                let sections = (text.kind == ContentKind::MessageText).then(|| reader.sections(text.text, whole));
                answers.push(sections);
            }
        }
        for (text, sections) in texts.iter().zip(answers) {
            let Some(sections) = sections else {
                pieces.push(self.whole(message, text));
                continue;
            };
            let mut cutter = Cutter::new(text, &mut pieces);
            let mut tool: Option<(usize, Arc<ToolSource>)> = None;
            for section in sections {
                let (kind, source) = match section.kind {
                    SectionKind::Words => continue,
                    SectionKind::EnvironmentDetails => (ContentKind::ToolResults, PieceSource::EnvironmentDetails),
                    SectionKind::Mention(path) => {
                        let source = Arc::new(ToolSource::of_file(path));
                        (ContentKind::ToolResults, PieceSource::Mention(source))
                    }
                    SectionKind::Header(header) => {
                        let source = Arc::new(ToolSource::new(header.name, header.target(), self.tools));
                        tool = Some((header.end, source.clone()));
                        (ContentKind::MessageText, PieceSource::Tool(source))
                    }
                    SectionKind::Body(header) => {
                        let known = tool.as_ref().filter(|(end, _)| header.is_some_and(|header| header.end == *end));
                        let source = known.map(|(_, source)| source.clone());
                        let source = source.unwrap_or_else(|| {
                            Arc::new(header.map_or_else(ToolSource::default, |header| {
                                ToolSource::new(header.name, header.target(), self.tools)
                            }))
                        });
                        (ContentKind::ToolResults, PieceSource::Tool(source))
                    }
                };
                cutter.cut(section.range, kind, &source);
            }
            cutter.finish();
        }
        pieces
    }

    /// A text that is one piece.
    fn whole(&self, message: &Message, text: &TextAt<'_>) -> ContentPiece {
        let (id, is_error) = match message.content.blocks().get(text.block) {
            Some(Block::ToolUse { id, .. }) => (Some(id.as_str()), false),
            Some(Block::ToolResult { tool_use_id, is_error, .. }) => (Some(tool_use_id.as_str()), *is_error),
            _ => (None, false),
        };
        let source = match id {
            None => PieceSource::Words,
            Some(id) => PieceSource::Tool(self.calls.get(id).cloned().unwrap_or_default()),
        };
        // A refusal that says what the user wants instead is the user's words, too.
        let speaks = || source.asks_user() || (is_error && refuses_in_words(text.text));
        let spoken = text.kind == ContentKind::ToolResults && speaks();
        ContentPiece {
            block: text.block,
            range: 0..text.text.len(),
            kind: if spoken { ContentKind::MessageText } else { text.kind },
            path: text.path.as_slice().into(),
            source,
        }
    }
}

fn last_key(path: &[PathStep]) -> Option<&str> {
    path.iter().rev().find_map(|step| match step {
        PathStep::Key(key) => Some(key.as_ref()),
        PathStep::Index(_) => None,
    })
}

/// Cuts a text: what lies between the cuts becomes pieces of words.
struct Cutter<'p> {
    block: usize,
    path: Arc<[PathStep]>,
    length: usize,
    done: usize,
    pieces: &'p mut Vec<ContentPiece>,
}

impl<'p> Cutter<'p> {
    fn new(text: &TextAt<'_>, pieces: &'p mut Vec<ContentPiece>) -> Self {
        Self { block: text.block, path: text.path.as_slice().into(), length: text.text.len(), done: 0, pieces }
    }

    fn cut(&mut self, range: Range<usize>, kind: ContentKind, source: &PieceSource) {
        debug_assert!(self.done <= range.start && range.end <= self.length);
        if self.done < range.start {
            self.push(range.start, ContentKind::MessageText, PieceSource::Words);
        }
        self.push(range.end, kind, source.clone());
    }

    fn push(&mut self, end: usize, kind: ContentKind, source: PieceSource) {
        let range = self.done..end;
        self.done = end;
        self.pieces.push(ContentPiece { block: self.block, path: self.path.clone(), range, kind, source });
    }

    fn finish(mut self) {
        if self.done < self.length || self.length == 0 {
            self.push(self.length, ContentKind::MessageText, PieceSource::Words);
        }
    }
}
