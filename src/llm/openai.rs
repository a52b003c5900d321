//! OpenAI-compatible chat completions, as pure functions of JSON.

use serde_json::{Value, json};

use super::{
    HttpConfig, LlmRequest, StopReason, TokenUsage,
    answer::{EventFault, StreamedAnswer},
    quirks::Quirks,
    service_error::{ServiceError, service_error},
};

/// The data of the event that ends a stream.
pub(super) const DONE: &str = "[DONE]";

/// Writes the body of a request.
pub(super) fn body(config: &HttpConfig, request: &LlmRequest, quirks: Quirks) -> Value {
    let system = (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let said = request.messages.iter().map(|message| json!({"role": message.role.as_str(), "content": message.text}));
    let mut body = json!({
        "model": config.model,
        "messages": system.into_iter().chain(said).collect::<Vec<_>>(),
        "stream": true,
    });
    if !quirks.no_stream_options {
        body["stream_options"] = json!({"include_usage": true});
    }
    if let Some(max_tokens) = request.max_tokens.or(config.max_tokens) {
        body[quirks.max_tokens_name()] = max_tokens.into();
    }
    if let Some(temperature) = request.temperature.or(config.temperature)
        && !quirks.no_temperature
    {
        body["temperature"] = temperature.into();
    }
    body
}

/// Reads an event.
pub(super) fn event(answer: &mut StreamedAnswer, chunk: &Value) -> Result<(), EventFault> {
    if let Some(error) = service_error(chunk) {
        return Err(EventFault::Service(error));
    }
    // The last chunk has usage and no choices; some servers send usage with every chunk, as a running total.
    match chunk.get("choices") {
        Some(Value::Array(choices)) => choices.first().map_or(Ok(()), |choice| part(answer, choice, "delta"))?,
        Some(Value::Null) | None if chunk.is_object() => {}
        _ => return Err(EventFault::Malformed("an event that is not a chunk of a completion")),
    }
    usage(answer, chunk);
    Ok(())
}

/// Reads a whole completion, from a server that does not stream.
pub(super) fn whole(answer: &mut StreamedAnswer, completion: &Value) -> Result<(), EventFault> {
    if let Some(error) = service_error(completion) {
        return Err(EventFault::Service(error));
    }
    let Some(choice) = completion.pointer("/choices/0") else {
        return Err(EventFault::Malformed("JSON without `choices`"));
    };
    part(answer, choice, "message")?;
    usage(answer, completion);
    answer.ended = true;
    Ok(())
}

/// Returns the finished text, without the reasoning that some local servers leave before it.
pub(super) fn finished(text: String) -> String {
    let Some(inside) = text.trim_start().strip_prefix("<think>") else { return text };
    match inside.find("</think>") {
        Some(end) => inside[end + "</think>".len()..].trim_start().to_owned(),
        // The response was cut off while the model was still reasoning.
        None => String::new(),
    }
}

fn part(answer: &mut StreamedAnswer, choice: &Value, key: &str) -> Result<(), EventFault> {
    // `reasoning_content` (DeepSeek, vLLM) and `reasoning` (OpenRouter, Ollama) are not part of the text.
    let thought = ["reasoning_content", "reasoning"].iter().find_map(|name| choice[key][*name].as_str());
    thought.into_iter().for_each(|thought| answer.think(thought));
    match choice.pointer(&format!("/{key}/content")) {
        Some(Value::String(text)) => answer.say(text),
        Some(Value::Array(parts)) => {
            for text in parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str()) {
                answer.say(text);
            }
        }
        _ => {}
    }
    match choice["finish_reason"].as_str() {
        None | Some("") => {}
        Some("error") => {
            let message = "the model failed while answering".to_owned();
            return Err(EventFault::Service(ServiceError {
                kind: "error".into(),
                message,
                status: Some(500),
                ..ServiceError::default()
            }));
        }
        Some(reason) => {
            answer.stop = Some(match reason {
                "stop" | "eos" | "end_turn" => StopReason::EndTurn,
                "length" | "max_tokens" => StopReason::MaxTokens,
                "tool_calls" | "function_call" => StopReason::ToolUse,
                "content_filter" => StopReason::Refusal,
                other => StopReason::Other(other.to_owned()),
            });
        }
    }
    Ok(())
}

