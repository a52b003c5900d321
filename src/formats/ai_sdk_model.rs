//! The `ModelMessage`s of the AI SDK, versions 5 to 7: the input and output of `generateText` and `streamText`.
//!
//! Rules: `modelMessageSchema` of the package `ai`, and its `convertToLanguageModelPrompt`, which requires the result
//! of every call before the next message of the user or the system. The contents of `providerOptions` (signatures,
//! ids of items) stay with their part.

use super::{
    format::{Format, text_of_speaker},
    openai_chat::blocks_of,
    part::{Part, Path, Slot, Wrap, below, each_below, raw_of, steps},
    rules::{Breaches, Open},
};
use crate::conversation::{Block, Json, JsonObject, PathStep, Problem, Role};

#[cfg(test)]
mod tests;

/// AI SDK model messages.
pub struct ModelMessages;

const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

impl Format for ModelMessages {
    fn name(&self) -> &'static str {
        "ai-sdk-model"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let fields = message.object();
        let name = fields.string("role").unwrap_or_default();
        let role = if name == "tool" { Role::User } else { Role::from(name) };
        let Some(content) = fields.get("content") else { return Vec::new() };
        if let Some(text) = content.string() {
            let part = (!text.is_empty()).then(|| Part::text(role, text, steps!["content"], steps!["content"]));
            return part.into_iter().collect();
        }
        let elements = content.elements();
        let mut parts: Vec<Part> =
            elements.iter().enumerate().map(|(index, part)| part_of(&role, *part, index)).collect();
        for (index, element) in elements.iter().enumerate() {
            asked_for(&element.object(), steps!["content", index], &mut parts);
        }
        parts
    }

    fn text_part(&self, message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        text_of_speaker(message, array, text)
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        let mut open = Open::default();
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            let Some(role) = breaches.said_role(index, &fields, "a role") else { continue };
            let content = fields.get("content");
            let is_text = content.and_then(Json::string).is_some();
            let parts = content.map(Json::elements).unwrap_or_default();
            if role == "user" || role == "system" {
                open.close(index, &mut breaches);
            }
            let (holds_text, types): (bool, &[&str]) = match role.as_str() {
                "system" => (true, &[]),
                "user" => (true, &["text", "image", "file"]),
                "assistant" => (true, ASSISTANT),
                "tool" => (false, &["tool-result", "tool-approval-response"]),
                other => {
                    breaches.role(index, other, &ROLES);
                    continue;
                }
            };
            let is_array = content.is_some_and(Json::is_array);
            let is_held = if is_array { !types.is_empty() } else { is_text && holds_text };
            if !is_held {
                let text = format!("content of a message of role {role:?} is of another type");
                breaches.add(index, None, "empty_content", text);
            }
            // Calls that wait for the user's approval are answered later.
            let mut approvals = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let part = part.object();
                let kind = part.string("type").unwrap_or_default();
                if !types.contains(&kind.as_str()) {
                    let text = format!("a part of type {kind:?} in a message of role {role:?}");
                    breaches.add(index, Some(at), "unreadable_block", text);
                }
                if kind == "tool-approval-request" {
                    approvals.extend(part.string("toolCallId"));
                }
            }
            for part in self.read(*message) {
                match part.block {
                    Block::ToolUse { id, .. } if !approvals.contains(&id) => open.call(id),
                    Block::ToolUse { id, .. } => open.awaits_approval(id),
                    Block::ToolResult { tool_use_id, .. } => open.result(tool_use_id, index, &mut breaches),
                    _ => {}
                }
            }
        }
        breaches.into_problems()
    }
}

const ASSISTANT: &[&str] = &[
    "text",
    "reasoning",
    "reasoning-file",
    "file",
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "source",
    "custom",
];

/// A request for approval belongs to its call, and is removed with it, as is the reply.
fn asked_for(request: &JsonObject<'_>, at: Path, parts: &mut Vec<Part>) {
    if request.string("type").as_deref() != Some("tool-approval-request") {
        return;
    }
    let (Some(approval), Some(of)) = (request.string("approvalId"), request.string("toolCallId")) else { return };
    let is_it = |part: &&mut Part| matches!(&part.block, Block::ToolUse { id, .. } if *id == of);
    let Some(call) = parts.iter_mut().find(is_it) else { return };
    call.place.ties.push(tie(&approval));
    call.place.at.push(at.clone());
    parts.retain(|part| part.place.at[0] != at);
}

