//! A provider as a strategy runs it.

use serde_json::{Value, json};

/// A provider to run, with configuration and target.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The id of the provider.
    pub provider: String,
    /// Overrides for fields of its configuration; null for none.
    pub config: Value,
    /// Its target.
    pub target: PartTarget,
    /// Its path in the configuration of the strategy; empty if the strategy names it itself.
    pub place: String,
}

/// The target of a part, relative to the call's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartTarget {
    /// The call's target.
    OfCall,
    /// No target.
    Untold,
    /// At least this many tokens, if that is more than the target.
    AtLeast(usize),
}

impl Part {
    /// Creates a part with the provider's own settings.
    pub fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned(), config: Value::Null, target: PartTarget::OfCall, place: String::new() }
    }

    /// Sets overrides for fields of its configuration.
    pub fn with(self, config: Value) -> Self {
        Self { config, ..self }
    }

    /// Returns the part with its place in the configuration: this index in the list `name`.
    pub fn at(self, name: &str, index: usize) -> Self {
        Self { place: format!("{name}[{index}]"), ..self }
    }

    /// Creates a part for the smart provider with a preset.
    pub fn preset(name: &str) -> Self {
        Self::new("smart").with(json!({ "preset": name }))
    }
}
