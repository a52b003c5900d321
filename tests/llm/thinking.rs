//! Thinking that is bound to what stands before it: after no condensation may the service find fault with what is left.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::Arc,
};

use async_trait::async_trait;
use proptest::{prelude::*, sample::select};
use roo_condense::{
    BUILT_IN_PROVIDERS, Binding, CallOptions, CondenseError, Conversation, Edit, Encoding, Llm, Manager,
    ManagerOptions, PathStep, Plan, Proposal, Provider, ProviderInfo, Report, Request, Thinking, Trial, WarningCode,
    Work, condense_with, create_provider, problems,
};
use serde_json::{Value, json};

use crate::common::{
    cases::{any_target, cases},
    checks::{check_plans, check_report, export, info_of, tally, wait_for, work},
    histories::native,
    real_histories::{beginning, fixtures},
    scripted::Scripted,
};

/// Returns the service's signature of everything before a block.
fn signature(messages: &[Value], blocks: &[Value]) -> String {
    let said: Vec<Value> = messages.iter().map(|message| json!([message["role"], message["content"]])).collect();
    let mut hasher = DefaultHasher::new();
    json!([said, blocks]).to_string().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The history as a model with preserved thinking would have written it: each of its messages begins with thinking, and a block behind others is
/// encrypted.
fn signed(history: &str) -> Option<Conversation> {
    let mut messages: Vec<Value> = serde_json::from_str(history).ok()?;
    for at in 0..messages.len() {
        let (before, rest) = messages.split_at_mut(at);
        let message = &mut rest[0];
        if message["role"] != "assistant" {
            continue;
        }
        let Some(blocks) = message["content"].as_array_mut() else { continue };
        blocks.retain(|block| block["type"] != "thinking" && block["type"] != "redacted_thinking");
        let thought = format!("What is to be done after {at} messages? Most of it is clear.");
        blocks.insert(0, json!({ "type": "thinking", "thinking": thought, "signature": signature(before, &[]) }));
        if at % 3 == 0 && blocks.len() > 2 {
            let (head, _) = blocks.split_at(2);
            let data = signature(before, head);
            blocks.insert(2, json!({ "type": "redacted_thinking", "data": data }));
        }
    }
    Some(Conversation::parse(&json!(messages).to_string()).unwrap())
}

/// Returns the thinking that the service refuses: its signature does not match the messages before it.
fn refused(conversation: &Conversation) -> Vec<(usize, usize)> {
    let messages: Vec<Value> = serde_json::from_str(&export(conversation)).unwrap();
    let mut found = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        for (index, block) in blocks.iter().enumerate() {
            let made_behind = match block["type"].as_str() {
                Some("thinking") => &block["signature"],
                Some("redacted_thinking") => &block["data"],
                _ => continue,
            };
            if *made_behind != signature(&messages[..at], &blocks[..index]) {
                found.push((at, index));
            }
        }
    }
    found
}

fn thinking_in(conversation: &Conversation) -> usize {
    conversation.messages().flat_map(|message| message.content.blocks()).filter(|block| block.is_thinking()).count()
}

/// A call whose conversation is one with a model of this kind.
fn call(preserved: Option<bool>, thinking: Option<Thinking>) -> CallOptions {
    CallOptions { preserved_thinking: preserved, thinking, ..CallOptions::default() }
}

fn check(before: &Conversation, report: &Report) -> Conversation {
    assert_eq!(refused(before), [], "the history itself is good");
    let after = check_report(before, report);
    assert_eq!(refused(&after), [], "what the service would refuse");
    assert_eq!(thinking_in(before) - thinking_in(&after), lost(before, report), "all that is gone is told");
    let told = report.changes().iter().filter(|change| change.operation == "drop_thinking").count();
    assert_eq!(told, report.thinking_removed());
    assert!(report.warnings().iter().all(|warning| warning.code != WarningCode::ThinkingAfterChange));
    after
}

