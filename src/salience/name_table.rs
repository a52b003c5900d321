//! Numbers the names of a conversation, and counts their uses.

use std::{collections::HashMap, ops::Range};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    found_names::{FoundName, FoundNames},
    names::for_each_name,
    weights::NameFacts,
};
use crate::{
    by_hash::ByHash,
    conversation::{ContentKind, Conversation},
    transcript::{ToolTable, decompose},
};

/// Numbers names and counts their uses.
#[derive(Default)]
pub struct NameTable<'t> {
    /// Numbers by hash. Two names with the same hash would count as one, but no conversation is large enough for that
    /// to matter.
    numbers: HashMap<u64, u32, ByHash>,
    /// The names, indexed by number.
    pub names: Vec<&'t str>,
    /// The facts about each name, indexed by number.
    pub facts: Vec<NameFacts>,
}

impl<'t> NameTable<'t> {
    /// Returns the number of a name, adding the name if it is new.
    fn number(&mut self, name: &'t str) -> u32 {
        self.number_by_hash(xxh3_64(name.as_bytes()), || name)
    }

    fn number_by_hash(&mut self, hash: u64, name: impl FnOnce() -> &'t str) -> u32 {
        *self.numbers.entry(hash).or_insert_with(|| {
            self.names.push(name());
            self.facts.push(NameFacts::default());
            u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// Adds the names of a table for later messages, and returns their numbers in this table.
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

    /// Marks the names in a text that is kept anyway.
    pub fn stay(&mut self, text: &'t str) {
        for_each_name(text, |name| {
            let number = self.number(name);
            self.facts[number as usize].stays = true;
        });
    }

    /// Marks those names of the table that are in a text that is kept anyway.
    pub fn stay_known(&mut self, text: &str) {
        for_each_name(text, |name| {
            if let Some(number) = self.numbers.get(&xxh3_64(name.as_bytes())) {
                self.facts[*number as usize].stays = true;
            }
        });
    }

    /// Adds the names in a text of `message`, and appends their numbers to `occurrences`. `is_use` means that the
    /// assistant used the names in a call.
    pub fn add(&mut self, text: &'t str, message: usize, is_use: bool, occurrences: &mut Vec<u32>) {
        for_each_name(text, |name| {
            let number = self.number(name);
            self.facts[number as usize].note(message, is_use);
            occurrences.push(number);
        });
    }

    /// Adds a name that was found in a piece of `message`, as [`NameTable::add`] does, and returns its number.
    pub fn add_found(&mut self, found: FoundName, piece: &'t str, message: usize, is_use: bool) -> u32 {
        let number = self.number_by_hash(found.hash, || found.name(piece));
        self.facts[number as usize].note(message, is_use);
        number
    }

    /// Replaces each name's facts, except whether it stays, by those from the older messages of `conversation`. Names
    /// that do not occur there keep theirs.
    pub fn learn(&mut self, conversation: &Conversation, older: Range<usize>, tools: &ToolTable) {
        let pieces = decompose(conversation, tools);
        let found = FoundNames::of_all(conversation, &pieces);
        let mut learned = vec![NameFacts::default(); self.facts.len()];
        for message in older {
            for (piece, names) in pieces[message].iter().zip(found[message].each()) {
                for name in names {
                    if let Some(number) = self.numbers.get(&name.hash) {
                        learned[*number as usize].note(message, piece.kind == ContentKind::ToolParameters);
                    }
                }
            }
        }
        for (facts, learned) in self.facts.iter_mut().zip(learned).filter(|(_, learned)| learned.messages > 0) {
            *facts = NameFacts { stays: facts.stays, ..learned };
        }
    }
}
