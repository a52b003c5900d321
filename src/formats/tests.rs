//! Tests each format and each kind of part: how it is read, where its texts are, and how edits are written back.

mod carried;
mod problems;

use serde_json::{Value, json, value::RawValue};

use super::{FORMATS, Projection, edited, named, part::Slot};
use crate::conversation::{Block, Content, Edit, Json, Message, NewValue, PathStep, Plan, Role};

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn path(steps: &[PathStep]) -> String {
    let told = |step: &PathStep| match step {
        PathStep::Key(key) => key.to_string(),
        PathStep::Index(index) => index.to_string(),
    };
    steps.iter().map(told).collect::<Vec<_>>().join(".")
}

fn slot(slot: &Slot) -> String {
    let all = |paths: &[Option<Vec<PathStep>>]| {
        paths.iter().map(|at| at.as_ref().map_or("-".to_owned(), |at| path(at))).collect::<Vec<_>>().join(" ")
    };
    match slot {
        Slot::Fixed => "fixed".to_owned(),
        Slot::Text(at) => format!("text {}", path(at)),
        Slot::Joined(paths) => format!("joined {}", paths.iter().map(|at| path(at)).collect::<Vec<_>>().join(" ")),
        Slot::Texts(paths) => format!("texts {}", all(paths)),
        Slot::Strings(paths) => format!("strings {}", all(paths)),
        Slot::Wrapped(at, _) => format!("wrapped {}", path(at)),
        Slot::Input(at) => format!("input {}", path(at)),
        Slot::Encoded(at) => format!("encoded {}", path(at)),
        Slot::Parameter(key, at) => format!("parameter {key} {}", path(at)),
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Text { text, .. } => format!("text {text}"),
        Block::ToolUse { id, name, input, .. } => format!("call {id} {name} {}", input.get()),
        Block::ToolResult { tool_use_id, content, is_error, .. } => {
            let texts = match content {
                Content::Text(text) => vec![text.clone()],
                content => content.blocks().iter().map(self::block).collect(),
            };
            format!("{} {tool_use_id} {}", if *is_error { "failure" } else { "result" }, texts.join(" | "))
        }
        Block::Image { .. } => "image".to_owned(),
        Block::Thinking { thinking, .. } => format!("thinking {thinking}"),
        Block::Other { kind, .. } => format!("other {kind}"),
    }
}

/// The parts of a message, each as speaker, content and path.
fn read(format: &str, message: &Value) -> Vec<String> {
    let raw = raw(message);
    let parts = named(format).unwrap().read(Json::from(&*raw));
    parts
        .iter()
        .map(|part| format!("{}: {} [{}]", part.role.as_str(), block(&part.block), slot(&part.place.slot)))
        .collect()
}

/// The messages after edits on the projection.
fn written(format: &str, history: &Value, edits: Vec<Edit>) -> Value {
    let projection = Projection::parse(named(format).unwrap(), &history.to_string()).unwrap();
    let carried = projection.carried(&Plan { edits }).unwrap();
    let messages = edited(projection.messages(), &carried.edits);
    serde_json::to_value(
        messages.iter().map(|raw| serde_json::from_str::<Value>(raw.get()).unwrap()).collect::<Vec<_>>(),
    )
    .unwrap()
}

/// A path from a projected message.
macro_rules! at {
    ($($step:expr),*) => { vec![$(PathStep::from($step)),*] };
}
use at;

fn text_set(message: usize, path: Vec<PathStep>, text: &str) -> Edit {
    Edit::set_text(message, path, text.to_owned())
}

/// A replaced result, as custom providers return one.
fn replaced_result(message: usize, block: usize, id: &str, text: &str) -> Edit {
    let value = raw(&json!({ "type": "tool_result", "tool_use_id": id, "content": text }));
    Edit::set(message, at!["content", block], NewValue::Json(value))
}

