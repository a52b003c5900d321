//! The guard against condensing again and again without gain: a file larger than the window would make every turn condense.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

use crate::providers::CondenseError;

/// When automatic condensing is given up for a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardOptions {
    /// This many attempts without gain in the time window are enough.
    pub attempts: usize,
    /// The time window in milliseconds.
    pub window_ms: u64,
    /// An attempt that removes less than this share of the tokens, in percent, is one without gain.
    pub min_gain_percent: f64,
}

impl Default for GuardOptions {
    fn default() -> Self {
        Self { attempts: 3, window_ms: 60_000, min_gain_percent: 5.0 }
    }
}

/// Remembers attempts without gain, for each task.
#[derive(Debug, Default)]
pub struct Guard {
    futile: HashMap<String, VecDeque<Instant>>,
}

impl Guard {
    /// Whether one more attempt for `task` is allowed at `now`.
    ///
    /// # Errors
    /// [`CondenseError::CondenseLoop`] when it is not.
    pub fn check(&mut self, options: &GuardOptions, task: &str, now: Instant) -> Result<(), CondenseError> {
        let Some(futile) = self.futile.get_mut(task) else { return Ok(()) };
        let window = Duration::from_millis(options.window_ms);
        while futile.front().is_some_and(|at| now.duration_since(*at) >= window) {
            futile.pop_front();
        }
        if futile.is_empty() {
            self.futile.remove(task);
            return Ok(());
        }
        if futile.len() >= options.attempts {
            return Err(CondenseError::CondenseLoop {
                attempts: futile.len(),
                window_ms: options.window_ms,
                min_gain_percent: options.min_gain_percent,
            });
        }
        Ok(())
    }

    /// Remembers how an attempt for `task` ended. A gain clears what was remembered.
    pub fn record(&mut self, options: &GuardOptions, task: &str, gain_percent: f64, now: Instant) {
        if gain_percent >= options.min_gain_percent {
            self.futile.remove(task);
        } else {
            self.futile.entry(task.to_owned()).or_default().push_back(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_without_gain_are_stopped_until_the_time_window_has_passed() {
        let options = GuardOptions::default();
        let mut guard = Guard::default();
        let start = Instant::now();
        for attempt in 0..3 {
            guard.check(&options, "task", start).unwrap();
            guard.record(&options, "task", 1.0, start + Duration::from_secs(attempt));
        }
        let error = guard.check(&options, "task", start + Duration::from_secs(3)).unwrap_err();
        assert_eq!(error.code(), "condense_loop");
        guard.check(&options, "another", start).unwrap();
        guard.check(&options, "task", start + Duration::from_secs(61)).unwrap();
    }

    #[test]
    fn a_gain_clears_the_record() {
        let options = GuardOptions::default();
        let mut guard = Guard::default();
        let now = Instant::now();
        for _ in 0..5 {
            guard.record(&options, "task", 0.0, now);
        }
        guard.record(&options, "task", 5.0, now);
        guard.check(&options, "task", now).unwrap();
    }
}
