//! Condensing ahead of need: what was prepared is applied at once, paid once, and of no use for another conversation.

use std::{sync::Arc, time::Duration};

use roo_condense::{
    CallOptions, Conversation, Llm, LlmError, LlmHandler, Manager, ManagerOptions, Preparation, Report, TokenUsage,
    WarningCode, Work,
};
use serde_json::{Value, json};

use crate::common::scripted::{Scripted, answer};

/// Dollars for one answer of [`Scripted`].
const EACH: f64 = (1000.0 * 3.0 + 100.0 * 15.0) / 1e6;
/// Tokens at which one is due, as [`work`] has the window.
const DUE: f64 = 80_000.0;

fn messages(count: usize) -> Vec<Value> {
    let message = |index: usize| {
        let role = if index.is_multiple_of(2) { "user" } else { "assistant" };
        json!({ "role": role, "content": format!("message {index} {}", "word ".repeat(100)) })
    };
    (0..count).map(message).collect()
}

fn conversation(messages: &[Value]) -> Conversation {
    Conversation::parse(&json!(messages).to_string()).unwrap()
}

fn manager() -> Manager {
    Manager::new(
        ManagerOptions::read(&json!({ "autoCondenseContextPercent": 80, "fallback": false, "provider": "native" }))
            .unwrap(),
    )
}

/// A call for the first `count` messages, which the API has counted as `tokens`.
fn work(handler: &Arc<Scripted>, count: usize, tokens: f64) -> Work {
    let context = json!({ "totalTokens": tokens, "contextWindow": 100_000, "taskId": "t" });
    let handler: Arc<dyn LlmHandler> = handler.clone();
    Work {
        options: CallOptions::read(&context, &Value::Null).unwrap(),
        llm: Llm { handler: Some(handler), ..Llm::default() },
        ..Work::new(conversation(&messages(count)))
    }
}

fn told(report: &Report) -> (bool, &'static str) {
    report.preparation().map(|Preparation { prepared, reason, .. }| (*prepared, *reason)).unwrap()
}

fn applied(report: &Report) -> Value {
    serde_json::to_value(report).unwrap()["appliedPreparation"].clone()
}

fn after(report: &Report, before: &[Value]) -> Vec<Value> {
    let after = conversation(before).apply(report.plan()).unwrap();
    serde_json::from_value(serde_json::to_value(after.messages().collect::<Vec<_>>()).unwrap()).unwrap()
}

#[tokio::test]
async fn what_was_prepared_is_applied_at_once_and_paid_once() {
    let handler = Arc::new(Scripted::saying("In short."));
    let manager = manager();
    let report = manager.prepare(work(&handler, 41, 70_000.0)).await;
    assert_eq!((told(&report), report.did_condense(), report.plan().is_empty()), ((true, "done"), false, true));
    assert!((report.cost() - EACH).abs() < 1e-12 && report.preparation().unwrap().tokens_saved > 40_000.0);
    let metrics = manager.metrics();
    assert_eq!((metrics.total.calls, metrics.providers.len()), (0, 0), "it is no condensation yet");

    let due = manager.condense_if_needed(work(&handler, 45, DUE)).await;
    assert_eq!((handler.asked().len(), due.error_code(), due.provider(), due.cost()), (1, None, "native", 0.0));
    assert_eq!(applied(&due)["messages"], 41);
    assert!((applied(&due)["cost"].as_f64().unwrap() - EACH).abs() < 1e-12);
    let (before, left) = (messages(45), after(&due, &messages(45)));
    let told = left[1]["content"].as_str().unwrap().split_once("]\n").unwrap().1;
    assert_eq!((told, due.summary()), ("In short.", "In short."));
    assert_eq!(left[left.len() - 4..], before[41..], "what came since stands behind it");
    assert!((manager.metrics().total.cost - EACH).abs() < 1e-12);
    assert_eq!(manager.metrics().total.calls, 1);

    // It was used up.
    let again = manager.condense_if_needed(work(&handler, 45, DUE)).await;
    assert_eq!((applied(&again), again.did_condense()), (Value::Null, true));
}

#[tokio::test]
async fn only_what_is_new_is_condensed_where_that_is_not_enough() {
    let handler =
        Arc::new(Scripted::new(|_, number| Ok(answer(if number == 0 { "The first part." } else { "All of it." }))));
    let manager = manager();
    manager.prepare(work(&handler, 41, 70_000.0)).await;
    // Five times as long as what was prepared.
    let due = manager.condense_if_needed(work(&handler, 201, 350_000.0)).await;
    let asked = handler.asked();
    assert_eq!((asked.len(), due.summary(), due.error_code()), (2, "All of it.", None));
    let question: String = asked[1].messages.iter().map(|message| message.text.as_str()).collect();
    assert!(
        question.contains("The first part.") && question.contains("message 60 ") && !question.contains("message 20 ")
    );
    assert!((due.cost() - EACH).abs() < 1e-12, "{}", due.cost());
    assert_eq!(
        after(&due, &messages(201))[1]["content"].as_str().map(|text| text.contains("]\nAll of it.")),
        Some(true)
    );
}

