//! Strategies: who is asked, what that costs, and that budgets are never exceeded.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use proptest::{prelude::*, sample::select};
use roo_condense::{
    CallOptions, Conversation, Llm, LlmError, LlmHandler, LlmRequest, LlmResponse, Manager, ManagerOptions, Prices,
    Report, StopReason, TokenUsage, Trial, Unreported, UserDirectory, WarningCode, Work, create_provider, create_with,
};
use serde_json::{Value, json};

use crate::common::{
    cases::cases,
    checks::{check_report, export, run_with, tally, wait_for, work},
    real_histories::{beginning, corpus, fixtures},
    scripted::{Scripted, answer, question_tokens},
};

/// Histories of some length: real ones where there are any.
fn long_histories(count: usize, bytes: usize) -> Vec<Conversation> {
    let all = fixtures().into_iter().chain(corpus("strategies"));
    let long = all.map(|(_, conversation)| beginning(&conversation, bytes));
    long.filter(|conversation| conversation.len() > 20 && tally(conversation).total() > 6000).take(count).collect()
}

/// What was asked for, by the choices of a report.
fn asked(report: &Report) -> Vec<&str> {
    report.choices().iter().map(|choice| choice.provider.as_str()).collect()
}

fn told(report: &Report) -> Vec<WarningCode> {
    report.warnings().iter().map(|warning| warning.code.clone()).collect()
}

/// A strategy by itself, with a model or without.
fn run(
    id: &str,
    config: Value,
    conversation: &Conversation,
    target: Option<usize>,
    model: Option<&Arc<Scripted>>,
) -> Report {
    let handler = model.map(|model| Arc::clone(model) as Arc<dyn LlmHandler>);
    let llm = Llm { handler, ..Llm::default() };
    let report = run_with(&create_provider(id, &config).unwrap(), conversation, target, llm);
    check_report(conversation, &report);
    if let Some(model) = model {
        assert!((report.cost() - model.charged()).abs() < 1e-12, "{} of {} are told", report.cost(), model.charged());
    }
    report
}

fn share(conversation: &Conversation, percent: usize) -> usize {
    tally(conversation).total() * percent / 100
}

/// A model that charges for what it is asked and answers, `factor` times what we count.
fn charging(factor: f64, answer_tokens: usize) -> Scripted {
    Scripted::new(move |request, _| Ok(charged(request, factor, answer_tokens)))
}

fn charged(request: &LlmRequest, factor: f64, answer_tokens: usize) -> LlmResponse {
    let input = question_tokens(request);
    let most = request.max_tokens.map_or(answer_tokens, |most| answer_tokens.min(most as usize));
    let usage = TokenUsage {
        input_tokens: (input as f64 * factor) as u64,
        output_tokens: most as u64,
        ..TokenUsage::default()
    };
    LlmResponse::new("What happened, in a few words.", Some(usage), StopReason::EndTurn)
}

#[test]
fn a_pipeline_ends_where_the_target_is_reached() {
    for conversation in long_histories(6, 60_000) {
        let model = Arc::new(Scripted::saying("In short: it was read."));
        let lossless = run("lossless", Value::Null, &conversation, Some(1), None).final_tokens();
        let whole = tally(&conversation).total();
        let report = run("pipeline", Value::Null, &conversation, Some(whole), Some(&model));
        assert_eq!((asked(&report), report.did_condense()), (vec![], false), "there is nothing to do");
        let report = run("pipeline", Value::Null, &conversation, Some(share(&conversation, 30)), Some(&model));
        let expected = if lossless <= whole * 30 / 100 { vec!["lossless"] } else { vec!["lossless", "truncation"] };
        assert_eq!((asked(&report), report.cost()), (expected, 0.0));
        if lossless < whole {
            let report = run("pipeline", Value::Null, &conversation, Some(lossless), Some(&model));
            assert_eq!(asked(&report), ["lossless"]);
        }
        // Without a target all are asked, and the model is paid for one summary.
        let report = run("pipeline", Value::Null, &conversation, None, Some(&model));
        assert_eq!(asked(&report), ["lossless", "truncation", "native"]);
        assert!((report.cost() - 0.0045).abs() < 1e-12 && !report.summary().is_empty(), "{}", report.cost());
        assert_eq!(report.passes().iter().map(|pass| pass.id.as_str()).collect::<Vec<_>>(), asked(&report));
        let saved: usize = report.passes().iter().map(|pass| pass.tokens_saved).sum();
        assert!(report.tokens_saved() >= saved, "what is found later is no pass's");
    }
}

