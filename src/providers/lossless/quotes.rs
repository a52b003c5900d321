//! Chooses the quotes of pointers. A quote is as much of a line's beginning as is needed for this line to be the
//! nearest one, seen from the pointer, that begins with it.

use std::ops::Range;

use super::{
    beginnings::Beginning,
    lines::{LineTable, NO_LINE},
    run::{Finder, Run},
};
use crate::markers::quote_of;

/// Maximum number of neighbours in the sorted lines to compare on each side of a quoted line. If more lines begin
/// alike, the quote is made long enough to differ from the rest, even if none is between pointer and target. This keeps
/// the time linear for a million of such lines.
const MAX_ALIKE: usize = 1000;

/// Maximum number of occurrences of one line to examine in the text of a pointer.
const MAX_ROWS: usize = 16_000;

/// Maximum number of neighbours to compare for one run. Each line of the run is tried until one can be quoted; after
/// this many comparisons, the rest of the run is kept.
const MAX_LOOKS: usize = 200 * MAX_ALIKE;

/// Gives runs their quotes, text by text. A run whose first line cannot be quoted begins at a later line, or is
/// removed.
pub struct Chooser<'f, 'a> {
    finder: &'f Finder<'a>,
    /// For each row, true if it becomes part of a pointer.
    leaves: Vec<bool>,
    /// For each line, its nearest row that is kept in the finished texts. Texts are finished in order, so the last such
    /// row is the nearest to all later texts.
    nearest: Vec<u32>,
}

/// Marks a line without a row.
const NONE: u32 = u32::MAX;

/// The rows in which a reader of a pointer looks for its quote.
struct Way {
    /// The rows between pointer and target. Only rows of the pointer's text and of finished texts count.
    rows: Range<usize>,
    /// The rows of the pointer's text.
    here: Range<usize>,
    is_up: bool,
}

/// The result of looking for a quote of a line.
enum Found<'q> {
    /// The quote resolves to row `target`, where the next `lines` lines are those of the run.
    By { quote: &'q str, target: usize, lines: usize },
    /// The line cannot be quoted.
    No,
}

impl<'f, 'a> Chooser<'f, 'a> {
    /// Creates a chooser for which no text is finished.
    pub fn new(finder: &'f Finder<'a>) -> Self {
        let lines = finder.lines;
        Self { finder, leaves: vec![false; lines.ids.len()], nearest: vec![NONE; lines.different] }
    }

    /// Marks a text as finished.
    pub fn finish(&mut self, text: usize) {
        let Self { finder, leaves, nearest } = self;
        let mut add = |row: usize| {
            let line = finder.lines.ids[row];
            if !leaves[row] && line != NO_LINE {
                nearest[line as usize] = row as u32;
            }
        };
        let rows = finder.lines.of_text(text);
        if finder.options.keeps_first() { rows.for_each(&mut add) } else { rows.rev().for_each(&mut add) }
    }

    /// Chooses the quotes in the next text.
    pub fn choose(&mut self, text: usize, runs: &mut Vec<Run>) {
        let range = self.finder.lines.of_text(text);
        self.leaves[range.clone()].fill(false);
        self.choose_again(text, runs);
    }

    fn choose_again(&mut self, text: usize, runs: &mut Vec<Run>) {
        for run in &*runs {
            self.leaves[self.finder.lines.of_rows(text, &run.rows)].fill(true);
        }
        // A line that is now kept may begin like the quote of a pointer whose target is further away.
        while self.choose_once(text, runs) {}
    }

    /// Returns true if a row is not part of a pointer, as far as texts are finished.
    pub fn stays(&self, row: usize) -> bool {
        !self.leaves[row]
    }

    /// Chooses quotes for another run of the current text, or for parts of the run.
    pub fn choose_more(&mut self, text: usize, run: Run) -> Vec<Run> {
        let mut runs = vec![run];
        self.choose_again(text, &mut runs);
        runs
    }

    /// Returns true if another run of a finished text, or a part of it, could be quoted.
    pub fn could_quote(&mut self, text: usize, run: Run) -> bool {
        let rows = self.finder.lines.of_rows(text, &run.rows);
        let mut runs = vec![run];
        self.choose_again(text, &mut runs);
        self.leaves[rows].fill(false);
        !runs.is_empty()
    }

    /// Quotes each run once. Returns true if lines are kept that were to become pointers.
    fn choose_once(&mut self, text: usize, runs: &mut Vec<Run>) -> bool {
        let start = self.finder.lines.of_text(text).start;
        let mut stays = false;
        let mut chosen = Vec::with_capacity(runs.len());
        for run in runs.drain(..) {
            if run.repeats {
                chosen.push(run);
                continue;
            }
            let known = chosen.len();
            self.quoted(text, &run, &mut chosen);
            let mut next = run.rows.start;
            let ends = chosen[known..].iter().map(|run| run.rows.clone());
            for rows in ends.chain(std::iter::once(run.rows.end..run.rows.end)) {
                stays |= next < rows.start;
                self.leaves[start + next..start + rows.start].fill(false);
                next = rows.end;
            }
        }
        *runs = chosen;
        stays
    }

