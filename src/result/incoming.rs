//! Collects the text of a result that arrives in parts: in UTF-16, or as the bytes that a command wrote.

use sha2::{Digest, Sha256};

use crate::conversation::surrogates::{enter_text, push_units};

/// The byte order mark, which is removed from the text.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A text that is being received.
#[derive(Debug, Default)]
pub struct IncomingText {
    text: String,
    /// The first bytes of a character whose other bytes have not arrived.
    begun: Vec<u8>,
}

impl IncomingText {
    /// Creates an empty text with capacity for about this length.
    #[must_use]
    pub fn new(length: usize) -> Self {
        Self { text: String::with_capacity(length), begun: Vec::new() }
    }

    /// Adds UTF-16 that does not end inside a surrogate pair.
    pub fn add_units(&mut self, units: &[u16]) {
        push_units(&mut self.text, units);
    }

    /// Adds bytes of UTF-8, with U+FFFD for invalid ones.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        let is_first = self.text.is_empty() && self.begun.is_empty();
        let mut bytes = bytes.strip_prefix(MARK).filter(|_| is_first).unwrap_or(bytes);
        // At most three more bytes complete a character, or show that it is invalid.
        while !self.begun.is_empty() && !bytes.is_empty() {
            let (next, rest) = bytes.split_at(1);
            bytes = rest;
            let mut begun = std::mem::take(&mut self.begun);
            begun.extend_from_slice(next);
            self.push(&begun);
        }
        self.push(bytes);
    }

    /// Adds bytes up to an unfinished character, and keeps its bytes for later.
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (valid, fault) = match std::str::from_utf8(bytes) {
                Ok(text) => (text, None),
                Err(fault) => (std::str::from_utf8(&bytes[..fault.valid_up_to()]).unwrap_or_default(), Some(fault)),
            };
            self.text.push_str(&enter_text(valid));
            bytes = &bytes[valid.len()..];
            match fault.and_then(|fault| fault.error_len()) {
                Some(length) => {
                    self.text.push(char::REPLACEMENT_CHARACTER);
                    bytes = &bytes[length..];
                }
                None => {
                    self.begun = bytes.to_vec();
                    return;
                }
            }
        }
    }

    /// Ends the text: an unfinished character becomes U+FFFD.
    fn whole(&mut self) -> &mut String {
        if !std::mem::take(&mut self.begun).is_empty() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        &mut self.text
    }

    /// Returns the text, and leaves this one empty.
    #[must_use]
    pub fn take(&mut self) -> String {
        std::mem::take(self.whole())
    }

    /// Returns the [`digest`] of the text.
    #[must_use]
    pub fn digest(&mut self) -> String {
        digest(self.whole())
    }
}

/// Returns the SHA-256 of a text, in hexadecimal digits.
#[must_use]
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_mark_is_no_text() {
        let mut text = IncomingText::default();
        text.add_bytes("\u{FEFF}a\n\u{FEFF}\"é\u{1}".as_bytes());
        assert_eq!(text.digest(), digest("a\n\u{FEFF}\"é\u{1}"));
        assert_eq!(text.take(), "a\n\u{FEFF}\"é\u{1}");
        assert_eq!(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    proptest! {
        #[test]
        fn bytes_are_read_as_the_standard_library_reads_them(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a-z\u{e9}\u{20ac}\u{1F600}]{1,4}".prop_map(String::into_bytes),
                    prop::collection::vec(prop_oneof![any::<u8>(), 0x80_u8..0xF8], 0..5),
                ],
                0..20,
            ),
            length in 1_usize..9,
        ) {
            let bytes = parts.concat();
            prop_assume!(!bytes.starts_with(MARK));
            let mut text = IncomingText::default();
            bytes.chunks(length).for_each(|part| text.add_bytes(part));
            prop_assert_eq!(text.take(), enter_text(&String::from_utf8_lossy(&bytes)).into_owned());
        }
    }
}
