//! The quality of a summary.

use serde::Serialize;

use super::must::MustKind;

/// An item that must be kept and is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MissingItem"))]
pub struct MissingText {
    /// The kind of the item.
    #[cfg_attr(test, ts(inline))]
    pub(super) kind: MustKind,
    /// The item in words.
    pub(super) text: String,
}

/// How much of what it must keep a summary covers: from the messages it replaces, up to twenty items of each kind:
///
/// - `constraint`: a sentence in which the user set a limit
/// - `task`: an unfinished item of the newest plan, or the user's latest request
/// - `file`: a changed file, by its path or the last two parts of it
/// - `name`: a path or identifier that the assistant used in calls, those most likely to be used again first
///
/// Items that are readable elsewhere in the result count as covered. So do constraints and tasks if seven in ten of
/// their longer words are in the summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SummaryQuality {
    /// 0 to 1: the mean, over the kinds present, of the share of items that are readable in the result; 1 if
    /// nothing must be kept.
    pub(super) score: f64,
    /// The items that are missing.
    pub(super) missing: Vec<MissingText>,
    /// The score of the model's own text, without the items that were appended to it.
    pub(super) written_score: f64,
    /// Whether the summary was requested a second time.
    pub(super) asked_again: bool,
    /// Number of items that the model left out and that were appended.
    pub(super) completed: usize,
}

impl SummaryQuality {
    /// Returns the share that can be read in the result, from 0 to 1.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }
}
