//! Shortens JSON without losing its shape. It keeps as many keys as the budget allows. Of long arrays it keeps the
//! first and last elements and those that report a failure, and it states the number and kind of the others.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
    ops::Range,
    rc::Rc,
};

use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    by_hash::ByHash,
    conversation::{Json, json_text::unescape},
    markers::{Gap, ItemsGap},
    output::{each_failure_in_json, is_failure_in_text},
    salience::ExpectedNames,
};

/// Minimum number of bytes shown of an element or field.
const LEAST: usize = 60;
/// Maximum depth of values that are shortened. Deeper ones are shown or left out as a whole, so that no text exhausts
/// the stack.
const DEEPEST: usize = 64;
/// Maximum number of keys in the description of omitted elements.
const KEYS: usize = 12;

/// Parses a text as JSON; `None` unless it is a single array or object.
pub fn parse(text: &str) -> Option<&RawValue> {
    let text = text.trim_start_matches('\u{FEFF}').trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Shortened JSON.
#[derive(Debug, Default)]
pub struct ShortJson {
    /// The JSON.
    pub text: String,
    /// Number of elements and fields left out.
    pub left_out: usize,
    /// Number of all elements and fields of the arrays and objects that were shortened.
    pub values: usize,
    /// Number of elements and fields left out that report a failure.
    pub failures: usize,
}

/// Shortens a text of several lines to about this many bytes. Returns the text, and the number of omitted lines that
/// report a failure.
pub type CutText<'a> = &'a dyn Fn(&str, usize) -> (String, usize);

/// Shortens one JSON value to any number of bytes, as often as needed. Each part is parsed only once.
pub struct JsonReader<'a> {
    value: Json<'a>,
    failures: Failures,
    expected: &'a ExpectedNames,
    cut_text: CutText<'a>,
    /// The members of arrays and objects, by the address at which the array or object begins.
    opened: HashMap<usize, Rc<Members<'a>>, ByHash>,
    shapes: Shapes<'a>,
}

impl<'a> JsonReader<'a> {
    /// Creates a reader, and finds the places that report failures.
    pub fn new(value: Json<'a>, expected: &'a ExpectedNames, cut_text: CutText<'a>) -> Self {
        let failures = Failures::read(value);
        Self { value, failures, expected, cut_text, opened: HashMap::default(), shapes: Shapes::default() }
    }

    /// Returns the value in about `room` bytes.
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
            self.string(value, room.max(LEAST), short);
        } else if value.is_array() || value.is_object() {
            let gap = ItemsGap { count: 1, is_keys: false, shape: kind_name(value) };
            short.text.push_str(&quoted(&gap));
            short.left_out += 1;
            short.values += 1;
            short.failures += usize::from(self.failures.are_in(json));
        } else {
            // A number with hundreds of digits.
            short.text.push_str(&cut_string(&quoted(&json), room.max(LEAST)).0);
        }
    }

    /// Shortens a string. One with several lines is shortened like a text.
    fn string(&self, value: Json<'a>, room: usize, short: &mut ShortJson) {
        let text = value.string().filter(|text| text.trim_end().contains('\n'));
        let (cut, failures) = match text {
            Some(text) => {
                let (cut, failures) = (self.cut_text)(&text, room);
                (quoted(&cut), failures)
            }
            None => cut_string(value.json(), room),
        };
        let is_shorter = cut.len() < value.json().len();
        short.text.push_str(if is_shorter { &cut } else { value.json() });
        short.failures += if is_shorter { failures } else { 0 };
    }

    fn container(&mut self, value: Json<'a>, room: usize, depth: usize, short: &mut ShortJson) {
        let members = self.members(value);
        short.values += members.count;
        let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
        short.text.push(open);
        let (mut at, mut is_first) = (0, true);
        // An object gets one gap for all omitted fields: two gaps could have the same key, and JSON parsers keep only
        // one of them.
        let mut keys = Vec::new();
        for (shown, room) in rooms(&members, room) {
            if value.is_object() {
                keys.push(at..shown);
            } else {
                self.gap(&members, std::slice::from_ref(&(at..shown)), &mut is_first, short);
            }
            if !std::mem::take(&mut is_first) {
                short.text.push_str(",\n");
            }
            let Member { key, value } = members.get(shown);
            if let Some(key) = key {
                short.text.push_str(&key);
                short.text.push_str(": ");
            }
            self.write(value, room, depth + 1, short);
            at = shown + 1;
        }
        keys.push(at..members.count);
        self.gap(&members, &keys, &mut is_first, short);
        short.text.push(close);
    }

    /// Writes a marker for the omitted members in `gaps`.
    fn gap(&mut self, members: &Members<'a>, gaps: &[Range<usize>], is_first: &mut bool, short: &mut ShortJson) {
        let count = gaps.iter().map(ExactSizeIterator::len).sum();
        if count == 0 {
            return;
        }
        if !std::mem::take(is_first) {
            short.text.push_str(",\n");
        }
        let is_keys = members.value.is_object();
        let shape = match is_keys {
            true if count <= KEYS => fields(members, gaps),
            true => format!("each {}", self.shapes.told(members, gaps)),
            false => self.shapes.told(members, gaps),
        };
        short.text.push_str(&quoted(&ItemsGap { count, is_keys, shape: if is_keys { "" } else { &shape } }));
        if is_keys {
            short.text.push_str(": ");
            short.text.push_str(&quoted(&shape));
        }
        short.left_out += count;
        let failures = |gap| members.outstanding_in(gap).iter().filter(|member| member.is_failure).count();
        short.failures += gaps.iter().map(failures).sum::<usize>();
    }

    fn members(&mut self, value: Json<'a>) -> Rc<Members<'a>> {
        let begin = value.json().as_ptr() as usize;
        if let Some(members) = self.opened.get(&begin) {
            return members.clone();
        }
        let members = Rc::new(Members::read(value, self.expected, &mut self.shapes, &self.failures));
        self.opened.insert(begin, members.clone());
        members
    }
}

