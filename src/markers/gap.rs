//! Where salient truncation leaves something out.

use std::fmt::{self, Display};

use super::words::{counted, number, uncounted};

/// What stood here and is not there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// `[… line 12]`, `[… lines 12-40]`: whole lines. It fills a line.
    Lines(LineGap),
    /// `[… 34 lines left out]`: so many whole lines that a pointer led to. It fills a line.
    Elsewhere(usize),
    /// `[… 120 characters]`: a part of a line. It stands in that line.
    Characters(usize),
    /// `[… 4 messages left out here]`: messages after the one it stands in. It fills the last line of a text.
    Messages(usize),
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
const HERE: &str = " left out here]";
const LEFT_OUT: &str = " left out]";

impl Gap {
    /// The gap that `content` is, as a whole.
    #[must_use]
    pub fn read(content: &str) -> Option<Self> {
        let rest = content.strip_prefix(OPENING)?;
        if let Some(messages) = rest.strip_suffix(HERE) {
            return uncounted(messages, "message").map(Self::Messages);
        }
        if let Some(lines) = rest.strip_suffix(LEFT_OUT) {
            return uncounted(lines, "line").map(Self::Elsewhere);
        }
        let rest = rest.strip_suffix(']')?;
        if let Some(characters) = rest.strip_suffix(" characters") {
            return number(characters).map(Self::Characters);
        }
        LineGap::read(rest.strip_prefix("line")?).map(Self::Lines)
    }

    /// Whether something was left out of `text` before. Fast, and true for some texts that only look like it.
    #[must_use]
    pub fn may_be_in(text: &str) -> bool {
        text.contains(OPENING)
    }
}

impl LineGap {
    /// Reads what stands behind `[… line`.
    fn read(rest: &str) -> Option<Self> {
        let gap = if let Some(range) = rest.strip_prefix("s ") {
            let (first, last) = range.split_once('-')?;
            Self { first: number(first)?, last: number(last)? }
        } else {
            let only = number(rest.strip_prefix(' ')?)?;
            return (only < MAX_LINE).then_some(Self { first: only, last: only });
        };
        (gap.first < gap.last && gap.last < MAX_LINE).then_some(gap)
    }
}

/// Who reads a text counts on from the number of a gap: one near the largest would overflow.
const MAX_LINE: usize = usize::MAX / 2;

impl Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(gap) if gap.first == gap.last => write!(f, "{OPENING}line {}]", gap.first),
            Self::Lines(gap) => write!(f, "{OPENING}lines {}-{}]", gap.first, gap.last),
            Self::Elsewhere(count) => write!(f, "{OPENING}{}{LEFT_OUT}", counted(*count, "line")),
            Self::Characters(count) => write!(f, "{OPENING}{count} characters]"),
            Self::Messages(count) => write!(f, "{OPENING}{}{HERE}", counted(*count, "message")),
        }
    }
}
