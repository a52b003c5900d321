//! A text of which lines can be left out.

use std::ops::Range;

use super::{
    lines::Line,
    weights::{Origin, Weights},
};
use crate::transcript::ContentPiece;

/// About how many tokens a marker takes.
pub const MARKER_TOKENS: f32 = 6.0;

/// A text, or the part of a text, of which lines can be left out.
pub struct Passage<'t> {
    /// The message it is in.
    pub message: usize,
    /// The piece it is.
    pub piece: ContentPiece,
    /// The text of the piece.
    pub text: &'t str,
    /// Where it comes from.
    pub origin: Origin,
    /// Its lines.
    pub lines: Vec<LineValue>,
    /// Its last line goes on in what follows it in its text.
    pub goes_on: bool,
    /// Nothing of it may be changed.
    pub is_pinned: bool,
    /// Whether most lines show a number.
    pub numbered: bool,
    /// Tokens of the text.
    pub tokens: usize,
    /// It stays whole.
    pub whole: bool,
    /// Ranges of lines that belong together.
    pub parts: Vec<Range<usize>>,
}

impl Passage<'_> {
    /// For each line, whether it stays whatever is chosen.
    pub fn staying(&self) -> Vec<bool> {
        self.lines.iter().map(|value| value.line.stays || value.ends).collect()
    }

    /// Whether a choice leaves out what a reader would miss.
    pub fn misses(&self, kept: &[bool]) -> bool {
        self.lines.iter().zip(kept).any(|(value, kept)| !kept && !value.line.is_gap)
    }

    /// Whether a choice keeps anything that says something.
    pub fn says(&self, kept: &[bool]) -> bool {
        self.lines.iter().zip(kept).any(|(value, kept)| *kept && !value.line.stays)
    }

    /// Takes out what is kept of an ending of several lines of which some are not kept: it would say that all went well. What stays says the opposite.
    pub fn drop_half_ending(&self, kept: &mut [bool]) {
        let together = || (0..self.lines.len()).filter(|line| self.lines[*line].together);
        if together().any(|line| !kept[line]) {
            together().for_each(|line| kept[line] &= self.lines[line].line.stays);
        }
    }

    /// Characters of one of its lines, without the number it may show.
    pub fn characters(&self, value: &LineValue) -> usize {
        self.text[value.line.content..value.line.range.end].chars().count()
    }
}

/// A line and what it is worth.
pub struct LineValue {
    /// The line.
    pub line: Line,
    /// Tokens it takes.
    pub cost: f32,
    /// Hash of its content without the blanks around it.
    pub hash: u64,
    /// Hash of the line with its neighbours: the same again is worth nothing.
    pub window: u64,
    /// What it is worth for each token as part of a passage.
    pub density: f32,
    /// It says how a call ended, or what a message is about: it stays.
    pub ends: bool,
    /// It says how a call ended, or where it failed: worth its tokens, whatever names it has.
    pub tells: bool,
    /// It is told with the other lines of the ending that are so, or not at all.
    pub together: bool,
    /// An edit has replaced it since.
    pub replaced: bool,
    /// The names in it, in [`Survey::occurrences`].
    pub names: Range<usize>,
}

#[cfg(test)]
impl LineValue {
    /// A line without names, that takes a token and tells nothing.
    pub fn worth_nothing(line: Line) -> Self {
        Self {
            line,
            cost: 1.0,
            hash: 0,
            window: 0,
            density: 0.0,
            ends: false,
            tells: false,
            together: false,
            replaced: false,
            names: 0..0,
        }
    }
}

impl LineValue {
    /// What it is worth as part of a passage.
    pub fn in_passage(&self, weights: Weights) -> f32 {
        let replaced = if self.replaced { weights.replaced() } else { 1.0 };
        replaced * self.density * self.cost
    }

    /// What it is worth for what it tells.
    pub fn in_telling(&self, weights: Weights) -> f32 {
        if self.tells { weights.telling() * self.cost } else { 0.0 }
    }
}