#[test]
fn changes_of_a_pipeline_keep_their_own_reasons() {
    let conversation = &long_histories(3, 60_000)[0];
    let target = Some(share(conversation, 40));
    let alone = run("lossless", Value::Null, conversation, target, None);
    let both = run("pipeline", json!({ "stages": ["lossless", "truncation"] }), conversation, target, None);
    let reasons = |report: &Report| -> Vec<(usize, String, String)> {
        let each = report.changes().iter();
        each.map(|change| (change.message_index, change.operation.clone(), change.reason.clone())).collect()
    };
    let all = reasons(&both);
    assert_eq!(all[..alone.changes().len()], reasons(&alone)[..], "those of the first stage, as it told them");
    let of_second = &all[alone.changes().len()..];
    assert!(
        of_second.iter().any(|(_, operation, reason)| operation == "salient" && !reason.is_empty()),
        "{of_second:?}"
    );
}

#[test]
fn a_stage_that_fails_is_left_out_with_a_warning() {
    let conversation = &long_histories(1, 60_000)[0];
    let stages = json!({ "stages": ["nobody", { "provider": "native" }, "truncation"] });
    let report = run("pipeline", stages, conversation, Some(share(conversation, 50)), None);
    assert_eq!((asked(&report), report.error_code()), (vec!["native", "truncation"], None));
    let unknown = report.warnings().iter().find(|warning| warning.code == WarningCode::UnknownProvider).unwrap();
    assert_eq!(unknown.field.as_deref(), Some("stages[0]"));
    let failed = report.warnings().iter().find(|warning| warning.code == WarningCode::ProviderFailed).unwrap();
    assert_eq!((failed.error_code.as_deref(), failed.field.as_deref()), (Some("handler_invalid"), Some("stages[1]")));
    assert!(report.passes()[0].skipped.as_deref().is_some_and(|why| why.starts_with("handler_invalid")));
    let report = run("pipeline", json!({ "stages": ["native", "nobody"] }), conversation, None, None);
    assert_eq!(report.error_code(), Some("handler_invalid"), "nobody worked");
}

#[test]
fn a_stage_may_have_a_target_of_its_own() {
    let conversation = &long_histories(1, 60_000)[0];
    let whole = tally(conversation).total();
    let model = Arc::new(Scripted::saying("In short: it was read."));
    let stages = json!({ "stages": [{ "provider": "truncation", "target": whole * 7 / 10 }, "native"] });
    let report = run("pipeline", stages, conversation, Some(whole / 10), Some(&model));
    assert_eq!(asked(&report), ["truncation", "native"]);
    let left = report.passes()[0].tokens_after;
    assert!((whole * 55 / 100..=whole * 7 / 10).contains(&left), "{left} of {whole}");
    let untold = json!({ "stages": [{ "provider": "truncation", "target": false }] });
    let alone = run("truncation", Value::Null, conversation, None, None).final_tokens();
    assert_eq!(run("pipeline", untold, conversation, Some(whole / 10), None).final_tokens(), alone);
}

#[test]
fn adaptive_asks_by_the_distance_from_the_target() {
    for conversation in long_histories(4, 60_000) {
        let whole = tally(&conversation).total();
        for (ratio, expected) in [
            (1.1, "lossless"),
            (1.19, "lossless"),
            (1.25, "truncation"),
            (1.99, "truncation"),
            (2.1, "native"),
            (2.9, "native"),
            (3.1, "smart"),
            (20.0, "smart"),
        ] {
            let model = Arc::new(Scripted::saying("In short: it was read."));
            let report =
                run("adaptive", Value::Null, &conversation, Some((whole as f64 / ratio) as usize), Some(&model));
            assert_eq!(asked(&report)[0], expected, "{ratio}");
        }
        assert_eq!(asked(&run("adaptive", Value::Null, &conversation, None, None)), ["lossless"]);
    }
    let conversation = &long_histories(1, 60_000)[0];
    for percent in [48, 40, 35] {
        let report = run("adaptive", Value::Null, conversation, Some(share(conversation, percent)), None);
        assert_eq!(
            (asked(&report), report.error_code()),
            (vec!["native", "truncation"], None),
            "native has nobody to ask"
        );
        assert!(report.did_condense() && warned_of(&report) == ["handler_invalid"], "{:?}", report.warnings());
        assert!(report.choices()[1].reason.ends_with("and native has no model to ask"), "{:?}", report.choices());
    }
    let bands = json!({ "bands": [{ "below": 1.5, "provider": "lossless" }, { "below": 2, "provider": "truncation" }, { "provider": "native" }] });
    let report = run("adaptive", bands, conversation, Some(share(conversation, 30)), None);
    assert_eq!((asked(&report), report.error_code()), (vec!["native", "truncation"], None), "the weaker one");
    let bands = json!({ "bands": [{ "below": 2, "provider": "native" }, { "provider": "native" }] });
    let report = run("adaptive", bands, conversation, Some(share(conversation, 30)), None);
    assert_eq!(report.error_code(), Some("handler_invalid"), "nobody can run");
    let bands = json!({ "bands": [{ "below": 1.01, "provider": "lossless" }] });
    assert!(asked(&run("adaptive", bands, conversation, Some(1), None)).is_empty(), "no band is for that");
}

