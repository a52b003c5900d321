//! Tests items of OpenAI's Responses API: how each part is read and written back, and what the service refuses.

use serde_json::json;

use crate::{
    conversation::{Content, Edit, Message, Role},
    formats::tests::{parts_of_result, read, test_parts_of_a_result, told, written},
};

#[test]
fn responses_items_are_parts_each() {
    let rows = [
        (
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "hi" }] }),
            "user: text hi [text content.0.text]",
        ),
        (json!({ "role": "assistant", "content": "hi" }), "assistant: text hi [text content]"),
        (
            json!({ "type": "function_call", "call_id": "c", "name": "read", "arguments": "{}" }),
            "assistant: call c read {} [encoded arguments]",
        ),
        (
            json!({ "type": "custom_tool_call", "call_id": "c", "name": "run", "input": "ls" }),
            r#"assistant: call c run {"input":"ls"} [parameter input input]"#,
        ),
        (json!({ "type": "function_call_output", "call_id": "c", "output": "x" }), "user: result c x [text output]"),
        (
            json!({ "type": "function_call_output", "call_id": "c", "output": [{ "type": "input_text", "text": "x" }] }),
            "user: result c text x [texts output.0.text]",
        ),
        (json!({ "type": "reasoning", "id": "rs_1", "summary": [] }), "assistant: other reasoning [fixed]"),
        (json!({ "type": "compaction", "encrypted_content": "x" }), "assistant: other compaction [fixed]"),
        (json!({ "type": "web_search_call", "id": "ws_1" }), "assistant: other web_search_call [fixed]"),
    ];
    for (message, wanted) in rows {
        assert_eq!(read("openai-responses", &message), [wanted], "{message}");
    }
}

#[test]
fn nothing_is_added_between_a_call_and_a_result_that_stands_far_from_it() {
    let item = |kind: &str| json!({ "type": kind, "call_id": "c", "name": "read", "arguments": "{}", "output": "x" });
    let said = |role: &str, text: &str| json!({ "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] });
    let history = json!([
        said("user", "go"),
        item("function_call"),
        said("developer", "mind"),
        item("function_call_output"),
        said("assistant", "done")
    ]);
    // The projection: the user, the call, its result, the developer, the last message.
    let added = Edit::Insert { before: 3, value: Message::new(Role::User, Content::Text("a log".to_owned())).into() };
    let after = written("openai-responses", &history, vec![added]);
    assert_eq!(after[3]["type"], "function_call_output");
    assert_eq!(after[4]["content"], "a log");
    assert_eq!(after.as_array().unwrap().len(), 6);
}

#[test]
fn responses_refuse_lone_items_and_ids_of_another_type() {
    let words = |role: &str, id: &str| json!({ "type": "message", "role": role, "id": id, "content": "x" });
    let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "read", "arguments": "{}" });
    let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "x" });
    let thought = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    let good =
        json!([words("user", "any"), thought, call("a"), output("a"), thought, words("assistant", "msg_1"), call("b")]);
    assert_eq!(told("openai-responses", &good), [""; 0], "the newest call may be under way");
    assert_eq!(told("openai-responses", &json!([words("user", "any"), thought])), [""; 0]);
    let broken = json!([
        { "id": "x" }, words("assistant", "rs_1"), { "type": "reasoning", "id": "msg_1", "summary": [] }, output("z"),
        thought, words("user", "any"), call("a"), output("a"), output("a"), call("b"), { "role": "user", "content": 5 },
    ]);
    assert_eq!(
        told("openai-responses", &broken),
        [
            "0 not_a_message",
            "1 invalid_id",
            "2 invalid_id",
            "2 reasoning_without_item",
            "3 orphan_tool_result z",
            "4 reasoning_without_item",
            "8 repeated_tool_result a",
            "10 empty_content",
            "9 unanswered_tool_use b",
        ]
    );
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    let history = json!([
        { "type": "function_call", "call_id": "c", "name": "read", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c", "output": parts_of_result("input_text") },
    ]);
    test_parts_of_a_result("openai-responses", "/1/output", &history);
}
