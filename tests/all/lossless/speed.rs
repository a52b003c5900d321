//! How fast the lossless provider is: `cargo test --release --test lossless_speed -- --ignored --nocapture`. Asserts no time.

use std::{hint::black_box, time::Instant};

use super::support::{propose, request};
use roo_condense::{
    conversation::Conversation,
    providers::settle,
    transcript::{ToolTable, read},
};
use serde_json::{Value, json};

fn best(mut work: impl FnMut()) -> f64 {
    (0..7)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .fold(f64::MAX, f64::min)
}

fn measure(what: &str, conversation: &Conversation) {
    let json = serde_json::to_string(conversation).unwrap();
    let request = request(conversation, json!({}));
    let parse = best(|| drop(black_box(Conversation::parse(&json).unwrap())));
    let transcript = best(|| drop(black_box(read(conversation, &ToolTable::default()))));
    let whole = best(|| drop(black_box(propose(&request))));
    let proposal = propose(&request);
    let settled = best(|| drop(black_box(settle(&request, "lossless", &proposal).unwrap())));
    let after = settle(&request, "lossless", &proposal).unwrap().tally.total();
    let saved = 100.0 - 100.0 * after as f64 / request.tally.total() as f64;
    println!(
        "{what:<34} {:7.2} MB parse {parse:8.2} ms, transcript {transcript:8.2}, propose {whole:8.2}, settle {settled:8.2}; {saved:.0}% less",
        json.len() as f64 / 1e6
    );
}

fn of_results(results: impl Iterator<Item = String>) -> Conversation {
    let mut messages = vec![json!({ "role": "user", "content": "Do it." })];
    for (index, result) in results.enumerate() {
        let id = format!("t{index}");
        let input = json!({ "file_path": "/p/a.ts" });
        messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Read", "input": input }] }));
        messages.push(
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": result }] }),
        );
    }
    Conversation::parse(&Value::from(messages).to_string()).unwrap()
}

fn file(lines: usize, seed: usize) -> String {
    (0..lines)
        .map(|line| {
            format!("{:>6}→const value{} = compute({}, \"text\");\n", line + 1, line * 7919 % 1009 + seed, line)
        })
        .collect()
}

#[test]
#[ignore = "measures; run by hand in release"]
fn speed() {
    crate::real_histories::for_each_history("speed", |name, conversation| {
        if conversation.len() > 150 {
            measure(name, conversation);
        }
    });
    for times in [1, 10, 100] {
        let texts = (0..times * 40).map(|index| file(300, index / 4));
        measure(&format!("reads x{times}"), &of_results(texts));
    }
    measure("10000 reads of one file", &of_results((0..10_000).map(|_| file(200, 0))));
    measure("one line of 5 MB, three times", &of_results((0..3).map(|_| "x".repeat(5_000_000))));
    measure("a million blank lines", &of_results([("\n".repeat(1_000_000))].into_iter()));
    measure(
        "a million blank lines, twice",
        &of_results([("\n".repeat(1_000_000)), ("\n".repeat(1_000_000))].into_iter()),
    );
    let near = |lines: usize| {
        (0..lines).map(|line| if line % 7 == 0 { format!("{line}\n") } else { "}\n".into() }).collect::<String>()
    };
    measure("few different lines, 1 MB", &of_results((0..4).map(|_| near(120_000))));
    let markers = (1..40_000)
        .map(|line| format!("[See lines {line}-{} in message {}]\n", line + 3, line % 7))
        .collect::<String>();
    measure("markers in markers", &of_results((0..3).map(|_| markers.clone())));
    let pattern = |n: usize| (0..n).map(|line| ["a\n", "b\n", "c\n"][(line * line + line / 3) % 3]).collect::<String>();
    measure("three short lines, mixed", &of_results((0..2).map(|_| pattern(200_000))));
}
