//! How fast conversations are read: `cargo test --release --test transcript_speed -- --ignored --nocapture`. Asserts no time.

use std::{hint::black_box, time::Instant};

use roo_condense::{
    conversation::Conversation,
    transcript::{ToolTable, decompose, read},
};
use serde_json::{Value, json};

fn texts_bytes(conversation: &Conversation) -> usize {
    conversation.messages().flat_map(roo_condense::conversation::Message::texts).map(|text| text.text.len()).sum()
}

fn report(what: &str, bytes: usize, mut work: impl FnMut()) {
    let best = (0..3).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    let best = best.min().unwrap_or_default();
    println!(
        "{what:<60} {:8.1} MB in {best:8.1?}: {:7.0} MB/s",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / best.as_secs_f64()
    );
}

#[test]
#[ignore = "measures; run by hand in release"]
fn speed() {
    let mut conversations = Vec::new();
    crate::real_histories::for_each_history("speed", |name, conversation| {
        conversations.push((name.to_owned(), conversation.clone()));
    });
    for part in ["cli", "mini-swe", "roo"] {
        let part: Vec<_> = conversations.iter().filter(|(name, _)| name.starts_with(part)).map(|(_, it)| it).collect();
        let bytes = part.iter().map(|conversation| texts_bytes(conversation)).sum();
        report("texts", bytes, || {
            part.iter().for_each(|conversation| assert!(black_box(texts_bytes(conversation)) > 0));
        });
        report("decompose", bytes, || part.iter().for_each(|conversation| drop(black_box(decompose(conversation)))));
        let table = ToolTable::default();
        report("read", bytes, || part.iter().for_each(|conversation| drop(black_box(read(conversation, &table)))));
    }
}

/// A conversation of native calls: tool, input, answer.
fn conversation(calls: impl Iterator<Item = (&'static str, Value, String)>) -> Conversation {
    let messages = calls.enumerate().flat_map(|(index, (tool, input, answer))| {
        let id = index.to_string();
        [
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": answer}]}),
        ]
    });
    Conversation::parse(&Value::from_iter(messages).to_string()).unwrap()
}

fn numbered(first: usize, count: usize) -> String {
    (first..first + count).map(|line| format!("{line:>6}\tlet value_{line} = {line};\n")).collect()
}

fn written(count: usize) -> String {
    (1..=count).map(|line| format!("let value_{line} = {line};\n")).collect()
}

#[test]
#[ignore = "measures; run by hand in release"]
fn hostile() {
    let file = || json!({"file_path": "/a"});
    let ok = || "updated".to_owned();
    let cases: Vec<(&str, Conversation)> = vec![
        ("1,000 reads of one file", conversation((0..1_000).map(|_| ("Read", file(), numbered(1, 100))))),
        ("10,000 reads of one file", conversation((0..10_000).map(|_| ("Read", file(), numbered(1, 100))))),
        ("100,000 single lines, backwards", conversation((0..100_000).map(|at| ("Read", json!({"file_path": "/a", "offset": 100_000 - at}), numbered(100_000 - at, 1))))),
        ("a line of 5 MB", conversation([("Read", file(), format!("     1\t{}", "x".repeat(5_000_000)))].into_iter())),
        ("a line of 5 MB, edited 1,000 times", conversation(std::iter::once(("Write", json!({"file_path": "/a", "content": "x".repeat(5_000_000)}), ok())).chain((0..1_000).map(|at| ("Edit", json!({"file_path": "/a", "old_string": if at == 0 { "xx".to_owned() } else { format!("y{}", at - 1) }, "new_string": format!("y{at}"), "replace_all": false}), ok()))))),
        ("a million blank lines", conversation([("Read", file(), "\n".repeat(1_000_000)), ("read_file", file(), "\n".repeat(1_000_000)), ("Write", json!({"file_path": "/a", "content": "\n".repeat(1_000_000)}), ok())].into_iter())),
        ("20,000 edits of a file of 10,000 lines", conversation(std::iter::once(("Write", json!({"file_path": "/a", "content": written(10_000)}), ok())).chain((0..20_000).map(|at| ("Edit", json!({"file_path": "/a", "old_string": format!("let value_{} =", at % 10_000 + 1), "new_string": format!("let value_{} =\n", at % 10_000 + 1)}), ok()))))),
        ("a million headers", Conversation::parse(&json!([{"role": "user", "content": "[read_file for 'a'] Result:\n".repeat(1_000_000)}]).to_string()).unwrap()),
        ("a million opening tags", Conversation::parse(&json!([{"role": "assistant", "content": "<read_file>\n<path>".repeat(500_000)}]).to_string()).unwrap()),
        ("a million calls", Conversation::parse(&json!([{"role": "assistant", "content": "<read_file>\n<path>a</path>\n</read_file>\n".repeat(200_000)}]).to_string()).unwrap()),
        ("nested calls", Conversation::parse(&json!([{"role": "assistant", "content": format!("{}{}", "<write_to_file>\n<content>\n".repeat(200_000), "</content>\n</write_to_file>\n".repeat(200_000))}]).to_string()).unwrap()),
        ("a million mentions", Conversation::parse(&json!([{"role": "user", "content": "<file_content path=\"a\">\nx\n</file_content>\ny\n".repeat(300_000)}]).to_string()).unwrap()),
        ("a million feedbacks", Conversation::parse(&json!([{"role": "user", "content": format!("[x] Result:\n{}", "<feedback>\n</feedback>\n".repeat(500_000))}]).to_string()).unwrap()),
        ("a million hits", conversation([("Grep", json!({"pattern": "x", "path": "src"}), (1..1_000_000).map(|line| format!("src/a-1-b.ts:{line}:x\n")).collect())].into_iter())),
        ("a million dashes", conversation([("Grep", json!({"pattern": "x", "path": "src"}), "-1-".repeat(1_000_000))].into_iter())),
        ("a million blocks", conversation([("apply_diff", json!({"path": "a", "diff": "<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n".repeat(300_000)}), ok())].into_iter())),
        ("a long command", conversation([("bash", json!({"command": format!("cat > a << 'EOF'\n{}", "EOF \n".repeat(1_000_000))}), ok())].into_iter())),
        ("20,000 paths", conversation((0..20_000).map(|at| ("Read", json!({"file_path": if at % 2 == 0 { format!("/p/d{at}/index.ts") } else { format!("d{}/index.ts", at - 1) }}), numbered(1, 1))))),
    ];
    let table = ToolTable::default();
    for (what, conversation) in cases {
        let bytes = texts_bytes(&conversation);
        report(&format!("decompose: {what}"), bytes, || drop(black_box(decompose(&conversation))));
        report(&format!("read: {what}"), bytes, || drop(black_box(read(&conversation, &table))));
    }
}
