//! A run of lines that may become a pointer, and whether that pays.

use std::ops::Range;

use super::{
    beginnings::Beginnings,
    lines::{LEAST_QUOTE, LineTable},
    operations::{LosslessConfig, LosslessOperation},
    work_text::Text,
};
use crate::{
    markers::{Direction, Pointer, Reference, quote_of},
    restore::{Row, RowsOf},
    tokens::{Encoding, count_inside},
};

/// Rows of one text that become a pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The rows, as indices in their text.
    pub rows: Range<usize>,
    /// The marker that replaces them.
    pub marker: String,
    /// The text that contains the kept lines, and the first of their rows there.
    pub target: (usize, usize),
    /// True if one line of the target represents all of the rows.
    pub repeats: bool,
    /// The operation.
    pub operation: LosslessOperation,
}

impl Run {
    /// Creates a run that becomes a pointer with this quote.
    pub fn reference(
        text: usize,
        rows: Range<usize>,
        target: (usize, usize),
        quote: &str,
        operation: LosslessOperation,
    ) -> Self {
        let direction = if target < (text, rows.start) { Direction::Above } else { Direction::Below };
        let lines = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let marker = Pointer::Reference(Reference { lines, direction, quote }).to_string();
        Self { rows, marker, target, repeats: false, operation }
    }

    /// Returns the rows it points to, as indices in their text.
    pub const fn target_rows(&self) -> Range<usize> {
        let first = self.target.1;
        first..first + if self.repeats { 1 } else { self.rows.end - self.rows.start }
    }
}

/// Finds runs.
pub struct Finder<'a> {
    /// The texts.
    pub texts: &'a [Text<'a>],
    /// Their lines.
    pub lines: &'a LineTable,
    /// The beginnings of those.
    pub beginnings: &'a Beginnings,
    /// The targets of the pointers that exist already.
    pub pointed_at: &'a [RowsOf],
    /// The operations that are switched on.
    pub options: &'a LosslessConfig,
    /// For counting.
    pub encoding: Encoding,
}

/// If lines have this many times more letters and digits than a pointer has bytes (plus the tokens it must save),
/// they have more tokens for certain, and need not be counted.
const CLEARLY: usize = 6;

/// Maximum number of lines, such as brackets and blank lines, that are kept at the start of a run because they cannot
/// be quoted. Below them, the run is searched for again.
pub const MAX_SKIPPED: usize = 16;

impl Finder<'_> {
    /// Returns the first row of a run that can be quoted, skipping at most `most_skipped`, with a quote by which it
    /// is found unless other lines begin the same.
    pub fn first_quote(&self, text: usize, rows: Range<usize>, most_skipped: usize) -> Option<(usize, &str)> {
        let rows = self.lines.rows[text].rows[rows].iter().enumerate().take(most_skipped.saturating_add(1));
        let quotes =
            rows.map(|(at, row)| Some((at, quote_of(&self.texts[text].text[row.content_range()], LEAST_QUOTE)?)));
        quotes.flatten().next()
    }

    /// Returns the bytes of the rows' contents, with their line feeds.
    pub fn bytes(&self, text: usize, rows: &Range<usize>) -> usize {
        self.lines.rows[text].rows[rows.clone()].iter().map(|row| row.content_range().len() + 1).sum()
    }

    /// Returns the minimum tokens of lines that a pointer may replace: those of the pointer, plus what it must save.
    fn least(&self, marker: &str) -> usize {
        count_inside(marker, self.encoding).tokens + self.options.min_tokens_saved
    }

    /// Returns true if a pointer in place of these rows saves enough tokens.
    pub fn pays(&self, text: usize, rows: &Range<usize>, marker: &str) -> bool {
        if self.bytes(text, rows) <= marker.len() {
            return false;
        }
        let of = &self.lines.rows[text];
        let content = &self.texts[text].text;
        let words = |row: &Row| {
            content.as_bytes()[row.content_range()].iter().filter(|byte| byte.is_ascii_alphanumeric()).count()
        };
        let enough = CLEARLY * (marker.len() + self.options.min_tokens_saved);
        let mut seen = 0;
        let is_clear = of.rows[rows.clone()].iter().take(enough / 4).any(|row| {
            seen += words(row).min(enough / 8);
            seen > enough
        });
        if is_clear {
            return true;
        }
        let mut cost = None;
        let mut removed = String::new();
        let mut gained = 0;
        for row in &of.rows[rows.clone()] {
            removed.push_str(&content[row.content_range()]);
            removed.push('\n');
            // Once the first lines have enough tokens, the others need not be counted.
            if removed.len() > 4 * marker.len() {
                let cost = *cost.get_or_insert_with(|| self.least(marker));
                gained += count_inside(&removed, self.encoding).tokens;
                if gained >= cost {
                    return true;
                }
                removed.clear();
            }
        }
        gained += count_inside(&removed, self.encoding).tokens;
        gained >= cost.unwrap_or_else(|| self.least(marker))
    }
}
