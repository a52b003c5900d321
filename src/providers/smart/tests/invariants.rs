//! What holds for every configuration and history.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{FutureExt, Model, Smart, json_of, preset, presets, reads, request, run};
use crate::{
    conversation::{Conversation, Plan},
    llm::LlmRequest,
    providers::{Provider, Request, Settled, settle},
};

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => (0..8_u32, 1..80_usize).prop_map(|(seed, lines)| {
            (0..lines).map(|line| format!("{:>4} | let value_{seed} = compute_{line}(src/file_{}.rs);", line + 1, seed % 3)).collect::<Vec<_>>().join("\n")
        }),
        2 => "[a-zA-Z_./:]{1,30}( [a-zA-Z_./:]{1,20}){0,30}",
        1 => (100..6000_usize).prop_map(|length| "long_single_line=".repeat(length / 17)),
        1 => Just("ok".to_owned()),
        1 => "\\PC{0,200}",
        1 => Just("... (4 more lines)\n[… lines 3-9]\n[Tool result suppressed]".to_owned()),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Call {
        text: String,
        parameter: String,
        results: Vec<String>,
    },
    Xml {
        tool: &'static str,
        result: String,
    },
    Words(String, String),
    /// Not legal: an answer to nothing.
    Orphan(String),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (any_text(), any_text(), prop::collection::vec(any_text(), 1..3)).prop_map(|(text, parameter, results)| Step::Call { text, parameter, results }),
        2 => (prop::sample::select(vec!["read_file", "execute_command"]), any_text()).prop_map(|(tool, result)| Step::Xml { tool, result }),
        2 => (any_text(), any_text()).prop_map(|(question, answer)| Step::Words(question, answer)),
        1 => any_text().prop_map(Step::Orphan),
    ]
}

fn any_history() -> impl Strategy<Value = Conversation> {
    (any_text(), prop::collection::vec(any_step(), 0..24)).prop_map(|(task, steps)| {
        let mut messages = vec![json!({ "role": "user", "content": format!("Task: {task}"), "ts": 1 })];
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Call { text, parameter, results } => {
                    let ids: Vec<String> = (0..results.len()).map(|index| format!("t{number}_{index}")).collect();
                    let mut call = vec![json!({ "type": "text", "text": format!("I: {text}") })];
                    call.extend(ids.iter().map(|id| json!({ "type": "tool_use", "id": id, "name": "write_to_file",
                        "input": { "path": "src/file_1.rs", "content": parameter, "n": 9007199254740993u64 } })));
                    messages.push(json!({ "role": "assistant", "content": call }));
                    let answer: Vec<Value> = ids.iter().zip(results)
                        .map(|(id, result)| json!({ "type": "tool_result", "tool_use_id": id, "content": [{ "type": "text", "text": format!("R{result}") }], "is_error": false }))
                        .collect();
                    messages.push(json!({ "role": "user", "content": answer, "ts": number }));
                }
                Step::Xml { tool, result } => {
                    messages.push(json!({ "role": "assistant", "content": format!("<{tool}>\n<path>src/file_2.rs</path>\n</{tool}>") }));
                    messages.push(json!({ "role": "user", "content": [{ "type": "text", "text": format!("[{tool} for 'src/file_2.rs'] Result:") }, { "type": "text", "text": format!("R{result}") }] }));
                }
                Step::Words(question, answer) => {
                    messages.push(json!({ "role": "assistant", "content": format!("A: {question}") }));
                    messages.push(json!({ "role": "user", "content": format!("U: {answer}") }));
                }
                Step::Orphan(text) => messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "nobody", "content": format!("O{text}") }] })),
            }
        }
        Conversation::parse(&Value::from(messages).to_string()).unwrap()
    })
}

fn any_operation() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({ "operation": "keep" })),
        Just(json!({ "operation": "suppress" })),
        (prop::option::of(1..400_usize), prop::option::of(1..20_usize), any::<bool>(), prop::sample::select(vec!["salient", "head", "head_tail"]))
            .prop_map(|(chars, lines, ellipsis, strategy)| json!({ "operation": "truncate",
                "params": { "truncate": { "maxChars": chars, "maxLines": lines, "addEllipsis": ellipsis, "strategy": strategy } } })),
        (16..200_usize).prop_map(|tokens| json!({ "operation": "summarize", "params": { "summarize": { "maxTokens": tokens } } })),
    ]
}

