//! Numbers reported by the host and numbers counted here: all numbers of a result are scaled by the same factor.

use std::sync::Arc;

use proptest::{prelude::*, sample::select};
use roo_condense::{
    BUILT_IN_PROVIDERS, CallOptions, Conversation, Encoding, Llm, Manager, ManagerOptions, Report, WarningCode, Work,
    condense_with, create_provider,
};
use serde_json::{Value, json};

use crate::common::{
    cases::cases,
    checks::{tally, wait_for, work},
    histories::native,
    scripted::Scripted,
};

/// The numbers of a report, as JavaScript reads them.
fn numbers(report: &Report) -> Value {
    serde_json::to_value(report).unwrap()
}

fn missed(report: &Report) -> bool {
    report.warnings().iter().any(|warning| warning.code == WarningCode::TargetNotMet)
}

/// Checks that everything which is said about tokens says the same.
fn check(report: &Report, reported: Option<f64>, target: Option<f64>, rounding: f64) {
    let told = numbers(report);
    let number = |path: &str| told.pointer(path).and_then(Value::as_f64).unwrap();
    let (original, left) = (number("/stats/originalTokens"), number("/stats/finalTokens"));
    let (prev, new) = (number("/prevContextTokens"), number("/newContextTokens"));
    assert_eq!(prev, reported.unwrap_or(original));
    let exact = if original > 0.0 { prev * (left / original) } else { prev };
    assert!((new - exact).abs() < 1.0 + 1e-6 && new + 1e-5 >= exact, "{new} instead of {exact}");
    assert_eq!((number("/metrics/originalTokens"), number("/metrics/condensedTokens")), (original, left));
    assert_eq!(number("/metrics/tokensSaved"), original - left);
    assert_eq!(number("/metrics/reductionPercentage"), number("/stats/reductionPercent"));
    if original > 0.0 {
        assert!((number("/stats/reductionPercent") - 100.0 * (1.0 - left / original)).abs() < 1e-6);
    }
    let by_grade: f64 =
        ["inline", "superseded", "lossy"].map(|grade| number(&format!("/stats/savedByGrade/{grade}"))).iter().sum();
    assert_eq!(by_grade, original - left);
    if report.did_condense() {
        let cache = number("/promptCache/keptTokens") + number("/promptCache/rewrittenTokens");
        assert!((cache - new).abs() <= 1.0 || number("/promptCache/rewrittenTokens") == 0.0, "{cache} and {new}");
    }
    // A handler that counts is asked only if something was changed: within its rounding, both answers are right.
    let is_open = |target: &f64| exact > *target && exact <= target + rounding;
    if let Some(target) = target.filter(|target| report.error_code().is_none() && !is_open(target)) {
        assert_eq!(missed(report), exact > target, "{exact} of {target}: {:?}", report.warnings());
    }
}

fn reads(rounds: usize) -> Conversation {
    let mut messages = vec![json!({ "role": "user", "content": "Read everything, please." })];
    for round in 0..rounds {
        let lines: Vec<String> =
            (0..60).map(|line| format!("{round} {line} said the file, and nothing else.")).collect();
        messages.push(json!({ "role": "assistant", "content": [
            { "type": "tool_use", "id": format!("t{round}"), "name": "read_file", "input": { "path": format!("f{round}") } },
        ] }));
        messages.push(json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("t{round}"), "content": lines.join("\n") },
        ] }));
    }
    Conversation::parse(&json!(messages).to_string()).unwrap()
}

#[test]
fn a_target_is_in_the_tokens_that_were_reported() {
    let before = reads(20);
    let local = tally(&before).total() as f64;
    for factor in [0.5, 1.0, 2.0, 3.3] {
        let reported = (local * factor).round();
        let target = (reported * 0.4).floor();
        let call = CallOptions {
            total_tokens: Some(reported),
            target_tokens: Some(target as usize),
            ..CallOptions::default()
        };
        let truncation = create_provider("truncation", &Value::Null).unwrap();
        let alone = wait_for(condense_with(&truncation, Encoding::default(), work(before.clone(), call.clone())));
        check(&alone, Some(reported), Some(target), 0.0);
        let manager = Manager::new(ManagerOptions::read(&json!({ "provider": "truncation" })).unwrap());
        let managed = wait_for(manager.condense(work(before.clone(), call)));
        check(&managed, Some(reported), Some(target), 0.0);
        assert!(!missed(&managed) && managed.final_tokens() as f64 > local * 0.25, "no more is cut than is asked for");
        let metrics = serde_json::to_value(manager.metrics()).unwrap();
        assert_eq!(metrics["total"]["tokensSaved"], managed.tokens_saved());
    }
}

#[test]
fn a_target_that_cannot_be_met_is_told_in_the_tokens_that_were_reported() {
    let before = reads(3);
    let reported = tally(&before).total() as f64 * 2.0;
    let call = CallOptions { total_tokens: Some(reported), target_tokens: Some(20), ..CallOptions::default() };
    let truncation = create_provider("truncation", &Value::Null).unwrap();
    let report = wait_for(condense_with(&truncation, Encoding::default(), work(before, call)));
    check(&report, Some(reported), Some(20.0), 0.0);
    let warning = report.warnings().iter().find(|warning| warning.code == WarningCode::TargetNotMet).unwrap();
    assert!(warning.message.contains("more than the target of 20;"), "{warning}");
    assert!(warning.message.contains(&format!("of the {reported} tokens that were reported")), "{warning}");
}

#[test]
fn what_is_due_leaves_what_the_trigger_allows() {
    let before = reads(20);
    let reported = tally(&before).total() as f64 * 1.7;
    let manager = Manager::new(ManagerOptions::read(&json!({ "provider": "truncation" })).unwrap());
    let call = CallOptions {
        total_tokens: Some(reported),
        context_window: Some(reported),
        max_tokens: Some(reported / 4.0),
        ..CallOptions::default()
    };
    let report = wait_for(manager.condense_if_needed(work(before, call)));
    let told = numbers(&report);
    let trigger = &told["trigger"];
    assert_eq!(trigger["due"], true);
    check(&report, trigger["prevContextTokens"].as_f64(), trigger["allowedTokens"].as_f64(), 0.0);
    assert!(!missed(&report));
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn all_numbers_agree(
        history in native(), id in select(BUILT_IN_PROVIDERS), factor in prop::option::of(0.2_f64..5.0),
        share in prop::option::of(0.0_f64..1.2), counts in prop::option::of(0.3_f64..3.0), scale in select(vec![1.0, 1.5]),
    ) {
        let before = Conversation::parse(&history).unwrap();
        let local = tally(&before).total() as f64;
        let reported = factor.map(|factor| (local * factor).ceil()).filter(|tokens| *tokens > 0.0);
        // Without a report, a target is in the handler's tokens, and decided by ours until the end: see `counts.test.mjs`.
        let target = share.filter(|_| reported.is_some() || counts.is_none()).map(|share| (reported.unwrap_or(local * scale) * share).floor());
        let llm = Llm {
            handler: counts.map(|factor| Arc::new(Scripted::counting(factor)) as _),
            condensing_handler: Some(Arc::new(Scripted::saying("In short: it was read."))),
            ..Llm::default()
        };
        let call = CallOptions { total_tokens: reported, target_tokens: target.map(|target| target as usize), ..CallOptions::default() };
        let manager = Manager::new(ManagerOptions::read(&json!({ "provider": id, "scale": scale })).unwrap());
        let report = wait_for(manager.condense(Work { llm, ..work(before, call) }));
        check(&report, reported, target, f64::from(u8::from(counts.is_some())));
    }
}
