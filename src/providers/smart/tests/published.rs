//! The configurations of the published design.

use serde_json::{Value, json};

use super::{Cancel, Encoding, Tally, problems, reads, request, run};

/// The four configurations, as the published design has them.
pub(super) fn published() -> [(&'static str, Value); 4] {
    let recent = |count: usize| json!({ "type": "preserve_recent", "keepRecentCount": count });
    let percent = |percent: usize| json!({ "type": "preserve_percent", "keepPercentage": percent });
    let over = |tokens: usize| json!({ "type": "conditional", "condition": { "tokenThreshold": tokens } });
    let always = json!({ "type": "always" });
    let keep = json!({ "operation": "keep" });
    let suppress = json!({ "operation": "suppress" });
    let chars = |most: usize| json!({ "operation": "truncate", "params": { "truncate": { "maxChars": most } } });
    let lines = |most: usize| json!({ "operation": "truncate", "params": { "truncate": { "maxLines": most } } });
    let summary = |profile: &str, tokens: usize| json!({ "operation": "summarize", "params": { "summarize": { "apiProfile": profile, "maxTokens": tokens } } });
    let batch = |last: usize| json!({ "operation": "summarize", "summarizationConfig": { "apiProfile": "gpt-4o-mini", "keepFirst": 1, "keepLast": last } });
    let each = |parameters: &Value, results: &Value| json!({ "defaults": { "messageText": keep, "toolParameters": parameters, "toolResults": results } });
    let prelude = json!({ "enabled": true, "operations": { "deduplicateFileReads": true, "consolidateToolResults": true, "removeObsoleteState": true } });
    [
        (
            "conservative",
            json!({ "losslessPrelude": prelude, "passes": [
            { "id": "pass-1-quality", "name": "LLM Summarization of Old Content", "selection": recent(10), "mode": "individual",
              "individualConfig": each(&keep, &summary("claude-haiku", 150)), "execution": always },
            { "id": "pass-2-fallback", "name": "Batch Summary Fallback", "selection": percent(40), "mode": "batch",
              "batchConfig": batch(8), "execution": over(40000) } ] }),
        ),
        (
            "balanced",
            json!({ "losslessPrelude": prelude, "passes": [
            { "id": "mechanical", "name": "Mechanical Truncation", "selection": recent(5), "mode": "individual",
              "individualConfig": each(&chars(150), &lines(8)), "execution": always },
            { "id": "llm-selective", "name": "Selective LLM Summary", "selection": recent(10), "mode": "individual",
              "individualConfig": each(&keep, &summary("gpt-4o-mini", 100)), "execution": over(45000) },
            { "id": "aggressive-fallback", "name": "Aggressive Suppression", "selection": recent(15), "mode": "individual",
              "individualConfig": each(&suppress, &suppress), "execution": over(35000) } ] }),
        ),
        (
            "aggressive",
            json!({ "losslessPrelude": prelude, "passes": [
            { "id": "suppress-ancient", "name": "Suppress Very Old", "selection": recent(30), "mode": "individual",
              "individualConfig": each(&suppress, &suppress), "execution": always },
            { "id": "truncate-middle", "name": "Truncate Middle Zone", "selection": recent(10), "mode": "individual",
              "individualConfig": each(&chars(80), &lines(3)), "execution": always },
            { "id": "emergency-llm", "name": "Emergency Batch Summary", "selection": percent(20), "mode": "batch",
              "batchConfig": batch(5), "execution": over(30000) } ] }),
        ),
        (
            "multi-zone",
            json!({ "losslessPrelude": prelude, "passes": [
            { "id": "zone-ancient", "name": "Ancient Messages - Suppress", "selection": recent(50), "mode": "individual",
              "individualConfig": each(&suppress, &suppress), "execution": always },
            { "id": "zone-old", "name": "Old Messages - Truncate", "selection": recent(30), "mode": "individual",
              "individualConfig": each(&chars(120), &lines(6)), "execution": always },
            { "id": "zone-medium", "name": "Medium Messages - Light Truncate", "selection": recent(10), "mode": "individual",
              "individualConfig": each(&keep, &lines(15)), "execution": always } ] }),
        ),
    ]
}

#[test]
fn the_published_configurations_run_as_written() {
    let conversation = reads(40, 60);
    for (name, config) in published() {
        let request = request(&conversation);
        let (proposal, settled) = run(&config, &request);
        assert!(
            settled.tally.total() * 2 < request.tally.total(),
            "{name}: {} of {}",
            settled.tally.total(),
            request.tally.total()
        );
        assert!(problems(&settled.conversation).is_empty(), "{name}");
        let told: Vec<&str> = proposal.passes.iter().map(|pass| pass.id.as_str()).collect();
        let mut wanted = vec!["lossless_prelude"];
        wanted.extend(config["passes"].as_array().unwrap().iter().map(|pass| pass["id"].as_str().unwrap()));
        assert_eq!(told, wanted, "{name}");
    }
}

#[test]
fn zones_lose_more_the_older_they_are() {
    let conversation = reads(40, 60);
    let (_, settled) = run(&published()[3].1, &request(&conversation));
    let tokens = |message: usize| settled.tally.message(message);
    let before = Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap();
    assert!(tokens(2) < 10, "suppressed: {}", tokens(2));
    assert!(tokens(40) > tokens(2) && tokens(40) < tokens(66), "{} {}", tokens(40), tokens(66));
    assert!(tokens(66) < before.message(66));
    assert_eq!(tokens(76), before.message(76), "the newest ten stay");
}
