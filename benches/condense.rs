//! Speed of the core's steps on a conversation of about 1.5 MB: parsing, counting, decomposition, the providers, applying a plan.
//!
//! `cargo bench --package roo-condense-benches --bench condense`; `-- parse` for one group. The whole call from JavaScript is measured by `speed.mjs`.

use std::{fs, hint::black_box, path::Path, sync::Arc, time::Duration};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use roo_condense::{
    Cancel, Conversation, Encoding, Plan, Provider, Request, Tally, ToolTable, clear_cache, create_provider, decompose,
    settle,
};
use serde_json::{Value, json, value::RawValue};

const ENCODING: Encoding = Encoding::O200kBase;
const BYTES: usize = 1_500_000;

/// A history of `fixtures/` one after the other until it is long enough, with a word of its project and the ids of its calls changed in each
/// copy, so that copies do not count as repetitions.
fn history(fixture: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(fixture);
    let json = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let messages: Value = serde_json::from_str(&json).expect("fixtures are JSON");
    let messages = messages.get("messages").unwrap_or(&messages).to_string();
    let one = &messages[1..messages.len() - 1];
    let copies = (0..BYTES.div_ceil(one.len()))
        .map(|copy| one.replace("toolu_", &format!("toolu_{copy}")).replace("task", &format!("task{copy}")));
    format!("[{}]", copies.collect::<Vec<_>>().join(","))
}

fn histories() -> Vec<(&'static str, String)> {
    ["claude-code.json", "roo-xml-2025.json", "roo-native-2026.json"].map(|name| (name, history(name))).into()
}

fn request(json: &str) -> Request {
    let conversation = Conversation::parse(json).expect("an array");
    let tally = Tally::count(&conversation, ENCODING, &Cancel::new()).expect("not cancelled");
    Request::new(conversation, tally)
}

fn provider(id: &str) -> Arc<dyn Provider> {
    create_provider(id, &json!({})).expect("defaults are allowed")
}

fn reading(criterion: &mut Criterion) {
    let tools = ToolTable::default();
    for (name, json) in histories() {
        let mut group = criterion.benchmark_group(format!("reading {name}"));
        group.throughput(Throughput::Bytes(json.len() as u64));
        // The least that any reader does: one pass that finds where each message ends.
        group.bench_function("one pass of serde_json", |bencher| {
            bencher.iter(|| serde_json::from_str::<Vec<&RawValue>>(black_box(&json)).map(|raw| raw.len()).ok());
        });
        group.bench_function("parse", |bencher| bencher.iter(|| Conversation::parse(black_box(&json)).ok()));
        let conversation = Conversation::parse(&json).expect("an array");
        group.bench_function("decompose", |bencher| bencher.iter(|| decompose(black_box(&conversation), &tools).len()));
        let cancel = Cancel::new();
        group.bench_function("count, fresh", |bencher| {
            bencher.iter_batched(
                clear_cache,
                |()| Tally::count(&conversation, ENCODING, &cancel).ok(),
                BatchSize::PerIteration,
            );
        });
        group.bench_function("count, again", |bencher| {
            bencher.iter(|| Tally::count(black_box(&conversation), ENCODING, &cancel).ok());
        });
        group.finish();
    }
}

fn condensing(criterion: &mut Criterion) {
    for (name, json) in histories() {
        let mut group = criterion.benchmark_group(format!("condensing {name}"));
        group.throughput(Throughput::Bytes(json.len() as u64));
        let whole = request(&json);
        let tokens = whole.tally.total();
        let calls = [
            ("lossless", "lossless", None),
            ("truncation", "truncation", None),
            ("truncation to 50%", "truncation", Some(tokens / 2)),
            ("truncation to 25%", "truncation", Some(tokens / 4)),
            ("truncation to 10%", "truncation", Some(tokens / 10)),
        ];
        for (call, id, target_tokens) in calls {
            let provider = provider(id);
            let request = Request { target_tokens, ..whole.clone() };
            let propose = || finished(provider.propose(&request, &Value::Null));
            group.bench_function(format!("{call}, propose"), |bencher| bencher.iter(propose));
            let proposal = propose();
            group.bench_function(format!("{call}, settle"), |bencher| {
                bencher.iter(|| settle(&request, id, black_box(&proposal)).ok());
            });
            let settled = settle(&request, id, &proposal).expect("built-in plans fit");
            group.bench_function(format!("{call}, apply"), |bencher| {
                bencher.iter(|| request.conversation.apply(black_box(&proposal.plan)).ok());
            });
            group.bench_function(format!("{call}, plan between"), |bencher| {
                bencher.iter(|| Plan::between(&request.original, black_box(&settled.conversation)));
            });
        }
        group.finish();
    }
}

/// Providers that call no model never wait, so their future is ready at once.
fn finished<T, E: std::fmt::Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(future).expect("a proposal")
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
    targets = reading, condensing
}
criterion_main!(benches);
