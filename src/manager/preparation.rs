//! The outcome of preparing a condensation ahead of need.

use serde::Serialize;

use crate::providers::Proposal;

/// The outcome of a call to prepare.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Preparation {
    /// Whether a prepared condensation now exists, to be applied when one is due.
    pub prepared: bool,
    /// - `done`: it was prepared
    /// - `reused`: an earlier preparation is still valid
    /// - `joined`: a preparation for the same task was already running and this call awaited it; if that one was
    ///   aborted, this call did its own
    /// - `early`: condensing is far from due
    /// - `nothing`: there is nothing to gain
    /// - `failed`: see `error`
    #[cfg_attr(test, ts(type = "\"done\" | \"reused\" | \"joined\" | \"early\" | \"nothing\" | \"failed\""))]
    pub reason: &'static str,
    /// Number of messages in the snapshot; 0 if nothing is prepared.
    pub messages: usize,
    /// Tokens it saves, counted like `totalTokens`.
    pub tokens_saved: f64,
}

impl Preparation {
    pub(super) fn none(reason: &'static str) -> Self {
        Self { prepared: false, reason, messages: 0, tokens_saved: 0.0 }
    }
}

/// Reports that a result came from a preparation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AppliedPreparation {
    /// Messages of the snapshot.
    pub messages: usize,
    /// Dollars that preparing it has cost, which are not in the cost of the result.
    pub cost: f64,
}

/// A prepared condensation: a proposal that is checked and adopted like any other.
pub struct Ready {
    /// Id of the provider that made the proposal.
    pub(super) id: String,
    pub(super) proposal: Proposal,
}
