//! Texts on one line, with one blank wherever there were several.

/// A text on one line, with one blank wherever there were several, and none around it.
pub fn squeezed(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    squeeze_into(&mut line, text);
    line
}

/// The same, behind what is there. Most blanks stand alone between words, so what is copied at once goes on over them.
pub fn squeeze_into(line: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let mut start = end_of_blanks(bytes, 0);
    let mut at = start;
    while at < bytes.len() {
        let Some(blank) = blank_at(bytes, at) else {
            at += 1;
            continue;
        };
        let behind = end_of_blanks(bytes, at + blank);
        if behind == bytes.len() {
            break;
        }
        if bytes[at] != b' ' || behind > at + 1 {
            line.push_str(&text[start..at]);
            line.push(' ');
            start = behind;
        }
        at = behind;
    }
    line.push_str(&text[start..at]);
}

fn end_of_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(length) = blank_at(bytes, at) {
        at += length;
    }
    at
}

/// The bytes of the blank that begins here, as [`char::is_whitespace`] has it.
fn blank_at(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b' ' | b'\t'..=b'\r' => Some(1),
        0xC2 => matches!(bytes.get(at + 1), Some(0x85 | 0xA0)).then_some(2),
        lead @ 0xE1..=0xE3 => match (lead, bytes.get(at + 1)?, bytes.get(at + 2)?) {
            (0xE1, 0x9A, 0x80) | (0xE2, 0x81, 0x9F) | (0xE3, 0x80, 0x80) => Some(3),
            (0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF) => Some(3),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_blank_is_known_and_nothing_else() {
        for c in '\0'..=char::MAX {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            assert_eq!(blank_at(bytes, 0), c.is_whitespace().then_some(bytes.len()), "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn words_stand_between_single_blanks(text in "([a-zé€😀]|[ \t\n\r\u{b}\u{85}\u{a0}\u{2003}\u{3000}]){0,30}") {
            prop_assert_eq!(squeezed(&text), text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}
