//! From a choice to texts: what is kept, with a marker for every gap.

use super::{lines::Line, passage::Passage};
use crate::markers::{Gap, LineGap};

/// The text of `passage` with the lines that are `kept`.
///
/// Where most lines show their number, only the first line behind a gap shows it: the others follow from it.
pub fn text(passage: &Passage<'_>, kept: &[bool]) -> String {
    let mut writer = Writer { passage, out: String::with_capacity(passage.text.len() / 2), numbered_before: false };
    let mut index = 0;
    while index < kept.len() {
        let end = (index..kept.len()).find(|at| kept[*at] != kept[index]).unwrap_or(kept.len());
        if kept[index] {
            (index..end).for_each(|line| writer.line(line, line == index));
        } else {
            writer.gap(index, end);
        }
        index = end;
    }
    writer.out
}

struct Writer<'p, 't> {
    passage: &'p Passage<'t>,
    out: String,
    /// Whether the line before shows its number or follows one that does.
    numbered_before: bool,
}

impl Writer<'_, '_> {
    fn at(&self, index: usize) -> &Line {
        &self.passage.lines[index].line
    }

    fn line(&mut self, index: usize, first: bool) {
        let line = self.at(index).clone();
        if index > 0 && !line.continues {
            self.out.push('\n');
        }
        let shows_number = line.content > line.range.start;
        let keep_number = first || !self.passage.numbered || !shows_number || !self.numbered_before;
        let start = if keep_number { line.range.start } else { line.content };
        self.out.push_str(&self.passage.text[start..line.range.end]);
        self.numbered_before = shows_number || line.continues;
    }

    /// Writes what stands for the lines `start..end`: the rest of a line that was begun, whole lines, the beginning of a line whose rest
    /// is kept.
    fn gap(&mut self, start: usize, end: usize) {
        let total = self.passage.lines.len();
        let rest_end = if start == 0 { start } else { (start..end).find(|at| !self.at(*at).continues).unwrap_or(end) };
        let beginning = if end < total && self.at(end).continues {
            (rest_end..end).rev().find(|at| !self.at(*at).continues).unwrap_or(rest_end)
        } else {
            end
        };
        if rest_end > start {
            self.mark(Gap::Characters(self.characters(start, rest_end)));
        }
        if beginning > rest_end {
            self.new_line(rest_end);
            let last = self.at(beginning - 1);
            let gap = LineGap { first: self.at(rest_end).number, last: last.gap.map_or(last.number, |gap| gap.last) };
            // Numbers that do not count up come from a text that is no file; then how many is all there is to say.
            let gap = if gap.first <= gap.last { gap } else { LineGap { first: 1, last: beginning - rest_end } };
            self.mark(Gap::Lines(gap));
        }
        if end > beginning {
            self.new_line(beginning);
            self.mark(Gap::Characters(self.characters(beginning, end)));
        }
        self.numbered_before = false;
    }

    fn mark(&mut self, gap: Gap) {
        self.out.push_str(&gap.to_string());
    }

    fn new_line(&mut self, index: usize) {
        if index > 0 {
            self.out.push('\n');
        }
    }

    fn characters(&self, start: usize, end: usize) -> usize {
        self.passage.text[self.at(start).range.start..self.at(end - 1).range.end].chars().count()
    }
}
