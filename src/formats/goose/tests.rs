//! Tests Goose's messages: how each part is read and written back, and what the service refuses.

use serde_json::{Value, json};

use crate::formats::tests::{parts_of_result, read, test_parts_of_a_result, told};

#[test]
fn goose_parts_are_read_as_they_are_sent() {
    let message = |role: &str, content: Value| json!({ "id": null, "role": role, "created": 1, "content": content, "metadata": { "userVisible": true, "agentVisible": true } });
    assert_eq!(
        read(
            "goose",
            &message(
                "assistant",
                json!([
                    { "type": "thinking", "thinking": "hm", "signature": "" }, { "type": "text", "text": "hi" },
                    { "type": "toolRequest", "id": "c", "toolCall": { "status": "success", "value": { "name": "developer__shell", "arguments": { "p": 1 } } } },
                    { "type": "toolRequest", "id": "d", "toolCall": { "status": "error", "error": "no such tool" } },
                    { "type": "toolConfirmationRequest", "id": "c", "toolName": "x", "arguments": {}, "prompt": null },
                ])
            )
        ),
        [
            "assistant: thinking hm [fixed]",
            "assistant: text hi [text content.1.text]",
            r#"assistant: call c developer__shell {"p":1} [input content.2.toolCall.value.arguments]"#,
            "assistant: call d invalid {} [fixed]",
        ]
    );
    let response = |value: Value| message("user", json!([{ "type": "toolResponse", "id": "c", "toolResult": value }]));
    let for_user = json!({ "type": "text", "text": "for the screen", "annotations": { "audience": ["user"] } });
    for (value, wanted) in [
        (
            json!({ "status": "success", "value": [{ "type": "text", "text": "x" }] }),
            "user: result c x [text content.0.toolResult.value.0.text]",
        ),
        (
            json!({ "status": "success", "value": [for_user, { "type": "text", "text": "x" }] }),
            "user: result c x [text content.0.toolResult.value.1.text]",
        ),
        (
            json!({ "status": "success", "value": { "content": [{ "type": "text", "text": "x" }], "isError": true } }),
            "user: failure c x [text content.0.toolResult.value.content.0.text]",
        ),
        (
            json!({ "status": "success", "value": { "content": [{ "type": "text", "text": "x" }, { "type": "image", "data": "AAAA", "mimeType": "image/png" }] } }),
            "user: result c text x | image [texts content.0.toolResult.value.content.0.text -]",
        ),
        (json!({ "status": "error", "error": "x" }), "user: failure c x [text content.0.toolResult.error]"),
        (json!({ "status": "success", "value": [] }), "user: result c  [fixed]"),
    ] {
        assert_eq!(read("goose", &response(value.clone())), [wanted], "{value}");
    }
    for (part, wanted) in [
        (json!({ "type": "thinking", "thinking": "hm", "signature": "s" }), "assistant: signed thinking hm [fixed]"),
        (json!({ "type": "thinking", "thinking": "hm", "signature": "" }), "assistant: thinking hm [fixed]"),
        (json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" }), "assistant: image [fixed]"),
        (json!({ "type": "toolRequest" }), "assistant: other toolRequest [fixed]"),
    ] {
        assert_eq!(read("goose", &message("assistant", json!([part]))), [wanted]);
    }
    let hidden = json!({ "role": "user", "created": 1, "content": [{ "type": "text", "text": "old" }], "metadata": { "userVisible": true, "agentVisible": false } });
    assert_eq!(read("goose", &hidden), Vec::<String>::new());
}

#[test]
fn goose_takes_calls_and_results_of_several_messages_in_a_row() {
    let with = |role: &str, parts: Value| json!({ "role": role, "created": 1, "content": parts });
    let call = |id: &str| json!({ "type": "toolRequest", "id": id, "toolCall": { "status": "success", "value": { "name": "read", "arguments": {} } } });
    let result = |id: &str| json!({ "type": "toolResponse", "id": id, "toolResult": { "status": "success", "value": [{ "type": "text", "text": "x" }] } });
    let words = json!([{ "type": "text", "text": "x" }]);
    let good = json!([
        with("user", words.clone()),
        with("assistant", json!([call("a")])),
        with("assistant", json!([call("b")])),
        with("user", json!([result("a")])),
        with("user", json!([result("b")])),
        with("assistant", words.clone()),
    ]);
    assert_eq!(told("goose", &good), [""; 0]);
    let broken = json!([
        {}, with("robot", words.clone()), { "role": "user", "content": "x" }, with("assistant", json!([call("a")])),
        with("user", json!([result("z"), { "type": "text", "text": "x" }])), with("assistant", json!([call("b")])), with("user", words),
    ]);
    assert_eq!(
        told("goose", &broken),
        [
            "0 not_a_message",
            "1 unknown_role",
            "2 empty_content",
            "4 orphan_tool_result z",
            "4 unanswered_tool_use a",
            "6 unanswered_tool_use b",
        ]
    );
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    let history = json!([
        { "role": "assistant", "created": 1, "content": [{ "type": "toolRequest", "id": "c", "toolCall": { "status": "success", "value": { "name": "read", "arguments": {} } } }] },
        { "role": "user", "created": 1, "content": [{ "type": "toolResponse", "id": "c", "toolResult": { "status": "success", "value": { "content": parts_of_result("text") } } }] },
    ]);
    test_parts_of_a_result("goose", "/1/content/0/toolResult/value/content", &history);
}
