//! The smart provider: a lossless prelude, then passes one after the other, each with its own messages, mode, operations and condition.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `config` | what it is told to do, checked as a whole (`reading` names every fault by its path) |
//! | `schema` | the same as JSON Schema |
//! | `presets` | configurations by name |
//! | `engine` | the order of the work |
//! | `state` | the conversation as the passes so far have left it |
//! | `selection` | which messages a pass works on |
//! | `individual` | each text on its own, without a model |
//! | `summaries` | summaries of single texts |
//! | `batch` | one summary for many messages |

mod batch;
mod config;
mod engine;
mod individual;
mod presets;
mod reading;
mod schema;
mod selection;
mod state;
mod summaries;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use serde_json::Value;

pub use self::state::PassReport;
use self::{config::SmartConfig, engine::Engine};
use super::{Capabilities, CondenseError, ConfigError, Proposal, Provider, ProviderInfo, Request, Speed, merged};

/// Condenses in passes: lossless first, then what its configuration says, until the target is reached.
pub struct Smart {
    config: Value,
}

impl Smart {
    /// What it is registered under.
    pub const ID: &'static str = "smart";

    /// A provider with this configuration; null means the preset `balanced`.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        SmartConfig::read(config)?;
        Ok(Self { config: config.clone() })
    }

    /// All presets by name, as JSON.
    #[must_use]
    pub fn presets() -> Value {
        presets::all()
    }
}

#[async_trait]
impl Provider for Smart {
    fn info(&self) -> ProviderInfo {
        ProviderInfo {
            id: Self::ID.into(),
            name: "Smart".into(),
            description: "Condenses in passes: lossless first, then summaries and truncation of each kind of content as configured.".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            capabilities: Capabilities {
                supports_lossless: true,
                supports_lossy: true,
                supports_llm_summarization: true,
                supports_parallel_processing: true,
                supports_multi_pass: true,
                supports_fallback: true,
                estimated_speed: Speed::Medium,
            },
        }
    }

    fn config_schema(&self) -> Value {
        schema::schema()
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        SmartConfig::read(&merged(&self.config, config)).map(drop)
    }

    async fn propose(&self, request: &Request) -> Result<Proposal, CondenseError> {
        let config = SmartConfig::read(&merged(&self.config, &request.config))?;
        let reached = request.target_tokens.is_some() && request.meets_target(&request.tally);
        if !config.enabled || reached {
            return Ok(Proposal::default());
        }
        let engine = Engine::new(request);
        let state = engine.run(&config).await?;
        let (before, after) = (request.scaled(&request.tally), state.scaled());
        if state.tokens() >= request.tally.total()
            && let Some(failure) = engine.take_failure()
        {
            return Err(failure);
        }
        let mut warnings = engine.take_warnings();
        let saved = before.saturating_sub(after);
        if saved > 0 && saved < config.min_reduction_tokens {
            warnings.push(format!(
                "reduction_too_small: {saved} tokens would be saved, fewer than the {} that are worth a change (minReductionTokens)",
                config.min_reduction_tokens
            ));
            return Ok(Proposal { warnings, passes: state.passes, ..Proposal::default() });
        }
        Ok(Proposal { warnings, ..state.into_proposal(request) })
    }
}
