//! Caches the token counts of recent words. A text repeats few different words, and the tables of 200,000 tokens do not
//! fit the caches of a processor.
//!
//! No text is stored: a word is identified by a hash, whose seed differs in each thread.

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
    seed: u64,
    pairs: Box<[[u128; 2]]>,
}

thread_local! {
    static O200K_BASE: RefCell<Near> = RefCell::new(Near::new());
    static CL100K_BASE: RefCell<Near> = RefCell::new(Near::new());
}

impl Near {
    fn new() -> Self {
        Self { seed: RandomState::new().hash_one(()), pairs: vec![[0; 2]; WORDS / 2].into_boxed_slice() }
    }

    /// Calls `work` with the cache of this thread.
    pub(super) fn with<T>(encoding: Encoding, work: impl FnOnce(&mut Self) -> T) -> T {
        let near = match encoding {
            Encoding::O200kBase => &O200K_BASE,
            Encoding::Cl100kBase => &CL100K_BASE,
        };
        near.with_borrow_mut(work)
    }

    /// Returns the tokens of a word, from the cache or else from `count`.
    #[inline]
    pub(super) fn count(&mut self, word: &[u8], count: impl FnOnce() -> usize) -> usize {
        let key = xxh3_128_with_seed(word, self.seed) & !COUNT;
        let pair = (key >> 64) as usize & (WORDS / 2 - 1);
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
    fn a_count_that_does_not_fit_is_not_kept() {
        let mut near = Near::new();
        let (word, most) = ("=".repeat(100_000), COUNT as usize);
        assert_eq!(near.count(word.as_bytes(), || most + 1), most + 1);
        assert_eq!(near.count(word.as_bytes(), || most), most);
        assert_eq!(near.count(word.as_bytes(), || 1), most);
    }
}