/// Thinking that went because something before it has changed, or with its whole message.
fn lost(before: &Conversation, report: &Report) -> usize {
    let in_dropped = report.plan().edits.iter().map(|edit| match edit {
        Edit::Drop { message } => {
            before.message(*message).content.blocks().iter().filter(|block| block.is_thinking()).count()
        }
        Edit::DropBlock { .. } => 1,
        _ => 0,
    });
    in_dropped.sum()
}

/// Does what it is told to, as a provider of the host.
struct Host(Plan);

#[async_trait]
impl Provider for Host {
    fn info(&self) -> ProviderInfo {
        info_of("host")
    }

    async fn propose(&self, _request: &Request, _config: &Value) -> Result<Proposal, CondenseError> {
        Ok(Proposal { plan: self.0.clone(), ..Proposal::default() })
    }
}

fn run(provider: Arc<dyn Provider>, before: &Conversation, call: CallOptions) -> Report {
    wait_for(condense_with(&provider, Encoding::default(), work(before.clone(), call)))
}

fn set(message: usize, path: &str, text: &str) -> Edit {
    Edit::set_text(message, serde_json::from_str::<Vec<PathStep>>(path).unwrap(), text.to_owned())
}

/// A task, five rounds of a tool loop, an answer, and a second task with two rounds, the last of which is under way.
fn two_tasks() -> Conversation {
    let mut messages = vec![json!({ "role": "user", "content": "Fix the parser, which fails on empty lines." })];
    let round = |id: usize, messages: &mut Vec<Value>| {
        messages.push(json!({ "role": "assistant", "content": [
            { "type": "text", "text": format!("I look at file {id}, because it may be the one.") },
            { "type": "tool_use", "id": format!("t{id}"), "name": "read_file", "input": { "path": format!("f{id}") } },
        ] }));
        messages.push(json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("t{id}"), "content": format!("line {id} of the file\n").repeat(30) },
        ] }));
    };
    (0..5).for_each(|id| round(id, &mut messages));
    messages.push(json!({ "role": "assistant", "content": [{ "type": "text", "text": "It is fixed now." }] }));
    messages.push(json!({ "role": "user", "content": "And now the printer, please." }));
    (5..7).for_each(|id| round(id, &mut messages));
    signed(&json!(messages).to_string()).unwrap()
}

