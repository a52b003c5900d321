//! The lossless provider on real histories.

use std::time::Instant;

use roo_condense::{
    cancel::Cancel,
    conversation::Conversation,
    providers::{Provider, Request, Settled, create, settle},
    tokens::{Encoding, Tally},
};
use serde_json::{Value, json};

fn request(conversation: &Conversation, config: Value) -> Request {
    let tally = Tally::count(conversation, Encoding::O200kBase, &Cancel::default()).unwrap();
    Request { config, ..Request::new(conversation.clone(), tally) }
}

fn condense(provider: &dyn Provider, request: &Request) -> Settled {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let proposal = runtime.block_on(provider.propose(request)).unwrap();
    settle(request, "lossless", &proposal).unwrap()
}

#[test]
#[ignore = "measures; run by hand with --nocapture"]
fn savings() {
    let provider = create("lossless", &json!({})).unwrap();
    let mut sums: Vec<(String, [f64; 3])> = Vec::new();
    crate::real_histories::for_each_history("savings", |name, conversation| {
        let mut shown = Vec::new();
        for config in [json!({ "strict": true }), json!({})] {
            let request = request(conversation, config);
            let start = Instant::now();
            let settled = condense(&*provider, &request);
            let took = start.elapsed();
            let saved = 1.0 - settled.tally.total() as f64 / request.tally.total() as f64;
            let mut operations: std::collections::BTreeMap<&str, usize> = Default::default();
            for change in &settled.changes {
                *operations.entry(&change.operation).or_default() += change.tokens_before - change.tokens_after;
            }
            let operations: Vec<_> = operations
                .iter()
                .map(|(operation, tokens)| {
                    format!("{operation} {:.1}", 100.0 * *tokens as f64 / request.tally.total() as f64)
                })
                .collect();
            shown.push((saved, took, operations.join(", ")));
        }
        println!("{name:<40} {:5.1}% {:5.1}%  {:?}", 100.0 * shown[0].0, 100.0 * shown[1].0, shown[1].1);
        println!("      {}", shown[1].2);
        let part = name.split('-').next().unwrap().to_owned();
        if sums.last().is_none_or(|(last, _)| *last != part) {
            sums.push((part, [0.0; 3]));
        }
        let (_, sum) = sums.last_mut().unwrap();
        *sum = [sum[0] + shown[0].0, sum[1] + shown[1].0, sum[2] + 1.0];
    });
    for (part, [inline, all, count]) in sums {
        println!("{part}: {:.1}% inline, {:.1}% in all ({count})", 100.0 * inline / count, 100.0 * all / count);
    }
}

#[test]
#[ignore = "shows condensed histories to a person"]
fn show() {
    let provider = create("lossless", &json!({})).unwrap();
    let wanted = std::env::var("SHOW").unwrap_or_default();
    crate::real_histories::for_each_history("show", |name, conversation| {
        if !name.contains(&wanted) {
            return;
        }
        let settled = condense(&*provider, &request(conversation, json!({})));
        let texts = settled.conversation.messages().enumerate().flat_map(|(index, message)| {
            message.texts().into_iter().map(move |text| (index, text.block, text.path.clone(), text.text.into_owned()))
        });
        for (message, block, path, text) in texts {
            println!("──── message {} block {} {}", message + 1, block + 1, serde_json::to_string(&path).unwrap());
            println!("{text}");
        }
    });
}
