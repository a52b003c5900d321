//! Characters that nobody sees, in names and lines that go into words of ours: notes, pointers, heads of logs, what is put behind a summary.

use std::sync::Arc;

use roo_condense::{CallOptions, Conversation, Llm, LlmHandler, Manager, ManagerOptions, Message, Work};
use serde_json::{Value, json};

use crate::common::{
    checks::{check_report, run_alone, tally, wait_for},
    scripted::Scripted,
};

/// One of each kind: an override of the direction, a mark of it, no width, a tag.
const HIDDEN: [char; 4] = ['\u{202e}', '\u{200f}', '\u{200b}', '\u{e0041}'];

fn is_hidden(letter: char) -> bool {
    HIDDEN.contains(&letter)
}

/// Work on files, by commands and in words that all hold a hidden character, with much that is old and said again.
fn history(hidden: char) -> Conversation {
    let round = |id: &str, name: &str, input: Value, text: String| {
        [
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] }),
        ]
    };
    let path = format!("/repo/src/pa{hidden}rser.ts");
    let lines = |from: usize, count: usize| -> String {
        (from..from + count)
            .map(|line| format!("{line}\tconst va{hidden}lue{line} = compute({});\n", line * 7))
            .collect()
    };
    let mut messages = vec![
        json!({ "role": "user", "content": format!("Make the par{hidden}ser faster. Never push to ma{hidden}in without asking.") }),
        json!({ "role": "assistant", "content": "Which one?" }),
        json!({ "role": "user", "content": format!("That of dates. You must keep the fi{hidden}elds of the report as they are.") }),
    ];
    messages.extend(round("r1", "Read", json!({ "file_path": path }), lines(1, 60)));
    messages.extend(round("r2", "Read", json!({ "file_path": path }), lines(1, 60)));
    let edit = json!({
        "file_path": path,
        "old_string": format!("const va{hidden}lue1 = compute(7);"),
        "new_string": format!("const va{hidden}lue1 = compute(8);\nconst next{hidden} = 9;"),
    });
    messages.extend(round("e1", "Edit", edit, format!("The file {path} has been updated successfully.")));
    messages.extend(round(
        "w1",
        "Write",
        json!({ "file_path": format!("{path}.log"), "content": lines(100, 40) }),
        "ok".to_owned(),
    ));
    messages.extend(round(
        "w2",
        "Write",
        json!({ "file_path": format!("{path}.log"), "content": lines(200, 40) }),
        "ok".to_owned(),
    ));
    for number in 0..24 {
        let id = format!("b{number}");
        let command = json!({ "command": format!("npm test -- pa{hidden}rser{number}") });
        let said = format!(
            "FAIL src/da{hidden}y{number}.ts\nError: exp{hidden}ected {number}\n{}",
            (0..40)
                .map(|line| format!("step {line} of run {number} took {} ms\n", line * 31 + number))
                .collect::<String>()
        );
        messages.extend(round(&id, "Bash", command, said));
        if number % 8 > 0 {
            continue;
        }
        messages.push(json!({ "role": "assistant", "content": format!("The ca{hidden}che of day{number} is wrong, I mend `mend{hidden}Day{number}`.") }));
        messages.push(json!({ "role": "user", "content": format!("Do not touch nigh{hidden}tly{number}.mjs.") }));
    }
    Conversation::parse(&json!(messages).to_string()).unwrap()
}

/// Lines of the result that stand nowhere in the conversation, and so are ours, with a hidden character. Parts of long lines are the conversation's.
fn ours(before: &Conversation, after: &Conversation) -> Vec<String> {
    let said: Vec<String> = before.messages().flat_map(Message::texts).map(|text| text.text.to_owned()).collect();
    let is_said = |part: &str| said.iter().any(|text| text.contains(part));
    let mut found = Vec::new();
    for text in after.messages().flat_map(Message::texts) {
        for line in text.text.lines().filter(|line| line.contains(is_hidden)) {
            if !line.split("[… ").flat_map(|part| part.split('…')).filter(|part| part.contains(is_hidden)).all(is_said)
            {
                found.push(line.to_owned());
            }
        }
    }
    found
}

#[test]
fn none_stands_in_words_of_ours() {
    for hidden in HIDDEN {
        let before = history(hidden);
        let (mut written, all) = (0, tally(&before).total());
        for (provider, config) in [
            ("lossless", json!({})),
            ("lossless", json!({ "staleReads": "file" })),
            ("truncation", json!({ "preserveRecentCount": 2 })),
            ("smart", json!({ "preset": "balanced" })),
            ("smart", json!({ "preset": "aggressive" })),
        ] {
            for percent in [80, 60, 45, 30, 20, 15, 10, 8, 4] {
                let report = run_alone(provider, &config, &before, Some(all * percent / 100));
                let after = check_report(&before, &report);
                assert_eq!(ours(&before, &after), Vec::<String>::new(), "{provider} {config} {percent} {hidden:?}");
                written += after
                    .messages()
                    .flat_map(Message::texts)
                    .map(|text| text.text.matches("<U+").count())
                    .sum::<usize>();
            }
        }
        assert!(written > 50, "they are written out: {written}");
    }
}

#[test]
fn nor_behind_a_summary() {
    for hidden in HIDDEN {
        let before = history(hidden);
        let manager = Manager::new(ManagerOptions::read(&json!({ "fallback": false })).unwrap());
        let check = json!({ "summaryCheck": { "minScore": 0.9, "askAgain": false, "complete": true } });
        manager.register(roo_condense::create_provider("native", &check).unwrap());
        let handler: Arc<dyn LlmHandler> = Arc::new(Scripted::saying("Things were done."));
        let call = CallOptions::read(&Value::Null, &Value::Null).unwrap();
        let work =
            Work { options: call, llm: Llm { handler: Some(handler), ..Llm::default() }, ..Work::new(before.clone()) };
        let report = wait_for(manager.condense(work));
        let after = check_report(&before, &report);
        assert_eq!(ours(&before, &after), Vec::<String>::new(), "{hidden:?}");
        let summary =
            after.messages().flat_map(Message::texts).find(|text| text.text.contains("[Word for word")).unwrap();
        assert!(summary.text.contains("keep the fi<U+"), "{}", summary.text);
        let missing = serde_json::to_value(&report).unwrap()["summaryQuality"]["missing"].clone();
        assert!(!missing.to_string().contains("keep the fi"), "what is written out is told: {missing}");
    }
}
