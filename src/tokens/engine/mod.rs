//! The tokenizer: its trait, the implementation in use, and the guard around it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
};

use super::{Count, Encoding, pieces::floor_char_boundary};

#[cfg(not(feature = "tiktoken-rs"))]
mod near;
#[cfg(not(feature = "tiktoken-rs"))]
mod tiktoken;
#[cfg(not(feature = "tiktoken-rs"))]
mod words;
#[cfg(not(feature = "tiktoken-rs"))]
use self::tiktoken::Tiktoken as InCharge;

#[cfg(feature = "tiktoken-rs")]
mod tiktoken_rs;
#[cfg(feature = "tiktoken-rs")]
use self::tiktoken_rs::TiktokenRs as InCharge;

/// A tokenizer for one encoding. Text that looks like a special token (`<|endoftext|>`) is ordinary text.
trait Engine: Send + Sync {
    /// Builds the encoding's tables, which is slow.
    fn load(encoding: Encoding) -> Self;

    /// Counts the tokens of a text. May panic, so callers are guarded.
    fn count(&self, text: &str) -> usize;

    /// Returns the length of each token in bytes. Together they are the length of the text.
    fn token_lengths(&self, text: &str) -> Vec<usize>;
}

static O200K_BASE: OnceLock<InCharge> = OnceLock::new();
static CL100K_BASE: OnceLock<InCharge> = OnceLock::new();

fn slot(encoding: Encoding) -> &'static OnceLock<InCharge> {
    match encoding {
        Encoding::O200kBase => &O200K_BASE,
        Encoding::Cl100kBase => &CL100K_BASE,
    }
}

fn engine(encoding: Encoding) -> &'static InCharge {
    slot(encoding).get_or_init(|| InCharge::load(encoding))
}

/// Builds the tables of an encoding if necessary. Blocks for up to 0.3 s, so it should not run on a main thread. Later
/// calls return at once.
pub fn warm_up(encoding: Encoding) {
    // Counting a text with all kinds of words also builds the parts that the engine builds on first use.
    engine(encoding).count("Naïve words, 12345 números —\n\n  漢字 and 'quotes' don't\u{300} matter.");
}

/// Returns true if the tables of an encoding are built, so that counting does not wait for them.
pub fn is_loaded(encoding: Encoding) -> bool {
    slot(encoding).get().is_some()
}

/// Counts one piece.
pub(super) fn count_guarded(text: &str, encoding: Encoding) -> Count {
    let engine = engine(encoding);
    guard(text, &|part| engine.count(part))
}

/// Returns the token lengths of one piece in bytes. If the engine panics, each character counts as one token, which
/// never undercounts.
pub(super) fn token_lengths(text: &str, encoding: Encoding) -> Vec<usize> {
    let engine = engine(encoding);
    catch_unwind(AssertUnwindSafe(|| engine.token_lengths(text)))
        .unwrap_or_else(|_| text.chars().map(char::len_utf8).collect())
}

/// Counts with an engine that may panic: a text on which it panics is halved until it does not. No such text is known,
/// but a panic would end the host's process.
fn guard(text: &str, count: &dyn Fn(&str) -> usize) -> Count {
    if let Ok(tokens) = catch_unwind(AssertUnwindSafe(|| count(text))) {
        return Count { tokens, approximate: false };
    }
    let middle = floor_char_boundary(text, text.len() / 2);
    if middle == 0 {
        return Count { tokens: text.len(), approximate: true };
    }
    let (left, right) = text.split_at(middle);
    let tokens = guard(left, count).tokens + guard(right, count).tokens;
    Count { tokens, approximate: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warm_up_loads() {
        warm_up(Encoding::Cl100kBase);
        assert!(is_loaded(Encoding::Cl100kBase));
    }

    #[test]
    fn a_panic_of_the_engine_becomes_an_approximate_count() {
        let fragile = |text: &str| {
            // Without the panic hook, which would print: resume_unwind does not call it.
            if text.len() > 8 || text.contains('x') {
                std::panic::resume_unwind(Box::new("too much"));
            }
            1
        };
        assert_eq!(guard("short", &fragile), Count { tokens: 1, approximate: false });
        let long = guard("0123456789", &fragile);
        assert_eq!(long, Count { tokens: 2, approximate: true });
        assert_eq!(guard("x", &fragile), Count { tokens: 1, approximate: true });
        assert_eq!(guard("", &fragile), Count { tokens: 1, approximate: false });
    }

    #[test]
    fn token_lengths_add_up_and_are_as_many_as_the_count() {
        for encoding in Encoding::ALL {
            for text in ["", "a", "hello world, don'ſ stop", "漢字かな交じり文 I'ſ", "  \n\n  x"] {
                let lengths = token_lengths(text, encoding);
                assert_eq!(lengths.iter().sum::<usize>(), text.len(), "{text:?}");
                assert_eq!(lengths.len(), count_guarded(text, encoding).tokens, "{text:?}");
            }
        }
    }
}
