//! The two protocols behind one interface: a request body out, events in.

use serde_json::Value;

use super::{
    Api, HttpConfig, LlmRequest,
    answer::{EventFault, StreamedAnswer},
    anthropic, openai,
    quirks::Quirks,
    service_error::ServiceError,
};

impl Api {
    /// Returns the header and the value with the key.
    pub(super) fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Anthropic => ("x-api-key", key.to_owned()),
            Self::OpenAi => ("authorization", format!("Bearer {key}")),
        }
    }

    /// Writes the body of a request.
    pub(super) fn body(self, config: &HttpConfig, request: &LlmRequest, quirks: Quirks) -> Value {
        match self {
            Self::Anthropic => anthropic::body(config, request, quirks),
            Self::OpenAi => openai::body(config, request, quirks),
        }
    }

    /// Reads an event of a stream. `name` is its `event` field.
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

    /// Reads a whole response.
    pub(super) fn whole(self, answer: &mut StreamedAnswer, json: &[u8]) -> Result<(), EventFault> {
        let Ok(json) = serde_json::from_slice::<Value>(json) else {
            return Err(EventFault::Malformed("neither a stream of events nor JSON"));
        };
        match self {
            Self::Anthropic => anthropic::whole(answer, &json),
            Self::OpenAi => openai::whole(answer, &json),
        }
    }

    /// Returns the text for the caller.
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
    use crate::llm::{ModelPrice, Prices, fault::ErrorAnswer};

    /// JSON with the words of both protocols in wrong combinations.
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
                    let price = ModelPrice::from(Prices { input: Some(1.0), ..Prices::default() });
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
                prop_assert!(answer.into_kind().code().starts_with("llm_"));
            }
        }
    }
}
