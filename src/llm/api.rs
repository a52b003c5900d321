//! The protocols of services.

/// The protocol of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// The Anthropic Messages API.
    Anthropic,
    /// Chat completions as offered by OpenAI, OpenRouter, Ollama, vLLM, LM Studio, DeepSeek and many others.
    OpenAi,
}

crate::options::words! { impl Api { Anthropic = "anthropic", OpenAi = "openai" } }

impl Api {
    /// Returns its name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }
}
