//! Applies a proposal and checks what every proposal has to keep: no block grows, pointers stay true, no new shape problem, nothing gained
//! is nothing changed.

use std::collections::{HashMap, HashSet};

use super::{
    edited::{Place, edited},
    error::CondenseError,
    pinned::sparing_pins,
    proposal::{Change, Note, Proposal, Settled},
    request::Request,
    upkeep::{may_mislead, misled, true_plan},
};
use crate::{
    conversation::{Content, Conversation, Edit, Plan},
    tokens::Tally,
};

/// Applies `proposal` of `provider` to the conversation of `request`; one that was settled already is taken as it is.
///
/// # Errors
/// [`CondenseError::InvalidPlan`] when the plan does not fit, [`CondenseError::BrokenResult`] when it would add a shape problem,
/// [`CondenseError::ContextGrew`] when messages were added and the whole did not become smaller.
pub fn settle(request: &Request, provider: &str, proposal: &Proposal) -> Result<Settled, CondenseError> {
    if let Some(settled) = &proposal.settled {
        return Ok(settled.clone());
    }
    let before = &request.conversation;
    let invalid = |source| CondenseError::InvalidPlan { provider: provider.to_owned(), source };
    let spared = sparing_pins(&proposal.plan, before);
    // Pointers were checked together with what must not be done.
    let pointers_checked = proposal.pointers_checked && spared.is_none();
    let mut plan = spared.unwrap_or_else(|| proposal.plan.clone());
    let mut after = before.apply(&plan).map_err(invalid)?;
    let mut tally = request.tally.recount(before, &after, &request.cancel)?;
    let grown = without_gain(&plan, before, &request.tally, &tally);
    if !grown.is_empty() {
        let planned = after.clone();
        let mut left = grown;
        while !left.is_empty() {
            plan.edits.retain(|edit| edited(edit).is_none_or(|place| !left.contains(&place)));
            after = before.apply(&plan).map_err(invalid)?;
            // Pointers that were checked together with what is left out of the plan may now lead elsewhere.
            left = if pointers_checked { misled(&plan, &planned, &after) } else { HashSet::new() };
        }
        tally = request.tally.recount(before, &after, &request.cancel)?;
    }
    let mut notes = Vec::new();
    if !pointers_checked && !plan.is_empty() && may_mislead(before, &after, &plan) {
        for may_grow in [true, false] {
            let Some(mended) = true_plan(request, &plan, &after, &tally, may_grow) else { break };
            if sparing_pins(&mended.plan, before).is_some() {
                // A pointer in what is pinned would lead elsewhere, and may not be mended. What it leads to is pinned with it, so this is about a line that is new.
                if proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. })) {
                    let message = "a line that it writes is what a pointer in protected content quotes".to_owned();
                    let provider = provider.to_owned();
                    return Err(CondenseError::ProviderFailed { provider, message, foreign_cause: None });
                }
                (plan, after, tally) = (Plan::default(), before.clone(), request.tally.clone());
                break;
            }
            let result = before.apply(&mended.plan).map_err(invalid)?;
            let result_tally = request.tally.recount(before, &result, &request.cancel)?;
            let mut grown = without_gain(&mended.plan, before, &request.tally, &result_tally);
            // Lines that stand in their own place again: fewer than there were before anybody condensed.
            grown.retain(|(message, block)| !mended.expanded.contains(&(*message, block.unwrap_or(0))));
            if may_grow && !grown.is_empty() {
                // What became longer by being kept true is not worth changing.
                plan.edits.retain(|edit| edited(edit).is_none_or(|place| !grown.contains(&place)));
                after = before.apply(&plan).map_err(invalid)?;
                tally = request.tally.recount(before, &after, &request.cancel)?;
                continue;
            }
            (plan, after, tally, notes) = (mended.plan, result, result_tally, mended.notes);
            break;
        }
    }
    if plan.is_empty() || tally.total() >= request.tally.total() {
        let adds = proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. }));
        if adds {
            return Err(CondenseError::ContextGrew {
                before: request.scaled(&request.tally),
                after: request.scaled(&tally),
            });
        }
        let (conversation, tally) = (before.clone(), request.tally.clone());
        return Ok(Settled { conversation, tally, changes: Vec::new(), notes: Vec::new() });
    }
    refuse_new_problems(provider, before, &after)?;
    let told =
        |note: &Note| proposal.notes.iter().any(|known| (known.message, known.block) == (note.message, note.block));
    notes.retain(|note| !told(note));
    let changes = changes(&plan, proposal, &notes, request, &tally);
    Ok(Settled { conversation: after, tally, changes, notes })
}

/// What came of a proposal whose parts were settled one by one.
pub(super) fn described(request: &Request, proposal: &Proposal, conversation: Conversation, tally: Tally) -> Settled {
    let changes = changes(&proposal.plan, proposal, &[], request, &tally);
    Settled { conversation, tally, changes, notes: Vec::new() }
}

/// Tokens of what an edit changes.
fn tokens_at(tally: &Tally, message: usize, block: Option<usize>) -> usize {
    match block {
        Some(block) => tally.blocks(message).get(block).copied().unwrap_or_default(),
        None => tally.message(message),
    }
}

/// What the plan changes and does not make smaller (invariant "never grows").
fn without_gain(plan: &Plan, before: &Conversation, tally_before: &Tally, tally_after: &Tally) -> HashSet<Place> {
    let places = Places::after(plan, before.len());
    let changed = plan.edits.iter().filter_map(edited).filter(|(message, block)| {
        places.of_message[*message].is_some_and(|at| {
            let block_after = block.map(|block| places.of_block(*message, block));
            tokens_at(tally_after, at, block_after) >= tokens_at(tally_before, *message, *block)
        })
    });
    changed.collect()
}

