//! Which lines of a file are known, by number, and where each one stands.

use std::{collections::BTreeMap, ops::Range};

/// Where a line stands: the `line`th of a [`super::timeline::Showing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineSource {
    /// Index of the showing; [`LineSource::COMPOSED`] when the line stands nowhere as a whole.
    pub showing: u32,
    /// Index of the line in the showing.
    pub line: u32,
}

impl LineSource {
    /// The `showing` of a line that an edit made out of parts: its content is known, but no text holds it.
    pub const COMPOSED: u32 = u32::MAX;

    pub(super) fn forward(self, by: u32) -> Self {
        Self { line: self.line.saturating_add(by), ..self }
    }
}

/// Successive lines that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRun {
    /// The number of the first line, from 1.
    pub first: u32,
    /// How many lines.
    pub count: u32,
    /// Where the first one stands; the others follow it.
    pub source: LineSource,
}

impl LineRun {
    /// The numbers of the lines.
    #[must_use]
    pub fn numbers(&self) -> Range<u32> {
        self.first..self.first.saturating_add(self.count)
    }

    fn clipped(self, to: &Range<u32>) -> Option<Self> {
        let numbers = self.numbers();
        let (first, end) = (numbers.start.max(to.start), numbers.end.min(to.end));
        (first < end).then(|| Self { first, count: end - first, source: self.source.forward(first - self.first) })
    }
}

/// The known lines of one version of a file. Reads cost what they show; an edit costs as many steps as there are runs behind it.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownLines {
    /// By number of the first line; they do not overlap.
    runs: BTreeMap<u32, LineRun>,
}

impl KnownLines {
    pub(super) fn get(&self, number: u32) -> Option<LineSource> {
        let run = self.runs.range(..=number).next_back()?.1;
        run.numbers().contains(&number).then(|| run.source.forward(number - run.first))
    }

    /// The runs that lie in `numbers`, cut to it.
    pub(super) fn within(&self, numbers: Range<u32>) -> impl Iterator<Item = LineRun> + '_ {
        let start = self.runs.range(..=numbers.start).next_back().map_or(numbers.start, |(first, _)| *first);
        self.runs.range(start..numbers.end.max(start)).filter_map(move |(_, run)| run.clipped(&numbers))
    }

    pub(super) fn runs(&self) -> impl ExactSizeIterator<Item = LineRun> + '_ {
        self.runs.values().copied()
    }

    /// Behind the number of the last known line.
    pub(super) fn end(&self) -> u32 {
        self.runs.values().next_back().map_or(0, |run| run.numbers().end)
    }

    /// Whether all of the lines 1 to `total` are known.
    pub(super) fn is_complete(&self, total: u32) -> bool {
        let end = self.runs.values().try_fold(1, |next, run| (run.first == next).then(|| run.numbers().end));
        end.is_some_and(|end| end > total)
    }

    pub(super) fn insert(&mut self, run: LineRun) {
        self.forget(run.numbers());
        if run.count > 0 {
            self.runs.insert(run.first, run);
        }
    }

    fn forget(&mut self, numbers: Range<u32>) {
        let touched: Vec<LineRun> = {
            let start = self.runs.range(..=numbers.start).next_back().map_or(numbers.start, |(first, _)| *first);
            let touched = self.runs.range(start..numbers.end.max(start)).map(|(_, run)| *run);
            touched.filter(|run| run.clipped(&numbers).is_some()).collect()
        };
        for run in touched {
            self.runs.remove(&run.first);
            for rest in [0..numbers.start, numbers.end..u32::MAX] {
                if let Some(rest) = run.clipped(&rest) {
                    self.runs.insert(rest.first, rest);
                }
            }
        }
    }

    /// Takes `removed` lines out at `at` and makes room for `added` ones, which are not known yet. Returns how many runs moved.
    pub(super) fn splice(&mut self, at: u32, removed: u32, added: u32) -> usize {
        let end = at.saturating_add(removed);
        // Cuts the runs that reach over the borders.
        self.forget(at..end);
        if let Some(run) = self.runs.range(..at).next_back().map(|(_, run)| *run)
            && run.numbers().end > at
        {
            for part in [0..at, at..u32::MAX] {
                if let Some(part) = run.clipped(&part) {
                    self.runs.insert(part.first, part);
                }
            }
        }
        if removed == added {
            return 0;
        }
        let behind = self.runs.split_off(&end);
        let moved = behind.len();
        self.runs.extend(behind.into_values().map(|run| {
            let first = run.first - end;
            let first = at.saturating_add(added).saturating_add(first);
            (first, LineRun { first, ..run })
        }));
        moved
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Insert(u32, u32),
        Splice(u32, u32, u32),
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (1..30_u32, 0..10_u32).prop_map(|(first, count)| Step::Insert(first, count)),
            (1..30_u32, 0..8_u32, 0..8_u32).prop_map(|(at, removed, added)| Step::Splice(at, removed, added)),
        ]
    }

    proptest! {
        /// The same as a plain list with a slot for every line.
        #[test]
        fn is_a_list_of_lines(steps in prop::collection::vec(any_step(), 0..20)) {
            let mut lines = KnownLines::default();
            let mut list: Vec<Option<LineSource>> = vec![None; 200];
            for (showing, step) in steps.into_iter().enumerate() {
                let source = LineSource { showing: showing as u32, line: 0 };
                match step {
                    Step::Insert(first, count) => {
                        lines.insert(LineRun { first, count, source });
                        (0..count).for_each(|line| list[(first + line) as usize] = Some(source.forward(line)));
                    }
                    Step::Splice(at, removed, added) => {
                        lines.splice(at, removed, added);
                        list.splice(at as usize..(at + removed) as usize, std::iter::repeat_n(None, added as usize));
                    }
                }
                for (number, source) in list.iter().enumerate().take(150) {
                    prop_assert_eq!(lines.get(number as u32), *source, "line {}", number);
                }
                let counted: usize = lines.within(5..40).map(|run| run.count as usize).sum();
                prop_assert_eq!(counted, list[5..40].iter().flatten().count());
            }
        }
    }
}
