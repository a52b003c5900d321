//! Events that are recognised in real histories, and a check that no conversation makes an event outside its texts.

use std::collections::BTreeMap;

use proptest::prelude::*;
use roo_condense::{
    Action, CallOutcome, Conversation, Excerpt, FileChange, Place, ToolTable, Transcript, read_transcript as read,
};
use serde_json::{Value, json};

use crate::common::real_histories::{Share, for_each_history};

fn assert_inside(transcript: &Transcript) {
    let text = |index: usize| &*transcript.texts[index].text;
    let excerpt = |excerpt: &Excerpt| {
        let text = text(excerpt.text);
        assert!(text.get(excerpt.range.clone()).is_some());
        let mut end = excerpt.range.start;
        for line in &excerpt.lines {
            let range = line.range();
            assert!(range.start >= end && range.end <= excerpt.range.end, "{excerpt:?}");
            end = range.end;
            assert!(!text[range].contains('\n'));
        }
    };
    let place = |place: &Place| assert!(text(place.text).get(place.range.clone()).is_some());
    for event in &transcript.events {
        event.answers.iter().for_each(place);
        event.shown.iter().for_each(excerpt);
        event.call.iter().filter_map(|call| call.place.as_ref()).for_each(place);
        match &event.action {
            Action::Write(content) => excerpt(content),
            Action::Edit(changes) => {
                for change in changes {
                    match change {
                        FileChange::Text { old, new, .. } => [old, new].into_iter().for_each(place),
                        FileChange::Lines { text: index, old, new, .. } => {
                            old.iter().chain(new).for_each(|line| assert!(text(*index).get(line.range()).is_some()));
                        }
                        FileChange::Insert { text: index, new, .. } => {
                            new.iter().for_each(|line| assert!(text(*index).get(line.range()).is_some()));
                        }
                    }
                }
            }
            Action::Search(hits) => {
                for hit in hits {
                    assert!(text(event.answers[0].text).get(hit.span.range()).is_some());
                }
            }
            _ => {}
        }
    }
}

#[test]
fn real_histories_are_understood() {
    let table = ToolTable::default();
    let mut rates: BTreeMap<String, BTreeMap<String, (usize, usize)>> = BTreeMap::new();
    for_each_history("events", Share::All, |name, conversation| {
        let transcript = read(conversation, &table);
        assert_inside(&transcript);
        let agent = name.split("--").next().unwrap_or_default().to_owned();
        let rates = rates.entry(agent).or_default();
        for event in &transcript.events {
            let (what, known) = match &event.action {
                Action::Read(_) => ("read", !event.shown.is_empty()),
                Action::Write(_) => ("write", true),
                Action::Edit(changes) => ("edit", !changes.is_empty()),
                Action::Touch(_) => ("touch", true),
                Action::Search(hits) => ("search", !hits.is_empty()),
                Action::Command => ("command", true),
                Action::Environment => ("environment", true),
                Action::List => ("list", true),
                Action::Todo => ("todo", true),
                Action::Other => ("other", !event.tool.is_empty()),
            };
            let what =
                if event.outcome == CallOutcome::Ok { what.to_owned() } else { format!("{what} {:?}", event.outcome) };
            let rate = rates.entry(what).or_default();
            rate.0 += usize::from(known);
            rate.1 += 1;
        }
    });
    for (agent, rates) in &rates {
        for (what, (known, all)) in rates {
            println!("{agent:<10} {what:<20} {known:>5} of {all:>5}");
        }
        let (known, all) = rates.get("read").copied().unwrap_or_default();
        // Its answers are wrong by intent.
        let is_understood = agent == "odd-shapes" || known * 10 > all * 9;
        assert!(is_understood, "{agent}: {known} of {all} reads");
    }
}

