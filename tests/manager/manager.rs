//! The manager: who is asked, who stands in, what is remembered.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use proptest::prelude::*;
use roo_condense::{
    CallOptions, CondenseError, Content, ContextUsage, Conversation, Edit, Encoding, Manager, ManagerOptions, Message,
    Metrics, Note, Plan, Proposal, Provider, ProviderInfo, Report, Request, Role, Said, Trial, Warning, WarningCode,
    condense_with,
};
use serde_json::{Map, Value, json};

use crate::common::{
    cases::{any_target, cases},
    checks::{check_ends, check_report, check_target, export, fingerprint, info_of, tally, wait_for, work},
    histories::{any_history, lines, literal},
};

/// What a provider of the tests does when it is asked.
#[derive(Clone)]
enum Does {
    /// Replaces the content of these messages with short texts.
    Shorten(Vec<usize>),
    Nothing,
    Fail,
    Panic,
    NeverAnswer,
    /// Names a message that is not there.
    NoSuchMessage,
    /// Drops the answer to a call.
    BreakPair,
    /// Adds a message and removes nothing.
    Add,
    /// Makes the first tool result longer.
    Lengthen,
    /// Drops two messages and puts a short summary in their place.
    Summarise,
}

/// What a provider was given: configuration, target, tokens.
type Seen = Arc<Mutex<Vec<(Value, Option<usize>, usize)>>>;

struct Fake {
    id: &'static str,
    does: Does,
    cost: f64,
    seen: Seen,
}

impl Fake {
    fn new(id: &'static str, does: Does) -> Self {
        Self { id, does, cost: 0.25, seen: Arc::default() }
    }
}

/// Shortens one message more in each round, and says so many times that there is more.
struct Stepwise {
    unfinished: usize,
    rounds: Mutex<usize>,
}

#[async_trait]
impl Provider for Stepwise {
    fn info(&self) -> ProviderInfo {
        info_of("stepwise")
    }

    fn may_repeat(&self) -> bool {
        true
    }

    async fn propose(&self, request: &Request, _config: &Value) -> Result<Proposal, CondenseError> {
        let mut rounds = self.rounds.lock().unwrap();
        let path = request.conversation.message(*rounds).texts()[0].path.clone();
        let plan = Plan { edits: vec![Edit::set_text(*rounds, path, "short".into())] };
        *rounds += 1;
        Ok(Proposal { plan, unfinished: *rounds <= self.unfinished, ..Proposal::default() })
    }
}

#[test]
fn a_provider_is_asked_again_while_it_is_unfinished_and_misses_the_target() {
    let messages: Vec<Value> = (0..9)
        .map(
            |at| json!({ "role": if at % 2 == 0 { "user" } else { "assistant" }, "content": "many words ".repeat(50) }),
        )
        .collect();
    let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
    let rounds = |unfinished: usize, target_tokens: Option<usize>| {
        let stepwise = Arc::new(Stepwise { unfinished, rounds: Mutex::default() });
        let provider: Arc<dyn Provider> = stepwise.clone();
        let options = CallOptions { target_tokens, ..CallOptions::default() };
        wait_for(condense_with(&provider, Encoding::default(), work(conversation.clone(), options)));
        *stepwise.rounds.lock().unwrap()
    };
    let (out_of_reach, near) = (Some(10), Some(tally(&conversation).total() - 150));
    assert_eq!([rounds(0, out_of_reach), rounds(2, out_of_reach), rounds(2, None)], [1, 3, 3]);
    assert_eq!(rounds(3, near), 2);
}

