//! The AI SDK's `ModelMessage`.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, elements, file_data, is_alone, openai_reasoning, outputs_at};

pub struct ModelMessages;

impl Sample for ModelMessages {
    fn name(&self) -> &'static str {
        "ai-sdk-model"
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

    fn reasoning(&self, number: usize) -> Value {
        json!({ "type": "reasoning", "text": "", "providerOptions": openai_reasoning(number) })
    }

    fn executed(&self, number: usize) -> Vec<Value> {
        let id = format!("srv_{number}");
        vec![
            json!({ "type": "tool-call", "toolCallId": id, "toolName": "web", "input": {}, "providerExecuted": true }),
            json!({ "type": "tool-result", "toolCallId": id, "toolName": "web", "output": { "type": "json", "value": [] } }),
        ]
    }

    fn unknown(&self, place: usize) -> Vec<Value> {
        vec![
            json!({ "type": "custom", "kind": "a.b" }),
            json!({ "type": "source", "id": "s" }),
            json!({ "type": "file", "mediaType": "application/pdf", "data": file_data(place) }),
        ]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        outputs_at(self.parts(message), "/output", &json!({ "type": "text", "value": "" }))
    }

    fn shapes(&self) -> Option<Shapes> {
        Some(("/output", |output, value, _| *output = json!({ "type": "json", "value": value })))
    }

    fn of_client(&self, _part: &mut Value, _place: usize) {}

    fn ask(&self, messages: &mut Vec<Value>, place: usize, approval: &str, is_granted: bool) {
        let called = |message: &Value| {
            let parts = message["content"].as_array().into_iter().flatten();
            parts
                .filter(|part| part["type"] == "tool-call" && part["providerExecuted"].is_null())
                .map(|part| part["toolCallId"].clone())
                .collect::<Vec<_>>()
        };
        let calls: Vec<(usize, Value)> = messages
            .iter()
            .enumerate()
            .flat_map(|(at, message)| called(message).into_iter().map(move |id| (at, id)))
            .collect();
        let Some((at, id)) = calls.get(place % calls.len().max(1)).cloned() else { return };
        let request = json!({ "type": "tool-approval-request", "approvalId": approval, "toolCallId": id });
        messages[at]["content"].as_array_mut().unwrap().push(request);
        let response = json!({ "type": "tool-approval-response", "approvalId": approval, "approved": is_granted });
        let answers = messages.get_mut(at + 1).filter(|next| next["role"] == "tool" && place.is_multiple_of(2));
        match answers.and_then(|next| next["content"].as_array_mut()) {
            Some(parts) => {
                if !is_granted {
                    parts
                        .iter_mut()
                        .filter(|part| part["toolCallId"] == id)
                        .for_each(|part| part["output"] = json!({ "type": "execution-denied" }));
                }
                parts.insert(0, response);
            }
            None => messages.insert(at + 1, json!({ "role": "tool", "content": [response] })),
        }
    }

    fn between(&self, said: &str, _place: usize, _number: usize) -> Option<Value> {
        Some(json!({ "role": "system", "content": said }))
    }

    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for message in messages {
            let parts: Vec<&Value> = elements(&message["content"]).collect();
            for (at, part) in parts.iter().enumerate() {
                match (part["type"].as_str().unwrap_or_default(), message["role"].as_str()) {
                    ("tool-call", Some("assistant")) if part["providerExecuted"] == true => {
                        halves.asked("executed", &part["toolCallId"]);
                    }
                    ("tool-result", Some("assistant")) => halves.answered("executed", &part["toolCallId"]),
                    ("tool-call", Some("assistant")) => halves.asked("call", &part["toolCallId"]),
                    ("tool-result", Some("tool")) => halves.answered("call", &part["toolCallId"]),
                    ("tool-approval-request", Some("assistant")) => {
                        halves.asked("approval", &part["approvalId"]);
                        let is_call =
                            |other: &&&Value| other["type"] == "tool-call" && other["toolCallId"] == part["toolCallId"];
                        if parts.iter().find(is_call).is_none() {
                            halves.answered("approved call", &part["toolCallId"]);
                        }
                    }
                    ("tool-approval-response", Some("tool")) => halves.answered("approval", &part["approvalId"]),
                    ("reasoning", _) => {
                        halves.reasoning(is_alone(part, "providerOptions", parts.get(at + 1).copied()));
                    }
                    _ => {}
                }
            }
        }
    }
}
