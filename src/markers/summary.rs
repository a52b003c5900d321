//! The lines that head summaries, and the check whether a message is one.

use std::fmt::{self, Display};

use super::words::{counted, uncounted};
use crate::conversation::{Block, Content, Message, Role};

/// The line above a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryHead {
    /// `[Summary of 60 lines]`: the summary of one text, in its place.
    Lines(usize),
    /// `[Summary of 12 messages]`: the summary of this many messages, in their place.
    Messages(usize),
}

const OPENING: &str = "[Summary of ";

impl SummaryHead {
    /// Parses a line.
    pub fn read(line: &str) -> Option<Self> {
        let of = line.strip_prefix(OPENING)?.strip_suffix(']')?;
        uncounted(of, "line").map(Self::Lines).or_else(|| uncounted(of, "message").map(Self::Messages))
    }

    /// Parses the first line of a text. `None` if the text is not a summary.
    pub fn at_start(text: &str) -> Option<Self> {
        Self::read(text.strip_prefix(OPENING).and(text.split_once('\n'))?.0)
    }

    /// Returns a text without the head of a summary of messages.
    pub fn below(text: &str) -> &str {
        match Self::at_start(text) {
            Some(Self::Messages(_)) => text.split_once('\n').map_or(text, |(_, rest)| rest),
            _ => text,
        }
    }
}

/// Returns true if a message is the summary of messages that are no longer there. In a message of the assistant the
/// line above a summary says so; in a user's message that line was pasted. A host may also mark any message as a
/// summary, in a field that is never sent to a service.
pub fn is_summary(message: &Message) -> bool {
    message.is_called_summary() || (message.role == Role::Assistant && is_headed(&message.content))
}

/// Returns true if the content is only text and begins with the head of a summary of messages.
fn is_headed(content: &Content) -> bool {
    let first = match content {
        Content::Text(text) => Some(text),
        content => content.blocks().first().and_then(text_of),
    };
    // A summary contains no calls or results.
    first.is_some_and(|text| matches!(SummaryHead::at_start(text), Some(SummaryHead::Messages(_))))
        && content.blocks().iter().all(|block| text_of(block).is_some())
}

fn text_of(block: &Block) -> Option<&String> {
    if let Block::Text { text, .. } = block { Some(text) } else { None }
}

impl Display for SummaryHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(OPENING)?;
        match self {
            Self::Lines(lines) => f.write_str(&counted(*lines, "line"))?,
            Self::Messages(messages) => f.write_str(&counted(*messages, "message"))?,
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, value::RawValue};

    use super::*;

    fn message(value: &serde_json::Value) -> Message {
        Message::read(&RawValue::from_string(value.to_string()).unwrap())
    }

    #[test]
    fn a_summary_is_known_by_its_head_in_every_form_of_content() {
        let text = "[Summary of 12 messages]\nThe parser was fixed.";
        for content in [json!(text), json!([{ "type": "text", "text": text }, { "type": "text", "text": "More." }])] {
            assert!(is_summary(&message(&json!({ "role": "assistant", "content": content }))), "{content}");
        }
        assert!(is_summary(&message(&json!({ "role": "user", "content": "In short.", "isSummary": true }))));
        assert_eq!(SummaryHead::below(text), "The parser was fixed.");
        assert_eq!(SummaryHead::below("[Summary of 3 lines]\nx"), "[Summary of 3 lines]\nx");
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        let call = json!({ "type": "tool_use", "id": "a", "name": "n", "input": {} });
        let head = json!({ "type": "text", "text": "[Summary of 2 messages]\nx" });
        for (role, content) in [
            ("user", json!("[Summary of 12 messages]\nis what I see. Why?")),
            ("assistant", json!("[Summary of 12 messages]")),
            ("assistant", json!("[Summary of 12 lines]\nx")),
            ("assistant", json!("It says:\n[Summary of 12 messages]\nx")),
            ("assistant", json!([head, call])),
            ("assistant", json!([call, head])),
            ("assistant", json!([])),
            ("assistant", json!(7)),
        ] {
            assert!(!is_summary(&message(&json!({ "role": role, "content": content }))), "{role} {content}");
        }
        assert!(!is_summary(&message(&json!({ "role": "assistant", "content": "x", "isSummary": false }))));
    }
}
