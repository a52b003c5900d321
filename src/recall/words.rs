//! Splits a text into words, as hashes; words with one stem have the same hash.
//!
//! Identifiers are words, and so are their parts (`readFile`, `read_file`: `read`, `file`). Scripts without blanks
//! between words give pairs of characters.

use xxhash_rust::xxh3::xxh3_64;

/// Longer words are distinguished by their first bytes only.
const MAX_WORD: usize = 64;

/// Calls `found` with the hash of each word. A word with parts gives its own hash and theirs.
pub fn each_word(text: &str, mut found: impl FnMut(u32)) {
    each_word_at(text, |_, hash| found(hash));
}

/// Calls `found` with the byte at which each word begins, and its hash.
pub fn each_word_at(text: &str, mut found: impl FnMut(usize, u32)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] < 0x80 && !is_word_byte(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word_byte(bytes[at]) {
            at += 1;
        }
        let goes_on = text[at..].chars().next().filter(|next| !next.is_ascii());
        let is_one_word = goes_on.is_some_and(|next| is_letter(next) && !is_unspaced(next));
        if is_one_word {
            at = beyond_ascii(text, start, at, &mut |hash| found(start, hash));
            continue;
        }
        identifier(&bytes[start..at], &mut |hash| found(start, hash));
        if goes_on.is_some() {
            at = beyond_ascii(text, at, at, &mut |hash| found(start, hash));
        }
    }
}

/// Returns true if a word is an identifier, a path or a code rather than a word of a language: something joins its
/// parts, a capital follows a small letter, or digits are next to letters.
pub fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|character: char| !character.is_alphanumeric() && character != '_');
    let is_joint = |byte: u8| matches!(byte, b'_' | b'.' | b'/' | b'\\' | b':');
    let turns = |pair: &[u8]| {
        (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            || pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    };
    word.bytes().any(is_joint) || word.as_bytes().windows(2).any(turns)
}

const fn is_word_byte(byte: u8) -> bool {
    IS_WORD[byte as usize]
}

const IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Adds a word of ASCII letters, digits and underscores, and its parts.
fn identifier(word: &[u8], found: &mut impl FnMut(u32)) {
    let mut hash = |part: &[u8]| found(stem_hash(part));
    let trimmed = trim_underscores(word);
    if trimmed.is_empty() {
        return;
    }
    hash(trimmed);
    // Most words have no parts.
    if !trimmed[1..].iter().any(|byte| byte.is_ascii_uppercase() || *byte == b'_') {
        return;
    }
    let mut from = 0;
    for at in 1..=trimmed.len() {
        if at < trimmed.len() && !is_border(trimmed, at) {
            continue;
        }
        let part = trim_underscores(&trimmed[from..at]);
        if (from > 0 || at < trimmed.len()) && part.len() > 1 {
            hash(part);
        }
        from = at;
    }
}

fn trim_underscores(mut word: &[u8]) -> &[u8] {
    while let [b'_', rest @ ..] | [rest @ .., b'_'] = word {
        word = rest;
    }
    word
}

/// Returns true if a part of an identifier begins at `at`: after an underscore, at `aB`, and at the `B` of `ABc`.
fn is_border(word: &[u8], at: usize) -> bool {
    let (before, here) = (word[at - 1], word[at]);
    if before == b'_' || here == b'_' {
        return before == b'_' && here != b'_';
    }
    here.is_ascii_uppercase() && (!before.is_ascii_uppercase() || word.get(at + 1).is_some_and(u8::is_ascii_lowercase))
}

/// Adds a word with non-ASCII letters, or a run of a script without blanks. Returns its end.
fn beyond_ascii(text: &str, start: usize, mut at: usize, found: &mut impl FnMut(u32)) -> usize {
    let mut word = Lowered::default();
    text.as_bytes()[start..at].iter().for_each(|byte| word.push_byte(*byte));
    let mut before: Option<char> = None;
    let mut is_alone = false;
    for character in text[at..].chars() {
        if !is_letter(character) {
            // The rest of the word is read after the separator.
            at += if word.is_empty() && before.is_none() { character.len_utf8() } else { 0 };
            break;
        }
        at += character.len_utf8();
        if is_unspaced(character) {
            word.finish(found);
            if let Some(before) = before {
                pair(before, Some(character), found);
            }
            (before, is_alone) = (Some(character), before.is_none());
        } else {
            finish_run(before.take().filter(|_| is_alone), found);
            is_alone = false;
            character.to_lowercase().for_each(|lower| word.push(lower));
        }
    }
    finish_run(before.filter(|_| is_alone), found);
    word.finish(found);
    at
}

/// Ends a run; a single character is a word of its own.
fn finish_run(alone: Option<char>, found: &mut impl FnMut(u32)) {
    if let Some(alone) = alone {
        pair(alone, None, found);
    }
}

fn pair(first: char, second: Option<char>, found: &mut impl FnMut(u32)) {
    let mut word = Lowered::default();
    word.push(first);
    second.into_iter().for_each(|second| word.push(second));
    word.finish(found);
}

/// Returns true if a character is part of a word.
fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || is_mark(character)
}

/// Returns true for accents that follow their letter.
const fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Returns true if the script writes words without blanks, or adds endings like words of their own: Thai, Lao,
/// Burmese, Khmer, Japanese, Chinese, Korean.
const fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// The beginning of a word, in lower case.
struct Lowered {
    bytes: [u8; MAX_WORD],
    length: usize,
}

impl Default for Lowered {
    fn default() -> Self {
        Self { bytes: [0; MAX_WORD], length: 0 }
    }
}

