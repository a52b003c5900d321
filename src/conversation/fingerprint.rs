//! Fingerprints of texts, values and messages. With them, an edit is made only to the value for which it was computed,
//! and an undo restores exactly the removed content.
//!
//! Uses xxHash3 (64 bits), like other keys. It detects accidental and manual changes, but does not protect against
//! forged data with forged fingerprints.

use std::{fmt, sync::Arc};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{
    Block, Content, Conversation, Entry, Fields, Message,
    json_text::unescape,
    scan::string_end,
    surrogates,
    utf16::{first_wide, utf16_length},
};
use crate::parallel::in_parts;

/// Length and hash of a text or another JSON value. As a string it is `20312:9f86d081884c7d65`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// UTF-16 units of a text; for any other value, the units of all strings in it, keys included.
    length: usize,
    hash: u64,
}

/// Number of units hashed at a time.
const CHUNK: usize = 2048;

impl Fingerprint {
    /// Returns the fingerprint of a text. Hashes the text as UTF-16 in its outside form, so that JavaScript computes
    /// the same fingerprint: see [`Fingerprint::of_units`].
    pub fn of_text(text: &str) -> Self {
        let mut hashed = HashedUnits::default();
        if surrogates::differs_outside(text) {
            surrogates::outside_units(text).for_each(|unit| hashed.push(unit));
            return hashed.finish();
        }
        // Most of a text is ASCII, which is converted to UTF-16 in long runs.
        let mut rest = text;
        while let Some(other) = first_wide(rest.as_bytes()) {
            let (plain, from_other) = rest.split_at(other);
            hashed.push_all(plain.as_bytes(), u16::from);
            let mut chars = from_other.chars();
            let character = chars.next().unwrap_or_default();
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| hashed.push(*unit));
            rest = chars.as_str();
        }
        hashed.push_all(rest.as_bytes(), u16::from);
        hashed.finish()
    }

    /// Returns the length in a fingerprint's outside form; `None` if the text is no fingerprint.
    pub fn length_in(text: &str) -> Option<usize> {
        let (length, hash) = text.split_once(':')?;
        let is_hash = hash.len() == 16 && is_hexadecimal(hash);
        let is_length = (1..=10).contains(&length.len()) && length.bytes().all(|byte| byte.is_ascii_digit());
        (is_hash && is_length).then(|| length.parse().ok()).flatten()
    }

    /// Returns the fingerprint of a JavaScript string.
    pub fn of_units(units: &[u16]) -> Self {
        let mut hashed = HashedUnits::default();
        hashed.push_all(units, |unit| unit);
        hashed.finish()
    }

    /// Returns the fingerprint of a JSON value. The order of an object's keys and the way a string is escaped make no
    /// difference. `json` must be valid; for anything else the fingerprint is unspecified, but nothing panics.
    pub fn of_json(json: &str) -> Self {
        if json.starts_with('"') {
            return Self::of_text(&unescape(json));
        }
        let mut length = 0;
        let hash = json_hash(json, &mut length).whole;
        Self { length, hash }
    }

    /// Returns [`Fingerprint::of_json`] of a message's JSON without writing it.
    pub fn of_message(message: &Message) -> Self {
        let (length, hash) = *message.remembered.fingerprint.get_or_init(|| {
            let Self { length, hash } = match message.unreadable() {
                Some(raw) => Self::of_json(raw.get()),
                None => Self::of_value(|length| message_value(message, length)),
            };
            (length, hash)
        });
        Self { length, hash }
    }

    /// Returns [`Fingerprint::of_json`] of a content's JSON without writing it.
    pub fn of_content(content: &Content) -> Self {
        match content {
            Content::Text(text) => Self::of_text(text),
            _ => Self::of_value(|length| content_value(content, length)),
        }
    }

    /// Returns [`Fingerprint::of_json`] of a block's JSON without writing it.
    pub fn of_block(block: &Block) -> Self {
        match block {
            Block::Image { raw, .. } | Block::Thinking { raw, .. } | Block::Other { raw, .. } => {
                Self::of_json(raw.get())
            }
            _ => Self::of_value(|length| block_value(block, length)),
        }
    }

    fn of_value(value: impl FnOnce(&mut usize) -> u64) -> Self {
        let mut length = 0;
        let hash = mixed(0, mixed(0, value(&mut length)));
        Self { length, hash }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{:016x}", self.length, self.hash)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Hashes UTF-16 units as little-endian bytes.
struct HashedUnits {
    hasher: Xxh3,
    length: usize,
    /// Units not yet hashed, and their number.
    waiting: [[u8; 2]; CHUNK],
    filled: usize,
}

impl Default for HashedUnits {
    fn default() -> Self {
        Self { hasher: Xxh3::new(), length: 0, waiting: [[0; 2]; CHUNK], filled: 0 }
    }
}

impl HashedUnits {
    fn push(&mut self, unit: u16) {
        self.push_all(&[unit], |unit| unit);
    }

    /// Appends items as units. Written so that the compiler can vectorise the loop.
    fn push_all<T: Copy>(&mut self, mut items: &[T], unit: impl Fn(T) -> u16) {
        self.length += items.len();
        while !items.is_empty() {
            let (now, later) = items.split_at(items.len().min(CHUNK - self.filled));
            let free = &mut self.waiting[self.filled..self.filled + now.len()];
            free.iter_mut().zip(now).for_each(|(bytes, item)| *bytes = unit(*item).to_le_bytes());
            self.filled += now.len();
            items = later;
            if self.filled == CHUNK {
                self.hash_waiting();
            }
        }
    }

    fn hash_waiting(&mut self) {
        self.hasher.update(self.waiting[..self.filled].as_flattened());
        self.filled = 0;
    }

    fn finish(mut self) -> Fingerprint {
        self.hash_waiting();
        Fingerprint { length: self.length, hash: self.hasher.digest() }
    }
}

fn mixed(one: u64, other: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&one.to_le_bytes());
    bytes[8..].copy_from_slice(&other.to_le_bytes());
    xxh3_64(&bytes)
}