/// The places at which a JSON text reports failures.
struct Failures {
    /// The address of the text.
    start: usize,
    /// The byte positions, in order.
    places: Vec<u32>,
}

impl Failures {
    fn read(value: Json<'_>) -> Self {
        let mut places = Vec::new();
        each_failure_in_json(value.json(), |at| places.push(narrow(at)));
        places.sort_unstable();
        Self { start: value.json().as_ptr() as usize, places }
    }

    /// Returns true if a part of the text reports a failure.
    fn are_in(&self, part: &str) -> bool {
        let start = part.as_ptr() as usize - self.start;
        let next = self.places.partition_point(|at| (*at as usize) < start);
        self.places.get(next).is_some_and(|at| (*at as usize) < start + part.len())
    }
}

/// An element, or a field with its key in its original spelling.
struct Member<'a> {
    key: Option<String>,
    value: Json<'a>,
}

impl Member<'_> {
    fn head(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.len() + 2) + 2
    }

    fn bytes(&self) -> usize {
        self.head() + self.value.json().len()
    }

    fn least(&self) -> usize {
        self.head() + self.value.json().len().min(LEAST)
    }
}

/// Size of a block of members in bytes. A larger member is a block by itself.
const BLOCK: usize = 64;

/// The members of an array or object. Only blocks of members are stored, because a text may have one member for every
/// two bytes. Members are parsed from their block when needed.
struct Members<'a> {
    value: Json<'a>,
    count: usize,
    blocks: Vec<Block>,
    /// Members that report a failure, or contain names known from the conversation.
    outstanding: Vec<Outstanding>,
}

/// Members that begin within [`BLOCK`] bytes.
struct Block {
    /// The index of its first member; `start` and `end` are byte positions in the text.
    first: u32,
    start: u32,
    end: u32,
    /// The number of its members' kind in [`Shapes`], or of their row of kinds.
    kinds: u32,
}

struct Outstanding {
    member: u32,
    /// Sum over its names known from the conversation of the chance that the name will be used.
    chance: f32,
    is_failure: bool,
}

