//! Tests Anthropic's messages: how each part is read and written back, and what the service refuses.

use serde_json::json;

use crate::formats::tests::{parts_of_result, read, test_parts_of_a_result, told};

#[test]
fn anthropic_is_read_behind_its_compaction() {
    assert_eq!(
        read(
            "anthropic",
            &json!({ "role": "assistant", "content": [
            { "type": "text", "text": "gone" }, { "type": "compaction", "content": "short" }, { "type": "text", "text": "hi" },
            { "type": "tool_use", "id": "c", "name": "read", "input": { "p": 1 } }, { "type": "thinking", "thinking": "hm" },
        ] })
        ),
        [
            "assistant: other compaction [fixed]",
            "assistant: text hi [text content.2.text]",
            r#"assistant: call c read {"p":1} [input content.3.input]"#,
            "assistant: thinking hm [fixed]",
        ]
    );
    assert_eq!(
        read(
            "anthropic",
            &json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "c", "content": "x", "is_error": true },
            { "type": "tool_result", "tool_use_id": "d", "content": [{ "type": "text", "text": "y" }, { "type": "image", "source": {} }] },
        ] })
        ),
        [
            "user: failure c x [text content.0.content]",
            "user: result d text y | image [texts content.1.content.0.text -]"
        ]
    );
}

#[test]
fn anthropic_refuses_what_is_no_turn_of_its_own_behind_the_compaction() {
    let words = |role: &str| json!({ "role": role, "content": "x" });
    assert_eq!(told("anthropic", &json!([words("assistant"), words("user")])), ["0 first_not_user"]);
    let compaction = json!({ "role": "assistant", "content": [{ "type": "compaction", "content": "short" }] });
    let history = json!([words("user"), compaction, words("user"), words("user")]);
    let found = told("anthropic", &history);
    assert!(found.iter().all(|problem| problem.starts_with("3 ")), "{found:?}");
    assert_eq!(told("anthropic", &json!([words("user"), compaction, words("user")])), [""; 0]);
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    let history = json!([
        { "role": "assistant", "content": [{ "type": "compaction", "content": "short" }, { "type": "tool_use", "id": "c", "name": "read", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": parts_of_result("text") }] },
    ]);
    test_parts_of_a_result("anthropic", "/1/content/0/content", &history);
}