    /// Adds a run with its quote to `chosen`. The run loses first lines that cannot be quoted, and is divided if the
    /// quote resolves to a nearer row with fewer of its lines.
    fn quoted(&self, text: usize, run: &Run, chosen: &mut Vec<Run>) {
        let mut rest = run.clone();
        let mut looks = MAX_LOOKS;
        while let Some(first) = self.finder.first_quote(text, rest.rows.clone(), usize::MAX) {
            let skipped = first.0;
            let lines = match self.found(text, &rest, first, &mut looks) {
                Found::By { quote, target, lines } => {
                    let there = self.finder.lines.text_of(target);
                    let row = target - self.finder.lines.of_text(there).start;
                    let rows = rest.rows.start + skipped..rest.rows.start + skipped + lines;
                    let quoted = Run::reference(text, rows, (there, row), quote, rest.operation);
                    // An unchanged run is known to pay, and most runs are unchanged.
                    if quoted == *run || self.finder.pays(text, &quoted.rows, &quoted.marker) {
                        chosen.push(quoted);
                    }
                    lines
                }
                Found::No => 1,
            };
            let done = skipped + lines;
            if done >= rest.rows.len() || looks == 0 {
                return;
            }
            rest.rows.start += done;
            rest.target.1 += done;
        }
    }

    /// Looks for a quote of row `skipped` of a run, whose shortest quote is `quote`, with at most `looks` comparisons.
    fn found<'q>(&'q self, text: usize, run: &Run, (skipped, quote): (usize, &'q str), looks: &mut usize) -> Found<'q> {
        let Finder { texts, lines, beginnings, .. } = self.finder;
        let here = lines.of_text(text);
        let from = here.start + run.rows.start + skipped;
        let target = lines.of_text(run.target.0).start + run.target.1 + skipped;
        let is_up = target < from;
        let mut way = Way { rows: if is_up { 0..from } else { from + 1..lines.ids.len() }, here, is_up };
        let line = lines.ids[from];
        let Some(place) = self.first_met(line, &way) else { return Found::No };
        way.rows = if is_up { place + 1..from } else { from + 1..place };
        let Some(in_order) = beginnings.place(line) else { return Found::No };
        let common = self.most_in_common(beginnings.before(in_order), quote.len(), &way, looks);
        let common = common.max(self.most_in_common(beginnings.behind(in_order), quote.len(), &way, looks));
        let longer = || {
            let row = &lines.rows[text].rows[run.rows.start + skipped];
            quote_of(&texts[text].text[row.content_range()], common + 1).filter(|quote| quote.len() > common)
        };
        let Some(quote) = (if common == 0 { Some(quote) } else { longer() }) else { return Found::No };
        let length = run.rows.len() - skipped;
        Found::By {
            quote,
            target: place,
            lines: if place == target { length } else { self.common(from, place, length) },
        }
    }

    /// Returns the longest common beginning, in bytes, of a line and any line between pointer and target; 0 if it is
    /// shorter than `least`. `neighbours` are the sorted lines on one side, nearest first.
    fn most_in_common<'b>(
        &self,
        neighbours: impl Iterator<Item = (usize, &'b Beginning)>,
        least: usize,
        way: &Way,
        looks: &mut usize,
    ) -> usize {
        let mut common = usize::MAX;
        for (at, (next, beginning)) in neighbours.enumerate() {
            common = common.min(next);
            if common < least {
                break;
            }
            *looks = looks.saturating_sub(1);
            let is_met = || match beginning.row() {
                Some(row) => way.rows.contains(&row) && !self.leaves[row],
                None => self.first_met(beginning.line, way).is_some(),
            };
            if at >= MAX_ALIKE || is_met() {
                return common;
            }
        }
        0
    }

    /// Returns the first row of a line that a reader meets on the way.
    fn first_met(&self, line: u32, way: &Way) -> Option<usize> {
        let rows = self.finder.beginnings.rows(line);
        let position = |at: usize| rows.partition_point(|row| (*row as usize) < at);
        let (start, end) = (way.rows.start.max(way.here.start), way.rows.end.min(way.here.end));
        let here = &rows[position(start)..position(end.max(start))];
        let stays = |row: &&u32| !self.leaves[**row as usize];
        let first = if way.is_up {
            here.iter().rev().take(MAX_ROWS).find(stays)
        } else {
            here.iter().take(MAX_ROWS).find(stays)
        };
        let first = first.copied().unwrap_or(self.nearest[line as usize]);
        Some(first as usize).filter(|row| way.rows.contains(row))
    }

    /// Returns how many of the rows from `from` on are also at `place`, and kept there.
    fn common(&self, from: usize, place: usize, most: usize) -> usize {
        let LineTable { ids, zones, .. } = self.finder.lines;
        let is_same = |at: &usize| {
            let there = place + at;
            ids.get(there) == Some(&ids[from + at]) && zones[there] == zones[place] && !self.leaves[there]
        };
        (0..most).take_while(is_same).count()
    }
}
