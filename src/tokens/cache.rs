//! Caches counts by content, for the whole process: texts that recur (every turn sends the whole conversation) are
//! hashed instead of counted.

use std::sync::LazyLock;

use quick_cache::sync::Cache;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::{Count, Encoding};

/// Minimum bytes of a cached text. Shorter texts are counted each time: a hit takes 15 ns and counting 32 bytes takes
/// 40 ns, which is not worth an entry.
pub(super) const MIN_BYTES: usize = 64;

/// The size limit. With pieces of up to 16 KB it covers conversations of over 100 MB, in about 12 MB of memory.
const ENTRIES: usize = 128 * 1024;

/// Keyed by a 128-bit hash. During the life of a process a collision is less likely than a memory error, and would
/// only make a count wrong.
static COUNTS: LazyLock<Cache<u128, (u32, bool)>> = LazyLock::new(|| Cache::new(ENTRIES));

/// The cache key of a text; `None` for short texts, which are not cached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key(Option<u128>);

/// Returns the cached count of a text, or else the key under which to store it.
pub(super) fn get(text: &str, encoding: Encoding) -> Result<Count, Key> {
    if text.len() < MIN_BYTES {
        return Err(Key(None));
    }
    let key = xxh3_128_with_seed(text.as_bytes(), encoding as u64);
    match COUNTS.get(&key) {
        Some((tokens, approximate)) => Ok(Count { tokens: tokens as usize, approximate }),
        None => Err(Key(Some(key))),
    }
}

/// Stores a count. Two threads may count the same text at the same time, which is cheaper than waiting.
pub(super) fn insert(key: Key, count: Count) {
    if let (Some(key), Ok(tokens)) = (key.0, u32::try_from(count.tokens)) {
        COUNTS.insert(key, (tokens, count.approximate));
    }
}

/// Forgets all counts, for all managers of the process, and frees their memory. Correct results never require it.
pub fn clear_cache() {
    COUNTS.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_kept_per_encoding_and_short_ones_are_not() {
        let count = Count { tokens: 7, approximate: true };
        let long = "only this test counts this sentence, which is long enough to be worth keeping in the cache";
        insert(get(long, Encoding::O200kBase).unwrap_err(), count);
        assert_eq!(get(long, Encoding::O200kBase).unwrap(), count);
        assert!(get(long, Encoding::Cl100kBase).is_err());
        assert!(get(&long[1..], Encoding::O200kBase).is_err());
        insert(get("short", Encoding::O200kBase).unwrap_err(), count);
        assert!(get("short", Encoding::O200kBase).is_err());
    }
}
