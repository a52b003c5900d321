//! Remembers the newest proposals, for a conversation that comes again: first for an estimate, then to be condensed.

use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::Xxh3;

use crate::{
    conversation::{Block, Content},
    providers::{Proposal, Request},
};

use super::operations::LosslessConfig;

/// Number of proposals that are remembered: a call asks about its conversation, and about the results of passes of
/// other providers.
const REMEMBERED: usize = 4;

/// The proposals that were asked for last, each with what it was made for, the newest at the end.
#[derive(Default)]
pub struct Memory(Mutex<Vec<(u128, Proposal)>>);

impl Memory {
    /// The proposal for this, or what `propose` makes.
    pub fn proposal(
        &self,
        request: &Request,
        options: &LosslessConfig,
        propose: impl FnOnce() -> Proposal,
    ) -> Proposal {
        let key = key(request, options);
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = |known: &mut Vec<(u128, Proposal)>| {
            let at = known.iter().position(|(made_for, _)| *made_for == key)?;
            known[at..].rotate_left(1);
            known.last().map(|(_, proposal)| proposal.clone())
        };
        if let Some(proposal) = newest(&mut known()) {
            return proposal;
        }
        let proposal = propose();
        let mut known = known();
        // Another thread may have asked the same in the meantime.
        if newest(&mut known).is_none() {
            let excess = (known.len() + 1).saturating_sub(REMEMBERED);
            known.drain(..excess);
            known.push((key, proposal.clone()));
        }
        proposal
    }
}

/// A hash of everything that a proposal depends on. 128 bits: a collision is less likely than a memory error.
fn key(request: &Request, options: &LosslessConfig) -> u128 {
    let mut hash = Xxh3::new();
    let budget = request.budget();
    add(&mut hash, format!("{options:?} {:?} {:?} {budget:?}", request.tally.encoding(), request.tools).as_bytes());
    for message in request.conversation.messages() {
        add(&mut hash, message.role.as_str().as_bytes());
        content(&mut hash, &message.content);
    }
    hash.digest128()
}

/// Each with its length in front, so that nothing can be taken for two other things.
fn add(hash: &mut Xxh3, bytes: &[u8]) {
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn content(hash: &mut Xxh3, content: &Content) {
    match content {
        Content::Text(text) => {
            add(hash, b"text");
            add(hash, text.as_bytes());
        }
        Content::Blocks(blocks) => {
            add(hash, &(blocks.len() as u64).to_le_bytes());
            blocks.iter().for_each(|one| block(hash, one));
        }
        Content::Other(_) | Content::Missing => add(hash, b"none"),
    }
}

fn block(hash: &mut Xxh3, block: &Block) {
    add(hash, block.kind().as_bytes());
    match block {
        Block::Text { text, .. } => add(hash, text.as_bytes()),
        Block::ToolUse { id, name, input, .. } => {
            [id.as_str(), name.as_str(), input.get()].iter().for_each(|part| add(hash, part.as_bytes()));
        }
        Block::ToolResult { tool_use_id, content: answer, is_error, .. } => {
            add(hash, tool_use_id.as_bytes());
            add(hash, &[u8::from(*is_error)]);
            content(hash, answer);
        }
        Block::Image { .. } | Block::Thinking { .. } | Block::Other { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;
    use crate::{
        cancel::Cancel,
        conversation::Conversation,
        options::Options,
        tokens::{Encoding, Tally},
    };

    #[test]
    fn the_newest_proposals_are_made_once() {
        let options = LosslessConfig::read(&json!({})).unwrap();
        let (memory, made) = (Memory::default(), Cell::new(0));
        let ask = |text: usize| {
            let messages = json!([{ "role": "user", "content": text.to_string() }]);
            let conversation = Conversation::parse(&messages.to_string()).unwrap();
            let tally = Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap();
            let before = made.get();
            let proposal = memory.proposal(&Request::new(conversation, tally), &options, || {
                made.set(before + 1);
                Proposal { summary: text.to_string(), ..Proposal::default() }
            });
            assert_eq!(proposal.summary, text.to_string());
            made.get() > before
        };
        assert!((0..REMEMBERED).all(ask));
        assert!(!(0..REMEMBERED).any(ask));
        // The oldest makes room, and it is the one that was asked for longest ago.
        assert!(!ask(0) && ask(REMEMBERED) && !ask(0) && ask(1));
    }
}
