//! Relates token numbers that the caller reported to locally counted ones. The two are never mixed: a reported number
//! is scaled by the ratio of two local counts.

/// The size limit of a condensed conversation, in the caller's tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Goal {
    /// Tokens in the context as the API reported them. `None` if it reported none; the caller's tokens are then the
    /// counted ones.
    pub reported: Option<f64>,
    /// Maximum tokens of the condensed conversation.
    pub target: Option<f64>,
}

impl Goal {
    /// Creates a goal. A reported number of 0 counts as none.
    pub fn new(reported: Option<f64>, target: Option<f64>) -> Self {
        Self { reported: reported.filter(|tokens| *tokens > 0.0), target }
    }

    /// Converts the target to counted tokens, of which the conversation has `before`.
    pub fn counted_target(&self, before: usize) -> Option<usize> {
        let target = self.target?;
        // Rounded down, so that a conversation within this number is also within the target.
        Some(self.reported.map_or(target, |reported| before as f64 * (target / reported)) as usize)
    }

    /// Returns the remaining tokens in the caller's count, if local counts are `before` and `after`.
    pub fn left(&self, before: f64, after: f64) -> f64 {
        self.reported.map_or(after, |reported| share(reported, before, after))
    }
}

/// Scales `reported` by the ratio of two local counts.
fn share(reported: f64, before: f64, after: f64) -> f64 {
    if before > 0.0 { reported * (after / before) } else { reported }
}

/// Works as [`share`], rounded up to whole tokens, so that the remaining tokens are never understated. Without a
/// change, `reported` is returned unrounded.
pub fn reported_after(reported: f64, before: f64, after: f64) -> f64 {
    /// Larger than the rounding error of a whole number, which must not be rounded up to the next one.
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
    fn what_is_within_the_counted_target_is_within_the_target() {
        for (reported, before, target) in [(90_000.0, 45_000, 40_000.0), (70_001.0, 99_991, 12_345.0), (3.0, 7, 2.0)] {
            let goal = Goal::new(Some(reported), Some(target));
            let counted = goal.counted_target(before).unwrap();
            assert!(goal.left(before as f64, counted as f64) <= target);
            assert!(goal.left(before as f64, (counted + 1) as f64) > target);
        }
        assert_eq!(Goal::new(None, Some(5.0)).counted_target(100), Some(5));
        assert_eq!(Goal::new(Some(0.0), Some(5.0)).counted_target(100), Some(5));
        assert_eq!(Goal::new(Some(5.0), None).counted_target(100), None);
    }
}
