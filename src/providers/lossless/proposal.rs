//! Turns the findings into a proposal: all of them or, with a target, only as many as it requires, from one end.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    inline::{Changed, Done, keep_what_decodes},
    operations::LosslessOperation,
    superseded::{NewInput, Superseded},
    work_text::Text,
};
use crate::{
    conversation::Edit,
    maps::HashSet,
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
    /// The texts without content that a later message replaced.
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
        // A text that remains unchanged may contain the quoted line of a pointer, nearer than the pointer's target.
        let stays = |index: usize| !is_chosen_text(index) && self.is_left_out(index);
        if changed.len() < self.changed.len() || (0..self.texts.len()).any(stays) {
            let before: Vec<&str> = (0..self.texts.len())
                .map(|index| if is_chosen_text(index) { &*self.texts[index].text } else { self.original(index) })
                .collect();
            keep_what_decodes(&before, |_| None, Decoder::new(&before), &mut changed);
        }
        // If the chosen part misses the target once settled, the rest is left to find.
        let unfinished = self.unfinished || chosen.is_some();
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
                // A text without pointers, from which replaced state was left out.
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
    /// Tokens saved.
    saved: usize,
}

/// Maximum number of tries to find the number of blocks to change, because the tokens of single texts do not add up
/// exactly to those of the whole.
const MAX_TRIES: usize = 8;

/// Returns the proposal that leaves at most `budget` tokens with as few changes as possible; `None` if all findings are
/// needed, or are not enough.
///
/// The newest blocks are changed first, so that a long beginning remains cached; the oldest first if pointers point to
/// earlier messages. Then all blocks between a pointer and its lines change as in the full proposal, so that the
/// pointer's quote resolves correctly. The order does not depend on the budget: a smaller budget changes all blocks
/// that a larger one does, and never leaves more tokens.
fn enough(request: &Request, found: &Found<'_>, budget: usize, keep_first: bool) -> Option<Proposal> {
    let mut candidates = candidates(request, found);
    if !keep_first {
        candidates.reverse();
    }
    let mut needed = request.tally.total().checked_sub(budget)?;
    let mut taken = 0;
    for _ in 0..MAX_TRIES {
        taken = enough_for(&candidates, needed).max(taken + 1);
        if taken >= candidates.len() {
            break;
        }
        let blocks = candidates[..taken].iter().map(|candidate| candidate.block).collect();
        let proposal = found.proposal_of(Some(&blocks));
        let after = request.conversation.apply(&proposal.plan).ok()?;
        let tokens = request.tally.recount(&request.conversation, &after, &request.cancel).ok()?.total();
        if tokens <= budget {
            return Some(proposal);
        }
        needed += tokens - budget;
    }
    None
}

/// Returns the number of the first candidates that together save this many tokens.
fn enough_for(candidates: &[Candidate], needed: usize) -> usize {
    let mut saved = 0;
    let is_needed = |candidate: &&Candidate| {
        let is_needed = saved < needed;
        saved += candidate.saved;
        is_needed
    };
    candidates.iter().take_while(is_needed).count()
}

fn candidates(request: &Request, found: &Found<'_>) -> Vec<Candidate> {
    let mut blocks: BTreeMap<BlockAt, usize> = BTreeMap::new();
    for (index, done) in found.done(&found.changed) {
        let saved = blocks.entry(at(&found.texts[index])).or_default();
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
        if let Some(saved) = blocks.get_mut(&at(text)).filter(|_| was != is) {
            *saved += tokens(was).saturating_sub(tokens(is));
        }
    }
    blocks.into_iter().map(|(block, saved)| Candidate { block, saved }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_for_less_is_taken_for_more() {
        let candidates = [30, 10, 20, 5].map(|saved| Candidate { block: (saved, 0), saved });
        assert_eq!([0, 1, 30, 31, 41, 65, 66].map(|needed| enough_for(&candidates, needed)), [0, 1, 1, 2, 3, 4, 4]);
    }
}
