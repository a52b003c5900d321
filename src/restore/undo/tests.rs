//! Undoing, on restore data as JavaScript writes it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    conversation::{Contents, Conversation, Fingerprint, PathStep},
    maps::HashMap,
    restore::expand,
};

/// The messages before and after a condensation, and the edits that undo it, each with its value.
#[derive(Debug, Clone)]
struct Case {
    original: Vec<Value>,
    condensed: Vec<Value>,
    edits: Vec<Value>,
    groups: Value,
}

fn read(messages: &[Value]) -> Conversation {
    Conversation::parse(&json!(messages).to_string()).unwrap()
}

fn fingerprint(value: &Value) -> String {
    Fingerprint::of_json(&value.to_string()).to_string()
}

fn said(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}

fn set(message: usize, was: &str, group: usize) -> Value {
    json!({ "op": "set", "message": message, "path": ["content"], "value": was, "was": fingerprint(&json!(was)), "group": group })
}

fn insert(before: usize, message: &Value, group: usize) -> Value {
    json!({ "op": "insert", "before": before, "value": { "message": message }, "was": fingerprint(message), "group": group })
}

impl Case {
    fn data(&self) -> Value {
        if self.edits.is_empty() {
            return json!({ "version": 2, "edits": [] });
        }
        json!({
            "version": 2,
            "original": Contents::hash(&read(&self.original)).whole().to_string(),
            "messages": Contents::hash(&read(&self.condensed)).to_string(),
            "groups": self.groups,
            "edits": self.edits,
        })
    }

    /// Returns the answer for these changes, or for all of them.
    fn undo(&self, only: Option<&[&str]>) -> Result<Value, String> {
        asked(&self.condensed, self.data(), only, false)
    }
}

/// Calls the code as JavaScript does: with the values separate from the rest of the restore data.
fn asked(messages: &[Value], mut data: Value, only: Option<&[&str]>, dependants: bool) -> Result<Value, String> {
    let mut values = Vec::new();
    for edit in data["edits"].as_array_mut().into_iter().flatten() {
        let value = edit.as_object_mut().and_then(|edit| edit.insert("value".to_owned(), true.into()));
        if value.is_none() {
            edit.as_object_mut().and_then(|edit| edit.remove("value"));
        }
        values.push(value.unwrap_or_default());
    }
    let request = json!({ "data": data, "only": only, "withDependants": dependants, "unwritten": {} }).to_string();
    let (messages, values) = (json!(messages).to_string(), json!(values).to_string());
    let messages: Vec<&RawValue> = serde_json::from_str(&messages).unwrap();
    let values: Vec<&RawValue> = serde_json::from_str(&values).unwrap();
    let undone = undo(&messages, &serde_json::from_str(&request).unwrap(), &values);
    undone.map(|undone| serde_json::to_value(&undone).unwrap()).map_err(|error| error.to_string())
}

/// Makes the edits of an answer, as JavaScript does.
fn applied(messages: &[Value], edits: &[Value], undone: &Value) -> Vec<Value> {
    let taken = undone["taken"].as_array().unwrap();
    let taken: Vec<(&Value, &Value)> =
        taken.iter().map(|taken| (&edits[taken[0].as_u64().unwrap() as usize], &taken[1])).collect();
    let at = |edit: &Value, field: &str, index: usize| edit[field].as_u64() == Some(index as u64);
    let mut result = Vec::new();
    for index in 0..=messages.len() {
        let inserts = taken.iter().filter(|(edit, _)| edit["op"] == "insert" && at(edit, "before", index));
        result.extend(inserts.map(|(edit, _)| edit["value"]["message"].clone()));
        let Some(message) = messages.get(index) else { break };
        if taken.iter().any(|(edit, _)| edit["op"] == "drop" && at(edit, "message", index)) {
            continue;
        }
        let mut message = message.clone();
        for (edit, text) in taken.iter().filter(|(edit, _)| edit["op"] == "set" && at(edit, "message", index)) {
            message["content"] = if text.is_null() { edit["value"].clone() } else { (*text).clone() };
        }
        result.push(message);
    }
    result
}

/// Returns the restore data that an answer leaves.
fn left(data: &Value, undone: &Value) -> Value {
    let moved = |left: &Value| {
        let mut edit = data["edits"][left[0].as_u64().unwrap() as usize].clone();
        let changed = left[1].as_object().unwrap();
        if changed.contains_key("value") {
            edit.as_object_mut().unwrap().remove("recipe");
        }
        changed.iter().for_each(|(name, value)| edit[name] = value.clone());
        edit
    };
    let edits: Vec<Value> = undone["left"]["edits"].as_array().unwrap().iter().map(moved).collect();
    if edits.is_empty() {
        return json!({ "version": 2, "edits": [] });
    }
    let mut rest = data.clone();
    rest["edits"] = edits.into();
    rest["messages"] = undone["left"]["contents"].clone();
    rest
}

