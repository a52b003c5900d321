//! Speed where histories are large or hostile: reading dialects and the lossless provider, on sizes ten times each other and on texts in which everything
//! looks like something.
//!
//! `cargo bench --package roo-condense-benches --bench growth`; `-- lossless` for one group.

use std::{hint::black_box, iter::once, time::Duration};

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use roo_condense::{
    Cancel, Conversation, Encoding, Message, Request, Tally, ToolTable, create_provider as create, decompose,
    read_transcript as read,
};
use serde_json::{Value, json};

/// Names and histories.
type Cases = Vec<(&'static str, Conversation)>;

/// Native calls: tool, input, answer.
fn calls(calls: impl Iterator<Item = (&'static str, Value, String)>) -> Conversation {
    let rounds = calls.enumerate().flat_map(|(index, (tool, input, answer))| {
        let id = index.to_string();
        [
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": answer}]}),
        ]
    });
    let messages = once(json!({"role": "user", "content": "Do it."})).chain(rounds);
    Conversation::parse(&messages.collect::<Value>().to_string()).expect("an array")
}

fn said(role: &str, text: &str) -> Conversation {
    Conversation::parse(&json!([{"role": role, "content": text}]).to_string()).expect("an array")
}

fn reads(texts: impl Iterator<Item = String>) -> Conversation {
    calls(texts.map(|text| ("Read", json!({"file_path": "/a"}), text)))
}

fn numbered(lines: usize, seed: usize) -> String {
    (1..=lines).map(|line| format!("{line:>6}\tlet value_{} = {line};\n", line * 7919 % 1009 + seed)).collect()
}

const UPDATED: &str = "The file /a has been updated successfully.";

/// So many calls in one message, answered in one: each has an id of its own, or all have the same.
fn at_once(count: usize, id: impl Fn(usize) -> String) -> Conversation {
    let call =
        |at: usize| json!({"type": "tool_use", "id": id(at), "name": "Read", "input": {"file_path": format!("/{at}")}});
    let answer = |at: usize| json!({"type": "tool_result", "tool_use_id": id(at), "content": format!("x {at}")});
    let [calls, answers] = [(0..count).map(call).collect::<Value>(), (0..count).map(answer).collect()];
    let messages = json!([
        {"role": "user", "content": "Do it."}, {"role": "assistant", "content": calls}, {"role": "user", "content": answers},
    ]);
    Conversation::parse(&messages.to_string()).expect("an array")
}

/// A file of 10,000 lines, and many edits of it.
fn edits() -> Conversation {
    let written: String = (1..=10_000).map(|line| format!("let value_{line} = {line};\n")).collect();
    let write =
        ("Write", json!({"file_path": "/a", "content": written}), "File created successfully at: /a".to_owned());
    let edits = (0..5_000).map(|at| {
        let old = format!("let value_{} =", at % 10_000 + 1);
        ("Edit", json!({"file_path": "/a", "old_string": old, "new_string": format!("{old}\n")}), UPDATED.to_owned())
    });
    calls(once(write).chain(edits))
}

/// Many short looks at a hundred files.
fn glances(count: usize) -> Conversation {
    calls(
        (0..count)
            .map(|at| ("Read", json!({"file_path": format!("/src/{}.ts", at % 97)}), format!("a {at}\nb {at}\n"))),
    )
}

/// The same work at ten times the size.
fn sizes() -> Cases {
    let of = |times: usize| reads((0..times * 40).map(|index| numbered(300, index / 4)));
    vec![
        ("40 reads", of(1)),
        ("400 reads", of(10)),
        ("4,000 reads", of(100)),
        ("5,000 edits", edits()),
        ("5,000 glances", glances(5_000)),
        ("50,000 glances", glances(50_000)),
        ("6,400 calls at once", at_once(6_400, |at| at.to_string())),
        ("64,000 calls at once", at_once(64_000, |at| at.to_string())),
        ("6,400 equal ids", at_once(6_400, |_| "a".to_owned())),
        ("64,000 equal ids", at_once(64_000, |_| "a".to_owned())),
    ]
}

/// Texts in which every place looks like the beginning of something.
fn hostile() -> Cases {
    let hits: String = (1..200_000).map(|line| format!("src/a-1-b.ts:{line}:x\n")).collect();
    let search = |answer: String| calls(once(("Grep", json!({"pattern": "x", "path": "src"}), answer)));
    let diff = "<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n".repeat(100_000);
    let heredoc = format!("cat > a << 'EOF'\n{}", "EOF \n".repeat(300_000));
    let nested =
        format!("{}{}", "<write_to_file>\n<content>\n".repeat(50_000), "</content>\n</write_to_file>\n".repeat(50_000));
    let pointers: String =
        (1..40_000).map(|line| format!("[3 lines as above from \"line {}\"]\nline {line}\n", line % 99)).collect();
    let short: String = (0..200_000_usize).map(|line| ["a\n", "b\n", "c\n"][(line * line + line / 3) % 3]).collect();
    vec![
        ("one line of 5 MB, three times", reads((0..3).map(|_| "x".repeat(5_000_000)))),
        ("a million blank lines, twice", reads((0..2).map(|_| "\n".repeat(1_000_000)))),
        ("three short lines, mixed, twice", reads((0..2).map(|_| short.clone()))),
        ("pointers, three times", reads((0..3).map(|_| pointers.clone()))),
        ("search hits", search(hits)),
        ("dashes", search("-1-".repeat(300_000))),
        ("empty changes", calls(once(("apply_diff", json!({"path": "a", "diff": diff}), "ok".to_owned())))),
        ("a long heredoc", calls(once(("bash", json!({"command": heredoc}), "ok".to_owned())))),
        ("headers", said("user", &"[read_file for 'a'] Result:\n".repeat(300_000))),
        ("opening tags", said("assistant", &"<read_file>\n<path>".repeat(200_000))),
        ("calls", said("assistant", &"<read_file>\n<path>a</path>\n</read_file>\n".repeat(100_000))),
        ("nested calls", said("assistant", &nested)),
        ("mentions", said("user", &"<file_content path=\"a\">\nx\n</file_content>\ny\n".repeat(100_000))),
    ]
}

fn bytes_of(conversation: &Conversation) -> u64 {
    conversation.messages().flat_map(Message::texts).map(|text| text.text.len() as u64).sum()
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}

fn reading(criterion: &mut Criterion) {
    let table = ToolTable::default();
    let mut group = group(criterion, "reading");
    for (name, conversation) in sizes().into_iter().chain(hostile()) {
        group.throughput(Throughput::Bytes(bytes_of(&conversation)));
        group.bench_function(format!("decompose: {name}"), |bencher| {
            bencher.iter(|| decompose(black_box(&conversation), &table).len());
        });
        group.bench_function(format!("read: {name}"), |bencher| {
            bencher.iter(|| read(black_box(&conversation), &table).events.len());
        });
    }
}

fn lossless(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let provider = create("lossless", &Value::Null).expect("defaults are allowed");
    let mut group = group(criterion, "lossless");
    for (name, conversation) in sizes().into_iter().chain(hostile()) {
        let tally = Tally::count(&conversation, Encoding::O200kBase, &Cancel::new()).expect("not cancelled");
        let request = Request::new(conversation, tally);
        group.throughput(Throughput::Bytes(bytes_of(&request.conversation)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                runtime.block_on(provider.propose(black_box(&request), &Value::Null)).map(|proposal| proposal.plan).ok()
            });
        });
    }
}

criterion_group!(benches, reading, lossless);
criterion_main!(benches);
