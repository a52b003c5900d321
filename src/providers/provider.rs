//! The trait that every strategy implements.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{error::CondenseError, proposal::Proposal, request::Request};
use crate::{options::ConfigError, protect::ProtectRules};

/// A condensation strategy: it turns a conversation into a plan. It never changes the conversation itself.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Who it is.
    fn info(&self) -> ProviderInfo;

    /// JSON Schema (2020-12) of its configuration.
    fn config_schema(&self) -> Value;

    /// Checks a configuration; every fault is listed.
    ///
    /// # Errors
    /// All fields that are wrong.
    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>>;

    /// Decides what to change.
    ///
    /// # Errors
    /// Any [`CondenseError`]; the conversation is then left as it is.
    async fn propose(&self, request: &Request) -> Result<Proposal, CondenseError>;

    /// What its configuration, with the fields of `config` in place of its own, protects.
    fn protects(&self, _config: &Value) -> ProtectRules {
        ProtectRules::default()
    }

    /// Whether it may be run again on its own result where that misses the target: for those that ask nobody, take milliseconds, and may find
    /// more once the rest is gone. What it says of its speed has nothing to do with it.
    fn may_repeat(&self) -> bool {
        false
    }
}

/// What a provider says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProviderInfo {
    /// What it is registered under.
    pub id: String,
    /// For people.
    #[serde(default)]
    pub name: String,
    /// What it does, in a sentence.
    #[serde(default)]
    pub description: String,
    /// Of the provider.
    #[serde(default)]
    pub version: String,
    /// What it can do.
    #[serde(default)]
    pub capabilities: Capabilities,
}

/// What a provider can do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Capabilities {
    /// It can work without losing anything.
    pub supports_lossless: bool,
    /// It can drop content.
    pub supports_lossy: bool,
    /// It can cut texts short.
    pub supports_truncation: bool,
    /// It can ask a model for summaries.
    #[serde(rename = "supportsLLMSummarization")]
    pub supports_llm_summarization: bool,
    /// It works on several parts at once.
    pub supports_parallel_processing: bool,
    /// It works in passes.
    pub supports_multi_pass: bool,
    /// It may stand in for another provider.
    pub supports_fallback: bool,
    /// It asks no model, so it costs nothing.
    pub is_free: bool,
    /// `fast`: milliseconds; `medium`: seconds; `slow`: tens of seconds.
    pub estimated_speed: Speed,
}

/// How long a provider takes.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speed {
    /// Milliseconds.
    Fast,
    /// Seconds.
    #[default]
    Medium,
    /// Tens of seconds.
    Slow,
}
