//! What the lossless provider promises beyond the invariants: what it removes as readable can be read back.

use proptest::prelude::*;
use roo_condense::{Conversation, decode};
use serde_json::json;

use super::support::condense;
use crate::{histories::any_history, invariants::cases, real_histories::for_each_history};

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
    for_each_history("reading back", |_, conversation| {
        check(conversation, "last", 24);
        check(conversation, "first", 8);
    });
}
