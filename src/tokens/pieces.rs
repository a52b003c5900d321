//! Cuts a text where no token can cross, so that the counts of the pieces add up exactly.
//!
//! Both encodings first divide a text into words with a pattern that has no look-behind and looks ahead only past
//! white space; tokens never cross the end of a word. So a cut is exact where a word certainly ends, whatever
//! surrounds it:
//!
//! - after a line feed, if the next character is neither white space (the run would be one word) nor `/` (a word of
//!   punctuation includes the line feeds after it, and in o200k_base also slashes);
//! - between an ASCII letter or digit and any other ASCII character, except the apostrophe, which may begin a
//!   contraction.
//!
//! Cuts depend only on the text before them, so appending text changes neither earlier pieces nor their cached
//! counts.

/// Maximum bytes of a piece, if there is a place to cut. Small enough that recounting the last piece of a growing
/// text, or waiting for a cancellation, takes under a millisecond; large enough that calls and cache look-ups are
/// negligible.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

/// The size of pieces when searching for one token.
const SMALL_PIECE_BYTES: usize = 1024;

/// A run without an exact cut is cut at this many bytes anyway. Tokenizers are slow on such runs, and no text in a
/// language or program has one.
pub(super) const RUN_LIMIT: usize = 256 * 1024;

/// A part of a text that is counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment<'a> {
    /// The start in the text, in bytes.
    pub start: usize,
    pub text: &'a str,
    /// True if a token may cross its end, which makes the count of the whole approximate.
    pub forced: bool,
}

/// Returns the pieces of a text, in order; together they are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Segment<'_>> {
    split(text, PIECE_BYTES, RUN_LIMIT)
}

/// Returns smaller pieces where possible, never with a forced cut. For finding a place within a piece.
pub(super) fn small_pieces(text: &str) -> impl Iterator<Item = Segment<'_>> {
    split(text, SMALL_PIECE_BYTES, text.len())
}

fn split(text: &str, piece_bytes: usize, run_limit: usize) -> impl Iterator<Item = Segment<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == text.len() {
            return None;
        }
        let (end, forced) = piece_end(text, start, piece_bytes, run_limit);
        let piece = Segment { start, text: &text[start..end], forced };
        start = end;
        Some(piece)
    })
}

/// Returns the end of the piece that begins at `start`, and whether that cut is forced.
fn piece_end(text: &str, start: usize, piece_bytes: usize, run_limit: usize) -> (usize, bool) {
    let rest = text.len() - start;
    if rest <= piece_bytes {
        return (text.len(), false);
    }
    let preferred = start + piece_bytes;
    let before = (start + 1..=preferred).rev().find(|&at| is_exact_cut(text, at));
    let cut =
        before.or_else(|| (preferred + 1..text.len().min(start + run_limit + 1)).find(|&at| is_exact_cut(text, at)));
    match cut {
        Some(end) => (end, false),
        None if rest <= run_limit => (text.len(), false),
        None => (floor_char_boundary(text, start + run_limit), true),
    }
}

/// Returns true if a word certainly ends at `at` in both encodings. `at` is inside the text.
fn is_exact_cut(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let (before, after) = (bytes[at - 1], bytes[at]);
    if before == b'\n' {
        // `before` is ASCII, so `at` is a character boundary.
        return after != b'/' && text[at..].chars().next().is_some_and(|c| !c.is_whitespace());
    }
    before.is_ascii_alphanumeric() && after.is_ascii() && !after.is_ascii_alphanumeric() && after != b'\''
}

/// Returns the last character boundary at or before `at`. (`str::floor_char_boundary` needs Rust 1.91.)
pub fn floor_char_boundary(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Returns the first character boundary at or after `at`.
pub(super) fn ceil_char_boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::{Encoding, engine::count_guarded, samples::*};

    fn counts_add_up(text: &str, piece_bytes: usize) -> Result<(), TestCaseError> {
        for encoding in Encoding::ALL {
            let whole = count_guarded(text, encoding).tokens;
            let parts: Vec<Segment<'_>> = split(text, piece_bytes, text.len()).collect();
            prop_assert_eq!(parts.iter().map(|piece| piece.text).collect::<String>(), text);
            let sum: usize = parts.iter().map(|piece| count_guarded(piece.text, encoding).tokens).sum();
            prop_assert_eq!(sum, whole, "{} pieces of {}, {}", parts.len(), piece_bytes, encoding);
        }
        Ok(())
    }

    #[test]
    fn counts_of_pieces_add_up_at_all_sizes() {
        let text = mixed(120_000);
        for piece_bytes in [1, 2, 3, 5, 17, 64, 500, 4_096, PIECE_BYTES, 100_000] {
            counts_add_up(&text, piece_bytes).unwrap();
        }
        assert!(split(&text, 64, RUN_LIMIT).count() > 1_000);
    }

    #[test]
    fn cuts_are_where_words_end() {
        let cut = |text: &str| {
            let at = text.find('|').unwrap();
            is_exact_cut(&text.replace('|', ""), at)
        };
        for exact in [";\n|x", "\n|漢", "\n|'s", "a| b", "a|\n", "9|.", "x|\"", "Z|/", "a|\0"] {
            assert!(cut(exact), "{exact:?}");
        }
        for inexact in [
            "\n|/",
            "\n| ",
            "\n|\n",
            "\n|\u{3000}",
            "a|b",
            "a|1",
            "a|'s",
            "a|é",
            "a|\u{301}",
            " |a",
            ";|\n",
            "漢|。",
            "\r|\n",
        ] {
            assert!(!cut(inexact), "{inexact:?}");
        }
    }

    #[test]
    fn long_runs_are_forced_apart_at_characters() {
        let parts: Vec<_> = split("漢漢漢漢", 2, 4).map(|piece| (piece.start, piece.text, piece.forced)).collect();
        assert_eq!(parts, [(0, "漢", true), (3, "漢", true), (6, "漢", true), (9, "漢", false)]);
        assert_eq!(
            pieces(&"=".repeat(RUN_LIMIT)).map(|piece| (piece.text.len(), piece.forced)).collect::<Vec<_>>(),
            [(RUN_LIMIT, false)]
        );
        let long = "=".repeat(RUN_LIMIT + 1);
        assert_eq!(
            pieces(&long).map(|piece| (piece.text.len(), piece.forced)).collect::<Vec<_>>(),
            [(RUN_LIMIT, true), (1, false)]
        );
        assert_eq!(small_pieces(&long).count(), 1);
    }

    #[test]
    fn boundaries() {
        let text = "a漢b";
        assert_eq!([0, 1, 2, 3, 4, 5, 9].map(|at| floor_char_boundary(text, at)), [0, 1, 1, 1, 4, 5, 5]);
        assert_eq!([0, 1, 2, 3, 4, 5, 9].map(|at| ceil_char_boundary(text, at)), [0, 1, 4, 4, 4, 5, 5]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn counts_of_pieces_add_up_on_random_texts(text in tricky(), piece_bytes in 1usize..20) {
            counts_add_up(&text, piece_bytes)?;
        }
    }
}
