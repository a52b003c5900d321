//! Divides a conversation into entries as a reader sees them: words, and calls with their results.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Json, Message, Role, TextAt},
    markers::is_summary,
    transcript::{
        CallOutcome, ContentPiece, HostText, Meaning, PieceSource, ToolSource, ToolTable, decompose, outcome_of_answer,
    },
};

/// The sign between the parameters of a call and its result.
const RESULT: &str = "→";
/// The sign if the call did not succeed.
const FAILED: &str = "→ failed:";
/// Deeper parameters are written as one line of JSON.
const MAX_DEPTH: usize = 3;
/// Maximum bytes of a list element, such as a todo item, that is written as one line of JSON if it has no line
/// breaks.
const MAX_LINE_OF_JSON: usize = 200;

/// The speaker or tool of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The user's words.
    User,
    /// The assistant's words.
    Assistant,
    /// The assistant's thinking.
    Thought,
    /// Context that the host injected.
    Context,
    /// A summary of messages.
    Summary,
    /// A call and its result.
    Call(Meaning),
}

impl Kind {
    /// Returns the speaker in one word; empty for calls, which are named by their tool.
    pub const fn speaker(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Thought => "assistant, thinking",
            Self::Context => "context",
            Self::Summary => "summary",
            Self::Call(_) => "",
        }
    }
}

/// An entry read from a conversation.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The speaker or tool.
    pub kind: Kind,
    /// The tool and the call's subject, on one line; empty for words.
    pub head: String,
    /// The file that a call concerns, as the call names it; empty if none.
    pub file: String,
    /// The words; or the parameters, with the result after an arrow.
    pub text: String,
    /// Index of the message in the conversation.
    pub message: usize,
    /// How a call ended.
    pub outcome: CallOutcome,
    /// The byte at which the result begins; the end of the text if there is none.
    pub result: usize,
}

impl Draft {
    fn words(kind: Kind, text: &str, message: usize) -> Self {
        let text = text.trim_matches('\n').to_owned();
        let result = text.len();
        Self { kind, head: String::new(), file: String::new(), text, message, outcome: CallOutcome::Ok, result }
    }

    fn call(source: &ToolSource, text: String, message: usize) -> Self {
        let (head, file) = (source.head.clone(), source.file.clone());
        let result = text.len();
        Self { kind: Kind::Call(source.meaning), head, file, text, message, outcome: CallOutcome::Unanswered, result }
    }

    /// Returns the number of lines of the result.
    pub fn result_lines(&self) -> u32 {
        // After the line break and the arrow.
        let lines = self.text[self.result..].trim_start_matches('\n').bytes().filter(|byte| *byte == b'\n').count();
        lines as u32
    }

    fn answer(&mut self, result: &str, is_error: bool) {
        self.outcome = outcome_of_answer(result, is_error);
        let is_bad = matches!(self.outcome, CallOutcome::Failed | CallOutcome::Denied);
        let arrow = if is_bad { FAILED } else { RESULT };
        for part in [arrow, result.trim_end_matches('\n')] {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(part);
        }
    }
}

/// Returns the entries of a conversation, in the order in which their messages begin. Calls of recall itself are not
/// entries.
pub fn entries(conversation: &Conversation, tools: &ToolTable) -> Vec<Draft> {
    let texts = conversation.texts();
    let pieces = decompose(conversation, tools);
    let mut reader = Reader::default();
    for (index, ((message, texts), pieces)) in conversation.messages().zip(&texts).zip(&pieces).enumerate() {
        reader.message(index, message, texts, pieces);
    }
    reader.drafts.retain(|draft| draft.kind != Kind::Call(Meaning::Recall) && !draft.text.trim().is_empty());
    reader.drafts
}

/// Returns the first message that must be read again together with later ones, because a later message may answer its
/// calls.
pub fn open_from(conversation: &Conversation) -> usize {
    let is_assistants = |message: &Message| message.role == Role::Assistant;
    let last = conversation.entries().iter().rposition(|entry| is_assistants(&entry.message));
    last.map_or(conversation.len(), |last| {
        // Consecutive assistant messages have their results after the last.
        let run = (0..last).rev().take_while(|at| is_assistants(conversation.message(*at))).count();
        last - run
    })
}

