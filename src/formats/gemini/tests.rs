//! Tests Gemini's contents: how each part is read and written back, and what the service refuses.

use serde_json::{Value, json};

use crate::{
    conversation::PathStep,
    formats::{
        Projection, named,
        tests::{LONG, at, read, replaced_result, text_set, told, written},
    },
};

#[test]
fn gemini_is_read_in_both_spellings_and_written_back_in_its_own() {
    for (call, response, data, mime) in [
        ("functionCall", "functionResponse", "inlineData", "mimeType"),
        ("function_call", "function_response", "inline_data", "mime_type"),
    ] {
        let parts = |role: &str, parts: Value| json!({ "role": role, "parts": parts });
        let model = parts(
            "model",
            json!([
                { "text": "hi", "thought": null, "function_call": null },
                { "text": "hm", "thought": true },
                { "text": null, call: { "id": null, "name": "read", "args": { "p": "a" } }, "function_response": null, "inline_data": null },
            ]),
        );
        assert_eq!(
            read("gemini", &model),
            [
                "assistant: text hi [text parts.0.text]".to_owned(),
                "assistant: thinking hm [fixed]".to_owned(),
                format!(r#"assistant: call call of read read {{"p":"a"}} [input parts.2.{call}.args]"#),
            ]
        );
        for role in ["user", "function"] {
            let answer = |value: Value| parts(role, json!([{ response: { "name": "read", "response": value } }]));
            for (value, wanted) in [
                (
                    json!({ "output": "x" }),
                    format!("user: result call of read x [text parts.0.{response}.response.output]"),
                ),
                (
                    json!({ "error": "x" }),
                    format!("user: failure call of read x [text parts.0.{response}.response.error]"),
                ),
                (
                    json!({ "n": 1 }),
                    format!(r#"user: result call of read {{"n":1}} [wrapped parts.0.{response}.response]"#),
                ),
                (
                    json!({ "result": LONG }),
                    format!(
                        "user: result call of read other json | text {LONG} [strings - parts.0.{response}.response.result]"
                    ),
                ),
            ] {
                assert_eq!(read("gemini", &answer(value)), [wanted]);
            }
        }
        assert_eq!(
            read("gemini", &parts("user", json!([{ data: { mime: "image/png", "data": "AAAA" } }]))),
            ["user: image [fixed]"]
        );
        assert_eq!(
            read("gemini", &parts("user", json!([{ data: { mime: "text/csv", "data": "AAAA" } }]))),
            [format!("user: other {data} [fixed]")]
        );
        let history = json!([
            parts("user", json!([{ "text": "go" }])),
            model,
            parts("user", json!([{ response: { "name": "read", "response": { "n": 1 } } }])),
        ]);
        let edits = vec![
            text_set(1, at!["content", 2, "input", "p"], "b"),
            text_set(2, at!["content", 0, "content"], "left out"),
        ];
        let after = written("gemini", &history, edits);
        assert_eq!(
            after[1]["parts"][2],
            json!({ "text": null, call: { "id": null, "name": "read", "args": { "p": "b" } }, "function_response": null, "inline_data": null })
        );
        assert_eq!(after[2]["parts"][0], json!({ response: { "name": "read", "response": { "output": "left out" } } }));
    }
}

#[test]
fn gemini_counts_calls_and_responses_in_both_spellings() {
    let problems = |history: Value| {
        let projection = Projection::parse(named("gemini").unwrap(), &history.to_string()).unwrap();
        projection.problems().into_iter().map(|problem| (problem.code, problem.message_index)).collect::<Vec<_>>()
    };
    let user = json!({ "role": "user", "parts": [{ "text": "go", "function_call": null }] });
    let call = json!({ "role": "model", "parts": [{ "function_call": { "name": "read", "args": {} } }] });
    let response =
        json!({ "role": "function", "parts": [{ "function_response": { "name": "read", "response": {} } }] });
    assert_eq!(problems(json!([user, call, response])), []);
    assert_eq!(problems(json!([user, call, user])), [("unanswered_tool_use", 2)]);
    assert_eq!(problems(json!([user, response])), [("orphan_tool_result", 1)]);
}

#[test]
fn of_json_that_is_replaced_the_other_strings_become_empty() {
    let history = json!([
        { "role": "model", "parts": [{ "functionCall": { "name": "read", "args": {} } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "read", "response": { "n": 1, "a": LONG, "b": LONG } } }] },
    ]);
    let after = written("gemini", &history, vec![replaced_result(1, 0, "call of read", "short")]);
    assert_eq!(after[1]["parts"][0]["functionResponse"]["response"], json!({ "n": 1, "a": "short", "b": "" }));
}

#[test]
fn gemini_answers_each_call_in_the_next_turn() {
    let with = |role: &str, parts: Value| json!({ "role": role, "parts": parts });
    let call = json!({ "functionCall": { "name": "read", "args": {} } });
    let response = json!({ "functionResponse": { "name": "read", "response": {} } });
    let words = json!({ "text": "x" });
    assert_eq!(
        told(
            "gemini",
            &json!([
                with("user", json!([words])),
                with("model", json!([call, call])),
                with("user", json!([response, response]))
            ])
        ),
        [""; 0]
    );
    let broken = json!([
        with("model", json!([call])), with("user", json!([words])), "x", with("robot", json!([words])), with("user", json!([])),
        with("model", json!([call])), with("user", json!([response, response])), { "role": "user" },
    ]);
    assert_eq!(
        told("gemini", &broken),
        [
            "0 first_not_user",
            "1 unanswered_tool_use",
            "2 not_a_message",
            "3 unknown_role",
            "4 empty_content",
            "6 orphan_tool_result",
            "7 empty_content",
        ]
    );
}