/// Where messages stand after a plan was applied to `length` of them.
struct Places {
    /// For each message its index afterwards; `None` when it was dropped.
    of_message: Vec<Option<usize>>,
    /// For each insert of the plan, in the plan's order, the index of the message that it added.
    of_insert: Vec<usize>,
    /// Blocks that come (before this one: 1) and go (-1), with their messages.
    shifts: Vec<(usize, usize, isize)>,
}

impl Places {
    fn after(plan: &Plan, length: usize) -> Self {
        let mut dropped = vec![false; length];
        // Stable, so inserts before the same message keep their order.
        let mut inserts: Vec<(usize, usize)> = Vec::new();
        let mut shifts = Vec::new();
        for edit in &plan.edits {
            match edit {
                Edit::Drop { message } => dropped[*message] = true,
                Edit::Insert { before, .. } => inserts.push((*before, inserts.len())),
                Edit::DropBlock { message, block } => shifts.push((*message, *block + 1, -1)),
                Edit::InsertBlock { message, before, .. } => shifts.push((*message, *before, 1)),
                Edit::Set { .. } => {}
            }
        }
        inserts.sort_by_key(|(before, _)| *before);
        let mut of_insert = vec![0; inserts.len()];
        let mut inserts = inserts.into_iter().peekable();
        let mut of_message = Vec::with_capacity(length);
        let mut at = 0;
        for index in 0..=length {
            while let Some((_, number)) = inserts.next_if(|(before, _)| *before <= index) {
                of_insert[number] = at;
                at += 1;
            }
            if let Some(dropped) = dropped.get(index) {
                of_message.push((!dropped).then_some(at));
                at += usize::from(!dropped);
            }
        }
        Self { of_message, of_insert, shifts }
    }

    /// The place of a block in its message afterwards.
    fn of_block(&self, message: usize, block: usize) -> usize {
        let shifts = self.shifts.iter().filter(|(of, from, _)| *of == message && *from <= block);
        block.saturating_add_signed(shifts.map(|(_, _, by)| by).sum())
    }
}

fn refuse_new_problems(provider: &str, before: &Conversation, after: &Conversation) -> Result<(), CondenseError> {
    match after.problems_since(before).into_iter().next() {
        None => Ok(()),
        Some(first) => Err(CondenseError::BrokenResult {
            provider: provider.to_owned(),
            message: first.message_index,
            problem: first.message,
        }),
    }
}

fn changes(plan: &Plan, proposal: &Proposal, more: &[Note], request: &Request, tally: &Tally) -> Vec<Change> {
    let before = &request.conversation;
    let places = Places::after(plan, before.len());
    let mut notes: HashMap<Place, Vec<(&Note, usize)>> = HashMap::new();
    for (index, note) in proposal.notes.iter().enumerate() {
        let share = proposal.shares.get(index).copied().unwrap_or(1);
        notes.entry((note.message, note.block)).or_default().push((note, share));
    }
    for note in more {
        notes.entry((note.message, note.block)).or_default().push((note, 1));
    }
    // A message that was added since has none: the one it stands before is named.
    let origin = |message: usize| {
        let mut rest = before.entries()[message..].iter();
        rest.find_map(|entry| entry.origin).unwrap_or(request.original.len())
    };
    let described = |message: usize, block: Option<usize>, was: usize, is: usize, fallback: &str| -> Vec<Change> {
        // Of a message that goes but for what is pinned, the blocks go for the same reason.
        let notes = notes.get(&(message, block)).or_else(|| notes.get(&(message, None))).map_or(&[][..], Vec::as_slice);
        let change = |note: Option<&Note>, tokens_before, tokens_after| Change {
            id: String::new(),
            message_index: origin(message),
            block_index: block,
            operation: note.map_or(fallback, |note| note.operation).to_owned(),
            tokens_before,
            tokens_after,
            reason: note.map_or_else(String::new, |note| note.reason.to_string()),
            said: note.map(|note| note.reason.clone()),
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
    let mut inserted = places.of_insert.iter();
    let mut changes: Vec<Change> = Vec::new();
    for edit in &plan.edits {
        match edit {
            Edit::Set { message, .. } => {
                let (Some((_, block)), Some(at)) = (edited(edit), places.of_message[*message]) else { continue };
                if seen.insert((*message, block)) {
                    let block_after = block.map(|block| places.of_block(*message, block));
                    let (was, is) = (tokens_at(&request.tally, *message, block), tokens_at(tally, at, block_after));
                    // The only block of a content that is a string.
                    let single = matches!(before.message(*message).content, Content::Text(_)).then_some(0);
                    changes.extend(described(*message, block.or(single), was, is, "replace"));
                }
            }
            Edit::Drop { message } => {
                if seen.insert((*message, None)) {
                    changes.extend(described(*message, None, request.tally.message(*message), 0, "drop"));
                }
            }
            Edit::Insert { before, .. } => {
                let tokens = inserted.next().map_or(0, |at| tally.message(*at));
                changes.extend(described(*before, None, 0, tokens, "insert"));
            }
            Edit::DropBlock { message, block } => {
                let was = tokens_at(&request.tally, *message, Some(*block));
                changes.extend(described(*message, Some(*block), was, 0, "drop"));
            }
            Edit::InsertBlock { message, before, .. } => {
                let at = places.of_message[*message].unwrap_or_default();
                let is = tokens_at(tally, at, Some(places.of_block(*message, *before).saturating_sub(1)));
                changes.extend(described(*message, Some(*before), 0, is, "insert"));
            }
        }
    }
    changes.sort_by_key(|change| (change.message_index, change.block_index));
    changes
}
