//! Tests that edits on a projection are made in the caller's messages.

use serde_json::{Value, json};

use super::*;
use crate::{
    conversation::Message,
    formats::tests::{at, projection, raw, replaced_result, text_set, written},
};

#[test]
fn a_path_moves_with_the_elements_before_it() {
    let at = |array: &'static str| vec![PathStep::from(array)];
    let drop = |array: &'static str, gone: usize| Inside::Drop(at(array), gone);
    let insert = |array: &'static str, before: usize| Inside::Insert(at(array), before, "{}".to_owned());
    let index = |inside: &[Inside]| {
        let path = vec![PathStep::from("content"), PathStep::Index(2), PathStep::from("text")];
        moved(path, inside)[1].index().unwrap()
    };
    for (inside, expected) in [
        (vec![], 2),
        (vec![drop("content", 0)], 1),
        (vec![drop("content", 0), drop("content", 1)], 0),
        (vec![drop("content", 2)], 2),
        (vec![drop("content", 3)], 2),
        (vec![drop("other", 0)], 2),
        (vec![insert("content", 0), insert("content", 2)], 4),
        (vec![insert("content", 3)], 2),
        (vec![insert("other", 0)], 2),
        (vec![drop("content", 1), insert("content", 1), insert("content", 2)], 3),
    ] {
        assert_eq!(index(&inside), expected, "{inside:?}");
    }
}

#[test]
fn a_text_is_found_in_the_place_of_its_block() {
    let path = |steps: &[&'static str]| steps.iter().map(|step| PathStep::from(*step)).collect::<Path>();
    let (stands, input) = (path(&["content"]), path(&["input", "q"]));
    assert_eq!(Slot::Text(stands.clone()).text_at(&path(&["text"])), Some(stands.clone()));
    assert_eq!(Slot::Input(stands.clone()).text_at(&input), Some(path(&["content", "q"])));
    assert_eq!(Slot::Input(stands.clone()).text_at(&input[..1]), None, "the whole input is no text");
    assert_eq!(Slot::Parameter("q", stands.clone()).text_at(&input), Some(stands.clone()));
    let texts = Slot::Texts(vec![None, Some(stands.clone())]);
    let of = |block: usize| vec![PathStep::from("content"), PathStep::Index(block), PathStep::from("text")];
    assert_eq!((texts.text_at(&of(0)), texts.text_at(&of(1)), texts.text_at(&of(2))), (None, Some(stands), None));
    assert_eq!(Slot::Fixed.text_at(&of(0)), None);
}

/// A message of the user with two texts and an image, two calls with their results, and an answer.
fn chat() -> [Value; 5] {
    let call = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "read", "arguments": "{}" } });
    [
        json!({ "role": "user", "content": [text("a"), { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } }, text("b")] }),
        json!({ "role": "assistant", "content": "I read.", "tool_calls": [call("c"), call("d")] }),
        json!({ "role": "tool", "tool_call_id": "c", "content": "x" }),
        json!({ "role": "tool", "tool_call_id": "d", "content": "y" }),
        json!({ "role": "assistant", "content": "Done." }),
    ]
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn drop_block(message: usize, block: usize) -> Edit {
    Edit::DropBlock { message, block }
}

fn insert(before: usize, role: Role, text: &str) -> Edit {
    Edit::Insert { before, value: Message::new(role, Content::Text(text.to_owned())).into() }
}

fn insert_block(message: usize, before: usize, text: &str) -> Edit {
    Edit::InsertBlock { message, before, value: raw(&self::text(text)) }
}

fn set(message: usize, path: Path, value: &Value) -> Edit {
    Edit::set(message, path, NewValue::Json(raw(value)))
}

