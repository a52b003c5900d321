//! The outcome of preparing a condensation ahead of need.

use serde::Serialize;

use crate::providers::Proposal;

/// The outcome of a call to prepare.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preparation {
    /// Whether there is something now that will be applied when a condensation is due.
    pub prepared: bool,
    /// `done`; `reused`: an earlier preparation suffices; `joined`: the call waited for work under way elsewhere;
    /// `early`: too far from being due; `nothing`: nothing would be gained; `failed`: see the error.
    pub reason: &'static str,
    /// Messages of the snapshot; 0 where there is none.
    pub messages: usize,
    /// Tokens, as the caller counts them, that it saves.
    pub tokens_saved: f64,
}

impl Preparation {
    pub(super) fn none(reason: &'static str) -> Self {
        Self { prepared: false, reason, messages: 0, tokens_saved: 0.0 }
    }
}

/// Reports that a result came from a preparation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedPreparation {
    /// Messages of the snapshot.
    pub messages: usize,
    /// Dollars that preparing it has cost, which are not in the cost of the result.
    pub cost: f64,
}

/// A prepared condensation: a proposal that is checked and adopted like any other.
pub struct Ready {
    /// The provider that made it.
    pub(super) id: String,
    pub(super) proposal: Proposal,
}
