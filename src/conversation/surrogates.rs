//! Unpaired UTF-16 surrogates, which JavaScript strings may hold and Rust strings may not.
//!
//! All text comes in through [`enter`] or [`enter_text`] and leaves through [`leave`] or [`leave_text`], whether it
//! is from the caller, a model, a cache or a custom provider. In between, each unpaired surrogate is a private-use
//! character, so that texts can be cut and moved without losing it. These characters are reserved: if a text contains
//! one itself, it is written as two others. So no text from outside can be taken for a stand-in, and texts from
//! several sources can be combined.
//!
//! | inside | outside |
//! | --- | --- |
//! | U+10F000 to U+10F7FF | the unpaired surrogates U+D800 to U+DFFF |
//! | one of U+10F840 to U+10F862, then one of U+10F880 to U+10F8BF | one of the reserved characters U+10F000 to U+10F8BF |
//! | one half of such a pair, left by a cut | U+FFFD |

use std::borrow::Cow;

use super::utf16;

/// The first surrogate, and their number.
const FIRST: u32 = 0xD800;
const COUNT: u32 = 0x800;
/// The end of plane 16, which is for private use (The Unicode Standard, section 23.5) and unassigned in all fonts in
/// use.
const RESERVED: std::ops::Range<u32> = STAND_INS..SECONDS + DIGITS;
const STAND_INS: u32 = 0x10_F000;
const FIRSTS: u32 = 0x10_F840;
const SECONDS: u32 = 0x10_F880;
/// The number of characters that can be second in a pair.
const DIGITS: u32 = 64;
/// Bytes of an escape such as `\ud800`.
const ESCAPE: usize = 6;
/// The first byte of every reserved character in UTF-8, which only characters of plane 16 have.
const LEAD: u8 = 0xF4;

/// Makes JSON from outside readable for serde by replacing escapes of unpaired surrogates with stand-ins.
pub fn enter(json: &str) -> Cow<'_, str> {
    let mut replaced: Vec<(std::ops::Range<usize>, u32)> = escapes(json);
    replaced.extend(reserved(json).map(|(at, code)| (at..at + 4, code)));
    replaced.sort_unstable_by_key(|(range, _)| range.start);
    with_replaced(json, replaced, push_inside)
}

/// Returns the text with `write` of each code in the place of its range.
fn with_replaced(
    text: &str,
    places: impl IntoIterator<Item = (std::ops::Range<usize>, u32)>,
    write: impl Fn(&mut String, u32),
) -> Cow<'_, str> {
    let mut written = String::new();
    let mut copied = 0;
    for (range, code) in places {
        if copied == 0 {
            written.reserve(text.len());
        }
        written.push_str(&text[copied..range.start]);
        write(&mut written, code);
        copied = range.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    written.push_str(&text[copied..]);
    Cow::Owned(written)
}

/// Makes JSON from outside readable if its unpaired surrogates need not be restored: U+FFFD replaces them. Reserved
/// characters stay as they are outside.
pub fn without_surrogates(json: &str) -> Cow<'_, str> {
    let unpaired = escapes(json).into_iter().filter(|(range, _)| range.len() == ESCAPE);
    with_replaced(json, unpaired, |written, _| written.push(char::REPLACEMENT_CHARACTER))
}

/// Takes in a text that is not JSON, and so has no unpaired surrogates.
pub fn enter_text(text: &str) -> Cow<'_, str> {
    with_replaced(text, reserved(text).map(|(at, code)| (at..at + 4, code)), push_inside)
}

/// Takes in UTF-16 from outside, at the end of `text`.
pub fn push_units(text: &mut String, units: &[u16]) {
    if let Some(paired) = utf16::utf8(units) {
        return text.push_str(&enter_text(&paired));
    }
    for read in char::decode_utf16(units.iter().copied()) {
        push_inside(text, read.map_or_else(|fault| fault.unpaired_surrogate().into(), u32::from));
    }
}

