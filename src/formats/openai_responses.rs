//! The items of OpenAI's Responses API, as sent in `input` and returned in `output`.
//!
//! Rules: <https://platform.openai.com/docs/api-reference/responses/create> and the texts of its errors. A call and
//! its output have the same `call_id`, at any distance; a reasoning item needs the item that followed it; ids begin
//! with the prefix of their kind. Encrypted content and ids never change.

use super::{
    format::{Format, Near, Written},
    openai_chat::result_of,
    part::{Part, Path, Slot, steps},
    rules::{Breaches, Open},
};
use crate::conversation::{Block, Json, JsonObject, PathStep, Problem, Role, Service, json_text::escape};

#[cfg(test)]
mod tests;

/// OpenAI Responses items.
pub struct ResponsesItems;

/// The prefixes with which ids of items must begin.
const PREFIXES: [(&str, &str); 4] =
    [("function_call", "fc"), ("reasoning", "rs"), ("message", "msg"), ("custom_tool_call", "ctc")];

impl Format for ResponsesItems {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let fields = message.object();
        let kind = kind_of(&fields);
        let call_id = fields.string("call_id");
        let whole = Path::new;
        match (kind.as_str(), call_id) {
            ("message", _) => said(&fields),
            ("function_call", Some(id)) => {
                let name = fields.string("name").unwrap_or_default();
                let arguments = fields.string("arguments").unwrap_or_default();
                vec![Part::encoded_call(id, name, &arguments, whole(), steps!["arguments"])]
            }
            ("custom_tool_call", Some(id)) => {
                let name = fields.string("name").unwrap_or_default();
                let input = fields.string("input").unwrap_or_default();
                vec![Part::free_call(id, name, "input", &input, whole(), steps!["input"])]
            }
            ("function_call_output" | "custom_tool_call_output", Some(id)) => {
                let output = fields.get("output");
                let result = output.map(|output| result_of(id.clone(), output, whole(), &steps!["output"]));
                vec![result.unwrap_or_else(|| Part::result(id, String::new(), false, whole(), Slot::Fixed))]
            }
            ("reasoning", _) => vec![Part::other(Role::Assistant, "reasoning", message, whole()).needing_next()],
            // A compaction replaces everything before it.
            ("compaction", _) => vec![Part::other(Role::Assistant, "compaction", message, whole()).staying()],
            // Calls that the service ran itself, in one item or two.
            (kind, call_id) => {
                let tie = call_id.or_else(|| fields.string("approval_request_id")).or_else(|| fields.string("id"));
                let part = Part::other(Role::Assistant, kind, message, whole());
                vec![match tie {
                    Some(tie) => part.tied(tie),
                    None => part,
                }]
            }
        }
    }

    fn service(&self) -> Service {
        Service::OpenAi
    }

    fn write(&self, role: &Role, text: &str, near: &Near<'_>) -> Written {
        let is_typed = near.like.is_some_and(|like| like.object().get("type").is_some());
        let kind = if is_typed { r#""type":"message","# } else { "" };
        let json = format!(r#"{{{kind}"role":{},"content":{}}}"#, escape(role.as_str()), escape(text));
        Written { json, text: steps!["content"] }
    }

    fn text_part(&self, message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        let fields = message.object();
        if kind_of(&fields) != "message" || array != steps!["content"] {
            return None;
        }
        Some(match fields.string("role")?.as_str() {
            "assistant" => format!(r#"{{"type":"output_text","text":{},"annotations":[]}}"#, escape(text)),
            _ => format!(r#"{{"type":"input_text","text":{}}}"#, escape(text)),
        })
    }

    fn start(&self, messages: &[Json<'_>]) -> usize {
        let is_compaction = |message: &Json<'_>| message.object().string("type").as_deref() == Some("compaction");
        messages.iter().rposition(is_compaction).unwrap_or(0)
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        // Calls without an output so far.
        let mut calls: Vec<(String, usize)> = Vec::new();
        let mut open = Open::default();
        let mut last_said = 0;
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            let kind = kind_of(&fields);
            if kind.is_empty() {
                breaches.add(index, None, "not_a_message", "is no item: it has neither a type nor a role");
                continue;
            }
            let id = fields.string("id");
            let prefix = PREFIXES.iter().find(|(of, _)| *of == kind).map(|(_, prefix)| *prefix);
            if let (Some(id), Some(prefix)) = (&id, prefix)
                && fields.string("role").as_deref() != Some("user")
                && !id.starts_with(prefix)
            {
                let text = format!("id is {id:?}; ids of items of type {kind:?} begin with {prefix:?}");
                breaches.add(index, None, "invalid_id", text);
            }
            match kind.as_str() {
                "reasoning" => {
                    let next = messages.get(index + 1).map(|next| next.object());
                    let is_followed = next.is_none_or(|next| {
                        let kind = kind_of(&next);
                        !kind.ends_with("_output")
                            && (kind != "message" || next.string("role").as_deref() == Some("assistant"))
                    });
                    if !is_followed {
                        let text = "a reasoning item without the item that followed it";
                        breaches.add(index, None, "reasoning_without_item", text);
                    }
                }
                "message" => {
                    last_said = index;
                    let content = fields.get("content");
                    if !content.is_some_and(|content| content.is_array() || content.string().is_some()) {
                        breaches.add(index, None, "empty_content", "content is neither a string nor an array of parts");
                    }
                }
                _ => {}
            }
            for part in self.read(*message) {
                match part.block {
                    Block::ToolUse { id, .. } => {
                        calls.push((id.clone(), index));
                        open.call(id);
                    }
                    Block::ToolResult { tool_use_id, .. } => {
                        if let Some(at) = calls.iter().position(|(call, _)| *call == tool_use_id) {
                            calls.remove(at);
                        }
                        open.result(tool_use_id, index, &mut breaches);
                    }
                    _ => {}
                }
            }
        }
        // An agent may condense between a call and its output.
        for (id, index) in calls {
            if index < last_said {
                breaches.about(index, "unanswered_tool_use", &id, format!("call {id:?} has no output"));
            }
        }
        breaches.into_problems()
    }
}

/// Returns the type of an item; a message may omit it.
fn kind_of(fields: &JsonObject<'_>) -> String {
    let is_message = || fields.get("role").is_some();
    fields.string("type").unwrap_or_else(|| if is_message() { "message".to_owned() } else { String::new() })
}

fn said(fields: &JsonObject<'_>) -> Vec<Part> {
    let role = Role::from(fields.string("role").unwrap_or_default());
    let Some(content) = fields.get("content") else { return Vec::new() };
    if let Some(text) = content.string() {
        let part = (!text.is_empty()).then(|| Part::text(role, text, steps!["content"], steps!["content"]));
        return part.into_iter().collect();
    }
    let parts = content.elements().into_iter().enumerate().map(|(index, part)| {
        let own = part.object();
        let kind = own.string("type").unwrap_or_default();
        let at = steps!["content", index];
        match own.string("text") {
            Some(text) if matches!(kind.as_str(), "input_text" | "output_text" | "text") => {
                Part::text(role.clone(), text, at, steps!["content", index, "text"])
            }
            _ => Part::other(role.clone(), &kind, part, at),
        }
    });
    parts.collect()
}