#[test]
fn edits_are_made_in_the_callers_messages_and_nowhere_else() {
    let [user, calls, c, d, done] = &chat();
    let image = &user["content"][1];
    let of_user = |content: Value| json!({ "role": "user", "content": content });
    let said = |role: &str, text: &str| json!({ "role": role, "content": text });
    let one_call = json!({ "role": "assistant", "content": "I read.", "tool_calls": [calls["tool_calls"][1]] });
    let plain = said("assistant", "I read.");
    let note = || insert(3, Role::User, "note");
    let rows: [(&str, Vec<Edit>, Value); 16] = [
        ("nothing", vec![], json!([user, calls, c, d, done])),
        (
            "a new content takes the place of all parts",
            vec![text_set(0, at!["content"], "short"), text_set(1, at!["content"], "said"), Edit::Drop { message: 2 }],
            json!([of_user(json!([text("short")])), said("assistant", "said"), done]),
        ),
        (
            "a text in the place of results alone is a message",
            vec![drop_block(1, 1), drop_block(1, 2), text_set(2, at!["content"], "short")],
            json!([user, plain, said("user", "short"), done]),
        ),
        ("one call", vec![drop_block(1, 1), drop_block(2, 0)], json!([user, one_call, d, done])),
        ("both calls", vec![drop_block(1, 1), drop_block(1, 2), Edit::Drop { message: 2 }], json!([user, plain, done])),
        ("one part", vec![drop_block(0, 1)], json!([of_user(json!([text("a"), text("b")])), calls, c, d, done])),
        ("all parts", vec![drop_block(0, 0), drop_block(0, 1), drop_block(0, 2)], json!([calls, c, d, done])),
        (
            "a text for an image",
            vec![set(0, at!["content", 1], &text("picture"))],
            json!([of_user(json!([text("a"), text("picture"), text("b")])), calls, c, d, done]),
        ),
        (
            "a block for a text",
            vec![set(0, at!["content", 0], &text("A")), text_set(0, at!["content", 2, "text"], "B")],
            json!([of_user(json!([text("A"), image, text("B")])), calls, c, d, done]),
        ),
        (
            "a result as custom providers return one",
            vec![replaced_result(2, 1, "d", "short"), text_set(2, at!["content", 0, "content"], "X")],
            json!([
                user,
                calls,
                json!({ "role": "tool", "tool_call_id": "c", "content": "X" }),
                json!({ "role": "tool", "tool_call_id": "d", "content": "short" }),
                done,
            ]),
        ),
        (
            "texts beside parts",
            vec![insert_block(0, 1, "new"), insert_block(0, 3, "last")],
            json!([of_user(json!([text("a"), text("new"), image, text("b"), text("last")])), calls, c, d, done]),
        ),
        (
            "a text where none is allowed is a message of the same role",
            vec![insert_block(1, 1, "first"), insert_block(2, 2, "then"), insert_block(2, 0, "now")],
            json!([user, said("assistant", "first"), calls, c, d, said("user", "now"), said("user", "then"), done,]),
        ),
        (
            "messages at one place keep their order",
            vec![note(), insert_block(2, 2, "then"), insert(3, Role::Assistant, "more"), insert(4, Role::User, "end")],
            json!([
                user,
                calls,
                c,
                d,
                said("user", "then"),
                said("user", "note"),
                said("assistant", "more"),
                done,
                said("user", "end"),
            ]),
        ),
        (
            "a new first message",
            vec![Edit::Drop { message: 0 }, insert(0, Role::User, "log"), note()],
            json!([said("user", "log"), calls, c, d, said("user", "note"), done]),
        ),
        (
            "a text behind removed parts is none of the message",
            vec![drop_block(1, 0), insert_block(1, 0, "said")],
            json!([
                user,
                said("assistant", "said"),
                json!({ "role": "assistant", "content": null, "tool_calls": calls["tool_calls"] }),
                c,
                d,
                done,
            ]),
        ),
        ("all", (0..4).map(|message| Edit::Drop { message }).collect(), json!([])),
    ];
    for (what, edits, wanted) in rows {
        assert_eq!(written("openai-chat", &json!(chat()), edits), wanted, "{what}");
    }
}

