//! JSON that keeps its shape: all keys where there is room, of long arrays the first and last elements and those that report a failure, and the count and kind of the rest.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::failures::is_failure_in_json;
use crate::{
    conversation::Json,
    markers::{Gap, ItemsGap},
    salience::ExpectedNames,
};

/// An element or field is shown with at least so many bytes.
const LEAST: usize = 60;
/// Deeper values are not opened: they are shown or left out whole, so that no text exhausts the stack.
const DEEPEST: usize = 64;
/// The kind of the rest names so many keys.
const KEYS: usize = 12;

/// The text as JSON, if it is one array or object.
pub fn parse(text: &str) -> Option<&RawValue> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// JSON that was shortened.
#[derive(Debug, Default)]
pub struct ShortJson {
    /// The text: JSON.
    pub text: String,
    /// Elements and fields left out of the arrays and objects that were opened.
    pub left_out: usize,
    /// All of these arrays and objects.
    pub values: usize,
    /// The number of these left out that report a failure.
    pub failures: usize,
}

/// The value in about `room` bytes.
pub fn shorten(value: Json<'_>, room: usize, expected: &ExpectedNames) -> ShortJson {
    let mut short = ShortJson::default();
    write(value, room, 0, expected, &mut short);
    short
}

fn write(value: Json<'_>, room: usize, depth: usize, expected: &ExpectedNames, short: &mut ShortJson) {
    let json = value.json();
    if json.len() <= room || (json.len() <= LEAST && !value.is_array() && !value.is_object()) {
        short.text.push_str(json);
    } else if (value.is_array() || value.is_object()) && depth < DEEPEST {
        container(value, room, depth, expected, short);
    } else if json.starts_with('"') {
        cut_string(json, room.max(LEAST), &mut short.text);
    } else if value.is_array() || value.is_object() {
        let gap = ItemsGap { count: 1, is_keys: false, shape: kind_name(value) };
        short.text.push_str(&quoted(&gap));
        short.left_out += 1;
    } else {
        // A number with hundreds of digits.
        short.text.push_str(json);
    }
}

/// An element, or a field with its key as it is written.
struct Member<'a> {
    key: Option<String>,
    value: Json<'a>,
}

impl Member<'_> {
    fn bytes(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.len() + 2) + self.value.json().len() + 2
    }

    fn least(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.len() + 2) + self.value.json().len().min(LEAST) + 2
    }
}

fn members(value: Json<'_>) -> Vec<(Option<String>, Json<'_>)> {
    if value.is_array() {
        return value.elements().into_iter().map(|element| (None, element)).collect();
    }
    let object = value.object();
    let fields: Vec<_> = object.iter().map(|(key, value)| (Some(quoted(&key)), value)).collect();
    fields
}

fn container(value: Json<'_>, room: usize, depth: usize, expected: &ExpectedNames, short: &mut ShortJson) {
    let members: Vec<Member<'_>> = members(value).into_iter().map(|(key, value)| Member { key, value }).collect();
    short.values += members.len();
    let rooms = rooms(&members, room, expected);
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    short.text.push(open);
    let mut at = 0;
    while at < members.len() {
        if at > 0 {
            short.text.push_str(",\n");
        }
        if let Some(room) = rooms[at] {
            if let Some(key) = &members[at].key {
                short.text.push_str(key);
                short.text.push_str(": ");
            }
            write(members[at].value, room, depth + 1, expected, short);
            at += 1;
            continue;
        }
        let end = (at..members.len()).find(|next| rooms[*next].is_some()).unwrap_or(members.len());
        let gap = &members[at..end];
        let is_keys = value.is_object();
        let shape = kind(gap);
        short.text.push_str(&quoted(&ItemsGap { count: gap.len(), is_keys, shape: if is_keys { "" } else { &shape } }));
        if is_keys {
            short.text.push_str(": ");
            short.text.push_str(&quoted(&shape));
        }
        short.left_out += gap.len();
        short.failures += gap.iter().filter(|member| is_failure_in_json(member.value.json())).count();
        at = end;
    }
    short.text.push(close);
}

