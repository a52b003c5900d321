//! Tests of the presets.

use serde_json::json;

use super::{SmartConfig, preset, presets, reads, request, run};
use crate::warning::{Warning, WarningCode};

#[test]
fn every_preset_is_valid_and_has_the_published_thresholds() {
    for name in presets::NAMES {
        assert!(SmartConfig::read(&presets::json(name)).is_ok(), "{name}");
        assert!(SmartConfig::read(&preset(name)).is_ok(), "{name}");
    }
    let threshold = |name: &str, pass: usize, kind: &str| {
        presets::json(name)["passes"][pass]["individualConfig"]["messageTokenThresholds"][kind].clone()
    };
    assert_eq!(threshold("conservative", 0, "toolResults"), 2000);
    assert_eq!(threshold("balanced", 0, "toolResults"), 1000);
    assert_eq!(threshold("balanced", 1, "toolParameters"), 500);
    assert_eq!(threshold("aggressive", 0, "toolResults"), 300);
    assert_eq!(threshold("aggressive", 1, "toolResults"), 500);
    assert_eq!(presets::json("quality"), presets::json("conservative"));
    assert_eq!(SmartConfig::read(&json!({})).unwrap().passes.len(), 3, "balanced is the default");
}

#[test]
fn without_a_model_presets_say_so_and_truncate() {
    let conversation = reads(30, 120);
    let request = request(&conversation);
    let (proposal, settled) = run(&preset("conservative"), &request);
    assert!(settled.tally.total() < request.tally.total() / 2);
    let told = |warning: &Warning| {
        warning.code == WarningCode::NoHandler && warning.message.starts_with("pass \"llm-quality\"")
    };
    assert!(proposal.warnings.iter().any(told), "{:?}", proposal.warnings);
    assert!(settled.changes.iter().any(|change| change.operation == "salient"));
}

#[test]
fn selective_touches_old_tool_results_over_a_thousand_characters_only() {
    let conversation = reads(6, 30);
    let (_, settled) = run(&preset("selective"), &request(&conversation));
    let touched: Vec<usize> = settled.changes.iter().map(|change| change.message_index).collect();
    assert!(!touched.is_empty() && touched.iter().all(|message| [2, 4, 6, 8, 10].contains(message)), "{touched:?}");
    // All results together keep as many tokens as their summaries would have.
    let left: usize = [2, 4, 6, 8, 10].map(|message| settled.tally.message(message)).iter().sum();
    assert!(left <= 5 * 150 + 5 * 8, "{left}");
    let short = reads(6, 12);
    let (_, settled) = run(&preset("selective"), &request(&short));
    assert!(settled.changes.is_empty(), "900 characters are left alone: {:?}", settled.changes);
    let (_, settled) = run(&json!({ "preset": "selective", "enabled": false }), &request(&conversation));
    assert!(settled.changes.is_empty());
}