/// A custom provider may describe an image in words.
#[test]
fn a_text_in_the_place_of_the_only_part_stays_in_its_message() {
    let image = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } });
    let call = json!({ "id": "c", "type": "function", "function": { "name": "read", "arguments": "{}" } });
    let history = |content: &Value| {
        json!([
            { "role": "user", "content": [content] },
            { "role": "assistant", "content": [content], "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "c", "content": "x" },
        ])
    };
    let words = text("a picture");
    let replaced = [0, 1].map(|message| set(message, at!["content", 0], &words)).to_vec();
    assert_eq!(written("openai-chat", &history(&image), replaced), history(&words));
    let beside = [0, 1].map(|message| [drop_block(message, 0), insert_block(message, 0, "a picture")]).concat();
    assert_eq!(written("openai-chat", &history(&image), beside), history(&words));
}

#[test]
fn a_plan_is_refused_if_the_format_has_no_form_for_it() {
    let projection = projection("openai-chat", &json!(chat()));
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
    let result = |content: Value| json!({ "type": "tool_result", "tool_use_id": "c", "content": content });
    let content = |content: &Value| Message::read(&raw(&json!({ "role": "user", "content": content }))).into();
    for (edit, what) in [
        (set(0, at!["content"], &json!([image])), "another content than text"),
        (set(0, vec![], &json!("x")), "a message in the place of another"),
        (text_set(9, at!["content", 0, "text"], "x"), "what is not in the conversation"),
        (drop_block(0, 3), "what is not in the conversation"),
        (text_set(1, at!["content", 1], "x"), "a text in the place of a block"),
        (set(1, at!["content", 1], &text("x")), "a text in the place of what is none"),
        (text_set(0, at!["content", 1, "text"], "x"), "a text in the place of what is none"),
        (text_set(2, at!["content", 0, "content", 0, "text"], "x"), "a text in the place of what is none"),
        (set(0, at!["content", 0], &image), "one block in the place of another"),
        (set(2, at!["content", 0], &result(json!([image]))), "another result than text"),
        (Edit::Insert { before: 0, value: content(&json!([image])) }, "a message of other than text"),
        (Edit::InsertBlock { message: 0, before: 0, value: raw(&image) }, "a block of other than text"),
    ] {
        let shown = format!("{edit:?}");
        let refused = projection.carried(&Plan { edits: vec![edit] }).err();
        assert_eq!(refused, Some(NotCarried::NoForm { format: "openai-chat", what }), "{shown}");
    }
}

/// Messages that are already invalid may be condensed unless they would break another rule.
#[test]
fn invalid_messages_get_no_further_problems() {
    let call = |id: &str| json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "type": "function", "function": { "name": "read", "arguments": "{}" } }] });
    let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "x" });
    let words = |role: &str| json!({ "role": role, "content": "x" });
    let lone = json!([words("user"), result("z"), words("assistant"), call("c"), result("c"), words("assistant")]);
    let same = json!([words("user"), result("c"), words("assistant"), call("c"), result("c"), words("assistant")]);
    let twice = json!([words("user"), call("c"), result("c"), result("c"), words("assistant")]);
    let orphan = Some(("orphan_tool_result", 3));
    let drop = |message| Edit::Drop { message };
    // In the projection, the lone result is a part of the first message, and the results are messages behind calls.
    for (history, edits, wanted) in [
        (&lone, vec![drop(1)], Some(("orphan_tool_result", 2))),
        (&lone, vec![drop(1), drop(2)], None),
        (&same, vec![drop_block(1, 1)], orphan),
        (&twice, vec![drop(1), drop_block(2, 0)], None),
        (&twice, vec![drop(1)], Some(("orphan_tool_result", 2))),
    ] {
        let projection = projection("openai-chat", history);
        let refused = projection.carried(&Plan { edits }).err().map(|refused| match refused {
            NotCarried::Broken(problem) => (problem.code, problem.message_index),
            NotCarried::NoForm { .. } => panic!("{refused}"),
        });
        assert_eq!(refused, wanted, "{history}");
    }
}

