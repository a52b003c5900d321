//! Errors that keep a summary from being written.

use std::fmt;

use super::budget::OverBudget;
use crate::{
    cancel::Cancelled,
    llm::{LlmError, LlmErrorKind},
    words::{Said, said},
};

/// The reason why there is no summary. The codes are visible to hosts.
#[derive(Debug)]
#[non_exhaustive]
pub enum SummaryError {
    /// The call was aborted by its signal.
    Aborted,
    /// A model is needed, but there is no valid handler.
    HandlerInvalid,
    /// The response was empty or white space.
    Empty,
    /// The model, or a filter before it, refused to write the summary.
    Refused,
    /// Not even a part of the conversation fits the condensing model.
    WindowTooSmall {
        /// Tokens of the window.
        window: usize,
        /// Tokens needed at least.
        needed: usize,
    },
    /// The summary would probably exceed the limit on cost; nothing was sent.
    CostLimit(OverBudget),
    /// The cost of the summary cannot be known, and a limit on cost must not be exceeded; nothing was sent.
    Unpriced {
        /// The model.
        model: String,
        /// The option that sets the limit.
        option: &'static str,
    },
    /// The request failed.
    Llm(Box<LlmError>),
}

impl fmt::Display for SummaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.said().fmt(f)
    }
}

impl std::error::Error for SummaryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::CostLimit(error) => Some(error),
            _ => None,
        }
    }
}

impl From<OverBudget> for SummaryError {
    fn from(error: OverBudget) -> Self {
        Self::CostLimit(error)
    }
}

impl SummaryError {
    /// Describes the error, as a code and values.
    pub fn said(&self) -> Said {
        match self {
            Self::Aborted => said!("error.aborted"),
            Self::HandlerInvalid => said!("error.handlerInvalid"),
            Self::Empty => said!("error.summaryEmpty"),
            Self::Refused => said!("error.summaryRefused"),
            Self::WindowTooSmall { window, needed } => {
                said!("error.windowTooSmall", window: *window, needed: *needed)
            }
            Self::CostLimit(error) => said!("error.costLimit", why: error.said()),
            Self::Unpriced { model, option } => said!("error.unpriced", model: model.as_str(), option: *option),
            Self::Llm(error) => error.said(),
        }
    }

    /// Returns the code that callers compare with.
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

    /// Returns the number of the host's error object that caused it: handlers of the host number what they threw.
    pub fn foreign_cause(&self) -> Option<usize> {
        match self {
            Self::Llm(error) => error.cause()?.0.downcast_ref::<usize>().copied(),
            _ => None,
        }
    }

    /// Returns true if the service said that the request was too long for the model.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self, Self::Llm(error) if error.is_context_too_long())
    }

    /// Returns true if the next request would fail in the same way.
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
