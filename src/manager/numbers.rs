//! Compares the caller's numbers with ours. A number that the host reported is never mixed with one counted here: it is
//! scaled by the share that one and the same counter finds left.

/// The size limit of a condensed conversation, in the tokens that the caller counts in.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Goal {
    /// Tokens in the context, as the API reported them; `None` when it did not, and those that are counted are the caller's, too.
    pub reported: Option<f64>,
    /// How many of them may be left.
    pub limit: Option<f64>,
}

impl Goal {
    /// A report of nothing says nothing.
    pub fn new(reported: Option<f64>, limit: Option<f64>) -> Self {
        Self { reported: reported.filter(|tokens| *tokens > 0.0), limit }
    }

    /// The limit in tokens of which the conversation has `before`.
    pub fn counted_limit(&self, before: usize) -> Option<usize> {
        let limit = self.limit?;
        // Small enough that what is within it is within the limit, too.
        Some(self.reported.map_or(limit, |reported| before as f64 * (limit / reported)) as usize)
    }

    /// Returns the caller's tokens left when a counter finds `after` of `before`.
    pub fn left(&self, before: f64, after: f64) -> f64 {
        self.reported.map_or(after, |reported| share(reported, before, after))
    }
}

/// `reported` tokens, when a counter finds `after` of `before`.
fn share(reported: f64, before: f64, after: f64) -> f64 {
    if before > 0.0 { reported * (after / before) } else { reported }
}

/// As [`share`], in whole tokens; as it is where nothing has changed. Rounded up: what is left is never said to be less than it is.
pub fn reported_after(reported: f64, before: f64, after: f64) -> f64 {
    /// Less than any rounding of what is a whole number.
    const TINY: f64 = 1e-6;
    let after = share(reported, before, after);
    if after == reported { reported } else { (after - TINY).ceil().max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reported_is_scaled_by_what_one_counter_finds() {
        assert_eq!(reported_after(90_000.0, 45_000.0, 20_000.0), 40_000.0);
        assert_eq!(reported_after(90_000.0, 45_000.0, 45_000.0), 90_000.0);
        assert_eq!(reported_after(10.0, 3.0, 1.0), 4.0);
        assert_eq!(reported_after(10.5, 0.0, 0.0), 10.5);
        assert!(reported_after(f64::MAX, 3.0, 1.0) < f64::MAX / 2.9);
    }

    #[test]
    fn what_is_within_the_counted_limit_is_within_the_limit() {
        for (reported, before, limit) in [(90_000.0, 45_000, 40_000.0), (70_001.0, 99_991, 12_345.0), (3.0, 7, 2.0)] {
            let goal = Goal::new(Some(reported), Some(limit));
            let counted = goal.counted_limit(before).unwrap();
            assert!(goal.left(before as f64, counted as f64) <= limit);
            assert!(goal.left(before as f64, (counted + 1) as f64) > limit);
        }
        assert_eq!(Goal::new(None, Some(5.0)).counted_limit(100), Some(5));
        assert_eq!(Goal::new(Some(0.0), Some(5.0)).counted_limit(100), Some(5));
        assert_eq!(Goal::new(Some(5.0), None).counted_limit(100), None);
    }
}