/// A text behind the result of a tool is a projected message of its own, which begins inside one of the page's.
#[test]
fn a_message_before_a_later_step_is_put_into_the_page_message() {
    let tool =
        json!({ "type": "tool-read", "toolCallId": "c", "state": "output-available", "input": {}, "output": "x" });
    let step = json!({ "type": "step-start" });
    let history = json!([{ "id": "m", "role": "assistant", "parts": [text("a"), tool, step, text("b")] }]);
    let parts = |after: &Value| after[0]["parts"].clone();
    let after = written("ai-sdk-ui", &history, vec![insert(2, Role::User, "new")]);
    let new = json!({ "type": "text", "text": "new", "state": "done" });
    assert_eq!(parts(&after), json!([text("a"), tool, step, new, text("b")]));
    let edits = vec![Edit::Drop { message: 0 }, Edit::Drop { message: 1 }, insert(2, Role::Assistant, "new")];
    let after = written("ai-sdk-ui", &history, edits);
    assert_eq!((&after[0]["parts"][0]["text"], &after[1]["parts"]), (&json!("new"), &json!([step, text("b")])));
    // A part that takes the place of the first one stays before it.
    let file = json!({ "type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AAAA" });
    let history = json!([{ "id": "m", "role": "assistant", "parts": [file, tool, step, text("b")] }]);
    let edits = vec![
        set(0, at!["content", 0], &text("picture")),
        drop_block(0, 1),
        Edit::Drop { message: 1 },
        insert(2, Role::Assistant, "new"),
    ];
    let texts = |part: &Value| part["text"].as_str().map(str::to_owned);
    let after = written("ai-sdk-ui", &history, edits);
    let said: Vec<String> = parts(&after).as_array().unwrap().iter().filter_map(texts).collect();
    assert_eq!((after.as_array().unwrap().len(), said), (1, ["picture", "new", "b"].map(str::to_owned).to_vec()));
}

#[test]
fn parts_go_with_the_parts_that_they_belong_to() {
    let item = |kind: &str| json!({ "type": kind, "call_id": "c", "name": "read", "arguments": "{}", "output": "x" });
    let thought = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    let said = |role: &str| json!({ "type": "message", "role": role, "content": "x" });
    let request = json!({ "type": "mcp_approval_request", "id": "a" });
    let reply = json!({ "type": "mcp_approval_response", "approval_request_id": "a" });
    let other = json!({ "type": "web_search_call", "id": "ws_1" });
    let drop = |message| Edit::Drop { message };
    let all = json!([said("user"), thought, item("function_call"), item("function_call_output"), said("assistant")]);
    for (history, edits, wanted) in [
        (&all, vec![drop_block(1, 1), drop(2)], json!([said("user"), said("assistant")])),
        (&all, vec![drop(0)], json!([thought, item("function_call"), item("function_call_output"), said("assistant")])),
        (
            &json!([thought, thought, said("assistant"), other, said("assistant")]),
            vec![drop_block(0, 2)],
            json!([other, said("assistant")]),
        ),
        (
            &json!([said("user"), request, said("user"), reply, other, said("assistant")]),
            vec![drop_block(1, 0)],
            json!([said("user"), said("user"), other, said("assistant")]),
        ),
        (
            &json!([said("user"), request, said("user"), reply, other, said("assistant")]),
            vec![drop_block(3, 0), drop_block(3, 1)],
            json!([said("user"), said("user"), said("assistant")]),
        ),
    ] {
        assert_eq!(written("openai-responses", history, edits), wanted, "{history}");
    }
}

