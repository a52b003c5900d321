//! Every line of a conversation with a number for its content: equal lines have equal numbers.

use std::{collections::HashMap, ops::Range, sync::Arc};

use xxhash_rust::xxh3::xxh3_128;

use super::texts::Text;
use crate::{
    by_hash::ByHash,
    markers::{LeftOut, MIN_QUOTE_BYTES},
    parallel::in_parts,
    restore::{NO_EXCERPT, Row, RowKind, Rows, readings},
};

/// What no line has: its row is a pointer, or stands for state that was left out.
pub const NO_LINE: u32 = u32::MAX;

/// The rows of all texts, one after the other.
pub struct LineTable {
    /// The rows of each text.
    pub rows: Vec<Arc<Rows>>,
    /// Where the rows of each text begin in the lists below; one more at the end.
    starts: Vec<usize>,
    /// The content of each row; [`NO_LINE`] for markers.
    pub ids: Vec<u32>,
    /// Which zone each row lies in. Runs do not cross the border of a zone: it is that of a text, an excerpt or a part.
    pub zones: Vec<u32>,
    /// Whether each row may be changed.
    pub may_change: Vec<bool>,
    /// For each text, hashes of what its rows begin with, each with the row in it. In order.
    pub beginnings: Vec<Vec<(u32, u32)>>,
}

impl LineTable {
    /// Of these texts.
    #[must_use]
    pub fn read(texts: &[Text<'_>]) -> Self {
        // Hashing is most of what it takes to tell lines apart.
        let read = |text: &Text<'_>| {
            let rows = Rows::read(&text.text);
            let hashes = rows.rows.iter().map(|row| hash(&text.text.as_bytes()[row.content_range()]));
            let hashes: Vec<u64> = hashes.collect();
            let beginnings = beginnings(&text.text, &rows);
            ((rows, hashes), beginnings)
        };
        let (read, beginnings): (Vec<(Rows, Vec<u64>)>, Vec<_>) =
            in_parts(texts, |text| text.text.len(), |texts| texts.iter().map(read).collect()).into_iter().unzip();
        let (rows, hashes): (Vec<Rows>, Vec<Vec<u64>>) = read.into_iter().unzip();
        let count = rows.iter().map(|rows| rows.rows.len()).sum();
        let mut lines = Self {
            rows: Vec::new(),
            starts: Vec::with_capacity(texts.len() + 1),
            ids: Vec::with_capacity(count),
            zones: Vec::with_capacity(count),
            may_change: Vec::with_capacity(count),
            beginnings,
        };
        let mut interner = Interner::default();
        interner.known.reserve(count / 2);
        let mut zone = 0;
        for ((text, rows), hashes) in texts.iter().zip(&rows).zip(hashes) {
            lines.starts.push(lines.ids.len());
            let mut parts = text.may_change.iter().peekable();
            let mut excerpt = NO_EXCERPT;
            let mut part_before = None;
            zone += 1;
            for (row, hash) in rows.rows.iter().zip(hashes) {
                let range = row.range();
                while parts
                    .next_if(|part| part.end < range.end || (part.end <= range.start && !range.is_empty()))
                    .is_some()
                {}
                let part = parts.peek().filter(|part| part.start <= range.start).map(|part| part.start);
                if row.excerpt != excerpt || part != part_before {
                    zone += 1;
                    (excerpt, part_before) = (row.excerpt, part);
                }
                // Of state that was left out nobody knows how many lines it had: what a pointer stands for can be counted.
                let is_line = row.kind == RowKind::Line && LeftOut::read(&text.text[row.content_range()]).is_none();
                let id = if is_line { interner.id(&text.text.as_bytes()[row.content_range()], hash) } else { NO_LINE };
                lines.ids.push(id);
                lines.zones.push(zone);
                lines.may_change.push(is_line && part.is_some());
            }
        }
        lines.starts.push(lines.ids.len());
        lines.rows = rows.into_iter().map(Arc::new).collect();
        lines
    }

    /// Where the rows of a text stand in the lists.
    #[must_use]
    pub fn of_text(&self, text: usize) -> Range<usize> {
        self.starts[text]..self.starts[text + 1]
    }

    /// The text that a place in the lists belongs to.
    #[must_use]
    pub fn text_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }
}

/// What a row can be taken to begin with, whether its number stays or not.
pub fn row_readings<'t>(text: &'t str, row: &Row) -> impl Iterator<Item = &'t [u8]> {
    let bytes = text.as_bytes();
    let without_number = (row.excerpt != NO_EXCERPT).then(|| readings(&bytes[row.content_range()]));
    readings(&bytes[row.range()]).chain(without_number.into_iter().flatten())
}

/// A hash of the first bytes of what can be quoted.
pub fn beginning(reading: &[u8]) -> Option<u32> {
    let first: &[u8; MIN_QUOTE_BYTES] = reading.first_chunk()?;
    let mixed = u32::from_le_bytes(*first).wrapping_mul(0x9E37_79B1);
    Some(mixed ^ (mixed >> 15))
}

fn beginnings(text: &str, rows: &Rows) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::with_capacity(rows.rows.len());
    for (index, row) in (0..).zip(&rows.rows).filter(|(_, row)| row.kind == RowKind::Line) {
        found.extend(row_readings(text, row).filter_map(beginning).map(|beginning| (beginning, index)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn hash(line: &[u8]) -> u64 {
    xxh3_128(line) as u64
}

/// Numbers for lines.
#[derive(Default)]
struct Interner<'a> {
    known: HashMap<u64, (&'a [u8], u32), ByHash>,
    next: u32,
}

impl<'a> Interner<'a> {
    fn id(&mut self, line: &'a [u8], hash: u64) -> u32 {
        let (known, id) = *self.known.entry(hash).or_insert_with(|| {
            self.next += 1;
            (line, self.next)
        });
        if known == line {
            return id;
        }
        // Equal hashes are no proof; two such lines are so rare that the second simply equals no other.
        self.next += 1;
        self.next
    }
}
