//! Properties of the smart provider beyond the invariants: presets in their order, selections that hold.

use std::{collections::HashSet, sync::Arc};

use proptest::{prelude::*, sample::select};
use roo_condense::{Conversation, Llm, LlmHandler, create_provider};
use serde_json::{json, value::RawValue};

use crate::common::{
    cases::{Target, any_target, cases},
    checks::{run_alone, run_with, tally},
    configurations::any_config,
    histories::{any_history, lines, literal},
    real_histories::{Share, beginning, for_each_history},
    scripted::{Scripted, answer},
};

/// Panics unless each of the three presets leaves no more than the one before.
fn check_order(name: &str, conversation: &Conversation, target: Target) {
    check_order_with(name, conversation, target, None);
}

/// The same with a model whose summaries have so many words, as far as they may.
fn check_order_with(name: &str, conversation: &Conversation, target: Target, words: Option<usize>) {
    let target = target.tokens(conversation);
    let left = ["conservative", "balanced", "aggressive"].map(|preset| {
        let handler = words.map(|words| Arc::new(Scripted::new(move |_, _| Ok(answer(&"word ".repeat(words))))));
        let llm = Llm { handler: handler.map(|handler| handler as Arc<dyn LlmHandler>), ..Llm::default() };
        let provider = create_provider("smart", &json!({ "preset": preset })).unwrap();
        let report = run_with(&provider, conversation, target, llm);
        // Nothing gained is an error where a model was asked.
        let is_gain = report.error_code().is_none();
        assert!(is_gain || words.is_some(), "{name}: {preset}: {:?}", report.error_code());
        report.final_tokens()
    });
    // Whatever reaches a target leaves few enough.
    let is_enough = |tokens: usize| target.is_some_and(|target| tokens <= target);
    assert!(
        left.is_sorted_by(|more, less| more >= less || is_enough(*less)),
        "{name}, {words:?} words, target {target:?}: {left:?}"
    );
}

/// Lengths of summaries, in words.
const LENGTHS: [usize; 4] = [2, 40, 400, 4000];

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
    fn presets_are_ordered_whatever_a_model_writes(
        json in any_history(), times in 0..2_usize, target in any_target(), words in select(&LENGTHS)
    ) {
        check_order_with("made", &repeated(&json, times), target, Some(words));
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
        // A pointer in them is kept true where what it leads to was left out.
        let mended: HashSet<usize> = report.changes().iter().filter(|change| change.operation == "pointers").map(|change| change.message_index).collect();
        for (index, entry) in before.entries().iter().enumerate().skip(before.len().saturating_sub(keep)) {
            let stays = after.entries().iter().any(|other| Arc::ptr_eq(&other.message, &entry.message));
            prop_assert!(stays || mended.contains(&index), "message {index}");
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
fn presets_are_ordered_on_long_histories_whatever_a_model_writes() {
    for (calls, length) in [(20, 40), (60, 80), (25, 200), (4, 1500)] {
        for words in LENGTHS {
            check_order_with("long", &reads(calls, length), Target::None, Some(words));
        }
    }
}

#[test]
fn presets_are_ordered_on_recorded_histories() {
    check_order_of(Share::Sample);
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn presets_are_ordered_on_the_other_recorded_histories() {
    check_order_of(Share::Others);
}

fn check_order_of(share: Share) {
    for_each_history("the order of presets", share, |name, conversation| {
        check_order(name, &beginning(conversation, 30_000), Target::None);
        for words in LENGTHS {
            check_order_with(name, &beginning(conversation, 30_000), Target::None, Some(words));
        }
    });
}

/// Found by a review: zones by number of messages left most of a short history with huge results alone.
#[test]
fn a_short_history_with_huge_results_becomes_small() {
    let conversation = reads(4, 2000);
    let before = tally(&conversation).total();
    assert!(conversation.len() == 9 && before > 50_000, "{before}");
    let left = run_alone("smart", &json!({ "preset": "aggressive" }), &conversation, None).final_tokens();
    // The newest result, which no lossy operation touches, is a quarter.
    assert!(left * 10 < before * 3, "{left} of {before}");
}

/// Nothing cuts more than was asked for: the lossless provider and the prelude stop at the target. A block changes as one, and the newest go first however large
/// they are, so that here and there more goes.
#[test]
fn a_loose_target_is_not_overshot() {
    let mut spare = Vec::new();
    for_each_history("loose targets", Share::All, |_, conversation| {
        let conversation = beginning(conversation, 60_000);
        let before = tally(&conversation).total();
        for (percent, provider) in [(98, "lossless"), (90, "lossless"), (95, "smart"), (80, "smart")] {
            let target = before * percent / 100;
            let left = run_alone(provider, &json!({}), &conversation, Some(target)).final_tokens();
            if left <= target && before > 4000 {
                spare.push((target - left) as f64 / before as f64);
            }
        }
    });
    spare.sort_by(f64::total_cmp);
    let mean = spare.iter().sum::<f64>() / spare.len() as f64;
    assert!(mean < 0.03 && spare[spare.len() / 2] < 0.02, "{mean}: {spare:?}");
}