/// Three messages of which the second was cut to a line that the third repeats, and the last was dropped.
fn three_changes() -> Case {
    let long = "the line that is repeated\nand a line of its own";
    let original = vec![said("user", long), said("assistant", "an answer that was cut"), said("user", "dropped")];
    let condensed = vec![said("user", long), said("assistant", "cut"), said("user", "the line that is repeated")];
    let recipe = json!({
        "op": "set", "message": 2, "path": ["content"], "group": 1, "was": fingerprint(&json!("the line that is repeated")),
        "recipe": { "texts": [[0, ["content"]]], "parts": [[0, 0, 25]] },
    });
    let mut case = Case { original, condensed, edits: Vec::new(), groups: json!([["c1"], ["c2"], ["c3", "c4"]]) };
    case.original.insert(2, said("user", "the line that is repeated"));
    case.condensed[2] = said("user", "[1 line as above]");
    case.edits = vec![set(1, "an answer that was cut", 0), recipe, insert(3, &said("user", "dropped"), 2)];
    case
}

#[test]
fn a_whole_condensation_is_undone_with_texts_from_recipes() {
    let case = three_changes();
    let undone = case.undo(None).unwrap();
    assert_eq!(undone["taken"], json!([[0, null], [1, "the line that is repeated"], [2, null]]));
    assert_eq!(applied(&case.condensed, &case.edits, &undone), case.original);
    let nothing = asked(&case.condensed, json!({ "version": 2, "edits": [] }), None, false).unwrap();
    assert_eq!(nothing["taken"], json!([]));
}

#[test]
fn other_messages_and_values_are_refused_with_their_place() {
    let case = three_changes();
    let mut edited = case.clone();
    edited.condensed[1]["content"] = "edited".into();
    let error = asked(&edited.condensed, case.data(), None, false).unwrap_err();
    assert!(error.starts_with("messages[1]: is not the message that the condensation left there: it was edited"));
    let error = asked(&case.condensed[..2], case.data(), None, false).unwrap_err();
    assert_eq!(error, "messages: the condensation left 3, here are 2");
    let mut other = case.clone();
    other.edits[0]["value"] = "another text".into();
    let (is, was) = (fingerprint(&json!("another text")), case.edits[0]["was"].as_str().unwrap());
    let expected =
        format!("restoreData.edits[0].value, for messages[1].content: is not what stood there ({is} instead of {was})");
    assert_eq!(other.undo(None).unwrap_err(), expected);
    let mut short = case;
    short.edits[1]["recipe"]["parts"][0][2] = 4.into();
    let expected = "restoreData.edits[1].recipe: does not belong to these messages: it says less than the 25 characters of the text";
    assert_eq!(short.undo(None).unwrap_err(), expected);
    short.edits[1]["recipe"]["texts"][0][1] = json!(["content", "__proto__"]);
    let expected = r#"restoreData.edits[1].recipe: does not belong to these messages: there is nothing at ["content","__proto__"]"#;
    assert_eq!(short.undo(None).unwrap_err(), expected);
}

