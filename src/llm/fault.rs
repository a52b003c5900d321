//! Turns a response with an error status into an error.

use std::time::Duration;

use serde_json::Value;

use super::{
    LlmErrorKind, TimeoutPhase,
    service_error::{ServiceError, plain, service_error_of_status, web_page},
};

/// A response with an error status.
pub(super) struct ErrorAnswer {
    pub status: u16,
    pub retry_after: Option<Duration>,
    /// The error in the body, if it is one.
    pub service: ServiceError,
}

impl ErrorAnswer {
    /// Reads the beginning of the body.
    pub(super) fn new(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let service = match serde_json::from_str::<Value>(text) {
            Ok(json) => service_error_of_status(&json).unwrap_or_else(|| plain(text)),
            Err(_) if text.starts_with('<') => plain(&web_page(text)),
            // An error sent as an event, although the status is an error too.
            Err(_) => match text.lines().find_map(|line| line.strip_prefix("data:")) {
                Some(data) => {
                    let json = serde_json::from_str::<Value>(data).ok();
                    json.as_ref().and_then(service_error_of_status).unwrap_or_else(|| plain(data))
                }
                None => plain(text),
            },
        };
        Self { status, retry_after, service }
    }

    /// Chooses the kind of error by the status and the body.
    pub(super) fn into_kind(self) -> LlmErrorKind {
        use LlmErrorKind::{
            BadRequest, ConnectionFailed, ContextTooLong, NotFound, Overloaded, QuotaExceeded, RateLimited,
            ServerError, Timeout, Unauthorized,
        };
        let Self { status, retry_after, service } = self;
        match status {
            _ if status != 401 && status != 403 && service.is_too_long() => ContextTooLong,
            _ if service.is_quota() => QuotaExceeded,
            401 | 403 => Unauthorized,
            402 => QuotaExceeded,
            404 => NotFound,
            407 => ConnectionFailed { reason: "the proxy asks for a user name and password".to_owned() },
            408 => Timeout { phase: TimeoutPhase::Server, limit: None },
            413 => ContextTooLong,
            429 => RateLimited { retry_after },
            503 | 529 => Overloaded { retry_after },
            409 | 500.. => ServerError { retry_after },
            _ => BadRequest,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::{Failure, LlmError, service_error::service_error};

    fn error(status: u16, body: &str) -> LlmError {
        let answer = ErrorAnswer::new(status, None, body.as_bytes());
        let failure = Failure { server_message: Some(answer.service.words()), ..Failure::default() };
        LlmError::new(answer.into_kind(), failure)
    }

    #[test]
    fn bodies_of_many_services() {
        for (body, words) in [
            (
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": "m"}}),
                "invalid_request_error: m",
            ),
            (json!({"error": {"message": "m", "type": "t", "code": "c", "param": null}}), "c: m"),
            (json!({"error": {"message": "m", "code": 502, "metadata": {"raw": "upstream"}}}), "502: m: upstream"),
            (json!({"error": "model 'x' not found"}), "model 'x' not found"),
            (json!({"object": "error", "message": "m", "type": "BadRequestError", "code": 400}), "BadRequestError: m"),
            (json!({"detail": [{"msg": "field required"}]}), "[{\"msg\":\"field required\"}]"),
            (json!([{"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}]), "400: m"),
            (json!({"error": {"type": "odd"}}), "{\"type\":\"odd\"}"),
        ] {
            assert_eq!(ErrorAnswer::new(400, None, body.to_string().as_bytes()).service.words(), words, "{body}");
        }
        assert_eq!(service_error(&json!({"error": null, "choices": []})), None);
        assert_eq!(service_error(&json!({"message": "hello"})), None);
    }

    #[test]
    fn too_long_in_the_words_of_many_services() {
        for message in [
            "prompt is too long: 215103 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length",
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
            "the request exceeds the available context size, try increasing it",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 60000.",
        ] {
            for status in [400, 413, 429, 500] {
                let body = json!({"error": {"message": message, "type": "invalid_request_error"}}).to_string();
                assert_eq!(error(status, &body).code(), "llm_context_too_long", "{status} {message}");
            }
        }
        let body = json!({"error": {"message": "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens"}});
        assert_eq!(error(400, &body.to_string()).code(), "llm_bad_request");
    }

    #[test]
    fn statuses() {
        for (status, code, retryable) in [
            (400, "llm_bad_request", false),
            (401, "llm_unauthorized", false),
            (402, "llm_quota_exceeded", false),
            (403, "llm_unauthorized", false),
            (404, "llm_not_found", false),
            (405, "llm_bad_request", false),
            (407, "llm_connection_failed", true),
            (408, "llm_timeout", true),
            (409, "llm_server_error", true),
            (413, "llm_context_too_long", false),
            (422, "llm_bad_request", false),
            (429, "llm_rate_limited", true),
            (500, "llm_server_error", true),
            (502, "llm_server_error", true),
            (503, "llm_overloaded", true),
            (504, "llm_server_error", true),
            (529, "llm_overloaded", true),
        ] {
            let error = error(status, "<html><title>Oops</title></html>");
            assert_eq!((error.code(), error.retryable()), (code, retryable), "{status}");
            assert!(error.to_string().contains("a web page titled \"Oops\""), "{error}");
        }
        let quota = json!({"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}});
        assert_eq!(error(429, &quota.to_string()).code(), "llm_quota_exceeded");
    }
}
