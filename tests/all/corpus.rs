//! The invariants on real histories and on the fixtures.

use std::{fs, path::Path};

use roo_condense::conversation::Conversation;
use serde_json::{Value, json, value::RawValue};

use super::{
    checks::{canonical, check_report, check_target, export, run_alone, tally},
    histories::literal,
};

/// The messages of a file: an array, or an object that holds one.
fn messages(file: &Path) -> String {
    #[derive(serde::Deserialize)]
    struct Recorded<'a> {
        #[serde(borrow)]
        messages: &'a RawValue,
    }
    let json = fs::read_to_string(file).unwrap();
    match serde_json::from_str::<Recorded>(&json) {
        Ok(recorded) => recorded.messages.get().to_owned(),
        Err(_) => json,
    }
}

fn histories(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.iter().map(|file| (file.file_stem().unwrap().to_string_lossy().into_owned(), messages(file))).collect()
}

fn check_history(name: &str, json: &str) {
    let before = Conversation::parse(json).unwrap();
    let written = export(&before);
    assert_eq!(canonical(&written), canonical(&export(&Conversation::parse(&written).unwrap())), "{name}");
    let total = tally(&before).total();
    let window = json!({ "mode": "window" });
    let suppress = json!({ "truncationMode": "suppress", "strategy": "head_tail" });
    let runs = [
        ("lossless", Value::Null, None),
        ("truncation", Value::Null, None),
        ("truncation", Value::Null, Some(total / 2)),
        ("truncation", Value::Null, Some(total / 4)),
        ("truncation", Value::Null, Some(total / 10)),
        ("truncation", window, Some(total / 4)),
        ("truncation", suppress, None),
    ];
    for (provider, config, target) in runs {
        let report = run_alone(provider, &config, &before, target);
        assert_eq!(report.error_code(), None, "{name}: {provider} {config}");
        let kept = (provider == "truncation").then_some(5);
        let after = check_report(&before, &report, kept);
        check_target(&before, &after, &report, target);
        let again = run_alone(provider, &config, &Conversation::parse(&export(&after)).unwrap(), target);
        assert!(again.plan().is_empty(), "{name}: {provider} {config} {target:?} again: {:?}", again.changes());
    }
}

#[test]
fn fixtures_keep_the_invariants() {
    for (name, json) in histories(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")) {
        check_history(&name, &json);
    }
}

#[test]
fn real_histories_keep_the_invariants() {
    let folder = std::env::var_os("ROO_CONDENSE_CORPUS").map(Into::into);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"));
    if !folder.is_dir() {
        eprintln!("skipped: there is no {}", folder.display());
        return;
    }
    // In the dev profile the longest ones take seconds each: what is checked is how histories look, not how long they are.
    let longest = match std::env::var_os("ROO_CONDENSE_WHOLE_CORPUS") {
        Some(_) => usize::MAX,
        None => 30_000,
    };
    for (name, json) in histories(&folder) {
        check_history(&name, &beginning(&json, longest));
    }
}

/// The first messages of a history, of about this many bytes.
fn beginning(json: &str, bytes: usize) -> String {
    let raw: Vec<&RawValue> =
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in {}", literal(&json[..80])));
    let mut length = 0;
    let first = raw.iter().map(|raw| raw.get()).take_while(|message| {
        let room = length < bytes;
        length += message.len();
        room
    });
    format!("[{}]", first.collect::<Vec<_>>().join(","))
}
