//! From a choice to edits: the texts that change, the messages that go, and why.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use serde_json::{json, value::to_raw_value};

use super::{passage::Passage, render, scope::Scope, selection::Choice, survey::Survey};
use crate::{
    conversation::{Block, ContentKind, Edit, Message, PathStep, Plan, Role, TextAt, json_text::splice},
    markers::{Gap, LEFT_OUT_HERE, is_about_messages, messages_at_end},
    tokens::count_inside,
};

/// Why a text is cut or a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The message.
    pub message: usize,
    /// The block that the text is in; `None` when the message goes.
    pub block: Option<usize>,
    /// What is done, in a word.
    pub operation: &'static str,
    /// For a person.
    pub reason: String,
}

impl Why {
    /// Of a note that says that messages are left out.
    #[must_use]
    pub fn note(message: usize, block: Option<usize>) -> Self {
        Self { message, block, operation: "insert", reason: "says that messages were left out here".to_owned() }
    }
}

/// The edits that make a choice true.
pub struct Edits {
    pub plan: Plan,
    /// The passages that get another text.
    changed: Vec<usize>,
    /// For each message, whether it goes.
    dropped: Vec<bool>,
    /// The blocks that are added, which say so.
    notes: Vec<(usize, usize)>,
}

type Replacements = BTreeMap<(usize, Arc<[PathStep]>), Vec<(Range<usize>, String)>>;

impl Edits {
    /// Of a choice among the passages of a survey. `texts` are those of the conversation, message by message.
    pub fn of(scope: &Scope<'_>, texts: &[Vec<TextAt<'_>>], survey: &Survey<'_>, choice: &Choice) -> Self {
        let mut plan = Plan::default();
        let mut changed = Vec::new();
        let dropped = dropped_messages(texts.len(), survey, choice);
        let mut replacements = Replacements::new();
        let mut told: Vec<bool> =
            texts.iter().map(|texts| texts.iter().any(|text| messages_at_end(text.text).1)).collect();
        for (index, passage) in survey.passages.iter().enumerate() {
            if let Some(text) = rendered(scope, index, passage, survey, choice, &dropped) {
                let key = (passage.message, passage.piece.path.clone());
                told[passage.message] |= messages_at_end(&text).1;
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
        let mut notes = Vec::new();
        for (message, note) in missing_notes(scope, &dropped, &told) {
            let block = scope.conversation.message(message).content.blocks().len();
            // A text and two fields of it are JSON in any case.
            let Ok(value) = to_raw_value(&json!({ "type": "text", "text": note })) else { continue };
            plan.edits.push(Edit::InsertBlock { message, before: block, value });
            notes.push((message, block));
        }
        Self { plan, changed, dropped, notes }
    }

    /// Why each of them.
    pub fn reasons(&self, survey: &Survey<'_>, choice: &Choice) -> Vec<Why> {
        let cut = self.changed.iter().map(|index| {
            let passage = &survey.passages[*index];
            let reason = reason(passage, &choice.kept[*index], survey);
            Why { message: passage.message, block: Some(passage.piece.block), operation: "salient", reason }
        });
        let dropped = (0..self.dropped.len()).filter(|message| self.dropped[*message]).map(|message| {
            let reason = "left out: nothing in it is as likely to be used again as what was kept".to_owned();
            Why { message, block: None, operation: "drop", reason }
        });
        let notes = self.notes.iter().map(|(message, block)| Why::note(*message, Some(*block)));
        cut.chain(dropped).chain(notes).collect()
    }
}

fn dropped_messages(length: usize, survey: &Survey<'_>, choice: &Choice) -> Vec<bool> {
    let mut dropped = vec![false; length];
    for (round, _) in survey.rounds.iter().zip(&choice.open).filter(|(_, open)| !**open) {
        dropped[round.messages.clone()].fill(true);
    }
    dropped
}

/// The messages that get a block of their own which says that messages are left out: where the message before them can have one, after it; else, before
/// it, the next that can. `told` says of each message whether one of its texts says so already.
fn missing_notes(scope: &Scope<'_>, dropped: &[bool], told: &[bool]) -> Vec<(usize, String)> {
    let mut notes = Vec::new();
    let mut start = 0;
    while let Some(first) = (start..dropped.len()).find(|message| dropped[*message]) {
        let end = (first..dropped.len()).find(|message| !dropped[*message]).unwrap_or(dropped.len());
        start = end;
        let Some(before) = first.checked_sub(1) else { continue };
        if told[before] || is_note_of_messages(scope.conversation.message(before)) {
            continue;
        }
        if may_have_note(scope, before) {
            notes.push((before, Gap::Messages.to_string()));
        } else if let Some(next) =
            (end..scope.zone.end).find(|message| may_have_note(scope, *message) && !dropped[*message])
        {
            let is_said = scope.conversation.message(next).content.blocks().iter().any(is_left_out_here);
            let note = (next, LEFT_OUT_HERE.to_owned());
            if !is_said && !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

/// Whether a message says nothing but that others were left out.
#[must_use]
pub fn is_note_of_messages(message: &Message) -> bool {
    let texts = message.texts();
    !texts.is_empty() && texts.iter().all(|text| is_about_messages(text.text))
}

fn is_left_out_here(block: &Block) -> bool {
    matches!(block, Block::Text { text, .. } if text == LEFT_OUT_HERE)
}

fn may_have_note(scope: &Scope<'_>, message: usize) -> bool {
    let entry = &scope.conversation.entries()[message];
    let has_blocks = !entry.message.content.blocks().is_empty();
    scope.zone.contains(&message) && entry.message.role == Role::User && entry.pins.is_empty() && has_blocks
}

/// What stands for a passage from now on; `None` when it stays as it is, or goes with its message.
fn rendered(
    scope: &Scope<'_>,
    index: usize,
    passage: &Passage<'_>,
    survey: &Survey<'_>,
    choice: &Choice,
    dropped: &[bool],
) -> Option<String> {
    let kept = &choice.kept[index];
    if dropped[passage.message] || passage.is_pinned || passage.whole || !passage.misses(kept) {
        return None;
    }
    let text = render::text(passage, kept);
    let last_of_message = survey.passages.get(index + 1).is_none_or(|next| next.message != passage.message);
    let is_missing = last_of_message && dropped.get(passage.message + 1) == Some(&true);
    let (before, is_told) = messages_at_end(&text);
    if is_missing && !is_told && passage.piece.kind == ContentKind::ToolResults {
        let note = Gap::Messages;
        let with_note = if before.is_empty() { note.to_string() } else { format!("{before}\n{note}") };
        // Who settles the plan gives back a text that saves no tokens, and the note with it.
        let saves = with_note.len() * 2 < passage.text.len()
            || count_inside(&with_note, scope.tally.encoding()).tokens < passage.tokens;
        if saves && with_note.len() < passage.text.len() {
            return Some(with_note);
        }
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