impl<'a> Members<'a> {
    fn read(value: Json<'a>, expected: &ExpectedNames, shapes: &mut Shapes<'a>, failures: &Failures) -> Self {
        let mut members = Self { value, count: 0, blocks: Vec::new(), outstanding: Vec::new() };
        let mut kinds: Vec<u32> = Vec::new();
        let mut values = value.inside(1);
        while let Some(first) = values.next() {
            let (key, value) =
                if members.value.is_object() { (Some(first), values.next()) } else { (None, Some(first)) };
            let Some(value) = value else { break };
            let start = members.place(key.unwrap_or(value));
            let end = members.place(value) + value.json().len();
            let last = members.blocks.last().map(|block| block.start as usize);
            if last.is_none_or(|last| start >= last + BLOCK || end - start >= BLOCK) {
                shapes.close(&mut members.blocks, &mut kinds);
                members.blocks.push(Block {
                    first: narrow(members.count),
                    start: narrow(start),
                    end: narrow(end),
                    kinds: 0,
                });
            }
            let kind = shapes.number(value);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            let json = value.json();
            let mut chance = 0.0;
            expected.each_in(json, |_, own| chance += expected.above_unseen(own));
            let is_failure = failures.are_in(&members.value.json()[start..end]);
            if is_failure || chance > 0.0 {
                members.outstanding.push(Outstanding { member: narrow(members.count), chance, is_failure });
            }
            members.count += 1;
        }
        shapes.close(&mut members.blocks, &mut kinds);
        members
    }

    /// Returns the byte position of an inner value in the text.
    fn place(&self, value: Json<'_>) -> usize {
        value.json().as_ptr() as usize - self.value.json().as_ptr() as usize
    }

    /// Returns the index of a member's block, and the member's position in the block.
    fn block_of(&self, member: usize) -> (usize, usize) {
        let block = self.blocks.partition_point(|block| block.first as usize <= member) - 1;
        (block, member - self.blocks[block].first as usize)
    }

    fn get(&self, member: usize) -> Member<'a> {
        let (block, before) = self.block_of(member);
        let (start, end) = (self.blocks[block].start as usize, self.blocks[block].end as usize);
        let mut values = self.value.inside(start).skip(if self.value.is_object() { 2 * before } else { before });
        let key = if self.value.is_object() { values.next() } else { None };
        let value = if before == 0 {
            // The first member may be long. The block's end is known, so the value is not parsed to find it.
            let behind = key.map_or(start, |key| self.place(key) + key.json().len());
            let is_between = |byte: &u8| matches!(byte, b':' | b' ' | b'\n' | b'\r' | b'\t');
            let between = self.value.json().as_bytes()[behind..].iter().take_while(|byte| is_between(byte)).count();
            Some(self.value.part(behind + between..end))
        } else {
            values.next()
        };
        let key = key.map(|key| key.json().to_owned());
        Member { key, value: value.unwrap_or(self.value) }
    }

    /// Returns the entries of [`Self::outstanding`] for these members.
    fn outstanding_in(&self, members: &Range<usize>) -> &[Outstanding] {
        let first = |member: usize| self.outstanding.partition_point(|other| (other.member as usize) < member);
        &self.outstanding[first(members.start)..first(members.end)]
    }
}

/// Converts a number or position in a text, which has at most [`super::units::LONGEST`] bytes.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("longer texts are not shortened")
}

/// Chooses the members to show within `room` bytes, and returns each with its budget. The first and the last come
/// first, then those that report a failure, then the others in order of their chance to be used.
fn rooms(members: &Members<'_>, room: usize) -> Vec<(usize, usize)> {
    let mut shown = BTreeMap::new();
    let mut left = room - (room / 3).min(2 * LEAST);
    // A large member counts with at most this many bytes, so that it does not exclude the others.
    let fair = (room / 8).max(LEAST);
    let mut take = |at: usize| {
        let member = members.get(at);
        let cost = member.bytes().min(fair.max(member.least()));
        let fits = cost <= left;
        if fits && !shown.contains_key(&at) {
            shown.insert(at, (member.head(), member.bytes()));
            left -= cost;
        }
        // After a member with a long key does not fit, others may still fit.
        fits || left >= 2 * LEAST
    };
    let failures = members.outstanding.iter().filter(|member| member.is_failure).map(|member| member.member as usize);
    let ends = [Some(0), members.count.checked_sub(1)].into_iter().flatten().filter(|at| *at < members.count);
    for at in ends.chain(failures).chain(by_chance(members)) {
        if !take(at) {
            break;
        }
    }
    divided(&shown, room.saturating_sub(2))
}

