//! OpenAI's chat messages.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, elements};

pub struct OpenAiChat;

impl Sample for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
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

    /// What other formats have as parts stands in fields of the message.
    fn add(&self, messages: &mut Vec<Value>, place: usize, _is_own: bool, part: Value) {
        let own: Vec<&mut Value> = messages.iter_mut().filter(|message| message["role"] == "assistant").collect();
        let count = own.len().max(1);
        if let (Some(message), Some(fields)) = (own.into_iter().nth(place % count), part.as_object()) {
            fields.iter().for_each(|(name, field)| message[name] = field.clone());
        }
    }

    fn reasoning(&self, _number: usize) -> Value {
        json!({ "reasoning_content": "", "refusal": null })
    }

    fn executed(&self, _number: usize) -> Vec<Value> {
        Vec::new()
    }

    fn unknown(&self, _place: usize) -> Vec<Value> {
        vec![json!({ "audio": { "id": "a" } }), json!({ "annotations": [] })]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        let is_result = message["role"] == "tool";
        is_result.then(|| (&mut message["content"], json!(""))).into_iter().collect()
    }

    fn shapes(&self) -> Option<Shapes> {
        None
    }

    fn of_client(&self, _part: &mut Value, _place: usize) {}

    fn ask(&self, _messages: &mut Vec<Value>, _place: usize, _approval: &str, _is_granted: bool) {}

    fn between(&self, said: &str, _place: usize, _number: usize) -> Option<Value> {
        Some(json!({ "role": "developer", "content": said }))
    }

    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for message in messages {
            elements(&message["tool_calls"]).for_each(|call| halves.asked("call", &call["id"]));
            if message["role"] == "tool" {
                halves.answered("call", &message["tool_call_id"]);
            }
        }
    }
}
