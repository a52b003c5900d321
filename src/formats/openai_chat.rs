//! The messages of OpenAI's Chat Completions, also used by many services and programs: Mistral, Ollama, litellm,
//! SWE-agent, Inspect.
//!
//! Rules: <https://platform.openai.com/docs/api-reference/chat/create>. Every call has a message of role `tool`
//! directly after the assistant's message.

use super::{
    format::{Format, text_of_speaker},
    part::{Part, Path, Slot, below, each_below, steps},
    rules::{Breaches, Open},
};
use crate::conversation::{Block, Json, JsonObject, PathStep, Problem, Role, Service};

#[cfg(test)]
mod tests;

/// OpenAI chat messages.
pub struct OpenAiChat;

/// The fields for calls: OpenAI's, and that of Mistral's SDK.
const CALLS: [&str; 2] = ["tool_calls", "toolCalls"];
const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];

impl Format for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let fields = message.object();
        let role = fields.string("role").unwrap_or_default();
        let content = fields.get("content");
        match role.as_str() {
            "tool" | "function" => {
                let id = result_id(&fields);
                let result = content.map(|content| result_of(id, content, Path::new(), &steps!["content"]));
                result.into_iter().collect()
            }
            role => {
                let role = Role::from(role.to_owned());
                let mut parts = content.map(|content| said(&role, content)).unwrap_or_default();
                parts.extend(calls(&fields));
                parts
            }
        }
    }

    fn service(&self) -> Service {
        Service::OpenAi
    }

    fn text_part(&self, message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        text_of_speaker(message, array, text)
    }

    fn emptied(&self) -> &'static str {
        "null"
    }

    fn may_be_empty(&self, _array: &[PathStep]) -> bool {
        false
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        let mut open = Open::default();
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            let Some(role) = breaches.said_role(index, &fields, "a role") else { continue };
            breaches.role(index, &role, &ROLES);
            let content = fields.get("content").filter(|content| !content.is_null());
            if role == "tool" || role == "function" {
                open.result(result_id(&fields), index, &mut breaches);
                let parts = content.map(Json::elements).unwrap_or_default();
                for (at, part) in parts.iter().enumerate() {
                    if part.object().string("type").as_deref() != Some("text") {
                        breaches.add(index, Some(at), "unreadable_block", "a tool message holds text alone");
                    }
                }
                if !content.is_some_and(|content| content.is_array() || content.string().is_some()) {
                    breaches.add(index, None, "empty_content", "content is neither a string nor an array of parts");
                }
                continue;
            }
            open.close(index, &mut breaches);
            let own = calls(&fields);
            let is_listed = CALLS.iter().any(|name| fields.get(name).is_some_and(Json::is_array));
            if is_listed && own.is_empty() {
                breaches.add(index, None, "empty_tool_calls", "tool_calls is empty; leave it out");
            }
            if !own.is_empty() && role != "assistant" {
                breaches.add(index, None, "misplaced_tool_use", "tool_calls in a message that is not the assistant's");
            }
            for part in &own {
                if let Block::ToolUse { id, name, .. } = &part.block {
                    if name.is_empty() {
                        breaches.add(index, None, "unnamed_tool_use", "a call without a name");
                    }
                    open.call(id.clone());
                }
            }
            let is_empty = !content.is_some_and(|content| match content.string() {
                Some(_) => true,
                None => !content.elements().is_empty(),
            });
            if is_empty && own.is_empty() && fields.get("refusal").is_none_or(Json::is_null) {
                breaches.add(index, None, "empty_content", "there is neither content nor a call");
            }
        }
        breaches.into_problems()
    }
}

