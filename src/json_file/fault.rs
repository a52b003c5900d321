//! Finds the place where a text stops being JSON, and what was expected there, in words for people.
//!
//! `serde_json` finds the place, and its message reports the kind of fault. The allowed tokens follow from its message
//! about the text up to that place, which is unfinished.

use serde::de::IgnoredAny;
use serde_json::Error;

/// Maximum characters of a word that are shown.
const MAX_SHOWN_CHARS: usize = 20;

/// A place where a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The offset in bytes from the beginning of the text.
    pub offset: usize,
    /// The fault, in words.
    pub message: String,
    /// Offset in bytes of the string that does not end.
    pub begins: Option<usize>,
}

/// Returns the first error of a text; `None` if it is JSON. No nesting is too deep.
pub fn find_fault(text: &str) -> Option<Fault> {
    let error = check(text).err()?;
    let offset = offset_of(text, &error);
    Some(match Kind::classify(&error) {
        Kind::StringEnd => unended_string(text),
        Kind::Escape => unknown_escape(text, offset),
        Kind::ControlCharacter => control_character(text, offset),
        Kind::Word => unexpected(text, word_end(text, offset)),
        Kind::Other => unexpected(text, offset),
    })
}

/// Checks a text. Values are skipped, not read, which `serde_json` does without recursion.
fn check(text: &str) -> Result<IgnoredAny, Error> {
    serde_json::from_str(text)
}

/// The kinds of errors that must be distinguished. `serde_json` does not expose its kinds, but their messages are
/// part of its interface. If a message changes nevertheless, only the place is reported.
enum Kind {
    StringEnd,
    Escape,
    ControlCharacter,
    /// Inside a number or a literal.
    Word,
    Other,
}

impl Kind {
    fn classify(error: &Error) -> Self {
        match sentence(error).as_str() {
            "EOF while parsing a string" => Self::StringEnd,
            "invalid escape" => Self::Escape,
            "invalid number" | "expected ident" | "EOF while parsing a value" => Self::Word,
            text if text.starts_with("control character") => Self::ControlCharacter,
            _ => Self::Other,
        }
    }
}

/// Returns the words of an error, without the place.
fn sentence(error: &Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let mut text = error.to_string();
    text.truncate(text.strip_suffix(&place).map_or(text.len(), str::len));
    text
}

/// Returns the offset of an error: `serde_json` counts lines, and bytes within them, both from 1.
fn offset_of(text: &str, error: &Error) -> usize {
    if error.is_eof() {
        return text.len();
    }
    let line = text.split_inclusive('\n').take(error.line() - 1).map(str::len).sum::<usize>();
    let place = (line + error.column()).saturating_sub(1);
    (0..=place).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn unexpected(text: &str, offset: usize) -> Fault {
    let message = format!("{} expected, but {}", expected_after(&text[..offset]), found(&text[offset..]));
    Fault { offset, message, begins: None }
}

/// Names the tokens allowed after the beginning of a JSON text.
fn expected_after(beginning: &str) -> &'static str {
    let Err(error) = check(beginning) else { return "the end of the file" };
    let last = beginning.trim_end().chars().next_back();
    match (sentence(&error).as_str(), last) {
        ("EOF while parsing a list", Some('[')) => "a value",
        ("EOF while parsing a list", _) => "a comma or \"]\"",
        ("EOF while parsing an object", Some('{')) => "a field name in double quotes or \"}\"",
        ("EOF while parsing an object", Some(',')) => "a field name in double quotes",
        ("EOF while parsing an object", _) if takes_colon(beginning) => "a colon",
        ("EOF while parsing an object", _) => "a comma or \"}\"",
        _ => "a value",
    }
}

/// Returns true if a colon may come next: then only a value is missing.
fn takes_colon(beginning: &str) -> bool {
    check(&[beginning, ":"].concat()).is_err_and(|error| sentence(&error) == "EOF while parsing a value")
}

fn found(rest: &str) -> String {
    let word: String = rest.chars().take_while(|&c| is_of_word(c)).take(MAX_SHOWN_CHARS).collect();
    let shown = if word.is_empty() { rest.chars().take(1).collect() } else { word };
    match shown.as_str() {
        "" => "the file ends".to_owned(),
        text => format!("found {}", serde_json::Value::from(text)),
    }
}

const fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '+' | '-')
}

/// Returns the place in a number or literal that breaks at `offset`: the end of its longest beginning that is a
/// value, or its start if there is none.
fn word_end(text: &str, offset: usize) -> usize {
    let start = text[..offset].trim_end_matches(is_of_word).len();
    (start + 1..=offset).rev().find(|&end| check(&text[start..end]).is_ok()).unwrap_or(start)
}

fn unended_string(text: &str) -> Fault {
    match last_string(text) {
        Some(begins) => {
            Fault { offset: text.len(), message: "the file ends inside a string".to_owned(), begins: Some(begins) }
        }
        // Four characters were expected after `\u`, and the quote that ends the string was one of them.
        None => unknown_escape(text, text.len()),
    }
}

/// Returns the start of the string that is open at the end of the text. Up to there it is JSON, so quotes are the ends
/// of strings, or are escaped.
fn last_string(text: &str) -> Option<usize> {
    let mut begins = None;
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match (c, begins) {
            ('"', None) => begins = Some(at),
            ('"', Some(_)) => begins = None,
            ('\\', Some(_)) => {
                characters.next();
            }
            _ => {}
        }
    }
    begins
}

