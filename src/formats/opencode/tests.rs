//! Tests OpenCode's messages: how each part is read and written back, and what the service refuses.

use serde_json::{Value, json};

use crate::{
    conversation::Json,
    formats::{
        named,
        tests::{raw, read, told},
    },
};

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
            { "type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA" }, { "type": "compaction" },
        ] })
        ),
        ["user: text hi [text parts.0.text]", "user: image [fixed]", "user: other compaction [fixed]"]
    );
}

#[test]
fn opencode_begins_at_its_newest_finished_compaction() {
    let user = |id: &str, part: Value| json!({ "info": { "id": id, "role": "user" }, "parts": [part] });
    let words = json!({ "type": "text", "text": "x" });
    let compaction = json!({ "type": "compaction" });
    let summary = |fields: Value| {
        let mut info = json!({ "id": "msg_9", "role": "assistant", "summary": true, "finish": "stop" });
        fields.as_object().unwrap().iter().for_each(|(key, value)| info[key] = value.clone());
        json!({ "info": info, "parts": [words] })
    };
    let start = |history: Value| {
        let raws: Vec<_> = history.as_array().unwrap().iter().map(raw).collect();
        named("opencode").unwrap().start(&raws.iter().map(|raw| Json::from(&**raw)).collect::<Vec<_>>())
    };
    let [one, two] = ["msg_1", "msg_2"].map(|id| user(id, words.clone()));
    assert_eq!(start(json!([one, two, user("msg_3", compaction.clone()), summary(json!({})), one])), 2);
    assert_eq!(start(json!([one, two, summary(json!({}))])), 0, "no compaction");
    assert_eq!(start(json!([one, user("msg_3", compaction.clone())])), 0, "no summary yet");
    assert_eq!(start(json!([one, user("msg_3", compaction.clone()), summary(json!({ "summary": false }))])), 0);
    assert_eq!(start(json!([one, user("msg_3", compaction.clone()), summary(json!({ "error": { "name": "x" } }))])), 0);
    let tail = json!({ "type": "compaction", "tail_start_id": "msg_2" });
    assert_eq!(start(json!([one, two, user("msg_3", tail), summary(json!({}))])), 1);
    let shown = |flag: Value| json!({ "info": { "role": "user" }, "parts": [{ "type": "text", "text": "x", "ignored": flag }] });
    assert_eq!(read("opencode", &shown(json!(true))), [""; 0]);
    assert_eq!(read("opencode", &shown(json!(false))), ["user: text x [text parts.0.text]"]);
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
