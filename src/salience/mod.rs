//! Salient truncation: of the older part of a conversation, what is most likely to be used again stays.
//!
//! No model is asked. [`survey`] looks through the conversation once, [`weights`] says how likely names and passages are to be used
//! again, [`selection`] fills the budget, [`render`] writes what stays.

mod by_hash;
mod lines;
mod marker;
mod names;
mod outline;
mod render;
mod selection;
mod survey;
mod weights;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

pub use self::weights::{WITHOUT, Weights};
use self::{
    selection::{Choice, PassageSelection},
    survey::{Passage, Scope, Survey, as_float},
};
use crate::{
    conversation::{ContentKind, Conversation, Edit, PathStep, Plan, TextAt, json_text::splice},
    providers::{CondenseError, Note, Proposal, Request},
    tokens::Tally,
    transcript::ContentPiece,
};

/// How a budget is to be filled.
pub struct Salience {
    /// The newest messages, which are never changed.
    pub preserve_recent: usize,
    /// Which signals are in use.
    pub weights: Weights,
}

/// How much of a text may stay, whatever it costs elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Lines; parts of very long lines count as lines.
    pub lines: usize,
    /// Characters in them. What stands for the gaps is not counted.
    pub characters: usize,
}

impl Room {
    fn is_exceeded_by(&self, passage: &Passage<'_>) -> bool {
        let shown = || passage.lines.iter().filter(|value| value.line.gap.is_none());
        let characters = || shown().map(|value| passage.characters(value)).sum::<usize>();
        shown().count() > self.lines || (passage.text.len() > self.characters && characters() > self.characters)
    }
}

/// A text that was cut to what matters most in it.
pub struct Cut {
    /// The message it is in.
    pub message: usize,
    /// The piece it is.
    pub piece: ContentPiece,
    /// What stays of it; `None` when no line of it has room.
    pub text: Option<String>,
    /// Why that, for a person.
    pub reason: String,
}

/// A result within this share of the budget is good enough.
const CLOSE_ENOUGH: f64 = 0.97;
const MAX_TRIES: usize = 8;

impl Salience {
    /// A plan that leaves at most `budget` tokens (unscaled) and as much of what matters as fits, or the smallest plan there is; and the
    /// tokens it leaves.
    ///
    /// # Errors
    /// When the work is cancelled.
    pub fn propose(&self, request: &Request, budget: usize) -> Result<(Proposal, usize), CondenseError> {
        let texts = request.conversation.texts();
        let (proposal, tokens) = self.with_users(request, &texts, budget, false)?;
        if tokens <= budget {
            return Ok((proposal, tokens));
        }
        // What the user wrote is cut only when nothing else is left.
        let (with_users, fewer) = self.with_users(request, &texts, budget, true)?;
        Ok(if fewer < tokens { (with_users, fewer) } else { (proposal, tokens) })
    }

