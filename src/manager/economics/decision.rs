//! The outcome of a decision by money.

use serde::Serialize;

use crate::words::{Said, said};

/// Whether condensing now pays, with provider, target and dollars.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoneyDecision {
    /// Whether to condense now.
    pub condense: bool,
    /// The provider to condense with; absent if nothing is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The target, in tokens as the caller counts them; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_tokens: Option<usize>,
    /// Dollars saved over all requests to come, less the cost; negative if it costs more than it saves.
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
