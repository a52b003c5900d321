//! Tools of the host are read as the known ones are.

use roo_condense::{
    Conversation, Meaning, ParameterRole, Tool, ToolRows, ToolTable, decompose, read_transcript as read,
};
use serde_json::{Value, json};

/// Names that the host chose.
fn invented() -> ToolTable {
    let mut rows = ToolRows::default();
    rows.insert("fs_grab", Tool::new(Meaning::Read).with(ParameterRole::Path, "target"));
    let put = Tool::new(Meaning::Write).with(ParameterRole::Path, "target").with(ParameterRole::Content, "body");
    rows.insert("fs_p*", put);
    rows.insert("wonder", Tool::new(Meaning::Ask));
    ToolTable::default().with(&rows)
}

/// The same history with names that are known.
fn known(json: &str) -> String {
    let names = [
        ("fs_grab", "read_file"),
        ("fs_put", "write_to_file"),
        ("wonder", "ask_followup_question"),
        ("target", "path"),
        ("body", "content"),
    ];
    names.iter().fold(json.to_owned(), |json, (invented, known)| json.replace(invented, known))
}

fn native() -> Value {
    let call = |id: &str, name: &str, input: Value| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]});
    let answer = |id: &str, text: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]});
    json!([
        {"role": "user", "content": "Do it."},
        call("1", "fs_grab", json!({"target": "src/a.rs"})),
        answer("1", "1 | one\n2 | two"),
        call("2", "fs_put", json!({"target": "src/a.rs", "body": "three\nfour"})),
        answer("2", "Saved."),
        call("3", "wonder", json!({"question": "Well?"})),
        answer("3", "Yes."),
        call("4", "mcp__files__fs_grab", json!({"target": "b.rs"})),
        answer("4", "1 | x"),
    ])
}

fn xml() -> Value {
    let said = |text: &str| json!({"role": "assistant", "content": text});
    let answer = |text: &str| json!({"role": "user", "content": text});
    json!([
        {"role": "user", "content": "Do it."},
        said("I look.\n\n<fs_grab>\n<target>src/a.rs</target>\n</fs_grab>"),
        answer("[fs_grab for 'src/a.rs'] Result:\n1 | one\n2 | two"),
        said("<fs_put>\n<target>src/a.rs</target>\n<body>\nthree\n</body>\nfour\n</body>\n</fs_put>"),
        answer("[fs_put for 'src/a.rs'] Result:\nSaved."),
        said("<wonder>\n<question>Well?</question>\n</wonder>"),
        answer("[wonder for 'Well?'] Result:\n<answer>\nYes.\n</answer>"),
    ])
}

/// Every event: what happened to which file, and the lines that were shown.
fn events(json: &str, tools: &ToolTable) -> Vec<String> {
    let conversation = Conversation::parse(json).unwrap();
    let transcript = read(&conversation, tools);
    let tell = |event: &roo_condense::Event| {
        let shown: Vec<_> = event.shown.iter().map(|excerpt| excerpt.lines.len()).collect();
        let action = format!("{:?}", event.action);
        let action = action.split(['(', ' ']).next().unwrap_or_default().to_owned();
        format!("{action} {} {shown:?} {:?} {}", event.path.as_deref().unwrap_or("-"), event.outcome, event.asks_user)
    };
    transcript.events.iter().map(tell).collect()
}

/// Every piece: its kind, its text without names of tools, and what it is called.
fn pieces(json: &str, tools: &ToolTable) -> Vec<String> {
    let conversation = Conversation::parse(json).unwrap();
    let pieces = decompose(&conversation, tools);
    let pieces = pieces.iter().flat_map(|pieces| pieces.iter());
    pieces.map(|piece| known(&format!("{:?} {}", piece.kind, piece.source.label()))).collect()
}

#[test]
fn events_and_pieces_are_those_of_known_tools() {
    for history in [native(), xml()] {
        let json = history.to_string();
        let default = ToolTable::default();
        assert_eq!(events(&json, &invented()), events(&known(&json), &default));
        assert_eq!(pieces(&json, &invented()), pieces(&known(&json), &default));
        assert_ne!(events(&json, &default), events(&json, &invented()));
    }
    let read = events(&native().to_string(), &invented());
    let expected = [
        "Read src/a.rs [2] Ok false",
        "Write src/a.rs [] Unproven false",
        "Other - [] Ok true",
        "Read b.rs [1] Ok false",
    ];
    assert_eq!(read, expected);
}
