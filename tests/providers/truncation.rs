//! Properties of truncation beyond the invariants.

use std::collections::BTreeMap;

use proptest::prelude::*;
use roo_condense::{ContentKind, Conversation, Edit, Encoding, Message, Role, WarningCode, count_tokens as count};
use serde_json::json;

use crate::common::{
    cases::cases,
    checks::run_alone,
    configurations::any_config,
    histories::{native, roo_xml},
    real_histories::fixtures,
};

/// The same history without what looks like a pointer: those are kept true in messages that are not cut, too.
pub fn without_pointers(json: &str) -> String {
    json.replace("[The line above ", "[A line above ")
        .replace(" as above from ", " over ")
        .replace(" as below from ", " under ")
        .replace(" lines, every 10th numbered:]", " lines, some of them numbered:]")
}

fn tokens(text: &str) -> usize {
    count(text, Encoding::default()).tokens
}

/// Whether all of a text is left out. Where it held notes nobody knows its size, and what it said of messages is still said.
fn is_note(text: &str) -> bool {
    text.starts_with('[') && [" left out]", " suppressed]"].iter().any(|end| text.ends_with(end))
}

/// Whether a line says how many lines are missing.
fn says_lines(line: &str) -> bool {
    let number = line.strip_prefix("... (").and_then(|rest| rest.strip_suffix(" more lines)"));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn only_what_may_be_cut_is_cut_and_no_further_than_asked(
        json in native(),
        mut config in any_config("truncation"),
        tail in any::<bool>(),
        keep in 1_usize..9,
        least in 0_u64..300,
        lines in 1_usize..12,
        characters in 20_usize..120,
        parameters in 1_usize..150,
    ) {
        config["mode"] = json!("content");
        config["strategy"] = json!(if tail { "head_tail" } else { "head" });
        config["preserveRecentCount"] = json!(keep);
        config["minTokensForTruncation"] = json!(least);
        config["maxToolResultLines"] = json!(lines);
        config["maxLineChars"] = json!(characters);
        config["maxToolParamChars"] = json!(parameters);
        // What is added beside it is another matter.
        let suppress = config["truncationMode"] == "suppress";
        let before = Conversation::parse(&without_pointers(&json)).unwrap();
        let report = run_alone("truncation", &config, &before, None);
        let after = before.apply(report.plan()).unwrap();
        prop_assert_eq!(after.len(), before.len());
        for (index, (old, new)) in before.messages().zip(after.messages()).enumerate() {
            let (old_texts, new_texts) = (old.texts(), new.texts());
            prop_assert_eq!(old_texts.len(), new_texts.len());
            for (old, new) in old_texts.iter().zip(&new_texts).filter(|(old, new)| old.text != new.text) {
                prop_assert!(index > 0 && index + keep < before.len(), "message {} is no old one", index);
                prop_assert!(tokens(old.text) as u64 >= least);
                prop_assert!(new.text.len() < old.text.len());
                // The rest of a text is its beginning, or a note in place of everything. Texts that already contain
                // markers are counted together.
                let beginning = new.text.split("... (").next().unwrap();
                let first = beginning.split('\n').next().unwrap();
                let marked = old.text.contains("... (");
                prop_assert!(marked || is_note(new.text) || old.text.starts_with(first), "{:?}", new.text);
                match old.kind {
                    ContentKind::MessageText => {
                        let is_users = before.message(index).role == Role::User;
                        let name = if is_users { "preserveUserMessages" } else { "preserveAssistantText" };
                        prop_assert_eq!(&config[name], false);
                    }
                    // With notes of earlier cuts in it, there can be one of lines below one of characters, or below a line that is no longer than
                    // its beginning and a note.
                    ContentKind::ToolParameters if !suppress => {
                        let notes = new.text.matches("... (").count() + 1;
                        prop_assert!(new.text.chars().count() <= parameters + notes * 50, "{:?}", new.text);
                    }
                    ContentKind::ToolResults if !suppress => {
                        // Notes of an earlier cut about lines stay at their place between the remaining lines.
                        let (notes, shown): (Vec<&str>, Vec<&str>) = new.text.split('\n').partition(|line| says_lines(line));
                        prop_assert!(notes.len() <= shown.len() + 1, "{:?}", new.text);
                        // A line in brackets replaces an unknown number of lines.
                        let of_others = shown.iter().filter(|line| line.starts_with('[') && line.ends_with(']')).count();
                        prop_assert!(shown.len() - of_others <= lines + 1, "{:?}", new.text);
                        prop_assert!(new.text.split('\n').all(|line| line.chars().count() <= characters + 50));
                    }
                    _ => prop_assert!(is_note(new.text), "{:?}", new.text),
                }
            }
        }
    }

    #[test]
    fn a_looser_target_never_keeps_less(json in prop_oneof![native(), roo_xml()], percent in 5_usize..95) {
        let before = Conversation::parse(&without_pointers(&json)).unwrap();
        let total = crate::common::checks::tally(&before).total();
        let report = |percent: usize| run_alone("truncation", &json!({ "preserveRecentCount": 1 }), &before, Some(total * percent / 100));
        let (tight, loose) = (report(percent), report(percent + 5));
        // Whatever misses its target is the smallest that was found, so no more of it could be kept.
        prop_assume!(tight.warnings().iter().all(|warning| warning.code != WarningCode::TargetNotMet));
        // A fold is good enough if it uses nine tenths of its target, and a cut if it uses 98%.
        let close_enough = total * (percent + 5) / 1000 + 20;
        prop_assert!(
            tight.final_tokens() <= loose.final_tokens() + close_enough,
            "{} of {} and {} of {}, {total}",
            tight.final_tokens(),
            total * percent / 100,
            loose.final_tokens(),
            total * (percent + 5) / 100
        );
    }

    #[test]
    fn the_window_drops_the_oldest_half_and_no_more_than_a_pair_needs(json in native(), keep in 1_usize..6) {
        let before = Conversation::parse(&without_pointers(&json)).unwrap();
        let report = run_alone("truncation", &json!({ "mode": "window", "preserveRecentCount": keep }), &before, None);
        let dropped: Vec<usize> = report.plan().edits.iter().map(|edit| match edit {
            Edit::Drop { message } => *message,
            other => panic!("the window only drops: {other:?}"),
        }).collect();
        let half = (before.len() - 1) / 2;
        let half = half - half % 2;
        prop_assert_eq!(&dropped, &(1..=dropped.len()).collect::<Vec<_>>());
        let room = before.len().saturating_sub(1 + keep);
        // A call stays with its answers, which may each be a message.
        let roles: Vec<_> = before.messages().map(|message| &message.role).collect();
        let answers = roles.chunk_by(|one, other| one == other).map(<[_]>::len).max().unwrap_or(1);
        prop_assert!(dropped.len() >= half.min(room.saturating_sub(answers)), "{} of {}", dropped.len(), before.len());
        prop_assert!(dropped.len() <= half + answers);
    }
}

