//! Which protocol a service speaks.

/// The protocol a service speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// The Anthropic Messages API.
    Anthropic,
    /// Chat completions as OpenAI, OpenRouter, Ollama, vLLM, LM Studio, DeepSeek and many others offer them.
    OpenAi,
}

crate::options::words! { impl Api { Anthropic = "anthropic", OpenAi = "openai" } }

impl Api {
    /// Its name in options and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }
}