/// The codes of failures that were told of.
fn warned_of(report: &Report) -> Vec<&str> {
    report.warnings().iter().filter_map(|warning| warning.error_code.as_deref()).collect()
}

#[test]
fn what_failed_and_was_paid_for_is_told_once() {
    let (mut paid, mut asked_for_milder) = (0, 0);
    for conversation in long_histories(6, 60_000) {
        // Without a target, or where it is missed, the milder preset is asked, too.
        let target = Some(share(&conversation, 20));
        for (id, config, target) in
            [("adaptive", Value::Null, target), ("smart", json!({ "preset": "aggressive" }), None)]
        {
            let nothing = Scripted::new(|request, _| {
                let usage = TokenUsage { input_tokens: question_tokens(request), ..TokenUsage::default() };
                Ok(LlmResponse::new("", Some(usage), StopReason::EndTurn))
            });
            let model = Arc::new(nothing);
            let report = run(id, config, &conversation, target, Some(&model));
            let told = warned_of(&report);
            assert_eq!(report.cost() > 0.0, told.contains(&"summary_empty"), "{id}: {:?}", report.warnings());
            let messages: Vec<_> = report.warnings().iter().map(|warning| warning.message.as_str()).collect();
            assert!(messages.iter().enumerate().all(|(at, message)| !messages[..at].contains(message)), "{messages:?}");
            paid += usize::from(report.cost() > 0.0);
            asked_for_milder +=
                usize::from(report.passes().iter().any(|pass| pass.id == "no_more_tokens_than" && pass.cost > 0.0));
        }
    }
    assert!(paid > 0 && asked_for_milder > 0, "{paid} {asked_for_milder}");
}

#[test]
fn cost_aware_asks_what_the_budget_pays_for() {
    let mut seen = Vec::new();
    for conversation in long_histories(5, 90_000) {
        let mut best = 0;
        for budget in [0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0] {
            let model = Arc::new(charging(1.0, 700));
            let config = json!({ "maxCost": budget });
            let report = run("cost_aware", config, &conversation, Some(share(&conversation, 50)), Some(&model));
            assert!(report.cost() <= budget, "{} of {budget}", report.cost());
            let asked = asked(&report).join(" ");
            let rank = match asked.as_str() {
                "lossless" | "lossless truncation" => 0,
                // It may do without a model.
                "smart" => 1,
                "native" => 2,
                other => panic!("{other}"),
            };
            assert!(rank >= best, "{asked} for {budget}");
            best = rank;
            assert_eq!(told(&report).contains(&WarningCode::CostLimit), rank == 0, "{budget}: {:?}", report.warnings());
            seen.push(rank);
        }
        assert_eq!(best, 2, "a dollar pays for a summary");
        let report = run("cost_aware", Value::Null, &conversation, Some(share(&conversation, 50)), None);
        assert!(
            told(&report).contains(&WarningCode::NoHandler) && asked(&report)[0] == "lossless",
            "{:?}",
            report.warnings()
        );
    }
    assert!(seen.contains(&1) && seen.contains(&2), "{seen:?}");
}

/// What the failing summary has cost is not there for another try.
#[test]
fn cost_aware_has_one_budget_for_all_that_it_asks() {
    let mut twice = 0;
    for conversation in long_histories(2, 60_000) {
        for budget in [0.05, 0.08, 0.12, 0.2, 0.3] {
            let failing = Scripted::new(|request, _| {
                let spent = charged(request, 1.2, usize::MAX).usage;
                Err(LlmError::callback("scripted", "no", None, spent))
            });
            let model = Arc::new(failing);
            let config = json!({ "maxCost": budget });
            let report = run("cost_aware", config, &conversation, Some(share(&conversation, 50)), Some(&model));
            assert!(report.cost() <= budget, "{} of {budget}: {:?}", report.cost(), report.choices());
            twice += usize::from(asked(&report).starts_with(&["native", "smart"]) && report.cost() > 0.0);
        }
    }
    assert!(twice > 0, "some budgets are for both");
}

/// A model whose answers break off before anything is said of what they cost.
fn cut_off(words: usize) -> Scripted {
    Scripted::new(move |request, _| {
        let words = request.max_tokens.map_or(words, |most| words.min(most as usize));
        let unreported = Unreported { questions: 1, text: "word ".repeat(words) };
        Err(LlmError::callback("scripted", "cut", None, TokenUsage::default()).with_unreported(unreported))
    })
}

