//! Dollars: a limit that holds even with several concurrent requests, and the sum that one call has spent.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    dollars::rounded,
    words::{Said, said},
};

/// A limit in dollars, and the dollars spent. A request reserves its estimate before it is sent, so concurrent
/// requests cannot exceed the limit together.
#[derive(Debug)]
pub struct Budget {
    limit: Option<f64>,
    option: &'static str,
    account: Mutex<Account>,
    /// The larger budget that contains this one, and from which spending is deducted too.
    whole: Option<Arc<Budget>>,
    /// True if the limit is never exceeded, not even by the last response.
    is_strict: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(None)
    }
}

/// The option that limits everything together.
const MAX_COST: &str = "maxCost";
/// The option that limits one condensation.
pub const MAX_COST_PER_CONDENSATION: &str = "maxCostPerCondensation";

#[derive(Debug, Default, Clone, Copy)]
struct Account {
    spent: f64,
    reserved: f64,
}

/// The error for an estimate above the limit; nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverBudget {
    /// Dollars allowed.
    pub limit: f64,
    /// Dollars spent, plus those reserved by running requests.
    pub spent: f64,
    /// Estimated dollars of the request.
    pub estimate: f64,
    /// The option that sets the limit.
    pub option: &'static str,
}

impl OverBudget {
    /// Returns the message as a code and values.
    pub fn said(&self) -> Said {
        let Self { limit, spent, estimate, option } = *self;
        let [spent, estimate, limit] = [spent, estimate, limit].map(|dollars| rounded(dollars, 4));
        said!("error.overBudget", spent: spent, estimate: estimate, limit: limit, option: option)
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.said().fmt(f)
    }
}

impl std::error::Error for OverBudget {}

impl Budget {
    /// Creates a budget of `limit` dollars; `None` for no limit.
    pub fn new(limit: Option<f64>) -> Self {
        Self { limit, option: MAX_COST, account: Mutex::default(), whole: None, is_strict: false }
    }

    /// Creates the budget of one condensation: `limit` dollars (`None` for no limit of its own), and at most what is
    /// left of `whole`.
    pub fn part_of(whole: Arc<Self>, limit: Option<f64>) -> Self {
        Self { option: MAX_COST_PER_CONDENSATION, whole: Some(whole), ..Self::new(limit) }
    }

    /// Creates a part of `whole` whose limit is never exceeded, even if a response costs more than estimated, because
    /// the maximum cost of each request is reserved. `option` sets the limit.
    pub fn strict_part_of(whole: Arc<Self>, limit: f64, option: &'static str) -> Self {
        Self { option, whole: Some(whole), is_strict: true, ..Self::new(Some(limit)) }
    }

    /// Returns true if this limit, or that of a containing budget, must never be exceeded.
    pub fn is_strict(&self) -> bool {
        self.is_strict || self.whole.as_ref().is_some_and(|whole| whole.is_strict())
    }

    /// Returns the dollars left: the least of this budget and those that contain it; `None` without any limit.
    pub fn left(&self) -> Option<f64> {
        let own = {
            let account = self.lock();
            self.limit.map(|limit| (limit - account.spent - account.reserved).max(0.0))
        };
        let of_whole = self.whole.as_ref().and_then(|whole| whole.left());
        own.into_iter().chain(of_whole).reduce(f64::min)
    }

