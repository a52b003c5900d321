//! Chooses the quotes of pointers: enough of a line for it to be the nearest one, from the pointer on, that begins so.

use std::ops::Range;

use super::{
    lines::{LEAST_QUOTE, LineTable, NO_LINE, beginning, row_readings},
    run::{Finder, Run},
};
use crate::markers::quote_of;

/// The number of lines between a pointer and its target that begin alike and are examined, so that a million of them take linear time.
const MAX_BETWEEN: usize = 1000;

/// The number of them whose content is remembered.
const MAX_TOLD_APART: usize = 8;

/// The number of lines that begin like lines of a run and are examined before the rest of the run stays. Each line of the run is tried, as long as the
/// one before leads nowhere.
const MAX_LOOKS: usize = 12 * MAX_LINKS;

/// Gives runs their quotes. A run whose first line cannot be quoted begins with a later one, or is taken out.
pub struct Chooser<'f, 'a> {
    finder: &'f Finder<'a>,
    /// Whether each row becomes a part of a pointer.
    leaves: Vec<bool>,
    stays: Stays,
}

/// The rows that stay in the texts treated so far, chained by the beginnings of their content, the newest first. Among rows with the same content, a
/// search therefore meets the last one first.
struct Stays {
    /// By beginning.
    newest: Vec<u32>,
    /// By the line's number, one of its links.
    of_line: Vec<u32>,
    links: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    beginning: u32,
    row: u32,
    before: u32,
    next: u32,
    /// Another beginning of the same line.
    other: u32,
}

const END: u32 = u32::MAX;

impl Stays {
    fn new(lines: &LineTable) -> Self {
        let rows = lines.ids.len();
        Self {
            newest: vec![END; (rows / 4).next_power_of_two()],
            of_line: vec![END; lines.different],
            links: Vec::new(),
        }
    }

    fn place(&self, beginning: u32) -> usize {
        beginning as usize & (self.newest.len() - 1)
    }

    fn add(&mut self, beginning: u32, row: usize, line: u32) {
        let place = self.place(beginning);
        let first = self.newest[place];
        let mut known = self.of_line[line as usize];
        while known != END && self.links[known as usize].beginning != beginning {
            known = self.links[known as usize].other;
        }
        if known == END {
            known = self.links.len() as u32;
            let other = std::mem::replace(&mut self.of_line[line as usize], known);
            self.links.push(Link { beginning, row: row as u32, before: END, next: END, other });
        } else {
            self.links[known as usize].row = row as u32;
            if first == known {
                return;
            }
            let Link { before, next, .. } = self.links[known as usize];
            self.links[before as usize].next = next;
            if next != END {
                self.links[next as usize].before = before;
            }
        }
        (self.links[known as usize].before, self.links[known as usize].next) = (END, first);
        if first != END {
            self.links[first as usize].before = known;
        }
        self.newest[place] = known;
    }

    /// Returns the rows with a beginning; `None` for others in the same chain.
    fn beginning_with(&self, beginning: u32) -> impl Iterator<Item = Option<usize>> {
        let next = |at: u32| self.links.get(at as usize).copied();
        let links = std::iter::successors(next(self.newest[self.place(beginning)]), move |link| next(link.next));
        links.take(MAX_LINKS).map(move |link| (link.beginning == beginning).then_some(link.row as usize))
    }
}

/// Maximum length of a chain. It rarely contains other beginnings, unless somebody makes hashes collide.
const MAX_LINKS: usize = 16 * MAX_BETWEEN;

/// The way in which a line of a run can be found.
enum Found<'q> {
    /// This quote leads to it, or to a line further on after which the same lines follow: so many of them.
    By { quote: &'q str, target: usize, lines: usize },
    /// Nothing.
    No,
}

impl<'f, 'a> Chooser<'f, 'a> {
    /// Before any text has had its turn.
    #[must_use]
    pub fn new(finder: &'f Finder<'a>) -> Self {
        Self { finder, leaves: vec![false; finder.lines.ids.len()], stays: Stays::new(finder.lines) }
    }

    /// The text has had its turn.
    pub fn finish(&mut self, text: usize) {
        let start = self.finder.lines.of_text(text).start;
        let Self { finder, leaves, stays } = self;
        let rows = finder.lines.beginnings[text].iter().map(|(beginning, row)| (*beginning, start + *row as usize));
        let mut add = |(beginning, row): (u32, usize)| {
            let line = finder.lines.ids[row];
            if !leaves[row] && line != NO_LINE {
                stays.add(beginning, row, line);
            }
        };
        if finder.options.keeps_first() { rows.for_each(&mut add) } else { rows.rev().for_each(&mut add) }
    }

    /// Chooses the quotes in the text whose turn it is.
    pub fn choose(&mut self, text: usize, runs: &mut Vec<Run>) {
        let range = self.finder.lines.of_text(text);
        self.leaves[range.clone()].fill(false);
        self.choose_again(text, runs);
    }

    fn choose_again(&mut self, text: usize, runs: &mut Vec<Run>) {
        for run in &*runs {
            self.leaves[self.finder.lines.of_rows(text, &run.rows)].fill(true);
        }
        // Lines that stay after all may begin as a pointer quotes that has to get past them.
        while self.choose_once(text, runs) {}
    }

    /// Whether a row is no part of a pointer, as far as texts have had their turn.
    #[must_use]
    pub fn stays(&self, row: usize) -> bool {
        !self.leaves[row]
    }

