//! Ratios of reported to expected tokens, by model.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Reported usage relative to expected usage, by model, which improves later estimates.
#[derive(Debug, Default)]
pub struct Observed(Mutex<HashMap<String, Ratios>>);

/// Reported tokens over expected ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    /// The ratio for requests.
    pub input: f64,
    /// The ratio for responses.
    pub output: f64,
}

impl Default for Ratios {
    fn default() -> Self {
        Self { input: 1.0, output: 1.0 }
    }
}

/// Weight of the newest observation; the first one counts fully.
const NEWEST: f64 = 0.5;
/// A memory limit, above the number of models that any host uses.
const MODELS: usize = 256;

impl Observed {
    /// Returns the ratios of a model; 1 before any is known.
    pub fn ratios(&self, model: &str) -> Ratios {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied().unwrap_or_default()
    }

    /// Learns from a response.
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
}
