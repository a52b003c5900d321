//! Messages of Bedrock's Converse API.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, elements, file_data, outputs_at};

pub struct Bedrock;

impl Sample for Bedrock {
    fn name(&self) -> &'static str {
        "bedrock-converse"
    }

    fn parts<'a>(&self, message: &'a mut Value) -> Option<&'a mut Vec<Value>> {
        message.get_mut("content")?.as_array_mut()
    }

    fn role<'a>(&self, message: &'a Value) -> &'a Value {
        &message["role"]
    }

    fn assistant(&self) -> &'static str {
        "assistant"
    }

    fn reasoning(&self, _number: usize) -> Value {
        json!({ "reasoningContent": { "redactedContent": "Z0FB" } })
    }

    fn executed(&self, _number: usize) -> Vec<Value> {
        Vec::new()
    }

    fn unknown(&self, place: usize) -> Vec<Value> {
        vec![
            json!({ "cachePoint": { "type": "default" } }),
            json!({ "guardContent": {} }),
            json!({ "document": { "format": "pdf", "name": "n", "source": { "bytes": file_data(place) } } }),
        ]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        outputs_at(self.parts(message), "/toolResult/content", &json!([]))
    }

    fn shapes(&self) -> Option<Shapes> {
        None
    }

    fn of_client(&self, _part: &mut Value, _place: usize) {}

    fn ask(&self, _messages: &mut Vec<Value>, _place: usize, _approval: &str, _is_granted: bool) {}

    fn between(&self, _said: &str, _place: usize, _number: usize) -> Option<Value> {
        None
    }

    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for part in messages.iter().flat_map(|message| elements(&message["content"])) {
            halves.asked("call", &part["toolUse"]["toolUseId"]);
            halves.answered("call", &part["toolResult"]["toolUseId"]);
        }
    }
}