/// Action, path, shown lines, outcome of every event, in short.
fn told(conversation: &Value) -> Vec<String> {
    let conversation = Conversation::parse(&conversation.to_string()).unwrap();
    let transcript = read(&conversation, &ToolTable::default());
    assert_inside(&transcript);
    let lines = |excerpt: &Excerpt| -> String {
        let lines: Vec<_> = (0..excerpt.lines.len()).map(|line| transcript.line(excerpt, line)).collect();
        format!("{}:{}", excerpt.first, lines.join("/"))
    };
    let spans = |text: usize, spans: &[roo_condense::Span]| -> String {
        let lines: Vec<_> = spans.iter().map(|span| &transcript.texts[text].text[span.range()]).collect();
        lines.join("/")
    };
    let change = |change: &FileChange| match change {
        FileChange::Text { old, new, everywhere } => {
            format!("{}>{}{}", transcript.text(old), transcript.text(new), if *everywhere { "*" } else { "" })
        }
        FileChange::Lines { text, old, new, start } => format!("{start:?} {}>{}", spans(*text, old), spans(*text, new)),
        FileChange::Insert { text, before, new } => format!("{before:?} +{}", spans(*text, new)),
    };
    let tell = |event: &roo_condense::Event| {
        let action = match &event.action {
            Action::Read(extent) => format!("read {extent:?}"),
            Action::Write(content) => format!("write {}", lines(content)),
            Action::Edit(changes) => format!("edit {}", changes.iter().map(change).collect::<Vec<_>>().join(", ")),
            Action::Search(hits) => {
                let hits: Vec<_> = hits.iter().map(|hit| format!("{}:{}", hit.path, hit.line)).collect();
                format!("search {}", hits.join(" "))
            }
            other => format!("{other:?}").to_lowercase(),
        };
        let shown: Vec<_> = event.shown.iter().map(lines).collect();
        let path = event.path.as_deref().unwrap_or("-");
        let exit = event.exit_code.map(|code| format!(" exit {code}")).unwrap_or_default();
        format!("{action} | {path} | {} | {:?}{exit}", shown.join(" "), event.outcome)
    };
    transcript.events.iter().map(tell).collect()
}

fn native(calls: &[(&str, Value, Value)]) -> Value {
    let uses: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(id, (name, input, _))| json!({"type": "tool_use", "id": id.to_string(), "name": name, "input": input}))
        .collect();
    let results: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(id, (_, _, answer))| json!({"type": "tool_result", "tool_use_id": id.to_string(), "content": answer}))
        .collect();
    json!([{"role": "assistant", "content": uses}, {"role": "user", "content": results}])
}

/// A call in XML and its answer in two texts.
fn xml(call: &str, header: &str, body: &str) -> Value {
    json!([
        {"role": "assistant", "content": [{"type": "text", "text": format!("Now.\n\n{call}")}]},
        {"role": "user", "content": [{"type": "text", "text": format!("[{header}] Result:")}, {"type": "text", "text": body},
            {"type": "text", "text": "<environment_details>\n# Current Workspace Directory (c:/P) Files\n</environment_details>"}]},
    ])
}

