//! The interface that each message format implements.

use super::part::{Part, Path, steps};
use crate::conversation::{Json, PathStep, Problem, Role, Service, json_text::escape};

/// How histories of one kind are read and written.
pub trait Format: Sync {
    /// Its name in the option `format`.
    fn name(&self) -> &'static str;

    /// The parts of a message, in their order. What is not known is carried through as a part, or stays with the message.
    fn read(&self, message: Json<'_>) -> Vec<Part>;

    /// The service whose rule counts files.
    fn service(&self) -> Service {
        Service::Any
    }

    /// The parts of a message, where files count by the rule of the service.
    fn parts(&self, message: Json<'_>) -> Vec<Part> {
        let mut parts = self.read(message);
        parts.iter_mut().for_each(|part| part.block.count_for(self.service()));
        parts
    }

    /// A message that says `text`.
    fn write(&self, role: &Role, text: &str, near: &Near<'_>) -> Written;

    /// A text as an element of the array at `array` in `message`, before the element `before`; `None` where no text can stand there.
    fn text_part(&self, message: Json<'_>, array: &[PathStep], before: usize, text: &str) -> Option<String>;

    /// An element that takes the place of removed ones between two others, where these would be read as one.
    fn separator(&self, _before: Json<'_>, _behind: Json<'_>) -> Option<&'static str> {
        None
    }

    /// JSON that takes the place of a field whose part goes while others of its message stay.
    fn emptied(&self) -> &'static str;

    /// Whether the array at this path may be empty; if not, a message is written without it.
    fn may_be_empty(&self, _array: &[PathStep]) -> bool {
        true
    }

    /// Whether messages of one role that follow each other are one, and results belong behind their calls wherever they stand. If not, each message is one of
    /// ours: in formats that want roles to alternate as ours does.
    fn joins(&self) -> bool {
        true
    }

    /// The first message that a model still reads, where some at the beginning are replaced by what follows them.
    fn start(&self, _messages: &[Json<'_>]) -> usize {
        0
    }

    /// The id by which other messages may name this one as theirs.
    fn name_of(&self, _message: Json<'_>) -> Option<String> {
        None
    }

    /// Returns the path at which a message names the one that it belongs to.
    fn belongs_at(&self) -> Option<Path> {
        None
    }

    /// Lists the problems for which the service refuses these messages.
    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem>;
}

/// The surroundings of a message that is added.
#[derive(Debug, Clone, Copy, Default)]
pub struct Near<'a> {
    /// A message nearby, of the same role where there is one.
    pub like: Option<Json<'a>>,
    /// The message right before it.
    pub behind: Option<Json<'a>>,
    /// How many were added to the conversation before it.
    pub number: usize,
}

/// A message that was written.
pub struct Written {
    /// Its JSON.
    pub json: String,
    /// The path of its text.
    pub text: Path,
}

impl Written {
    /// A message of a role whose `content` is a text.
    pub fn content(role: &Role, text: &str) -> Self {
        let json = format!(r#"{{"role":{},"content":{}}}"#, escape(role.as_str()), escape(text));
        Self { json, text: steps!["content"] }
    }
}

/// A part of the type `text`.
pub fn text_element(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, escape(text))
}

/// A text as an element of `content`, in formats where messages of the user and the assistant alone hold several parts.
pub fn text_of_speaker(message: Json<'_>, array: &[PathStep], text: &str) -> Option<String> {
    let role = message.object().string("role")?;
    let holds = array == steps!["content"] && (role == "user" || role == "assistant");
    holds.then(|| text_element(text))
}
