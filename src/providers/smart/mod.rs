//! The smart provider: a lossless prelude, then passes, each with its own messages, mode, operations and condition.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `tables` | the options |
//! | `config` | a checked configuration |
//! | `presets` | the presets |
//! | `engine` | runs prelude and passes in order |
//! | `message_selection` | selects the messages that a pass works on |
//! | `individual` | processes each text separately, without a model |
//! | `batch` | one summary for many messages |
//! | `known` | the summaries that a call already has |
//! | `worth` | limits the cost of requests |

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

pub use self::tables::CALIBRATE_TABLE;
use self::{
    config::SmartConfig,
    engine::{Engine, any_asks},
    tables::ConfigOptions,
};
use super::{Capabilities, CondenseError, Descriptor, Proposal, Provider, Request, Speed, State};
use crate::{
    options::{ConfigError, Options, merged},
    progress::Progress,
    summaries::{Budget, Llm, Preview},
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// Condenses in passes: first lossless, then as configured, until the target is reached.
pub struct Smart {
    config: Value,
}

/// The descriptor of this provider.
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
    /// The id it is registered under.
    pub const ID: &'static str = config::ID;

    /// Creates a provider with this configuration; null means the preset `balanced`.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        SmartConfig::read(config)?;
        Ok(Self { config: config.clone() })
    }

    /// Returns all presets by name, as JSON.
    pub fn presets() -> Value {
        presets::all()
    }
}

#[async_trait]
impl Provider for Smart {
    fn built_in(&self) -> Option<(&'static Descriptor, &Value)> {
        Some((&DESCRIPTOR, &self.config))
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        SmartConfig::read(&merged(&self.config, config)).map(drop)
    }

    fn may_repeat_without_model(&self) -> bool {
        true
    }

    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError> {
        let given = merged(&self.config, config);
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
                // The passes do what they can; the request's cost is reported.
                Err(error) => {
                    let said = said!("warning.oneSummaryFailed", code: error.code(), error: error.said());
                    engine.warnings.add(Warning::new(WarningCode::SummaryFailed, said).caused_by(error.code()));
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

/// If the target is less than the tokens divided by this number, presets request one summary instead of one per
/// message. One summary takes a single request, and readers learn more from it and the messages around it. At a tenth
/// and a quarter of the tokens, 84 and 91 of 100 questions were answered (docs/decisions/0010-salience.md).
const TIGHT: usize = 3;

fn is_tight(request: &Request) -> bool {
    request.target_tokens.is_some_and(|target| target.saturating_mul(TIGHT) < request.scaled(&request.tally))
}

/// Returns the request with summaries as short as possible, without calling a model or reporting progress.
fn at_best(request: &Request) -> Request {
    let llm = Llm {
        preview: Some(Preview::Shortest),
        spent: Arc::default(),
        budget: Arc::new(Budget::new(None)),
        ..request.llm.clone()
    };
    Request { llm, progress: Progress::default(), ..request.clone() }
}

/// Returns the warning that a result saves too little to be used.
fn too_small(config: &SmartConfig, request: &Request, state: &State, when: Said) -> Option<Warning> {
    let saved = request.scaled(&request.tally).saturating_sub(state.scaled());
    (saved > 0 && saved < config.min_reduction_tokens).then(|| {
        let said = said!("warning.reductionTooSmall", saved: saved, when: when, least: config.min_reduction_tokens);
        Warning::new(WarningCode::ReductionTooSmall, said).about("minReductionTokens")
    })
}
