//! Ranks lines of entries for a query, best first.
//!
//! A line is worth the words of the query in it and near it, each counted once and rare ones most. It is worth more
//! if its entry contains further words, if its head does, and depending on the speaker: the user's words and edits
//! are needed more often than listings. Long entries contain many words by chance, so they are worth less.

use std::collections::HashMap;

use super::{
    entries::Kind,
    index::{Entry, RecallIndex, Within},
    words::{each_word, function_words, is_name},
};
use crate::transcript::Meaning;

/// Maximum words of a query.
const MAX_WORDS: usize = 48;
/// Maximum number of lines returned.
const MAX_CANDIDATES: usize = 400;
/// Number of lines before and after a line whose words count for it.
const NEAR: u32 = 6;
/// The factor per line of distance.
const DECAY: f32 = 0.8;
/// The weight of a word in an entry's head for its lines, whatever the entry's length.
const IN_HEAD: f32 = 0.4;
/// The weight of a word anywhere in an entry for its lines.
const IN_ENTRY: f32 = 0.2;
/// How strongly the length of an entry reduces its worth.
const LENGTH: f32 = 0.3;
/// The additional worth of the newest entry over the first.
const NEWER: f32 = 0.1;
/// Number of lines around a found line in which further words of the query are shown with it.
const SPAN: u32 = 5;
/// Minimum worth of such words, as a fraction of the greatest worth of a word.
const SPANNED: f32 = 0.2;

/// The words of a query, with their worth.
pub struct Query {
    hashes: Vec<u32>,
    weights: Vec<f32>,
}

/// A line relevant to a query.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Its worth.
    pub score: f32,
    /// The index of the entry.
    pub entry: u32,
    /// The index of the line in its text, from 0.
    pub line: u32,
}

/// The ranked lines.
pub struct Ranked {
    /// The query, with the worth of its words here.
    pub query: Query,
    /// The best lines, best first.
    pub candidates: Vec<Candidate>,
    /// Number of entries with a word of the query.
    pub entries: usize,
    /// The lines of the index that contain words of the query, with the words' indices.
    matches: Vec<(u32, u8)>,
}

impl Ranked {
    /// Returns the lines of an entry to show for a hit: those near it that contain further words of the query.
    pub fn span(&self, entry: &Entry, line: u32) -> (u32, u32) {
        let first_line = entry.first_line;
        let at = first_line + 1 + line;
        let (least, most) =
            (at.saturating_sub(SPAN).max(first_line + 1), (at + SPAN).min(first_line + entry.line_count));
        let from = self.matches.partition_point(|(other, _)| *other < least);
        let to = self.matches.partition_point(|(other, _)| *other <= most);
        let most = self.query.weights.iter().copied().fold(0.0, f32::max);
        let mut near: Vec<(u32, u8)> = self.matches[from..to].to_vec();
        near.sort_by_key(|(other, _)| other.abs_diff(at));
        let (mut seen, mut span) = (0_u64, (line, line));
        for (other, word) in near {
            if seen >> word & 1 == 0 && self.query.weights[usize::from(word)] >= SPANNED * most {
                let other = other - first_line - 1;
                span = (span.0.min(other), span.1.max(other));
            }
            seen |= 1 << word;
        }
        span
    }
}

impl Query {
    /// Returns the worth of each word by its hash.
    pub fn by_hash(&self) -> HashMap<u32, f32> {
        self.hashes.iter().copied().zip(self.weights.iter().copied()).collect()
    }
}

/// Returns the lines relevant to a query, within these conversations.
pub fn rank(index: &RecallIndex, query: &str, within: &Within) -> Ranked {
    let hashes = words_of(query);
    let found = index.postings.lines(&hashes);
    let (hashes, found) = telling(hashes, found);
    let weights: Vec<f32> = found.iter().map(|lines| rarity(index, lines)).collect();
    let mut matches: Vec<(u32, u8)> = Vec::with_capacity(found.iter().map(Vec::len).sum());
    for (word, lines) in found.iter().enumerate() {
        matches.extend(lines.iter().map(|line| (*line, word as u8)));
    }
    matches.sort_unstable();
    let weigh = if is_all_names(query) { |_| 1.0 } else { of_kind };
    let query = Query { hashes, weights };
    let (mut candidates, mut entries, mut rest) = (Vec::new(), 0, &matches[..]);
    while let Some((line, _)) = rest.first() {
        let entry = index.entry_of_line(*line);
        let known = &index.entries[entry as usize];
        let end = rest.partition_point(|(line, _)| *line <= known.first_line + known.line_count);
        let (of_entry, later) = rest.split_at(end);
        rest = later;
        if let Some(place) = index.place(entry, within) {
            entries += 1;
            let told = &index.conversations[place.conversation as usize];
            let age = index.slot(place).message as f32 / told.messages.max(1) as f32;
            let worth = weigh(known.kind) * (1.0 + NEWER * age);
            let length = length_factor(index, known.words);
            lines_of(&query, of_entry, known.first_line, |line, in_text, in_head| {
                candidates.push(Candidate { score: (in_text / length + in_head) * worth, entry, line });
            });
        }
    }
    let best = |one: &Candidate, other: &Candidate| {
        other.score.total_cmp(&one.score).then(other.entry.cmp(&one.entry)).then(one.line.cmp(&other.line))
    };
    if candidates.len() > MAX_CANDIDATES {
        candidates.select_nth_unstable_by(MAX_CANDIDATES, best);
        candidates.truncate(MAX_CANDIDATES);
    }
    candidates.sort_unstable_by(best);
    Ranked { query, candidates, entries, matches }
}

