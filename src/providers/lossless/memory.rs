//! Caches the newest proposals, because the same conversation is often processed twice: first to estimate, then to
//! condense.

use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::Xxh3;

use crate::{
    conversation::{Block, Content},
    providers::{Proposal, Request},
};

use super::operations::LosslessConfig;

/// Number of cached proposals. One call may need several: for its conversation, and for the results of other providers'
/// passes.
const REMEMBERED: usize = 4;

/// The last requested proposals, each with its key, the newest at the end.
#[derive(Default)]
pub struct Memory(Mutex<Vec<(u128, Proposal)>>);

impl Memory {
    /// Returns the cached proposal for a request, or else the result of `propose`, which is then cached.
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
        // Another thread may have added the same proposal meanwhile.
        if newest(&mut known).is_none() {
            let excess = (known.len() + 1).saturating_sub(REMEMBERED);
            known.drain(..excess);
            known.push((key, proposal.clone()));
        }
        proposal
    }
}

/// Returns a hash of everything that a proposal depends on. It has 128 bits, so a collision is less likely than a
/// memory error.
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

/// Adds bytes with their length in front, so that two different sequences never produce the same input.
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
        // The least recently requested proposal is removed.
        assert!(!ask(0) && ask(REMEMBERED) && !ask(0) && ask(1));
    }
}
