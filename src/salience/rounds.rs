//! Which messages are tool rounds.

use std::ops::Range;

use super::scope::Scope;
use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Message, Role, TextAt, answered, answers, calls},
    markers::{is_about_messages, log::is_log_block},
    transcript::{ContentPiece, PieceSource, Voice},
};

/// The tool rounds that can be dropped without making the conversation worse: a message of the assistant with calls, answered by
/// messages with their answers and nothing else.
pub fn rounds(scope: &Scope<'_>, texts: &[Vec<TextAt<'_>>], pieces: &[Vec<ContentPiece>]) -> Vec<Range<usize>> {
    let conversation = scope.conversation;
    let role = |index: usize| conversation.entries().get(index).map(|entry| &entry.message.role);
    let answered = answered(conversation);
    let is_free =
        |round: &Range<usize>| conversation.entries()[round.clone()].iter().all(|entry| entry.pins.is_empty());
    let mut found = Vec::new();
    let mut index = scope.older.start;
    while index + 1 < scope.older.end {
        // Calls in XML are answered by texts.
        let answers = answered[index + 1..scope.older.end].iter().take_while(|of| **of == Some(index)).count().max(1);
        let round = index..index + 1 + answers;
        let roles = [index.wrapping_sub(1), index, round.end].map(role);
        let fits = roles == [Some(&Role::User), Some(&Role::Assistant), Some(&Role::Assistant)];
        if fits && is_free(&round) && is_tool_round(conversation, texts, pieces, &round) {
            index = round.end;
            found.push(round);
        } else {
            index += 1;
        }
    }
    found
}

fn is_tool_round(
    conversation: &Conversation,
    texts: &[Vec<TextAt<'_>>],
    pieces: &[Vec<ContentPiece>],
    round: &Range<usize>,
) -> bool {
    let call = conversation.message(round.start);
    let all: Vec<&Message> = (round.start + 1..round.end).map(|index| conversation.message(index)).collect();
    // The calls before must be answered before, and not by the message that would go.
    let sorted = |mut ids: Vec<&'_ str>| -> Vec<String> {
        ids.sort_unstable();
        ids.iter().map(|id| (*id).to_owned()).collect()
    };
    if sorted(calls(call)) != sorted(all.iter().flat_map(|answer| answers(answer)).collect()) {
        return false;
    }
    let is_answer = |block: &Block| matches!(block, Block::ToolResult { .. } | Block::Text { .. });
    let answers_only = all.iter().all(|answer| {
        let blocks = answer.content.blocks();
        let is_text = matches!(answer.content, Content::Text(_));
        answer.role == Role::User && (is_text || !blocks.is_empty()) && blocks.iter().all(is_answer)
    });
    // A note or log of an earlier condensation is nobody's words.
    let is_note = |index: usize, piece: &ContentPiece| {
        if is_log_block(conversation, index, piece.block) {
            return true;
        }
        let whole = texts[index].iter().find(|text| *text.path == *piece.path);
        whole.is_some_and(|whole| is_about_messages(&whole.text[piece.range.clone()]))
    };
    let words = |index: usize, piece: &ContentPiece| {
        // The user's answer to a question goes with the question.
        let is_users = piece.voice == Voice::User && !piece.source.asks_user();
        let is_said = is_users || (piece.source == PieceSource::Words && piece.kind == ContentKind::MessageText);
        is_said && !piece.range.is_empty() && !is_note(index, piece)
    };
    let says = |index: usize| pieces[index].iter().any(|piece| words(index, piece));
    let calls_something = pieces[round.start].iter().any(|piece| matches!(piece.source, PieceSource::Tool(_)));
    answers_only && !(round.start + 1..round.end).any(says) && calls_something
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        cancel::Cancel,
        salience::{Weights, scope::Ends},
        tokens::{Encoding, Tally},
        transcript::{ToolTable, decompose_texts},
    };

    fn rounds_of(messages: &Value) -> Vec<(usize, usize)> {
        let conversation = Conversation::parse(&messages.to_string()).unwrap();
        let (tally, tools) =
            (Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap(), ToolTable::default());
        let texts = conversation.texts();
        let scope = Scope {
            conversation: &conversation,
            tally: &tally,
            tools: &tools,
            zone: 1..conversation.len(),
            older: 1..conversation.len(),
            ends: Ends::Stay,
            before: None,
            most_words: usize::MAX,
            most_shown: usize::MAX,
            most_pasted: usize::MAX,
            weights: Weights::without("none"),
        };
        let found = rounds(&scope, &texts, &decompose_texts(&conversation, &texts, &tools));
        found.into_iter().map(|round| (round.start, round.end)).collect()
    }

    #[test]
    fn answers_in_messages_of_their_own_are_one_round() {
        let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "read_file", "input": { "path": id } });
        let answer = |id: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "x" }] });
        let messages = json!([
            { "role": "user", "content": "Look." },
            { "role": "assistant", "content": [call("a"), call("b")] }, answer("a"), answer("b"),
            { "role": "assistant", "content": [call("c")] }, answer("c"),
            { "role": "assistant", "content": "Done." },
        ]);
        assert_eq!(rounds_of(&messages), [(1, 4), (4, 6)]);
    }

    #[test]
    fn what_the_user_says_answers_calls_in_xml() {
        let with = |answer: Value| {
            rounds_of(&json!([
                { "role": "user", "content": "Look." },
                { "role": "assistant", "content": [{ "type": "text", "text": "<read_file>\n<path>a.ts</path>\n</read_file>" }] },
                answer,
                { "role": "assistant", "content": "Done." },
            ]))
        };
        let blocks =
            json!([{ "type": "text", "text": "[read_file for 'a.ts'] Result:" }, { "type": "text", "text": "1 | x" }]);
        assert_eq!(with(json!({ "role": "user", "content": blocks })), [(1, 3)]);
        assert_eq!(with(json!({ "role": "user", "content": "[read_file for 'a.ts'] Result:\n1 | x" })), [(1, 3)]);
        for other in [json!({ "role": "tool", "content": blocks }), json!({ "role": "user", "content": [] })] {
            assert_eq!(with(other), []);
        }
    }
}
