//! Condensation strategies. Each turns a conversation into a plan.
//!
//! A new provider is a file here with a type that implements [`Provider`], a line in [`create`], and its id in `strategies::BUILT_IN`: strategies, which
//! are made of these, stand above.

mod call_record;
mod choices;
mod edited;
mod error;
mod host_result;
mod lossless;
mod middle;
mod native;
mod pass_report;
mod pinned;
mod proposal;
mod provider;
mod request;
mod runner;
mod settle;
mod smart;
mod thinking;
mod tool_rules;
mod truncation;
mod turn;
mod upkeep;

use std::sync::Arc;

use serde_json::Value;

use crate::options::ConfigError;

pub use self::{
    call_record::CallRecord,
    choices::Choice,
    error::CondenseError,
    host_result::{Returned, proposal_of},
    lossless::Lossless,
    middle::SummaryQuality,
    native::Native,
    pass_report::{PassReport, PassTimer},
    proposal::{Change, Grade, Note, Proposal, Settled},
    provider::{Capabilities, Provider, ProviderInfo, Registry, Speed},
    request::{Request, Subject},
    runner::{State, Step},
    settle::settle,
    smart::Smart,
    thinking::{Binding, Thinking, ThinkingOutcome, ThinkingRule},
    truncation::Truncation,
    turn::{AcceptAll, Acceptance, ProviderStep, Repeatable, Turns, look_again, milliseconds, panic_message},
};

/// The ids of the providers that [`create`] makes.
const OWN_IDS: &[&str] = &[Native::ID, Smart::ID, Lossless::ID, Truncation::ID];

/// Makes one of the providers of this module by its id.
///
/// # Errors
/// Every field of `config` that is wrong, or the id when none of them has it.
pub fn create(id: &str, config: &Value) -> Result<Arc<dyn Provider>, Vec<ConfigError>> {
    match id {
        Native::ID => Ok(Arc::new(Native::new(config)?)),
        Smart::ID => Ok(Arc::new(Smart::new(config)?)),
        Lossless::ID => Ok(Arc::new(Lossless::new(config)?)),
        Truncation::ID => Ok(Arc::new(Truncation::new(config)?)),
        _ => Err(vec![ConfigError::not_allowed("provider", &Value::from(id), OWN_IDS.join(", "))]),
    }
}

/// The providers of this module, each with its defaults.
#[must_use]
pub fn registry() -> Registry {
    let mut registry = Registry::default();
    for provider in OWN_IDS.iter().filter_map(|id| create(id, &Value::Null).ok()) {
        registry.register(provider);
    }
    registry
}

/// A configuration with the fields of `overrides` in place of its own.
#[must_use]
pub fn merged(config: &Value, overrides: &Value) -> Value {
    match (config, overrides) {
        (Value::Object(config), Value::Object(overrides)) => {
            let mut merged = config.clone();
            merged.extend(overrides.clone());
            Value::Object(merged)
        }
        (config, Value::Null) => config.clone(),
        (_, overrides) => overrides.clone(),
    }
}
