//! Tests of the whole provider: the published configurations, presets, and summaries by a test model.

mod groups;
mod learned;
mod model;
mod order;
mod preset_names;
mod published;
mod summaries;
mod told;
mod validation;

use futures_util::FutureExt;
use serde_json::{Value, json};

use self::model::{Model, material, with_model};
use super::{Smart, config::SmartConfig, presets};
use crate::{
    cancel::Cancel,
    conversation::{Conversation, problems},
    providers::{Proposal, Provider, Request, Settled, settle},
    tokens::{Encoding, Tally},
};

fn request(conversation: &Conversation) -> Request {
    let tally = Tally::count(conversation, Encoding::default(), &Cancel::new()).unwrap();
    Request::new(conversation.clone(), tally)
}

fn run(config: &Value, request: &Request) -> (Proposal, Settled) {
    let proposal =
        Smart::new(config).unwrap().propose(request, &Value::Null).now_or_never().expect("no waiting").unwrap();
    let settled = settled(request, &proposal);
    (proposal, settled)
}

/// Settles the passes' result, and checks that settling everything at once gives the same.
fn settled(request: &Request, proposal: &Proposal) -> Settled {
    let settled = settle(request, Smart::ID, proposal).unwrap();
    let at_once = settle(request, Smart::ID, &Proposal { settled: None, ..proposal.clone() }).unwrap();
    assert_eq!(json_of(&settled.conversation), json_of(&at_once.conversation));
    assert_eq!((settled.tally.total(), &settled.changes), (at_once.tally.total(), &at_once.changes));
    settled
}

fn preset(name: &str) -> Value {
    json!({ "preset": name })
}

fn json_of(conversation: &Conversation) -> String {
    conversation.export(conversation).unwrap()
}

/// A user's task and `exchanges` calls of `read_file`, each with a result of `lines` lines.
fn reads(exchanges: usize, lines: usize) -> Conversation {
    let mut messages = vec![json!({ "role": "user", "content": "Fix the parser in src/parse.rs." })];
    for exchange in 0..exchanges {
        let text: Vec<String> = (0..lines)
            .map(|line| format!("fn item_{exchange}_{line}(value: usize) -> usize {{ value * {line} + {exchange} }}"))
            .collect();
        messages.push(json!({ "role": "assistant", "content": [
            { "type": "text", "text": format!("I read module {exchange}.") },
            { "type": "tool_use", "id": format!("t{exchange}"), "name": "write_to_file",
              "input": { "path": format!("src/module_{exchange}.rs"), "content": text[..lines / 4].join("\n"), "lines": 12_345_678_901_234_567_u64 } } ] }));
        messages.push(json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("t{exchange}"), "content": text.join("\n") } ] }));
    }
    messages.push(json!({ "role": "assistant", "content": "Done." }));
    Conversation::parse(&Value::from(messages).to_string()).unwrap()
}

fn text_of(conversation: &Conversation, message: usize) -> String {
    conversation.message(message).texts()[0].text.to_owned()
}
