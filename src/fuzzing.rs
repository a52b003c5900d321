//! Targets for a fuzzer: each accepts any bytes and asserts invariants. `cargo fuzz run NAME` searches for bytes that
//! violate them (`fuzz/`, CONTRIBUTING); the tests here run the corpus in `fuzz/corpus`, and random bytes.

use serde_json::Value;

use crate::{
    conversation::{
        Content, Conversation, Edit, Message, NewValue, PathStep, Plan, Role,
        json_text::{MAX_LISTED_DEPTH, MAX_LISTED_KEYS, splice, string_values, unescape},
        surrogates, utf16,
    },
    json_file,
    llm::{Api, take_in_stream, take_in_whole},
    restore::decode,
};

/// A target with its name.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("surrogates", surrogate_codec),
    ("json_scan", json_scan),
    ("pointers", pointers),
    ("splice", splicing),
    ("json_file", json_files),
    ("events", events),
    ("plans", plans),
];

/// Checks that text from outside is the same after encoding and decoding, even if it is ill-formed.
pub fn surrogate_codec(data: &[u8]) {
    let units: Vec<u16> = data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    // Like JSON.stringify, this escapes unpaired surrogates.
    let json: String = std::iter::once('"')
        .chain(char::decode_utf16(units.iter().copied()).flat_map(|read| match read {
            Ok(character) => {
                let escaped = serde_json::to_string(&character).unwrap_or_default();
                escaped[1..escaped.len() - 1].chars().collect::<Vec<_>>()
            }
            Err(unpaired) => format!("\\u{:04x}", unpaired.unpaired_surrogate()).chars().collect(),
        }))
        .chain(std::iter::once('"'))
        .collect();
    let entered = surrogates::enter(&json);
    let text: String = serde_json::from_str(&entered).expect("what entered is well-formed");
    assert_eq!(surrogates::outside_units(&text).collect::<Vec<_>>(), units, "a text is what it was outside");
    assert_eq!(
        units_of(&surrogates::leave(serde_json::to_string(&text).unwrap_or_default())),
        units,
        "and comes out so"
    );
    if let Some(well_formed) = utf16::utf8(&units) {
        assert_eq!(surrogates::leave_text(&surrogates::enter_text(&well_formed)), well_formed);
    }
}

/// Returns the code units of a JSON string, as JavaScript reads them.
fn units_of(literal: &str) -> Vec<u16> {
    let mut units = Vec::new();
    let mut rest = &literal[1..literal.len() - 1];
    while let Some(character) = rest.chars().next() {
        let escape = rest.strip_prefix("\\u").and_then(|behind| u16::from_str_radix(behind.get(..4)?, 16).ok());
        if let Some(unit) = escape {
            units.push(unit);
            rest = &rest[6..];
        } else {
            let length = if character == '\\' { 2 } else { character.len_utf8() };
            let read: String = serde_json::from_str(&format!("\"{}\"", &rest[..length])).expect("an escape");
            units.extend(read.encode_utf16());
            rest = &rest[length..];
        }
    }
    units
}

/// Checks that the scanner finds the strings of any JSON, with the same values as a parser.
pub fn json_scan(data: &[u8]) {
    let Ok(json) = std::str::from_utf8(data) else { return };
    let Ok(value) = serde_json::from_str::<Value>(json) else { return };
    let mut expected = Vec::new();
    strings_of(&value, &mut expected);
    // If a key occurs twice, a parser keeps one value, but a scanner sees both. Values that are too deep are not
    // listed.
    let same_keys = |written: String| written.matches(':').count() == json.matches(':').count();
    let is_listed = json.matches(['[', '{']).count() < MAX_LISTED_DEPTH && json.len() < MAX_LISTED_KEYS;
    if !is_listed || !serde_json::to_string(&value).is_ok_and(same_keys) {
        return;
    }
    let mut found: Vec<String> =
        string_values(json).iter().map(|found| unescape(&json[found.literal.clone()])).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

fn strings_of(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings_of(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings_of(field, found)),
        _ => {}
    }
}

/// Uses lines of any text as tool results, and checks that resolving pointers neither panics nor expands a short text
/// to a very long one.
pub fn pointers(data: &[u8]) {
    let Some(conversation) = conversation_of(data) else { return };
    let before: usize = conversation.messages().flat_map(Message::texts).map(|text| text.text.len()).sum();
    let after: usize = decode(&conversation).iter().flatten().map(String::len).sum();
    assert!(after <= 64 * before + (16 << 20), "{before} bytes became {after}");
}

/// Returns a conversation with the bytes as tool results, separated by zero bytes.
fn conversation_of(data: &[u8]) -> Option<Conversation> {
    let text = std::str::from_utf8(data).ok()?;
    let results = text.split('\0').enumerate().flat_map(|(index, text)| {
        let id = format!("t{index}");
        [
            serde_json::json!({ "role": "assistant", "content": [
                { "type": "tool_use", "id": id, "name": "look", "input": { "path": "src/a.ts" } }] }),
            serde_json::json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] }),
        ]
    });
    Conversation::parse(&results.collect::<Value>().to_string()).ok()
}

