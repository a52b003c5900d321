//! Tests of learned thresholds, which replace a preset's.

use serde_json::json;

use super::super::config::SmartConfig;

#[test]
fn learned_thresholds_take_the_place_of_fixed_ones() {
    let keys = |config: serde_json::Value| -> Vec<String> {
        SmartConfig::read(&config).unwrap().passes.into_iter().map(|pass| pass.key).collect()
    };
    for (preset, has) in [("aggressive", true), ("multi_zone", false)] {
        let fixed = keys(json!({ "preset": preset }));
        assert_eq!(keys(json!({ "preset": preset, "thresholds": "fixed" })), fixed);
        assert_eq!(keys(json!({ "preset": preset, "thresholds": "learned" })) != fixed, has, "{preset}");
    }
    // The default preset, without a model.
    let learned = json!({ "thresholds": "learned" });
    assert_eq!(keys(learned.clone()), keys(json!({})));
    let alone: Vec<String> =
        SmartConfig::read_alone(&learned).unwrap().passes.into_iter().map(|pass| pass.key).collect();
    assert_ne!(alone, keys(json!({})));
    assert!(keys(json!({ "preset": "aggressive", "thresholds": "learned", "passes": [] })).is_empty());
    let wrong = SmartConfig::read(&json!({ "thresholds": "best" })).unwrap_err();
    assert_eq!(wrong[0].path, "thresholds");
}
