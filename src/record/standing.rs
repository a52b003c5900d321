//! The records that stand in a conversation: only where one is put. What looks like one elsewhere, somebody else has written.

use super::text::{is_record, record_behind};
use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Role},
    transcript::{PieceSource, ToolTable, decompose},
};

/// A record, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandingRecord<'c> {
    /// The message, from 0.
    pub message: usize,
    /// The block, from 0; 0 when the content is a string.
    pub block: usize,
    /// Whether it fills its text. That of a summary stands behind it.
    pub is_whole: bool,
    /// The record alone.
    pub text: &'c str,
}

/// The records in a conversation, oldest first: texts that are nothing else and are not the answer of a tool, and what stands behind summaries.
#[must_use]
pub fn records<'c>(conversation: &'c Conversation, tools: &ToolTable) -> Vec<StandingRecord<'c>> {
    let mut found = Vec::new();
    for (index, message) in conversation.messages().enumerate() {
        let texts: Vec<(usize, &str)> = match &message.content {
            Content::Text(text) => vec![(0, text)],
            content => (0..).zip(content.blocks()).filter_map(text_of).collect(),
        };
        found.extend(texts.into_iter().filter_map(|(block, text)| {
            let is_whole = is_record(text);
            // Only there is a text looked through.
            if !is_whole && !message.is_summary() {
                return None;
            }
            let text = if is_whole { Some(text) } else { record_behind(text) };
            text.map(|text| StandingRecord { message: index, block, is_whole, text })
        }));
    }
    // In plain text, a tool's answer stands in the user's role.
    let is_answer = |record: &StandingRecord<'_>| conversation.message(record.message).role == Role::User;
    if found.iter().any(is_answer) {
        let pieces = decompose(conversation, tools);
        found.retain(|record| {
            let mut of_text = pieces[record.message].iter().filter(|piece| piece.block == record.block);
            of_text.all(|piece| piece.kind == ContentKind::MessageText && piece.source == PieceSource::Words)
        });
    }
    found
}

fn text_of((index, block): (usize, &Block)) -> Option<(usize, &str)> {
    match block {
        Block::Text { text, .. } => Some((index, text)),
        _ => None,
    }
}
