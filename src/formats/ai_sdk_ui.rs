//! The `UIMessage`s of the AI SDK, versions 5 to 7: the messages of `useChat` that applications store.
//!
//! A tool part is both a call and its result, so it is projected as two blocks and removed as a whole. Calls of one
//! step are parallel, as `convertToModelMessages` sends them. Parts that are not sent to a model (`step-start`,
//! `data-*`, sources) stay with their message. The value of `output` keeps its shape, because applications show it.

use xxhash_rust::xxh3::xxh3_64;

use super::{
    ai_sdk_model::reasoning,
    format::{Format, Near, Written},
    part::{Part, Path, Slot, steps},
    rules::Breaches,
};
use crate::conversation::{Block, Json, JsonObject, PathStep, Problem, Role, json_text::escape};

#[cfg(test)]
mod tests;

/// AI SDK UI messages.
pub struct UiMessages;

const ROLES: [&str; 3] = ["system", "user", "assistant"];

/// States of a tool part that has its result.
const ANSWERED: [&str; 3] = ["output-available", "output-error", "output-denied"];

impl Format for UiMessages {
    fn name(&self) -> &'static str {
        "ai-sdk-ui"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        let fields = message.object();
        let role = Role::from(fields.string("role").unwrap_or_default());
        let Some(parts) = fields.get("parts").filter(|parts| parts.is_array()) else {
            let text = fields.string("content").filter(|text| !text.is_empty());
            return text
                .into_iter()
                .map(|text| Part::text(role.clone(), text, steps!["content"], steps!["content"]))
                .collect();
        };
        let mut reader = Reader { role, found: Vec::new(), results: Vec::new(), last_piece: None };
        for (index, part) in parts.elements().into_iter().enumerate() {
            reader.part(part, index);
        }
        reader.found.append(&mut reader.results);
        reader.found
    }

    fn write(&self, role: &Role, text: &str, near: &Near<'_>) -> Written {
        let behind = near.behind.and_then(|behind| behind.object().string("id")).unwrap_or_default();
        let id = format!("condensed-{:016x}", xxh3_64(format!("{behind} {} {text}", near.number).as_bytes()));
        let role = escape(role.as_str());
        let json = format!(r#"{{"id":"{id}","role":{role},"parts":[{{"type":"text","text":{}}}]}}"#, escape(text));
        Written { json, text: steps!["parts", 0, "text"] }
    }

    fn text_part(&self, _message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        // A part marked as done is not joined with the next one.
        let element = || format!(r#"{{"type":"text","text":{},"state":"done"}}"#, escape(text));
        (array == steps!["parts"]).then(element)
    }

    fn separator(&self, before: Json<'_>, behind: Json<'_>) -> Option<&'static str> {
        let (before, behind) = (before.object(), behind.object());
        let kind = before.string("type").filter(|kind| kind == "text" || kind == "reasoning");
        let joins = kind.is_some() && kind == behind.string("type") && is_piece(&before) && is_piece(&behind);
        joins.then_some(r#"{"type":"step-start"}"#)
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            let found = breaches.role_and_parts(index, (&fields, &fields), &ROLES, "a role");
            let Some((_, parts)) = found else { continue };
            for (at, part) in parts.into_iter().enumerate() {
                let part = part.object();
                let kind = part.string("type").unwrap_or_default();
                if kind.is_empty() || kind == "tool-invocation" {
                    let text = format!("a part of type {kind:?}, which versions 5 to 7 of the AI SDK refuse");
                    breaches.add(index, Some(at), "unreadable_block", text);
                } else if is_tool(&kind) && index + 1 < messages.len() {
                    let state = part.string("state").unwrap_or_default();
                    // Tool parts that wait for the user's approval get their result later.
                    if !ANSWERED.contains(&state.as_str()) && !state.starts_with("approval") {
                        let text = format!("a tool part in state {state:?} has no result");
                        breaches.add(index, Some(at), "unanswered_tool_use", text);
                    }
                }
            }
        }
        breaches.into_problems()
    }
}

fn is_tool(kind: &str) -> bool {
    kind == "dynamic-tool" || kind.strip_prefix("tool-").is_some_and(|name| name != "invocation")
}

struct Reader {
    role: Role,
    found: Vec<Part>,
    /// The results of the step's calls.
    results: Vec<Part>,
    /// The index of the last part that the next one may continue.
    last_piece: Option<usize>,
}

