//! Caches results of reading a message with the message itself, because every provider, every pass and the next call
//! need them.

use std::{any::Any, fmt, sync::OnceLock};

use super::address::Address;

/// The kinds of results whose types other modules define.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reading {
    /// The message's pieces.
    Pieces,
    /// The names in the pieces.
    Names,
    /// The tokens of the message's blocks.
    Tokens,
}

/// The cached results of an unchanged message. A copy has none, because it may be changed.
#[derive(Default)]
pub(super) struct Remembered {
    addresses: OnceLock<Vec<Address>>,
    /// The hash of its content.
    pub hash: OnceLock<u64>,
    /// The length and hash of the fingerprint of its JSON.
    pub fingerprint: OnceLock<(usize, u64)>,
    readings: [OnceLock<Box<dyn Any + Send + Sync>>; 3],
}

impl Clone for Remembered {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Remembered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Remembered")
    }
}

impl Remembered {
    /// Returns the addresses of the texts.
    pub fn addresses(&self, read: impl FnOnce() -> Vec<Address>) -> &[Address] {
        self.addresses.get_or_init(read)
    }

    /// Returns the cached result of this kind, if there is one.
    pub fn known<T: Send + Sync + 'static>(&self, kind: Reading) -> Option<&T> {
        self.readings[kind as usize].get()?.downcast_ref()
    }

    /// Returns the cached result of this kind, if it is of this type.
    pub fn reading<T: Send + Sync + 'static>(&self, kind: Reading, read: impl FnOnce() -> T) -> Option<&T> {
        self.readings[kind as usize].get_or_init(|| Box::new(read())).downcast_ref()
    }
}
