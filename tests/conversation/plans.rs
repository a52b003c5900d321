//! Plans of every kind: applied, derived again, undone.

use proptest::{collection::vec, prelude::*, sample::Index};
use roo_condense::{Content, Conversation, Edit, Message, NewValue, PathStep, Plan, PlanError, Role};
use serde_json::value::RawValue;

use crate::common::{
    cases::cases,
    checks::{check_plans, export},
    histories::{any_history, any_value},
};

#[derive(Debug, Clone)]
enum Wish {
    Text(Index, Index, String),
    WholeBlock(Index, Index, String),
    WholeContent(Index, String),
    Input(Index, Index, String),
    Drop(Index),
    Insert(Index, String),
}

fn wish() -> impl Strategy<Value = Wish> {
    let (at, inner) = (any::<Index>, any::<Index>);
    let block = prop::sample::select(vec![
        r#"{"type":"text","text":"new","cache_control":{"type":"ephemeral"}}"#,
        r#"{"type":"text","text":"new"}"#,
        r#"{"type":"tool_use","id":"other","name":"other","input":{"a":"b"}}"#,
        r#"{"type":"tool_result","tool_use_id":"other","content":"new","is_error":true}"#,
        "5",
    ]);
    prop_oneof![
        4 => (at(), inner(), ".{0,30}").prop_map(|(at, inner, text)| Wish::Text(at, inner, text)),
        1 => (at(), inner(), block).prop_map(|(at, inner, block)| Wish::WholeBlock(at, inner, block.to_owned())),
        1 => (at(), any_value()).prop_map(|(at, value)| Wish::WholeContent(at, value)),
        1 => (at(), inner(), any_value()).prop_map(|(at, inner, value)| Wish::Input(at, inner, value)),
        1 => at().prop_map(Wish::Drop),
        1 => (at(), ".{0,30}").prop_map(|(at, text)| Wish::Insert(at, text)),
    ]
}

/// The edit that a wish comes to in this conversation, if any.
fn edit(conversation: &Conversation, wish: Wish) -> Option<Edit> {
    let length = conversation.len();
    let json = |text: &str| {
        Some(NewValue::Json(
            RawValue::from_string(
                text.replace("\\ud800", "?")
                    .replace("\\udfff", "?")
                    .replace("\\udc00", "?")
                    .replace("\\udb80", "?")
                    .replace("\\ud83d\\ude00", "?")
                    .replace("\\ud83d", "?")
                    .replace("\\ude00", "?"),
            )
            .ok()?,
        ))
    };
    if length == 0 {
        return None;
    }
    Some(match wish {
        Wish::Text(at, inner, text) => {
            let message = at.index(length);
            let texts = conversation.message(message).texts();
            let path = texts.get(inner.index(texts.len().max(1)))?.path.clone();
            Edit::set_text(message, path, text)
        }
        Wish::WholeBlock(at, inner, block) => {
            let message = at.index(length);
            let blocks = conversation.message(message).content.blocks().len();
            let path = vec!["content".into(), PathStep::Index(inner.index(blocks.max(1)))];
            (blocks > 0).then_some(())?;
            Edit::set(message, path, json(&block)?)
        }
        Wish::WholeContent(at, value) => {
            let message = at.index(length);
            Edit::set(message, vec!["content".into()], json(&value)?)
        }
        Wish::Input(at, inner, value) => {
            let message = at.index(length);
            let block = PathStep::Index(inner.index(conversation.message(message).content.blocks().len().max(1)));
            Edit::set(message, vec!["content".into(), block, "input".into()], json(&value)?)
        }
        Wish::Drop(at) => Edit::Drop { message: at.index(length) },
        Wish::Insert(at, text) => {
            let message = Message::new(Role::User, Content::Text(text));
            Edit::Insert { before: at.index(length + 1), value: message.into() }
        }
    })
}

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn whatever_a_plan_does_is_derived_again_and_undone(json in any_history(), wishes in vec(wish(), 0..8)) {
        let mut before = Conversation::parse(&json).unwrap();
        let original = before.clone();
        for wish in wishes {
            let Some(edit) = edit(&before, wish) else { continue };
            match before.apply(&Plan { edits: vec![edit.clone()] }) {
                Ok(after) => {
                    check_plans(&before, &after);
                    before = after;
                }
                Err(error) => prop_assert!(matches!(error, PlanError::NoSuchPath { .. }), "{error} for {edit:?}"),
            }
            check_plans(&original, &before);
        }
    }

    #[test]
    fn a_text_put_back_where_it_was_changes_nothing(json in any_history()) {
        let before = Conversation::parse(&json).unwrap();
        let mut plan = Plan::default();
        for (message, content) in before.messages().enumerate() {
            plan.edits.extend(content.texts().into_iter().map(|text| Edit::set_text(message, text.path, text.text.to_owned())));
        }
        let after = before.apply(&plan).unwrap();
        prop_assert!(Plan::between(&before, &after).is_empty());
    }
}

