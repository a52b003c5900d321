//! The presets.
//!
//! The numbers are from the published design of the smart provider (phase 4.5, with thresholds per message), or from
//! the design before it if that one gives none.

use serde_json::{Value, json};

use crate::summaries::CONDENSING_ROLE;

/// The preset used if a configuration names none.
pub(super) const DEFAULT: &str = "balanced";

/// The preset that requests a summary of every large result, however many there are.
pub(super) const ASKS_OF_EACH: &str = "selective";

/// All presets. `quality` is another name for `conservative`.
pub(super) const NAMES: &[&str] = &["conservative", "quality", "balanced", "aggressive", "multi_zone", "selective"];

/// Returns all presets by name, as JSON.
pub(super) fn all() -> Value {
    Value::Object(NAMES.iter().map(|name| ((*name).to_owned(), json(name))).collect())
}

/// Returns the configuration of a preset as JSON; null for an unknown name.
pub(super) fn json(name: &str) -> Value {
    match name {
        "conservative" | "quality" => conservative(),
        "balanced" => balanced(),
        "aggressive" => aggressive(),
        "multi_zone" => multi_zone(),
        "selective" => selective(),
        _ => Value::Null,
    }
}

/// A threshold that no text reaches, so that the content is left unchanged.
const NEVER: usize = 1_000_000;

/// Thresholds for passes without a model: preset, pass, threshold of parameters, threshold of results.
/// `benches/quality/thresholds.mjs` learned them on one half of the recorded conversations, divided by project;
/// docs/measurements.md says how much they keep on the other half. `multi_zone` has none, because learned ones kept
/// no more.
const LEARNED: &[(&str, &str, usize, usize)] =
    &[("aggressive", "suppress-ancient", 500, NEVER), ("aggressive", "truncate-middle", 2000, 0)];

/// Thresholds for a preset that calls a model, for calls without a model, in which salient truncation replaces its
/// summaries.
const LEARNED_ALONE: &[(&str, &str, usize, usize)] =
    &[("balanced", "llm-quality", 0, 0), ("balanced", "mechanical-fallback", NEVER, NEVER)];

/// Returns a preset with its learned thresholds, if it has any. `alone`: no model is available.
pub(super) fn learned(name: &str, alone: bool) -> Value {
    let mut preset = json(name);
    for pass in preset["passes"].as_array_mut().into_iter().flatten() {
        let of_alone = LEARNED_ALONE.iter().filter(|_| alone);
        let of_pass = LEARNED.iter().chain(of_alone).find(|(preset, id, ..)| *preset == name && pass["id"] == *id);
        if let Some((.., parameters, results)) = of_pass {
            pass["individualConfig"]["messageTokenThresholds"] =
                json!({ "toolParameters": parameters, "toolResults": results });
        }
    }
    preset
}

fn prelude() -> Value {
    json!({ "enabled": true })
}

fn recent(count: usize, tokens: usize) -> Value {
    json!({ "type": "preserve_recent", "keepRecentCount": count, "keepRecentTokens": tokens })
}

fn over(tokens: usize) -> Value {
    json!({ "type": "conditional", "condition": { "tokenThreshold": tokens } })
}

fn keep() -> Value {
    json!({ "operation": "keep" })
}

fn suppress() -> Value {
    json!({ "operation": "suppress" })
}

fn average(tokens: usize) -> Value {
    json!({ "operation": "truncate", "params": { "truncate": { "averageTokens": tokens } } })
}

fn summary(tokens: usize) -> Value {
    json!({ "operation": "summarize", "params": { "summarize": { "maxTokens": tokens, "apiProfile": CONDENSING_ROLE } } })
}

fn tools(parameters: Value, results: Value) -> Value {
    json!({ "messageText": keep(), "toolParameters": parameters, "toolResults": results })
}

fn batch(id: &str, name: &str, (percent, recent_tokens): (u32, usize), keep_last: usize, tokens: usize) -> Value {
    json!({
        "id": id,
        "name": name,
        "selection": { "type": "preserve_percent", "keepPercentage": percent, "keepRecentTokens": recent_tokens },
        "mode": "batch",
        "batchConfig": { "operation": "summarize", "summarizationConfig": {
            "keepFirst": 1, "keepLast": keep_last, "apiProfile": CONDENSING_ROLE,
        } },
        "execution": over(tokens),
    })
}

