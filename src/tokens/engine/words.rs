//! Divides a text into words. Both encodings first divide a text by a pattern, and no token crosses the end of a word.
//!
//! The patterns are those of the reference, but written as code. A regular expression with look-ahead would take longer
//! than the rest of counting. The fast path of the `tiktoken` crate covers only ASCII and CJK characters. This code
//! reads bars such as `────`, arrows, accents and runs of blanks as fast as ASCII letters.

use std::{
    ops::{Range, RangeInclusive},
    sync::LazyLock,
};

use regex_syntax::hir::{Class, HirKind};

use crate::tokens::encoding::Encoding;

/// `\p{Lu}`, `\p{Lt}` and letters without case: the first half of a word of `o200k_base`.
const UPPER: u8 = 1;
/// `\p{Ll}` and letters without case: the second half of a word of `o200k_base`.
const LOWER: u8 = 1 << 1;
/// `\p{L}`.
const LETTER: u8 = 1 << 2;
/// `\p{N}`.
const NUMBER: u8 = 1 << 3;
/// `\s`.
const WHITE: u8 = 1 << 4;
/// `[\r\n]`, which are white space too.
const NEWLINE: u8 = 1 << 5;
/// `[^\s\p{L}\p{N}]`, combining marks included.
const SIGN: u8 = 1 << 6;
/// `/`, which is a sign too.
const SLASH: u8 = 1 << 7;

/// The classes of every character, by code point.
static CLASSES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut classes = vec![SIGN; char::MAX as usize + 1];
    let mut add = |pattern: &str, bits: u8, without: u8| {
        for range in ranges(pattern) {
            classes[range].iter_mut().for_each(|class| *class = (*class | bits) & !without);
        }
    };
    add(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}]", UPPER | LETTER, SIGN);
    add(r"[\p{Ll}\p{Lm}\p{Lo}]", LOWER | LETTER, SIGN);
    add(r"\p{M}", UPPER | LOWER, 0);
    add(r"\p{N}", NUMBER, SIGN);
    add(r"\s", WHITE, SIGN);
    add(r"[\r\n]", NEWLINE, 0);
    add("/", SLASH, 0);
    classes
});

/// Returns the code points of a class, from the tables that the reference's regular expressions use.
fn ranges(class: &str) -> Vec<RangeInclusive<usize>> {
    let found = regex_syntax::parse(class).expect("the classes are constants, and tested").into_kind();
    match found {
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| range.start() as usize..=range.end() as usize).collect()
        }
        HirKind::Literal(one) => one.0.iter().map(|byte| usize::from(*byte)..=usize::from(*byte)).collect(),
        other => unreachable!("{class} is {other:?}"),
    }
}

/// Finds where words end.
pub(super) struct Words {
    encoding: Encoding,
    classes: &'static [u8],
    /// The classes of ASCII characters; 0 for other bytes.
    ascii: [u8; 256],
}

impl Words {
    pub(super) fn new(encoding: Encoding) -> Self {
        let mut ascii = [0; 256];
        ascii[..128].copy_from_slice(&CLASSES[..128]);
        Self { encoding, classes: &CLASSES, ascii }
    }

    /// Calls `each` with the range of each word, in order; together they are the text.
    #[inline]
    pub(super) fn each(&self, text: &str, each: impl FnMut(Range<usize>)) {
        let text = Text { bytes: text.as_bytes(), words: self };
        match self.encoding {
            Encoding::O200kBase => text.each(Text::o200k_word, each),
            Encoding::Cl100kBase => text.each(Text::cl100k_word, each),
        }
    }
}

struct Text<'t> {
    bytes: &'t [u8],
    words: &'t Words,
}