impl Lowered {
    fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn push(&mut self, character: char) {
        let mut buffer = [0; 4];
        character.encode_utf8(&mut buffer).bytes().for_each(|byte| self.push_byte(byte));
    }

    fn push_byte(&mut self, byte: u8) {
        if self.length < MAX_WORD {
            self.bytes[self.length] = byte.to_ascii_lowercase();
            self.length += 1;
        }
    }

    fn finish(&mut self, found: &mut impl FnMut(u32)) {
        if self.length > 0 {
            found(hash_of(&self.bytes[..self.length]));
            self.length = 0;
        }
    }
}

fn hash_of(word: &[u8]) -> u32 {
    (xxh3_64(word) >> 32) as u32
}

/// Returns the hash of a word's stem.
fn stem_hash(word: &[u8]) -> u32 {
    let mut lowered = [0; MAX_WORD];
    let length = word.len().min(MAX_WORD);
    lowered[..length].iter_mut().zip(word).for_each(|(to, from)| *to = from.to_ascii_lowercase());
    let length = stem(&mut lowered, length);
    hash_of(&lowered[..length])
}

/// Cuts the most common endings of English words, so that `files`, `changed` and `committing` are found by `file`,
/// `change` and `commit`. Returns the length of the stem.
fn stem(word: &mut [u8; MAX_WORD], mut length: usize) -> usize {
    let ends = |word: &[u8; MAX_WORD], length: usize, end: &[u8]| word[..length].ends_with(end);
    if length > 4 && (ends(word, length, b"ies") || ends(word, length, b"ied")) {
        word[length - 3] = b'y';
        return length - 2;
    }
    if length > 3 && word[length - 1] == b's' && !matches!(word[length - 2], b's' | b'u' | b'i') {
        length -= 1;
    }
    let ending = [(b"ing".as_slice(), 5), (b"ed".as_slice(), 3)]
        .into_iter()
        .find(|(end, least)| length > *least && ends(word, length, end) && !ends(word, length, b"eed"));
    if let Some((end, _)) = ending {
        length -= end.len();
        let [.., a, b] = &word[..length] else { return length };
        if a == b && !matches!(b, b's' | b'l' | b'a' | b'e' | b'i' | b'o' | b'u') {
            length -= 1;
        }
    }
    if length > 2 && word[length - 1] == b'e' { length - 1 } else { length }
}

/// Words that shape a question rather than name its subject; they have little weight in a query. English only: in
/// other languages their frequency shows it.
const FUNCTION_WORDS: &str = "the a an of to in on at is are was were be been what which who whom whose how why when where did do does done it its this that these those for from with by and or not no as if than then so into about after before any each other all there their they them he she you your we our i my me us have has had having exact exactly say said state would will should could can may must still now again also only just ever";

/// Returns the hashes of these words.
pub fn function_words() -> &'static std::collections::HashSet<u32> {
    static HASHES: std::sync::LazyLock<std::collections::HashSet<u32>> = std::sync::LazyLock::new(|| {
        let mut hashes = std::collections::HashSet::new();
        each_word(FUNCTION_WORDS, |hash| {
            hashes.insert(hash);
        });
        hashes
    });
    &HASHES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hashes(text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        each_word(text, |hash| found.push(hash));
        found
    }

    #[test]
    fn words_of_one_stem_are_one() {
        for (one, other) in [
            ("file", "files"),
            ("Change", "changed"),
            ("commit", "committing"),
            ("fix", "fixes"),
            ("copy", "copies"),
            ("copied", "copies"),
            ("use", "used"),
            ("pass", "passed"),
            ("call", "calling"),
            ("Größe", "größe"),
        ] {
            assert_eq!(hashes(one), hashes(other), "{one} {other}");
        }
        for (one, other) in [("status", "stat"), ("this", "thi"), ("file", "fill")] {
            assert_ne!(hashes(one), hashes(other), "{one} {other}");
        }
    }

    #[test]
    fn identifiers_have_parts() {
        for (whole, parts) in [
            ("readFile", "read File"),
            ("read_file", "read file"),
            ("HTTPServer", "HTTP Server"),
            ("__init__", ""),
            ("MAX_OUTPUT", "MAX OUTPUT"),
        ] {
            let found = hashes(whole);
            assert_eq!(found[1..], hashes(parts), "{whole}");
        }
        assert_eq!(hashes("src/app.ts"), hashes("src app ts"));
        assert_eq!(hashes("files…"), hashes("file"));
        assert_eq!(hashes("it’s—readFile→"), hashes("it s readFile"));
        assert_eq!(hashes("_ __ -"), Vec::<u32>::new());
    }

    #[test]
    fn names_are_told_from_words_of_a_language() {
        for name in ["readFile", "read_file", "src/app.ts", "a::b", "9d754fb", "`FindMostRecentSession()`", "E0308"] {
            assert!(is_name(name), "{name}");
        }
        for word in ["port", "Relay", "README", "relay?", "(twice)", "don't", "8471", "größe", ""] {
            assert!(!is_name(word), "{word}");
        }
    }

    #[test]
    fn scripts_without_blanks_give_pairs() {
        assert_eq!(hashes("設定を保存").len(), 4);
        assert!(hashes("設定を保存").contains(&hashes("保存")[0]));
        assert_eq!(hashes("設").len(), 1);
        assert_eq!(hashes("файл отчёт").len(), 2);
        assert_eq!(hashes("a設定b").len(), 3);
    }

    proptest! {
        #[test]
        fn any_text_has_words_and_the_same_ones_each_time(text in "\\PC{0,60}") {
            let lower = text.to_lowercase();
            prop_assert_eq!(hashes(&text), hashes(&text));
            prop_assert!(hashes(&lower).len() <= 3 * lower.chars().count());
        }
    }
}
