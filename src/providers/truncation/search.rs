//! Finds how much can be kept within a budget, with few exact measurements.

/// The outcome of one level.
pub struct Probe<T> {
    /// The exact tokens.
    pub tokens: usize,
    /// Whatever was built to measure them.
    pub result: T,
}

/// The search stops at a result that uses at least this share of the budget.
const CLOSE_ENOUGH: f64 = 0.98;
/// Maximum number of measurements. An estimate is usually right after two or three.
const MAX_PROBES: usize = 10;

/// Returns the result of the loosest level among `0..=loosest` that is within `budget`, or `None` if even level 0 is
/// not.
///
/// `estimate` must grow with the level and be cheap; `measure` is exact and expensive. Measurements correct the
/// estimates.
pub fn loosest<T, E>(
    loosest: usize,
    budget: usize,
    estimate: impl Fn(usize) -> usize,
    mut measure: impl FnMut(usize) -> Result<Probe<T>, E>,
) -> Result<Option<Probe<T>>, E> {
    let mut best: Option<Probe<T>> = None;
    // Levels below `low` are known to fit; `high` and above are known not to.
    let (mut low, mut high) = (0, loosest + 1);
    let mut correction = 1.0;
    for probe_number in 0.. {
        if low >= high {
            break;
        }
        let level = if probe_number < MAX_PROBES {
            guess(low, high, budget, correction, &estimate)
        } else if best.is_some() {
            break;
        } else {
            // The estimates did not help, so the tightest level decides whether the budget can be met at all.
            low
        };
        let probe = measure(level)?;
        correction = ratio(probe.tokens, estimate(level));
        if probe.tokens <= budget {
            low = level + 1;
            let close = ratio(probe.tokens, budget) >= CLOSE_ENOUGH;
            best = Some(probe);
            if close {
                break;
            }
        } else {
            high = level;
        }
    }
    Ok(best)
}

fn ratio(a: usize, b: usize) -> f64 {
    a as f64 / b.max(1) as f64
}

/// Returns the highest level in `low..high` whose corrected estimate is within the budget.
fn guess(low: usize, high: usize, budget: usize, correction: f64, estimate: &impl Fn(usize) -> usize) -> usize {
    let fits = |level: usize| ratio(estimate(level), budget) * correction <= 0.995;
    let (mut from, mut to) = (low, high);
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if fits(middle) { from = middle } else { to = middle }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_budget_is_met_whenever_it_can_be(
            steps in prop::collection::vec(0_usize..50, 1..200),
            budget in 0_usize..4000,
            skew in 1_usize..5,
        ) {
            let mut sums = vec![10];
            for step in &steps {
                sums.push(sums[sums.len() - 1] + step);
            }
            let mut measured = 0;
            let found = loosest(steps.len(), budget, |level| sums[level] * skew / 2, |level| {
                measured += 1;
                Ok::<_, ()>(Probe { tokens: sums[level], result: level })
            }).unwrap();
            match found {
                Some(probe) => prop_assert!(probe.tokens <= budget),
                None => prop_assert!(sums[0] > budget),
            }
            prop_assert!(measured <= MAX_PROBES + 8);
        }
    }

    #[test]
    fn a_good_estimate_needs_few_measurements() {
        let mut measured = 0;
        let found = loosest(
            100_000,
            5000,
            |level| level + 7,
            |level| {
                measured += 1;
                Ok::<_, ()>(Probe { tokens: level * 11 / 10, result: () })
            },
        );
        assert!(found.unwrap().unwrap().tokens > 4850);
        assert!(measured <= 4, "{measured}");
    }
}