#[test]
fn damaged_data_is_refused_with_its_place() {
    let case = three_changes();
    let damaged = |damage: &dyn Fn(&mut Value)| {
        let mut data = case.data();
        damage(&mut data);
        asked(&case.condensed, data, None, false).unwrap_err()
    };
    type Row<'r> = (&'r str, &'r dyn Fn(&mut Value));
    let rows: [Row<'_>; 18] = [
        ("restoreData.version: 1 is of an earlier version", &|data| data["version"] = 1.into()),
        ("restoreData.version: 3 is not known here; this roo-condense reads 2", &|data| data["version"] = 3.into()),
        ("restoreData: not what a condensation returned (version 2, with edits)", &|data| data["version"] = "2".into()),
        ("restoreData: not what", &|data| data["edits"] = Value::Null),
        ("restoreData.edits: are missing", &|data| data["edits"] = json!([])),
        ("restoreData.format: is no format", &|data| data["format"] = "other".into()),
        ("restoreData.original: is not a number", &|data| data["original"] = "60".into()),
        ("restoreData.messages: is not 8 digits", &|data| data["messages"] = "1234".into()),
        ("restoreData.groups: are not the ids", &|data| data["groups"] = json!([[1]])),
        ("restoreData.edits[1]: is not an edit", &|data| data["edits"][1] = json!({ "op": "move", "message": 0 })),
        ("restoreData.edits[0]: is not an edit", &|data| data["edits"][0]["message"] = 3.into()),
        ("restoreData.edits[0]: is not an edit", &|data| data["edits"][0]["path"] = json!([])),
        ("restoreData.edits[2]: is not an edit", &|data| data["edits"][2]["value"]["foreign"] = 0.into()),
        ("restoreData.edits[0]: is not an edit", &|data| data["edits"][0]["was"] = "nothing".into()),
        ("restoreData.edits[1]: is not an edit", &|data| data["edits"][1]["recipe"]["texts"][0][0] = 3.into()),
        ("restoreData.edits[3]: another edit is about what holds it", &|data| {
            let value = json!({ "type": "text", "text": "x" });
            let was = fingerprint(&value);
            let edit = json!({ "op": "insert_block", "message": 1, "at": ["content"], "before": 0, "value": value, "was": was, "group": 0 });
            data["edits"].as_array_mut().unwrap().push(edit);
        }),
        ("restoreData.edits[1]: another edit is about the same", &|data| data["edits"][1]["message"] = 1.into()),
        ("restoreData.edits[1]: another edit is about what holds it", &|data| {
            data["edits"][1]["message"] = 1.into();
            data["edits"][1]["path"] = json!(["content", 0]);
        }),
    ];
    for (expected, damage) in rows {
        let error = damaged(damage);
        assert!(error.starts_with(expected), "{error} instead of {expected}");
    }
}

#[test]
fn single_changes_are_undone_and_the_others_stay_undoable() {
    let case = three_changes();
    let undone = case.undo(Some(&["c3", "c4", "c3"])).unwrap();
    assert_eq!((&undone["restored"], &undone["refused"]), (&json!(["c3", "c4"]), &json!([])));
    let messages = applied(&case.condensed, &case.edits, &undone);
    let rest = left(&case.data(), &undone);
    let all = asked(&messages, rest.clone(), None, false).unwrap();
    assert_eq!(applied(&messages, rest["edits"].as_array().unwrap(), &all), case.original);
}

#[test]
fn a_recipe_of_lines_that_change_becomes_its_text() {
    let mut case = three_changes();
    let long = case.original[0]["content"].as_str().unwrap().to_owned();
    case.original[0]["content"] = "what stood in the first message".into();
    case.edits.push(set(0, "what stood in the first message", 3));
    case.groups = json!([["c1"], ["c2"], ["c3"], ["c5"]]);
    assert_eq!(case.condensed[0]["content"], long.as_str());
    let undone = case.undo(Some(&["c5"])).unwrap();
    assert_eq!(undone["left"]["edits"][1], json!([1, { "message": 2, "value": "the line that is repeated" }]));
    let undone = case.undo(Some(&["c1"])).unwrap();
    assert_eq!(undone["left"]["edits"][0][1]["recipe"], case.edits[1]["recipe"]);
}

#[test]
fn refusals_say_why() {
    let case = three_changes();
    let undone = case.undo(Some(&["c3", "nobody", "c1"])).unwrap();
    assert_eq!(undone["restored"], json!(["c1"]));
    let needs = "the change c4 is about the same text or messages: undo them together";
    let unknown = "is no change of this condensation, or nothing is left of it";
    assert_eq!(
        undone["refused"],
        json!([
            { "id": "c3", "code": "needs_others", "reason": needs, "with": ["c4"] },
            { "id": "nobody", "code": "unknown_change", "reason": unknown },
        ])
    );
    let mut edited = case.condensed.clone();
    edited[1]["content"] = "edited".into();
    let undone = asked(&edited, case.data(), Some(&["c1"]), false).unwrap();
    let reason = "messages[1] is no longer what the condensation left there";
    assert_eq!(
        undone["refused"],
        json!([{ "id": "c1", "code": "changed_since", "reason": reason, "messageIndex": 1 }])
    );
    assert_eq!(undone.get("left"), None);
}

const POINTER: &str = "[2 lines as above from \"the first of the lines\"]";

/// Lines that were cut, and a pointer to them that was cut too.
fn returning_pointer() -> Case {
    let lines = "the first of the lines\nand the second of the lines";
    Case {
        original: vec![said("user", lines), said("assistant", "Yes."), said("user", POINTER)],
        condensed: vec![said("user", "cut"), said("assistant", "Yes."), said("user", "gone")],
        edits: vec![set(0, lines, 0), set(2, POINTER, 1)],
        groups: json!([["lines"], ["pointer"]]),
    }
}

