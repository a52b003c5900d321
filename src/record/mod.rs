//! The work record: what was done, asked and found in messages that are left out, in a few lines that a model reads at once. No model is asked.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `facts` | what there is to tell: read from the events of a conversation |
//! | `agenda` | the newest list of things to do |
//! | `in_force` | the mode, skills, sub-agents that run, and the plan that was agreed on |
//! | `input` | what a call was given |
//! | `left` | what can still be read |
//! | `must` | what a summary must not lose |
//! | `index` | the names in what is left out, by where they stood |
//! | `changes` | the files that were changed, each told once |
//! | `calls` | what each call runs and was answered, read once |
//! | `checks` | how each check ended the last time |
//! | `failures` | the calls that failed, and whether the same was seen to work since |
//! | `commands` | what a command line runs |
//! | `git` | what a command of git does to the files that were changed |
//! | `trees` | which commands ran on the work, and which on something else that git had put in its place |
//! | `paths` | which of the known files a path names |
//! | `recorded` | what earlier records tell, in its place among what happened |
//! | `squeeze` | texts on one line |
//! | `standing` | which texts of a conversation are records |
//! | `text` | the record as text, within its room, and read again |

mod agenda;
mod calls;
mod changes;
mod checks;
mod commands;
mod facts;
mod failures;
mod git;
mod in_force;
mod index;
mod input;
mod left;
mod must;
mod paths;
mod recorded;
mod squeeze;
mod standing;
mod text;
mod trees;

use std::collections::HashSet;

use self::{
    facts::{BETWEEN_LINES, Fact, ItemState, facts},
    left::Left,
    squeeze::squeezed,
};
pub use self::{
    index::index_of,
    must::{Must, MustKind, MustSurvive},
    standing::{StandingRecord, records},
    text::{Told, is_record, record_behind},
};
use crate::{
    conversation::Conversation,
    options::Field,
    parallel::in_parts,
    restore::{Expanded, expand_texts},
    tokens::Encoding,
    transcript::ToolTable,
};

/// The option `recordTokens` of providers that leave messages out.
pub const RECORD_TOKENS: Field = Field::integer_if_set(
    "recordTokens",
    0,
    100_000,
    "Tokens of the record of work that stands in for what is left out; 0 for none. Absent: 5% of the target, or of what there is without one, 300 to 2,000; none where there are fewer than 3,000.",
);

/// The room for a record, as [`RECORD_TOKENS`] has it.
#[must_use]
pub fn room(given: Option<usize>, tokens: usize) -> usize {
    let room = (tokens / 20).clamp(MIN_ROOM, MAX_ROOM);
    given.unwrap_or(if tokens < MIN_TOKENS { 0 } else { room })
}

/// The room for a record where so many tokens of the target stay free, in the place of messages that have `gone` tokens: an eighth of what is free, of
/// what has gone a tenth at most.
#[must_use]
pub fn room_of_free(free: usize, gone: usize) -> usize {
    (free / 8).min(gone / 10).min(MAX_ROOM)
}

/// Less says too little to be worth a place.
const MIN_ROOM: usize = 300;

/// Of fewer tokens than this, a record would take too much.
const MIN_TOKENS: usize = 10 * MIN_ROOM;

/// Of each kind, so many of the newest are looked for in what is left: more have no room in a record.
const MAX_FACTS: usize = 400;

/// More is seldom read to its end, and better spent on what it is about.
const MAX_ROOM: usize = 2000;

/// Tokens that a record may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rooms {
    /// For what must survive and does not.
    pub missing: usize,
    /// For everything else; 0 for nothing else.
    pub record: usize,
}

impl Rooms {
    /// Nothing has to survive.
    #[must_use]
    pub fn record(room: usize) -> Self {
        Self { missing: 0, record: room }
    }
}

/// What a conversation tells of the work that was done in it.
#[derive(Default)]
pub struct Known(Vec<Fact>);