fn tagged(tag: u8, text: &str) -> u64 {
    mixed(u64::from(tag), xxh3_64(text.as_bytes()))
}

/// An array or object that is not closed yet.
struct Open {
    hash: u64,
    is_object: bool,
    /// The hashed key of the next value.
    key: Option<u64>,
}

impl Open {
    fn add(&mut self, value: u64) {
        if self.is_object {
            // A sum, because the order of fields has no meaning.
            self.hash = self.hash.wrapping_add(mixed(self.key.take().unwrap_or_default(), value));
        } else {
            self.hash = mixed(self.hash, value);
        }
    }
}

/// The hashes of a JSON text.
struct JsonHash {
    /// The hash of the whole text.
    whole: u64,
    /// The hash of the value in the text, for the array or object around it.
    value: u64,
}

/// Runs in one pass without recursion, because values may be nested thousands of levels deep.
fn json_hash(json: &str, length: &mut usize) -> JsonHash {
    let bytes = json.as_bytes();
    let mut open = vec![Open { hash: 0, is_object: false, key: None }];
    let mut last = 0;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        let value = match bytes[start] {
            first @ (b'{' | b'[') => {
                open.push(Open { hash: u64::from(first), is_object: first == b'{', key: None });
                continue;
            }
            b'}' | b']' if open.len() > 1 => match open.pop() {
                Some(closed) => mixed(u64::from(closed.is_object), closed.hash),
                None => continue,
            },
            b'"' => {
                at = string_end(bytes, start);
                let literal = &json[start..at];
                let inner = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
                let hash = if inner.contains('\\') {
                    string_value(&unescape(literal), length)
                } else {
                    string_value(inner, length)
                };
                match open.last_mut() {
                    Some(Open { is_object: true, key: key @ None, .. }) => {
                        *key = Some(hash);
                        continue;
                    }
                    _ => hash,
                }
            }
            b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'}' | b']' => continue,
            _ => {
                let is_end =
                    |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b']' | b'}' | b'"' | b'[' | b'{');
                at = bytes[start..].iter().position(is_end).map_or(bytes.len(), |length| start + length);
                tagged(b'0', &json[start..at])
            }
        };
        last = value;
        if let Some(holder) = open.last_mut() {
            holder.add(value);
        }
    }
    JsonHash { whole: open.into_iter().fold(0, |hash, left| mixed(hash, left.hash)), value: last }
}

fn raw_hash(raw: &RawValue) -> u64 {
    json_hash(raw.get(), &mut 0).whole
}

fn string_value(text: &str, length: &mut usize) -> u64 {
    *length += utf16_length(text);
    tagged(b'"', text)
}

/// An object whose values are added one by one.
struct ObjectValue<'l> {
    sum: u64,
    length: &'l mut usize,
}

impl<'l> ObjectValue<'l> {
    fn new(length: &'l mut usize) -> Self {
        Self { sum: u64::from(b'{'), length }
    }

    fn with(mut self, key: &str, value: impl FnOnce(&mut usize) -> u64) -> Self {
        let key = string_value(key, self.length);
        self.sum = self.sum.wrapping_add(mixed(key, value(self.length)));
        self
    }

