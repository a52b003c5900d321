//! The request to a language model, and its response.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{Api, HostRequest, LlmError, ModelPrice, TokenUsage, Unreported};

/// The thing that answers a request: a service over HTTP, or the host's own handler.
#[async_trait]
pub trait LlmHandler: Send + Sync {
    /// Sends the request and collects the whole answer.
    ///
    /// `cancel` stops the request, the reading and the waiting between attempts; the future then ends with
    /// [`LlmErrorKind::Aborted`](super::LlmErrorKind::Aborted). `progress` hears of text as it arrives and of retries.
    ///
    /// # Errors
    ///
    /// Any [`LlmError`]; [`LlmError::spent`] and [`LlmError::unreported`] say what was already paid for.
    async fn complete(
        &self,
        request: LlmRequest,
        cancel: &CancellationToken,
        progress: Option<&dyn ProgressSink>,
    ) -> Result<LlmResponse, LlmError>;

    /// The model's name, as the service knows it; part of cache keys.
    fn model(&self) -> &str;

    /// The protocol, for those that speak one.
    fn api(&self) -> Option<Api> {
        None
    }

    /// Dollars per million tokens, if known.
    fn price(&self) -> Option<&ModelPrice> {
        None
    }

    /// The tokens the model can read and write in one request, if known.
    fn context_window(&self) -> Option<u64> {
        None
    }

    /// The longest answer in tokens that the handler asks for when a request does not say, if known.
    fn max_output_tokens(&self) -> Option<u32> {
        None
    }

    /// Returns true if a request is sent unchanged: nothing is added to it that costs more, and the model is given the
    /// limit on its response. A handler that merely stops reading after so many tokens returns false.
    fn sends_as_asked(&self) -> bool {
        true
    }

    /// Returns true if it can append a question to a request of the host's, which has the shape of the Anthropic
    /// Messages API.
    fn appends(&self) -> bool {
        false
    }

    /// Counts tokens with the model's own tokenizer; `None` without one: count locally.
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

/// A question to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LlmRequest {
    /// The system prompt; empty for none.
    pub system: String,
    /// The conversation, oldest first. Must not be empty, and no text may be empty: services refuse both.
    pub messages: Vec<LlmMessage>,
    /// The longest answer, in tokens; `None` takes the handler's setting.
    pub max_tokens: Option<u32>,
    /// 0 (predictable) to 2 (varied); `None` takes the handler's setting.
    pub temperature: Option<f64>,
    /// An attempt that was charged for is not repeated: there is a limit on cost that must not be exceeded.
    pub charged_once: bool,
    /// The host's own request, behind which the messages stand; `system` is not sent then. For handlers that append ([`LlmHandler::appends`]).
    pub appended_to: Option<Arc<HostRequest>>,
}

/// One message of a question: plain text, whatever it was in the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmMessage {
    /// The speaker.
    pub role: LlmRole,
    /// The words.
    pub text: String,
}

impl LlmMessage {
    /// A message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: LlmRole::User, text: text.into() }
    }

    /// A message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: LlmRole::Assistant, text: text.into() }
    }
}

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmRole {
    /// The person, or the program on their behalf.
    User,
    /// The model.
    Assistant,
}

impl LlmRole {
    /// The name both protocols use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LlmResponse {
    /// The text, as sent; it may be empty. Reasoning that services send apart from the text is not in it.
    pub text: String,
    /// Usage of this attempt only, so that `output_tokens` is the size of `text`.
    pub usage: TokenUsage,
    /// Whether the service reported usage at all; some local servers do not, and then every count is 0.
    pub usage_reported: bool,
    /// Why the model stopped. After [`StopReason::MaxTokens`] the text is cut short.
    pub stop_reason: StopReason,
    /// Requests sent, retries included.
    pub attempts: u32,
    /// Usage of earlier attempts, which failed, as reported by the service.
    pub spent_on_retries: TokenUsage,
    /// Usage that the service did not report, of all attempts, and may have charged for.
    pub unreported: Unreported,
}

impl LlmResponse {
    /// An answer that took one attempt; for handlers outside this crate.
    pub fn new(text: impl Into<String>, usage: Option<TokenUsage>, stop_reason: StopReason) -> Self {
        let text = text.into();
        // A service that reports nothing charges all the same.
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

    /// Dollars, retries included; `None` when neither the service nor a price says.
    #[must_use]
    pub fn total_cost(&self) -> Option<f64> {
        match (self.usage.total_cost, self.spent_on_retries.total_cost) {
            (None, None) => None,
            (answer, retries) => Some(answer.unwrap_or(0.0) + retries.unwrap_or(0.0)),
        }
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// It reached the longest answer allowed: the text is cut short.
    MaxTokens,
    /// It wrote a stop sequence.
    StopSequence,
    /// It wanted to call a tool; this crate offers none.
    ToolUse,
    /// It, or a filter, refused.
    Refusal,
    /// The service gave a reason this crate does not know.
    Other(String),
    /// The service gave none.
    Unknown,
}

/// Progress of a running request. Borrowed: copy it to keep it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum LlmProgress<'a> {
    /// More text has arrived.
    Text {
        /// The new part.
        delta: &'a str,
        /// Bytes of text so far, this part included.
        total_bytes: usize,
    },
    /// An attempt failed and will be repeated.
    Retrying {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How many attempts are made at most.
        attempts: u32,
        /// How long is waited first.
        wait: Duration,
        /// The code of its error.
        code: &'static str,
    },
}

/// Something that wants to hear of progress. Any `Fn(LlmProgress) + Send + Sync` is one.
pub trait ProgressSink: Send + Sync {
    /// Called in order, on the thread that reads; must not block.
    fn report(&self, progress: LlmProgress<'_>);
}

impl<F: Fn(LlmProgress<'_>) + Send + Sync> ProgressSink for F {
    fn report(&self, progress: LlmProgress<'_>) {
        self(progress);
    }
}
