//! Providers made of other providers: which run, in which order, and within which budget.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `tables` | the options, and checks of configurations |
//! | `part` | a provider as a strategy runs it |
//! | `composition` | runs providers and combines their plans |
//! | `strategy` | a strategy as a provider |
//! | the others | one strategy each |

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

use self::tables::{AB_TEST, ADAPTIVE, COST_AWARE, PER_USER, PIPELINE, PROGRESSIVE, QUALITY_FIRST};
use self::tables::{
    AbTestConfig, AdaptiveConfig, CostAwareConfig, PerUserConfig, PipelineConfig, ProgressiveConfig, QualityFirstConfig,
};
pub use self::{per_user::UserDirectory, strategy::Strategy, tables::BUILT_IN};
use crate::{
    options::{ConfigError, Options, Table},
    providers::{self, Capabilities, Descriptor, Make, Provider, Registry, Speed},
};

/// Creates a built-in provider by its id.
///
/// # Errors
/// Every wrong field of `config`, or an error for an id that is not in [`BUILT_IN`].
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

/// Creates a built-in provider that looks up users that its configuration does not contain.
///
/// # Errors
/// As for [`create`].
pub fn create_with(
    id: &str,
    config: &Value,
    directory: Option<Arc<dyn UserDirectory>>,
) -> Result<Arc<dyn Provider>, Vec<ConfigError>> {
    if id == PER_USER {
        return Ok(Arc::new(Strategy::new(PER_USER, config, directory)?));
    }
    match all().find(|known| known.id == id) {
        Some(descriptor) => (descriptor.make)(config),
        None => {
            Err(vec![ConfigError::not_allowed("provider", &Value::from(id), format!("one of {}", BUILT_IN.join(", ")))])
        }
    }
}

/// The strategies.
pub const DESCRIPTORS: &[Descriptor] = &[
    strategy(
        PIPELINE,
        || PipelineConfig::TABLE,
        "called.pipeline",
        "does.pipeline",
        "createPipeline",
        |config| made(PIPELINE, config),
    ),
    strategy(
        ADAPTIVE,
        || AdaptiveConfig::TABLE,
        "called.adaptive",
        "does.adaptive",
        "createAdaptive",
        |config| made(ADAPTIVE, config),
    ),
    strategy(
        COST_AWARE,
        || CostAwareConfig::TABLE,
        "called.cost_aware",
        "does.cost_aware",
        "createCostAware",
        |config| made(COST_AWARE, config),
    ),
    strategy(
        QUALITY_FIRST,
        || QualityFirstConfig::TABLE,
        "called.quality_first",
        "does.quality_first",
        "createQualityFirst",
        |config| made(QUALITY_FIRST, config),
    ),
    strategy(
        PER_USER,
        || PerUserConfig::TABLE,
        "called.per_user",
        "does.per_user",
        "createPerUser",
        |config| made(PER_USER, config),
    ),
    strategy(
        AB_TEST,
        || AbTestConfig::TABLE,
        "called.ab_test",
        "does.ab_test",
        "createAbTest",
        |config| made(AB_TEST, config),
    ),
    strategy(
        PROGRESSIVE,
        || ProgressiveConfig::TABLE,
        "called.progressive",
        "does.progressive",
        "createProgressive",
        |config| made(PROGRESSIVE, config),
    ),
];

const fn strategy(
    id: &'static str,
    table: fn() -> &'static Table,
    name: &'static str,
    about: &'static str,
    factory: &'static str,
    make: Make,
) -> Descriptor {
    let capabilities = Capabilities {
        supports_lossless: false,
        supports_lossy: true,
        supports_truncation: true,
        supports_llm_summarization: true,
        supports_parallel_processing: true,
        supports_multi_pass: true,
        supports_fallback: true,
        is_free: false,
        estimated_speed: Speed::Slow,
    };
    Descriptor { id, name, about, factory, capabilities, table, presets: &[], make }
}

fn made(id: &'static str, config: &Value) -> Result<Arc<dyn Provider>, Vec<ConfigError>> {
    Ok(Arc::new(Strategy::new(id, config, None)?))
}

/// Returns all built-in providers.
pub fn all() -> impl Iterator<Item = &'static Descriptor> {
    providers::DESCRIPTORS.iter().chain(DESCRIPTORS)
}

/// Returns all built-in providers, each with its defaults.
pub fn registry() -> Registry {
    let mut registry = Registry::default();
    for provider in all().filter_map(|known| (known.make)(&Value::Null).ok()) {
        registry.register(provider);
    }
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_is_made_with_its_defaults_and_has_words() {
        for known in all() {
            let info = (known.make)(&Value::Null).unwrap_or_else(|faults| panic!("{}: {faults:?}", known.id)).info();
            assert_eq!((info.id.as_str(), BUILT_IN.contains(&known.id)), (known.id, true));
            assert!(
                info.name != known.name && info.description != known.about,
                "{} has no words in src/words",
                known.id
            );
        }
        assert_eq!(all().count(), BUILT_IN.len());
    }
}
