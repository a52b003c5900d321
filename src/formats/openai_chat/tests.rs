//! Tests OpenAI's chat messages: how each part is read and written back, and what the service refuses.

use serde_json::{Value, json};

use crate::{
    conversation::{Edit, PathStep},
    formats::tests::{at, parts_of_result, read, test_parts_of_a_result, text_set, told, written},
};

#[test]
fn chat_messages_are_read_in_every_client_s_letters() {
    let call = |call: Value| json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    assert_eq!(
        read(
            "openai-chat",
            &json!({ "role": "user", "content": [
            { "type": "text", "text": "hi" }, { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
            { "type": "input_audio", "input_audio": { "data": "AAAA", "format": "wav" } },
        ] })
        ),
        ["user: text hi [text content.0.text]", "user: image [fixed]", "user: other input_audio [fixed]"]
    );
    let rows = [
        (
            call(json!({ "id": "c", "function": { "name": "read", "arguments": r#"{"p":1}"# } })),
            r#"assistant: call c read {"p":1} [encoded tool_calls.0.function.arguments]"#,
        ),
        (
            call(json!({ "function": { "name": "read", "arguments": { "p": 1 } } })),
            r#"assistant: call call of read read {"p":1} [input tool_calls.0.function.arguments]"#,
        ),
        (
            call(json!({ "id": "c", "custom": { "name": "run", "input": "ls" } })),
            r#"assistant: call c run {"input":"ls"} [parameter input tool_calls.0.custom.input]"#,
        ),
        (
            call(json!({ "id": "c", "function": "read", "arguments": { "p": 1 } })),
            r#"assistant: call c read {"p":1} [input tool_calls.0.arguments]"#,
        ),
        (
            json!({ "role": "assistant", "toolCalls": [{ "id": "c", "function": { "name": "read", "arguments": "{}" } }] }),
            "assistant: call c read {} [encoded toolCalls.0.function.arguments]",
        ),
        (
            json!({ "role": "assistant", "function_call": { "name": "read", "arguments": "no json" } }),
            r#"assistant: call call of read read {"arguments":"no json"} [parameter arguments function_call.arguments]"#,
        ),
        (json!({ "role": "tool", "tool_call_id": "c", "content": "x" }), "user: result c x [text content]"),
        (
            json!({ "role": "tool", "toolCallId": "c", "content": [{ "type": "text", "text": "x" }] }),
            "user: result c text x [texts content.0.text]",
        ),
        (json!({ "role": "tool", "tool_call_ids": ["c"], "content": "x" }), "user: result c x [text content]"),
        (json!({ "role": "tool", "tool_name": "read", "content": "x" }), "user: result call of read x [text content]"),
        (json!({ "role": "function", "name": "read", "content": "x" }), "user: result call of read x [text content]"),
        (json!({ "role": "developer", "content": "be kind" }), "developer: text be kind [text content]"),
    ];
    for (message, wanted) in rows {
        assert_eq!(read("openai-chat", &message), [wanted], "{message}");
    }
}

#[test]
fn parameters_are_written_as_they_stood() {
    let encoded = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c", "type": "function", "function": { "name": "write", "arguments": r#"{"path":"a","content":"long","n":1}"# } },
            { "id": "d", "type": "custom", "custom": { "name": "run", "input": "long" } },
        ] },
        { "role": "tool", "tool_call_id": "c", "content": "done" }, { "role": "tool", "tool_call_id": "d", "content": "done" },
    ]);
    let edits = vec![
        text_set(1, at!["content", 0, "input", "content"], "x\"y"),
        text_set(1, at!["content", 0, "input", "path"], "b"),
        text_set(1, at!["content", 1, "input", "input"], "short"),
    ];
    let after = written("openai-chat", &encoded, edits);
    assert_eq!(after[1]["tool_calls"][0]["function"]["arguments"], json!(r#"{"path":"b","content":"x\"y","n":1}"#));
    assert_eq!(after[1]["tool_calls"][1]["custom"]["input"], json!("short"));
}

#[test]
fn a_message_goes_with_its_parts_and_an_emptied_field_goes_too() {
    let history = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": "I read.", "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "read", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c", "content": "x" },
        { "role": "assistant", "content": "Done." },
    ]);
    let pair = |message, block| Edit::DropBlock { message, block };
    let after = written("openai-chat", &history, vec![pair(1, 1), Edit::Drop { message: 2 }]);
    assert_eq!(after, json!([history[0], { "role": "assistant", "content": "I read." }, history[3]]));
    let after = written("openai-chat", &history, vec![Edit::Drop { message: 1 }, Edit::Drop { message: 2 }]);
    assert_eq!(after, json!([history[0], history[3]]));
}

#[test]
fn chat_refuses_what_is_empty_or_misplaced() {
    let words = |role: &str| json!({ "role": role, "content": "x" });
    let calls = |role: &str, id: &str, name: &str| json!({ "role": role, "content": null, "tool_calls": [{ "id": id, "type": "function", "function": { "name": name, "arguments": "{}" } }] });
    let result = |id: &str, content: Value| json!({ "role": "tool", "tool_call_id": id, "content": content });
    let good = json!([words("system"), words("user"), calls("assistant", "c", "read"), result("c", json!("x")), words("assistant"), { "role": "assistant", "content": null, "refusal": "no" }]);
    assert_eq!(told("openai-chat", &good), [""; 0]);
    let broken = json!([
        {}, words("robot"), calls("user", "a", "read"), calls("assistant", "b", ""), words("user"),
        result("b", json!("x")), result("c", json!([{ "type": "text", "text": "x" }, { "type": "image_url" }])), result("c", json!(5)),
        { "role": "assistant", "content": "x", "tool_calls": [] }, { "role": "assistant", "content": null },
        { "role": "user", "content": [] }, { "role": "assistant", "content": null, "refusal": null },
        { "role": "assistant", "content": "", "tool_calls": [] },
        { "role": "function", "name": "read", "content": null },
    ]);
    assert_eq!(
        told("openai-chat", &broken),
        [
            "0 not_a_message",
            "1 unknown_role",
            "2 misplaced_tool_use",
            "3 unanswered_tool_use a",
            "3 unnamed_tool_use",
            "4 unanswered_tool_use b",
            "5 orphan_tool_result b",
            "6 orphan_tool_result c",
            "6.1 unreadable_block",
            "7 orphan_tool_result c",
            "7 empty_content",
            "8 empty_tool_calls",
            "9 empty_content",
            "10 empty_content",
            "11 empty_content",
            "12 empty_tool_calls",
            "13 orphan_tool_result call of read",
            "13 empty_content",
        ]
    );
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    let history = json!([
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "read", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c", "content": parts_of_result("text") },
    ]);
    test_parts_of_a_result("openai-chat", "/1/content", &history);
}
