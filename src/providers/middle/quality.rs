//! The quality of a summary.

use serde::Serialize;

use super::must::MustKind;

/// An item that must be kept and is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingText {
    pub(super) kind: MustKind,
    pub(super) text: String,
}

/// How much of what it must keep a summary covers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryQuality {
    /// Share that can be read in the result, from 0 to 1.
    pub(super) score: f64,
    /// The items that cannot be read there.
    pub(super) missing: Vec<MissingText>,
    /// Share that the model's own words cover, from 0 to 1.
    pub(super) written_score: f64,
    /// True if the model was asked to write the summary again.
    pub(super) asked_again: bool,
    /// Number of missing items appended to the model's words.
    pub(super) completed: usize,
}

impl SummaryQuality {
    /// Returns the share that can be read in the result, from 0 to 1.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }
}
