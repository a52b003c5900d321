//! Frozen messages: the first messages stay byte for byte and next to each other, whatever is done after them.

use std::sync::Arc;

use proptest::prelude::*;
use roo_condense::{
    CallOptions, Conversation, Encoding, Llm, Manager, ManagerOptions, WarningCode, Work, condense_with,
    create_provider,
};
use serde_json::json;

use crate::common::{
    cases::{any_target, cases},
    checks::{check_report, export, wait_for},
    configurations::any_provider,
    histories::any_history,
    scripted::{Scripted, answer},
};

fn model() -> Llm {
    Llm { handler: Some(Arc::new(Scripted::new(|_, _| Ok(answer("What happened, in short."))))), ..Llm::default() }
}

/// The first messages as JSON.
fn first(conversation: &Conversation, count: usize) -> Vec<String> {
    conversation.messages().take(count).map(|message| serde_json::to_string(message).unwrap()).collect()
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn frozen_messages_stay_byte_for_byte(
        json in any_history(),
        (id, config) in any_provider(),
        target in any_target(),
        frozen in 0_usize..12,
        by_call in any::<bool>(),
    ) {
        let before = Conversation::parse(&json).unwrap();
        let mut config = config;
        // A history that was condensed before contains pointers, even in the messages that are then frozen.
        let lossless = create_provider("lossless", &json!({})).unwrap();
        let once = wait_for(condense_with(&lossless, Encoding::default(), Work::new(before.clone())));
        let before = Conversation::parse(&export(&before.apply(once.plan()).unwrap())).unwrap();
        let mut call = CallOptions { target_tokens: target.tokens(&before), ..CallOptions::default() };
        if by_call {
            call = CallOptions { target_tokens: call.target_tokens, ..CallOptions::read(&json!({}), &json!({ "frozenMessages": frozen })).unwrap() };
        } else {
            config["frozenMessages"] = json!(frozen);
        }
        let provider = create_provider(id, &config).unwrap();
        let manager = Manager::new(ManagerOptions::read(&json!({})).unwrap());
        manager.register(provider);
        call.provider = Some(id.to_owned());
        if !by_call {
            // The providers that replace it have configurations of their own.
            call.target_tokens = None;
        }
        let report = wait_for(manager.condense(Work { llm: model(), options: call, ..Work::new(before.clone()) }));
        let after = check_report(&before, &report);
        prop_assert_eq!(first(&after, frozen), first(&before, frozen), "{:?}", report.changes());
    }
}

/// Twenty messages of which nothing is worth keeping.
fn long_messages() -> Conversation {
    let long = "a line of words that nobody needs again\n".repeat(300);
    let messages: Vec<_> = (0..20)
        .map(|index| json!({ "role": if index % 2 == 0 { "user" } else { "assistant" }, "content": format!("{index} {long}") }))
        .collect();
    Conversation::parse(&json!(messages).to_string()).unwrap()
}

#[test]
fn a_target_that_is_missed_because_of_it_says_so() {
    let before = long_messages();
    for id in ["lossless", "truncation", "smart"] {
        let options = json!({ "provider": id, "frozenMessages": 15 });
        let manager = Manager::new(ManagerOptions::read(&options).unwrap());
        let call = CallOptions { target_tokens: Some(5000), ..CallOptions::default() };
        let report = wait_for(manager.condense(Work { options: call, ..Work::new(before.clone()) }));
        let told =
            report.warnings().iter().find(|warning| warning.code == WarningCode::TargetNotMet).expect("it is missed");
        assert!(
            told.message.ends_with("; the first 15 messages may not be changed (frozenMessages)"),
            "{}",
            told.message
        );
        let after = before.apply(report.plan()).unwrap();
        assert_eq!(first(&after, 15), first(&before, 15));
    }
}

#[test]
fn what_a_providers_own_call_freezes_or_protects_stays() {
    let before = long_messages();
    let all: Vec<usize> = (0..9).collect();
    for options in [json!({ "frozenMessages": 9 }), json!({ "protect": { "messages": all } })] {
        let provider = create_provider("truncation", &json!({})).unwrap();
        let call = CallOptions { target_tokens: Some(5000), ..CallOptions::read(&json!({}), &options).unwrap() };
        let work = Work { options: call, ..Work::new(before.clone()) };
        let report = wait_for(condense_with(&provider, Encoding::O200kBase, work));
        let after = before.apply(report.plan()).unwrap();
        assert!(report.did_condense());
        assert_eq!(first(&after, 9), first(&before, 9), "{options}");
    }
}
