//! Decides which runs of lines become pointers, so that each line is kept once.
//!
//! The texts take turns, from the newest to the oldest or in reverse, and a line is kept in the first text that
//! contains it. A text does not change after its turn, and a pointer may point only to kept lines. So no pointer
//! points to a pointer.

use std::{collections::BTreeSet, ops::Range};

use super::{
    dictionary::{Dictionary, KeptRows, Match},
    lines::{LineTable, NO_LINE},
    operations::LosslessOperation,
    quotes::Chooser,
    run::{Finder, MAX_SKIPPED, Run},
    work_text::Part,
};
use crate::{
    maps::{HashMap, HashSet},
    markers::Pointer,
    restore::{RowKind, RowsOf},
};

/// A row is recorded as kept only after this many more rows, because a match found below may turn out to begin above
/// it.
const HELD_BACK: usize = 32;

/// Maximum number of passes over a text; the rest of it is kept. Two or three passes find everything.
const MAX_PASSES: usize = 16;

/// Maximum number of comparisons made to find out whether another pass would find pointers. Beyond it, the search
/// assumes that it would.
const MAX_LOOKS: usize = 100_000;

/// A longer line counts as several comparisons.
const BYTES_OF_A_LOOK: usize = 64;

/// The number of comparisons that a search for a quote counts as.
const LOOKS_OF_A_QUOTE: usize = 1000;

/// The decision about rows that occur elsewhere too.
enum Verdict {
    /// They become a pointer.
    Replace(Run),
    /// All rows are kept, because the operation is disabled.
    Leave,
    /// The rows are too few for a pointer to pay.
    Refuse,
}

/// Starts of matches that would not pay. They are found again from each of their rows, and in each pass.
type TooShort = HashSet<(usize, Match)>;

/// A line becomes a pointer if it is repeated at least this often after its first occurrence.
const MIN_REPEATS: usize = 3;

impl<'a> Finder<'a> {
    /// Returns the runs of every text, in order, and whether there may be more once these are pointers.
    pub fn find(&self) -> (Vec<Vec<Run>>, bool) {
        let mut found = vec![Vec::new(); self.texts.len()];
        let mut refused = vec![false; self.lines.ids.len()];
        let mut dictionary = Dictionary::new(self.lines);
        let protected = self.protected();
        let mut chooser = Chooser::new(self);
        let mut turn =
            |text: usize| found[text] = self.text(text, &mut dictionary, &protected, &mut chooser, &mut refused);
        if self.options.keeps_first() {
            (0..self.texts.len()).for_each(&mut turn);
        } else {
            (0..self.texts.len()).rev().for_each(&mut turn);
        }
        let is_unfinished = self.may_find_more(&found, &refused, &mut chooser);
        (found, is_unfinished)
    }

    /// Returns true if lines that could not be quoted may become pointers after these runs have, namely to equal
    /// lines above them in their text. All those lines were candidates for removal. A line that pointers of other
    /// texts point to is certainly kept. The lines that were to be removed with it are then examined again.
    fn may_find_more(&self, found: &[Vec<Run>], refused: &[bool], chooser: &mut Chooser<'_, '_>) -> bool {
        let mut targets = vec![false; self.lines.ids.len()];
        let mut texts = BTreeSet::new();
        for run in found.iter().flatten() {
            let text = run.target.0;
            let rows = self.lines.of_rows(text, &run.target_rows());
            if refused[rows.clone()].contains(&true) {
                texts.insert(text);
            }
            targets[rows].fill(true);
        }
        let mut looks = MAX_LOOKS;
        texts.into_iter().any(|text| self.may_find_more_in(text, refused, &targets, chooser, &mut looks))
    }

    fn may_find_more_in(
        &self,
        text: usize,
        refused: &[bool],
        targets: &[bool],
        chooser: &mut Chooser<'_, '_>,
        looks: &mut usize,
    ) -> bool {
        let range = self.lines.of_text(text);
        let anew = self.looked_at_anew(text, refused, targets);
        // For each line, its kept rows, and the kept rows to be examined again. At least one of two compared rows must
        // be one to examine again.
        let mut above: HashMap<u32, (Vec<usize>, Vec<usize>)> = HashMap::default();
        for row in range.clone() {
            if self.lines.ids[row] == NO_LINE || !chooser.stays(row) {
                continue;
            }
            let (all, looked_at) = above.entry(self.lines.ids[row]).or_default();
            let is_anew = anew[row - range.start];
            let same = if is_anew { &*all } else { &*looked_at };
            if !targets[row] && same.iter().any(|target| self.would_pay(text, row, *target, targets, chooser, looks)) {
                return true;
            }
            all.push(row);
            if is_anew {
                looked_at.push(row);
            }
        }
        false
    }

