//! Walks through a conversation, matches calls with their results, and has both interpreted.

use std::{ops::Range, sync::Arc};

use crate::conversation::{Block, Content, ContentKind, Conversation, Message, Role, TextAt};

use super::{
    calls::{Parameters, ToolCall},
    confirmed::confirm,
    events::{Action, Event, Transcript},
    interpret::{Interpreter, ToolAnswer, mentioned},
    paths::Paths,
    pending::Pending,
    place::{ConversationText, Place},
    tools::{Meaning, ToolTable},
    user_text::{SectionKind, UserTexts},
    xml_calls,
};

/// Reads a conversation as events. Works on any conversation: unknown content gives no event, or an event with
/// [`Action::Other`]. Linear in the length of the conversation.
pub fn read<'a>(conversation: &'a Conversation, tools: &ToolTable) -> Transcript<'a> {
    read_texts(conversation, conversation.texts(), tools)
}

/// [`read`] for callers that already have the texts of the conversation. Uses only this thread.
pub fn read_texts<'a>(
    conversation: &'a Conversation,
    texts: Vec<Vec<TextAt<'a>>>,
    tools: &ToolTable,
) -> Transcript<'a> {
    let mut reader = Reader::new(tools);
    for (index, (message, texts)) in conversation.messages().zip(texts).enumerate() {
        reader.message(index, message, texts);
    }
    reader.flush();
    reader.finish()
}

struct Reader<'a, 't> {
    tools: &'t ToolTable,
    interpreter: Interpreter<'t>,
    texts: Vec<ConversationText<'a>>,
    events: Vec<Event>,
    /// The calls of the assistant's newest message.
    pending: Pending<'a>,
    /// Files that user messages have shown since then without a call.
    uncalled: Vec<Event>,
    working_directory: Option<String>,
    /// True if there was a user message after the assistant's newest one.
    user_spoke: bool,
}

/// A part of a user's text, without borrowed data.
enum Part {
    Header { name: String, target: String },
    Body { announced: bool },
    Words,
    Environment,
    Mention(String),
}

impl<'a, 't> Reader<'a, 't> {
    fn new(tools: &'t ToolTable) -> Self {
        Self {
            tools,
            interpreter: Interpreter::new(tools),
            texts: Vec::new(),
            events: Vec::new(),
            pending: Pending::default(),
            uncalled: Vec::new(),
            working_directory: None,
            user_spoke: false,
        }
    }

    fn message(&mut self, index: usize, message: &'a Message, texts: Vec<TextAt<'a>>) {
        let first = self.texts.len();
        self.texts.extend(texts.into_iter().map(|text| ConversationText {
            message: index,
            block: text.block,
            path: text.path,
            kind: text.kind,
            text: text.text,
        }));
        match message.role {
            Role::Assistant => {
                // Two adjacent assistant messages have their results after the second.
                if std::mem::take(&mut self.user_spoke) {
                    self.flush();
                }
                self.assistant(index, message, first);
            }
            Role::User => {
                self.user_spoke = true;
                self.user(message, first);
            }
            Role::Other(_) => {}
        }
    }

    fn assistant(&mut self, index: usize, message: &'a Message, first: usize) {
        let mut at = first;
        // A string content has no blocks, but one text.
        let blocks = message.content.blocks().len().max(1);
        for block in 0..blocks {
            let from = at;
            while self.texts.get(at).is_some_and(|text| text.block == block) {
                at += 1;
            }
            match message.content.blocks().get(block) {
                Some(Block::ToolUse { id, name, input, .. }) => {
                    let parameters = Parameters::Native { input: input.get(), texts: from..at };
                    let (name, announced, id) = (name.clone(), name.clone(), Some(id.as_str()));
                    self.pending.push(ToolCall { name, announced, id, message: index, block, place: None, parameters });
                }
                _ => {
                    for text in from..at {
                        if !is_readable(self.texts[text].text) {
                            continue;
                        }
                        let calls = xml_calls::calls(self.texts[text].text, self.tools);
                        let calls: Vec<_> =
                            calls.iter().map(|call| ToolCall::from_xml(call, &self.texts, text)).collect();
                        calls.into_iter().for_each(|call| self.pending.push(call));
                    }
                }
            }
        }
    }

    fn user(&mut self, message: &'a Message, first: usize) {
        let whole = matches!(message.content, Content::Text(_));
        let parts = self.parts(first, whole);
        let mut header: Option<(String, String)> = None;
        for (text, range, part) in parts {
            let place = Place { text, range };
            match part {
                Part::Header { name, target } => header = Some((name, target)),
                Part::Body { announced } => {
                    let header = header.take().filter(|_| announced);
                    self.answer_in_text(header, place);
                }
                Part::Words => {
                    if self.working_directory.is_none() {
                        self.working_directory = directory_of_context(&self.texts[text].text[place.range.clone()]);
                    }
                    let words = self.texts[text].text[place.range.clone()].trim_start();
                    if words.starts_with("The user denied")
                        && let Some(header) = header.take()
                    {
                        self.answer_in_text(Some(header), place);
                    }
                }
                Part::Environment => {
                    let snapshot = &self.texts[text].text[place.range.clone()];
                    self.working_directory = self.working_directory.take().or_else(|| stated_directory(snapshot));
                    self.uncalled.push(Event { answers: vec![place], ..Event::new("", Action::Environment) });
                }
                Part::Mention(path) => self.uncalled.push(mentioned(&self.texts, &path, place)),
            }
        }
        let mut at = first;
        for (block, content) in message.content.blocks().iter().enumerate() {
            let from = at;
            while self.texts.get(at).is_some_and(|text| text.block == block) {
                at += 1;
            }
            if let Block::ToolResult { tool_use_id, is_error, .. } = content {
                let places = (from..at).filter(|text| is_readable(self.texts[*text].text));
                let places: Vec<Place> =
                    places.map(|text| Place { text, range: 0..self.texts[text].text.len() }).collect();
                if let (None, Some(last)) = (&self.working_directory, places.last()) {
                    self.working_directory = directory_of_shell(self.texts[last.text].text);
                }
                self.answer_natively(tool_use_id, ToolAnswer { places, is_error: *is_error });
            }
        }
    }

