//! Dollars: a limit on what may be spent, kept while several requests are under way at once, and what one call has spent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Dollars that may be spent in all, and what was spent of them. A request reserves its estimate before it is sent, so requests
/// under way together cannot exceed the limit together.
#[derive(Debug, Default)]
pub struct Budget {
    limit: Option<f64>,
    account: Mutex<Account>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Account {
    spent: f64,
    reserved: f64,
}

/// The estimate does not fit the limit; nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("${spent:.4} are spent or reserved, and ${estimate:.4} more would exceed the limit of ${limit:.4}")]
pub struct OverBudget {
    /// Dollars allowed.
    pub limit: f64,
    /// Dollars spent, and reserved by requests under way.
    pub spent: f64,
    /// Dollars the request would probably cost.
    pub estimate: f64,
}

impl Budget {
    /// A budget of `limit` dollars; `None` for no limit.
    #[must_use]
    pub fn new(limit: Option<f64>) -> Self {
        Self { limit, account: Mutex::default() }
    }

    /// Dollars allowed.
    pub fn limit(&self) -> Option<f64> {
        self.limit
    }

    /// Dollars spent so far.
    pub fn spent(&self) -> f64 {
        self.lock().spent
    }

    /// A budget with the same limit of which as much is spent, to try something out.
    #[must_use]
    pub fn trial(&self) -> Self {
        Self { limit: self.limit, account: Mutex::new(*self.lock()) }
    }

    /// Adds what was spent without a reservation.
    pub fn record(&self, cost: f64) {
        self.lock().spent += cost;
    }

    /// Reserves dollars for a request.
    ///
    /// # Errors
    /// [`OverBudget`] when that would exceed the limit.
    pub fn reserve(self: &Arc<Self>, estimate: f64) -> Result<Reservation, OverBudget> {
        let mut account = self.lock();
        let spent = account.spent + account.reserved;
        if let Some(limit) = self.limit
            && spent + estimate > limit
        {
            return Err(OverBudget { limit, spent, estimate });
        }
        account.reserved += estimate;
        drop(account);
        Ok(Reservation { budget: Arc::clone(self), estimate })
    }

    // Nothing can panic under the lock.
    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Dollars set aside for one request; given back when dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    estimate: f64,
}

impl Reservation {
    /// Replaces the estimate by what was really spent.
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
    fn without_a_limit_only_the_sum_is_kept() {
        let budget = Arc::new(Budget::default());
        budget.reserve(1e9).unwrap().settle(2.0);
        budget.record(0.5);
        assert_eq!((budget.limit(), budget.spent()), (None, 2.5));
    }

    #[test]
    fn spent_dollars_are_handed_over_once() {
        let spent = Spent::default();
        spent.add(0.25);
        spent.add(0.5);
        assert_eq!((spent.take(), spent.take(), spent.total()), (0.75, 0.0, 0.75));
    }
}
