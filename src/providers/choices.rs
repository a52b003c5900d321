//! Records the decisions of strategies: the provider each ran, and why.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::call_record::CallRecord;
use crate::words::Said;

/// One decision of a strategy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "StrategyChoice"))]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// The id of the strategy.
    #[cfg_attr(test, ts(type = "ProviderId"))]
    pub strategy: &'static str,
    /// The id of the provider that it chose.
    #[cfg_attr(test, ts(type = "ProviderId"))]
    pub provider: String,
    /// Why it chose that provider, for people.
    pub reason: String,
    /// The same as a code and values, to be told in another language.
    pub said: Said,
    /// The experiment that the decision belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    /// The variant of that experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The figures of the run, for the experiment's statistics. Set when the provider is done.
    #[serde(skip)]
    pub record: Option<CallRecord>,
}

/// Collects decisions.
#[derive(Debug, Default)]
pub struct Choices(Mutex<Vec<Choice>>);

impl Choices {
    /// Adds a decision, and returns its index.
    pub fn add(&self, choice: Choice) -> usize {
        let mut choices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        choices.push(choice);
        choices.len() - 1
    }

    /// Sets the figures of the decision at index `place`.
    pub fn came_to(&self, place: usize, record: CallRecord) {
        let mut choices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(choice) = choices.get_mut(place) {
            choice.record = Some(record);
        }
    }

    /// Returns all decisions, in the order in which they were made.
    pub fn all(&self) -> Vec<Choice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