fn usage(answer: &mut StreamedAnswer, chunk: &Value) {
    // Groq puts it under `x_groq` in the stream.
    let Some(reported) =
        [chunk.get("usage"), chunk.pointer("/x_groq/usage")].into_iter().flatten().find(|u| u.is_object())
    else {
        return;
    };
    let count = |pointer: &str| reported.pointer(pointer).and_then(Value::as_u64);
    answer.report(TokenUsage {
        input_tokens: count("/prompt_tokens").unwrap_or(0),
        output_tokens: count("/completion_tokens").unwrap_or(0),
        cache_write_tokens: count("/prompt_tokens_details/cache_write_tokens").unwrap_or(0),
        cache_read_tokens: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or(0),
        // OpenRouter reports the cost in dollars.
        total_cost: reported["cost"].as_f64().filter(|cost| *cost >= 0.0),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Api, LlmMessage};

    #[test]
    fn the_body_follows_the_quirks_of_the_server() {
        let config = HttpConfig { max_tokens: Some(50), temperature: Some(0.1), ..HttpConfig::new(Api::OpenAi, "m") };
        let request =
            LlmRequest { system: "s".into(), messages: vec![LlmMessage::user("hi")], ..LlmRequest::default() };
        assert_eq!(
            body(&config, &request, Quirks::default()),
            json!({"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}],
                   "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 50, "temperature": 0.1})
        );
        let quirks = Quirks { completion_tokens: true, no_temperature: true, no_stream_options: true };
        assert_eq!(
            body(&config, &LlmRequest { system: String::new(), ..request }, quirks),
            json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": true, "max_completion_tokens": 50})
        );
    }

    #[test]
    fn usage_in_the_words_of_many_servers() {
        let read = |chunk: Value| {
            let mut answer = StreamedAnswer::default();
            event(&mut answer, &chunk).unwrap();
            answer.usage
        };
        let openai = read(
            json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}}),
        );
        assert_eq!(
            openai,
            Some(TokenUsage { input_tokens: 9, output_tokens: 2, cache_read_tokens: 4, ..TokenUsage::default() })
        );
        let deepseek = read(
            json!({"choices": [{"delta": {}}], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 3}}),
        );
        assert_eq!(deepseek.unwrap().cache_read_tokens, 3);
        let openrouter =
            read(json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.00014}}));
        assert_eq!(openrouter.unwrap().total_cost, Some(0.00014));
        let groq = read(json!({"choices": [], "x_groq": {"usage": {"prompt_tokens": 9, "completion_tokens": 2}}}));
        assert_eq!(groq.unwrap().input_tokens, 9);
        assert_eq!(read(json!({"choices": [], "usage": null})), None);
    }

    #[test]
    fn parts_reasoning_and_finish() {
        let mut answer = StreamedAnswer::default();
        event(
            &mut answer,
            &json!({"choices": [{"delta": {"role": "assistant", "content": null, "reasoning_content": "hm"}}]}),
        )
        .unwrap();
        event(&mut answer, &json!({"choices": [{"delta": {"content": [{"type": "thinking", "text": "x"}, {"type": "text", "text": "a"}]}}]})).unwrap();
        event(&mut answer, &json!({"choices": [{"delta": {"content": "b"}, "finish_reason": "length"}]})).unwrap();
        assert_eq!((answer.text.as_str(), answer.stop.as_ref()), ("ab", Some(&StopReason::MaxTokens)));
        assert!(matches!(
            event(&mut answer, &json!({"choices": [{"finish_reason": "error"}]})),
            Err(EventFault::Service(_))
        ));
        assert!(matches!(event(&mut answer, &json!("text")), Err(EventFault::Malformed(_))));
    }

    #[test]
    fn reasoning_in_front_of_the_text_is_dropped() {
        assert_eq!(finished("<think>hm</think>\n\nanswer".into()), "answer");
        assert_eq!(finished("about <think> tags".into()), "about <think> tags");
        assert_eq!(finished("\n<think>never done".into()), "");
    }
}