fn individual(id: &str, name: &str, selection: Value, operations: Value, thresholds: Value, execution: Value) -> Value {
    json!({
        "id": id,
        "name": name,
        "selection": selection,
        "mode": "individual",
        "individualConfig": { "defaults": operations, "messageTokenThresholds": thresholds },
        "execution": execution,
    })
}

fn always() -> Value {
    json!({ "type": "always" })
}

fn conservative() -> Value {
    json!({
        "name": "Conservative",
        "meetTarget": true,
        "description": "Best quality: large tool results are summarised, everything else stays.",
        "losslessPrelude": prelude(),
        "passes": [
            individual("llm-quality", "Summaries of large old tool results", recent(10, 14_000), tools(keep(), summary(150)),
                json!({ "toolResults": 2000 }), always()),
            batch("batch-fallback", "One summary of the older part", (40, 35_000), 8, 40_000),
        ],
    })
}

fn balanced() -> Value {
    json!({
        "name": "Balanced",
        "meetTarget": true,
        "description": "Summaries first, then truncation, then one summary of the oldest messages, each only while it is needed.",
        "losslessPrelude": prelude(),
        "passes": [
            individual("llm-quality", "Summaries of old tool results", recent(10, 14_000), tools(keep(), summary(120)),
                json!({ "toolResults": 1000 }), always()),
            individual("mechanical-fallback", "Truncation of old tool calls", recent(5, 7_000), tools(average(25), average(60)),
                json!({ "toolParameters": 500, "toolResults": 500 }), over(40_000)),
            batch("batch-old", "One summary of the oldest messages", (30, 25_000), 1, 30_000),
        ],
        "noMoreTokensThan": "conservative",
    })
}

fn aggressive() -> Value {
    json!({
        "name": "Aggressive",
        "meetTarget": true,
        "description": "As small as can be: very old tool calls are suppressed, old ones truncated.",
        "losslessPrelude": prelude(),
        "passes": [
            individual("suppress-ancient", "Suppression of very old tool calls", recent(30, 35_000), tools(suppress(), suppress()),
                json!({ "toolParameters": 300, "toolResults": 300 }), always()),
            individual("truncate-middle", "Truncation of old tool calls", recent(10, 14_000), tools(average(20), average(36)),
                json!({ "toolParameters": 500, "toolResults": 500 }), always()),
            batch("emergency-llm", "One summary of nearly everything", (20, 15_000), 5, 30_000),
        ],
        "noMoreTokensThan": "balanced",
    })
}

fn multi_zone() -> Value {
    json!({
        "name": "Multi-zone",
        "meetTarget": true,
        "description": "The older, the less stays: suppression, truncation, light truncation.",
        "losslessPrelude": prelude(),
        "passes": [
            individual("zone-ancient", "Ancient messages: suppression", recent(50, 46_000), tools(suppress(), suppress()), json!({}), always()),
            individual("zone-old", "Old messages: truncation", recent(30, 35_000), tools(average(30), average(72)), json!({}), always()),
            individual("zone-medium", "Medium messages: light truncation", recent(10, 14_000), tools(keep(), average(180)), json!({}), always()),
        ],
    })
}

fn selective() -> Value {
    let results = json!({ "operation": "summarize", "params": { "summarize": { "minChars": 1000, "apiProfile": CONDENSING_ROLE } } });
    json!({
        "name": "Selective",
        "description": "Only old tool results over 1000 characters are summarised, one by one; everything else is untouched.",
        "losslessPrelude": { "enabled": false },
        "passes": [
            individual("selective", "Summaries of large tool results", json!({ "type": "preserve_recent", "keepRecentCount": 3 }), tools(keep(), results), json!({}), always()),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_learned_threshold_is_of_a_pass_that_there_is() {
        for (preset, id, parameters, results) in LEARNED.iter().chain(LEARNED_ALONE) {
            let learned = learned(preset, true);
            let pass = learned["passes"].as_array().unwrap().iter().find(|pass| pass["id"] == *id).unwrap();
            let thresholds = &pass["individualConfig"]["messageTokenThresholds"];
            assert_eq!(*thresholds, json!({ "toolParameters": parameters, "toolResults": results }));
            assert_ne!(learned, json(preset));
        }
    }

    #[test]
    fn what_asks_a_model_has_its_own_thresholds() {
        for name in ["conservative", "quality", "balanced", "selective"] {
            assert_eq!(learned(name, false), json(name));
        }
    }
}