/// Writes JSON for the outside, with unpaired surrogates as escapes.
pub fn leave(json: String) -> String {
    match leave_json(&json) {
        Cow::Borrowed(_) => json,
        Cow::Owned(written) => written,
    }
}

/// Writes JSON for the outside as [`leave`] does, from a borrowed text.
pub fn leave_json(json: &str) -> Cow<'_, str> {
    leaving(json, |surrogate, written| written.push_str(&format!("\\u{surrogate:04x}")))
}

/// Writes a text for places that accept no unpaired surrogate: U+FFFD replaces them, as in every text that is sent or
/// counted.
pub fn leave_text(text: &str) -> Cow<'_, str> {
    leaving(text, |_, written| written.push(char::REPLACEMENT_CHARACTER))
}

/// Returns the UTF-16 of a text as it is outside, including unpaired surrogates.
pub fn outside_units(text: &str) -> impl Iterator<Item = u16> {
    let mut characters = text.chars().map(u32::from).peekable();
    let pair = std::iter::from_fn(move || {
        let code = characters.next()?;
        if !RESERVED.contains(&code) {
            return Some(code);
        }
        if code < STAND_INS + COUNT {
            return Some(FIRST + code - STAND_INS);
        }
        let is_first = (FIRSTS..SECONDS).contains(&code);
        let second = characters.next_if(|second| is_first && (SECONDS..RESERVED.end).contains(second));
        let character = second.map(|second| STAND_INS + (code - FIRSTS) * DIGITS + second - SECONDS);
        Some(character.unwrap_or(char::REPLACEMENT_CHARACTER.into()))
    });
    pair.flat_map(|code| match char::from_u32(code) {
        Some(character) => {
            let mut units = [0; 2];
            let length = character.encode_utf16(&mut units).len();
            [Some(units[0]), (length == 2).then_some(units[1])]
        }
        // Only an unpaired surrogate is not a character.
        None => [Some(code as u16), None],
    })
    .flatten()
}

/// Returns true if a text has other characters inside than outside.
pub fn differs_outside(text: &str) -> bool {
    reserved(text).next().is_some()
}

fn leaving(text: &str, write_surrogate: impl Fn(u32, &mut String)) -> Cow<'_, str> {
    let mut found = reserved(text).peekable();
    if found.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    while let Some((at, code)) = found.next() {
        written.push_str(&text[copied..at]);
        copied = at + 4;
        if let Some(offset) = code.checked_sub(STAND_INS).filter(|offset| *offset < COUNT) {
            write_surrogate(FIRST + offset, &mut written);
            continue;
        }
        let is_first = (FIRSTS..SECONDS).contains(&code);
        let second = found.next_if(|(next, second)| is_first && *next == copied && *second >= SECONDS);
        let character = second.and_then(|(at, second)| {
            copied = at + 4;
            char::from_u32(STAND_INS + (code - FIRSTS) * DIGITS + second - SECONDS)
        });
        written.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    written.push_str(&text[copied..]);
    Cow::Owned(written)
}

/// Writes a surrogate or reserved character in its inside form, and any other as it is.
fn push_inside(text: &mut String, code: u32) {
    let mut push = |code| text.extend(char::from_u32(code));
    if (FIRST..FIRST + COUNT).contains(&code) {
        push(STAND_INS + code - FIRST);
    } else if RESERVED.contains(&code) {
        let offset = code - STAND_INS;
        push(FIRSTS + offset / DIGITS);
        push(SECONDS + offset % DIGITS);
    } else {
        push(code);
    }
}

/// Returns byte offset and code of every reserved character; each has four bytes.
fn reserved(text: &str) -> impl Iterator<Item = (usize, u32)> {
    let starts = memchr::memchr_iter(LEAD, text.as_bytes());
    starts.filter_map(|at| Some((at, text[at..].chars().next()? as u32))).filter(|(_, code)| RESERVED.contains(code))
}

