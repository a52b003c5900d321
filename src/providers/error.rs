//! What can go wrong while condensing. Every variant has a fixed code; the table in the README lists them.

use crate::{cancel::Cancelled, conversation::PlanError, options::ConfigError, summaries::SummaryError};

/// Why a condensation ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CondenseError {
    /// The configuration given with the call is wrong, for example `maxToolResultLines: 0`.
    #[error("{}", ConfigError::list(.0))]
    InvalidConfig(Vec<ConfigError>),
    /// The call was aborted by its signal.
    #[error("the condensation was aborted; the messages are unchanged")]
    Aborted,
    /// No provider has this id, for example `smrt`.
    #[error("provider: \"{id}\" is not registered{}; registered: {registered}", meant(.near))]
    UnknownProvider {
        /// The id.
        id: String,
        /// The ids that may have been meant, the nearest first.
        near: Vec<String>,
        /// The ids there are.
        registered: String,
    },
    /// A provider returned a plan that does not fit the conversation.
    #[error("provider \"{provider}\" returned a plan that does not fit: {source}")]
    InvalidPlan {
        /// The provider.
        provider: String,
        /// What does not fit.
        source: PlanError,
    },
    /// A provider would have broken the conversation, for example by dropping one half of a tool pair.
    #[error("provider \"{provider}\" would break the conversation: message {message}: {problem}")]
    BrokenResult {
        /// The provider.
        provider: String,
        /// Index of the message in the result.
        message: usize,
        /// What is wrong there.
        problem: String,
    },
    /// The result would have at least as many tokens as the input.
    #[error("the condensed conversation has {after} tokens, not fewer than the {before} it had")]
    ContextGrew {
        /// Tokens before.
        before: usize,
        /// Tokens after.
        after: usize,
    },
    /// A provider written by the host failed or returned something that is not a result.
    #[error("provider \"{provider}\" failed: {message}")]
    ProviderFailed {
        /// The provider.
        provider: String,
        /// What it said.
        message: String,
        /// Which of the host's own errors it is, when the host made it.
        foreign_cause: Option<usize>,
    },
    /// Condensing again and again without gain.
    #[error(
        "{attempts} automatic condensations in a row gained less than {min_gain_percent}% each; the next one may be tried {window_ms} ms \
         after the last"
    )]
    CondenseLoop {
        /// How many.
        attempts: usize,
        /// How long to wait after the last one, in milliseconds.
        window_ms: u64,
        /// Below this gain an attempt counts.
        min_gain_percent: f64,
    },
    /// There is nothing between the first message and the kept ones to summarise, for example in a conversation of three messages.
    #[error(
        "there are {messages} messages; a summary needs at least {needed}, with one between the first and those that are kept"
    )]
    NotEnoughMessages {
        /// How many there are.
        messages: usize,
        /// How many there must be.
        needed: usize,
    },
    /// Since the last summary there is at most one message outside the kept ones.
    #[error("the conversation was condensed recently: hardly anything is new since the last summary")]
    CondensedRecently,
    /// A model was to write a summary, and there is none.
    #[error(transparent)]
    Summary(SummaryError),
    /// A fault of this library.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

impl CondenseError {
    /// The code, as hosts compare it.
    #[must_use]
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
            Self::NotEnoughMessages { .. } => "not_enough_messages",
            Self::CondensedRecently => "condensed_recently",
            Self::Summary(error) => error.code(),
            Self::Internal(_) => "internal_error",
        }
    }

    /// The option it is about, as a path; of several the first.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::InvalidConfig(errors) => errors.first().map(|error| error.path.as_str()),
            Self::UnknownProvider { .. } => Some("provider"),
            _ => None,
        }
    }

    /// Which of the host's own errors caused it.
    #[must_use]
    pub fn foreign_cause(&self) -> Option<usize> {
        match self {
            Self::ProviderFailed { foreign_cause, .. } => *foreign_cause,
            Self::Summary(error) => error.foreign_cause(),
            _ => None,
        }
    }

    /// Whether trying another provider makes sense: not when the caller wanted out or made a mistake.
    #[must_use]
    pub fn allows_fallback(&self) -> bool {
        !matches!(
            self,
            Self::InvalidConfig(_) | Self::Aborted | Self::UnknownProvider { .. } | Self::CondenseLoop { .. }
        )
    }
}

fn meant(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", near.join(" or ")) }
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