    /// Returns the option with the narrowest limit; its own precedes those of containing budgets.
    pub fn limiting_option(&self) -> Option<&'static str> {
        let of_whole = || self.whole.as_ref().and_then(|whole| whole.limiting_option());
        self.limit.map(|_| self.option).or_else(of_whole)
    }

    /// Returns the limit in dollars.
    pub fn limit(&self) -> Option<f64> {
        self.limit
    }

    /// Returns the dollars spent so far.
    pub fn spent(&self) -> f64 {
        self.lock().spent
    }

    /// Returns a budget with the same limit and spending, for a dry run.
    pub fn trial(&self) -> Self {
        let whole = self.whole.as_ref().map(|whole| Arc::new(whole.trial()));
        Self {
            limit: self.limit,
            option: self.option,
            account: Mutex::new(*self.lock()),
            whole,
            is_strict: self.is_strict,
        }
    }

    /// Adds dollars spent without a reservation.
    pub fn record(&self, cost: f64) {
        self.lock().spent += cost;
        if let Some(whole) = &self.whole {
            whole.record(cost);
        }
    }

    /// Reserves dollars for a request.
    ///
    /// # Errors
    /// [`OverBudget`] if that would exceed the limit.
    pub fn reserve(self: &Arc<Self>, estimate: f64) -> Result<Reservation, OverBudget> {
        let mut account = self.lock();
        let spent = account.spent + account.reserved;
        if let Some(limit) = self.limit
            && spent + estimate > limit
        {
            return Err(OverBudget { limit, spent, estimate, option: self.option });
        }
        let of_whole = self.whole.as_ref().map(|whole| whole.reserve(estimate)).transpose()?;
        account.reserved += estimate;
        drop(account);
        Ok(Reservation { budget: Arc::clone(self), estimate, _of_whole: of_whole.map(Box::new) })
    }

    // No code can panic while holding the lock.
    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Dollars reserved for one request, released when dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    estimate: f64,
    /// The reservation in the containing budget, released together with this one.
    _of_whole: Option<Box<Reservation>>,
}

impl Reservation {
    /// Replaces the estimate with the dollars actually spent.
    pub fn settle(self, cost: f64) {
        self.budget.record(cost);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut account = self.budget.lock();
        account.reserved = (account.reserved - self.estimate).max(0.0);
    }
}

/// A sum of dollars that several requests add to.
#[derive(Debug, Default)]
pub struct Spent(Mutex<Sums>);

#[derive(Debug, Default)]
struct Sums {
    total: f64,
    most: f64,
    by_model: BTreeMap<String, f64>,
    stood_in: bool,
    unpriced: bool,
    refused: Option<(String, f64)>,
}

impl Spent {
    /// Adds the dollars of a model's response.
    pub fn add(&self, model: &str, cost: f64) {
        let mut spent = self.lock();
        spent.total += cost;
        match spent.by_model.get_mut(model) {
            Some(sum) => *sum += cost,
            None => drop(spent.by_model.insert(model.to_owned(), cost)),
        }
    }

    /// Returns all dollars added, by model.
    pub fn by_model(&self) -> BTreeMap<String, f64> {
        self.lock().by_model.clone()
    }

    // No code can panic while holding the lock.
    fn lock(&self) -> MutexGuard<'_, Sums> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a placeholder replaced a model's response, and whether the model's price is known.
    pub fn note_stand_in(&self, is_priced: bool) {
        let mut spent = self.lock();
        spent.stood_in = true;
        spent.unpriced |= !is_priced;
    }

    /// Returns true if a model of unknown price would be called, so that the sum is meaningless.
    pub fn is_unpriced(&self) -> bool {
        self.lock().unpriced
    }

    /// Returns true if a model would be called, whatever happens to its responses.
    pub fn would_ask(&self) -> bool {
        self.lock().stood_in
    }

    /// Records the cost of a request that was refused as too expensive. The first one counts.
    pub fn note_refused(&self, model: &str, cost: f64) {
        self.lock().refused.get_or_insert_with(|| (model.to_owned(), cost));
    }

    /// Adds the cost of a refused request if nothing else was spent: its price is reported even if it was too high for
    /// anything to be done.
    pub fn add_refused(&self) {
        let refused = self.lock().refused.take();
        if let Some((model, cost)) = refused.filter(|_| self.total() == 0.0) {
            self.add(&model, cost);
        }
    }

