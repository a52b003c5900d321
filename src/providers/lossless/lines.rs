//! Numbers the lines of a conversation by content: equal lines have equal numbers.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use xxhash_rust::xxh3::xxh3_64;

use super::work_text::Text;
use crate::{
    by_hash::ByHash,
    markers::LeftOut,
    parallel::in_parts_beside,
    restore::{NO_EXCERPT, Row, RowKind, Rows},
};

/// The number of rows that are not lines: pointers, and markers of replaced state.
pub const NO_LINE: u32 = u32::MAX;

/// Minimum bytes of a quote, if its line is that long. Shorter quotes are likely to occur elsewhere, too, and a reader
/// would not recognise the line.
pub const LEAST_QUOTE: usize = 20;

/// The numbered lines of some texts. Numbering is the largest part of the time to build a [`LineTable`].
pub struct KnownLines<'t> {
    texts: Vec<TextLines<'t>>,
    numbers: LineNumbers<'t>,
}

/// The rows of a text, and the number of each row's content.
struct TextLines<'t> {
    text: &'t str,
    rows: Rows,
    ids: Vec<u32>,
}

impl<'t> KnownLines<'t> {
    /// Reads the lines of texts on other threads, while this thread first calls `first`.
    pub fn read_beside<F>(texts: &'t [&'t str], first: impl FnOnce() -> F) -> (F, Self) {
        let numbers = Mutex::new(LineNumbers::default());
        let read = |text: &&'t str| TextLines::read(text, &numbers);
        let (first, texts) = in_parts_beside(texts, |text| text.len(), |texts| texts.iter().map(read).collect(), first);
        (first, Self { texts, numbers: numbers.into_inner().unwrap_or_else(PoisonError::into_inner) })
    }
}

impl<'t> TextLines<'t> {
    fn read(text: &'t str, numbers: &Mutex<LineNumbers<'t>>) -> Self {
        let rows = Rows::read(text);
        let content = |row: &Row| &text.as_bytes()[row.content_range()];
        let hashes: Vec<u64> = rows.rows.iter().map(|row| xxh3_64(content(row))).collect();
        let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let id = |(row, hash): (&Row, u64)| {
            // Only ordinary lines get a number: pointers and markers of replaced state represent other content.
            let is_line = row.kind == RowKind::Line && LeftOut::read(&text[row.content_range()]).is_none();
            if is_line { numbers.id(content(row), hash) } else { NO_LINE }
        };
        let ids = rows.rows.iter().zip(hashes).map(id).collect();
        Self { text, rows, ids }
    }
}

/// The rows of all texts, concatenated.
pub struct LineTable {
    /// The rows of each text.
    pub rows: Vec<Arc<Rows>>,
    /// The index of the first row of each text in the lists below; one more entry at the end.
    starts: Vec<usize>,
    /// The number of each row's content; [`NO_LINE`] for markers.
    pub ids: Vec<u32>,
    /// Number of different lines.
    pub different: usize,
    /// The zone of each row. Zones end where a text, an excerpt or a part ends, and runs never cross their boundaries.
    pub zones: Vec<u32>,
    /// For each row, true if it may be changed.
    pub may_change: Vec<bool>,
    /// For each row, true if its line occurs more than once. Most lines do not, and are skipped.
    pub repeated: Vec<bool>,
}

impl LineTable {
    /// Reads the lines of texts. `known` contains the original lines, before anything was left out.
    pub fn read<'t>(texts: &'t [Text<'_>], known: KnownLines<'t>) -> Self {
        let numbers = Mutex::new(known.numbers);
        let read = texts.iter().zip(known.texts).map(|(text, known)| {
            let is_same = std::ptr::eq(known.text, &raw const *text.text);
            let TextLines { rows, ids, .. } = if is_same { known } else { TextLines::read(&text.text, &numbers) };
            (rows, ids)
        });
        let (rows, ids): (Vec<Rows>, Vec<Vec<u32>>) = read.unzip();
        let count = rows.iter().map(|rows| rows.rows.len()).sum();
        let mut lines = Self {
            rows: Vec::new(),
            starts: Vec::with_capacity(texts.len() + 1),
            ids: ids.concat(),
            different: 0,
            zones: Vec::with_capacity(count),
            may_change: Vec::with_capacity(count),
            repeated: Vec::new(),
        };
        let mut zone = 0;
        for (text, rows) in texts.iter().zip(&rows) {
            lines.starts.push(lines.zones.len());
            let mut parts = text.may_change.iter().peekable();
            let mut excerpt = NO_EXCERPT;
            let mut part_before = None;
            zone += 1;
            for row in &rows.rows {
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
                let is_line = lines.ids[lines.zones.len()] != NO_LINE;
                lines.zones.push(zone);
                lines.may_change.push(is_line && part.is_some());
            }
        }
        lines.starts.push(lines.zones.len());
        lines.rows = rows.into_iter().map(Arc::new).collect();
        lines.different = numbers.into_inner().unwrap_or_else(PoisonError::into_inner).next as usize;
        lines.repeated = lines.repeated();
        lines
    }

    fn repeated(&self) -> Vec<bool> {
        let mut seen = vec![Seen::Never; self.different];
        for id in self.ids.iter().filter(|id| **id != NO_LINE) {
            let seen = &mut seen[*id as usize];
            *seen = if *seen == Seen::Never { Seen::Once } else { Seen::Again };
        }
        self.ids.iter().map(|id| seen.get(*id as usize) == Some(&Seen::Again)).collect()
    }

    /// Returns the indices of a text's rows in the lists.
    pub fn of_text(&self, text: usize) -> Range<usize> {
        self.starts[text]..self.starts[text + 1]
    }

    /// Returns the indices of some rows of a text in the lists.
    pub fn of_rows(&self, text: usize, rows: &Range<usize>) -> Range<usize> {
        let start = self.starts[text];
        start + rows.start..start + rows.end
    }

    /// Returns the text to which an index in the lists belongs.
    pub fn text_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Never,
    Once,
    Again,
}

/// Assigns numbers to lines. The numbers have no meaning except that different lines have different numbers.
#[derive(Default)]
struct LineNumbers<'a> {
    known: HashMap<u64, (&'a [u8], u32), ByHash>,
    next: u32,
}

impl<'a> LineNumbers<'a> {
    fn id(&mut self, line: &'a [u8], hash: u64) -> u32 {
        let (known, id) = *self.known.entry(hash).or_insert((line, self.next));
        // Equal hashes do not prove equality. A collision is so rare that the second line is simply treated as unique.
        let id = if known == line { id } else { self.next };
        self.next += u32::from(id == self.next);
        id
    }
}
