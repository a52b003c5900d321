//! What condensing has done so far: by provider, by profile, in all.

use std::collections::BTreeMap;

use serde::Serialize;

use super::alerts::Alert;

/// Sums and averages over some calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Condensations asked for.
    pub calls: u64,
    /// Ended without an error.
    pub successes: u64,
    /// Ended with an error.
    pub errors: u64,
    /// Dollars.
    pub cost: f64,
    /// Tokens removed.
    pub tokens_saved: u64,
    /// Mean share of tokens removed by the successful calls, in percent.
    pub average_reduction_percent: f64,
    /// Mean time of a call, in milliseconds.
    pub average_latency_ms: f64,
}

/// One finished call.
#[derive(Debug, Clone, Copy)]
pub struct CallRecord {
    /// It ended without an error.
    pub success: bool,
    /// Dollars.
    pub cost: f64,
    /// Tokens before.
    pub tokens_before: usize,
    /// Tokens after.
    pub tokens_after: usize,
    /// Time it took.
    pub latency_ms: f64,
}

impl CallRecord {
    fn saved(&self) -> usize {
        self.tokens_before.saturating_sub(self.tokens_after)
    }

    /// Share of the tokens removed, in percent.
    #[must_use]
    pub fn reduction_percent(&self) -> f64 {
        percent(self.saved(), self.tokens_before)
    }
}

/// `part` of `whole` in percent; 0 of nothing is 0.
#[must_use]
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

impl Totals {
    fn add(&mut self, call: &CallRecord) {
        self.calls += 1;
        self.cost += call.cost;
        self.average_latency_ms += (call.latency_ms - self.average_latency_ms) / as_float(self.calls);
        if call.success {
            self.successes += 1;
            self.tokens_saved = self.tokens_saved.saturating_add(call.saved() as u64);
            self.average_reduction_percent +=
                (call.reduction_percent() - self.average_reduction_percent) / as_float(self.successes);
        } else {
            self.errors += 1;
        }
    }
}

fn as_float(count: u64) -> f64 {
    count as f64
}

/// Everything measured since the manager was made or its metrics were reset.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// All calls.
    pub total: Totals,
    /// By the provider that did the work, or failed at it.
    pub providers: BTreeMap<String, Totals>,
    /// By profile; calls without one are not here.
    pub profiles: BTreeMap<String, Totals>,
    /// What deserves attention, as of now.
    pub alerts: Vec<Alert>,
}

impl Metrics {
    /// Adds what one provider did within a call.
    pub fn add_provider(&mut self, provider: &str, call: &CallRecord) {
        self.providers.entry(provider.to_owned()).or_default().add(call);
    }

    /// Adds a whole call, fallbacks included.
    pub fn add_call(&mut self, profile: Option<&str>, call: &CallRecord) {
        self.total.add(call);
        if let Some(profile) = profile {
            self.profiles.entry(profile.to_owned()).or_default().add(call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_over_the_calls_they_are_about() {
        let call = |success, tokens_after, latency_ms| CallRecord {
            success,
            cost: 0.5,
            tokens_before: 100,
            tokens_after,
            latency_ms,
        };
        let mut metrics = Metrics::default();
        metrics.add_call(Some("fast"), &call(true, 50, 10.0));
        metrics.add_call(None, &call(true, 80, 20.0));
        metrics.add_call(Some("fast"), &call(false, 100, 60.0));
        let total = &metrics.total;
        assert_eq!((total.calls, total.successes, total.errors, total.tokens_saved), (3, 2, 1, 70));
        assert_eq!((total.average_reduction_percent, total.average_latency_ms, total.cost), (35.0, 30.0, 1.5));
        assert_eq!(metrics.profiles["fast"].calls, 2);
    }
}
