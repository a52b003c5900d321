//! How fast conversations are read: `cargo test --release --test transcript_speed -- --ignored --nocapture`. Asserts no time.

#[path = "transcript_support/mod.rs"]
mod support;

use std::{hint::black_box, time::Instant};

use roo_condense::{conversation::Conversation, transcript::decompose};

fn texts_bytes(conversation: &Conversation) -> usize {
    conversation.messages().flat_map(|message| message.texts()).map(|text| text.text.len()).sum()
}

fn report(what: &str, bytes: usize, mut work: impl FnMut()) {
    let best = (0..5).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    let best = best.min().unwrap_or_default();
    println!(
        "{what:<40} {:8.1} MB in {best:8.1?}: {:7.0} MB/s",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / best.as_secs_f64()
    );
}

#[test]
#[ignore = "measures; run by hand in release"]
fn speed() {
    let mut conversations = Vec::new();
    support::for_each_history("speed", |name, conversation| {
        conversations.push((name.to_owned(), conversation.clone()))
    });
    for part in ["cli", "mini-swe", "roo"] {
        let part: Vec<_> = conversations.iter().filter(|(name, _)| name.starts_with(part)).map(|(_, it)| it).collect();
        let bytes = part.iter().map(|conversation| texts_bytes(conversation)).sum();
        report("texts", bytes, || part.iter().for_each(|conversation| drop(black_box(texts_bytes(conversation)))));
        report("decompose", bytes, || part.iter().for_each(|conversation| drop(black_box(decompose(conversation)))));
    }
}
