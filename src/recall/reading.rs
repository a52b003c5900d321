//! Lines of one entry.

use serde::Serialize;

use super::{
    answer::{boundary, tokens},
    index::{RecallIndex, Within},
};

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
}

impl RecallIndex {
    /// Lines of the entry of a key; nothing if there is none.
    pub fn read(&self, key: &str, options: &ReadOptions) -> Option<ReadText> {
        let at = self.entry(key, &options.within)?;
        let entry = &self.entries[at as usize];
        let place = self.place(at, &options.within)?;
        let LineRange { first, skip, last } = options.lines;
        let all: Vec<&str> = entry.text.split('\n').collect();
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
        })
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
