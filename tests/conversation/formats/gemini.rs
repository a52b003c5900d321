//! Gemini's contents.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, elements, file_data, outputs_at};

pub struct Gemini;

impl Sample for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn parts<'a>(&self, message: &'a mut Value) -> Option<&'a mut Vec<Value>> {
        message.get_mut("parts")?.as_array_mut()
    }

    fn role<'a>(&self, message: &'a Value) -> &'a Value {
        &message["role"]
    }

    fn assistant(&self) -> &'static str {
        "model"
    }

    fn reasoning(&self, _number: usize) -> Value {
        json!({ "text": "", "thought": true, "thoughtSignature": "Z0FB" })
    }

    fn executed(&self, _number: usize) -> Vec<Value> {
        vec![
            json!({ "executableCode": { "language": "PYTHON", "code": "1" } }),
            json!({ "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "1" } }),
        ]
    }

    fn unknown(&self, place: usize) -> Vec<Value> {
        vec![
            json!({ "fileData": { "fileUri": "u" } }),
            json!({ "news": 1 }),
            json!({ "inlineData": { "mimeType": "video/mp4", "data": file_data(place) } }),
        ]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        outputs_at(self.parts(message), "/functionResponse/response", &json!({}))
    }

    fn shapes(&self) -> Option<Shapes> {
        Some(("/functionResponse", |output, value, place| {
            output["response"] = value;
            if place.is_multiple_of(2) {
                output["parts"] = json!([{ "inlineData": { "mimeType": "image/png", "data": file_data(place) } }]);
            }
        }))
    }

    /// Python's client uses snake case, with a null for each field that is not set.
    fn of_client(&self, part: &mut Value, _place: usize) {
        let Some(part) = part.as_object_mut() else { return };
        for (name, other) in [
            ("functionCall", "function_call"),
            ("functionResponse", "function_response"),
            ("thoughtSignature", "thought_signature"),
        ] {
            let value = part.remove(name).or_else(|| part.remove(other));
            part.insert(other.to_owned(), value.unwrap_or_default());
        }
        part.entry("text").or_insert(Value::Null);
    }

    fn ask(&self, _messages: &mut Vec<Value>, _place: usize, _approval: &str, _is_granted: bool) {}

    fn between(&self, _said: &str, _place: usize, _number: usize) -> Option<Value> {
        None
    }

    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for part in messages.iter().flat_map(|message| elements(&message["parts"])) {
            ["functionCall", "function_call"].iter().for_each(|name| halves.asked("call", &part[*name]["id"]));
            ["functionResponse", "function_response"]
                .iter()
                .for_each(|name| halves.answered("call", &part[*name]["id"]));
        }
    }
}
