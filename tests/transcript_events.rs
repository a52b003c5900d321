//! What is recognised in real histories, and that no conversation makes an event outside its texts.

#[path = "transcript_support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use roo_condense::{
    conversation::Conversation,
    transcript::{Action, Change, Excerpt, Outcome, Place, ToolTable, Transcript, read},
};

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
                        Change::Text { old, new, .. } => [old, new].into_iter().for_each(place),
                        Change::Lines { text: index, old, new, .. } => {
                            old.iter().chain(new).for_each(|line| assert!(text(*index).get(line.range()).is_some()));
                        }
                        Change::Insert { text: index, new, .. } => {
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
    support::for_each_history("events", |name, conversation| {
        let transcript = read(conversation, &table);
        assert_inside(&transcript);
        let agent = name.split("--").next().unwrap_or_default().to_owned();
        let rates = rates.entry(agent).or_default();
        for event in &transcript.events {
            let (what, known) = match &event.action {
                Action::Read(_) => ("read", !event.shown.is_empty()),
                Action::Write(_) => ("write", true),
                Action::Edit(changes) => ("edit", !changes.is_empty()),
                Action::Touch => ("touch", true),
                Action::Search(hits) => ("search", !hits.is_empty()),
                Action::Command => ("command", true),
                Action::Environment => ("environment", true),
                Action::List => ("list", true),
                Action::Todo => ("todo", true),
                Action::Other => ("other", !event.tool.is_empty()),
            };
            let what =
                if event.outcome == Outcome::Ok { what.to_owned() } else { format!("{what} {:?}", event.outcome) };
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
        assert!(known * 10 > all * 9, "{agent}: {known} of {all} reads");
    }
}

proptest! {
    #[test]
    fn any_conversation_is_survived(conversation in support::any_conversation()) {
        assert_inside(&read(&conversation, &ToolTable::default()));
    }

    #[test]
    fn any_json_is_survived(text in r#"(\[|\{|"role":|"user"|"assistant"|"content":|,|\}|\]|"[a-z]*"|[0-9]){0,40}"#) {
        if let Ok(conversation) = Conversation::parse(&text) {
            assert_inside(&read(&conversation, &ToolTable::default()));
        }
    }
}
