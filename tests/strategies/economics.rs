//! Deciding by money: what pays is done, what does not is left, and the window comes first.

use roo_condense::{CallOptions, Conversation, Manager, ManagerOptions, MoneyDecision, Report, Work};
use serde_json::{Value, json};

use crate::common::checks::export;

const WINDOW: usize = 200_000;

/// An agent that reads a new file in each of `rounds`, the newest not yet answered. About 2,300 tokens a round.
fn history(rounds: usize) -> Vec<Value> {
    let mut messages = vec![json!({ "role": "user", "content": "Make the tests pass." })];
    for round in 0..rounds {
        let file: String = (0..150)
            .map(|line| format!("export const value{round}_{line} = compute({line}, \"of file {round}\");\n"))
            .collect();
        let id = format!("t{round}");
        messages.push(json!({ "role": "assistant", "content": [
            { "type": "text", "text": format!("Step {round}.") },
            { "type": "tool_use", "id": id, "name": "read_file", "input": { "path": format!("src/values{round}.ts") } },
        ] }));
        messages.push(
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": file }] }),
        );
    }
    messages
}

fn manager(options: Value) -> Manager {
    Manager::new(ManagerOptions::read(&options).unwrap())
}

/// Creates the input of the trigger: all messages but the last have `tokens` tokens.
fn work(messages: &[Value], tokens: usize, options: Value) -> Work {
    let context = json!({ "totalTokens": tokens, "contextWindow": WINDOW, "taskId": "t" });
    Work {
        options: CallOptions::read(&context, &options).unwrap(),
        ..Work::new(Conversation::parse(&json!(messages).to_string()).unwrap())
    }
}

/// Claude Sonnet's prices.
fn priced(economics: Value) -> Value {
    let price = json!({ "inputPrice": 3, "outputPrice": 15, "cacheWritesPrice": 3.75, "cacheReadsPrice": 0.3 });
    json!({ "price": price, "economics": economics })
}

fn told(report: &Report) -> MoneyDecision {
    assert_eq!(report.error_code(), None);
    report.decision().unwrap().clone()
}

async fn decided(messages: &[Value], tokens: usize, economics: Value) -> MoneyDecision {
    told(&manager(json!({})).decide(work(messages, tokens, priced(economics))).await)
}

#[tokio::test]
async fn a_cold_cache_has_to_be_written_anyway_so_less_pays_at_once() {
    let messages = history(30);
    let cold = decided(&messages, 70_000, json!({ "expectedRequests": 1, "msSinceLastRequest": 300_000 })).await;
    assert_eq!((cold.condense, cold.code, cold.provider.as_deref()), (true, "pays", Some("truncation")));
    assert_eq!((cold.warm, cold.costs, cold.target_tokens), (false, 0.0, Some(40_000)));
    // Tokens that need not be written any more, at the price of writing.
    assert!((cold.saves - cold.tokens_freed * 3.75 / 1e6).abs() < 1e-9, "{cold:?}");
    assert!(cold.tokens_freed > 30_000.0);
    let warm = decided(&messages, 70_000, json!({ "expectedRequests": 1, "msSinceLastRequest": 299_999 })).await;
    assert_eq!((warm.condense, warm.code, warm.provider.as_deref(), warm.warm), (false, "does_not_pay", None, true));
    assert!(warm.saves < 0.0 && warm.costs > 0.0, "{warm:?}");
}

#[tokio::test]
async fn a_warm_cache_is_rewritten_once_carrying_has_cost_as_much() {
    let economics = json!({ "expectedRequests": 100, "targetTokens": 20_000 });
    let mut before: Option<MoneyDecision> = None;
    for rounds in 9..40 {
        let now = decided(&history(rounds), rounds * 2_300, economics.clone()).await;
        if now.condense {
            assert_eq!(now.code, "pays");
            assert!(now.carried >= now.costs && now.costs > 0.0 && now.saves > 0.0, "{now:?}");
            let before = before.unwrap();
            assert_eq!(before.code, "waits");
            assert!(before.carried < before.costs, "{before:?}");
            return;
        }
        before = Some(now);
    }
    panic!("it never paid: {before:?}");
}

#[tokio::test]
async fn after_a_rewrite_nothing_is_carried_so_the_next_one_is_not_done() {
    let (messages, manager) = (history(40), manager(json!({})));
    let options = priced(json!({ "targetTokens": 20_000 }));
    let first = manager.condense_if_needed(work(&messages, 90_000, options.clone())).await;
    assert_eq!((first.did_condense(), told(&first).code, told(&first).expected_requests), (true, "pays", 40.0));
    assert!(first.tokens_removed() > 65_000.0);
    let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
    let mut left: Vec<Value> = serde_json::from_str(&export(&conversation.apply(first.plan()).unwrap())).unwrap();
    left.extend(history(43).split_off(messages.len()));
    let second = manager.condense_if_needed(work(&left, 24_500, options)).await;
    let reason = told(&second);
    assert!(!second.did_condense() && ["waits", "does_not_pay"].contains(&reason.code), "{reason:?}");
    assert_eq!(manager.metrics().total.calls, 1);
}

