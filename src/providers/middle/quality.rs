//! How much of what must survive a summary tells.

use serde::Serialize;

use super::must::MustKind;

/// Something that must survive and does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingText {
    pub(super) kind: MustKind,
    pub(super) text: String,
}

/// How much of what must survive a summary tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryQuality {
    /// What can be read in the result, 0 to 1.
    pub(super) score: f64,
    /// What cannot.
    pub(super) missing: Vec<MissingText>,
    /// What the words of the model alone tell, 0 to 1.
    pub(super) written_score: f64,
    /// Whether the model was asked for the summary once more.
    pub(super) asked_again: bool,
    /// How much of what the model left out was put behind its words.
    pub(super) completed: usize,
}

impl SummaryQuality {
    /// What can be read in the result, 0 to 1.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }
}
