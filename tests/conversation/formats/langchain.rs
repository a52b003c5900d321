//! LangChain's messages.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes, anthropic_unknown, elements, server_tool};

pub struct LangChain;

impl Sample for LangChain {
    fn name(&self) -> &'static str {
        "langchain"
    }

    fn parts<'a>(&self, message: &'a mut Value) -> Option<&'a mut Vec<Value>> {
        message.get_mut("content")?.as_array_mut()
    }

    fn role<'a>(&self, message: &'a Value) -> &'a Value {
        &message["type"]
    }

    fn assistant(&self) -> &'static str {
        "ai"
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
        let is_result = message["type"] == "tool";
        is_result.then(|| (&mut message["content"], json!(""))).into_iter().collect()
    }

    fn shapes(&self) -> Option<Shapes> {
        None
    }

    fn of_client(&self, _part: &mut Value, _place: usize) {}

    fn ask(&self, _messages: &mut Vec<Value>, _place: usize, _approval: &str, _is_granted: bool) {}

    fn between(&self, said: &str, place: usize, _number: usize) -> Option<Value> {
        let is_removal = place.is_multiple_of(3);
        Some(if is_removal {
            json!({ "type": "remove", "id": "m1" })
        } else {
            json!({ "type": "system", "content": said })
        })
    }

    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for message in messages {
            elements(&message["tool_calls"]).for_each(|call| halves.asked("call", &call["id"]));
            elements(&message["content"]).for_each(|part| match part["type"].as_str() {
                Some("server_tool_use") => halves.asked("executed", &part["id"]),
                Some("web_search_tool_result") => halves.answered("executed", &part["tool_use_id"]),
                _ => {}
            });
            if message["type"] == "tool" {
                halves.answered("call", &message["tool_call_id"]);
            }
        }
    }
}