#[tokio::test]
async fn what_frees_too_little_is_not_done() {
    let messages = history(30);
    let cold = |economics: Value| {
        let mut economics = economics;
        economics["msSinceLastRequest"] = json!(1e9);
        economics
    };
    let little = decided(&messages, 70_000, cold(json!({ "clearAtLeast": 34_000 }))).await;
    assert_eq!((little.condense, little.code), (false, "nothing_to_gain"));
    // Protected tokens cannot be freed.
    let mut options = priced(cold(json!({ "clearAtLeast": 30_000 })));
    options["frozenMessages"] = json!(50);
    let frozen = told(&manager(json!({})).decide(work(&messages, 70_000, options)).await);
    assert_eq!((frozen.condense, frozen.code), (false, "clears_too_little"));
    assert!(frozen.tokens_freed < 30_000.0, "{frozen:?}");
}

/// While the cache is warm the older copy stays, so that more of the prompt is still in the cache.
#[tokio::test]
async fn the_first_copy_stays_while_the_cache_is_warm() {
    let mut messages = history(12);
    let file = messages[4]["content"][0]["content"].clone();
    for message in [10, 14, 16, 18] {
        messages[message]["content"][0]["content"] = file.clone();
    }
    let first_changed = |economics: Value| {
        let mut economics = economics;
        economics["targetTokens"] = json!(10_000);
        let mut options = priced(economics);
        options["provider"] = json!("lossless");
        // Rewriting costs next to nothing.
        options["price"]["cacheWritesPrice"] = json!(0.3);
        let work = work(&messages, 20_000, options);
        async move {
            let report = manager(json!({ "fallback": [] })).condense_if_needed(work).await;
            assert_eq!((told(&report).code, report.provider()), ("pays", "lossless"), "{:?}", told(&report));
            serde_json::to_value(&report).unwrap()["firstChangedIndex"].as_i64().unwrap()
        }
    };
    assert_eq!(first_changed(json!({})).await, 10);
    assert_eq!(first_changed(json!({ "keep": "last" })).await, 4);
    assert_eq!(first_changed(json!({ "msSinceLastRequest": 300_000 })).await, 4);
}

#[tokio::test]
async fn the_window_comes_before_money_and_the_threshold_behind_it() {
    let messages = history(30);
    // One more request, and everything would have to be written anew: money says no.
    let once = priced(json!({ "expectedRequests": 1 }));
    let manager = || manager(json!({ "provider": "truncation", "autoCondenseContextPercent": 50 }));
    let waits = manager().condense_if_needed(work(&messages, 110_000, once.clone())).await;
    assert_eq!((waits.did_condense(), told(&waits).code), (false, "does_not_pay"));
    let plain = manager().condense_if_needed(work(&messages, 110_000, json!({}))).await;
    assert!(plain.did_condense() && plain.decision().is_none());
    let full = manager().condense_if_needed(work(&messages, 190_000, once.clone())).await;
    assert_eq!((full.did_condense(), told(&full).code), (true, "window"));
    // The result is the same as without prices.
    let as_ever = manager().condense_if_needed(work(&messages, 190_000, json!({}))).await;
    assert_eq!(full.tokens_removed(), as_ever.tokens_removed());
    let advice = told(&manager().decide(work(&messages, 190_000, once)).await);
    assert_eq!((advice.condense, advice.provider.as_deref()), (true, Some("truncation")));
}

#[tokio::test]
async fn without_a_price_the_trigger_decides() {
    let messages = history(30);
    for (tokens, due) in [(20_000, false), (195_000, true)] {
        let report = manager(json!({})).condense_if_needed(work(&messages, tokens, json!({ "economics": {} }))).await;
        assert_eq!((report.did_condense(), told(&report).code), (due, "price_unknown"));
    }
}

#[tokio::test]
async fn a_provider_that_nobody_has_is_an_error_and_no_decision() {
    let mut options = priced(json!({ "msSinceLastRequest": 1e9 }));
    options["provider"] = json!("nobody");
    let report = manager(json!({})).decide(work(&history(30), 70_000, options)).await;
    assert_eq!((report.error_code(), report.decision()), (Some("unknown_provider"), None));
}

#[tokio::test]
async fn an_empty_conversation_is_left_alone() {
    let nothing = decided(&[], 0, json!({ "msSinceLastRequest": 1e9, "targetTokens": 0, "clearAtLeast": 0 })).await;
    assert_eq!((nothing.condense, nothing.code), (false, "nothing_to_gain"));
}

#[test]
fn wrong_options_are_named() {
    for (economics, path) in [
        (json!({ "clearAtLeast": -1 }), "economics.clearAtLeast"),
        (json!({ "keep": "newest" }), "economics.keep"),
        (json!({ "expected": 1 }), "economics.expected"),
        (json!({ "expectedRequests": 1e7 }), "economics.expectedRequests"),
        (json!({ "cacheLifetimeMs": "5m" }), "economics.cacheLifetimeMs"),
        (json!([]), "economics"),
    ] {
        let errors = CallOptions::read(&Value::Null, &json!({ "economics": economics })).expect_err(path);
        assert_eq!(errors[0].path, format!("options.{path}"));
    }
}
