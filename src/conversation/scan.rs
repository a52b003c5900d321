//! Lists the values of an array or object in JSON text known to be valid. A conversation is validated once in one
//! pass, and then taken apart level by level without validating each level again.

use std::borrow::Cow;

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

/// Returns the fields of an object, in order. `None` if a key cannot be a Rust string.
pub(super) fn fields(object: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let mut scanner = Scanner { json: object, at: 1 };
    let mut found = Vec::with_capacity(8);
    while let Some(key) = scanner.value() {
        let key = match key.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
            _ => Cow::Owned(serde_json::from_str(key).ok()?),
        };
        found.push((key, scanner.value()?));
    }
    Some(found)
}

struct Scanner<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Returns the next key or value; `None` at the end of the array or object.
    fn value(&mut self) -> Option<&'a str> {
        let bytes = self.json.as_bytes();
        while matches!(bytes.get(self.at)?, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':') {
            self.at += 1;
        }
        let start = self.at;
        self.at = match bytes[start] {
            b']' | b'}' => return None,
            b'"' => string_end(bytes, start),
            b'[' | b'{' => container_end(bytes, start),
            _ => {
                let is_end = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b']' | b'}');
                bytes[start..].iter().position(is_end).map_or(bytes.len(), |length| start + length)
            }
        };
        self.json.get(start..self.at)
    }
}

/// Returns the index after the quote that ends the string beginning at `start`.
pub fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
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