/// Returns every escape of an unpaired surrogate, and every pair of escapes of a reserved character.
fn escapes(json: &str) -> Vec<(std::ops::Range<usize>, u32)> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut next = 0;
    for at in memchr::memmem::find_iter(bytes, r"\u") {
        // After an odd number of backslashes, this one is escaped itself.
        let is_escape = || bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0;
        let Some(unit) = surrogate_escape(bytes, at).filter(|_| at >= next && is_escape()) else { continue };
        let low = surrogate_escape(bytes, at + ESCAPE).filter(|low| unit < 0xDC00 && *low >= 0xDC00);
        let Some(low) = low else {
            found.push((at..at + ESCAPE, unit));
            continue;
        };
        next = at + 2 * ESCAPE;
        let code = 0x1_0000 + ((unit - FIRST) << 10) + (low - 0xDC00);
        if RESERVED.contains(&code) {
            found.push((at..next, code));
        }
    }
    found
}

fn surrogate_escape(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + ESCAPE)?;
    if !escape.starts_with(b"\\u") || !escape[2..].iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let unit = u32::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()?;
    (FIRST..FIRST + COUNT).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside(json: &str) -> String {
        serde_json::from_str(&enter(json)).expect("readable")
    }

    fn round_trip(json: &str) -> String {
        leave(serde_json::to_string(&inside(json)).unwrap())
    }

    #[test]
    fn unpaired_surrogates_survive() {
        for json in [r#""a\ud800b""#, r#""\udfff\ud800""#, r#""\\ud800""#, r#""\ud800\ud800""#] {
            assert_eq!(round_trip(json), json);
        }
        assert_eq!(leave_text(&inside(r#""a\ud800b""#)), "a\u{FFFD}b");
        assert_eq!(without_surrogates("\"a\\ud800\\udbfc\\udc00\u{10F000}\""), "\"a\u{FFFD}\\udbfc\\udc00\u{10F000}\"");
    }

    #[test]
    fn texts_in_utf_16_are_those_of_json() {
        for json in [r#""a\ud800b\n\u0001""#, r#""\udfff\ud800é""#, "\"\u{10F000}\u{1F600}\"", r#""\ud83d""#] {
            let units: Vec<u16> = outside_units(&inside(json)).collect();
            let mut text = "before".to_owned();
            push_units(&mut text, &units);
            assert_eq!(text.strip_prefix("before"), Some(&*inside(json)));
        }
    }

    #[test]
    fn pairs_are_left_alone() {
        assert!(matches!(enter(r#""\ud83d\ude00 \u00e9""#), Cow::Borrowed(_)));
    }

    #[test]
    fn no_character_of_a_text_is_taken_for_a_stand_in() {
        let every: String = RESERVED.filter_map(char::from_u32).collect();
        let json = format!("\"{every}\\udc00\"");
        assert_eq!(round_trip(&json), json);
        assert_eq!(leave_text(&enter_text(&every)), every);
        assert_eq!(round_trip("\"\\udbfc\\udc00\""), "\"\u{10F000}\"");
    }

    #[test]
    fn half_of_a_character_is_none() {
        let entered = enter_text("\u{10F000}").into_owned();
        let (first, second) = entered.split_at(4);
        assert_eq!(leave_text(&format!("{first}a{second}{first}")), "\u{FFFD}a\u{FFFD}\u{FFFD}");
        assert_eq!(leave_text(&format!("{second}{second}")), "\u{FFFD}\u{FFFD}");
    }

    fn any_units() -> impl Strategy<Value = Vec<u16>> {
        let unit = prop_oneof![any::<u16>(), 0xD7F0_u16..0xE010, 0x20_u16..0x7F, Just(0xDBFC), 0xDC00_u16..0xDCD0];
        prop::collection::vec(unit, 0..40)
    }

    proptest! {
        #[test]
        fn any_utf16_survives(units in any_units()) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{escaped}\"");
            prop_assert_eq!(inside(&round_trip(&json)), inside(&json));
            let expected: String = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
            let outside = leave_text(&inside(&json)).into_owned();
            prop_assert_eq!(&outside, &expected);
            let entered = enter_text(&expected);
            prop_assert_eq!(leave_text(&entered), expected.as_str());
        }
    }
}