#[async_trait]
impl Provider for Fake {
    fn info(&self) -> ProviderInfo {
        info_of(self.id)
    }

    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError> {
        self.seen.lock().unwrap().push((config.clone(), request.target_tokens, request.tally.total()));
        let mut proposal = Proposal { cost: self.cost, ..Proposal::default() };
        let edits = &mut proposal.plan.edits;
        let insert = |before, text: String| {
            let message = Message::new(Role::User, Content::Text(text));
            Edit::Insert { before, value: message.into() }
        };
        match &self.does {
            Does::Shorten(messages) => {
                for &message in messages {
                    let texts = request.conversation.message(message).texts();
                    edits.push(Edit::set_text(message, texts[0].path.clone(), "short".into()));
                    let reason = format!("{message} was long");
                    proposal.notes.push(Note {
                        message,
                        block: Some(0),
                        operation: "shorten",
                        reason: Said::own(reason),
                        grade: None,
                    });
                }
            }
            Does::Nothing => {}
            Does::Fail => {
                let message = "the service said no".to_owned();
                return Err(CondenseError::ProviderFailed {
                    provider: self.id.into(),
                    message,
                    foreign_cause: Some(7),
                });
            }
            Does::Panic => panic!("this provider is broken"),
            Does::NeverAnswer => std::future::pending().await,
            Does::NoSuchMessage => edits.push(Edit::Drop { message: 1000 }),
            Does::BreakPair => edits.push(Edit::Drop { message: 2 }),
            Does::Add => edits.push(insert(1, lines(9, 30, "\n"))),
            Does::Lengthen => {
                let texts = request.conversation.message(2).texts();
                edits.push(Edit::set_text(2, texts[0].path.clone(), format!("{}{}", texts[0].text, lines(9, 9, "\n"))));
            }
            Does::Summarise => {
                edits.extend([Edit::Drop { message: 1 }, Edit::Drop { message: 2 }]);
                edits.push(Edit::Insert {
                    before: 1,
                    value: Message::new(Role::Assistant, Content::Text("In short: it was read.".into())).into(),
                });
                edits.push(insert(1, "What did you find?".into()));
                // Inserts before the same message keep their order, so the assistant's comes first.
                proposal.summary = "In short: it was read.".into();
            }
        }
        Ok(proposal)
    }
}

/// A legal conversation of `pairs` reads of different files.
fn reads(pairs: usize) -> Conversation {
    let mut messages = vec![r#"{"role":"user","content":"Read everything."}"#.to_owned()];
    for pair in 0..pairs {
        let text = literal(&lines(u8::try_from(pair % 250).unwrap(), 40, "\n"));
        messages.push(format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t{pair}","name":"read_file","input":{{"path":"f{pair}"}}}}]}}"#
        ));
        messages.push(format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{pair}","content":{text}}}]}}"#
        ));
    }
    Conversation::parse(&format!("[{}]", messages.join(","))).unwrap()
}

fn manager(mut options: Value, providers: Vec<Fake>) -> Manager {
    // What fakes cost is no news here.
    options["costAlert"] = json!(false);
    let manager = Manager::new(ManagerOptions::read(&options).unwrap());
    providers.into_iter().for_each(|provider| manager.register(Arc::new(provider)));
    manager
}

/// Options of a call and what its context says, side by side.
fn call(fields: Value) -> CallOptions {
    const CONTEXT: [&str; 6] = ["systemPrompt", "taskId", "totalTokens", "contextWindow", "maxTokens", "profileId"];
    let Value::Object(fields) = fields else { panic!("{fields}") };
    let (context, options): (Map<_, _>, Map<_, _>) =
        fields.into_iter().partition(|(name, _)| CONTEXT.contains(&name.as_str()));
    CallOptions::read(&context.into(), &options.into()).unwrap()
}

fn condense(manager: &Manager, conversation: &Conversation, options: Value) -> Report {
    wait_for(manager.condense(work(conversation.clone(), call(options))))
}

fn json_of(report: &Report) -> Value {
    serde_json::to_value(report).unwrap()
}

#[test]
fn whatever_goes_wrong_in_a_provider_the_next_one_takes_over() {
    let conversation = reads(6);
    let cases = [
        (Does::Fail, "provider_failed"),
        (Does::Panic, "internal_error"),
        (Does::NoSuchMessage, "invalid_plan"),
        (Does::BreakPair, "broken_result"),
        (Does::Add, "context_grew"),
    ];
    for (does, code) in cases {
        let manager = manager(
            json!({ "fallback": ["second"] }),
            vec![Fake::new("first", does.clone()), Fake::new("second", Does::Shorten(vec![2]))],
        );
        let report = condense(&manager, &conversation, json!({ "provider": "first" }));
        assert_eq!((report.error_code(), report.provider()), (None, "second"), "{code}");
        let warning = &report.warnings()[0];
        assert_eq!(warning.code, WarningCode::ProviderFailed);
        assert!(warning.message.starts_with(&format!("first: {code}: ")), "{warning}");
        let saved = &json_of(&report)["metrics"]["tokensSaved"];
        let shares = json!([{ "id": "first", "tokensSaved": 0 }, { "id": "second", "tokensSaved": saved }]);
        assert_eq!(json_of(&report)["providers"], shares, "{code}");
        check_report(&conversation, &report);
        let metrics = manager.metrics();
        let (first, second) = (&metrics.providers["first"], &metrics.providers["second"]);
        assert_eq!((first.calls, first.errors, first.successes, first.tokens_saved), (1, 1, 0, 0), "{code}");
        assert_eq!((second.calls, second.errors, second.successes), (1, 0, 1), "{code}");
        assert_eq!((metrics.total.calls, metrics.total.errors), (1, 0), "{code}");
    }
}

