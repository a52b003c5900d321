use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    LineRange, ReadOptions, RecallIndex, SearchOptions, Within,
    answer::{Found, Named},
    reading::ReadText,
};
use crate::{
    conversation::Conversation,
    formats::{Messages, Projection, named},
    transcript::ToolTable,
};

fn own(messages: &[Value]) -> Messages {
    Messages::Own(Conversation::parse(&json!(messages).to_string()).unwrap())
}

fn indexed(messages: &[Value]) -> RecallIndex {
    let mut index = RecallIndex::new(ToolTable::default());
    let conversation = index.begin("");
    index.append(conversation, &own(messages), 0, "");
    index
}

fn search(index: &RecallIndex, query: &str) -> Found {
    index.search(query, &SearchOptions { max_tokens: 1000, within: Within::default() })
}

fn text(found: &Found) -> String {
    found.hits.iter().map(|hit| hit.text.as_str()).collect()
}

fn read(index: &RecallIndex, key: &str, first: usize, last: Option<usize>) -> ReadText {
    let lines = LineRange { first, skip: 0, last };
    index.read(key, &ReadOptions { lines, max_tokens: 2000, within: Within::default() }).unwrap()
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] })
}

fn result(id: &str, text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] })
}

fn session() -> Vec<Value> {
    vec![
        json!({ "role": "user", "content": "Use port 8471 for the relay, never the default." }),
        call("1", "Read", json!({ "file_path": "/w/src/relay.ts" })),
        result("1", "     1\tconst port = 80;\n     2\texport const relay = listen(port);"),
        json!({ "role": "assistant", "content": "I will change the port. Shall I restart the relay?" }),
        json!({ "role": "user", "content": "no, wait" }),
        call(
            "2",
            "Edit",
            json!({ "file_path": "/w/src/relay.ts", "old_string": "const port = 80;", "new_string": "const port = 8471;" }),
        ),
        result("2", "The file has been updated."),
        call("3", "Bash", json!({ "command": "npm test" })),
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "3", "is_error": true, "content": "1 failed: relay refuses connections" }] }),
    ]
}

#[test]
fn what_was_said_is_found_and_told_in_its_place() {
    let index = indexed(&session());
    let found = search(&index, "which port for the relay?");
    assert_eq!(found.hits[0].who, "user");
    assert!(text(&found).contains("Use port 8471 for the relay, never the default."), "{}", text(&found));
    assert!(text(&found).contains('[') && text(&found).contains("0%"));
    assert_eq!(search(&index, "zeppelin").hits.len(), 0);
    assert_eq!(search(&index, " ?! ").hits.len(), 0);
}

#[test]
fn a_call_is_found_with_its_result_and_the_words_with_the_reply() {
    let index = indexed(&session());
    let failed = search(&index, "npm test");
    assert!(
        text(&failed).contains("command: npm test\n→ failed:\n1 failed: relay refuses connections"),
        "{}",
        text(&failed)
    );
    let asked = search(&index, "restart");
    assert!(text(&asked).contains("user answered: ") && text(&asked).contains("no, wait"), "{}", text(&asked));
}

#[test]
fn a_reading_says_that_its_file_was_changed_since() {
    let index = indexed(&session());
    let found = search(&index, "listen export");
    let changed = found.hits[0].changed_since.as_deref().unwrap();
    assert!(read(&index, changed, 1, None).text.contains("new_string: const port = 8471;"));
    assert!(search(&index, "8471").hits.iter().all(|hit| hit.key != changed || hit.changed_since.is_none()));
}

#[test]
fn states_of_one_list_are_one_hit_that_leads_to_the_newest() {
    let todo = |status: &str| {
        json!({ "todos": [
            { "content": "Move the relay", "status": status },
            { "content": "Restart the relay", "status": "pending" },
        ] })
    };
    let messages: Vec<Value> = ["pending", "in_progress", "completed"]
        .into_iter()
        .enumerate()
        .flat_map(|(index, status)| {
            let id = index.to_string();
            [call(&id, "TodoWrite", todo(status)), result(&id, "Todos have been modified.")]
        })
        .collect();
    let index = indexed(&messages);
    let hits = search(&index, "move the relay, restart the relay").hits;
    assert_eq!((hits.len(), hits[0].also.len()), (1, 2), "{hits:?}");
    assert!(hits[0].text.contains("completed") && hits[0].changed_since.is_none());
    let older = &search(&index, "in_progress").hits[0];
    assert_eq!(older.changed_since.as_ref(), Some(&hits[0].key));
}

