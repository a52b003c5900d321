//! Decides which runs of lines become pointers, so that each line is said only once.
//!
//! The texts take turns, from the newest to the oldest or the other way round, and a line stays in the first text that has it. Once a text
//! has had its turn, it changes no more; and a pointer may lead only to lines that stay. So no pointer leads to a pointer.

use std::ops::Range;

use super::{
    dictionary::{Dictionary, Match, WINDOW},
    lines::{LineTable, NO_LINE},
    operations::{LosslessOperation, LosslessOptions},
    pointers::{Pointed, pointed_at},
    texts::Text,
};
use crate::{
    markers::{Counted, Pointer, Reference, Target},
    restore::{NO_EXCERPT, Row, TextNames, first_line},
    tokens::{Encoding, count},
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
    /// What is done.
    pub operation: LosslessOperation,
}

/// Finds the runs.
pub struct Finder<'a> {
    /// The texts.
    pub texts: &'a [Text<'a>],
    /// Their lines.
    pub lines: &'a LineTable,
    /// What the texts are called.
    pub names: &'a TextNames<'a>,
    /// What is switched on.
    pub options: &'a LosslessOptions,
    /// For counting.
    pub encoding: Encoding,
}

/// A row is noted as staying only this many rows later: a match that is found below may turn out to begin above it.
const HELD_BACK: usize = 32;

/// When to trust bytes and not count tokens. Lines with this many times more letters and digits than a pointer has bytes (and has to save
/// tokens) have more tokens than it for certain.
const CLEARLY: usize = 6;

/// A line has to be repeated this often, after it was said once, to become a pointer.
const MIN_REPEATS: usize = 3;