/// Reads the content of a message.
fn said(role: &Role, content: Json<'_>) -> Vec<Part> {
    if let Some(text) = content.string() {
        // An empty content has no parts.
        let part = (!text.is_empty()).then(|| Part::text(role.clone(), text, steps!["content"], steps!["content"]));
        return part.into_iter().collect();
    }
    let parts = content.elements().into_iter().enumerate().map(|(index, part)| {
        let fields = part.object();
        let (kind, at) = (fields.string("type").unwrap_or_default(), steps!["content", index]);
        match (kind.as_str(), fields.string("text")) {
            ("text", Some(text)) => Part::text(role.clone(), text, at, steps!["content", index, "text"]),
            _ => Part::other(role.clone(), &kind, part, at),
        }
    });
    parts.collect()
}

/// Returns the calls of a message.
fn calls(fields: &JsonObject<'_>) -> Vec<Part> {
    let mut found = Vec::new();
    for field in CALLS {
        let calls = fields.get(field).map(Json::elements).unwrap_or_default();
        found.extend(calls.into_iter().enumerate().map(|(index, call)| {
            let at = steps![field, index];
            let own = call.object();
            let (kind, function) = [("function", "arguments"), ("custom", "input")]
                .into_iter()
                .find(|(kind, _)| own.get(kind).is_some_and(Json::is_object))
                .unwrap_or(("", "arguments"));
            // Inspect writes the function's name in place of the function.
            let (holder, stands) = match kind {
                "" => (own.clone(), steps![field, index, function]),
                kind => (own.object(kind), steps![field, index, kind, function]),
            };
            let name = holder.string("name").or_else(|| own.string("function")).unwrap_or_default();
            let id = own.string("id").unwrap_or_else(|| unnamed(&name));
            written_call(id, name, holder.get(function), kind == "custom", at, stands)
        }));
    }
    let old = fields.object("function_call");
    if let Some(name) = old.string("name") {
        let stands = steps!["function_call", "arguments"];
        found.push(written_call(unnamed(&name), name, old.get("arguments"), false, steps!["function_call"], stands));
    }
    found
}

fn written_call(id: String, name: String, input: Option<Json<'_>>, is_free: bool, at: Path, stands: Path) -> Part {
    match input.and_then(Json::string) {
        Some(text) if is_free => Part::free_call(id, name, "input", &text, at, stands),
        Some(text) => Part::encoded_call(id, name, &text, at, stands),
        None => Part::call(id, name, input, at, stands),
    }
}

/// Returns the id for a call without one and for its result, made from the name that both contain.
fn unnamed(name: &str) -> String {
    format!("call of {name}")
}

/// Returns the id of the call that a message answers.
fn result_id(fields: &JsonObject<'_>) -> String {
    let named = || fields.string("tool_name").or_else(|| fields.string("name")).or_else(|| fields.string("function"));
    fields
        .string("tool_call_id")
        .or_else(|| fields.string("toolCallId"))
        .or_else(|| fields.get("tool_call_ids")?.elements().first()?.string())
        .unwrap_or_else(|| unnamed(&named().unwrap_or_default()))
}

/// Creates a result whose content, a string or parts with texts, is at `stands`.
pub fn result_of(id: String, content: Json<'_>, at: Path, stands: &[PathStep]) -> Part {
    if let Some(text) = content.string() {
        return Part::result(id, text, false, at, Slot::Text(stands.to_vec()));
    }
    if !content.is_array() {
        return Part::fixed_result(id, content.to_raw(), false, at);
    }
    let blocks = blocks_of(content, stands);
    let each = each_below(stands, blocks.len());
    Part::result_of_blocks(id, blocks, false, at, &each)
}

/// Returns the parts of a result, with the path of each text.
pub fn blocks_of(content: Json<'_>, stands: &[PathStep]) -> Vec<(Block, Option<Path>)> {
    let block = |(index, part): (usize, Json<'_>)| {
        let fields = part.object();
        let kind = fields.string("type").unwrap_or_default();
        let is_text = matches!(kind.as_str(), "text" | "input_text" | "output_text");
        match fields.string("text").filter(|_| is_text) {
            Some(text) => (Block::text(text), Some(below(stands, [index.into(), "text".into()]))),
            None => (Block::carried(&kind, part.to_raw()), None),
        }
    };
    content.elements().into_iter().enumerate().map(block).collect()
}
