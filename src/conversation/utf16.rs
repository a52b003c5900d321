//! Converts from UTF-16, the encoding of JavaScript strings.
//!
//! The main thread copies a string as it is in half the time it would need to write UTF-8; another thread then
//! converts it here. On the way back, it reads ASCII JSON in a third of the time of other JSON.

use super::surrogates::differs_outside;

/// Number of code units narrowed at once while they are ASCII.
const UNITS: usize = 16;

/// Converts UTF-16 to text; `None` if it contains an unpaired surrogate.
pub fn utf8(units: &[u16]) -> Option<String> {
    // Nearly all text is ASCII, with one byte per unit.
    let mut text: Vec<u8> = Vec::with_capacity(units.len() + units.len() / 16);
    let mut at = 0;
    while at < units.len() {
        if let Some(ascii) = units[at..].first_chunk::<UNITS>().and_then(narrow) {
            text.extend_from_slice(&ascii);
            at += UNITS;
            continue;
        }
        // A line of a file often has a single non-ASCII character, such as an arrow, followed by ASCII.
        let mut bytes = [0; 3 * UNITS + 1];
        let mut length = 0;
        let stop = units.len().min(at + UNITS);
        while at < stop {
            let unit = units[at];
            let low = units.get(at + 1).copied();
            let (code, read) = match unit {
                0xD800..0xDC00 => (low.filter(|low| (0xDC00..0xE000).contains(low)).map(|low| paired(unit, low))?, 2),
                _ => (u32::from(unit), 1),
            };
            length += char::from_u32(code)?.encode_utf8(&mut bytes[length..]).len();
            at += read;
        }
        text.extend_from_slice(&bytes[..length]);
    }
    String::from_utf8(text).ok()
}

/// If more than one byte in this many is not ASCII, JavaScript widens characters faster than it reads escapes.
const BYTES_PER_ESCAPED: usize = 16;

