//! From a choice to edits: the texts that change, the messages that go, and why.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use super::{passage::Passage, render, selection::Choice, survey::Survey};
use crate::{
    conversation::{ContentKind, Edit, PathStep, Plan, TextAt, json_text::splice},
    markers::Gap,
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
        text.push_str(&Gap::Messages(dropped_after).to_string());
    }
    (text.len() < passage.text.len()).then_some(text)
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
