//! Tests what formats have in common, and helps their own tests: parts are read, edits written back, problems listed.

use std::{cell::RefCell, collections::HashSet};

use serde_json::{Value, json, value::RawValue};

use super::{Carried, FORMATS, ForeignEdit, Projection, edited, named, part::Slot};
use crate::conversation::{
    Block, Content, Contents, Edit, Fingerprint, Json, Message, NewValue, PathStep, Plan, Role, content_digits,
};

pub fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

pub fn path(steps: &[PathStep]) -> String {
    let told = |step: &PathStep| match step {
        PathStep::Key(key) => key.to_string(),
        PathStep::Index(index) => index.to_string(),
    };
    steps.iter().map(told).collect::<Vec<_>>().join(".")
}

fn slot(slot: &Slot) -> String {
    let all = |paths: &[Option<Vec<PathStep>>]| {
        paths.iter().map(|at| at.as_ref().map_or("-".to_owned(), |at| path(at))).collect::<Vec<_>>().join(" ")
    };
    match slot {
        Slot::Fixed => "fixed".to_owned(),
        Slot::Text(at) => format!("text {}", path(at)),
        Slot::Joined(paths) => format!("joined {}", paths.iter().map(|at| path(at)).collect::<Vec<_>>().join(" ")),
        Slot::Texts(paths) => format!("texts {}", all(paths)),
        Slot::Strings(paths) => format!("strings {}", all(paths)),
        Slot::Wrapped(at, _) => format!("wrapped {}", path(at)),
        Slot::Input(at) => format!("input {}", path(at)),
        Slot::Encoded(at) => format!("encoded {}", path(at)),
        Slot::Parameter(key, at) => format!("parameter {key} {}", path(at)),
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Text { text, .. } => format!("text {text}"),
        Block::ToolUse { id, name, input, .. } => format!("call {id} {name} {}", input.get()),
        Block::ToolResult { tool_use_id, content, is_error, .. } => {
            let texts = match content {
                Content::Text(text) => vec![text.clone()],
                content => content.blocks().iter().map(self::block).collect(),
            };
            format!("{} {tool_use_id} {}", if *is_error { "failure" } else { "result" }, texts.join(" | "))
        }
        Block::Image { .. } => "image".to_owned(),
        Block::Thinking { thinking, .. } => {
            format!("{}thinking {thinking}", if block.is_signed_thinking() { "signed " } else { "" })
        }
        Block::Other { kind, .. } => format!("other {kind}"),
    }
}

/// The parts of a message, each as speaker, content and path.
pub fn read(format: &str, message: &Value) -> Vec<String> {
    let raw = raw(message);
    let parts = named(format).unwrap().read(Json::from(&*raw));
    parts
        .iter()
        .map(|part| format!("{}: {} [{}]", part.role.as_str(), block(&part.block), slot(&part.place.slot)))
        .collect()
}

/// The messages after edits on the projection.
pub fn written(format: &str, history: &Value, edits: Vec<Edit>) -> Value {
    let projection = projection(format, history);
    let plan = Plan { edits };
    let carried = projection.carried(&plan).unwrap();
    let messages = edited(projection.messages(), &carried.edits);
    check_carried(&projection, &plan, &carried, &messages);
    values(&messages)
}

fn values(messages: &[Box<RawValue>]) -> Value {
    messages.iter().map(|raw| serde_json::from_str::<Value>(raw.get()).unwrap()).collect()
}

