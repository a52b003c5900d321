//! Tests the AI SDK's `UIMessage`: how each part is read and written back, and what the service refuses.

use serde_json::{Value, json};

use crate::{
    conversation::Json,
    formats::{
        named,
        tests::{raw, read, told},
    },
};

#[test]
fn a_tool_part_of_the_page_is_a_call_and_its_result() {
    let parts = |parts: Value| json!({ "id": "m", "role": "assistant", "parts": parts });
    assert_eq!(
        read(
            "ai-sdk-ui",
            &parts(json!([
                { "type": "step-start" },
                { "type": "reasoning-file", "mediaType": "text/plain", "url": "u" },
                { "type": "text", "text": "so" }, { "type": "text", "text": " it is" },
                { "type": "tool-read", "toolCallId": "c", "state": "output-available", "input": { "p": 1 }, "output": "x" },
                { "type": "dynamic-tool", "toolName": "run", "toolCallId": "d", "state": "output-error", "input": {}, "errorText": "no" },
            ]))
        ),
        [
            "assistant: other reasoning-file [fixed]",
            "assistant: text so it is [joined parts.2.text parts.3.text]",
            r#"assistant: call c read {"p":1} [input parts.4.input]"#,
            "assistant: call d run {} [input parts.5.input]",
            "user: result c x [text parts.4.output]",
            "user: failure d no [text parts.5.errorText]",
        ]
    );
}

#[test]
fn a_denied_tool_has_a_result_and_a_message_without_parts_its_content() {
    let denied = json!([{ "type": "tool-read", "toolCallId": "c", "state": "output-denied", "input": {} }]);
    assert_eq!(
        read("ai-sdk-ui", &json!({ "id": "m", "role": "assistant", "parts": denied })),
        ["assistant: call c read {} [input parts.0.input]", "user: failure c denied [fixed]"]
    );
    assert_eq!(read("ai-sdk-ui", &json!({ "role": "user", "content": "x" })), ["user: text x [text content]"]);
    assert_eq!(read("ai-sdk-ui", &json!({ "role": "user", "content": "" })), [""; 0]);
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
            "assistant: signed thinking signed [fixed]",
            "assistant: thinking and [fixed]",
            "assistant: text x [text parts.4.text]",
            "assistant: thinking then [fixed]",
        ]
    );
}

#[test]
fn parts_of_the_page_have_types_and_their_calls_results() {
    let with = |role: &str, parts: Value| json!({ "id": "m", "role": role, "parts": parts });
    let tool = |state: &str| json!({ "type": "tool-read", "toolCallId": "c", "state": state, "input": {} });
    let good = json!([
        with("user", json!([{ "type": "text", "text": "x" }])),
        with("assistant", json!([tool("output-available"), tool("approval-requested")])),
        with("assistant", json!([tool("input-available")])),
    ]);
    assert_eq!(told("ai-sdk-ui", &good), [""; 0], "the newest call may be under way");
    let broken = json!([
        {}, with("robot", json!([])), { "role": "user", "parts": "x" }, with("assistant", json!([tool("input-available"), {}, { "type": "tool-invocation" }])),
        with("user", json!([])),
    ]);
    assert_eq!(
        told("ai-sdk-ui", &broken),
        [
            "0 not_a_message",
            "1 unknown_role",
            "2 empty_content",
            "3.0 unanswered_tool_use",
            "3.1 unreadable_block",
            "3.2 unreadable_block",
        ]
    );
}

/// Two pieces of one text that a removed part had kept apart.
#[test]
fn pieces_of_one_kind_on_the_page_are_kept_apart() {
    let between = |format: &str, before: Value, behind: Value| {
        let (before, behind) = (raw(&before), raw(&behind));
        named(format).unwrap().separator(Json::from(&*before), Json::from(&*behind))
    };
    let piece = |kind: &str| json!({ "type": kind, "text": "x" });
    let step = Some(r#"{"type":"step-start"}"#);
    for (before, behind, wanted) in [
        (piece("text"), piece("text"), step),
        (piece("reasoning"), piece("reasoning"), step),
        (piece("text"), piece("reasoning"), None),
        (piece("file"), piece("file"), None),
        (json!({ "type": "text", "text": "x", "state": "done" }), piece("text"), None),
    ] {
        assert_eq!(between("ai-sdk-ui", before.clone(), behind.clone()), wanted, "{before} {behind}");
    }
    assert_eq!(between("openai-chat", piece("text"), piece("text")), None);
}
