//! Tests messages of Bedrock's Converse API: how each part is read and written back, and what the service refuses.

use serde_json::json;

use crate::formats::tests::{LONG, read, test_parts_of_a_result, told};

#[test]
fn bedrock_blocks_are_told_by_their_fields() {
    assert_eq!(
        read(
            "bedrock-converse",
            &json!({ "role": "assistant", "content": [
            { "text": "hi" }, { "reasoningContent": { "reasoningText": { "text": "hm" } } },
            { "toolUse": { "toolUseId": "c", "name": "read", "input": { "p": 1 } } }, { "cachePoint": { "type": "default" } },
        ] })
        ),
        [
            "assistant: text hi [text content.0.text]",
            "assistant: thinking hm [fixed]",
            r#"assistant: call c read {"p":1} [input content.2.toolUse.input]"#,
            "assistant: other cachePoint [fixed]",
        ]
    );
    assert_eq!(
        read(
            "bedrock-converse",
            &json!({ "role": "user", "content": [
            { "toolResult": { "toolUseId": "c", "content": [{ "text": "x" }], "status": "error" } },
            { "toolResult": { "toolUseId": "d", "content": [{ "text": "y" }, { "json": { "n": 1 } }] } },
            { "image": { "format": "png", "source": { "bytes": "AAAA" } } },
            { "toolResult": { "toolUseId": "e", "content": [{ "json": { "n": 1 } }] } },
            { "toolResult": { "toolUseId": "f", "content": [{ "json": { "out": LONG } }] } },
        ] })
        ),
        [
            "user: failure c x [text content.0.toolResult.content.0.text]",
            "user: result d text y | other json [texts content.1.toolResult.content.0.text -]",
            "user: image [fixed]",
            r#"user: result e {"n":1} [wrapped content.3.toolResult.content.0]"#,
            &format!("user: result f other json | text {LONG} [strings - content.4.toolResult.content.0.json.out]"),
        ]
    );
}

#[test]
fn bedrock_refuses_roles_empty_texts_and_lone_halves() {
    let words = |role: &str, text: &str| json!({ "role": role, "content": [{ "text": text }] });
    let call =
        json!({ "role": "assistant", "content": [{ "toolUse": { "toolUseId": "c", "name": "read", "input": {} } }] });
    let result =
        json!({ "role": "user", "content": [{ "toolResult": { "toolUseId": "c", "content": [{ "text": "x" }] } }] });
    assert_eq!(
        told("bedrock-converse", &json!([words("user", "go"), call, result, words("assistant", "so")])),
        [""; 0]
    );
    let broken = json!([
        words("assistant", ""), call, { "role": "user", "content": [] }, words("assistant", "x"), result,
        { "content": [] }, words("robot", "x"), { "role": "user", "content": "x" },
    ]);
    assert_eq!(
        told("bedrock-converse", &broken),
        [
            "0 first_not_user",
            "0.0 empty_text",
            "1 same_role_twice",
            "2 empty_content",
            "2 unanswered_tool_use c",
            "4 orphan_tool_result c",
            "5 not_a_message",
            "6 unknown_role",
            "7 empty_content",
        ]
    );
    let twice =
        json!([words("user", "go"), call, { "role": "user", "content": [result["content"][0], result["content"][0]] }]);
    assert_eq!(told("bedrock-converse", &twice), ["2 repeated_tool_result c"]);
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    let history = json!([
        { "role": "assistant", "content": [{ "toolUse": { "toolUseId": "c", "name": "read", "input": {} } }] },
        { "role": "user", "content": [{ "toolResult": { "toolUseId": "c", "content": [{ "text": "one" }, { "text": "two" }, { "text": "three" }] } }] },
    ]);
    test_parts_of_a_result("bedrock-converse", "/1/content/0/toolResult/content", &history);
}