/// Checks statements about a carried plan: hashes and fingerprints are those of the messages, and a text or message is
/// in the place that is given for it.
fn check_carried(projection: &Projection, plan: &Plan, carried: &Carried, messages: &[Box<RawValue>]) {
    let after = self::projection(projection.format.name(), &values(messages));
    assert_eq!(carried.contents, Contents::hash(&after.each()), "{plan:?}");
    assert_eq!(carried.from.len(), carried.edits.len());
    assert!(carried.from.iter().flatten().all(|edit| *edit < plan.edits.len()), "{:?}", carried.from);
    for edit in &carried.edits {
        let old = |message: &usize, path: &[PathStep]| {
            let value = Json::from(&*projection.messages()[*message]).at(path).map_or("null", Json::json);
            Fingerprint::of_json(value).to_string()
        };
        match edit {
            ForeignEdit::Set { message, path, was, .. } => assert_eq!(*was, old(message, path)),
            ForeignEdit::DropBlock { message, at, block, was } => {
                assert_eq!(*was, old(message, &[&at[..], &[PathStep::Index(*block)]].concat()));
            }
            ForeignEdit::Drop { message, fingerprint, was } => {
                let content = projection.contents().of_message(*message).unwrap();
                assert_eq!((fingerprint, was), (&old(message, &[]), &content_digits(content)));
            }
            ForeignEdit::Insert { .. } | ForeignEdit::InsertBlock { .. } => {}
        }
    }
    let condensed = projection.conversation().apply(plan).unwrap();
    for (message, texts) in condensed.texts().iter().enumerate() {
        for text in texts {
            let Some((place, path)) = projection.text_place(carried, message, &text.path) else { continue };
            let found = Json::from(&*messages[place]).at(&path).and_then(Json::string);
            assert_eq!(found.as_deref(), Some(text.text), "{:?} of message {message}", text.path);
        }
    }
    let kept = (0..projection.messages().len()).filter_map(|message| Some((message, carried.position(message)?)));
    for (message, position) in kept {
        let is_edited = carried.edits.iter().any(|edit| {
            matches!(edit, ForeignEdit::Set { message: of, .. } | ForeignEdit::DropBlock { message: of, .. } | ForeignEdit::InsertBlock { message: of, .. } if *of == message)
        });
        assert!(is_edited || projection.messages()[message].get() == messages[position].get(), "message {message}");
    }
}

pub fn projection(format: &str, history: &Value) -> Projection {
    Projection::parse(named(format).unwrap(), &history.to_string()).unwrap()
}

/// The problems of a history, each as message, block, code and the id of a call.
pub fn told(format: &str, history: &Value) -> Vec<String> {
    let raws: Vec<_> = history.as_array().unwrap().iter().map(raw).collect();
    let messages: Vec<Json<'_>> = raws.iter().map(|raw| Json::from(&**raw)).collect();
    let problems = named(format).unwrap().problems(&messages);
    let told = problems.iter().map(|problem| {
        let block = problem.block_index.map(|block| format!(".{block}")).unwrap_or_default();
        let id = problem.tool_id.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
        format!("{}{block} {}{id}", problem.message_index, problem.code)
    });
    told.collect()
}

/// A path from a projected message.
macro_rules! at {
    ($($step:expr),*) => { vec![$(PathStep::from($step)),*] };
}
pub(super) use at;

pub fn text_set(message: usize, path: Vec<PathStep>, text: &str) -> Edit {
    Edit::set_text(message, path, text.to_owned())
}

/// A replaced result, as custom providers return one.
pub fn replaced_result(message: usize, block: usize, id: &str, text: &str) -> Edit {
    let value = raw(&json!({ "type": "tool_result", "tool_use_id": id, "content": text }));
    Edit::set(message, at!["content", block], NewValue::Json(value))
}

pub const LONG: &str =
    "a line of a file that is long enough to be a text of its own, because it has more than a hundred letters in it";

/// The texts of a result of several parts.
pub fn parts_of_result(kind: &str) -> Value {
    json!([{ "type": kind, "text": "one" }, { "type": kind, "text": "two" }, { "type": kind, "text": "three" }])
}