/// Iterates over the members. Those with names known from the conversation come first, by chance per byte.
fn by_chance<'m>(members: &'m Members<'_>) -> impl Iterator<Item = usize> + 'm {
    let is_likely = |member: &&Outstanding| member.chance > 0.0;
    let density = |member: &Outstanding| {
        (member.member as usize, member.chance / members.get(member.member as usize).bytes() as f32)
    };
    let mut likely: Vec<(usize, f32)> = members.outstanding.iter().filter(is_likely).map(density).collect();
    likely.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut passed = members.outstanding.iter().filter(is_likely).map(|member| member.member as usize).peekable();
    let others = (0..members.count).filter(move |at| passed.next_if_eq(at).is_none());
    likely.into_iter().map(|(at, _)| at).chain(others)
}

/// Divides `room` bytes evenly among members, given as sizes of head and whole. Members that need less than their share
/// leave the rest to the others.
fn divided(shown: &BTreeMap<usize, (usize, usize)>, room: usize) -> Vec<(usize, usize)> {
    let mut sizes: Vec<usize> = shown.values().map(|(_, bytes)| *bytes).collect();
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
    shown.iter().map(|(at, (head, bytes))| (*at, (*bytes).min(part).saturating_sub(*head))).collect()
}

/// Describes omitted fields by names and kinds: `{id: number, tags: array}`.
fn fields(members: &Members<'_>, gaps: &[Range<usize>]) -> String {
    let field = |at: usize| {
        let member = members.get(at);
        let key: String = member.key.as_deref().and_then(|key| serde_json::from_str(key).ok()).unwrap_or_default();
        format!("{}: {}", shortened(&key), kind_name(member.value))
    };
    format!("{{{}}}", gaps.iter().cloned().flatten().map(field).collect::<Vec<_>>().join(", "))
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

/// The distinct kinds of values. Most elements of an array share a few kinds.
#[derive(Default)]
struct Shapes<'a> {
    numbers: HashMap<u128, u32, ByHash>,
    /// A value of each kind.
    all: Vec<Json<'a>>,
    /// The rows of kinds of blocks whose members have several kinds; `row_numbers` has their indices.
    rows: Vec<Rc<[u32]>>,
    row_numbers: HashMap<Rc<[u32]>, u32>,
    written: String,
}

/// Marks [`Block::kinds`] as the index of a row.
const IS_ROW: u32 = 1 << 31;

impl<'a> Shapes<'a> {
    fn number(&mut self, value: Json<'a>) -> u32 {
        self.written.clear();
        self.written.push_str(kind_name(value));
        for (key, value) in value.object().iter() {
            let _ = write!(self.written, ",{} {}", kind_name(value), quoted(&key));
        }
        *self.numbers.entry(xxh3_128(self.written.as_bytes())).or_insert_with(|| {
            self.all.push(value);
            narrow(self.all.len() - 1)
        })
    }

    /// Stores the kinds of the members of the last block.
    fn close(&mut self, blocks: &mut [Block], kinds: &mut Vec<u32>) {
        let Some(block) = blocks.last_mut() else { return };
        block.kinds = match kinds[..] {
            [kind] => kind,
            _ => IS_ROW | self.row(kinds),
        };
        kinds.clear();
    }

    fn row(&mut self, kinds: &[u32]) -> u32 {
        if let Some(number) = self.row_numbers.get(kinds) {
            return *number;
        }
        let (number, row) = (narrow(self.rows.len()), Rc::<[u32]>::from(kinds));
        self.rows.push(row.clone());
        self.row_numbers.insert(row, number);
        number
    }