/// Returns the error for an escape whose last character is at `offset`, or whose four characters end there.
fn unknown_escape(text: &str, offset: usize) -> Fault {
    let bytes = text.as_bytes();
    let is_short = offset > 0
        && bytes[offset - 1] == b'\\'
        && bytes.get(offset).is_some_and(|byte| !b"\"\\/bfnrtu".contains(byte));
    let offset = if is_short { offset - 1 } else { text[..offset].rfind("\\u").unwrap_or(offset) };
    Fault { offset, message: "an unknown escape inside a string".to_owned(), begins: None }
}

/// Returns the offset of the first control character at or after `from`.
fn control_character(text: &str, from: usize) -> Fault {
    let after = text.as_bytes()[from..].iter().position(|byte| *byte < 0x20).unwrap_or(0);
    let offset = from + after;
    let what = match text.as_bytes().get(offset) {
        Some(b'\n' | b'\r') => "a line break".to_owned(),
        Some(byte) => format!("the control character {byte}"),
        None => "a control character".to_owned(),
    };
    Fault { offset, message: format!("{what} inside a string, where it has to be escaped"), begins: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (usize, String) {
        let Fault { offset, message, .. } = find_fault(text).expect(text);
        (offset, message)
    }

    #[test]
    fn the_place_and_what_was_expected_there() {
        let comma = "a comma or \"]\" expected, but found";
        for (text, offset, message) in [
            ("[1, 2", 5, "a comma or \"]\" expected, but the file ends"),
            ("[", 1, "a value expected, but the file ends"),
            ("[1,", 3, "a value expected, but the file ends"),
            ("{", 1, "a field name in double quotes or \"}\" expected, but the file ends"),
            ("{\"a\"", 4, "a colon expected, but the file ends"),
            ("{\"a\":\"b\"", 8, "a comma or \"}\" expected, but the file ends"),
            ("{\"a\":1,", 7, "a field name in double quotes expected, but the file ends"),
            ("[1,\n 2,\n]", 8, "a value expected, but found \"]\""),
            ("[{\"a\" 1}]", 6, "a colon expected, but found \"1\""),
            ("[{\"a\":1,}]", 8, "a field name in double quotes expected, but found \"}\""),
            ("[{'a':1}]", 2, "a field name in double quotes or \"}\" expected, but found \"'\""),
            ("[NaN]", 1, "a value expected, but found \"NaN\""),
            ("[trux]", 1, "a value expected, but found \"trux\""),
            ("[nul", 1, "a value expected, but found \"nul\""),
            ("[-]", 1, "a value expected, but found \"-\""),
            ("[01]", 2, &format!("{comma} \"1\"")),
            ("[1.]", 2, &format!("{comma} \".\"")),
            ("[1.5e", 4, &format!("{comma} \"e\"")),
            ("[truee]", 5, &format!("{comma} \"e\"")),
            ("[] x", 3, "the end of the file expected, but found \"x\""),
            ("[\"é\"\u{1F600}]", 5, &format!("{comma} \"\u{1F600}\"")),
        ] {
            assert_eq!(told(text), (offset, message.to_owned()), "{text}");
        }
    }

    #[test]
    fn strings() {
        let escape = "an unknown escape inside a string";
        for (text, offset, message) in [
            ("[\"a\nb\"]", 3, "a line break inside a string, where it has to be escaped"),
            ("[\"\u{1}\"]", 2, "the control character 1 inside a string, where it has to be escaped"),
            ("[\"\\x41\"]", 2, escape),
            ("[\"\\u12\"]", 2, escape),
            ("[\"\\u\"]", 2, escape),
            ("[\"\\é\"]", 2, escape),
            ("[\"\\n\\é\"]", 4, escape),
        ] {
            assert_eq!(told(text), (offset, message.to_owned()), "{text}");
        }
        let open = Fault { offset: 8, message: "the file ends inside a string".to_owned(), begins: Some(2) };
        assert_eq!(find_fault("[\n\"a\\\"b\\"), Some(open));
    }

    #[test]
    fn what_is_json_has_no_fault_however_deep() {
        for text in ["[]", " {\"a\":[1,-0.5e+3,true,null,\"\\ud800\"]}\n", "5"] {
            assert_eq!(find_fault(text), None, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(find_fault(&format!("{deep}{}", "]".repeat(100_000))), None);
        assert_eq!(told(&format!("{deep}x")), (100_000, "a value expected, but found \"x\"".to_owned()));
    }

    #[test]
    fn no_change_of_a_text_makes_it_panic() {
        let valid = "[{\"n\": -1.5e+3, \"é\": [true, null, \"\\u00e9\\n\"]}]\n";
        for at in (0..=valid.len()).filter(|&at| valid.is_char_boundary(at)) {
            for put in ["", "\"", "\\", "{", "]", ",", ":", "0", "-", ".", "e", "u", "\n", "\u{0}", "é"] {
                let text = [&valid[..at], put, &valid[at..]].concat();
                for text in [text.as_str(), &text[..at + put.len()]] {
                    let fault = find_fault(text);
                    assert_eq!(fault.is_none(), check(text).is_ok(), "{text}");
                    assert!(fault.is_none_or(|fault| text.is_char_boundary(fault.offset)), "{text}");
                }
            }
        }
    }
}
