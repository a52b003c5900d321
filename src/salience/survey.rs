//! What there is to choose from: the older part of a conversation as passages, lines and names.

use std::collections::{HashMap, HashSet};

use super::{
    needs::{PointerLine, needs_of},
    passage::Passage,
    reading::Reading,
    scope::Scope,
    telling::worth_of_words,
    weights::{Following, KINDS, Origin, as_float},
};
use crate::{
    by_hash::ByHash,
    conversation::{PathStep, TextAt},
    parallel::{divided, each},
    transcript::{ContentPiece, Meaning, ParameterRole, ToolTable, decompose_texts},
};

/// Shorter lines, such as brackets, are written again by chance.
const MIN_WRITTEN_TOKENS: f32 = 4.0;

/// Everything to choose from.
pub struct Survey<'t> {
    /// In order of message and position.
    pub passages: Vec<Passage<'t>>,
    /// What the assistant's words are worth for each token.
    pub words: f32,
    /// The lines that are pointers.
    pub pointers: Vec<PointerLine>,
    /// NameTable by their number, line after line.
    pub occurrences: Vec<u32>,
    /// The probability that each name is used again.
    pub weights: Vec<f32>,
    /// The names.
    pub names: Vec<&'t str>,
}

impl<'t> Survey<'t> {
    /// Looks through the conversation.
    pub fn of(scope: &Scope<'_>, texts: &[Vec<TextAt<'t>>]) -> Self {
        let pieces = decompose_texts(scope.conversation, texts, scope.tools);
        let pieces: Vec<_> =
            pieces.into_iter().enumerate().filter(|(message, _)| scope.zone.contains(message)).collect();
        let bytes = |(_, pieces): &(usize, Vec<ContentPiece>)| pieces.iter().map(|piece| piece.range.len()).sum();
        let read = |pieces| {
            let mut reading = Reading::of(scope, texts);
            reading.read(pieces);
            reading
        };
        let readings = each(divided(pieces, bytes), read);
        let mut whole = Reading::of(scope, texts);
        for (message, texts) in texts.iter().enumerate() {
            if !scope.zone.contains(&message) {
                texts.iter().for_each(|text| whole.names.stay(text.text));
            }
        }
        let Reading { mut passages, occurrences, mut names, .. } = readings.into_iter().fold(whole, Reading::with);
        let age = |message| scope.conversation.len() - message;
        let pointers = needs_of(texts, &mut passages, scope.weights, age);
        let mut now = scope.conversation.len();
        if let Some((before, zone)) = &scope.before {
            names.learn(before, zone.clone(), scope.tools);
            now = before.len();
        }
        let weights = names.facts.iter().map(|facts| scope.weights.name(facts, now)).collect();
        let names = names.names;
        let mut survey = Self { passages, words: 0.0, pointers, occurrences, weights, names };
        survey.mark_replaced(scope.tools);
        survey.mark_repeated();
        survey
    }

    /// Lines that stand in the old text of a later edit are no longer in the file.
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

    /// A line that stands again later tells it there.
    fn mark_repeated(&mut self) {
        const AGAIN: f32 = 0.3;
        let mut seen: HashSet<u64, ByHash> = HashSet::default();
        for passage in self.passages.iter_mut().rev().filter(|passage| passage.origin != Origin::Log) {
            let told = || passage.lines.iter().filter(|value| value.telling >= 0.1).map(|value| value.hash);
            let hashes: Vec<u64> = told().collect();
            for value in passage.lines.iter_mut().filter(|value| value.telling >= 0.1 && seen.contains(&value.hash)) {
                value.telling *= AGAIN;
            }
            seen.extend(hashes);
        }
    }

    /// Values passages for a `budget`: what is read or edited counts for more the more may stay, what was said and done last counts for more, by how much
    /// of the budget it takes to keep all from there on or all of its kind, and so does what the assistant wrote more than once.
    pub fn value_for(&mut self, scope: &Scope<'_>, budget: usize) {
        let share = as_float(budget) / as_float(scope.tally.total().max(1));
        self.words = worth_of_words(share);
        let words = self.words;
        let written = self.written();
        let (mut all, mut of_kind, mut message) = (0.0, [0.0; KINDS], scope.zone.end);
        // That of an older summary is done, or stands in the newer one.
        let mut is_handed_over = false;
        for passage in self.passages.iter_mut().rev() {
            while message > passage.message + 1 {
                message -= 1;
                all += as_float(scope.tally.message(message));
            }
            let age = scope.conversation.len() - passage.message;
            let factor = scope.weights.for_share(passage.origin, age, passage.tokens, share);
            let same = &mut of_kind[passage.origin.kind()];
            let more = scope.weights.late(passage.origin, Following { all, same: *same }, as_float(budget));
            *same += as_float(passage.tokens);
            let is_own = passage.origin.is_own();
            let is_newest = !is_handed_over && !passage.handed_over.is_empty();
            is_handed_over |= is_newest;
            for (line, value) in passage.lines.iter_mut().enumerate() {
                value.density = factor * value.density + more;
                if is_newest && passage.handed_over.contains(&line) {
                    value.density += scope.weights.handed_over();
                }
                // What the newest messages say is what the work goes on with.
                if !scope.older.contains(&passage.message) {
                    value.density += scope.weights.newest(words);
                }
                if is_own && let Some((times, _)) = written.get(&value.hash) {
                    value.density *= scope.weights.written(*times);
                }
            }
        }
    }

    /// In how many messages the assistant wrote each of its longer lines, and the last of them.
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

/// The lines of a passage that are the old text of an edit.
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
