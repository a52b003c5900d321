//! JSON that keeps its shape: all keys where there is room, of long arrays the first and last elements and those that report a failure, and the count and kind of the rest.

use std::{collections::HashMap, rc::Rc};

use serde_json::value::RawValue;

use super::failures::is_failure_in_json;
use crate::{
    by_hash::ByHash,
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

/// A JSON value that is shortened, to any number of bytes: what it consists of is read once.
pub struct JsonReader<'a> {
    value: Json<'a>,
    expected: &'a ExpectedNames,
    /// The members of arrays and objects that were opened, by where these begin.
    opened: HashMap<usize, Rc<Vec<Member<'a>>>, ByHash>,
    shapes: Shapes,
}

impl<'a> JsonReader<'a> {
    /// Reads nothing yet.
    pub fn new(value: Json<'a>, expected: &'a ExpectedNames) -> Self {
        Self { value, expected, opened: HashMap::default(), shapes: Shapes::default() }
    }

    /// The value in about `room` bytes.
    pub fn shorten(&mut self, room: usize) -> ShortJson {
        let mut short = ShortJson::default();
        self.write(self.value, room, 0, &mut short);
        short
    }

    fn write(&mut self, value: Json<'a>, room: usize, depth: usize, short: &mut ShortJson) {
        let json = value.json();
        if json.len() <= room || (json.len() <= LEAST && !value.is_array() && !value.is_object()) {
            short.text.push_str(json);
        } else if (value.is_array() || value.is_object()) && depth < DEEPEST {
            self.container(value, room, depth, short);
        } else if json.starts_with('"') {
            cut_string(json, room.max(LEAST), &mut short.text);
        } else if value.is_array() || value.is_object() {
            let gap = ItemsGap { count: 1, is_keys: false, shape: kind_name(value) };
            short.text.push_str(&quoted(&gap));
            short.left_out += 1;
            short.values += 1;
            short.failures += usize::from(is_failure_in_json(json));
        } else {
            // A number with hundreds of digits.
            short.text.push_str(json);
        }
    }

    fn container(&mut self, value: Json<'a>, room: usize, depth: usize, short: &mut ShortJson) {
        let members = self.members(value);
        short.values += members.len();
        let rooms = rooms(&members, room);
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
                self.write(members[at].value, room, depth + 1, short);
                at += 1;
                continue;
            }
            let end = (at..members.len()).find(|next| rooms[*next].is_some()).unwrap_or(members.len());
            self.gap(&members[at..end], value.is_object(), short);
            at = end;
        }
        short.text.push(close);
    }

    fn gap(&self, gap: &[Member<'_>], is_keys: bool, short: &mut ShortJson) {
        let shape = match is_keys {
            true if gap.len() <= KEYS => self.shapes.fields(gap),
            true => format!("each {}", self.shapes.told(gap)),
            false => self.shapes.told(gap),
        };
        short.text.push_str(&quoted(&ItemsGap { count: gap.len(), is_keys, shape: if is_keys { "" } else { &shape } }));
        if is_keys {
            short.text.push_str(": ");
            short.text.push_str(&quoted(&shape));
        }
        short.left_out += gap.len();
        short.failures += gap.iter().filter(|member| member.is_failure).count();
    }

    fn members(&mut self, value: Json<'a>) -> Rc<Vec<Member<'a>>> {
        let begin = value.json().as_ptr() as usize;
        if let Some(members) = self.opened.get(&begin) {
            return members.clone();
        }
        let read: Vec<(Option<String>, Json<'a>)> = if value.is_array() {
            value.elements().into_iter().map(|element| (None, element)).collect()
        } else {
            value.object().iter().map(|(key, value)| (Some(quoted(&key)), value)).collect()
        };
        let members: Vec<Member<'a>> = read.into_iter().map(|(key, value)| self.member(key, value)).collect();
        let members = Rc::new(members);
        self.opened.insert(begin, members.clone());
        members
    }

    fn member(&mut self, key: Option<String>, value: Json<'a>) -> Member<'a> {
        let json = value.json();
        let mut chance = 0.0;
        self.expected.each_in(json, |_, own| chance += self.expected.above_unseen(own));
        let shape = self.shapes.number(value);
        Member { key, value, chance, is_failure: is_failure_in_json(json), shape }
    }
}

/// An element, or a field with its key as it is written.
struct Member<'a> {
    key: Option<String>,
    value: Json<'a>,
    /// The names in it that are known from the conversation, by their chance to be used.
    chance: f32,
    is_failure: bool,
    /// The number of its kind in [`Shapes`].
    shape: u32,
}

impl Member<'_> {
    fn bytes(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.len() + 2) + self.value.json().len() + 2
    }

    fn least(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.len() + 2) + self.value.json().len().min(LEAST) + 2
    }
}

