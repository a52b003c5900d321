//! What the two protocols have in common: a request body out, events in, an answer built up.

use serde_json::Value;

use super::{Api, HttpConfig, LlmRequest, StopReason, TokenUsage, anthropic, fault::ServiceError, openai};

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct StreamedAnswer {
    pub text: String,
    /// `None` until the service reports any.
    pub usage: Option<TokenUsage>,
    /// `None` until the service gives one.
    pub stop: Option<StopReason>,
    /// Whether the event that ends a stream has come.
    pub ended: bool,
}

impl StreamedAnswer {
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
    pub(super) fn event(self, answer: &mut StreamedAnswer, name: Option<&str>, data: &str) -> Result<(), EventFault> {
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
    pub(super) fn whole(self, answer: &mut StreamedAnswer, json: &[u8]) -> Result<(), EventFault> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::llm::{ModelPrice, fault::ErrorAnswer};

    /// JSON of the words both protocols use, put together wrongly.
    fn any_event() -> impl Strategy<Value = Value> {
        let word = prop_oneof![
            Just("type"),
            Just("delta"),
            Just("content"),
            Just("text"),
            Just("text_delta"),
            Just("message_start"),
            Just("message"),
            Just("content_block_delta"),
            Just("usage"),
            Just("input_tokens"),
            Just("prompt_tokens"),
            Just("cost"),
            Just("choices"),
            Just("finish_reason"),
            Just("error"),
            Just("code"),
            Just("metadata"),
            Just("raw"),
            Just("stop_reason"),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            word.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((word.clone(), inner), 0..5).prop_map(|fields| Value::Object(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_event_can_make_reading_panic(events in prop::collection::vec(any_event(), 1..6)) {
            for api in [Api::Anthropic, Api::OpenAi] {
                let mut answer = StreamedAnswer::default();
                for event in &events {
                    let _ = api.event(&mut answer, None, &event.to_string());
                    let _ = api.whole(&mut StreamedAnswer::default(), event.to_string().as_bytes());
                }
                if let Some(usage) = answer.usage {
                    let price = ModelPrice { input_price: Some(1.0), ..ModelPrice::default() };
                    let cost = price.cost(api, &usage);
                    prop_assert!(cost >= 0.0);
                }
            }
        }

        #[test]
        fn no_error_body_can_make_reading_panic(status in 400u16..600, body in prop::collection::vec(any::<u8>(), 0..60), event in any_event()) {
            for body in [body, event.to_string().into_bytes()] {
                let answer = ErrorAnswer::new(status, None, &body);
                let _ = answer.service.refused_parameter(&Quirks::default().negotiable());
                prop_assert!(answer.into_error(Box::default()).code().starts_with("llm_"));
            }
        }
    }
}
