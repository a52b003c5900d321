//! A run of lines that may become a pointer: what it becomes, and whether that pays.

use std::ops::Range;

use super::{
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
    /// The rows, counted in their text.
    pub rows: Range<usize>,
    /// The marker.
    pub marker: String,
    /// The text with the lines that stay, and the first of their rows there.
    pub target: (usize, usize),
    /// One line of the target stands for all of the rows.
    pub repeats: bool,
    /// What is done.
    pub operation: LosslessOperation,
}

impl Run {
    /// Rows of a text that become a pointer with this quote.
    #[must_use]
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

    /// The rows it leads to, counted in their text.
    #[must_use]
    pub const fn target_rows(&self) -> Range<usize> {
        let first = self.target.1;
        first..first + if self.repeats { 1 } else { self.rows.end - self.rows.start }
    }
}

/// Finds the runs.
pub struct Finder<'a> {
    /// The texts.
    pub texts: &'a [Text<'a>],
    /// Their lines.
    pub lines: &'a LineTable,
    /// What the pointers that are there already lead to.
    pub pointed_at: &'a [RowsOf],
    /// What is switched on.
    pub options: &'a LosslessConfig,
    /// For counting.
    pub encoding: Encoding,
}

/// When to trust bytes and not count tokens. Lines with this many times more letters and digits than a pointer has bytes (and has to save
/// tokens) have more tokens than it for certain.
const CLEARLY: usize = 6;

/// Of a run that was found, so many lines at the beginning may stay where they are because they cannot be quoted: brackets, blank lines. Below them
/// it is found again.
pub const MAX_SKIPPED: usize = 16;

impl Finder<'_> {
    /// The first row of a run, behind so many at most, that can be quoted, and a quote that it can be found by unless others begin like it.
    pub fn first_quote(&self, text: usize, rows: Range<usize>, most_skipped: usize) -> Option<(usize, &str)> {
        let rows = self.lines.rows[text].rows[rows].iter().enumerate().take(most_skipped.saturating_add(1));
        let quotes =
            rows.map(|(at, row)| Some((at, quote_of(&self.texts[text].text[row.content_range()], LEAST_QUOTE)?)));
        quotes.flatten().next()
    }

    /// How long the contents of the rows are, with their line feeds.
    pub fn bytes(&self, text: usize, rows: &Range<usize>) -> usize {
        self.lines.rows[text].rows[rows.clone()].iter().map(|row| row.content_range().len() + 1).sum()
    }

    /// How many tokens the lines must have that a pointer stands for: those of the pointer, and what it has to save.
    fn least(&self, marker: &str) -> usize {
        count_inside(marker, self.encoding).tokens + self.options.min_tokens_saved
    }

    /// Whether a pointer saves enough tokens in the place of these rows.
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
            // As soon as the first lines have enough tokens, the others need not be counted.
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
