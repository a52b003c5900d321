//! Caches the token counts of recent words. A text repeats few different words, and the tables of 200,000 tokens do not
//! fit the caches of a processor.
//!
//! No text is stored: a word is identified by a hash, whose seeds differ in each thread.

use std::{
    cell::RefCell,
    hash::{BuildHasher, RandomState},
};

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::tokens::encoding::Encoding;

/// Number of cached words, a power of two. With 16 bytes each, they take 256 KB, half of a small second-level cache.
/// With half as many, twice as many words would have to be counted again.
const WORDS: usize = 16_384;

/// The bits of the count; the other bits are the hash.
const COUNT: u128 = 0xfff;

/// The counts of recent words. A word's hash selects a pair of places, and a new word replaces the older word of its
/// pair.
pub(super) struct Near {
    seeds: [u64; 3],
    pairs: Box<[[u128; 2]]>,
}

thread_local! {
    static O200K_BASE: RefCell<Near> = RefCell::new(Near::new());
    static CL100K_BASE: RefCell<Near> = RefCell::new(Near::new());
}

impl Near {
    fn new() -> Self {
        let random = RandomState::new();
        let seeds = [0, 1, 2].map(|number: u64| random.hash_one(number));
        Self { seeds, pairs: vec![[0; 2]; WORDS / 2].into_boxed_slice() }
    }

    /// Calls `work` with the cache of this thread.
    pub(super) fn with<T>(encoding: Encoding, work: impl FnOnce(&mut Self) -> T) -> T {
        let near = match encoding {
            Encoding::O200kBase => &O200K_BASE,
            Encoding::Cl100kBase => &CL100K_BASE,
        };
        near.with_borrow_mut(work)
    }

    /// Returns the hash of a word. Nearly all words are short: the product of their two halves, each combined with a seed,
    /// takes fewer instructions than a general hash.
    #[inline]
    fn hash(&self, word: &[u8]) -> u128 {
        let [first, second, third] = self.seeds;
        // For one length, these two numbers have all bytes; in the middle they may have the same ones.
        let (start, end) = match (word, word.len()) {
            (_, 17..) => return xxh3_128_with_seed(word, first),
            (_, 8..) => ends(word, u64::from_le_bytes),
            (_, 4..) => {
                let (start, end) = ends(word, u32::from_le_bytes);
                (u64::from(start), u64::from(end))
            }
            ([one, .., last], _) => (u64::from(*one) << 8 | u64::from(word[1]), u64::from(*last)),
            ([one], _) => (u64::from(*one), 0),
            ([], _) => (0, 0),
        };
        let product = u128::from(start ^ first) * u128::from(end ^ second);
        product.wrapping_add(word.len() as u128 * (u128::from(third) << 32))
    }

    /// Returns the tokens of a word, from the cache or else from `count`.
    #[inline]
    pub(super) fn count(&mut self, word: &[u8], count: impl FnOnce() -> usize) -> usize {
        let key = self.hash(word) & !COUNT;
        // Both halves together are spread evenly; the upper one alone is not, because short words have few bits.
        let pair = (((key >> 64) ^ key) >> 24) as usize & (WORDS / 2 - 1);
        let [newer, older] = &mut self.pairs[pair];
        if *newer & !COUNT == key {
            return (*newer & COUNT) as usize;
        }
        if *older & !COUNT == key {
            std::mem::swap(newer, older);
            return (*newer & COUNT) as usize;
        }
        let tokens = count();
        if tokens <= COUNT as usize {
            *older = std::mem::replace(newer, key | tokens as u128);
        }
        tokens
    }
}

/// Returns the first and the last bytes of a word that has at least as many.
#[inline]
fn ends<const N: usize, T>(word: &[u8], number: impl Fn([u8; N]) -> T) -> (T, T) {
    let (start, end) = (word.first_chunk(), word.last_chunk());
    (number(*start.unwrap_or(&[0; N])), number(*end.unwrap_or(&[0; N])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_by_every_byte_and_by_length() {
        let mut near = Near::new();
        let words =
            ["\0", "\0\0", "a", "ab", "abcdefghijklmn", "abcdefghijklmno", "bbcdefghijklmno", "────────────────"];
        for (tokens, word) in (1..).zip(words) {
            assert_eq!(near.count(word.as_bytes(), || tokens), tokens, "{word:?}");
        }
        for (tokens, word) in (1..).zip(words) {
            assert_eq!(near.count(word.as_bytes(), || 99), tokens, "{word:?}");
        }
    }

    #[test]
    fn words_of_every_length_that_differ_in_one_byte_have_different_hashes() {
        let near = Near::new();
        let mut hashes = std::collections::HashSet::new();
        for length in 0..40 {
            assert!(hashes.insert(near.hash(&vec![0; length]) & !COUNT));
            for (at, bit) in (0..length).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
                let mut word = vec![0; length];
                word[at] = 1 << bit;
                assert!(hashes.insert(near.hash(&word) & !COUNT), "{word:?}");
            }
        }
    }

    #[test]
    fn a_count_that_does_not_fit_is_not_kept() {
        let mut near = Near::new();
        let (word, most) = ("=".repeat(100_000), COUNT as usize);
        assert_eq!(near.count(word.as_bytes(), || most + 1), most + 1);
        assert_eq!(near.count(word.as_bytes(), || most), most);
        assert_eq!(near.count(word.as_bytes(), || 1), most);
    }
}
