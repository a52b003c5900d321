//! Which messages are tool rounds.

use std::ops::Range;

use super::scope::Scope;
use crate::{
    conversation::{Block, ContentKind, Conversation, Role, TextAt, answers, calls},
    markers::is_about_messages,
    transcript::{ContentPiece, PieceSource},
};

/// The tool rounds that can be dropped without making the conversation worse: a message of the assistant with calls, answered by a
/// message with their answers and nothing else.
pub fn rounds(scope: &Scope<'_>, texts: &[Vec<TextAt<'_>>], pieces: &[Vec<ContentPiece>]) -> Vec<Range<usize>> {
    let conversation = scope.conversation;
    let role = |index: usize| conversation.entries().get(index).map(|entry| &entry.message.role);
    let is_free = |index: usize| {
        conversation.entries()[index].pins.is_empty() && conversation.entries()[index + 1].pins.is_empty()
    };
    let mut found = Vec::new();
    let mut index = scope.zone.start;
    while index + 1 < scope.zone.end {
        let roles = [index.wrapping_sub(1), index, index + 1, index + 2].map(role);
        let fits = roles == [Some(&Role::User), Some(&Role::Assistant), Some(&Role::User), Some(&Role::Assistant)];
        if fits && is_free(index) && is_tool_round(conversation, texts, pieces, index) {
            found.push(index..index + 2);
            index += 2;
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
    index: usize,
) -> bool {
    let (call, answer) = (conversation.message(index), conversation.message(index + 1));
    // The calls before must be answered before, and not by the message that would go.
    let sorted = |mut ids: Vec<&'_ str>| -> Vec<String> {
        ids.sort_unstable();
        ids.iter().map(|id| (*id).to_owned()).collect()
    };
    if sorted(calls(call)) != sorted(answers(answer)) {
        return false;
    }
    let answers_only =
        answer.content.blocks().iter().all(|block| matches!(block, Block::ToolResult { .. } | Block::Text { .. }));
    // A note of an earlier condensation is nobody's words.
    let is_note = |piece: &ContentPiece| {
        let whole = texts[index + 1].iter().find(|text| *text.path == *piece.path);
        whole.is_some_and(|whole| is_about_messages(&whole.text[piece.range.clone()]))
    };
    let words = |piece: &ContentPiece| {
        let is_said = piece.source == PieceSource::Words && piece.kind == ContentKind::MessageText;
        is_said && !piece.range.is_empty() && !is_note(piece)
    };
    let calls_something = pieces[index].iter().any(|piece| matches!(piece.source, PieceSource::Tool(_)));
    answers_only && !answer.content.blocks().is_empty() && !pieces[index + 1].iter().any(words) && calls_something
}
