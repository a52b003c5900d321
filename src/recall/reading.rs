//! Reads lines of one entry.

use serde::Serialize;

use super::{
    answer::{Named, boundary, tokens},
    index::{Place, RecallIndex, Within},
};
use crate::conversation::NumberStyle;

/// Maximum bytes examined per token, so that a text of megabytes is not counted for a response of a thousand tokens.
const MAX_BYTES_PER_TOKEN: usize = 16;

/// The lines to read, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: usize,
    /// Bytes of the first line to skip.
    pub skip: usize,
    /// The last line; if not given, as many as fit.
    pub last: Option<usize>,
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The lines to read.
    pub lines: LineRange,
    /// Maximum tokens of the lines.
    pub max_tokens: usize,
    /// The conversations to search.
    pub within: Within,
}

/// Lines that were read.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadText {
    /// The title of the entry: `Bash npm test · 36%`.
    pub title: String,
    /// Its key.
    pub key: String,
    /// The exact lines.
    pub text: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line.
    pub last: usize,
    /// Number of lines of the entry.
    pub total: usize,
    /// Where to continue, in the form that `lines` accepts; `None` if the entry ends here, or if the last requested
    /// line was read.
    pub next: Option<String>,
    /// The entry that later changed this entry's file, if any.
    pub changed_since: Option<String>,
    /// The entry before this one in the conversation.
    pub before: Option<Named>,
    /// The entry after this one.
    pub after: Option<Named>,
}

impl RecallIndex {
    /// Reads lines of the entry with this key; `None` if there is none.
    pub fn read(&self, key: &str, options: &ReadOptions) -> Option<ReadText> {
        let at = self.entry(key, &options.within)?;
        let entry = &self.entries[at as usize];
        let place = self.place(at, &options.within)?;
        let all: Vec<&str> = entry.text.split('\n').collect();
        let LineRange { first, skip, last } = by_numbers_shown(&all, options.lines);
        let total = all.len();
        let last = last.unwrap_or(total).min(total);
        let (mut text, mut left, mut next, mut reached) =
            (String::new(), options.max_tokens, None, first.saturating_sub(1));
        for number in first..=last {
            let line = all[number - 1];
            let from = if number == first { boundary(line, skip) } else { 0 };
            let line = &line[from..];
            let cost = cost(line, left) + 1;
            if cost <= left {
                left -= cost;
            } else if text.is_empty() {
                // A single line longer than the budget is read in parts.
                let part = part_of(line, left);
                text.push_str(&line[..part]);
                next = Some(format!("{number}@{}", from + part));
                reached = number;
                break;
            } else {
                next = Some(format!("{number}-{last}"));
                break;
            }
            if number > first {
                text.push('\n');
            }
            text.push_str(line);
            reached = number;
        }
        let changed = self.changed_since(at, place).map(|newer| self.slot(newer).entry);
        Some(ReadText {
            title: format!("{} · {}", Self::title(entry, false), self.when(place)),
            key: entry.key.clone(),
            text,
            first,
            last: reached,
            total,
            next,
            changed_since: changed.map(|newer| self.entries[newer as usize].key.clone()),
            before: place.slot.checked_sub(1).and_then(|slot| self.neighbour(place, slot)),
            after: self.neighbour(place, place.slot + 1),
        })
    }
}

impl RecallIndex {
    /// Returns the entry at another slot of the same conversation.
    fn neighbour(&self, place: Place, slot: u32) -> Option<Named> {
        let slots = &self.conversations[place.conversation as usize].slots;
        slots.get(slot as usize).map(|slot| self.named(slot.entry))
    }
}

/// Converts requested line numbers of a file to the entry's own, if they exceed the entry's lines and the entry shows
/// lines with these numbers.
fn by_numbers_shown(lines: &[&str], asked: LineRange) -> LineRange {
    if asked.first <= lines.len() {
        return asked;
    }
    let shown = |number: usize| {
        let is_it =
            |line: &&str| NumberStyle::read(line.as_bytes()).is_some_and(|(found, ..)| found as usize == number);
        lines.iter().position(is_it).map(|at| at + 1)
    };
    match shown(asked.first) {
        Some(first) => LineRange { first, last: asked.last.map(|last| shown(last).unwrap_or(lines.len())), ..asked },
        None => asked,
    }
}

/// Returns the tokens of a line. For a line that is too long to be counted, returns a huge number.
fn cost(line: &str, limit: usize) -> usize {
    if line.len() > limit * MAX_BYTES_PER_TOKEN { usize::MAX - 1 } else { tokens(line) }
}

/// Returns approximately how many bytes of a line have this many tokens; at least one character.
fn part_of(line: &str, limit: usize) -> usize {
    let mut bytes = boundary(line, limit * MAX_BYTES_PER_TOKEN);
    while bytes > 0 && tokens(&line[..bytes]) > limit {
        bytes = boundary(line, bytes * 3 / 4);
    }
    let least = line.chars().next().map_or(0, char::len_utf8);
    bytes.max(least)
}
