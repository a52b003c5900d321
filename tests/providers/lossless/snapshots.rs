//! Condensed histories of every dialect, as a model reads them. Look at the snapshots with your own eyes.

use std::{fmt::Write as _, fs, path::Path};

use super::support::{condense, texts};
use roo_condense::Conversation;
use serde_json::{Value, json};

/// So many of the changed texts are shown, and so many lines of each.
const TEXTS: usize = 6;
const LINES: usize = 24;

fn shown(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).with_extension("json");
    let json: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let messages = if json.is_array() { &json } else { &json["messages"] };
    let conversation = Conversation::parse(&messages.to_string()).unwrap();
    let settled = condense(&conversation, json!({}));
    let (before, after) = (texts(&conversation), texts(&settled.conversation));
    let mut out = String::new();
    let mut left = TEXTS;
    for (message, (before, after)) in before.iter().zip(&after).enumerate() {
        for (before, after) in before.iter().zip(after).filter(|(before, after)| before != after) {
            if left == 0 {
                break;
            }
            left -= 1;
            let lines: Vec<_> = after.lines().collect();
            let _ = writeln!(
                out,
                "──── message {}, {} lines instead of {}",
                message + 1,
                lines.len(),
                before.lines().count()
            );
            // The first change may be far down in the text.
            let first = before.lines().zip(after.lines()).position(|(before, after)| before != after).unwrap_or(0);
            for line in lines.iter().skip(first.saturating_sub(2)).take(LINES) {
                let _ = writeln!(out, "{}", line.chars().take(120).collect::<String>());
            }
        }
    }
    out
}

#[test]
fn dialects() {
    for name in [
        "claude-code",
        "claude-code-older",
        "roo-xml-2025",
        "roo-native-2026",
        "cline-plain-text-results",
        "shell-only",
    ] {
        insta::assert_snapshot!(name, shown(name));
    }
}