    /// Adds the maximum cost of a response in a dry run.
    pub fn add_most(&self, dollars: f64) {
        self.lock().most += dollars;
    }

    /// Returns the most that all dry runs could have cost; infinite if a price is not known.
    pub fn most(&self) -> f64 {
        self.lock().most
    }

    /// Adds dollars paid to an unknown service, such as a custom provider's own cost.
    pub fn add_unnamed(&self, cost: f64) {
        self.lock().total += cost;
    }

    /// Returns all dollars added.
    pub fn total(&self) -> f64 {
        self.lock().total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_counts() {
        let budget = Arc::new(Budget::new(Some(1.0)));
        let first = budget.reserve(0.6).unwrap();
        let error = budget.reserve(0.6).unwrap_err();
        assert_eq!((error.spent, error.estimate, error.limit), (0.6, 0.6, 1.0));
        first.settle(0.1);
        assert_eq!(budget.spent(), 0.1);
        drop(budget.reserve(0.9).unwrap());
        assert!(budget.reserve(0.90001).is_err());
        assert!(budget.reserve(0.9).is_ok(), "a dropped reservation is given back");
    }

    #[test]
    fn a_part_is_limited_by_itself_and_by_the_whole() {
        let whole = Arc::new(Budget::new(Some(1.0)));
        let part = Arc::new(Budget::part_of(Arc::clone(&whole), Some(0.4)));
        let error = part.reserve(0.5).unwrap_err();
        assert_eq!((error.limit, error.option), (0.4, MAX_COST_PER_CONDENSATION));
        part.reserve(0.3).unwrap().settle(0.35);
        assert_eq!((part.spent(), whole.spent()), (0.35, 0.35));
        assert!(part.reserve(0.1).is_err());

        let next = Arc::new(Budget::part_of(Arc::clone(&whole), None));
        assert_eq!(next.limiting_option(), Some(MAX_COST));
        let held = next.reserve(0.6).unwrap();
        assert_eq!(next.reserve(0.1).unwrap_err().option, MAX_COST, "what is under way counts for the whole");
        drop(held);
        let trial = Arc::new(next.trial());
        trial.reserve(0.6).unwrap().settle(0.6);
        assert_eq!((trial.spent(), whole.spent()), (0.6, 0.35), "a trial spends nothing");
        assert_eq!(Budget::part_of(Arc::default(), None).limiting_option(), None);
    }

    #[test]
    fn a_strict_part_says_so_and_knows_what_is_left() {
        let whole = Arc::new(Budget::new(Some(1.0)));
        let strict = Arc::new(Budget::strict_part_of(Arc::clone(&whole), 0.5, "budget"));
        assert_eq!((whole.is_strict(), strict.is_strict(), strict.left()), (false, true, Some(0.5)));
        whole.record(0.75);
        assert_eq!((strict.left(), Budget::new(None).left()), (Some(0.25), None));
        let inner = Arc::new(Budget::part_of(Arc::clone(&strict), None));
        let held = inner.reserve(0.25).unwrap();
        assert_eq!((inner.is_strict(), inner.left(), inner.trial().is_strict()), (true, Some(0.0), true));
        held.settle(0.125);
        assert_eq!((strict.left(), whole.left()), (Some(0.125), Some(0.125)));
    }

    #[test]
    fn without_a_limit_only_the_sum_is_kept() {
        let budget = Arc::new(Budget::default());
        budget.reserve(1e9).unwrap().settle(2.0);
        budget.record(0.5);
        assert_eq!((budget.limit(), budget.spent()), (None, 2.5));
    }

    #[test]
    fn what_is_spent_is_known_by_model_where_that_is_known() {
        let spent = Spent::default();
        spent.add("a", 0.25);
        spent.add("b", 0.5);
        spent.add_unnamed(1.0);
        assert_eq!((spent.total(), spent.by_model().values().sum::<f64>()), (1.75, 0.75));
    }
}
