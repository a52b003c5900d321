//! The Anthropic Messages API, as pure functions of JSON.

use serde_json::{Value, json};

use super::{
    HttpConfig, LlmRequest, StopReason,
    answer::{EventFault, StreamedAnswer},
    quirks::Quirks,
    service_error::service_error,
};

/// The version of the protocol.
pub(super) const VERSION: &str = "2023-06-01";

/// The protocol requires a limit; this is the number of tokens that Roo reserves by default.
const DEFAULT_MAX_TOKENS: u32 = 8192;

/// Writes the body of a request.
pub(super) fn body(config: &HttpConfig, request: &LlmRequest, quirks: Quirks) -> Value {
    let messages: Vec<_> = request
        .messages
        .iter()
        .map(|message| json!({"role": message.role.as_str(), "content": message.text}))
        .collect();
    let mut body = json!({
        "model": config.model,
        "max_tokens": request.max_tokens.or(config.max_tokens).unwrap_or(DEFAULT_MAX_TOKENS),
        "messages": messages,
        "stream": true,
    });
    if !request.system.is_empty() {
        body["system"] = request.system.as_str().into();
    }
    if let Some(temperature) = request.temperature.or(config.temperature)
        && !quirks.no_temperature
    {
        body["temperature"] = temperature.into();
    }
    body
}

/// Reads an event. Its type is in the data, because some proxies drop the `event` field.
pub(super) fn event(answer: &mut StreamedAnswer, event: &Value) -> Result<(), EventFault> {
    if let Some(error) = service_error(event) {
        return Err(EventFault::Service(error));
    }
    match event["type"].as_str() {
        Some("message_start") => usage(answer, &event["message"]["usage"]),
        Some("content_block_start") => text(answer, &event["content_block"]),
        // Only `text_delta` contains text; thinking, signatures and tool input have other deltas.
        Some("content_block_delta") => text(answer, &event["delta"]),
        Some("message_delta") => {
            usage(answer, &event["usage"]);
            stop(answer, &event["delta"]["stop_reason"]);
        }
        Some("message_stop") => answer.ended = true,
        // `ping`, `content_block_stop`, and future events: the protocol requires unknown events to be ignored.
        Some(_) => {}
        None => return Err(EventFault::Malformed("an event without `type`")),
    }
    Ok(())
}

/// Reads a whole message, from a server that does not stream.
pub(super) fn whole(answer: &mut StreamedAnswer, message: &Value) -> Result<(), EventFault> {
    if let Some(error) = service_error(message) {
        return Err(EventFault::Service(error));
    }
    let Some(blocks) = message["content"].as_array() else {
        return Err(EventFault::Malformed("JSON without `content`"));
    };
    for block in blocks {
        text(answer, block);
    }
    usage(answer, &message["usage"]);
    stop(answer, &message["stop_reason"]);
    answer.ended = true;
    Ok(())
}

fn text(answer: &mut StreamedAnswer, part: &Value) {
    let (text, thinking) = (part["text"].as_str(), part["thinking"].as_str());
    match part["type"].as_str() {
        Some("text" | "text_delta") => text.into_iter().for_each(|text| answer.say(text)),
        Some("thinking" | "thinking_delta") => thinking.into_iter().for_each(|thinking| answer.think(thinking)),
        _ => {}
    }
}

/// Reads usage. Counts are running totals, and a later event may omit some, so each given count replaces the earlier
/// one.
fn usage(answer: &mut StreamedAnswer, reported: &Value) {
    if !reported.is_object() {
        return;
    }
    let mut usage = answer.usage.unwrap_or_default();
    for (name, count) in [
        ("input_tokens", &mut usage.input_tokens),
        ("output_tokens", &mut usage.output_tokens),
        ("cache_creation_input_tokens", &mut usage.cache_write_tokens),
        ("cache_read_input_tokens", &mut usage.cache_read_tokens),
    ] {
        if let Some(reported) = reported[name].as_u64() {
            *count = reported;
        }
    }
    answer.report(usage);
}

fn stop(answer: &mut StreamedAnswer, reason: &Value) {
    if let Some(reason) = reason.as_str() {
        answer.stop = Some(match reason {
            "end_turn" => StopReason::EndTurn,
            "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
            "stop_sequence" => StopReason::StopSequence,
            "tool_use" => StopReason::ToolUse,
            "refusal" => StopReason::Refusal,
            other => StopReason::Other(other.to_owned()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Api, LlmMessage};

    #[test]
    fn the_body_has_what_the_protocol_wants() {
        let mut config = HttpConfig::new(Api::Anthropic, "claude-x");
        let request = LlmRequest {
            system: "be brief".into(),
            messages: vec![LlmMessage::user("hi"), LlmMessage::assistant("ho")],
            ..LlmRequest::default()
        };
        assert_eq!(
            body(&config, &request, Quirks::default()),
            json!({"model": "claude-x", "max_tokens": 8192, "stream": true, "system": "be brief",
                   "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]})
        );
        config.temperature = Some(0.5);
        config.max_tokens = Some(100);
        let own = LlmRequest { max_tokens: Some(7), temperature: Some(0.0), system: String::new(), ..request };
        let sent = body(&config, &own, Quirks::default());
        assert_eq!((&sent["max_tokens"], &sent["temperature"], sent.get("system")), (&json!(7), &json!(0.0), None));
        assert!(body(&config, &own, Quirks { no_temperature: true, ..Quirks::default() }).get("temperature").is_none());
    }

    #[test]
    fn thinking_and_unknown_events_are_no_text() {
        let mut answer = StreamedAnswer::default();
        for data in [
            json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}}),
            json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{"}}),
            json!({"type": "something_new", "text": "x"}),
            json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "yes"}}),
        ] {
            event(&mut answer, &data).unwrap();
        }
        assert_eq!(answer.text, "yes");
        assert!(event(&mut answer, &json!({"no": "type"})).is_err());
    }

    #[test]
    fn later_counts_replace_earlier_ones_and_absent_ones_stay() {
        let mut answer = StreamedAnswer::default();
        usage(&mut answer, &json!({"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 1}));
        usage(&mut answer, &json!({"output_tokens": 42, "input_tokens": null}));
        let usage = answer.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.cache_read_tokens, usage.output_tokens), (10, 5, 42));
    }
}
