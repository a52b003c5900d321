//! Divides a conversation into parts that fit a window.

use super::{estimate::PER_MESSAGE, turns::Turn};
use crate::tokens::Encoding;

/// A turn and its tokens, unscaled, including a service's overhead per message.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub turn: Turn,
    pub tokens: usize,
}

impl Counted {
    pub fn new(turn: Turn, encoding: Encoding) -> Self {
        let tokens = turn.tokens(encoding) + PER_MESSAGE;
        Self { turn, tokens }
    }
}

/// Returns consecutive parts of at most `limit` tokens, of about equal size. A longer turn is cut.
pub(super) fn parts(turns: Vec<Counted>, limit: usize, encoding: Encoding) -> Vec<Vec<Counted>> {
    let turns: Vec<Counted> = turns.into_iter().map(|turn| fitting(turn, limit, encoding)).collect();
    let total: usize = turns.iter().map(|turn| turn.tokens).sum();
    let wanted = total.div_ceil(limit.max(1)).max(1);
    // A part is closed once it has its share, so that the last one is not a small remnant.
    let share = total.div_ceil(wanted);
    let mut parts: Vec<Vec<Counted>> = Vec::new();
    let mut filled = 0;
    for turn in turns {
        match parts.last_mut() {
            Some(part) if filled < share && filled + turn.tokens <= limit => {
                filled += turn.tokens;
                part.push(turn);
            }
            _ => {
                filled = turn.tokens;
                parts.push(vec![turn]);
            }
        }
    }
    parts
}

fn fitting(mut counted: Counted, limit: usize, encoding: Encoding) -> Counted {
    if counted.tokens <= limit {
        return counted;
    }
    counted.turn.cut(limit.saturating_sub(PER_MESSAGE), encoding);
    Counted::new(counted.turn, encoding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{llm::LlmRole, summaries::turns::What};

    fn turn(words: usize) -> Counted {
        Counted::new(Turn::new(LlmRole::User, What::User, &"word ".repeat(words)), Encoding::default())
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
        #[test]
        fn no_part_is_over_the_limit_and_nothing_is_lost(words in proptest::collection::vec(1usize..400, 1..40), limit in 100usize..1000) {
            let turns: Vec<Counted> = words.into_iter().map(turn).collect();
            let count = turns.len();
            let parts = parts(turns, limit, Encoding::default());
            proptest::prop_assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), count);
            for part in &parts {
                proptest::prop_assert!(part.iter().map(|turn| turn.tokens).sum::<usize>() <= limit);
            }
        }
    }
}
