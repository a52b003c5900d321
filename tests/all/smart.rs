//! What the smart provider promises beyond the invariants: presets in their order, selections that hold.

use std::sync::Arc;

use proptest::prelude::*;
use roo_condense::Conversation;
use serde_json::{json, value::RawValue};

use super::{
    checks::run_alone,
    configurations::any_config,
    histories::{any_history, lines, literal},
    invariants::{Target, any_target, cases},
    real_histories::{beginning, for_each_history},
};

/// Panics unless each of the three presets leaves no more than the one before.
fn check_order(name: &str, conversation: &Conversation, target: Target) {
    let target = target.of(conversation);
    let left = ["conservative", "balanced", "aggressive"].map(|preset| {
        let report = run_alone("smart", &json!({ "preset": preset }), conversation, target);
        assert_eq!(report.error_code(), None, "{name}: {preset}");
        report.final_tokens()
    });
    assert!(left.is_sorted_by(|more, less| more >= less), "{name}: {left:?}");
}

/// The messages, and all but the first again `times` times: long enough to reach the older zones.
fn repeated(json: &str, times: usize) -> Conversation {
    let messages: Vec<&RawValue> = serde_json::from_str(json).unwrap();
    let rest = messages.get(1..).unwrap_or_default();
    let all: Vec<&str> = messages.iter().chain((0..times).flat_map(|_| rest)).map(|message| message.get()).collect();
    Conversation::parse(&format!("[{}]", all.join(","))).unwrap()
}

/// A task, and calls that read `length` lines each.
fn reads(calls: usize, length: usize) -> Conversation {
    let calls = (0..calls).map(|call| {
        let text = literal(&lines(call as u8, length, "\n"));
        format!(
            r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"t{call}","name":"read_file","input":{{"path":"src/{call}.ts"}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{call}","content":{text}}}]}}"#
        )
    });
    let calls: String = calls.collect();
    Conversation::parse(&format!(r#"[{{"role":"user","content":"Fix the parser."}}{calls}]"#)).unwrap()
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn presets_are_ordered(json in any_history(), times in 0..2_usize, target in any_target()) {
        check_order("made", &repeated(&json, times), target);
    }

    #[test]
    fn what_a_selection_preserves_stays(json in any_history(), mut config in any_config("smart"), keep in 1..12_usize) {
        // Neither the lossless prelude nor the limit that another preset sets asks for the selection.
        config["losslessPrelude"] = json!({ "enabled": false });
        config.as_object_mut().unwrap().remove("noMoreTokensThan");
        for pass in config["passes"].as_array_mut().into_iter().flatten() {
            pass["selection"] = json!({ "type": "preserve_recent", "keepRecentCount": keep });
        }
        prop_assume!(config["passes"].is_array());
        let before = Conversation::parse(&json).unwrap();
        let report = run_alone("smart", &config, &before, None);
        let after = before.apply(report.plan()).unwrap();
        for entry in &before.entries()[before.len().saturating_sub(keep)..] {
            prop_assert!(after.entries().iter().any(|other| Arc::ptr_eq(&other.message, &entry.message)));
        }
    }
}

#[test]
fn presets_are_ordered_on_long_histories() {
    for (calls, length) in [(20, 40), (60, 80), (25, 200)] {
        check_order("long", &reads(calls, length), Target::None);
    }
}

#[test]
fn presets_are_ordered_on_recorded_histories() {
    for_each_history("the order of presets", |name, conversation| {
        check_order(name, &beginning(conversation, 30_000), Target::None);
    });
}
