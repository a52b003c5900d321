//! Placeholders in a dry run for a model's response: a text of the expected length for programs, words for people.

/// Returns a text of `tokens` tokens, at least [`MIN_TOKENS`].
pub(super) fn stand_in(tokens: usize) -> String {
    format!("({WORDS}){}", " …".repeat(tokens.saturating_sub(MIN_TOKENS)))
}

/// Tokens of the shortest text, in both vocabularies.
pub(super) const MIN_TOKENS: usize = 8;

const WORDS: &str = "what a model would write here";

/// Returns the placeholder in words for people.
pub(crate) fn in_words(tokens: usize) -> String {
    format!("({WORDS}, about {tokens} tokens)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Encoding, count};

    #[test]
    fn a_stand_in_has_the_length_that_is_expected() {
        for encoding in Encoding::ALL {
            for tokens in [1, MIN_TOKENS, 9, 120, 2000] {
                assert_eq!(count(&stand_in(tokens), encoding).tokens, tokens.max(MIN_TOKENS), "{encoding:?}");
            }
        }
    }
}
