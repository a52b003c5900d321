//! Markers for missing lines, characters or messages.

use std::fmt::{self, Display};

use super::words::{counted, number, uncounted};

/// Content that is missing at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// `[…12]`, `[…12-40]`: whole lines. It fills a line. It is the most frequent marker, so it is short: with words it
    /// would take 7 tokens instead of 5.
    Lines(LineGap),
    /// `[… 34 lines left out]`: this many whole lines that a pointer pointed to, or whose numbers are not certain. It
    /// fills a line.
    Elsewhere(usize),
    /// `[… 120 characters]`: part of a line, in that line.
    Characters(usize),
    /// `[… messages left out]`: messages after the one that contains it. It fills the last line of a text, or a text.
    /// It has no count, because a later removal cannot know how many messages the marker covers already.
    Messages,
}

/// Numbers of left-out lines: those that the text shows, or counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineGap {
    /// The first line.
    pub first: usize,
    /// The last line, included.
    pub last: usize,
}

const OPENING: &str = "[… ";
/// The opening of a gap with line numbers, which follow at once.
const LINES: &str = "[…";
const LEFT_OUT: &str = " left out]";
const MESSAGES: &str = "messages";

impl Gap {
    /// Parses `content` as a whole.
    pub fn read(content: &str) -> Option<Self> {
        let Some(rest) = content.strip_prefix(OPENING) else {
            return LineGap::read(content.strip_prefix(LINES)?.strip_suffix(']')?).map(Self::Lines);
        };
        if let Some(lines) = rest.strip_suffix(LEFT_OUT) {
            if lines == MESSAGES {
                return Some(Self::Messages);
            }
            return uncounted(lines, "line").map(Self::Elsewhere);
        }
        number(rest.strip_suffix(" characters]")?).map(Self::Characters)
    }

    /// Returns true if something may have been left out of `text`. Fast; also true for some texts that only look like
    /// it.
    pub fn may_be_in(text: &str) -> bool {
        text.contains(LINES)
    }
}

impl LineGap {
    /// Parses the text between the brackets: `12`, `12-40`.
    fn read(numbers: &str) -> Option<Self> {
        let Some((first, last)) = numbers.split_once('-') else {
            let only = number(numbers)?;
            return (only < MAX_LINE).then_some(Self { first: only, last: only });
        };
        let gap = Self { first: number(first)?, last: number(last)? };
        (gap.first < gap.last && gap.last < MAX_LINE).then_some(gap)
    }
}

/// The largest line number accepted. Readers continue counting from it, and numbers near the largest integer would
/// overflow.
const MAX_LINE: usize = usize::MAX / 2;

impl Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(gap) if gap.first == gap.last => write!(f, "{LINES}{}]", gap.first),
            Self::Lines(gap) => write!(f, "{LINES}{}-{}]", gap.first, gap.last),
            Self::Elsewhere(count) => write!(f, "{OPENING}{}{LEFT_OUT}", counted(*count, "line")),
            Self::Characters(count) => write!(f, "{OPENING}{count} characters]"),
            Self::Messages => write!(f, "{OPENING}{MESSAGES}{LEFT_OUT}"),
        }
    }
}
