//! Configurations by name.
//!
//! Numbers are those of the published design of the smart provider (phase 4.5 of it, with thresholds for messages); where that one
//! says nothing, those of the design that came before it.

use serde_json::{Value, json};

/// The preset that a configuration without one has.
pub(super) const DEFAULT: &str = "balanced";

/// All presets. `quality` is another name for `conservative`.
pub(super) const NAMES: &[&str] = &["conservative", "quality", "balanced", "aggressive", "multi_zone", "selective"];

/// All presets by name, as JSON.
pub(super) fn all() -> Value {
    Value::Object(NAMES.iter().map(|name| ((*name).to_owned(), json(name))).collect())
}

/// The configuration of a preset as JSON; null for a name that none has.
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

fn prelude() -> Value {
    json!({ "enabled": true })
}

fn recent(count: usize) -> Value {
    json!({ "type": "preserve_recent", "keepRecentCount": count })
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

fn characters(count: usize) -> Value {
    json!({ "operation": "truncate", "params": { "truncate": { "maxChars": count } } })
}

fn lines(count: usize) -> Value {
    json!({ "operation": "truncate", "params": { "truncate": { "maxLines": count } } })
}

fn summary(tokens: usize) -> Value {
    json!({ "operation": "summarize", "params": { "summarize": { "maxTokens": tokens } } })
}

fn tools(parameters: Value, results: Value) -> Value {
    json!({ "messageText": keep(), "toolParameters": parameters, "toolResults": results })
}

fn batch(id: &str, name: &str, percent: u32, keep_last: usize, tokens: usize) -> Value {
    json!({
        "id": id,
        "name": name,
        "selection": { "type": "preserve_percent", "keepPercentage": percent },
        "mode": "batch",
        "batchConfig": { "operation": "summarize", "summarizationConfig": { "keepFirst": 1, "keepLast": keep_last } },
        "execution": over(tokens),
    })
}

fn individual(id: &str, name: &str, keep: usize, operations: Value, thresholds: Value, execution: Value) -> Value {
    json!({
        "id": id,
        "name": name,
        "selection": recent(keep),
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
            individual("llm-quality", "Summaries of large old tool results", 10, tools(keep(), summary(150)),
                json!({ "toolResults": 2000 }), always()),
            batch("batch-fallback", "One summary of the older part", 40, 8, 40_000),
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
            individual("llm-quality", "Summaries of old tool results", 10, tools(keep(), summary(120)),
                json!({ "toolResults": 1000 }), always()),
            individual("mechanical-fallback", "Truncation of old tool calls", 5, tools(characters(100), lines(5)),
                json!({ "toolParameters": 500, "toolResults": 500 }), over(40_000)),
            batch("batch-old", "One summary of the oldest messages", 30, 1, 30_000),
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
            individual("suppress-ancient", "Suppression of very old tool calls", 30, tools(suppress(), suppress()),
                json!({ "toolParameters": 300, "toolResults": 300 }), always()),
            individual("truncate-middle", "Truncation of old tool calls", 10, tools(characters(80), lines(3)),
                json!({ "toolParameters": 500, "toolResults": 500 }), always()),
            batch("emergency-llm", "One summary of nearly everything", 20, 5, 30_000),
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
            individual("zone-ancient", "Ancient messages: suppression", 50, tools(suppress(), suppress()), json!({}), always()),
            individual("zone-old", "Old messages: truncation", 30, tools(characters(120), lines(6)), json!({}), always()),
            individual("zone-medium", "Medium messages: light truncation", 10, tools(keep(), lines(15)), json!({}), always()),
        ],
    })
}

fn selective() -> Value {
    let results = json!({ "operation": "summarize", "params": { "summarize": { "minChars": 1000 } } });
    json!({
        "name": "Selective",
        "description": "Only old tool results over 1000 characters are summarised, one by one; everything else is untouched.",
        "losslessPrelude": { "enabled": false },
        "passes": [
            individual("selective", "Summaries of large tool results", 3, tools(keep(), results), json!({}), always()),
        ],
    })
}
