//! Tests the problems for which each format's service refuses messages, and texts that are inserted into their arrays.

use serde_json::{Value, json};

use super::{at, raw};
use crate::{
    conversation::{Json, PathStep},
    formats::named,
};

/// The problems of a history, each as message, block, code and the id of a call.
fn told(format: &str, history: &Value) -> Vec<String> {
    let raws: Vec<_> = history.as_array().unwrap().iter().map(raw).collect();
    let messages: Vec<Json<'_>> = raws.iter().map(|raw| Json::from(&**raw)).collect();
    let problems = named(format).unwrap().problems(&messages);
    let told = problems.iter().map(|problem| {
        let block = problem.block_index.map(|block| format!(".{block}")).unwrap_or_default();
        let id = problem.tool_id.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
        format!("{}{block} {}{id}", problem.message_index, problem.code)
    });
    told.collect()
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
fn opencode_tools_are_the_assistants_and_have_a_state() {
    let with = |role: &str, parts: Value| json!({ "info": { "id": "msg_1", "role": role }, "parts": parts });
    let tool = json!({ "type": "tool", "callID": "c", "tool": "read", "state": { "status": "completed", "input": {}, "output": "x" } });
    assert_eq!(
        told(
            "opencode",
            &json!([with("user", json!([{ "type": "text", "text": "x" }])), with("assistant", json!([tool]))])
        ),
        [""; 0]
    );
    let broken = json!([
        { "parts": [] }, with("robot", json!([])), { "info": { "role": "user" } }, with("user", json!([{ "type": "text" }, tool])),
        with("assistant", json!([{ "type": "tool", "state": {} }, { "type": "tool", "callID": "c", "state": "done" }])),
    ]);
    assert_eq!(
        told("opencode", &broken),
        [
            "0 not_a_message",
            "1 unknown_role",
            "2 empty_content",
            "3.1 misplaced_tool_use",
            "4.0 unreadable_block",
            "4.1 unreadable_block",
        ]
    );
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

/// A text is accepted only in arrays of parts, and in no array of a result, a system message or another field.
#[test]
fn a_text_is_put_only_into_an_array_that_holds_texts() {
    let put = |format: &str, message: Value, array: Vec<PathStep>| {
        let raw = raw(&message);
        let text = named(format).unwrap().text_part(Json::from(&*raw), &array, 1, "a \"b\"")?;
        Some(serde_json::from_str::<Value>(&text).unwrap())
    };
    let plain = json!({ "type": "text", "text": "a \"b\"" });
    let of = |role: &str| json!({ "role": role, "content": [] });
    for (format, message, wanted) in [
        ("anthropic", of("user"), Some(plain.clone())),
        ("openai-chat", of("user"), Some(plain.clone())),
        ("openai-chat", of("assistant"), Some(plain.clone())),
        ("openai-chat", of("tool"), None),
        ("openai-chat", json!({ "content": [] }), None),
        ("ai-sdk-model", of("assistant"), Some(plain.clone())),
        ("ai-sdk-model", of("system"), None),
        ("openai-responses", of("user"), Some(json!({ "type": "input_text", "text": "a \"b\"" }))),
        (
            "openai-responses",
            of("assistant"),
            Some(json!({ "type": "output_text", "text": "a \"b\"", "annotations": [] })),
        ),
        ("openai-responses", json!({ "type": "reasoning", "role": "user", "content": [] }), None),
        ("openai-responses", json!({ "type": "message", "content": [] }), None),
        ("bedrock-converse", of("user"), Some(json!({ "text": "a \"b\"" }))),
        ("goose", of("user"), Some(plain.clone())),
        ("langchain", json!({ "type": "human", "content": [] }), Some(plain.clone())),
        ("langchain", json!({ "type": "ai", "content": [] }), Some(plain.clone())),
        ("langchain", json!({ "type": "tool", "content": [] }), None),
    ] {
        assert_eq!(put(format, message.clone(), at!["content"]), wanted, "{format} {message}");
        assert_eq!(put(format, message.clone(), at!["other"]), None, "{format} {message}");
    }
    let parts = |format: &str, array: Vec<PathStep>| {
        let message = json!({ "info": { "id": "msg_1", "sessionID": "s" }, "parts": [{ "id": "prt_1" }, { "id": "prt_2" }], "other": [] });
        put(format, message, array)
    };
    let of_page = json!({ "type": "text", "text": "a \"b\"", "state": "done" });
    assert_eq!(parts("ai-sdk-ui", at!["parts"]), Some(of_page));
    assert_eq!(parts("gemini", at!["parts"]), Some(json!({ "text": "a \"b\"" })));
    let of_opencode = parts("opencode", at!["parts"]).unwrap();
    assert_eq!(
        (&of_opencode["id"], &of_opencode["messageID"], &of_opencode["sessionID"], &of_opencode["text"]),
        (&json!("prt_10"), &json!("msg_1"), &json!("s"), &json!("a \"b\""))
    );
    for format in ["ai-sdk-ui", "opencode"] {
        assert_eq!(parts(format, at!["other"]), None, "{format}");
    }
    assert_eq!(put("gemini", json!({ "parts": "x" }), at!["parts"]), None);
}

#[test]
fn an_emptied_field_is_null_where_calls_stand_beside_it_and_an_empty_text_elsewhere() {
    for format in crate::formats::FORMATS {
        let wanted = if format.name() == "openai-chat" { "null" } else { "\"\"" };
        assert_eq!(format.emptied(), wanted, "{}", format.name());
        let is_joined = !["anthropic", "bedrock-converse", "gemini"].contains(&format.name());
        assert_eq!(format.joins(), is_joined, "{}", format.name());
    }
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
