//! What strategies decided on the way: who was asked, and why.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::call_record::CallRecord;
use crate::words::Said;

/// One decision of a strategy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// The strategy that decided.
    pub strategy: &'static str,
    /// The provider that it asked.
    pub provider: String,
    /// Why that one.
    pub reason: String,
    /// The same as a code and values, to be told in another language.
    pub said: Said,
    /// The experiment that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    /// The variant of that experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// What it came to, for the figures of the experiment.
    #[serde(skip)]
    pub record: Option<CallRecord>,
}

/// Collects decisions.
#[derive(Debug, Default)]
pub struct Choices(Mutex<Vec<Choice>>);

impl Choices {
    /// Adds one. Its place among them.
    pub fn add(&self, choice: Choice) -> usize {
        let mut choices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        choices.push(choice);
        choices.len() - 1
    }

    /// Says what the one at this place came to.
    pub fn came_to(&self, place: usize, record: CallRecord) {
        let mut choices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(choice) = choices.get_mut(place) {
            choice.record = Some(record);
        }
    }

    /// All of them, in the order in which they were made.
    #[must_use]
    pub fn all(&self) -> Vec<Choice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
