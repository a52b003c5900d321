//! Turns the findings into a proposal: all of them or, with a target, only as many as it requires. Operations that
//! hinder a reader least are used first, and among those the ones that save most, so that few texts change.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use super::{
    inline::{Changed, Done, keep_what_decodes},
    operations::LosslessOperation,
    superseded::{NewInput, Superseded},
    work_text::Text,
};
use crate::{
    conversation::Edit,
    providers::{Note, Proposal, Request},
    restore::Decoder,
    tokens::count_inside,
    transcript::Transcript,
    words::Said,
};

/// A block: the indices of message and block.
type BlockAt = (usize, usize);

/// The findings.
pub struct Found<'a> {
    /// The conversation's texts and events.
    pub transcript: &'a Transcript<'a>,
    /// The texts without what a later message replaced.
    pub texts: Vec<Text<'a>>,
    /// The replaced state.
    pub superseded: Superseded,
    /// The texts with pointers.
    pub changed: Vec<Changed>,
    /// True if the result may allow more.
    pub unfinished: bool,
}

impl Found<'_> {
    /// Returns the proposal to change only as much as the request's target requires, or everything.
    pub fn proposal(&self, request: &Request, keep_first: bool) -> Proposal {
        let enough = request.budget().and_then(|budget| enough(request, self, budget, keep_first));
        enough.unwrap_or_else(|| self.proposal_of(None))
    }

    /// Returns the proposal to change these blocks; all if `None`.
    fn proposal_of(&self, chosen: Option<&HashSet<BlockAt>>) -> Proposal {
        let is_chosen = |block: BlockAt| chosen.is_none_or(|chosen| chosen.contains(&block));
        let is_chosen_text = |index: usize| is_chosen(at(&self.texts[index]));
        let mut changed: Vec<Changed> =
            self.changed.iter().filter(|changed| is_chosen_text(changed.text)).cloned().collect();
        // A text that stays unchanged may contain the line that a pointer quotes, nearer than the one it means.
        let stays = |index: usize| !is_chosen_text(index) && self.is_left_out(index);
        if changed.len() < self.changed.len() || (0..self.texts.len()).any(stays) {
            let before: Vec<&str> = (0..self.texts.len())
                .map(|index| if is_chosen_text(index) { &*self.texts[index].text } else { self.original(index) })
                .collect();
            keep_what_decodes(&before, |_| None, Decoder::new(&before), &mut changed);
        }
        // A part was enough for the target, so there is nothing more to find.
        let unfinished = self.unfinished && chosen.is_none();
        let mut proposal = Proposal { pointers_checked: true, unfinished, ..Proposal::default() };
        self.describe(&changed, is_chosen, &mut proposal);
        let mut inputs: BTreeMap<BlockAt, NewInput> = self
            .superseded
            .inputs
            .iter()
            .filter(|(block, _)| is_chosen(**block))
            .map(|(block, new)| (*block, new.clone()))
            .collect();
        let mut new: Vec<Option<String>> = vec![None; self.texts.len()];
        changed.into_iter().for_each(|changed| new[changed.text] = Some(changed.new));
        for (index, text) in self.texts.iter().enumerate().filter(|(index, _)| is_chosen_text(*index)) {
            let new = match (new[index].take(), &text.text) {
                (Some(new), _) => new,
                // A text that only had state left out.
                (None, Cow::Owned(new)) if self.is_left_out(index) => new.clone(),
                _ => continue,
            };
            match inputs.get_mut(&at(text)) {
                Some(input) => input.set(&text.path, new),
                None => proposal.plan.edits.push(Edit::set_text(text.message, &text.path, new)),
            }
        }
        proposal.plan.edits.extend(inputs.into_iter().map(|((message, block), input)| input.into_edit(message, block)));
        proposal
    }

    /// Returns true if part of a text is left out because a later message replaced it.
    fn is_left_out(&self, index: usize) -> bool {
        matches!(&self.texts[index].text, Cow::Owned(new) if *new != *self.original(index))
    }

    /// Returns a text as it is in the conversation.
    fn original(&self, index: usize) -> &str {
        self.transcript.texts[index].text
    }

    /// Returns the operations performed if these texts change, each with its text.
    fn done<'s>(&'s self, changed: &'s [Changed]) -> impl Iterator<Item = (usize, &'s Done)> {
        let inline = changed.iter().flat_map(|changed| changed.done.iter().map(|done| (changed.text, done)));
        self.superseded.done.iter().map(|(text, done)| (*text, done)).chain(inline)
    }

    /// Adds the reason for changing each block, with the savings of each operation in it.
    fn describe(&self, changed: &[Changed], is_chosen: impl Fn(BlockAt) -> bool, proposal: &mut Proposal) {
        let mut shares: BTreeMap<(usize, usize, LosslessOperation), (usize, &Said)> = BTreeMap::new();
        for (index, done) in self.done(changed) {
            let (message, block) = at(&self.texts[index]);
            if is_chosen((message, block)) {
                let (saved, _) = shares.entry((message, block, done.operation)).or_insert((0, &done.reason));
                *saved += done.saved;
            }
        }
        for ((message, block, operation), (saved, reason)) in shares {
            let (operation, grade, reason) = (operation.word(), operation.grade(), reason.clone());
            proposal.notes.push(Note { message, block: Some(block), operation, reason, grade });
            proposal.shares.push(saved);
        }
    }
}

