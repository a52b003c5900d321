//! The trait that every provider implements, and the registry of providers.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Descriptor, condense_error::CondenseError, proposal::Proposal, request::Request};
use crate::{
    options::{ConfigError, merged, near, schema, short},
    protect::ProtectRules,
    transcript::ToolRows,
};

/// A condensation algorithm. It turns a conversation into a plan, and never changes the conversation itself.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Returns the descriptor and the configuration, for providers of this package. The defaults of the other methods
    /// use them.
    fn built_in(&self) -> Option<(&'static Descriptor, &Value)> {
        None
    }

    /// Returns its public description.
    fn info(&self) -> ProviderInfo {
        self.built_in().map(|(descriptor, _)| descriptor.info()).unwrap_or_default()
    }

    /// Returns the JSON Schema (2020-12) of its configuration.
    fn config_schema(&self) -> Value {
        self.built_in().map_or_else(|| json!({}), |(descriptor, _)| schema((descriptor.table)()))
    }

    /// Checks a configuration.
    fn validate_config(&self, _config: &Value) -> Result<(), Vec<ConfigError>> {
        Ok(())
    }

    /// Decides what to change. The fields of `config` take the place of its own.
    ///
    /// # Errors
    /// Any [`CondenseError`]; the conversation then remains unchanged.
    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError>;

    /// Decides what to change, for a provider that runs others. The default ignores `_others`.
    async fn propose_among(
        &self,
        request: &Request,
        config: &Value,
        _others: &Registry,
    ) -> Result<Proposal, CondenseError> {
        self.propose(request, config).await
    }

    /// Returns the protection rules of its configuration, with the fields of `config` in place of its own.
    fn protects(&self, config: &Value) -> ProtectRules {
        self.built_in().map(|(_, own)| ProtectRules::in_config(&merged(own, config))).unwrap_or_default()
    }

    /// Returns the tool rules of its configuration, with the fields of `config` in place of its own.
    fn tools(&self, config: &Value) -> ToolRows {
        self.built_in().map(|(_, own)| ToolRows::in_config(&merged(own, config))).unwrap_or_default()
    }

    /// Returns true if the manager may run the provider again on its own result: after a proposal that is
    /// [`unfinished`](Proposal::unfinished), and after other providers if the target is missed. The provider must call no
    /// model, take milliseconds, and be able to find more. Independent of `estimated_speed`.
    fn may_repeat(&self) -> bool {
        false
    }

    /// Returns true if it may be repeated when there is no handler, for providers that call no model then.
    fn may_repeat_without_model(&self) -> bool {
        self.may_repeat()
    }
}

/// The description of a provider.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProviderInfo {
    /// The id it is registered under.
    pub id: String,
    /// The name for people.
    #[serde(default)]
    pub name: String,
    /// One sentence: what the provider does.
    #[serde(default)]
    pub description: String,
    /// The provider's version.
    #[serde(default)]
    pub version: String,
    /// Its capabilities.
    #[serde(default)]
    pub capabilities: Capabilities,
}

/// The abilities of a provider.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ProviderCapabilities"))]
#[serde(rename_all = "camelCase", default)]
pub struct Capabilities {
    /// Can condense without losing anything.
    pub supports_lossless: bool,
    /// Can drop content.
    pub supports_lossy: bool,
    /// Can shorten texts.
    pub supports_truncation: bool,
    /// Can have an LLM write summaries.
    #[serde(rename = "supportsLLMSummarization")]
    pub supports_llm_summarization: bool,
    /// Works on several parts at once.
    pub supports_parallel_processing: bool,
    /// Works in passes.
    pub supports_multi_pass: bool,
    /// Can be the fallback of another provider.
    pub supports_fallback: bool,
    /// Calls no LLM, so it costs nothing.
    pub is_free: bool,
    /// `fast`: milliseconds; `medium` (default): seconds; `slow`: tens of seconds.
    #[cfg_attr(test, ts(inline))]
    pub estimated_speed: Speed,
}

impl Capabilities {
    /// No capabilities.
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

/// The time a provider takes.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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

/// Providers by id, in the order of registration. Cheap to copy.
#[derive(Clone, Default)]
pub struct Registry {
    providers: Arc<Vec<Arc<dyn Provider>>>,
}

impl Registry {
    /// Adds a provider, replacing one with the same id.
    pub fn register(&mut self, provider: Arc<dyn Provider>) {
        let id = provider.info().id;
        let providers = Arc::make_mut(&mut self.providers);
        match providers.iter_mut().find(|known| known.info().id == id) {
            Some(known) => *known = provider,
            None => providers.push(provider),
        }
    }

    /// Removes a provider. Returns whether it was registered.
    pub fn unregister(&mut self, id: &str) -> bool {
        let count = self.providers.len();
        Arc::make_mut(&mut self.providers).retain(|provider| provider.info().id != id);
        self.providers.len() < count
    }

    /// Returns the provider with this id.
    ///
    /// # Errors
    /// [`CondenseError::UnknownProvider`], which names the registered ids.
    pub fn get(&self, id: &str) -> Result<Arc<dyn Provider>, CondenseError> {
        self.providers.iter().find(|provider| provider.info().id == id).cloned().ok_or_else(|| {
            let ids: Vec<_> = self.list().into_iter().map(|info| info.id).collect();
            let near = near(id, ids.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
            CondenseError::UnknownProvider { id: short(id).into_owned(), near, registered: ids.join(", ") }
        })
    }

    /// Returns the description of each provider.
    pub fn list(&self) -> Vec<ProviderInfo> {
        self.providers.iter().map(|provider| provider.info()).collect()
    }
}