fn any_selection() -> impl Strategy<Value = Value> {
    prop_oneof![
        (1..12_usize).prop_map(|count| json!({ "type": "preserve_recent", "keepRecentCount": count })),
        (0.0..100.0).prop_map(|percent| json!({ "type": "preserve_percent", "keepPercentage": percent })),
        prop::collection::vec(0..40_usize, 0..12)
            .prop_map(|indices| json!({ "type": "custom", "messageIndices": indices })),
    ]
}

fn any_pass() -> impl Strategy<Value = Value> {
    (
        any_selection(),
        any_operation(),
        any_operation(),
        any_operation(),
        prop::option::of(0..3000_usize),
        prop::option::of(0..300_usize),
        any_operation(),
    )
        .prop_map(|(selection, text, parameters, results, condition, threshold, own)| {
            let execution = match condition {
                Some(tokens) => json!({ "type": "conditional", "condition": { "tokenThreshold": tokens } }),
                None => json!({ "type": "always" }),
            };
            json!({ "selection": selection, "mode": "individual", "execution": execution, "individualConfig": {
                "defaults": { "messageText": text, "toolParameters": parameters, "toolResults": results },
                "messageTokenThresholds": { "toolResults": threshold },
                "overrides": [{ "messageIndex": 2, "operations": { "toolResults": own } }] } })
        })
}

fn any_config() -> impl Strategy<Value = Value> {
    (any::<bool>(), prop::collection::vec(any_pass(), 0..4)).prop_map(|(prelude, mut passes)| {
        for (index, pass) in passes.iter_mut().enumerate() {
            pass["id"] = json!(format!("p{index}"));
        }
        without_nulls(json!({ "losslessPrelude": { "enabled": prelude }, "passes": passes }))
    })
}

/// What is not set is not there.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let set = fields.into_iter().filter(|(_, value)| !value.is_null());
            set.map(|(name, value)| (name, without_nulls(value))).collect()
        }
        Value::Array(values) => values.into_iter().map(without_nulls).collect(),
        value => value,
    }
}

fn check_invariants(config: &Value, request: &Request) -> Result<Settled, TestCaseError> {
    let conversation = &request.conversation;
    let (proposal, settled) = run(config, request);
    let after = &settled.conversation;
    // Valid, and never worse than it was.
    prop_assert_eq!(after.problems_since(conversation), []);
    // Never grows.
    prop_assert!(settled.tally.total() <= request.tally.total());
    for change in &settled.changes {
        prop_assert!(change.tokens_after < change.tokens_before, "{change:?}");
    }
    if settled.changes.is_empty() {
        prop_assert!(Plan::between(conversation, after).is_empty());
    }
    // The first message stays.
    prop_assert!(Arc::ptr_eq(&conversation.entries()[0].message, &after.entries()[0].message));
    // Restorable.
    let back = after.apply(&Plan::inverse(conversation, after)).unwrap();
    prop_assert_eq!(json_of(&back), json_of(conversation));
    // Deterministic.
    let (again, _) = run(config, request);
    prop_assert_eq!(serde_json::to_string(&proposal.plan).unwrap(), serde_json::to_string(&again.plan).unwrap());
    // Idempotent.
    let next = Request {
        config: request.config.clone(),
        target_tokens: request.target_tokens,
        ..self::request(&Conversation::parse(&json_of(after)).unwrap())
    };
    let (_, twice) = run(config, &next);
    prop_assert_eq!(json_of(&twice.conversation), json_of(after));
    Ok(settled)
}

/// Any configuration, also with passes that summarise many messages as one.
fn any_config_with_batches() -> impl Strategy<Value = Value> {
    (any_config(), any_selection(), 0..4_usize, 0..6_usize, 0..3_usize).prop_map(|(mut config, selection, first, last, at)| {
        let passes = config["passes"].as_array_mut().unwrap();
        let batch = json!({ "id": "batch", "selection": selection, "mode": "batch", "batchConfig": { "operation": "summarize",
            "summarizationConfig": { "keepFirst": first, "keepLast": last } } });
        passes.insert(at.min(passes.len()), batch);
        config
    })
}