#[test]
fn a_pointer_comes_back_with_its_lines_or_not_at_all() {
    let case = returning_pointer();
    let alone = case.undo(Some(&["pointer"])).unwrap();
    let reason = "a pointer would lead to other lines without the change lines: undo them together";
    assert_eq!(
        alone["refused"],
        json!([{ "id": "pointer", "code": "needs_others", "reason": reason, "with": ["lines"] }])
    );
    assert_eq!(case.undo(Some(&["lines"])).unwrap()["restored"], json!(["lines"]));
    assert_eq!(case.undo(Some(&["pointer", "lines"])).unwrap()["restored"], json!(["pointer", "lines"]));
    let with = asked(&case.condensed, case.data(), Some(&["pointer"]), true).unwrap();
    assert_eq!(
        (&with["restored"], &with["dependants"], &with["refused"]),
        (&json!(["pointer"]), &json!(["lines"]), &json!([]))
    );
}

/// Lines that no change can restore any more are no reason to refuse the pointer.
#[test]
fn a_pointer_comes_back_alone_if_its_lines_cannot() {
    let case = returning_pointer();
    let mut edited = case.condensed.clone();
    edited[0] = said("user", "cut, and edited since");
    let undone = asked(&edited, case.data(), Some(&["pointer"]), false).unwrap();
    assert_eq!((&undone["restored"], &undone["refused"]), (&json!(["pointer"]), &json!([])));
}

/// Changes that have nothing to do with the pointer are neither named nor refused.
#[test]
fn a_returning_pointer_names_the_change_that_removed_its_lines_alone() {
    let mut case = returning_pointer();
    case.original[1] = said("assistant", "Yes, as it was.");
    case.edits.push(set(1, "Yes, as it was.", 2));
    case.groups = json!([["lines"], ["pointer"], ["other"]]);
    let undone = case.undo(Some(&["pointer", "other"])).unwrap();
    assert_eq!(undone["restored"], json!(["other"]));
    assert_eq!((&undone["refused"][0]["id"], &undone["refused"][0]["with"]), (&json!("pointer"), &json!(["lines"])));
    let with = asked(&case.condensed, case.data(), Some(&["pointer"]), true).unwrap();
    assert_eq!((&with["restored"], &with["dependants"]), (&json!(["pointer"]), &json!(["lines"])));
}

#[test]
fn a_pointer_whose_lines_stay_is_no_reason_to_refuse() {
    let lines = "the first of the lines\nand the second of the lines";
    let case = Case {
        original: vec![said("user", lines), said("assistant", "Yes, as it was."), said("user", POINTER)],
        condensed: vec![said("user", lines), said("assistant", "Yes."), said("user", POINTER)],
        edits: vec![set(1, "Yes, as it was.", 0)],
        groups: json!([["other"]]),
    };
    assert_eq!(case.undo(Some(&["other"])).unwrap()["restored"], json!(["other"]));
}

#[test]
fn many_changes_are_counted_and_not_all_named() {
    let case = Case {
        original: vec![said("user", "as it was")],
        condensed: vec![said("user", "cut")],
        edits: vec![set(0, "as it was", 0)],
        groups: json!([["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12"]]),
    };
    let refused = &case.undo(Some(&["c1"])).unwrap()["refused"][0];
    assert_eq!(refused["with"].as_array().unwrap().len(), 11);
    let reason = "the changes c2, c3, c4, c5, c6 and 6 more are about the same text or messages: undo them together";
    assert_eq!(refused["reason"], reason);
}

#[test]
fn a_pointer_that_stays_keeps_its_lines() {
    let (now, before) = ("the first of the lines\nas it is now", "the first of the lines\nas it was");
    let mut case = Case {
        original: vec![said("user", before), said("assistant", "Yes."), said("user", "the text before the pointer")],
        condensed: vec![said("user", now), said("assistant", "Yes."), said("user", POINTER)],
        edits: vec![set(0, before, 0), set(2, "the text before the pointer", 1)],
        groups: json!([["lines"], ["pointer"]]),
    };
    let refused = case.undo(Some(&["lines"])).unwrap()["refused"].clone();
    assert_eq!((&refused[0]["code"], &refused[0]["with"]), (&json!("needs_others"), &json!(["pointer"])));
    assert_eq!(case.undo(Some(&["pointer"])).unwrap()["restored"], json!(["pointer"]));
    case.edits.pop();
    case.groups = json!([["lines"]]);
    let refused = case.undo(Some(&["lines"])).unwrap()["refused"].clone();
    assert_eq!((&refused[0]["code"], &refused[0]["messageIndex"]), (&json!("misleads"), &json!(2)));
    let with = asked(&case.condensed, case.data(), Some(&["lines", "other"]), true).unwrap();
    assert_eq!((&with["restored"], with["refused"].as_array().unwrap().len()), (&json!([]), 2));
}

