//! The provider as a whole: seeds' configurations, presets, invariants, summaries with a model made for the tests.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::{FutureExt, future::BoxFuture};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Smart, config::SmartConfig, presets};
use crate::{
    cancel::Cancel,
    conversation::{Conversation, Plan, problems},
    llm::{LlmError, LlmHandler, LlmRequest, LlmResponse, MemoryStore, ProgressSink, StopReason, Usage},
    providers::{CondenseError, Llm, Preview, Progress, Proposal, Provider, Request, Settled, settle},
    tokens::{Encoding, Scale, Tally},
};

fn request(conversation: &Conversation) -> Request {
    Request {
        original: conversation.clone(),
        conversation: conversation.clone(),
        tally: Tally::count(conversation, Encoding::default(), &Cancel::new()).unwrap(),
        system_tokens: 0,
        scale: Scale::default(),
        target_tokens: None,
        config: Value::Null,
        host_call: 0,
        llm: Llm::default(),
        cancel: Cancel::new(),
        progress: Progress::default(),
    }
}

fn run(config: &Value, request: &Request) -> (Proposal, Settled) {
    let proposal = Smart::new(config).unwrap().propose(request).now_or_never().expect("no waiting").unwrap();
    let settled = settle(request, Smart::ID, &proposal).unwrap();
    (proposal, settled)
}

fn preset(name: &str) -> Value {
    json!({ "preset": name })
}

fn json_of(conversation: &Conversation) -> String {
    conversation.export(conversation).unwrap()
}

/// A user's task and `exchanges` calls of `read_file`, each answered by `lines` lines.
fn reads(exchanges: usize, lines: usize) -> Conversation {
    let mut messages = vec![json!({ "role": "user", "content": "Fix the parser in src/parse.rs." })];
    for exchange in 0..exchanges {
        let text: Vec<String> = (0..lines)
            .map(|line| format!("fn item_{exchange}_{line}(value: usize) -> usize {{ value * {line} + {exchange} }}"))
            .collect();
        messages.push(json!({ "role": "assistant", "content": [
            { "type": "text", "text": format!("I read module {exchange}.") },
            { "type": "tool_use", "id": format!("t{exchange}"), "name": "write_to_file",
              "input": { "path": format!("src/module_{exchange}.rs"), "content": text[..lines / 4].join("\n"), "lines": 12345678901234567u64 } } ] }));
        messages.push(json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("t{exchange}"), "content": text.join("\n") } ] }));
    }
    messages.push(json!({ "role": "assistant", "content": "Done." }));
    Conversation::parse(&Value::from(messages).to_string()).unwrap()
}

// Seeds' configurations ------------------------------------------------------------------------------------------------------------

