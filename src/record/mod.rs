//! The work record: what was done, asked and found in messages that are left out, in a few lines that a model reads at once. No model is asked.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `facts` | what there is to tell: read from the events of a conversation |
//! | `left` | what can still be read |
//! | `must` | what a summary must not lose |
//! | `checks` | commands that check something, and the line of an output that says how it ended |
//! | `text` | the record as text, within its room, and read again |

mod checks;
mod facts;
mod left;
mod must;
mod text;

use std::collections::HashSet;

use self::{
    facts::{Fact, facts, squeezed},
    left::Left,
};
pub use self::{
    must::{Must, MustKind, MustSurvive},
    text::{Told, is_record},
};
use crate::{
    conversation::{Block, Content, Conversation, Message},
    options::Field,
    tokens::Encoding,
    transcript::ToolTable,
};

/// The option `recordTokens` of providers that leave messages out.
pub const RECORD_TOKENS: Field = Field::integer_if_set(
    "recordTokens",
    0,
    100_000,
    "Tokens of the record of work that stands in for what is left out; 0 for none. Absent: 5% of the target, or of what there is without one, at most 2,000; none where that is under 300.",
);

/// The room for a record, as [`RECORD_TOKENS`] has it.
#[must_use]
pub fn room(given: Option<usize>, tokens: usize) -> usize {
    given.unwrap_or(match tokens / 20 {
        0..MIN_ROOM => 0,
        room => room.min(MAX_ROOM),
    })
}

/// Less says too little to be worth a place.
const MIN_ROOM: usize = 300;

/// More is seldom read to its end, and better spent on what it is about.
const MAX_ROOM: usize = 2000;

/// What `before` says of the work and `after` does no more; `None` when that is nothing. What must survive and is missing comes before all else.
#[must_use]
pub fn record(
    before: &Conversation,
    after: &Conversation,
    tools: &ToolTable,
    missing: &[Must],
    rooms: Rooms,
    encoding: Encoding,
) -> Option<String> {
    let mut facts = if rooms.record == 0 { Vec::new() } else { lost(before, after, tools) };
    let mut marked = vec![false; facts.len()];
    for must in missing {
        let says = |fact: &Fact| {
            *fact == must.fact
                || matches!((fact, &must.fact), (Fact::Asked(all), Fact::Asked(part)) if all.contains(part.as_str()))
        };
        if let Some(at) = facts.iter().position(says) {
            marked[at] = true;
        } else {
            facts.push(must.fact.clone());
            marked.push(true);
        }
    }
    text::written(&facts, &marked, rooms, encoding)
}

/// Tokens that a record may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rooms {
    /// For what must survive and does not.
    pub missing: usize,
    /// For everything else; 0 for nothing else.
    pub record: usize,
}

/// What `before` says of the work and `after` does no more.
fn lost(before: &Conversation, after: &Conversation, tools: &ToolTable) -> Vec<Fact> {
    let known = facts(before, tools);
    let left = Left::of(after, tools);
    // A list of things to do tells where it is as a whole.
    let has_plan = left.plan.iter().eq(known.iter().filter(|fact| matches!(fact, Fact::Plan { .. })));
    let is_lost = |fact: &Fact| match fact {
        Fact::Plan { .. } => !has_plan,
        Fact::Changed { path, .. } => !left.changed.contains(path),
        fact => !left.says(&squeezed(fact.proof())),
    };
    // A check that failed says it once.
    let verdicts: HashSet<&str> =
        known.iter().filter(|fact| matches!(fact, Fact::Check { .. })).map(Fact::proof).collect();
    let is_told = |fact: &Fact| matches!(fact, Fact::Failed { line, .. } | Fact::Mended { line, .. } if verdicts.contains(line.as_str()));
    known.iter().filter(|fact| !is_told(fact)).filter(|fact| is_lost(fact)).cloned().collect()
}

/// What the records in a conversation tell, line by line.
#[must_use]
pub fn told(conversation: &Conversation) -> Vec<Told> {
    let in_block = |block: &Block| match block {
        Block::Text { text, .. } => text::told(text),
        _ => Vec::new(),
    };
    let in_message = |message: &Message| match &message.content {
        Content::Text(text) => text::told(text),
        content => content.blocks().iter().flat_map(in_block).collect(),
    };
    conversation.messages().flat_map(in_message).collect()
}