/// Returns `count` messages with lines, each with a pointer to them two messages later. All texts are now the first of
/// these texts, and were the second.
fn pairs(
    count: usize,
    [lines, lines_before]: [&dyn Fn(usize) -> String; 2],
    [pointer, pointer_before]: [&dyn Fn(usize) -> String; 2],
) -> Case {
    let mut case = Case { original: Vec::new(), condensed: Vec::new(), edits: Vec::new(), groups: json!([]) };
    let mut groups = Vec::new();
    for pair in 0..count {
        for (name, now, before) in
            [("lines", lines(pair), lines_before(pair)), ("pointer", pointer(pair), pointer_before(pair))]
        {
            if now != before {
                case.edits.push(set(case.condensed.len(), &before, groups.len()));
                groups.push(vec![format!("{name}{pair}")]);
            }
            case.original.extend([said("user", &before), said("assistant", "Yes.")]);
            case.condensed.extend([said("user", &now), said("assistant", "Yes.")]);
        }
    }
    case.groups = json!(groups);
    case
}

/// Even if many pointers would be restored, each refusal names only the change that removed the pointer's lines.
#[test]
fn each_of_many_returning_pointers_names_its_lines() {
    let lines = |pair: usize| format!("the first of the lines {pair}\nand the second of them");
    let pointer = |pair: usize| format!("[2 lines as above from \"the first of the lines {pair}\"]");
    let (cut, gone) = (|pair: usize| format!("cut {pair}"), |pair: usize| format!("gone {pair}"));
    let case = pairs(40, [&cut, &lines], [&gone, &pointer]);
    let ids: Vec<String> = (0..40).map(|pair| format!("pointer{pair}")).collect();
    let undone = case.undo(Some(&ids.iter().map(String::as_str).collect::<Vec<_>>())).unwrap();
    assert_eq!(undone["restored"], json!([]));
    for (pair, refused) in undone["refused"].as_array().unwrap().iter().enumerate() {
        assert_eq!((&refused["id"], &refused["with"]), (&json!(ids[pair]), &json!([format!("lines{pair}")])));
    }
}