#[test]
fn hits_far_below_the_best_are_left_out() {
    let mut messages = session();
    messages.extend(
        (0..40).map(|at| json!({ "role": "assistant", "content": format!("Note {at} on the default of part {at}.") })),
    );
    let hits = search(&indexed(&messages), "port 8471 for the relay, never the default").hits;
    assert!(hits[0].text.contains("Use port 8471") && hits.len() < 8, "{hits:?}");
}

#[test]
fn what_did_not_fit_is_named_and_entries_name_their_neighbours() {
    let messages: Vec<Value> = (0..40)
        .flat_map(|at| {
            let id = at.to_string();
            let lines: Vec<String> = (0..30).map(|line| format!("relay {at} row {line}")).collect();
            [call(&id, "Bash", json!({ "command": format!("show {at}") })), result(&id, &lines.join("\n"))]
        })
        .collect();
    let index = indexed(&messages);
    let found = search(&index, "relay row");
    let shown: Vec<&String> = found.hits.iter().map(|hit| &hit.key).collect();
    assert!(!found.further.is_empty() && found.further.iter().all(|named| !shown.contains(&&named.key)));
    let middle = read(&index, &search(&index, "show 20").hits[0].key, 1, Some(1));
    let head = |named: &Option<Named>| named.as_ref().map(|named| named.title.clone());
    assert_eq!((head(&middle.before), head(&middle.after)), (Some("Bash show 19".into()), Some("Bash show 21".into())));
    let first = read(&index, &search(&index, "show 0").hits[0].key, 1, Some(1));
    assert_eq!(head(&first.before), None);
}

#[test]
fn lines_are_read_exactly_and_told_where_they_go_on() {
    let lines: Vec<String> = (1..=4000).map(|number| format!("line {number} \u{fffd} of the listing\r")).collect();
    let index = indexed(&[
        json!({ "role": "user", "content": "List." }),
        call("1", "Bash", json!({ "command": "list" })),
        result("1", &lines.join("\n")),
    ]);
    let key = search(&index, "listing 3217").hits[0].key.clone();
    let mut text = Vec::new();
    let mut first = 3;
    loop {
        let part = read(&index, &key, first, None);
        text.extend(part.text.split('\n').map(str::to_owned));
        assert_eq!(part.total, 4002);
        let Some(next) = part.next else { break };
        assert_eq!(next, format!("{}-4002", part.last + 1));
        first = part.last + 1;
    }
    assert_eq!(text, lines);
    let beyond = read(&index, &key, 5000, Some(5010));
    assert!(beyond.text.is_empty() && beyond.total == 4002);
}

#[test]
fn lines_are_also_read_by_the_numbers_that_a_reading_shows() {
    let file: Vec<String> = (320..340).map(|number| format!("   {number}\tlet step = {};", number * 3)).collect();
    let messages = [call("1", "Read", json!({ "file_path": "a.rs", "offset": 320 })), result("1", &file.join("\n"))];
    let index = indexed(&messages);
    let key = search(&index, "step 975").hits[0].key.clone();
    assert_eq!(read(&index, &key, 325, Some(326)).text, file[5..7].join("\n"));
    assert_eq!(read(&index, &key, 3, Some(3)).total, read(&index, &key, 330, None).total);
    assert_eq!(read(&index, &key, 900, None).text, "");
}

#[test]
fn a_name_is_found_where_code_has_it_as_soon_as_where_it_is_talked_about() {
    let grep = "src/store.rs:12:pub fn find_newest(list: &[Session]) -> Option<&Session> {";
    let said = |at| json!({ "role": "assistant", "content": format!("Part {at}: I look at what calls find_newest here and there, and then I go on with the next part of the work on it.") });
    let mut messages: Vec<Value> = (0..12).map(said).collect();
    messages.extend([call("1", "Grep", json!({ "pattern": "find_newest" })), result("1", grep)]);
    let hits = search(&indexed(&messages), "find_newest").hits;
    assert!(hits[0].text.contains(grep), "{hits:?}");
}

#[test]
fn a_line_that_is_longer_than_an_answer_is_read_in_parts() {
    let line = "pack my box with five dozen liquor jugs ".repeat(4000);
    let index = indexed(&[json!({ "role": "user", "content": line })]);
    let key = search(&index, "liquor").hits[0].key.clone();
    let (mut text, mut skip) = (String::new(), 0);
    for _ in 0..100 {
        let options = ReadOptions {
            lines: LineRange { first: 1, skip, last: None },
            max_tokens: 2000,
            within: Within::default(),
        };
        let part = index.read(&key, &options).unwrap();
        text.push_str(&part.text);
        let Some(next) = part.next else { break };
        skip = next.strip_prefix("1@").unwrap().parse().unwrap();
    }
    assert_eq!(text, line);
}

