//! The lines that head summaries, and the message that stands behind one.

use std::fmt::{self, Display};

use super::words::{counted, uncounted};

/// The line above a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryHead {
    /// `[Summary of 60 lines]`: of one text, in its place.
    Lines(usize),
    /// `[Summary of 12 messages]`: of so many messages, in their place, where no field can say so.
    Messages(usize),
}

const OPENING: &str = "[Summary of ";

impl SummaryHead {
    /// The head that `line` is.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let of = line.strip_prefix(OPENING)?.strip_suffix(']')?;
        uncounted(of, "line").map(Self::Lines).or_else(|| uncounted(of, "message").map(Self::Messages))
    }

    /// The head of a text that is a summary.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Self::read(text.split_once('\n')?.0)
    }

    /// Whether a text is a summary of messages, in their place.
    #[must_use]
    pub fn is_of_messages(text: &str) -> bool {
        matches!(Self::of(text), Some(Self::Messages(_)))
    }
}

impl Display for SummaryHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(OPENING)?;
        match self {
            Self::Lines(lines) => f.write_str(&counted(*lines, "line"))?,
            Self::Messages(messages) => f.write_str(&counted(*messages, "message"))?,
        }
        f.write_str("]")
    }
}