/// The four configurations of the published design, as they are written there.
fn published() -> [(&'static str, Value); 4] {
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

// Presets --------------------------------------------------------------------------------------------------------------------------

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
    assert!(
        proposal.warnings.iter().any(|warning| warning.starts_with("no_handler: pass \"llm-quality\"")),
        "{:?}",
        proposal.warnings
    );
    assert!(settled.changes.iter().any(|change| change.operation == "salient"));
}

#[test]
fn selective_touches_old_tool_results_over_a_thousand_characters_only() {
    let conversation = reads(6, 30);
    let (_, settled) = run(&preset("selective"), &request(&conversation));
    let touched: Vec<usize> = settled.changes.iter().map(|change| change.message_index).collect();
    assert_eq!(touched, [2, 4, 6, 8, 10]);
    let short = reads(6, 12);
    let (_, settled) = run(&preset("selective"), &request(&short));
    assert!(settled.changes.is_empty(), "900 characters are left alone: {:?}", settled.changes);
    let (_, settled) = run(&json!({ "preset": "selective", "enabled": false }), &request(&conversation));
    assert!(settled.changes.is_empty());
}

// Order, conditions, target --------------------------------------------------------------------------------------------------------

fn truncating(operation: Value) -> Value {
    json!({ "losslessPrelude": { "enabled": false }, "passes": [ {
        "id": "only", "selection": { "type": "preserve_recent", "keepRecentCount": 1 }, "mode": "individual",
        "individualConfig": { "defaults": { "toolResults": operation } } } ] })
}

fn text_of(conversation: &Conversation, message: usize) -> String {
    conversation.message(message).texts()[0].text.clone().into_owned()
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
    assert!(salient.contains("[… line"), "{salient}");
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
    assert!(settled.changes.is_empty() && proposal.warnings[0].starts_with("reduction_too_small: "));
}

// Validation -----------------------------------------------------------------------------------------------------------------------

#[test]
fn every_fault_is_named_by_its_path() {
    let texts = |config: Value| -> Vec<String> {
        Smart::new(&config).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    };
    let pass = |change: fn(&mut Value)| {
        let mut config = json!({ "passes": [
            { "id": "a", "selection": { "type": "preserve_recent", "keepRecentCount": 3 }, "mode": "batch", "batchConfig": { "operation": "keep" } },
            { "id": "b", "selection": { "type": "preserve_recent", "keepRecentCount": 3 }, "mode": "individual",
              "individualConfig": { "defaults": { "toolResults": { "operation": "keep" } } }, "execution": { "type": "always" } } ] });
        change(&mut config["passes"][1]);
        texts(config)
    };
    assert_eq!(pass(|_| {}), [] as [&str; 0]);
    let operation = pass(|pass| pass["individualConfig"]["defaults"]["toolResults"]["operation"] = json!("sumarize"));
    assert_eq!(
        operation,
        ["passes[1].individualConfig.defaults.toolResults.operation: \"sumarize\" is not allowed; allowed: \
                            \"keep\", \"suppress\", \"truncate\", \"summarize\""]
    );
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 9] = [
        (|pass| pass["selection"]["keepRecentCount"] = json!(0), "passes[1].selection.keepRecentCount: 0 "),
        (|pass| pass["selection"] = json!({ "type": "custom" }), "passes[1].selection.messageIndices: null "),
        (
            |pass| pass["selection"] = json!({ "type": "custom", "messageIndices": [1, -1] }),
            "passes[1].selection.messageIndices[1]: -1 ",
        ),
        (|pass| pass["id"] = json!("a"), "passes[1].id: \"a\" "),
        (|pass| pass["mode"] = json!("batch"), "passes[1].batchConfig: null "),
        (
            |pass| pass["execution"] = json!({ "type": "conditional" }),
            "passes[1].execution.condition.tokenThreshold: null ",
        ),
        (|pass| pass["extra"] = json!(1), "passes[1].extra: 1 "),
        (
            |pass| pass["individualConfig"]["overrides"] = json!([{ "messageIndex": "x" }]),
            "passes[1].individualConfig.overrides[0].messageIndex: \"x\" ",
        ),
        (|pass| *pass = json!(7), "passes[1]: 7 "),
    ];
    for (change, start) in cases {
        let found = pass(change);
        assert!(found.iter().any(|text| text.starts_with(start)), "{start}: {found:?}");
    }
    for (config, start) in [
        (json!([]), "config: [] "),
        (json!({ "preset": "fast" }), "preset: \"fast\" "),
        (json!({ "passes": {} }), "passes: {} "),
        (json!({ "losslessPrelude": { "operations": { "dedup": true } } }), "losslessPrelude.operations.dedup: true "),
        (json!({ "maxConcurrency": 0 }), "maxConcurrency: 0 "),
    ] {
        let found = texts(config);
        assert!(found.iter().any(|text| text.starts_with(start)), "{start}: {found:?}");
    }
}

/// The fields that a schema allows, at every depth, with `$ref` followed.
fn allowed<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => root.pointer(&reference[1..]).unwrap(),
        None => schema,
    }
}

fn check_fields(value: &Value, schema: &Value, root: &Value, path: &str) {
    let schema = allowed(schema, root);
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let inner = &schema["properties"][name];
                assert!(inner.is_object(), "{path}.{name} is not in the schema");
                check_fields(value, inner, root, &format!("{path}.{name}"));
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{path} lacks {name}");
            }
        }
        Value::Array(values) => values.iter().for_each(|value| check_fields(value, &schema["items"], root, path)),
        value => {
            if let Some(words) = schema["enum"].as_array() {
                assert!(words.contains(value), "{path}: {value}");
            }
        }
    }
}

#[test]
fn the_schema_describes_what_is_accepted() {
    let schema = Smart::new(&Value::Null).unwrap().config_schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for name in presets::NAMES {
        check_fields(&presets::json(name), &schema, &schema, name);
    }
    for (name, config) in published() {
        check_fields(&config, &schema, &schema, name);
    }
}

// Invariants -----------------------------------------------------------------------------------------------------------------------

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
        json!({ "losslessPrelude": { "enabled": prelude }, "passes": passes })
    })
}