const MESSAGES: &str = "[… messages left out]";
const BEFORE: &str = "[Messages before this point were left out.]";
const LOG: &str = "[Log of the messages left out here, in quotes]\n";

/// Whether a message says that messages after it are left out.
fn tells(message: &Message) -> bool {
    message.texts().iter().any(|text| {
        text.text == MESSAGES || text.text.ends_with(&format!("\n{MESSAGES}")) || text.text.starts_with(LOG)
    })
}

/// Condenses to ever smaller targets. Wherever messages are missing in the midst of the talk, the message before them says so, or the next
/// one of the user that may be changed, or messages that stand in the place of those that went.
fn check_places(json: &str, keep: usize, percents: &[usize]) -> Result<usize, TestCaseError> {
    let mut conversation = Conversation::parse(&without_pointers(json)).unwrap();
    let total = crate::common::checks::tally(&conversation).total();
    let mut places = 0;
    for percent in percents {
        let config = json!({ "preserveRecentCount": keep, "strategy": "salient" });
        let report = run_alone("truncation", &config, &conversation, Some(total * percent / 100));
        conversation = conversation.apply(report.plan()).unwrap();
        let origins: Vec<Option<usize>> = conversation.entries().iter().map(|entry| entry.origin).collect();
        if report.changes().iter().any(|change| change.operation == "window") {
            break;
        }
        let messages: Vec<&Message> = conversation.messages().collect();
        let has_block = |message: &Message, note: &str| message.texts().iter().any(|text| text.text == note);
        for at in 1..origins.len() {
            let added = [at - 1, at].into_iter().find(|index| origins[*index].is_none());
            if let Some(index) = added {
                prop_assert!(has_block(messages[index], BEFORE) || tells(messages[index]), "{:?}", messages[index]);
                places += 1;
                continue;
            }
            if origins[at] == origins[at - 1].map(|before| before + 1) {
                continue;
            }
            places += 1;
            let mut later = at..messages.len().saturating_sub(keep).max(at);
            let next = later.find(|index| messages[*index].role == Role::User);
            let is_said = tells(messages[at - 1]) || next.is_none_or(|next| has_block(messages[next], BEFORE));
            let around = [Some(at - 1), Some(at), next].map(|index| index.map(|index| messages[index]));
            prop_assert!(is_said, "to {percent}%, before message {at} ({:?}): {around:?}", &origins[at - 1..=at]);
        }
        for message in &messages {
            let blocks = message.texts();
            prop_assert!(blocks.iter().filter(|text| text.text == MESSAGES || text.text == BEFORE).count() < 3);
            let is_note = |text: &str| text == MESSAGES;
            prop_assert!(message.role == Role::User || !blocks.iter().any(|text| is_note(text.text)));
        }
    }
    Ok(places)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn wherever_messages_go_it_is_said(json in native(), keep in 1_usize..5, first in 30_usize..90, second in 5_usize..60) {
        check_places(&json, keep, &[first, second.min(first), 5])?;
    }
}