/// What holds with a model too, whatever it says.
fn check_with_model(config: &Value, conversation: &Conversation, model: Model) -> Result<(), TestCaseError> {
    let mut request = request(conversation);
    request.llm.handler = Some(Arc::new(model));
    let proposal = match Smart::new(config).unwrap().propose(&request).now_or_never().expect("no waiting") {
        Ok(proposal) => proposal,
        // Then the conversation is the caller's own.
        Err(error) => {
            prop_assert_eq!(error.code(), "llm_callback_failed");
            return Ok(());
        }
    };
    let settled = settle(&request, Smart::ID, &proposal).unwrap();
    let after = &settled.conversation;
    prop_assert_eq!(after.problems_since(conversation), []);
    prop_assert!(settled.tally.total() <= request.tally.total());
    prop_assert!(Arc::ptr_eq(&conversation.entries()[0].message, &after.entries()[0].message));
    let newest = conversation.len() - 1;
    // What the lossless prelude does can be read back, also in the newest message.
    if newest > 0 && config["losslessPrelude"]["enabled"] == json!(false) {
        let last = after.entries().last().unwrap();
        prop_assert!(Arc::ptr_eq(&conversation.entries()[newest].message, &last.message));
    }
    let back = after.apply(&Plan::inverse(conversation, after)).unwrap();
    prop_assert_eq!(json_of(&back), json_of(conversation));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariants_hold_for_any_configuration(conversation in any_history(), config in any_config(), target in prop::option::of(0..4000_usize)) {
        let request = Request { target_tokens: target, ..request(&conversation) };
        check_invariants(&config, &request)?;
    }

    #[test]
    fn invariants_hold_with_a_model(conversation in any_history(), config in any_config_with_batches(), answer in 0..4_usize) {
        let says: Option<fn(&LlmRequest) -> String> = match answer {
            0 => None,
            1 => Some(|_| "x ".repeat(3000)),
            2 => Some(|request| request.messages[0].text.clone()),
            _ => Some(|_| "[[1]]\none\n[[2]]\n[Tool result suppressed]".to_owned()),
        };
        check_with_model(&config, &conversation, Model { says, ..Model::default() })?;
        check_with_model(&config, &conversation, Model { says, fails_on: Some("e"), ..Model::default() })?;
    }

    #[test]
    fn what_a_selection_preserves_stays(conversation in any_history(), mut config in any_config(), keep in 1..12_usize) {
        config["losslessPrelude"]["enabled"] = json!(false);
        for pass in config["passes"].as_array_mut().unwrap() {
            pass["selection"] = json!({ "type": "preserve_recent", "keepRecentCount": keep });
        }
        let (_, settled) = run(&config, &request(&conversation));
        let length = conversation.len();
        prop_assert_eq!(settled.conversation.len(), length);
        for index in length.saturating_sub(keep)..length {
            prop_assert!(Arc::ptr_eq(&conversation.entries()[index].message, &settled.conversation.entries()[index].message));
        }
    }

    #[test]
    fn presets_are_ordered(conversation in any_history(), repeat in 1..3_usize, target in prop::option::of(0..4000_usize)) {
        // Long enough to reach the older zones.
        let mut messages: Vec<Value> = serde_json::from_str(&json_of(&conversation)).unwrap();
        let rest = messages[1..].to_vec();
        for _ in 1..repeat {
            messages.extend(rest.clone());
        }
        let conversation = Conversation::parse(&Value::from(messages).to_string()).unwrap();
        let request = Request { target_tokens: target, ..request(&conversation) };
        let mut tokens = vec![request.tally.total()];
        for name in ["conservative", "balanced", "aggressive"] {
            tokens.push(check_invariants(&preset(name), &request)?.tally.total());
        }
        prop_assert!(tokens.is_sorted_by(|a, b| a >= b), "{tokens:?}");
        for name in ["multi_zone", "selective"] {
            check_invariants(&preset(name), &request)?;
        }
    }
}

#[test]
fn presets_are_ordered_on_a_long_history_too() {
    for (exchanges, lines) in [(20, 40), (60, 80), (25, 200)] {
        let request = request(&reads(exchanges, lines));
        let tokens: Vec<usize> = ["conservative", "balanced", "aggressive"]
            .iter()
            .map(|name| run(&preset(name), &request).1.tally.total())
            .collect();
        assert!(tokens.is_sorted_by(|a, b| a >= b), "{tokens:?}");
    }
}

#[test]
fn odd_conversations_are_survived() {
    for json in
        ["[]", "[1]", r#"[{"role":"user"}]"#, r#"[{"role":"user","content":""},{"role":"user","content":[]},null]"#]
    {
        let conversation = Conversation::parse(json).unwrap();
        for name in presets::NAMES {
            let (_, settled) = run(&preset(name), &request(&conversation));
            assert!(settled.changes.is_empty(), "{name}: {json}");
        }
    }
}
