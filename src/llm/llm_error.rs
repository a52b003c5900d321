//! The errors between a request and its response.

use std::{any::Any, fmt, sync::Arc, time::Duration};

use super::{TokenUsage, Unreported, service_error::says_too_long};
use crate::words::{Said, said};

/// The place of an error, and what had been spent. It contains no secrets, because it is built from scrubbed text.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The model of the request.
    pub model: String,
    /// The address, without its query; empty for a handler without one.
    pub endpoint: String,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The service's message, shortened.
    pub server_message: Option<String>,
    /// The service's id of the request, for its support.
    pub request_id: Option<String>,
    /// Requests sent, this one included.
    pub attempts: u32,
    /// Usage of all attempts together, as reported by the service.
    pub spent: TokenUsage,
    /// Usage that the service did not report, and may have charged for.
    pub unreported: Unreported,
}

impl Failure {
    /// Creates a failure of this model, with its usage; for handlers outside this crate.
    pub fn new(model: &str, spent: TokenUsage) -> Self {
        Self { model: model.to_owned(), spent, ..Self::default() }
    }
}

impl Failure {
    /// Describes request and response, as a code and values.
    fn said(&self) -> Said {
        let model = self.model.as_str();
        let mut place = match self.endpoint.as_str() {
            "" => said!("llm.model", model: model),
            endpoint => said!("llm.modelAt", model: model, endpoint: endpoint),
        };
        if let Some(status) = self.status {
            place = said!("llm.withStatus", place: place, status: status.to_string());
        }
        if let Some(message) = &self.server_message {
            place = said!("llm.saying", place: place, message: message.as_str());
        }
        let mut parts = vec![place];
        if let Some(id) = &self.request_id {
            parts.push(said!("llm.request", id: id.as_str()));
        }
        if self.attempts > 1 {
            parts.push(said!("llm.attempts", count: self.attempts as usize));
        }
        said!("llm.where", parts: parts)
    }
}

/// The event that was being waited for when time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeoutPhase {
    /// The first byte of the response.
    FirstByte,
    /// The next byte of a response that had begun.
    NextByte,
    /// The whole response, retries included.
    Overall,
    /// The server gave up waiting (HTTP 408).
    Server,
}

impl TimeoutPhase {
    fn said(self) -> Said {
        match self {
            Self::FirstByte => said!("llm.noFirstByte"),
            Self::NextByte => said!("llm.noNextByte"),
            Self::Overall => said!("llm.notComplete"),
            Self::Server => said!("llm.serverGaveUp"),
        }
    }
}

/// The value a host's own handler threw, kept so that it can be handed back as the same object.
#[derive(Clone)]
pub struct CallbackCause(pub Arc<dyn Any + Send + Sync>);

impl fmt::Debug for CallbackCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallbackCause(..)")
    }
}

/// The reason there is no response, with place and costs. Its message says what to do and contains no key.
#[derive(Debug, Clone)]
pub struct LlmError {
    /// The kind of failure.
    pub kind: LlmErrorKind,
    failure: Box<Failure>,
}

/// The kinds of failure between a request and its response.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum LlmErrorKind {
    /// Too slow. Example: nothing came within `idleTimeoutMs`.
    Timeout {
        /// The event waited for.
        phase: TimeoutPhase,
        /// The time limit; `None` if the server set it.
        limit: Option<Duration>,
    },
    /// The caller cancelled.
    Aborted,
    /// Too many requests. Example: HTTP 429 with `retry-after: 20`.
    RateLimited {
        /// The wait the service asked for.
        retry_after: Option<Duration>,
    },
    /// No money or quota left. Example: HTTP 402, or 429 with `insufficient_quota`. Waiting does not help.
    QuotaExceeded,
    /// The key is missing, wrong, or may not use the model (HTTP 401, 403).
    Unauthorized,
    /// The service has too much to do (HTTP 503, 529).
    Overloaded {
        /// The wait the service asked for.
        retry_after: Option<Duration>,
    },
    /// The service failed (HTTP 409 and other 5xx).
    ServerError {
        /// The wait the service asked for.
        retry_after: Option<Duration>,
    },
    /// No connection, or it broke before a response. Example: no server listens at `baseUrl`.
    ConnectionFailed {
        /// The network's message.
        reason: String,
    },
    /// The stream ended without its end event, so the text is incomplete.
    StreamCut {
        /// Bytes of text received.
        received_bytes: usize,
        /// The network's message, unless the stream simply ended.
        reason: Option<String>,
    },
    /// The service sent an error inside its stream. Example: `overloaded_error` in the middle of a response.
    StreamError {
        /// The service's name for the error.
        name: String,
        /// True if waiting may help.
        transient: bool,
    },
    /// The response does not follow the protocol. Example: a proxy's login page; HTTP 200 with an error inside; an
    /// event that is not JSON.
    InvalidResponse {
        /// The deviation from the protocol.
        problem: String,
        /// True if waiting may help with the error inside.
        transient: bool,
    },
    /// The service refuses the request (HTTP 400, 422 and other 4xx).
    BadRequest,
    /// The address or the model does not exist (HTTP 404).
    NotFound,
    /// The request does not fit the model's context window, or is too large for the service.
    ContextTooLong,
    /// The response is larger than the configured maximum.
    ResponseTooLarge {
        /// Bytes allowed.
        limit: usize,
    },
    /// The service redirects to another origin, which must not receive the key.
    Redirected {
        /// The target, without its query.
        location: String,
    },
    /// The host's own handler failed.
    Callback {
        /// The handler's message.
        message: String,
        /// The value the handler threw.
        cause: Option<CallbackCause>,
    },
}