/// Returns the JSON in ASCII with escapes for other characters, unless those are a large part of it. A single arrow
/// would make JavaScript store the whole string with two bytes per unit, which takes longer to create and parse.
pub fn narrow_json(json: String) -> String {
    let wide = json.bytes().filter(|byte| !byte.is_ascii()).count();
    if wide == 0 || wide > json.len() / BYTES_PER_ESCAPED {
        return json;
    }
    // Outside of strings, JSON is ASCII. A character of two, three or four bytes becomes one or two escapes of six
    // bytes.
    let mut narrow = String::with_capacity(json.len() + 2 * wide);
    let mut rest = json.as_str();
    while let Some(at) = first_wide(rest.as_bytes()) {
        narrow.push_str(&rest[..at]);
        let end = rest[at..].find(|character: char| character.is_ascii()).map_or(rest.len(), |length| at + length);
        for unit in rest[at..end].encode_utf16() {
            narrow.push_str("\\u");
            narrow.extend([12, 8, 4, 0].map(|bits| char::from(HEX[usize::from(unit >> bits & 0xF)])));
        }
        rest = &rest[end..];
    }
    narrow.push_str(rest);
    narrow
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Returns the index of the first byte that is not ASCII.
pub(super) fn first_wide(bytes: &[u8]) -> Option<usize> {
    let (chunks, _) = bytes.as_chunks::<{ 4 * UNITS }>();
    let skipped = chunks.iter().take_while(|chunk| chunk.is_ascii()).count() * 4 * UNITS;
    bytes[skipped..].iter().position(|byte| !byte.is_ascii()).map(|at| skipped + at)
}

/// Returns the code point of a surrogate pair.
fn paired(high: u16, low: u16) -> u32 {
    0x1_0000 + (u32::from(high & 0x3FF) << 10 | u32::from(low & 0x3FF))
}

/// Returns the units as ASCII, if they all are.
fn narrow(units: &[u16; UNITS]) -> Option<[u8; UNITS]> {
    let mut ascii = [0; UNITS];
    let mut all = 0;
    for (narrow, unit) in ascii.iter_mut().zip(units) {
        all |= *unit;
        *narrow = *unit as u8;
    }
    (all < 0x80).then_some(ascii)
}

/// Returns the number of UTF-16 units of a text.
pub(crate) fn utf16_length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// The UTF-16 offsets of a text by byte.
#[derive(Debug)]
pub(crate) struct Units {
    /// The number of units before every [`Units::STEP`]th byte; empty if each byte is a unit.
    before: Vec<usize>,
    /// True if the text contains stand-ins, such as for unpaired surrogates, whose length outside differs.
    stand_ins: bool,
}

impl Units {
    const STEP: usize = 256;

    /// Counts the UTF-16 units of a text.
    pub(crate) fn count(text: &str) -> Self {
        if text.is_ascii() {
            return Self { before: Vec::new(), stand_ins: false };
        }
        let mut count = 0;
        let before = text.as_bytes().chunks(Self::STEP).map(|chunk| {
            let before = count;
            count += Self::in_bytes(chunk);
            before
        });
        let before = before.collect();
        let stand_ins = differs_outside(text);
        Self { before, stand_ins }
    }

    /// Returns true if the offsets are those of JavaScript's text.
    pub(crate) fn are_exact(&self) -> bool {
        !self.stand_ins
    }

    /// Returns the units of the characters that begin in `bytes`: one each, or two for four-byte characters.
    fn in_bytes(bytes: &[u8]) -> usize {
        bytes.iter().map(|byte| usize::from(*byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
    }

    /// Returns the number of units before a byte at which a character begins.
    pub(crate) fn at(&self, text: &str, byte: usize) -> usize {
        let Some(last) = self.before.len().checked_sub(1) else { return byte };
        let step = (byte / Self::STEP).min(last);
        self.before[step] + Self::in_bytes(&text.as_bytes()[step * Self::STEP..byte])
    }

    /// Returns the byte at which the character behind `units` units begins; `None` if there are fewer, or if one would
    /// be split.
    pub(crate) fn byte(&self, text: &str, units: usize) -> Option<usize> {
        if self.before.is_empty() {
            return (units <= text.len()).then_some(units);
        }
        let step = self.before.partition_point(|before| *before <= units).saturating_sub(1);
        let mut left = units - self.before[step];
        // A step may begin inside a character, which belongs to the step before.
        let mut byte = (step * Self::STEP..=text.len()).find(|byte| text.is_char_boundary(*byte))?;
        for character in text[byte..].chars() {
            if left == 0 {
                break;
            }
            left = left.checked_sub(character.len_utf16())?;
            byte += character.len_utf8();
        }
        (left == 0).then_some(byte)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn units_are_those_of_the_standard_library(text in "(a{0,600}|é|→|\u{1F600}){0,40}") {
            let units = Units::count(&text);
            for (at, _) in text.char_indices().step_by(7).chain([(text.len(), ' ')]) {
                prop_assert_eq!(units.at(&text, at), text[..at].encode_utf16().count());
                prop_assert_eq!(units.byte(&text, units.at(&text, at)), Some(at));
            }
            prop_assert_eq!(units.byte(&text, utf16_length(&text) + 1), None);
        }

        #[test]
        fn narrow_json_says_the_same(text in "([ -~]{0,90}(é|→|\u{1F600}|\\\\|\u{1}){0,2}){0,8}") {
            let json = serde_json::to_string(&text).unwrap();
            let narrow = narrow_json(json.clone());
            prop_assert_eq!(&serde_json::from_str::<String>(&narrow).unwrap(), &text);
            let wide = json.bytes().filter(|byte| !byte.is_ascii()).count();
            prop_assert_eq!(narrow.is_ascii(), wide <= json.len() / BYTES_PER_ESCAPED);
        }

        #[test]
        fn every_text_is_read(text in "[ -~]{0,40}(\\PC{0,3}[ -~]{0,20}){0,4}") {
            let units: Vec<u16> = text.encode_utf16().collect();
            prop_assert_eq!(utf8(&units), Some(text));
        }

        #[test]
        fn any_units_are_read_as_the_standard_library_reads_them(
            units in prop::collection::vec(prop_oneof![4 => 0x20_u16..0x7F, 1 => any::<u16>(), 1 => 0xD7F0_u16..0xE010], 0..60),
        ) {
            prop_assert_eq!(utf8(&units), String::from_utf16(&units).ok());
        }
    }
}
