//! The smart provider: a lossless prelude, then passes one after the other, each with its own messages, mode, operations and condition.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `tables` | what a configuration may hold |
//! | `config` | what it is told to do |
//! | `presets` | configurations by name |
//! | `engine` | the order of the work |
//! | `message_selection` | which messages a pass works on |
//! | `individual` | each text on its own, without a model |
//! | `batch` | one summary for many messages |
//! | `known` | summaries of texts that a call has already |
//! | `worth` | how much is asked of a model |

mod batch;
mod config;
mod engine;
mod individual;
mod known;
mod message_selection;
mod presets;
mod tables;
#[cfg(test)]
mod tests;
mod worth;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use self::{
    config::SmartConfig,
    engine::{Engine, any_asks},
    tables::ConfigOptions,
};
use super::{Capabilities, CondenseError, Descriptor, Proposal, Provider, ProviderInfo, Request, Speed, State};
use crate::{
    options::{ConfigError, Options, merged},
    progress::Progress,
    protect::ProtectRules,
    summaries::{Budget, Llm, Preview},
    transcript::ToolRows,
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// Condenses in passes: lossless first, then what its configuration says, until the target is reached.
pub struct Smart {
    config: Value,
}

/// What it is.
pub const DESCRIPTOR: Descriptor = Descriptor {
    id: Smart::ID,
    name: "called.smart",
    about: "does.smart",
    factory: "createSmartProvider",
    capabilities: Capabilities {
        supports_lossless: true,
        supports_lossy: true,
        supports_truncation: true,
        supports_llm_summarization: true,
        supports_parallel_processing: true,
        supports_multi_pass: true,
        is_free: false,
        supports_fallback: true,
        estimated_speed: Speed::Medium,
    },
    table: || ConfigOptions::TABLE,
    presets: presets::NAMES,
    make: |config| Ok(Arc::new(Smart::new(config)?)),
};

impl Smart {
    /// What it is registered under.
    pub const ID: &'static str = config::ID;

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
        DESCRIPTOR.info()
    }

    fn config_schema(&self) -> Value {
        ConfigOptions::schema()
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        SmartConfig::read(&merged(&self.config, config)).map(drop)
    }

    fn protects(&self, config: &Value) -> ProtectRules {
        ProtectRules::in_config(&merged(&self.config, config))
    }

    fn tools(&self, config: &Value) -> ToolRows {
        ToolRows::in_config(&merged(&self.config, config))
    }

    fn may_repeat_without_model(&self) -> bool {
        true
    }

    async fn propose(&self, request: &Request) -> Result<Proposal, CondenseError> {
        let given = merged(&self.config, &request.config);
        let mut config = SmartConfig::read(&given)?;
        if !any_asks(request, &config) {
            config = SmartConfig::read_alone(&given)?;
        }
        let reached = request.target_tokens.is_some() && request.meets_target(&request.tally);
        if !config.enabled || reached {
            return Ok(Proposal::default());
        }
        let request = &*request.with_tools(&config.tools);
        let engine = Engine::new(request, &config);
        let may_take_one =
            config.preset.is_some_and(|preset| preset != presets::ASKS_OF_EACH) && config.min_reduction_tokens == 0;
        if may_take_one && engine.asks() && is_tight(request) {
            match engine.one_summary().await {
                Ok(proposal) => return Ok(proposal),
                // The passes do what they can; what was paid for is told.
                Err(error) => {
                    let said = said!("warning.oneSummaryFailed", code: error.code(), error: error.said());
                    engine.warnings.add(Warning::new(WarningCode::SummaryFailed, said).of(error.code()));
                }
            }
        }
        if config.min_reduction_tokens > 0 && engine.asks() && request.llm.preview.is_none() {
            let trial = at_best(request);
            let state = Engine::new(&trial, &config).run().await?;
            if let Some(warning) = too_small(&config, request, &state, said!("warning.atBest")) {
                return Ok(Proposal { warnings: vec![warning], ..Proposal::default() });
            }
        }
        let state = engine.run().await?;
        if state.tokens() >= request.tally.total()
            && let Some(failure) = engine.take_failure()
        {
            return Err(failure);
        }
        let mut warnings = engine.warnings.take();
        warnings.extend(engine.worth.warning().filter(|_| request.llm.preview.is_some()));
        if let Some(warning) = too_small(&config, request, &state, said!("warning.inAll")) {
            warnings.push(warning);
            return Ok(Proposal { warnings, passes: state.passes, ..Proposal::default() });
        }
        warnings.extend(state.missed.clone().filter(|_| !state.meets_target()));
        Ok(Proposal { warnings, ..state.into_proposal(request) })
    }
}

/// Where fewer than one of so many tokens may stay, presets ask for one summary and not for one of each message: a reader knows more from it and what stands
/// around it (docs/decisions/0010-salience.md: 84 and 91 of 100 questions at a tenth and a quarter), and it is one request.
const TIGHT: usize = 3;

fn is_tight(request: &Request) -> bool {
    request.target_tokens.is_some_and(|target| target.saturating_mul(TIGHT) < request.scaled(&request.tally))
}

/// The same work with the shortest summaries there could be, asking nobody and telling nobody.
fn at_best(request: &Request) -> Request {
    let llm = Llm {
        preview: Some(Preview::Shortest),
        spent: Arc::default(),
        budget: Arc::new(Budget::new(None)),
        ..request.llm.clone()
    };
    Request { llm, progress: Progress::default(), ..request.clone() }
}

/// The warning that a result is not worth a change.
fn too_small(config: &SmartConfig, request: &Request, state: &State, when: Said) -> Option<Warning> {
    let saved = request.scaled(&request.tally).saturating_sub(state.scaled());
    (saved > 0 && saved < config.min_reduction_tokens).then(|| {
        let said = said!("warning.reductionTooSmall", saved: saved, when: when, least: config.min_reduction_tokens);
        Warning::new(WarningCode::ReductionTooSmall, said).about("minReductionTokens")
    })
}
