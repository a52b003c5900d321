//! Finds and replaces the strings inside a JSON text in place.
//!
//! Tool inputs and unknown fields are kept as their original text, so that integers, key order and number formatting
//! are preserved. To change a string inside, only its byte range is replaced.

use std::{borrow::Cow, ops::Range};

use serde::{Deserialize, Serialize};

use super::{near_bytes, scan::string_end};

/// One step from a JSON value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathStep {
    /// The index in an array.
    Index(usize),
    /// The key in an object. Borrowed if it is a known one, because every text of a conversation has a path.
    Key(Cow<'static, str>),
}

impl From<&'static str> for PathStep {
    fn from(key: &'static str) -> Self {
        Self::Key(Cow::Borrowed(key))
    }
}

impl PathStep {
    /// Creates a step with a copy of `key`.
    pub fn key(key: &str) -> Self {
        Self::Key(Cow::Owned(key.to_owned()))
    }

    /// Returns the index, if it is one.
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Index(index) => Some(*index),
            Self::Key(_) => None,
        }
    }
}

impl From<usize> for PathStep {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A string value (not a key) inside a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringValue {
    /// The path from the root to the string.
    pub path: Vec<PathStep>,
    /// Byte range of the literal, quotes included.
    pub literal: Range<usize>,
}

/// Strings nested deeper are not listed. Each string has its own path, so limits on its length keep hostile nesting
/// linear.
pub const MAX_LISTED_DEPTH: usize = 64;
/// Strings whose keys have more bytes of JSON in total are not listed.
pub const MAX_LISTED_KEYS: usize = 1024;

enum Frame {
    Object { key: Option<Range<usize>> },
    Array { index: usize },
}

/// Returns all string values of `json`, in order, down to [`MAX_LISTED_DEPTH`] levels and [`MAX_LISTED_KEYS`]. `json`
/// must be valid JSON; for anything else the list is unspecified, but nothing panics.
pub fn string_values(json: &str) -> Vec<StringValue> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut stack: Vec<Frame> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => stack.push(Frame::Object { key: None }),
            b'[' => stack.push(Frame::Array { index: 0 }),
            b'}' | b']' => {
                stack.pop();
            }
            b',' => match stack.last_mut() {
                Some(Frame::Object { key }) => *key = None,
                Some(Frame::Array { index }) => *index += 1,
                None => {}
            },
            b'"' => {
                let literal = at..string_end(bytes, at);
                at = literal.end;
                if let Some(Frame::Object { key: key @ None }) = stack.last_mut() {
                    *key = Some(literal);
                } else if stack.len() <= MAX_LISTED_DEPTH && key_bytes(&stack) <= MAX_LISTED_KEYS {
                    found.push(StringValue { path: path(json, &stack), literal });
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns the text of a JSON string literal, which includes its quotes.
pub fn unescape(literal: &str) -> String {
    // serde_json decodes into a growing buffer and copies the result. This is most of the work of reading a
    // conversation, so it is done in one pass.
    let inner = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.and_then(unescape_inner).unwrap_or_else(|| serde_json::from_str(literal).unwrap_or_default())
}

/// Returns `None` if there is an invalid escape.
fn unescape_inner(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = near_bytes::find(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let mut end = at + 2;
        text.push(match rest.as_bytes().get(at + 1)? {
            b'n' => '\n',
            b'"' => '"',
            b'\\' => '\\',
            b't' => '\t',
            b'r' => '\r',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let first = code_unit(rest, end)?;
                end += 4;
                if matches!(first, 0xD800..0xDC00) {
                    let second = rest[end..].starts_with("\\u").then(|| code_unit(rest, end + 2)).flatten()?;
                    end += 6;
                    char::decode_utf16([first, second]).next()?.ok()?
                } else {
                    char::from_u32(u32::from(first))?
                }
            }
            _ => return None,
        });
        rest = &rest[end..];
    }
    text.push_str(rest);
    Some(text)
}

/// Parses the four hexadecimal digits at `at`.
fn code_unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 4)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Returns the JSON string literal for `text`, quotes included.
pub fn escape(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Replaces ranges of `json`. The ranges must not overlap; they may come in any order.
pub fn splice(json: &str, replacements: &mut [(Range<usize>, String)]) -> String {
    replacements.sort_by_key(|(range, _)| range.start);
    let mut result = String::with_capacity(json.len());
    let mut copied = 0;
    for (range, replacement) in replacements.iter() {
        result.push_str(&json[copied..range.start]);
        result.push_str(replacement);
        copied = range.end;
    }
    result.push_str(&json[copied..]);
    result
}

fn key_bytes(stack: &[Frame]) -> usize {
    let keys = stack.iter().filter_map(|frame| match frame {
        Frame::Object { key } => key.as_ref(),
        Frame::Array { .. } => None,
    });
    keys.map(Range::len).sum()
}

fn path(json: &str, stack: &[Frame]) -> Vec<PathStep> {
    stack
        .iter()
        .map(|frame| match frame {
            Frame::Array { index } => PathStep::Index(*index),
            Frame::Object { key } => {
                PathStep::Key(key.clone().map(|range| unescape(&json[range])).unwrap_or_default().into())
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn lists_strings_with_their_paths() {
        let json = r#"{"a":"x","b":[1,"y\"z",{"c\n":"w"}],"d":{}}"#;
        let listed: Vec<_> = string_values(json)
            .into_iter()
            .map(|value| (serde_json::to_string(&value.path).unwrap(), unescape(&json[value.literal])))
            .collect();
        let expected = [(r#"["a"]"#, "x"), (r#"["b",1]"#, "y\"z"), (r#"["b",2,"c\n"]"#, "w")];
        assert_eq!(listed, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }

    #[test]
    fn hostile_nesting_is_passed_over_in_linear_time() {
        let json = format!("{}\"deep\"{}", "[".repeat(500_000), "]".repeat(500_000));
        assert_eq!(string_values(&json), []);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(".*", inner, 0..5).prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_listed_string_is_at_its_path_and_can_be_exchanged(value in any_json()) {
            let json = value.to_string();
            for listed in string_values(&json) {
                let mut pointer = &value;
                for step in &listed.path {
                    pointer = match step {
                        PathStep::Index(index) => &pointer[index],
                        PathStep::Key(key) => &pointer[key.as_ref()],
                    };
                }
                prop_assert_eq!(pointer, &Value::from(unescape(&json[listed.literal.clone()])));
                let changed = splice(&json, &mut [(listed.literal, escape("new\u{0}\"text"))]);
                prop_assert!(serde_json::from_str::<Value>(&changed).is_ok());
            }
        }

        #[test]
        fn literals_are_read_as_serde_json_reads_them(
            parts in prop::collection::vec(
                prop_oneof![
                    "[^\"\\\\\u{0}-\u{1f}]{0,8}",
                    prop::sample::select(vec!["\\n", "\\\"", "\\\\", "\\t", "\\r", "\\/", "\\b", "\\f", "\\u001B", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\u12", "\\x"])
                        .prop_map(str::to_owned),
                ],
                0..12,
            ),
        ) {
            let literal = format!("\"{}\"", parts.concat());
            prop_assert_eq!(unescape(&literal), serde_json::from_str::<String>(&literal).unwrap_or_default());
        }

        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = string_values(&text);
            let _ = unescape(&text);
        }
    }
}
