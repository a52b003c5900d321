//! Estimates how likely names are to be used in the messages after a conversation.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    name_table::NameTable,
    names::for_each_name,
    weights::{NameFacts, Weights},
};
use crate::{
    by_hash::ByHash,
    conversation::{ContentKind, Conversation},
    transcript::{ToolTable, decompose, with_texts},
};

/// The chance that each name is used after a conversation, also for names that the conversation does not contain.
#[derive(Debug)]
pub struct ExpectedNames {
    chances: HashMap<u64, f32, ByHash>,
    unseen: f32,
    /// Factor on the chance of a name that is already readable.
    again: f32,
}

impl ExpectedNames {
    /// Reads the first `messages` messages of a conversation. If `messages` is 0, all names have the same chance.
    pub fn after(conversation: &Conversation, messages: usize, tools: &ToolTable) -> Self {
        let texts = conversation.texts();
        let pieces = decompose(conversation, tools);
        let mut table = NameTable::default();
        let mut occurrences = Vec::new();
        for (message, pieces) in pieces.into_iter().enumerate().take(messages) {
            for (piece, text) in with_texts(&pieces, &texts[message]) {
                let is_use = piece.kind == ContentKind::ToolParameters;
                table.add(&text.text[piece.range.clone()], message, is_use, &mut occurrences);
                occurrences.clear();
            }
        }
        let weights = Weights::default();
        // Callers look up names that the next message contains, so each name also counts as seen in that message.
        table.facts.iter_mut().for_each(|facts| facts.note(messages, false));
        let mut first = NameFacts::default();
        first.note(messages, false);
        let chance = |(name, facts): (&&str, &NameFacts)| (xxh3_64(name.as_bytes()), weights.name(facts, messages));
        let chances = table.names.iter().zip(&table.facts).map(chance).collect();
        Self { chances, unseen: weights.name(&first, messages), again: weights.again(1) }
    }

    /// Returns by how much a chance exceeds the chance of an unseen name; 0 if it does not.
    pub fn above_unseen(&self, chance: f32) -> f32 {
        (chance - self.unseen).max(0.0)
    }

    /// Calls `found` with the hash and the chance of every name in `text`, in order.
    pub fn each_in(&self, text: &str, mut found: impl FnMut(u64, f32)) {
        for_each_name(text, |name| {
            let hash = xxh3_64(name.as_bytes());
            found(hash, self.chances.get(&hash).copied().unwrap_or(self.unseen));
        });
    }
}

impl ExpectedNames {
    /// Works like [`Self::each_in`], but with the worth of showing a name. Names that the conversation already shows
    /// are worth less.
    pub fn each_new_in(&self, text: &str, mut found: impl FnMut(u64, f32)) {
        for_each_name(text, |name| {
            let hash = xxh3_64(name.as_bytes());
            found(hash, self.chances.get(&hash).map_or(self.unseen, |chance| chance * self.again));
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_that_a_call_used_is_likelier_than_one_that_was_not_seen() {
        let call = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "Bash", "input": { "command": "grep parse_due_date src" } }] });
        let conversation = Conversation::parse(&json!([{ "role": "user", "content": "x" }, call]).to_string()).unwrap();
        let chances = |messages| {
            let expected = ExpectedNames::after(&conversation, messages, &ToolTable::default());
            let mut found = Vec::new();
            expected.each_in("other_name_here parse_due_date", |_, chance| found.push(chance));
            found
        };
        assert!(chances(2)[1] > 2.0 * chances(2)[0]);
        assert_eq!(chances(0)[1], chances(0)[0]);
    }
}
