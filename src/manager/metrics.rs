//! Totals of all condensations so far: by provider, by profile, and overall.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Serialize;

use super::{
    alerts::Alert,
    experiments::{Experiment, ExperimentReport, Kept},
    savings::{reduction_percent, saved},
};
use crate::{
    providers::{CallRecord, Choice},
    statistics::Moments,
};

/// Sums and averages over calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MetricTotals"))]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Number of condensations.
    pub calls: u64,
    /// How many succeeded.
    pub successes: u64,
    /// How many failed.
    pub errors: u64,
    /// Dollars.
    pub cost: f64,
    /// Tokens removed.
    pub tokens_saved: u64,
    /// Mean share of the tokens removed by the successful calls, in percent.
    pub average_reduction_percent: f64,
    /// Mean time of a call, in milliseconds.
    pub average_latency_ms: f64,
    /// Median time of the newest calls (1000 at most), in milliseconds.
    pub p50_latency_ms: f64,
    /// 95th percentile of their times, in milliseconds.
    pub p95_latency_ms: f64,
    /// Tokens before condensing per second of work, over all calls.
    pub tokens_per_second: f64,
    /// Mean cost of a call in dollars.
    pub average_cost: f64,
    /// Largest cost of a call in dollars.
    pub highest_cost: f64,
    /// Mean of `metrics.summaryQualityScore`, 0 to 1; absent if no call measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_quality_score: Option<f64>,
    /// Mean of `metrics.informationPreservation`, 0 to 1; absent if no call measured it. Like the score, it counts
    /// for the provider that changed the conversation last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub information_preservation: Option<f64>,
    #[serde(skip)]
    qualities: Moments,
    #[serde(skip)]
    preserved: Moments,
    #[serde(skip)]
    latencies: VecDeque<f64>,
    #[serde(skip)]
    milliseconds: f64,
    #[serde(skip)]
    tokens: f64,
}

/// Number of newest calls from whose times percentiles are computed.
const MAX_SAMPLES: usize = 1000;

impl Totals {
    fn add(&mut self, call: &CallRecord) {
        self.calls += 1;
        self.cost += call.cost;
        self.average_cost = self.cost / as_float(self.calls);
        self.highest_cost = self.highest_cost.max(call.cost);
        self.milliseconds += call.latency_ms;
        self.tokens += call.tokens_before as f64;
        self.tokens_per_second = if self.milliseconds > 0.0 { 1000.0 * self.tokens / self.milliseconds } else { 0.0 };
        if self.latencies.len() == MAX_SAMPLES {
            self.latencies.pop_front();
        }
        self.latencies.push_back(call.latency_ms);
        self.average_latency_ms += (call.latency_ms - self.average_latency_ms) / as_float(self.calls);
        if call.success {
            self.successes += 1;
            self.tokens_saved = self.tokens_saved.saturating_add(saved(call) as u64);
            self.average_reduction_percent +=
                (reduction_percent(call) - self.average_reduction_percent) / as_float(self.successes);
        } else {
            self.errors += 1;
        }
    }
}

impl Totals {
    fn add_kept(&mut self, kept: Kept) {
        add_to_mean(&mut self.qualities, &mut self.summary_quality_score, kept.summary_quality);
        add_to_mean(&mut self.preserved, &mut self.information_preservation, kept.information());
    }

    /// Computes the percentiles, which are not kept up to date.
    fn finished(&mut self) {
        let mut sorted: Vec<f64> = self.latencies.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        (self.p50_latency_ms, self.p95_latency_ms) = (nearest_rank(&sorted, 0.5), nearest_rank(&sorted, 0.95));
    }
}

fn add_to_mean(moments: &mut Moments, mean: &mut Option<f64>, value: Option<f64>) {
    if let Some(value) = value {
        moments.add(value);
        *mean = Some(moments.mean());
    }
}

/// Returns the percentile by the nearest-rank method; 0 if there are no numbers.
fn nearest_rank(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

fn as_float(count: u64) -> f64 {
    count as f64
}

/// Metrics of a manager since its creation or their last reset. Previews and calls that were not due are not
/// counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// All calls.
    pub total: Totals,
    /// By provider, fallbacks included.
    pub providers: BTreeMap<String, Totals>,
    /// By profile; calls without a profile are not included.
    pub profiles: BTreeMap<String, Totals>,
    /// Dollars by model; costs that custom providers report are not included.
    pub cost_by_model: BTreeMap<String, f64>,
    /// Results of experiments, by experiment; see `CondensationManager.getExperiment`.
    pub experiments: BTreeMap<String, ExperimentReport>,
    #[serde(skip)]
    measured: BTreeMap<String, Experiment>,
    /// The newest 100 condensations, the oldest first.
    #[cfg_attr(test, ts(as = "Vec<CondensationRecord>"))]
    pub records: VecDeque<CondensationRecord>,
    /// Current alerts.
    pub alerts: Vec<Alert>,
}

/// Maximum number of condensations that are stored individually.
const MAX_RECORDS: usize = 100;

/// The metrics entry of one condensation, fallbacks included.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CondensationRecord {
    /// When it ended, in milliseconds since 1970.
    pub timestamp: u64,
    /// Id of the provider that did the work, or else was called.
    pub provider_id: String,
    /// The profile, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_id: Option<String>,
    /// The error code, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// Dollars.
    pub cost: f64,
    /// Tokens before.
    pub original_tokens: usize,
    /// Tokens after.
    pub final_tokens: usize,
    /// 0 to 100.
    pub reduction_percent: f64,
    /// Milliseconds.
    pub latency_ms: f64,
    /// How much of what it must keep the summary covers, 0 to 1; absent if it was not measured, like the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_quality_score: Option<f64>,
    /// Share of the tokens that are not lost, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub information_preservation: Option<f64>,
}

