//! Applies a proposal and checks what every proposal has to keep: no block grows, no new shape problem, nothing gained is nothing
//! changed.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{CondenseError, Grade, Note, Proposal, Request};
use crate::{
    conversation::{Conversation, Edit, PathStep, Plan, problems},
    tokens::Tally,
};

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Index in the conversation that came in; for an added message the index it was put before.
    pub message_index: usize,
    /// The block; `null` for a whole message.
    pub block_index: Option<usize>,
    /// What was done, as a fixed word.
    pub operation: String,
    /// Tokens of the block or message before.
    pub tokens_before: usize,
    /// And after.
    pub tokens_after: usize,
    /// What was done and why, for a person.
    pub reason: String,
    /// How lossless the change is, where that is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
}

/// A proposal after it was applied and checked.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The condensed conversation.
    pub conversation: Conversation,
    /// Its tokens.
    pub tally: Tally,
    /// What was changed.
    pub changes: Vec<Change>,
}

/// Applies `proposal` of `provider` to the conversation of `request`.
///
/// # Errors
/// [`CondenseError::InvalidPlan`] when the plan does not fit, [`CondenseError::BrokenResult`] when it would add a shape problem,
/// [`CondenseError::ContextGrew`] when messages were added and the whole did not become smaller.
pub fn settle(request: &Request, provider: &str, proposal: &Proposal) -> Result<Settled, CondenseError> {
    let before = &request.conversation;
    let invalid = |source| CondenseError::InvalidPlan { provider: provider.to_owned(), source };
    let mut plan = proposal.plan.clone();
    let mut after = before.apply(&plan).map_err(invalid)?;
    let mut tally = request.tally.recount(before, &after, &request.cancel)?;
    let grown = blocks_without_gain(&plan, before, &request.tally, &after, &tally);
    if !grown.is_empty() {
        plan.edits.retain(|edit| edited_block(edit).is_none_or(|block| !grown.contains(&block)));
        after = before.apply(&plan).map_err(invalid)?;
        tally = request.tally.recount(before, &after, &request.cancel)?;
    }
    if plan.is_empty() || tally.total() >= request.tally.total() {
        let adds = plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. }));
        if adds {
            return Err(CondenseError::ContextGrew {
                before: request.scaled(&request.tally),
                after: request.scaled(&tally),
            });
        }
        return Ok(Settled { conversation: before.clone(), tally: request.tally.clone(), changes: Vec::new() });
    }
    refuse_new_problems(provider, before, &after)?;
    let changes = changes(&plan, proposal, request, &after, &tally);
    Ok(Settled { conversation: after, tally, changes })
}

type BlockAt = (usize, usize);

/// The block that an edit changes; `None` for whole messages.
fn edited_block(edit: &Edit) -> Option<BlockAt> {
    match edit {
        Edit::Set { message, path, .. } => match path.get(1) {
            Some(PathStep::Index(block)) => Some((*message, *block)),
            _ => Some((*message, 0)),
        },
        Edit::Drop { .. } | Edit::Insert { .. } => None,
    }
}

/// Blocks that the plan changes and that do not get smaller (invariant "never grows").
fn blocks_without_gain(
    plan: &Plan,
    before: &Conversation,
    tally_before: &Tally,
    after: &Conversation,
    tally_after: &Tally,
) -> HashSet<BlockAt> {
    let place = places(before, after);
    plan.edits
        .iter()
        .filter_map(edited_block)
        .filter(|(message, block)| {
            let Some(at) = place.get(message) else { return false };
            let tokens = |tally: &Tally, message| tally.blocks(message).get(*block).copied().unwrap_or_default();
            tokens(tally_after, *at) >= tokens(tally_before, *message)
        })
        .collect()
}

/// Where each message of `before` stands in `after`.
fn places(before: &Conversation, after: &Conversation) -> HashMap<usize, usize> {
    let by_origin: HashMap<usize, usize> =
        after.entries().iter().enumerate().filter_map(|(at, entry)| entry.origin.map(|origin| (origin, at))).collect();
    let entries = before.entries().iter().enumerate();
    entries.filter_map(|(index, entry)| Some((index, *by_origin.get(&entry.origin?)?))).collect()
}

