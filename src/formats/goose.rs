//! The messages of Goose's sessions.
//!
//! Source: `crates/goose/src/conversation` of Goose. A call is a part `toolRequest`, its result a part `toolResponse`
//! with the same `id` in a later message of the user. Each has a `status` with a `value` or an `error`; the value of
//! a response is a list of parts or, since 2025, an object with that list as `content`. Before sending, Goose joins
//! adjacent messages of one role, and leaves out parts for the screen, parts whose `audience` is only the user, and
//! messages that are not `agentVisible`.

use super::{
    format::{Format, Near, Written, text_element},
    part::{Part, Path, Slot, below, file_block, steps},
    rules::{Breaches, Open},
};
use crate::conversation::{Block, Json, JsonObject, Problem, Role, json_text::escape};

#[cfg(test)]
mod tests;

/// Goose messages.
pub struct Goose;

const ROLES: [&str; 2] = ["user", "assistant"];

impl Format for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let fields = message.object();
        if is_set(&fields.object("metadata"), "agentVisible", "false") {
            return Vec::new();
        }
        let role = Role::from(fields.string("role").unwrap_or_default());
        let parts = fields.get("content").map(Json::elements).unwrap_or_default().into_iter().enumerate();
        parts.filter_map(|(index, part)| part_of(&role, part, steps!["content", index])).collect()
    }

    fn write(&self, role: &Role, text: &str, near: &Near<'_>) -> Written {
        let created = near.behind.or(near.like).and_then(|near| near.object().get("created").map(Json::json));
        let json = format!(
            r#"{{"id":null,"role":{},"created":{},"content":[{}],"metadata":{{"userVisible":true,"agentVisible":true}}}}"#,
            escape(role.as_str()),
            created.unwrap_or("0"),
            text_element(text),
        );
        Written { json, text: steps!["content", 0, "text"] }
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        let mut open = Open::default();
        let mut before = String::new();
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            let Some(role) = breaches.said_role(index, &fields, "a role") else { continue };
            breaches.role(index, &role, &ROLES);
            if !fields.get("content").is_some_and(Json::is_array) {
                breaches.add(index, None, "empty_content", "content is no array of parts");
            }
            let parts = self.read(*message);
            for part in &parts {
                if let Block::ToolResult { tool_use_id, .. } = &part.block {
                    open.result(tool_use_id.clone(), index, &mut breaches);
                }
            }
            // Calls made together may be in several messages, and so may their results.
            let goes_on = role == before || role == "user" && parts.iter().all(is_result);
            if !goes_on && !parts.is_empty() {
                open.close(index, &mut breaches);
            }
            for part in parts {
                if let Block::ToolUse { id, .. } = part.block {
                    open.call(id);
                }
            }
            before = role;
        }
        breaches.into_problems()
    }
}

fn is_result(part: &Part) -> bool {
    matches!(part.block, Block::ToolResult { .. })
}

/// Returns true if a field is this JSON word.
fn is_set(fields: &JsonObject<'_>, name: &str, word: &str) -> bool {
    fields.get(name).is_some_and(|value| value.json() == word)
}

/// Returns true if a part is sent to the model.
fn is_sent(part: &JsonObject<'_>) -> bool {
    let Some(audience) = part.object("annotations").get("audience").filter(|audience| audience.is_array()) else {
        return true;
    };
    audience.elements().into_iter().any(|who| who.string().as_deref() == Some("assistant"))
}

fn part_of(role: &Role, part: Json<'_>, at: Path) -> Option<Part> {
    let own = part.object();
    let kind = own.string("type").unwrap_or_default();
    if !is_sent(&own) {
        return None;
    }
    Some(match (kind.as_str(), own.string("id")) {
        // Parts for the screen, which are not sent to the model.
        ("toolConfirmationRequest" | "actionRequired" | "systemNotification" | "conversationCompacted", _) => {
            return None;
        }
        ("text", _) if own.string("text").is_some() => {
            let stands = below(&at, ["text".into()]);
            Part::text(role.clone(), own.string("text").unwrap_or_default(), at, stands)
        }
        ("thinking", _) => {
            let signature = own.string("signature").filter(|signature| !signature.is_empty());
            Part::thinking(&own.string("thinking").unwrap_or_default(), signature.as_deref(), at)
        }
        ("toolRequest" | "frontendToolRequest", Some(id)) => request(id, &own, at),
        ("toolResponse", Some(id)) => response(id, &own, at),
        _ => Part::other(role.clone(), &kind, part, at),
    })
}

/// Reads a call. One that Goose could not parse has an error instead of a name and parameters.
fn request(id: String, own: &JsonObject<'_>, at: Path) -> Part {
    let value = own.object("toolCall").object("value");
    let name = value.string("name").unwrap_or_else(|| "invalid".to_owned());
    let input = value.get("arguments").filter(|arguments| arguments.is_object());
    let stands = below(&at, ["toolCall".into(), "value".into(), "arguments".into()]);
    Part::call(id, name, input, at, stands)
}

fn response(id: String, own: &JsonObject<'_>, at: Path) -> Part {
    let result = own.object("toolResult");
    let stands = below(&at, ["toolResult".into()]);
    if let Some(error) = result.string("error") {
        return Part::result(id, error, true, at, Slot::Text(below(&stands, ["error".into()])));
    }
    let Some(value) = result.get("value") else { return Part::result(id, String::new(), false, at, Slot::Fixed) };
    let stands = below(&stands, ["value".into()]);
    let is_error = is_set(&value.object(), "isError", "true");
    let (list, stands) = match value.object().get("content") {
        Some(content) => (content, below(&stands, ["content".into()])),
        None => (value, stands),
    };
    let sent = list.elements().into_iter().enumerate().filter(|(_, part)| is_sent(&part.object()));
    let (places, blocks): (Vec<Path>, Vec<_>) = sent
        .map(|(index, part)| {
            let place = below(&stands, [index.into()]);
            (place.clone(), answer(part, place))
        })
        .unzip();
    match &blocks[..] {
        [(Block::Text { text, .. }, Some(path))] => {
            Part::result(id, text.clone(), is_error, at, Slot::Text(path.clone()))
        }
        [] => Part::result(id, String::new(), is_error, at, Slot::Fixed),
        _ => Part::result_of_blocks(id, blocks, is_error, at, &places),
    }
}

/// Reads a part of a response, with the path of its text.
fn answer(part: Json<'_>, at: Path) -> (Block, Option<Path>) {
    let own = part.object();
    let kind = own.string("type").unwrap_or_default();
    match (kind.as_str(), own.string("text")) {
        ("text", Some(text)) => (Block::text(text), Some(below(&at, ["text".into()]))),
        _ => (file_block(part), None),
    }
}
