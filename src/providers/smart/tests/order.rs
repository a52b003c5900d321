//! Tests of order, conditions, target and parameters.

use serde_json::{Value, json};

use super::{Conversation, Request, preset, reads, request, run, text_of};
use crate::{maps::HashSet, warning::WarningCode};

fn truncating(operation: Value) -> Value {
    json!({ "losslessPrelude": { "enabled": false }, "passes": [ {
        "id": "only", "selection": { "type": "preserve_recent", "keepRecentCount": 1 }, "mode": "individual",
        "individualConfig": { "defaults": { "toolResults": operation } } } ] })
}

#[test]
fn truncation_obeys_its_parameters() {
    let conversation = reads(1, 20);
    let with = |truncate: Value| {
        let config = truncating(json!({ "operation": "truncate", "params": { "truncate": truncate } }));
        let (_, settled) = run(&config, &request(&conversation));
        text_of(&settled.conversation, 2)
    };
    let line = |n: usize| format!("fn item_0_{n}(value: usize) -> usize {{ value * {n} + 0 }}");
    assert_eq!(
        with(json!({ "maxLines": 2, "strategy": "head" })),
        format!("{}\n{}\n... (18 more lines)", line(0), line(1))
    );
    assert_eq!(
        with(json!({ "maxLines": 2, "strategy": "head_tail" })),
        format!("{}\n... (18 more lines)\n{}", line(0), line(19))
    );
    assert_eq!(with(json!({ "maxLines": 1, "addEllipsis": false })), line(0));
    assert!(with(json!({ "maxChars": 30, "strategy": "head" })).starts_with("fn item_0_0(value: usize) -> u... ("));
    let salient = with(json!({ "maxLines": 3 }));
    assert_eq!(salient.lines().filter(|line| line.starts_with("fn item")).count(), 3, "{salient}");
    assert!(salient.contains("[…"), "{salient}");
}

#[test]
fn a_reached_target_ends_the_work() {
    let conversation = reads(30, 60);
    let mut request = request(&conversation);
    let (all, settled) = run(&preset("multi_zone"), &request);
    assert!(all.passes.iter().all(|pass| pass.ran));
    request.target_tokens = Some(request.tally.total() - 10);
    let (some, partly) = run(&preset("multi_zone"), &request);
    assert!(partly.tally.total() > settled.tally.total());
    assert!(some.passes.iter().any(|pass| !pass.ran && pass.skipped.as_deref() == Some("the target is reached")));
    assert!(request.meets_target(&partly.tally));
    request.target_tokens = Some(request.tally.total());
    assert!(run(&preset("multi_zone"), &request).0.plan.is_empty(), "nothing is to be done");
}

#[test]
fn presets_meet_a_target_that_their_passes_leave_open() {
    let conversation = reads(30, 60);
    let mut request = request(&conversation);
    request.target_tokens = Some(request.tally.total() / 12);
    for name in ["conservative", "balanced", "aggressive", "multi_zone"] {
        let (proposal, settled) = run(&preset(name), &request);
        assert!(request.meets_target(&settled.tally), "{name}");
        assert!(proposal.passes.iter().any(|pass| pass.id == "salient_to_target"), "{name}");
    }
    let (_, settled) = run(&preset("selective"), &request);
    assert!(!request.meets_target(&settled.tally), "everything else is left untouched");
}

#[test]
fn conditions_count_the_tokens_there_are() {
    let conversation = reads(30, 60);
    let total = request(&conversation).tally.total();
    let with = |threshold: usize| {
        let mut config = truncating(json!({ "operation": "suppress" }));
        config["passes"][0]["execution"] =
            json!({ "type": "conditional", "condition": { "tokenThreshold": threshold } });
        run(&config, &request(&conversation)).0.passes[0].clone()
    };
    assert!(!with(total).ran);
    let ran = with(total - 1);
    assert!(
        ran.ran && ran.exact && ran.tokens_before == total && ran.tokens_after < total && ran.messages_changed == 30
    );
}