/// Tests a call and its result, whose parts stand at this place: one that is replaced leaves one part, and a single part
/// that changes stays where it is.
pub fn test_parts_of_a_result(format: &str, place: &str, history: &Value) {
    let texts_after = |edit: Edit| {
        let after = written(format, history, vec![edit]);
        after.pointer(place).unwrap().as_array().unwrap().iter().map(|part| part["text"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(texts_after(replaced_result(1, 0, "c", "short")), ["short"]);
    assert_eq!(texts_after(text_set(1, at!["content", 0, "content"], "short")), ["short"]);
    assert_eq!(texts_after(text_set(1, at!["content", 0, "content", 1, "text"], "2")), ["one", "2", "three"]);
    let projection = projection(format, history);
    assert_eq!(projection.contents().to_string(), Contents::hash(&projection.each()).to_string());
    assert!(!projection.contents().to_string().is_empty());
}

#[test]
fn every_format_writes_a_message_that_it_reads_as_what_was_said() {
    for format in FORMATS {
        for role in [Role::User, Role::Assistant] {
            let written = format.write(&role, "said", &super::format::Near::default());
            let message: Value = serde_json::from_str(&written.json).unwrap();
            let read = read(format.name(), &message);
            let wanted = format!("{}: text said [text {}]", role.as_str(), path(&written.text));
            assert_eq!(read, [wanted], "{}", format.name());
        }
    }
}

#[test]
fn messages_are_found_where_they_are_after_others_went_and_came() {
    let history = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "read", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c", "content": "x" },
        { "role": "assistant", "content": "so" },
        { "role": "user", "content": "on" },
    ]);
    let projection = projection("openai-chat", &history);
    let value = Message::new(Role::User, Content::Text("note".to_owned())).into();
    let edits = vec![Edit::Drop { message: 0 }, Edit::Insert { before: 3, value }];
    let carried = projection.carried(&Plan { edits }).unwrap();
    let places: Vec<Option<usize>> = (0..6).map(|message| carried.position(message)).collect();
    assert_eq!(places, [None, Some(0), Some(1), Some(3), Some(4), None]);
    let condensed: Vec<Option<usize>> = (0..6).map(|message| carried.position_of(&projection, message)).collect();
    assert_eq!(condensed, [Some(0), Some(1), Some(2), Some(3), Some(4), None]);
}

/// The roles of the projected messages, each with the number of its blocks.
fn projected(format: &str, history: &Value) -> Vec<(String, usize)> {
    let projection = projection(format, history);
    let messages = projection.conversation().messages();
    messages.map(|message| (message.role.as_str().to_owned(), message.content.blocks().len().max(1))).collect()
}

#[test]
fn neighbours_of_one_role_are_one_message_where_the_format_has_one_for_each_part() {
    let words = |role: &str| json!({ "role": role, "content": "x" });
    let items = json!([
        words("user"), words("assistant"), { "type": "function_call", "call_id": "c", "name": "read", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c", "output": "x" }, words("user"), words("developer"), words("developer"),
        words("assistant"), words("assistant"), words("user"), words("user"),
    ]);
    let expected =
        [("user", 1), ("assistant", 2), ("user", 2), ("developer", 1), ("developer", 1), ("assistant", 2), ("user", 2)];
    assert_eq!(projected("openai-responses", &items), expected.map(|(role, blocks)| (role.to_owned(), blocks)));
    let turns = json!([{ "role": "user", "content": [{ "text": "x" }, { "text": "y" }] }, { "role": "user", "content": [{ "text": "z" }] }]);
    assert_eq!(projected("bedrock-converse", &turns), [("user".to_owned(), 2), ("user".to_owned(), 1)]);
}

/// A text is accepted only in arrays of parts, and in no array of a result, a system message or another field.
#[test]
fn a_text_is_put_only_into_an_array_that_holds_texts() {
    let tried = RefCell::new(HashSet::new());
    let put = |format: &str, message: Value, array: Vec<PathStep>| {
        tried.borrow_mut().insert(format.to_owned());
        let raw = raw(&message);
        let text = named(format).unwrap().text_part(Json::from(&*raw), &array, 1, "a \"b\"")?;
        Some(serde_json::from_str::<Value>(&text).unwrap())
    };
    let plain = json!({ "type": "text", "text": "a \"b\"" });
    let of = |role: &str| json!({ "role": role, "content": [] });
    for (format, message, wanted) in [
        ("anthropic", of("user"), Some(plain.clone())),
        ("openai-chat", of("user"), Some(plain.clone())),
        ("openai-chat", of("assistant"), Some(plain.clone())),
        ("openai-chat", of("tool"), None),
        ("openai-chat", json!({ "content": [] }), None),
        ("ai-sdk-model", of("assistant"), Some(plain.clone())),
        ("ai-sdk-model", of("system"), None),
        ("openai-responses", of("user"), Some(json!({ "type": "input_text", "text": "a \"b\"" }))),
        (
            "openai-responses",
            of("assistant"),
            Some(json!({ "type": "output_text", "text": "a \"b\"", "annotations": [] })),
        ),
        ("openai-responses", json!({ "type": "reasoning", "role": "user", "content": [] }), None),
        ("openai-responses", json!({ "type": "message", "content": [] }), None),
        ("bedrock-converse", of("user"), Some(json!({ "text": "a \"b\"" }))),
        ("goose", of("user"), Some(plain.clone())),
        ("langchain", json!({ "type": "human", "content": [] }), Some(plain.clone())),
        ("langchain", json!({ "type": "ai", "content": [] }), Some(plain.clone())),
        ("langchain", json!({ "type": "tool", "content": [] }), None),
    ] {
        assert_eq!(put(format, message.clone(), at!["content"]), wanted, "{format} {message}");
        assert_eq!(put(format, message.clone(), at!["other"]), None, "{format} {message}");
    }
    let parts = |format: &str, array: Vec<PathStep>| {
        let message = json!({ "info": { "id": "msg_1", "sessionID": "s" }, "parts": [{ "id": "prt_1" }, { "id": "prt_2" }], "other": [] });
        put(format, message, array)
    };
    let of_page = json!({ "type": "text", "text": "a \"b\"", "state": "done" });
    assert_eq!(parts("ai-sdk-ui", at!["parts"]), Some(of_page));
    assert_eq!(parts("gemini", at!["parts"]), Some(json!({ "text": "a \"b\"" })));
    let of_opencode = parts("opencode", at!["parts"]).unwrap();
    assert_eq!(
        (&of_opencode["id"], &of_opencode["messageID"], &of_opencode["sessionID"], &of_opencode["text"]),
        (&json!("prt_10"), &json!("msg_1"), &json!("s"), &json!("a \"b\""))
    );
    for format in ["ai-sdk-ui", "opencode"] {
        assert_eq!(parts(format, at!["other"]), None, "{format}");
    }
    assert_eq!(put("gemini", json!({ "parts": "x" }), at!["parts"]), None);
    assert_eq!(tried.into_inner(), FORMATS.iter().map(|format| format.name().to_owned()).collect());
}

#[test]
fn fields_are_emptied_and_messages_joined_as_the_service_takes_them() {
    let expected = [
        ("anthropic", "\"\"", false),
        ("openai-chat", "null", true),
        ("ai-sdk-model", "\"\"", true),
        ("openai-responses", "\"\"", true),
        ("ai-sdk-ui", "\"\"", true),
        ("langchain", "\"\"", true),
        ("gemini", "\"\"", false),
        ("bedrock-converse", "\"\"", false),
        ("goose", "\"\"", true),
        ("opencode", "\"\"", true),
    ];
    let of_all = FORMATS.iter().map(|format| (format.name(), format.emptied(), format.joins()));
    assert_eq!(of_all.collect::<HashSet<_>>(), HashSet::from(expected));
}

#[test]
fn projected_messages_and_blocks_are_found_in_the_callers_messages() {
    let call = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "read", "arguments": "{}" } });
    let chat = projection(
        "openai-chat",
        &json!([
            { "role": "user", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
            { "role": "assistant", "content": "I read.", "tool_calls": [call("c"), call("d")] },
            { "role": "tool", "tool_call_id": "c", "content": "x" },
            { "role": "tool", "tool_call_id": "d", "content": "y" },
            { "role": "assistant", "content": "Done." },
        ]),
    );
    let places = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 9), (3, 0), (9, 0)];
    assert_eq!(
        places.map(|(message, block)| chat.place(message, block)),
        [(0, Some(0)), (0, Some(1)), (1, None), (1, None), (2, None), (3, None), (3, None), (4, None), (5, None)]
    );
    assert_eq!([0, 1, 2, 3, 4].map(|projected| chat.message(projected)), [0, 1, 2, 4, 5]);
    assert_eq!([0, 1, 2, 3, 4, 5, 9].map(|count| chat.frozen(count)), [0, 1, 2, 3, 3, 4, 4]);
    assert_eq!([1, 3, 9].map(|message| chat.projected(message).collect::<Vec<_>>()), [vec![1; 3], vec![2], vec![]]);
    let parts = json!([{ "role": "user", "parts": [{ "text": "a" }, { "text": "b" }], "other": [] }]);
    assert_eq!([0, 1].map(|block| projection("gemini", &parts).place(0, block)), [(0, Some(0)), (0, Some(1))]);
    let compacted = json!([
        { "role": "user", "content": "a" }, { "type": "compaction", "encrypted_content": "x" }, { "role": "user", "content": "b" },
    ]);
    let compacted = projection("openai-responses", &compacted);
    assert_eq!(compacted.staying().collect::<Vec<_>>(), [0]);
    assert_eq!(chat.staying().count(), 0);
}
