//! The names of a conversation by number, with what is known of each.

use std::{collections::HashMap, ops::Range};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    names::for_each_name,
    weights::{NameFacts, Origin},
};
use crate::{
    by_hash::ByHash,
    conversation::{ContentKind, Conversation, PathStep},
    transcript::{ToolTable, decompose_texts},
};

/// Numbers names and collects what is known of them.
#[derive(Default)]
pub struct NameTable<'t> {
    /// By hash. Two names with the same one would count as one, which no conversation is large enough for.
    numbers: HashMap<u64, u32, ByHash>,
    /// The names by number.
    pub names: Vec<&'t str>,
    /// What is known of each.
    pub facts: Vec<NameFacts>,
}

impl<'t> NameTable<'t> {
    /// The number of a name.
    fn number(&mut self, name: &'t str) -> u32 {
        *self.numbers.entry(xxh3_64(name.as_bytes())).or_insert_with(|| {
            self.names.push(name);
            self.facts.push(NameFacts::default());
            u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// Takes over the names of later messages. Returns their new numbers.
    pub fn append(&mut self, later: Self) -> Vec<u32> {
        let names = later.names.into_iter().zip(later.facts);
        names
            .map(|(name, more)| {
                let number = self.number(name);
                let facts = &mut self.facts[number as usize];
                facts.messages += more.messages;
                facts.uses += more.uses;
                facts.last = facts.last.max(more.last);
                facts.last_use = facts.last_use.max(more.last_use);
                number
            })
            .collect()
    }

    /// The names in this text stay anyway.
    pub fn stay(&mut self, text: &'t str) {
        for_each_name(text, |name| {
            let number = self.number(name);
            self.facts[number as usize].stays = true;
        });
    }

    /// The names in this text of a message, by number, at the end of `occurrences`.
    pub fn add(&mut self, text: &'t str, message: usize, origin: Origin, occurrences: &mut Vec<u32>) {
        for_each_name(text, |name| {
            let number = self.number(name);
            self.facts[number as usize].note(message, matches!(origin, Origin::Parameters(_)));
            occurrences.push(number);
        });
    }

    /// Knows the names from then on as the older messages of another conversation use them. Those that do not stand there stay as they are.
    pub fn learn(&mut self, conversation: &Conversation, older: Range<usize>, tools: &ToolTable) {
        let texts = conversation.texts();
        let pieces = decompose_texts(conversation, &texts, tools);
        let mut learned = vec![NameFacts::default(); self.facts.len()];
        for message in older {
            let texts: HashMap<&[PathStep], &str> =
                texts[message].iter().map(|text| (&*text.path, text.text)).collect();
            for piece in &pieces[message] {
                let Some(text) = texts.get(&*piece.path) else { continue };
                for_each_name(&text[piece.range.clone()], |name| {
                    if let Some(number) = self.numbers.get(&xxh3_64(name.as_bytes())) {
                        learned[*number as usize].note(message, piece.kind == ContentKind::ToolParameters);
                    }
                });
            }
        }
        for (facts, learned) in self.facts.iter_mut().zip(learned).filter(|(_, learned)| learned.messages > 0) {
            *facts = NameFacts { stays: facts.stays, ..learned };
        }
    }
}
