//! Written pointers stay true: whatever providers do to a condensed conversation, its pointers keep their meaning, or
//! are no pointers any more.

use proptest::{prelude::*, sample::select};
use roo_condense::{Conversation, Llm, create_provider, decode, expand};
use serde_json::{Value, json};

use crate::common::{
    cases::cases,
    checks::{export, run_with, tally},
    histories::any_history,
    real_histories::{Share, beginning, corpus, fixtures},
    scripted::{Scripted, answer},
};

/// A provider with a configuration, and how many percent of the tokens may stay.
type Step = (&'static str, Value, Option<usize>);

fn steps() -> Vec<Step> {
    let mut steps = Vec::new();
    for target in [None, Some(50), Some(25), Some(10)] {
        steps.extend([
            ("lossless", json!({}), target),
            ("lossless", json!({ "keep": "first", "minTokensSaved": 1 }), target),
            ("truncation", json!({}), target),
            (
                "truncation",
                json!({ "preserveRecentCount": 1, "minTokensForTruncation": 1, "strategy": "head_tail" }),
                target,
            ),
            ("truncation", json!({ "mode": "window" }), target),
            ("smart", json!({}), target),
            ("smart", json!({ "preset": "aggressive" }), target),
            ("native", json!({}), target),
        ]);
    }
    steps
}

/// The content of a line without the number in front of it.
fn content(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mut separators = ["\t", "→", " | ", ":"].into_iter();
    let behind = separators.find_map(|separator| rest[digits..].strip_prefix(separator));
    behind.filter(|_| digits > 0).unwrap_or(line)
}

/// Whether a line says that something was left out in its place or in it.
fn is_note(line: &str) -> bool {
    line.contains("[…")
        || line.contains("... (")
        || line.contains("[Left out: ")
        || line.contains("left out")
        || line.contains("suppressed]")
        || line.starts_with("[Summary of ")
}

/// Panics unless every line of `text` is one of `original`, in order, or a note.
fn check_lines(text: &str, original: &str, about: &str) {
    if text.contains("[Summary of ") {
        return;
    }
    let mut left = original.split('\n');
    for line in text.split('\n').filter(|line| !is_note(line)) {
        let found = left.any(|old| [old, content(old)].contains(&line) || [old, content(old)].contains(&content(line)));
        assert!(found, "{about}: not a line of the original, or not in order: {line:?}\n{text}\n--- of\n{original}");
    }
}

/// Runs the steps one after the other, each on what the one before has written, and checks every result.
fn check(conversation: &Conversation, steps: &[Step], about: &str) {
    let original = decode(conversation);
    let mut dead = expand(conversation).unresolved.len();
    let mut now = conversation.clone();
    // Where the messages stood in the beginning.
    let mut origins: Vec<Option<usize>> = (0..now.len()).map(Some).collect();
    for (provider, config, target) in steps {
        let target = target.map(|percent| tally(&now).total() * percent / 100);
        // It quotes a pointer that it read, as models do.
        let handler = Scripted::new(|request, _| {
            let question = &request.messages[0].text;
            let pointer =
                question.lines().find(|line| line.starts_with('[') && line.contains(" as ")).unwrap_or_default();
            Ok(answer(&format!("In short, what is left out.\n{pointer}\nNothing else is left out.")))
        });
        let llm = Llm { handler: Some(std::sync::Arc::new(handler)), ..Llm::default() };
        let llm = if *provider == "lossless" { Llm::default() } else { llm };
        let report = run_with(&create_provider(provider, config).unwrap(), &now, target, llm);
        let after = now.apply(report.plan()).unwrap();
        origins = after.entries().iter().map(|entry| origins[entry.origin?]).collect();
        now = Conversation::parse(&export(&after)).unwrap();
        let unresolved = expand(&now).unresolved;
        assert!(unresolved.len() <= dead, "{about}, {provider} {config} {target:?}: {unresolved:?}");
        dead = unresolved.len();
        for ((entry, texts), origin) in now.entries().iter().zip(decode(&now)).zip(&origins) {
            let Some(origin) = *origin else { continue };
            let paths = conversation.message(origin).texts();
            for (at, text) in entry.message.texts().iter().zip(texts) {
                if let Some(was) = paths.iter().position(|was| was.path == at.path) {
                    check_lines(&text, &original[origin][was], &format!("{about}, {provider} {config} {target:?}"));
                }
            }
        }
    }
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(select(steps()), 1..3).prop_map(|mut more| {
        more.insert(0, ("lossless", json!({ "minTokensSaved": 1, "preserveRecentCount": 0 }), None));
        more
    })
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn pointers_stay_true_in_any_chain(json in any_history(), steps in any_steps()) {
        check(&Conversation::parse(&json).unwrap(), &steps, "made");
    }
}

#[test]
fn pointers_stay_true_on_recorded_histories() {
    check_recorded(Share::Sample);
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn pointers_stay_true_on_the_other_recorded_histories() {
    check_recorded(Share::Others);
}

fn check_recorded(share: Share) {
    let steps = steps();
    for (number, name, conversation) in share.select(fixtures().into_iter().chain(corpus("true pointers"))) {
        let conversation = beginning(&conversation, 30_000);
        let first = if number % 3 == 0 { json!({ "keep": "first" }) } else { json!({}) };
        for turn in 0..3 {
            let of = |at: usize| steps[(number * 7 + turn * 5 + at * 11) % steps.len()].clone();
            check(&conversation, &[("lossless", first.clone(), None), of(0), of(1)], &name);
        }
    }
}

/// In one call, a chain that goes from lossless to truncation.
#[test]
fn the_messages_as_they_are_written_hold_no_number_of_a_message() {
    for (name, conversation) in fixtures() {
        let report = run_with(
            &create_provider("smart", &json!({})).unwrap(),
            &conversation,
            Some(tally(&conversation).total() / 2),
            Llm::default(),
        );
        let after = conversation.apply(report.plan()).unwrap();
        let (was, is) = (export(&conversation), export(&after));
        let named = |json: &str| json.matches(" in message ").count();
        assert!(named(&is) <= named(&was), "{name}");
    }
}

fn condensed(provider: &str, config: &Value, messages: &Value, target: Option<usize>) -> Conversation {
    let before = Conversation::parse(&messages.to_string()).unwrap();
    let report = run_with(&create_provider(provider, config).unwrap(), &before, target, Llm::default());
    Conversation::parse(&export(&before.apply(report.plan()).unwrap())).unwrap()
}

fn read(id: &str, text: &str) -> [Value; 2] {
    let call = json!({ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": format!("{id}.ts") } });
    let answer = json!({ "type": "tool_result", "tool_use_id": id, "content": text });
    [json!({ "role": "assistant", "content": [call] }), json!({ "role": "user", "content": [answer] })]
}

/// The change of one text was taken back because it saved nothing, and pointers of another had been aimed past it.
#[test]
fn pointers_are_checked_again_when_a_change_is_taken_back() {
    let history = include_str!("taken_back.json");
    let conversation = Conversation::parse(history).unwrap();
    assert_eq!(expand(&conversation).unresolved, []);
    check(&conversation, &[("lossless", json!({ "minTokensSaved": 1, "preserveRecentCount": 0 }), None)], "taken back");
}

/// The text before an earlier call is unknown, so no text is made longer: a pointer whose lines are removed is
/// replaced by their number.
#[test]
fn across_calls_a_pointer_whose_lines_go_becomes_a_gap() {
    let text: String = (0..30).map(|line| format!("const value{line} = read(\"{line}\", settings);\n")).collect();
    let mut messages = vec![json!({ "role": "user", "content": "Go." })];
    messages.extend(read("a", &format!("first\n{text}")));
    messages.extend(read("b", &format!("second\n{text}")));
    messages.extend([json!({ "role": "assistant", "content": "Done." })]);
    let lossless = condensed("lossless", &json!({ "keep": "first" }), &Value::from(messages), None);
    assert!(export(&lossless).contains(" lines as above from "));
    let cut = json!({ "strategy": "head", "preserveRecentCount": 2, "maxToolResultLines": 1 });
    let after = condensed("truncation", &cut, &serde_json::from_str(&export(&lossless)).unwrap(), None);
    let text = &after.message(4).texts()[0].text;
    assert!(text.starts_with("second\n[… 3") && text.contains(" lines left out]"), "{text}");
    assert_eq!(expand(&after).unresolved, []);
}
