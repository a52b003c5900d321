//! The outcome of a decision by money.

use serde::Serialize;

use crate::words::{Said, said};

/// A decision by cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EconomicDecision"))]
#[serde(rename_all = "camelCase")]
pub struct MoneyDecision {
    /// Whether to condense now.
    pub condense: bool,
    /// The id of the provider; absent if it does not condense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "ProviderId"))]
    pub provider: Option<String>,
    /// The target in tokens, counted like `totalTokens`; absent if it does not condense, or if the trigger decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_tokens: Option<usize>,
    /// Dollars saved over all expected requests, minus the cost; negative if it costs more.
    pub saves: f64,
    /// Immediate cost in dollars: of summaries, and of the next request if that becomes more expensive.
    pub costs: f64,
    /// Dollars that earlier requests paid to read what would be removed.
    pub carried: f64,
    /// - `pays`: it condenses, or would
    /// - `waits`: it would pay, but waiting is cheaper until `carried` reaches `costs`
    /// - `does_not_pay`: with so few expected requests, it costs more than it saves
    /// - `clears_too_little`: less than `clearAtLeast`
    /// - `nothing_to_gain`: nothing would become smaller, or the conversation is too small
    /// - `window`: the next response would not fit, so cost does not matter
    /// - `price_unknown`: the trigger decides
    #[cfg_attr(
        test,
        ts(
            type = "\"pays\" | \"waits\" | \"does_not_pay\" | \"clears_too_little\" | \"nothing_to_gain\" | \"window\" | \"price_unknown\""
        )
    )]
    pub code: &'static str,
    /// The reason for people.
    pub reason: String,
    /// The same as a code and values, to be told in another language.
    pub said: Said,
    /// Whether the last request is still cached.
    pub warm: bool,
    /// The number of expected requests.
    pub expected_requests: f64,
    /// Tokens freed, counted like `totalTokens`; 0 without a dry run.
    pub tokens_freed: f64,
}

impl MoneyDecision {
    /// Creates the decision to do nothing, before anything was weighed.
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

    /// Returns the decision with another reason.
    pub(super) fn told(self, code: &'static str, said: Said) -> Self {
        Self { code, reason: said.to_string(), said, ..self }
    }
}
