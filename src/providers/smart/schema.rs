//! The configuration as JSON Schema (2020-12).

use serde_json::{Value, json};

use super::{
    config::{
        BATCH_OPERATIONS, DEFAULT_CONCURRENCY, DEFAULT_LINE_CHARS, DEFAULT_SUMMARY_TOKENS, EXECUTIONS, MAX_CONCURRENCY,
        MAX_LIMIT, MODES, OPERATIONS, SELECTIONS, STRATEGIES, prelude_schema,
    },
    presets,
};

/// The schema of the whole configuration.
pub(super) fn schema() -> Value {
    let mut operations = prelude_schema();
    if let Value::Object(fields) = &mut operations {
        fields.remove("$schema");
        fields.remove("title");
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of the smart provider",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "preset": described(json!({ "enum": presets::NAMES, "default": presets::DEFAULT }),
                "The configuration that the other fields replace parts of."),
            "name": described(json!({ "type": "string" }), "For people."),
            "description": described(json!({ "type": "string" }), "For people."),
            "enabled": described(json!({ "type": "boolean", "default": true }), "Off leaves every conversation as it is."),
            "losslessPrelude": object(json!({
                "enabled": described(json!({ "type": "boolean", "default": true }), "Whether the lossless provider goes first."),
                "operations": operations,
            }), &[]),
            "passes": described(json!({ "type": "array", "items": { "$ref": "#/$defs/pass" } }), "Done in this order."),
            "maxConcurrency": described(whole(1, MAX_CONCURRENCY, Some(DEFAULT_CONCURRENCY)), "Requests for summaries under way at once."),
            "minReductionTokens": described(whole(0, MAX_LIMIT, Some(0)),
                "When the whole would save fewer tokens, nothing is changed: a change makes the model provider's prompt cache miss."),
            "meetTarget": described(json!({ "type": "boolean" }),
                "When the passes leave more than the target, salient truncation goes on. Default: as the preset says; false with passes of one's own."),
            "noMoreTokensThan": described(json!({ "enum": presets::NAMES }),
                "Without a handler, the result has no more tokens than this preset would leave."),
        },
        "$defs": {
            "pass": pass(),
            "operations": operations_of_kinds(),
            "operation": operation(),
            "thresholds": thresholds(),
        },
    })
}

fn described(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required })
}

fn whole(min: usize, max: usize, default: Option<usize>) -> Value {
    let mut schema = json!({ "type": "integer", "minimum": min, "maximum": max });
    if let Some(default) = default {
        schema["default"] = json!(default);
    }
    schema
}

/// When the field `name` has this value, one of the fields `required` has to be there. Every field is named where it is required, as
/// strict validators want it.
fn needs(name: &str, value: &str, required: &[&str]) -> Value {
    let has = |field: &&str| json!({ "properties": { *field: true }, "required": [field] });
    let one: Vec<Value> = required.iter().map(has).collect();
    json!({ "if": { "properties": { name: { "const": value } }, "required": [name] }, "then": { "anyOf": one } })
}

fn pass() -> Value {
    let mut pass = object(
        json!({
            "id": described(json!({ "type": "string", "minLength": 1 }), "What reports call it; no two passes share one."),
            "name": described(json!({ "type": "string" }), "For people."),
            "description": described(json!({ "type": "string" }), "For people."),
            "selection": selection(),
            "mode": described(json!({ "enum": MODES }), "Each text on its own, or the selected messages as one."),
            "batchConfig": batch(),
            "individualConfig": individual(),
            "execution": execution(),
        }),
        &["id", "selection", "mode"],
    );
    pass["allOf"] =
        json!([needs("mode", "batch", &["batchConfig"]), needs("mode", "individual", &["individualConfig"])]);
    pass
}

fn selection() -> Value {
    let json_types =
        ["null", "boolean", "number", "string", "array", "object"].map(|name| json!({ "type": name })).to_vec();
    let mut selection = object(
        json!({
            "type": described(json!({ "enum": SELECTIONS }), "The first and the newest message are never selected."),
            "keepRecentCount": described(whole(1, MAX_LIMIT, None), "So many of the newest messages are not selected."),
            "keepPercentage": described(json!({ "type": "number", "minimum": 0, "maximum": 100 }),
                "This share of the newest messages, rounded up, is not selected."),
            "messageIndices": described(json!({ "type": "array", "items": whole(0, MAX_LIMIT, None) }),
                "Indices in the messages as they were given."),
            // A function, which is of none of the types there are in JSON.
            "customSelector": described(
                json!({ "not": { "anyOf": json_types } }),
                "In JavaScript only: a function that is given the messages and returns some of them."),
        }),
        &["type"],
    );
    selection["allOf"] = json!([
        needs("type", "preserve_recent", &["keepRecentCount"]),
        needs("type", "preserve_percent", &["keepPercentage"]),
        needs("type", "custom", &["messageIndices", "customSelector"]),
    ]);
    selection
}

