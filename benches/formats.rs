//! The cost of other formats: a history of ours is written in each and condensed in both. Compared are the savings,
//! and the time for reading it as ours and carrying the result back, relative to the condensation itself. Ratios of
//! one run.
//!
//! `cargo bench --package roo-condense-benches --bench formats`

#[path = "../tests/conversation/formats/writers.rs"]
mod writers;

use std::{collections::HashMap, fs, path::Path, sync::Arc, time::Instant};

use roo_condense::{
    CallOptions, Conversation, Encoding, FORMATS, Projection, Provider, Report, Work, condense_with, create_provider,
    edited, format_named,
};
use serde_json::{json, value::RawValue};

/// Times that each thing is measured; the fastest counts.
const TIMES: usize = 5;

fn milliseconds<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let begun = Instant::now();
        let made = work();
        (begun.elapsed().as_secs_f64() * 1000.0, made)
    };
    let (mut best, mut made) = timed();
    for _ in 1..TIMES {
        let (time, again) = timed();
        if time < best {
            (best, made) = (time, again);
        }
    }
    (best, made)
}

fn condensed(provider: &Arc<dyn Provider>, conversation: &Conversation, target: usize) -> Report {
    let call = CallOptions { target_tokens: Some(target), ..CallOptions::default() };
    let work = Work { options: call, ..Work::new(conversation.clone()) };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(condense_with(provider, Encoding::default(), work))
}

fn saved(report: &Report) -> f64 {
    100.0 * (1.0 - report.final_tokens() as f64 / report.original_tokens().max(1) as f64)
}

#[derive(Default)]
struct Sum {
    histories: usize,
    condensing: f64,
    there: f64,
    back: f64,
    /// The differences of histories between the savings in this format and in ours, in percentage points, and the
    /// largest share of time.
    differences: Vec<f64>,
    largest: f64,
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let folder = root.join("../shared/corpus");
    let mut files: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    assert!(!files.is_empty(), "there are no histories in {}", folder.display());
    let provider = create_provider("smart", &json!({})).expect("a provider");
    println!(
        "{:<18} {:>9} {:>12} {:>8} {:>8} {:>14} {:>10} {:>12}",
        "format", "histories", "condense ms", "there", "back", "share of time", "at most", "points apart"
    );
    for format in FORMATS {
        let format = format_named(format.name()).expect("its name");
        let mut sum = Sum::default();
        for file in &files {
            let text = fs::read_to_string(file).expect("a file");
            // An array, or an object that holds one.
            let fields: HashMap<&str, &RawValue> = serde_json::from_str(&text).unwrap_or_default();
            let messages = fields.get("messages").map_or(text.as_str(), |messages| messages.get());
            let history = Conversation::parse(messages).expect("a history");
            let json = writers::written(format.name(), &history);
            let (there, read) = milliseconds(|| Projection::parse(format, &json).expect("an array"));
            let tokens = condensed(&provider, &history, usize::MAX).original_tokens();
            let own = condensed(&provider, &history, tokens / 2);
            let before = condensed(&provider, read.conversation(), usize::MAX).original_tokens();
            let (condensing, report) = milliseconds(|| condensed(&provider, read.conversation(), before / 2));
            let plan = report.plan().clone();
            let (back, _) = milliseconds(|| {
                let carried = read.carried(&plan).expect("what the format can hold");
                edited(read.messages(), &carried.edits)
            });
            sum.histories += 1;
            sum.condensing += condensing;
            sum.there += there;
            sum.back += back;
            sum.differences.push((saved(&report) - saved(&own)).abs());
            sum.largest = sum.largest.max((there + back) / condensing);
        }
        sum.differences.sort_by(f64::total_cmp);
        println!(
            "{:<18} {:>9} {:>12.1} {:>8.1} {:>8.1} {:>13.1}% {:>9.1}% {:>12.2}",
            format.name(),
            sum.histories,
            sum.condensing,
            sum.there,
            sum.back,
            100.0 * (sum.there + sum.back) / sum.condensing,
            100.0 * sum.largest,
            sum.differences.last().copied().unwrap_or_default(),
        );
    }
}
