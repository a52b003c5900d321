//! Recognises the errors of many services.

use serde_json::Value;

/// An error in a service's words.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ServiceError {
    /// The service's name for it: `overloaded_error`, `context_length_exceeded`, `429`.
    pub kind: String,
    /// Its message.
    pub message: String,
    /// The parameter of the request that it concerns.
    pub parameter: Option<String>,
    /// An HTTP status inside the body, as gateways send it.
    pub status: Option<u16>,
}

/// Reads the error in a body, in the forms of Anthropic, OpenAI, OpenRouter, Ollama, vLLM, FastAPI and Gemini.
///
/// `None` if the body has no `error` and does not call itself one.
pub(super) fn service_error(body: &Value) -> Option<ServiceError> {
    // Gemini wraps the object in an array.
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    match body.get("error") {
        Some(Value::Object(error)) => {
            let error = Value::Object(error.clone());
            Some(from_object(&error))
        }
        Some(Value::String(message)) => Some(ServiceError { message: message.clone(), ..ServiceError::default() }),
        Some(Value::Null | Value::Bool(false)) | None => {
            let calls_itself_one = ["object", "type"].iter().any(|key| body.get(key) == Some(&"error".into()));
            calls_itself_one.then(|| from_object(body))
        }
        Some(other) => Some(ServiceError { message: other.to_string(), ..ServiceError::default() }),
    }
}

/// Reads the error in a body that came with an error status, where anything that looks like a message counts.
pub(super) fn service_error_of_status(body: &Value) -> Option<ServiceError> {
    service_error(body).or_else(|| {
        let message = ["message", "detail", "msg", "error_description"].iter().find_map(|key| body.get(key))?;
        let message = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
        Some(ServiceError { message, ..ServiceError::default() })
    })
}

fn from_object(error: &Value) -> ServiceError {
    let text = |key: &str| match error.get(key) {
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    // OpenRouter describes the upstream error in `metadata.raw`.
    let upstream = error.pointer("/metadata/raw").and_then(Value::as_str);
    let message = text("message").or_else(|| text("detail")).unwrap_or_else(|| error.to_string());
    ServiceError {
        kind: match (text("code"), text("type")) {
            // OpenAI's `code` is the more specific of the two; a number is only a status.
            (Some(code), kind) if code.parse::<u16>().is_err() || kind.is_none() => code,
            (_, Some(kind)) => kind,
            (code, None) => code.unwrap_or_default(),
        },
        message: upstream.map_or_else(|| message.clone(), |raw| format!("{message}: {raw}")),
        parameter: text("param"),
        status: ["code", "status"].iter().filter_map(|key| error.get(key)).find_map(|code| {
            code.as_u64().or_else(|| code.as_str()?.parse().ok()).and_then(|code| u16::try_from(code).ok())
        }),
    }
}

impl ServiceError {
    /// Returns `kind: message`, for messages.
    pub(super) fn words(&self) -> String {
        if self.kind.is_empty() || self.message.contains(&self.kind) {
            self.message.clone()
        } else {
            format!("{}: {}", self.kind, self.message)
        }
    }

    /// Returns true if the request does not fit the model or the service.
    pub(super) fn is_too_long(&self) -> bool {
        let kind = self.kind.as_str();
        if ["context_length_exceeded", "request_too_large", "exceed_context_size_error", "string_above_max_length"]
            .contains(&kind)
        {
            return true;
        }
        says_too_long(&self.message)
    }

    /// Returns true if a later attempt may succeed.
    pub(super) fn is_transient(&self) -> bool {
        const KINDS: &[&str] = &[
            "overloaded_error",
            "api_error",
            "rate_limit_error",
            "timeout_error",
            "rate_limit_exceeded",
            "server_error",
            "internal_error",
            "internal_server_error",
            "service_unavailable",
            "overloaded",
            "timeout",
        ];
        KINDS.contains(&self.kind.as_str())
            || self.status.is_some_and(|status| status == 408 || status == 429 || status >= 500)
    }

    /// Returns true if no money or quota is left.
    pub(super) fn is_quota(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "insufficient_quota" | "billing_not_active" | "billing_error" | "insufficient_balance"
        ) || self.message.to_lowercase().contains("credit balance is too low")
    }

    /// Returns the parameter that the service does not know or accept for this model, if it says so.
    pub(super) fn refused_parameter<'a>(&self, sent: &[&'a str]) -> Option<&'a str> {
        let said = self.message.to_lowercase();
        const WORDS: &[&str] = &[
            "unsupported",
            "not support",
            "unrecognized",
            "unknown",
            "not permitted",
            "unexpected",
            "deprecated",
            "not allowed",
            "only the default",
        ];
        let refused = matches!(self.kind.as_str(), "unsupported_parameter" | "unsupported_value" | "unknown_parameter")
            || WORDS.iter().any(|word| said.contains(word));
        if !refused {
            return None;
        }
        let named = |name: &str| match &self.parameter {
            Some(parameter) => parameter.split('.').next() == Some(name),
            None => mentions(&said, name),
        };
        sent.iter().copied().find(|name| named(name))
    }
}

/// Returns true if the text contains the name as a separate word: `max_tokens`, not `my_max_tokens`.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// Returns true if a message says, in the words of one of many services, that the request is too long.
pub(super) fn says_too_long(message: &str) -> bool {
    let said = message.to_lowercase();
    const PHRASES: &[&str] = &[
        "prompt is too long",                   // Anthropic
        "exceed context limit",                 // Anthropic: input length and `max_tokens` exceed context limit
        "maximum context length",               // OpenAI, vLLM, DeepSeek, OpenRouter
        "exceeds the context window",           // OpenAI responses, Azure
        "context window exceed",                // LiteLLM
        "exceeds the available context",        // llama.cpp
        "greater than the context length",      // LM Studio
        "context the overflows",                // LM Studio, sic
        "exceeds the maximum number of tokens", // Gemini
        "input is too long",                    // Bedrock
        "prompt too long",                      // Ollama, Mistral
        "too large for model",                  // Mistral
        "request too large for", // OpenAI, Groq: more than the limit per minute, so waiting does not help
    ];
    PHRASES.iter().any(|phrase| said.contains(phrase))
}

pub(super) fn plain(text: &str) -> ServiceError {
    ServiceError { message: text.to_owned(), ..ServiceError::default() }
}

/// Describes a web page by its title, since the rest is useless in a message.
pub(super) fn web_page(page: &str) -> String {
    let title = page.find("<title>").and_then(|at| {
        let rest = &page[at + "<title>".len()..];
        rest.find("</title>").map(|end| rest[..end].trim())
    });
    match title {
        Some(title) if !title.is_empty() => format!("a web page titled \"{title}\""),
        _ => "a web page".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_parameter_is_told_from_a_wrong_value() {
        let refused = |message: &str, parameter: Option<&str>| {
            let error = ServiceError {
                message: message.into(),
                parameter: parameter.map(Into::into),
                ..ServiceError::default()
            };
            error.refused_parameter(&["max_tokens", "temperature", "stream_options"])
        };
        let said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        assert_eq!(refused(said, Some("max_tokens")), Some("max_tokens"));
        assert_eq!(refused("Extra inputs are not permitted: stream_options", None), Some("stream_options"));
        assert_eq!(refused("`temperature` is deprecated for this model.", None), Some("temperature"));
        assert_eq!(refused("max_tokens is too large: 9000", Some("max_tokens")), None);
        assert_eq!(refused("unknown field my_max_tokens_x", None), None);
    }
}