#[test]
fn without_anyone_to_stand_in_the_messages_stay_and_the_error_is_reported() {
    let conversation = reads(6);
    let cases = [
        (Does::Fail, "provider_failed", 0.0),
        (Does::Panic, "internal_error", 0.0),
        (Does::NoSuchMessage, "invalid_plan", 0.25),
        (Does::BreakPair, "broken_result", 0.25),
        (Does::Add, "context_grew", 0.25),
    ];
    for (does, code, cost) in cases {
        for fallback in [json!(false), json!([])] {
            let manager = manager(json!({ "fallback": fallback }), vec![Fake::new("only", does.clone())]);
            let report = condense(&manager, &conversation, json!({ "provider": "only" }));
            assert_eq!(report.error_code(), Some(code));
            check_report(&conversation, &report);
            let json = json_of(&report);
            assert_eq!(
                (json["didCondense"].as_bool(), json["cost"].as_f64(), json["firstChangedIndex"].as_i64()),
                (Some(false), Some(cost), Some(-1))
            );
            assert_eq!((&json["stats"]["finalTokens"], &json["plan"]), (&json["stats"]["originalTokens"], &json!([])));
            let cause = json["error"]["foreignCause"].as_u64();
            assert_eq!(cause, (code == "provider_failed").then_some(7));
            assert_eq!((report.warnings().len(), manager.metrics().total.errors), (0, 1), "{code}");
        }
    }
}

#[test]
fn nothing_to_gain_is_no_error_and_nobody_stands_in() {
    let conversation = reads(3);
    for does in [Does::Nothing, Does::Lengthen] {
        let second = Fake::new("second", Does::Shorten(vec![2]));
        let seen = second.seen.clone();
        let manager = manager(json!({ "fallback": ["second"] }), vec![Fake::new("first", does), second]);
        let report = condense(&manager, &conversation, json!({ "provider": "first" }));
        assert_eq!((report.error_code(), report.plan().is_empty(), report.provider()), (None, true, "first"));
        assert!(seen.lock().unwrap().is_empty());
    }
}

#[test]
fn lossless_is_passed_over_where_the_target_is_out_of_its_reach() {
    let conversation = reads(12);
    let manager = Manager::new(ManagerOptions::read(&json!({ "provider": "lossless" })).unwrap());
    let target = tally(&conversation).total() / 3;
    let report = condense(&manager, &conversation, json!({ "targetTokens": target }));
    check_report(&conversation, &report);
    let saved = &json_of(&report)["metrics"]["tokensSaved"];
    assert!(saved.as_u64().unwrap() > 0);
    let shares = json!([{ "id": "truncation", "tokensSaved": saved }]);
    assert_eq!(json_of(&report)["providers"], shares);
}

#[test]
fn an_error_stays_when_those_who_stand_in_find_nothing_to_do() {
    let manager = manager(
        json!({ "fallback": ["second"] }),
        vec![Fake::new("first", Does::Fail), Fake::new("second", Does::Nothing)],
    );
    let report = condense(&manager, &reads(2), json!({ "provider": "first" }));
    assert_eq!(report.error_code(), Some("provider_failed"));
}

