//! The lines that head summaries, and the message that stands behind one.

use std::fmt::{self, Display};

use super::words::{counted, number, uncounted};

/// The line above a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryHead {
    /// `[Summary of 60 lines]`: of one text, in its place.
    Lines(usize),
    /// `[Summary of everything before this point]`: of the messages before, in a question to a model.
    Earlier,
    /// `[Summary of part 2 of 3]`: of some of the messages, in a question to a model that is to merge them.
    Part {
        /// Which part, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
}

const OPENING: &str = "[Summary of ";
const EARLIER: &str = "everything before this point";
const PART: &str = "part ";

impl SummaryHead {
    /// The head that `line` is.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let of = line.strip_prefix(OPENING)?.strip_suffix(']')?;
        if of == EARLIER {
            return Some(Self::Earlier);
        }
        if let Some(part) = of.strip_prefix(PART) {
            let (part, of) = part.split_once(" of ")?;
            let (number, of) = (number(part)?, number(of)?);
            return (1..=of).contains(&number).then_some(Self::Part { number, of });
        }
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
            Self::Earlier => f.write_str(EARLIER)?,
            Self::Part { number, of } => write!(f, "{PART}{number} of {of}")?,
        }
        f.write_str("]")
    }
}
