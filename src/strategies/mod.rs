//! Providers that are made of others: which is asked, in which order, and for how much.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `tables` | what their configurations may hold, and what is wrong with one |
//! | `part` | a provider as a strategy asks it |
//! | `composition` | the turns of those that are asked, as one plan |
//! | `strategy` | a strategy as a provider |
//! | all others | who is asked when, one strategy each |

mod ab_test;
mod adaptive;
mod composition;
mod cost_aware;
mod part;
mod per_user;
mod pipeline;
mod progressive;
mod quality_first;
mod strategy;
mod tables;

use std::sync::Arc;

use serde_json::Value;

pub use self::{per_user::UserDirectory, strategy::Strategy, tables::BUILT_IN};
use crate::{
    options::ConfigError,
    providers::{self, Provider, Registry},
};

/// Makes a provider that comes with this crate by its id.
///
/// # Errors
/// Every field of `config` that is wrong, or the id when it is none of [`BUILT_IN`].
///
/// # Examples
/// ```
/// use roo_condense::create_provider;
/// use serde_json::json;
///
/// let truncation = create_provider("truncation", &json!({ "maxToolResultLines": 10 })).unwrap();
/// assert_eq!(truncation.info().id, "truncation");
///
/// let errors = create_provider("truncation", &json!({ "mode": "windw", "keep": 1 })).err().unwrap();
/// assert_eq!(errors.len(), 2);
///
/// let stages = json!({ "stages": ["lossless", { "provider": "truncation", "config": { "mode": "windw" } }] });
/// let errors = create_provider("pipeline", &stages).err().unwrap();
/// assert_eq!(errors[0].path, "stages[1].config.mode");
/// ```
pub fn create(id: &str, config: &Value) -> Result<Arc<dyn Provider>, Vec<ConfigError>> {
    create_with(id, config, None)
}

/// The same, where users that the configuration does not have are looked up.
///
/// # Errors
/// As [`create`].
pub fn create_with(
    id: &str,
    config: &Value,
    directory: Option<Arc<dyn UserDirectory>>,
) -> Result<Arc<dyn Provider>, Vec<ConfigError>> {
    match tables::STRATEGIES.iter().find(|known| **known == id) {
        Some(id) => Ok(Arc::new(Strategy::new(id, config, directory)?)),
        None if BUILT_IN.contains(&id) => providers::create(id, config),
        None => Err(vec![ConfigError::not_allowed("provider", &Value::from(id), BUILT_IN.join(", "))]),
    }
}

/// All of them, each with its defaults.
#[must_use]
pub fn registry() -> Registry {
    let mut registry = providers::registry();
    for provider in tables::STRATEGIES.iter().filter_map(|id| create(id, &Value::Null).ok()) {
        registry.register(provider);
    }
    registry
}
