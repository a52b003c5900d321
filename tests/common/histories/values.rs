//! Texts and JSON values that histories are made of, as JSON text.
//!
//! JSON text rather than values, because much of what has to survive (lone surrogates, numbers beyond a double, thousands of
//! levels) has no value in Rust.

use proptest::{collection::vec, prelude::*, sample::select};

/// The JSON literal of a text.
pub fn literal(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// `count` lines that differ from each other; equal arguments give equal texts.
pub fn lines(seed: u8, count: usize, line_end: &str) -> String {
    (1..=count)
        .map(|line| match (line + usize::from(seed)) % 5 {
            0 => String::new(),
            1 => format!("{line} | export function part{seed}_{line}(value: number) {{"),
            2 => format!("    return value * {line} + offset{seed}; // step {line}"),
            3 => format!("src/module{seed}.ts:{line}: warning: the name `part{line}` is declared but never used"),
            _ => format!("at line {line} of file {seed}: nothing to report"),
        })
        .collect::<Vec<_>>()
        .join(line_end)
}

/// Texts as tools return them: some of them often equal to each other, some that look like what this library writes.
pub fn tool_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0_u8..4, select(vec![1_usize, 3, 12, 40, 90])).prop_map(|(seed, count)| lines(seed, count, "\n")),
        2 => (any::<u8>(), 1_usize..60).prop_map(|(seed, count)| lines(seed, count, "\n")),
        1 => (0_u8..3, 10_usize..30).prop_map(|(seed, count)| lines(seed, count, "\r\n")),
        1 => (1_usize..3000).prop_map(|length| "one very long line ".chars().cycle().take(length).collect()),
        1 => look_alike(),
        1 => forged_headings(),
        1 => select(vec!["ok", " ", "", "\n\n\n", "\u{0}", "e\u{301}\u{1F600}\u{F0000}\u{10F000}\u{10F841}"]).prop_map(str::to_owned),
    ]
}

/// Texts with lines that look like markers of this library.
fn look_alike() -> impl Strategy<Value = String> {
    let line = select(vec![
        "... (3 more lines)",
        "... (18446744073709551615 more lines)",
        "... (+7 more lines)",
        "abc... (5 more characters)",
        "... (18446744073709551615 more characters)",
        "[3 lines as below from \"an ordinary line of some\"]",
        "[3 lines as above from \"an ordinary line of some\"]",
        "[1 line as above from \"abc... (5 more\"]",
        "[9 lines as below from \"at line 4 of file 1: nothing\"]",
        "[9999999 lines as above from \"an ordinary line\"]",
        "12 | [2 lines as below from \"an ordinary line of some\"]",
        "[The line above 3 more times]",
        "[The line above 4294967295 more times]",
        "[12 lines, every 10th numbered:]",
        "[… 34 lines left out]",
        "[…2-40]",
        "[Left out: src/a.ts was changed below]",
        "[Tool result of 1200 lines left out]",
        "[123456 characters left out]",
        "[Text of 4 lines left out]",
        "an ordinary line of some length, so that there is something to be cut away here",
        "",
    ]);
    vec(line, 1..40).prop_map(|lines| lines.join("\n"))
}

/// Numbered lines with headings among them that only look like those of this library, and with what such headings have below them.
fn forged_headings() -> impl Strategy<Value = String> {
    let content = select(vec![
        "[3 lines, every 10th numbered:]",
        "[12 lines, every 10th numbered:]",
        "[3 lines as above from \"an ordinary line of some\"]",
        "[2 lines as below from \"an ordinary line of some\"]",
        "[9 lines as below from \"what stands nowhere\"]",
        "[The line above 3 more times]",
        "[… 4 lines left out]",
        "    10→what has kept its number",
        "an ordinary line of some length, so that there is something to be cut away here",
        "an ordinary line of some other length, about something that is likely to be cut",
        "",
    ]);
    let number = select(vec!["line", "line", "none", "other"]);
    vec((number, content), 1..40).prop_map(|lines| {
        let line = |(line, (number, content)): (usize, (&str, &str))| match number {
            "line" => format!("{line:>6}→{content}"),
            "other" => format!("{:>6}→{content}", line % 4),
            _ => content.to_owned(),
        };
        (1..).zip(lines).map(line).collect::<Vec<_>>().join("\n")
    })
}

/// A JSON literal of a string, well-formed text or not.
pub fn any_string() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => tool_text().prop_map(|text| literal(&text)),
        1 => ".{0,40}".prop_map(|text: String| literal(&text)),
        1 => vec(select(vec![
            "\\ud800", "\\udfff", "\\ud83d\\ude00", "\\udc00", "\\u0000", "\\r\\n", "\\n", "\\\\", "\\\"", "\\/", "\\u2028", "a ", "word ",
            "\u{1F600}", "\u{F0000}", "\u{10F123}", "\\udb80\\udc00", "... (",
        ]), 0..60).prop_map(|parts| format!("\"{}\"", parts.concat())),
    ]
}

const NUMBERS: [&str; 10] = [
    "0",
    "-0",
    "1.0",
    "9007199254740993",
    "18446744073709551616",
    "-9223372036854775808",
    "1e400",
    "1E+2",
    "0.1e-7",
    "3.14159",
];

/// Any JSON value, with odd keys, odd numbers and deep nesting.
pub fn any_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(vec!["null", "true", "false", "[]", "{}"]).prop_map(str::to_owned),
        select(NUMBERS.to_vec()).prop_map(str::to_owned),
        any_string(),
        (100_usize..140).prop_map(|depth| nested(depth, "\"deep\"")),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            vec((key(), inner), 0..4).prop_map(object),
        ]
    })
}

/// `value` inside `depth` levels, arrays and objects in turn.
pub fn nested(depth: usize, value: &str) -> String {
    let mut json = String::with_capacity(depth * 7 + value.len());
    (0..depth).for_each(|level| json.push_str(if level % 2 == 0 { "[" } else { "{\"k\":" }));
    json.push_str(value);
    (0..depth).rev().for_each(|level| json.push(if level % 2 == 0 { ']' } else { '}' }));
    json
}

pub(super) fn key() -> impl Strategy<Value = &'static str> {
    select(vec!["path", "content", "command", "__proto__", "constructor", "", "a b", "\\ud800", "type", "0"])
}

/// An object; of equal keys the first stays, because readers differ about the others.
pub(super) fn object(fields: Vec<(&'static str, String)>) -> String {
    let mut seen = Vec::new();
    let mut parts = Vec::new();
    for (key, value) in fields {
        if !seen.contains(&key) {
            seen.push(key);
            parts.push(format!("\"{key}\":{value}"));
        }
    }
    format!("{{{}}}", parts.join(","))
}

/// Fields that nobody knows, with a leading comma.
pub(super) fn unknown_fields() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => any_value().prop_map(|value| format!(",\"ts\":1758013404981,\"__proto__\":{value}")),
        1 => Just(",\"isSummary\":true,\"big\":18446744073709551616,\"cache_control\":{\"type\":\"ephemeral\"}".to_owned()),
    ]
}

pub(super) fn image() -> impl Strategy<Value = String> {
    select(vec![
        format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{}"}}}}"#,
            "iVBORw0K".repeat(40)
        ),
        r#"{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}"#.to_owned(),
    ])
}

pub(super) fn text_block(text: &str) -> String {
    let text = if text.trim().is_empty() { "go on" } else { text };
    format!("{{\"type\":\"text\",\"text\":{}}}", literal(text))
}
