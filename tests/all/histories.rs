//! Made histories as JSON text: legal ones in two dialects, and hostile ones.
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
        1 => select(vec!["ok", " ", "", "\n\n\n", "\u{0}", "e\u{301}\u{1F600}\u{F0000}\u{10FFFD}"]).prop_map(str::to_owned),
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
        "[Same result as in message 3: x]",
        "[Same result as result 2 in message 3]",
        "[Tool result of 1200 lines left out]",
        "[123456 characters left out]",
        "[Text of 4 lines left out]",
        "an ordinary line of some length, so that there is something to be cut away here",
        "",
    ]);
    vec(line, 1..40).prop_map(|lines| lines.join("\n"))
}

/// A JSON literal of a string, well-formed text or not.
pub fn any_string() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => tool_text().prop_map(|text| literal(&text)),
        1 => ".{0,40}".prop_map(|text: String| literal(&text)),
        1 => vec(select(vec![
            "\\ud800", "\\udfff", "\\ud83d\\ude00", "\\udc00", "\\u0000", "\\r\\n", "\\n", "\\\\", "\\\"", "\\/", "\\u2028", "a ", "word ",
            "\u{1F600}", "\u{F0000}", "\\udb80\\udc00", "... (",
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

fn key() -> impl Strategy<Value = &'static str> {
    select(vec!["path", "content", "command", "__proto__", "constructor", "", "a b", "\\ud800", "type", "0"])
}

/// An object; of equal keys the first stays, because readers differ about the others.
fn object(fields: Vec<(&'static str, String)>) -> String {
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
fn unknown_fields() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => any_value().prop_map(|value| format!(",\"ts\":1758013404981,\"__proto__\":{value}")),
        1 => Just(",\"isSummary\":true,\"big\":18446744073709551616,\"cache_control\":{\"type\":\"ephemeral\"}".to_owned()),
    ]
}

/// A tool's answer: a string or blocks, and whether it failed.
fn result_content() -> impl Strategy<Value = String> {
    let inner = prop_oneof![
        3 => tool_text().prop_filter("text blocks are not blank", |text| !text.trim().is_empty())
            .prop_map(|text| format!("{{\"type\":\"text\",\"text\":{}}}", literal(&text))),
        1 => image(),
    ];
    prop_oneof![
        4 => tool_text().prop_map(|text| literal(&text)),
        1 => vec(inner, 1..4).prop_map(|blocks| format!("[{}]", blocks.join(","))),
    ]
}

fn image() -> impl Strategy<Value = String> {
    select(vec![
        format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{}"}}}}"#,
            "iVBORw0K".repeat(40)
        ),
        r#"{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}"#.to_owned(),
    ])
}

/// A call of a tool: its name and its input.
fn call() -> impl Strategy<Value = (&'static str, String)> {
    prop_oneof![
        select(vec!["src/a.ts", "src/b.ts"]).prop_map(|path| ("read_file", format!("{{\"path\":\"{path}\"}}"))),
        tool_text().prop_map(|text| (
            "write_to_file",
            format!("{{\"path\":\"src/a.ts\",\"content\":{},\"line_count\":9007199254740993}}", literal(&text))
        )),
        vec((key(), any_value()), 0..4).prop_map(|fields| ("Task", object(fields))),
    ]
}

#[derive(Debug, Clone)]
struct Turn {
    thinking: bool,
    says: Option<String>,
    calls: Vec<((&'static str, String), String, bool)>,
    adds: Option<String>,
    unknown: String,
}

fn turn() -> impl Strategy<Value = Turn> {
    let words = || prop::option::of((any::<u8>(), 1_usize..12).prop_map(|(seed, count)| lines(seed, count, "\n")));
    (any::<bool>(), words(), vec((call(), result_content(), any::<bool>()), 0..4), words(), unknown_fields())
        .prop_map(|(thinking, says, calls, adds, unknown)| Turn { thinking, says, calls, adds, unknown })
}

fn text_block(text: &str) -> String {
    let text = if text.trim().is_empty() { "go on" } else { text };
    format!("{{\"type\":\"text\",\"text\":{}}}", literal(text))
}

/// A legal conversation with native tool calls.
pub fn native() -> impl Strategy<Value = String> {
    (vec(turn(), 0..14), any::<bool>(), any::<bool>()).prop_map(|(turns, tool_use_id_first, open_end)| {
        let mut messages = vec![r#"{"role":"user","content":"Fix the parser, and keep the tests green."}"#.to_owned()];
        let mut id = 0;
        for turn in turns {
            let (mut assistant, mut user) = (Vec::new(), Vec::new());
            if turn.thinking {
                assistant.push(r#"{"type":"thinking","thinking":"Let me see.","signature":"c2ln"}"#.to_owned());
            }
            assistant.extend(turn.says.as_deref().map(text_block));
            for ((name, input), content, is_error) in &turn.calls {
                id += 1;
                assistant.push(format!(
                    "{{\"type\":\"tool_use\",\"id\":\"toolu_{id}\",\"name\":\"{name}\",\"input\":{input}}}"
                ));
                let flag = if *is_error { ",\"is_error\":true" } else { "" };
                user.push(if tool_use_id_first {
                    format!("{{\"tool_use_id\":\"toolu_{id}\",\"type\":\"tool_result\",\"content\":{content}{flag}}}")
                } else {
                    format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_{id}\",\"content\":{content}{flag}}}")
                });
            }
            if assistant.iter().all(|block| block.contains("\"thinking\"")) {
                assistant.push(text_block("Done."));
            }
            user.extend(turn.adds.as_deref().map(text_block));
            if user.is_empty() {
                user.push(text_block("go on"));
            }
            messages.push(format!("{{\"role\":\"assistant\",\"content\":[{}]{}}}", assistant.join(","), turn.unknown));
            messages.push(format!("{{\"role\":\"user\",\"content\":[{}]}}", user.join(",")));
        }
        if open_end {
            messages.push(
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"open","name":"read_file","input":{}}]}"#
                    .into(),
            );
        }
        format!("[{}]", messages.join(","))
    })
}

/// A legal conversation as Roo-Code wrote them in 2025: tool calls are XML in the assistant's text, answers are the user's text.
pub fn roo_xml() -> impl Strategy<Value = String> {
    let step = (0_u8..4, tool_text(), any::<bool>(), any::<bool>(), any::<u8>());
    (vec(step, 0..14), any::<bool>()).prop_map(|(steps, strings)| {
        let mut messages = vec![format!("{{\"role\":\"user\",\"content\":[{}]}}", text_block("<task>\nFix it.\n</task>"))];
        for (kind, text, split, environment, seed) in steps {
            let path = format!("src/file{}.ts", seed % 3);
            let (call, header, body) = match kind {
                0 => (
                    format!("I read it.\n\n<read_file>\n<args>\n<file>\n<path>{path}</path>\n</file>\n</args>\n</read_file>"),
                    format!("[read_file for '{path}'] Result:"),
                    format!("<files>\n<file><path>{path}</path>\n<content lines=\"1-40\">\n{text}\n</content>\n</file>\n</files>"),
                ),
                1 => (
                    format!("<write_to_file>\n<path>{path}</path>\n<content>\n{text}\n</content>\n<line_count>40</line_count>\n</write_to_file>"),
                    format!("[write_to_file for '{path}'] Result:"),
                    "The content was successfully saved.".to_owned(),
                ),
                2 => (
                    "<execute_command>\n<command>npm test</command>\n</execute_command>".to_owned(),
                    "[execute_command for 'npm test'] Result:".to_owned(),
                    format!("Command executed in terminal. Exit code: 0\nOutput:\n{text}"),
                ),
                _ => ("I think about it.".to_owned(), "[ERROR] You did not use a tool in your previous response!".to_owned(), text),
            };
            let details = format!("<environment_details>\n# VSCode Open Tabs\n{}\n</environment_details>", lines(seed, 6, "\n"));
            let mut texts = if split { vec![header, body] } else { vec![format!("{header}\n\n{body}")] };
            texts.extend(environment.then_some(details));
            messages.push(if strings {
                format!("{{\"role\":\"assistant\",\"content\":{},\"ts\":{seed}}}", literal(&call))
            } else {
                format!("{{\"role\":\"assistant\",\"content\":[{}]}}", text_block(&call))
            });
            let blocks: Vec<_> = texts.iter().map(|text| text_block(text)).collect();
            messages.push(format!("{{\"role\":\"user\",\"content\":[{}]}}", blocks.join(",")));
        }
        format!("[{}]", messages.join(","))
    })
}

/// A block that may be wrong in every way, or fine.
fn any_block() -> BoxedStrategy<String> {
    let id = || select(vec!["a", "b", "c", ""]);
    let leaf = prop_oneof![
        (any_string(), unknown_fields())
            .prop_map(|(text, extra)| format!("{{\"type\":\"text\",\"text\":{text}{extra}}}")),
        (id(), any_value(), unknown_fields()).prop_map(|(id, input, extra)| format!(
            "{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"read_file\",\"input\":{input}{extra}}}"
        )),
        id().prop_map(|id| format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"no_input\"}}")),
        (id(), any_value(), unknown_fields()).prop_map(|(id, content, extra)| format!(
            "{{\"type\":\"tool_result\",\"tool_use_id\":\"{id}\",\"content\":{content}{extra}}}"
        )),
        id().prop_map(|id| format!("{{\"tool_use_id\":\"{id}\",\"is_error\":true,\"type\":\"tool_result\"}}")),
        image(),
        select(vec![
            r#"{"type":"image"}"#,
            r#"{"type":"image","source":{"data":5}}"#,
            r#"{"type":"image","source":{"data":"a\/b\u0041"}}"#,
            r#"{"type":"thinking","thinking":"hm\ud800","signature":"x"}"#,
            r#"{"type":"thinking"}"#,
            r#"{"type":"redacted_thinking","data":"c2VjcmV0"}"#,
            r#"{"type":"text"}"#,
            r#"{"type":"text","text":null}"#,
            r#"{"type":"tool_use"}"#,
            r#"{"type":"tool_result","tool_use_id":5}"#,
            r#"{"type":5}"#,
            r#"{"text":"no type"}"#,
            r#"{"type":"server_tool_use","id":"s","input":{"query":"x"}}"#,
        ])
        .prop_map(str::to_owned),
        any_value(),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        vec(inner, 0..4).prop_map(|blocks| {
            format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":[{}]}}", blocks.join(","))
        })
    })
    .boxed()
}

