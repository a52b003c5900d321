//! Compares the results of an experiment's variants.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    savings::{reduction_percent, saved},
    survival::Survival,
};
use crate::{
    providers::{CallRecord, SummaryQuality},
    statistics::{Interval, Moments},
};

/// Minimum calls per variant for a difference to count as significant.
const MIN_CALLS: u64 = 5;
/// Significance level: a difference is significant if its p-value is below this number.
const SIGNIFICANCE: f64 = 0.05;

/// The measurements of each variant's calls. A failed call counts too, as one that saved nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Experiment(BTreeMap<String, Measured>);

#[derive(Debug, Clone, Default, PartialEq)]
struct Measured {
    tokens_saved: Moments,
    reduction_percent: Moments,
    cost: Moments,
    latency_ms: Moments,
    error_rate: Moments,
    lost_percent: Moments,
    summary_quality: Moments,
}

/// Quality measures of a call, if known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Kept {
    /// Percent of the tokens that are lost: no longer readable, and not replaced by a newer message.
    pub lost_percent: Option<f64>,
    /// How much of the content it must keep the summary covers, from 0 to 1.
    pub summary_quality: Option<f64>,
}

impl Kept {
    /// Reads the measures from the report of a call.
    pub fn measured(survival: Option<&Survival>, quality: Option<&SummaryQuality>) -> Self {
        Self { lost_percent: survival.map(Survival::lost_percent), summary_quality: quality.map(SummaryQuality::score) }
    }

    /// Returns the share of the tokens that are not lost, 0 to 1.
    pub fn information(self) -> Option<f64> {
        self.lost_percent.map(|lost| 1.0 - lost / 100.0)
    }
}

/// An experiment.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Experiment"))]
pub struct ExperimentReport {
    /// The variants by name.
    pub variants: BTreeMap<String, VariantReport>,
    /// One comparison for each measure known for all variants; empty until two variants have calls.
    pub comparisons: Vec<Comparison>,
}

/// Results of a variant. Failed calls count as having saved nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ExperimentVariant"))]
#[serde(rename_all = "camelCase")]
pub struct VariantReport {
    /// Calls.
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Tokens saved per call.
    pub tokens_saved: Estimated,
    /// Share of the tokens saved per call, 0 to 100 percent.
    pub reduction_percent: Estimated,
    /// Cost per call in dollars.
    pub cost: Estimated,
    /// Time per call in milliseconds.
    pub latency_ms: Estimated,
    /// Share of the calls that failed, 0 to 1; the interval is Wilson's.
    pub error_rate: Estimated,
    /// Share of the tokens lost per call, 0 to 100 percent; `null` if no call condensed.
    pub lost_percent: Option<Estimated>,
    /// How much of what they must keep the summaries cover, 0 to 1 (`summaryQuality.score`); `null` if none was
    /// checked.
    pub summary_quality: Option<Estimated>,
}

/// A mean with its 95% confidence interval; `null` for too few calls.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EstimatedMean"))]
pub struct Estimated {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The comparison of all variants by one measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ExperimentComparison"))]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The field of the variants that is compared.
    #[cfg_attr(
        test,
        ts(
            type = "\"tokensSaved\" | \"reductionPercent\" | \"cost\" | \"latencyMs\" | \"errorRate\" | \"lostPercent\" | \"summaryQuality\""
        )
    )]
    pub measure: &'static str,
    /// The best variant; `null` if several are equally good.
    pub ahead: Option<String>,
    /// Whether the lead is significant: every variant has five calls, and every difference a p-value under 0.05
    /// after Holm's correction.
    pub is_real: bool,
    /// The differences to each other variant.
    pub against: Vec<Against>,
}

/// Comparison of the leading variant with another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ExperimentDifference"))]
#[serde(rename_all = "camelCase")]
pub struct Against {
    /// The other one.
    pub variant: String,
    /// The mean of the leading variant minus that of this one.
    pub difference: f64,
    /// The 95% confidence interval of the difference; `null` until both have two calls.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The probability of a difference at least as large by chance, by Welch's test.
    pub p_value: Option<f64>,
}