#[test]
fn the_target_and_what_was_done_pass_on_but_the_configuration_does_not() {
    let conversation = reads(6);
    let tokens = tally(&conversation).total();
    let fakes = [
        Fake::new("first", Does::Shorten(vec![2, 4])),
        Fake::new("second", Does::Shorten(vec![6])),
        Fake::new("third", Does::Nothing),
    ];
    let seen: Vec<_> = fakes.iter().map(|fake| fake.seen.clone()).collect();
    let manager =
        manager(json!({ "provider": "first", "fallback": ["second", "absent", "third", "first"] }), fakes.into());
    let target = tokens / 10;
    let report = condense(&manager, &conversation, json!({ "targetTokens": target, "config": { "own": 1 } }));

    let after = check_report(&conversation, &report);
    let shares = json_of(&report)["providers"].clone();
    let share = |at: usize| (shares[at]["id"].as_str().unwrap(), shares[at]["tokensSaved"].as_u64().unwrap() > 0);
    assert_eq!([share(0), share(1), share(2)], [("first", true), ("second", true), ("third", false)], "{shares}");
    check_target(&conversation, &after, &report, Some(target));
    assert_eq!((report.error_code(), report.provider()), (None, "second"));
    let unknown = &report.warnings()[0];
    assert_eq!((&unknown.code, unknown.field.as_deref()), (&WarningCode::UnknownProvider, Some("fallback[1]")));
    assert!(unknown.message.contains("\"absent\""), "{unknown}");
    let operations: Vec<_> =
        report.changes().iter().map(|change| (change.message_index, change.operation.as_str())).collect();
    assert_eq!(operations, [(2, "shorten"), (4, "shorten"), (6, "shorten")]);
    let seen: Vec<_> = seen.iter().map(|seen| seen.lock().unwrap().clone()).collect();
    assert_eq!(seen[0], [(json!({ "own": 1 }), Some(target), tokens)]);
    assert_eq!((&seen[1][0].0, seen[1][0].1), (&Value::Null, Some(target)));
    assert!(seen[1][0].2 < tokens && seen[2][0].2 < seen[1][0].2, "each one goes on with what was left");
    assert_eq!(json_of(&report)["cost"], 0.75);
}

