//! The facts about a task that a decision by money rests on.

use crate::{
    conversation::{Conversation, Role},
    options::{Field, Kind, Settings, Table},
};

/// Milliseconds for which a prompt is kept after the last request: five minutes at Anthropic, five to ten at OpenAI.
const DEFAULT_LIFETIME_MS: f64 = 300_000.0;

/// Tokens that are left where nobody says how many: with so many a recorded agent could still read 99.6% of the names it needed
/// (docs/measurements.md).
const DEFAULT_TARGET: u64 = 40_000;

/// The share of what is left that a condensation has to free where nobody says how much: less is gained often and little, and each time loses
/// something (docs/economics.md).
const DEFAULT_CLEARED_SHARE: f64 = 0.25;

/// As many requests are expected as there were, because the longer a task has lasted, the longer it lasts; but no more than this.
const MAX_ESTIMATED_REQUESTS: f64 = 200.0;

/// No task has more requests. So dollars stay numbers.
const MAX_REQUESTS: f64 = 1e6;

/// The option `economics` of a call.
pub static ECONOMICS: Table = Table::new(
    "economics",
    &[
        Field::number_if_set("expectedRequests", 0.0, MAX_REQUESTS, "Requests still to come, the next one included."),
        Field::number_if_set(
            "msSinceLastRequest",
            0.0,
            f64::MAX,
            "Milliseconds since the last request; absent: the cache is warm.",
        ),
        Field::new(
            "cacheLifetimeMs",
            Kind::Number { default: Some(DEFAULT_LIFETIME_MS), min: 0.0, max: f64::MAX },
            "Milliseconds for which the model's provider keeps a prompt.",
        ),
        Field::integer("targetTokens", DEFAULT_TARGET, 0, u64::MAX, "Tokens that a condensation leaves."),
        Field::integer_if_set(
            "clearAtLeast",
            0,
            u64::MAX,
            "Tokens that a condensation must free to be done; absent: a quarter of those that it leaves.",
        ),
        Field::choice(
            "keep",
            &["first", "last"],
            "Which copy of what is repeated the provider `lossless` leaves while the cache is warm.",
        ),
        Field::integer_if_set(
            "sentMessages",
            0,
            u64::MAX,
            "Messages of the last request; absent: all before the last one of the assistant.",
        ),
    ],
);

/// The same, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Economics {
    expected_requests: Option<f64>,
    since_last_ms: Option<f64>,
    lifetime_ms: f64,
    /// Tokens that a condensation leaves, as the caller counts them.
    pub(super) target: f64,
    clear_at_least: Option<usize>,
    keeps_first: bool,
    sent_messages: Option<usize>,
}

impl Economics {
    /// Reads the option `economics`.
    #[must_use]
    pub fn of(settings: &Settings<'_>) -> Self {
        Self {
            expected_requests: settings.given_number("expectedRequests"),
            since_last_ms: settings.given_number("msSinceLastRequest"),
            lifetime_ms: settings.number("cacheLifetimeMs"),
            target: settings.integer("targetTokens") as f64,
            clear_at_least: settings.given_integer("clearAtLeast"),
            keeps_first: settings.text("keep") == "first",
            sent_messages: settings.given_integer("sentMessages"),
        }
    }

    /// Tokens that a condensation must free, as the caller counts them, where it leaves so many.
    pub(super) fn least_cleared(&self, target: f64) -> f64 {
        self.clear_at_least.map_or(target * DEFAULT_CLEARED_SHARE, |tokens| tokens as f64)
    }

    /// Whether the cache still has the last request.
    pub(super) fn is_warm(&self) -> bool {
        self.since_last_ms.is_none_or(|since| since < self.lifetime_ms)
    }

    /// Whether the older one of two copies stays, so that what the cache has changes as little as can be.
    pub(super) fn keeps_first_copies(&self) -> bool {
        self.keeps_first && self.is_warm()
    }

    /// Requests to come: as the host says, or as many as there were.
    pub(super) fn requests(&self, conversation: &Conversation) -> f64 {
        let so_far = || requests_in(conversation).count() as f64;
        self.expected_requests.unwrap_or_else(|| so_far().clamp(1.0, MAX_ESTIMATED_REQUESTS))
    }

    /// Messages that the last request had.
    pub(super) fn sent(&self, conversation: &Conversation) -> usize {
        let last = || requests_in(conversation).last();
        self.sent_messages.or_else(last).unwrap_or(0).min(conversation.len())
    }
}

impl Default for Economics {
    fn default() -> Self {
        Self {
            expected_requests: None,
            since_last_ms: None,
            lifetime_ms: DEFAULT_LIFETIME_MS,
            target: DEFAULT_TARGET as f64,
            clear_at_least: None,
            keeps_first: true,
            sent_messages: None,
        }
    }
}

/// How many messages each request had that the conversation shows: those before each message of the assistant.
pub(super) fn requests_in(conversation: &Conversation) -> impl Iterator<Item = usize> + '_ {
    (0..conversation.len()).filter(|index| conversation.message(*index).role == Role::Assistant)
}