impl CondensationRecord {
    /// Creates the entry of a call that ends now.
    pub fn ended(call: &CallRecord, provider: &str, profile: Option<&str>, error: Option<&'static str>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            timestamp: u64::try_from(now.as_millis()).unwrap_or_default(),
            provider_id: provider.to_owned(),
            profile_id: profile.map(str::to_owned),
            error,
            cost: call.cost,
            original_tokens: call.tokens_before,
            final_tokens: call.tokens_after,
            reduction_percent: reduction_percent(call),
            latency_ms: call.latency_ms,
            ..Self::default()
        }
    }

    /// Returns the entry with the quality measures.
    pub fn with_kept(self, kept: Kept) -> Self {
        Self { summary_quality_score: kept.summary_quality, information_preservation: kept.information(), ..self }
    }
}

impl Metrics {
    /// Adds the measurements of one provider within a call.
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

    /// Adds the quality measures of a call to the totals, and to the provider that changed the conversation last.
    pub fn add_kept(&mut self, provider: &str, profile: Option<&str>, kept: Kept) {
        let of_profile = profile.and_then(|profile| self.profiles.get_mut(profile));
        let all = [Some(&mut self.total), self.providers.get_mut(provider), of_profile];
        all.into_iter().flatten().for_each(|totals| totals.add_kept(kept));
    }

    /// Adds the results of experiments' variants.
    pub fn add_variants(&mut self, choices: &[Choice], kept: Kept) {
        for Choice { experiment, variant, record, .. } in choices {
            if let (Some(experiment), Some(variant), Some(record)) = (experiment, variant, record) {
                self.measured.entry(experiment.clone()).or_default().add(variant, record, kept);
            }
        }
    }

    /// Adds costs that do not belong to a counted call.
    pub fn add_paid(&mut self, profile: Option<&str>, cost: f64, by_model: &BTreeMap<String, f64>) {
        let of_profile = profile.map(|profile| self.profiles.entry(profile.to_owned()).or_default());
        for totals in of_profile.into_iter().chain([&mut self.total]) {
            totals.cost += cost;
        }
        self.add_models(by_model);
    }

    /// Adds the costs by model within a call.
    pub fn add_models(&mut self, costs: &BTreeMap<String, f64>) {
        for (model, cost) in costs {
            *self.cost_by_model.entry(model.clone()).or_default() += cost;
        }
    }

    /// Stores the entry of a call.
    pub fn add_record(&mut self, record: CondensationRecord) {
        if self.records.len() == MAX_RECORDS {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }

    /// Computes the values that are not kept up to date.
    pub fn finished(mut self) -> Self {
        let all = self.providers.values_mut().chain(self.profiles.values_mut());
        all.chain([&mut self.total]).for_each(Totals::finished);
        self.experiments = self.measured.iter().map(|(id, experiment)| (id.clone(), experiment.report())).collect();
        self
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
        let total = metrics.finished().total;
        assert_eq!((total.average_cost, total.highest_cost), (0.5, 0.5));
        assert_eq!((total.p50_latency_ms, total.p95_latency_ms), (20.0, 60.0));
        assert!((total.tokens_per_second - 300.0 / 0.09).abs() < 1e-6);
    }

    #[test]
    fn what_was_kept_is_averaged_over_the_calls_that_measured_it() {
        let call = CallRecord { success: true, cost: 0.0, tokens_before: 100, tokens_after: 50, latency_ms: 1.0 };
        let mut metrics = Metrics::default();
        let kept = [
            Kept { lost_percent: Some(20.0), summary_quality: Some(0.5) },
            Kept { lost_percent: Some(0.0), summary_quality: None },
            Kept::default(),
        ];
        for kept in kept {
            metrics.add_provider("native", &call);
            metrics.add_call(Some("fast"), &call);
            metrics.add_kept("native", Some("fast"), kept);
        }
        for totals in [&metrics.total, &metrics.providers["native"], &metrics.profiles["fast"]] {
            assert_eq!((totals.summary_quality_score, totals.information_preservation), (Some(0.5), Some(0.9)));
        }
        let record = CondensationRecord::ended(&call, "native", None, None).with_kept(kept[0]);
        assert_eq!((record.summary_quality_score, record.information_preservation), (Some(0.5), Some(0.8)));
    }

    #[test]
    fn percentiles_are_of_the_newest_calls_and_records_are_few() {
        let mut metrics = Metrics::default();
        for index in 0..=2 * MAX_SAMPLES {
            let latency_ms = index as f64;
            let call = CallRecord { success: true, cost: 0.0, tokens_before: 10, tokens_after: 5, latency_ms };
            metrics.add_call(None, &call);
            metrics.add_record(CondensationRecord::ended(&call, "native", None, None));
        }
        metrics.add_models(&BTreeMap::from([("a".to_owned(), 0.5)]));
        metrics.add_models(&BTreeMap::from([("a".to_owned(), 0.25), ("b".to_owned(), 1.0)]));
        let metrics = metrics.finished();
        assert_eq!((metrics.total.p50_latency_ms, metrics.total.p95_latency_ms), (1500.0, 1950.0));
        assert_eq!((metrics.records.len(), metrics.records[MAX_RECORDS - 1].latency_ms), (MAX_RECORDS, 2000.0));
        assert_eq!((metrics.cost_by_model["a"], metrics.cost_by_model["b"]), (0.75, 1.0));
    }
}