    /// Returns, for each row of a text, whether it was to be removed together with rows that are now kept.
    fn looked_at_anew(&self, text: usize, refused: &[bool], targets: &[bool]) -> Vec<bool> {
        let range = self.lines.of_text(text);
        let mut anew = vec![false; range.len()];
        let mut rows = range.clone();
        while let Some(first) = rows.find(|row| refused[*row]) {
            let end = (first..range.end).find(|row| !refused[*row]).unwrap_or(range.end);
            anew[first - range.start..end - range.start].fill(targets[first..end].contains(&true));
            rows = end..range.end;
        }
        anew
    }

    /// Returns true if a row and its surroundings would pay as a pointer to the same kept lines around another row of
    /// the text. Also true once the limit of comparisons is reached.
    fn would_pay(
        &self,
        text: usize,
        row: usize,
        target: usize,
        targets: &[bool],
        chooser: &mut Chooser<'_, '_>,
        looks: &mut usize,
    ) -> bool {
        let LineTable { ids, zones, may_change, .. } = self.lines;
        let range = self.lines.of_text(text);
        let is_same = |(from, to): &(usize, usize)| {
            ids[*from] == ids[*to]
                && (zones[*from], zones[*to]) == (zones[row], zones[target])
                && may_change[*from]
                && !targets[*from]
                && chooser.stays(*from)
                && chooser.stays(*to)
        };
        let above = (range.start..row).rev().zip((range.start..target).rev()).take_while(is_same).take(*looks).count();
        let below = (row..range.end).zip(target..range.end).take_while(is_same).take(*looks).count();
        let first = row - above - range.start;
        let bytes = self.bytes(text, &(first..first + above + below));
        *looks = looks.saturating_sub(1 + above + below + bytes / BYTES_OF_A_LOOK);
        // The lines above may include none that can be quoted.
        for above in [above, 0] {
            let found = Match { target: target - above, rows: above + below };
            if let Verdict::Replace(run) = self.reference(text, row - above, found, None) {
                *looks = looks.saturating_sub(LOOKS_OF_A_QUOTE);
                if chooser.could_quote(text, run) {
                    return true;
                }
            }
        }
        *looks == 0
    }

    /// Returns the rows that existing pointers point to. They must be kept.
    fn protected(&self) -> Vec<bool> {
        let mut protected = vec![false; self.lines.ids.len()];
        for RowsOf { text, rows } in self.pointed_at {
            protected[self.lines.of_rows(*text, rows)].fill(true);
        }
        protected
    }

    /// Returns the runs of a text. Each pass works on what the pass before left, until there is nothing more to find,
    /// so that condensing the result finds nothing either.
    fn text(
        &self,
        text: usize,
        dictionary: &mut Dictionary<'_>,
        protected: &[bool],
        chooser: &mut Chooser<'_, '_>,
        refused: &mut [bool],
    ) -> Vec<Run> {
        let range = self.lines.of_text(text);
        let mut runs: Vec<Run> = Vec::new();
        let mut wanted: Vec<Range<usize>> = Vec::new();
        let mut tried: Vec<Run> = Vec::new();
        let mut too_short = TooShort::default();
        let in_table = |run: &Run| self.lines.of_rows(text, &run.rows);
        if self.lines.may_change[range.clone()].contains(&true) {
            for _ in 0..MAX_PASSES {
                let mut more = self.pass(text, &runs, dictionary, protected, &mut too_short);
                if more.is_empty() {
                    break;
                }
                more.extend(runs.iter().cloned());
                more.sort_by_key(|run| run.rows.start);
                wanted.clear();
                wanted.extend(more.iter().map(in_table));
                tried.clone_from(&more);
                chooser.choose(text, &mut more);
                if more == runs {
                    // The runs that were found cannot be quoted.
                    break;
                }
                runs = more;
                // A pass already took its own runs into account, so another one finds more only if some could not be
                // quoted.
                if runs.iter().map(in_table).eq(wanted.iter().cloned()) {
                    break;
                }
            }
        }
        self.try_again(text, tried, &mut runs, chooser);
        wanted.into_iter().for_each(|rows| refused[rows].fill(true));
        for run in &runs {
            refused[in_table(run)].fill(false);
        }
        chooser.finish(text);
        dictionary.begin(range.clone());
        let mut from = range.start;
        let ends = runs.iter().map(in_table);
        for gap in ends.chain(std::iter::once(range.end..range.end)) {
            let mut kept = KeptRows::new(range.start, from, true);
            kept.up_to(gap.start, dictionary, &self.lines.rows[text].rows);
            from = gap.end;
        }
        runs
    }

