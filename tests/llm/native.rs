//! The native provider through the manager: scripted handlers, and the HTTP handler against a fake service.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::common::scripted::{Reply, Scripted, answer};
use crate::http::fake_server::{FakeServer, Script, fixture};
use async_trait::async_trait;
use roo_condense::{
    Api, ApiKey, CallOptions, Cancel, Conversation, Encoding, HostCall, HttpConfig, HttpHandler, Llm, LlmError,
    LlmHandler, LlmRequest, LlmResponse, LlmRole, Manager, ManagerOptions, Progress, ProgressSink, Report, StopReason,
    StoreError, SummaryStore, TokenUsage, Trial, Warning, WarningCode, Work, count_tokens as count,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn manager(options: &Value) -> Manager {
    Manager::new(ManagerOptions::read(options).unwrap())
}

fn work(conversation: &Conversation, handler: Arc<dyn LlmHandler>) -> Work {
    Work {
        conversation: conversation.clone(),
        options: CallOptions::read(&Value::Null, &Value::Null).unwrap(),
        host_call: HostCall::default(),
        in_force: None,
        llm: Llm { handler: Some(handler), ..Llm::default() },
        cancel: Cancel::new(),
        progress: Progress::default(),
    }
}

/// Words of user and assistant in turn.
fn talk(messages: usize, words: usize) -> Conversation {
    let messages: Vec<Value> = (0..messages)
        .map(|index| {
            let role = if index % 2 == 0 { "user" } else { "assistant" };
            json!({ "role": role, "content": format!("message {index} {}", "word ".repeat(words)), "ts": index })
        })
        .collect();
    Conversation::parse(&Value::from(messages).to_string()).unwrap()
}

fn applied(conversation: &Conversation, report: &Report) -> Value {
    let after = conversation.apply(report.plan()).unwrap();
    serde_json::from_str(&after.export(&after).unwrap()).unwrap()
}

#[tokio::test]
async fn first_summary_and_the_newest() {
    let conversation = talk(9, 50);
    let handler = Arc::new(Scripted::saying("  What happened.\n"));
    let report = manager(&json!({})).condense(work(&conversation, handler.clone())).await;
    assert_eq!((report.error_code(), report.provider(), report.summary()), (None, "native", "What happened."));
    let after = applied(&conversation, &report);
    assert_eq!(after.as_array().unwrap().len(), 5);
    assert_eq!(after[1], json!({ "role": "assistant", "content": "[Summary of 5 messages]\nWhat happened.", "ts": 6 }));
    assert!((report.cost() - (1000.0 * 3.0 + 100.0 * 15.0) / 1e6).abs() < 1e-12);
    let asked = handler.asked();
    let roles: Vec<LlmRole> = asked[0].messages.iter().map(|message| message.role).collect();
    assert_eq!(roles.first(), Some(&LlmRole::User));
    assert!(roles.windows(2).all(|pair| pair[0] != pair[1]) && roles.last() == Some(&LlmRole::User), "{roles:?}");
    assert!(asked[0].messages.iter().any(|message| message.text.contains("]]\nmessage 5 ")));
    assert!(!asked[0].messages.iter().any(|message| message.text.contains("message 6 ")));
}

#[tokio::test]
async fn over_http_with_a_real_exchange() {
    for (api, name) in [(Api::Anthropic, "anthropic.sse"), (Api::OpenAi, "openai.sse")] {
        let server = FakeServer::start([Script::events(fixture(name))]).await;
        let mut config = HttpConfig::new(api, "m");
        config.base_url = Some(server.url());
        config.api_key = Some(ApiKey::new("sk-0123456789"));
        let report = manager(&json!({ "fallback": false }))
            .condense(work(&talk(41, 100), Arc::new(HttpHandler::new(config).unwrap())))
            .await;
        assert_eq!(report.error_code(), None);
        assert!(report.summary().len() > 40, "{}", report.summary());
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn failures_leave_everything_and_tell_the_cost() {
    fn spent() -> TokenUsage {
        TokenUsage { input_tokens: 2000, ..TokenUsage::default() }
    }
    let cases: [(&str, f64, Reply); 5] = [
        ("llm_callback_failed", 0.006, Box::new(|_, _| Err(LlmError::callback("m", "no", None, spent())))),
        ("summary_empty", 0.0045, Box::new(|_, _| Ok(answer(" \n")))),
        (
            "summary_refused",
            0.0,
            Box::new(|_, _| Ok(LlmResponse::new("I cannot.", Some(TokenUsage::default()), StopReason::Refusal))),
        ),
        ("context_grew", 0.0045, Box::new(|_, _| Ok(answer(&"many words ".repeat(5000))))),
        ("internal_error", 0.0, Box::new(|_, _| panic!("a handler of somebody else"))),
    ];
    for (code, cost, reply) in cases {
        let handler = Arc::new(Scripted { reply, ..Scripted::saying("") });
        let conversation = talk(11, 50);
        let alone = manager(&json!({ "fallback": false }));
        let report = alone.condense(work(&conversation, handler.clone())).await;
        assert_eq!(report.error_code(), Some(code));
        assert!(report.plan().is_empty());
        assert!((report.cost() - cost).abs() < 1e-9, "{code}: {}", report.cost());
        assert_eq!(alone.metrics().providers["native"].errors, 1);
        let helped = manager(&json!({ "fallback": ["truncation"] }));
        let mut work = work(&conversation, handler);
        work.options.target_tokens = Some(300);
        let report = helped.condense(work).await;
        assert_eq!((report.error_code(), report.provider()), (None, "truncation"));
        assert!((report.cost() - cost).abs() < 1e-9);
    }
}

#[tokio::test]
async fn no_request_is_over_the_window_whatever_the_history() {
    for (window, messages, words) in [(2000_u64, 60, 80), (4000, 200, 40), (3000, 12, 3000), (20_000, 400, 300)] {
        let limit = usize::try_from(window).unwrap();
        let mut handler = Scripted::new(|request, _| {
            let merges = request.messages.iter().any(|message| message.text.contains("[[summary of part"));
            Ok(answer(if merges { "Merged." } else { "A part of it." }))
        });
        handler.window = Some(window);
        handler.delay = Duration::from_millis(2);
        let handler = Arc::new(handler);
        let report =
            manager(&json!({ "fallback": false })).condense(work(&talk(messages, words), handler.clone())).await;
        assert_eq!((report.error_code(), report.summary()), (None, "Merged."), "{window}");
        let asked = handler.asked();
        assert!(asked.len() > 2);
        for request in &asked {
            let texts: usize =
                request.messages.iter().map(|message| count(&message.text, Encoding::default()).tokens + 4).sum();
            let tokens = texts + count(&request.system, Encoding::default()).tokens;
            let answer = request.max_tokens.map_or(8192, |tokens| tokens as usize);
            assert!(tokens + answer <= limit, "{tokens} + {answer} > {limit}");
        }
        assert!((2..=3).contains(&handler.most.load(Ordering::SeqCst)), "parts are asked for at once, but not all");
        // Every message is told to the model.
        if words < 1000 {
            let told: String =
                asked.iter().flat_map(|request| &request.messages).map(|message| message.text.as_str()).collect();
            for index in 0..messages - 4 {
                assert!(told.contains(&format!("message {index} ")), "{index}");
            }
        }
    }
}

#[tokio::test]
async fn a_window_that_is_too_small_is_an_error_and_nothing_is_sent() {
    let handler = Arc::new(Scripted { window: Some(500), ..Scripted::saying("x") });
    let report = manager(&json!({ "fallback": false })).condense(work(&talk(20, 50), handler.clone())).await;
    assert_eq!((report.error_code(), handler.asked().len()), (Some("context_window_too_small"), 0));
}

#[tokio::test]
async fn one_failed_part_stops_the_others() {
    let mut handler = Scripted::new(|_, number| {
        if number == 1 {
            Err(LlmError::callback("m", "no credit", None, TokenUsage::default()))
        } else {
            Ok(answer("Part."))
        }
    });
    handler.window = Some(2000);
    handler.delay = Duration::from_millis(5);
    let handler = Arc::new(handler);
    let report = manager(&json!({ "fallback": false })).condense(work(&talk(300, 80), handler.clone())).await;
    assert_eq!(report.error_code(), Some("llm_callback_failed"));
    assert!(handler.asked().len() < 8, "{} of some thirty", handler.asked().len());
    assert_eq!(handler.under_way.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn abort_ends_it_even_if_the_handler_does_not_listen() {
    struct Deaf;
    #[async_trait]
    impl LlmHandler for Deaf {
        async fn complete(
            &self,
            _: LlmRequest,
            _: &CancellationToken,
            _: Option<&dyn ProgressSink>,
        ) -> Result<LlmResponse, LlmError> {
            std::future::pending().await
        }
        fn model(&self) -> &'static str {
            "deaf"
        }
    }
    let work = work(&talk(9, 50), Arc::new(Deaf));
    let cancel = work.cancel.clone();
    let aborted = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cancel.cancel();
        Instant::now()
    });
    let report = manager(&json!({})).condense(work).await;
    assert_eq!(report.error_code(), Some("aborted"));
    // Wide, because tests run side by side; the wait itself is 25 ms.
    assert!(aborted.await.unwrap().elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn requests_at_once_keep_the_budget_together() {
    let mut handler = Scripted::saying("Short.");
    handler.delay = Duration::from_millis(20);
    let handler = Arc::new(handler);
    // One costs some 0.009 by estimate (input of 350 tokens, an answer of 508).
    let manager = Arc::new(manager(&json!({ "fallback": false, "maxCost": 0.03, "cache": false })));
    let conversation = talk(9, 50);
    let calls = (0..12).map(|_| {
        let (manager, work) = (Arc::clone(&manager), work(&conversation, handler.clone()));
        tokio::spawn(async move { manager.condense(work).await })
    });
    let mut refused = 0;
    let mut cost = 0.0;
    for call in calls.collect::<Vec<_>>() {
        let report = call.await.unwrap();
        cost += report.cost();
        refused += usize::from(report.error_code() == Some("cost_limit"));
    }
    assert_eq!(refused + handler.asked().len(), 12);
    assert!((1..=4).contains(&handler.asked().len()), "{}", handler.asked().len());
    assert!(cost <= 0.03);
}

#[tokio::test]
async fn a_preview_sends_nothing() {
    let handler = Arc::new(Scripted::saying("x"));
    let manager = manager(&json!({}));
    let report = manager.preview(work(&talk(40, 200), handler.clone()), Trial::Preview).await;
    assert_eq!((report.error_code(), handler.asked().len()), (None, 0));
    assert!(report.cost() > 0.0 && report.final_tokens() < report.original_tokens());
    assert_eq!(manager.metrics().total.calls, 0);
}

#[tokio::test]
async fn an_answer_that_broke_off_is_told_whoever_set_the_limit() {
    // In a small window the provider itself allows a shorter answer than the handler would.
    for window in [None, Some(6000)] {
        let broke_off = |_: &LlmRequest, _| {
            let usage = TokenUsage { input_tokens: 1000, output_tokens: 100, ..TokenUsage::default() };
            Ok(LlmResponse::new("The beginning", Some(usage), StopReason::MaxTokens))
        };
        let handler = Arc::new(Scripted { window, ..Scripted::new(broke_off) });
        let report = manager(&json!({})).condense(work(&talk(9, 50), handler.clone())).await;
        assert_eq!(handler.asked()[0].max_tokens.is_some(), window.is_some());
        let told = |warning: &&Warning| warning.code == WarningCode::SummaryTruncated;
        assert_eq!(report.warnings().iter().filter(told).count(), 1, "{window:?}: {:?}", report.warnings());
    }
}

#[tokio::test]
async fn a_store_that_never_answers_is_given_up() {
    struct Silent;
    #[async_trait]
    impl SummaryStore for Silent {
        async fn get(&self, _: &str) -> Result<Option<String>, StoreError> {
            std::future::pending().await
        }
        async fn set(&self, _: &str, _: &str) -> Result<(), StoreError> {
            Err(StoreError { message: "read-only".to_owned() })
        }
    }
    let options = ManagerOptions::read(&json!({})).unwrap();
    let manager = Manager::with_store(options, Some(Arc::new(Silent)));
    let report = manager.condense(work(&talk(9, 50), Arc::new(Scripted::saying("S.")))).await;
    assert_eq!((report.error_code(), report.summary()), (None, "S."));
    let told = |warning: &&Warning| warning.code == WarningCode::CacheFailed;
    assert_eq!(report.warnings().iter().filter(told).count(), 1, "it is not asked to keep anything either");
}

/// The text that a preview has in place of an answer. A history may contain it, too, for example if another tool kept
/// a preview.
const SAID: &str = "(what a model would write here) … … …";

#[tokio::test]
async fn a_history_that_says_what_a_preview_says_is_previewed_as_any_other() {
    let mut messages: Vec<Value> = serde_json::from_str(&serde_json::to_string(&talk(40, 200)).unwrap()).unwrap();
    for message in &mut messages {
        message["content"] = json!(format!("{SAID}\n{}", message["content"].as_str().unwrap()));
    }
    let conversation = Conversation::parse(&Value::from(messages.clone()).to_string()).unwrap();
    let handler = Arc::new(Scripted::saying("S."));
    let report = manager(&json!({})).preview(work(&conversation, handler.clone()), Trial::Preview).await;
    assert_eq!((handler.asked().len(), report.error_code()), (0, None));
    let after = applied(&conversation, &report);
    let after = after.as_array().unwrap();
    let [first, summary, kept @ ..] = &after[..] else { panic!("{after:?}") };
    assert_eq!((first, kept), (&messages[0], &messages[40 - kept.len()..]), "what the history says stays as it is");
    let content = summary["content"].as_str().unwrap();
    let told = content.split_once("]\n").unwrap().1;
    assert!(told.starts_with(report.summary()), "the record of work stands behind it");
    let expected: f64 =
        report.summary().split_once(", about ").and_then(|(_, rest)| rest.split_once(' ')).unwrap().0.parse().unwrap();
    assert!((500.0..2000.0).contains(&expected), "{}", report.summary());
    let preview = &serde_json::to_value(&report).unwrap()["preview"];
    assert_eq!(preview["exact"], false);
    let confidence = 1.0 - expected / report.tokens_saved() as f64;
    assert!((preview["confidence"].as_f64().unwrap() - confidence).abs() < 1e-9, "{preview}");
    let exact: Vec<(bool, bool)> = preview["samples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sample| (sample["added"].as_bool().unwrap(), sample["exact"].as_bool().unwrap()))
        .collect();
    assert_eq!(exact, [(true, false), (false, true), (false, true), (false, true), (false, true)]);
}

#[tokio::test]
async fn what_was_cut_is_exact_whatever_it_says() {
    let lines = (0..60).map(|line| format!("{line} {SAID}")).collect::<Vec<_>>().join("\n");
    let mut messages = vec![json!({ "role": "user", "content": "Read." })];
    for round in 0..8 {
        let id = format!("t{round}");
        messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "read_file", "input": {} }] }));
        messages.push(
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": lines }] }),
        );
    }
    let conversation = Conversation::parse(&Value::from(messages).to_string()).unwrap();
    let manager = manager(&json!({ "provider": "truncation" }));
    let handler: Arc<dyn LlmHandler> = Arc::new(Scripted::saying("S."));
    let preview = manager.preview(work(&conversation, Arc::clone(&handler)), Trial::Preview).await;
    let done = manager.condense(work(&conversation, handler)).await;
    assert!(!done.plan().is_empty());
    assert_eq!(conversation.export(preview.plan()).unwrap(), conversation.export(done.plan()).unwrap());
    let json = serde_json::to_value(&preview).unwrap();
    assert_eq!((&json["preview"]["exact"], &json["preview"]["confidence"]), (&json!(true), &json!(1.0)));
}
