//! Sorts lines by their beginnings. Lines that begin alike are then neighbours, so a line's neighbours determine the
//! necessary length of its quote.

use xxhash_rust::xxh3::xxh3_64;

use super::{
    lines::{LEAST_QUOTE, LineTable, NO_LINE},
    work_text::Text,
};
use crate::{
    maps::HashSet,
    markers::{MAX_QUOTE_BYTES, MIN_QUOTE_BYTES, quote_of},
    parallel::in_parts,
    restore::{Row, readings, without_indentation},
};

/// The row of a beginning that all rows of its line have.
const MANY: u32 = u32::MAX;

/// The place of a line that is not sorted, because no quote of another line matches it.
const NOWHERE: u32 = u32::MAX;

/// The beginnings of all lines that a quote could be taken for.
pub struct Beginnings {
    /// In order.
    all: Vec<Beginning>,
    /// The places of the lines' contents in it.
    places: Vec<u32>,
    /// The place in `rows` at which the rows of each line begin; one more at the end.
    starts: Vec<u32>,
    /// The rows, line after line.
    rows: Vec<u32>,
}

/// A beginning of a line.
pub struct Beginning {
    /// The line.
    pub line: u32,
    /// The only row that begins so, because it shows a number; [`MANY`] if all rows of the line do.
    row: u32,
    /// The bytes that it has in common with the beginning before it, as far as quotes reach.
    common: u8,
}

impl Beginning {
    /// Returns the only row that begins so; `None` if all rows of the line do.
    pub fn row(&self) -> Option<usize> {
        (self.row != MANY).then_some(self.row as usize)
    }
}

/// A beginning before sorting.
struct Unsorted<'t> {
    /// Its first bytes, which distinguish most beginnings.
    key: u64,
    bytes: &'t [u8],
    line: u32,
    /// The first row that begins so.
    at: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The content of a line.
    Content,
    /// The content of a line, behind a number that may be part of it.
    BehindNumber,
    /// A number and the content of a line.
    WithNumber,
}

impl<'t> Unsorted<'t> {
    fn new(bytes: &'t [u8], (line, at): (u32, u32), kind: Kind) -> Self {
        // Two lines that have more in common than a quote can hold cannot be quoted.
        let bytes = &bytes[..bytes.len().min(MAX_QUOTE_BYTES + 1)];
        let mut key = [0; 8];
        let known = bytes.len().min(key.len());
        key[..known].copy_from_slice(&bytes[..known]);
        Self { key: u64::from_be_bytes(key), bytes, line, at, kind }
    }

    fn common(&self, other: &Self) -> u8 {
        self.bytes.iter().zip(other.bytes).take_while(|(one, other)| one == other).count() as u8
    }
}

impl Beginnings {
    /// Reads the beginnings of the lines of these texts.
    pub fn read(lines: &LineTable, texts: &[Text<'_>]) -> Self {
        let (starts, rows) = rows_by_line(lines);
        let wanted = Wanted::read(lines, texts);
        let indices: Vec<usize> = (0..texts.len()).collect();
        let first = |line: u32| rows[starts[line as usize] as usize];
        let read = |index: &usize| {
            let mut found = Vec::new();
            for (row, at) in lines.rows[*index].rows.iter().zip(lines.of_text(*index)) {
                let line = lines.ids[at];
                if line != NO_LINE {
                    wanted.beginnings(
                        &texts[*index].text,
                        row,
                        (line, at as u32),
                        first(line) == at as u32,
                        &mut found,
                    );
                }
            }
            found
        };
        let found = in_parts(&indices, |index| texts[*index].text.len(), |indices| indices.iter().map(read).collect());
        let mut found: Vec<Unsorted<'_>> = found.into_iter().flatten().collect();
        // Not by the numbers of lines, which differ from run to run.
        found.sort_unstable_by(|one, other| (one.key, one.bytes, one.at).cmp(&(other.key, other.bytes, other.at)));
        let mut places = vec![NOWHERE; lines.different];
        for (place, one) in (0..).zip(&found).filter(|(_, one)| one.kind == Kind::Content) {
            places[one.line as usize] = place;
        }
        let common = std::iter::once(0).chain(found.windows(2).map(|pair| pair[1].common(&pair[0])));
        let row = |one: &Unsorted<'_>| if one.kind == Kind::WithNumber { one.at } else { MANY };
        let all = found.iter().zip(common).map(|(one, common)| Beginning { line: one.line, row: row(one), common });
        Self { all: all.collect(), places, starts, rows }
    }

    /// Returns the rows of a line, in order.
    pub fn rows(&self, line: u32) -> &[u32] {
        &self.rows[self.starts[line as usize] as usize..self.starts[line as usize + 1] as usize]
    }

    /// Returns the place of a line's content in the order; `None` if it is not sorted.
    pub fn place(&self, line: u32) -> Option<usize> {
        Some(self.places[line as usize]).filter(|place| *place != NOWHERE).map(|place| place as usize)
    }

    /// Returns the beginnings before a place, nearest first, each with the bytes that it has in common with the one
    /// nearer to the place.
    pub fn before(&self, place: usize) -> impl Iterator<Item = (usize, &Beginning)> {
        self.all[..=place].windows(2).rev().map(|pair| (usize::from(pair[1].common), &pair[0]))
    }

    /// Returns the beginnings after a place likewise.
    pub fn behind(&self, place: usize) -> impl Iterator<Item = (usize, &Beginning)> {
        self.all[place..].windows(2).map(|pair| (usize::from(pair[1].common), &pair[1]))
    }
}

/// Returns where the rows of each line begin in the list of rows, and that list.
fn rows_by_line(lines: &LineTable) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; lines.different + 2];
    let known = || lines.ids.iter().enumerate().filter(|(_, line)| **line != NO_LINE);
    known().for_each(|(_, line)| starts[*line as usize + 2] += 1);
    let mut sum = 0;
    starts.iter_mut().for_each(|start| {
        sum += *start;
        *start = sum;
    });
    let mut rows = vec![0; sum as usize];
    for (row, line) in known() {
        let next = &mut starts[*line as usize + 1];
        rows[*next as usize] = row as u32;
        *next += 1;
    }
    (starts, rows)
}