#[test]
fn roo_in_xml() {
    let read = xml(
        "<read_file>\n<args>\n<file>\n<path>src\\A.ts</path>\n<line_range>2-3</line_range>\n</file>\n<file>\n<path>C:\\p\\b.ts</path>\n</file>\n</args>\n</read_file>",
        "read_file for 'src\\A.ts', 'C:\\p\\b.ts'",
        "<files>\n<file><path>src\\A.ts</path>\n<content lines=\"2-3\">\n2 | x\n3 | </content>\n</content>\n</file>\n<file><path>C:\\p\\b.ts</path>\n<content lines=\"1-1\">\n1 | y\n</content>\n</file>\n</files>",
    );
    let environment = "environment | - |  | Ok";
    assert_eq!(
        told(&read),
        ["read Part | src/a.ts | 2:x/</content> | Ok", "read Whole | b.ts | 1:y | Ok", environment]
    );
    let write = xml(
        "<write_to_file>\n<path>a.ts</path>\n<content>\nlet a\n</content>\n<line_count>1</line_count>\n</write_to_file>",
        "write_to_file for 'a.ts'",
        "<file_write_result>\n<path>a.ts</path>\n<operation>created</operation>\n</file_write_result>",
    );
    assert_eq!(told(&write), ["write 1:let a | a.ts |  | Ok", environment]);
    let diff = "<apply_diff>\n<path>a.ts</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:3\n-------\na\n=======\nb\nc\n>>>>>>> REPLACE\n</diff>\n</apply_diff>";
    assert_eq!(
        told(&xml(diff, "apply_diff for 'a.ts'", "<file_write_result>"))[0],
        "edit Some(3) a>b/c | a.ts |  | Unproven"
    );
    let denied = "The user denied this operation and provided the following feedback:\n<feedback>\nNo.\n</feedback>";
    assert_eq!(told(&xml(diff, "apply_diff for 'a.ts'", denied))[0], "edit Some(3) a>b/c | a.ts |  | Denied");
    let failed = "<error>No sufficiently similar match found</error>";
    assert_eq!(told(&xml(diff, "apply_diff for 'a.ts'", failed))[0], "edit Some(3) a>b/c | a.ts |  | Failed");
    let insert = "<insert_content>\n<path>a.ts</path>\n<line>0</line>\n<content>\nend\n</content>\n</insert_content>";
    assert_eq!(told(&xml(insert, "insert_content for 'a.ts'", "done"))[0], "edit None +end | a.ts |  | Unproven");
    let printed = |directory: &str| {
        let output = format!(
            "Command executed in terminal  within working directory '{directory}'. Exit code: 0\nOutput:\none\ntwo\n"
        );
        let call = "<execute_command>\n<command>cat a.ts</command>\n</execute_command>";
        told(&xml(call, "execute_command for 'cat a.ts'", &output)).swap_remove(0)
    };
    assert_eq!(printed("/p"), "read Whole | a.ts | 1:one/two | Ok exit 0");
    // The output of a Windows terminal may differ from the content of the file.
    assert_eq!(printed("c:/P"), "command | - |  | Ok exit 0");
    let server = xml(
        "<use_mcp_tool>\n<server_name>quickfiles</server_name>\n<tool_name>read_multiple_files</tool_name>\n<arguments>\n{\"paths\": [\"a.ts\"]}\n</arguments>\n</use_mcp_tool>",
        "use_mcp_tool for 'quickfiles'",
        "--- a.ts ---\n1 | one\n2 | ",
    );
    assert_eq!(told(&server)[0], "read Whole | a.ts | 1:one/ | Ok");
    let interrupted = json!([{"role": "assistant", "content": "<read_file>\n<path>a</path>\n</read_file>"}, {"role": "user", "content": "Stop."}]);
    assert_eq!(told(&interrupted), ["read Part | a |  | Unanswered"]);
}

#[test]
fn roo_natively() {
    let winter = json!({"files": [{"path": "a.ts", "line_ranges": [[1, 2]]}, {"path": "b.ts"}]});
    let answers = native(&[
        ("read_file", winter, json!("File: a.ts\nLines 1-2:\n1 | x\n2 | y\n\n---\n\nFile: b.ts\n1 | z")),
        (
            "read_file",
            json!({"path": "c.ts", "offset": 5, "limit": 2}),
            json!(
                "File: c.ts\nIMPORTANT: File content truncated.\n\tStatus: Showing lines 5-6 of 90 total lines.\n\n5 | p\n6 | q"
            ),
        ),
        ("read_file", json!({"path": "d.ts"}), json!("Error: File not found: d.ts")),
        (
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+X\n*** Add File: n.ts\n+new\n*** End Patch"}),
            json!("{\"path\":\"a.ts\",\"operation\":\"modified\"}"),
        ),
        (
            "edit_file",
            json!({"file_path": "a.ts", "old_string": "X", "new_string": "x", "expected_replacements": 1}),
            json!("{\"path\":\"a.ts\",\"operation\":\"modified\"}"),
        ),
        ("write_to_file", json!({"path": "./w.ts", "content": "w\n"}), json!("{\"status\":\"denied\"}")),
        ("mcp--fs--read_text_file", json!({"path": "m.txt"}), json!([{"type": "text", "text": "m\nn"}])),
        (
            "execute_command",
            json!({"command": "rm a.ts"}),
            json!("Command executed in terminal within working directory '/p'. Exit code: 1\nOutput:\nno"),
        ),
    ]);
    let expected = [
        "read Part | a.ts | 1:x/y | Ok",
        "read Whole | b.ts | 1:z | Ok",
        "read Part | c.ts | 5:p/q | CutOff",
        "read Part | d.ts |  | Failed",
        "edit None x>X | a.ts |  | Ok",
        "write 1:new | n.ts |  | Unproven",
        "edit X>x | a.ts |  | Ok",
        "write 1:w | w.ts |  | Denied",
        "read Whole | m.txt | 1:m/n | Ok",
        "command | - |  | Failed exit 1",
    ];
    assert_eq!(told(&answers), expected);
}