    /// Quotes for another run of the text whose turn it is, or for parts of it.
    pub fn choose_more(&mut self, text: usize, run: Run) -> Vec<Run> {
        let mut runs = vec![run];
        self.choose_again(text, &mut runs);
        runs
    }

    /// Whether another run of a text that has had its turn could be quoted, or a part of it.
    pub fn could_quote(&mut self, text: usize, run: Run) -> bool {
        let rows = self.finder.lines.of_rows(text, &run.rows);
        let mut runs = vec![run];
        self.choose_again(text, &mut runs);
        self.leaves[rows].fill(false);
        !runs.is_empty()
    }

    /// Says whether lines stay that were to become pointers.
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

    /// A run with its quote: without its first lines if need be, and in several where a nearer line begins as it does.
    fn quoted(&self, text: usize, run: &Run, chosen: &mut Vec<Run>) {
        let mut rest = run.clone();
        let mut looks = MAX_LOOKS;
        while let Some((skipped, _)) = self.finder.first_quote(text, rest.rows.clone(), usize::MAX) {
            let lines = match self.found(text, &rest, skipped, &mut looks) {
                Found::By { quote, target, lines } => {
                    let there = self.finder.lines.text_of(target);
                    let row = target - self.finder.lines.of_text(there).start;
                    let rows = rest.rows.start + skipped..rest.rows.start + skipped + lines;
                    let quoted = Run::reference(text, rows, (there, row), quote, rest.operation);
                    // The run pays as it was found, and most quotes are the first that was tried.
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

    /// How row `skipped` of a run is found, from there on, with so many looks left.
    fn found(&self, text: usize, run: &Run, skipped: usize, looks: &mut usize) -> Found<'_> {
        let Finder { texts, lines, .. } = self.finder;
        let row = &lines.rows[text].rows[run.rows.start + skipped];
        let content = &texts[text].text[row.content_range()];
        let Some(mut quote) = quote_of(content, LEAST_QUOTE) else { return Found::No };
        let whole = content.trim_start_matches([' ', '\t']).as_bytes();
        let from = lines.of_text(text).start + run.rows.start + skipped;
        let target = lines.of_text(run.target.0).start + run.target.1 + skipped;
        let length = run.rows.len() - skipped;
        let mut passed = 0;
        // Most of those that begin alike are the same few lines: the quote is longer by now than what it has in common with them.
        let mut told_apart: Vec<u32> = Vec::with_capacity(MAX_TOLD_APART);
        for place in self.alike(text, from, target, quote).take(*looks) {
            *looks -= 1;
            let Some(place) = place else { continue };
            if place == target {
                return Found::By { quote, target, lines: length };
            }
            passed += 1;
            if passed > MAX_BETWEEN {
                return Found::No;
            }
            if lines.ids[place] == lines.ids[from] {
                return Found::By { quote, target: place, lines: self.common(from, place, length) };
            }
            if told_apart.contains(&lines.ids[place]) {
                continue;
            }
            if told_apart.len() < MAX_TOLD_APART {
                told_apart.push(lines.ids[place]);
            }
            for reading in self.readings(place) {
                let common = reading.iter().zip(whole).take_while(|(one, other)| one == other).count();
                if common >= quote.len() {
                    match quote_of(content, common + 1).filter(|quote| quote.len() > common) {
                        Some(longer) => quote = longer,
                        None => return Found::No,
                    }
                }
            }
        }
        Found::No
    }

    /// The rows that stay and may begin with the quote, in the order in which they are met from a row on in the direction of the target. `None` for
    /// what was looked at in vain.
    fn alike(
        &self,
        text: usize,
        from: usize,
        target: usize,
        quote: &str,
    ) -> Box<dyn Iterator<Item = Option<usize>> + '_> {
        let beginning = beginning(quote.as_bytes());
        let (start, here) = (self.finder.lines.of_text(text).start, &self.finder.lines.beginnings[text]);
        let position = |row: usize| here.partition_point(|entry| *entry < (beginning, (row - start) as u32));
        let rows = |range: Range<usize>| here[range].iter().map(move |(_, row)| start + *row as usize);
        let end = here.partition_point(|(known, _)| *known <= beginning);
        let done = self.stays.beginning_with(beginning);
        let stays = |row: usize| (!self.leaves[row]).then_some(row);
        if target < from {
            Box::new(rows(position(start)..position(from)).rev().take(MAX_LINKS).map(stays).chain(done))
        } else {
            Box::new(rows(position(from)..end).take(MAX_LINKS).map(stays).chain(done))
        }
    }

    /// Returns the beginnings that a row can be read with.
    fn readings(&self, row: usize) -> impl Iterator<Item = &[u8]> {
        let Finder { texts, lines, .. } = self.finder;
        let text = lines.text_of(row);
        row_readings(&texts[text].text, &lines.rows[text].rows[row - lines.of_text(text).start])
    }

    /// How many of the rows from `from` on stand at `place` too, where they stay.
    fn common(&self, from: usize, place: usize, most: usize) -> usize {
        let LineTable { ids, zones, .. } = self.finder.lines;
        let is_same = |at: &usize| {
            let there = place + at;
            ids.get(there) == Some(&ids[from + at]) && zones[there] == zones[place] && !self.leaves[there]
        };
        (0..most).take_while(is_same).count()
    }
}
