//! Finds bytes that are near, such as the end of a line or of an escape. `memchr` is faster on long texts, but one call
//! for each line takes longer than looking at eight bytes at a time.

/// Number of words to look at before `memchr` takes over.
const NEAR: usize = 8;

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);

/// Returns a number whose lowest set bit is in the first zero byte of `word`; 0 if there is none.
const fn first_zero(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

#[inline]
fn find_by(text: &[u8], is_in: impl Fn(u64) -> u64, rest: impl FnOnce(&[u8]) -> Option<usize>) -> Option<usize> {
    let (words, _) = text.as_chunks::<8>();
    let near = &words[..words.len().min(NEAR)];
    for (at, word) in near.iter().enumerate() {
        let found = is_in(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(8 * at + found.trailing_zeros() as usize / 8);
        }
    }
    let looked_at = 8 * near.len();
    rest(&text[looked_at..]).map(|at| looked_at + at)
}

/// Returns the index of the first `byte`, as [`memchr::memchr`] does.
#[inline]
pub fn find(byte: u8, text: &[u8]) -> Option<usize> {
    let pattern = u64::from_ne_bytes([byte; 8]);
    find_by(text, |word| first_zero(word ^ pattern), |rest| memchr::memchr(byte, rest))
}

/// Returns the index of the first byte that is one of two, as [`memchr::memchr2`] does.
#[inline]
pub fn find_either(one: u8, other: u8, text: &[u8]) -> Option<usize> {
    let (first, second) = (u64::from_ne_bytes([one; 8]), u64::from_ne_bytes([other; 8]));
    let is_in = |word: u64| first_zero(word ^ first) | first_zero(word ^ second);
    find_by(text, is_in, |rest| memchr::memchr2(one, other, rest))
}

/// Returns the index of every `byte`, as [`memchr::memchr_iter`] does.
#[inline]
pub fn find_all(byte: u8, text: &[u8]) -> impl Iterator<Item = usize> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let at = next + find(byte, &text[next..])?;
        next = at + 1;
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_are_found_as_memchr_finds_them(text in prop::collection::vec(prop_oneof![8 => Just(b'x'), 1 => any::<u8>()], 0..200), one: u8, other: u8) {
            for byte in [b'x', b'\n', one, one ^ 1, one ^ 0x80] {
                prop_assert_eq!(find(byte, &text), memchr::memchr(byte, &text));
                prop_assert_eq!(find_either(byte, other, &text), memchr::memchr2(byte, other, &text));
                prop_assert!(find_all(byte, &text).eq(memchr::memchr_iter(byte, &text)));
            }
        }
    }
}
