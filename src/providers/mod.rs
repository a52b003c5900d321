//! Condensation strategies. Each turns a conversation into a plan.
//!
//! A new provider is a file here with a type that implements [`Provider`], and a line in [`create`].

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
mod registry;
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
    error::CondenseError,
    host_result::{Returned, proposal_of},
    lossless::Lossless,
    native::Native,
    pass_report::PassReport,
    proposal::{Change, Grade, Note, Proposal, Settled},
    provider::{Capabilities, Provider, ProviderInfo, Speed},
    registry::Registry,
    request::Request,
    runner::{State, Step},
    settle::settle,
    smart::Smart,
    thinking::{Binding, Thinking, ThinkingOutcome, ThinkingRule},
    truncation::Truncation,
    turn::{Acceptance, CallRecord, ProviderStep, Repeatable, Turns, look_again, milliseconds, panic_message},
};

/// The ids of the providers that [`create`] makes.
pub const BUILT_IN: &[&str] = &[Native::ID, Smart::ID, Lossless::ID, Truncation::ID];

/// Makes a built-in provider by its id.
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
/// ```
pub fn create(id: &str, config: &Value) -> Result<Arc<dyn Provider>, Vec<ConfigError>> {
    match id {
        Native::ID => Ok(Arc::new(Native::new(config)?)),
        Smart::ID => Ok(Arc::new(Smart::new(config)?)),
        Lossless::ID => Ok(Arc::new(Lossless::new(config)?)),
        Truncation::ID => Ok(Arc::new(Truncation::new(config)?)),
        _ => Err(vec![ConfigError::not_allowed("provider", &Value::from(id), BUILT_IN.join(", "))]),
    }
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