    fn with_users(
        &self,
        request: &Request,
        texts: &[Vec<TextAt<'_>>],
        budget: usize,
        user_too: bool,
    ) -> Result<(Proposal, usize), CondenseError> {
        let scope = self.scope(request, user_too);
        let survey = Survey::of(&scope, texts);
        request.cancel.check()?;
        let mut selection = PassageSelection::new(&survey, self.weights, request.tally.total());
        selection.fill(as_float(budget));
        let mut best: Option<(Choice, Written, usize)> = None;
        for _ in 0..MAX_TRIES {
            let choice = selection.choice();
            let written = write(request, texts, &survey, &choice);
            let tokens = measure(request, &written.plan)?.total();
            let (fits, share) = (tokens <= budget, ratio(tokens, budget));
            let better = best
                .as_ref()
                .is_none_or(|(_, _, known)| if fits { *known > budget || tokens > *known } else { tokens < *known });
            if better {
                best = Some((choice, written, tokens));
            }
            if fits && (share >= CLOSE_ENOUGH || selection.is_complete()) {
                break;
            }
            let before = selection.tokens;
            if fits {
                // Estimates are a little off; a part of what is free is filled, so that it does not swing.
                selection.fill(before + as_float(budget - tokens) * 0.8);
            } else {
                selection.give_back(as_float(tokens - budget) * 1.05 + 1.0);
            }
            #[allow(clippy::float_cmp)]
            if selection.tokens == before {
                break;
            }
        }
        let Some((choice, written, tokens)) = best else { return Ok((Proposal::default(), request.tally.total())) };
        Ok((written.explained(&survey, &choice), tokens))
    }

    /// Every old text that is longer than `lines` lines, cut to those that matter most.
    #[must_use]
    pub fn cut_each(&self, request: &Request, lines: usize, least_tokens: usize) -> Proposal {
        let texts = request.conversation.texts();
        let scope = self.scope(request, false);
        let survey = Survey::of(&scope, &texts);
        let mut selection = PassageSelection::new(&survey, self.weights, request.tally.total());
        let mut choice = selection.choice();
        choice.open.fill(true);
        for (index, passage) in survey.passages.iter().enumerate() {
            let shown = passage.lines.iter().filter(|value| value.line.gap.is_none()).count();
            let results = passage.piece.kind == ContentKind::ToolResults;
            // Long lines that were cut are divided in other places the next time: what was cut already has some more leeway.
            let most = if marker::is_in(passage.text) { lines.saturating_mul(2) } else { lines };
            if !results || passage.whole || passage.tokens < least_tokens || shown <= most {
                choice.kept[index].fill(true);
            } else {
                choice.kept[index] = selection.best_lines(index, lines, usize::MAX);
            }
        }
        write(request, &texts, &survey, &choice).explained(&survey, &choice)
    }

    /// Uses every signal.
    #[must_use]
    pub fn all_signals(preserve_recent: usize) -> Self {
        Self { preserve_recent, weights: Weights::without("none") }
    }

    /// The texts for which `room_of` gives a room that they exceed, cut to what matters most in them. It is asked for every piece of
    /// the older messages, those of the user included.
    pub fn cut_chosen(&self, request: &Request, room_of: impl Fn(usize, &ContentPiece) -> Option<Room>) -> Vec<Cut> {
        let texts = request.conversation.texts();
        let scope = self.scope(request, true);
        let survey = Survey::of(&scope, &texts);
        let mut selection = PassageSelection::new(&survey, self.weights, request.tally.total());
        let mut cuts = Vec::new();
        for (index, passage) in survey.passages.iter().enumerate() {
            let room = room_of(passage.message, &passage.piece).filter(|_| !passage.whole);
            let Some(room) = room.filter(|room| room.is_exceeded_by(passage)) else { continue };
            let kept = selection.best_lines(index, room.lines, room.characters);
            let text = kept.contains(&true).then(|| render::text(passage, &kept));
            if text.as_ref().is_none_or(|text| text.len() < passage.text.len()) {
                let reason = reason(passage, &kept, &survey);
                cuts.push(Cut { message: passage.message, piece: passage.piece.clone(), text, reason });
            }
        }
        cuts
    }

    fn scope<'r>(&self, request: &'r Request, user_too: bool) -> Scope<'r> {
        let older = |conversation: &Conversation| 1..conversation.len().saturating_sub(self.preserve_recent).max(1);
        let (conversation, original) = (&request.conversation, &request.original);
        Scope {
            conversation,
            tally: &request.tally,
            tools: &request.tools,
            zone: older(conversation),
            before: (!conversation.is_same(original)).then(|| (original, older(original))),
            user_too,
            weights: self.weights,
        }
    }
}

fn ratio(tokens: usize, budget: usize) -> f64 {
    tokens as f64 / budget.max(1) as f64
}

fn measure(request: &Request, plan: &Plan) -> Result<Tally, CondenseError> {
    let invalid = |source| CondenseError::InvalidPlan { provider: "truncation".into(), source };
    let after = request.conversation.apply(plan).map_err(invalid)?;
    Ok(request.tally.recount(&request.conversation, &after, &request.cancel)?)
}

type Replacements = BTreeMap<(usize, Arc<[PathStep]>), Vec<(Range<usize>, String)>>;

/// The edits that make a choice true, and what they change.
struct Written {
    plan: Plan,
    /// The passages that get another text.
    changed: Vec<usize>,
    /// For each message, whether it goes.
    dropped: Vec<bool>,
}

