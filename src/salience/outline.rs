//! A tool round in the form in which it is valued. That is done many times for each, so all it takes lies together and is small.

use super::{
    seen::Seen,
    survey::{Survey, ToolRound},
    weights::Weights,
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
        let mut outline = Self { parts: Vec::new(), lines: Vec::new(), names: Vec::new() };
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
}
