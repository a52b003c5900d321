//! Goose's messages.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, elements, outputs_at};

pub struct Goose;

impl Sample for Goose {
    fn name(&self) -> &'static str {
        "goose"
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
        json!({ "type": "redactedThinking", "data": "Z0FB" })
    }

    fn executed(&self, _number: usize) -> Vec<Value> {
        Vec::new()
    }

    fn unknown(&self, _place: usize) -> Vec<Value> {
        vec![
            json!({ "type": "news", "text": 5 }),
            json!({ "type": "systemNotification", "notificationType": "inlineMessage", "msg": "Hm." }),
        ]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        outputs_at(self.parts(message), "/toolResult/value/content", &json!([]))
    }

    fn shapes(&self) -> Option<Shapes> {
        None
    }

    /// Some results begin with a part that only the user sees.
    fn of_client(&self, part: &mut Value, place: usize) {
        if part.get("toolResult").is_some() && place.is_multiple_of(3) {
            let shown = json!({ "type": "text", "text": "shown", "annotations": { "audience": ["user"] } });
            let parts = part["toolResult"].pointer_mut("/value/content").and_then(Value::as_array_mut);
            parts.into_iter().for_each(|parts| parts.insert(0, shown.clone()));
        }
    }

    fn ask(&self, _messages: &mut Vec<Value>, _place: usize, _approval: &str, _is_granted: bool) {}

    fn between(&self, _said: &str, _place: usize, _number: usize) -> Option<Value> {
        None
    }

    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for part in messages.iter().flat_map(|message| elements(&message["content"])) {
            match part["type"].as_str() {
                Some("toolRequest") => halves.asked("call", &part["id"]),
                Some("toolResponse") => halves.answered("call", &part["id"]),
                _ => {}
            }
        }
    }
}