    /// Returns the parts of the message's texts, in order.
    fn parts(&self, first: usize, whole: bool) -> Vec<(usize, Range<usize>, Part)> {
        let called = |name: &str| self.pending.is_called(name);
        let mut sections = UserTexts::new(self.tools, called);
        let mut parts = Vec::new();
        for (index, text) in self.texts.iter().enumerate().skip(first) {
            if text.kind != ContentKind::MessageText || !is_readable(text.text) {
                continue;
            }
            parts.extend(sections.sections(text.text, whole).into_iter().map(|section| {
                let part = match section.kind {
                    SectionKind::Header(header) => {
                        Part::Header { name: header.name.to_owned(), target: header.target().to_owned() }
                    }
                    SectionKind::Body(header) => Part::Body { announced: header.is_some() },
                    SectionKind::Words => Part::Words,
                    SectionKind::EnvironmentDetails => Part::Environment,
                    SectionKind::Mention(path) => Part::Mention(path.to_owned()),
                };
                (index, section.range, part)
            }));
        }
        parts
    }

    fn answer_in_text(&mut self, header: Option<(String, String)>, place: Place) {
        let answer = ToolAnswer { places: vec![place], is_error: false };
        let Some((name, target)) = header else {
            // A result without its call: its tool is unknown.
            let unknown = Event { answers: answer.places, ..Event::new("", Action::Other) };
            return self.uncalled.push(unknown);
        };
        let Err(answer) = self.pending.answer_name(&name, answer) else { return };
        let parameters = Parameters::Header(target);
        let (message, block) = answer.places.first().map_or((0, 0), |place| {
            let text = &self.texts[place.text];
            (text.message, text.block)
        });
        let call = ToolCall { announced: name.clone(), name, id: None, message, block, place: None, parameters };
        let events = self.interpreter.events(&self.texts, &call, Some(answer));
        self.uncalled.extend(events.into_iter().map(|event| Event { call: None, ..event }));
    }

    fn answer_natively(&mut self, id: &str, answer: ToolAnswer) {
        if let Err(answer) = self.pending.answer_id(id, answer) {
            self.uncalled.push(Event { answers: answer.places, ..Event::new("", Action::Other) });
        }
    }

    /// Turns the calls of the assistant's last message, and what followed them, into events.
    fn flush(&mut self) {
        for (call, answer) in self.pending.take() {
            let events = self.interpreter.events(&self.texts, &call, answer);
            self.events.extend(events);
        }
        self.events.append(&mut self.uncalled);
    }

    fn finish(mut self) -> Transcript<'a> {
        let stated = self.working_directory.take();
        let hits = |event: &Event| match &event.action {
            Action::Search(hits) => hits.iter().map(|hit| hit.path.clone()).collect(),
            _ => Vec::new(),
        };
        let named: Vec<Arc<str>> = {
            let mut named: Vec<Arc<str>> = Vec::new();
            for path in self.events.iter().flat_map(|event| event.path.clone().into_iter().chain(hits(event))) {
                // Hits in one file are adjacent.
                if named.last() != Some(&path) {
                    named.push(path);
                }
            }
            named
        };
        let mut paths = Paths::new(named.iter().map(|path| &**path), stated.as_deref());
        for event in &mut self.events {
            // The directory in which the shell begins is unknown too.
            if stated.is_none() && self.tools.meaning(&event.tool) == Meaning::Command {
                event.may_be_elsewhere();
            }
            if let Some(path) = &mut event.path {
                *path = paths.name(path);
            }
            if let Action::Search(hits) = &mut event.action {
                for hit in hits {
                    hit.path = paths.name(&hit.path);
                }
            }
        }
        let working_directory = paths.working_directory().map(str::to_owned);
        let mut transcript = Transcript { texts: self.texts, events: self.events, working_directory };
        confirm(&mut transcript);
        transcript
    }
}

/// Returns true if spans can address the text: they hold offsets below 4 GiB.
fn is_readable(text: &str) -> bool {
    u32::try_from(text.len()).is_ok()
}

/// Returns the working directory in an environment snapshot.
fn stated_directory(snapshot: &str) -> Option<String> {
    let heads = ["# Current Workspace Directory (", "# Current Working Directory ("];
    let rest = heads.iter().find_map(|head| Some(&snapshot[snapshot.find(head)? + head.len()..]))?;
    let line = rest.lines().next()?;
    Some(line[..line.rfind(')')?].to_owned())
}

/// Returns the project's directory, which Claude Code appends to the output of a command that left it.
fn directory_of_shell(answer: &str) -> Option<String> {
    const NOTE: &str = "Shell cwd was reset to ";
    let last = answer.trim_end().rsplit('\n').next()?;
    last.strip_prefix(NOTE).map(str::to_owned)
}

/// Returns the directory that Codex names before the user's first words.
fn directory_of_context(words: &str) -> Option<String> {
    let context = words.trim_start().strip_prefix("<environment_context>")?;
    Some(context.split_once("<cwd>")?.1.split_once("</cwd>")?.0.trim().to_owned())
}
