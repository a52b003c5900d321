//! Where content stands that the lossless provider left out. `docs/markers.md` has the grammar and the reasons.

use std::fmt::{self, Display};

/// Leads to what was left out, so that it can be read back. It fills the whole content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer<'a> {
    /// `[See lines 12-45 in message 57: src/a.ts]`
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

/// Lines that stand elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// How lines are counted there.
    pub counted: Counted,
    /// The first line.
    pub first: u32,
    /// The last line, included.
    pub last: u32,
    /// Where.
    pub target: Target<'a>,
    /// What stands there, for the reader; nothing depends on it.
    pub label: &'a str,
}

/// How the lines of a text are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// By the numbers that the text shows; from 1 at its top when it shows none.
    AsShown,
    /// From 1 at its top, whatever numbers it shows.
    FromTop,
}

/// A text of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// The text that the marker stands in, above the marker.
    Above,
    /// A text of a message.
    Text(TextName<'a>),
}

/// Names a text of a conversation, as short as it is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextName<'a> {
    /// The message, from 1.
    pub message: u32,
    /// The block, from 1; 0 when the message has only one text it can be.
    pub block: u32,
    /// The field that the text is the value of; empty when the block has only one text.
    pub field: &'a str,
    /// Which of the texts with this field, from 1.
    pub nth: u32,
}

/// Below the heading of [`Pointer::Sparse`], lines whose number is a multiple of this keep it, so that a reader finds lines by number.
pub const NUMBERED_EVERY: u32 = 10;

/// Markers of more lines are not believed: they would only serve to exhaust memory.
const MAX_LINES: u32 = 10_000_000;

const SEE: &str = "[See ";
const IN_MESSAGE: &str = " in message ";
const ABOVE: &str = "[The line above ";
const TIMES: &str = " more times]";
const NUMBERED: &str = " lines, every 10th numbered:]";

/// Whether a text can hold a pointer. Fast: only what stands behind brackets is looked at.
#[must_use]
pub fn may_hold_pointers(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes).any(|at| {
        let rest = &bytes[at..];
        match rest.get(1) {
            Some(b'S') => rest.starts_with(SEE.as_bytes()),
            Some(b'T') => rest.starts_with(ABOVE.as_bytes()),
            Some(b'1'..=b'9') => {
                let digits = rest[1..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
                rest[1 + digits..].starts_with(NUMBERED.as_bytes())
            }
            _ => false,
        }
    })
}

/// The messages, from 0, that the pointers in a text may lead to. Fast, and some are named by what only looks like a pointer.
pub fn messages_named(text: &str) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(text.as_bytes(), IN_MESSAGE).filter_map(|at| {
        let digits = text[at + IN_MESSAGE.len()..].bytes().take(9).take_while(u8::is_ascii_digit);
        digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0')).checked_sub(1)
    })
}

impl<'a> Pointer<'a> {
    /// The pointer that `content` is, as a whole.
    #[must_use]
    pub fn read(content: &'a str) -> Option<Self> {
        if !content.starts_with('[') {
            return None;
        }
        if let Some(rest) = content.strip_prefix(SEE) {
            return Reference::read(rest).map(Self::Reference);
        }
        if let Some(rest) = content.strip_prefix(ABOVE) {
            let times = whole(rest.strip_suffix(TIMES)?)?;
            return Some(Self::Repeat { times });
        }
        let lines = whole(content[1..].strip_suffix(NUMBERED)?)?;
        Some(Self::Sparse { lines })
    }

    /// How many lines it stands for; 0 for the heading of lines that follow.
    #[must_use]
    pub fn lines(&self) -> u32 {
        match self {
            Self::Reference(reference) => reference.last - reference.first + 1,
            Self::Repeat { times } => *times,
            Self::Sparse { .. } => 0,
        }
    }
}