fn check_invariants(config: &Value, request: &Request) -> Result<Settled, TestCaseError> {
    let conversation = &request.conversation;
    let (proposal, settled) = run(config, request);
    let after = &settled.conversation;
    // Valid, and never worse than it was.
    prop_assert!(problems(after).len() <= problems(conversation).len());
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariants_hold_for_any_configuration(conversation in any_history(), config in any_config(), target in prop::option::of(0..4000_usize)) {
        let request = Request { target_tokens: target, ..request(&conversation) };
        check_invariants(&config, &request)?;
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

// Summaries ------------------------------------------------------------------------------------------------------------------------

/// Answers after a while, and counts how many questions it had at once.
#[derive(Default)]
struct Model {
    wait_ms: u64,
    fails_on: Option<&'static str>,
    now: AtomicUsize,
    most: AtomicUsize,
    asked: AtomicUsize,
    limits: std::sync::Mutex<Vec<Option<u32>>>,
}

impl LlmHandler for Model {
    fn complete<'a>(
        &'a self,
        request: LlmRequest,
        cancel: &'a CancellationToken,
        _progress: Option<&'a dyn ProgressSink>,
    ) -> BoxFuture<'a, Result<LlmResponse, LlmError>> {
        async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            self.limits.lock().unwrap().push(request.max_tokens);
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            let waited = tokio::select! {
                () = tokio::time::sleep(std::time::Duration::from_millis(self.wait_ms)) => true,
                () = cancel.cancelled() => false,
            };
            self.now.fetch_sub(1, Ordering::SeqCst);
            let text = &request.messages[0].text;
            if !waited {
                return Err(LlmError::aborted("model", Usage::default()));
            }
            if self.fails_on.is_some_and(|word| text.contains(word)) {
                return Err(LlmError::callback(
                    "model",
                    "no",
                    None,
                    Usage { total_cost: Some(0.125), ..Usage::default() },
                ));
            }
            let usage = Usage { input_tokens: 100, output_tokens: 10, total_cost: Some(0.25), ..Usage::default() };
            Ok(LlmResponse::new(format!("Short: {}", &text[..20]), Some(usage), StopReason::EndTurn))
        }
        .boxed()
    }

    fn model(&self) -> &str {
        "model"
    }
}

async fn with_model(
    config: Value,
    conversation: &Conversation,
    model: &Arc<Model>,
    change: impl Fn(&mut Request),
) -> Result<(Proposal, Settled, f64), CondenseError> {
    let mut request = request(conversation);
    request.llm.handler = Some(model.clone());
    change(&mut request);
    let proposal = Smart::new(&config).unwrap().propose(&request).await?;
    let settled = settle(&request, Smart::ID, &proposal)?;
    Ok((proposal, settled, request.llm.spent.take()))
}

#[tokio::test]
async fn summaries_are_written_several_at_once() {
    let conversation = reads(20, 60);
    let model = Arc::new(Model { wait_ms: 20, ..Model::default() });
    let config = json!({ "preset": "selective", "maxConcurrency": 6 });
    let (proposal, settled, cost) = with_model(config, &conversation, &model, |_| {}).await.unwrap();
    assert_eq!((model.asked.load(Ordering::SeqCst), model.most.load(Ordering::SeqCst)), (19, 6));
    assert_eq!(cost, 19.0 * 0.25);
    assert_eq!(settled.changes.len(), 19);
    assert!(settled.changes.iter().all(|change| change.operation == "summarize"));
    assert_eq!(
        text_of(&settled.conversation, 2),
        "[Summary of a tool result of 60 lines]\nShort: fn item_0_0(value: u"
    );
    assert!(proposal.passes[0].exact && proposal.passes[0].cost == cost);
    assert!(model.limits.lock().unwrap().iter().all(|limit| *limit == Some(150)));
    assert!(problems(&settled.conversation).is_empty());
}

#[tokio::test]
async fn a_failed_summary_leaves_its_text_and_is_reported() {
    let conversation = reads(6, 60);
    let model = Arc::new(Model { fails_on: Some("item_2_"), ..Model::default() });
    let (proposal, settled, cost) = with_model(preset("selective"), &conversation, &model, |_| {}).await.unwrap();
    let touched: Vec<usize> = settled.changes.iter().map(|change| change.message_index).collect();
    assert_eq!(touched, [2, 4, 8, 10]);
    assert!(
        proposal
            .warnings
            .iter()
            .any(|warning| warning.starts_with("summary_failed: message 7 left as it was: llm_callback_failed")),
        "{:?}",
        proposal.warnings
    );
    assert_eq!(cost, 4.0 * 0.25 + 0.125, "what failed is paid for too");
    let all = Arc::new(Model { fails_on: Some("item"), ..Model::default() });
    let error = with_model(preset("selective"), &conversation, &all, |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "llm_callback_failed", "when nothing works another provider may try");
}

