//! Describes a built-in provider in one place. The registry, the package's factories, lists, completions, the page
//! and the documentation's table are made from it.

use std::sync::Arc;

use serde_json::Value;

use super::provider::{Capabilities, Provider, ProviderInfo};
use crate::{
    options::{ConfigError, Table},
    words::Said,
};

/// A built-in provider.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// The id it is registered under.
    pub id: &'static str,
    /// The code of its name in `src/words`.
    pub name: &'static str,
    /// The code of its description, one sentence, in `src/words`.
    pub about: &'static str,
    /// The name of the package's function that creates one.
    pub factory: &'static str,
    /// Its capabilities.
    pub capabilities: Capabilities,
    /// The options of its configuration. A function, because they name the ids of all descriptors.
    pub table: fn() -> &'static Table,
    /// Configurations by name.
    pub presets: &'static [&'static str],
    /// Creates one.
    pub make: Make,
}

/// Creates a provider with a configuration, or returns all errors in that configuration.
pub type Make = fn(&Value) -> Result<Arc<dyn Provider>, Vec<ConfigError>>;

impl Descriptor {
    /// Returns the provider's public description.
    pub fn info(&self) -> ProviderInfo {
        ProviderInfo {
            id: self.id.into(),
            name: Said::new(self.name, Vec::new()).to_string(),
            description: Said::new(self.about, Vec::new()).to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            capabilities: self.capabilities,
        }
    }
}

/// Returns the descriptor with this id.
pub fn with_id(all: &'static [Descriptor], id: &str) -> Option<&'static Descriptor> {
    all.iter().find(|known| known.id == id)
}