impl Text<'_> {
    #[inline]
    fn each(&self, end: impl Fn(&Self, usize) -> usize, mut each: impl FnMut(Range<usize>)) {
        let mut start = 0;
        while start < self.bytes.len() {
            let end = end(self, start);
            each(start..end);
            start = end;
        }
    }

    /// Returns the classes of the character at `at`, and its length in bytes; no classes at the end.
    #[inline]
    fn class(&self, at: usize) -> (u8, usize) {
        match self.bytes.get(at) {
            Some(byte) if byte.is_ascii() => (self.words.ascii[usize::from(*byte)], 1),
            Some(_) => self.wide_class(at),
            None => (0, 0),
        }
    }

    /// Works as [`Self::class`] for a character of several bytes.
    #[cold]
    fn wide_class(&self, at: usize) -> (u8, usize) {
        let continued = |behind: usize| u32::from(self.bytes[at + behind] & 0x3f) << (6 * (3 - behind));
        let first = self.bytes[at];
        // The bits are first placed as in a character of four bytes, and then shifted down.
        let (code, length) = match first {
            0..0xe0 => (((u32::from(first & 0x1f) << 18) | continued(1)) >> 12, 2),
            0xe0..0xf0 => (((u32::from(first & 0xf) << 18) | continued(1) | continued(2)) >> 6, 3),
            _ => ((u32::from(first & 7) << 18) | continued(1) | continued(2) | continued(3), 4),
        };
        (self.words.classes[code as usize], length)
    }

    /// Returns the end of the run of ASCII characters of these classes that begins at `at`.
    #[inline]
    fn ascii_run(&self, mut at: usize, classes: u8) -> usize {
        while self.bytes.get(at).is_some_and(|byte| self.words.ascii[usize::from(*byte)] & classes != 0) {
            at += 1;
        }
        at
    }

    #[inline]
    fn is_wide(&self, at: usize) -> bool {
        self.bytes.get(at).is_some_and(|byte| !byte.is_ascii())
    }

    /// Returns the end of the run of characters of these classes that begins at `at`.
    #[inline]
    fn run(&self, at: usize, classes: u8) -> usize {
        let end = self.ascii_run(at, classes);
        if self.is_wide(end) { self.wide_run(end, classes) } else { end }
    }

    #[cold]
    fn wide_run(&self, mut at: usize, classes: u8) -> usize {
        loop {
            let (class, length) = self.class(at);
            if class & classes == 0 {
                return at;
            }
            at += length;
        }
    }

    /// Returns the end of a word's letters: `[UPPER]*[LOWER]+`, or else `[UPPER]+`. Also returns true if the first
    /// pattern matched.
    #[inline]
    fn cased(&self, start: usize) -> (usize, bool) {
        let upper = self.ascii_run(start, UPPER);
        let end = self.ascii_run(upper, LOWER);
        if self.is_wide(end) { self.wide_cased(start) } else { (end, end > upper) }
    }

    #[cold]
    fn wide_cased(&self, start: usize) -> (usize, bool) {
        let (mut at, mut without_case) = (start, None);
        loop {
            let (class, length) = self.class(at);
            if class & UPPER == 0 {
                break match without_case {
                    _ if class & LOWER != 0 => (self.wide_run(at, LOWER), true),
                    // Backtracks: the upper half returns its last character that can be the lower half.
                    Some(end) => (end, true),
                    None => (at, false),
                };
            }
            at += length;
            if class & LOWER != 0 {
                without_case = Some(at);
            }
        }
    }

    /// Returns the end of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`, if it matches. The long s (ſ) counts as an s, because
    /// case is ignored.
    #[inline]
    fn contraction(&self, at: usize) -> Option<usize> {
        let [b'\'', rest @ ..] = &self.bytes[at..] else { return None };
        match rest {
            [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => Some(at + 2),
            [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] | [0xc5, 0xbf, ..] => {
                Some(at + 3)
            }
            _ => None,
        }
    }

    /// Matches `\p{N}{1,3}`, or signs with an optional blank before them and characters of the classes `tail` after
    /// them.
    #[inline]
    fn number_or_signs(&self, at: usize, class: u8, tail: u8) -> Option<usize> {
        if class & NUMBER != 0 {
            let next = |at: usize| {
                Some(self.class(at)).filter(|(class, _)| class & NUMBER != 0).map_or(at, |(_, length)| at + length)
            };
            return Some(next(next(next(at))));
        }
        let start = at + usize::from(self.bytes[at] == b' ');
        let end = self.run(start, SIGN);
        (end > start).then(|| self.run(end, tail))
    }

    /// Matches `\s*[\r\n]+|\s+(?!\S)|\s+`: up to the last line feed, else all white space except the last character if
    /// more text follows.
    fn blanks(&self, at: usize) -> usize {
        let end = self.run(at, WHITE);
        let run = &self.bytes[at..end];
        if let Some(last) = run.iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
            return at + last + 1;
        }
        let is_continued = |byte: &u8| byte & 0xc0 == 0x80;
        let last = run.iter().rposition(|byte| !is_continued(byte)).unwrap_or(0);
        if end == self.bytes.len() || last == 0 { end } else { at + last }
    }

    #[inline]
    fn o200k_word(&self, at: usize) -> usize {
        let (class, length) = self.class(at);
        // `[^\r\n\p{L}\p{N}]?`
        let is_lead = class & (NEWLINE | LETTER | NUMBER) == 0;
        let start = if is_lead { at + length } else { at };
        let (mut end, has_lower) = self.cased(start);
        if !has_lower && is_lead && class & LOWER != 0 {
            // A combining mark may be the lead character or belong to the word.
            (end, _) = self.wide_cased(at);
        } else if end == start {
            return self.number_or_signs(at, class, NEWLINE | SLASH).unwrap_or_else(|| self.blanks(at));
        }
        self.contraction(end).unwrap_or(end)
    }

    #[inline]
    fn cl100k_word(&self, at: usize) -> usize {
        if let Some(end) = self.contraction(at) {
            return end;
        }
        let (class, length) = self.class(at);
        let start = if class & (NEWLINE | LETTER | NUMBER) == 0 { at + length } else { at };
        let end = self.run(start, LETTER);
        if end > start {
            return end;
        }
        let other = || match self.run(at, WHITE) {
            end if end == self.bytes.len() => end,
            _ => self.blanks(at),
        };
        self.number_or_signs(at, class, NEWLINE).unwrap_or_else(other)
    }
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::samples::*;

    /// The patterns of the reference, by encoding.
    fn pattern(encoding: Encoding) -> &'static Regex {
        static O200K: LazyLock<Regex> = LazyLock::new(|| {
            let patterns = [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ];
            Regex::new(&patterns.join("|")).unwrap()
        });
        static CL100K: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s").unwrap()
        });
        match encoding {
            Encoding::O200kBase => &O200K,
            Encoding::Cl100kBase => &CL100K,
        }
    }

    fn check(text: &str) -> Result<(), TestCaseError> {
        for encoding in Encoding::ALL {
            let mut words = Vec::new();
            Words::new(encoding).each(text, |word| words.push(&text[word]));
            let expected: Vec<&str> = pattern(encoding).find_iter(text).map(|found| found.unwrap().as_str()).collect();
            prop_assert_eq!(words, expected, "{}", encoding);
        }
        Ok(())
    }

    #[test]
    fn words_end_where_those_of_the_reference_end() {
        check(&mixed(100_000)).unwrap();
        for (name, text) in hostile(600) {
            check(&text).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        }
    }

    #[test]
    fn every_character_has_its_class() {
        // Higher code points are unassigned, except for a few tags that are neither letters, numbers nor marks.
        let characters = ('\0'..='\u{323b0}').chain('\u{e0000}'..='\u{e01ff}');
        // Each character is placed before and after characters with which it may form a word.
        let texts: Vec<String> = characters.map(|c| ['a', c, 'A', c, c, ' ', c, '1'].iter().collect()).collect();
        texts.chunks(4096).for_each(|texts| check(&texts.concat()).unwrap());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

        #[test]
        fn words_of_tricky_texts(text in tricky()) {
            check(&text)?;
        }

        #[test]
        fn words_of_any_text(text in any::<String>()) {
            check(&text)?;
        }
    }
}
