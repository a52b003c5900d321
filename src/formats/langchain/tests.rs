//! Tests LangChain's messages: how each part is read and written back, and what the service refuses.

use serde_json::{Value, json};

use crate::{
    conversation::{Json, PathStep, Role},
    formats::{
        format::Near,
        named,
        tests::{at, parts_of_result, path, raw, read, test_parts_of_a_result, text_set, told, written},
    },
};

#[test]
fn langchain_calls_are_read_once_wherever_they_stand_again() {
    let call = json!({ "type": "ai", "content": [{ "type": "text", "text": "hi" }, { "type": "tool_use", "id": "c", "name": "read", "input": { "p": "a" } }],
        "tool_calls": [{ "id": "c", "name": "read", "args": { "p": "a" } }],
        "additional_kwargs": { "tool_calls": [{ "id": "c", "function": { "name": "read", "arguments": r#"{"p":"a"}"# } }] } });
    assert_eq!(
        read("langchain", &call),
        ["assistant: text hi [text content.0.text]", r#"assistant: call c read {"p":"a"} [input tool_calls.0.args]"#]
    );
    let history =
        json!([{ "type": "human", "content": "go" }, call, { "type": "tool", "tool_call_id": "c", "content": "x" }]);
    let after = written("langchain", &history, vec![text_set(1, at!["content", 1, "input", "p"], "short")]);
    for (place, wanted) in [
        ("/1/tool_calls/0/args/p", json!("short")),
        ("/1/content/1/input/p", json!("short")),
        ("/1/additional_kwargs/tool_calls/0/function/arguments", json!(r#"{"p":"short"}"#)),
    ] {
        assert_eq!(after.pointer(place), Some(&wanted), "{place}");
    }
    let rows = [
        (
            json!({ "type": "tool", "tool_call_id": "c", "content": "x", "status": "error" }),
            "user: failure c x [text content]",
        ),
        (json!({ "type": "human", "data": { "content": "hi" } }), "user: text hi [text data.content]"),
        (json!({ "type": "AIMessageChunk", "content": "hi" }), "assistant: text hi [text content]"),
        (json!({ "type": "HumanMessageChunk", "content": "hi" }), "user: text hi [text content]"),
        (json!({ "type": "SystemMessageChunk", "content": "hi" }), "system: text hi [text content]"),
        (json!({ "type": "ToolMessageChunk", "tool_call_id": "c", "content": "x" }), "user: result c x [text content]"),
        (json!({ "role": "assistant", "content": "hi" }), "assistant: text hi [text content]"),
        (
            json!({ "lc": 1, "type": "constructor", "id": ["langchain_core", "messages", "SystemMessage"], "kwargs": { "content": "be kind" } }),
            "system: text be kind [text kwargs.content]",
        ),
    ];
    for (message, wanted) in rows {
        assert_eq!(read("langchain", &message), [wanted], "{message}");
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
            written.text.iter().map(|step| format!("/{}", path(std::slice::from_ref(step)))).collect();
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
fn langchain_results_name_their_calls() {
    let words = |kind: &str| json!({ "type": kind, "content": "x" });
    let call =
        |id: &str| json!({ "type": "ai", "content": "", "tool_calls": [{ "id": id, "name": "read", "args": {} }] });
    let result = |id: &str| json!({ "type": "tool", "tool_call_id": id, "content": "x" });
    assert_eq!(
        told(
            "langchain",
            &json!([words("human"), call("c"), words("system"), words("remove"), result("c"), words("ai")])
        ),
        [""; 0]
    );
    let broken = json!([{ "content": "x" }, call("a"), words("human"), result("a"), words("tool"), call("b"), result("b"), result("b")]);
    assert_eq!(
        told("langchain", &broken),
        [
            "0 not_a_message",
            "2 unanswered_tool_use a",
            "3 orphan_tool_result a",
            "4 unnamed_tool_result",
            "4 orphan_tool_result call of ",
            "7 repeated_tool_result b",
        ]
    );
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    let history = json!([
        { "type": "ai", "content": "", "tool_calls": [{ "id": "c", "name": "read", "args": {} }] },
        { "type": "tool", "tool_call_id": "c", "content": parts_of_result("text") },
    ]);
    test_parts_of_a_result("langchain", "/1/content", &history);
}
