//! The smart provider on real histories, without a model.

use std::{sync::Arc, time::Instant};

use roo_condense::{
    cancel::Cancel,
    conversation::{Conversation, Plan},
    providers::{Provider, Request, Settled, create, settle},
    tokens::{Encoding, Tally},
};
use serde_json::json;

fn request(conversation: &Conversation) -> Request {
    let tally = Tally::count(conversation, Encoding::O200kBase, &Cancel::default()).unwrap();
    Request::new(conversation.clone(), tally)
}

fn condense(provider: &dyn Provider, request: &Request) -> Settled {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let proposal = runtime.block_on(provider.propose(request)).unwrap();
    settle(request, "smart", &proposal).unwrap()
}

fn preset(name: &str) -> Arc<dyn Provider> {
    create("smart", &json!({ "preset": name })).unwrap()
}

/// Of each history only what a debug build condenses quickly.
fn beginning(conversation: &Conversation, messages: usize) -> Conversation {
    let kept: Vec<_> = conversation.messages().take(messages).cloned().collect();
    Conversation::new(kept)
}

#[test]
fn presets_keep_their_order_and_their_own_results() {
    crate::real_histories::for_each_history("smart presets", |name, conversation| {
        let conversation = beginning(conversation, 80);
        let request = request(&conversation);
        let mut least = request.tally.total();
        for preset_name in ["conservative", "balanced", "aggressive"] {
            let provider = preset(preset_name);
            let settled = condense(&*provider, &request);
            let after = &settled.conversation;
            assert!(
                settled.tally.total() <= least,
                "{name}: {preset_name} leaves {} of {least}",
                settled.tally.total()
            );
            least = settled.tally.total();
            assert_eq!(after.problems_since(&conversation), [], "{name}: {preset_name}");
            let back = after.apply(&Plan::inverse(&conversation, after)).unwrap();
            assert_eq!(serde_json::to_string(&back).unwrap(), serde_json::to_string(&conversation).unwrap(), "{name}");
            let again = Conversation::parse(&serde_json::to_string(after).unwrap()).unwrap();
            let twice = condense(&*provider, &self::request(&again));
            assert!(twice.changes.is_empty(), "{name}: {preset_name}: {:?}", twice.changes.first());
        }
    });
}

#[test]
#[ignore = "measures; run by hand with --nocapture"]
fn sizes_and_times() {
    crate::real_histories::for_each_history("smart sizes", |name, conversation| {
        let request = request(conversation);
        let mut told = format!("{name:>30} {:>7}", request.tally.total());
        for name in ["conservative", "balanced", "aggressive", "multi_zone", "selective"] {
            let started = Instant::now();
            let settled = condense(&*preset(name), &request);
            told += &format!("  {name} {} ({} ms)", settled.tally.total(), started.elapsed().as_millis());
        }
        println!("{told}");
    });
}
