//! The request to a language model, and its response.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Api, HostRequest, LlmError, ModelPrice, TokenUsage, Unreported};

/// Sends requests to a language model: a service over HTTP, or the host's own handler.
#[async_trait]
pub trait LlmHandler: Send + Sync {
    /// Sends the request and collects the whole response.
    ///
    /// `cancel` stops the request, the reading and the waiting between attempts; the future then ends with
    /// [`LlmErrorKind::Aborted`](super::LlmErrorKind::Aborted). `progress` is called with new text and with retries.
    ///
    /// # Errors
    ///
    /// Any [`LlmError`]; [`LlmError::spent`] and [`LlmError::unreported`] return the usage that was already charged.
    async fn complete(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
        progress: Option<&dyn ProgressSink>,
    ) -> Result<LlmResponse, LlmError>;

    /// Returns the model's name as the service knows it; part of cache keys.
    fn model(&self) -> &str;

    /// Returns the protocol, if the handler uses one.
    fn api(&self) -> Option<Api> {
        None
    }

    /// Returns the price in dollars per million tokens, if known.
    fn price(&self) -> Option<&ModelPrice> {
        None
    }

    /// Returns the number of tokens that the model can read and write in one request, if known.
    fn context_window(&self) -> Option<u64> {
        None
    }

    /// Returns the maximum response tokens that the handler requests by default, if known.
    fn max_output_tokens(&self) -> Option<u32> {
        None
    }

    /// Returns true if a request is sent unchanged: nothing is added that costs more, and the request contains the
    /// limit on the response. A handler that merely stops reading at the limit returns false.
    fn sends_as_asked(&self) -> bool {
        true
    }

    /// Returns true if it can append messages to the host's own request, which has the form of the Anthropic Messages
    /// API.
    fn appends(&self) -> bool {
        false
    }

    /// Counts tokens with the model's own tokenizer; `None` means to count locally.
    ///
    /// `blocks_json` is a JSON array of content blocks, as in a message's `content`.
    ///
    /// # Errors
    ///
    /// Any [`LlmError`].
    async fn count_tokens(&self, blocks_json: &str) -> Result<Option<u64>, LlmError> {
        let _ = blocks_json;
        Ok(None)
    }
}

/// A request to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LlmRequest {
    /// The system prompt; empty for none.
    pub system: String,
    /// The conversation, oldest first. Must not be empty, and no text may be empty: services refuse both.
    pub messages: Vec<LlmMessage>,
    /// Maximum tokens of the response; `None` for the handler's setting.
    pub max_tokens: Option<u32>,
    /// 0 (predictable) to 2 (varied); `None` for the handler's setting.
    pub temperature: Option<f64>,
    /// True if an attempt that was charged for must not be repeated, because a cost limit must not be exceeded.
    pub charged_once: bool,
    /// The host's own request, to which the messages are appended; `system` is not sent then. Only for handlers that
    /// append ([`LlmHandler::appends`]).
    pub appended_to: Option<Arc<HostRequest>>,
}

/// One message of a request: plain text, whatever it was in the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmMessage {
    /// The speaker.
    pub role: LlmRole,
    /// The text.
    pub text: String,
}

impl LlmMessage {
    /// Creates a user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: LlmRole::User, text: text.into() }
    }

    /// Creates a message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: LlmRole::Assistant, text: text.into() }
    }
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmRole {
    /// The person, or the program on their behalf.
    User,
    /// The model.
    Assistant,
}

impl LlmRole {
    /// Returns the name in both protocols.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A complete response.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LlmResponse {
    /// The text as sent; it may be empty. It excludes reasoning that services send separately.
    pub text: String,
    /// Usage of this attempt only, so `output_tokens` is the size of `text`.
    pub usage: TokenUsage,
    /// True if the service reported usage. Some local servers do not, in which case every count is 0.
    pub usage_reported: bool,
    /// The reason why the model stopped. After [`StopReason::MaxTokens`] the text is incomplete.
    pub stop_reason: StopReason,
    /// Requests sent, retries included.
    pub attempts: u32,
    /// Usage of earlier, failed attempts, as reported by the service.
    pub spent_on_retries: TokenUsage,
    /// Usage of all attempts that the service did not report, and may have charged for.
    pub unreported: Unreported,
}

impl LlmResponse {
    /// Creates a response that took one attempt; for handlers outside this crate.
    pub fn new(text: impl Into<String>, usage: Option<TokenUsage>, stop_reason: StopReason) -> Self {
        let text = text.into();
        // A service that reports no usage charges all the same.
        let unreported =
            if usage.is_some() { Unreported::default() } else { Unreported { questions: 1, text: text.clone() } };
        Self {
            text,
            unreported,
            usage_reported: usage.is_some(),
            usage: usage.unwrap_or_default(),
            stop_reason,
            attempts: 1,
            spent_on_retries: TokenUsage::default(),
        }
    }

    /// Returns the dollars, retries included; `None` if neither the service nor a price determines them.
    pub fn total_cost(&self) -> Option<f64> {
        match (self.usage.total_cost, self.spent_on_retries.total_cost) {
            (None, None) => None,
            (answer, retries) => Some(answer.unwrap_or(0.0) + retries.unwrap_or(0.0)),
        }
    }
}

/// The reason why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// It finished.
    EndTurn,
    /// It reached the maximum length, so the text is incomplete.
    MaxTokens,
    /// It wrote a stop sequence.
    StopSequence,
    /// It called a tool; this crate offers none.
    ToolUse,
    /// It, or a filter, refused.
    Refusal,
    /// A reason unknown to this crate.
    Other(String),
    /// No reason was given.
    Unknown,
}

/// Progress of a running request. Borrowed: copy it to keep it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum LlmProgress<'a> {
    /// More text has arrived.
    Text {
        /// The new text.
        delta: &'a str,
        /// Bytes of text so far, the new ones included.
        total_bytes: usize,
    },
    /// An attempt failed and will be repeated.
    Retrying {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// The maximum number of attempts.
        attempts: u32,
        /// The wait before the next attempt.
        wait: Duration,
        /// The code of its error.
        code: &'static str,
    },
}

/// Receives progress. Any `Fn(LlmProgress) + Send + Sync` is one.
pub trait ProgressSink: Send + Sync {
    /// Receives events in order, on the reading thread; must not block.
    fn report(&self, progress: LlmProgress<'_>);
}

impl<F: Fn(LlmProgress<'_>) + Send + Sync> ProgressSink for F {
    fn report(&self, progress: LlmProgress<'_>) {
        self(progress);
    }
}
