//! OpenCode's messages.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, file_data, openai_reasoning, outputs_at};

pub struct OpenCode;

impl Sample for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn parts<'a>(&self, message: &'a mut Value) -> Option<&'a mut Vec<Value>> {
        message.get_mut("parts")?.as_array_mut()
    }

    fn role<'a>(&self, message: &'a Value) -> &'a Value {
        &message["info"]["role"]
    }

    fn assistant(&self) -> &'static str {
        "assistant"
    }

    fn reasoning(&self, number: usize) -> Value {
        json!({ "type": "reasoning", "text": "", "id": "prt_r", "metadata": openai_reasoning(number) })
    }

    fn executed(&self, _number: usize) -> Vec<Value> {
        Vec::new()
    }

    fn unknown(&self, _place: usize) -> Vec<Value> {
        vec![
            json!({ "type": "step-finish", "id": "prt_s" }),
            json!({ "type": "patch", "files": [] }),
            json!({ "type": "text", "text": "Not sent.", "ignored": true }),
        ]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        let cleared = json!({ "status": "completed", "input": {}, "output": "x", "time": { "compacted": 5 } });
        outputs_at(self.parts(message), "/state", &cleared)
    }

    fn shapes(&self) -> Option<Shapes> {
        Some(("/state", |output, _, place| {
            let image = format!("data:image/png;base64,{}", file_data(place));
            output["attachments"] = json!([{ "id": "prt_f", "type": "file", "mime": "image/png", "url": image }]);
        }))
    }

    fn of_client(&self, _part: &mut Value, _place: usize) {}

    fn ask(&self, _messages: &mut Vec<Value>, _place: usize, _approval: &str, _is_granted: bool) {}

    fn between(&self, _said: &str, _place: usize, _number: usize) -> Option<Value> {
        None
    }

    /// A call and its result are one part.
    fn halves(&self, _messages: &[Value], _halves: &mut Halves) {}
}