#[test]
fn what_is_charged_for_is_counted_where_nobody_reports_it() {
    let conversation = &long_histories(1, 60_000)[0];
    let target = Some(share(conversation, 25));
    let model = Arc::new(cut_off(500));
    let llm = Llm { handler: Some(model.clone()), ..Llm::default() };
    let report = run_with(&create_provider("native", &Value::Null).unwrap(), conversation, target, llm);
    assert_eq!(report.error_code(), Some("llm_callback_failed"));
    let charged = model.charged();
    assert!(charged > 0.0075 && (report.cost() / charged - 1.0).abs() < 0.05, "{} of {charged}", report.cost());
    for budget in [0.02, 0.05, 0.1, 0.2] {
        for (id, config) in [("cost_aware", json!({ "maxCost": budget })), ("progressive", json!({ "budget": budget }))]
        {
            let model = Arc::new(cut_off(500));
            let llm = Llm { handler: Some(model.clone()), ..Llm::default() };
            let report = run_with(&create_provider(id, &config).unwrap(), conversation, target, llm);
            assert!(model.charged() <= budget && report.cost() <= budget, "{id}: {} of {budget}", model.charged());
            assert_eq!(report.cost() > 0.0, !model.asked().is_empty());
        }
    }
}

#[test]
fn amounts_that_are_compared_look_different() {
    let conversation = &long_histories(1, 60_000)[0];
    let mut model = charging(1.0, 100);
    model.price = Prices { input: Some(0.01), output: Some(0.01), ..Prices::default() }.into();
    let target = share(conversation, 20);
    let report = run("progressive", json!({ "budget": 0.010_01 }), conversation, Some(target), Some(&Arc::new(model)));
    let reason = &report.choices()[1].reason;
    assert!(reason.ends_with("$0.01001 may be spent, more than $0.0100"), "{reason}");
}

/// Without a price nobody knows what is spent.
#[test]
fn a_budget_is_not_kept_by_guessing_prices() {
    let conversation = &long_histories(1, 60_000)[0];
    struct Unpriced(Scripted);
    #[async_trait]
    impl LlmHandler for Unpriced {
        async fn complete(
            &self,
            request: LlmRequest,
            cancel: &tokio_util::sync::CancellationToken,
            progress: Option<&dyn roo_condense::ProgressSink>,
        ) -> Result<LlmResponse, LlmError> {
            self.0.complete(request, cancel, progress).await
        }

        fn model(&self) -> &'static str {
            "unpriced"
        }
    }
    let model = Arc::new(Unpriced(Scripted::saying("In short.")));
    let llm = Llm { handler: Some(model.clone()), ..Llm::default() };
    for (id, config) in [("cost_aware", json!({ "maxCost": 5 })), ("progressive", json!({ "budget": 5 }))] {
        let provider = create_provider(id, &config).unwrap();
        let report = run_with(&provider, conversation, Some(share(conversation, 5)), llm.clone());
        assert_eq!((report.error_code(), model.0.asked().len()), (None, 0), "{id}");
        let said = report.warnings().iter().any(|warning| warning.message.contains("price"));
        // What needs no model is no guess.
        assert!(said || asked(&report) == ["smart"], "{id}: {:?}", report.warnings());
    }
}

#[test]
fn quality_first_asks_stronger_ones_only_where_it_has_to() {
    let mut ways = Vec::new();
    for conversation in long_histories(4, 60_000) {
        let model = || Arc::new(Scripted::saying("In short: it was read."));
        let report = run("quality_first", Value::Null, &conversation, None, Some(&model()));
        assert_eq!(asked(&report), ["smart"]);
        let report = run("quality_first", Value::Null, &conversation, Some(share(&conversation, 25)), Some(&model()));
        ways.push(asked(&report).join(" "));
        let failing =
            Arc::new(Scripted::new(|_, _| Err(LlmError::callback("scripted", "no", None, TokenUsage::default()))));
        let target = share(&conversation, 25);
        let report = run("quality_first", Value::Null, &conversation, Some(target), Some(&failing));
        assert_eq!((asked(&report).last(), report.error_code()), (Some(&"truncation"), None), "{:?}", asked(&report));
        assert!(report.final_tokens() <= target || told(&report).contains(&WarningCode::TargetNotMet));
        let alone = run("quality_first", Value::Null, &conversation, Some(target), None);
        assert_eq!((asked(&alone), alone.error_code()), (vec!["lossless", "truncation"], None));
        for report in [report, alone] {
            assert!(report.final_tokens() * 10 >= target * 9, "no less than was asked for: {}", report.final_tokens());
        }
    }
    assert!(ways.iter().all(|way| way.starts_with("lossless native")), "{ways:?}");
}

/// Knows one user, and fails for another.
struct Directory(Mutex<Vec<String>>);

