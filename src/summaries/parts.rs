//! Cutting a conversation into parts that fit a window.

use super::{estimate::PER_MESSAGE, turns::Turn};
use crate::{
    markers::Gap,
    tokens::{Encoding, count, truncate_start_to_tokens, truncate_to_tokens},
};

/// A turn and its tokens, unscaled, with what a service adds to a message.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub turn: Turn,
    pub tokens: usize,
}

impl Counted {
    pub fn new(turn: Turn, encoding: Encoding) -> Self {
        let tokens = count(&turn.text, encoding).tokens + PER_MESSAGE;
        Self { turn, tokens }
    }
}

/// Tokens kept free in a cut text for the line that says what is missing.
const NOTE: usize = 24;

/// At most `limit` tokens of a text: three fifths from its head, two from its tail, where commands report how they ended.
pub(crate) fn cut(text: &str, limit: usize, encoding: Encoding) -> String {
    let tokens = count(text, encoding).tokens;
    if tokens <= limit {
        return text.to_owned();
    }
    let room = limit.saturating_sub(NOTE);
    let head = truncate_to_tokens(text, room * 3 / 5, encoding);
    let tail = truncate_start_to_tokens(&text[head.len()..], room - room * 3 / 5, encoding);
    let missing = tokens.saturating_sub(room);
    format!("{head}\n{}\n{tail}", Gap::Tokens(missing))
}

/// Consecutive parts of at most `limit` tokens each, of about the same size. A turn that is longer alone is cut.
pub(super) fn parts(turns: Vec<Counted>, limit: usize, encoding: Encoding) -> Vec<Vec<Counted>> {
    let turns: Vec<Counted> = turns.into_iter().map(|turn| fitting(turn, limit, encoding)).collect();
    let total: usize = turns.iter().map(|turn| turn.tokens).sum();
    let wanted = total.div_ceil(limit.max(1)).max(1);
    // A part is closed when it has its share, so that the last one is not a remnant.
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

fn fitting(counted: Counted, limit: usize, encoding: Encoding) -> Counted {
    if counted.tokens <= limit {
        return counted;
    }
    let text = cut(&counted.turn.text, limit.saturating_sub(PER_MESSAGE), encoding);
    Counted::new(Turn { text, ..counted.turn }, encoding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::LlmRole;

    fn turn(words: usize) -> Counted {
        Counted::new(Turn { role: LlmRole::User, text: "word ".repeat(words) }, Encoding::default())
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

    #[test]
    fn a_cut_keeps_head_and_tail() {
        let text = format!("first {} last", "middle ".repeat(1000));
        let cut = cut(&text, 100, Encoding::default());
        assert!(cut.starts_with("first ") && cut.ends_with(" last"), "{cut}");
        assert!(count(&cut, Encoding::default()).tokens <= 100);
        assert_eq!(super::cut("short", 100, Encoding::default()), "short");
    }
}