fn refuse_new_problems(provider: &str, before: &Conversation, after: &Conversation) -> Result<(), CondenseError> {
    let found = problems(after);
    if found.is_empty() {
        return Ok(());
    }
    let old = problems(before);
    if found.len() <= old.len() {
        return Ok(());
    }
    let known: HashSet<(&str, &str)> = old.iter().map(|problem| (problem.code, problem.message.as_str())).collect();
    let first =
        found.iter().find(|problem| !known.contains(&(problem.code, problem.message.as_str()))).or(found.first());
    Err(CondenseError::BrokenResult {
        provider: provider.to_owned(),
        message: first.map_or(0, |problem| problem.message_index),
        problem: first.map_or_else(String::new, |problem| problem.message.clone()),
    })
}

/// A note with its share of what a block saved.
type Shared<'a> = (&'a Note, usize);

fn changes(plan: &Plan, proposal: &Proposal, request: &Request, after: &Conversation, tally: &Tally) -> Vec<Change> {
    let before = &request.conversation;
    let place = places(before, after);
    let mut notes: HashMap<(usize, Option<usize>), Vec<Shared<'_>>> = HashMap::new();
    for (index, note) in proposal.notes.iter().enumerate() {
        let share = proposal.shares.get(index).copied().unwrap_or(1);
        notes.entry((note.message, note.block)).or_default().push((note, share));
    }
    let origin = |message: usize| before.entries().get(message).and_then(|entry| entry.origin).unwrap_or(message);
    let described = |message: usize, block: Option<usize>, was: usize, is: usize, fallback: &str| -> Vec<Change> {
        let notes = notes.get(&(message, block)).map_or(&[][..], Vec::as_slice);
        let change = |note: Option<&Note>, tokens_before, tokens_after| Change {
            message_index: origin(message),
            block_index: block,
            operation: note.map_or(fallback, |note| note.operation).to_owned(),
            tokens_before,
            tokens_after,
            reason: note.map_or_else(String::new, |note| note.reason.clone()),
            grade: note.and_then(|note| note.grade),
        };
        if notes.len() < 2 {
            return vec![change(notes.first().map(|(note, _)| *note), was, is)];
        }
        // What was saved in all is known exactly; each change goes on where the one before has left off.
        let all: usize = notes.iter().map(|(_, share)| share).sum::<usize>().max(1);
        let mut shares = 0;
        let mut from = was;
        notes
            .iter()
            .map(|(note, share)| {
                shares += share;
                let to = was - was.saturating_sub(is) * shares / all;
                let change = change(Some(note), from, to);
                from = to;
                change
            })
            .collect()
    };
    let mut seen = HashSet::new();
    let mut inserted = after.entries().iter().enumerate().filter(|(_, entry)| entry.origin.is_none());
    let mut changes: Vec<Change> = Vec::new();
    for edit in &plan.edits {
        match edit {
            Edit::Set { message, .. } => {
                let Some((_, block)) = edited_block(edit) else { continue };
                let Some(at) = place.get(message) else { continue };
                if seen.insert((*message, block)) {
                    let tokens = |tally: &Tally, message| tally.blocks(message).get(block).copied().unwrap_or_default();
                    let (was, is) = (tokens(&request.tally, *message), tokens(tally, *at));
                    changes.extend(described(*message, Some(block), was, is, "replace"));
                }
            }
            Edit::Drop { message } => {
                changes.extend(described(*message, None, request.tally.message(*message), 0, "drop"));
            }
            Edit::Insert { before, .. } => {
                let tokens = inserted.next().map_or(0, |(at, _)| tally.message(at));
                changes.extend(described(*before, None, 0, tokens, "insert"));
            }
        }
    }
    changes.sort_by_key(|change| (change.message_index, change.block_index));
    changes
}
