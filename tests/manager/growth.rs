//! Hostile sizes: each of these would take minutes if anything were quadratic in them.

use roo_condense::{Conversation, Edit, Plan};
use serde_json::{Value, json};

use crate::common::{
    checks::{check_plans, check_report, export, run_alone},
    histories::{lines, literal, nested},
};

/// Runs both providers in every mode over a conversation, with and without a target.
fn survive(json: &str) {
    let before = Conversation::parse(json).unwrap();
    let configs = [
        ("lossless", Value::Null),
        ("truncation", Value::Null),
        (
            "truncation",
            json!({ "strategy": "head_tail", "minTokensForTruncation": 0, "preserveUserMessages": false, "preserveAssistantText": false }),
        ),
        ("truncation", json!({ "mode": "window", "preserveRecentCount": 1 })),
    ];
    for (provider, config) in configs {
        for target in [None, Some(100)] {
            let report = run_alone(provider, &config, &before, target);
            assert_eq!(report.error_code(), None);
            let after = before.apply(report.plan()).unwrap();
            assert!(after.len() <= before.len());
            serde_json::to_string(&report).unwrap();
        }
    }
    assert_eq!(export(&Conversation::parse(&export(&before)).unwrap()), export(&before));
}

const ANSWER: &str = r#"{"role":"assistant","content":"ok"},{"role":"user","content":"go on"}"#;

/// A tool result (and the call it answers) in the old zone.
fn with_result(content: &str) -> String {
    format!(
        r#"[{{"role":"user","content":"task"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"x","input":{{}}}}]}},
        {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":{content}}}]}},{ANSWER},{ANSWER},{ANSWER}]"#
    )
}

fn with_input(input: &str) -> String {
    with_result("\"done\"").replacen("\"input\":{}", &format!("\"input\":{input}"), 1)
}

#[test]
fn a_megabyte_in_one_line() {
    survive(&with_result(&literal(&"x".repeat(1 << 20))));
    survive(&with_result(&literal(&"... (3 more characters)".repeat(40_000))));
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn a_million_blank_lines() {
    survive(&with_result(&literal(&"\n".repeat(1_000_000))));
}

#[test]
fn a_hundred_thousand_markers() {
    survive(&with_result(&literal(&"... (3 more lines)\n".repeat(100_000))));
}

#[test]
fn ten_thousand_pointers_to_lines_that_begin_alike() {
    let alike = |line: usize| {
        format!("[3 lines as below from \"line {line}\"]\nline {line}\nline\n[The line above 9 more times]\n")
    };
    survive(&with_result(&literal(&(0..10_000).map(alike).collect::<String>())));
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn a_hundred_thousand_blocks_in_a_message() {
    let blocks = vec![r#"{"type":"text","text":"a"}"#; 100_000].join(",");
    survive(&format!(
        r#"[{{"role":"user","content":"task"}},{{"role":"assistant","content":[{blocks}]}},{ANSWER},{ANSWER},{ANSWER}]"#
    ));
}

#[test]
fn five_thousand_calls_in_a_message_with_equal_results() {
    let calls: Vec<_> =
        (0..5_000).map(|id| format!(r#"{{"type":"tool_use","id":"{id}","name":"x","input":{{"p":"q"}}}}"#)).collect();
    let text = literal(&lines(1, 6, "\n"));
    let results: Vec<_> =
        (0..5_000).map(|id| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":{text}}}"#)).collect();
    survive(&format!(
        r#"[{{"role":"user","content":"task"}},{{"role":"assistant","content":[{}]}},{{"role":"user","content":[{}]}},{ANSWER},{ANSWER},{ANSWER}]"#,
        calls.join(","),
        results.join(",")
    ));
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn a_hundred_thousand_calls_in_a_message_with_ids_of_their_own_or_the_same() {
    let ids: [fn(usize) -> String; 2] = [|at| at.to_string(), |_| "a".to_owned()];
    for id in ids {
        let calls: Vec<_> = (0..100_000)
            .map(|at| {
                format!(r#"{{"type":"tool_use","id":"{}","name":"Read","input":{{"file_path":"/{at}"}}}}"#, id(at))
            })
            .collect();
        let results: Vec<_> = (0..100_000)
            .map(|at| format!(r#"{{"type":"tool_result","tool_use_id":"{}","content":"x {at}"}}"#, id(at)))
            .collect();
        let (calls, results) = (calls.join(","), results.join(","));
        let task = r#"{"role":"user","content":"task"}"#;
        survive(&format!(
            r#"[{task},{{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results}]}},{ANSWER},{ANSWER},{ANSWER}]"#
        ));
    }
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn a_hundred_thousand_strings_in_a_tool_input() {
    let strings: Vec<_> = (0..100_000).map(|number| format!("\"key{number}\":\"value {number}\"")).collect();
    survive(&with_input(&format!("{{{}}}", strings.join(","))));
    // Every string has its path: below a key of a megabyte that would be fifty gigabytes.
    survive(&with_input(&format!("{{\"{}\":[{}]}}", "k".repeat(1 << 20), vec!["\"a\""; 50_000].join(","))));
}

#[test]
fn ten_thousand_levels() {
    let deep = nested(10_000, "\"deep\"");
    survive(&with_input(&format!("{{\"p\":{deep}}}")));
    survive(&with_result(&deep));
    survive(&format!(
        r#"[{deep},{{"role":"user","content":{deep},"extra":{deep}}},{{"role":"assistant","content":[{{"type":"x","y":{deep}}}]}}]"#
    ));
}

#[test]
fn ten_thousand_tool_results_inside_each_other() {
    let (open, close) = (r#"[{"type":"tool_result","tool_use_id":"a","content":"#, "}]");
    survive(&with_result(&format!("{}\"deep\"{}", open.repeat(10_000), close.repeat(10_000))));
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn forty_thousand_small_messages() {
    let pair = r#"{"role":"assistant","content":"yes"},{"role":"user","content":"and now?"}"#;
    survive(&format!(r#"[{{"role":"user","content":"task"}},{}]"#, vec![pair; 20_000].join(",")));
}

#[test]
fn plans_with_fifty_thousand_edits() {
    let blocks = vec![r#"{"type":"text","text":"some words here"}"#; 25_000].join(",");
    let before =
        Conversation::parse(&format!(r#"[{{"role":"user","content":[{blocks}]}},{}]"#, vec![ANSWER; 12_500].join(",")))
            .unwrap();
    let mut plan = Plan::default();
    for (index, message) in before.messages().enumerate() {
        plan.edits.extend(message.texts().into_iter().map(|text| Edit::set_text(index, text.path, "x".into())));
    }
    let after = before.apply(&plan).unwrap();
    check_plans(&before, &after);
}

#[test]
fn many_messages_with_equal_results() {
    let text = literal(&lines(1, 30, "\n"));
    let mut messages = vec![r#"{"role":"user","content":"task"}"#.to_owned()];
    for id in 0..800 {
        messages.push(format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"x","input":{{}}}}]}}"#
        ));
        messages.push(format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":{text}}}]}}"#
        ));
    }
    let before = Conversation::parse(&format!("[{}]", messages.join(","))).unwrap();
    let report = run_alone("lossless", &Value::Null, &before, None);
    check_report(&before, &report);
    assert!(
        report.final_tokens() * 10 < report.original_tokens(),
        "{} of {}",
        report.final_tokens(),
        report.original_tokens()
    );
}