impl<'a> Reference<'a> {
    fn read(rest: &'a str) -> Option<Self> {
        let mut rest = rest.strip_suffix(']')?;
        let counted = match rest.strip_prefix("text ") {
            Some(behind) => {
                rest = behind;
                Counted::FromTop
            }
            None => Counted::AsShown,
        };
        let (first, last);
        if let Some(behind) = rest.strip_prefix("lines ") {
            let (from, behind) = leading(behind)?;
            let (to, behind) = leading(behind.strip_prefix('-')?)?;
            (first, last, rest) = (from, to, behind);
            if first == last {
                return None;
            }
        } else {
            let (only, behind) = leading(rest.strip_prefix("line ")?)?;
            (first, last, rest) = (only, only, behind);
        }
        if last < first || last - first >= MAX_LINES {
            return None;
        }
        let (place, label) = rest.split_once(": ").unwrap_or((rest, ""));
        if label.is_empty() && place.len() != rest.len() {
            return None;
        }
        let target = if place == " above" {
            Target::Above
        } else {
            let (message, behind) = leading(place.strip_prefix(IN_MESSAGE)?)?;
            Target::Text(TextName::read(message, behind)?)
        };
        Some(Self { counted, first, last, target, label })
    }
}

impl<'a> TextName<'a> {
    fn read(message: u32, rest: &'a str) -> Option<Self> {
        let Some(rest) = rest.strip_prefix(", block ") else {
            return rest.is_empty().then_some(Self { message, block: 0, field: "", nth: 1 });
        };
        let (block, rest) = leading(rest)?;
        let Some(rest) = rest.strip_prefix(' ') else {
            return rest.is_empty().then_some(Self { message, block, field: "", nth: 1 });
        };
        let (field, nth) = match rest.split_once(' ') {
            Some((field, nth)) => (field, whole(nth).filter(|nth| *nth > 1)?),
            None => (rest, 1),
        };
        is_field(field).then_some(Self { message, block, field, nth })
    }
}

/// Whether a field can be named in a marker.
#[must_use]
pub fn is_field(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 40
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A label with which a marker is still a marker of one line.
#[must_use]
pub fn clean_label(label: &str) -> String {
    label.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

impl Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(reference) => reference.fmt(f),
            Self::Repeat { times } => write!(f, "{ABOVE}{times}{TIMES}"),
            Self::Sparse { lines } => write!(f, "[{lines}{NUMBERED}"),
        }
    }
}

impl Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SEE)?;
        if self.counted == Counted::FromTop {
            f.write_str("text ")?;
        }
        if self.first == self.last {
            write!(f, "line {}", self.first)?;
        } else {
            write!(f, "lines {}-{}", self.first, self.last)?;
        }
        match &self.target {
            Target::Above => f.write_str(" above")?,
            Target::Text(name) => write!(f, " in {name}")?,
        }
        if !self.label.is_empty() {
            write!(f, ": {}", self.label)?;
        }
        f.write_str("]")
    }
}

impl Display for TextName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}", self.message)?;
        if self.block > 0 {
            write!(f, ", block {}", self.block)?;
            if !self.field.is_empty() {
                write!(f, " {}", self.field)?;
                if self.nth > 1 {
                    write!(f, " {}", self.nth)?;
                }
            }
        }
        Ok(())
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
            "[See lines 12-45 in message 57]",
            "[See lines 12-45 in message 57: src/a.ts]",
            "[See line 3 in message 1: a: b]",
            "[See lines 3-9 above]",
            "[See text lines 3-9 in message 5, block 2: npm test]",
            "[See lines 1-2 in message 5, block 2 new_string: Edit]",
            "[See lines 1-2 in message 5, block 2 content 3: x]",
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
            "[See lines 12-45 in message 57",
            "[See lines 45-12 in message 57]",
            "[See lines 0-3 in message 57]",
            "[See lines 1-03 in message 57]",
            "[See lines 3-3 above]",
            "[See lines 1-99999999 above]",
            "[See lines 1-99999999999999999999 above]",
            "[See lines 3-9 above: ]",
            "[See lines 3-9 in message 5, block 0]",
            "[See lines 3-9 in message 5, block 2 a b]",
            "[See lines 3-9 in message 5, block 2 a 1]",
            "[The line above 0 more times]",
            " [The line above 2 more times]",
            "[x lines, every 10th numbered:]",
        ] {
            assert_eq!(Pointer::read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn one_way_to_write_each(text in "\\[(See (text )?lines? [0-9]{1,3}(-[0-9]{1,3})?( above| in message [0-9]{1,2})?(, block [0-9])?( [a-z]{1,3})?( [0-9])?(: [a-z:]{0,3})?|The line above [0-9]{1,2} more times)\\]") {
            if let Some(marker) = Pointer::read(&text) {
                prop_assert_eq!(marker.to_string(), text);
            }
        }
    }
}