    /// Tries runs that could not be quoted again, one by one. The lines that prevented a quote may have become a
    /// pointer. Lines that were to become a pointer may be kept and serve as the target.
    fn try_again(&self, text: usize, tried: Vec<Run>, runs: &mut Vec<Run>, chooser: &mut Chooser<'_, '_>) {
        let start = self.lines.of_text(text).start;
        let mut targets = vec![false; self.lines.of_text(text).len()];
        let mark = |run: &Run, targets: &mut [bool]| {
            if run.target.0 == text {
                targets[run.target_rows()].fill(true);
            }
        };
        runs.iter().for_each(|run| mark(run, &mut targets));
        // The order is opposite to the one in which a reader who follows pointers meets the runs.
        let tried: Vec<Run> = if self.options.keeps_first() { tried } else { tried.into_iter().rev().collect() };
        let known = runs.len();
        for run in tried.into_iter().filter(|run| !run.repeats) {
            if run.rows.clone().all(|row| chooser.stays(start + row) && !targets[row]) {
                let more = chooser.choose_more(text, run);
                more.iter().for_each(|run| mark(run, &mut targets));
                runs.extend(more);
            }
        }
        if runs.len() > known {
            runs.sort_by_key(|run| run.rows.start);
        }
    }

    fn pass(
        &self,
        text: usize,
        runs: &[Run],
        dictionary: &mut Dictionary<'_>,
        protected: &[bool],
        too_short: &mut TooShort,
    ) -> Vec<Run> {
        let range = self.lines.of_text(text);
        let rows = &self.lines.rows[text].rows;
        let mut found = Vec::new();
        dictionary.begin(range.clone());
        let mut kept = KeptRows::new(range.start, range.start, false);
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
                // No run extends upwards across the boundary of a zone.
                kept.up_to(row, dictionary, rows);
            }
            if !self.lines.may_change[row] || protected[row] || !self.lines.repeated[row] {
                row += 1;
                kept.up_to(row.saturating_sub(HELD_BACK), dictionary, rows);
                continue;
            }
            let end = runs.peek().map_or(range.end, |run| run.start);
            let length = rows[row - range.start].content_range().len();
            let match_here =
                dictionary.find(row, u32::try_from(length).unwrap_or(u32::MAX), &(range.start..end), kept.next());
            // Protected lines count for the operation's name too, because they were not kept when the others were left
            // alone.
            let called = match_here.and_then(|found| self.called(text, row, found, dictionary));
            let match_here = match_here.map(|found| dictionary.extended(row, found, kept.next(), &range));
            let match_here = match_here.map(|(first, found)| {
                // A line that must be kept ends the run.
                let until = (first..first + found.rows).position(|row| protected[row]).unwrap_or(found.rows);
                (first, Match { rows: until, ..found })
            });
            let is_known = |found: &(usize, Match)| called.is_none() && too_short.contains(found);
            if let Some((first, matched)) = match_here.filter(|found| found.1.rows > 0 && !is_known(found)) {
                match self.reference(text, first, matched, called) {
                    Verdict::Replace(run) => {
                        kept.up_to(range.start + run.rows.start, dictionary, rows);
                        row = range.start + run.rows.end;
                        kept.skip_to(row);
                        found.push(run);
                        continue;
                    }
                    Verdict::Leave => {
                        row = first + matched.rows;
                        kept.up_to(row, dictionary, rows);
                        continue;
                    }
                    Verdict::Refuse => {
                        too_short.insert((first, matched));
                    }
                }
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

    /// Returns how many more times this row's line occurs directly below it.
    fn repeats(&self, row: usize, end: usize, protected: &[bool]) -> usize {
        let LineTable { ids, zones, .. } = self.lines;
        let is_same = |below: &usize| ids[*below] == ids[row] && zones[*below] == zones[row] && !protected[*below];
        if ids[row] == NO_LINE { 0 } else { (row + 1..end).take_while(is_same).count() }
    }

    fn repeat(&self, text: usize, row: usize, times: usize) -> Option<Run> {
        let operation = LosslessOperation::RepeatedLines;
        if !self.options.is_on(operation) || !self.options.consolidate_tool_results {
            return None;
        }
        let start = self.lines.of_text(text).start;
        let rows = row + 1 - start..row + 1 - start + times;
        let marker = Pointer::Repeat { times: u32::try_from(times).ok()? }.to_string();
        Pointer::read(&marker)?;
        let target = (text, row - start);
        self.pays(text, &rows, &marker).then_some(Run { rows, marker, target, repeats: true, operation })
    }

    /// Returns the operation that replaces the rows of a match, including rows that must be kept, and whether it
    /// concerns a file. `None` if nothing depends on it.
    fn called(
        &self,
        text: usize,
        row: usize,
        found: Match,
        dictionary: &Dictionary<'_>,
    ) -> Option<(LosslessOperation, bool)> {
        let all_on = [LosslessOperation::Reference, LosslessOperation::Containment];
        if all_on.into_iter().all(|operation| self.options.is_on(operation)) {
            return None;
        }
        let range = self.lines.of_text(text);
        let (first, found) = dictionary.extended(row, found, range.start, &range);
        let rows = first - range.start..first - range.start + found.rows;
        let target = self.lines.text_of(found.target);
        Some(self.operation(text, &rows, target, found.target - self.lines.of_text(target).start))
    }

    fn reference(&self, text: usize, row: usize, found: Match, called: Option<(LosslessOperation, bool)>) -> Verdict {
        let start = self.lines.of_text(text).start;
        let rows = row - start..row - start + found.rows;
        let target = self.lines.text_of(found.target);
        let target_row = found.target - self.lines.of_text(target).start;
        // Even the shortest marker costs something.
        if self.bytes(text, &rows) < 32 {
            return Verdict::Refuse;
        }
        let (operation, is_file) = called.unwrap_or_else(|| self.operation(text, &rows, target, target_row));
        let is_on = if is_file { self.options.deduplicate_file_reads } else { self.options.consolidate_tool_results };
        if !is_on || !self.options.is_on(operation) {
            return Verdict::Leave;
        }
        let Some((skipped, quote)) = self.first_quote(text, rows.clone(), MAX_SKIPPED) else { return Verdict::Refuse };
        let rows = rows.start + skipped..rows.end;
        let run = Run::reference(text, rows, (target, target_row + skipped), quote, operation);
        if self.pays(text, &run.rows, &run.marker) { Verdict::Replace(run) } else { Verdict::Refuse }
    }

    /// Returns the operation that replaces these rows with the others, and whether it concerns a file.
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
        let file = |part: Option<&'a Part>| part.and_then(|part| part.file.as_ref());
        let (from, to) = (file(from), file(to));
        let is_all = |text: usize, rows: &Range<usize>| {
            let (start, zones) = (self.lines.of_text(text).start, &self.lines.zones);
            let at = |row: usize| zones.get(start + row).copied();
            // The heading of lines without numbers is in their zone, but is not one of their lines.
            let is_first =
                |row: usize| at(row - 1) != at(row) || self.lines.rows[text].rows[row - 1].kind == RowKind::Heading;
            (rows.start == 0 || is_first(rows.start)) && at(rows.end) != at(rows.start)
        };
        let operation = if is_all(text, rows) {
            if is_all(target, &(target_row..target_row + rows.len())) {
                LosslessOperation::Reference
            } else {
                LosslessOperation::Containment
            }
        } else if from.is_some() && from == to {
            LosslessOperation::Diff
        } else {
            LosslessOperation::RepeatedLines
        };
        (operation, from.is_some())
    }
}
