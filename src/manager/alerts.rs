//! Creates alerts about summaries with little gain, and about costs.

use serde::Serialize;

use super::{Metrics, Report};
use crate::{
    dollars::{rounded, rounded_apart},
    summaries::Budget,
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// Minimum share of the tokens that condensations should remove on average, in percent; a lower one causes an alert.
pub const LOW_REDUCTION_PERCENT: f64 = 20.0;

/// An alert about the metrics.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MetricAlert"))]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// `low_reduction`: less than 20% is removed on average, also by free providers; `high_cost`: one condensation
    /// cost more than `costAlert`; `cost_limit`: `maxCost` is spent.
    #[cfg_attr(test, ts(type = "\"low_reduction\" | \"high_cost\" | \"cost_limit\""))]
    pub code: &'static str,
    /// For a person.
    pub message: String,
    /// The same as a code and values, to be told in another language.
    pub said: Said,
    /// The provider that the alert is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The profile that the alert is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_id: Option<String>,
}

impl Alert {
    /// Creates an alert about no provider or profile in particular.
    fn general(code: &'static str, said: Said) -> Self {
        Self { code, message: said.to_string(), said, provider_id: None, profile_id: None }
    }
}

/// Returns the alerts of some metrics. `cost_alert`: dollars above which one condensation is reported; `None` for
/// never.
pub(super) fn alerts(metrics: &Metrics, budget: &Budget, cost_alert: Option<f64>) -> Vec<Alert> {
    let mut alerts = Vec::new();
    for (kind, by_id) in [("provider", &metrics.providers), ("profile", &metrics.profiles)] {
        for (id, totals) in by_id {
            let average = totals.average_reduction_percent;
            if totals.successes > 0 && average < LOW_REDUCTION_PERCENT {
                let own = |of: &str| (kind == of).then(|| id.clone());
                let [provider, profile] = ["provider", "profile"].map(own);
                let words = if kind == "provider" { "alert.providerReduces" } else { "alert.profileReduces" };
                let (removed, least) = (rounded(average, 1), LOW_REDUCTION_PERCENT);
                let said = said!(words, id: id.as_str(), removed: removed, least: least);
                alerts.push(Alert {
                    provider_id: provider,
                    profile_id: profile,
                    ..Alert::general("low_reduction", said)
                });
            }
        }
    }
    if let Some(limit) = cost_alert.filter(|limit| metrics.total.highest_cost > *limit) {
        alerts.push(Alert::general("high_cost", high_cost(metrics.total.highest_cost, limit)));
    }
    alerts.extend(over_limit(budget).map(|said| Alert::general("cost_limit", said)));
    alerts
}

/// Adds warnings about the cost of one result.
pub(super) fn warn(report: &mut Report, budget: &Budget, cost_alert: Option<f64>) {
    if let Some(limit) = cost_alert.filter(|limit| report.cost() > *limit) {
        let said = if report.preview.is_some() {
            let [cost, limit] = rounded_apart(report.cost(), limit);
            said!("warning.wouldCost", cost: cost, limit: limit)
        } else {
            high_cost(report.cost(), limit)
        };
        report.warnings.push(Warning::new(WarningCode::HighCost, said).about("costAlert"));
    }
    let reduction = report.reduction_percent();
    if report.cost() > 0.0 && report.did_condense() && reduction < LOW_REDUCTION_PERCENT {
        let said = said!("warning.lowReduction", removed: rounded(reduction, 1), least: LOW_REDUCTION_PERCENT);
        report.warnings.push(Warning::new(WarningCode::LowReduction, said));
    }
    if report.cost() > 0.0
        && let Some(said) = over_limit(budget)
    {
        report.warnings.push(Warning::new(WarningCode::CostLimit, said).about("maxCost"));
    }
}

fn high_cost(cost: f64, limit: f64) -> Said {
    let [cost, limit] = rounded_apart(cost, limit);
    said!("warning.highCost", cost: cost, limit: limit)
}

/// Returns the message for an exceeded limit. A response may cost more than estimated, so the last one can exceed it.
fn over_limit(budget: &Budget) -> Option<Said> {
    let limit = budget.limit()?;
    let spent = budget.spent();
    (spent > 0.0 && spent >= limit)
        .then(|| said!("warning.overLimit", spent: rounded(spent, 4), limit: rounded(limit, 4)))
}
