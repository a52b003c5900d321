//! The `tiktoken` crate: the default, for its speed and size. Its counts are made equal to those of the reference, `tiktoken-rs`.
//!
//! The one difference (found by comparing millions of random texts): in `o200k_base` a contraction belongs to the word before it, and `'ſ` (long
//! s, U+017F) is one, because the pattern ignores case. The crate's fast path for ASCII words only knows ASCII contractions and
//! leaves `'ſ` to the next word.

use std::sync::LazyLock;

use regex::Regex;
use tiktoken::CoreBpe;

use super::{Encoding, Engine};

/// What has to be in a text for the difference to show.
const LONG_S: &str = "'ſ";

/// The only word whose tokens cross its apostrophe: `" I'"` is the only token of the vocabulary that ends in a letter and an apostrophe
/// (a test below reads the vocabulary for it).
const I_LONG_S: &str = " I'ſ";

/// The words of `o200k_base`, but for the words of white space, which end before their last character if more text follows. That
/// does not matter here: cuts are made only at words that contain `'ſ`.
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

/// A part of a text between whose ends the crate counts right.
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

/// Cuts a text before and after each word that contains `'ſ`, and before that apostrophe: no token crosses it, [`I_LONG_S`] excepted.
fn parts<'a>(text: &'a str, mut each: impl FnMut(Part<'a>)) {
    let mut done = 0;
    // White space runs here are one character longer than in the encoding, which could hide the lead of a following word.
    let mut at = 0;
    while let Some(word) = WORDS.find_at(text, at) {
        at = word.end();
        let run = word.as_str();
        let more = at < text.len() && run.chars().all(char::is_whitespace) && !run.ends_with(['\r', '\n']);
        if more && let Some((last, _)) = run.char_indices().next_back().filter(|&(last, _)| last > 0) {
            at = word.start() + last;
        }
        let Some(apostrophe) = run.find(LONG_S) else { continue };
        each(Part::Plain(&text[done..word.start()]));
        if run == I_LONG_S {
            each(Part::Token(" I'"));
            each(Part::Plain("ſ"));
        } else {
            each(Part::Plain(&run[..apostrophe]));
            each(Part::Plain(&run[apostrophe..]));
        }
        done = word.end();
    }
    each(Part::Plain(&text[done..]));
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
