//! Errors of a condensation. Every variant has a fixed code, listed in docs/errors.md.

use std::fmt;

use crate::{
    cancel::Cancelled,
    conversation::{PlanError, Problem},
    options::ConfigError,
    summaries::SummaryError,
    words::{Said, said},
};

/// The reason why a condensation ended without a result.
#[derive(Debug)]
#[non_exhaustive]
pub enum CondenseError {
    /// The configuration given with the call is wrong, for example `maxToolResultLines: 0`.
    InvalidConfig(Vec<ConfigError>),
    /// The call was aborted by its signal.
    Aborted,
    /// No provider has this id, for example `smrt`.
    UnknownProvider {
        /// The id.
        id: String,
        /// Similar ids that do exist, the most similar first.
        near: Vec<String>,
        /// The registered ids, as text.
        registered: String,
    },
    /// A provider returned a plan that does not match the conversation.
    InvalidPlan {
        /// The id of the provider.
        provider: String,
        /// The mismatch.
        source: PlanError,
    },
    /// A provider's plan would have made the conversation invalid, for example by dropping one half of a tool pair.
    BrokenResult {
        /// The id of the provider.
        provider: String,
        /// The violated rule, and where in the result.
        problem: Problem,
    },
    /// The result would have at least as many tokens as the input.
    ContextGrew {
        /// Tokens before.
        before: usize,
        /// Tokens after.
        after: usize,
    },
    /// A custom provider failed, or returned something that is not a result.
    ProviderFailed {
        /// The id of the provider.
        provider: String,
        /// Its error message.
        message: String,
        /// The number of the host's own error object, if a host function threw it.
        foreign_cause: Option<usize>,
    },
    /// Repeated condensations have gained too little.
    CondenseLoop {
        /// Number of attempts.
        attempts: usize,
        /// Time to wait after the last attempt, in milliseconds.
        window_ms: u64,
        /// An attempt counts if it gained less than this percentage.
        min_gain_percent: f64,
    },
    /// There are no messages to summarise between the first message and the kept ones, for example in a conversation of
    /// three messages.
    NotEnoughMessages {
        /// Number of messages.
        messages: usize,
        /// Number of messages needed.
        needed: usize,
    },
    /// At most one message outside the kept ones is newer than the last summary.
    CondensedRecently,
    /// As `CondensedRecently`, but this call wrote the summary itself.
    SummarizedByThisCall,
    /// A language model should have written a summary, and did not.
    Summary(SummaryError),
    /// A bug in this library.
    Internal(String),
}

impl fmt::Display for CondenseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidConfig(errors) => f.write_str(&ConfigError::list(errors)),
            error => error.said().fmt(f),
        }
    }
}

impl std::error::Error for CondenseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::InvalidPlan { source, .. } => Some(source),
            Self::Summary(error) => Some(error),
            _ => None,
        }
    }
}

impl CondenseError {
    /// Returns the message as a code and values.
    pub fn said(&self) -> Said {
        match self {
            Self::InvalidConfig(errors) => match errors.as_slice() {
                [error] => error.said(),
                errors => said!("error.faults", all: ConfigError::told(errors)),
            },
            Self::Aborted => said!("error.aborted"),
            Self::UnknownProvider { id, near, registered } if near.is_empty() => {
                said!("error.unknownProvider", id: id.as_str(), registered: registered.as_str())
            }
            Self::UnknownProvider { id, near, registered } => {
                let near = near.join(" or ");
                said!("error.unknownProviderNear", id: id.as_str(), near: near, registered: registered.as_str())
            }
            Self::InvalidPlan { provider, source } => {
                said!("error.invalidPlan", provider: provider.as_str(), source: source.to_string())
            }
            Self::BrokenResult { provider, problem } => said!(
                "error.brokenResult",
                provider: provider.as_str(),
                rule: problem.code,
                place: problem.place(),
                problem: problem.message.as_str(),
            ),
            Self::ContextGrew { before, after } => said!("error.contextGrew", before: *before, after: *after),
            Self::ProviderFailed { provider, message, .. } => {
                said!("error.providerFailed", provider: provider.as_str(), message: message.as_str())
            }
            Self::CondenseLoop { attempts, window_ms, min_gain_percent } => {
                let (least, wait) = (*min_gain_percent, *window_ms as f64);
                said!("error.condenseLoop", count: *attempts, least: least, wait: wait)
            }
            Self::NotEnoughMessages { messages, needed } => {
                said!("error.notEnoughMessages", count: *messages, needed: *needed)
            }
            Self::CondensedRecently => said!("error.condensedRecently"),
            Self::SummarizedByThisCall => said!("error.summarizedByThisCall"),
            Self::Summary(error) => error.said(),
            Self::Internal(problem) => said!("error.internal", problem: problem.as_str()),
        }
    }

    /// Returns the message together with the error's code.
    pub fn said_with_code(&self) -> Said {
        said!("error.withCode", code: self.code(), error: self.said())
    }

    /// Returns the code that callers compare with.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidConfig(errors) => errors.first().map_or("invalid_config", |error| error.code),
            Self::Aborted => "aborted",
            Self::UnknownProvider { .. } => "unknown_provider",
            Self::InvalidPlan { .. } => "invalid_plan",
            Self::BrokenResult { .. } => "broken_result",
            Self::ContextGrew { .. } => "context_grew",
            Self::ProviderFailed { .. } => "provider_failed",
            Self::CondenseLoop { .. } => "condense_loop",
            Self::NotEnoughMessages { .. } | Self::SummarizedByThisCall => "not_enough_messages",
            Self::CondensedRecently => "condensed_recently",
            Self::Summary(error) => error.code(),
            Self::Internal(_) => "internal_error",
        }
    }

    /// Returns the path of the option at fault; the first if there are several.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::InvalidConfig(errors) => errors.first().map(|error| error.path.as_str()),
            Self::UnknownProvider { .. } => Some("provider"),
            _ => None,
        }
    }

    /// Returns the number of the host's error object that caused it.
    pub fn foreign_cause(&self) -> Option<usize> {
        match self {
            Self::ProviderFailed { foreign_cause, .. } => *foreign_cause,
            Self::Summary(error) => error.foreign_cause(),
            _ => None,
        }
    }

    /// Returns true if another provider may succeed. After an abort or a mistake of the caller none would.
    pub fn allows_fallback(&self) -> bool {
        !matches!(
            self,
            Self::InvalidConfig(_) | Self::Aborted | Self::UnknownProvider { .. } | Self::CondenseLoop { .. }
        )
    }
}

impl From<Cancelled> for CondenseError {
    fn from(_: Cancelled) -> Self {
        Self::Aborted
    }
}

impl From<SummaryError> for CondenseError {
    fn from(error: SummaryError) -> Self {
        match error {
            SummaryError::Aborted => Self::Aborted,
            error => Self::Summary(error),
        }
    }
}

impl From<Vec<ConfigError>> for CondenseError {
    fn from(errors: Vec<ConfigError>) -> Self {
        Self::InvalidConfig(errors)
    }
}