#[test]
fn wherever_messages_of_recorded_histories_go_it_is_said() {
    let mut places = 0;
    for (_, conversation) in fixtures() {
        if conversation
            .messages()
            .skip(1)
            .all(|message| message.role != Role::User || !message.content.blocks().is_empty())
        {
            places += check_places(&crate::common::checks::export(&conversation), 4, &[60, 40, 20]).unwrap();
        }
    }
    assert!(places >= 3, "{places}");
}

#[test]
fn where_only_the_ends_stay_two_messages_say_that_others_went() {
    let round = |id: usize| {
        let (call, answer) = (format!("toolu_{id}"), format!("line {id} of a log that says little\n").repeat(8));
        [
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": call, "name": "Bash", "input": { "command": "make" } }] }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": call, "content": answer }] }),
        ]
    };
    let rounds = (0..6).flat_map(round);
    let messages: Vec<_> = std::iter::once(json!({ "role": "user", "content": "Make it." })).chain(rounds).collect();
    let mut conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
    let condensed = |conversation: &Conversation| {
        run_alone("truncation", &json!({ "preserveRecentCount": 4 }), conversation, Some(20))
    };
    let said = |conversation: &Conversation| {
        [1, 2].map(|at| (conversation.message(at).role.clone(), conversation.message(at).texts()[0].text.to_owned()))
    };
    let note = [(Role::Assistant, BEFORE.to_owned()), (Role::User, BEFORE.to_owned())];
    for _ in 0..2 {
        let report = condensed(&conversation);
        assert!(report.warnings().iter().any(|warning| warning.code == WarningCode::TargetNotMet));
        conversation = conversation.apply(report.plan()).unwrap();
        assert_eq!((conversation.len(), said(&conversation)), (7, note.clone()));
        assert_eq!(conversation.problems_since(&Conversation::parse("[]").unwrap()), []);
        assert!(condensed(&conversation).plan().is_empty(), "said once");
        // The host goes on, and condenses again.
        let mut more: Vec<_> =
            serde_json::from_str::<Vec<serde_json::Value>>(&crate::common::checks::export(&conversation)).unwrap();
        more.extend((10..13).flat_map(round));
        conversation = Conversation::parse(&json!(more).to_string()).unwrap();
    }
    // Where they stay, what goes behind them is told by them.
    for target in (20..crate::common::checks::tally(&conversation).total()).step_by(7) {
        let report = run_alone("truncation", &json!({ "preserveRecentCount": 2 }), &conversation, Some(target));
        let after = conversation.apply(report.plan()).unwrap();
        let notes = after.messages().flat_map(Message::texts).filter(|text| [BEFORE, MESSAGES].contains(&text.text));
        assert!(notes.count() <= 2, "to {target}: {}", crate::common::checks::export(&after));
    }
}

