//! Counts by content, for the whole process: texts that come again (every turn sends the whole conversation) are hashed, not counted.

use std::sync::LazyLock;

use quick_cache::sync::Cache;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::{Count, Encoding};

/// Shorter texts are counted each time: below this, hashing and looking up costs as much as counting (see `benches/tokens.rs`).
pub(super) const MIN_BYTES: usize = 64;

/// Bounds the cache: with pieces of up to 16 KB this covers conversations of over 100 MB, in less than 10 MB of memory.
const ENTRIES: usize = 128 * 1024;

/// By hash of 128 bits: over the life of a process a collision is less likely than a memory error, and would only make a count wrong.
static COUNTS: LazyLock<Cache<u128, (u32, bool)>> = LazyLock::new(|| Cache::new(ENTRIES));

/// The count of `text`, from the cache or by `compute`. Two threads may compute the same text at the same time; that is cheaper than waiting.
pub(super) fn get_or_count(text: &str, encoding: Encoding, compute: impl FnOnce() -> Count) -> Count {
    if text.len() < MIN_BYTES {
        return compute();
    }
    let key = xxh3_128_with_seed(text.as_bytes(), encoding as u64);
    if let Some((tokens, approximate)) = COUNTS.get(&key) {
        return Count { tokens: tokens as usize, approximate };
    }
    let count = compute();
    if let Ok(tokens) = u32::try_from(count.tokens) {
        COUNTS.insert(key, (tokens, count.approximate));
    }
    count
}

/// Forgets all counts, for all managers of the process, and frees what they held. Never needed for right results.
pub fn clear_cache() {
    COUNTS.clear();
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn long_texts_are_counted_once_per_encoding_and_short_ones_each_time() {
        let calls = Cell::new(0);
        let count = |text: &str, encoding| {
            get_or_count(text, encoding, || {
                calls.set(calls.get() + 1);
                Count { tokens: 7, approximate: true }
            })
        };
        let long = "only this test counts this sentence, which is long enough to be worth keeping in the cache";
        for _ in 0..3 {
            assert_eq!(count(long, Encoding::O200kBase), Count { tokens: 7, approximate: true });
        }
        assert_eq!(calls.get(), 1);
        count(long, Encoding::Cl100kBase);
        assert_eq!(calls.get(), 2);
        count("short", Encoding::O200kBase);
        count("short", Encoding::O200kBase);
        assert_eq!(calls.get(), 4);
    }
}