#[test]
fn a_met_target_ends_the_chain() {
    let conversation = reads(6);
    let second = Fake::new("second", Does::Shorten(vec![4]));
    let seen = second.seen.clone();
    let manager = manager(json!({ "fallback": ["second"] }), vec![Fake::new("first", Does::Shorten(vec![2])), second]);
    let target = tally(&conversation).total() - 10;
    let report = condense(&manager, &conversation, json!({ "provider": "first", "targetTokens": target }));
    assert!(report.final_tokens() <= target);
    assert!(report.warnings().iter().all(|warning| warning.code == WarningCode::LowReduction), "it cost something");
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn a_failure_after_something_was_done_is_a_warning_wherever_it_stands_in_the_chain() {
    let conversation = reads(6);
    let manager = manager(
        json!({ "fallback": ["second"] }),
        vec![Fake::new("first", Does::Shorten(vec![2])), Fake::new("second", Does::Fail)],
    );
    let report = condense(&manager, &conversation, json!({ "provider": "first", "targetTokens": 10 }));
    assert_eq!((report.error_code(), report.provider(), report.plan().edits.len()), (None, "first", 1));
    let failed = |warning: &Warning| {
        warning.code == WarningCode::ProviderFailed && warning.message.starts_with("second: provider_failed: ")
    };
    assert!(report.warnings().iter().any(failed), "{:?}", report.warnings());
    let missed = |warning: &Warning| warning.code == WarningCode::TargetNotMet;
    assert!(report.warnings().iter().any(missed), "{:?}", report.warnings());
}

#[test]
fn truncation_falls_short_and_the_next_one_meets_the_target() {
    let conversation = reads(4);
    let manager = manager(json!({ "fallback": ["second"] }), vec![Fake::new("second", Does::Shorten(vec![2, 4]))]);
    // Everything but the first message is recent, so truncation may touch nothing.
    let target = tally(&conversation).total() * 6 / 10;
    let options = json!({ "provider": "truncation", "targetTokens": target, "config": { "preserveRecentCount": 100 } });
    let report = condense(&manager, &conversation, options);
    assert!(report.final_tokens() <= target);
    assert_eq!(report.warnings(), []);
}

#[test]
fn one_provider_changes_what_the_one_before_added() {
    let conversation = reads(6);
    let manager = manager(
        json!({ "fallback": ["second"] }),
        vec![Fake::new("first", Does::Summarise), Fake::new("second", Does::Shorten(vec![2, 4]))],
    );
    // The message that the first one adds as its second insert is message 2 for the second one.
    let report = condense(&manager, &conversation, json!({ "provider": "first", "targetTokens": 10 }));
    let after = conversation.apply(report.plan()).unwrap();
    assert_eq!(after.message(2).texts()[0].text, "short", "{:?}", report.plan());
    let inserted: Vec<_> = report
        .changes()
        .iter()
        .filter(|change| change.operation == "insert")
        .map(|change| change.tokens_after)
        .collect();
    assert_eq!(inserted, [tally(&after).message(1), 5], "tokens of what was added, as it was added");
    assert_eq!(json_of(&report)["summary"], "In short: it was read.");
    crate::common::checks::check_plans(&conversation, &after);
}

#[test]
fn an_unknown_provider_is_named_with_those_there_are() {
    let report = condense(&manager(json!({}), vec![]), &reads(1), json!({ "provider": "smrt" }));
    assert_eq!(report.error_code(), Some("unknown_provider"));
    let message = json_of(&report)["error"]["message"].to_string();
    assert!(message.contains("smrt") && message.contains("lossless, truncation"), "{message}");
    let manager = manager(json!({ "provider": "lossless" }), vec![]);
    assert_eq!(manager.set_active("smrt").unwrap_err().code(), "unknown_provider");
    assert!(manager.unregister("truncation") && !manager.unregister("truncation"));
    assert_eq!(
        condense(&manager, &reads(1), json!({ "provider": "truncation" })).error_code(),
        Some("unknown_provider")
    );
    // The default chain of lossless names truncation, which is gone: nobody is told about what they did not ask for.
    assert_eq!(condense(&manager, &reads(1), json!({})).warnings(), []);
}

#[test]
fn a_wrong_configuration_is_the_callers_mistake_and_nobody_stands_in() {
    let manager = manager(json!({ "fallback": ["second"] }), vec![Fake::new("second", Does::Shorten(vec![2]))]);
    let report =
        condense(&manager, &reads(2), json!({ "provider": "truncation", "config": { "maxToolResultLines": 0 } }));
    assert_eq!((report.error_code(), report.plan().is_empty()), (Some("out_of_range"), true));
    assert!(json_of(&report)["error"]["field"].as_str().unwrap().ends_with("maxToolResultLines"));
}

#[test]
fn a_signal_that_is_set_already_stops_everything() {
    let manager = manager(json!({}), vec![]);
    for provider in ["lossless", "truncation"] {
        let work = work(reads(6), call(json!({ "provider": provider, "targetTokens": 10 })));
        work.cancel.cancel();
        let report = wait_for(manager.condense(work));
        assert_eq!((report.error_code(), report.plan().is_empty()), (Some("aborted"), true));
    }
}

#[test]
fn a_provider_that_never_answers_is_left_when_the_signal_is_set() {
    let conversation = reads(6);
    let standing_in = Fake::new("second", Does::Shorten(vec![4]));
    let seen = standing_in.seen.clone();
    let fakes = vec![Fake::new("first", Does::Shorten(vec![2])), Fake::new("stuck", Does::NeverAnswer), standing_in];
    let manager = manager(json!({ "fallback": ["stuck", "second"] }), fakes);
    let work = work(conversation.clone(), call(json!({ "provider": "first", "targetTokens": 10 })));
    let cancel = work.cancel.clone();
    let report = wait_for(async {
        let stop = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            report = tokio::time::timeout(Duration::from_secs(60), manager.condense(work)) => report.expect("it ends"),
            () = stop => unreachable!("the stopping never ends"),
        }
    });
    assert_eq!(report.error_code(), Some("aborted"));
    check_report(&conversation, &report);
    assert_eq!(report.final_tokens(), report.original_tokens());
    assert_eq!(json_of(&report)["cost"], 0.25, "what the first one cost is spent");
    assert!(seen.lock().unwrap().is_empty(), "nobody stands in for a caller who wants out");
    let metrics = manager.metrics();
    assert_eq!((metrics.total.errors, metrics.providers["stuck"].errors), (1, 1));
}

