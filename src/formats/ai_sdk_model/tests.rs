//! Tests the AI SDK's `ModelMessage`: how each part is read and written back, and what the service refuses.

use serde_json::{Value, json};

use crate::formats::tests::{LONG, parts_of_result, read, test_parts_of_a_result, told};

#[test]
fn model_messages_are_read_by_part() {
    let own = |part: Value| json!({ "role": "assistant", "content": [part] });
    let answer = |output: Value| json!({ "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "c", "toolName": "read", "output": output }] });
    let rows = [
        (own(json!({ "type": "text", "text": "hi" })), "assistant: text hi [text content.0.text]".to_owned()),
        (own(json!({ "type": "reasoning", "text": "hm" })), "assistant: thinking hm [fixed]".to_owned()),
        (
            own(json!({ "type": "reasoning-file", "data": "AAAA", "mediaType": "image/png" })),
            "assistant: image [fixed]".to_owned(),
        ),
        (
            own(json!({ "type": "tool-call", "toolCallId": "c", "toolName": "read", "input": { "p": 1 } })),
            r#"assistant: call c read {"p":1} [input content.0.input]"#.to_owned(),
        ),
        (
            own(
                json!({ "type": "tool-call", "toolCallId": "c", "toolName": "web", "input": {}, "providerExecuted": true }),
            ),
            "assistant: other server_tool_use [fixed]".to_owned(),
        ),
        (answer(json!({ "type": "text", "value": "x" })), "user: result c x [text content.0.output.value]".to_owned()),
        (
            answer(json!({ "type": "error-text", "value": "x" })),
            "user: failure c x [text content.0.output.value]".to_owned(),
        ),
        (
            answer(json!({ "type": "content", "value": [{ "type": "text", "text": "x" }] })),
            "user: result c text x [texts content.0.output.value.0.text]".to_owned(),
        ),
        (
            answer(json!({ "type": "json", "value": { "n": 1 } })),
            r#"user: result c {"n":1} [wrapped content.0.output]"#.to_owned(),
        ),
        (
            answer(json!({ "type": "json", "value": { "out": LONG } })),
            format!("user: result c other json | text {LONG} [strings - content.0.output.value.out]"),
        ),
        (
            answer(json!({ "type": "content", "value": "x" })),
            "user: result c x [text content.0.output.value]".to_owned(),
        ),
        (answer(json!({ "type": "execution-denied" })), "user: failure c other json [fixed]".to_owned()),
    ];
    for (message, wanted) in rows {
        assert_eq!(read("ai-sdk-model", &message), [wanted], "{message}");
    }
}

#[test]
fn model_messages_hold_the_parts_of_their_role_and_whole_pairs() {
    let words = |role: &str| json!({ "role": role, "content": "x" });
    let call = |id: &str| json!({ "type": "tool-call", "toolCallId": id, "toolName": "read", "input": {} });
    let result = |id: &str| json!({ "type": "tool-result", "toolCallId": id, "toolName": "read", "output": { "type": "text", "value": "x" } });
    let with = |role: &str, parts: Value| json!({ "role": role, "content": parts });
    let approval = json!({ "type": "tool-approval-request", "approvalId": "p", "toolCallId": "w" });
    let good = json!([
        words("system"),
        words("user"),
        with("assistant", json!([call("c")])),
        with("tool", json!([result("c")])),
        with("assistant", json!([call("w"), approval])),
        words("user"),
        with("tool", json!([result("w")])),
    ]);
    assert_eq!(told("ai-sdk-model", &good), [""; 0]);
    let broken = json!([
        5, words("robot"), words("tool"), with("system", json!([])), with("user", json!([call("a"), { "type": "text", "text": "x" }])),
        with("assistant", json!([call("b")])), words("user"), with("tool", json!([result("b"), result("d")])), { "role": "user" },
    ]);
    assert_eq!(
        told("ai-sdk-model", &broken),
        [
            "0 not_a_message",
            "1 unknown_role",
            "2 empty_content",
            "3 empty_content",
            "4.0 unreadable_block",
            "6 unanswered_tool_use b",
            "7 orphan_tool_result b",
            "7 orphan_tool_result d",
            "8 empty_content",
        ]
    );
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    let history = json!([
        { "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "c", "toolName": "read", "input": {} }] },
        { "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "c", "toolName": "read", "output": { "type": "content", "value": parts_of_result("text") } }] },
    ]);
    test_parts_of_a_result("ai-sdk-model", "/1/content/0/output/value", &history);
}
