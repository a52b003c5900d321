//! Keeps keys out of everything that is printed.

use std::{fmt, ops::Range};

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use secrecy::{ExposeSecret, SecretString};

/// The text printed in place of a key.
pub(super) const REDACTED: &str = "[redacted]";

/// A key or another secret header value. `Debug` prints `[redacted]`, and there is no `Display`. The memory is wiped on
/// drop.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Takes the key, without blanks and line ends around it that were copied along.
    pub fn new(key: impl Into<String>) -> Self {
        let key = key.into();
        let trimmed = key.trim();
        Self(if trimmed.len() == key.len() { key.into() } else { trimmed.to_owned().into() })
    }

    /// Returns the key itself, for its header.
    pub(super) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Returns true if the key is empty.
    pub fn is_empty(&self) -> bool {
        self.expose().is_empty()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// Minimum bytes of a piece of a key that is hidden: shorter pieces occur by chance in ordinary words.
const MIN_PIECE_BYTES: usize = 8;
/// Minimum bytes of a word of a key or header that is hidden: a shorter one (`true`, `Code`) is not secret, and
/// hiding it would garble messages.
const MIN_SECRET_BYTES: usize = 6;
/// Maximum bytes of a service's text in a message.
const MAX_MESSAGE_BYTES: usize = 600;
/// Maximum bytes of a service's text that are examined.
const MAX_SCRUBBED_BYTES: usize = 8 * 1024;

/// Removes keys from outside text, because services often repeat the key that they refuse.
#[derive(Default)]
pub(super) struct Scrubber {
    secrets: Vec<ApiKey>,
}

impl Scrubber {
    /// Hides these secrets, each word of them (`Bearer x` hides `x`), the password of basic authentication, and all
    /// of it in base64 and in hexadecimal digits.
    pub(super) fn new<'a>(secrets: impl IntoIterator<Item = &'a ApiKey>) -> Self {
        let mut words: Vec<String> = Vec::new();
        for secret in secrets {
            words.extend(secret.expose().split_whitespace().map(str::to_owned));
            words.extend(password_in(secret.expose()));
        }
        words.retain(|word| word.len() >= MIN_SECRET_BYTES);
        let encoded: Vec<String> = words.iter().flat_map(|word| encoded(word.as_bytes())).collect();
        Self { secrets: words.into_iter().chain(encoded).map(|word| ApiKey::new(word.to_ascii_lowercase())).collect() }
    }

    /// Returns the text without keys, pieces of keys and control characters, cut to the length for messages.
    pub(super) fn clean(&self, text: &str) -> String {
        let text = head(text, MAX_SCRUBBED_BYTES);
        let mut hidden = vec![false; text.len()];
        let Plain { text: plain, from } = Plain::new(text);
        let mut found = vec![false; plain.len()];
        let lowered = text.to_ascii_lowercase();
        for secret in &self.secrets {
            // Also in its original form, because a `%` may not begin an escape.
            Self::mark(lowered.as_bytes(), secret.expose().as_bytes(), &mut hidden);
            Self::mark(&plain, secret.expose().as_bytes(), &mut found);
        }
        for (at, _) in found.iter().enumerate().filter(|(_, found)| **found) {
            // Characters between two bytes of a key are hidden too.
            let end = if found.get(at + 1) == Some(&true) { from[at + 1].start } else { from[at].end };
            hidden[from[at].start..end].fill(true);
        }
        mark_masked_keys(text, &mut hidden);
        let mut clean = String::with_capacity(text.len().min(MAX_MESSAGE_BYTES));
        let mut was_hidden = false;
        for (at, character) in text.char_indices() {
            if hidden[at] {
                if !was_hidden {
                    clean.push_str(REDACTED);
                }
            } else if character.is_control() {
                if !clean.ends_with(' ') {
                    clean.push(' ');
                }
            } else {
                clean.push(character);
            }
            was_hidden = hidden[at];
        }
        let clean = clean.trim();
        let short = head(clean, MAX_MESSAGE_BYTES);
        if short.len() < clean.len() { format!("{short}…") } else { short.to_owned() }
    }

    /// Marks every piece of the secret, so that a cut or partly masked one is hidden too.
    fn mark(text: &[u8], secret: &[u8], hidden: &mut [bool]) {
        let width = if secret.len() >= 2 * MIN_PIECE_BYTES { MIN_PIECE_BYTES } else { secret.len() };
        if text.len() < width {
            return;
        }
        // An address in a header (`HTTP-Referer`) begins like every other address, so it is hidden only as a whole.
        if secret.windows(3).any(|part| part == b"://") {
            return mark_all(text, secret, hidden);
        }
        for piece in secret.windows(width) {
            mark_all(text, piece, hidden);
        }
    }
}