#[test]
fn a_message_without_parts_goes_with_both_its_neighbours() {
    let said = |role: &str, text: &str| json!({ "role": role, "created": 1, "content": [self::text(text)] });
    let hidden = |text: &str| json!({ "role": "user", "created": 1, "content": [self::text(text)], "metadata": { "agentVisible": false } });
    let [one, two, three] = [said("user", "1"), said("assistant", "2"), said("user", "3")];
    let (first, second, last) = (hidden("a"), hidden("b"), hidden("c"));
    let history = json!([hidden("0"), one, first, second, two, last, three, hidden("9")]);
    let drop = |message| Edit::Drop { message };
    for (edits, wanted) in [
        (vec![drop(0)], json!([hidden("0"), first, second, two, last, three, hidden("9")])),
        (vec![drop(0), drop(1)], json!([hidden("0"), last, three, hidden("9")])),
        (vec![drop(1), drop(2)], json!([hidden("0"), one, first, second, hidden("9")])),
        (vec![drop(0), drop(2)], json!([hidden("0"), first, second, two, last, hidden("9")])),
    ] {
        assert_eq!(written("goose", &history, edits), wanted);
    }
    let carried = projection("goose", &history).carried(&Plan { edits: vec![drop(1), drop(0)] }).unwrap();
    assert_eq!(carried.from, [vec![1], vec![0, 1], vec![0, 1], vec![0]]);
}

/// Two pieces of a text would be read as one if the part between them were gone.
#[test]
fn pieces_stay_apart_when_parts_between_them_go() {
    let file = json!({ "type": "file", "mediaType": "text/plain", "url": "u" });
    let step = json!({ "type": "step-start" });
    let [a, b] = ["a", "b"].map(text);
    for (parts, gone, wanted) in [
        (json!([a, file, b]), vec![1], json!([a, step, b])),
        (json!([a, file, file, b]), vec![1, 2], json!([a, step, b])),
        (json!([a, file, file, b]), vec![1], json!([a, file, b])),
        (json!([file, a, file, b]), vec![0, 2], json!([a, step, b])),
        (json!([a, file, b, file, a]), vec![1, 3], json!([a, step, b, step, a])),
        (json!([a, file]), vec![1], json!([a])),
    ] {
        let history = json!([{ "id": "m", "role": "assistant", "parts": parts }]);
        let edits = gone.into_iter().map(|block| drop_block(0, block)).collect();
        assert_eq!(written("ai-sdk-ui", &history, edits)[0]["parts"], wanted, "{parts}");
    }
}

#[test]
fn responses_name_the_nearest_message_if_theirs_is_gone() {
    let user = |id: &str| json!({ "info": { "id": id, "role": "user" }, "parts": [text("x")] });
    let answer = |id: &str, parent: &str| json!({ "info": { "id": id, "role": "assistant", "parentID": parent }, "parts": [text("y")] });
    let history = json!([
        user("msg_1"),
        answer("msg_2", "msg_1"),
        user("msg_3"),
        answer("msg_4", "msg_3"),
        user("msg_5"),
        answer("msg_6", "msg_5"),
    ]);
    let drop = |message| Edit::Drop { message };
    let names = |edits: Vec<Edit>| {
        let after = written("opencode", &history, edits);
        let name = |message: &Value| {
            let info = &message["info"];
            [&info["id"], &info["parentID"]].map(|name| name.as_str().unwrap_or_default().to_owned()).join(" ")
        };
        after.as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(vec![drop(2)]), ["msg_1 ", "msg_2 msg_1", "msg_4 msg_1", "msg_5 ", "msg_6 msg_5"]);
    assert_eq!(names(vec![drop(0)]), ["msg_2 msg_3", "msg_3 ", "msg_4 msg_3", "msg_5 ", "msg_6 msg_5"]);
    assert_eq!(
        names(vec![drop(2), insert(2, Role::User, "note")]),
        ["msg_1 ", "msg_2 msg_1", "msg_200000 ", "msg_4 msg_200000", "msg_5 ", "msg_6 msg_5"]
    );
    assert_eq!(
        names(vec![drop(2), insert(3, Role::Assistant, "note")]),
        ["msg_1 ", "msg_2 msg_1", "msg_300000 msg_1", "msg_4 msg_1", "msg_5 ", "msg_6 msg_5"]
    );
    // The edit that names another message is undone together with those that made it necessary.
    let edits = vec![insert(2, Role::User, "note"), drop(2)];
    let carried = projection("opencode", &history).carried(&Plan { edits }).unwrap();
    assert_eq!(carried.from, [vec![0], vec![1], vec![1, 0]]);
}

