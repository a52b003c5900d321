//! All that can be left out of a conversation, and the proposal to leave out some of it.

use std::{
    borrow::Cow,
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
    providers::{Note, Proposal},
    restore::Decoder,
    transcript::Transcript,
    words::Said,
};

/// A block, by its message and its number there.
pub type BlockAt = (usize, usize);

/// What was found.
pub struct Found<'a> {
    /// The conversation as it is.
    pub transcript: &'a Transcript<'a>,
    /// Its texts without what a later message replaced.
    pub texts: Vec<Text<'a>>,
    /// What that was.
    pub superseded: Superseded,
    /// Texts with pointers in them.
    pub changed: Vec<Changed>,
    /// There may be more to find in the result.
    pub unfinished: bool,
}

impl Found<'_> {
    /// The proposal to change these blocks, or all.
    pub fn proposal(&self, chosen: Option<&HashSet<BlockAt>>) -> Proposal {
        let is_chosen = |block: BlockAt| chosen.is_none_or(|chosen| chosen.contains(&block));
        let is_chosen_text = |index: usize| is_chosen(at(&self.texts[index]));
        let mut changed: Vec<Changed> =
            self.changed.iter().filter(|changed| is_chosen_text(changed.text)).cloned().collect();
        // What stays as it was may hold the line that a pointer quotes, nearer than the one that is meant.
        let stays = |index: usize| !is_chosen_text(index) && self.is_left_out(index);
        if changed.len() < self.changed.len() || (0..self.texts.len()).any(stays) {
            let before: Vec<&str> = (0..self.texts.len())
                .map(|index| if is_chosen_text(index) { &*self.texts[index].text } else { self.original(index) })
                .collect();
            keep_what_decodes(&before, |_| None, Decoder::new(&before), &mut changed);
        }
        // With a part of it, the target is met.
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
                // What is left out makes a text of its own.
                (None, Cow::Owned(new)) if self.is_left_out(index) => new.clone(),
                _ => continue,
            };
            match inputs.get_mut(&at(text)) {
                Some(input) => input.set(&text.path, new),
                None => proposal.plan.edits.push(Edit::set_text(text.message, text.path.to_vec(), new)),
            }
        }
        proposal.plan.edits.extend(inputs.into_iter().map(|((message, block), input)| input.into_edit(message, block)));
        proposal
    }

    /// Whether something of a text is left out because a later message replaced it.
    fn is_left_out(&self, index: usize) -> bool {
        matches!(&self.texts[index].text, Cow::Owned(new) if *new != *self.original(index))
    }

    /// A text as it is in the conversation.
    pub fn original(&self, index: usize) -> &str {
        self.transcript.texts[index].text
    }

    /// What is done, with the text that it is done to.
    pub fn done(&self) -> impl Iterator<Item = (usize, &Done)> {
        let inline = self.changed.iter().flat_map(|changed| changed.done.iter().map(|done| (changed.text, done)));
        self.superseded.done.iter().map(|(text, done)| (*text, done)).chain(inline)
    }

    /// Why each block is changed, with what each operation saves there.
    fn describe(&self, changed: &[Changed], is_chosen: impl Fn(BlockAt) -> bool, proposal: &mut Proposal) {
        let inline = changed.iter().flat_map(|changed| changed.done.iter().map(|done| (changed.text, done)));
        let superseded = self.superseded.done.iter().map(|(text, done)| (*text, done));
        let mut shares: BTreeMap<(usize, usize, LosslessOperation), (usize, &Said)> = BTreeMap::new();
        for (index, done) in superseded.chain(inline) {
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

/// The block of a text.
pub fn at(text: &Text<'_>) -> BlockAt {
    (text.message, text.block)
}
