//! Pointers to content that the lossless provider left out. `docs/markers.md` has the grammar and the reasons.

use std::fmt::{self, Display};

use crate::conversation::is_invisible;

/// Leads to what was left out, so that it can be read back. It fills the whole content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer<'a> {
    /// `[34 lines as below from "export function parseDay("]`
    Reference(Reference<'a>),
    /// `[The line above 9 more times]`
    Repeat {
        /// How many more times.
        times: u32,
    },
    /// `[34 lines, every 10th numbered:]`, behind the number of the first one: the heading of lines of which most lost their numbers.
    Sparse {
        /// How many lines follow.
        lines: u32,
    },
}

/// Lines that stand elsewhere: those from the nearest line that begins with the quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// How many lines.
    pub lines: u32,
    /// The direction in which to look for them from the marker: in its own text first, then in those before or after
    /// it.
    pub direction: Direction,
    /// The beginning of the first of them, behind its number and indentation.
    pub quote: &'a str,
}

/// The direction from a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Earlier in the conversation.
    Above,
    /// Later in it.
    Below,
}

impl Direction {
    fn word(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
        }
    }
}

/// Below the heading of [`Pointer::Sparse`], lines whose number is a multiple of this keep it, so that a reader finds lines by number.
pub const NUMBERED_EVERY: u32 = 10;

/// Markers of more lines are not believed: they would only serve to exhaust memory.
const MAX_LINES: u32 = 10_000_000;

/// Shorter quotes are not believed: they would fit too many lines.
pub const MIN_QUOTE_BYTES: usize = 4;

/// Nor are longer ones: nobody reads them.
pub const MAX_QUOTE_BYTES: usize = 120;

const AS: &str = " as ";
const FROM: &str = " from \"";
const QUOTE_END: &str = "\"]";
const REPEATED: &str = "[The line above ";
const TIMES: &str = " more times]";
const NUMBERED: &str = " lines, every 10th numbered:]";

/// Whether a text can hold a pointer. Fast: only what stands behind brackets is looked at. JSON with the text in it will do.
#[must_use]
pub fn may_hold_pointers(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes).any(|at| {
        let rest = &bytes[at..];
        match rest.get(1) {
            Some(b'T') => rest.starts_with(REPEATED.as_bytes()),
            Some(b'1'..=b'9') => {
                let digits = rest[1..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
                let rest = &rest[1 + digits..];
                [NUMBERED, " lines as ", " line as "].iter().any(|words| rest.starts_with(words.as_bytes()))
            }
            _ => false,
        }
    })
}

/// Returns the quote for a pointer to a line with this content: its beginning, behind its indentation, of `least` bytes
/// and on to the end of a word. `None` if that is too short to be found by, or too long.
#[must_use]
pub fn quote_of(content: &str, least: usize) -> Option<&str> {
    let content = content.trim_start_matches([' ', '\t']);
    if content.starts_with('[') {
        return None;
    }
    // Private-use characters may stand for ones that cannot be written, and invisible ones cannot be spelled out,
    // although a quote must match the line itself: it ends before both.
    let unquotable =
        |c: char| c.is_control() || is_invisible(c) || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..);
    let mut is_behind_blank = false;
    let is_end = |(at, c): &(usize, char)| {
        let is_end_of_word = *at >= least && !c.is_alphanumeric() && *c != '_' && !is_behind_blank;
        is_behind_blank = c.is_whitespace();
        is_end_of_word || unquotable(*c) || *at > MAX_QUOTE_BYTES
    };
    let end = content.char_indices().find(is_end).map_or(content.len(), |(at, _)| at);
    let mut quote = content[..end].trim_end();
    if quote.len() > MAX_QUOTE_BYTES {
        let mut end = MAX_QUOTE_BYTES;
        while !quote.is_char_boundary(end) {
            end -= 1;
        }
        quote = quote[..end].trim_end();
    }
    let says_something = quote.chars().filter(|c| c.is_alphanumeric()).nth(MIN_QUOTE_BYTES - 1).is_some();
    let is_all = || content[quote.len()..].chars().take_while(|c| !unquotable(*c)).all(char::is_whitespace);
    (says_something && (quote.len() >= least || is_all())).then_some(quote)
}

impl<'a> Pointer<'a> {
    /// The pointer that `content` is, as a whole.
    #[must_use]
    pub fn read(content: &'a str) -> Option<Self> {
        let inside = content.strip_prefix('[')?;
        if let Some(rest) = content.strip_prefix(REPEATED) {
            let times = whole(rest.strip_suffix(TIMES)?)?;
            return Some(Self::Repeat { times });
        }
        if let Some(lines) = inside.strip_suffix(NUMBERED) {
            return Some(Self::Sparse { lines: whole(lines)? });
        }
        Reference::read(inside).map(Self::Reference)
    }