#[tokio::test]
async fn another_conversation_is_condensed_as_ever_and_told_why() {
    let handler = Arc::new(Scripted::saying("In short."));
    let manager = manager();
    manager.prepare(work(&handler, 41, 70_000.0)).await;
    let mut edited = messages(45);
    edited[7]["content"] = json!(format!("edited {}", "word ".repeat(100)));
    let due = manager.condense_if_needed(Work { conversation: conversation(&edited), ..work(&handler, 45, DUE) }).await;
    assert_eq!((handler.asked().len(), due.did_condense(), applied(&due)), (2, true, Value::Null));
    assert!(due.warnings().iter().any(|warning| warning.code == WarningCode::PreparationStale));

    // Fields beside what is said make no difference, other options do.
    manager.prepare(work(&handler, 41, 70_000.0)).await;
    let mut marked = messages(45);
    marked[3]["ts"] = json!(5);
    let other = work(&handler, 45, DUE);
    let call = CallOptions { config: json!({ "maxMessagesToKeep": 5 }), ..other.options.clone() };
    let due = manager.condense_if_needed(Work { options: call, ..other }).await;
    assert_eq!(applied(&due), Value::Null);
    let due = manager.condense_if_needed(Work { conversation: conversation(&marked), ..work(&handler, 45, DUE) }).await;
    assert_eq!(applied(&due)["messages"], 41);
}

#[tokio::test]
async fn once_at_a_time_and_who_comes_meanwhile_waits() {
    let handler = Arc::new(Scripted { delay: Duration::from_millis(60), ..Scripted::saying("In short.") });
    let manager = Arc::new(manager());
    let (first, second, due) = tokio::join!(
        manager.prepare(work(&handler, 41, 70_000.0)),
        manager.prepare(work(&handler, 41, 70_000.0)),
        async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            manager.condense_if_needed(work(&handler, 45, DUE)).await
        }
    );
    assert_eq!((told(&first), told(&second)), ((true, "done"), (true, "joined")));
    assert_eq!((handler.asked().len(), first.cost() > 0.0, second.cost()), (1, true, 0.0));
    assert_eq!((applied(&due)["messages"].as_u64(), due.cost()), (Some(41), 0.0));
}

#[tokio::test]
async fn who_waited_for_work_that_was_aborted_does_it_and_one_failure_is_told_to_all() {
    let handler = Arc::new(Scripted { delay: Duration::from_millis(60), ..Scripted::saying("In short.") });
    let manager = Arc::new(manager());
    let aborted = work(&handler, 41, 70_000.0);
    let cancel = aborted.cancel.clone();
    let (first, second, third, ()) = tokio::join!(
        manager.prepare(aborted),
        manager.prepare(work(&handler, 41, 70_000.0)),
        manager.prepare(work(&handler, 41, 70_000.0)),
        async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            cancel.cancel();
        }
    );
    assert_eq!((first.error_code(), told(&first)), (Some("aborted"), (false, "failed")));
    let others = [told(&second), told(&third)];
    assert!(others.contains(&(true, "done")) && others.contains(&(true, "joined")), "{others:?}");

    let fails = |_: &_, _| Err(LlmError::callback("m", "no", None, TokenUsage::default()));
    let failing = Arc::new(Scripted { delay: Duration::from_millis(60), ..Scripted::new(fails) });
    let manager = self::manager();
    let (first, second) =
        tokio::join!(manager.prepare(work(&failing, 41, 70_000.0)), manager.prepare(work(&failing, 41, 70_000.0)));
    assert_eq!((told(&first), told(&second), failing.asked().len()), ((false, "failed"), (false, "failed"), 1));
    assert_eq!((first.error_code(), second.error_code()), (Some("llm_callback_failed"), Some("llm_callback_failed")));
}

#[tokio::test]
async fn what_is_prepared_for_another_conversation_or_request_is_no_answer() {
    let handler = Arc::new(Scripted { delay: Duration::from_millis(200), ..Scripted::saying("In short.") });
    let manager = Arc::new(manager());
    let rewound = work(&handler, 21, DUE);
    let other = work(&handler, 41, 70_000.0);
    let other = Work {
        options: CallOptions { custom_condensing_prompt: Some("Briefly.".to_owned()), ..other.options.clone() },
        ..other
    };
    let (first, due, second) = tokio::join!(
        manager.prepare(work(&handler, 41, 70_000.0)),
        async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            manager.condense_if_needed(rewound).await
        },
        manager.prepare(other)
    );
    assert_eq!((told(&first), applied(&due), due.did_condense()), ((true, "done"), Value::Null, true));
    assert_eq!((told(&second), handler.asked().len()), ((true, "done"), 3), "each asked its own question");
    let due = manager.condense_if_needed(work(&handler, 45, DUE)).await;
    assert_eq!(applied(&due), Value::Null, "the newest was prepared for another prompt");
}