#[async_trait]
impl UserDirectory for Directory {
    async fn look_up(&self, user: &str) -> Result<Option<Value>, String> {
        self.0.lock().unwrap().push(user.to_owned());
        match user {
            "known" => Ok(Some(json!({ "preferredProvider": "lossless" }))),
            "wrong" => Ok(Some(json!({ "preferredProvider": 5 }))),
            "range" => Ok(Some(json!({ "qualityThreshold": 7 }))),
            "typed" => Ok(Some(json!({ "preferredProvider": "losless" }))),
            "down" => Err("the database is down".to_owned()),
            _ => Ok(None),
        }
    }
}

fn for_user(conversation: &Conversation, user: Option<&str>, manager: &Manager, llm: Llm) -> Report {
    let call = CallOptions {
        user_id: user.map(str::to_owned),
        target_tokens: Some(share(conversation, 50)),
        ..CallOptions::default()
    };
    wait_for(manager.condense(Work { llm, ..work(conversation.clone(), call) }))
}

fn manager(options: Value) -> Manager {
    Manager::new(ManagerOptions::read(&options).unwrap())
}

#[test]
fn per_user_does_what_the_user_prefers() {
    let conversation = &long_histories(1, 60_000)[0];
    let config = json!({
        "users": {
            "careful": { "qualityThreshold": 0.81 },
            "even": { "qualityThreshold": 0.51 },
            "short": { "qualityThreshold": 0.5 },
            "own": { "preferredProvider": "truncation", "customConfig": { "preserveRecentCount": 7 } },
            "poor": { "preferredProvider": "native", "maxCostPerCondensation": 0.000_1 },
            "rich": { "preferredProvider": "native", "maxCostPerCondensation": 2 },
        },
        "default": { "preferredProvider": "truncation" },
    });
    let directory = Arc::new(Directory(Mutex::default()));
    let manager = manager(json!({ "provider": "per_user", "fallback": false, "cache": false }));
    manager.register(create_with("per_user", &config, Some(directory.clone())).unwrap());
    let model = || Llm { handler: Some(Arc::new(Scripted::saying("In short."))), ..Llm::default() };
    let of = |user: Option<&str>| for_user(conversation, user, &manager, model());
    let preset = |name: &str| {
        let provider = create_provider("smart", &json!({ "preset": name })).unwrap();
        run_with(&provider, conversation, Some(share(conversation, 50)), model()).final_tokens()
    };
    for (user, name) in [("careful", "conservative"), ("even", "balanced"), ("short", "aggressive")] {
        let report = of(Some(user));
        let chosen = (asked(&report)[1..].len(), asked(&report)[0], report.final_tokens());
        assert_eq!(chosen, (0, "smart", preset(name)), "{user}");
    }
    let own = of(Some("own"));
    assert_eq!(asked(&own), ["truncation"]);
    // The story is put in front of the messages that stay.
    let changes = own.changes().iter().filter(|change| change.operation != "log");
    let newest: Vec<_> = changes.filter(|change| change.message_index + 7 >= conversation.len()).collect();
    assert!(newest.is_empty(), "{} messages: {newest:?}", conversation.len());
    assert_eq!(asked(&of(Some("rich"))), ["native"]);
    let poor = of(Some("poor"));
    assert_eq!((asked(&poor)[0], poor.cost()), ("smart", 0.0));
    assert_eq!(poor.choices()[0].strategy, "per_user");
    assert!(told(&poor).contains(&WarningCode::CostLimit));
    // Those that are known are not looked up.
    assert_eq!(directory.0.lock().unwrap().len(), 0);
    assert_eq!(asked(&of(Some("known"))), ["lossless"]);
    for user in ["unknown", "wrong", "down"] {
        let report = of(Some(user));
        assert_eq!(asked(&report), ["truncation"], "{user}");
        assert_eq!(told(&report).contains(&WarningCode::LookUpFailed), user != "unknown");
    }
    for (user, said) in [
        ("range", "user \"range\": lookUp().qualityThreshold must be "),
        (
            "typed",
            "user \"typed\": lookUp().preferredProvider: provider: \"losless\" is not registered (did you mean lossless?); ",
        ),
    ] {
        let report = of(Some(user));
        assert_eq!((asked(&report), report.error_code()), (vec!["truncation"], None));
        let warning = report.warnings().iter().find(|warning| warning.code == WarningCode::LookUpFailed).unwrap();
        assert!(warning.message.starts_with(said), "{}", warning.message);
    }
    assert_eq!(asked(&of(None)), ["truncation"]);
    assert_eq!(directory.0.lock().unwrap().as_slice(), ["known", "unknown", "wrong", "down", "range", "typed"]);
}