/// The room of each member that is shown: the first and the last, those that report a failure, and as many others as there is room for, the likeliest to be used
/// first.
fn rooms(members: &[Member<'_>], room: usize, expected: &ExpectedNames) -> Vec<Option<usize>> {
    let mut shown = vec![false; members.len()];
    let mut left = room - (room / 3).min(2 * LEAST);
    // A member of more takes no more than a fair part before all were asked.
    let fair = (room / 8).max(LEAST);
    let mut take = |at: usize, left: &mut usize| {
        let cost = members[at].bytes().min(fair.max(members[at].least()));
        let fits = cost <= *left;
        if fits && !shown[at] {
            shown[at] = true;
            *left -= cost;
        }
        fits
    };
    let failures = (0..members.len()).filter(|at| is_failure_in_json(members[*at].value.json()));
    let ends = [Some(0), members.len().checked_sub(1)].into_iter().flatten().filter(|at| *at < members.len());
    for at in ends.chain(failures) {
        if !take(at, &mut left) {
            break;
        }
    }
    for at in by_chance(members, expected) {
        if !take(at, &mut left) {
            break;
        }
    }
    divided(members, &shown, room.saturating_sub(2))
}

/// The members, those with names that are known from the conversation first.
fn by_chance(members: &[Member<'_>], expected: &ExpectedNames) -> Vec<usize> {
    let chance = |member: &Member<'_>| {
        let mut sum = 0.0;
        expected.each_in(member.value.json(), |_, chance| sum += expected.above_unseen(chance));
        sum / member.bytes() as f32
    };
    let mut order: Vec<(usize, f32)> = members.iter().enumerate().map(|(at, member)| (at, chance(member))).collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    order.into_iter().map(|(at, _)| at).collect()
}

/// Divides the room among the members that are shown: those that need less than their part leave the rest to the others.
fn divided(members: &[Member<'_>], shown: &[bool], room: usize) -> Vec<Option<usize>> {
    let mut sizes: Vec<usize> = (0..members.len()).filter(|at| shown[*at]).map(|at| members[at].bytes()).collect();
    sizes.sort_unstable();
    let (mut left, mut part) = (room, usize::MAX);
    for (at, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - at);
        if *size > share {
            part = share;
            break;
        }
        left -= size;
    }
    let room_of = |at: usize| {
        let head = members[at].bytes() - members[at].value.json().len();
        members[at].bytes().min(part).saturating_sub(head)
    };
    (0..members.len()).map(|at| shown[at].then(|| room_of(at))).collect()
}

fn kind_name(value: Json<'_>) -> &'static str {
    match value.json().as_bytes().first() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

/// The kinds of values: `{id: number, name: string|null}`, `number`, `string|array`.
fn kind(members: &[Member<'_>]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut keys: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for member in members {
        let name = kind_name(member.value);
        if !kinds.contains(&name) {
            kinds.push(name);
        }
        for (key, value) in member.value.object().iter() {
            let place = *places.entry(key.to_owned()).or_insert_with(|| {
                keys.push((key.to_owned(), Vec::new()));
                keys.len() - 1
            });
            let name = kind_name(value);
            if !keys[place].1.contains(&name) {
                keys[place].1.push(name);
            }
        }
    }
    let mut fields: Vec<String> =
        keys.iter().take(KEYS).map(|(key, kinds)| format!("{}: {}", shortened(key), kinds.join("|"))).collect();
    if keys.len() > KEYS {
        fields.push(format!("{} more keys", keys.len() - KEYS));
    }
    let object = format!("{{{}}}", fields.join(", "));
    kinds.iter().map(|kind| if *kind == "object" { &*object } else { kind }).collect::<Vec<_>>().join("|")
}

fn shortened(key: &str) -> String {
    key.chars().take(40).collect()
}

fn quoted(value: &impl ToString) -> String {
    serde_json::to_string(&value.to_string()).unwrap_or_default()
}

/// The beginning and the end of a string literal.
fn cut_string(json: &str, room: usize, out: &mut String) {
    let inner = &json[1..json.len() - 1];
    let first = border(inner, room * 2 / 3);
    let last = border(inner, inner.len().saturating_sub(room / 3).max(first));
    let omitted: String = serde_json::from_str(&format!("\"{}\"", &inner[first..last])).unwrap_or_default();
    out.push('"');
    out.push_str(&inner[..first]);
    out.push_str(&Gap::Characters(omitted.chars().count()).to_string());
    out.push_str(&inner[last..]);
    out.push('"');
}

/// The nearest place at or before `at` that is in no escape and no character.
fn border(inner: &str, at: usize) -> usize {
    let mut at = at.min(inner.len());
    while !inner.is_char_boundary(at) {
        at -= 1;
    }
    let bytes = inner.as_bytes();
    // The longest escape, of two surrogates, has twelve bytes.
    for start in (at.saturating_sub(12)..at).rev() {
        let slashes = bytes[..=start].iter().rev().take_while(|byte| **byte == b'\\').count();
        if slashes % 2 == 1 {
            let is_unicode = bytes.get(start + 1) == Some(&b'u');
            let is_high = is_unicode
                && matches!(
                    bytes.get(start + 2..start + 4),
                    Some([b'd' | b'D', b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B'])
                );
            let length = if is_high { 12 } else { 2 + 4 * usize::from(is_unicode) };
            if start + length > at {
                at = start;
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{conversation::Conversation, transcript::ToolTable};

    fn nothing_expected() -> ExpectedNames {
        ExpectedNames::after(&Conversation::new(Vec::new()), 0, &ToolTable::default())
    }

    fn short(json: &str, room: usize) -> ShortJson {
        shorten(Json::from(parse(json).unwrap()), room, &nothing_expected())
    }

    #[test]
    fn a_failed_item_in_the_middle_stays_with_the_ends_and_the_counts() {
        let item = |at: usize| {
            let status = if at == 250 { "failed" } else { "passed" };
            format!(r#"{{"id": {at}, "name": "case number {at}", "status": "{status}", "time": 1.10}}"#)
        };
        let json = format!(r#"{{"total": 500, "tests": [{}]}}"#, (0..500).map(item).collect::<Vec<_>>().join(", "));
        let short = short(&json, 2000);
        assert!(short.text.len() < 2600, "{}", short.text.len());
        let value: serde_json::Value = serde_json::from_str(&short.text).unwrap();
        assert_eq!(value["total"], 500);
        assert!(short.text.contains(&item(0)) && short.text.contains(&item(499)) && short.text.contains(&item(250)));
        assert!(short.text.contains("items left out: {id: number, name: string, status: string, time: number}]"));
        let shown = value["tests"].as_array().unwrap().iter().filter(|item| item.is_object()).count();
        assert_eq!((short.left_out, short.values), (500 - shown, 502));
        assert_eq!(short.failures, 0);
    }

    #[test]
    fn long_strings_are_cut_inside_and_between_escapes() {
        let json = format!(r#"{{"a": "{}", "b": 1}}"#, r#"\n\"\ud83d\ude00x"#.repeat(500));
        for room in 150..300 {
            let short = short(&json, room);
            let value: serde_json::Value = serde_json::from_str(&short.text).unwrap();
            assert!(value["a"].as_str().unwrap().contains("characters]") && value["b"] == 1);
        }
    }

    fn any_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(serde_json::Value::from),
            any::<String>().prop_map(serde_json::Value::from),
            "[a-z]{0,400}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 60, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(serde_json::Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..12)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_left_is_json(value in any_json(), room in 0_usize..2000) {
            let text = value.to_string();
            if let Some(raw) = parse(&text) {
                let short = shorten(Json::from(raw), room, &nothing_expected());
                prop_assert!(serde_json::from_str::<serde_json::Value>(&short.text).is_ok(), "{}", short.text);
                prop_assert!(short.left_out <= short.values.max(short.left_out));
            }
        }
    }
}
