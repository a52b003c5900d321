//! Remembers the findings about the last conversation, for when the same one comes again: an estimate, and then the condensation.

use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::Xxh3;

use crate::{
    conversation::{Block, Content},
    providers::{Proposal, Request},
};

use super::operations::LosslessConfig;

/// One proposal, with what it was made for.
#[derive(Default)]
pub struct Memory(Mutex<Option<(u128, Proposal)>>);

impl Memory {
    /// The proposal for this, or what `propose` makes.
    pub fn proposal(
        &self,
        request: &Request,
        options: &LosslessConfig,
        propose: impl FnOnce() -> Proposal,
    ) -> Proposal {
        let key = key(request, options);
        let newest = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, proposal)) = newest().as_ref().filter(|(known, _)| *known == key) {
            return proposal.clone();
        }
        let proposal = propose();
        *newest() = Some((key, proposal.clone()));
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
