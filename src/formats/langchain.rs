//! The messages of LangChain and LangGraph, in JavaScript and Python: plain dictionaries, stored ones (`data`),
//! serialised ones (`lc`), and instances, which JavaScript passes as dictionaries.
//!
//! Rules: LangGraph's agents and the services behind them require tool messages for every call directly after the
//! assistant's message. With some models a call occurs two or three times in a message: in `tool_calls`, as a
//! `tool_use` block of the content, and in the service's own form in `additional_kwargs`. All copies are changed and
//! removed together.

use super::{
    format::{Format, Near, Written, text_element},
    openai_chat::result_of,
    part::{Part, Path, Slot, below, steps},
    rules::{Breaches, Open},
};
use crate::conversation::{Block, Json, JsonObject, PathStep, Problem, Role, json_text::escape};

#[cfg(test)]
mod tests;

/// LangChain messages.
pub struct LangChain;

impl Format for LangChain {
    fn name(&self) -> &'static str {
        "langchain"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let Message { kind, fields, base, .. } = Message::parse(message);
        match kind.as_str() {
            "human" => said(&Role::User, &fields, &base),
            "system" => said(&Role::Other("system".to_owned()), &fields, &base),
            "ai" => {
                let mut parts = said(&Role::Assistant, &fields, &base);
                parts.extend(calls(&fields, &base));
                parts
            }
            "tool" | "function" => {
                let id = result_id(&fields);
                let stands = below(&base, ["content".into()]);
                let result = fields.get("content").map(|content| result_of(id, content, Path::new(), &stands));
                let is_error = fields.string("status").as_deref() == Some("error");
                result.into_iter().map(|part| failed(part, is_error)).collect()
            }
            // The messages that LangGraph removes because of it are unknown here.
            "remove" => Vec::new(),
            other => said(&Role::from(other.to_owned()), &fields, &base),
        }
    }

    fn write(&self, role: &Role, text: &str, near: &Near<'_>) -> Written {
        let (kind, class) = match role {
            Role::User => ("human", "HumanMessage"),
            Role::Assistant => ("ai", "AIMessage"),
            Role::Other(_) => ("system", "SystemMessage"),
        };
        let like = near.like.map(Message::parse);
        let content = format!(r#""content":{}"#, escape(text));
        match like.map(|like| (like.shape, like.namespace)) {
            Some((Shape::Serialised, mut id)) => {
                id.pop();
                id.push(class.to_owned());
                let id = id.iter().map(|step| escape(step)).collect::<Vec<_>>().join(",");
                let json = format!(r#"{{"lc":1,"type":"constructor","id":[{id}],"kwargs":{{{content}}}}}"#);
                Written { json, text: steps!["kwargs", "content"] }
            }
            Some((Shape::Stored, _)) => {
                let json = format!(r#"{{"type":"{kind}","data":{{{content}}}}}"#);
                Written { json, text: steps!["data", "content"] }
            }
            Some((Shape::Roles, _)) => Written::content(role, text),
            _ => Written { json: format!(r#"{{"type":"{kind}",{content}}}"#), text: steps!["content"] },
        }
    }

    fn text_part(&self, message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        let Message { kind, base, .. } = Message::parse(message);
        let holds = (kind == "human" || kind == "ai") && array == below(&base, ["content".into()]);
        holds.then(|| text_element(text))
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        let mut open = Open::default();
        for (index, message) in messages.iter().enumerate() {
            let Message { kind, fields, .. } = Message::parse(*message);
            if kind.is_empty() {
                breaches.add(index, None, "not_a_message", "is no message: it has neither a type nor a role");
                continue;
            }
            if kind == "remove" {
                continue;
            }
            if kind == "tool" {
                if fields.get("tool_call_id").is_none() {
                    breaches.add(index, None, "unnamed_tool_result", "a tool message without tool_call_id");
                }
                open.result(result_id(&fields), index, &mut breaches);
                continue;
            }
            // System messages may occur anywhere.
            if kind != "system" {
                open.close(index, &mut breaches);
            }
            for part in self.read(*message) {
                if let Block::ToolUse { id, .. } = part.block {
                    open.call(id);
                }
            }
        }
        breaches.into_problems()
    }
}

/// The form of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    Stored,
    Serialised,
    /// With a role instead of a type.
    Roles,
}

struct Message<'a> {
    kind: String,
    shape: Shape,
    fields: JsonObject<'a>,
    base: Path,
    /// The path of a serialised message's class.
    namespace: Vec<String>,
}

impl<'a> Message<'a> {
    fn parse(message: Json<'a>) -> Self {
        let fields = message.object();
        let kind = fields.string("type").unwrap_or_default();
        let message = |kind: String, shape, fields, base, namespace| Self { kind, shape, fields, base, namespace };
        let namespace: Vec<String> =
            fields.get("id").map(Json::elements).unwrap_or_default().into_iter().filter_map(Json::string).collect();
        if let (Some(class), true) = (namespace.last(), fields.get("kwargs").is_some()) {
            let kind = class.trim_end_matches("Chunk").trim_end_matches("Message").to_lowercase();
            return message(kind, Shape::Serialised, fields.object("kwargs"), steps!["kwargs"], namespace);
        }
        let named = |kind: String| match kind.trim_end_matches("MessageChunk") {
            "AI" => "ai".to_owned(),
            "Human" => "human".to_owned(),
            "System" => "system".to_owned(),
            "Tool" => "tool".to_owned(),
            _ => kind,
        };
        if !kind.is_empty() && fields.get("data").is_some_and(Json::is_object) {
            return message(named(kind), Shape::Stored, fields.object("data"), steps!["data"], Vec::new());
        }
        if kind.is_empty() {
            let kind = match fields.string("role").unwrap_or_default().as_str() {
                "user" => "human".to_owned(),
                "assistant" => "ai".to_owned(),
                role => role.to_owned(),
            };
            return message(kind, Shape::Roles, fields, Path::new(), Vec::new());
        }
        message(named(kind), Shape::Plain, fields, Path::new(), Vec::new())
    }
}

fn failed(mut part: Part, is_error: bool) -> Part {
    if let Block::ToolResult { is_error: flag, .. } = &mut part.block {
        *flag = is_error;
    }
    part
}

fn result_id(fields: &JsonObject<'_>) -> String {
    fields.string("tool_call_id").unwrap_or_else(|| format!("call of {}", fields.string("name").unwrap_or_default()))
}

fn said(role: &Role, fields: &JsonObject<'_>, base: &[PathStep]) -> Vec<Part> {
    let Some(content) = fields.get("content") else { return Vec::new() };
    let stands = below(base, ["content".into()]);
    if let Some(text) = content.string() {
        let part = (!text.is_empty()).then(|| Part::text(role.clone(), text, stands.clone(), stands));
        return part.into_iter().collect();
    }
    let listed = listed_calls(fields);
    let parts = content.elements().into_iter().enumerate().filter_map(|(index, part)| {
        let own = part.object();
        let kind = own.string("type").unwrap_or_default();
        let at = below(&stands, [index.into()]);
        Some(match (kind.as_str(), own.string("text")) {
            ("text", Some(text)) => Part::text(role.clone(), text, at.clone(), below(&at, ["text".into()])),
            ("thinking", _) => {
                let thinking = own.string("thinking").unwrap_or_default();
                Part::thinking(&thinking, own.string("signature").as_deref(), at)
            }
            // A copy of a call in `tool_calls`, which is read there.
            ("tool_use", _) if own.string("id").is_some_and(|id| listed.contains(&id)) => return None,
            _ => Part::other(role.clone(), &kind, part, at),
        })
    });
    parts.collect()
}

fn listed_calls(fields: &JsonObject<'_>) -> Vec<String> {
    let calls = fields.get("tool_calls").map(Json::elements).unwrap_or_default();
    calls.into_iter().filter_map(|call| call.object().string("id")).collect()
}

/// Returns the calls of a message, each with the paths of its copies.
fn calls(fields: &JsonObject<'_>, base: &[PathStep]) -> Vec<Part> {
    let elements = |field: &str| fields.get(field).map(Json::elements).unwrap_or_default();
    let content = elements("content");
    let raw = fields.object("additional_kwargs").get("tool_calls").map(Json::elements).unwrap_or_default();
    let of_raw = |index: usize, call: &JsonObject<'_>| {
        let at = below(base, ["additional_kwargs".into(), "tool_calls".into(), index.into()]);
        let stands = below(&at, ["function".into(), "arguments".into()]);
        let slot = call.object("function").string("arguments").map_or(Slot::Fixed, |_| Slot::Encoded(stands));
        (at, slot)
    };
    let listed = elements("tool_calls");
    let is_raw_alone = listed.is_empty();
    let mut found = Vec::new();
    for (index, call) in listed.into_iter().enumerate() {
        let own = call.object();
        let at = below(base, ["tool_calls".into(), index.into()]);
        let (name, input, stands) = match own.get("function").map(Json::object) {
            // OpenAI's form of a call.
            Some(function) => {
                let name = function.string("name").unwrap_or_default();
                (name, function.get("arguments"), below(&at, ["function".into(), "arguments".into()]))
            }
            None => (own.string("name").unwrap_or_default(), own.get("args"), below(&at, ["args".into()])),
        };
        let id = own.string("id").unwrap_or_else(|| format!("call of {name}"));
        let mut part = match input.and_then(Json::string) {
            Some(text) => Part::encoded_call(id.clone(), name, &text, at, stands),
            None => Part::call(id.clone(), name, input, at, stands),
        };
        for (block, same) in content.iter().enumerate() {
            let same = same.object();
            if same.string("type").as_deref() == Some("tool_use") && same.string("id").as_ref() == Some(&id) {
                let at = below(base, ["content".into(), block.into()]);
                let stands = below(&at, ["input".into()]);
                let slot = match same.get("input") {
                    Some(input) if input.is_object() => Slot::Input(stands),
                    // In streamed form.
                    Some(input) if input.string().is_some() => Slot::Encoded(stands),
                    _ => Slot::Fixed,
                };
                part = part.with_copy(at, slot);
            }
        }
        for (index, same) in raw.iter().enumerate() {
            let same = same.object();
            if same.string("id").as_ref() == Some(&id) {
                let (at, slot) = of_raw(index, &same);
                part = part.with_copy(at, slot);
            }
        }
        found.push(part);
    }
    if is_raw_alone {
        found.extend(raw.iter().enumerate().map(|(index, call)| {
            let own = call.object();
            let function = own.object("function");
            let name = function.string("name").unwrap_or_default();
            let (at, _) = of_raw(index, &own);
            let stands = below(&at, ["function".into(), "arguments".into()]);
            let id = own.string("id").unwrap_or_else(|| format!("call of {name}"));
            Part::encoded_call(id, name, &function.string("arguments").unwrap_or_default(), at, stands)
        }));
    }
    found
}
