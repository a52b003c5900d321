use serde_json::{Value, json};

use super::*;
use crate::tokens::Encoding;

fn anatomy(messages: &Value) -> Anatomy {
    let conversation = Conversation::parse(&messages.to_string()).unwrap();
    let tally = Tally::count(&conversation, Encoding::O200kBase, &Cancel::new()).unwrap();
    let tools = ToolTable::default();
    let inspected =
        Inspected { conversation: &conversation, tally: &tally, tools: &tools, scale: Scale::default(), most: 3 };
    let anatomy = inspect(&inspected, &Cancel::new()).unwrap();
    assert_eq!(anatomy.kinds.total(), tally.total());
    for (index, message) in anatomy.messages.iter().enumerate() {
        assert_eq!((message.tokens, message.kinds.total()), (tally.message(index), tally.message(index)));
    }
    anatomy
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] })
}

fn answer(id: &str, text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] })
}

/// `lines` numbered lines of a file, as `read_file` shows them.
fn file(lines: std::ops::Range<usize>) -> String {
    lines.map(|line| format!("{line} | const value{line} = compute({line});\n")).collect()
}

/// The same lines without numbers.
fn lines(lines: std::ops::Range<usize>) -> String {
    lines.map(|line| format!("const value{line} = compute({line});\n")).collect()
}

#[test]
fn every_token_has_a_kind() {
    let environment = "<environment_details>\n# Current Time\nnoon\n</environment_details>";
    let found = anatomy(&json!([
        { "role": "user", "content": [{ "type": "text", "text": "Mend the parser." }, { "type": "text", "text": environment }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "Let me look at it.", "signature": "x" },
            { "type": "text", "text": "I will look." },
            { "type": "tool_use", "id": "1", "name": "read_file", "input": { "path": "a.ts" } }
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "1", "content": [
                { "type": "text", "text": file(1..9) },
                { "type": "image", "source": { "type": "base64", "data": "a".repeat(400) } }
            ] },
            { "type": "image", "source": { "type": "url" } }
        ] },
        { "role": "assistant", "content": "All of it was about the parser.", "isSummary": true },
        { "role": "user", "content": [{ "type": "text", "text": "<system-reminder>\nBe good.\n</system-reminder>" }, { "type": "document" }] },
    ]));
    for kind in Kind::ALL {
        assert!(found.kinds.count(kind) > 0, "{kind:?}: {:?}", found.kinds);
    }
    assert_eq!(found.kinds.count(Kind::Images), 20 + 300);
    assert_eq!(found.messages[2].label, "read_file a.ts");
    assert_eq!(found.messages[0].kinds.main(), Kind::Environment);
    let largest = &found.largest[0];
    assert_eq!((largest.message_index, largest.block_index, largest.kind), (2, 1, Kind::Images));
    assert_eq!(found.largest.len(), 3);
}

#[test]
fn a_log_counts_as_a_summary_where_logs_are_put() {
    let log = "[Log of the messages left out here, in quotes]\nRead a.ts\n  → It fails.";
    let found = anatomy(&json!([
        { "role": "user", "content": "Mend the parser." },
        { "role": "assistant", "content": "[Messages before this point were left out.]" },
        { "role": "user", "content": [{ "type": "text", "text": log }] },
        { "role": "assistant", "content": "I mend it." },
        { "role": "user", "content": [{ "type": "text", "text": "Go on." }, { "type": "text", "text": log }] },
        { "role": "assistant", "content": "Yes." },
        { "role": "user", "content": log },
    ]));
    assert_eq!(found.messages[2].kinds.main(), Kind::Summaries);
    // Elsewhere, the same text is not a summary.
    assert!([4, 6].iter().all(|message| found.messages[*message].kinds.count(Kind::Summaries) == 0));
}

#[test]
fn a_text_is_divided_among_what_stands_in_it() {
    let found = anatomy(&json!([
        { "role": "user", "content": "<task>\nRead it.\n</task>" },
        { "role": "assistant", "content": "I read it.\n<read_file>\n<path>src/a.ts</path>\n</read_file>" },
        { "role": "user", "content": format!(
            "[read_file for 'src/a.ts'] Result:\n{}\n<environment_details>\n# Time\nnoon\n</environment_details>", file(1..30)) },
    ]));
    assert!(found.messages[1].kinds.count(Kind::Calls) > 0 && found.messages[1].kinds.count(Kind::Assistant) > 0);
    let last = found.messages[2].kinds;
    assert!(last.count(Kind::Environment) > 5 && last.count(Kind::Results) > last.count(Kind::Environment), "{last:?}");
    assert_eq!(found.by_tool.len(), 1);
    assert_eq!((&*found.by_tool[0].tool, found.by_tool[0].calls), ("read_file", 1));
    assert!(found.by_tool[0].call_tokens > 5 && found.by_tool[0].result_tokens > 100, "{:?}", found.by_tool);
}