#[test]
fn plans_that_do_not_fit_are_refused_whole() {
    let conversation = Conversation::parse(
        r#"[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"y","input":{"p":"q","n":1}}]},
            {"role":"user"},5,{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"},{"type":"image"}]}]"#,
    )
    .unwrap();
    let set = |message: usize, path: &str| {
        let path: Vec<PathStep> = serde_json::from_str(path).unwrap();
        Edit::set_text(message, path, "new".into())
    };
    let out_of_range = [set(5, "[\"content\"]"), Edit::Drop { message: 5 }];
    let nowhere = [
        set(0, "[]"),
        set(0, "[\"role\"]"),
        set(0, "[\"content\",0]"),
        set(0, "[\"content\",0,\"text\"]"),
        set(1, "[\"content\",1,\"text\"]"),
        set(1, "[\"content\",0,\"text\"]"),
        set(1, "[\"content\",0,\"input\",\"absent\"]"),
        set(1, "[\"content\",0,\"input\",\"n\"]"),
        set(1, "[\"content\",0,\"id\"]"),
        set(2, "[\"content\"]"),
        set(3, "[\"content\"]"),
        set(4, "[\"content\",0,\"content\"]"),
        set(4, "[\"content\",1,\"source\"]"),
    ];
    let fits = set(0, "[\"content\"]");
    for edit in out_of_range {
        let error = conversation.apply(&Plan { edits: vec![fits.clone(), edit] }).unwrap_err();
        assert_eq!(error, PlanError::NoSuchMessage { message: 5, length: 5 });
    }
    for edit in nowhere {
        let shown = format!("{edit:?}");
        let result = conversation.apply(&Plan { edits: vec![fits.clone(), edit] });
        let error = result.map(|after| export(&after)).expect_err(&shown);
        assert!(matches!(error, PlanError::NoSuchPath { .. }), "{shown}: {error}");
    }
}

#[test]
fn inserts_stand_in_their_order_and_drops_do_not_move_them() {
    let conversation = Conversation::parse(r#"[{"role":"user","content":"a"},{"role":"user","content":"b"}]"#).unwrap();
    let insert = |before, text: &str| {
        let message = Message::new(Role::Assistant, Content::Text(text.into()));
        Edit::Insert { before, value: message.into() }
    };
    let edits = vec![insert(2, "end"), insert(1, "x"), Edit::Drop { message: 0 }, insert(1, "y"), insert(0, "start")];
    let after = conversation.apply(&Plan { edits }).unwrap();
    let said: Vec<_> = after.messages().map(|message| message.texts()[0].text.to_string()).collect();
    assert_eq!(said, ["start", "x", "y", "b", "end"]);
    check_plans(&conversation, &after);
}

#[test]
fn of_two_results_with_one_id_the_one_that_stays_stays() {
    let result = |text: &str| format!(r#"{{"type":"tool_result","tool_use_id":"a","content":"{text}"}}"#);
    let json = format!(r#"[{{"role":"user","content":[{},{}]}}]"#, result("one"), result("two"));
    let before = Conversation::parse(&json).unwrap();
    let after = before.apply(&Plan { edits: vec![Edit::DropBlock { message: 0, block: 0 }] }).unwrap();
    let plan = Plan::between(&before, &after);
    assert!(matches!(plan.edits[..], [Edit::DropBlock { message: 0, block: 0 }]), "{:?}", plan.edits);
}
