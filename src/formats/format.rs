//! The interface that each message format implements.

use super::part::{Part, Path, steps};
use crate::conversation::{Json, PathStep, Problem, Role, Service, json_text::escape};

/// Reads and writes histories of one format.
pub trait Format: Sync {
    /// Returns its name in the option `format`.
    fn name(&self) -> &'static str;

    /// Returns the parts of a message, in order. Unknown content is carried through as a part, or stays with the
    /// message.
    fn read(&self, message: Json<'_>) -> Vec<Part>;

    /// Returns the service whose rule counts files.
    fn service(&self) -> Service {
        Service::Any
    }

    /// Returns the parts of a message, with files counted by the service's rule.
    fn parts(&self, message: Json<'_>) -> Vec<Part> {
        let mut parts = self.read(message);
        parts.iter_mut().for_each(|part| part.block.count_for(self.service()));
        parts
    }

    /// Writes a message with this text.
    fn write(&self, role: &Role, text: &str, _near: &Near<'_>) -> Written {
        Written::content(role, text)
    }

    /// Writes a text as an element of the array at `array` in `message`, before the element `before`; `None` if no
    /// text is allowed there.
    fn text_part(&self, _message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        (array == steps!["content"]).then(|| text_element(text))
    }

    /// Returns the element to put between two others that would otherwise be read as one, after those between them
    /// were removed.
    fn separator(&self, _before: Json<'_>, _behind: Json<'_>) -> Option<&'static str> {
        None
    }

    /// Returns the JSON for a field whose part is removed while other parts of its message stay.
    fn emptied(&self) -> &'static str {
        "\"\""
    }

    /// Returns true if the array at this path may be empty; if not, its field is written without the array.
    fn may_be_empty(&self, _array: &[PathStep]) -> bool {
        true
    }

    /// Returns true if adjacent messages of one role are one message, and results belong directly after their calls
    /// wherever they occur. If false, each message is one of ours, as in formats where roles alternate.
    fn joins(&self) -> bool {
        true
    }

    /// Returns the index of the first message that the model still reads, if earlier ones are replaced by later ones.
    fn start(&self, _messages: &[Json<'_>]) -> usize {
        0
    }

    /// Returns the id by which other messages may refer to this one.
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

/// The surroundings of an added message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Near<'a> {
    /// A message nearby, of the same role if there is one.
    pub like: Option<Json<'a>>,
    /// The message directly before it.
    pub behind: Option<Json<'a>>,
    /// Number of messages added to the conversation before it.
    pub number: usize,
}

/// A written message.
pub struct Written {
    /// Its JSON.
    pub json: String,
    /// The path of its text.
    pub text: Path,
}

impl Written {
    /// Writes a message with a role and a text as its `content`.
    pub fn content(role: &Role, text: &str) -> Self {
        let json = format!(r#"{{"role":{},"content":{}}}"#, escape(role.as_str()), escape(text));
        Self { json, text: steps!["content"] }
    }
}

/// Writes a part of type `text`.
pub fn text_element(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, escape(text))
}

/// Writes a text as an element of `content`, for formats in which only messages of the user and the assistant have
/// several parts.
pub fn text_of_speaker(message: Json<'_>, array: &[PathStep], text: &str) -> Option<String> {
    let role = message.object().string("role")?;
    let holds = array == steps!["content"] && (role == "user" || role == "assistant");
    holds.then(|| text_element(text))
}
