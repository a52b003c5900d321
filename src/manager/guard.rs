//! Stops automatic condensing that repeatedly gains nothing. For example, a file larger than the window would trigger
//! it at every turn.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crate::{
    options::{Table, number, options, whole},
    providers::CondenseError,
};

options! {
    /// When automatic condensing is given up for a while.
    #[derive(Copy, PartialEq)]
    pub struct GuardOptions: Table::titled("guard").interface(
        "GuardOptions",
        "When automatic condensing pauses because it gains nothing. The Roo-Code drop-in's `guard` is the same.",
    );

    /// Attempts without gain after which automatic condensing pauses.
    attempts: usize = whole(1, u64::MAX).or(3),
    /// In so many milliseconds.
    ///
    /// A pause that is longer starts the count again.
    window_ms: usize = whole(0, u64::MAX).or(60_000),
    /// An attempt that removes a smaller share of the tokens is one without gain.
    ///
    /// A failed attempt is one, too.
    min_gain_percent: f64 = number(0.0, 100.0).or(5.0),
}

/// Maximum number of tasks whose attempts without gain are stored; hosts rarely run more than a few tasks at once.
const MAX_TASKS: usize = 100;

/// Counts consecutive attempts without gain for each task. `js/roo/guard.js` does the same for the drop-in; the cases
/// in `fixtures/shared/guard.json` test both.
#[derive(Debug, Default)]
pub struct Guard {
    /// The tasks, in the order of their last attempts.
    tasks: VecDeque<Futile>,
}

#[derive(Debug)]
struct Futile {
    task: String,
    attempts: usize,
    /// The end of the last attempt, not its start, because an attempt can take longer than the time window.
    ended: Instant,
}

impl Guard {
    /// Checks whether another attempt for `task` is allowed at `now`.
    ///
    /// # Errors
    /// [`CondenseError::CondenseLoop`] if it is not.
    pub fn check(&self, options: &GuardOptions, task: &str, now: Instant) -> Result<(), CondenseError> {
        match self.futile(options, task, now) {
            attempts if attempts < options.attempts => Ok(()),
            attempts => Err(CondenseError::CondenseLoop {
                attempts,
                window_ms: options.window_ms as u64,
                min_gain_percent: options.min_gain_percent,
            }),
        }
    }

    /// Records the end of an attempt for `task`: the tokens before and after, or `None` if it failed. A gain resets the
    /// count.
    pub fn record(&mut self, options: &GuardOptions, task: &str, tokens: Option<(f64, f64)>, now: Instant) {
        let attempts = self.futile(options, task, now) + 1;
        self.tasks.retain(|known| known.task != task);
        let gained = |(before, after)| before > 0.0 && 100.0 * (before - after) / before >= options.min_gain_percent;
        if tokens.is_some_and(gained) {
            return;
        }
        if self.tasks.len() == MAX_TASKS {
            self.tasks.pop_front();
        }
        self.tasks.push_back(Futile { task: task.to_owned(), attempts, ended: now });
    }

    /// Returns the number of consecutive attempts without gain; 0 if the last one ended before the time window.
    fn futile(&self, options: &GuardOptions, task: &str, now: Instant) -> usize {
        let window = Duration::from_millis(options.window_ms as u64);
        let is_recent = |known: &&Futile| known.task == task && now.duration_since(known.ended) <= window;
        self.tasks.iter().find(is_recent).map_or(0, |known| known.attempts)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::options::Options;

    #[test]
    fn the_guard_refuses_as_the_shared_cases_say() {
        let shared: Value = serde_json::from_str(include_str!("../../fixtures/shared/guard.json")).unwrap();
        let start = Instant::now();
        for case in shared["cases"].as_array().unwrap() {
            let options = GuardOptions::read(&case["options"]).unwrap();
            let mut guard = Guard::default();
            for step in case["steps"].as_array().unwrap() {
                let now = start + Duration::from_millis(step["at"].as_u64().unwrap());
                let task = step["task"].as_str().unwrap();
                if let Some(refused) = step["refused"].as_bool() {
                    let code = guard.check(&options, task, now).err().map(|error| error.code());
                    assert_eq!(code, refused.then_some("condense_loop"), "{}: {step}", case["name"]);
                } else {
                    let tokens = &step["attempt"];
                    let ended = tokens["after"].as_f64().map(|after| (tokens["before"].as_f64().unwrap(), after));
                    guard.record(&options, task, ended, now);
                }
            }
        }
    }

    #[test]
    fn no_more_tasks_are_remembered_than_it_takes() {
        let options = GuardOptions::read(&json!({ "attempts": 1 })).unwrap();
        let mut guard = Guard::default();
        let now = Instant::now();
        for task in 0..=MAX_TASKS {
            guard.record(&options, &task.to_string(), None, now);
        }
        assert_eq!(guard.tasks.len(), MAX_TASKS);
        guard.check(&options, "0", now).unwrap();
        guard.check(&options, "1", now).unwrap_err();
    }
}