#[test]
fn an_experiment_is_measured_by_variant() {
    let conversation = &long_histories(1, 60_000)[0];
    let config = json!({ "experiment": "prompts", "variants": [
        { "name": "usual", "share": 1 },
        { "name": "brief", "customCondensingPrompt": "Be very brief.", "share": 1 },
        { "name": "broken", "provider": "nobody", "share": 0.4 },
    ] });
    let manager = manager(json!({ "provider": "ab_test", "fallback": ["truncation"], "cache": false }));
    manager.register(create_provider("ab_test", &config).unwrap());
    let model = Arc::new(Scripted::saying("In short."));
    let mut variants = Vec::new();
    for user in 0..40 {
        let llm = Llm { handler: Some(model.clone()), ..Llm::default() };
        let report = for_user(conversation, Some(&format!("user-{user}")), &manager, llm);
        let again = report.choices().first().and_then(|choice| choice.variant.clone());
        variants.push(again.unwrap_or_default());
    }
    let prompts = model.asked().iter().filter(|question| question.system.starts_with("Be very brief.")).count();
    let count = |name: &str| variants.iter().filter(|variant| *variant == name).count();
    assert_eq!(prompts, count("brief"));
    let experiments = serde_json::to_value(manager.metrics()).unwrap()["experiments"].clone();
    let experiment = &experiments["prompts"];
    assert_eq!(experiment["variants"]["usual"]["calls"], count("usual"));
    assert_eq!(experiment["variants"]["brief"]["errors"], 0);
    let cost = &experiment["variants"]["brief"]["cost"];
    assert!((cost["mean"].as_f64().unwrap() - 0.0045).abs() < 1e-12, "{cost}");
    // Both wrote a summary that was checked, and something went.
    for kept in ["lostPercent", "summaryQuality"] {
        assert!(experiment["variants"]["usual"][kept]["mean"].is_number(), "{kept}: {experiment}");
    }
    assert_eq!(experiment["comparisons"].as_array().unwrap().len(), 7);
    assert!(count("usual") > 8 && count("brief") > 8, "{variants:?}");
}

/// A variant that needs a model does not fail where there is none; what stands in counts for no variant.
#[test]
fn a_variant_that_cannot_run_is_stood_in_for() {
    let conversation = &long_histories(1, 60_000)[0];
    let config = json!({ "variants": [
        { "name": "off", "provider": "lossless", "share": 0 },
        { "name": "model", "provider": "native" },
        { "name": "none", "provider": "truncation", "share": 0.000_001 },
    ] });
    let report = run("ab_test", config, conversation, Some(share(conversation, 50)), None);
    assert_eq!((asked(&report), report.error_code()), (vec!["native", "truncation"], None));
    assert_eq!(warned_of(&report), ["handler_invalid"]);
    let variants: Vec<_> = report.choices().iter().map(|choice| choice.variant.as_deref()).collect();
    assert_eq!(variants, [Some("model"), None]);
    let alone = json!({ "variants": [{ "name": "model" }] });
    let report = run("ab_test", alone, conversation, Some(share(conversation, 50)), None);
    assert_eq!(report.error_code(), Some("handler_invalid"));
}

#[test]
fn a_provider_that_nobody_has_may_be_meant_for_another() {
    let conversation = &long_histories(1, 20_000)[0];
    let said = "\"losless\" is not registered (did you mean lossless?); registered: native, smart, lossless";
    let stages = json!({ "stages": ["losless", "truncation"] });
    let report = run("pipeline", stages, conversation, None, None);
    assert!(report.warnings()[0].message.contains(said), "{:?}", report.warnings());
    let report = for_user(conversation, None, &manager(json!({ "provider": "losless" })), Llm::default());
    assert_eq!(report.error_code(), Some("unknown_provider"));
    let error = serde_json::to_value(&report).unwrap()["error"]["message"].clone();
    assert!(error.as_str().is_some_and(|message| message.contains(said)), "{error}");
    let fallback = manager(json!({ "provider": "truncation", "fallback": ["losless"] }));
    let report = for_user(conversation, None, &fallback, Llm::default());
    assert!(report.warnings().iter().any(|warning| warning.message.contains(said)), "{:?}", report.warnings());
    let report = run("pipeline", json!({ "stages": ["something else"] }), conversation, None, None);
    assert_eq!(report.error_code(), Some("unknown_provider"));
}