#[test]
fn behind_a_change_thinking_goes_and_before_it_stays() {
    let before = two_tasks();
    assert_eq!((before.len(), refused(&before)), (17, vec![]));
    let shorten = Plan { edits: vec![set(6, r#"["content",0,"content"]"#, "short")] };
    let report = run(Arc::new(Host(shorten.clone())), &before, call(Some(true), None));
    let after = check(&before, &report);
    assert_eq!(report.thinking_removed(), thinking_in(&before) - thinking_in(&after));
    for (at, message) in after.messages().enumerate() {
        let has = message.content.blocks().iter().any(roo_condense::Block::is_thinking);
        assert_eq!(has, at < 6 && at % 2 == 1, "message {at}");
    }
    assert_eq!(after.len(), before.len());

    // The newest thinking was made behind all others, so a change at the end costs none.
    let last = Plan { edits: vec![set(16, r#"["content",0,"content"]"#, "short")] };
    assert_eq!(run(Arc::new(Host(last)), &before, call(Some(true), None)).thinking_removed(), 0);

    // Within a message, what stands before the change is still valid.
    let input = Plan { edits: vec![set(7, r#"["content",1,"text"]"#, "I look.")] };
    let after = check(&before, &run(Arc::new(Host(input)), &before, call(Some(true), None)));
    assert!(after.message(7).content.blocks()[0].is_thinking());
    assert!(!after.message(9).content.blocks()[0].is_thinking());
}

#[test]
fn on_older_models_the_tool_loop_under_way_keeps_its_thinking() {
    let before = two_tasks();
    let shorten = Plan { edits: vec![set(2, r#"["content",0,"content"]"#, "short")] };
    let removed = |call| run(Arc::new(Host(shorten.clone())), &before, call);
    let silent = removed(call(Some(false), None));
    assert_eq!(
        (silent.thinking_removed(), silent.warnings()),
        (0, &[][..]),
        "their thinking is valid wherever it stands"
    );

    let report = removed(call(Some(false), Some(Thinking::Drop)));
    let after = check_report(&before, &report);
    let left: Vec<usize> = (0..after.len())
        .filter(|at| after.message(*at).content.blocks().iter().any(roo_condense::Block::is_thinking))
        .collect();
    assert_eq!(left, [1, 13, 15]);
}

#[test]
fn thinking_that_stays_behind_a_change_is_told() {
    let before = two_tasks();
    let shorten = Plan { edits: vec![set(2, r#"["content",0,"content"]"#, "short")] };
    let kept = |call| {
        let report = run(Arc::new(Host(shorten.clone())), &before, call);
        assert_eq!(report.thinking_removed(), 0);
        report.warnings().iter().map(|warning| (warning.code.clone(), warning.message.clone())).collect::<Vec<_>>()
    };
    let count = refused(&before.apply(&shorten).unwrap()).len();
    for call in [
        call(None, None),
        call(Some(true), Some(Thinking::Keep)),
        call(Some(false), Some(Thinking::Keep)),
        call(None, Some(Thinking::Keep)),
    ] {
        let warnings = kept(call);
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].0, WarningCode::ThinkingAfterChange);
        assert!(warnings[0].1.starts_with(&format!("{count} blocks of signed thinking")), "{}", warnings[0].1);
    }
    let unsigned: Vec<Value> = serde_json::from_str(&export(&before).replace("\"signature\"", "\"note\"")).unwrap();
    let unsigned: Vec<Value> = unsigned
        .into_iter()
        .map(|mut message| {
            if let Some(blocks) = message["content"].as_array_mut() {
                blocks.retain(|block| block["type"] != "redacted_thinking");
            }
            message
        })
        .collect();
    let unsigned = Conversation::parse(&json!(unsigned).to_string()).unwrap();
    assert_eq!(run(Arc::new(Host(shorten)), &unsigned, call(None, None)).warnings(), []);
}

#[test]
fn the_model_is_known_by_the_call_by_the_handler_or_by_its_calibration() {
    let before = two_tasks();
    let shorten = Plan { edits: vec![set(2, r#"["content",0,"content"]"#, "short")] };
    let removed = |manager: &Manager, call: CallOptions, llm: Llm| {
        manager.register(Arc::new(Host(shorten.clone())));
        let call = CallOptions { provider: Some("host".into()), ..call };
        wait_for(manager.condense(Work { llm, ..work(before.clone(), call) })).thinking_removed() > 0
    };
    let new = |options: Value| Manager::new(ManagerOptions::read(&options).unwrap());
    let named = |model: &str| CallOptions { model: Some(model.into()), ..CallOptions::default() };
    let handled = |model| Llm { handler: Some(Arc::new(Scripted::named(model))), ..Llm::default() };
    let plain = || CallOptions::default();
    let manager = new(json!({}));
    assert!(!removed(&manager, plain(), Llm::default()));
    assert!(removed(&manager, named("claude-opus-5-5"), Llm::default()));
    assert!(!removed(&manager, named("claude-opus-4-8"), handled("claude-opus-5-5")), "the call wins");
    assert!(removed(&manager, plain(), handled("claude-fable-5-1")));
    assert!(!removed(&manager, plain(), handled("claude-sonnet-4-5")));
    assert!(!removed(&manager, call(Some(false), None), handled("claude-fable-5-1")), "what the host says wins");
    manager.calibrate(1000.0, 1600.0, "claude-sonnet-5-5").unwrap();
    assert!(removed(&manager, plain(), Llm::default()));

    let keeps = new(json!({ "thinking": "keep" }));
    assert!(!removed(&keeps, named("claude-opus-5-5"), Llm::default()));
    assert!(removed(&keeps, call(Some(true), Some(Thinking::Drop)), Llm::default()), "the call wins");
    assert_eq!(Binding::of_model("claude-opus-5-5"), Binding::Prefix);
}

#[test]
fn a_message_of_nothing_but_thinking_goes_unless_roles_would_meet() {
    let thought = |text: &str| json!({ "type": "thinking", "thinking": text, "signature": "s" });
    let before = json!([
        { "role": "user", "content": "Count to three, slowly, and tell me when you are there, as we agreed." },
        { "role": "assistant", "content": "One, with a long explanation of why it comes first, and what follows it." },
        { "role": "user", "content": "Go on." },
        { "role": "assistant", "content": [thought("That is two, and I should say so, at some length, before I stop.")] },
        { "role": "user", "content": "And?" },
        { "role": "assistant", "content": [thought("Three."), { "type": "redacted_thinking", "data": "x" }] },
    ]);
    let before = Conversation::parse(&before.to_string()).unwrap();
    let shorten = Plan { edits: vec![set(1, r#"["content"]"#, "One.")] };
    let report = run(Arc::new(Host(shorten)), &before, call(Some(true), None));
    let after = check_report(&before, &report);
    assert_eq!((report.thinking_removed(), after.len(), thinking_in(&after)), (3, 5, 0));
    assert_eq!(problems(&after), []);
    assert_eq!(after.message(3).texts()[0].text, "[Message text suppressed]");
}

#[test]
fn a_preview_tells_what_goes() {
    let before = two_tasks();
    let manager = Manager::new(ManagerOptions::read(&json!({ "provider": "truncation" })).unwrap());
    let call = CallOptions { target_tokens: Some(400), ..call(Some(true), None) };
    let preview = wait_for(manager.preview(work(before.clone(), call.clone()), Trial::Preview));
    let done = wait_for(manager.condense(work(before.clone(), call)));
    assert!(done.thinking_removed() > 0);
    assert_eq!(preview.thinking_removed(), done.thinking_removed());
    assert_eq!(preview.final_tokens(), done.final_tokens());
    assert_eq!(tally(&check(&before, &done)).total(), done.final_tokens());
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn no_provider_leaves_what_the_service_refuses(
        history in native(), id in select(BUILT_IN_PROVIDERS), target in any_target(), in_chain in any::<bool>(),
    ) {
        let Some(before) = signed(&history) else { return Ok(()) };
        let llm = Llm { condensing_handler: Some(Arc::new(Scripted::saying("In short: it was read."))), ..Llm::default() };
        let call = CallOptions { target_tokens: target.tokens(&before), ..call(Some(true), None) };
        let report = if in_chain {
            let manager = Manager::new(ManagerOptions::read(&json!({ "provider": id })).unwrap());
            wait_for(manager.condense(Work { llm, ..work(before.clone(), call) }))
        } else {
            let provider = create_provider(id, &Value::Null).unwrap();
            wait_for(condense_with(&provider, Encoding::default(), Work { llm, ..work(before.clone(), call) }))
        };
        let after = check(&before, &report);
        check_plans(&before, &after);
    }
}

#[test]
fn recorded_histories_stay_acceptable() {
    for (name, history) in fixtures() {
        let Some(before) = signed(&export(&beginning(&history, 60_000))) else { continue };
        for id in BUILT_IN_PROVIDERS {
            let target = tally(&before).total() / 3;
            let call = CallOptions { target_tokens: Some(target), ..call(Some(true), None) };
            let report = run(create_provider(id, &Value::Null).unwrap(), &before, call);
            let after = check(&before, &report);
            check_plans(&before, &after);
            assert!(report.final_tokens() <= report.original_tokens(), "{name}");
        }
    }
}
