//! The cache of summaries.

use async_trait::async_trait;
use quick_cache::{
    DefaultHashBuilder, OptionsBuilder, Weighter,
    sync::{Cache, DefaultLifecycle},
};
use sha2::{Digest, Sha256};

/// Stores summaries. A host can provide its own: a file, a database, Redis.
#[async_trait]
pub trait SummaryStore: Send + Sync {
    /// Returns the value stored under the key, if any.
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError>;

    /// Stores the value, replacing an older one.
    async fn set(&self, key: &str, value: &str) -> Result<(), StoreError>;
}

/// The error of a store. A failing cache does not prevent a summary: callers report it and continue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the summary cache failed: {message}; check the store given as `cache`")]
pub struct StoreError {
    /// The store's message.
    pub message: String,
}

impl StoreError {
    /// Returns the code for JavaScript.
    pub fn code(&self) -> &'static str {
        "cache_failed"
    }
}

/// Default size of a [`MemoryStore`]: 8 MiB, about 2,000 summaries of 1,000 tokens.
pub const DEFAULT_CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Bytes of an entry besides its key and value: list node, table slot and string headers, rounded up.
const ENTRY_OVERHEAD: usize = 128;

/// Bytes of an entry with a summary of 1,000 tokens; determines how many evicted entries are remembered.
const TYPICAL_ENTRY: usize = 4096;

/// The default store: in memory, with a size limit; the least recently used entries are evicted.
pub struct MemoryStore {
    /// One shard, so that one summary may use nearly all of the bytes.
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
    /// Creates a store of at most `limit` bytes, keys and bookkeeping included; 0 stores nothing.
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

    /// Returns the bytes in use.
    pub fn bytes(&self) -> usize {
        self.entries.weight() as usize
    }

    /// Returns the number of summaries.
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

/// Returns the key of a summary: SHA-256, in hexadecimal, of the parts that determine it (model, prompt, content).
///
/// SHA-256, because keys may be used in a shared store outside the process, where a forged collision would give one
/// conversation another's summary. Each part is preceded by its length, so that `["ab", "c"]` and `["a", "bc"]`
/// differ.
pub fn cache_key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Seals a text for a store outside the process: a line above it identifies the key. Otherwise a store that mixes up
/// keys, truncates texts or returns something else would put wrong text in place of messages.
pub fn sealed(key: &str, text: &str) -> String {
    format!("{}\n{text}", &cache_key(&[key, text])[..SEAL_LENGTH])
}

/// Returns the text that was [`sealed`] for the key.
///
/// # Errors
/// [`StoreError`] if it was not sealed for this key, or was changed.
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
        // The empty list would be the hash of nothing, which anyone can look up.
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
