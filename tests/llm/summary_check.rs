//! Summaries that leave out what must survive: asked for again, completed, counted.

use std::sync::Arc;

use roo_condense::{
    CallOptions, Conversation, Llm, LlmError, LlmHandler, LlmRequest, LlmResponse, Manager, ManagerOptions, Report,
    StopReason, TokenUsage, Trial, Warning, WarningCode, Work,
};
use serde_json::{Value, json};

use crate::common::scripted::{Reply, Scripted, answer};

/// Dollars for one answer of [`Scripted`].
const EACH: f64 = (1000.0 * 3.0 + 100.0 * 15.0) / 1e6;
const CONSTRAINT: &str = "Never push to main without asking.";
const PATH: &str = "/home/u/app/src/due_date.ts";
const GOOD: &str = "The user says: Never push to main without asking. Open: Measure the slow cases; the user asked for the parser of due dates. \
    Changed: /home/u/app/src/due_date.ts with parseDueDate(input, time_zone).";

/// Work that was asked for, planned and begun, and then much that says nothing.
fn history() -> Conversation {
    let call =
        |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
    let answer = |id: &str, text: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] });
    let edit = json!({ "file_path": PATH, "old_string": "a", "new_string": "parseDueDate(input, time_zone)" });
    let plan = json!({ "todos": [{ "content": "Find the parser", "status": "completed" }, { "content": "Measure the slow cases", "status": "pending" }] });
    let mut messages = vec![
        json!({ "role": "user", "content": "Make the parser faster." }),
        json!({ "role": "assistant", "content": "Which one?" }),
        json!({ "role": "user", "content": format!("The parser of due dates. {CONSTRAINT}") }),
        json!({ "role": "assistant", "content": [call("a", "TodoWrite", plan)] }),
        answer("a", "ok"),
        json!({ "role": "assistant", "content": [call("b", "Edit", edit)] }),
        answer("b", "The file has been updated."),
    ];
    for round in 0..10 {
        messages.push(json!({ "role": "assistant", "content": format!("step {round} {}", "word ".repeat(60)) }));
        messages.push(json!({ "role": "user", "content": "ok" }));
    }
    Conversation::parse(&json!(messages).to_string()).unwrap()
}

fn manager(check: &Value) -> Manager {
    let manager = Manager::new(ManagerOptions::read(&json!({ "fallback": false })).unwrap());
    manager.register(roo_condense::create_provider("native", &json!({ "summaryCheck": check })).unwrap());
    manager
}

fn work(handler: &Arc<Scripted>) -> Work {
    let handler: Arc<dyn LlmHandler> = handler.clone();
    let call = CallOptions::read(&Value::Null, &Value::Null).unwrap();
    Work { options: call, llm: Llm { handler: Some(handler), ..Llm::default() }, ..Work::new(history()) }
}

/// Answers in turn; the last one again and again.
fn saying(answers: &'static [&'static str]) -> Arc<Scripted> {
    Arc::new(Scripted::new(move |_, number| Ok(answer(answers[number.min(answers.len() - 1)]))))
}

fn quality(report: &Report) -> Value {
    serde_json::to_value(report).unwrap()["summaryQuality"].clone()
}

fn texts(quality: &Value) -> Vec<&str> {
    quality["missing"].as_array().unwrap().iter().map(|missing| missing["text"].as_str().unwrap()).collect()
}

fn condensed(report: &Report) -> Value {
    let before = history();
    let after = before.apply(report.plan()).unwrap();
    serde_json::to_value(after.messages().collect::<Vec<_>>()).unwrap()
}

/// The summary in a condensed history, without the line above it.
fn summary_in(report: &Report) -> String {
    condensed(report)[1]["content"].as_str().unwrap().split_once("]\n").unwrap().1.to_owned()
}

fn is_near(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() < 1e-9
}

