//! Writes a changed value into the JSON text from which it was read. Unchanged parts keep their text byte for byte.
//! This preserves the file's layout, and numbers that JavaScript cannot represent, such as 64-bit ids.

use std::{borrow::Cow, collections::HashMap};

use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, Visitor},
};
use serde_json::{Result, value::RawValue};

/// The layout for new text.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// The indentation of one level; empty for JSON on one line.
    pub unit: &'a str,
    /// A line break.
    pub newline: &'a str,
}

impl Layout<'_> {
    /// Returns a line break with the indentation of this level; empty if JSON is on one line.
    fn line(self, depth: usize) -> String {
        if self.unit.is_empty() { String::new() } else { [self.newline, &self.unit.repeat(depth)].concat() }
    }

    const fn colon(self) -> &'static str {
        if self.unit.is_empty() { ":" } else { ": " }
    }
}

/// A change to a value. Changes inside it are read one level at a time, so that the limit of `serde_json` on nesting
/// does not apply to changes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Change<'a> {
    /// No change.
    Keep,
    /// The text that replaces the value.
    #[serde(borrow)]
    Text(Cow<'a, str>),
    /// An array of these elements. Each has the index of the old element on which it is based, with the change to it; a
    /// new element has no index, and its text as a JSON string.
    #[serde(borrow)]
    Elements(Vec<(Option<usize>, &'a RawValue)>),
    /// An object with other fields. Their names are JSON.
    #[serde(borrow)]
    Fields(Fields<'a>),
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    changed: Vec<(Cow<'a, str>, &'a RawValue)>,
    #[serde(borrow)]
    removed: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    added: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

/// Returns the text with `change` made to its value.
///
/// # Errors
///
/// If one of the two is invalid: not JSON, or not a change of this JSON.
pub fn rewrite(text: &str, change: &str, layout: Layout<'_>) -> Result<String> {
    let root: &RawValue = serde_json::from_str(text)?;
    let root = root.get();
    let start = offset_in(text, root);
    let changed = Rewriter { layout }.value(root, change, 0)?;
    Ok([&text[..start], &changed, &text[start + root.len()..]].concat())
}

/// Returns the offset of a part of a text in it.
fn offset_in(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// An element or field in the text of its parent.
struct Child<'a> {
    /// The name of a field, as JSON.
    name: Option<&'a str>,
    value: &'a str,
    /// Start (with the name) and end.
    from: usize,
    end: usize,
}

/// An element or field of the new text.
struct Part<'a> {
    /// The index of the old one it is based on.
    child: Option<usize>,
    text: Cow<'a, str>,
}

struct Rewriter<'a> {
    layout: Layout<'a>,
}

impl Rewriter<'_> {
    fn value<'t>(&self, text: &'t str, change: &str, depth: usize) -> Result<Cow<'t, str>> {
        let change = serde_json::from_str(change)?;
        let children = match change {
            Change::Keep => return Ok(Cow::Borrowed(text)),
            Change::Text(new) => return Ok(Cow::Owned(new.into_owned())),
            Change::Elements(_) | Change::Fields(_) => children_of(text)?,
        };
        let parts = match change {
            Change::Elements(elements) => self.elements(&children, elements, depth + 1)?,
            Change::Fields(fields) => self.fields(text, &children, fields, depth + 1)?,
            Change::Keep | Change::Text(_) => Vec::new(),
        };
        Ok(Cow::Owned(self.join(text, &children, &parts, depth)))
    }

    fn elements<'t>(
        &self,
        children: &[Child<'t>],
        elements: Vec<(Option<usize>, &RawValue)>,
        depth: usize,
    ) -> Result<Vec<Part<'t>>> {
        let part = |(child, change): (Option<usize>, &RawValue)| {
            let Some(index) = child else {
                return Ok(Part { child, text: serde_json::from_str::<String>(change.get())?.into() });
            };
            let old = children.get(index).ok_or_else(|| wrong(format_args!("there is no element {index}")))?;
            Ok(Part { child, text: self.value(old.value, change.get(), depth)? })
        };
        elements.into_iter().map(part).collect()
    }

    fn fields<'t>(
        &self,
        text: &'t str,
        children: &[Child<'t>],
        fields: Fields<'_>,
        depth: usize,
    ) -> Result<Vec<Part<'t>>> {
        let names: Vec<_> = children.iter().map(|child| canonical(child.name.unwrap_or_default())).collect();
        // If a name occurs twice, the last one counts.
        let last: HashMap<_, _> = names.iter().enumerate().map(|(index, name)| (name, index)).collect();
        let changes: HashMap<_, _> = fields.changed.into_iter().collect();
        let mut parts = Vec::new();
        for (index, child) in children.iter().enumerate() {
            let name = &names[index];
            if fields.removed.iter().any(|removed| removed == name) {
                continue;
            }
            let whole = &text[child.from..child.end];
            let text = match changes.get(name.as_str()).filter(|_| last[name] == index) {
                None => Cow::Borrowed(whole),
                Some(change) => {
                    let before = &whole[..whole.len() - child.value.len()];
                    Cow::Owned([before, &self.value(child.value, change.get(), depth)?].concat())
                }
            };
            parts.push(Part { child: Some(index), text });
        }
        let colon = self.layout.colon();
        let added = |(name, text): (Cow<'_, str>, Cow<'_, str>)| Part {
            child: None,
            text: Cow::Owned([&name, colon, &text].concat()),
        };
        parts.extend(fields.added.into_iter().map(added));
        Ok(parts)
    }

    /// Writes the parts between the brackets. If the parts are the same, the text between them is kept; otherwise one
    /// separator is used for all.
    fn join(&self, text: &str, children: &[Child<'_>], parts: &[Part<'_>], depth: usize) -> String {
        let (open, close) = (&text[..1], &text[text.len() - 1..]);
        if parts.is_empty() {
            return [open, close].concat();
        }
        let (Some(first), Some(last)) = (children.first(), children.last()) else {
            let line = self.layout.line(depth + 1);
            let texts: Vec<_> = parts.iter().map(|part| &*part.text).collect();
            return [open, &line, &texts.join(&format!(",{line}")), &self.layout.line(depth), close].concat();
        };
        let between = |index: usize| &text[children[index].end..children[index + 1].from];
        let is_same =
            parts.len() == children.len() && parts.iter().enumerate().all(|(index, part)| part.child == Some(index));
        let usual = if children.len() > 1 { between(0).to_owned() } else { format!(",{}", &text[1..first.from]) };
        let mut written = text[..first.from].to_owned();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                written.push_str(if is_same { between(index - 1) } else { &usual });
            }
            written.push_str(&part.text);
        }
        written + &text[last.end..]
    }
}

