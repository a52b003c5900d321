//! Messages as plain text that any model may be sent.

use std::{collections::HashMap, fmt::Write as _, ops::Range};

use serde_json::Value;

use crate::{
    conversation::{Block, Content, Conversation, Message, Role, is_blank},
    llm::{LlmMessage, LlmRole},
};

/// The text of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub role: LlmRole,
    pub text: String,
}

/// The messages of `range` as text; those that say nothing are left out. Thinking is not told: it was never part of the answer.
pub(crate) fn turns(conversation: &Conversation, range: Range<usize>) -> Vec<Turn> {
    let mut tools: HashMap<&str, &str> = HashMap::new();
    let mut turns = Vec::with_capacity(range.len());
    for (index, message) in conversation.messages().enumerate().take(range.end) {
        for block in message.content.blocks() {
            if let Block::ToolUse { id, name, .. } = block {
                tools.insert(id, name);
            }
        }
        if index >= range.start {
            let text = message_text(message, &tools);
            if !is_blank(&text) {
                let role = if message.role == Role::Assistant { LlmRole::Assistant } else { LlmRole::User };
                turns.push(Turn { role, text });
            }
        }
    }
    turns
}

/// The turns as a question: roles alternate, the user begins and has the last word, which is `instruction`.
pub(super) fn question(turns: &[Turn], instruction: &str) -> Vec<LlmMessage> {
    let mut messages: Vec<LlmMessage> = Vec::with_capacity(turns.len() + 1);
    if turns.first().is_some_and(|turn| turn.role == LlmRole::Assistant) {
        messages.push(LlmMessage::user("[The conversation continues here.]"));
    }
    let last = Turn { role: LlmRole::User, text: instruction.to_owned() };
    for turn in turns.iter().chain([&last]) {
        match messages.last_mut() {
            Some(message) if message.role == turn.role => {
                message.text.push_str("\n\n");
                message.text.push_str(&turn.text);
            }
            _ => messages.push(LlmMessage { role: turn.role, text: turn.text.clone() }),
        }
    }
    messages
}

fn message_text(message: &Message, tools: &HashMap<&str, &str>) -> String {
    match &message.content {
        Content::Text(text) => text.clone(),
        Content::Blocks(blocks) => {
            let texts: Vec<String> =
                blocks.iter().map(|block| block_text(block, tools)).filter(|text| !is_blank(text)).collect();
            texts.join("\n\n")
        }
        Content::Other(_) | Content::Missing => String::new(),
    }
}

fn block_text(block: &Block, tools: &HashMap<&str, &str>) -> String {
    match block {
        Block::Text { text, .. } => text.clone(),
        Block::ToolUse { name, input, .. } => format!("[Tool call: {name}]{}", parameters(input.get())),
        Block::ToolResult { tool_use_id, content, is_error, .. } => {
            let name = tools.get(tool_use_id.as_str()).map_or_else(String::new, |name| format!(": {name}"));
            let failed = if *is_error { ", failed" } else { "" };
            format!("[Tool result{name}{failed}]\n{}", result_text(content, tools))
        }
        Block::Image { .. } => "[An image was here.]".to_owned(),
        Block::Thinking { .. } => String::new(),
        Block::Other { kind, .. } if kind.is_empty() || kind == "redacted_thinking" => String::new(),
        Block::Other { kind, .. } => format!("[A block of type {kind} was here.]"),
    }
}

fn result_text(content: &Content, tools: &HashMap<&str, &str>) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blocks(blocks) => blocks.iter().map(|block| block_text(block, tools)).collect::<Vec<_>>().join("\n"),
        Content::Other(raw) if raw.get() != "null" => raw.get().to_owned(),
        Content::Other(_) | Content::Missing => String::new(),
    }
}

/// One line for each parameter; texts as they are, everything else as JSON.
fn parameters(input: &str) -> String {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(input) else { return format!("\n{input}") };
    let mut text = String::new();
    for (name, value) in &fields {
        let _ = match value {
            Value::String(value) => write!(text, "\n{name}: {value}"),
            value => write!(text, "\n{name}: {value}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = r#"[
        {"role":"user","content":"Fix it."},
        {"role":"assistant","content":[
            {"type":"thinking","thinking":"hidden","signature":"s"},
            {"type":"text","text":"I look."},
            {"type":"tool_use","id":"t1","name":"read_file","input":{"path":"src/a.ts","lines":[1,2]}}]},
        {"role":"user","content":[
            {"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no such file"},{"type":"image","source":{}}]},
            {"type":"image","source":{"data":"AAAA"}}]},
        {"role":"user","content":"And now?"},
        {"role":"assistant","content":" \n"}
    ]"#;

    #[test]
    fn tools_and_images_are_readable_text() {
        let turns = turns(&Conversation::parse(MESSAGES).unwrap(), 1..5);
        let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "I look.\n\n[Tool call: read_file]\nlines: [1,2]\npath: src/a.ts",
                "[Tool result: read_file, failed]\nno such file\n[An image was here.]\n\n[An image was here.]",
                "And now?",
            ]
        );
    }

    #[test]
    fn a_question_alternates_and_ends_with_the_instruction() {
        let turns = turns(&Conversation::parse(MESSAGES).unwrap(), 1..5);
        let question = question(&turns, "Summarise.");
        let roles: Vec<LlmRole> = question.iter().map(|message| message.role).collect();
        assert_eq!(roles, [LlmRole::User, LlmRole::Assistant, LlmRole::User]);
        assert!(question[2].text.ends_with("And now?\n\nSummarise."));
        assert!(super::question(&[], "Summarise.").len() == 1);
    }
}
