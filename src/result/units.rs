//! A text as units that stay or go: lines, parts of very long lines, and blocks of lines that belong together.

use std::{collections::HashMap, ops::Range};

use crate::by_hash::ByHash;

/// Longer lines, in bytes, are divided.
const LONG: usize = 1000;
/// A part of them has about so many bytes.
const PART: usize = 160;
/// A row of so many bytes without a blank is data, such as base64.
const DATA: usize = 120;

/// The importance of a unit: those of a smaller rank stay before all others.
pub type Rank = u8;
/// Says how the call ended.
pub const ENDS: Rank = 0;
/// Reports a failure.
pub const FAILURE: Rank = 1;
/// The head of a table, of a file in a diff, of a function.
pub const HEAD: Rank = 2;
/// Stands around a failure: one more for each line of distance.
pub const CONTEXT: Rank = 3;
/// Reports a failure of a kind of which many others stay.
pub const MORE_FAILURES: Rank = 99;
/// Anything else.
pub const REST: Rank = 100;
/// Says nothing: base64, control characters.
pub const DATA_RANK: Rank = 101;

/// Something that stays or goes as one. Small, because a text may have one for every two bytes.
#[derive(Debug, Clone, Copy)]
pub struct Unit {
    /// Its first line, from 0.
    line: u32,
    /// Its lines, with those that repeat it.
    lines: u32,
    start: u32,
    end: u32,
    /// Its rank.
    pub rank: Rank,
    /// It is a part of a line: neither its beginning nor its end need be the line's.
    pub is_part: bool,
    /// It is its first line alone: the lines behind that are the same.
    is_repeated: bool,
    /// It reports a failure.
    pub is_failure: bool,
    /// A function, class, file or hunk begins with it.
    pub is_head: bool,
    /// It names a place in a file, in the output of a call that failed.
    pub has_place: bool,
    /// Its lines stand in the conversation already, and one of [`Pointers`] leads there.
    pub is_pointer: bool,
}

/// Texts of pointers, by where the unit begins that they are written for.
pub type Pointers = HashMap<usize, Box<str>, ByHash>;

/// The length of the longest text that has units.
pub const LONGEST: usize = u32::MAX as usize;

impl Unit {
    /// A unit of these lines, with these bytes: all of them without the line feed at the end.
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

    /// Its bytes, without the line feed at its end, and without the lines that repeat it.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The number of its first line, from 0.
    pub fn line(&self) -> usize {
        self.line as usize
    }

    /// The number of the line after its last.
    pub fn end_line(&self) -> usize {
        self.line() + self.lines as usize
    }

    /// The number of lines behind its first that are the same and are not units.
    pub fn repeats(&self) -> usize {
        if self.is_repeated { self.lines as usize - 1 } else { 0 }
    }

    /// The byte at which its last line ends.
    pub fn last_byte(&self) -> usize {
        let range = self.range();
        range.end + self.repeats() * (range.len() + 1)
    }

    /// The bytes that it is shown with.
    pub fn bytes(&self, pointers: &Pointers) -> usize {
        let range = self.range();
        let pointer = pointers.get(&range.start).filter(|_| self.is_pointer);
        pointer.map_or(range.len(), |pointer| pointer.len()) + if self.is_repeated { 32 } else { 0 }
    }
}

/// A number of a text that is at most [`LONGEST`].
fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("longer texts have no units")
}

/// The number of lines of a shown text. The line feed at the end of the text begins no line.
pub fn count_lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!text.ends_with('\n'))
}

/// The lines of a shown text, by their bytes.
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

/// A unit for each line, for each part of a very long one, and for blank lines in a row. Of equal lines in a row, the first.
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

/// The most units that a text can have, seldom many more than it has: a list that grows is there twice.
fn most_units(text: &str) -> usize {
    let mut before = None;
    let of_line = |line: Range<usize>| {
        let content = &text[line];
        let is_same = before.replace(content) == Some(content);
        if content.len() > LONG { 2 * content.len() / PART + 1 } else { usize::from(!is_same) }
    };
    lines_of(text).map(of_line).sum()
}

/// The parts of a long line: each ends behind a blank, a comma or the like where there is one near.
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

/// Returns true for base64 and the like, and for what consists of controls and stand-ins of bytes that are no text.
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