/// A measure: its name, whether a higher value is better, and a function that returns its values.
type Measure = (&'static str, bool, fn(&Measured) -> &Moments);

const MEASURES: [Measure; 7] = [
    ("tokensSaved", true, |measured| &measured.tokens_saved),
    ("reductionPercent", true, |measured| &measured.reduction_percent),
    ("cost", false, |measured| &measured.cost),
    ("latencyMs", false, |measured| &measured.latency_ms),
    ("errorRate", false, |measured| &measured.error_rate),
    ("lostPercent", false, |measured| &measured.lost_percent),
    ("summaryQuality", true, |measured| &measured.summary_quality),
];

impl Experiment {
    /// Adds a call of a variant, with its quality measures.
    pub fn add(&mut self, variant: &str, call: &CallRecord, kept: Kept) {
        let measured = self.0.entry(variant.to_owned()).or_default();
        let (saved, share) = if call.success { (saved(call) as f64, reduction_percent(call)) } else { (0.0, 0.0) };
        measured.tokens_saved.add(saved);
        measured.reduction_percent.add(share);
        measured.cost.add(call.cost);
        measured.latency_ms.add(call.latency_ms);
        measured.error_rate.add(if call.success { 0.0 } else { 1.0 });
        // If a variant failed, its fallback kept the content, so the result is no measure of the variant.
        if call.success {
            kept.lost_percent.into_iter().for_each(|percent| measured.lost_percent.add(percent));
            kept.summary_quality.into_iter().for_each(|score| measured.summary_quality.add(score));
        }
    }

    /// Reports the results so far.
    pub fn report(&self) -> ExperimentReport {
        let variants = self.0.iter().map(|(name, measured)| (name.clone(), measured.report())).collect();
        let comparisons = if self.0.len() > 1 {
            MEASURES.iter().filter_map(|measure| self.compared(measure)).collect()
        } else {
            Vec::new()
        };
        ExperimentReport { variants, comparisons }
    }

    fn compared(&self, (measure, more_is_better, of): &Measure) -> Option<Comparison> {
        if self.0.values().any(|measured| of(measured).count() == 0) {
            return None;
        }
        let value = |measured: &Measured| if *more_is_better { of(measured).mean() } else { -of(measured).mean() };
        let (best, first) =
            self.0.iter().reduce(|best, other| if value(other.1) > value(best.1) { other } else { best })?;
        let mut against = Vec::new();
        let mut enough = of(first).count() >= MIN_CALLS;
        let mut is_tied = false;
        for (name, other) in self.0.iter().filter(|(name, _)| *name != best) {
            let difference = of(first).difference(of(other));
            enough &= of(other).count() >= MIN_CALLS;
            is_tied |= value(other) == value(first);
            against.push(Against {
                variant: name.clone(),
                difference: of(first).mean() - of(other).mean(),
                low: difference.map(|difference| difference.interval.low),
                high: difference.map(|difference| difference.interval.high),
                p_value: difference.map(|difference| difference.p_value),
            });
        }
        let is_real =
            enough && !is_tied && all_hold(against.iter().map(|other| other.p_value.unwrap_or(1.0)).collect());
        Some(Comparison { measure, ahead: (!is_tied).then(|| best.clone()), is_real, against })
    }
}

/// Returns true if all differences are significant after Holm's correction for multiple comparisons.
fn all_hold(mut p_values: Vec<f64>) -> bool {
    p_values.sort_by(f64::total_cmp);
    let count = p_values.len();
    p_values.iter().enumerate().all(|(rank, p_value)| *p_value < SIGNIFICANCE / (count - rank) as f64)
}

impl Measured {
    fn report(&self) -> VariantReport {
        let estimated = |moments: &Moments, interval: Option<Interval>| Estimated {
            mean: moments.mean(),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
        };
        let mean = |moments: &Moments| estimated(moments, moments.interval());
        let if_known = |moments: &Moments| (moments.count() > 0).then(|| mean(moments));
        let calls = self.error_rate.count();
        VariantReport {
            calls,
            errors: (self.error_rate.mean() * calls as f64).round() as u64,
            tokens_saved: mean(&self.tokens_saved),
            reduction_percent: mean(&self.reduction_percent),
            cost: mean(&self.cost),
            latency_ms: mean(&self.latency_ms),
            error_rate: estimated(&self.error_rate, self.error_rate.rate_interval()),
            lost_percent: if_known(&self.lost_percent),
            summary_quality: if_known(&self.summary_quality),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(success: bool, tokens_after: usize, cost: f64) -> CallRecord {
        CallRecord { success, cost, tokens_before: 1000, tokens_after, latency_ms: 10.0 }
    }

    fn comparison<'a>(report: &'a ExperimentReport, measure: &str) -> &'a Comparison {
        report.comparisons.iter().find(|comparison| comparison.measure == measure).unwrap()
    }

    #[test]
    fn the_better_one_is_ahead_in_each_measure() {
        let mut experiment = Experiment::default();
        for round in 0..20 {
            experiment.add("A", &call(true, 500 + round, 0.01 + 0.001 * (round % 3) as f64), Kept::default());
            experiment.add("B", &call(round % 4 > 0, 300 + round, 0.03 + 0.001 * (round % 5) as f64), Kept::default());
        }
        let report = experiment.report();
        let b = &report.variants["B"];
        assert_eq!((b.calls, b.errors), (20, 5));
        assert!((b.error_rate.mean - 0.25).abs() < 1e-12);
        assert!(b.error_rate.low.unwrap() > 0.1 && b.error_rate.high.unwrap() < 0.5);
        let cost = comparison(&report, "cost");
        assert_eq!((cost.ahead.as_deref(), cost.is_real), (Some("A"), true));
        assert!(cost.against[0].high.unwrap() < 0.0 && cost.against[0].p_value.unwrap() < 1e-6);
        let errors = comparison(&report, "errorRate");
        assert_eq!((errors.ahead.as_deref(), errors.is_real), (Some("A"), true));
        let time = comparison(&report, "latencyMs");
        assert_eq!((time.ahead.as_deref(), time.is_real), (None, false), "both the same");
        // Failed calls saved nothing.
        assert!(b.tokens_saved.mean < 0.75 * 700.0);
    }

    #[test]
    fn what_was_kept_is_compared_where_it_is_known() {
        let mut experiment = Experiment::default();
        let kept = |lost: f64, score: Option<f64>| Kept { lost_percent: Some(lost), summary_quality: score };
        for round in 0..6 {
            experiment.add("A", &call(true, 500, 0.01), kept(20.0 + f64::from(round), Some(0.9)));
            experiment.add("B", &call(true, 500, 0.01), kept(40.0 + f64::from(round), None));
        }
        // For a failed call, the fallback kept the content.
        experiment.add("B", &call(false, 500, 0.01), kept(0.0, Some(1.0)));
        let report = experiment.report();
        let lost = comparison(&report, "lostPercent");
        assert_eq!((lost.ahead.as_deref(), lost.is_real), (Some("A"), true));
        assert!((report.variants["B"].lost_percent.unwrap().mean - 42.5).abs() < 1e-9);
        assert_eq!(report.variants["B"].summary_quality, None);
        assert!(report.comparisons.iter().all(|comparison| comparison.measure != "summaryQuality"));
    }

    #[test]
    fn little_is_known_of_few_calls() {
        let mut experiment = Experiment::default();
        experiment.add("A", &call(true, 500, 0.01), Kept::default());
        assert_eq!(experiment.report().comparisons, []);
        assert_eq!(experiment.report().variants["A"].cost.low, None);
        experiment.add("B", &call(true, 400, 0.02), Kept::default());
        for _ in 0..3 {
            experiment.add("A", &call(true, 500, 0.01), Kept::default());
            experiment.add("B", &call(true, 400, 0.02), Kept::default());
        }
        let report = experiment.report();
        assert_eq!(comparison(&report, "cost").ahead.as_deref(), Some("A"));
        assert!(!comparison(&report, "cost").is_real, "four calls each");
    }

    #[test]
    fn of_many_variants_the_correction_is_for_all() {
        assert!(all_hold(vec![0.03, 0.01]) && !all_hold(vec![0.03, 0.04]) && all_hold(vec![0.04]));
    }
}