/// Returns the block that contains a text.
fn at(text: &Text<'_>) -> BlockAt {
    (text.message, text.block)
}

/// A block that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    block: BlockAt,
    /// The greatest harm of its operations.
    harm: u8,
    /// Tokens saved.
    saved: usize,
}

/// Number of selections tried per kind. More than one can be needed because single texts count slightly differently
/// from the whole, and pointers may depend on one another.
const MAX_TRIES: usize = 3;

/// A selection that saves more than needed by at most this fraction of the whole (one in a hundred) is close enough.
const SPARE: usize = 100;

/// Returns the proposal that leaves at most `budget` tokens and changes only what that requires; `None` if all
/// findings are needed, or are not enough. With `keep_first`, pointers point to earlier messages.
fn enough(request: &Request, found: &Found<'_>, budget: usize, keep_first: bool) -> Option<Proposal> {
    let candidates = candidates(request, found);
    let possible: usize = candidates.iter().map(|candidate| candidate.saved).sum();
    let least = request.tally.total().checked_sub(budget)?;
    let choices: [&dyn Fn(usize) -> HashSet<BlockAt>; 2] =
        [&|needed| chosen(&candidates, needed, request.tally.total() / SPARE), &|needed| {
            from_one_end(&candidates, needed, keep_first)
        }];
    for choose in choices {
        let mut needed = least;
        for _ in 0..MAX_TRIES {
            if needed >= possible {
                break;
            }
            let proposal = found.proposal_of(Some(&choose(needed)));
            let after = request.conversation.apply(&proposal.plan).ok()?;
            let tokens = request.tally.recount(&request.conversation, &after, &request.cancel).ok()?.total();
            if tokens <= budget {
                return Some(proposal);
            }
            needed += tokens - budget;
        }
    }
    None
}

/// Returns the newest blocks that together save this many tokens, or the oldest if pointers point to earlier
/// messages. Everything between a pointer and its lines then changes as in the full proposal, so every pointer is
/// found by its quote.
fn from_one_end(candidates: &[Candidate], needed: usize, keep_first: bool) -> HashSet<BlockAt> {
    let mut saved = 0;
    let mut is_needed = |candidate: &&Candidate| {
        let is_needed = saved < needed;
        saved += candidate.saved;
        is_needed
    };
    // By message.
    let taken: Vec<&Candidate> = if keep_first {
        candidates.iter().take_while(&mut is_needed).collect()
    } else {
        candidates.iter().rev().take_while(&mut is_needed).collect()
    };
    taken.into_iter().map(|candidate| candidate.block).collect()
}

fn candidates(request: &Request, found: &Found<'_>) -> Vec<Candidate> {
    let mut blocks: BTreeMap<BlockAt, (u8, usize)> = BTreeMap::new();
    for (index, done) in found.done(&found.changed) {
        let (harm, saved) = blocks.entry(at(&found.texts[index])).or_default();
        *harm = done.operation.harm().max(*harm);
        if found.superseded.inputs.contains_key(&at(&found.texts[index])) {
            // A list is not a text.
            *saved += done.saved;
        }
    }
    let tokens = |text: &str| count_inside(text, request.tally.encoding()).tokens;
    let new: BTreeMap<usize, &str> = found.changed.iter().map(|changed| (changed.text, &*changed.new)).collect();
    for (index, text) in
        found.texts.iter().enumerate().filter(|(_, text)| !found.superseded.inputs.contains_key(&at(text)))
    {
        let (was, is) = (found.original(index), new.get(&index).copied().unwrap_or(&text.text));
        if let Some((_, saved)) = blocks.get_mut(&at(text)).filter(|_| was != is) {
            *saved += tokens(was).saturating_sub(tokens(is));
        }
    }
    blocks.into_iter().map(|(block, (harm, saved))| Candidate { block, harm, saved }).collect()
}

