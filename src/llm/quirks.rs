//! Deviations of servers from their protocol.

use super::Api;

/// Deviations of a server from the protocol, learned from the parameters it refuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Quirks {
    /// True if it requires `max_completion_tokens` instead of `max_tokens`.
    pub completion_tokens: bool,
    /// True if it refuses any `temperature` but its own.
    pub no_temperature: bool,
    /// True if it does not know `stream_options`, so that it will not report usage.
    pub no_stream_options: bool,
}

impl Quirks {
    /// Returns the quirks known in advance: OpenAI's own reasoning models refuse `max_tokens`, and other servers know
    /// no other name.
    pub(super) fn of_host(api: Api, host: &str) -> Self {
        let own = host == "api.openai.com" || host.ends_with(".openai.azure.com");
        Self { completion_tokens: api == Api::OpenAi && own, ..Self::default() }
    }

    /// Returns the parameter that limits the response.
    pub(super) fn max_tokens_name(self) -> &'static str {
        if self.completion_tokens { "max_completion_tokens" } else { "max_tokens" }
    }

    /// Returns the parameters that can be omitted or renamed.
    pub(super) fn negotiable(self) -> [&'static str; 3] {
        [self.max_tokens_name(), "temperature", "stream_options"]
    }

    /// Returns the quirks after the server refused a parameter.
    pub(super) fn without(self, parameter: &str) -> Self {
        match parameter {
            "temperature" => Self { no_temperature: true, ..self },
            "stream_options" => Self { no_stream_options: true, ..self },
            _ => Self { completion_tokens: !self.completion_tokens, ..self },
        }
    }
}