#[test]
fn metrics_add_up() {
    let conversation = reads(6);
    let manager = manager(
        json!({ "fallback": ["half"] }),
        vec![Fake::new("half", Does::Shorten(vec![2, 4, 6])), Fake::new("no", Does::Fail)],
    );
    let mut saved = 0;
    let mut reduction = 0.0;
    for provider in ["half", "no", "half"] {
        let report = condense(&manager, &conversation, json!({ "provider": provider, "profileId": "mine" }));
        saved += report.tokens_saved();
        let json = json_of(&report);
        reduction += json["stats"]["reductionPercent"].as_f64().unwrap();
        assert_eq!(json["stats"]["originalTokens"], json["metrics"]["originalTokens"]);
        assert_eq!(json["stats"]["finalTokens"], json["metrics"]["condensedTokens"]);
        let (original, last) = (report.original_tokens(), report.final_tokens());
        assert_eq!(report.tokens_saved(), original - last);
        let saved_by_changes: usize =
            report.changes().iter().map(|change| change.tokens_before - change.tokens_after).sum();
        assert_eq!(report.tokens_saved(), saved_by_changes, "changes account for every token");
        assert_eq!(json["metrics"]["operationsApplied"], json!(["shorten"]));
    }
    let metrics = manager.metrics();
    assert_eq!(metrics.total, metrics.profiles["mine"]);
    assert_eq!((metrics.total.calls, metrics.total.successes, metrics.total.cost), (3, 3, 0.75));
    assert_eq!(metrics.total.tokens_saved, saved as u64);
    assert!((metrics.total.average_reduction_percent - reduction / 3.0).abs() < 1e-9);
    assert_eq!((metrics.providers["half"].calls, metrics.providers["no"].errors), (3, 1));
    assert_eq!(metrics.providers["no"].cost, 0.0);
    wait_for(manager.preview(work(conversation, CallOptions::default()), Trial::Preview));
    assert_eq!(manager.metrics(), metrics, "a preview is not remembered");
    manager.reset_metrics();
    assert_eq!(manager.metrics(), Metrics::default());
}

fn if_needed(manager: &Manager, conversation: &Conversation, options: Value) -> Report {
    wait_for(manager.condense_if_needed(work(conversation.clone(), call(options))))
}

#[test]
fn it_condenses_when_that_is_due_and_not_before() {
    let conversation = reads(6);
    let last = tally(&conversation).message(conversation.len() - 1);
    let manager = manager(
        json!({ "provider": "truncation", "autoCondenseContextPercent": 60, "profileThresholds": { "early": 20, "odd": 101 } }),
        vec![],
    );
    let usage =
        |total: usize, profile: &str| json!({ "totalTokens": total, "contextWindow": 100_000, "profileId": profile });
    let below = if_needed(&manager, &conversation, usage(60_000 - last - 1, "plain"));
    assert!(below.plan().is_empty() && below.error_code().is_none());
    assert_eq!(json_of(&below)["trigger"]["due"], false);
    assert_eq!(json_of(&below)["prevContextTokens"], 59_999.0);
    let at = if_needed(&manager, &conversation, usage(60_000 - last, "plain"));
    assert!(!at.plan().is_empty());
    let json = json_of(&at);
    assert_eq!((&json["trigger"]["reason"], &json["prevContextTokens"]), (&json!("threshold"), &json!(60_000.0)));
    let share = at.final_tokens() as f64 / at.original_tokens() as f64;
    assert_eq!(json["newContextTokens"].as_f64().unwrap(), (60_000.0 * share).ceil());
    assert!(!if_needed(&manager, &conversation, usage(20_000, "early")).plan().is_empty());
    let odd = if_needed(&manager, &conversation, usage(20_000, "odd"));
    assert!(odd.plan().is_empty() && odd.warnings()[0].code == WarningCode::InvalidThreshold);
    assert!(odd.warnings()[0].message.starts_with("profileThresholds.odd is 101"));
    manager.set_profile_threshold("odd", 10.0);
    assert!(!if_needed(&manager, &conversation, usage(20_000, "odd")).plan().is_empty());
    assert_eq!(manager.metrics().total.calls, 3, "what is not due is no call");
}

#[test]
fn a_full_window_is_brought_down_to_what_is_allowed() {
    let conversation = reads(20);
    let total = tally(&conversation).total();
    for automatic in [true, false] {
        let manager = manager(json!({ "autoCondenseContext": automatic }), vec![]);
        // 0.9 of the window less the reserve is half of what is there.
        let window = ((total / 2 + 100) as f64 / 0.9).ceil();
        let last = tally(&conversation).message(conversation.len() - 1);
        let report = if_needed(
            &manager,
            &conversation,
            json!({ "totalTokens": total - last, "contextWindow": window, "maxTokens": 100 }),
        );
        assert_eq!((report.error_code(), report.provider()), (None, "truncation"), "automatic: {automatic}");
        assert!(json_of(&report)["newContextTokens"].as_f64().unwrap() <= window * 0.9 - 100.0);
        check_report(&conversation, &report);
    }
}

