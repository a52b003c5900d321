//! Maps whose keys are already hashes: hashing them again would take longer than everything else done with them.

use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// Builds the hasher of such a map.
pub type ByHash = BuildHasherDefault<AlreadyHashed>;

/// Returns a key as its own hash.
#[derive(Default)]
pub struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