#[derive(Default)]
struct Reader<'a> {
    drafts: Vec<Draft>,
    /// The native calls without a result, by id.
    open: HashMap<&'a str, usize>,
    /// The calls in text of the assistant's newest message, with their tools.
    announced: Vec<(usize, Arc<ToolSource>)>,
}

impl<'a> Reader<'a> {
    fn message(&mut self, index: usize, message: &'a Message, texts: &[TextAt<'_>], pieces: &[ContentPiece]) {
        if message.role == Role::Assistant {
            self.announced.clear();
        }
        match &message.content {
            Content::Text(_) => self.texts(index, message, 0, texts, pieces),
            content => {
                for (at, block) in content.blocks().iter().enumerate() {
                    self.block(index, message, at, block, texts, pieces);
                }
            }
        }
    }

    fn block(
        &mut self,
        index: usize,
        message: &'a Message,
        at: usize,
        block: &'a Block,
        texts: &[TextAt<'_>],
        pieces: &[ContentPiece],
    ) {
        match block {
            Block::Text { .. } => self.texts(index, message, at, texts, pieces),
            Block::Thinking { thinking, .. } => self.drafts.push(Draft::words(Kind::Thought, thinking, index)),
            Block::ToolUse { id, input, name, .. } => {
                let source = pieces.iter().find(|piece| piece.block == at).map(|piece| &piece.source);
                let unknown = || ToolSource { name: name.clone(), head: name.clone(), ..ToolSource::default() };
                let draft = match source {
                    Some(PieceSource::Tool(source)) => Draft::call(source, parameters(input.get()), index),
                    _ => Draft::call(&unknown(), parameters(input.get()), index),
                };
                self.open.insert(id, self.drafts.len());
                self.drafts.push(draft);
            }
            Block::ToolResult { tool_use_id, is_error, .. } => {
                let result = result_text(message, at, block);
                match self.open.remove(tool_use_id.as_str()) {
                    Some(call) => self.drafts[call].answer(&result, *is_error),
                    None => {
                        let source = ToolSource { head: "result".to_owned(), ..ToolSource::default() };
                        let mut draft = Draft::call(&source, String::new(), index);
                        draft.answer(&result, *is_error);
                        self.drafts.push(draft);
                    }
                }
            }
            Block::Image { .. } => {}
            Block::Other { .. } => {
                let found = message.searchable().into_iter().filter(|(block, _)| *block == at);
                let lines: Vec<_> = found.map(|(_, text)| text).collect();
                self.drafts.push(Draft::words(speaker(message, ""), &lines.join("\n"), index));
            }
        }
    }

    /// Adds the pieces of one text block: words, calls in text, and results in text.
    fn texts(&mut self, index: usize, message: &Message, block: usize, texts: &[TextAt<'_>], pieces: &[ContentPiece]) {
        let Some(text) = texts.iter().find(|text| text.block == block).map(|text| text.text) else { return };
        let mut pieces = pieces.iter().filter(|piece| piece.block == block).peekable();
        while let Some(piece) = pieces.next() {
            let mut end = piece.range.end;
            while let Some(next) = pieces.next_if(|next| belongs_together(message, piece, next)) {
                end = next.range.end;
            }
            self.piece(index, message, piece, &text[piece.range.start..end]);
        }
    }

    fn piece(&mut self, index: usize, message: &Message, piece: &ContentPiece, text: &str) {
        match &piece.source {
            PieceSource::Words => self.drafts.push(Draft::words(speaker(message, text), text, index)),
            PieceSource::EnvironmentDetails => self.drafts.push(Draft::words(Kind::Context, text, index)),
            PieceSource::Mention(source) => {
                let text = text.trim_matches('\n').to_owned();
                self.drafts.push(Draft { outcome: CallOutcome::Ok, ..Draft::call(source, text, index) });
            }
            PieceSource::Tool(source) if message.role == Role::Assistant => {
                self.announced.push((self.drafts.len(), Arc::clone(source)));
                self.drafts.push(Draft::call(source, text.trim_matches('\n').to_owned(), index));
            }
            // The line that announces a result repeats the call.
            PieceSource::Tool(_) if piece.kind == ContentKind::MessageText => {}
            PieceSource::Tool(source) => self.announced_result(index, source, text),
        }
    }

    fn announced_result(&mut self, index: usize, source: &ToolSource, text: &str) {
        let result = text.trim_matches('\n');
        let call = self.announced.iter().position(|(_, call)| call.name == source.name);
        match call {
            Some(at) => {
                let (call, _) = self.announced.remove(at);
                self.drafts[call].answer(result, false);
            }
            None => {
                let mut draft = Draft::call(source, String::new(), index);
                draft.answer(result, false);
                self.drafts.push(draft);
            }
        }
    }
}

/// Returns true if two pieces of one text belong to one entry: words, or parts of one call.
fn belongs_together(message: &Message, piece: &ContentPiece, next: &ContentPiece) -> bool {
    match (&piece.source, &next.source) {
        (PieceSource::Words, PieceSource::Words) => true,
        (PieceSource::Tool(one), PieceSource::Tool(other)) => {
            message.role == Role::Assistant && Arc::ptr_eq(one, other)
        }
        _ => false,
    }
}

/// Returns the speaker of a text that is neither call nor result.
fn speaker(message: &Message, text: &str) -> Kind {
    if is_summary(message) {
        return Kind::Summary;
    }
    match message.role {
        Role::Assistant => Kind::Assistant,
        Role::Other(_) => Kind::Context,
        Role::User => match HostText::recognise(text) {
            Some(HostText::Summary) => Kind::Summary,
            Some(HostText::Notice) => Kind::Context,
            None => Kind::User,
        },
    }
}

/// Returns the text of a result.
fn result_text<'m>(message: &'m Message, at: usize, block: &'m Block) -> Cow<'m, str> {
    let Block::ToolResult { content, .. } = block else { return "".into() };
    match content {
        Content::Text(text) => text.into(),
        Content::Blocks(blocks) => match &blocks[..] {
            [Block::Text { text, .. }] => text.into(),
            blocks if blocks.iter().all(|block| matches!(block, Block::Text { .. } | Block::Image { .. })) => {
                let texts =
                    blocks.iter().map(|block| if let Block::Text { text, .. } = block { text } else { "[image]" });
                texts.collect::<Vec<_>>().join("\n").into()
            }
            _ => {
                let found = message.searchable().into_iter().filter(|(block, _)| *block == at);
                found.map(|(_, text)| text).collect::<Vec<_>>().join("\n").into()
            }
        },
        Content::Other(raw) => raw.get().into(),
        Content::Missing => "".into(),
    }
}

/// Returns the parameters of a call in sequence: a name and a colon, then the value, on the lines below if it has
/// several.
fn parameters(input: &str) -> String {
    let mut text = String::new();
    let Ok(raw) = serde_json::from_str::<&serde_json::value::RawValue>(input) else { return input.to_owned() };
    for (name, value) in Json::from(raw).object().iter() {
        parameter(name, value, 0, &mut text);
    }
    text
}

fn parameter(name: &str, value: Json<'_>, depth: usize, text: &mut String) {
    let is_line = depth > 0 && value.json().len() <= MAX_LINE_OF_JSON && !value.json().contains("\\n");
    if depth < MAX_DEPTH && value.is_object() && !is_line {
        value.object().iter().for_each(|(inner, value)| parameter(&format!("{name}.{inner}"), value, depth + 1, text));
        return;
    }
    let elements = value.elements();
    if depth < MAX_DEPTH && elements.iter().any(|element| element.is_object()) {
        for (index, element) in elements.into_iter().enumerate() {
            parameter(&format!("{name}[{index}]"), element, depth + 1, text);
        }
        return;
    }
    let value = value.string().map_or(Cow::Borrowed(value.json()), Cow::Owned);
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(name);
    text.push_str(if value.contains('\n') { ":\n" } else { ": " });
    text.push_str(&value);
}
