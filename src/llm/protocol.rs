//! What the two protocols have in common: a request body out, events in, an answer built up.

use serde_json::Value;

use super::{Api, HttpConfig, LlmRequest, StopReason, Usage, anthropic, fault::ServiceError, openai};

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub text: String,
    /// `None` until the service reports any.
    pub usage: Option<Usage>,
    /// `None` until the service gives one.
    pub stop: Option<StopReason>,
    /// Whether the event that ends a stream has come.
    pub ended: bool,
}

impl Answer {
    /// Whether the text is complete. Many OpenAI-compatible servers leave `[DONE]` out: there the reason to stop will do.
    pub(super) fn is_complete(&self, api: Api) -> bool {
        self.ended || (api == Api::OpenAi && self.stop.is_some())
    }
}

/// Why an event could not be taken in.
#[derive(Debug)]
pub(super) enum EventFault {
    /// It is an error of the service.
    Service(ServiceError),
    /// It is not of the protocol: what it is instead.
    Malformed(&'static str),
}

/// Where a server departs from the protocol; learned from what it refuses.
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
    /// What is known in advance: OpenAI's own reasoning models refuse `max_tokens`, all others know only that.
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

impl Api {
    /// The header and the value that carry the key.
    pub(super) fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Anthropic => ("x-api-key", key.to_owned()),
            Self::OpenAi => ("authorization", format!("Bearer {key}")),
        }
    }

    /// The body of a request.
    pub(super) fn body(self, config: &HttpConfig, request: &LlmRequest, quirks: Quirks) -> Value {
        match self {
            Self::Anthropic => anthropic::body(config, request, quirks),
            Self::OpenAi => openai::body(config, request, quirks),
        }
    }

    /// Takes in one event of a stream. `name` is its `event` field.
    pub(super) fn event(self, answer: &mut Answer, name: Option<&str>, data: &str) -> Result<(), EventFault> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(());
        }
        if self == Self::OpenAi && data == openai::DONE {
            answer.ended = true;
            return Ok(());
        }
        match (serde_json::from_str::<Value>(data), self) {
            (Ok(event), Self::Anthropic) => anthropic::event(answer, &event),
            (Ok(event), Self::OpenAi) => openai::event(answer, &event),
            (Err(_), _) if name == Some("error") => {
                let error = ServiceError { kind: "error".into(), message: data.to_owned(), ..ServiceError::default() };
                Err(EventFault::Service(error))
            }
            (Err(_), _) => Err(EventFault::Malformed("an event that is not JSON")),
        }
    }

    /// Takes in an answer that came whole.
    pub(super) fn whole(self, answer: &mut Answer, json: &[u8]) -> Result<(), EventFault> {
        let Ok(json) = serde_json::from_slice::<Value>(json) else {
            return Err(EventFault::Malformed("neither a stream of events nor JSON"));
        };
        match self {
            Self::Anthropic => anthropic::whole(answer, &json),
            Self::OpenAi => openai::whole(answer, &json),
        }
    }

    /// The text as the caller gets it.
    pub(super) fn finished(self, text: String) -> String {
        match self {
            Self::Anthropic => text,
            Self::OpenAi => openai::finished(text),
        }
    }
}
