//! Turns a choice into edits: the texts that change, and the reason for each change.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use super::{passage::Passage, passage_selection::Choice, render, survey::Survey};
use crate::{
    conversation::{Edit, PathStep, Plan, TextAt, json_text::splice},
    words::{Said, said},
};

/// The reason why a text is cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// Index of the message.
    pub message: usize,
    /// Index of the block that contains the text.
    pub block: usize,
    /// The reason, as a sentence for the user.
    pub reason: Said,
}

/// The edits that carry out a choice.
pub struct Edits {
    pub plan: Plan,
    /// Indices of the passages whose text changes.
    changed: Vec<usize>,
}

type Replacements = BTreeMap<(usize, Arc<[PathStep]>), Vec<(Range<usize>, String)>>;

impl Edits {
    /// Builds the edits for a choice among the passages of a survey. `texts` are the conversation's texts, message by
    /// message.
    pub fn for_choice(texts: &[Vec<TextAt<'_>>], survey: &Survey<'_>, choice: &Choice) -> Self {
        let (mut plan, mut changed, mut replacements) = (Plan::default(), Vec::new(), Replacements::new());
        for (index, passage) in survey.passages.iter().enumerate() {
            if let Some(text) = rendered(passage, &choice.kept[index]) {
                let key = (passage.message, passage.piece.path.clone());
                replacements.entry(key).or_default().push((passage.piece.range.clone(), text));
                changed.push(index);
            }
        }
        for ((message, path), mut replaced) in replacements {
            if let Some(whole) = texts[message].iter().find(|text| *text.path == *path) {
                plan.edits.push(Edit::set_text(message, &path, splice(whole.text, &mut replaced)));
            }
        }
        Self { plan, changed }
    }

    /// Returns the reason for each cut text.
    pub fn reasons(&self, survey: &Survey<'_>, choice: &Choice) -> Vec<Why> {
        let cut = self.changed.iter().map(|index| {
            let passage = &survey.passages[*index];
            let reason = reason(passage, &choice.kept[*index], survey);
            Why { message: passage.message, block: passage.piece.block, reason }
        });
        cut.collect()
    }
}

/// Returns the new text of a passage, or `None` if the passage is left unchanged.
fn rendered(passage: &Passage<'_>, kept: &[bool]) -> Option<String> {
    if passage.is_pinned || passage.whole || !passage.misses(kept) {
        return None;
    }
    let text = render::text(passage, kept);
    (text.len() < passage.text.len()).then_some(text)
}

/// Returns the reason why the kept lines of a passage were kept: the most valuable names in them.
pub fn reason(passage: &Passage<'_>, kept: &[bool], survey: &Survey<'_>) -> Said {
    const NAMED: usize = 3;
    let count = kept.iter().filter(|kept| **kept).count();
    let label = passage.piece.source.label();
    if count == 0 {
        return if label.is_empty() { said!("change.noLine") } else { said!("change.noLineOf", of: label) };
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
    let why =
        if named.is_empty() { said!("change.forEdit") } else { said!("change.forNames", names: named.join(", ")) };
    let lines = passage.lines.len();
    if label.is_empty() {
        said!("change.kept", kept: count, lines: lines, why: why)
    } else {
        said!("change.keptOf", kept: count, lines: lines, of: label, why: why)
    }
}
