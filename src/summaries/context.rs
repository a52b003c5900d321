//! What a provider needs to ask a model.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{budget::Budget, store::SummaryStore};
use crate::llm::{LlmHandler, ModelPrice};

/// What is needed to ask a model within one call. The default can ask nobody.
#[derive(Clone, Default)]
pub struct Llm {
    /// The handler of the conversation.
    pub handler: Option<Arc<dyn LlmHandler>>,
    /// The handler for summaries; that of the conversation when absent.
    pub condensing_handler: Option<Arc<dyn LlmHandler>>,
    /// Handlers for what asks under a profile of its own, by the profile's id.
    pub profiles: HashMap<String, ProfileHandler>,
    /// The prompt to summarise by; the provider's when absent.
    pub prompt: Option<String>,
    /// Dollars per million tokens, for a handler that has no price of its own.
    pub price: Option<ModelPrice>,
    /// Summaries already paid for.
    pub cache: Option<Arc<dyn SummaryStore>>,
    /// The limit on what may be spent.
    pub budget: Arc<Budget>,
    /// Dollars of this call, added to as they are spent, so that they are known whatever happens then. What stands here is not in
    /// [`Proposal::cost`](crate::providers::Proposal::cost).
    pub spent: Arc<Spent>,
    /// What earlier answers tell about the next.
    pub observed: Arc<Observed>,
    /// The system prompt of the conversation, for handlers that count tokens.
    pub system_prompt: String,
    /// Tokens in the context as the API reported them.
    pub reported_tokens: Option<f64>,
    /// Whether anything is sent at all.
    pub preview: Option<Preview>,
}

/// Nothing is sent: costs are estimates, and stand-ins take the place of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// Stand-ins of the length that answers probably have.
    Expected,
    /// The shortest stand-ins: no answers could save more.
    Shortest,
}

/// A handler of one of the host's profiles.
#[derive(Clone)]
pub struct ProfileHandler {
    /// Who is asked.
    pub handler: Arc<dyn LlmHandler>,
    /// Dollars per million tokens, for a handler that has no price of its own.
    pub price: Option<ModelPrice>,
}

impl Llm {
    /// The handler that summaries are asked of.
    #[must_use]
    pub fn summarizer(&self) -> Option<&Arc<dyn LlmHandler>> {
        self.condensing_handler.as_ref().or(self.handler.as_ref())
    }

    /// The same, with summaries asked of the handler of a profile where it has one.
    #[must_use]
    pub fn under(&self, profile: Option<&str>) -> Self {
        match profile.and_then(|profile| self.profiles.get(profile)) {
            None => self.clone(),
            Some(own) => {
                Self { condensing_handler: Some(own.handler.clone()), price: own.price.clone(), ..self.clone() }
            }
        }
    }

    /// Whether anybody can be asked for summaries under a profile.
    #[must_use]
    pub fn can_ask(&self, profile: Option<&str>) -> bool {
        self.summarizer().is_some() || profile.is_some_and(|profile| self.profiles.contains_key(profile))
    }
}

/// A sum of dollars that several requests add to: what was not taken yet, and everything.
#[derive(Debug, Default)]
pub struct Spent(Mutex<(f64, f64)>);

impl Spent {
    /// Adds dollars.
    pub fn add(&self, cost: f64) {
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spent.0 += cost;
        spent.1 += cost;
    }

    /// What was added since the last time this was called.
    pub fn take(&self) -> f64 {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Everything that was ever added.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

/// How far what models reported was from what was expected, by model: it makes the next estimate better.
#[derive(Debug, Default)]
pub struct Observed(Mutex<HashMap<String, Ratios>>);

/// Reported tokens over expected ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    /// Of the question.
    pub input: f64,
    /// Of the answer.
    pub output: f64,
}

impl Default for Ratios {
    fn default() -> Self {
        Self { input: 1.0, output: 1.0 }
    }
}

/// Weight of the newest observation; the first counts whole.
const NEWEST: f64 = 0.5;
/// No host uses as many models at once; the memory is bounded all the same.
const MODELS: usize = 256;

impl Observed {
    /// What is known of a model; 1 before anything is.
    #[must_use]
    pub fn ratios(&self, model: &str) -> Ratios {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied().unwrap_or_default()
    }

    /// Learns from an answer.
    pub fn learn(&self, model: &str, seen: Ratios) {
        let mut models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if models.len() >= MODELS && !models.contains_key(model) {
            models.clear();
        }
        let limited = |ratio: f64| ratio.clamp(0.05, 20.0);
        let mix = |old: f64, new: f64| old + NEWEST * (limited(new) - old);
        let next = match models.get(model) {
            None => Ratios { input: limited(seen.input), output: limited(seen.output) },
            Some(old) => Ratios { input: mix(old.input, seen.input), output: mix(old.output, seen.output) },
        };
        models.insert(model.to_owned(), next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_observation_counts_whole_and_later_ones_half() {
        let observed = Observed::default();
        assert_eq!(observed.ratios("m"), Ratios::default());
        observed.learn("m", Ratios { input: 1.5, output: 0.5 });
        observed.learn("m", Ratios { input: 1.0, output: 1000.0 });
        assert_eq!(observed.ratios("m"), Ratios { input: 1.25, output: 10.25 });
        assert_eq!(observed.ratios("other"), Ratios::default());
    }

    #[test]
    fn spent_dollars_are_handed_over_once() {
        let spent = Spent::default();
        spent.add(0.25);
        spent.add(0.5);
        assert_eq!((spent.take(), spent.take(), spent.total()), (0.75, 0.0, 0.75));
    }
}
