//! Speed of counting: our engine against the crate `tiktoken`, which it asks for words that it has not near at hand, and against `tiktoken-rs`; the cache
//! against counting, two threads against one. "this repository" is its source and its documents, each file once: text as a model reads it.
//!
//! `cargo bench --package roo-condense-benches --bench tokens`; with `--features tiktoken-rs` the reference is behind our counter too.

use std::{fs, hint::black_box, path::Path};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use roo_condense::{
    Cancel, Encoding, clear_cache, count_all, count_tokens as count, count_uncached, truncate_start_to_tokens,
    truncate_to_tokens,
};

const ENCODING: Encoding = Encoding::O200kBase;

/// Numbers and words that vary, the same in each run.
fn numbers() -> impl FnMut(u64) -> u64 {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    move |below| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    }
}

/// This crate's own source with its names changed in each copy, so that no part comes twice. Still less varied than a project: there,
/// expect half the speed.
fn code(bytes: usize) -> String {
    const SOURCE: &str = concat!(
        include_str!("../src/tokens/count.rs"),
        include_str!("../src/tokens/scale.rs"),
        include_str!("../src/tokens/pieces.rs"),
        include_str!("../src/cancel.rs")
    );
    let (mut text, mut next) = (String::new(), numbers());
    while text.len() < bytes {
        for line in SOURCE.lines() {
            if next(4) == 0 {
                text += &line.replace("count", &format!("count_{}", next(100_000)));
            } else {
                text += line;
            }
            text.push('\n');
        }
    }
    text
}

fn json(bytes: usize) -> String {
    let (mut text, mut next) = (String::new(), numbers());
    while text.len() < bytes {
        text += &format!(
            "{{\"id\":{},\"user\":\"user-{}\",\"path\":\"/srv/app/module{}/file.rs\",\"ok\":true,\"ms\":{}.{}}}\n2026-03-0{} INFO request {} done\n",
            next(1 << 40),
            next(9_999),
            next(99),
            next(999),
            next(999),
            next(9) + 1,
            next(1 << 30)
        );
    }
    text
}

/// The source and the documents of this repository.
fn repository() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![root.join("src"), root.join("docs"), root.join("js")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let is_text = path.extension().is_some_and(|end| ["rs", "md", "js"].iter().any(|text| end == *text));
            if path.is_dir() {
                folders.push(path);
            } else if is_text {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).expect("a text")).collect()
}

fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let mut next = numbers();
    let base64 = (0..bytes)
        .map(|_| b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[next(62) as usize] as char)
        .collect();
    vec![
        ("blanks", " ".repeat(bytes)),
        ("one letter", "a".repeat(bytes)),
        ("alphanumeric", base64),
        ("combining marks", "\u{301}".repeat(bytes / 2)),
        ("Han", "漢".repeat(bytes / 3)),
    ]
}

fn engines(criterion: &mut Criterion) {
    let reference = tiktoken_rs::o200k_base_singleton();
    let crate_alone = tiktoken::get_encoding(ENCODING.name()).expect("it is compiled in");
    let mut texts = vec![("this repository", repository()), ("code", code(1 << 20)), ("JSON and logs", json(1 << 20))];
    // tiktoken-rs panics on a million blanks, so both get less.
    texts.extend(hostile(1 << 18));
    let mut group = criterion.benchmark_group("engine");
    group.sample_size(10);
    for (name, text) in &texts {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{name}/ours"), |bencher| {
            bencher.iter(|| count_uncached(black_box(text), ENCODING));
        });
        group.bench_function(format!("{name}/tiktoken"), |bencher| bencher.iter(|| crate_alone.count(black_box(text))));
        group.bench_function(format!("{name}/tiktoken-rs"), |bencher| {
            bencher.iter(|| reference.count_ordinary(black_box(text)));
        });
    }
}

fn cache(criterion: &mut Criterion) {
    let text = code(1 << 20);
    let mut group = criterion.benchmark_group("cache");
    for bytes in [32, 64, 128, 512, 4_096, 65_536] {
        let text = &text[..bytes];
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(format!("{bytes} bytes/hit"), |bencher| bencher.iter(|| count(black_box(text), ENCODING)));
        group.bench_function(format!("{bytes} bytes/counted"), |bencher| {
            bencher.iter(|| count_uncached(black_box(text), ENCODING));
        });
    }
    // One line more at the end of a megabyte: all pieces but the last are known.
    let mut line = 0;
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("1 MB and one new line", |bencher| {
        bencher.iter_batched(
            || {
                line += 1;
                format!("{text}\nline {line}")
            },
            |text| count(&text, ENCODING),
            BatchSize::LargeInput,
        );
    });
}

fn threads(criterion: &mut Criterion) {
    let cancel = Cancel::new();
    let mut group = criterion.benchmark_group("threads");
    group.sample_size(20);
    for kilobytes in [512, 1024, 2048, 4096] {
        let text = code(kilobytes << 10);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{kilobytes} KB/one"), |bencher| bencher.iter(|| count_uncached(&text, ENCODING)));
        group.bench_function(format!("{kilobytes} KB/two from 1 MB"), |bencher| {
            bencher.iter_batched(clear_cache, |()| count_all(&[&text], ENCODING, &cancel), BatchSize::PerIteration);
        });
    }
}

fn limits(criterion: &mut Criterion) {
    let text = code(1 << 20);
    let mut group = criterion.benchmark_group("limits of 1,000 tokens in 1 MB");
    group.bench_function("truncate_to_tokens", |bencher| {
        bencher.iter(|| truncate_to_tokens(&text, 1_000, ENCODING).len());
    });
    group.bench_function("truncate_start_to_tokens", |bencher| {
        bencher.iter(|| truncate_start_to_tokens(&text, 1_000, ENCODING).len());
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(std::time::Duration::from_millis(300)).measurement_time(std::time::Duration::from_secs(1));
    targets = engines, cache, threads, limits
}
criterion_main!(benches);
