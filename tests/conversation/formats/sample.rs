//! What the tests need of a format, by the documentation of its service and not by what the library reads.

use serde_json::{Value, json};

pub use super::orphans::{Halves, is_alone};

/// The output of a tool in a message, and what is left of one that was cleared.
pub type Output<'a> = (&'a mut Value, Value);

/// Where a part has its output, and how it becomes this JSON value or gets a file beside it; the number varies it.
pub type Shapes = (&'static str, fn(&mut Value, Value, usize));

/// A format, as the tests write it. No method that a format may lack has a default, so that none is forgotten.
pub trait Sample: Sync {
    /// Returns its name in the option `format`.
    fn name(&self) -> &'static str;

    /// Returns the parts of a message, where it has any.
    fn parts<'a>(&self, message: &'a mut Value) -> Option<&'a mut Vec<Value>>;

    /// Returns the field that says whose a message is.
    fn role<'a>(&self, message: &'a Value) -> &'a Value;

    /// Returns the assistant's role.
    fn assistant(&self) -> &'static str;

    /// Adds a part to a message of the assistant, or to one of the others.
    fn add(&self, messages: &mut Vec<Value>, place: usize, is_own: bool, part: Value) {
        let is_assistants = |message: &Value| self.role(message) == self.assistant();
        let fitting: Vec<&mut Value> = messages.iter_mut().filter(|message| is_assistants(message) == is_own).collect();
        let count = fitting.len().max(1);
        let Some(parts) = fitting.into_iter().nth(place % count).and_then(|message| self.parts(message)) else {
            return;
        };
        let at = place / 7 % (parts.len() + 1);
        parts.insert(at, part);
    }

    /// Returns reasoning without words, encrypted where the format has a field for it.
    fn reasoning(&self, number: usize) -> Value;

    /// Returns the parts of a tool that the service has run; none if it runs none.
    fn executed(&self, number: usize) -> Vec<Value>;

    /// Returns parts of types that nobody knows, or that no model reads.
    fn unknown(&self, place: usize) -> Vec<Value>;

    /// Returns the outputs of tools in a message.
    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>>;

    /// Returns how an output may be more than a text.
    fn shapes(&self) -> Option<Shapes>;

    /// Rewrites a part as some clients write it.
    fn of_client(&self, part: &mut Value, place: usize);

    /// Asks the user about one call, by this id.
    fn ask(&self, messages: &mut Vec<Value>, place: usize, approval: &str, is_granted: bool);

    /// Returns a message of the system that says this, or an item that stands for another one.
    fn between(&self, said: &str, place: usize, number: usize) -> Option<Value>;

    /// Adds both halves of everything that has two.
    fn halves(&self, messages: &[Value], halves: &mut Halves);
}

pub fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The outputs at this path in each part, for messages whose results are parts.
pub fn outputs_at<'a>(parts: Option<&'a mut Vec<Value>>, path: &str, cleared: &Value) -> Vec<Output<'a>> {
    let outputs = parts.into_iter().flatten().filter_map(|part| part.pointer_mut(path));
    outputs.map(|output| (output, cleared.clone())).collect()
}

/// Base64 that stands for a file.
pub fn file_data(place: usize) -> String {
    "QUJDRA0K".repeat(40 + place % 50)
}

/// What the AI SDK and OpenCode keep of a reasoning item of OpenAI's.
pub fn openai_reasoning(number: usize) -> Value {
    json!({ "openai": { "itemId": format!("rs_v{number}"), "reasoningEncryptedContent": "Z0FB" } })
}

/// Blocks of a tool that Anthropic's service has run.
pub fn server_tool(number: usize) -> Vec<Value> {
    let id = format!("srv_{number}");
    vec![
        json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": {} }),
        json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": [] }),
    ]
}

/// Blocks of Anthropic's service that are read as they are.
pub fn anthropic_unknown(place: usize) -> Vec<Value> {
    vec![
        json!({ "type": "news", "text": 5 }),
        json!({ "type": "container_upload", "file_id": "f" }),
        json!({ "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": file_data(place) } }),
    ]
}
