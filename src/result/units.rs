//! Divides a text into units that are kept or removed as a whole: lines, parts of very long lines, and blocks of lines
//! that belong together.

use std::{collections::HashMap, ops::Range};

use crate::by_hash::ByHash;

/// Maximum length of a line in bytes; longer ones are divided.
const LONG: usize = 1000;
/// Approximate size in bytes of a part of a divided line.
const PART: usize = 160;
/// Minimum length in bytes of a run without blanks that counts as data, such as base64.
const DATA: usize = 120;

/// The importance of a unit. Units of a lower rank are kept before all units of a higher rank.
pub type Rank = u8;
/// Rank of a unit that says how the call ended.
pub const ENDS: Rank = 0;
/// Rank of a unit that reports a failure.
pub const FAILURE: Rank = 1;
/// Rank of the head of a table, of a file in a diff, or of a function.
pub const HEAD: Rank = 2;
/// Rank of a unit next to a failure, plus one for each line of distance.
pub const CONTEXT: Rank = 3;
/// Rank of a unit that reports a failure, if many failures of its kind are kept.
pub const MORE_FAILURES: Rank = 99;
/// Rank of all other text.
pub const REST: Rank = 100;
/// Rank of data without meaning for a reader: base64, control characters.
pub const DATA_RANK: Rank = 101;

/// A part of a text that is kept or removed as a whole. The struct is small, because a text may have one unit for every
/// two bytes.
#[derive(Debug, Clone, Copy)]
pub struct Unit {
    /// Its first line, from 0.
    line: u32,
    /// Number of its lines, including repetitions.
    lines: u32,
    start: u32,
    end: u32,
    /// Its rank.
    pub rank: Rank,
    /// True if it is a part of a divided line.
    pub is_part: bool,
    /// True if its further lines repeat the first, so that its range contains only the first.
    is_repeated: bool,
    /// True if it reports a failure.
    pub is_failure: bool,
    /// True if a function, class, file or hunk begins with it.
    pub is_head: bool,
    /// True if it names a place in a file, in the output of a failed call.
    pub has_place: bool,
    /// True if the conversation already contains its lines, and one of [`Pointers`] points to them.
    pub is_pointer: bool,
}

/// Texts of pointers, by the first byte of the unit that each replaces.
pub type Pointers = HashMap<usize, Box<str>, ByHash>;

/// Maximum length of a text in bytes.
pub const LONGEST: usize = u32::MAX as usize;

impl Unit {
    /// Creates a unit of these lines. `range` is all of their bytes except the last line feed.
    pub fn whole(lines: Range<usize>, range: Range<usize>, rank: Rank) -> Self {
        Self {
            line: narrow(lines.start),
            lines: narrow(lines.len()),
            start: narrow(range.start),
            end: narrow(range.end),
            rank,
            is_part: false,
            is_repeated: false,
            is_failure: false,
            is_head: false,
            has_place: false,
            is_pointer: false,
        }
    }

    /// Returns its byte range, without the final line feed and without repetitions.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the number of its first line, from 0.
    pub fn line(&self) -> usize {
        self.line as usize
    }

    /// Returns the number of the line after its last one.
    pub fn end_line(&self) -> usize {
        self.line() + self.lines as usize
    }

    /// Returns the number of lines that repeat its first line.
    pub fn repeats(&self) -> usize {
        if self.is_repeated { self.lines as usize - 1 } else { 0 }
    }

    /// Returns the byte at which its last line ends.
    pub fn last_byte(&self) -> usize {
        let range = self.range();
        range.end + self.repeats() * (range.len() + 1)
    }

    /// Returns the number of bytes with which it is shown, or that its pointer has.
    pub fn bytes(&self, pointers: &Pointers) -> usize {
        let range = self.range();
        let pointer = pointers.get(&range.start).filter(|_| self.is_pointer);
        pointer.map_or(range.len(), |pointer| pointer.len()) + if self.is_repeated { 32 } else { 0 }
    }
}

/// Converts a number or position in a text, which has at most [`LONGEST`] bytes.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("longer texts have no units")
}

/// Returns the number of lines of a shown text. A line feed at the end of the text begins no further line.
pub fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!text.ends_with('\n'))
}

/// Iterates over the byte ranges of the lines of a shown text.
pub fn lines_of(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]).filter_map(move |end| {
        let line = start..end;
        start = end + 1;
        (end < text.len() || !line.is_empty() || end == 0).then_some(line)
    })
}

/// Returns true if a line begins at this byte.
pub fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