/// A message that may be wrong in every way, or fine.
fn any_message() -> impl Strategy<Value = String> {
    let content = prop_oneof![
        3 => vec(any_block(), 0..5).prop_map(|blocks| format!("[{}]", blocks.join(","))),
        1 => any_string(),
        1 => any_value(),
    ];
    let role = select(vec!["\"user\"", "\"user\"", "\"assistant\"", "\"assistant\"", "\"system\"", "5", "\"\""]);
    prop_oneof![
        8 => (role, content, unknown_fields())
            .prop_map(|(role, content, extra)| format!("{{\"role\":{role},\"content\":{content}{extra}}}")),
        1 => select(vec![
            "null", "5", "\"x\"", "[]", "{}", "true", "1e400", r#"{"role":"user"}"#, r#"{"content":"no role"}"#,
            r#"{"type":"message","role":"user","content":[]}"#,
        ]).prop_map(str::to_owned),
    ]
}

/// Anything that is a JSON array: wrong messages alone, or between the messages of a legal conversation that lost some of its own.
pub fn hostile() -> impl Strategy<Value = String> {
    let mixed = (
        prop_oneof![native(), roo_xml()],
        vec((any::<prop::sample::Index>(), any_message()), 0..4),
        vec(any::<prop::sample::Index>(), 0..3),
    );
    prop_oneof![
        vec(any_message(), 0..14).prop_map(|messages| format!("[{}]", messages.join(","))),
        mixed.prop_map(|(legal, added, removed)| {
            let raw: Vec<&serde_json::value::RawValue> = serde_json::from_str(&legal).unwrap();
            let mut messages: Vec<String> = raw.iter().map(|raw| raw.get().to_owned()).collect();
            for index in removed {
                if !messages.is_empty() {
                    messages.remove(index.index(messages.len()));
                }
            }
            for (index, message) in added {
                messages.insert(index.index(messages.len() + 1), message);
            }
            format!("[{}]", messages.join(","))
        }),
    ]
}

/// Every kind.
pub fn any_history() -> impl Strategy<Value = String> {
    prop_oneof![native(), roo_xml(), hostile()]
}
