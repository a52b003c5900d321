//! Markers for the rest of a text that was cut to its first lines or characters.

use std::fmt::{self, Display};

use super::words::number;

/// The content removed by a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// `... (18 more lines)`. It fills a line.
    Lines(usize),
    /// `... (400 more characters)`, right after the characters that were kept.
    Characters(usize),
}

const OPENING: &str = "... (";
const LINES: &str = " more lines)";
const CHARACTERS: &str = " more characters)";

impl More {
    /// Approximate size of the marker in bytes.
    pub const BYTES: usize = 24;

    /// Parses `content` as a whole.
    pub fn read(content: &str) -> Option<Self> {
        Self::inner(content.strip_prefix(OPENING)?)
    }

    /// If `text` ends with a marker of this kind, returns the text before it, and the number of characters cut from
    /// the end.
    pub fn characters_at_end(text: &str) -> Option<(&str, usize)> {
        let (shown, inner) = text.rsplit_once(OPENING)?;
        match Self::inner(inner)? {
            Self::Characters(hidden) => Some((shown, hidden)),
            Self::Lines(_) => None,
        }
    }

    fn inner(inner: &str) -> Option<Self> {
        if let Some(lines) = inner.strip_suffix(LINES) {
            return number(lines).map(Self::Lines);
        }
        number(inner.strip_suffix(CHARACTERS)?).map(Self::Characters)
    }
}

impl Display for More {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(count) => write!(f, "{OPENING}{count}{LINES}"),
            Self::Characters(count) => write!(f, "{OPENING}{count}{CHARACTERS}"),
        }
    }
}
