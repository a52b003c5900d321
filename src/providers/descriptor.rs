//! What has to be said of a provider that comes with this crate, once. The registry, the factories of the package, lists, completions, the page and the
//! table of the documentation are made from it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::provider::{Capabilities, Provider, ProviderInfo};
use crate::{
    options::{ConfigError, Table},
    words::Said,
};

/// A provider that comes with this crate.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What it is registered under.
    pub id: &'static str,
    /// The code of its name in `src/words`.
    #[serde(skip)]
    pub name: &'static str,
    /// The code of what it does, in a sentence.
    #[serde(skip)]
    pub about: &'static str,
    /// The function of the package that makes one.
    pub factory: &'static str,
    /// What it can do.
    pub capabilities: Capabilities,
    /// The options of its configuration. A function, because they name the ids of all descriptors.
    #[serde(skip)]
    pub table: fn() -> &'static Table,
    /// Configurations by name.
    pub presets: &'static [&'static str],
    /// Makes one. The faults of its configuration, where it has any.
    #[serde(skip)]
    pub make: Make,
}

/// Makes a provider with a configuration.
pub type Make = fn(&Value) -> Result<Arc<dyn Provider>, Vec<ConfigError>>;

impl Descriptor {
    /// What the provider says of itself.
    #[must_use]
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

/// The one of these with this id.
pub fn with_id(all: &'static [Descriptor], id: &str) -> Option<&'static Descriptor> {
    all.iter().find(|known| known.id == id)
}
