//! What always holds of the lossless provider's results.

use super::support::{any_history, check};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn histories_can_be_read_back(conversation in any_history(), keep in prop_oneof![Just("last"), Just("first")]) {
        check(&conversation, keep, &[1, 24]);
    }

    #[test]
    fn any_conversation_is_survived(conversation in crate::near_misses::any_conversation()) {
        check(&conversation, "last", &[1, 24]);
    }
}

#[test]
fn real_histories_can_be_read_back() {
    crate::real_histories::for_each_history("lossless", |_, conversation| {
        check(conversation, "last", &[24]);
        check(conversation, "first", &[8]);
    });
}
