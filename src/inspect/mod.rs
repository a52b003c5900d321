//! Breaks a conversation down: its tokens by kind, tool and file, its largest parts, and the content that adds nothing
//! new. It shows people what fills a window before anything is condensed; it decides nothing.
//!
//! - `kinds`: divides the tokens of each block by kind;
//! - `usage`: the tokens of calls and results, by tool and by file;
//! - `waste`: repeated, stale or superseded content.

mod kinds;
mod usage;
mod waste;

use serde::Serialize;

use self::{
    kinds::{BlockKinds, kinds_of, scaled},
    usage::Usage,
    waste::Wastes,
};
pub use self::{
    kinds::{Kind, KindTokens},
    usage::{FileUsage, ToolUsage},
    waste::{Waste, WasteItem},
};
use crate::{
    cancel::{Cancel, Cancelled},
    conversation::{Conversation, Role},
    tokens::{Scale, Tally},
    transcript::{ToolTable, decompose, read},
};

/// The composition of a conversation. Each number is scaled separately, so parts may differ from their sum by
/// rounding.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Anatomy {
    /// Tokens of all messages by kind.
    #[cfg_attr(test, ts(type = "TokensByKind"))]
    pub kinds: KindTokens,
    /// Every message, in order.
    pub messages: Vec<MessageAnatomy>,
    /// The tools, the one with most tokens first.
    pub by_tool: Vec<ToolUsage>,
    /// The files, the one with most tokens first.
    pub by_file: Vec<FileUsage>,
    /// The largest first.
    pub largest: Vec<LargeBlock>,
    /// Results identical to earlier ones, and lines of a file that an earlier result shows.
    pub repeated: Waste,
    /// Lines of files in results that edits, writes or views of the whole file replaced later.
    pub stale: Waste,
    /// Snapshots, todo lists, reads and writes that later ones replaced.
    pub superseded: Waste,
}

/// One message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "InspectedMessage"))]
#[serde(rename_all = "camelCase")]
pub struct MessageAnatomy {
    /// The role; empty for an invalid message.
    pub role: String,
    /// Tokens.
    pub tokens: usize,
    /// Tokens by kind.
    #[cfg_attr(test, ts(type = "TokensByKind"))]
    pub kinds: KindTokens,
    /// The subject of the message, such as `read_file src/a.ts`: the largest of several calls or results. May be
    /// empty.
    pub label: String,
}

/// A large block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LargeBlock {
    /// The index of the message.
    pub message_index: usize,
    /// Index of the block; 0 for content that is a string.
    pub block_index: usize,
    /// The kind of most of its content.
    pub kind: Kind,
    /// The subject of the block; may be empty.
    pub label: String,
    /// Tokens.
    pub tokens: usize,
}

/// The conversation to inspect, and how.
pub struct Inspected<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Its tokens.
    pub tally: &'a Tally,
    /// The descriptions of its tools.
    pub tools: &'a ToolTable,
    /// The scale from counted tokens to the model's.
    pub scale: Scale,
    /// Maximum number of largest blocks, and of items per kind of waste, to list.
    pub most: usize,
}

/// Analyses a conversation. Linear in its length.
pub fn inspect(inspected: &Inspected<'_>, cancel: &Cancel) -> Result<Anatomy, Cancelled> {
    let Inspected { conversation, tally, tools, scale, most } = *inspected;
    let pieces = decompose(conversation, tools);
    let blocks = kinds_of(conversation, tally, &pieces, cancel)?;
    drop(pieces);
    let transcript = read(conversation, tools);
    let usage = Usage::measure(&transcript, tally, cancel)?;
    let waste = Wastes::find(&transcript, &usage);
    let mut kinds = KindTokens::default();
    let messages = conversation.messages().zip(&blocks).map(|(message, blocks)| {
        let mut own = KindTokens::default();
        blocks.iter().for_each(|block| own.add_all(&block.kinds));
        kinds.add_all(&own);
        let labelled = blocks.iter().filter(|block| !block.label.is_empty());
        let label = labelled.max_by_key(|block| block.kinds.total()).map_or("", |block| &block.label);
        MessageAnatomy {
            role: role_name(&message.role).to_owned(),
            tokens: scaled(scale, own.total()),
            kinds: own.scaled(scale),
            label: label.to_owned(),
        }
    });
    let messages = messages.collect();
    Ok(Anatomy {
        kinds: kinds.scaled(scale),
        messages,
        by_tool: usage.by_tool(scale),
        by_file: usage.by_file(&waste, scale),
        largest: largest(&blocks, most, scale),
        repeated: waste.repeated.told(most, scale),
        stale: waste.stale.told(most, scale),
        superseded: waste.superseded.told(most, scale),
    })
}

impl Anatomy {
    /// Replaces the indices of message and block of all listed blocks.
    pub fn place(&mut self, place: impl Fn(usize, usize) -> (usize, usize)) {
        for block in &mut self.largest {
            (block.message_index, block.block_index) = place(block.message_index, block.block_index);
        }
        for item in
            [&mut self.repeated, &mut self.stale, &mut self.superseded].into_iter().flat_map(|waste| &mut waste.items)
        {
            (item.message_index, item.block_index) = place(item.message_index, item.block_index);
        }
    }
}

/// Returns the role, cut to 40 characters because a role may be any text.
fn role_name(role: &Role) -> &str {
    let name = role.as_str();
    name.char_indices().nth(40).map_or(name, |(end, _)| &name[..end])
}

fn largest(messages: &[Vec<BlockKinds>], most: usize, scale: Scale) -> Vec<LargeBlock> {
    let numbered = messages.iter().enumerate().flat_map(|(message, blocks)| {
        blocks.iter().enumerate().map(move |(index, block)| (message, index, block.kinds.total(), block))
    });
    let mut all: Vec<_> = numbered.filter(|(_, _, tokens, _)| *tokens > 0).collect();
    all.sort_by_key(|(_, _, tokens, _)| std::cmp::Reverse(*tokens));
    all.truncate(most);
    all.into_iter()
        .map(|(message_index, block_index, tokens, block)| LargeBlock {
            message_index,
            block_index,
            kind: block.kinds.main(),
            label: block.label.clone(),
            tokens: scaled(scale, tokens),
        })
        .collect()
}

#[cfg(test)]
mod tests;
