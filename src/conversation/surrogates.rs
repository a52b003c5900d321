//! Unpaired UTF-16 surrogates, which JavaScript strings may hold and Rust strings may not.
//!
//! On the way in each one becomes a private-use character that the conversation itself does not use; on the way out it
//! becomes the surrogate again. Texts can then be cut and moved in Rust without losing any of them.

use std::borrow::Cow;

const FIRST: u32 = 0xD800;
const COUNT: u32 = 0x800;
/// Planes 15 and 16 are private use (The Unicode Standard, section 23.5); their last two code points are noncharacters.
const PRIVATE_USE: std::ops::RangeInclusive<u32> = 0xF_0000..=0x10_FFFD;

/// Which private-use characters stand for surrogates in one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Surrogates {
    /// The character that stands for U+D800; the next 2047 stand for the others. `None` when there is nothing to map.
    base: Option<u32>,
}

impl Surrogates {
    /// Makes a JSON text readable for serde: every escape of an unpaired surrogate becomes a private-use character.
    ///
    /// A text that uses private-use characters everywhere leaves no room; its surrogates become U+FFFD, as browsers do it.
    #[must_use]
    pub fn repair(json: &str) -> (Cow<'_, str>, Self) {
        let escapes = unpaired_escapes(json);
        if escapes.is_empty() {
            return (Cow::Borrowed(json), Self::default());
        }
        let base = free_range(json);
        let mut repaired = String::with_capacity(json.len());
        let mut copied = 0;
        for (at, unit) in escapes {
            repaired.push_str(&json[copied..at]);
            repaired
                .push(base.and_then(|base| char::from_u32(base + unit - FIRST)).unwrap_or(char::REPLACEMENT_CHARACTER));
            copied = at + 6;
        }
        repaired.push_str(&json[copied..]);
        (Cow::Owned(repaired), Self { base })
    }

    /// Undoes [`Surrogates::repair`] in a JSON text that is on its way out.
    #[must_use]
    pub fn unrepair(self, json: String) -> String {
        let Some(base) = self.base else { return json };
        let stands_for = |c: char| (c as u32).checked_sub(base).filter(|offset| *offset < COUNT);
        if !json.chars().any(|c| stands_for(c).is_some()) {
            return json;
        }
        let mut result = String::with_capacity(json.len() + 16);
        for c in json.chars() {
            match stands_for(c) {
                Some(offset) => result.push_str(&format!("\\u{:04x}", FIRST + offset)),
                None => result.push(c),
            }
        }
        result
    }
}

/// Byte offset and code unit of every `\udXXX` escape that is not half of a pair.
fn unpaired_escapes(json: &str) -> Vec<(usize, u32)> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut next = 0;
    for at in memchr::memmem::find_iter(bytes, r"\u") {
        // Behind an odd number of backslashes this one is escaped itself.
        let is_escape = || bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0;
        let Some(unit) = surrogate_escape(bytes, at).filter(|_| at >= next && is_escape()) else { continue };
        if unit < 0xDC00 && surrogate_escape(bytes, at + 6).is_some_and(|low| low >= 0xDC00) {
            next = at + 12;
        } else {
            found.push((at, unit));
        }
    }
    found
}

fn surrogate_escape(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") {
        return None;
    }
    let unit = u32::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()?;
    (FIRST..FIRST + COUNT).contains(&unit).then_some(unit)
}

/// The first run of private-use characters that `json` does not contain, neither as they are nor escaped.
fn free_range(json: &str) -> Option<u32> {
    let first = *PRIVATE_USE.start();
    let mut used = [false; ((0x10_FFFD - 0xF_0000 + 1) / 0x800) as usize];
    let mut mark = |code: u32| {
        if let Some(slot) = code.checked_sub(first).and_then(|offset| used.get_mut((offset / COUNT) as usize)) {
            *slot = true;
        }
    };
    json.chars().for_each(|c| mark(c as u32));
    for (at, _) in json.match_indices("\\u") {
        if let (Some(high), Some(low)) =
            (surrogate_escape(json.as_bytes(), at), surrogate_escape(json.as_bytes(), at + 6))
            && high < 0xDC00
            && low >= 0xDC00
        {
            mark(0x1_0000 + ((high - FIRST) << 10) + (low - 0xDC00));
        }
    }
    used.iter().position(|used| !used).map(|slot| first + u32::try_from(slot).unwrap_or(0) * COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(json: &str) -> String {
        let (repaired, surrogates) = Surrogates::repair(json);
        let text: String = serde_json::from_str(&repaired).expect("readable after repair");
        surrogates.unrepair(serde_json::to_string(&text).unwrap())
    }

    #[test]
    fn unpaired_surrogates_survive() {
        for json in [r#""a\ud800b""#, r#""\udfff\ud800""#, r#""\\ud800""#, r#""\ud800\ud800""#] {
            assert_eq!(round_trip(json), json);
        }
    }

    #[test]
    fn pairs_are_left_alone() {
        let (repaired, surrogates) = Surrogates::repair(r#""\ud83d\ude00""#);
        assert_eq!((repaired.as_ref(), surrogates), (r#""\ud83d\ude00""#, Surrogates::default()));
    }

    #[test]
    fn characters_the_text_uses_itself_are_not_taken() {
        let json = "\"\u{F0000}\\udc00\\udb80\\udc00\"";
        assert_eq!(round_trip(json), "\"\u{F0000}\\udc00\u{F0000}\"");
    }

    #[test]
    fn a_text_without_room_gets_replacement_characters() {
        let full: String = PRIVATE_USE.step_by(0x800).filter_map(char::from_u32).collect();
        let json = format!("\"{full}\\ud800\"");
        let (repaired, surrogates) = Surrogates::repair(&json);
        assert!(repaired.contains('\u{FFFD}'));
        assert_eq!(surrogates, Surrogates::default());
    }

    proptest! {
        #[test]
        fn any_utf16_survives(units in prop::collection::vec(prop_oneof![any::<u16>(), 0xD7F0_u16..0xE010, 0x20_u16..0x7F], 0..40)) {
            let mut json = String::from("\"");
            for unit in &units {
                json.push_str(&format!("\\u{unit:04x}"));
            }
            json.push('"');
            let back = round_trip(&json);
            let read = |json: &str| {
                let (repaired, surrogates) = Surrogates::repair(json);
                let text: String = serde_json::from_str(&repaired).unwrap();
                (text, surrogates)
            };
            prop_assert_eq!(read(&back), read(&json));
        }
    }
}
