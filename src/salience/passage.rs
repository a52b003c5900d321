//! A text whose lines can be dropped.

use std::ops::Range;

use super::{
    lines::Line,
    weights::{Origin, Weights},
};
use crate::transcript::ContentPiece;

/// Approximate tokens of a marker.
pub const MARKER_TOKENS: f32 = 6.0;

/// A text, or a part of one, whose lines can be dropped.
pub struct Passage<'t> {
    /// Index of the message.
    pub message: usize,
    /// The piece.
    pub piece: ContentPiece,
    /// The text of the piece.
    pub text: &'t str,
    /// The origin of the text.
    pub origin: Origin,
    /// The lines, with their worth.
    pub lines: Vec<LineValue>,
    /// True if the last line continues after the piece.
    pub goes_on: bool,
    /// True if the block is pinned, so that no part of it may change.
    pub is_pinned: bool,
    /// True if most lines show their number.
    pub numbered: bool,
    /// Tokens of the text.
    pub tokens: usize,
    /// True if the passage is always kept whole.
    pub whole: bool,
    /// Ranges of lines that are worth keeping together.
    pub parts: Vec<Range<usize>>,
}

impl Passage<'_> {
    /// Returns, for each line, whether it is always kept.
    pub fn staying(&self) -> Vec<bool> {
        self.lines.iter().map(|value| value.line.stays || value.ends).collect()
    }

    /// Returns true if the choice drops a line other than a gap marker.
    pub fn misses(&self, kept: &[bool]) -> bool {
        self.lines.iter().zip(kept).any(|(value, kept)| !kept && !value.line.is_gap)
    }

    /// Returns true if the choice keeps a line besides those with `Line::stays`, or a line of the ending: the line that
    /// reports a failure is both.
    pub fn says(&self, kept: &[bool]) -> bool {
        self.lines.iter().zip(kept).any(|(value, kept)| *kept && (value.ends || !value.line.stays))
    }

    /// Drops the rest of an ending of several lines if one of its lines is not kept. Half an ending would be
    /// misleading, such as the count of passed tests without the count of failed ones.
    pub fn drop_half_ending(&self, kept: &mut [bool]) {
        let together = || (0..self.lines.len()).filter(|line| self.lines[*line].together);
        if together().any(|line| !kept[line]) {
            together().for_each(|line| kept[line] &= self.lines[line].line.stays);
        }
    }

    /// Returns the number of characters of a line, without its line number.
    pub fn characters(&self, value: &LineValue) -> usize {
        self.text[value.line.content..value.line.range.end].chars().count()
    }
}

/// A line with its worth.
pub struct LineValue {
    /// The line.
    pub line: Line,
    /// Estimated tokens of the line.
    pub cost: f32,
    /// Hash of the content without surrounding blanks.
    pub hash: u64,
    /// Hash of the line with both neighbours (a window). A window that is also kept elsewhere is worth nothing.
    pub window: u64,
    /// Worth per token as part of a passage.
    pub density: f32,
    /// True if the line is always kept: an important line of an ending, or the first line of the assistant's text.
    pub ends: bool,
    /// True if the line reports how a call ended or where it failed. Its tokens then have a worth of their own,
    /// whatever names it contains.
    pub tells: bool,
    /// True if the line is part of an ending that is kept whole or dropped.
    pub together: bool,
    /// True if a later edit replaced the line.
    pub replaced: bool,
    /// The range of its names in `Survey::occurrences`.
    pub names: Range<usize>,
}

#[cfg(test)]
impl LineValue {
    /// Creates a line of one token without names and without worth.
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
    /// Returns the line's worth as part of a passage.
    pub fn in_passage(&self, weights: Weights) -> f32 {
        let replaced = if self.replaced { weights.replaced() } else { 1.0 };
        replaced * self.density * self.cost
    }

    /// Returns the line's worth as a report of how a call ended.
    pub fn in_telling(&self, weights: Weights) -> f32 {
        if self.tells { weights.telling() * self.cost } else { 0.0 }
    }
}
