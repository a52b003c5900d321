//! Surveys the text to choose from: the older part of a conversation as passages, lines and names.

use std::collections::HashMap;

use super::{
    needs::{PointerLine, needs_of},
    passage::Passage,
    reading::Reading,
    scope::Scope,
    weights::{Origin, Weights},
};
use crate::{
    by_hash::ByHash,
    conversation::{PathStep, TextAt},
    parallel::{divided, each},
    transcript::{Meaning, ParameterRole, Pieces, ToolTable, decompose},
};

/// Minimum tokens of a line that counts as written again. Shorter lines, such as brackets, recur by chance.
const MIN_WRITTEN_TOKENS: f32 = 4.0;

/// The passages and names of a conversation.
pub struct Survey<'t> {
    /// The passages, by message and position.
    pub passages: Vec<Passage<'t>>,
    /// The lines with pointers.
    pub pointers: Vec<PointerLine>,
    /// The numbers of the names in all lines, in order.
    pub occurrences: Vec<u32>,
    /// The chance that each name is used again, by number.
    pub weights: Vec<f32>,
    /// The names, by number.
    pub names: Vec<&'t str>,
}

impl<'t> Survey<'t> {
    /// Surveys the conversation.
    pub fn new(scope: &Scope<'_>, texts: &[Vec<TextAt<'t>>]) -> Self {
        let pieces = decompose(scope.conversation, scope.tools);
        let pieces: Vec<_> =
            pieces.into_iter().enumerate().filter(|(message, _)| scope.zone.contains(message)).collect();
        let bytes = |(_, pieces): &(usize, Pieces)| pieces.iter().map(|piece| piece.range.len()).sum();
        let read = |pieces: Vec<(usize, Pieces)>| {
            let mut reading = Reading::new(scope, texts);
            reading.read(pieces);
            reading
        };
        let readings = each(divided(pieces, bytes), read);
        let mut whole = Reading::new(scope, texts);
        for (message, texts) in texts.iter().enumerate() {
            if !scope.zone.contains(&message) {
                texts.iter().for_each(|text| whole.names.stay(text.text));
            }
        }
        let Reading { mut passages, occurrences, mut names, .. } = readings.into_iter().fold(whole, Reading::with);
        let age = |message| scope.conversation.len() - message;
        let pointers = needs_of(scope.conversation, texts, &mut passages, scope.weights, age);
        let mut now = scope.conversation.len();
        if let Some((before, zone)) = &scope.before {
            names.learn(before, zone.clone(), scope.tools);
            now = before.len();
        }
        let weights = names.facts.iter().map(|facts| scope.weights.name(facts, now)).collect();
        let names = names.names;
        let mut survey = Self { passages, pointers, occurrences, weights, names };
        survey.mark_replaced(scope.tools);
        survey.value_written(scope.weights);
        survey
    }

    /// Marks lines that are in the old text of a later edit, because the file no longer contains them.
    fn mark_replaced(&mut self, tools: &ToolTable) {
        let mut replaced_in: HashMap<u64, usize, ByHash> = HashMap::default();
        for passage in &mut self.passages {
            let message = passage.message;
            for line in old_text(passage, tools) {
                let value = &mut passage.lines[line];
                value.replaced = true;
                if value.line.range.end - value.line.content > 6 {
                    let at = replaced_in.entry(value.hash).or_default();
                    *at = message.max(*at);
                }
            }
        }
        for passage in &mut self.passages {
            for value in &mut passage.lines {
                let later = replaced_in.get(&value.hash);
                value.replaced |= later.is_some_and(|later| *later > passage.message);
            }
        }
    }

    /// Raises the worth of lines that the assistant wrote more than once, because it is likely to write them again.
    fn value_written(&mut self, weights: Weights) {
        let written = self.written();
        for value in
            self.passages.iter_mut().filter(|passage| passage.origin.is_own()).flat_map(|passage| &mut passage.lines)
        {
            if let Some((times, _)) = written.get(&value.hash) {
                value.density *= weights.written(*times);
            }
        }
    }

    /// Returns the longer lines that the assistant wrote, by hash: the number of messages that contain the line, and
    /// the last of these messages.
    fn written(&self) -> HashMap<u64, (usize, usize), ByHash> {
        let mut written: HashMap<u64, (usize, usize), ByHash> = HashMap::default();
        for passage in self.passages.iter().filter(|passage| passage.origin.is_own()) {
            for value in passage.lines.iter().filter(|value| value.cost >= MIN_WRITTEN_TOKENS) {
                let (times, last) = written.entry(value.hash).or_insert((1, passage.message));
                if *last != passage.message {
                    (*times, *last) = (*times + 1, passage.message);
                }
            }
        }
        written
    }
}

/// Returns the indices of a passage's lines that are the old text of an edit.
fn old_text(passage: &Passage<'_>, tools: &ToolTable) -> Vec<usize> {
    if !matches!(passage.origin, Origin::Parameters(Meaning::Edit)) {
        return Vec::new();
    }
    let is_old = |key: &str| {
        let tool = tools.tool(passage.piece.source.tool());
        tool.is_some_and(|tool| tool.parameter(ParameterRole::Old).any(|name| name == key))
    };
    if matches!(passage.piece.path.last(), Some(PathStep::Key(key)) if is_old(key)) {
        return (0..passage.lines.len()).collect();
    }
    let mut found = Vec::new();
    let mut inside = false;
    for (index, value) in passage.lines.iter().enumerate() {
        let line = &passage.text[value.line.range.clone()];
        match line.trim_end() {
            "<<<<<<< SEARCH" | "------- SEARCH" => inside = true,
            "=======" => inside = false,
            _ if inside => found.push(index),
            _ => {}
        }
    }
    found
}