#[test]
fn the_guard_stops_condensing_without_gain_for_each_task_alone() {
    let conversation = reads(3);
    let options = json!({ "provider": "nothing", "fallback": false, "guard": { "attempts": 2 } });
    let manager = manager(
        options,
        vec![
            Fake::new("nothing", Does::Nothing),
            Fake::new("stuck", Does::NeverAnswer),
            Fake::new("gains", Does::Shorten(vec![2, 4])),
        ],
    );
    let due = |task: &str, provider: &str| json!({ "totalTokens": 99_000, "contextWindow": 100_000, "taskId": task, "provider": provider });
    let code = |options: Value| if_needed(&manager, &conversation, options).error_code();
    assert_eq!(code(due("a", "nothing")), None);
    // An attempt that was aborted does not count, one with a gain clears the record.
    let aborted = work(conversation.clone(), call(due("a", "stuck")));
    let cancel = aborted.cancel.clone();
    let report = wait_for(async {
        let (report, ()) = tokio::join!(manager.condense_if_needed(aborted), async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            cancel.cancel();
        });
        report
    });
    assert_eq!(report.error_code(), Some("aborted"));
    assert_eq!(code(due("a", "gains")), None);
    assert_eq!(code(due("a", "nothing")), None);
    assert_eq!(code(due("a", "nothing")), None);
    assert_eq!(code(due("a", "nothing")), Some("condense_loop"));
    assert_eq!(code(due("b", "nothing")), None);
    let asked = condense(&manager, &conversation, json!({ "taskId": "a" }));
    assert_eq!(asked.error_code(), None, "who asks is not guarded");
}

#[test]
fn the_system_prompt_and_the_scale_count_towards_the_target() {
    let conversation = reads(10);
    let system = lines(3, 60, "\n");
    let manager = manager(json!({ "provider": "lossless", "scale": 1.5 }), vec![]);
    let target = tally(&conversation).total();
    let report = condense(&manager, &conversation, json!({ "targetTokens": target, "systemPrompt": system }));
    let after = check_report(&conversation, &report);
    check_ends(&conversation, &after, &report, 5, None);
    let expected = manager
        .scale()
        .apply(tally(&after).total() + roo_condense::count_tokens(&system, roo_condense::Encoding::default()).tokens);
    assert_eq!(report.final_tokens(), expected);
    assert!(expected <= target && report.warnings().is_empty());
    let hopeless = condense(&manager, &conversation, json!({ "targetTokens": 10, "systemPrompt": system }));
    assert!(hopeless.warnings().iter().any(|warning| warning.code == WarningCode::TargetNotMet));
}

#[test]
fn two_managers_share_nothing() {
    let (one, other) = (manager(json!({}), vec![Fake::new("mine", Does::Nothing)]), manager(json!({}), vec![]));
    one.set_active("mine").unwrap();
    condense(&one, &reads(1), json!({ "profileId": "p" }));
    one.set_profile_threshold("p", 50.0);
    assert_eq!((other.active().as_str(), other.metrics()), ("native", Metrics::default()));
    assert_eq!(
        other.should_condense(&ContextUsage { context_window: 1000.0, ..ContextUsage::default() }).threshold,
        100.0
    );
    assert!(other.registry().get("mine").is_err());
}

#[test]
fn the_largest_target_there_is_is_just_large() {
    let report =
        condense(&manager(json!({}), vec![]), &reads(2), json!({ "targetTokens": u64::MAX, "provider": "truncation" }));
    assert_eq!((report.error_code(), report.plan().is_empty()), (None, true));
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn the_chain_without_a_model_keeps_the_invariants(json in any_history(), target in any_target()) {
        let before = Conversation::parse(&json).unwrap();
        let target = target.tokens(&before);
        let run = || {
            let call = CallOptions { target_tokens: target, ..CallOptions::default() };
            wait_for(manager(json!({ "provider": "lossless" }), vec![]).condense(work(before.clone(), call)))
        };
        let report = run();
        prop_assert_eq!(report.error_code(), None);
        let after = check_report(&before, &report);
        check_target(&before, &after, &report, target);
        prop_assert_eq!(fingerprint(&before, &report), fingerprint(&before, &run()));
        prop_assert_eq!(export(&before), export(&Conversation::parse(&json).unwrap()));
        let again = CallOptions { target_tokens: target, ..CallOptions::default() };
        let after = Conversation::parse(&export(&after)).unwrap();
        let report =
            wait_for(manager(json!({ "provider": "lossless" }), vec![]).condense(work(after.clone(), again.clone())));
        let settled = check_report(&after, &report);
        // What truncation has left, lossless may still shorten, which loses nothing; then it is over.
        let loses = |operation: &str| ["drop", "log", "salient"].contains(&operation);
        prop_assert!(!report.changes().iter().any(|change| loses(&change.operation)), "{:?}", report.changes());
        let settled = Conversation::parse(&export(&settled)).unwrap();
        let report = wait_for(manager(json!({ "provider": "lossless" }), vec![]).condense(work(settled.clone(), again)));
        prop_assert_eq!(export(&check_report(&settled, &report)), export(&settled), "not idempotent");
    }
}

