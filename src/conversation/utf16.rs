//! UTF-16, which JavaScript keeps its strings in.
//!
//! Copying a string as it is takes the main thread half the time of writing it as UTF-8; turning it into UTF-8 is then done here, on another.

/// Code units that are narrowed at once while they are ASCII.
const UNITS: usize = 16;

/// The text of little-endian UTF-16; `None` when the bytes are not that.
#[must_use]
pub fn utf8(bytes: &[u8]) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    // Nearly all of it is ASCII, one byte a unit.
    let mut text: Vec<u8> = Vec::with_capacity(units.len() + units.len() / 16);
    let mut at = 0;
    while at < units.len() {
        if let Some(ascii) = units[at..].first_chunk::<UNITS>().and_then(narrow) {
            text.extend_from_slice(&ascii);
            at += UNITS;
            continue;
        }
        let next = units[at..].iter().map(|unit| u16::from_le_bytes(*unit));
        let mut characters = char::decode_utf16(next);
        let stop = at + UNITS;
        while at < stop {
            let Some(character) = characters.next() else { break };
            let character = character.ok()?;
            at += character.len_utf16();
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    String::from_utf8(text).ok()
}

/// The units as ASCII, if they are that.
fn narrow(units: &[[u8; 2]; UNITS]) -> Option<[u8; UNITS]> {
    let mut ascii = [0; UNITS];
    let mut all = 0;
    for (narrow, unit) in ascii.iter_mut().zip(units) {
        let unit = u16::from_le_bytes(*unit);
        all |= unit;
        let byte = unit as u8;
        *narrow = byte;
    }
    (all < 0x80).then_some(ascii)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(units: &[u16]) -> Vec<u8> {
        units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
    }

    #[test]
    fn half_a_unit_is_refused() {
        assert_eq!(utf8(&[0x41, 0, 0x42]), None);
    }

    proptest! {
        #[test]
        fn every_text_is_read(text in "[ -~]{0,40}(\\PC{0,3}[ -~]{0,20}){0,4}") {
            let units: Vec<u16> = text.encode_utf16().collect();
            prop_assert_eq!(utf8(&bytes(&units)), Some(text));
        }

        #[test]
        fn any_units_are_read_as_the_standard_library_reads_them(
            units in prop::collection::vec(prop_oneof![4 => 0x20_u16..0x7F, 1 => any::<u16>(), 1 => 0xD7F0_u16..0xE010], 0..60),
        ) {
            prop_assert_eq!(utf8(&bytes(&units)), String::from_utf16(&units).ok());
        }
    }
}
