//! The native provider: replaces the middle of the conversation with one summary written by a language model.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::{
    Capabilities, CondenseError, Descriptor, Proposal, Provider, ProviderInfo, Request, Speed,
    middle::{Middle, SUMMARY_CHECK, SummaryCheck, SummaryRequest, summarize_middle},
};
use crate::{
    options::{ConfigError, Field, Kind, Table, merged},
    protect::{FROZEN_MESSAGES, PROTECT, ProtectRules},
    summaries::{CONDENSING_PROFILE, DEFAULT_WINDOW},
    transcript::ToolRows,
};

/// Summarises everything between the first message and the newest ones: `[first, summary, ...newest]`.
pub struct Native {
    config: Value,
}

static TABLE: Table = Table::new(
    "Configuration of the native provider",
    &[
        Field::integer(
            "maxMessagesToKeep",
            Native::KEEP as u64,
            1,
            10,
            "How many of the newest messages stay as they are; more where roles or tool pairs ask for it.",
        ),
        Field::new(
            "customCondensingPrompt",
            Kind::Text { default: Some(""), not_blank: false, reserved: &[] },
            "The system prompt to summarise by; blank for the default. A prompt given with the call or the profile wins.",
        ),
        Field::text(CONDENSING_PROFILE, "The profile of the manager whose handler and price are for the summary."),
        Field::integer(
            "contextWindow",
            DEFAULT_WINDOW as u64,
            1024,
            100_000_000,
            "Tokens of the condensing model's context window, when its handler does not know. Longer histories are summarised in parts.",
        ),
        Field::integer("maxConcurrency", 3, 1, 16, "How many parts of a long history are summarised at once."),
        PROTECT,
        FROZEN_MESSAGES,
        SummaryRequest::FIELD,
        SUMMARY_CHECK,
    ],
);

/// The descriptor of this provider.
pub const DESCRIPTOR: Descriptor = Descriptor {
    id: Native::ID,
    name: "called.native",
    about: "does.native",
    factory: "createNativeProvider",
    capabilities: Capabilities {
        supports_lossy: true,
        supports_llm_summarization: true,
        supports_parallel_processing: true,
        supports_fallback: true,
        estimated_speed: Speed::Slow,
        ..Capabilities::NONE
    },
    presets: &[],
    make: |config| Ok(Arc::new(Native::new(config)?)),
};

impl Native {
    /// The id it is registered under.
    pub const ID: &'static str = "native";
    /// Number of newest messages kept, if the configuration does not set `maxMessagesToKeep`.
    pub const KEEP: usize = 3;

    /// Creates a provider with this configuration.
    ///
    /// # Errors
    /// Every wrong field.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        TABLE.read(config)?;
        Ok(Self { config: config.clone() })
    }
}

#[async_trait]
impl Provider for Native {
    fn info(&self) -> ProviderInfo {
        DESCRIPTOR.info()
    }

    fn config_schema(&self) -> Value {
        TABLE.schema()
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        TABLE.read(config).map(drop)
    }

    fn protects(&self, config: &Value) -> ProtectRules {
        ProtectRules::in_config(&merged(&self.config, config))
    }

    fn tools(&self, config: &Value) -> ToolRows {
        ToolRows::in_config(&merged(&self.config, config))
    }

    async fn propose(&self, request: &Request) -> Result<Proposal, CondenseError> {
        let config = merged(&self.config, &request.config);
        let settings = TABLE.read(&config)?;
        let middle = Middle {
            provider: Self::ID,
            keep: settings.integer("maxMessagesToKeep"),
            prompt: settings.text("customCondensingPrompt"),
            concurrency: settings.integer("maxConcurrency"),
            window: settings.integer("contextWindow"),
            request: SummaryRequest::of(&settings),
            check: SummaryCheck::of(&settings),
        };
        let profile = settings.given_text(CONDENSING_PROFILE);
        let asked = Request { llm: request.llm.under(profile), ..request.clone() };
        let mut proposal = summarize_middle(&asked, middle).await?;
        proposal.warnings.extend(request.llm.warn_of_others(profile));
        Ok(proposal)
    }
}