    /// Returns the kinds of these members, in the order of their first appearance.
    fn kinds(&mut self, members: &Members<'a>, gaps: &[Range<usize>]) -> Vec<u32> {
        let mut is_seen = vec![false; self.all.len()];
        let mut found = Vec::new();
        let mut note = |kind: u32| {
            if !std::mem::replace(&mut is_seen[kind as usize], true) {
                found.push(kind);
            }
        };
        for gap in gaps.iter().filter(|gap| !gap.is_empty()) {
            let (first, _) = members.block_of(gap.start);
            for (at, block) in members.blocks.iter().enumerate().skip(first) {
                let start = block.first as usize;
                let end = members.blocks.get(at + 1).map_or(members.count, |next| next.first as usize);
                if start >= gap.end {
                    break;
                }
                if start < gap.start || end > gap.end {
                    (start.max(gap.start)..end.min(gap.end)).for_each(|at| note(self.number(members.get(at).value)));
                } else if block.kinds & IS_ROW == 0 {
                    note(block.kinds);
                } else {
                    self.rows[(block.kinds & !IS_ROW) as usize].iter().for_each(|kind| note(*kind));
                }
            }
        }
        found
    }

    /// Describes the kinds of members: `{id: number, name: string|null}`, `number`, `string|array`.
    fn told(&mut self, members: &Members<'a>, gaps: &[Range<usize>]) -> String {
        let mut kinds: Vec<&str> = Vec::new();
        let mut keys: Vec<(String, Vec<&str>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for number in self.kinds(members, gaps) {
            let value = self.all[number as usize];
            let name = kind_name(value);
            if !kinds.contains(&name) {
                kinds.push(name);
            }
            for (key, value) in value.object().iter() {
                let kind = kind_name(value);
                let place = *places.entry(key.to_owned()).or_insert_with(|| {
                    keys.push((key.to_owned(), Vec::new()));
                    keys.len() - 1
                });
                if !keys[place].1.contains(&kind) {
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

/// Cuts the middle out of a string literal. Returns the literal, and 1 if the cut removes a report of a failure, else
/// 0.
fn cut_string(json: &str, room: usize) -> (String, usize) {
    let inner = &json[1..json.len() - 1];
    let first = border(inner, room * 2 / 3);
    let last = border(inner, inner.len().saturating_sub(room / 3).max(first));
    let omitted = unescape(&format!("\"{}\"", &inner[first..last]));
    if omitted.is_empty() {
        return (json.to_owned(), 0);
    }
    let gap = Gap::Characters(omitted.chars().count());
    // A fragment of nested JSON does not show which field it belongs to, so the whole string is checked, too.
    let is_in = |inner: &str| is_failure_in_text(&unescape(&format!("\"{inner}\"")));
    let is_failure =
        is_failure_in_text(&omitted) || (is_in(inner) && !is_in(&inner[..first]) && !is_in(&inner[last..]));
    (format!("\"{}{gap}{}\"", &inner[..first], &inner[last..]), usize::from(is_failure))
}

/// Returns the nearest position at or before `at` that splits neither an escape nor a character.
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
        JsonReader::new(Json::from(parse(json).unwrap()), &nothing_expected(), &as_it_is).shorten(room)
    }

    fn as_it_is(text: &str, _: usize) -> (String, usize) {
        (text.to_owned(), 0)
    }

    #[test]
    fn an_object_has_one_gap_wherever_fields_were() {
        let field =
            |at: usize| format!(r#""k{at}":"{}""#, if at % 20 == 10 { "failed: x" } else { "a value like the others" });
        let json = format!("{{{}}}", (0..60).map(field).collect::<Vec<_>>().join(","));
        let short = short(&json, 400);
        let left: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&short.text).unwrap();
        assert_eq!(short.text.matches(" left out]").count(), 1, "{}", short.text);
        assert_eq!(left.len() - 1 + short.left_out, 60);
        assert!(left.contains_key("k10") && left.contains_key("k30") && left.contains_key("k50"));
    }

    #[test]
    fn a_failure_stays_or_is_counted_wherever_it_stands() {
        let many = |member: &dyn Fn(usize) -> String| (0..2000).map(member).collect::<Vec<_>>().join(",");
        let field = |at: usize| if at == 1000 { r#""error":"boom""#.to_owned() } else { format!(r#""k{at}":0"#) };
        let verdict = |at: usize| match at {
            1000 => format!(r#""t{at}":"failed: boom AssertionError""#),
            _ => format!(r#""t{at}":"passed""#),
        };
        let text = |at: usize| if at == 1000 { r#""npm ERR! boom""#.to_owned() } else { format!(r#""ok {at}""#) };
        let item = |at: usize| match at {
            1000 => r#"{"id":7,"message":"fatal error: boom"}"#.to_owned(),
            _ => format!(r#"{{"id":{at},"message":"fine"}}"#),
        };
        let flag = |at: usize| format!(r#"{{"ok":{}}}"#, at != 1000);
        let code = |at: usize| format!(r#"{{"exitCode":{}}}"#, usize::from(at == 1000));
        for (json, shown) in [
            (format!("{{{}}}", many(&field)), "boom"),
            (format!("{{{}}}", many(&verdict)), "boom"),
            (format!("[{}]", many(&text)), "boom"),
            (format!("[{}]", many(&item)), "boom"),
            (format!("[{}]", many(&flag)), r#""ok":false"#),
            (format!("[{}]", many(&code)), r#""exitCode":1"#),
            (format!(r#"{{{},"\ud800":1,"error":"boom"}}"#, many(&|at| format!(r#""k{at}":1"#))), "boom"),
            (format!(r#"{{"{}":1,"b":2,"msg":"fatal error: boom","c":3}}"#, "k".repeat(4000)), "boom"),
            (format!(r#"[{},"fatal error: boom",2,3]"#, "7".repeat(5000)), "boom"),
        ] {
            let short = short(&json, 1000);
            assert!(short.text.contains(shown) && short.text.len() < 1500, "{shown}: {}", short.text);
            assert_eq!(short.failures, 0);
            serde_json::from_str::<serde_json::Value>(&short.text)
                .or_else(|_| if short.text.contains("ud800") { Ok(().into()) } else { Err(short.text) })
                .unwrap();
        }
        let one = format!(r#"{{"a":"{} error: boom {}"}}"#, "x ".repeat(2000), "y ".repeat(2000));
        assert_eq!(short(&one, 300).failures, 1);
        let lone = format!(r#"{{"a":"{}"}}"#, r"x\ud800".repeat(3000));
        assert!(!short(&lone, 300).text.contains(" 0 characters"));
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
        let json = format!(r#"{{"a": "{}", "b": 1}}"#, r#"\t\"\ud83d\ude00x"#.repeat(500));
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

    /// Returns the number of members that the gaps report as missing.
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
        fn members_and_their_kinds_are_found_where_they_are(value in any_json(), is_pretty: bool, cut in (0_usize..20, 0_usize..20)) {
            let text = if is_pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            if let Some(raw) = parse(&text) {
                let (value, mut shapes) = (Json::from(raw), Shapes::default());
                let members = Members::read(value, &nothing_expected(), &mut shapes, &Failures::read(value));
                let (elements, object) = (value.elements(), value.object());
                let fields = object.iter().map(|(key, value)| (Some(quoted(&key)), value));
                let expected: Vec<_> = elements.into_iter().map(|value| (None, value)).chain(fields).collect();
                prop_assert_eq!(members.count, expected.len());
                for (at, (key, value)) in expected.iter().enumerate() {
                    let member = members.get(at);
                    prop_assert_eq!((&member.key, member.value.json()), (key, value.json()));
                }
                let gap = cut.0.min(members.count)..cut.1.min(members.count);
                if !gap.is_empty() {
                    let mut kinds: Vec<u32> = Vec::new();
                    for (_, value) in &expected[gap.clone()] {
                        let kind = shapes.number(*value);
                        if !kinds.contains(&kind) {
                            kinds.push(kind);
                        }
                    }
                    prop_assert_eq!(shapes.kinds(&members, std::slice::from_ref(&gap)), kinds);
                }
            }
        }

        #[test]
        fn what_is_left_is_json(value in any_json(), room in 0_usize..2000) {
            let text = value.to_string();
            if let Some(raw) = parse(&text) {
                let expected = nothing_expected();
                let mut reader = JsonReader::new(Json::from(raw), &expected, &as_it_is);
                let short = reader.shorten(room);
                let shown: serde_json::Value = serde_json::from_str(&short.text).map_err(|_| TestCaseError::fail(short.text.clone()))?;
                prop_assert_eq!((left_out(&shown), short.left_out <= short.values), (short.left_out, true), "{}", short.text);
                prop_assert_eq!(&reader.shorten(usize::MAX).text, text.trim());
                prop_assert_eq!(reader.shorten(room).text, short.text);
            }
        }
    }
}
