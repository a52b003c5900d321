//! What was decided by money.

use serde::Serialize;

use crate::words::{Said, said};

/// What was decided by money.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoneyDecision {
    /// Whether to condense now.
    pub condense: bool,
    /// With whom; absent where it is not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// To how many tokens, as the caller counts them; absent where there is no target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_tokens: Option<usize>,
    /// Dollars that it saves over all requests to come, what it costs taken off; below 0 where it costs more.
    pub saves: f64,
    /// Dollars that it costs at once: what summaries cost, and what the next request costs more.
    pub costs: f64,
    /// Dollars that requests paid so far to read what would go.
    pub carried: f64,
    /// Why, as programs compare it: `window`, `pays`, `waits`, `does_not_pay`, `clears_too_little`, `nothing_to_gain` or `price_unknown`.
    pub code: &'static str,
    /// The same for people.
    pub reason: String,
    /// The same as a code and values, to be told in another language.
    pub said: Said,
    /// Whether the cache still has the last request.
    pub warm: bool,
    /// Requests to come that it goes by.
    pub expected_requests: f64,
    /// Tokens that it frees, as the caller counts them.
    pub tokens_freed: f64,
}

impl MoneyDecision {
    /// Nothing is gained yet.
    pub(super) fn open(warm: bool, expected_requests: f64) -> Self {
        let said = said!("money.nothingToGain");
        Self {
            condense: false,
            provider: None,
            target_tokens: None,
            saves: 0.0,
            costs: 0.0,
            carried: 0.0,
            code: "nothing_to_gain",
            reason: said.to_string(),
            said,
            warm,
            expected_requests,
            tokens_freed: 0.0,
        }
    }

    /// The same with this reason.
    pub(super) fn told(self, code: &'static str, said: Said) -> Self {
        Self { code, reason: said.to_string(), said, ..self }
    }
}
