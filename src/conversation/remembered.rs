//! Readings of a message, kept with it as long as it lives: every provider and every pass asks for them.

use std::{any::Any, fmt, sync::OnceLock};

use super::address::Address;

/// Readings of a message that does not change. A copy has none, because it may be changed.
#[derive(Default)]
pub(super) struct Remembered {
    addresses: OnceLock<Vec<Address>>,
    reading: OnceLock<Box<dyn Any + Send + Sync>>,
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

    /// Returns the reading, if it is of this type.
    pub fn reading<T: Send + Sync + 'static>(&self, read: impl FnOnce() -> T) -> Option<&T> {
        self.reading.get_or_init(|| Box::new(read())).downcast_ref()
    }
}