#[test]
fn cline_on_disk() {
    let conversation = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "read_file", "input": {"path": "a.ts"}}, {"type": "tool_use", "id": "2", "name": "write_to_file", "input": {"path": "b.ts", "content": "let  b"}}]},
        {"role": "user", "content": [
            {"type": "text", "text": "[read_file for 'a.ts'] Result:\none\n[read_file for 'x'] Result:\n"},
            {"type": "text", "text": "[write_to_file for 'b.ts'] Result:\nThe content was successfully saved to b.ts.\n\n<final_file_content path=\"b.ts\">\nlet b\n</final_file_content>\n\nIMPORTANT: …"},
        ]},
    ]);
    let expected =
        ["read Whole | a.ts | 1:one/[read_file for 'x'] Result: | Ok", "write 1:let  b | b.ts | 1:let b | Ok"];
    assert_eq!(told(&conversation), expected);
}

#[test]
fn claude_code() {
    let answers = native(&[
        (
            "Read",
            json!({"file_path": "/p/a.go", "offset": 7}),
            json!("     7\tx\n     8\t\n\n<system-reminder>\nBe good.\n</system-reminder>\n"),
        ),
        (
            "Grep",
            json!({"pattern": "x", "path": "/p", "output_mode": "content"}),
            json!("src/b.go:7:x\nsrc/b.go-8-y\n--\nc.go:1:x"),
        ),
        (
            "MultiEdit",
            json!({"file_path": "/p/src/b.go", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "a", "new_string": "b", "replace_all": true}]}),
            json!("Applied 2 edits to /p/src/b.go:\n1. Replaced \"x\" with \"y\""),
        ),
        (
            "Edit",
            json!({"file_path": "/p/src/b.go", "old_string": "y", "new_string": "z"}),
            json!(
                "The file /p/src/b.go has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n     7→z\n     8→y"
            ),
        ),
        ("Bash", json!({"command": "cd /p && sed -n '2,3p' src/b.go"}), json!("two\nthree")),
        ("Bash", json!({"command": "go test ./..."}), json!("Exit code 1\nFAIL")),
        (
            "Read",
            json!({"file_path": "/p/empty"}),
            json!("<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"),
        ),
        ("TodoWrite", json!({"todos": [{"content": "x"}]}), json!("Todos have been modified successfully.")),
    ]);
    let expected = [
        "read Part | /p/a.go | 7:x/ | Ok",
        "search src/b.go:7 src/b.go:8 c.go:1 | - |  | Ok",
        "edit x>y, a>b* | /p/src/b.go |  | Ok",
        "edit y>z | /p/src/b.go | 7:z/y | Ok",
        "read Part | /p/src/b.go | 2:two/three | Ok",
        "command | - |  | Failed exit 1",
        "read Part | /p/empty |  | Ok",
        "todo | - |  | Ok",
    ];
    assert_eq!(told(&answers), expected);
}

