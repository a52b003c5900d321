//! Finds the place of an edit among the known lines of a file.

use super::{
    events::Transcript,
    known_lines::{KnownLines, LineRun, LineSource},
    timeline::Timeline,
};

/// Where a text stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// The number of the line it starts in.
    pub(super) number: u32,
    /// Bytes of that line before it.
    pub(super) column: usize,
    /// Bytes behind it in the line it ends in.
    pub(super) rest: usize,
}

/// A search among known lines. All work is paid from the budget; when that is used up nothing is found any more.
pub(super) struct Search<'s, 'a> {
    pub(super) transcript: &'s Transcript<'a>,
    pub(super) timeline: &'s Timeline,
    pub(super) known: &'s KnownLines,
    /// Bytes that may still be looked at.
    pub(super) budget: &'s mut u64,
}

/// More places than this are as good as none.
const MAX_PLACES: usize = 10_000;

impl Search<'_, '_> {
    /// The numbers of the lines at which whole lines `old` stand; `None` when that cannot be found out.
    pub(super) fn lines(&mut self, old: &[&str]) -> Option<Vec<u32>> {
        let (key, line) = old.iter().copied().enumerate().max_by_key(|(_, line)| line.len())?;
        let mut found = Vec::new();
        for number in self.holding(line)? {
            let Some(first) = number.checked_sub(key as u32).filter(|first| *first > 0) else { continue };
            self.spend(old.len() * 16)?;
            if (first..).zip(old).all(|(number, line)| self.line(number) == Some(line)) {
                found.push(first);
            }
        }
        Some(found)
    }

    /// Where a text stands, given line by line: it may start and end in the middle of a line, unless `to_line_end`. Places do
    /// not overlap.
    pub(super) fn text(&mut self, old: &[&str], to_line_end: bool) -> Option<Vec<Found>> {
        let (key, part) = old.iter().copied().enumerate().max_by_key(|(_, part)| part.len())?;
        let last = old.len() - 1;
        if part.is_empty() {
            // Line breaks alone stand everywhere.
            return None;
        }
        let mut found: Vec<Found> = Vec::new();
        for number in self.holding(part)? {
            let Some(first) = number.checked_sub(key as u32).filter(|first| *first > 0) else { continue };
            self.spend(old.len() * 16)?;
            if last == 0 {
                let line = self.line(first)?;
                let place = |column: usize| Found { number: first, column, rest: line.len() - column - part.len() };
                if to_line_end {
                    found.extend(line.ends_with(part).then(|| place(line.len() - part.len())));
                } else {
                    found.extend(line.match_indices(part).map(|(column, _)| place(column)));
                }
                if found.len() > MAX_PLACES {
                    return None;
                }
                continue;
            }
            let (Some(head), Some(tail)) = (self.line(first), self.line(first + last as u32)) else { continue };
            let inner = (first + 1..).zip(&old[1..last]).all(|(number, line)| self.line(number) == Some(line));
            let ends = head.ends_with(old[0])
                && tail.starts_with(old[last])
                && (!to_line_end || tail.len() == old[last].len());
            if !inner || !ends {
                continue;
            }
            let place = Found { number: first, column: head.len() - old[0].len(), rest: tail.len() - old[last].len() };
            match found.last().map(|before| before.number + last as u32) {
                // It starts in the line in which the one before ends: whether they overlap depends on the columns.
                Some(end) if first == end && !to_line_end => return None,
                Some(end) if first <= end => {}
                _ => found.push(place),
            }
        }
        Some(found)
    }

    fn line(&self, number: u32) -> Option<&str> {
        Some(self.timeline.line(self.transcript, self.known.get(number)?))
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        match self.budget.checked_sub(bytes as u64) {
            Some(left) => *self.budget = left,
            None => {
                *self.budget = 0;
                return None;
            }
        }
        Some(())
    }

    /// The numbers of the known lines that hold `part`, in order, each once.
    fn holding(&mut self, part: &str) -> Option<Vec<u32>> {
        let finder = memchr::memmem::Finder::new(part.as_bytes());
        let runs: Vec<LineRun> = self.known.runs().collect();
        self.spend(runs.len() * 16)?;
        let mut found = Vec::new();
        for run in runs {
            if run.source.showing == LineSource::COMPOSED {
                let line = self.timeline.line(self.transcript, run.source);
                self.spend(line.len())?;
                if finder.find(line.as_bytes()).is_some() {
                    found.push(run.first);
                }
                continue;
            }
            let Some(showing) = self.timeline.showing(run.source) else { continue };
            let all = showing.lines(self.transcript);
            let Some(lines) = all.get(run.source.line as usize..(run.source.line + run.count) as usize) else {
                continue;
            };
            if part.is_empty() {
                found.extend(run.numbers());
                self.spend(lines.len() * 16)?;
                continue;
            }
            let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
            let text = &self.transcript.texts[showing.text].text;
            // The lines stand in one text in order, so one pass over it finds all; numbers between them are passed over.
            let region = first.range().start..last.range().end;
            self.spend(region.len())?;
            let mut at = region.start;
            let mut line = 0;
            while let Some(hit) = finder.find(&text.as_bytes()[at..region.end]).map(|step| at + step) {
                while line + 1 < lines.len() && lines[line + 1].range().start <= hit {
                    line += 1;
                }
                let range = lines[line].range();
                if hit >= range.start && hit + part.len() <= range.end {
                    found.push(run.first + line as u32);
                    // One hit for each line is enough.
                    at = range.end.max(hit + 1);
                } else {
                    at = hit + 1;
                }
                if found.len() > 16 * MAX_PLACES {
                    return None;
                }
            }
        }
        Some(found)
    }
}
