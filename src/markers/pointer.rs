//! Pointers to content that the lossless provider left out. `docs/markers.md` has the grammar and the reasons.

use std::fmt::{self, Display};

use crate::conversation::is_invisible;

/// Points to content that was left out, so that it can be read elsewhere. It fills the whole content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer<'a> {
    /// `[34 lines as below from "export function parseDay("]`
    Reference(Reference<'a>),
    /// `[The line above 9 more times]`
    Repeat {
        /// The number of further times.
        times: u32,
    },
    /// `[34 lines, every 10th numbered:]`, after the number of the first line: the heading of lines of which most
    /// lost their numbers.
    Sparse {
        /// The number of lines that follow.
        lines: u32,
    },
}

/// Lines that are elsewhere, starting at the nearest line that begins with the quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The number of lines.
    pub lines: u32,
    /// The direction in which to search from the marker: first in its own text, then in the texts before or after it.
    pub direction: Direction,
    /// The beginning of the first line, after its number and indentation.
    pub quote: &'a str,
}

/// The direction from a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Earlier in the conversation.
    Above,
    /// Later in the conversation.
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

/// Below a [`Pointer::Sparse`] heading, lines whose number is a multiple of this keep it, so that a reader can find a
/// line by its number.
pub const NUMBERED_EVERY: u32 = 10;

/// Pointers to more lines are not recognised: their only use would be to exhaust memory.
const MAX_LINES: u32 = 10_000_000;

/// Shorter quotes are not recognised: they would match too many lines.
pub const MIN_QUOTE_BYTES: usize = 4;

/// Longer quotes are not recognised: reading them would cost more than they help.
pub const MAX_QUOTE_BYTES: usize = 120;

const AS: &str = " as ";
const FROM: &str = " from \"";
const QUOTE_END: &str = "\"]";
const REPEATED: &str = "[The line above ";
const TIMES: &str = " more times]";
const NUMBERED: &str = " lines, every 10th numbered:]";

/// The words behind the number of a pointer to lines elsewhere.
const ELSEWHERE: [&str; 2] = [" lines as ", " line as "];

/// Returns true if a text may hold a pointer. Fast: only the characters after brackets are examined. Also works on
/// JSON that contains the text.
pub fn may_hold_pointers(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes).any(|at| {
        let rest = &bytes[at..];
        rest.starts_with(REPEATED.as_bytes())
            || behind_number(rest).is_some_and(|rest| rest.starts_with(NUMBERED.as_bytes()) || is_elsewhere(rest))
    })
}

/// Returns true if a text may hold a pointer to lines of another text. Fast, and works on JSON, as
/// [`may_hold_pointers`].
pub fn may_point_elsewhere(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes).any(|at| behind_number(&bytes[at..]).is_some_and(is_elsewhere))
}

/// Returns the text behind a bracket and a number.
fn behind_number(text: &[u8]) -> Option<&[u8]> {
    if !matches!(text.get(1), Some(b'1'..=b'9')) {
        return None;
    }
    let digits = text[1..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    Some(&text[1 + digits..])
}

fn is_elsewhere(rest: &[u8]) -> bool {
    ELSEWHERE.iter().any(|words| rest.starts_with(words.as_bytes()))
}

/// Returns the quote for a pointer to a line with this content: its beginning after the indentation, at least `least`
/// bytes long, up to the end of a word. `None` if that would be too short to be found, or too long.
pub fn quote_of(content: &str, least: usize) -> Option<&str> {
    let content = content.trim_start_matches([' ', '\t']);
    if content.starts_with('[') {
        return None;
    }
    // A quote must match the line itself, so it ends before private-use characters, which may represent others that
    // cannot be written, and before invisible ones, which a model cannot reproduce.
    let unquotable = |c: char| {
        let is_plain = (' '..='~').contains(&c);
        !is_plain && (c.is_control() || is_invisible(c) || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..))
    };
    // Most lines begin with visible ASCII, which cannot end a quote that is still too short.
    let too_short = content.bytes().take(least.min(MAX_QUOTE_BYTES));
    let from = too_short.take_while(|byte| matches!(byte, b' '..=b'~')).count();
    let mut is_behind_blank = content[..from].ends_with(' ');
    let is_end = |(at, c): &(usize, char)| {
        let is_end_of_word = from + at >= least && !c.is_alphanumeric() && *c != '_' && !is_behind_blank;
        is_behind_blank = c.is_whitespace();
        is_end_of_word || unquotable(*c) || from + at > MAX_QUOTE_BYTES
    };
    let end = content[from..].char_indices().find(is_end).map_or(content.len(), |(at, _)| from + at);
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
    /// Parses `content` as a whole.
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

    /// Returns the number of lines it represents; 0 for the heading of lines that follow.
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
        // As one string, because thousands are written, and a string to which parts are added one by one moves often.
        let lines = lines.to_string();
        f.write_str(&["[", &lines, " line", plural, AS, direction.word(), FROM, quote, QUOTE_END].concat())
    }
}

/// Parses the whole number at the start of `text`, at least 1 and without leading zeros, and returns the text after
/// it.
fn leading(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    if text.starts_with('0') {
        return None;
    }
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// Parses `text` as a whole number.
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