#[test]
fn edits_of_parameters_are_made_in_every_form() {
    let call = |call: Value| json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    let encoded = call(
        json!({ "id": "c", "type": "function", "function": { "name": "write", "arguments": r#"{"p":"a","n":1}"# } }),
    );
    let free = call(json!({ "id": "c", "type": "custom", "custom": { "name": "run", "input": "long" } }));
    let result = json!({ "role": "tool", "tool_call_id": "c", "content": "done" });
    let input = |steps: Path| [at!["content", 0, "input"], steps].concat();
    let arguments = "/1/tool_calls/0/function/arguments";
    let free_input = "/1/tool_calls/0/custom/input";
    for (call, edits, place, wanted) in [
        (&encoded, vec![set(1, input(at![]), &json!({ "q": 2 }))], arguments, r#"{"q":2}"#),
        (&encoded, vec![set(1, input(at!["p"]), &json!("b"))], arguments, r#"{"p":"b","n":1}"#),
        (&free, vec![set(1, input(at![]), &json!({ "input": "short" }))], free_input, "short"),
        (&free, vec![set(1, input(at!["input"]), &json!("short"))], free_input, "short"),
    ] {
        let history = json!([{ "role": "user", "content": "go" }, call, result]);
        let after = written("openai-chat", &history, edits.clone());
        assert_eq!(after.pointer(place), Some(&json!(wanted)), "{edits:?}");
    }
    let history = json!([{ "role": "user", "content": "go" }, encoded, result]);
    let edits = vec![text_set(1, input(at!["p"]), "b"), Edit::Drop { message: 0 }];
    let carried = projection("openai-chat", &history).carried(&Plan { edits }).unwrap();
    assert_eq!(carried.from, [vec![1], vec![0]]);
}

#[test]
fn a_text_has_a_place_unless_its_message_or_part_is_another() {
    let projection = projection("openai-chat", &json!(chat()));
    let edits = vec![drop_block(0, 1), Edit::Drop { message: 1 }, insert(3, Role::User, "note")];
    let carried = projection.carried(&Plan { edits }).unwrap();
    let place = |message: usize, path: Path| projection.text_place(&carried, message, &path);
    for (message, path, wanted) in [
        (0, at!["content", 0, "text"], None),
        (1, at!["content", 0, "content"], Some((1, at!["content"]))),
        (1, at!["content", 1, "content"], Some((2, at!["content"]))),
        (1, at!["content", 2, "content"], None),
        (2, at!["content"], Some((3, at!["content"]))),
        (2, at!["content", 0, "text"], Some((3, at!["content"]))),
        (2, at!["content", 1, "text"], None),
        (3, at!["content"], Some((4, at!["content"]))),
        (4, at!["content"], None),
        (1, at![], None),
    ] {
        assert_eq!(place(message, path.clone()), wanted, "{path:?} of message {message}");
    }
    // Only a content that takes the place of several parts moves them.
    let edits = vec![text_set(0, at!["content"], "short"), text_set(1, at!["content", 0, "text"], "said")];
    let carried =
        projection.carried(&Plan { edits: [edits, vec![text_set(3, at!["content"], "so")]].concat() }).unwrap();
    let place = |message: usize, path: Path| projection.text_place(&carried, message, &path);
    assert_eq!(place(0, at!["content", 0, "text"]), None);
    assert_eq!(place(1, at!["content", 0, "text"]), Some((1, at!["content"])));
    assert_eq!(place(3, at!["content"]), Some((4, at!["content"])));
}

#[test]
fn a_text_of_several_pieces_is_written_into_the_first() {
    let history = json!([{ "id": "m", "role": "assistant", "parts": [text("a"), text("b"), text("c")] }]);
    let after = written("ai-sdk-ui", &history, vec![text_set(0, at!["content"], "short")]);
    assert_eq!(after[0]["parts"], json!([text("short")]));
    let after = written("ai-sdk-ui", &history, vec![set(0, at!["content", 0], &text("short"))]);
    assert_eq!(after[0]["parts"], json!([text("short")]));
}

/// A text replaces a whole result with its files.
#[test]
fn files_of_a_result_go_with_its_texts() {
    let call = json!({ "type": "function_call", "call_id": "c", "name": "read", "arguments": "{}" });
    let parts = |parts: Value| json!({ "type": "function_call_output", "call_id": "c", "output": parts });
    let said = |text: &str| json!({ "type": "input_text", "text": text });
    let file = json!({ "type": "input_image", "image_url": "u" });
    let history = json!([call, parts(json!([file, said("a"), file, said("b")]))]);
    let after = written("openai-responses", &history, vec![replaced_result(1, 0, "c", "short")]);
    assert_eq!(after, json!([call, parts(json!([said("short")]))]));
}

#[test]
fn an_array_without_elements_stays_if_its_format_allows_it() {
    let calls = json!([{ "id": "c", "name": "read", "args": {} }]);
    let with = |content: Value| json!({ "type": "ai", "content": content, "tool_calls": calls });
    let result = json!({ "type": "tool", "tool_call_id": "c", "content": "x" });
    let history = json!([with(json!([text("a"), text("b")])), result]);
    let after = written("langchain", &history, vec![drop_block(0, 0), drop_block(0, 1)]);
    assert_eq!(after, json!([with(json!([])), result]));
    let chat = |content: Option<Value>| {
        let mut message = json!({ "role": "assistant", "tool_calls": [{ "id": "c", "function": { "name": "read", "arguments": "{}" } }] });
        content.into_iter().for_each(|content| message["content"] = content);
        message
    };
    let result = json!({ "role": "tool", "tool_call_id": "c", "content": "x" });
    let history = json!([chat(Some(json!([text("a"), text("b")]))), result]);
    let after = written("openai-chat", &history, vec![drop_block(0, 0), drop_block(0, 1)]);
    assert_eq!(after, json!([chat(None), result]));
    let after = written("openai-chat", &history, vec![drop_block(0, 0)]);
    assert_eq!(after, json!([chat(Some(json!([text("b")]))), result]));
}

#[test]
fn a_request_for_approval_goes_with_its_call_and_the_reply() {
    let with = |role: &str, parts: Value| json!({ "role": role, "content": parts });
    let call = json!({ "type": "tool-call", "toolCallId": "w", "toolName": "write", "input": {} });
    let request = json!({ "type": "tool-approval-request", "approvalId": "p", "toolCallId": "w" });
    let reply = json!({ "type": "tool-approval-response", "approvalId": "p", "approved": true });
    let result = json!({ "type": "tool-result", "toolCallId": "w", "toolName": "write", "output": { "type": "text", "value": "x" } });
    let history = json!([
        with("user", json!("go")),
        with("assistant", json!([text("so"), call, request])),
        with("tool", json!([reply, result]))
    ]);
    let after = written("ai-sdk-model", &history, vec![drop_block(1, 1), drop_block(2, 0)]);
    assert_eq!(after, json!([with("user", json!("go")), with("assistant", json!([text("so")]))]));
}