fn write(request: &Request, texts: &[Vec<TextAt<'_>>], survey: &Survey<'_>, choice: &Choice) -> Written {
    let mut plan = Plan::default();
    let mut changed = Vec::new();
    let dropped = dropped_messages(request.conversation.len(), survey, choice);
    let mut replacements = Replacements::new();
    for (index, passage) in survey.passages.iter().enumerate() {
        if let Some(text) = rendered(index, passage, survey, choice, &dropped) {
            let key = (passage.message, passage.piece.path.clone());
            replacements.entry(key).or_default().push((passage.piece.range.clone(), text));
            changed.push(index);
        }
    }
    for ((message, path), mut replaced) in replacements {
        if let Some(whole) = texts[message].iter().find(|text| *text.path == *path) {
            plan.edits.push(Edit::set_text(message, path.to_vec(), splice(&whole.text, &mut replaced)));
        }
    }
    plan.edits.extend((0..dropped.len()).filter(|message| dropped[*message]).map(|message| Edit::Drop { message }));
    Written { plan, changed, dropped }
}

impl Written {
    /// The plan with the reasons for it.
    fn explained(self, survey: &Survey<'_>, choice: &Choice) -> Proposal {
        let mut notes = Vec::new();
        for index in self.changed {
            let passage = &survey.passages[index];
            let reason = reason(passage, &choice.kept[index], survey);
            let block = Some(passage.piece.block);
            notes.push(Note { message: passage.message, block, operation: "salient", reason, grade: None });
        }
        for message in (0..self.dropped.len()).filter(|message| self.dropped[*message]) {
            let reason = "left out: nothing in it is as likely to be used again as what was kept".to_owned();
            notes.push(Note { message, block: None, operation: "drop", reason, grade: None });
        }
        Proposal { plan: self.plan, notes, ..Proposal::default() }
    }
}

fn dropped_messages(length: usize, survey: &Survey<'_>, choice: &Choice) -> Vec<bool> {
    let mut dropped = vec![false; length];
    for (round, _) in survey.rounds.iter().zip(&choice.open).filter(|(_, open)| !**open) {
        dropped[round.messages.clone()].fill(true);
    }
    dropped
}

/// How many messages right after `message` are dropped.
fn dropped_after(dropped: &[bool], message: usize) -> usize {
    dropped[message + 1..].iter().take_while(|dropped| **dropped).count()
}

/// What stands for a passage from now on; `None` when it stays as it is, or goes with its message.
fn rendered(
    index: usize,
    passage: &Passage<'_>,
    survey: &Survey<'_>,
    choice: &Choice,
    dropped: &[bool],
) -> Option<String> {
    let kept = &choice.kept[index];
    let missing = || passage.lines.iter().zip(kept).any(|(value, kept)| !kept && value.line.gap.is_none());
    if dropped[passage.message] || passage.whole || !missing() {
        return None;
    }
    let mut text = render::text(passage, kept);
    let last_of_message = survey.passages.get(index + 1).is_none_or(|next| next.message != passage.message);
    let dropped_after = if last_of_message { dropped_after(dropped, passage.message) } else { 0 };
    if dropped_after > 0 && passage.piece.kind == ContentKind::ToolResults {
        text.push('\n');
        text.push_str(&marker::messages(dropped_after));
    }
    (text.len() < passage.text.len()).then_some(text)
}

/// Why lines stayed, in terms of the names that made them worth it.
fn reason(passage: &Passage<'_>, kept: &[bool], survey: &Survey<'_>) -> String {
    const NAMED: usize = 3;
    let count = kept.iter().filter(|kept| **kept).count();
    let label = passage.piece.source.label();
    let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
    if count == 0 {
        return format!("left out{of}: no line is as likely to be used again as what was kept");
    }
    let mut names: Vec<u32> = Vec::new();
    for (value, _) in passage.lines.iter().zip(kept).filter(|(_, kept)| **kept) {
        names.extend(&survey.occurrences[value.names.clone()]);
    }
    names.sort_unstable();
    names.dedup();
    names.sort_by(|a, b| survey.weights[*b as usize].total_cmp(&survey.weights[*a as usize]).then(a.cmp(b)));
    let named: Vec<&str> = names
        .iter()
        .filter(|name| survey.weights[**name as usize] > 0.0)
        .take(NAMED)
        .map(|name| survey.names[*name as usize])
        .collect();
    let why = if named.is_empty() {
        "as a passage that may be edited".to_owned()
    } else {
        format!("for {}", named.join(", "))
    };
    format!("kept {count} of {} lines{of}, {why}", passage.lines.len())
}