fn wrong(message: std::fmt::Arguments<'_>) -> serde_json::Error {
    serde::de::Error::custom(message)
}

/// Returns the name in its usual spelling. A name with a lone surrogate, which Rust cannot represent, is returned
/// unchanged.
fn canonical(name: &str) -> String {
    serde_json::from_str::<String>(name)
        .map_or_else(|_| name.to_owned(), |name| serde_json::Value::from(name).to_string())
}

/// Returns the elements of an array or the fields of an object, in order.
fn children_of(text: &str) -> Result<Vec<Child<'_>>> {
    let found: Vec<(Option<&str>, &str)> = if text.starts_with('[') {
        let elements: Vec<&RawValue> = serde_json::from_str(text)?;
        elements.into_iter().map(|value| (None, value.get())).collect()
    } else {
        let Entries(entries) = serde_json::from_str(text)?;
        entries.into_iter().map(|(name, value)| (Some(name.get()), value.get())).collect()
    };
    Ok(found
        .into_iter()
        .map(|(name, value)| {
            let from = offset_in(text, name.unwrap_or(value));
            Child { name, value, from, end: offset_in(text, value) + value.len() }
        })
        .collect())
}

/// The fields of an object, in order, including those with equal names.
struct Entries<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Entries<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: Layout<'static> = Layout { unit: "  ", newline: "\n" };
    const ONE_LINE: Layout<'static> = Layout { unit: "", newline: "\n" };

    fn changed(text: &str, change: &str, layout: Layout<'_>) -> String {
        rewrite(text, change, layout).expect(change)
    }

    #[test]
    fn what_is_kept_keeps_its_text() {
        let text = " [ 12345678901234567890 , {\"a\":1.50,\"b\" : \"\\u0041\\ud800\"} ]\n";
        assert_eq!(changed(text, r#""keep""#, ONE_LINE), text);
        let same = r#"{"elements":[[0,"keep"],[1,"keep"]]}"#;
        assert_eq!(changed(text, same, ONE_LINE), text);
        let other = r#"{"elements":[[0,"keep"],[1,{"fields":{"changed":[["\"a\"",{"text":"2"}]],"removed":[],"added":[["\"c\"","3"]]}}]]}"#;
        let expected = text.replace("1.50", "2").replace("\\ud800\"}", "\\ud800\",\"c\":3}");
        assert_eq!(changed(text, other, ONE_LINE), expected);
    }

    #[test]
    fn elements_go_come_and_move() {
        let text = "[\n  1,\n  2,\n  3\n]";
        assert_eq!(
            changed(text, r#"{"elements":[[2,"keep"],[0,"keep"],[null,"{}"]]}"#, LINES),
            "[\n  3,\n  1,\n  {}\n]"
        );
        assert_eq!(changed(text, r#"{"elements":[]}"#, LINES), "[]");
        assert_eq!(
            changed(
                "{\"a\": []}",
                r#"{"fields":{"changed":[["\"a\"",{"elements":[[null,"1"],[null,"2"]]}]],"removed":[],"added":[]}}"#,
                LINES
            ),
            "{\"a\": [\n    1,\n    2\n  ]}"
        );
        assert_eq!(changed("[1]", r#"{"elements":[[0,"keep"],[null,"2"]]}"#, ONE_LINE), "[1,2]");
    }

    #[test]
    fn of_a_name_that_stands_twice_the_last_one_counts() {
        let text = r#"{"a":1,"\u0061":2,"b":[3]}"#;
        let change = r#"{"fields":{"changed":[["\"a\"",{"text":"9"}]],"removed":[],"added":[]}}"#;
        assert_eq!(changed(text, change, ONE_LINE), r#"{"a":1,"\u0061":9,"b":[3]}"#);
        let removed = r#"{"fields":{"changed":[],"removed":["\"a\""],"added":[]}}"#;
        assert_eq!(changed(text, removed, ONE_LINE), r#"{"b":[3]}"#);
    }

    #[test]
    fn deep_changes_and_wrong_ones() {
        let depth = 200;
        let text = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let change = format!("{}{{\"text\":\"2\"}}{}", "{\"elements\":[[0,".repeat(depth), "]]}".repeat(depth));
        assert_eq!(changed(&text, &change, ONE_LINE), text.replace('1', "2"));
        for wrong in ["", "5", r#"{"elements":[[7,"keep"]]}"#, r#"{"fields":{}}"#] {
            assert!(rewrite("[1]", wrong, ONE_LINE).is_err(), "{wrong}");
        }
        assert!(rewrite("[1", r#""keep""#, ONE_LINE).is_err());
    }
}
