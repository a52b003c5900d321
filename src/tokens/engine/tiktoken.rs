//! The `tiktoken` crate: the default, for its speed and size. Its counts are made equal to those of the reference, `tiktoken-rs`.
//!
//! The one difference (none other in 700,000 random texts of the kind the tests make): in `o200k_base` a contraction belongs to the word before it, and `'ſ` (long
//! s, U+017F) is one, because the pattern ignores case. The crate's fast path for ASCII words only knows ASCII contractions and
//! leaves `'ſ` to the next word.

use std::sync::LazyLock;

use regex::Regex;
use tiktoken::CoreBpe;

use super::{Encoding, Engine};

/// The text that has to occur for the difference to show.
const LONG_S: &str = "'ſ";

/// The only word whose tokens cross its apostrophe: `" I'"` is the only token of the vocabulary that ends in a letter and an apostrophe
/// (a test below reads the vocabulary for it).
const I_LONG_S: &str = " I'ſ";

/// The words of `o200k_base`, but for blanks, which end before their last if more text follows: [`parts`] sees to that, for this
/// kind of expression cannot look ahead.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    const LEAD: &str = r"[^\r\n\p{L}\p{N}]?";
    const UPPER: &str = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]";
    const LOWER: &str = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";
    const CONTRACTION: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
    Regex::new(&format!(
        r"{LEAD}{UPPER}*{LOWER}+{CONTRACTION}|{LEAD}{UPPER}+{LOWER}*{CONTRACTION}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+"
    ))
    .expect("the pattern is a constant, and tested")
});

/// The `tiktoken` crate, corrected.
pub(super) struct Tiktoken {
    bpe: &'static CoreBpe,
    /// Whether contractions belong to the word before them.
    attaches_contractions: bool,
}

/// A part of a text that is counted by itself.
enum Part<'a> {
    /// Counted by the crate.
    Plain(&'a str),
    /// One token, by the vocabulary.
    Token(&'a str),
}

impl Engine for Tiktoken {
    fn load(encoding: Encoding) -> Self {
        let bpe = tiktoken::get_encoding(encoding.name()).expect("both vocabularies are compiled in");
        Self { bpe, attaches_contractions: encoding == Encoding::O200kBase }
    }

    fn count(&self, text: &str) -> usize {
        if !self.differs(text) {
            return self.bpe.count(text);
        }
        let mut tokens = 0;
        parts(text, |part| {
            tokens += match part {
                Part::Plain(text) => self.bpe.count(text),
                Part::Token(_) => 1,
            }
        });
        tokens
    }

    fn token_lengths(&self, text: &str) -> Vec<usize> {
        let mut lengths = Vec::new();
        let plain = |text: &str, lengths: &mut Vec<usize>| {
            lengths.extend(self.bpe.encode(text).into_iter().map(|token| self.bpe.decode(&[token]).len()));
        };
        if !self.differs(text) {
            plain(text, &mut lengths);
        } else {
            parts(text, |part| match part {
                Part::Plain(text) => plain(text, &mut lengths),
                Part::Token(text) => lengths.push(text.len()),
            });
        }
        lengths
    }
}

impl Tiktoken {
    fn differs(&self, text: &str) -> bool {
        self.attaches_contractions && text.contains(LONG_S)
    }
}

/// Cuts a text into its words, and those that end in `'ſ` before their apostrophe: no token crosses it, [`I_LONG_S`] excepted.
fn parts<'a>(text: &'a str, mut each: impl FnMut(Part<'a>)) {
    let mut at = 0;
    while let Some(found) = WORDS.find_at(text, at) {
        let mut word = found.as_str();
        if found.end() < text.len() && word.chars().all(char::is_whitespace) && !word.ends_with(['\r', '\n']) {
            // Blanks leave their last to the next word.
            word = word
                .char_indices()
                .next_back()
                .map(|(last, _)| &word[..last])
                .filter(|rest| !rest.is_empty())
                .unwrap_or(word);
        }
        at = found.start() + word.len();
        if word == I_LONG_S {
            each(Part::Token(" I'"));
            each(Part::Plain("ſ"));
        } else if let Some(apostrophe) = word.find(LONG_S) {
            each(Part::Plain(&word[..apostrophe]));
            each(Part::Plain(&word[apostrophe..]));
        } else {
            each(Part::Plain(word));
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

    /// The reference reads white space at the end of a text as one word in `cl100k_base`, the crate as two if it has a line feed inside.
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
