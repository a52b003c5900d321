//! A tool round in the form in which it is valued. That is done many times for each, so all it takes lies together and is small.

use super::{
    passage::MARKER_TOKENS,
    seen::Seen,
    survey::{Survey, ToolRound},
    weights::{LEFTOVER, OPENING, Weights},
    windows::Windows,
};

/// A line of a tool round.
pub struct OutlineLine {
    /// Behind its last name in [`Outline::names`]; the first follows those of the line before.
    pub end: u32,
    /// Tokens it takes.
    pub cost: f32,
    /// What it is worth as a part of a passage, if the same does not stay elsewhere.
    pub in_passage: f32,
    /// Hash of the line with its neighbours.
    pub window: u64,
    /// It is a marker of an earlier truncation.
    pub is_gap: bool,
}

/// A name, and whether it stands in an earlier part of the same passage too.
#[derive(Clone, Copy)]
pub struct OutlineName {
    /// Its number.
    pub number: u32,
    /// It counts for its part, but not for its line: there the earlier one does.
    pub repeated: bool,
}

/// Lines that belong together.
pub struct OutlinePart {
    /// Behind its last line in [`Outline::lines`].
    pub end: u32,
    /// It is the last of its passage.
    pub is_last: bool,
    /// It belongs to a passage that stays whole.
    pub is_whole: bool,
}

/// A tool round.
pub struct Outline {
    /// The parts of all its passages, in order.
    pub parts: Vec<OutlinePart>,
    /// The lines of all parts.
    pub lines: Vec<OutlineLine>,
    /// The names of all lines, each once for a part.
    pub names: Vec<OutlineName>,
    /// What opening it counts for.
    pub opening: f32,
}

/// What can be added to a tool round.
struct Addition {
    density: f32,
    value: f32,
    cost: f32,
}

impl Addition {
    fn new(value: f32, cost: f32) -> Self {
        Self { density: value / cost, value, cost }
    }
}

/// For [`Outline::worth`], so that it need not be made anew each time: what can be added, and parts of the passage that is being read.
#[derive(Default)]
pub struct Additions {
    all: Vec<Addition>,
    parts: Vec<Addition>,
}

/// How a choice stands, as far as it decides what a tool round is worth.
pub struct Standing<'s> {
    /// What each name is worth where one more line with it is kept.
    pub worth_of: &'s [f32],
    /// The lines that stay with their neighbours.
    pub windows: &'s Windows,
}

impl Outline {
    /// Of `round`. `in_part` and `in_passage` are for marking names.
    pub fn of(
        survey: &Survey<'_>,
        round: &ToolRound,
        weights: Weights,
        in_part: &mut Seen,
        in_passage: &mut Seen,
    ) -> Self {
        let opening = OPENING * round.cost;
        let mut outline = Self { parts: Vec::new(), lines: Vec::new(), names: Vec::new(), opening };
        for passage in &survey.passages[round.passages.clone()] {
            in_passage.start();
            let whole = 0..passage.lines.len();
            let parts = if passage.whole { std::slice::from_ref(&whole) } else { &passage.parts };
            for (index, part) in parts.iter().enumerate() {
                in_part.start();
                for value in &passage.lines[part.clone()] {
                    for number in survey.occurrences[value.names.clone()].iter().copied() {
                        if in_part.is_new(number) {
                            outline.names.push(OutlineName { number, repeated: !in_passage.is_new(number) });
                        }
                    }
                    outline.lines.push(OutlineLine {
                        end: outline.names.len() as u32,
                        cost: value.cost,
                        in_passage: value.in_passage(weights),
                        window: value.window,
                        is_gap: value.line.is_gap,
                    });
                }
                let is_last = index + 1 == parts.len();
                outline.parts.push(OutlinePart { end: outline.lines.len() as u32, is_last, is_whole: passage.whole });
            }
        }
        outline
    }