/// A text in the form in which keys are searched for. It is in lower case, because host names, for example, are
/// reported in lower case. It has no invisible characters, and bytes written as `%2d` are decoded.
struct Plain {
    text: Vec<u8>,
    /// The range of each byte in the original.
    from: Vec<Range<usize>>,
}

impl Plain {
    fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut plain = Self { text: Vec::with_capacity(bytes.len()), from: Vec::with_capacity(bytes.len()) };
        let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let mut next = 0;
        for (at, character) in text.char_indices().filter(|(_, character)| !is_invisible(*character)) {
            if at < next {
                continue;
            }
            if let (b'%', Some(high), Some(low)) = (bytes[at], digit(at + 1), digit(at + 2)) {
                next = at + 3;
                plain.push(at..next, (16 * high + low) as u8);
                continue;
            }
            (at..at + character.len_utf8()).for_each(|at| plain.push(at..at + 1, bytes[at]));
        }
        plain
    }

    fn push(&mut self, at: Range<usize>, byte: u8) {
        self.text.push(byte.to_ascii_lowercase());
        self.from.push(at);
    }
}

/// Returns true for soft hyphens, joiners and direction marks: a key that contains them can be read and copied like
/// one without.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Returns the common encodings of bytes. For base64, one for each of the three alignments, without the characters
/// that depend on surrounding bytes.
fn encoded(bytes: &[u8]) -> Vec<String> {
    let hexadecimal = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let at = |before: usize| {
        let padded = [&[0; 2][..before], bytes].concat();
        let whole = padded.len() / 3 * 4;
        let start = if before == 0 { 0 } else { before + 1 };
        [STANDARD.encode(&padded), URL_SAFE.encode(&padded)].map(|text| text[start.min(whole)..whole].to_owned())
    };
    let in_base64 = (0..3).flat_map(at).filter(|text| text.len() >= MIN_SECRET_BYTES);
    in_base64.chain([hexadecimal]).collect()
}

/// Returns the password in a header for basic authentication.
fn password_in(header: &str) -> Option<String> {
    let text = header.strip_prefix("Basic ").or_else(|| header.strip_prefix("basic "))?;
    let decoded = String::from_utf8(STANDARD.decode(text.trim()).ok()?).ok()?;
    decoded.split_once(':').map(|(_, password)| password.to_owned())
}

fn mark_all(text: &[u8], piece: &[u8], hidden: &mut [bool]) {
    for (at, window) in text.windows(piece.len()).enumerate() {
        if window == piece {
            hidden[at..at + piece.len()].fill(true);
        }
    }
}

/// Marks words that begin like a key (`sk-...`), because services show the ends of a refused key, and a key wrong
/// here may be valid elsewhere.
fn mark_masked_keys(text: &str, hidden: &mut [bool]) {
    for (at, _) in text.match_indices("sk-") {
        if text[..at].ends_with(|before: char| before.is_ascii_alphanumeric()) {
            continue;
        }
        let tail = &text[at..];
        let end = tail.find(|c: char| !(c.is_ascii_alphanumeric() || "-_*.".contains(c))).unwrap_or(tail.len());
        let word = tail[..end].trim_end_matches('.');
        if word.len() >= MIN_PIECE_BYTES {
            hidden[at..at + word.len()].fill(true);
        }
    }
}

