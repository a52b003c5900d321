//! Messages of the Anthropic Messages API that contain a `compaction` block. What the service has summarised is no
//! longer sent to the model, so nothing before the block is counted or changed. Messages without such a block are
//! read without a projection.
//!
//! Rules: those of [`crate::conversation::problems`], applied to the messages from the compaction on.

use super::{
    format::Format,
    part::{Part, Slot, below, parts_of_content, steps},
};
use crate::conversation::{Block, Content, Conversation, Json, Problem, Role, Service, problems};

#[cfg(test)]
mod tests;

/// Messages in our own format with a compaction.
pub struct Anthropic;

const COMPACTION: &str = "compaction";

impl Format for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn read(&self, message: Json<'_>) -> Vec<Part> {
        parts_of_content(message, |role, blocks| {
            let first = blocks.iter().rposition(|block| is_compaction(*block)).unwrap_or(0);
            let read = |(index, block): (usize, &Json<'_>)| part_of(role, *block, index);
            blocks.iter().enumerate().skip(first).map(read).collect()
        })
    }

    fn service(&self) -> Service {
        Service::Anthropic
    }

    fn start(&self, messages: &[Json<'_>]) -> usize {
        let holds = |message: &Json<'_>| {
            let content = message.object().get("content").map(Json::elements).unwrap_or_default();
            content.into_iter().any(is_compaction)
        };
        messages.iter().rposition(holds).unwrap_or(0)
    }

    fn joins(&self) -> bool {
        false
    }

    fn problems(&self, messages: &[Json<'_>]) -> Vec<Problem> {
        let start = self.start(messages);
        let sent: Vec<&str> = messages[start..].iter().map(|message| message.json()).collect();
        let Ok(conversation) = Conversation::parse(&format!("[{}]", sent.join(","))) else { return Vec::new() };
        // A compaction belongs to an assistant message, which may be the first message.
        let found =
            problems(&conversation).into_iter().filter(|problem| start == 0 || problem.code != "first_not_user");
        found.map(|problem| Problem { message_index: problem.message_index + start, ..problem }).collect()
    }
}

fn is_compaction(block: Json<'_>) -> bool {
    block.object().string("type").as_deref() == Some(COMPACTION)
}

fn part_of(role: &Role, json: Json<'_>, index: usize) -> Part {
    let at = steps!["content", index];
    let stands = |field: &'static str| below(&steps!["content", index], [field.into()]);
    let block = Block::read(&json.to_raw());
    let slot = match &block {
        Block::Text { .. } => Slot::Text(stands("text")),
        Block::ToolUse { .. } => Slot::Input(stands("input")),
        Block::ToolResult { content: Content::Text(_), .. } => Slot::Text(stands("content")),
        Block::ToolResult { content: Content::Blocks(blocks), .. } => {
            let place = |(inner, block): (usize, &Block)| {
                matches!(block, Block::Text { .. }).then(|| below(&stands("content"), [inner.into(), "text".into()]))
            };
            Slot::Texts(blocks.iter().enumerate().map(place).collect())
        }
        _ => Slot::Fixed,
    };
    let is_kept = is_compaction(json);
    let part = Part::new(role.clone(), block, at, slot);
    if is_kept { part.staying() } else { part }
}
