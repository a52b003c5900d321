//! Recognises stories in the places where condensation puts them. Elsewhere, a text that looks like a story is content.

use super::text::is_story;
use crate::{
    conversation::{Block, Content, Conversation, Message, Role},
    markers::{LEFT_OUT_HERE, without_way_back},
};

/// Returns the story in a block, if it is one. A story is all that a message of the user's says, and follows a message
/// that only says that messages were left out. A string content is block 0.
fn story_at(conversation: &Conversation, message: usize, block: usize) -> Option<&str> {
    let Message { role, content, .. } = conversation.message(message);
    let text = match (content, content.blocks()) {
        (Content::Text(text), _) if block == 0 => text,
        (_, [Block::Text { text, .. }]) if block == 0 => text,
        _ => return None,
    };
    if *role != Role::User || !is_story(text) {
        return None;
    }
    let is_placed = message.checked_sub(1).is_some_and(|before| says_left_out(conversation.message(before)));
    is_placed.then_some(text)
}

/// Returns the blocks of a message that are stories. Call it once per message: a block has many pieces, and recognising
/// a story means reading all of it.
#[must_use]
pub fn story_blocks(conversation: &Conversation, message: usize) -> Vec<usize> {
    stories_in(conversation, message).map(|(block, _)| block).collect()
}

/// Returns the stories in a message, each with its block.
fn stories_in(conversation: &Conversation, message: usize) -> impl Iterator<Item = (usize, &str)> {
    let blocks = conversation.message(message).content.blocks().len().max(1);
    (0..blocks).filter_map(move |block| Some((block, story_at(conversation, message, block)?)))
}

fn says_left_out(message: &Message) -> bool {
    message.role == Role::Assistant
        && matches!(&message.content, Content::Text(text) if without_way_back(text) == LEFT_OUT_HERE)
}

/// Returns the texts of the stories in a conversation, oldest first.
pub fn stories(conversation: &Conversation) -> impl Iterator<Item = &str> {
    (0..conversation.len()).flat_map(|message| stories_in(conversation, message)).map(|(_, story)| story)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_story_stands_alone_in_the_place_of_messages() {
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
                { "role": "assistant", "content": LEFT_OUT_HERE },
                { "role": "user", "content": log },
                { "role": "assistant", "content": LEFT_OUT_HERE },
                { "role": "user", "content": "Well." },
                { "role": "assistant", "content": [text, text] },
            ])
            .to_string(),
        )
        .unwrap();
        let all: Vec<Vec<usize>> =
            (0..conversation.len()).map(|message| story_blocks(&conversation, message)).collect();
        let mut expected = vec![Vec::new(); conversation.len()];
        [(4, 0), (8, 0)].into_iter().for_each(|(message, block)| expected[message].push(block));
        assert_eq!(all, expected);
        assert_eq!(stories(&conversation).collect::<Vec<_>>(), [log; 2]);
    }
}
