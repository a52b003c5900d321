//! Items of OpenAI's Responses API.

use serde_json::{Value, json};

use super::sample::{Halves, Output, Sample, Shapes};

pub struct ResponsesItems;

impl Sample for ResponsesItems {
    fn name(&self) -> &'static str {
        "openai-responses"
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

    /// What other formats have as parts are items, here one before one of the assistant's.
    fn add(&self, messages: &mut Vec<Value>, place: usize, _is_own: bool, part: Value) {
        let is_there = |message: &Value| message["type"] == "function_call" || message["role"] == "assistant";
        let places: Vec<usize> = (0..messages.len()).filter(|index| is_there(&messages[*index])).collect();
        if let Some(at) = places.get(place % places.len().max(1)) {
            messages.insert(*at, part);
        }
    }

    fn reasoning(&self, number: usize) -> Value {
        json!({ "type": "reasoning", "id": format!("rs_v{number}"), "summary": [], "encrypted_content": "Z0FB" })
    }

    fn executed(&self, number: usize) -> Vec<Value> {
        vec![json!({ "type": "web_search_call", "id": format!("ws_{number}"), "status": "completed" })]
    }

    fn unknown(&self, _place: usize) -> Vec<Value> {
        vec![json!({ "type": "item_reference", "id": "x_1" }), json!({ "type": "news", "id": "n_1" })]
    }

    fn outputs<'a>(&self, message: &'a mut Value) -> Vec<Output<'a>> {
        let is_result = message["type"] == "function_call_output";
        is_result.then(|| (&mut message["output"], json!(""))).into_iter().collect()
    }

    fn shapes(&self) -> Option<Shapes> {
        None
    }

    fn of_client(&self, _part: &mut Value, _place: usize) {}

    fn ask(&self, messages: &mut Vec<Value>, place: usize, approval: &str, is_granted: bool) {
        let at = place % (messages.len() + 1);
        let request = json!({ "type": "mcp_approval_request", "id": approval, "name": "x", "arguments": "{}", "server_label": "s" });
        let response =
            json!({ "type": "mcp_approval_response", "approval_request_id": approval, "approve": is_granted });
        messages.splice(at..at, [request, response]);
    }

    fn between(&self, said: &str, _place: usize, _number: usize) -> Option<Value> {
        Some(json!({ "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": said }] }))
    }

    fn halves(&self, messages: &[Value], halves: &mut Halves) {
        for (index, item) in messages.iter().enumerate() {
            match item["type"].as_str().unwrap_or_default() {
                "function_call" => halves.asked("call", &item["call_id"]),
                "function_call_output" => halves.answered("call", &item["call_id"]),
                "mcp_approval_request" => halves.asked("approval", &item["id"]),
                "mcp_approval_response" => halves.answered("approval", &item["approval_request_id"]),
                "reasoning" => {
                    let is_answer = |next: &Value| next["type"] == "function_call_output" || next["role"] == "user";
                    halves.reasoning(messages.get(index + 1).is_none_or(is_answer));
                }
                _ => {}
            }
        }
    }
}
