//! Messages of the Anthropic Messages API.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, anthropic_unknown, elements, server_tool};

pub struct Anthropic;

impl Sample for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
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
        json!({ "type": "redacted_thinking", "data": "Z0FB" })
    }

    fn executed(&self, number: usize) -> Vec<Value> {
        server_tool(number)
    }

    fn unknown(&self, place: usize) -> Vec<Value> {
        anthropic_unknown(place)
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        let results = self.parts(message).into_iter().flatten().filter(|part| part["type"] == "tool_result");
        results.filter_map(|part| part.get_mut("content")).map(|output| (output, json!([]))).collect()
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
            match part["type"].as_str() {
                Some("tool_use") => halves.asked("call", &part["id"]),
                Some("tool_result") => halves.answered("call", &part["tool_use_id"]),
                Some("server_tool_use") => halves.asked("executed", &part["id"]),
                Some("web_search_tool_result") => halves.answered("executed", &part["tool_use_id"]),
                _ => {}
            }
        }
    }
}