impl Finder<'_> {
    /// The runs of every text, in order.
    #[must_use]
    pub fn find(&self) -> Vec<Vec<Run>> {
        let mut found = vec![Vec::new(); self.texts.len()];
        let mut dictionary = Dictionary::new(self.lines);
        let protected = self.pointed_at();
        let mut turn = |text: usize| found[text] = self.text(text, &mut dictionary, &protected);
        if self.options.keep_first {
            (0..self.texts.len()).for_each(&mut turn);
        } else {
            (0..self.texts.len()).rev().for_each(&mut turn);
        }
        found
    }

    /// The rows that markers which are there already lead to. They have to stay.
    fn pointed_at(&self) -> Vec<bool> {
        let mut protected = vec![false; self.lines.ids.len()];
        for Pointed { text, rows } in pointed_at(self.texts, self.names, |text| self.lines.rows[text].has_pointers) {
            let start = self.lines.of_text(text).start;
            protected[start + rows.start..start + rows.end].fill(true);
        }
        protected
    }

    /// The runs of a text. Each pass sees the text as the one before has left it, until one finds nothing more: so whoever condenses
    /// the result finds nothing either.
    fn text(&self, text: usize, dictionary: &mut Dictionary<'_>, protected: &[bool]) -> Vec<Run> {
        let range = self.lines.of_text(text);
        let mut runs: Vec<Run> = Vec::new();
        if self.lines.may_change[range.clone()].contains(&true) {
            loop {
                let more = self.pass(text, &runs, dictionary, protected);
                if more.is_empty() {
                    break;
                }
                runs.extend(more);
                runs.sort_by_key(|run| run.rows.start);
            }
        }
        dictionary.begin(range.clone());
        let mut from = range.start;
        let ends = runs.iter().map(|run| range.start + run.rows.start..range.start + run.rows.end);
        for gap in ends.chain(std::iter::once(range.end..range.end)) {
            let mut kept = KeptRows { text: range.start, next: from, window: from, is_final: true };
            kept.up_to(gap.start, dictionary, &self.lines.rows[text].rows);
            from = gap.end;
        }
        runs
    }

    fn pass(&self, text: usize, runs: &[Run], dictionary: &mut Dictionary<'_>, protected: &[bool]) -> Vec<Run> {
        let range = self.lines.of_text(text);
        let rows = &self.lines.rows[text].rows;
        let mut found = Vec::new();
        dictionary.begin(range.clone());
        let mut kept = KeptRows { text: range.start, next: range.start, window: range.start, is_final: false };
        let mut runs = runs.iter().map(|run| range.start + run.rows.start..range.start + run.rows.end).peekable();
        let mut row = range.start;
        while row < range.end {
            let marker = match runs.next_if(|run| run.start == row) {
                Some(run) => Some(run.end),
                None => (self.lines.ids[row] == NO_LINE).then_some(row + 1),
            };
            if let Some(end) = marker {
                kept.up_to(row, dictionary, rows);
                kept.skip_to(end);
                row = end;
                continue;
            }
            if row > range.start && self.lines.zones[row] != self.lines.zones[row - 1] {
                // No run reaches up over the border of a zone.
                kept.up_to(row, dictionary, rows);
            }
            if !self.lines.may_change[row] || protected[row] {
                row += 1;
                kept.up_to(row.saturating_sub(HELD_BACK), dictionary, rows);
                continue;
            }
            let end = runs.peek().map_or(range.end, |run| run.start);
            let length = rows[row - range.start].content_range().len();
            let match_here =
                dictionary.find(row, u32::try_from(length).unwrap_or(u32::MAX), &(range.start..end), kept.next);
            let match_here = match_here.map(|found| dictionary.extended(row, found, kept.next, &range));
            let match_here = match_here.map(|(first, found)| {
                // LineTable that have to stay end the run.
                let until = (first..first + found.rows).position(|row| protected[row]).unwrap_or(found.rows);
                (first, Match { rows: until, ..found })
            });
            if let Some((first, matched)) = match_here.filter(|(_, found)| found.rows > 0)
                && let Some(run) = self.reference(text, first, matched)
            {
                kept.up_to(first, dictionary, rows);
                row = first + matched.rows;
                kept.skip_to(row);
                found.push(run);
                continue;
            }
            let same = self.repeats(row, end, protected);
            if same >= MIN_REPEATS
                && let Some(run) = self.repeat(text, row, same)
            {
                kept.up_to(row + 1, dictionary, rows);
                row += 1 + same;
                kept.skip_to(row);
                found.push(run);
                continue;
            }
            row += 1;
            kept.up_to(row.saturating_sub(HELD_BACK), dictionary, rows);
        }
        found
    }

    /// How many more times the line of this row stands right below it.
    fn repeats(&self, row: usize, end: usize, protected: &[bool]) -> usize {
        let LineTable { ids, zones, .. } = self.lines;
        let is_same = |below: &usize| ids[*below] == ids[row] && zones[*below] == zones[row] && !protected[*below];
        if ids[row] == NO_LINE { 0 } else { (row + 1..end).take_while(is_same).count() }
    }

    fn repeat(&self, text: usize, row: usize, times: usize) -> Option<Run> {
        let operation = LosslessOperation::RepeatedLines;
        if !self.options.is_on(operation) || !self.options.results {
            return None;
        }
        let start = self.lines.of_text(text).start;
        let rows = row + 1 - start..row + 1 - start + times;
        let marker = Pointer::Repeat { times: u32::try_from(times).ok()? }.to_string();
        Pointer::read(&marker)?;
        self.pays(text, &rows, &marker).then_some(Run { rows, marker, target: (text, row - start), operation })
    }

    fn reference(&self, text: usize, row: usize, found: Match) -> Option<Run> {
        let start = self.lines.of_text(text).start;
        let rows = row - start..row - start + found.rows;
        let target = self.lines.text_of(found.target);
        let target_row = found.target - self.lines.of_text(target).start;
        // Before anything is written: even the shortest marker costs something.
        if self.bytes(text, &rows) < 32 {
            return None;
        }
        let (operation, is_file) = self.operation(text, &rows, target, target_row);
        let is_on = if is_file { self.options.files } else { self.options.results };
        if !is_on || !self.options.is_on(operation) {
            return None;
        }
        let marker = self.marker(text, &rows, target, target_row)?;
        self.pays(text, &rows, &marker).then_some(Run { rows, marker, target: (target, target_row), operation })
    }

    /// What it is to replace these rows by the others, and whether it is about a file.
    fn operation(
        &self,
        text: usize,
        rows: &Range<usize>,
        target: usize,
        target_row: usize,
    ) -> (LosslessOperation, bool) {
        let part = |text: usize, rows: Range<usize>| {
            let of = &self.lines.rows[text].rows;
            self.texts[text].part(&(of[rows.start].start as usize..of[rows.end - 1].end as usize))
        };
        let from = part(text, rows.clone());
        let to = part(target, target_row..target_row + rows.len());
        let is_file = from.is_some_and(|from| from.is_file);
        let is_all = |text: usize, rows: &Range<usize>| {
            let (start, zones) = (self.lines.of_text(text).start, &self.lines.zones);
            let at = |row: usize| zones.get(start + row).copied();
            (rows.start == 0 || at(rows.start - 1) != at(rows.start)) && at(rows.end) != at(rows.start)
        };
        let operation = if is_all(text, rows) {
            if is_all(target, &(target_row..target_row + rows.len())) {
                LosslessOperation::Reference
            } else {
                LosslessOperation::Containment
            }
        } else if is_file && from.zip(to).is_some_and(|(from, to)| to.is_file && from.label == to.label) {
            LosslessOperation::Diff
        } else {
            LosslessOperation::RepeatedLines
        };
        (operation, is_file)
    }

    /// The marker that points at rows of a text.
    fn marker(&self, text: usize, rows: &Range<usize>, target: usize, target_row: usize) -> Option<String> {
        let of = &self.lines.rows[target];
        let (first, last) = (&of.rows[target_row], &of.rows[target_row + rows.len() - 1]);
        let part = |text: usize, range: Range<usize>| self.texts[text].part(&range);
        let there = part(target, first.start as usize..last.end as usize);
        let place = if target == text { Target::Above } else { Target::Text(self.names.name(target)?) };
        let outside = first.excerpt == NO_EXCERPT && !of.excerpts.is_empty();
        let label = match there {
            // What stands around a file's lines is not the file.
            Some(there) if target != text && !outside => {
                let row = &self.lines.rows[text].rows[rows.start];
                let here = part(text, row.range());
                if here.is_some_and(|here| here.is_file && there.is_file && here.label == there.label) {
                    "same file"
                } else {
                    &there.label
                }
            }
            _ => "",
        };
        let from_top =
            Reference { counted: Counted::FromTop, first: first.line + 1, last: last.line + 1, target: place, label };
        let reference = match of.excerpts.get(first.excerpt as usize) {
            Some(excerpt) => {
                let number = |line: u32| excerpt.number_of(line);
                Reference { counted: Counted::AsShown, first: number(first.line), last: number(last.line), ..from_top }
            }
            None if of.excerpts.is_empty() => Reference { counted: Counted::AsShown, ..from_top },
            None => from_top,
        };
        // Numbers may repeat in a text.
        let is_found = first_line(of, &reference) == Some(first.line);
        let marker = Pointer::Reference(if is_found { reference } else { from_top }).to_string();
        Pointer::read(&marker).is_some().then_some(marker)
    }

    /// How long the contents of the rows are, with their line feeds.
    fn bytes(&self, text: usize, rows: &Range<usize>) -> usize {
        self.lines.rows[text].rows[rows.clone()].iter().map(|row| row.content_range().len() + 1).sum()
    }

    /// How many tokens the lines must have that a pointer stands for: those of the pointer, and what it has to save.
    fn least(&self, marker: &str) -> usize {
        count(marker, self.encoding).tokens + self.options.least_saved
    }

    /// Whether a pointer saves enough tokens in the place of these rows.
    fn pays(&self, text: usize, rows: &Range<usize>, marker: &str) -> bool {
        if self.bytes(text, rows) <= marker.len() {
            return false;
        }
        let of = &self.lines.rows[text];
        let content = &self.texts[text].text;
        let words = |row: &Row| {
            content.as_bytes()[row.content_range()].iter().filter(|byte| byte.is_ascii_alphanumeric()).count()
        };
        let enough = CLEARLY * (marker.len() + self.options.least_saved);
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
                gained += count(&removed, self.encoding).tokens;
                if gained >= cost {
                    return true;
                }
                removed.clear();
            }
        }
        gained += count(&removed, self.encoding).tokens;
        gained >= cost.unwrap_or_else(|| self.least(marker))
    }
}

/// How far the rows of a text have been noted as staying.
struct KeptRows {
    /// The first row of the text.
    text: usize,
    /// The first row that is not decided.
    next: usize,
    /// The first row whose window is not in the dictionary.
    window: usize,
    /// The text has had its turn.
    is_final: bool,
}

impl KeptRows {
    /// The rows up to `end` stay.
    fn up_to(&mut self, end: usize, dictionary: &mut Dictionary<'_>, rows: &[Row]) {
        if end <= self.next {
            return;
        }
        let bytes = |row: usize| {
            let row = &rows[row - self.text];
            row.end - row.content
        };
        dictionary.keep(self.next..end, bytes, self.is_final);
        self.next = end;
        let windows = self.window..(end + 1).saturating_sub(WINDOW).max(self.window);
        self.window = windows.end;
        dictionary.keep_windows(windows, self.is_final);
    }

    /// The rows up to `row` have become a marker.
    fn skip_to(&mut self, row: usize) {
        self.next = row;
        self.window = row;
    }
}