#[tokio::test]
async fn what_is_missing_is_told_also_where_nothing_is_done_about_it() {
    let handler = saying(&["It went well."]);
    let report = manager(&json!(false)).condense(work(&handler)).await;
    let quality = quality(&report);
    assert_eq!((quality["score"].as_f64(), quality["askedAgain"].as_bool()), (Some(0.0), Some(false)));
    let missing = texts(&quality);
    assert!(
        [CONSTRAINT, "Measure the slow cases", PATH, "parseDueDate"].iter().all(|text| missing.contains(text)),
        "{missing:?}"
    );
    assert_eq!((handler.asked().len(), summary_in(&report).as_str()), (1, "It went well."));
    assert!(!report.warnings().iter().any(|warning| warning.code == WarningCode::SummaryIncomplete));
}

#[tokio::test]
async fn a_summary_below_the_mark_is_asked_for_once_more_with_what_is_missing() {
    let handler = saying(&["It went well.", GOOD]);
    let manager = manager(&json!(true));
    let report = manager.condense(work(&handler)).await;
    let asked = handler.asked();
    assert_eq!((asked.len(), report.summary()), (2, GOOD));
    let question = &asked[1].messages[0].text;
    assert!(
        question.contains("It went well.") && question.contains(CONSTRAINT) && question.contains(PATH),
        "{question}"
    );
    assert!(is_near(report.cost(), 2.0 * EACH) && is_near(manager.metrics().total.cost, 2.0 * EACH));
    let quality = quality(&report);
    assert_eq!(
        (quality["score"].as_f64(), quality["askedAgain"].as_bool(), quality["completed"].as_u64()),
        (Some(1.0), Some(true), Some(0))
    );
    assert_eq!(summary_in(&report), GOOD);

    // The same again is known, and costs nothing.
    let again = manager.condense(work(&handler)).await;
    assert_eq!((handler.asked().len(), again.cost(), condensed(&again)), (2, 0.0, condensed(&report)));
}

#[tokio::test]
async fn a_good_summary_is_left_alone() {
    let handler = saying(&[GOOD]);
    let report = manager(&json!(true)).condense(work(&handler)).await;
    assert_eq!((handler.asked().len(), report.summary(), quality(&report)["score"].as_f64()), (1, GOOD, Some(1.0)));
}

#[tokio::test]
async fn what_is_missing_after_that_is_put_behind_it() {
    let handler = saying(&["It went well.", "It went very well."]);
    let report = manager(&json!(true)).condense(work(&handler)).await;
    let content = summary_in(&report);
    let (summary, words) = content.split_once("\n\n").unwrap();
    assert_eq!((summary, report.summary()), ("It went well.", "It went well."), "of two that are as bad the first");
    for line in ["[Word for word", CONSTRAINT, "- Measure the slow cases", PATH, "- parseDueDate"] {
        assert!(words.contains(line), "{line}: {words}");
    }
    let quality = quality(&report);
    assert_eq!((quality["score"].as_f64(), quality["writtenScore"].as_f64()), (Some(1.0), Some(0.0)));
    assert_eq!((texts(&quality).len(), quality["completed"].as_u64()), (0, Some(6)));
    assert!(report.final_tokens() < report.original_tokens());
}

#[tokio::test]
async fn each_step_can_be_left_out() {
    let handler = saying(&["It went well."]);
    let report = manager(&json!({ "askAgain": false })).condense(work(&handler)).await;
    assert_eq!((handler.asked().len(), quality(&report)["completed"].as_u64()), (1, Some(6)));
    let report = manager(&json!({ "complete": false })).condense(work(&handler)).await;
    assert_eq!((handler.asked().len(), summary_in(&report).as_str()), (3, "It went well."));
    let told = |warning: &&Warning| warning.code == WarningCode::SummaryIncomplete;
    assert_eq!(report.warnings().iter().filter(told).count(), 1);
    let report = manager(&json!({ "minScore": 0 })).condense(work(&handler)).await;
    assert_eq!((handler.asked().len(), quality(&report)["score"].as_f64()), (4, Some(0.0)));
}