#[tokio::test]
async fn what_was_prepared_before_will_do_or_is_what_the_next_begins_with() {
    let handler = Arc::new(Scripted::saying("In short."));
    let manager = manager();
    assert_eq!(told(&manager.prepare(work(&handler, 41, 60_000.0)).await), (false, "early"));
    manager.prepare(work(&handler, 41, 70_000.0)).await;
    assert_eq!(told(&manager.prepare(work(&handler, 43, 73_000.0)).await), (true, "reused"));
    assert_eq!(handler.asked().len(), 1);
    // So much has come that what was prepared would not be enough any more.
    let more = manager.prepare(work(&handler, 121, 180_000.0)).await;
    assert_eq!((told(&more), handler.asked().len(), more.preparation().unwrap().messages), ((true, "done"), 2, 121));
    let question: String = handler.asked()[1].messages.iter().map(|message| message.text.clone()).collect();
    assert!(question.contains("In short.") && !question.contains("message 20 "));
    let due = manager.condense_if_needed(work(&handler, 123, 182_000.0)).await;
    assert_eq!((applied(&due)["messages"].as_u64(), handler.asked().len()), (Some(121), 2));
    assert!((applied(&due)["cost"].as_f64().unwrap() - 2.0 * EACH).abs() < 1e-12);
}

#[tokio::test]
async fn aborted_or_failed_leaves_nothing_and_failing_again_and_again_is_given_up() {
    let handler = Arc::new(Scripted { delay: Duration::from_millis(200), ..Scripted::saying("In short.") });
    let manager = manager();
    let aborted = work(&handler, 41, 70_000.0);
    let cancel = aborted.cancel.clone();
    let (report, ()) = tokio::join!(manager.prepare(aborted), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cancel.cancel();
    });
    assert_eq!((report.error_code(), told(&report)), (Some("aborted"), (false, "failed")));

    let fails =
        |_: &_, _| Err(LlmError::callback("m", "no", None, TokenUsage { input_tokens: 1000, ..TokenUsage::default() }));
    let failing = Arc::new(Scripted::new(fails));
    for attempt in 0..4 {
        let report = manager.prepare(work(&failing, 41, 70_000.0)).await;
        let code = if attempt < 3 { "llm_callback_failed" } else { "condense_loop" };
        assert_eq!((report.error_code(), told(&report)), (Some(code), (false, "failed")), "{attempt}");
    }
    assert_eq!(failing.asked().len(), 3);
    assert!((manager.metrics().total.cost - 0.009).abs() < 1e-12, "what failing cost is counted");
}

#[tokio::test]
async fn of_many_tasks_the_newest_are_kept() {
    let handler = Arc::new(Scripted::saying("In short."));
    let manager = manager();
    let of = |task: usize, count, tokens| {
        let work = work(&handler, count, tokens);
        Work { options: CallOptions { task_id: task.to_string(), ..work.options.clone() }, ..work }
    };
    for task in 0..12 {
        manager.prepare(of(task, 41, 70_000.0)).await;
    }
    let mut found = Vec::new();
    for task in 0..12 {
        found.push(applied(&manager.condense_if_needed(of(task, 45, DUE)).await).is_object());
    }
    assert_eq!(found, [[false; 4].as_slice(), &[true; 8]].concat());
}

#[tokio::test]
async fn providers_without_a_model_prepare_too_and_what_they_leave_fits_when_it_is_due() {
    let handler = Arc::new(Scripted::saying("In short."));
    let manager = Manager::new(
        ManagerOptions::read(&json!({ "autoCondenseContextPercent": 80, "provider": "truncation" })).unwrap(),
    );
    let mut long = messages(3);
    for round in 0..30 {
        let id = format!("t{round}");
        let lines: String =
            (0..80).map(|line| format!("row {line} of result {round} says {}\n", line * round)).collect();
        long.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "read_file", "input": { "path": format!("f{round}.ts") } }] }));
        long.push(
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": lines }] }),
        );
    }
    let with = |count: usize, tokens| Work { conversation: conversation(&long[..count]), ..work(&handler, 1, tokens) };
    assert_eq!(told(&manager.prepare(with(53, 70_000.0)).await), (true, "done"));
    let due = manager.condense_if_needed(with(61, DUE)).await;
    assert_eq!((handler.asked().len(), due.error_code(), applied(&due)["messages"].as_u64()), (0, None, Some(53)));
    let json = serde_json::to_value(&due).unwrap();
    assert!(json["newContextTokens"].as_f64().unwrap() <= 0.9 * DUE, "{}", json["newContextTokens"]);
    let before = conversation(&long[..61]);
    let left = before.apply(due.plan()).unwrap();
    assert!(left.problems_since(&before).is_empty());
    let back = left.apply(&roo_condense::Plan::inverse(&before, &left)).unwrap();
    assert_eq!(serde_json::to_value(back.messages().collect::<Vec<_>>()).unwrap(), json!(long[..61]));
}
