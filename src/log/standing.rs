//! Where a log is one: only where logs are put. What looks like one elsewhere, somebody else has written.

use super::text::is_log;
use crate::{
    conversation::{Block, Content, Conversation, Message, Role},
    markers::LEFT_OUT_HERE,
};

/// Whether this block of a message is a log: a text in the user's role that is nothing else, behind the other blocks of its message, or in a message of its
/// own behind one that says that messages were left out.
#[must_use]
pub fn is_log_block(conversation: &Conversation, message: usize, block: usize) -> bool {
    let Message { role, content, .. } = conversation.message(message);
    let blocks = content.blocks();
    let Some(Block::Text { text, .. }) = blocks.get(block) else { return false };
    if *role != Role::User || !is_log(text) {
        return false;
    }
    let follows = block > 0 && matches!(blocks[block - 1], Block::ToolResult { .. } | Block::Text { .. });
    follows || message.checked_sub(1).is_some_and(|before| says_left_out(conversation.message(before)))
}

fn says_left_out(message: &Message) -> bool {
    message.role == Role::Assistant && matches!(&message.content, Content::Text(text) if text == LEFT_OUT_HERE)
}

/// The texts of the logs in a conversation, oldest first, with message and block.
pub fn logs(conversation: &Conversation) -> impl Iterator<Item = (usize, usize, &str)> {
    let of_message =
        |(index, message): (usize, &Message)| (0..message.content.blocks().len()).map(move |block| (index, block));
    let places = conversation.messages().enumerate().flat_map(of_message).collect::<Vec<_>>();
    places.into_iter().filter(|(message, block)| is_log_block(conversation, *message, *block)).filter_map(
        |(message, block)| match conversation.message(message).content.blocks().get(block) {
            Some(Block::Text { text, .. }) => Some((message, block, text.as_str())),
            _ => None,
        },
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_log_stands_behind_other_blocks_or_in_the_place_of_messages() {
        let log = "[Log of the messages left out here, in quotes]\nRead a.ts\n  → 1";
        let text = json!({ "type": "text", "text": log });
        let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": log });
        let conversation = Conversation::parse(
            &json!([
                { "role": "user", "content": log },
                { "role": "assistant", "content": [text, { "type": "tool_use", "id": "a", "name": "Read", "input": {} }] },
                { "role": "user", "content": [result, text] },
                { "role": "assistant", "content": LEFT_OUT_HERE },
                { "role": "user", "content": [text] },
                { "role": "assistant", "content": "Well." },
                { "role": "user", "content": [text] },
            ])
            .to_string(),
        )
        .unwrap();
        let places: Vec<(usize, usize)> = logs(&conversation).map(|(message, block, _)| (message, block)).collect();
        assert_eq!(places, [(2, 1), (4, 0)]);
    }
}
