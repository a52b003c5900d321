//! The native provider: replaces the middle of the conversation with one summary written by a language model.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::{
    Capabilities, CondenseError, Descriptor, Proposal, Provider, Request, Speed,
    middle::{Middle, SUMMARY_CHECK, SummaryCheck, SummaryCheckOption, SummaryRequest, summarize_middle},
};
use crate::{
    options::{ConfigError, Options, Table, Unread, choice, merged, options, text, whole},
    protect::{FROZEN_MESSAGES, PROTECT},
    summaries::DEFAULT_WINDOW,
};

/// Summarises everything between the first message and the newest ones: `[first, summary, ...newest]`.
pub struct Native {
    config: Value,
}

options! {
    /// The configuration.
    struct NativeConfig: Table::titled("Configuration of the native provider").interface("NativeConfig", "Configuration of the native provider.");

    /// How many of the newest messages stay as they are; more where roles or tool pairs ask for it.
    max_messages_to_keep: usize = whole(1, 10).or(Native::KEEP as u64),
    /// The system prompt to summarise by; blank for the default. A prompt given with the call or the profile wins.
    custom_condensing_prompt: String = text().or(""),
    /// The profile of the manager whose handler and price are for the summary.
    ///
    /// It is one of `ManagerOptions.profiles`. Default, and with the warning `handler_missing` if the profile has no handler: the condensing handler.
    condensing_api_config_id: Option<String> = text().if_set(),
    /// Tokens of the condensing model's context window, when its handler does not know. Longer histories are summarised in parts.
    ///
    /// The summaries of the parts are then merged.
    context_window: usize = whole(1024, 100_000_000).or(DEFAULT_WINDOW as u64),
    /// How many parts of a long history are summarised at once.
    max_concurrency: usize = whole(1, 16).or(3),
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
    /// How the summary is asked for: `append` sends the host's own request (`context.tools`, `systemPrompt` and messages, byte for byte) with the question
    /// as the last message, so that the service reads it from its prompt cache; `own` sends a request made for the purpose; `auto` appends where the same
    /// handler serves conversation and summaries.
    ///
    /// To append, the messages must be those of the call, and the handler must support it: Anthropic's API, and custom handlers. A request that does not fit
    /// the model's window is summarised in parts, as with `own`. The cache costs about a tenth of the price.
    summary_request: SummaryRequest = choice().or_first(),
    summary_check: SummaryCheckOption = SUMMARY_CHECK,
}

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
    table: || NativeConfig::TABLE,
    presets: &[],
    make: |config| Ok(Arc::new(Native::new(config)?)),
};

impl Native {
    /// The id it is registered under.
    pub const ID: &'static str = "native";
    /// Number of newest messages kept, if the configuration does not set `maxMessagesToKeep`.
    pub const KEEP: usize = 3;

    /// Creates a provider with this configuration.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        NativeConfig::read(config)?;
        Ok(Self { config: config.clone() })
    }
}

#[async_trait]
impl Provider for Native {
    fn built_in(&self) -> Option<(&'static Descriptor, &Value)> {
        Some((&DESCRIPTOR, &self.config))
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        NativeConfig::read(config).map(drop)
    }

    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError> {
        let config = NativeConfig::read(&merged(&self.config, config))?;
        let middle = Middle {
            provider: Self::ID,
            keep: config.max_messages_to_keep,
            prompt: &config.custom_condensing_prompt,
            concurrency: config.max_concurrency,
            window: config.context_window,
            request: config.summary_request,
            check: SummaryCheck::wanted(config.summary_check),
        };
        let profile = config.condensing_api_config_id.as_deref();
        let asked = Request { llm: request.llm.under(profile), ..request.clone() };
        let mut proposal = summarize_middle(&asked, middle).await?;
        proposal.warnings.extend(request.llm.warn_of_others(profile));
        Ok(proposal)
    }
}