#[tokio::test]
async fn summaries_come_from_the_cache_the_second_time() {
    let conversation = reads(6, 60);
    let model = Arc::new(Model::default());
    let store = Arc::new(MemoryStore::default());
    let keep = |request: &mut Request| request.llm.cache = Some(store.clone());
    let (_, first, _) = with_model(preset("selective"), &conversation, &model, keep).await.unwrap();
    let asked = model.asked.load(Ordering::SeqCst);
    let (_, second, cost) = with_model(preset("selective"), &conversation, &model, keep).await.unwrap();
    assert_eq!((model.asked.load(Ordering::SeqCst), cost), (asked, 0.0));
    assert_eq!(json_of(&first.conversation), json_of(&second.conversation));
}

#[tokio::test]
async fn an_abort_ends_all_requests() {
    let conversation = reads(20, 60);
    let model = Arc::new(Model { wait_ms: 60_000, ..Model::default() });
    let cancel = Cancel::new();
    let aborting = cancel.clone();
    let abort = tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        aborting.cancel();
    });
    let error = with_model(preset("selective"), &conversation, &model, |request| request.cancel = cancel.clone())
        .await
        .unwrap_err();
    abort.await.unwrap();
    assert_eq!((error.code(), model.now.load(Ordering::SeqCst)), ("aborted", 0));
    assert!(model.asked.load(Ordering::SeqCst) <= 5);
}

#[tokio::test]
async fn a_batch_is_summarised_as_the_native_provider_does() {
    let conversation = reads(20, 60);
    let model = Arc::new(Model::default());
    for keep_first in [1, 4] {
        let config = json!({ "losslessPrelude": { "enabled": false }, "passes": [ { "id": "batch", "mode": "batch",
            "selection": { "type": "preserve_percent", "keepPercentage": 30 },
            "batchConfig": { "operation": "summarize", "summarizationConfig": { "keepFirst": keep_first, "keepLast": 5 } } } ] });
        let (proposal, settled, _) = with_model(config, &conversation, &model, |_| {}).await.unwrap();
        assert!(problems(&settled.conversation).is_empty(), "{:?}", problems(&settled.conversation));
        let kept = settled.conversation.entries().iter().filter_map(|entry| entry.origin).collect::<Vec<_>>();
        assert_eq!(kept[..keep_first.min(3)], (0..keep_first.min(3)).collect::<Vec<_>>()[..]);
        assert!(kept.len() >= 13 + keep_first && kept.len() <= 18 + keep_first, "{kept:?}");
        assert!(proposal.summary.starts_with("Short: "), "{}", proposal.summary);
        assert!(
            settled.changes.iter().any(|change| change.reason.starts_with("summary of messages")),
            "{:?}",
            settled.changes
        );
    }
}

#[tokio::test]
async fn the_published_configurations_run_with_a_model_too() {
    let conversation = reads(60, 60);
    for (name, config) in published() {
        let model = Arc::new(Model::default());
        let (proposal, settled, _) = with_model(config, &conversation, &model, |_| {}).await.unwrap();
        assert!(problems(&settled.conversation).is_empty(), "{name}");
        assert!(settled.tally.total() < request(&conversation).tally.total() / 2, "{name}");
        assert!(
            proposal.warnings.iter().all(|warning| !warning.starts_with("pass_failed")),
            "{name}: {:?}",
            proposal.warnings
        );
    }
}

#[tokio::test]
async fn a_preview_asks_nobody_and_marks_estimates() {
    let conversation = reads(60, 60);
    let model = Arc::new(Model::default());
    let (proposal, _, _) =
        with_model(preset("balanced"), &conversation, &model, |request| request.llm.preview = Some(Preview::Expected)).await.unwrap();
    assert_eq!(model.asked.load(Ordering::SeqCst), 0);
    let first = &proposal.passes[1];
    assert!(
        proposal.passes[0].exact && !first.exact && first.tokens_after < first.tokens_before,
        "{:?}",
        proposal.passes
    );
}