/// Returns the longest beginning with at most `limit` bytes that ends at a character boundary.
pub(super) fn head(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-ant-api03-Zm9vYmFyYmF6cXV4-0123456789";

    #[test]
    fn a_key_prints_as_redacted_everywhere() {
        let key = ApiKey::new(format!(" {KEY}\n"));
        assert_eq!(format!("{key:?} {key:#?}"), "[redacted] [redacted]");
        assert_eq!(key.expose(), KEY, "blanks and line ends around it are dropped");
    }

    #[test]
    fn a_repeated_key_is_hidden_whole_cut_or_masked() {
        let scrubber = Scrubber::new([&ApiKey::new(KEY)]);
        assert_eq!(scrubber.clean(&format!("bad key {KEY}, sorry")), "bad key [redacted], sorry");
        assert_eq!(scrubber.clean(&format!("bad key {}", &KEY[..20])), "bad key [redacted]");
        assert_eq!(scrubber.clean(&format!("ends in {}", &KEY[25..])), "ends in [redacted]");
        assert_eq!(
            scrubber.clean("Incorrect API key provided: sk-abcd****wxyz."),
            "Incorrect API key provided: [redacted]."
        );
        assert_eq!(scrubber.clean("task-oriented disk-based"), "task-oriented disk-based");
    }

    #[test]
    fn a_key_is_hidden_in_either_case() {
        let key = ApiKey::new("sk-Ab12Cd34Ef56Gh78");
        let scrubber = Scrubber::new([&key]);
        for told in ["sk-ab12cd34ef56gh78", "SK-AB12CD34EF56GH78", "https://ab12cd34ef56gh78.com/"] {
            assert!(!scrubber.clean(told).to_ascii_lowercase().contains("ab12cd34"), "{told}");
        }
    }

    #[test]
    fn a_key_is_hidden_however_it_is_written() {
        let key = "sk-Ab12+Cd34/Ef56~Gh78";
        let scrubber = Scrubber::new([&ApiKey::new(key)]);
        let hexadecimal: String = key.bytes().map(|byte| format!("{byte:02X}")).collect();
        let percent: String = key.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let parted: String = key.chars().flat_map(|character| [character, '\u{200b}']).collect();
        let told = [hexadecimal, percent, parted, key.replace('+', "%2B").replace('/', "%2F")];
        for told in told {
            assert_eq!(
                scrubber.clean(&format!("bad key {told}")).trim_end_matches('\u{200b}'),
                "bad key [redacted]",
                "{told}"
            );
        }
        for before in ["", "Bearer ", "user:", "x"] {
            let clean = scrubber.clean(&STANDARD.encode(format!("{before}{key} of mine")));
            let (head, tail) = clean.split_once("[redacted]").unwrap();
            // Base64 groups that also contain bytes of other text may remain.
            assert!(head.len() <= before.len() * 4 / 3 + 4 && tail.len() <= " of mine".len() * 4 / 3 + 8, "{clean}");
        }
    }

    #[test]
    fn the_password_of_a_basic_header_is_hidden() {
        let header = ApiKey::new(format!("Basic {}", STANDARD.encode("svc:SuperSecretPassw0rd")));
        let scrubber = Scrubber::new([&header]);
        assert_eq!(scrubber.clean("password SuperSecretPassw0rd wrong"), "password [redacted] wrong");
        assert_eq!(scrubber.clean("user svc wrong"), "user svc wrong");
    }

    #[test]
    fn each_word_of_a_header_is_hidden_and_addresses_only_whole() {
        let headers = [ApiKey::new("Bearer tok-1234567890abcdefgh"), ApiKey::new("https://app.example/one")];
        let scrubber = Scrubber::new(&headers);
        assert_eq!(scrubber.clean("token tok-1234567890abcdefgh refused"), "token [redacted] refused");
        assert_eq!(scrubber.clean("see https://app.example/help"), "see https://app.example/help");
        assert_eq!(scrubber.clean("from https://app.example/one?"), "from [redacted]?");
    }

    #[test]
    fn text_from_outside_becomes_one_short_line() {
        let scrubber = Scrubber::default();
        assert_eq!(scrubber.clean("a\r\n\tb\u{1b}[31m"), "a b [31m");
        let long = scrubber.clean(&"é".repeat(10_000));
        assert!(long.ends_with('…') && long.len() <= MAX_MESSAGE_BYTES + '…'.len_utf8(), "{}", long.len());
    }

    proptest::proptest! {
        /// Any text that a service may build around a key or a long piece of it.
        #[test]
        fn no_piece_of_a_key_comes_through(
            key in "[A-Za-z0-9_-]{16,60}", before in "\\PC{0,30}", after in "\\PC{0,30}", cut in 0usize..40,
        ) {
            let scrubber = Scrubber::new([&ApiKey::new(key.as_str())]);
            let piece = &key[cut.min(key.len() - MIN_PIECE_BYTES)..];
            let clean = scrubber.clean(&format!("{before}{piece}{after}"));
            for start in 0..=key.len() - MIN_PIECE_BYTES {
                proptest::prop_assert!(!clean.contains(&key[start..start + MIN_PIECE_BYTES]), "{}", clean);
            }
        }
    }
}
