//! From a choice to edits: the texts that change, the messages that go, and why.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use super::{passage::Passage, render, selection::Choice, survey::Survey};
use crate::{
    conversation::{ContentKind, Edit, PathStep, Plan, TextAt, json_text::splice},
    markers::{Gap, messages_at_end},
};

/// Why a text is cut or a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The message.
    pub message: usize,
    /// The block that the text is in; `None` when the message goes.
    pub block: Option<usize>,
    /// For a person.
    pub reason: String,
}

/// The edits that make a choice true.
pub struct Edits {
    pub plan: Plan,
    /// The passages that get another text.
    changed: Vec<usize>,
    /// For each message, whether it goes.
    dropped: Vec<bool>,
}

type Replacements = BTreeMap<(usize, Arc<[PathStep]>), Vec<(Range<usize>, String)>>;

impl Edits {
    /// Of a choice among the passages of a survey. `texts` are those of the conversation, message by message.
    pub fn of(texts: &[Vec<TextAt<'_>>], survey: &Survey<'_>, choice: &Choice) -> Self {
        let mut plan = Plan::default();
        let mut changed = Vec::new();
        let dropped = dropped_messages(texts.len(), survey, choice);
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
                plan.edits.push(Edit::set_text(message, path.to_vec(), splice(whole.text, &mut replaced)));
            }
        }
        plan.edits.extend((0..dropped.len()).filter(|message| dropped[*message]).map(|message| Edit::Drop { message }));
        Self { plan, changed, dropped }
    }

    /// Why each of them.
    pub fn reasons(&self, survey: &Survey<'_>, choice: &Choice) -> Vec<Why> {
        let cut = self.changed.iter().map(|index| {
            let passage = &survey.passages[*index];
            let reason = reason(passage, &choice.kept[*index], survey);
            Why { message: passage.message, block: Some(passage.piece.block), reason }
        });
        let dropped = (0..self.dropped.len()).filter(|message| self.dropped[*message]).map(|message| {
            let reason = "left out: nothing in it is as likely to be used again as what was kept".to_owned();
            Why { message, block: None, reason }
        });
        cut.chain(dropped).collect()
    }
}

fn dropped_messages(length: usize, survey: &Survey<'_>, choice: &Choice) -> Vec<bool> {
    let mut dropped = vec![false; length];
    for (round, _) in survey.rounds.iter().zip(&choice.open).filter(|(_, open)| !**open) {
        dropped[round.messages.clone()].fill(true);
    }
    dropped
}

/// How many messages right after `message` are missing from now on: those that are dropped, and what they say is missing behind them.
fn missing_after(dropped: &[bool], survey: &Survey<'_>, message: usize) -> usize {
    let end = message + 1 + dropped[message + 1..].iter().take_while(|dropped| **dropped).count();
    let first = survey.passages.partition_point(|passage| passage.message <= message);
    let told = survey.passages[first..].iter().take_while(|passage| passage.message < end);
    told.map(|passage| messages_at_end(passage.text).1).fold(end - message - 1, usize::saturating_add)
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
    if dropped[passage.message] || passage.is_pinned {
        return None;
    }
    let last_of_message = survey.passages.get(index + 1).is_none_or(|next| next.message != passage.message);
    let missing = if last_of_message { missing_after(dropped, survey, passage.message) } else { 0 };
    let is_cut = !passage.whole && passage.misses(kept);
    let (_, told) = messages_at_end(passage.text);
    if !is_cut && (missing == 0 || told == 0) {
        return None;
    }
    let text = if is_cut { render::text(passage, kept) } else { passage.text.to_owned() };
    let (before, told) = messages_at_end(&text);
    if missing == 0 || passage.piece.kind != ContentKind::ToolResults {
        return (text.len() < passage.text.len()).then_some(text);
    }
    let note = Gap::Messages(told.saturating_add(missing));
    let with_note = if before.is_empty() { note.to_string() } else { format!("{before}\n{note}") };
    if is_cut {
        return (with_note.len() < passage.text.len()).then_some(with_note);
    }
    // A note that is no longer true goes where the true one has no room.
    let fits = with_note.len() <= passage.text.len() || before.is_empty();
    Some(if fits { with_note } else { before.to_owned() })
}

/// Why lines stayed, in terms of the names that made them worth it.
pub fn reason(passage: &Passage<'_>, kept: &[bool], survey: &Survey<'_>) -> String {
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