#[test]
fn tools_and_files_have_their_calls_and_answers() {
    let found = anatomy(&json!([
        { "role": "user", "content": "Go." },
        call("1", "read_file", &json!({ "path": "a.ts" })), answer("1", &file(1..40)),
        call("2", "write_to_file", &json!({ "path": "b.ts", "content": "export {};\n".repeat(9) })), answer("2", "Written."),
        call("3", "execute_command", &json!({ "command": "npm test" })), answer("3", "Error: it failed"),
        call("4", "read_file", &json!({ "path": "b.ts" })), answer("4", "1 | export {};\n"),
    ]));
    let tool = |name: &str| found.by_tool.iter().find(|tool| &*tool.tool == name).unwrap();
    assert_eq!((tool("read_file").calls, tool("read_file").failed), (2, 0));
    assert_eq!((tool("execute_command").calls, tool("execute_command").failed), (1, 1));
    assert_eq!(&*found.by_tool[0].tool, "read_file");
    let file = |path: &str| found.by_file.iter().find(|file| &*file.path == path).unwrap();
    assert_eq!((file("a.ts").reads, file("a.ts").changes), (1, 0));
    assert_eq!((file("b.ts").reads, file("b.ts").changes), (1, 1));
    let calls: usize = found.by_tool.iter().map(|tool| tool.call_tokens).sum();
    assert_eq!(calls, found.kinds.count(Kind::Calls));
    let results: usize = found.by_tool.iter().map(|tool| tool.result_tokens).sum();
    assert_eq!(results, found.kinds.count(Kind::Results));
}

#[test]
fn what_says_nothing_new_is_found_once() {
    let snapshot = |text: &str| json!({ "role": "user", "content": [{ "type": "text", "text": format!("<environment_details>\n{text}\n</environment_details>") }] });
    let found = anatomy(&json!([
        snapshot("# Time\none"),
        call("1", "read_file", &json!({ "path": "a.ts" })),
        answer("1", &file(1..40)),
        call("2", "read_file", &json!({ "path": "b.ts" })),
        answer("2", &file(1..20)),
        call("4", "read_file", &json!({ "path": "b.ts" })),
        answer("4", &file(1..20)),
        call("5", "execute_command", &json!({ "command": "npm test" })),
        answer("5", &"All the tests passed without a failure.\n".repeat(4)),
        call("6", "execute_command", &json!({ "command": "npm test" })),
        answer("6", &"All the tests passed without a failure.\n".repeat(4)),
        call("7", "Edit", &json!({ "file_path": "a.ts", "old_string": lines(10..30), "new_string": "x" })),
        answer("7", "The file a.ts has been updated successfully."),
        snapshot("# Time\ntwo"),
    ]));
    let items =
        |waste: &Waste| waste.items.iter().map(|item| (item.message_index, item.label.clone())).collect::<Vec<_>>();
    assert_eq!(items(&found.stale), [(2, "a.ts".to_owned())]);
    assert_eq!(items(&found.superseded), [(4, "b.ts".to_owned()), (0, "environment".to_owned())]);
    assert_eq!(items(&found.repeated), [(10, "execute_command".to_owned())]);
    let stale = found.by_file.iter().find(|file| &*file.path == "a.ts").unwrap();
    assert_eq!(stale.wasted_tokens, found.stale.tokens);
    // Only the replaced lines are stale, which are half of those shown.
    let answered = found.messages[2].tokens;
    assert!(found.stale.tokens > answered / 3 && found.stale.tokens < answered * 2 / 3, "{:?}", found.stale);
    let all = found.stale.tokens + found.superseded.tokens + found.repeated.tokens;
    assert!(all < found.kinds.total());
}

#[test]
fn lines_that_are_shown_again_count_by_their_share() {
    let found = anatomy(&json!([
        { "role": "user", "content": "Go." },
        call("1", "read_file", &json!({ "path": "a.ts", "start_line": 1, "end_line": 40 })), answer("1", &file(1..40)),
        call("2", "read_file", &json!({ "path": "a.ts", "start_line": 20, "end_line": 60 })), answer("2", &file(20..60)),
    ]));
    let answered = found.messages[4].tokens;
    assert!(found.repeated.tokens > answered / 3 && found.repeated.tokens < answered * 2 / 3, "{:?}", found.repeated);
}

#[test]
fn nothing_and_nonsense_are_inspected_too() {
    assert_eq!(anatomy(&json!([])).kinds.total(), 0);
    let found = anatomy(
        &json!([7, { "role": "x".repeat(99), "content": [{ "type": "text", "text": "\u{202e}hi" }, null] }, { "role": "user" }]),
    );
    assert_eq!(found.messages.len(), 3);
    assert_eq!(found.messages[1].role.len(), 40);
}