#[test]
fn the_way_back_is_said_once_and_only_where_there_is_one() {
    const HINT: &str = "call recall with";
    let conversation = reads(60);
    let fold = |conversation: &Conversation, recall: bool| {
        let target_tokens = Some(tally(conversation).total() / 4);
        let call = CallOptions { target_tokens, recall, ..CallOptions::default() };
        let report =
            wait_for(manager(json!({ "provider": "truncation" }), vec![]).condense(work(conversation.clone(), call)));
        assert_eq!(report.error_code(), None);
        Conversation::parse(&export(&check_report(conversation, &report))).unwrap()
    };
    let once = fold(&conversation, true);
    assert_eq!(export(&once).matches(HINT).count(), 1, "{}", export(&once));
    let twice = fold(&once, true);
    assert_eq!(export(&twice).matches(HINT).count(), 1, "{}", export(&twice));
    assert_eq!(export(&fold(&conversation, false)).matches(HINT).count(), 0);
}

fn preview_of(does: Does, conversation: &Conversation, trial: Trial) -> Value {
    let manager = manager(json!({ "provider": "only", "fallback": false }), vec![Fake::new("only", does)]);
    let report = wait_for(manager.preview(work(conversation.clone(), CallOptions::default()), trial));
    json_of(&report)["preview"].clone()
}

#[test]
fn a_preview_shows_up_to_five_messages_that_would_be_changed() {
    let conversation = reads(8);
    let all = preview_of(Does::Shorten(vec![2, 4, 6, 8, 10, 12, 14]), &conversation, Trial::Preview);
    assert_eq!((all["exact"].as_bool(), all["confidence"].as_f64()), (Some(true), Some(1.0)));
    let samples = all["samples"].as_array().unwrap();
    let indices: Vec<u64> = samples.iter().map(|sample| sample["messageIndex"].as_u64().unwrap()).collect();
    assert!(samples.len() == 5 && indices.is_sorted(), "{indices:?}");
    for sample in samples {
        assert_eq!((&sample["after"], &sample["added"]), (&sample["messageIndex"], &json!(false)));
        assert_eq!((&sample["operations"], &sample["exact"]), (&json!(["shorten"]), &json!(true)));
        assert!(sample["tokensSaved"].as_u64() > Some(100), "{sample}");
    }
    let estimate = preview_of(Does::Shorten(vec![2, 4]), &conversation, Trial::Estimate);
    assert_eq!(estimate, json!({ "exact": true, "confidence": 1.0, "priced": true, "samples": [] }));
    assert_eq!(preview_of(Does::Nothing, &conversation, Trial::Preview)["samples"], json!([]));
    assert_eq!(preview_of(Does::Fail, &conversation, Trial::Preview)["confidence"], 0.0);
}

#[test]
fn a_preview_shows_what_is_added_first_and_what_goes() {
    let preview = preview_of(Does::Summarise, &reads(3), Trial::Preview);
    let told: Vec<Value> = preview["samples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sample| {
            json!([sample["messageIndex"], sample["added"], sample["after"], sample["tokensSaved"].as_u64() > Some(0)])
        })
        .collect();
    let expected = [
        [json!(1), json!(true), json!(1), json!(false)],
        [json!(1), json!(true), json!(2), json!(false)],
        [json!(1), json!(false), json!(null), json!(true)],
        [json!(2), json!(false), json!(null), json!(true)],
    ];
    assert_eq!(told, expected.map(|sample| json!(sample)));
}