/// Among many changes, only those are refused that would mislead a remaining pointer. Each refusal names the change
/// that wrote the pointer, and other changes of the same texts.
#[test]
fn among_many_changes_those_are_found_that_mislead() {
    let (now, before) = (
        |pair: usize| format!("the first of the lines {pair}\nas it is now"),
        |pair: usize| format!("the first of the lines {pair}\nas it was"),
    );
    let pointer = |pair: usize| {
        if pair == 3 {
            "[2 lines as above from \"the first of the lines 3\"]".to_owned()
        } else {
            format!("word {pair}")
        }
    };
    let mut case = pairs(6, [&now, &before], [&pointer, &|_| "what stood there".to_owned()]);
    let ids: Vec<String> = (0..6).map(|pair| format!("lines{pair}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let undone = case.undo(Some(&ids)).unwrap();
    assert_eq!(undone["restored"], json!(["lines0", "lines1", "lines2", "lines4", "lines5"]));
    assert_eq!((&undone["refused"][0]["id"], &undone["refused"][0]["with"]), (&json!("lines3"), &json!(["pointer3"])));
    case.groups[7] = json!(["pointer3", "its other change"]);
    let undone = case.undo(Some(&ids)).unwrap();
    assert_eq!(undone["refused"][0]["with"], json!(["pointer3", "its other change"]));
}

#[test]
fn an_edit_without_a_group_is_undone_with_all_alone() {
    let mut case = three_changes();
    case.edits[0].as_object_mut().unwrap().remove("group");
    let undone = case.undo(None).unwrap();
    assert_eq!(applied(&case.condensed, &case.edits, &undone), case.original);
    let undone = case.undo(Some(&["c2"])).unwrap();
    assert_eq!((&undone["restored"], &undone["taken"]), (&json!(["c2"]), &json!([[1, "the line that is repeated"]])));
    assert_eq!(case.undo(Some(&["c1"])).unwrap()["taken"], json!([]));
}

/// Messages before and after a condensation that changed a text, dropped two messages, and replaced a block.
fn blocks() -> Case {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let with = |blocks: &[Value]| json!({ "role": "user", "content": blocks });
    let [x, y, z] = ["x", "y", "z"].map(text);
    let original = vec![said("user", "a"), said("user", "b"), said("assistant", "c"), with(&[x.clone(), y.clone()])];
    let condensed = vec![said("user", "cut"), said("user", "note"), with(&[x, z.clone()])];
    let block = json!({ "op": "insert_block", "message": 2, "at": ["content"], "before": 1, "value": y, "was": fingerprint(&y), "group": 2 });
    let edits = vec![
        set(0, "a", 0),
        insert(1, &original[1], 1),
        insert(1, &original[2], 1),
        json!({ "op": "drop", "message": 1, "group": 1 }),
        block,
        json!({ "op": "drop_block", "message": 2, "at": ["content"], "block": 1, "group": 2 }),
        insert(3, &said("user", "last"), 3),
    ];
    let original = [original, vec![said("user", "last")]].concat();
    Case { original, condensed, edits, groups: json!([["set"], ["messages"], ["block"], ["last"]]) }
}

/// The digits of the messages afterwards are those of the messages with the edits made, without later ones.
#[test]
fn edits_that_are_left_name_the_messages_where_they_are_afterwards() {
    let case = blocks();
    let contents = |messages: &[&Value]| {
        let messages: Vec<Value> = messages.iter().map(|message| (*message).clone()).collect();
        json!(Contents::hash(&read(&messages)).to_string())
    };
    let ([a, b, c, with, last], [cut, note, cut_block]) = (&case.original[..], &case.condensed[..]) else { panic!() };
    let at = |message: usize| json!({ "message": message });
    let before = |before: usize| json!({ "before": before });
    let later = [&case.condensed[..], &[said("assistant", "later")]].concat();
    for (id, taken, left, messages) in [
        (
            "set",
            json!([0]),
            json!([[1, before(1)], [2, before(1)], [3, at(1)], [4, at(2)], [5, at(2)], [6, before(3)]]),
            vec![a, note, cut_block],
        ),
        (
            "messages",
            json!([1, 2, 3]),
            json!([[0, at(0)], [4, at(3)], [5, at(3)], [6, before(4)]]),
            vec![cut, b, c, cut_block],
        ),
        (
            "block",
            json!([4, 5]),
            json!([[0, at(0)], [1, before(1)], [2, before(1)], [3, at(1)], [6, before(3)]]),
            vec![cut, note, with],
        ),
        (
            "last",
            json!([6]),
            json!([[0, at(0)], [1, before(1)], [2, before(1)], [3, at(1)], [4, at(2)], [5, at(2)]]),
            vec![cut, note, cut_block, last],
        ),
    ] {
        for condensed in [&case.condensed, &later] {
            let undone = asked(condensed, case.data(), Some(&[id]), false).unwrap();
            let found: Vec<&Value> = undone["taken"].as_array().unwrap().iter().map(|taken| &taken[0]).collect();
            assert_eq!((json!(found), &undone["left"]["edits"]), (taken.clone(), &left), "{id}");
            assert_eq!(undone["left"]["contents"], contents(&messages), "{id}");
        }
    }
}

#[test]
fn a_change_is_refused_if_a_message_beside_it_is_another() {
    let case = blocks();
    for (edited, wanted) in [(0, &["set", "messages"][..]), (1, &["messages"]), (2, &["block", "last"])] {
        let mut messages = case.condensed.clone();
        messages[edited] = said("user", "edited since");
        let undone = asked(&messages, case.data(), Some(&["set", "messages", "block", "last"]), false).unwrap();
        let refused = undone["refused"].as_array().unwrap();
        assert!(refused.iter().all(|refused| refused["messageIndex"] == edited), "{refused:?}");
        let ids: Vec<&Value> = refused.iter().map(|refused| &refused["id"]).collect();
        assert_eq!(json!(ids), json!(wanted));
    }
}

#[test]
fn edits_of_blocks_need_their_values() {
    let case = blocks();
    for (edit, field, value) in
        [(4, "was", json!("nothing")), (4, "before", json!(1_u64 << 32)), (5, "block", json!(1_u64 << 32))]
    {
        let mut data = case.data();
        data["edits"][edit][field] = value;
        let error = asked(&case.condensed, data, None, false).unwrap_err();
        assert_eq!(error, format!("restoreData.edits[{edit}]: is not an edit of these messages"), "{field}");
    }
    let mut data = case.data();
    data["edits"][4].as_object_mut().unwrap().remove("value");
    let error = asked(&case.condensed, data, None, false).unwrap_err();
    assert_eq!(error, "restoreData.edits[4]: is not an edit of these messages");
}

/// The change of another block in the same message has not written the pointer.
#[test]
fn the_change_that_wrote_a_pointer_is_that_of_its_block() {
    let (now, before) = ("the first of the lines\nas it is now", "the first of the lines\nas it was");
    let with = |texts: [&str; 2]| json!({ "role": "user", "content": texts.map(|text| json!({ "type": "text", "text": text })) });
    let set_block = |block: usize, was: &str, group: usize| {
        let mut edit = set(1, was, group);
        edit["path"] = json!(["content", block, "text"]);
        edit
    };
    let case = Case {
        original: vec![said("user", before), with(["one", "two"])],
        condensed: vec![said("user", now), with(["cut", POINTER])],
        edits: vec![set(0, before, 0), set_block(0, "one", 1), set_block(1, "two", 2)],
        groups: json!([["lines"], ["other"], ["pointer"]]),
    };
    let refused = &case.undo(Some(&["lines"])).unwrap()["refused"][0];
    assert_eq!((&refused["code"], &refused["with"]), (&json!("needs_others"), &json!(["pointer"])));
    let both = case.undo(Some(&["lines", "pointer"])).unwrap();
    assert_eq!(both["restored"], json!(["lines", "pointer"]));
}

#[test]
fn pointers_in_messages_of_another_format_keep_their_lines() {
    let mut case = returning_pointer();
    let format = crate::formats::named("openai-chat");
    let raws: Vec<Box<RawValue>> =
        case.condensed.iter().map(|message| serde_json::value::to_raw_value(message).unwrap()).collect();
    let contents =
        crate::formats::Messages::read(format, &raws.iter().map(|raw| &**raw).collect::<Vec<_>>()).contents();
    case.groups = json!([["lines"], ["pointer"]]);
    let mut data = case.data();
    data["format"] = "openai-chat".into();
    data["messages"] = contents.to_string().into();
    let alone = asked(&case.condensed, data.clone(), Some(&["pointer"]), false).unwrap();
    assert_eq!(alone["refused"][0]["with"], json!(["lines"]));
    let both = asked(&case.condensed, data, Some(&["pointer", "lines"]), false).unwrap();
    assert_eq!(both["restored"], json!(["pointer", "lines"]));
}

#[test]
fn a_value_without_json_and_a_strange_path_are_named() {
    let case = blocks();
    let (messages, mut data) = (json!(case.condensed).to_string(), case.data());
    data["edits"][0]["path"] = json!(["content", 0, "a b", "$ok_1", "", "é"]);
    let values = json!(case.edits.iter().map(|edit| edit["value"].clone()).collect::<Vec<_>>()).to_string();
    data["edits"].as_array_mut().unwrap().iter_mut().for_each(|edit| edit["value"] = true.into());
    let request = json!({ "data": data, "only": null, "withDependants": false, "unwritten": { "0": "a BigInt" } });
    let messages: Vec<&RawValue> = serde_json::from_str(&messages).unwrap();
    let values: Vec<&RawValue> = serde_json::from_str(&values).unwrap();
    let error = undo(&messages, &serde_json::from_str(&request.to_string()).unwrap(), &values).unwrap_err();
    let place = r#"messages[0].content[0]["a b"].$ok_1[""]["é"]"#;
    let expected = format!("restoreData.edits[0].value, for {place}: does not belong to these messages: a BigInt");
    assert_eq!(error.to_string(), expected);
}

/// The fate of a message in a condensation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Stays,
    Cut,
    Drops,
    /// Drops, with a note in its place.
    Noted,
}

fn any_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "alpha line of the text",
        "beta line of the text",
        "gamma line of the text",
        "[1 line as above from \"alpha line\"]",
        "[2 lines as above from \"beta line\"]",
        "[1 line as below from \"gamma line\"]",
    ]);
    prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n"))
}