/// The room of each member that is shown: the first and the last, those that report a failure, and as many others as there is room for, the likeliest to be used
/// first.
fn rooms(members: &[Member<'_>], room: usize) -> Vec<Option<usize>> {
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
    let failures = (0..members.len()).filter(|at| members[*at].is_failure);
    let ends = [Some(0), members.len().checked_sub(1)].into_iter().flatten().filter(|at| *at < members.len());
    for at in ends.chain(failures) {
        if !take(at, &mut left) {
            break;
        }
    }
    for at in by_chance(members) {
        if !take(at, &mut left) {
            break;
        }
    }
    divided(members, &shown, room.saturating_sub(2))
}

/// The members, those with names that are known from the conversation first.
fn by_chance(members: &[Member<'_>]) -> Vec<usize> {
    let chance = |at: &usize| members[*at].chance / members[*at].bytes() as f32;
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by(|one, other| chance(other).total_cmp(&chance(one)).then(one.cmp(other)));
    order
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

/// The kinds of values, each once: most elements of an array have the kinds of a few.
#[derive(Default)]
struct Shapes {
    numbers: HashMap<String, u32>,
    /// The kind of a value, and those of its fields.
    all: Vec<(&'static str, Vec<(String, &'static str)>)>,
}

impl Shapes {
    fn number(&mut self, value: Json<'_>) -> u32 {
        let name = kind_name(value);
        let mut fields: Vec<(String, &'static str)> = Vec::new();
        if name == "object" {
            fields.extend(value.object().iter().map(|(key, value)| (key.to_owned(), kind_name(value))));
        }
        let parts = fields.iter().map(|(key, kind)| format!("{kind} {}", quoted(key)));
        let key = std::iter::once(name.to_owned()).chain(parts).collect::<Vec<_>>().join(",");
        *self.numbers.entry(key).or_insert_with(|| {
            self.all.push((name, fields));
            u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The names of a few fields and their kinds: `{id: number, tags: array}`.
    fn fields(&self, members: &[Member<'_>]) -> String {
        let field = |member: &Member<'_>| {
            let key: String = member.key.as_deref().and_then(|key| serde_json::from_str(key).ok()).unwrap_or_default();
            format!("{}: {}", shortened(&key), self.all[member.shape as usize].0)
        };
        format!("{{{}}}", members.iter().map(field).collect::<Vec<_>>().join(", "))
    }

    /// The kinds of members: `{id: number, name: string|null}`, `number`, `string|array`.
    fn told(&self, members: &[Member<'_>]) -> String {
        let mut is_seen = vec![false; self.all.len()];
        let mut kinds: Vec<&str> = Vec::new();
        let mut keys: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for member in members {
            let number = member.shape as usize;
            if std::mem::replace(&mut is_seen[number], true) {
                continue;
            }
            let (name, fields) = &self.all[number];
            if !kinds.contains(name) {
                kinds.push(name);
            }
            for (key, kind) in fields {
                let place = *places.entry(key).or_insert_with(|| {
                    keys.push((key, Vec::new()));
                    keys.len() - 1
                });
                if !keys[place].1.contains(kind) {
                    keys[place].1.push(kind);
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
        JsonReader::new(Json::from(parse(json).unwrap()), &nothing_expected()).shorten(room)
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
    fn a_few_fields_that_are_left_out_are_named_and_many_are_described() {
        let long = "x".repeat(300);
        let few = format!(r#"{{"id": 1, "a": ["{long}"], "b": {{"c": "{long}"}}, "z": 2}}"#);
        let shown = short(&few, 130).text;
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!((&value["id"], &value["z"]), (&1.into(), &2.into()), "{shown}");
        assert!(
            shown.contains(r#""[… 1 key left out]": "{b: object}""#) || shown.contains("{a: array, b: object}"),
            "{shown}"
        );
        let many: String = (0..900).map(|at| format!(r#""k{at}": {{"v": {at}}}, "#)).collect();
        let shown = short(&format!("{{{many}\"end\": 1}}"), 400).text;
        assert!(shown.contains(r#"keys left out]": "each {v: number}""#), "{shown}");
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

    /// The number of members that the gaps say are missing.
    fn left_out(shown: &serde_json::Value) -> usize {
        let said = |text: &str| -> Option<usize> {
            let (count, rest) = text.strip_prefix("[… ")?.split_once(' ')?;
            let is_gap = ["item", "key"].iter().any(|name| rest.starts_with(name)) && rest.contains("left out");
            count.parse().ok().filter(|_| is_gap)
        };
        match shown {
            serde_json::Value::String(text) => said(text).unwrap_or(0),
            serde_json::Value::Array(values) => values.iter().map(left_out).sum(),
            serde_json::Value::Object(fields) => {
                fields.iter().map(|(key, value)| said(key).unwrap_or_else(|| left_out(value))).sum()
            }
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_json(value in any_json(), room in 0_usize..2000) {
            let text = value.to_string();
            if let Some(raw) = parse(&text) {
                let expected = nothing_expected();
                let mut reader = JsonReader::new(Json::from(raw), &expected);
                let short = reader.shorten(room);
                let shown: serde_json::Value = serde_json::from_str(&short.text).map_err(|_| TestCaseError::fail(short.text.clone()))?;
                prop_assert_eq!((left_out(&shown), short.left_out <= short.values), (short.left_out, true), "{}", short.text);
                prop_assert_eq!(&reader.shorten(usize::MAX).text, text.trim());
                prop_assert_eq!(reader.shorten(room).text, short.text);
            }
        }
    }
}