/// Returns true if a part may be one of several pieces of a text: some applications store every word that a model
/// sends as a part, without a state.
fn is_piece(part: &JsonObject<'_>) -> bool {
    ["state", "id", "providerMetadata"].iter().all(|name| part.get(name).is_none())
}

impl Reader {
    fn part(&mut self, part: Json<'_>, index: usize) {
        let fields = part.object();
        let kind = fields.string("type").unwrap_or_default();
        let at = steps!["parts", index];
        if is_tool(&kind) {
            return self.tool(&kind, &fields, part, index);
        }
        if kind == "step-start" || !matches!(kind.as_str(), "text" | "reasoning" | "file" | "reasoning-file") {
            // A text after calls belongs to the next step; parts that are not sent to a model belong to none.
            if kind == "step-start" {
                self.found.append(&mut self.results);
            }
            return;
        }
        self.found.append(&mut self.results);
        match kind.as_str() {
            "text" => {
                let Some(text) = fields.string("text") else { return };
                if !self.joins(&fields, &text, index) {
                    self.found.push(Part::text(self.role.clone(), text, at, steps!["parts", index, "text"]));
                }
            }
            "reasoning" => {
                if !self.joins_thinking(&fields, index) {
                    self.found.push(reasoning(&fields, "providerMetadata", at));
                }
            }
            _ => self.found.push(Part::other(self.role.clone(), &kind, part, at)),
        }
        self.last_piece = is_piece(&fields).then_some(index);
    }

    /// Returns the previous part if this one continues it.
    fn last_before(&mut self, fields: &JsonObject<'_>, index: usize) -> Option<&mut Part> {
        let before = index.checked_sub(1).filter(|before| self.last_piece == Some(*before))?;
        let last = self.found.last_mut().filter(|_| is_piece(fields))?;
        (last.place.at.last() == Some(&steps!["parts", before])).then_some(last)
    }

    fn joins(&mut self, fields: &JsonObject<'_>, more: &str, index: usize) -> bool {
        let Some(last) = self.last_before(fields, index) else { return false };
        let Block::Text { text, .. } = &mut last.block else { return false };
        let stands = steps!["parts", index, "text"];
        match &mut last.place.slot {
            Slot::Text(path) => last.place.slot = Slot::Joined(vec![std::mem::take(path), stands]),
            Slot::Joined(paths) => paths.push(stands),
            _ => return false,
        }
        text.push_str(more);
        last.place.at.push(steps!["parts", index]);
        true
    }

    fn joins_thinking(&mut self, fields: &JsonObject<'_>, index: usize) -> bool {
        let more = fields.string("text").unwrap_or_default();
        let Some(last) = self.last_before(fields, index) else { return false };
        let Block::Thinking { thinking, .. } = &last.block else { return false };
        if last.block.is_signed_thinking() {
            return false;
        }
        let thinking = format!("{thinking}{more}");
        last.block = Part::thinking(&thinking, None, Path::new()).block;
        last.place.at.push(steps!["parts", index]);
        true
    }

    fn tool(&mut self, kind: &str, fields: &JsonObject<'_>, part: Json<'_>, index: usize) {
        let at = steps!["parts", index];
        let name = fields.string("toolName").or_else(|| kind.strip_prefix("tool-").map(str::to_owned));
        let is_executed = fields.get("providerExecuted").is_some_and(|flag| flag.json() == "true");
        let (Some(id), Some(name), false) = (fields.string("toolCallId"), name, is_executed) else {
            return self.found.push(Part::other(self.role.clone(), kind, part, at));
        };
        let input = fields.get("input");
        self.found.push(Part::call(id.clone(), name, input, at.clone(), steps!["parts", index, "input"]));
        match fields.string("state").unwrap_or_default().as_str() {
            "output-available" => {
                let result = fields.get("output").map(|output| {
                    Part::json_result(id.clone(), output, false, at.clone(), &steps!["parts", index, "output"], None)
                });
                self.results.push(result.unwrap_or_else(|| Part::result(id, String::new(), false, at, Slot::Fixed)));
            }
            "output-error" => {
                let text = fields.string("errorText").unwrap_or_default();
                let slot = Slot::Text(steps!["parts", index, "errorText"]);
                self.results.push(Part::result(id, text, true, at, slot));
            }
            "output-denied" => self.results.push(Part::result(id, "denied".to_owned(), true, at, Slot::Fixed)),
            _ => {}
        }
    }
}