fn any_case() -> impl Strategy<Value = Case> {
    let fate = prop::sample::select(vec![Fate::Stays, Fate::Cut, Fate::Cut, Fate::Drops, Fate::Noted]);
    prop::collection::vec((any_text(), any_text(), fate), 1..9).prop_map(|messages| {
        let mut case = Case { original: Vec::new(), condensed: Vec::new(), edits: Vec::new(), groups: json!([]) };
        let mut groups: Vec<Vec<String>> = Vec::new();
        let mut is_stretch = false;
        for (index, (text, cut, fate)) in messages.into_iter().enumerate() {
            let message = said("user", &text);
            case.original.push(message.clone());
            let at = case.condensed.len();
            let is_gone = matches!(fate, Fate::Drops | Fate::Noted);
            if fate != Fate::Stays && !(is_gone && is_stretch) {
                groups.push(Vec::new());
            }
            if let Some(group) = groups.last_mut().filter(|_| fate != Fate::Stays) {
                group.push(format!("c{index}"));
            }
            is_stretch = is_gone;
            let group = groups.len().saturating_sub(1);
            match fate {
                Fate::Stays => case.condensed.push(message),
                Fate::Cut => {
                    case.condensed.push(said("user", &cut));
                    case.edits.push(set(at, &text, group));
                }
                Fate::Drops => case.edits.push(insert(at, &message, group)),
                Fate::Noted => {
                    case.edits.push(insert(at, &message, group));
                    case.condensed.push(said("user", &cut));
                    case.edits.push(json!({ "op": "drop", "message": at, "group": group }));
                }
            }
        }
        case.groups = json!(groups);
        case
    })
}

