//! Lines of one entry.

use serde::Serialize;

use super::{
    answer::{Named, boundary, tokens},
    index::{Place, RecallIndex, Within},
};
use crate::conversation::NumberStyle;

/// Bytes for each token that are looked at, so that a text of megabytes is not counted for an answer of a thousand tokens.
const MAX_BYTES_PER_TOKEN: usize = 16;

/// Which lines are read, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first.
    pub first: usize,
    /// Bytes of the first line that are left out.
    pub skip: usize,
    /// The last; as many as fit if it is not said.
    pub last: Option<usize>,
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Which lines.
    pub lines: LineRange,
    /// Tokens of the lines at most.
    pub max_tokens: usize,
    /// Where to look.
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
    /// The lines, exactly.
    pub text: String,
    /// The first line of them, from 1.
    pub first: usize,
    /// The last.
    pub last: usize,
    /// Lines of the entry.
    pub total: usize,
    /// Where to read on, as `lines` takes it; nothing if the entry ends here or the last line that was asked for is there.
    pub next: Option<String>,
    /// The entry that last changed the file that this one is about, if that came later.
    pub changed_since: Option<String>,
    /// The entry before this one in the conversation.
    pub before: Option<Named>,
    /// The entry behind it.
    pub after: Option<Named>,
}

impl RecallIndex {
    /// Lines of the entry of a key; nothing if there is none.
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
                // One line that is longer than the answer is read in parts.
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
    /// The entry of another slot of the conversation of a place.
    fn neighbour(&self, place: Place, slot: u32) -> Option<Named> {
        let slots = &self.conversations[place.conversation as usize].slots;
        slots.get(slot as usize).map(|slot| self.named(slot.entry))
    }
}

/// The lines of an entry that shows numbered lines of a file, where they were asked for by those numbers: they are beyond the entry's own, and stand in it.
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

/// Tokens of a line; more than `limit` where it is too long to be counted.
fn cost(line: &str, limit: usize) -> usize {
    if line.len() > limit * MAX_BYTES_PER_TOKEN { usize::MAX - 1 } else { tokens(line) }
}

/// How many bytes of a line have so many tokens, about; at least one character.
fn part_of(line: &str, limit: usize) -> usize {
    let mut bytes = boundary(line, limit * MAX_BYTES_PER_TOKEN);
    while bytes > 0 && tokens(&line[..bytes]) > limit {
        bytes = boundary(line, bytes * 3 / 4);
    }
    let least = line.chars().next().map_or(0, char::len_utf8);
    bytes.max(least)
}
