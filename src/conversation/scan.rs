//! Lists the values of an array or object in JSON text known to be valid. A conversation is validated once in one
//! pass, and then taken apart level by level without validating each level again.

use std::borrow::Cow;

use super::near_bytes;

/// Returns the values of an array, each as its original text. For invalid JSON the list is unspecified, but nothing
/// panics.
pub(super) fn elements(array: &str) -> Vec<&str> {
    values(array, 1).collect()
}

/// Iterates over the values of an array, or over the keys and values of an object, from the one that begins at `at` or
/// behind it.
pub(super) fn values(container: &str, at: usize) -> impl Iterator<Item = &str> {
    let mut scanner = Scanner { json: container, at };
    std::iter::from_fn(move || scanner.value())
}

/// The keys of an object, unescaped, and its values as their original text, in order.
pub(super) type KeysAndValues<'a> = Vec<(Cow<'a, str>, &'a str)>;

/// Returns the fields of an object. `None` if a key cannot be a Rust string.
pub(super) fn fields(object: &str) -> Option<KeysAndValues<'_>> {
    Scanner::new(object).fields()
}

/// Reads values one after the other, and those inside of them without looking for their ends before.
pub(super) struct Scanner<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Begins before the value that is all of `json`.
    pub(super) fn new(json: &'a str) -> Self {
        Self { json, at: 0 }
    }

    /// Returns the first byte of the next key or value; `None` at the end of the array or object.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.json.as_bytes();
        while matches!(bytes.get(self.at)?, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':') {
            self.at += 1;
        }
        Some(bytes[self.at]).filter(|byte| !matches!(byte, b']' | b'}'))
    }

    /// Goes to the first value inside the next array or object, or behind the end of one.
    pub(super) fn pass_bracket(&mut self) {
        self.at += 1;
    }

    /// Returns the next key or value; `None` at the end of the array or object.
    pub(super) fn value(&mut self) -> Option<&'a str> {
        let first = self.peek()?;
        let (bytes, start) = (self.json.as_bytes(), self.at);
        self.at = match first {
            b'"' => string_end(bytes, start),
            b'[' | b'{' => container_end(bytes, start),
            _ => {
                let is_end = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b']' | b'}');
                bytes[start..].iter().position(is_end).map_or(bytes.len(), |length| start + length)
            }
        };
        self.json.get(start..self.at)
    }

    /// Returns the next key, unescaped; `None` if it cannot be a Rust string.
    pub(super) fn key(&mut self) -> Option<Cow<'a, str>> {
        let key = self.value()?;
        match key.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(plain) if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
            _ => Some(Cow::Owned(serde_json::from_str(key).ok()?)),
        }
    }

    /// Returns the fields of the next value, which is an object. `None` if a key cannot be a Rust string.
    fn fields(&mut self) -> Option<KeysAndValues<'a>> {
        self.pass_bracket();
        let mut found = Vec::with_capacity(8);
        while self.peek().is_some() {
            found.push((self.key()?, self.value()?));
        }
        self.pass_bracket();
        Some(found)
    }

    /// Returns the next value, and its fields as [`fields`] does, if it is an object.
    pub(super) fn value_and_fields(&mut self) -> (&'a str, Option<KeysAndValues<'a>>) {
        let is_object = self.peek() == Some(b'{');
        let start = self.at;
        match is_object.then(|| self.fields()).flatten() {
            Some(fields) => (self.json.get(start..self.at).unwrap_or_default(), Some(fields)),
            None => {
                self.at = start;
                (self.value().unwrap_or_default(), None)
            }
        }
    }
}

/// Returns the index after the quote that ends the string beginning at `start`.
pub fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(step) = bytes.get(at..).and_then(|rest| near_bytes::find_either(b'"', b'\\', rest)) {
        at += step;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// Returns the index after the bracket that closes the one at `start`.
fn container_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, value::RawValue};

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a\"\\\\{}\\[\\],:é \n]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map("[a\"\\\\}é]{0,6}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn check(json: &str) {
        match serde_json::from_str::<Value>(json).unwrap() {
            Value::Array(_) => {
                let expected: Vec<&RawValue> = serde_json::from_str(json).unwrap();
                assert_eq!(elements(json), expected.iter().map(|raw| raw.get()).collect::<Vec<_>>());
                elements(json).into_iter().for_each(check);
            }
            Value::Object(expected) => {
                let found = fields(json).unwrap();
                assert_eq!(
                    found.iter().map(|(key, _)| key.as_ref()).collect::<Vec<_>>(),
                    expected.keys().collect::<Vec<_>>()
                );
                for (key, value) in found {
                    assert_eq!(serde_json::from_str::<Value>(value).unwrap(), expected[key.as_ref()]);
                    check(value);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn keys_that_come_twice_and_blanks_are_read() {
        let found = fields(" {\"a\" : 1 ,\n\"a\":[ ] }".trim()).unwrap();
        assert_eq!(found, [(Cow::Borrowed("a"), "1"), (Cow::Borrowed("a"), "[ ]")]);
        assert_eq!(elements("[]"), Vec::<&str>::new());
        assert_eq!(fields(r#"{"\ud800":1}"#), None);
    }

    proptest! {
        #[test]
        fn values_are_found_as_serde_json_finds_them(value in any_json()) {
            check(&value.to_string());
            check(&serde_json::to_string_pretty(&value).unwrap());
        }

        #[test]
        fn any_text_is_survived(text in "[\\[{]?.*", deep in "[\\[{}\\]\",\\\\]{0,20}") {
            let _ = (elements(&text), fields(&text), elements(&deep), fields(&deep));
        }
    }
}
