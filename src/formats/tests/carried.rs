//! Where messages are after they were projected and carried back, and how messages of several shapes are written.

use serde_json::{Value, json};

use super::{raw, read, with_parts};
use crate::{
    conversation::{Contents, Edit, Json, Message, Plan, Role},
    formats::{Projection, format::Near, named},
};

fn projection(format: &str, history: &Value) -> Projection {
    Projection::parse(named(format).unwrap(), &history.to_string()).unwrap()
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
    let value = Message::new(Role::User, crate::conversation::Content::Text("note".to_owned())).into();
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

#[test]
fn contents_are_those_of_each_message() {
    for format in
        ["anthropic", "openai-chat", "openai-responses", "ai-sdk-model", "langchain", "bedrock-converse", "goose"]
    {
        let projection = projection(format, &with_parts(format));
        assert_eq!(projection.contents().to_string(), Contents::hash(&projection.each()).to_string(), "{format}");
        assert!(!projection.contents().to_string().is_empty(), "{format}");
    }
}

#[test]
fn a_message_of_langchain_is_written_in_the_shape_of_those_around_it() {
    let written = |role: Role, like: Option<Value>| {
        let like = like.map(|like| raw(&like));
        let near = Near { like: like.as_ref().map(|like| Json::from(&**like)), ..Near::default() };
        let written = named("langchain").unwrap().write(&role, "a \"b\"", &near);
        let value = serde_json::from_str::<Value>(&written.json).unwrap();
        let pointer: String =
            written.text.iter().map(|step| format!("/{}", super::path(std::slice::from_ref(step)))).collect();
        assert_eq!(value.pointer(&pointer), Some(&json!("a \"b\"")));
        value
    };
    let text = "a \"b\"";
    assert_eq!(written(Role::User, None), json!({ "type": "human", "content": text }));
    let flat = json!({ "type": "ai", "content": "x" });
    assert_eq!(written(Role::Assistant, Some(flat)), json!({ "type": "ai", "content": text }));
    let stored = json!({ "type": "human", "data": { "content": "x" } });
    assert_eq!(written(Role::Assistant, Some(stored)), json!({ "type": "ai", "data": { "content": text } }));
    let roles = json!({ "role": "user", "content": "x" });
    assert_eq!(written(Role::Assistant, Some(roles)), json!({ "role": "assistant", "content": text }));
    let id = |class: &str| json!(["langchain_core", "messages", class]);
    let serialised = json!({ "lc": 1, "type": "constructor", "id": id("SystemMessage"), "kwargs": { "content": "x" } });
    assert_eq!(
        written(Role::User, Some(serialised)),
        json!({ "lc": 1, "type": "constructor", "id": id("HumanMessage"), "kwargs": { "content": text } })
    );
}

#[test]
fn opencode_begins_at_its_newest_finished_compaction() {
    let user = |id: &str, part: Value| json!({ "info": { "id": id, "role": "user" }, "parts": [part] });
    let words = json!({ "type": "text", "text": "x" });
    let compaction = json!({ "type": "compaction" });
    let summary = |fields: Value| {
        let mut info = json!({ "id": "msg_9", "role": "assistant", "summary": true, "finish": "stop" });
        fields.as_object().unwrap().iter().for_each(|(key, value)| info[key] = value.clone());
        json!({ "info": info, "parts": [words] })
    };
    let start = |history: Value| {
        let raws: Vec<_> = history.as_array().unwrap().iter().map(raw).collect();
        named("opencode").unwrap().start(&raws.iter().map(|raw| Json::from(&**raw)).collect::<Vec<_>>())
    };
    let [one, two] = ["msg_1", "msg_2"].map(|id| user(id, words.clone()));
    assert_eq!(start(json!([one, two, user("msg_3", compaction.clone()), summary(json!({})), one])), 2);
    assert_eq!(start(json!([one, two, summary(json!({}))])), 0, "no compaction");
    assert_eq!(start(json!([one, user("msg_3", compaction.clone())])), 0, "no summary yet");
    assert_eq!(start(json!([one, user("msg_3", compaction.clone()), summary(json!({ "summary": false }))])), 0);
    assert_eq!(start(json!([one, user("msg_3", compaction.clone()), summary(json!({ "error": { "name": "x" } }))])), 0);
    let tail = json!({ "type": "compaction", "tail_start_id": "msg_2" });
    assert_eq!(start(json!([one, two, user("msg_3", tail), summary(json!({}))])), 1);
    let shown = |flag: Value| json!({ "info": { "role": "user" }, "parts": [{ "type": "text", "text": "x", "ignored": flag }] });
    assert_eq!(read("opencode", &shown(json!(true))), [""; 0]);
    assert_eq!(read("opencode", &shown(json!(false))), ["user: text x [text parts.0.text]"]);
}

#[test]
fn thinking_of_the_page_is_one_where_its_pieces_follow_each_other() {
    let parts = |parts: Value| json!({ "id": "m", "role": "assistant", "parts": parts });
    let piece = |text: &str| json!({ "type": "reasoning", "text": text });
    let signed =
        json!({ "type": "reasoning", "text": "signed", "providerMetadata": { "anthropic": { "signature": "s" } } });
    assert_eq!(
        read(
            "ai-sdk-ui",
            &parts(
                json!([piece("so"), piece(" it is"), signed, piece("and"), { "type": "text", "text": "x" }, piece("then")])
            )
        ),
        [
            "assistant: thinking so it is [fixed]",
            "assistant: thinking signed [fixed]",
            "assistant: thinking and [fixed]",
            "assistant: text x [text parts.4.text]",
            "assistant: thinking then [fixed]",
        ]
    );
}
