//! Properties of tool rules: kept calls stay word for word, whatever the target; others have no more tokens than
//! their limit.

use proptest::{collection::vec, prelude::*, sample::select};
use roo_condense::{Conversation, Encoding, Report, count_tokens as count};
use serde_json::{Value, json};

use crate::common::{
    cases::{any_target, cases},
    checks::{check_report, run_alone},
};

const TOOLS: &[&str] = &["browser_click", "browser_look", "read_file", "execute_command", "mcp__web__browser_type"];

/// A call: the tool, lines of its answer, and whether it failed.
type Call = (&'static str, usize, bool);

fn history(calls: &[Call]) -> Value {
    let mut messages = vec![json!({ "role": "user", "content": "Look at the shop and mend it." })];
    for (index, (tool, lines, failed)) in calls.iter().enumerate() {
        let id = format!("t{index}");
        let input =
            json!({ "path": format!("src/file{}.ts", index % 3), "text": "typed again and again. ".repeat(lines / 4) });
        let answer: Vec<String> =
            (0..*lines).map(|line| format!("line {line} of answer {index} about value{line}")).collect();
        messages.push(
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": tool, "input": input }] }),
        );
        messages.push(json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": answer.join("\n"), "is_error": failed },
        ] }));
    }
    messages.push(json!({ "role": "assistant", "content": "All is done." }));
    messages.push(json!({ "role": "user", "content": "Thank you." }));
    Value::Array(messages)
}

fn condensed(
    provider: &str,
    config: &Value,
    calls: &[Call],
    target: Option<usize>,
) -> (Conversation, Conversation, Report) {
    let before = Conversation::parse(&history(calls).to_string()).unwrap();
    let report = run_alone(provider, config, &before, target);
    let after = check_report(&before, &report);
    (before, after, report)
}

/// The blocks of call and answer, as they stand; `None` where they are gone.
fn round(conversation: &Conversation, index: usize) -> Option<(String, String)> {
    let json: Value = serde_json::from_str(&conversation.export(conversation).unwrap()).unwrap();
    let blocks: Vec<&Value> =
        json.as_array().unwrap().iter().filter_map(|message| message["content"].as_array()).flatten().collect();
    let id = format!("t{index}");
    let find = |field: &str| Some(blocks.iter().find(|block| block[field] == id.as_str())?.to_string());
    Some((find("id")?, find("tool_use_id")?))
}

fn any_calls() -> impl Strategy<Value = Vec<Call>> {
    vec((select(TOOLS), 0_usize..60, any::<bool>()), 1..14)
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn what_rules_keep_stands_and_limits_hold(
        calls in any_calls(),
        provider in select(&["truncation", "smart"][..]),
        target in any_target(),
        keep in 0_usize..4,
        limit in 20_usize..200,
        inputs in any::<bool>(),
    ) {
        let tools = json!({
            "browser_*": { "keep": keep, "inputs": inputs },
            "read_file": { "maxTokens": limit, "meaning": "read" },
            "execute_command": { "keepErrors": true, "suppress": true },
        });
        let config = json!({ "tools": tools });
        let before = Conversation::parse(&history(&calls).to_string()).unwrap();
        let target = target.tokens(&before);
        let (before, after, report) = condensed(provider, &config, &calls, target);
        let is_browser = |tool: &str| tool.contains("browser");
        let browsers: Vec<usize> = (0..calls.len()).filter(|index| is_browser(calls[*index].0)).collect();
        let newest = &browsers[browsers.len().saturating_sub(keep)..];
        let failed = (0..calls.len()).filter(|index| calls[*index].0 == "execute_command" && calls[*index].2);
        for index in newest.iter().copied().chain(failed) {
            prop_assert_eq!(round(&after, index), round(&before, index), "call {} of {:?}", index, &calls);
        }
        // Where there was nothing to do, no rule is asked.
        if report.did_condense() {
            for (index, (tool, ..)) in calls.iter().enumerate().filter(|(index, _)| 2 + 2 * index < before.len() - 5) {
                let Some((_, answer)) = round(&after, index) else { continue };
                let answer: Value = serde_json::from_str(&answer).unwrap();
                let tokens = count(answer["content"].as_str().unwrap(), Encoding::default()).tokens;
                match *tool {
                    "read_file" => prop_assert!(tokens <= limit, "{tokens} tokens of answer {index}"),
                    tool if is_browser(tool) && !newest.contains(&index) => prop_assert!(tokens <= 20, "{tokens} tokens of answer {index}"),
                    _ => {}
                }
            }
        }
        // The same call on the result changes nothing.
        let again = run_alone(provider, &config, &Conversation::parse(&after.export(&after).unwrap()).unwrap(), target);
        prop_assert!(!again.did_condense(), "{:?}", again.changes());
    }

    #[test]
    fn what_is_never_to_be_touched_is_not(calls in any_calls(), target in any_target()) {
        for provider in ["lossless", "truncation", "smart"] {
            let config = json!({ "tools": { "browser_*": { "protect": true }, "browser_look": { "maxTokens": 30 } } });
            let target = target.tokens(&Conversation::parse(&history(&calls).to_string()).unwrap());
            let (before, after, _) = condensed(provider, &config, &calls, target);
            for (index, (tool, ..)) in calls.iter().enumerate() {
                if tool.contains("browser") && *tool != "browser_look" {
                    prop_assert_eq!(round(&after, index), round(&before, index), "call {} by {}", index, provider);
                }
            }
        }
    }
}

#[test]
fn changes_say_which_rule_made_them() {
    let calls: Vec<Call> = (0..6).flat_map(|_| [("browser_click", 40, false), ("read_file", 60, false)]).collect();
    let config = json!({ "preset": "balanced", "passes": [], "losslessPrelude": { "enabled": false }, "tools": {
        "browser_*": { "keep": 2 }, "read_file": { "maxTokens": 100 },
    } });
    let (.., report) = condensed("smart", &config, &calls, None);
    let told: Vec<String> =
        report.changes().iter().map(|change| format!("{}: {}", change.operation, change.reason)).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    tool_rule: rule of the tools "browser_*": older than the newest 2 calls, left out: browser_click src/file0.ts
    tool_rule: rule of the tools "read_file": cut to 100 tokens: read_file src/file1.ts
    tool_rule: rule of the tools "browser_*": older than the newest 2 calls, left out: browser_click src/file2.ts
    tool_rule: rule of the tools "read_file": cut to 100 tokens: read_file src/file0.ts
    tool_rule: rule of the tools "browser_*": older than the newest 2 calls, left out: browser_click src/file1.ts
    tool_rule: rule of the tools "read_file": cut to 100 tokens: read_file src/file2.ts
    tool_rule: rule of the tools "browser_*": older than the newest 2 calls, left out: browser_click src/file0.ts
    tool_rule: rule of the tools "read_file": cut to 100 tokens: read_file src/file1.ts
    tool_rule: rule of the tools "read_file": cut to 100 tokens: read_file src/file0.ts
    "#);
}