#[test]
fn overrides_and_thresholds_are_by_message() {
    let conversation = reads(4, 20);
    let mut config = truncating(json!({ "operation": "suppress" }));
    config["passes"][0]["individualConfig"]["overrides"] = json!([
        { "messageIndex": 2, "operations": { "toolResults": { "operation": "keep" } } },
        { "messageIndex": 4, "operations": {}, "messageTokenThresholds": { "toolResults": 100_000 } },
        { "messageIndex": 5, "operations": { "messageText": { "operation": "suppress" } } },
    ]);
    let (_, settled) = run(&config, &request(&conversation));
    let touched: Vec<usize> = settled.changes.iter().map(|change| change.message_index).collect();
    assert_eq!(touched, [5, 6, 8]);
    assert_eq!(text_of(&settled.conversation, 6), "[Tool result suppressed]");
}

#[test]
fn a_small_gain_is_not_worth_a_change() {
    let conversation = reads(4, 20);
    let mut config = truncating(json!({ "operation": "suppress" }));
    config["minReductionTokens"] = json!(1_000_000);
    let (proposal, settled) = run(&config, &request(&conversation));
    assert!(settled.changes.is_empty() && proposal.warnings[0].code == WarningCode::ReductionTooSmall);
}

#[test]
fn before_truncation_the_prelude_leaves_texts_whole() {
    let shared: Vec<String> =
        (0..80).map(|line| format!("export const shared_{line} = compute(\"{line}\", options);")).collect();
    let mut messages = vec![json!({ "role": "user", "content": "Compare the modules." })];
    for module in 0..12 {
        let own: Vec<String> =
            (0..40).map(|line| format!("function own_{module}_{line}() {{ return {line}; }}")).collect();
        messages.push(json!({ "role": "assistant", "content": [
            { "type": "tool_use", "id": format!("t{module}"), "name": "search_files", "input": { "path": format!("src/{module}") } } ] }));
        messages.push(json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("t{module}"), "content": format!("{}\n{}", own.join("\n"), shared.join("\n")) } ] }));
    }
    messages.push(json!({ "role": "assistant", "content": "Done." }));
    let conversation = Conversation::parse(&Value::from(messages).to_string()).unwrap();
    let mut request = request(&conversation);
    let prelude = |request: &Request| run(&preset("balanced"), request).0.passes[0].clone();
    let repeated = ["repeated_lines".to_owned()];
    assert_eq!(prelude(&request).operations_applied, [""; 0], "what salience cuts is cut from whole texts");
    let alone = json!({ "passes": [] });
    let whole = run(&alone, &request).0.passes[0].clone();
    assert_eq!((whole.id.as_str(), &whole.operations_applied[..]), ("lossless_prelude", &repeated[..]));
    // This is enough for the target, so nothing else runs.
    request.target_tokens = Some(whole.tokens_after);
    assert_eq!(prelude(&request).operations_applied, repeated);
    request.target_tokens = Some(whole.tokens_after * 2 / 3);
    let (proposal, settled) = run(&preset("balanced"), &request);
    assert_eq!(proposal.passes[0].operations_applied, [""; 0], "{:?}", proposal.passes);
    assert!(request.meets_target(&settled.tally));
    let operations: HashSet<&str> = settled.changes.iter().map(|change| change.operation.as_str()).collect();
    assert!(operations.is_subset(&HashSet::from_iter(["salient", "drop", "insert", "log"])), "{operations:?}");
}

#[test]
fn no_configuration_at_all_is_the_default_preset() {
    let conversation = reads(30, 120);
    let (proposal, _) = run(&Value::Null, &request(&conversation));
    let (default, _) = run(&preset("balanced"), &request(&conversation));
    let ids = |proposal: &super::Proposal| proposal.passes.iter().map(|pass| pass.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&proposal), ids(&default));
    assert!(proposal.passes.len() >= 4);
}

#[test]
fn a_pass_that_needs_a_model_did_not_run_without_one() {
    let conversation = reads(10, 60);
    let config = json!({ "passes": [ { "id": "batch", "mode": "batch",
        "selection": { "type": "preserve_recent", "keepRecentCount": 1 }, "batchConfig": { "operation": "summarize" } } ] });
    let (proposal, _) = run(&config, &request(&conversation));
    let pass = &proposal.passes[1];
    assert_eq!((pass.ran, pass.skipped.as_deref()), (false, Some("no handler: a model would write the summary")));
    // No warning, because no request would have been made.
    let short = Conversation::parse(r#"[{"role":"user","content":"hi"}]"#).unwrap();
    assert_eq!(run(&preset("balanced"), &request(&short)).0.warnings, []);
}