fn batch() -> Value {
    let summary = object(
        json!({
            "apiProfile": described(json!({ "type": "string" }), "The profile whose handler writes the summary."),
            "customPrompt": described(json!({ "type": "string" }), "The system prompt; blank for that of the native provider."),
            "keepFirst": described(whole(0, MAX_LIMIT, Some(1)), "Messages that stay at the start; the first always does."),
            "keepLast": described(whole(0, MAX_LIMIT, Some(1)), "Messages that stay at the end, when the selection leaves fewer."),
        }),
        &[],
    );
    object(json!({ "operation": { "enum": BATCH_OPERATIONS }, "summarizationConfig": summary }), &["operation"])
}

fn individual() -> Value {
    let of_message = object(
        json!({
            "messageIndex": described(whole(0, MAX_LIMIT, None), "Index in the messages as they were given."),
            "operations": { "$ref": "#/$defs/operations" },
            "messageTokenThresholds": { "$ref": "#/$defs/thresholds" },
        }),
        &["messageIndex"],
    );
    object(
        json!({
            "defaults": { "$ref": "#/$defs/operations" },
            "messageTokenThresholds": { "$ref": "#/$defs/thresholds" },
            "overrides": described(json!({ "type": "array", "items": of_message }), "Other operations for single messages."),
        }),
        &["defaults"],
    )
}

fn execution() -> Value {
    let condition = object(json!({ "tokenThreshold": whole(0, MAX_LIMIT, None) }), &["tokenThreshold"]);
    let mut execution = object(
        json!({
            "type": described(json!({ "enum": EXECUTIONS, "default": "always" }), "Whether it runs in any case."),
            "condition": described(condition, "It runs when there are more tokens than the threshold."),
        }),
        &[],
    );
    execution["allOf"] = json!([needs("type", "conditional", &["condition"])]);
    execution
}

fn thresholds() -> Value {
    let tokens = || whole(0, MAX_LIMIT, Some(0));
    described(
        object(json!({ "messageText": tokens(), "toolParameters": tokens(), "toolResults": tokens() }), &[]),
        "Content of a kind with fewer tokens in a message is left as it is.",
    )
}

fn operations_of_kinds() -> Value {
    let operation = || json!({ "$ref": "#/$defs/operation" });
    described(
        object(json!({ "messageText": operation(), "toolParameters": operation(), "toolResults": operation() }), &[]),
        "What is done to each kind of content; it is kept where nothing is said.",
    )
}

fn operation() -> Value {
    let truncate = object(
        json!({
            "maxChars": described(whole(1, MAX_LIMIT, None), "Characters that stay."),
            "maxLines": described(whole(1, MAX_LIMIT, None), "Lines that stay. With neither, 5 lines, and 100 characters of parameters."),
            "maxLineChars": described(whole(20, MAX_LIMIT, Some(DEFAULT_LINE_CHARS)), "Characters that stay of each line."),
            "addEllipsis": described(json!({ "type": "boolean", "default": true }), "Whether a marker says what is missing."),
            "strategy": described(json!({ "enum": STRATEGIES, "default": "salient" }),
                "Which part stays: what is most likely to be used again, the first lines, or the first and the last."),
        }),
        &[],
    );
    let summarize = object(
        json!({
            "apiProfile": described(json!({ "type": "string" }), "The profile whose handler writes the summary."),
            "maxTokens": described(whole(16, MAX_LIMIT, Some(DEFAULT_SUMMARY_TOKENS)),
                "The longest summary. Texts of no more tokens are left as they are."),
            "minChars": described(whole(0, MAX_LIMIT, Some(0)), "Texts of fewer characters are left as they are."),
            "customPrompt": described(json!({ "type": "string" }), "The system prompt; blank for one that fits the kind of content."),
        }),
        &[],
    );
    object(
        json!({
            "operation": { "enum": OPERATIONS },
            "params": object(json!({ "truncate": truncate, "summarize": summarize }), &[]),
        }),
        &["operation"],
    )
}