impl Known {
    /// Of a conversation.
    #[must_use]
    pub fn of(conversation: &Conversation, tools: &ToolTable) -> Self {
        let texts = conversation.texts();
        // Pointers of earlier work stand in the place of what is to be told.
        let Expanded { plan, .. } = expand_texts(&texts);
        if plan.edits.is_empty() {
            return Self(facts(conversation, texts, tools));
        }
        let expanded = conversation.apply(&plan);
        let conversation = expanded.as_ref().unwrap_or(conversation);
        Self(facts(conversation, conversation.texts(), tools))
    }

    /// What of it `after` does not say any more; `None` when that is nothing. What must survive and is missing comes before all else.
    #[must_use]
    pub fn record(
        &self,
        after: &Conversation,
        tools: &ToolTable,
        missing: &[Must],
        rooms: Rooms,
        encoding: Encoding,
    ) -> Option<String> {
        if rooms == Rooms::default() {
            return None;
        }
        let mut facts = if rooms.record == 0 { Vec::new() } else { lost(&self.0, after, tools) };
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
}

/// What is known and `after` does not say any more.
fn lost(known: &[Fact], after: &Conversation, tools: &ToolTable) -> Vec<Fact> {
    let left = Left::of(after, tools);
    // A list of things to do tells where it is as a whole.
    let items = |facts: &[Fact]| -> Vec<(String, Option<ItemState>)> {
        let item = |fact: &Fact| match fact {
            Fact::Plan { item, state, .. } => Some((item.clone(), *state)),
            _ => None,
        };
        facts.iter().filter_map(item).collect()
    };
    let has_plan = items(&left.plan) == items(known);
    let is_lost = |fact: &Fact| match fact {
        Fact::Plan { .. } => !has_plan,
        Fact::Now(text) => !left.now.contains(text),
        Fact::Changed { path, how } => !left.tells_how(path, how),
        Fact::Check { .. } | Fact::Failed { .. } | Fact::Mended { .. } => !left.tells_end(fact),
        fact => !left.says(&squeezed(fact.proof())),
    };
    // A check that failed says it once.
    let verdicts: HashSet<&str> =
        known.iter().filter(|fact| matches!(fact, Fact::Check { .. })).map(Fact::proof).collect();
    let is_told = |fact: &Fact| matches!(fact, Fact::Failed { line, .. } | Fact::Mended { line, .. } if line.split(BETWEEN_LINES).any(|part| verdicts.contains(part)));
    let mut of_kind = [0; text::KINDS];
    let mut is_new = |fact: &&Fact| {
        let count = &mut of_kind[text::heading(fact)];
        *count += 1;
        *count <= MAX_FACTS
    };
    // Those that are looked for, newest first; then in their order again.
    let newest: Vec<&Fact> = known.iter().rev().filter(&mut is_new).collect();
    let all: Vec<&Fact> = newest.into_iter().rev().collect();
    let is_missing = |fact: &&&Fact| !is_told(fact) && is_lost(fact);
    // Each is looked for in all that is left.
    let found = |facts: &[&Fact]| facts.iter().filter(is_missing).map(|fact| (*fact).clone()).collect();
    let mut missing = in_parts(&all, |_| left.bytes(), found);
    // A file of which a change can be read gives way to one of which none can: where room is short, the first of a kind go.
    let is_file = |fact: &Fact| matches!(fact, Fact::Changed { .. });
    for files in missing.chunk_by_mut(|one, next| is_file(one) == is_file(next)).filter(|facts| is_file(&facts[0])) {
        files.sort_by_cached_key(|fact| !left.has_changed(fact.proof()));
    }
    missing
}

/// What the records in a conversation tell, line by line.
#[must_use]
pub fn told(conversation: &Conversation, tools: &ToolTable) -> Vec<Told> {
    records(conversation, tools).iter().flat_map(|record| text::told(record.text)).collect()
}
