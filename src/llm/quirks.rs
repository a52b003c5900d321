//! How servers depart from the protocol they speak.

use super::Api;

/// Departures of a server from the protocol, learned from what it refuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Quirks {
    /// Wants `max_completion_tokens` in place of `max_tokens`.
    pub completion_tokens: bool,
    /// Refuses any `temperature` but its own.
    pub no_temperature: bool,
    /// Does not know `stream_options`, so it will not report usage.
    pub no_stream_options: bool,
}

impl Quirks {
    /// Returns the quirks known in advance: OpenAI's own reasoning models refuse `max_tokens`, other servers know no
    /// other name.
    pub(super) fn of_host(api: Api, host: &str) -> Self {
        let own = host == "api.openai.com" || host.ends_with(".openai.azure.com");
        Self { completion_tokens: api == Api::OpenAi && own, ..Self::default() }
    }

    /// The parameter that limits the answer.
    pub(super) fn max_tokens_name(self) -> &'static str {
        if self.completion_tokens { "max_completion_tokens" } else { "max_tokens" }
    }

    /// The parameters that can be left out or renamed.
    pub(super) fn negotiable(self) -> [&'static str; 3] {
        [self.max_tokens_name(), "temperature", "stream_options"]
    }

    /// How to do without a parameter the server refused.
    pub(super) fn without(self, parameter: &str) -> Self {
        match parameter {
            "temperature" => Self { no_temperature: true, ..self },
            "stream_options" => Self { no_stream_options: true, ..self },
            _ => Self { completion_tokens: !self.completion_tokens, ..self },
        }
    }
}