impl LlmErrorKind {
    /// Returns the code for JavaScript; one per variant.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Timeout { .. } => "llm_timeout",
            Self::Aborted => "llm_aborted",
            Self::RateLimited { .. } => "llm_rate_limited",
            Self::QuotaExceeded => "llm_quota_exceeded",
            Self::Unauthorized => "llm_unauthorized",
            Self::Overloaded { .. } => "llm_overloaded",
            Self::ServerError { .. } => "llm_server_error",
            Self::ConnectionFailed { .. } => "llm_connection_failed",
            Self::StreamCut { .. } => "llm_stream_cut",
            Self::StreamError { .. } => "llm_stream_error",
            Self::InvalidResponse { .. } => "llm_invalid_response",
            Self::BadRequest => "llm_bad_request",
            Self::NotFound => "llm_not_found",
            Self::ContextTooLong => "llm_context_too_long",
            Self::ResponseTooLarge { .. } => "llm_response_too_large",
            Self::Redirected { .. } => "llm_redirected",
            Self::Callback { .. } => "llm_callback_failed",
        }
    }

    /// Describes the failure, as a code and values.
    fn said(&self) -> Said {
        let milliseconds = |time: &Duration| time.as_millis() as f64;
        match self {
            Self::Timeout { phase, limit: None } => said!("llm.timeout", phase: phase.said()),
            Self::Timeout { phase, limit: Some(limit) } => {
                said!("llm.timeoutWithin", phase: phase.said(), limit: milliseconds(limit))
            }
            Self::Aborted => said!("llm.aborted"),
            Self::RateLimited { retry_after: None } => said!("llm.rateLimited"),
            Self::RateLimited { retry_after: Some(wait) } => said!("llm.rateLimitedFor", wait: milliseconds(wait)),
            Self::QuotaExceeded => said!("llm.quotaExceeded"),
            Self::Unauthorized => said!("llm.unauthorized"),
            Self::Overloaded { retry_after: None } => said!("llm.overloaded"),
            Self::Overloaded { retry_after: Some(wait) } => said!("llm.overloadedFor", wait: milliseconds(wait)),
            Self::ServerError { .. } => said!("llm.serverError"),
            Self::ConnectionFailed { reason } => said!("llm.connectionFailed", reason: reason.as_str()),
            Self::StreamCut { received_bytes, reason: None } => said!("llm.cut", bytes: *received_bytes),
            Self::StreamCut { received_bytes, reason: Some(reason) } => {
                said!("llm.cutBecause", bytes: *received_bytes, reason: reason.as_str())
            }
            Self::StreamError { name, .. } => said!("llm.streamError", name: name.as_str()),
            Self::InvalidResponse { problem, .. } => said!("llm.invalidResponse", problem: problem.as_str()),
            Self::BadRequest => said!("llm.badRequest"),
            Self::NotFound => said!("llm.notFound"),
            Self::ContextTooLong => said!("llm.contextTooLong"),
            Self::ResponseTooLarge { limit } => said!("llm.responseTooLarge", limit: *limit),
            Self::Redirected { location } => said!("llm.redirected", location: location.as_str()),
            Self::Callback { message, .. } => said!("llm.callbackFailed", message: message.as_str()),
        }
    }

    /// Suggests a remedy to the user; `None` for a cancelled request and a host's own handler.
    fn remedy(&self) -> Option<Said> {
        Some(match self {
            Self::Timeout { .. } => said!("remedy.raiseTimeout"),
            Self::Aborted | Self::Callback { .. } => return None,
            Self::RateLimited { .. } => said!("remedy.wait"),
            Self::QuotaExceeded => said!("remedy.addCredit"),
            Self::Unauthorized => said!("remedy.checkKey"),
            Self::Overloaded { .. } | Self::ServerError { .. } => said!("remedy.later"),
            // Companies that inspect their staff's traffic sign it with their own authority.
            Self::ConnectionFailed { reason } if reason.contains("certificate") => {
                said!("remedy.checkCertificates")
            }
            Self::ConnectionFailed { .. } => said!("remedy.checkNetwork"),
            Self::StreamCut { .. } | Self::StreamError { .. } => said!("remedy.again"),
            Self::InvalidResponse { .. } => said!("remedy.checkApi"),
            Self::BadRequest => said!("remedy.checkRequest"),
            Self::NotFound => said!("remedy.checkAddress"),
            Self::ContextTooLong => said!("remedy.sendLess"),
            Self::ResponseTooLarge { .. } => said!("remedy.allowMore"),
            Self::Redirected { .. } => said!("remedy.setBaseUrl"),
        })
    }

    /// Returns true if the service had not begun a response, so that a response without any text was not charged.
    pub(super) fn was_turned_away(&self) -> bool {
        match self {
            Self::Timeout { phase, .. } => *phase == TimeoutPhase::Server,
            Self::RateLimited { .. }
            | Self::QuotaExceeded
            | Self::Unauthorized
            | Self::Overloaded { .. }
            | Self::ServerError { .. }
            | Self::StreamError { .. }
            | Self::InvalidResponse { .. }
            | Self::BadRequest
            | Self::NotFound
            | Self::ContextTooLong
            | Self::Redirected { .. } => true,
            Self::Aborted
            | Self::ConnectionFailed { .. }
            | Self::StreamCut { .. }
            | Self::ResponseTooLarge { .. }
            | Self::Callback { .. } => false,
        }
    }

    fn retryable(&self) -> bool {
        match self {
            Self::Timeout { phase, .. } => *phase != TimeoutPhase::Overall,
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::ServerError { .. }
            | Self::ConnectionFailed { .. }
            | Self::StreamCut { .. } => true,
            Self::StreamError { transient, .. } | Self::InvalidResponse { transient, .. } => *transient,
            _ => false,
        }
    }
}

impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.said().fmt(f)
    }
}

impl std::error::Error for LlmError {}

impl LlmError {
    /// Creates an error of this kind, with its place.
    pub fn new(kind: LlmErrorKind, failure: Failure) -> Self {
        Self { kind, failure: Box::new(failure) }
    }

    /// Creates the error for a cancelled request; for handlers outside this crate.
    pub fn aborted(model: &str, spent: TokenUsage) -> Self {
        Self::new(LlmErrorKind::Aborted, Failure::new(model, spent))
    }

    /// Creates the error for a failed handler of the host; for handlers outside this crate.
    pub fn callback(model: &str, message: impl Into<String>, cause: Option<CallbackCause>, spent: TokenUsage) -> Self {
        Self::new(LlmErrorKind::Callback { message: message.into(), cause }, Failure::new(model, spent))
    }

    /// Creates the error that a host's handler reported inside its stream; for handlers outside this crate. It
    /// recognises that a request is too long in any known wording.
    pub fn error_chunk(model: &str, message: &str, spent: TokenUsage) -> Self {
        let kind = if says_too_long(message) {
            LlmErrorKind::ContextTooLong
        } else {
            LlmErrorKind::StreamError { name: "error".to_owned(), transient: false }
        };
        Self::new(kind, Failure { server_message: Some(message.to_owned()), ..Failure::new(model, spent) })
    }

    /// Adds usage that was, or may have been, charged without a report.
    pub fn with_unreported(mut self, unreported: Unreported) -> Self {
        self.failure.unreported = unreported;
        self
    }

    /// Describes failure, place and remedy, as a code and values.
    pub fn said(&self) -> Said {
        let what = self.kind.said();
        // The message of a host's own handler is reported alone.
        let Some(remedy) = self.kind.remedy() else {
            return if matches!(self.kind, LlmErrorKind::Callback { .. }) {
                what
            } else {
                said!("llm.failed", what: what, place: self.failure.said())
            };
        };
        said!("llm.failedTry", what: what, place: self.failure.said(), remedy: remedy)
    }

    /// Returns the code for JavaScript.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Returns true if the same request may succeed later. The HTTP handler has already retried as far as it can.
    pub fn retryable(&self) -> bool {
        self.kind.retryable()
    }

    /// Returns the place of the error, and what had been spent.
    pub fn failure(&self) -> &Failure {
        &self.failure
    }

    /// Returns the same, to be filled in.
    pub(super) fn failure_mut(&mut self) -> &mut Failure {
        &mut self.failure
    }

    /// Returns the usage paid for without a response, as the service reported it: tokens, and dollars where known.
    pub fn spent(&self) -> &TokenUsage {
        &self.failure.spent
    }

    /// Returns usage that the service did not report, and may have charged for. Empty if the service refused the
    /// request, or no connection was made.
    pub fn unreported(&self) -> &Unreported {
        &self.failure.unreported
    }

    /// Returns the wait the service asked for, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.kind {
            LlmErrorKind::RateLimited { retry_after }
            | LlmErrorKind::Overloaded { retry_after }
            | LlmErrorKind::ServerError { retry_after } => retry_after,
            _ => None,
        }
    }

    /// Returns true if the request was too long for the model, also if a host's own handler says so in its words.
    pub fn is_context_too_long(&self) -> bool {
        match &self.kind {
            LlmErrorKind::ContextTooLong => true,
            LlmErrorKind::Callback { message, .. } => says_too_long(message),
            _ => false,
        }
    }

    /// Returns the value the host's own handler threw, if one did.
    pub fn cause(&self) -> Option<&CallbackCause> {
        match &self.kind {
            LlmErrorKind::Callback { cause, .. } => cause.as_ref(),
            _ => None,
        }
    }
}