#[test]
fn the_same_text_is_one_entry_wherever_it_stands() {
    let mut messages = session();
    messages.push(call("4", "Bash", json!({ "command": "npm test" })));
    messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "4", "is_error": true, "content": "1 failed: relay refuses connections" }] }));
    let found = search(&indexed(&messages), "relay refuses connections");
    assert_eq!(found.hits.iter().filter(|hit| hit.who == "call" && hit.head.contains("npm")).count(), 1);
    assert!(text(&found).contains("also 2 times"), "{}", text(&found));
}

#[test]
fn keys_are_the_same_however_messages_came() {
    let messages = session();
    let whole = indexed(&messages);
    let mut parts = RecallIndex::new(ToolTable::default());
    let conversation = parts.begin("");
    let mut open: Vec<Value> = Vec::new();
    for message in &messages {
        let again = open.len();
        open.push(message.clone());
        let appended = parts.append(conversation, &own(&open), again, "");
        open = open.split_off(open.len() - appended.open);
    }
    let told = |index: &RecallIndex| -> Vec<(String, u32)> {
        let slots = &index.conversations[0].slots;
        slots.iter().map(|slot| (index.entries[slot.entry as usize].key.clone(), slot.message)).collect()
    };
    assert_eq!(told(&whole), told(&parts));
    assert_eq!(parts.conversations[0].messages as usize, messages.len());
    for query in ["port", "relay refuses", "restart"] {
        assert_eq!(text(&search(&whole, query)), text(&search(&parts, query)), "{query}");
    }
}

#[test]
fn recall_finds_nothing_that_it_brought_back_itself() {
    let mut messages = session();
    messages.push(call("9", "mcp__recall__recall", json!({ "query": "port" })));
    messages.push(result("9", "[k7fa] user\nUse port 8471 for the relay, never the default. zebra"));
    let index = indexed(&messages);
    assert_eq!(search(&index, "zebra").hits.len(), 0);
    assert_eq!(search(&index, "port 8471").hits[0].percent, 0);
}

#[test]
fn conversations_are_searched_apart() {
    let mut index = RecallIndex::new(ToolTable::default());
    let (one, other) = (index.begin("monday"), index.begin("tuesday"));
    index.append(one, &own(&[json!({ "role": "user", "content": "The secret word is wombat." })]), 0, "");
    index.append(
        other,
        &own(&[json!({ "role": "user", "content": "The secret word is numbat." })]),
        0,
        "subagent Explore",
    );
    let within = |these: Vec<u32>| SearchOptions { max_tokens: 1000, within: Within(Some(these)) };
    let found = index.search("secret word", &within(vec![one]));
    assert!(text(&found).contains("wombat") && !text(&found).contains("numbat"));
    let key = found.hits[0].key.clone();
    let elsewhere = |these| ReadOptions {
        lines: LineRange { first: 1, skip: 0, last: None },
        max_tokens: 100,
        within: Within(Some(these)),
    };
    assert!(index.read(&key, &elsewhere(vec![other])).is_none());
    assert!(index.read(&format!("[{}]", key.to_uppercase()), &elsewhere(vec![one])).is_some());
    let all = search(&index, "numbat");
    assert!(text(&all).contains("subagent Explore, in tuesday"), "{}", text(&all));
}

#[test]
fn every_format_is_read() {
    let format = named("openai-responses").unwrap();
    let items = json!([
        { "role": "user", "content": "Which host?" },
        { "type": "function_call", "call_id": "a", "name": "shell", "arguments": "{\"command\":\"hostname\"}" },
        { "type": "function_call_output", "call_id": "a", "output": "kestrel.example" }
    ]);
    let read = Messages::Foreign(Arc::new(Projection::parse(format, &items.to_string()).unwrap()));
    let mut index = RecallIndex::new(ToolTable::default());
    let conversation = index.begin("");
    let appended = index.append(conversation, &read, 0, "");
    assert_eq!((appended.entries, appended.open), (2, 2));
    assert!(text(&search(&index, "hostname")).contains("→\nkestrel.example"));
}

#[test]
fn a_stub_leads_to_what_was_read() {
    let mut messages = session();
    messages.push(call("4", "Read", json!({ "file_path": "/w/src/relay.ts" })));
    messages.push(result("4", "Unchanged: the earlier zircon content still holds."));
    let found = search(&indexed(&messages), "zircon");
    let shown = text(&found);
    let key = shown.split("shown before: ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(read(&indexed(&messages), key, 1, None).text.contains("const relay = listen(port);"));
}
