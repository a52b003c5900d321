//! Summaries already paid for.

use async_trait::async_trait;
use quick_cache::{
    DefaultHashBuilder, OptionsBuilder, Weighter,
    sync::{Cache, DefaultLifecycle},
};
use sha2::{Digest, Sha256};

/// Keeps summaries. A host can give its own: a file, a database, Redis.
#[async_trait]
pub trait SummaryStore: Send + Sync {
    /// Returns the value kept under the key, if any.
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError>;

    /// Keeps the value; the newest wins.
    async fn set(&self, key: &str, value: &str) -> Result<(), StoreError>;
}

/// A store that failed. A cache that does not work is no reason to have no summary: callers report it and go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the summary cache failed: {message}; check the store given as `cache`")]
pub struct StoreError {
    /// The store's message.
    pub message: String,
}

impl StoreError {
    /// The code under which JavaScript sees it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "cache_failed"
    }
}

/// Bytes a [`MemoryStore`] holds by default: 8 MiB, some 2,000 summaries of 1,000 tokens.
pub const DEFAULT_CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Bytes an entry needs besides its key and value: list node, table slot and string headers, rounded up.
const ENTRY_OVERHEAD: usize = 128;

/// Bytes of an entry with a summary of 1,000 tokens; decides how many entries that left are remembered.
const TYPICAL_ENTRY: usize = 4096;

/// The default store: in memory, bounded in bytes; what has not been asked for leaves first.
pub struct MemoryStore {
    /// One shard, so that one summary may take nearly all of the bytes.
    entries: Cache<String, String, Bytes>,
}

#[derive(Clone)]
struct Bytes;

impl Weighter<String, String> for Bytes {
    fn weight(&self, key: &String, value: &String) -> u64 {
        entry_size(key, value) as u64
    }
}

impl MemoryStore {
    /// A store of at most `limit` bytes, keys and bookkeeping included; 0 keeps nothing.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let options = OptionsBuilder::new()
            .shards(1)
            .estimated_items_capacity(limit / TYPICAL_ENTRY)
            .weight_capacity(limit as u64)
            .build()
            .expect("both capacities are set");
        Self {
            entries: Cache::with_options(options, Bytes, DefaultHashBuilder::default(), DefaultLifecycle::default()),
        }
    }

    /// Bytes held now.
    pub fn bytes(&self) -> usize {
        self.entries.weight() as usize
    }

    /// Summaries held now.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(DEFAULT_CACHE_BYTES)
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryStore({} summaries, {} of {} bytes)", self.len(), self.bytes(), self.entries.capacity())
    }
}

#[async_trait]
impl SummaryStore for MemoryStore {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        Ok(self.entries.get(key))
    }

    async fn set(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.entries.insert(key.to_owned(), value.to_owned());
        Ok(())
    }
}

fn entry_size(key: &str, value: &str) -> usize {
    key.len() + value.len() + ENTRY_OVERHEAD
}

/// The key of a summary: SHA-256, in hexadecimal, of the parts that decide it (model, prompt, content).
///
/// SHA-256 because keys may leave the process for a shared store, where a forged collision would hand one conversation
/// another's summary. Each part is preceded by its length, so that `["ab", "c"]` and `["a", "bc"]` differ.
#[must_use]
pub fn cache_key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Seals a text for a store outside the process: a line above it names the key it was written for. Otherwise a store
/// that mixes keys up, cuts texts off, or returns something else would put wrong text in the place of messages.
#[must_use]
pub fn sealed(key: &str, text: &str) -> String {
    format!("{}\n{text}", &cache_key(&[key, text])[..SEAL_LENGTH])
}

/// The text of what was [`sealed`] for the key.
///
/// # Errors
/// [`StoreError`] where it was not.
pub fn opened(key: &str, kept: &str) -> Result<String, StoreError> {
    let text = kept.split_once('\n').map(|(_, text)| text).filter(|text| sealed(key, text) == kept);
    text.map(str::to_owned)
        .ok_or_else(|| StoreError { message: "get() returned a text that was not kept under this key".to_owned() })
}

/// Hexadecimal digits of a seal.
const SEAL_LENGTH: usize = 16;

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn get(store: &MemoryStore, key: &str) -> Option<String> {
        store.get(key).now_or_never().unwrap().unwrap()
    }

    fn set(store: &MemoryStore, key: &str, value: &str) {
        store.set(key, value).now_or_never().unwrap().unwrap();
    }

    #[test]
    fn the_least_recently_used_leaves_first() {
        let store = MemoryStore::new(2 * entry_size("a", "12345"));
        set(&store, "a", "11111");
        set(&store, "b", "22222");
        assert_eq!(get(&store, "a").as_deref(), Some("11111"));
        set(&store, "c", "33333");
        assert_eq!(get(&store, "b"), None);
        assert_eq!(get(&store, "a").as_deref(), Some("11111"));
        assert_eq!(get(&store, "c").as_deref(), Some("33333"));
    }

    #[test]
    fn replacing_counts_once_and_the_too_large_is_not_kept() {
        let store = MemoryStore::new(1000);
        set(&store, "a", "one");
        set(&store, "a", "two!");
        assert_eq!((store.len(), store.bytes()), (1, entry_size("a", "two!")));
        set(&store, "a", &"x".repeat(2000));
        assert!(store.len() == 0, "an outdated value does not stay either");
        assert_eq!(store.bytes(), 0);
        let none = MemoryStore::new(0);
        set(&none, "a", "b");
        assert!(none.len() == 0);
    }

    #[test]
    fn only_what_was_kept_under_the_key_is_opened() {
        let kept = sealed("key", "a\nsummary");
        assert_eq!(opened("key", &kept).as_deref(), Ok("a\nsummary"));
        for (key, kept) in [
            ("other", kept.as_str()),
            ("key", &kept[..kept.len() - 1]),
            ("key", "a\nsummary"),
            ("key", ""),
            ("key", "\n"),
        ] {
            assert!(opened(key, kept).is_err(), "{key} {kept}");
        }
    }

    #[test]
    fn keys_depend_on_where_parts_end() {
        assert_ne!(cache_key(&["ab", "c"]), cache_key(&["a", "bc"]));
        assert_ne!(cache_key(&["a"]), cache_key(&["a", ""]));
        assert_eq!(cache_key(&["a", "b"]), cache_key(&["a", "b"]));
        // The empty list is the hash of nothing, a value everyone can look up.
        assert_eq!(cache_key(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    proptest::proptest! {
        #[test]
        fn never_over_the_limit(operations in proptest::collection::vec((0u8..20, 0usize..400), 0..200), limit in 0usize..2000) {
            let store = MemoryStore::new(limit);
            for (key, length) in operations {
                set(&store, &key.to_string(), &"x".repeat(length));
                proptest::prop_assert!(store.bytes() <= limit);
            }
            let held: usize = store.entries.iter().map(|(key, value)| entry_size(&key, &value)).sum();
            proptest::prop_assert_eq!(held, store.bytes());
        }
    }
}