#[test]
fn progressive_asks_the_dearer_the_more_may_be_spent() {
    for conversation in long_histories(4, 90_000) {
        let whole = tally(&conversation).total();
        let lossless = run("lossless", Value::Null, &conversation, None, None);
        let easy = usize::midpoint(lossless.final_tokens(), whole);
        let hard = lossless.final_tokens() / 3;
        for (budget, target, expected) in [
            (1.0, Some(easy), vec![]),
            (0.0, Some(hard), vec!["truncation"]),
            (0.01, Some(hard), vec!["truncation"]),
            (0.05, Some(hard), vec!["native", "truncation"]),
            (1.0, Some(hard), vec!["native"]),
        ] {
            let (cheap, own) = (Arc::new(charging(1.0, 300)), Arc::new(charging(1.0, 300)));
            let mut cheap = Arc::into_inner(cheap).unwrap();
            cheap.price = Prices { input: Some(0.15), output: Some(0.6), ..Prices::default() }.into();
            let cheap = Arc::new(cheap);
            let llm = Llm { handler: Some(own.clone()), condensing_handler: Some(cheap.clone()), ..Llm::default() };
            let provider = create_provider("progressive", &json!({ "budget": budget })).unwrap();
            let report = run_with(&provider, &conversation, target, llm);
            check_report(&conversation, &report);
            let dear = asked(&report).into_iter().skip_while(|id| *id == "lossless").collect::<Vec<_>>();
            let by_need = expected.iter().take(dear.len().max(1)).copied().collect::<Vec<_>>();
            assert_eq!(dear, by_need, "{budget} for {target:?} of {whole}: {:?}", report.choices());
            assert!((report.cost() - cheap.charged() - own.charged()).abs() < 1e-12);
            assert!(report.cost() <= budget, "{} of {budget}", report.cost());
            // The model for summaries is asked first, and its answer is filled to the target.
            assert!(own.asked().is_empty() && cheap.asked().is_empty() != dear.contains(&"native"));
            let is_near = report.final_tokens() * 10 >= target.unwrap() * 9;
            assert!(is_near, "no less than was asked for: {} of {target:?}", report.final_tokens());
            assert!(told(&report).contains(&WarningCode::TargetNotMet) || report.final_tokens() <= target.unwrap());
        }
    }
}

#[test]
fn a_preview_says_what_the_run_does() {
    let strategies = ["pipeline", "adaptive", "cost_aware", "quality_first", "per_user", "progressive"];
    for conversation in long_histories(2, 40_000) {
        for id in strategies {
            for percent in [80, 25] {
                let manager = manager(json!({ "provider": id, "fallback": false, "cache": false }));
                let call =
                    || CallOptions { target_tokens: Some(share(&conversation, percent)), ..CallOptions::default() };
                let model = || Llm { handler: Some(Arc::new(charging(1.0, 600))), ..Llm::default() };
                for has_model in [false, true] {
                    let given = || Work {
                        llm: if has_model { model() } else { Llm::default() },
                        ..work(conversation.clone(), call())
                    };
                    let preview = wait_for(manager.preview(given(), Trial::Preview));
                    let real = wait_for(manager.condense(given()));
                    let (first, its) = (preview.choices().first(), real.choices().first());
                    let who = |choice: Option<&roo_condense::Choice>| choice.map(|choice| choice.provider.clone());
                    assert_eq!(who(first), who(its), "{id} {percent}");
                    if real.cost() == 0.0 && preview.cost() == 0.0 {
                        assert_eq!(
                            conversation.export(preview.plan()).unwrap(),
                            conversation.export(real.plan()).unwrap()
                        );
                        assert_eq!(asked(&preview), asked(&real));
                    }
                }
            }
        }
    }
}

/// Dollars and behaviour of a model of the property.
#[derive(Debug, Clone, Copy)]
struct Service {
    factor: f64,
    answer: usize,
    input_price: f64,
    output_price: f64,
    /// No answer ever comes; what was spent is reported or not.
    fails: Option<bool>,
    /// Tokens charged for each that is counted here, where nothing is reported.
    unreported: f64,
}

fn any_service() -> impl Strategy<Value = Service> {
    let fails = prop::option::weighted(0.3, any::<bool>());
    (0.3..1.25_f64, 1..6000_usize, 0.01..30.0_f64, 0.0..100.0_f64, fails, 0.3..1.25_f64).prop_map(
        |(factor, answer, input_price, output_price, fails, unreported)| Service {
            factor,
            answer,
            input_price,
            output_price,
            fails,
            unreported,
        },
    )
}

fn model_of(service: Service) -> Arc<Scripted> {
    let mut model = Scripted::new(move |request, _| {
        let response = charged(request, service.factor, service.answer);
        let failed = |spent| LlmError::callback("scripted", "no", None, spent);
        match service.fails {
            None => Ok(response),
            Some(true) => Err(failed(response.usage)),
            Some(false) => {
                // The limit of an answer is in the model's own tokens, of which there may be more than of ours.
                let words = response.usage.output_tokens as f64 / service.unreported.max(1.0);
                let text = "word ".repeat(words as usize);
                Err(failed(TokenUsage::default()).with_unreported(Unreported { questions: 1, text }))
            }
        }
    });
    let Service { input_price, output_price, unreported, .. } = service;
    model.unreported_factor = unreported;
    model.price = Prices { input: Some(input_price), output: Some(output_price), ..Prices::default() }.into();
    Arc::new(model)
}

