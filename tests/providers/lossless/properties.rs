//! Properties of the lossless provider beyond the invariants: text that it removes as readable can be read back.

use proptest::prelude::*;
use roo_condense::{Conversation, decode};
use serde_json::{json, value::RawValue};

use super::support::condense;
use crate::common::{
    cases::cases,
    checks::export,
    histories::any_history,
    real_histories::{Share, beginning, corpus, fixtures, for_each_history},
};

/// The strict result decodes to the same texts; with the default configuration texts are left out, but none comes or moves.
fn check(conversation: &Conversation, keep: &str, min_tokens_saved: usize) {
    for strict in [true, false] {
        let config = json!({ "strict": strict, "keep": keep, "minTokensSaved": min_tokens_saved });
        let after = condense(conversation, config.clone()).conversation;
        if strict {
            assert_eq!(decode(&after), decode(conversation), "decodes ({config})");
        }
        for (index, message) in conversation.messages().enumerate() {
            let (was, is) = (message.texts(), after.message(index).texts());
            let same_places = was.iter().map(|text| &text.path).eq(is.iter().map(|text| &text.path));
            assert!(strict <= same_places, "the same texts");
        }
    }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn histories_can_be_read_back(json in any_history(), keep in prop_oneof![Just("last"), Just("first")], min in prop_oneof![Just(1), Just(24)]) {
        check(&Conversation::parse(&json).unwrap(), keep, min);
    }
}

#[test]
fn recorded_histories_can_be_read_back() {
    check_recorded(Share::Sample);
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn the_other_recorded_histories_can_be_read_back() {
    check_recorded(Share::Others);
}

fn check_recorded(share: Share) {
    for_each_history("reading back", share, |_, conversation| {
        check(conversation, "last", 24);
        check(conversation, "first", 8);
    });
}

/// Switches that change what is found, each with both places where the copy may stay.
const SWITCHES: [&str; 10] = [
    "reference",
    "containment",
    "diff",
    "repeatedLines",
    "lineNumbers",
    "toolParameters",
    "deduplicateFileReads",
    "consolidateToolResults",
    "removeObsoleteState",
    "strict",
];

#[test]
fn a_second_time_changes_nothing_however_it_is_configured() {
    let histories = fixtures().into_iter().chain(corpus("condensing twice"));
    for (number, (name, conversation)) in histories.enumerate() {
        let conversation = beginning(&conversation, 30_000);
        // Each history has its turn with some of the switches.
        for (at, switch) in SWITCHES.iter().enumerate().filter(|(at, _)| at % 3 == number % 3) {
            let keep = ["last", "first"][(number / 3 + at) % 2];
            let config = json!({ *switch: *switch == "strict", "keep": keep });
            let once = condense(&conversation, config.clone()).conversation;
            let output = Conversation::parse(&export(&once)).unwrap();
            let twice = condense(&output, config.clone());
            assert_eq!(twice.changes, [], "{name} with {config}");
        }
    }
}

/// Changes by the host between condensations keep the meaning of pointers: messages dropped from the beginning,
/// others appended, JSON written and read again.
#[test]
fn pointers_survive_what_a_host_does() {
    let more = r#"{"role":"user","content":"Go on, and read import { a } once more."}"#;
    for_each_history("what hosts do", Share::All, |name, conversation| {
        let conversation = beginning(conversation, 30_000);
        let after = condense(&conversation, json!({ "strict": true })).conversation;
        let was = decode(&conversation);
        for dropped in [1, after.len() / 3, after.len() / 2] {
            let json = export(&after);
            let all: Vec<&RawValue> = serde_json::from_str(&json).unwrap();
            let kept: Vec<&str> = all[dropped.min(all.len())..].iter().map(|message| message.get()).collect();
            let host = format!("[{}]", [&kept[..], &[more]].concat().join(","));
            let is = decode(&Conversation::parse(&host).unwrap());
            assert_eq!(is[..is.len() - 1], was[dropped.min(was.len())..], "{name} without {dropped} messages");
        }
    });
}
