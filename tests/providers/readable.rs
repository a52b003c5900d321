//! Condensed histories in a form that a person can read. After an intended change, run `INSTA_UPDATE=always cargo
//! test readable`, then read the difference.

use std::{fmt::Write, fs, path::Path};

use roo_condense::{Conversation, Message, Report};
use serde_json::{Value, json};

use crate::common::checks::{run_alone, tally};

/// Some consecutive messages of a fixture, after its first.
fn excerpt(fixture: &str, from: usize, count: usize) -> Conversation {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture).with_extension("json");
    let recorded: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let messages = recorded.get("messages").unwrap_or(&recorded).as_array().unwrap();
    let chosen: Vec<_> = messages[..1].iter().chain(&messages[from..from + count]).collect();
    Conversation::parse(&json!(chosen).to_string()).unwrap()
}

const WIDEST: usize = 110;

fn shown(text: &str, result: &mut String) {
    for line in text.lines() {
        let cut: String = line.chars().take(WIDEST).collect();
        let more = if cut.len() < line.len() { "…" } else { "" };
        writeln!(result, "    {cut}{more}").unwrap();
    }
}

fn block_texts(message: &Message, block: usize) -> Vec<String> {
    message.texts().into_iter().filter(|text| text.block == block).map(|text| text.text.to_owned()).collect()
}

/// Shows the changed texts and their replacements, at most `most` of them.
fn readable(before: &Conversation, report: &Report, most: usize) -> String {
    let after = before.apply(report.plan()).unwrap();
    let mut result = format!("{} tokens, {} after\n", report.original_tokens(), report.final_tokens());
    for warning in report.warnings() {
        writeln!(result, "warning: {warning}").unwrap();
    }
    for change in report.changes().iter().take(most) {
        let block = change.block_index.map_or(String::new(), |block| format!(".{block}"));
        let (message, tokens) = (change.message_index, (change.tokens_before, change.tokens_after));
        writeln!(result, "\n{message}{block} {}, {} to {}: {}", change.operation, tokens.0, tokens.1, change.reason)
            .unwrap();
        let Some(block) = change.block_index else { continue };
        let Some(entry) = after.entries().iter().find(|entry| entry.origin == Some(message)) else { continue };
        let old = block_texts(before.message(message), block);
        for text in block_texts(&entry.message, block).iter().filter(|text| !old.contains(text)) {
            shown(text, &mut result);
        }
    }
    if report.changes().len() > most {
        writeln!(result, "\nand {} more changes", report.changes().len() - most).unwrap();
    }
    result
}

fn condensed(fixture: &str, from: usize, count: usize, provider: &str, percent: Option<usize>) -> String {
    let before = excerpt(fixture, from, count);
    let target = percent.map(|percent| tally(&before).total() * percent / 100);
    let config = if provider == "truncation" { json!({ "preserveRecentCount": 2 }) } else { Value::Null };
    readable(&before, &run_alone(provider, &config, &before, target), 4)
}

#[test]
fn lossless() {
    insta::assert_snapshot!("lossless_roo_native", condensed("roo-native-2026", 1, 110, "lossless", None));
    insta::assert_snapshot!("lossless_roo_xml", condensed("roo-xml-2025", 1, 118, "lossless", None));
    insta::assert_snapshot!("lossless_claude_code", condensed("claude-code", 1, 198, "lossless", None));
    insta::assert_snapshot!("lossless_cline", condensed("cline-plain-text-results", 1, 28, "lossless", None));
}

#[test]
fn truncation_to_a_quarter() {
    insta::assert_snapshot!("truncation_roo_native", condensed("roo-native-2026", 3, 40, "truncation", Some(25)));
    insta::assert_snapshot!("truncation_roo_xml", condensed("roo-xml-2025", 3, 40, "truncation", Some(25)));
    insta::assert_snapshot!("truncation_claude_code", condensed("claude-code", 3, 40, "truncation", Some(25)));
    insta::assert_snapshot!("truncation_cline", condensed("cline-plain-text-results", 1, 28, "truncation", Some(25)));
    insta::assert_snapshot!("truncation_shell", condensed("shell-only", 1, 28, "truncation", Some(25)));
}

#[test]
fn truncation_without_a_target() {
    insta::assert_snapshot!("truncation_defaults_roo_xml", condensed("roo-xml-2025", 3, 10, "truncation", None));
}