/// Checks that only the given ranges of a text are replaced.
pub fn splicing(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|at| data[*at].is_multiple_of(5)).collect();
    let ranges = cuts.chunks_exact(2).map(|pair| pair[0]..pair[1]);
    let mut replacements: Vec<_> = ranges.map(|range| (range.clone(), format!("<{}>", range.start))).collect();
    replacements.reverse();
    let removed: usize = replacements.iter().map(|(range, _)| range.len()).sum();
    let added: usize = replacements.iter().map(|(_, with)| with.len()).sum();
    let spliced = splice(text, &mut replacements);
    assert_eq!(spliced.len(), text.len() - removed + added);
    let mut rest = spliced.as_str();
    let mut kept = 0;
    for (range, with) in &replacements {
        rest = rest
            .strip_prefix(&text[kept..range.start])
            .expect("what stands before")
            .strip_prefix(with.as_str())
            .expect("what was put in");
        kept = range.end;
    }
    assert_eq!(rest, &text[kept..]);
}

/// Checks that a text is JSON or has an error at a position inside it, and that JSON without changes remains the same.
pub fn json_files(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let layout = json_file::rewrite::Layout { unit: "  ", newline: "\n" };
    match json_file::fault::find_fault(text) {
        Some(fault) => assert!(fault.offset <= text.len(), "{fault:?}"),
        // A text that nests deeper than the parser allows cannot be rewritten.
        None => {
            if let Ok(rewritten) = json_file::rewrite::rewrite(text, "\"keep\"", layout) {
                assert_eq!(rewritten, text);
            }
        }
    }
}

/// Checks that a service's response, cut into pieces anywhere, is read or causes an error. The first byte selects the
/// protocol, the second the length of the pieces.
pub fn events(data: &[u8]) {
    let [protocol, length, body @ ..] = data else { return };
    let api = if protocol % 2 == 0 { Api::Anthropic } else { Api::OpenAi };
    let pieces: Vec<Vec<u8>> = body.chunks(usize::from(*length).max(1)).map(<[u8]>::to_vec).collect();
    let whole = take_in_stream(api, vec![body.to_vec()]);
    assert_eq!(take_in_stream(api, pieces), whole, "pieces make no difference");
    take_in_whole(api, body);
}

/// Checks that a plan is rejected, or can be applied, and that its inverse restores the original.
pub fn plans(data: &[u8]) {
    let history = history();
    let mut edits = Vec::new();
    for bytes in data.chunks_exact(3) {
        let (kind, message, rest) = (bytes[0] % 6, usize::from(bytes[1] % 12), usize::from(bytes[2]));
        let block = PathStep::Index(rest % 4);
        edits.push(match kind {
            0 => Edit::Drop { message },
            1 => Edit::set_text(message, vec!["content".into()], format!("text {rest}")),
            2 => Edit::set_text(message, vec!["content".into(), block, "text".into()], format!("text {rest}")),
            3 => Edit::set_text(message, vec!["content".into(), block, "content".into()], "cut".to_owned()),
            4 => {
                let value = NewValue::Json(serde_json::value::RawValue::from_string("[]".to_owned()).expect("JSON"));
                Edit::set(message, vec!["content".into(), block], value)
            }
            _ => {
                let text = Content::Text(format!("more {rest}"));
                let value = Message::new(Role::User, text).into();
                Edit::Insert { before: message, value }
            }
        });
    }
    let written = |conversation: &Conversation| serde_json::to_string(conversation).expect("JSON");
    let Ok(after) = history.apply(&Plan { edits }) else { return };
    let back = after.apply(&Plan::inverse(&history, &after)).expect("the inverse fits");
    assert_eq!(written(&back), written(&history));
    let again = history.apply(&Plan::between(&history, &after)).expect("the difference fits");
    assert_eq!(written(&again), written(&after));
}

fn history() -> Conversation {
    let mut messages = vec![serde_json::json!({ "role": "user", "content": "The task." })];
    for round in 0..4 {
        let id = format!("t{round}");
        messages.push(serde_json::json!({ "role": "assistant", "content": [
            { "type": "text", "text": "Next." }, { "type": "tool_use", "id": id, "name": "look", "input": { "path": "a" } }] }));
        messages.push(serde_json::json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": "1\n2\n3" }, { "type": "text", "text": "More." }] }));
    }
    Conversation::parse(&Value::from(messages).to_string()).expect("an array")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use proptest::prelude::*;

    use super::TARGETS;

    #[test]
    fn what_was_found_once_holds() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
        for (name, target) in TARGETS {
            let files: Vec<_> = fs::read_dir(corpus.join(name)).expect("a corpus for each target").collect();
            assert!(!files.is_empty(), "{name}");
            for file in files {
                target(&fs::read(file.unwrap().path()).unwrap());
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn random_bytes_hold(data in prop::collection::vec(any::<u8>(), 0..200), text in ".{0,80}") {
            for (_, target) in TARGETS {
                target(&data);
                target(text.as_bytes());
                let json = serde_json::json!({ "a": [text, 1], "role": text }).to_string();
                target(json.as_bytes());
            }
        }
    }
}