/// A summary tells of messages that are nowhere else: it stays before anything else does, whatever is cut.
#[test]
fn where_the_target_is_missed_anyway_an_earlier_summary_stays() {
    let summary = "The parser of due dates is done; the names of months are still to be read. ".repeat(9);
    let mut messages = vec![
        json!({ "role": "user", "content": "Make it." }),
        json!({ "role": "assistant", "content": summary, "isSummary": true }),
    ];
    for round in 0..6 {
        messages.push(json!({ "role": "user", "content": format!("Passage {round} of the user. ").repeat(20) }));
        messages
            .push(json!({ "role": "assistant", "content": format!("Passage {round} of the assistant. ").repeat(20) }));
    }
    let before = Conversation::parse(&json!(messages).to_string()).unwrap();
    for config in [json!({ "preserveRecentCount": 4 }), json!({ "preserveRecentCount": 4, "mode": "window" })] {
        let report = run_alone("truncation", &config, &before, Some(20));
        assert!(report.warnings().iter().any(|warning| warning.code == WarningCode::TargetNotMet));
        let after = before.apply(report.plan()).unwrap();
        let said: Vec<&str> = after.messages().flat_map(Message::texts).map(|text| text.text).collect();
        assert!(said.contains(&&*summary), "{config}: {said:?}");
        assert!(!said.iter().any(|text| text.contains("Passage 0")), "{config}: {said:?}");
    }
}

/// How often each tag of `text` opens and closes: the names with both counts.
fn tags(text: &str) -> BTreeMap<&str, (usize, usize)> {
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for inside in text.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0)) {
        let name = inside.strip_prefix('/').unwrap_or(inside);
        if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            let (opened, closed) = found.entry(name).or_default();
            *(if inside.starts_with('/') { closed } else { opened }) += 1;
        }
    }
    found
}

/// A call in XML of each shape, with the assistant's words around it, and its answer.
fn calls_in_xml() -> Conversation {
    let words =
        "I look at what the parser of due dates does with the names of months, because the tests for those fail. "
            .repeat(3);
    let code = |lines: usize| {
        (0..lines)
            .map(|line| format!("export const month{line} = parseMonth(\"{line}\", options);\n"))
            .collect::<String>()
    };
    let calls = [
        "<read_file>\n<args>\n  <file>\n    <path>src/parse.ts</path>\n    <line_range>1-90</line_range>\n  </file>\n</args>\n</read_file>".to_owned(),
        format!("<write_to_file>\n<path>src/months.ts</path>\n<content>\n{}</content>\n<line_count>30</line_count>\n</write_to_file>", code(30)),
        format!("<apply_diff>\n<args>\n<file>\n<path>src/months.ts</path>\n<diff>\n<content>\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n</content>\n<start_line>12</start_line>\n</diff>\n</file>\n</args>\n</apply_diff>", code(9), code(12)),
        format!("<use_mcp_tool>\n<server_name>dates</server_name>\n<tool_name>check</tool_name>\n<arguments>\n{{\n{}}}\n</arguments>\n</use_mcp_tool>", code(20)),
        "<list_files>\n<path>.</path>\n<recursive>false</recursive>\n</list_files>".to_owned(),
    ];
    let mut messages = vec![json!({ "role": "user", "content": "<task>\nMend the months\n</task>" })];
    for call in &calls {
        let name = call[1..].split('>').next().unwrap();
        messages.push(json!({ "role": "assistant", "content": format!("{words}\n\n{words}\n{call}") }));
        messages.push(json!({ "role": "user", "content": format!("[{name} for 'src'] Result:\n\n{}", code(40)) }));
    }
    messages.extend(
        (0..4).map(|index| json!({ "role": (if index % 2 == 0 { "assistant" } else { "user" }), "content": format!("word {index}") })),
    );
    Conversation::parse(&json!(messages).to_string()).unwrap()
}

#[test]
fn a_call_in_xml_keeps_its_tags_however_little_stays_of_its_values() {
    let before = calls_in_xml();
    let total = tokens(&serde_json::to_string(&before.messages().collect::<Vec<_>>()).unwrap());
    let mut cut = 0;
    for percent in (4..100).step_by(4) {
        for strategy in ["salient", "head", "head_tail"] {
            let config = json!({ "strategy": strategy, "preserveRecentCount": 2 });
            let report = run_alone("truncation", &config, &before, Some(total * percent / 100));
            let after = before.apply(report.plan()).unwrap();
            for message in after.messages().filter(|message| message.role == Role::Assistant) {
                for text in message.texts() {
                    for (name, (opened, closed)) in tags(text.text) {
                        assert_eq!(opened, closed, "{name} at {percent}% by {strategy}: {}", text.text);
                    }
                    let is_glued = |line: &str| line.starts_with("[…") && !line.ends_with(']');
                    assert!(!text.text.split('\n').any(is_glued), "{percent}% by {strategy}: {}", text.text);
                    cut += usize::from(text.text.contains("[…") || text.text.contains("... ("));
                }
            }
        }
    }
    assert!(cut > 20, "{cut}");
}