fn histories_of_the_property() -> &'static [Conversation] {
    static ALL: std::sync::OnceLock<Vec<Conversation>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| {
        let all = fixtures().into_iter().chain(corpus("budgets"));
        let short = all.map(|(_, conversation)| beginning(&conversation, 12_000));
        short.filter(|conversation| conversation.len() > 8).take(40).collect()
    })
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn budgets_are_never_exceeded(
        history in 0..1000_usize,
        budget in prop_oneof![0.0..0.02_f64, 0.0..0.2_f64, 0.0..2.0_f64],
        percent in select(vec![3_usize, 10, 30, 60]),
        has_target in prop::bool::weighted(0.8),
        (cheap, own) in (any_service(), any_service()),
        has_cheap in any::<bool>(),
    ) {
        let histories = histories_of_the_property();
        let conversation = &histories[history % histories.len()];
        let target = Some(share(conversation, percent)).filter(|_| has_target);
        for (id, config) in [
            ("progressive", json!({ "budget": budget })),
            ("cost_aware", json!({ "maxCost": budget })),
            ("per_user", json!({ "default": { "preferredProvider": "smart", "maxCostPerCondensation": budget } })),
        ] {
            let is_guessed = [cheap, own].iter().any(|service| service.fails == Some(false));
            let (cheap, own) = (model_of(cheap), model_of(own));
            let llm = Llm {
                handler: Some(own.clone()),
                condensing_handler: has_cheap.then(|| cheap.clone() as Arc<dyn LlmHandler>),
                ..Llm::default()
            };
            let report = run_with(&create_provider(id, &config).unwrap(), conversation, target, llm);
            let charged = cheap.charged() + own.charged();
            prop_assert!(charged <= budget, "{id}: {charged} of {budget}");
            prop_assert!(report.cost() <= budget, "{id}: {} told of {budget}", report.cost());
            // What is not reported is counted as the model probably counts it.
            prop_assert!(is_guessed || (report.cost() - charged).abs() <= 1e-9, "{id}: {} told of {charged}", report.cost());
        }
    }
}

/// A plan of several stages leads back with what can be read from the result, and whole texts only for the rest.
#[test]
fn what_leads_back_is_kept_once() {
    for conversation in long_histories(6, 90_000) {
        let size = |report: &Report| export_of(&conversation, report).len();
        let alone = run("lossless", Value::Null, &conversation, None, None);
        let one = run("pipeline", json!({ "stages": ["lossless"] }), &conversation, None, None);
        assert_eq!(size(&one), size(&alone));
        let target = Some(share(&conversation, 30));
        let both = run("pipeline", json!({ "stages": ["lossless", "truncation"] }), &conversation, target, None);
        assert!(
            size(&both) * 100 < export(&conversation).len() * 85,
            "{} of {}",
            size(&both),
            export(&conversation).len()
        );
    }
}

/// What leads back, as it is kept: edits with recipes where there are any.
fn export_of(before: &Conversation, report: &Report) -> String {
    let json = serde_json::to_value(report).unwrap();
    let recipes: std::collections::HashMap<u64, &Value> = json["recipes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|recipe| (recipe[0].as_u64().unwrap(), &recipe[1]))
        .collect();
    let mut size = String::new();
    for (index, edit) in report.plan().edits.iter().enumerate() {
        match recipes.get(&(index as u64)) {
            Some(recipe) => size.push_str(&recipe.to_string()),
            None => size.push_str(&old_of(before, edit)),
        }
    }
    size
}

fn old_of(before: &Conversation, edit: &roo_condense::Edit) -> String {
    use roo_condense::Edit;
    let message = match edit {
        Edit::Set { message, path, .. } => {
            let texts = before.message(*message).texts();
            return texts
                .iter()
                .find(|text| *text.path == **path)
                .map(|text| text.text.to_string())
                .unwrap_or_default();
        }
        Edit::Drop { message } | Edit::DropBlock { message, .. } => *message,
        Edit::Insert { .. } | Edit::InsertBlock { .. } => return String::new(),
    };
    export(&Conversation::new(vec![before.message(message).clone()]))
}

/// The window between what `answer` charges and what is expected is no part of this: it is the plain price.
#[test]
fn costs_are_those_of_the_answers_to_the_cent() {
    let conversation = &long_histories(1, 60_000)[0];
    let model = Arc::new(Scripted::new(|_, _| Ok(answer("In short."))));
    let report = run("cost_aware", json!({ "maxCost": 1 }), conversation, Some(share(conversation, 50)), Some(&model));
    assert_eq!(asked(&report), ["native"]);
    assert!((report.cost() - 0.0045 * model.asked().len() as f64).abs() < 1e-12 && !model.asked().is_empty());
}