#[tokio::test]
async fn the_model_may_say_that_it_is_told_in_other_words() {
    // The constraint and both tasks are cleared, so half of the kinds are told: files and names are not.
    let handler = saying(&["Pushing needs leave; timing is still to be done.", "1, 2, 3", "worse"]);
    let report = manager(&json!({ "askModel": true, "complete": false })).condense(work(&handler)).await;
    let asked = handler.asked();
    assert!(asked[1].messages[0].text.contains(&format!("1. {CONSTRAINT}")), "{}", asked[1].messages[0].text);
    assert!(!asked[2].messages[0].text.contains(CONSTRAINT) && asked[2].messages[0].text.contains(PATH));
    let quality = quality(&report);
    assert_eq!((asked.len(), quality["score"].as_f64()), (3, Some(0.5)));
    assert!(is_near(report.cost(), 3.0 * EACH));
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_again_costs_no_summary() {
    let fails: Reply = Box::new(|_, number| match number {
        0 => Ok(answer("It went well.")),
        _ => Err(LlmError::callback("m", "gone", None, TokenUsage { input_tokens: 1000, ..TokenUsage::default() })),
    });
    let handler = Arc::new(Scripted { reply: fails, ..Scripted::saying("") });
    let report = manager(&json!(true)).condense(work(&handler)).await;
    assert_eq!((report.error_code(), report.summary()), (None, "It went well."));
    let failed = report.warnings().iter().find(|warning| warning.code == WarningCode::SummaryFailed).unwrap();
    assert_eq!(failed.error_code.as_deref(), Some("llm_callback_failed"));
    assert!(is_near(report.cost(), EACH + 0.003) && quality(&report)["completed"] == 6);

    // A limit that holds for one answer only is kept.
    let usage = TokenUsage { input_tokens: 1000, output_tokens: 800, ..TokenUsage::default() };
    let long = move |_: &LlmRequest, _| Ok(LlmResponse::new("It went well.", Some(usage), StopReason::EndTurn));
    let handler = Arc::new(Scripted::new(long));
    let mut limited = work(&handler);
    limited.options.max_cost_per_condensation = Some(0.018);
    let report = manager(&json!(true)).condense(limited).await;
    assert_eq!((handler.asked().len(), report.error_code(), report.summary()), (1, None, "It went well."));
    assert!(report.warnings().iter().any(|warning| warning.error_code.as_deref() == Some("cost_limit")));
}

#[tokio::test]
async fn a_preview_asks_nobody_and_says_what_may_come() {
    let handler = saying(&["It went well."]);
    let report = manager(&json!(true)).preview(work(&handler), Trial::Preview).await;
    let plain = manager(&json!(false)).preview(work(&handler), Trial::Preview).await;
    assert_eq!((handler.asked().len(), quality(&report)), (0, Value::Null));
    let told = report.warnings().iter().find(|warning| warning.code == WarningCode::SummaryIncomplete).unwrap();
    assert!(told.message.contains("for at most $0."), "{}", told.message);
    assert!(report.final_tokens() > plain.final_tokens(), "what is put behind it has room");
    assert!(is_near(report.cost(), plain.cost()));
}

#[tokio::test]
async fn batches_of_the_smart_provider_are_checked_too() {
    let handler = saying(&["It went well.", GOOD]);
    let pass = json!({
        "id": "all", "mode": "batch", "selection": { "type": "preserve_recent", "keepRecentCount": 2 },
        "batchConfig": { "operation": "summarize", "summarizationConfig": { "summaryCheck": true } },
    });
    let manager = Manager::new(ManagerOptions::read(&json!({ "fallback": false, "provider": "smart" })).unwrap());
    let mut work = work(&handler);
    work.options.config = json!({ "losslessPrelude": { "enabled": false }, "passes": [pass] });
    let report = manager.condense(work).await;
    assert_eq!((report.error_code(), handler.asked().len(), report.summary()), (None, 2, GOOD));
    assert_eq!(quality(&report)["askedAgain"], true);
}