fn tie(approval: &str) -> String {
    format!("approval {approval}")
}

fn part_of(role: &Role, part: Json<'_>, index: usize) -> Part {
    let fields = part.object();
    let at = steps!["content", index];
    let kind = fields.string("type").unwrap_or_default();
    let other = |kind: &str| Part::other(role.clone(), kind, part, steps!["content", index]);
    let is_own = *role == Role::Assistant;
    let is_executed = fields.get("providerExecuted").is_some_and(|flag| flag.json() == "true");
    match kind.as_str() {
        "text" => match fields.string("text") {
            Some(text) => Part::text(role.clone(), text, at, steps!["content", index, "text"]),
            None => other(&kind),
        },
        "reasoning" if is_own => reasoning(&fields, "providerOptions", at),
        // Calls that the service ran itself stay paired with their results, unchanged.
        "tool-call" if is_own && is_executed => match fields.string("toolCallId") {
            Some(id) => other("server_tool_use").tied(format!("executed {id}")),
            None => other(&kind),
        },
        "tool-result" if is_own => match fields.string("toolCallId") {
            Some(id) => other("server_tool_result").tied(format!("executed {id}")),
            None => other(&kind),
        },
        "tool-call" if is_own => match (fields.string("toolCallId"), fields.string("toolName")) {
            (Some(id), Some(name)) => {
                let field = if fields.get("input").is_some() { "input" } else { "args" };
                Part::call(id, name, fields.get(field), at, steps!["content", index, field])
            }
            _ => other(&kind),
        },
        "tool-result" => match fields.string("toolCallId") {
            Some(id) => result(id, &fields, &at),
            None => other(&kind),
        },
        "tool-approval-request" | "tool-approval-response" => match fields.string("approvalId") {
            Some(id) => other(&kind).tied(tie(&id)),
            None => other(&kind),
        },
        _ => other(&kind),
    }
}

/// Reads thinking; `options` names the field with the service's own data about it.
pub fn reasoning(fields: &JsonObject<'_>, options: &str, at: Path) -> Part {
    let text = fields.string("text").unwrap_or_default();
    let options = fields.object(options);
    let part = Part::thinking(&text, options.object("anthropic").string("signature").as_deref(), at);
    // An item of OpenAI's, which must precede the item that follows from it.
    let is_item = ["openai", "azure"].iter().any(|service| options.object(service).get("itemId").is_some());
    if is_item { part.needing_next() } else { part }
}

fn result(id: String, fields: &JsonObject<'_>, at: &[PathStep]) -> Part {
    let stands = |field: &'static str| below(at, [field.into()]);
    let Some(output) = fields.get("output") else {
        // Files in the form of version 4.
        let json = fields.get("result");
        let wrap: Wrap = |text| raw_of(&text);
        let is_error = fields.get("isError").is_some_and(|flag| flag.json() == "true");
        return match json {
            Some(json) => {
                Part::json_result(id, json, is_error, at.to_vec(), &stands("result"), Some((stands("result"), wrap)))
            }
            None => Part::result(id, String::new(), false, at.to_vec(), Slot::Fixed),
        };
    };
    let tagged = output.object();
    let kind = tagged.string("type").unwrap_or_default();
    let value = tagged.get("value");
    let is_error = kind.starts_with("error");
    let inner = below(at, ["output".into(), "value".into()]);
    match (kind.as_str(), value) {
        ("content", Some(value)) if value.is_array() => {
            let blocks = blocks_of(value, &inner);
            let each = each_below(&inner, blocks.len());
            Part::result_of_blocks(id, blocks, false, at.to_vec(), &each)
        }
        (_, Some(value)) => {
            let wrap: Wrap = if is_error {
                |text| raw_of(&serde_json::json!({ "type": "error-text", "value": text }))
            } else {
                |text| raw_of(&serde_json::json!({ "type": "text", "value": text }))
            };
            Part::json_result(id, value, is_error, at.to_vec(), &inner, Some((stands("output"), wrap)))
        }
        (_, None) => Part::fixed_result(id, output.to_raw(), kind == "execution-denied", at.to_vec()),
    }
}
