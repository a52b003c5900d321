//! The trait that every provider implements, and those there are.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{condense_error::CondenseError, proposal::Proposal, request::Request};
use crate::{
    options::{ConfigError, near},
    protect::ProtectRules,
    transcript::ToolRows,
};

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

    /// The same, for a provider that asks others.
    ///
    /// # Errors
    /// As [`Provider::propose`].
    async fn propose_among(&self, request: &Request, _others: &Registry) -> Result<Proposal, CondenseError> {
        self.propose(request).await
    }

    /// What its configuration, with the fields of `config` in place of its own, protects.
    fn protects(&self, _config: &Value) -> ProtectRules {
        ProtectRules::default()
    }

    /// Returns the tool rules of its configuration, with the fields of `config` in place of its own.
    fn tools(&self, _config: &Value) -> ToolRows {
        ToolRows::default()
    }

    /// Whether it may be run again on its own result where that misses the target: for those that ask nobody, take milliseconds, and may find
    /// more once the rest is gone. What it says of its speed has nothing to do with it.
    fn may_repeat(&self) -> bool {
        false
    }

    /// The same, where there is no model to ask: for those that ask nobody then.
    fn may_repeat_without_model(&self) -> bool {
        self.may_repeat()
    }
}

/// What a provider says of itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
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

impl Capabilities {
    /// None of them.
    pub const NONE: Self = Self {
        supports_lossless: false,
        supports_lossy: false,
        supports_truncation: false,
        supports_llm_summarization: false,
        supports_parallel_processing: false,
        supports_multi_pass: false,
        supports_fallback: false,
        is_free: false,
        estimated_speed: Speed::Medium,
    };
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

/// Providers by id, in the order they were registered. A copy is cheap.
#[derive(Clone, Default)]
pub struct Registry {
    providers: Arc<Vec<Arc<dyn Provider>>>,
}

impl Registry {
    /// Adds a provider; one with the same id is replaced.
    pub fn register(&mut self, provider: Arc<dyn Provider>) {
        let id = provider.info().id;
        let providers = Arc::make_mut(&mut self.providers);
        match providers.iter_mut().find(|known| known.info().id == id) {
            Some(known) => *known = provider,
            None => providers.push(provider),
        }
    }

    /// Removes a provider. Whether there was one.
    pub fn unregister(&mut self, id: &str) -> bool {
        let count = self.providers.len();
        Arc::make_mut(&mut self.providers).retain(|provider| provider.info().id != id);
        self.providers.len() < count
    }

    /// The provider with this id.
    ///
    /// # Errors
    /// [`CondenseError::UnknownProvider`] names the ids there are.
    pub fn get(&self, id: &str) -> Result<Arc<dyn Provider>, CondenseError> {
        self.providers.iter().find(|provider| provider.info().id == id).cloned().ok_or_else(|| {
            let ids: Vec<_> = self.list().into_iter().map(|info| info.id).collect();
            let near = near(id, ids.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
            CondenseError::UnknownProvider { id: id.to_owned(), near, registered: ids.join(", ") }
        })
    }

    /// What the providers say of themselves.
    #[must_use]
    pub fn list(&self) -> Vec<ProviderInfo> {
        self.providers.iter().map(|provider| provider.info()).collect()
    }
}
