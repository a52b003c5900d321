//! The lines that head summaries, and the message that stands behind one.

use std::fmt::{self, Display};

use super::words::{counted, uncounted};

/// The line above a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryHead {
    /// `[Summary of 60 lines]`: of one text, in its place.
    Lines(usize),
}

const OPENING: &str = "[Summary of ";

impl SummaryHead {
    /// The head that `line` is.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let of = line.strip_prefix(OPENING)?.strip_suffix(']')?;
        uncounted(of, "line").map(Self::Lines)
    }

    /// The head of a text that is a summary.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Self::read(text.split_once('\n')?.0)
    }
}

impl Display for SummaryHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(OPENING)?;
        match self {
            Self::Lines(lines) => f.write_str(&counted(*lines, "line"))?,
        }
        f.write_str("]")
    }
}
