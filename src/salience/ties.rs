//! What ties a line to the work under way: the names around it that stand in what stays anyway, or that the assistant used lately.

use std::ops::Range;

/// So many lines before a line, and as many behind it, are around it: with it about as many as a passage has.
const AROUND: usize = 12;

/// Counts names around lines, without a set to be filled for each text.
pub struct Ties<'a> {
    /// The names of lines, by number.
    occurrences: &'a [u32],
    /// How much each name ties.
    of_names: &'a [f32],
    /// How often each name that ties stands around the line.
    times: Vec<u32>,
}

impl<'a> Ties<'a> {
    /// Of lines with these names, which tie so much each.
    pub fn of(occurrences: &'a [u32], of_names: &'a [f32]) -> Self {
        Self { occurrences, of_names, times: vec![0; of_names.len()] }
    }

    /// For each line of a text, given by where its names are, how much the names around it tie together; one that stands there several times ties once.
    pub fn around(&mut self, lines: &[Range<usize>]) -> Vec<f32> {
        let (mut first, mut end, mut sum, mut names) = (0, 0, 0.0, 0_usize);
        let mut around = Vec::with_capacity(lines.len());
        for at in 0..lines.len() {
            while end < lines.len().min(at + AROUND + 1) {
                for name in self.tying(&lines[end]) {
                    self.times[name] += 1;
                    if self.times[name] == 1 {
                        sum += self.of_names[name];
                        names += 1;
                    }
                }
                end += 1;
            }
            while first + AROUND < at {
                for name in self.tying(&lines[first]) {
                    self.times[name] -= 1;
                    if self.times[name] == 0 {
                        sum -= self.of_names[name];
                        names -= 1;
                    }
                }
                first += 1;
            }
            // What was added and taken away again leaves a trace in a sum of such numbers.
            sum = if names == 0 { 0.0 } else { sum };
            around.push(sum);
        }
        for line in &lines[first..end] {
            self.tying(line).for_each(|name| self.times[name] = 0);
        }
        around
    }

    fn tying(&self, line: &Range<usize>) -> impl Iterator<Item = usize> + use<'a> {
        let of_names = self.of_names;
        self.occurrences[line.clone()].iter().map(|name| *name as usize).filter(move |name| of_names[*name] > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_name_around_a_line_ties_once(texts in prop::collection::vec(prop::collection::vec(prop::collection::vec(0_u32..9, 0..4), 0..60), 1..4)) {
            let of_names = [0.0, 0.5, 0.25, 1.0, 0.0, 0.125, 0.75, 2.0, 0.0];
            let occurrences: Vec<u32> = texts.iter().flatten().flatten().copied().collect();
            let mut ties = Ties::of(&occurrences, &of_names);
            let mut start = 0;
            for text in &texts {
                let mut next = |names: &Vec<u32>| { start += names.len(); start - names.len()..start };
                let lines: Vec<Range<usize>> = text.iter().map(&mut next).collect();
                let around = |at: usize| text[at.saturating_sub(AROUND)..text.len().min(at + AROUND + 1)].iter().flatten().collect::<BTreeSet<_>>();
                let expected: Vec<f32> = (0..text.len()).map(|at| around(at).into_iter().map(|name| of_names[*name as usize]).sum()).collect();
                prop_assert_eq!(ties.around(&lines), expected, "and nothing of the text before");
            }
        }
    }
}