/// The beginnings of quotes of repeated lines, because only these lines are pointed to. It may take a beginning for one
/// of them wrongly: then it is sorted for nothing.
struct Wanted {
    /// Bits, by the hash of the first [`LEAST_QUOTE`] bytes.
    long: Vec<u64>,
    /// The first bytes of shorter lines.
    short: HashSet<[u8; MIN_QUOTE_BYTES]>,
}

impl Wanted {
    fn read(lines: &LineTable, texts: &[Text<'_>]) -> Self {
        let repeated = lines.repeated.iter().filter(|repeated| **repeated).count();
        let mut wanted = Self { long: vec![0; (repeated / 8).next_power_of_two()], short: HashSet::default() };
        let mut seen = vec![false; lines.different];
        for (index, text) in texts.iter().enumerate() {
            for (row, at) in lines.rows[index].rows.iter().zip(lines.of_text(index)) {
                if lines.repeated[at]
                    && !std::mem::replace(&mut seen[lines.ids[at] as usize], true)
                    && let Some(quote) = quote_of(&text.text[row.content_range()], LEAST_QUOTE)
                {
                    wanted.add(quote.as_bytes());
                }
            }
        }
        wanted
    }

    fn add(&mut self, quote: &[u8]) {
        if let Some(beginning) = quote.first_chunk::<LEAST_QUOTE>() {
            let (word, bit) = self.place(beginning);
            self.long[word] |= bit;
        } else if let Some(beginning) = quote.first_chunk::<MIN_QUOTE_BYTES>() {
            self.short.insert(*beginning);
        }
    }

    fn place(&self, beginning: &[u8; LEAST_QUOTE]) -> (usize, u64) {
        let bit = xxh3_64(beginning) as usize & (64 * self.long.len() - 1);
        (bit / 64, 1 << (bit % 64))
    }

    fn has(&self, beginning: &[u8]) -> bool {
        let is_long = beginning.first_chunk().is_some_and(|beginning| {
            let (word, bit) = self.place(beginning);
            self.long[word] & bit != 0
        });
        is_long || beginning.first_chunk().is_some_and(|beginning| self.short.contains(beginning))
    }

    /// Adds the beginnings of a row: those of its line if it is the line's first row, and the one with its number.
    fn beginnings<'t>(&self, text: &'t str, row: &Row, of: (u32, u32), is_first: bool, found: &mut Vec<Unsorted<'t>>) {
        let bytes = text.as_bytes();
        let mut add = |beginning, kind| {
            if self.has(beginning) {
                found.push(Unsorted::new(beginning, of, kind));
            }
        };
        if is_first {
            let kinds = [Kind::Content, Kind::BehindNumber];
            readings(&bytes[row.content_range()]).zip(kinds).for_each(|(beginning, kind)| add(beginning, kind));
        }
        if row.start < row.content {
            add(without_indentation(&bytes[row.range()]), Kind::WithNumber);
        }
    }
}
