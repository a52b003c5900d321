//! Replaces characters that are invisible, or change how others are shown, by their code points. In texts that this
//! crate writes (a request, a note, the head of a log), they could hide instructions from people, or reorder the shown
//! words.

use std::{borrow::Cow, fmt::Write as _};

/// Maximum length of a sequence that is written out, in characters; a longer one is replaced by its length.
const MAX_IN_A_ROW: usize = 3;

/// Returns true for direction marks, zero-width characters, tags and the supplementary variation selectors. Returns
/// false for joiners and the variation selectors of emoji, because they are part of how words and signs are written.
pub fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{e0000}'..='\u{e007f}'
        | '\u{e0100}'..='\u{e01ef}')
}

/// Returns true if a character has no visible form: blanks, control characters, characters drawn as blanks, and
/// characters that Unicode lets programs ignore, including joiners and variation selectors
/// (`Default_Ignorable_Code_Point` of Unicode 17).
pub fn is_unseen(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || is_invisible(letter)
        || matches!(letter,
            '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the text with `<U+202E>` or `<12 invisible characters>` in place of invisible characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_invisible) {
        let (before, from) = rest.split_at(start);
        written.push_str(before);
        let end = from.find(|letter| !is_invisible(letter)).unwrap_or(from.len());
        let (hidden, after) = from.split_at(end);
        let count = hidden.chars().count();
        if count > MAX_IN_A_ROW {
            let _ = write!(written, "<{count} invisible characters>");
        } else {
            for letter in hidden.chars() {
                let _ = write!(written, "<U+{:04X}>", u32::from(letter));
            }
        }
        rest = after;
    }
    written.push_str(rest);
    Cow::Owned(written)
}

/// Returns the visible text on one line, with blanks for characters that could end the line or hide what is before
/// it.
pub fn on_line(text: &str) -> Cow<'_, str> {
    // A fast path, because most lines are plain, and each is written many times while a story is fitted to its budget.
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let is_break = |letter: char| (letter.is_control() && letter != '\t') || matches!(letter, '\u{2028}' | '\u{2029}');
    // Most characters are plain even in other lines, and need no closer look.
    let mut rest = text;
    let is_shown = loop {
        let Some(at) = rest.bytes().position(|byte| !is_plain_byte(byte)) else { break true };
        let mut letters = rest[at..].chars();
        if letters.next().is_some_and(|letter| is_break(letter) || is_invisible(letter)) {
            break false;
        }
        rest = letters.as_str();
    };
    if is_shown {
        return Cow::Borrowed(text);
    }
    Cow::Owned(visible(text).chars().map(|letter| if is_break(letter) { ' ' } else { letter }).collect())
}

/// Returns true if a text consists of visible ASCII characters, blanks and tabs.
fn is_plain(text: &str) -> bool {
    // Avoids a branch for each byte, so that the compiler compares many at once.
    let plain = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & is_plain_byte(*byte));
    text.as_bytes().chunks(64).all(plain)
}

fn is_plain_byte(byte: u8) -> bool {
    (byte == b'\t') | matches!(byte, b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one() {
        assert_eq!(on_line("a\tb\r\nc\u{2028}d\u{2029}e\u{8}f\u{202e}g"), "a\tb  c d e f<U+202E>g");
    }

    #[test]
    fn what_is_not_seen_is_written() {
        assert_eq!(visible("a\u{202e}b\u{200b}\u{feff}"), "a<U+202E>b<U+200B><U+FEFF>");
        let tags: String =
            "ignore all".chars().map(|letter| char::from_u32(0xe0000 + u32::from(letter)).unwrap()).collect();
        assert_eq!(visible(&format!("x{tags}y")), "x<10 invisible characters>y");
        for text in ["plain", "naïve 日本語", "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}", "نمی\u{200c}خواهم"]
        {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