#[test]
fn other_agents() {
    let editor = |command: &str, more: Value| {
        let mut input = json!({"command": command, "path": "/p/a.py"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let answers = native(&[
        (
            "str_replace_editor",
            editor("view", json!({"view_range": [2, 3]})),
            json!("Here's the result of running `cat -n` on /p/a.py:\n     2\tx\n     3\ty\n"),
        ),
        (
            "str_replace_editor",
            editor("view", json!({})),
            json!("Here's the files and directories up to 2 levels deep in /p"),
        ),
        (
            "str_replace_editor",
            editor("str_replace", json!({"old_str": "x", "new_str": "z"})),
            json!(
                "The file /p/a.py has been edited. Here's the result of running `cat -n` on a snippet of /p/a.py:\n     2\tz\nReview the changes."
            ),
        ),
        ("str_replace_editor", editor("insert", json!({"insert_line": 2, "new_str": "w"})), json!("ok")),
        ("str_replace_editor", editor("create", json!({"file_text": "c\n"})), json!("File created")),
        (
            "shell",
            json!({"command": ["bash", "-lc", "cat b.py"]}),
            json!("Exit code: 0\nWall time: 0.1 seconds\nOutput:\none\ntwo\n"),
        ),
        (
            "shell",
            json!({"command": ["bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: b.py\n@@\n-one\n+1\n*** End Patch\nEOF"]}),
            json!("Exit code: 0\nOutput:\nDone"),
        ),
        (
            "execute_bash",
            json!({"command": "cat c.py"}),
            json!("three\n[The command completed with exit code 0.]\n[Current working directory: /p]"),
        ),
        (
            "read",
            json!({"filePath": "/p/d.py"}),
            json!("<file>\n00001| four\n\n(End of file - total 1 lines)\n</file>"),
        ),
    ]);
    let expected = [
        "read Part | /p/a.py | 2:x/y | Ok",
        "read Part | /p/a.py |  | Ok",
        "edit x>z | /p/a.py | 2:z | Ok",
        "edit Some(3) +w | /p/a.py |  | Unproven",
        "write 1:c | /p/a.py |  | Unproven",
        "read Whole | b.py | 1:one/two | Ok exit 0",
        "edit None one>1 | b.py |  | Unproven",
        "read Whole | c.py | 1:three | Ok exit 0",
        "read Whole | /p/d.py | 1:four | Ok",
    ];
    assert_eq!(told(&answers), expected);
}

#[test]
fn mentions_and_orphans() {
    let conversation = json!([{"role": "user", "content": [
        {"type": "text", "text": "<task>\nSee 'a.ts' (see below for file content)\n</task>\n\n<file_content path=\"a.ts\">\n1 | x\n</file_content>"},
        {"type": "text", "text": "[read_file for 'b.ts']\nFile: b.ts\n1 | y"},
        {"type": "text", "text": "Tool result:\nsomething"},
        {"type": "tool_result", "tool_use_id": "gone", "content": "more"},
        {"type": "text", "text": "[read_file for 'c.ts'] Result:"},
        {"type": "text", "text": "1 | z"},
    ]}]);
    let expected = [
        "read Whole | a.ts | 1:x | Ok",
        "read Whole | b.ts | 1:y | Ok",
        "other | - |  | Ok",
        "read Whole | c.ts | 1:z | Ok",
        "other | - |  | Ok",
    ];
    assert_eq!(told(&conversation), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_conversation_is_survived(conversation in crate::common::histories::any_conversation()) {
        assert_inside(&read(&conversation, &ToolTable::default()));
    }

    #[test]
    fn any_json_is_survived(text in r#"(\[|\{|"role":|"user"|"assistant"|"content":|,|\}|\]|"[a-z]*"|[0-9]){0,40}"#) {
        if let Ok(conversation) = Conversation::parse(&text) {
            assert_inside(&read(&conversation, &ToolTable::default()));
        }
    }
}