/// Returns true if a line ends at this byte.
pub fn ends_line(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_none_or(|byte| *byte == b'\n')
}

/// Returns the units of a text. Adjacent blank lines form one unit, and so do adjacent equal lines. Very long lines are
/// divided.
pub fn units_of(text: &str) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::with_capacity(most_units(text));
    let mut is_behind_blank = false;
    for (at, line) in lines_of(text).enumerate() {
        let content = &text[line.clone()];
        let is_blank = line.len() <= LONG && content.trim().is_empty();
        let goes_on_blank = is_blank && is_behind_blank;
        is_behind_blank = is_blank;
        if line.len() > LONG {
            let parts = parts(text, line);
            units.extend(parts.map(|(range, rank)| Unit { is_part: true, ..Unit::whole(at..at + 1, range, rank) }));
            continue;
        }
        match units.last_mut().filter(|unit| !unit.is_part) {
            Some(unit) if goes_on_blank => {
                unit.lines += 1;
                unit.end = narrow(line.end);
            }
            Some(unit) if text[unit.range()] == *content => {
                unit.lines += 1;
                unit.is_repeated = true;
            }
            _ => {
                let rank = if is_data(content) { DATA_RANK } else { REST };
                units.push(Unit::whole(at..at + 1, line, rank));
            }
        }
    }
    units
}

/// Returns an upper limit for the number of units of a text, usually close to their number. A vector of this capacity
/// need not grow, which would hold two copies of it in memory.
fn most_units(text: &str) -> usize {
    let mut before = None;
    let of_line = |line: Range<usize>| {
        let content = &text[line];
        let is_same = before.replace(content) == Some(content);
        if content.len() > LONG { 2 * content.len() / PART + 1 } else { usize::from(!is_same) }
    };
    lines_of(text).map(of_line).sum()
}

/// Divides a long line into parts, each ending after a blank, a comma or a similar character if there is one nearby.
fn parts(text: &str, line: Range<usize>) -> impl Iterator<Item = (Range<usize>, Rank)> + '_ {
    let mut start = line.start;
    std::iter::from_fn(move || {
        if start >= line.end {
            return None;
        }
        let mut end = (start + PART).min(line.end);
        if end < line.end {
            let near = &text.as_bytes()[start + PART / 2..end];
            let border = near.iter().rposition(|byte| matches!(byte, b' ' | b',' | b';' | b'}' | b'>' | b'\t'));
            end = border.map_or(end, |border| start + PART / 2 + border + 1);
            while !text.is_char_boundary(end) {
                end += 1;
            }
        }
        let range = start..end;
        start = end;
        let rank = if is_data(&text[range.clone()]) { DATA_RANK } else { REST };
        Some((range, rank))
    })
}

/// Returns true for base64 and similar data, and for text with many control characters or replacement characters.
fn is_data(text: &str) -> bool {
    let odd = text.chars().filter(|letter| *letter == '\u{FFFD}' || (letter.is_control() && *letter != '\t')).count();
    if odd * 5 > text.len().max(1) || odd * 8 > text.chars().count().max(1) {
        return true;
    }
    if text.len() < DATA {
        return false;
    }
    let longest = text
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '=' | '-' | '_' | '\\')))
        .map(str::len)
        .max();
    longest.is_some_and(|longest| longest >= DATA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::screen::Screen;

    fn units(text: &str) -> Vec<Unit> {
        units_of(&Screen::show(text).text)
    }

    #[test]
    fn repeated_lines_are_one_unit_and_long_lines_are_many() {
        let found = units("a\na\na\n\n\nb\n");
        assert_eq!(
            found.iter().map(|unit| (unit.line(), unit.repeats())).collect::<Vec<_>>(),
            [(0, 2), (3, 0), (5, 0)]
        );
        assert_eq!((found[1].end_line(), found[0].last_byte()), (5, 5));
        let long = "word, ".repeat(1000);
        let found = units(&long);
        assert!(found.len() > 30 && found.iter().all(|unit| unit.is_part && unit.rank == REST));
        assert_eq!(found.iter().map(|unit| unit.range().len()).sum::<usize>(), long.len());
    }

    #[test]
    fn base64_and_bytes_are_data() {
        assert!(units(&"QUJD".repeat(1000)).iter().filter(|unit| unit.rank == DATA_RANK).count() > 20);
        assert_eq!(units("\u{FFFD}\u{1}\u{FFFD}ELF")[0].rank, DATA_RANK);
        assert_eq!(units("")[0].range(), 0..0);
    }
}
