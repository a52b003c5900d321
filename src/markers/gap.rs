//! Notes about missing lines, characters or messages.

use std::fmt::{self, Display};

use super::words::{counted, number, uncounted};

/// The content missing at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// `[…12]`, `[…12-40]`: whole lines. It fills a line. Short, because it is what is written most often: with words it takes 7 tokens, not 5.
    Lines(LineGap),
    /// `[… 34 lines left out]`: this many whole lines that a pointer led to, or whose numbers are not certain. It fills
    /// a line.
    Elsewhere(usize),
    /// `[… 120 characters]`: a part of a line. It stands in that line.
    Characters(usize),
    /// `[… messages left out]`: messages after the one it is in. It fills the last line of a text, or a text. It has no
    /// number, because a later removal cannot know how many the note covers already.
    Messages,
}

/// Lines that were left out, by their numbers: those that the text shows, or counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineGap {
    /// The first line.
    pub first: usize,
    /// The last line, included.
    pub last: usize,
}

const OPENING: &str = "[… ";
/// The opening of a gap of lines: the numbers follow at once.
const LINES: &str = "[…";
const LEFT_OUT: &str = " left out]";
const MESSAGES: &str = "messages";

impl Gap {
    /// The gap that `content` is, as a whole.
    #[must_use]
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

    /// Whether something was left out of `text` before. Fast, and true for some texts that only look like it.
    #[must_use]
    pub fn may_be_in(text: &str) -> bool {
        text.contains(LINES)
    }
}

impl LineGap {
    /// Reads what stands in the brackets: `12`, `12-40`.
    fn read(numbers: &str) -> Option<Self> {
        let Some((first, last)) = numbers.split_once('-') else {
            let only = number(numbers)?;
            return (only < MAX_LINE).then_some(Self { first: only, last: only });
        };
        let gap = Self { first: number(first)?, last: number(last)? };
        (gap.first < gap.last && gap.last < MAX_LINE).then_some(gap)
    }
}

/// The largest line number accepted: readers count on from it, and one near the largest integer would overflow.
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