    fn with_text(self, key: &str, text: &str) -> Self {
        self.with(key, |length| string_value(text, length))
    }

    fn with_content(self, content: &Content) -> Self {
        match content {
            Content::Missing => self,
            _ => self.with("content", |length| content_value(content, length)),
        }
    }

    fn end(self, extra: &Fields) -> u64 {
        let whole = extra.iter().fold(self, |object, (key, raw)| object.with(key, |length| raw_value(raw, length)));
        mixed(1, whole.sum)
    }
}

fn raw_value(raw: &RawValue, length: &mut usize) -> u64 {
    json_hash(raw.get(), length).value
}

fn message_value(message: &Message, length: &mut usize) -> u64 {
    let role = ObjectValue::new(length).with_text("role", message.role.as_str());
    role.with_content(&message.content).end(&message.extra)
}

fn content_value(content: &Content, length: &mut usize) -> u64 {
    match content {
        Content::Text(text) => string_value(text, length),
        Content::Blocks(blocks) => {
            let hash = blocks.iter().fold(u64::from(b'['), |hash, block| mixed(hash, block_value(block, length)));
            mixed(0, hash)
        }
        Content::Other(raw) => raw_value(raw, length),
        Content::Missing => raw_value(RawValue::NULL, length),
    }
}

fn block_value(block: &Block, length: &mut usize) -> u64 {
    let object = |length| ObjectValue::new(length).with_text("type", block.kind());
    match block {
        Block::Text { text, extra } => object(length).with_text("text", text).end(extra),
        Block::ToolUse { id, name, input, extra } => {
            let named = object(length).with_text("id", id).with_text("name", name);
            let is_written = input.get() != RawValue::NULL.get();
            let whole = if is_written { named.with("input", |length| raw_value(input, length)) } else { named };
            whole.end(extra)
        }
        Block::ToolResult { tool_use_id, content, extra, .. } => {
            object(length).with_text("tool_use_id", tool_use_id).with_content(content).end(extra)
        }
        Block::Image { raw, .. } | Block::Thinking { raw, .. } | Block::Other { raw, .. } => raw_value(raw, length),
    }
}

impl Message {
    /// Returns a hash of the content: role, texts, calls, results and other blocks. It ignores fields of the message,
    /// its texts, calls and results that this crate does not read, because hosts add and remove those.
    pub fn content_hash(&self) -> u64 {
        *self.remembered.hash.get_or_init(|| match self.unreadable() {
            Some(raw) => raw_hash(raw),
            None => mixed(tagged(b'r', self.role.as_str()), content_hash(&self.content)),
        })
    }
}

impl Message {
    /// Returns the hash of each block; for a string content, the hash of a text block.
    pub fn block_hashes(&self) -> Vec<u64> {
        match &self.content {
            Content::Text(text) => vec![tagged(b'T', text)],
            content => content.blocks().iter().map(block_hash).collect(),
        }
    }
}

/// Returns [`Message::content_hash`] of a message with these block hashes.
pub fn hash_of_blocks(role: &str, blocks: impl Iterator<Item = u64>) -> u64 {
    mixed(tagged(b'r', role), blocks.fold(u64::from(b'b'), mixed))
}

fn content_hash(content: &Content) -> u64 {
    match content {
        Content::Text(text) => tagged(b't', text),
        Content::Blocks(blocks) => blocks.iter().fold(u64::from(b'b'), |hash, block| mixed(hash, block_hash(block))),
        Content::Other(raw) => raw_hash(raw),
        Content::Missing => 0,
    }
}

fn block_hash(block: &Block) -> u64 {
    match block {
        Block::Text { text, .. } => tagged(b'T', text),
        Block::ToolUse { id, name, input, .. } => mixed(mixed(tagged(b'i', id), tagged(b'n', name)), raw_hash(input)),
        Block::ToolResult { tool_use_id, content, is_error, .. } => {
            mixed(mixed(tagged(b'u', tool_use_id), content_hash(content)), u64::from(*is_error))
        }
        Block::Image { raw, .. } | Block::Thinking { raw, .. } | Block::Other { raw, .. } => raw_hash(raw),
    }
}

/// Hashes of a conversation's messages. The JSON form is one string with eight hexadecimal digits per message: four
/// bytes suffice to distinguish two messages, and [`Contents::whole`] verifies all messages together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents(Vec<u64>);

impl From<Vec<u64>> for Contents {
    fn from(hashes: Vec<u64>) -> Self {
        Self(hashes)
    }
}