/// Returns the words of a query, without duplicates.
fn words_of(query: &str) -> Vec<u32> {
    let mut hashes = Vec::new();
    each_word(query, |hash| {
        if hashes.len() < MAX_WORDS && !hashes.contains(&hash) {
            hashes.push(hash);
        }
    });
    hashes
}

/// Returns true if a query consists only of identifiers, paths and codes. It then concerns code, for which results
/// and edits count as much as words.
fn is_all_names(query: &str) -> bool {
    let mut words = query.split_whitespace().peekable();
    words.peek().is_some() && words.all(is_name)
}

/// Returns the words that express the subject of a query; all words if there are no others.
fn telling(hashes: Vec<u32>, found: Vec<Vec<u32>>) -> (Vec<u32>, Vec<Vec<u32>>) {
    let common = function_words();
    let all = || hashes.iter().copied().zip(found.iter()).filter(|(_, lines)| !lines.is_empty());
    let (mut told, mut lines): (Vec<u32>, Vec<Vec<u32>>) =
        all().filter(|(hash, _)| !common.contains(hash)).map(|(hash, lines)| (hash, lines.clone())).unzip();
    if told.is_empty() {
        (told, lines) = all().map(|(hash, lines)| (hash, lines.clone())).unzip();
    }
    (told, lines)
}

/// Returns the worth of a word that occurs in these lines: the fewer entries, the more.
fn rarity(index: &RecallIndex, lines: &[u32]) -> f32 {
    let (mut entries, mut rest) = (0_u32, lines);
    while let Some(line) = rest.first() {
        entries += 1;
        let entry = &index.entries[index.entry_of_line(*line) as usize];
        rest = &rest[rest.partition_point(|line| *line <= entry.first_line + entry.line_count)..];
    }
    let (all, entries) = (index.entries.len() as f32, entries as f32);
    (1.0 + (all - entries + 0.5) / (entries + 0.5)).ln()
}

/// Returns the worth of entries of a kind.
const fn of_kind(kind: Kind) -> f32 {
    match kind {
        Kind::User | Kind::Call(Meaning::Ask) => 2.4,
        Kind::Assistant => 1.4,
        Kind::Thought | Kind::Context | Kind::Summary => 0.7,
        Kind::Call(Meaning::Edit | Meaning::Write | Meaning::Touch | Meaning::Editor) => 1.3,
        Kind::Call(Meaning::Command) => 1.1,
        Kind::Call(_) => 0.9,
    }
}

fn length_factor(index: &RecallIndex, words: u32) -> f32 {
    let average = index.words as f32 / index.entries.len().max(1) as f32;
    (1.0 + words as f32 / average.max(1.0)).powf(LENGTH)
}

/// Calls `found` for each line of an entry that contains words of the query, with the scores that its text and the
/// head add. A head is short, so its words are not there by chance, however long the text. `matches` are sorted by
/// line; those of the head are at `first_line`.
fn lines_of(query: &Query, matches: &[(u32, u8)], first_line: u32, mut found: impl FnMut(u32, f32, f32)) {
    let in_head = matches.partition_point(|(line, _)| *line == first_line);
    let bits = |matches: &[(u32, u8)]| matches.iter().fold(0_u64, |bits, (_, word)| bits | 1 << word);
    let sum = |bits: u64| -> f32 {
        query.weights.iter().enumerate().filter(|(word, _)| bits >> word & 1 == 1).map(|(_, weight)| weight).sum()
    };
    let (head, body) = (bits(&matches[..in_head]), &matches[in_head..]);
    let base = IN_ENTRY * sum(head | bits(body));
    let in_head = IN_HEAD * sum(head);
    if body.is_empty() {
        found(0, base, in_head);
        return;
    }
    let mut from = 0;
    let mut at = 0;
    while at < body.len() {
        let line = body[at].0;
        while body[from].0 + NEAR < line {
            from += 1;
        }
        let mut best = [0_f32; MAX_WORDS];
        for (other, word) in body[from..].iter().take_while(|(other, _)| *other <= line + NEAR) {
            let near = DECAY.powi(other.abs_diff(line) as i32);
            let slot = &mut best[usize::from(*word)];
            *slot = slot.max(near);
        }
        let near: f32 = query.weights.iter().zip(best).map(|(weight, near)| weight * near).sum();
        found(line - first_line - 1, base + near, in_head);
        while body.get(at).is_some_and(|(next, _)| *next == line) {
            at += 1;
        }
    }
}