const LONG: &str =
    "a line of a file that is long enough to be a text of its own, because it has more than a hundred letters in it";

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
        (answer(json!({ "type": "execution-denied" })), "user: failure c other json [fixed]".to_owned()),
    ];
    for (message, wanted) in rows {
        assert_eq!(read("ai-sdk-model", &message), [wanted], "{message}");
    }
}

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
fn langchain_calls_are_read_once_wherever_they_stand_again() {
    let call = json!({ "type": "ai", "content": [{ "type": "text", "text": "hi" }, { "type": "tool_use", "id": "c", "name": "read", "input": { "p": 1 } }],
        "tool_calls": [{ "id": "c", "name": "read", "args": { "p": 1 } }],
        "additional_kwargs": { "tool_calls": [{ "id": "c", "function": { "name": "read", "arguments": r#"{"p":1}"# } }] } });
    assert_eq!(
        read("langchain", &call),
        ["assistant: text hi [text content.0.text]", r#"assistant: call c read {"p":1} [input tool_calls.0.args]"#]
    );
    let history =
        json!([{ "type": "human", "content": "go" }, call, { "type": "tool", "tool_call_id": "c", "content": "x" }]);
    let after = written("langchain", &history, vec![text_set(1, at!["content", 1, "input", "p"], "short")]);
    for (place, wanted) in [("/1/tool_calls/0/args/p", json!("short")), ("/1/content/1/input/p", json!("short"))] {
        assert_eq!(after.pointer(place), Some(&wanted), "{place}");
    }
    let rows = [
        (
            json!({ "type": "tool", "tool_call_id": "c", "content": "x", "status": "error" }),
            "user: failure c x [text content]",
        ),
        (json!({ "type": "human", "data": { "content": "hi" } }), "user: text hi [text data.content]"),
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
fn opencode_parts_are_read_as_they_are_sent() {
    let tool = |state: Value| json!({ "info": { "role": "assistant" }, "parts": [{ "type": "tool", "callID": "c", "tool": "read", "state": state }] });
    let call = r#"assistant: call c read {"p":1} [input parts.0.state.input]"#;
    for (state, wanted) in [
        (
            json!({ "status": "completed", "input": { "p": 1 }, "output": "x" }),
            "user: result c x [text parts.0.state.output]",
        ),
        (
            json!({ "status": "error", "input": { "p": 1 }, "error": "x" }),
            "user: failure c x [text parts.0.state.error]",
        ),
        (
            json!({ "status": "completed", "input": { "p": 1 }, "output": "x", "time": { "compacted": 5 } }),
            "user: result c other json [fixed]",
        ),
        (json!({ "status": "running", "input": { "p": 1 } }), "user: failure c other json [fixed]"),
    ] {
        assert_eq!(read("opencode", &tool(state)), [call, wanted]);
    }
    assert_eq!(
        read(
            "opencode",
            &json!({ "info": { "role": "user" }, "parts": [
            { "type": "text", "text": "hi" }, { "type": "text", "text": "not sent", "ignored": true }, { "type": "patch" },
            { "type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA" },
        ] })
        ),
        ["user: text hi [text parts.0.text]", "user: image [fixed]"]
    );
}

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
    let hidden = json!({ "role": "user", "created": 1, "content": [{ "type": "text", "text": "old" }], "metadata": { "userVisible": true, "agentVisible": false } });
    assert_eq!(read("goose", &hidden), Vec::<String>::new());
}

/// For each format whose results may have parts: a user's message, a call, its result of several parts, and a last
/// message.
fn with_parts(format: &str) -> Value {
    let texts = |kind: &str| json!([{ "type": kind, "text": "one" }, { "type": kind, "text": "two" }, { "type": kind, "text": "three" }]);
    match format {
        "anthropic" => json!([
            { "role": "assistant", "content": [{ "type": "compaction", "content": "short" }, { "type": "tool_use", "id": "c", "name": "read", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": texts("text") }] },
        ]),
        "openai-chat" => json!([
            { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "read", "arguments": "{}" } }] },
            { "role": "tool", "tool_call_id": "c", "content": texts("text") },
        ]),
        "openai-responses" => json!([
            { "type": "function_call", "call_id": "c", "name": "read", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c", "output": texts("input_text") },
        ]),
        "ai-sdk-model" => json!([
            { "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "c", "toolName": "read", "input": {} }] },
            { "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "c", "toolName": "read", "output": { "type": "content", "value": texts("text") } }] },
        ]),
        "langchain" => json!([
            { "type": "ai", "content": "", "tool_calls": [{ "id": "c", "name": "read", "args": {} }] },
            { "type": "tool", "tool_call_id": "c", "content": texts("text") },
        ]),
        "bedrock-converse" => json!([
            { "role": "assistant", "content": [{ "toolUse": { "toolUseId": "c", "name": "read", "input": {} } }] },
            { "role": "user", "content": [{ "toolResult": { "toolUseId": "c", "content": [{ "text": "one" }, { "text": "two" }, { "text": "three" }] } }] },
        ]),
        "goose" => json!([
            { "role": "assistant", "created": 1, "content": [{ "type": "toolRequest", "id": "c", "toolCall": { "status": "success", "value": { "name": "read", "arguments": {} } } }] },
            { "role": "user", "created": 1, "content": [{ "type": "toolResponse", "id": "c", "toolResult": { "status": "success", "value": { "content": texts("text") } } }] },
        ]),
        other => panic!("{other}"),
    }
}

#[test]
fn a_result_of_several_parts_that_is_replaced_leaves_one() {
    for (format, place) in [
        ("anthropic", "/1/content/0/content"),
        ("openai-chat", "/1/content"),
        ("openai-responses", "/1/output"),
        ("ai-sdk-model", "/1/content/0/output/value"),
        ("langchain", "/1/content"),
        ("bedrock-converse", "/1/content/0/toolResult/content"),
        ("goose", "/1/content/0/toolResult/value/content"),
    ] {
        let history = with_parts(format);
        for edit in [replaced_result(1, 0, "c", "short"), text_set(1, at!["content", 0, "content"], "short")] {
            let after = written(format, &history, vec![edit]);
            let parts = after.pointer(place).unwrap().as_array().unwrap();
            assert_eq!(parts.iter().map(|part| &part["text"]).collect::<Vec<_>>(), ["short"], "{format}");
        }
        // A single one stays where it is.
        let after = written(format, &history, vec![text_set(1, at!["content", 0, "content", 1, "text"], "2")]);
        let parts = after.pointer(place).unwrap().as_array().unwrap();
        assert_eq!(parts.iter().map(|part| &part["text"]).collect::<Vec<_>>(), ["one", "2", "three"], "{format}");
    }
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
fn every_format_writes_a_message_that_it_reads_as_what_was_said() {
    for format in FORMATS {
        for role in [Role::User, Role::Assistant] {
            let written = format.write(&role, "said", &super::format::Near::default());
            let message: Value = serde_json::from_str(&written.json).unwrap();
            let read = read(format.name(), &message);
            let wanted = format!("{}: text said [text {}]", role.as_str(), path(&written.text));
            assert_eq!(read, [wanted], "{}", format.name());
        }
    }
}
