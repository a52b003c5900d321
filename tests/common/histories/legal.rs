//! Legal conversations in two dialects.

use super::values::{any_value, image, key, lines, literal, object, text_block, tool_text, unknown_fields};
use proptest::sample::select;
use proptest::{collection::vec, prelude::*};

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

/// A legal conversation with native tool calls. Of some hosts each tool answers in a message of its own.
pub fn native() -> impl Strategy<Value = String> {
    let apart = prop::bool::weighted(0.25);
    (vec(turn(), 0..14), any::<bool>(), any::<bool>(), apart).prop_map(|(turns, tool_use_id_first, open_end, apart)| {
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
            let last = user.split_off(if apart { turn.calls.len().saturating_sub(1) } else { 0 });
            messages.extend(user.iter().map(|block| format!("{{\"role\":\"user\",\"content\":[{block}]}}")));
            messages.push(format!("{{\"role\":\"user\",\"content\":[{}]}}", last.join(",")));
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
                    format!("The content was successfully saved to {path}."),
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