/// Returns the expanded texts of the messages in which pointers resolve.
fn expanded(messages: &[Value]) -> HashMap<usize, String> {
    let plan = expand(&read(messages)).plan;
    let text = |edit: crate::Edit| match edit {
        crate::Edit::Set { message, path, value: crate::NewValue::Text(text), .. }
            if path == [PathStep::from("content")] =>
        {
            Some((message, text))
        }
        _ => None,
    };
    plan.edits.into_iter().filter_map(text).collect()
}

proptest! {
    #[test]
    fn any_changes_are_undone_or_refused_and_what_is_left_leads_back(case in any_case(), picks in prop::collection::vec(0_usize..9, 0..6), dependants in any::<bool>()) {
        let whole = case.undo(None).unwrap();
        prop_assert_eq!(applied(&case.condensed, &case.edits, &whole), case.original.clone());
        let ids: Vec<String> = picks.iter().map(|pick| format!("c{pick}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let data = case.data();
        let undone = asked(&case.condensed, data.clone(), Some(&ids), dependants).unwrap();
        let count = |field: &str| undone[field].as_array().map_or(0, Vec::len);
        let different: std::collections::HashSet<&&str> = ids.iter().collect();
        prop_assert_eq!(count("restored") + count("refused"), different.len());
        let messages = applied(&case.condensed, &case.edits, &undone);
        if undone.get("left").is_none() {
            prop_assert_eq!(&messages, &case.condensed);
            return Ok(());
        }
        prop_assert_eq!(&undone["left"]["contents"], &json!(Contents::hash(&read(&messages)).to_string()));
        // Undoing the remaining changes restores the original.
        let rest = left(&data, &undone);
        let all = asked(&messages, rest.clone(), None, false).unwrap();
        prop_assert_eq!(applied(&messages, rest["edits"].as_array().unwrap(), &all), case.original.clone());
        // The remaining pointers resolve to the same lines.
        let taken: Vec<&Value> = undone["taken"].as_array().unwrap().iter().map(|taken| &case.edits[taken[0].as_u64().unwrap() as usize]).collect();
        let (before, after) = (expanded(&case.condensed), expanded(&messages));
        for (message, text) in before {
            if taken.iter().any(|edit| edit["message"].as_u64() == Some(message as u64)) {
                continue;
            }
            let added = taken.iter().filter(|edit| edit["op"] == "insert" && edit["before"].as_u64() <= Some(message as u64)).count();
            let gone = taken.iter().filter(|edit| edit["op"] == "drop" && edit["message"].as_u64() < Some(message as u64)).count();
            prop_assert_eq!(after.get(&(message + added - gone)), Some(&text));
        }
    }

    #[test]
    fn any_json_is_data_or_an_error(edit in "[a-z_]{0,6}", message in -2_i64..4, path in prop::collection::vec(prop_oneof![Just(json!("content")), Just(json!(0)), Just(json!(-1)), Just(json!(null))], 0..3)) {
        let case = three_changes();
        let mut data = case.data();
        data["edits"][0] = json!({ "op": edit, "message": message, "path": path, "value": "x", "was": "1:0000000000000000" });
        prop_assert!(asked(&case.condensed, data.clone(), None, false).is_err());
        for op in ["set", "drop", "drop_block", "insert", "insert_block"] {
            data["edits"][0]["op"] = op.into();
            let _ = asked(&case.condensed, data.clone(), None, false);
            let _ = asked(&case.condensed, data.clone(), Some(&["c1", "c2"]), true);
        }
    }
}
