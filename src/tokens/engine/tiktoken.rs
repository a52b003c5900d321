//! The engine based on the `tiktoken` crate, which is the default for its speed and size. This module makes its counts
//! equal to those of the reference, `tiktoken-rs`.
//!
//! The crate counts one word at a time (`words`), and only words that are not cached (`near`).
//!
//! This module corrects one difference; 700,000 random texts of the tests' kind showed no other. In `o200k_base`, a
//! contraction belongs to the word before it, and `'ſ` (long s, U+017F) is a contraction, because the pattern ignores
//! case. The crate's fast path for ASCII words recognises only ASCII contractions, and leaves `'ſ` to the next word.

use tiktoken::CoreBpe;

use super::{Encoding, Engine, near::Near, words::Words};

/// The text that causes the difference.
const LONG_S: &str = "'ſ";

/// The only word with a token that crosses its apostrophe: [`I_APOSTROPHE`] is the encoding's only token that ends in a
/// letter and an apostrophe. A test below checks this against all tokens.
const I_LONG_S: &str = " I'ſ";
const I_APOSTROPHE: &str = " I'";

/// The `tiktoken` crate, corrected.
pub(super) struct Tiktoken {
    bpe: &'static CoreBpe,
    encoding: Encoding,
    words: Words,
}

impl Engine for Tiktoken {
    fn load(encoding: Encoding) -> Self {
        let bpe = tiktoken::get_encoding(encoding.name()).expect("both vocabularies are compiled in");
        Self { bpe, encoding, words: Words::new(encoding) }
    }

    fn count(&self, text: &str) -> usize {
        Near::with(self.encoding, |near| {
            let mut tokens = 0;
            self.words.each(text, |word| {
                let word = &text[word];
                tokens += near.count(word.as_bytes(), || self.count_word(word));
            });
            tokens
        })
    }

    fn token_lengths(&self, text: &str) -> Vec<usize> {
        let mut lengths = Vec::new();
        self.words.each(text, |word| match self.cut(&text[word]) {
            (I_APOSTROPHE, rest) => {
                lengths.push(I_APOSTROPHE.len());
                self.add_lengths(rest, &mut lengths);
            }
            (before, rest) => {
                self.add_lengths(before, &mut lengths);
                self.add_lengths(rest, &mut lengths);
            }
        });
        lengths
    }
}

impl Tiktoken {
    fn count_word(&self, word: &str) -> usize {
        match self.cut(word) {
            // For an empty text, the crate runs a regular expression.
            ("", word) => self.bpe.count(word),
            (I_APOSTROPHE, rest) => 1 + self.bpe.count(rest),
            (before, rest) => self.bpe.count(before) + self.bpe.count(rest),
        }
    }

    fn add_lengths(&self, text: &str, lengths: &mut Vec<usize>) {
        lengths.extend(self.bpe.encode(text).into_iter().map(|token| self.bpe.decode(&[token]).len()));
    }

    /// Divides a word that ends in `'ſ` before the apostrophe, which no token crosses, or after [`I_APOSTROPHE`]. For
    /// other words, returns an empty first part and the word.
    fn cut<'w>(&self, word: &'w str) -> (&'w str, &'w str) {
        match word.strip_suffix(LONG_S) {
            Some(_) if word == I_LONG_S => word.split_at(I_APOSTROPHE.len()),
            Some(before) if self.encoding == Encoding::O200kBase => word.split_at(before.len()),
            _ => ("", word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(encoding: Encoding) -> Vec<Vec<u8>> {
        let bpe = Tiktoken::load(encoding).bpe;
        (0..bpe.vocab_size() as u32 + 10).map(|token| bpe.decode(&[token])).collect()
    }

    #[test]
    fn no_token_but_one_crosses_the_apostrophe_of_long_s() {
        let long_s = LONG_S.as_bytes();
        let crossing = vocabulary(Encoding::O200kBase).into_iter().filter(|token| {
            // Ends with a part of `'ſ`, after a letter or a part of one.
            (1..=long_s.len()).any(|len| {
                let word = token.strip_suffix(&long_s[..len]);
                word.and_then(<[u8]>::last).is_some_and(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
            })
        });
        assert_eq!(crossing.collect::<Vec<_>>(), [b" I'"]);
    }

    #[test]
    fn long_s_is_counted_as_the_reference_does() {
        let engine = Tiktoken::load(Encoding::O200kBase);
        let reference = tiktoken_rs::o200k_base_singleton();
        let texts = [
            "don'ſ",
            "don'ſt",
            " I'ſ",
            "I'ſ I'ſt",
            " 'ſ",
            "\t\t'ſ",
            "  'ſ",
            " \n 'ſ",
            "\n\n'ſ",
            "a'ſ'ſ'ſ",
            "don't'ſ",
            "'ſ'ſ",
            "1'ſ",
            "='ſ",
            "=\u{301}'ſ",
            "==\u{301}'ſx",
            "é'ſ",
            "漢'ſ",
            "A'ſB",
            "x  I'ſ",
            "  0'ſ",
            "x \t'ſ\u{a0}\u{a0}'ſ",
            "don'ſ   ",
            "don'ſ  x",
        ];
        for text in texts {
            assert_eq!(engine.count(text), reference.count_ordinary(text), "{text:?}");
            assert_eq!(engine.token_lengths(text).len(), engine.count(text), "{text:?}");
        }
    }

    /// In `cl100k_base`, the reference reads white space at the end of a text as one word; the crate reads it as two if
    /// it contains a line feed.
    #[test]
    fn no_token_crosses_from_a_line_feed_into_blanks_at_its_end() {
        for token in vocabulary(Encoding::Cl100kBase) {
            let Ok(text) = std::str::from_utf8(&token) else { continue };
            let blank_end = text.trim_end_matches(|c: char| c.is_whitespace() && c != '\n' && c != '\r');
            assert!(blank_end.len() == text.len() || !blank_end.ends_with(['\n', '\r']), "{text:?}");
        }
    }

    #[test]
    fn no_token_is_longer_than_the_bound() {
        for encoding in Encoding::ALL {
            let longest = vocabulary(encoding).iter().map(Vec::len).max();
            assert_eq!(longest, Some(crate::tokens::MAX_TOKEN_BYTES), "{encoding}");
        }
    }
}