impl Contents {
    /// Hashes the messages of a conversation.
    pub fn hash(conversation: &Conversation) -> Self {
        Self(in_parts(
            conversation.entries(),
            |entry| entry.message.bytes(),
            |entries| entries.iter().map(|entry| entry.message.content_hash()).collect(),
        ))
    }

    /// Hashes the messages of a conversation derived from `before`, whose hashes `self` holds: messages that did not
    /// change are not read again.
    pub fn of_later(&self, before: &Conversation, later: &Conversation) -> Self {
        let known = |entry: &Entry| {
            let origin = entry.origin?;
            before.entries().get(origin).filter(|known| Arc::ptr_eq(&known.message, &entry.message))?;
            self.0.get(origin).copied()
        };
        Self(in_parts(
            later.entries(),
            |entry| if known(entry).is_some() { 0 } else { entry.message.bytes() },
            |entries| {
                entries.iter().map(|entry| known(entry).unwrap_or_else(|| entry.message.content_hash())).collect()
            },
        ))
    }

    /// Returns the hash of one message; `None` if there is none.
    pub fn of_message(&self, index: usize) -> Option<u64> {
        self.0.get(index).copied()
    }

    /// Divides the outside form into the digits of each message; `None` if the text is not in that form.
    pub fn divide(outside: &str) -> Option<Vec<&str>> {
        let is_whole = outside.len().is_multiple_of(DIGITS) && is_hexadecimal(outside);
        is_whole.then(|| (0..outside.len()).step_by(DIGITS).map(|at| &outside[at..at + DIGITS]).collect())
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the first messages are those of `other`.
    pub fn starts_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Returns the number of messages and a hash of them all, such as `12:9f86d081884c7d65`.
    pub fn whole(&self) -> Fingerprint {
        let bytes: Vec<u8> = self.0.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        Fingerprint { length: self.0.len(), hash: xxh3_64(&bytes) }
    }
}

/// Number of hexadecimal digits per message in [`Contents`].
pub const DIGITS: usize = 8;

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the digits of a [`Message::content_hash`] as written in [`Contents`].
pub fn content_digits(hash: u64) -> String {
    format!("{:08x}", hash as u32)
}

impl fmt::Display for Contents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|hash| formatter.write_str(&content_digits(*hash)))
    }
}

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn conversation(messages: &Value) -> Conversation {
        Conversation::parse(&messages.to_string()).unwrap()
    }

    #[test]
    fn a_text_and_its_json_have_the_same() {
        for text in ["", "a", "é→😀", "\u{10F000}", &"line\n".repeat(3000), &"é".repeat(CHUNK + 1)] {
            let of_text = Fingerprint::of_text(&surrogates::enter_text(text));
            let units: Vec<u16> = text.encode_utf16().collect();
            assert_eq!(of_text, Fingerprint::of_units(&units));
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(of_text, Fingerprint::of_json(&surrogates::enter(&json)));
        }
        let unpaired = surrogates::enter(r#""a\ud800b""#).into_owned();
        assert_eq!(Fingerprint::of_json(&unpaired), Fingerprint::of_units(&[0x61, 0xD800, 0x62]));
        assert_eq!(Fingerprint::of_text("abc").to_string().split(':').next(), Some("3"));
    }

    #[test]
    fn order_of_keys_and_escapes_make_no_difference() {
        let one = Fingerprint::of_json(r#"{"a":[1,"x/y",{"b":null,"c":true}],"d":"é"}"#);
        assert_eq!(
            one,
            Fingerprint::of_json("{ \"d\" : \"\\u00e9\",\n\"a\": [1, \"x\\/y\", {\"c\": true, \"b\": null}]}")
        );
        for other in [
            r#"{"a":[1,"x/y",{"b":null,"c":false}],"d":"é"}"#,
            r#"{"a":["x/y",1,{"b":null,"c":true}],"d":"é"}"#,
            r#"{"a":[1,"x/y",{"c":null,"b":true}],"d":"é"}"#,
            r#"{"a":[1,"x/y",{"b":null,"c":true}],"d":"e"}"#,
            r#"{"a":[1,"x/y",{"b":null},{"c":true}],"d":"é"}"#,
            r#"{"a":[1,"x/y",{"b":null,"c":true}]}"#,
        ] {
            assert_ne!(one, Fingerprint::of_json(other), "{other}");
        }
        let pairs = [("[[],[]]", "[[[]]]"), ("{}", "[]"), ("1", "[1]"), (r#"["1"]"#, "[1]"), ("[[1],2]", "[[1,2]]")];
        for (one, other) in pairs {
            assert_ne!(Fingerprint::of_json(one), Fingerprint::of_json(other), "{one} {other}");
        }
    }

    fn written(value: &impl Serialize) -> Fingerprint {
        Fingerprint::of_json(&serde_json::to_string(value).unwrap())
    }

    #[test]
    fn what_was_read_has_that_of_its_json() {
        let messages = json!([
            { "role": "user", "content": "é\n\"", "ts": 1, "more": { "a": ["x"] } },
            { "content": [
                { "type": "text", "text": "t", "cache_control": { "type": "ephemeral" } },
                { "type": "tool_use", "id": "a", "name": "n", "input": { "path": ["x\ty"] } },
                { "type": "tool_use", "id": "b", "name": "n" },
                { "type": "tool_use", "id": "c", "name": "n", "input": null },
                { "type": "thinking", "thinking": "t", "signature": "s" },
                { "type": "image", "source": { "data": "AAAA" } },
                "text", 1, [],
            ], "role": "assistant" },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": "r" }], "is_error": true },
                { "type": "tool_result", "tool_use_id": "b", "content": "r" },
                { "type": "tool_result", "tool_use_id": "c" },
                { "type": "tool_result", "tool_use_id": "d", "content": null },
            ] },
            { "role": "user", "content": [] },
            { "role": "user", "content": { "a": 1 } },
            { "role": "user" },
            "text", 7, [],
        ]);
        for message in conversation(&messages).messages() {
            assert_eq!(Fingerprint::of_message(message), written(message));
            assert_eq!(Fingerprint::of_content(&message.content), written(&message.content));
            for block in message.content.blocks() {
                assert_eq!(Fingerprint::of_block(block), written(block), "{block:?}");
            }
        }
    }

    #[test]
    fn a_host_may_add_fields_and_nothing_else() {
        let of = |message: Value| Contents::hash(&conversation(&json!([message])));
        let call = json!({ "type": "tool_use", "id": "a", "name": "read", "input": { "path": "x", "to": 3 } });
        let answer = json!({ "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": "y" }] });
        let message = json!({ "role": "user", "content": [{ "type": "text", "text": "hi" }, call, answer] });
        let known = of(message.clone());
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut message = message.clone();
            change(&mut message);
            of(message)
        };
        let same: &[&dyn Fn(&mut Value)] = &[
            &|message| message["ts"] = 1.into(),
            &|message| message["content"][0]["cache_control"] = json!({ "type": "ephemeral" }),
            &|message| message["content"][2]["is_error"] = false.into(),
        ];
        for change in same {
            assert_eq!(changed(*change), known);
        }
        let other: &[&dyn Fn(&mut Value)] = &[
            &|message| message["role"] = "assistant".into(),
            &|message| message["content"] = "hi".into(),
            &|message| message["content"][0]["text"] = "ho".into(),
            &|message| message["content"][1]["input"]["to"] = 4.into(),
            &|message| message["content"][1]["id"] = "b".into(),
            &|message| message["content"][2]["is_error"] = true.into(),
            &|message| message["content"][2]["content"] = "y".into(),
            &|message| message["content"].as_array_mut().unwrap().swap(0, 1),
        ];
        for change in other {
            assert_ne!(changed(*change), known);
        }
        assert_eq!(known.to_string().len(), 8);
        assert_ne!(of(5.into()), of(6.into()));
    }

    #[test]
    fn hostile_nesting_is_hashed_in_linear_time() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(500_000), "]".repeat(500_000));
        assert_ne!(Fingerprint::of_json(&deep("1")), Fingerprint::of_json(&deep("2")));
    }

    proptest! {
        #[test]
        fn any_utf16_has_one(units in prop::collection::vec(prop_oneof![any::<u16>(), 0xD7F0_u16..0xE010, 0xDBFC..0xDC10_u16], 0..60)) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{escaped}\"");
            prop_assert_eq!(Fingerprint::of_json(&surrogates::enter(&json)), Fingerprint::of_units(&units));
        }

        #[test]
        fn any_text_is_survived(text in "[\\[{\"]?.*", deep in "[\\[{}\\]\",:\\\\]{0,20}") {
            let _ = (Fingerprint::of_json(&text), Fingerprint::of_json(&deep));
        }

        #[test]
        fn another_text_has_another(text in ".{0,40}", at in 0_usize..40, other in any::<char>()) {
            let changed: String = text.chars().enumerate().map(|(index, old)| if index == at { other } else { old }).collect();
            let (is, was) = (Fingerprint::of_text(&changed), Fingerprint::of_text(&text));
            prop_assert_eq!(is == was, changed == text);
        }
    }
}
