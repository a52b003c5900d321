//! The messages of Amazon Bedrock's Converse API.
//!
//! Rules: <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html> and those of the models
//! behind it: roles alternate, the user begins, and every `toolUse` has its `toolResult` in the next message.

use super::{
    format::{Format, Near, Written},
    part::{Part, Path, Slot, Wrap, below, each_below, file_block, parts_of_content, raw_of, steps},
    rules::{Breaches, Open},
};
use crate::conversation::{Block, Json, JsonObject, PathStep, Problem, Role, json_text::escape};

#[cfg(test)]
mod tests;

/// Bedrock Converse messages.
pub struct Bedrock;

impl Format for Bedrock {
    fn name(&self) -> &'static str {
        "bedrock-converse"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        parts_of_content(message, |role, blocks| {
            let blocks = blocks.into_iter().enumerate();
            blocks.map(|(index, block)| block_of(role, block, &steps!["content", index])).collect()
        })
    }

    fn write(&self, role: &Role, text: &str, _near: &Near<'_>) -> Written {
        let json = format!(r#"{{"role":{},"content":[{{"text":{}}}]}}"#, escape(role.as_str()), escape(text));
        Written { json, text: steps!["content", 0, "text"] }
    }

    fn text_part(&self, _message: Json<'_>, array: &[PathStep], _before: usize, text: &str) -> Option<String> {
        (array == steps!["content"]).then(|| format!(r#"{{"text":{}}}"#, escape(text)))
    }

    fn joins(&self) -> bool {
        false
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let mut breaches = Breaches::default();
        let mut open = Open::default();
        let mut before = None;
        for (index, message) in messages.iter().enumerate() {
            let fields = message.object();
            let Some(role) = breaches.said_role(index, &fields, "a role") else {
                before = Some(String::new());
                continue;
            };
            breaches.role(index, &role, &["user", "assistant"]);
            if before.as_ref() == Some(&role) {
                breaches.add(index, None, "same_role_twice", "has the same role as the message before");
            } else if before.is_none() && role != "user" {
                breaches.add(index, None, "first_not_user", "the first message is not the user's");
            }
            before = Some(role);
            if !fields.get("content").is_some_and(|content| content.is_array() && !content.elements().is_empty()) {
                breaches.add(index, None, "empty_content", "content has no blocks");
            }
            let parts = self.read(*message);
            for part in &parts {
                if let Block::ToolResult { tool_use_id, .. } = &part.block {
                    open.result(tool_use_id.clone(), index, &mut breaches);
                }
            }
            open.close(index, &mut breaches);
            for part in parts {
                match part.block {
                    Block::ToolUse { id, .. } => open.call(id),
                    Block::Text { text, .. } if text.is_empty() => {
                        let at = part.place.at[0].get(1).and_then(PathStep::index);
                        breaches.add(index, at, "empty_text", "text block is blank");
                    }
                    _ => {}
                }
            }
        }
        breaches.into_problems()
    }
}

fn block_of(role: &Role, block: Json<'_>, at: &[PathStep]) -> Part {
    let fields = block.object();
    if let Some(text) = fields.string("text") {
        return Part::text(role.clone(), text, at.to_vec(), below(at, ["text".into()]));
    }
    let (call, result) = (fields.object("toolUse"), fields.object("toolResult"));
    if let (Some(id), Some(name)) = (call.string("toolUseId"), call.string("name")) {
        return Part::call(id, name, call.get("input"), at.to_vec(), below(at, ["toolUse".into(), "input".into()]));
    }
    if let Some(id) = result.string("toolUseId") {
        return answer(id, &result, at);
    }
    let thought = fields.object("reasoningContent").object("reasoningText");
    if let Some(text) = thought.string("text") {
        return Part::thinking(&text, thought.string("signature").as_deref(), at.to_vec());
    }
    Part::new(role.clone(), file_block(block), at.to_vec(), Slot::Fixed)
}

fn answer(id: String, result: &JsonObject<'_>, at: &[PathStep]) -> Part {
    let stands: Path = below(at, ["toolResult".into(), "content".into()]);
    let is_error = result.string("status").as_deref() == Some("error");
    let content = result.get("content").map(Json::elements).unwrap_or_default();
    let text_at = |index: usize| below(&stands, [index.into(), "text".into()]);
    if let [only] = content[..] {
        let own = only.object();
        if let Some(text) = own.string("text") {
            return Part::result(id, text, is_error, at.to_vec(), Slot::Text(text_at(0)));
        }
        if let Some(json) = own.get("json") {
            let wrap: Wrap = |text| raw_of(&serde_json::json!({ "text": text }));
            let block = below(&stands, [0.into()]);
            let value = below(&block, ["json".into()]);
            return Part::json_result(id, json, is_error, at.to_vec(), &value, Some((block, wrap)));
        }
    }
    let each = each_below(&stands, content.len());
    let blocks = content.into_iter().enumerate().map(|(index, block)| {
        let own = block.object();
        match own.string("text") {
            Some(text) => (Block::text(text), Some(text_at(index))),
            None => (file_block(block), None),
        }
    });
    Part::result_of_blocks(id, blocks.collect(), is_error, at.to_vec(), &each)
}
