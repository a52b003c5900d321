//! Real histories.

use std::{fs, path::Path};

use roo_condense::conversation::Conversation;
use serde_json::Value;

/// Calls `check` with the name and the conversation of every history in `../shared/corpus`; says so when there is none.
pub fn for_each_history(what: &str, mut check: impl FnMut(&str, &Conversation)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = match std::env::var_os("ROO_CONDENSE_CORPUS") {
        Some(folder) => folder.into(),
        None => root.join("../shared/corpus"),
    };
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped ({what}): there is no {}", folder.display());
        return;
    };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
        let json: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let conversation = Conversation::parse(&json["messages"].to_string()).unwrap();
        check(&file.file_stem().unwrap().to_string_lossy(), &conversation);
    }
}
