//! An agent at work on three files: what it reads, edits and writes repeats, and some of it looks like markers of this library.

use proptest::prelude::*;
use serde_json::{Value, json};

/// Lines of files and outputs; a few, so that they repeat, and some that look like markers.
fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "[a-e]{1,2}".prop_map(|name| format!("    let {name} = compute_something_with({name}, \"a longer text\");")),
        2 => Just(String::new()),
        2 => Just("}".to_owned()),
        1 => Just("    \r".to_owned()),
        1 => (1..4_u32).prop_map(|n| "a line that is rather long and says very much about nothing at all ".repeat(n as usize)),
        1 => (1..9_u32, 0..5_u32, 1..9_u32).prop_map(|(first, more, message)| format!("[See lines {first}-{} in message {message}]", first + more + 1)),
        1 => (1..9_u32).prop_map(|first| format!("[See lines {first}-{} above]", first + 2)),
        1 => Just("[The line above 4 more times]".to_owned()),
        1 => Just("     1→[5 lines, every 10th numbered:]".to_owned()),
        1 => (1..12_u32).prop_map(|number| format!("{number:>6}→x")),
        1 => Just("é\u{1F600}\0\u{F0000}".to_owned()),
    ]
}

/// A file as tools show it.
fn shown(lines: &[String], first: usize, style: usize) -> String {
    let numbered = lines.iter().enumerate().map(|(index, line)| match style {
        0 => format!("{:>6}→{line}", first + index),
        1 => format!("{:>6}\t{line}", first + index),
        2 => format!("{:>3} | {line}", first + index),
        _ => line.clone(),
    });
    numbered.collect::<Vec<_>>().join("\n")
}

/// A step of a made history.
#[derive(Debug, Clone)]
enum Step {
    Read(usize, usize, usize, usize),
    Edit(usize, usize, Vec<String>, bool),
    Write(usize, Vec<String>),
    Command(Vec<String>, bool),
    Several(usize, usize),
    Todo(u8),
    Xml(usize, Vec<String>),
    Words(Vec<String>),
}

fn any_step() -> impl Strategy<Value = Step> {
    let lines = |max| prop::collection::vec(any_line(), 0..max);
    prop_oneof![
        4 => (0..3_usize, 0..20_usize, 1..60_usize, 0..4_usize).prop_map(|(file, first, count, style)| Step::Read(file, first, count, style)),
        3 => (0..3_usize, 0..20_usize, lines(8), any::<bool>()).prop_map(|(file, at, lines, fails)| Step::Edit(file, at, lines, fails)),
        2 => (0..3_usize, lines(30)).prop_map(|(file, lines)| Step::Write(file, lines)),
        2 => (lines(30), any::<bool>()).prop_map(|(lines, again)| Step::Command(lines, again)),
        1 => (0..3_usize, 0..3_usize).prop_map(|(a, b)| Step::Several(a, b)),
        1 => any::<u8>().prop_map(Step::Todo),
        2 => (0..3_usize, lines(20)).prop_map(|(file, lines)| Step::Xml(file, lines)),
        1 => lines(6).prop_map(Step::Words),
    ]
}

/// A history of reads, edits, writes and commands about three files, with lines that repeat, and hostile ones.
pub fn file_work() -> impl Strategy<Value = String> {
    let files = prop::collection::vec(prop::collection::vec(any_line(), 10..50), 3);
    (files, prop::collection::vec(any_step(), 1..14)).prop_map(|(files, steps)| history(files, steps))
}

fn history(mut files: Vec<Vec<String>>, steps: Vec<Step>) -> String {
    let mut messages = vec![json!({ "role": "user", "content": "Do it." })];
    let mut last_output = String::new();
    for (index, step) in steps.into_iter().enumerate() {
        let id = format!("t{index}");
        let call = |name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
        let result = |content: Value| json!({ "type": "tool_result", "tool_use_id": id, "content": content });
        let path = |file: usize| format!("/home/dev/p/src/{file}.ts");
        let (calls, results) = match step {
            Step::Read(file, first, count, style) => {
                let lines = &files[file];
                let first = first.min(lines.len());
                let end = lines.len().min(first + count);
                let input = json!({ "file_path": path(file), "offset": first + 1, "limit": count });
                let text = shown(&lines[first..end], first + 1, style);
                (vec![call("Read", input)], vec![result(json!(text))])
            }
            Step::Edit(file, at, new, fails) => {
                let lines = &mut files[file];
                let at = at.min(lines.len());
                let end = lines.len().min(at + 3);
                let input = json!({ "file_path": path(file), "old_string": lines[at..end].join("\n"), "new_string": new.join("\n") });
                let updated = format!("The file {} has been updated successfully.", path(file));
                let answer = if fails { "Error: String to replace not found in file." } else { &updated };
                if !fails {
                    lines.splice(at..end, new);
                }
                let mut answered = result(json!([{ "type": "text", "text": answer }]));
                answered["is_error"] = json!(fails);
                (vec![call("Edit", input)], vec![answered])
            }
            Step::Write(file, lines) => {
                let input = json!({ "file_path": path(file), "content": lines.join("\n") });
                files[file] = lines;
                (
                    vec![call("Write", input)],
                    vec![result(json!(format!("File created successfully at: {}", path(file))))],
                )
            }
            Step::Command(lines, again) => {
                if !again {
                    last_output = lines.join("\n");
                }
                (vec![call("Bash", json!({ "command": "make test" }))], vec![result(json!(last_output))])
            }
            Step::Several(a, b) => {
                let other = json!({ "type": "tool_use", "id": "x", "name": "Read", "input": { "file_path": path(b) } });
                let answer = json!({ "type": "tool_result", "tool_use_id": "x", "content": shown(&files[b], 1, 1) });
                let input = json!({ "file_path": path(a) });
                (vec![call("Read", input), other], vec![result(json!(shown(&files[a], 1, 0))), answer])
            }
            Step::Todo(n) => {
                let todos: Vec<Value> = (0..n % 7)
                    .map(|item| json!({ "content": format!("Do the thing with number {item}"), "status": "pending" }))
                    .collect();
                (vec![call("TodoWrite", json!({ "todos": todos }))], vec![result(json!("Todos have been modified."))])
            }
            Step::Xml(file, lines) => {
                let call = format!(
                    "I write.\n<write_to_file>\n<path>{}</path>\n<content>\n{}\n</content>\n</write_to_file>",
                    path(file),
                    lines.join("\n")
                );
                let answer = format!("[write_to_file for '{}'] Result:", path(file));
                files[file] = lines;
                let environment = format!(
                    "<environment_details>\n# Time\n{index}\n# Mode\ncode mode, and more of the same\n{}\n</environment_details>",
                    files.len()
                );
                let text = |text: String| json!({ "type": "text", "text": text });
                (vec![text(call)], vec![text(answer), text("The content was saved.".into()), text(environment)])
            }
            Step::Words(lines) => {
                let words = format!("So.\n{}", lines.join("\n"));
                (vec![json!({ "type": "text", "text": words })], vec![json!({ "type": "text", "text": "Go on." })])
            }
        };
        messages.push(json!({ "role": "assistant", "content": calls }));
        messages.push(json!({ "role": "user", "content": results }));
    }
    Value::from(messages).to_string()
}