/// Returns blocks that together save this many tokens: those that hinder a reader least, unless others save less than
/// `spare` more than needed and these do not.
fn chosen(candidates: &[Candidate], needed: usize, spare: usize) -> HashSet<BlockAt> {
    let mut taken: Vec<Candidate> = Vec::new();
    let mut left = needed;
    for harm in 0..=LosslessOperation::MOST_HARM {
        let class: Vec<Candidate> = candidates.iter().copied().filter(|candidate| candidate.harm == harm).collect();
        let fitting = fitting(class, left);
        left = left.saturating_sub(saved_by(&fitting));
        taken.extend(fitting);
    }
    // Blocks taken first may be unnecessary after those taken last.
    let mut saved = saved_by(&taken);
    while let Some(unneeded) = taken.iter().rposition(|candidate| saved - candidate.saved >= needed) {
        saved -= taken.remove(unneeded).saved;
    }
    if saved > needed + spare {
        let of_all = fitting(candidates.to_vec(), needed);
        if saved_by(&of_all) < saved {
            taken = of_all;
        }
    }
    taken.into_iter().map(|candidate| candidate.block).collect()
}

/// Returns the largest candidates that are needed, and the smallest of those too large for the rest. All if they are
/// not enough.
fn fitting(mut candidates: Vec<Candidate>, needed: usize) -> Vec<Candidate> {
    // Among equal ones, the newer is taken, so that the prompt cache covers more of the beginning.
    candidates.sort_by_key(|candidate| Reverse((candidate.saved, candidate.block)));
    let mut left = needed;
    let (mut taken, rest): (Vec<Candidate>, Vec<Candidate>) = candidates.into_iter().partition(|candidate| {
        let fits = left > 0 && candidate.saved <= left;
        left -= if fits { candidate.saved } else { 0 };
        fits
    });
    if left > 0 {
        taken.extend(rest.into_iter().min_by_key(|candidate| (candidate.saved, Reverse(candidate.block))));
    }
    taken
}

fn saved_by(candidates: &[Candidate]) -> usize {
    candidates.iter().map(|candidate| candidate.saved).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(candidates: &[(u8, usize)], needed: usize) -> Vec<usize> {
        let candidates: Vec<Candidate> = candidates
            .iter()
            .enumerate()
            .map(|(message, (harm, saved))| Candidate { block: (message, 0), harm: *harm, saved: *saved })
            .collect();
        let mut chosen: Vec<usize> =
            chosen(&candidates, needed, 1000).into_iter().map(|(message, _)| message).collect();
        chosen.sort_unstable();
        chosen
    }

    #[test]
    fn what_takes_least_goes_first_and_no_more_than_is_needed() {
        assert_eq!(numbers(&[(3, 900), (0, 100), (0, 40), (1, 500)], 30), [2], "the smallest that is enough");
        assert_eq!(numbers(&[(3, 900), (0, 100), (0, 40), (1, 500)], 120), [1, 2]);
        assert_eq!(numbers(&[(3, 900), (0, 100), (0, 40), (1, 500)], 200), [3], "which saves what the others were to");
        assert_eq!(numbers(&[(0, 1300), (0, 300), (0, 90)], 366), [1, 2], "and not the one that is too large");
        let close = [(0, 1300), (1, 300), (1, 90)].map(|(harm, saved)| Candidate { block: (saved, 0), harm, saved });
        assert_eq!(chosen(&close, 366, 1000), HashSet::from([(1300, 0)]));
        assert_eq!(chosen(&close, 366, 100), HashSet::from([(300, 0), (90, 0)]), "too much more than is needed");
        assert_eq!(numbers(&[(0, 50), (0, 50), (0, 50)], 60), [1, 2], "the newer ones");
        assert_eq!(numbers(&[(0, 50)], 0), [0; 0]);
    }

    #[test]
    fn from_one_end_all_that_lies_between_is_taken() {
        let candidates = [30, 10, 20, 5].map(|saved| Candidate { block: (saved, 0), harm: 0, saved });
        let taken = |needed: usize, keep_first: bool| {
            let mut taken: Vec<usize> =
                from_one_end(&candidates, needed, keep_first).into_iter().map(|(saved, _)| saved).collect();
            taken.sort_unstable();
            taken
        };
        assert_eq!(taken(21, false), [5, 20]);
        assert_eq!(taken(31, true), [10, 30]);
        assert_eq!(taken(0, false), [0; 0]);
    }
}
