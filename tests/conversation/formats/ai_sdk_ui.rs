//! The AI SDK's `UIMessage`.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, elements, file_data, is_alone, openai_reasoning, outputs_at};

pub struct UiMessages;

impl Sample for UiMessages {
    fn name(&self) -> &'static str {
        "ai-sdk-ui"
    }

    fn parts<'a>(&self, message: &'a mut Value) -> Option<&'a mut Vec<Value>> {
        message.get_mut("parts")?.as_array_mut()
    }

    fn role<'a>(&self, message: &'a Value) -> &'a Value {
        &message["role"]
    }

    fn assistant(&self) -> &'static str {
        "assistant"
    }

    fn reasoning(&self, number: usize) -> Value {
        json!({ "type": "reasoning", "text": "", "state": "done", "providerMetadata": openai_reasoning(number) })
    }

    fn executed(&self, number: usize) -> Vec<Value> {
        let id = format!("srv_{number}");
        vec![
            json!({ "type": "tool-web", "toolCallId": id, "state": "output-available", "input": {}, "output": [], "providerExecuted": true }),
        ]
    }

    fn unknown(&self, place: usize) -> Vec<Value> {
        vec![
            json!({ "type": "data-x", "data": [1] }),
            json!({ "type": "source-url", "sourceId": "s", "url": "u" }),
            json!({ "type": "step-start" }),
            json!({ "type": "file", "mediaType": "audio/wav", "url": format!("data:audio/wav;base64,{}", file_data(place)) }),
        ]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        outputs_at(self.parts(message), "/output", &json!(null))
    }

    fn shapes(&self) -> Option<Shapes> {
        Some(("/output", |output, value, _| *output = value))
    }

    fn of_client(&self, _part: &mut Value, _place: usize) {}

    fn ask(&self, messages: &mut Vec<Value>, place: usize, approval: &str, is_granted: bool) {
        let parts = messages.iter_mut().filter_map(|message| message["parts"].as_array_mut()).flatten();
        let calls: Vec<&mut Value> =
            parts.filter(|part| part["state"].is_string() && part["toolCallId"].is_string()).collect();
        let count = calls.len().max(1);
        let Some(call) = calls.into_iter().nth(place % count) else { return };
        call["approval"] = json!({ "id": approval, "approved": is_granted });
        if !is_granted {
            call["state"] = json!("output-denied");
        }
    }

    fn between(&self, said: &str, _place: usize, number: usize) -> Option<Value> {
        Some(json!({ "id": format!("s{number}"), "role": "system", "parts": [{ "type": "text", "text": said }] }))
    }

    /// A call and its result are one part.
    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for message in messages {
            let parts: Vec<&Value> = elements(&message["parts"]).filter(|part| part["type"] != "step-start").collect();
            for (at, part) in parts.iter().enumerate().filter(|(_, part)| part["type"] == "reasoning") {
                halves.reasoning(is_alone(part, "providerMetadata", parts.get(at + 1).copied()));
            }
        }
    }
}
