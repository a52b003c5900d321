//! The engine on the `tiktoken-rs` crate, the reference. It counts if the cargo feature `tiktoken-rs` is on.

use tiktoken_rs::CoreBPE;

use super::{Encoding, Engine};

/// The `tiktoken-rs` crate.
pub(super) struct TiktokenRs(&'static CoreBPE);

impl Engine for TiktokenRs {
    fn load(encoding: Encoding) -> Self {
        // The singletons by name: looking one up by model would link all encodings.
        Self(match encoding {
            Encoding::O200kBase => tiktoken_rs::o200k_base_singleton(),
            Encoding::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        })
    }

    fn count(&self, text: &str) -> usize {
        self.0.count_ordinary(text)
    }

    fn token_lengths(&self, text: &str) -> Vec<usize> {
        let tokens = self.0.encode_ordinary(text);
        tokens.into_iter().map(|token| self.0.decode_bytes(&[token]).map_or(0, |bytes| bytes.len())).collect()
    }
}
