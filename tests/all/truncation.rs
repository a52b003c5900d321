//! What truncation promises beyond the invariants.

use proptest::prelude::*;
use roo_condense::{ContentKind, Conversation, Edit, Encoding, count_tokens as count};
use serde_json::json;

use super::{
    checks::run_alone,
    configurations::any_config,
    histories::{native, roo_xml},
    invariants::cases,
};

/// The same history without what looks like a pointer: those are kept true in messages that are not cut, too.
fn without_pointers(json: &str) -> String {
    json.replace("[The line above ", "[A line above ")
        .replace(" as above from ", " over ")
        .replace(" as below from ", " under ")
        .replace(" lines, every 10th numbered:]", " lines, some of them numbered:]")
}

fn tokens(text: &str) -> usize {
    count(text, Encoding::default()).tokens
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
        config["recordTokens"] = json!(0);
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
                // What stays is a beginning, or a note in place of everything. Texts that hold markers already are counted together.
                let beginning = new.text.split("... (").next().unwrap();
                let first = beginning.split('\n').next().unwrap();
                let marked = old.text.contains("... (");
                prop_assert!(marked || new.text.ends_with(" left out]") || old.text.starts_with(first), "{:?}", new.text);
                match old.kind {
                    ContentKind::MessageText => {
                        let name = if index % 2 == 0 { "preserveUserMessages" } else { "preserveAssistantText" };
                        prop_assert_eq!(&config[name], false);
                    }
                    ContentKind::ToolParameters if !suppress => prop_assert!(new.text.chars().count() <= parameters + 50),
                    ContentKind::ToolResults if !suppress => {
                        prop_assert!(new.text.split('\n').count() <= lines + 1, "{:?}", new.text);
                        prop_assert!(new.text.split('\n').all(|line| line.chars().count() <= characters + 50));
                    }
                    _ => prop_assert!(new.text.ends_with(" left out]")),
                }
            }
        }
    }

    #[test]
    fn a_looser_target_never_keeps_less(json in prop_oneof![native(), roo_xml()], percent in 5_usize..95) {
        let before = Conversation::parse(&without_pointers(&json)).unwrap();
        let total = super::checks::tally(&before).total();
        let left = |percent: usize| run_alone("truncation", &json!({ "preserveRecentCount": 1 }), &before, Some(total * percent / 100)).final_tokens();
        // The search stops within 2% of the budget, so a little less is no surprise.
        prop_assert!(left(percent) <= left(percent + 5) + total / 25 + 20);
    }

    #[test]
    fn the_window_drops_the_oldest_half_and_no_more_than_a_pair_needs(json in native(), keep in 1_usize..6) {
        let before = Conversation::parse(&without_pointers(&json)).unwrap();
        let report = run_alone("truncation", &json!({ "mode": "window", "preserveRecentCount": keep, "recordTokens": 0 }), &before, None);
        let dropped: Vec<usize> = report.plan().edits.iter().map(|edit| match edit {
            Edit::Drop { message } => *message,
            other => panic!("the window only drops: {other:?}"),
        }).collect();
        let half = (before.len() - 1) / 2;
        let half = half - half % 2;
        prop_assert_eq!(&dropped, &(1..=dropped.len()).collect::<Vec<_>>());
        let room = before.len().saturating_sub(1 + keep);
        prop_assert!(dropped.len() >= half.min(room - room % 2), "{} of {}", dropped.len(), before.len());
        prop_assert!(dropped.len() <= half + 1);
    }
}
