//! A provider as a strategy runs it.

use serde_json::{Value, json};

use crate::options::Settings;

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

    /// Reads the parts in the list `name`, or in its default.
    pub fn listed(settings: &Settings<'_>, name: &str, defaults: &Value) -> Vec<Self> {
        if !settings.is_given(name) {
            let defaults = defaults.as_array().map(Vec::as_slice).unwrap_or_default();
            return defaults.iter().map(Self::of_default).collect();
        }
        let each = settings.elements(name).iter().zip(settings.list(name)).enumerate();
        each.map(|(index, (value, part))| {
            let place = format!("{name}[{index}]");
            match value.as_str() {
                Some(provider) => Self { place, ..Self::new(provider) },
                None => Self { place, ..Self::of(&part, value) },
            }
        })
        .collect()
    }

    fn of(settings: &Settings<'_>, value: &Value) -> Self {
        let target = match &value["target"] {
            Value::Bool(false) => PartTarget::Untold,
            Value::Number(_) => PartTarget::AtLeast(settings.integer("target")),
            _ => PartTarget::OfCall,
        };
        let config = value.get("config").cloned().unwrap_or_default();
        Self { target, ..Self::new(settings.text("provider")).with(config) }
    }

    fn of_default(value: &Value) -> Self {
        let provider = value.as_str().or_else(|| value["provider"].as_str()).unwrap_or_default();
        Self::new(provider).with(value.get("config").cloned().unwrap_or_default())
    }

    /// Creates a part for the smart provider with a preset.
    pub fn preset(name: &str) -> Self {
        Self::new("smart").with(json!({ "preset": name }))
    }
}
