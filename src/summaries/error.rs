//! What can keep a summary from being written.

use super::budget::OverBudget;
use crate::{
    cancel::Cancelled,
    llm::{LlmError, LlmErrorKind},
};

/// Why there is no summary. The codes are those that hosts see.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The call was aborted by its signal.
    #[error("the condensation was aborted; the messages are unchanged")]
    Aborted,
    /// A model is to be asked, but no handler can.
    #[error(
        "there is no handler that can answer; give `handler` or `condensingHandler`, made by httpHandler() or callbackHandler()"
    )]
    HandlerInvalid,
    /// The model answered with nothing, or with white space.
    #[error("the model's summary is empty; try again, or choose another model or prompt")]
    Empty,
    /// The model, or a filter before it, refused to write the summary.
    #[error("the model refused to summarise the conversation; choose another model or prompt")]
    Refused,
    /// Not even a part of the conversation fits the condensing model.
    #[error(
        "the condensing model's window of {window} tokens is too small: {needed} are needed for the prompt, the answer and a part of \
         the conversation; choose a model with a larger window, or correct `contextWindow`"
    )]
    WindowTooSmall {
        /// Tokens of the window.
        window: usize,
        /// The fewest that would do.
        needed: usize,
    },
    /// The summary would probably exceed the limit on cost; nothing was sent.
    #[error("the summary is not asked for, because {0}; raise it")]
    CostLimit(#[from] OverBudget),
    /// Nobody knows what the summary would cost, and a limit on cost must not be exceeded; nothing was sent.
    #[error(
        "the summary is not asked for, because the price of model \"{model}\" is not known, so that `{option}` could be exceeded; give its \
         price, of zeros where it costs nothing"
    )]
    Unpriced {
        /// The model.
        model: String,
        /// The option that has the limit.
        option: &'static str,
    },
    /// The model gave no answer.
    #[error("{0}")]
    Llm(Box<LlmError>),
}

impl SummaryError {
    /// The code, as hosts compare it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::HandlerInvalid => "handler_invalid",
            Self::Empty => "summary_empty",
            Self::Refused => "summary_refused",
            Self::WindowTooSmall { .. } => "context_window_too_small",
            Self::CostLimit(_) => "cost_limit",
            Self::Unpriced { .. } => "price_unknown",
            Self::Llm(error) => error.code(),
        }
    }

    /// Which of the host's own errors caused it: handlers of the host number what they threw.
    #[must_use]
    pub fn foreign_cause(&self) -> Option<usize> {
        match self {
            Self::Llm(error) => error.cause()?.0.downcast_ref::<usize>().copied(),
            _ => None,
        }
    }

    /// Whether the service said that the question was too long for the model.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self, Self::Llm(error) if error.is_context_too_long())
    }

    /// Whether the next question would fail in the same way.
    pub(super) fn is_hopeless(&self) -> bool {
        match self {
            Self::Aborted | Self::HandlerInvalid | Self::Unpriced { .. } => true,
            Self::Llm(error) => matches!(
                error.kind,
                LlmErrorKind::Unauthorized
                    | LlmErrorKind::QuotaExceeded
                    | LlmErrorKind::NotFound
                    | LlmErrorKind::Aborted
            ),
            _ => false,
        }
    }
}

impl From<Cancelled> for SummaryError {
    fn from(_: Cancelled) -> Self {
        Self::Aborted
    }
}

impl From<LlmError> for SummaryError {
    fn from(error: LlmError) -> Self {
        match error.kind {
            LlmErrorKind::Aborted => Self::Aborted,
            _ => Self::Llm(Box::new(error)),
        }
    }
}
