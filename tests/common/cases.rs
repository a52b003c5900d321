//! Cases of properties: how many are made, and the targets in them.

use proptest::prelude::*;
use roo_condense::Conversation;

use super::checks::tally;

/// `count` cases, a third of them where `ROO_CONDENSE_FEWER_CASES` is set (`npm test`), or as many as `PROPTEST_CASES` says.
pub fn cases(count: u32) -> ProptestConfig {
    let is_set = |name| std::env::var_os(name).is_some();
    let config = ProptestConfig { failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() };
    let count = if is_set("ROO_CONDENSE_FEWER_CASES") { count.div_ceil(3) } else { count };
    if is_set("PROPTEST_CASES") { config } else { ProptestConfig { cases: count, ..config } }
}

/// A target: none, a percentage of the tokens, or a number of tokens.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    None,
    Percent(usize),
    Tokens(usize),
}

impl Target {
    pub fn tokens(self, conversation: &Conversation) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Percent(percent) => Some(tally(conversation).total() * percent / 100),
            Self::Tokens(tokens) => Some(tokens),
        }
    }
}

pub fn any_target() -> impl Strategy<Value = Target> {
    prop_oneof![
        3 => Just(Target::None),
        1 => Just(Target::Percent(50)),
        1 => Just(Target::Percent(25)),
        1 => Just(Target::Percent(10)),
        1 => (0_usize..120).prop_map(Target::Percent),
        1 => prop_oneof![Just(0), Just(1), 0_usize..5000, Just(usize::MAX)].prop_map(Target::Tokens),
    ]
}