    /// Value and tokens as things stand: it is worth what stays of it anyway and, as long as that makes it better, its best parts and lines.
    pub fn worth(&self, standing: &Standing<'_>, additions: &mut Additions) -> (f32, f32) {
        let (mut value, mut cost) = (0.0, self.opening);
        let Additions { all, parts } = additions;
        all.clear();
        let (mut line, mut name) = (0, 0);
        for part in &self.parts {
            let (mut part_value, mut part_cost) = (0.0, 0.0);
            for line in &self.lines[std::mem::replace(&mut line, part.end as usize)..part.end as usize] {
                let (mut in_line, mut in_part) = (0.0, 0.0);
                for name in &self.names[std::mem::replace(&mut name, line.end as usize)..line.end as usize] {
                    let worth = standing.worth_of[name.number as usize];
                    in_part += worth;
                    if !name.repeated {
                        in_line += worth;
                    }
                }
                let stays = line.is_gap || standing.windows.contain(line.window);
                let in_passage = if stays { 0.0 } else { line.in_passage };
                if part.is_whole {
                    value += in_line + in_passage;
                    continue;
                }
                if in_line > 0.0 {
                    all.push(Addition::new(in_line, line.cost + MARKER_TOKENS / 2.0));
                }
                if !line.is_gap {
                    part_value += in_passage;
                    part_cost += line.cost;
                    part_value += LEFTOVER * line.cost;
                    part_value += in_part;
                }
            }
            if part_cost > 0.0 {
                parts.push(Addition::new(part_value, part_cost + 2.0));
            }
            if part.is_last {
                all.append(parts);
            }
        }
        // What is worth less than the whole is now makes nothing better, and most is.
        let least = value / cost;
        all.retain(|addition| addition.density > least);
        all.sort_by(|a, b| b.density.total_cmp(&a.density));
        for addition in all {
            if (value + addition.value) / (cost + addition.cost) <= value / cost {
                break;
            }
            value += addition.value;
            cost += addition.cost;
        }
        (value, cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool round of one passage with a line of 5 tokens for each of these parts: what each is worth there, its window, and its names.
    fn outline(parts: &[(f32, u64, &[OutlineName])], is_whole: bool) -> Outline {
        let mut outline = Outline { parts: Vec::new(), lines: Vec::new(), names: Vec::new(), opening: 10.0 };
        for (at, (in_passage, window, names)) in parts.iter().enumerate() {
            outline.names.extend_from_slice(names);
            let end = outline.names.len() as u32;
            let (in_passage, window) = (*in_passage, *window);
            outline.lines.push(OutlineLine { end, cost: 5.0, in_passage, window, is_gap: false });
            outline.parts.push(OutlinePart { end: at as u32 + 1, is_last: at + 1 == parts.len(), is_whole });
        }
        outline
    }

    fn worth(outline: &Outline) -> (f32, f32) {
        let mut windows = Windows::for_lines(8);
        windows.add(9);
        let (value, cost) =
            outline.worth(&Standing { worth_of: &[2.0, 0.5], windows: &windows }, &mut Additions::default());
        // What is worth nothing else is still worth a trifle.
        ((value * 1000.0).round() / 1000.0, cost)
    }

    const FIRST: OutlineName = OutlineName { number: 0, repeated: false };
    const OTHER: OutlineName = OutlineName { number: 1, repeated: false };
    const AGAIN: OutlineName = OutlineName { number: 0, repeated: true };

    #[test]
    fn a_round_is_worth_what_stays_and_what_makes_it_better() {
        assert_eq!(worth(&outline(&[], false)), (0.0, 10.0));
        // Whole: what it costs is known already.
        assert_eq!(worth(&outline(&[(3.0, 1, &[FIRST, OTHER])], true)), (5.5, 10.0));
        assert_eq!(worth(&outline(&[(3.0, 9, &[FIRST])], true)), (2.0, 10.0), "the same stays elsewhere");
        // The part is better than its line alone, with which it would be no better.
        assert_eq!(worth(&outline(&[(3.0, 1, &[FIRST])], false)), (5.0, 17.0));
        assert_eq!(worth(&outline(&[(3.0, 1, &[FIRST]), (3.0, 2, &[AGAIN])], false)), (10.0, 24.0));
        assert_eq!(worth(&outline(&[(0.0, 2, &[AGAIN])], false)), (2.0, 17.0), "its line is the earlier one");
        // A part with little in it makes the round worse, and its line as well.
        assert_eq!(worth(&outline(&[(9.0, 1, &[]), (0.0, 2, &[OTHER])], false)), (9.0, 17.0));
        assert_eq!(worth(&outline(&[(9.0, 1, &[]), (9.0, 9, &[])], false)), (9.0, 17.0));
    }

    #[test]
    fn a_marker_is_worth_its_names_and_no_part() {
        let mut outline = outline(&[(3.0, 1, &[FIRST])], false);
        outline.lines[0].is_gap = true;
        assert_eq!(worth(&outline), (2.0, 18.0));
    }
}