    /// How many lines it stands for; 0 for the heading of lines that follow.
    #[must_use]
    pub fn lines(&self) -> u32 {
        match self {
            Self::Reference(reference) => reference.lines,
            Self::Repeat { times } => *times,
            Self::Sparse { .. } => 0,
        }
    }
}

impl<'a> Reference<'a> {
    fn read(inside: &'a str) -> Option<Self> {
        let (lines, rest) = leading(inside)?;
        let rest = rest.strip_prefix(if lines == 1 { " line" } else { " lines" })?.strip_prefix(AS)?;
        let mut directions = [Direction::Above, Direction::Below].into_iter();
        let (direction, rest) =
            directions.find_map(|direction| Some((direction, rest.strip_prefix(direction.word())?)))?;
        let quote = rest.strip_prefix(FROM)?.strip_suffix(QUOTE_END)?;
        let is_quote = (MIN_QUOTE_BYTES..=MAX_QUOTE_BYTES).contains(&quote.len())
            && !quote.starts_with(['[', ' ', '\t'])
            && !quote.contains(char::is_control);
        (lines <= MAX_LINES && is_quote).then_some(Self { lines, direction, quote })
    }
}

impl Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(reference) => reference.fmt(f),
            Self::Repeat { times } => write!(f, "{REPEATED}{times}{TIMES}"),
            Self::Sparse { lines } => write!(f, "[{lines}{NUMBERED}"),
        }
    }
}

impl Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, direction, quote } = self;
        let plural = if *lines == 1 { "" } else { "s" };
        write!(f, "[{lines} line{plural}{AS}{}{FROM}{quote}{QUOTE_END}", direction.word())
    }
}

/// The whole number at the start, and what stands behind it. As it is written: no zero in front, at least 1.
fn leading(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    if text.starts_with('0') {
        return None;
    }
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// The whole number that the text is.
fn whole(text: &str) -> Option<u32> {
    let (number, rest) = leading(text)?;
    (rest.is_empty() && number <= MAX_LINES).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_it_writes() {
        for text in [
            "[34 lines as below from \"export function parseDay(\"]",
            "[1 line as above from \"a \"quoted\" word\"]",
            "[The line above 9 more times]",
            "[34 lines, every 10th numbered:]",
        ] {
            assert_eq!(Pointer::read(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn everything_else_is_text() {
        for text in [
            "",
            "[",
            "[34 lines as below from \"export function",
            "[34 lines as below from \"abc\"]",
            "[34 lines as below from \" abcd\"]",
            "[34 lines as below from \"[34 lines\"]",
            "[34 lines as below from \"abcd]",
            "[0 lines as below from \"abcd\"]",
            "[034 lines as below from \"abcd\"]",
            "[1 lines as below from \"abcd\"]",
            "[2 line as below from \"abcd\"]",
            "[99999999 lines as below from \"abcd\"]",
            "[99999999999999999999 lines as below from \"abcd\"]",
            "[3 lines as beside from \"abcd\"]",
            "[3 lines as below from \"abcd\" ]",
            "[The line above 0 more times]",
            " [The line above 2 more times]",
            "[x lines, every 10th numbered:]",
        ] {
            assert_eq!(Pointer::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_quote_is_the_beginning_of_a_line_up_to_the_end_of_a_word() {
        for (line, least, quote) in [
            ("    export function parseDay(text) {", 15, Some("export function")),
            ("    export function parseDay(text) {", 16, Some("export function parseDay")),
            ("\tshort", 16, Some("short")),
            ("short", 5, Some("short")),
            ("return x; // why\u{7}", 24, Some("return x; // why")),
            ("return x; // why\u{202e}not", 24, Some("return x; // why")),
            ("re\u{200b}turn x; // why", 16, None),
            ("}", 1, None),
            ("  });", 1, None),
            ("[34 lines", 1, None),
            ("", 1, None),
        ] {
            assert_eq!(quote_of(line, least), quote, "{line}");
        }
        let endless = "x".repeat(300);
        assert_eq!(quote_of(&endless, 24).map(str::len), Some(MAX_QUOTE_BYTES));
        assert_eq!(quote_of(&endless, 121), None);
    }

    proptest! {
        #[test]
        fn one_way_to_write_each(text in "\\[([0-9]{1,3} lines? as (above|below) from \"[ a-z\"\\[]{0,6}\"|The line above [0-9]{1,2} more times)\\]") {
            if let Some(marker) = Pointer::read(&text) {
                prop_assert_eq!(marker.to_string(), text);
            }
        }
    }
}
