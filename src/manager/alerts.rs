//! What deserves attention: summaries that gain little, and money.

use serde::Serialize;

use super::{Metrics, Report};
use crate::{
    dollars::apart,
    summaries::Budget,
    warning::{Warning, WarningCode},
};

/// A summary that removes less than this share of the tokens, in percent, is reported: it costs more than it is worth.
pub const LOW_REDUCTION_PERCENT: f64 = 20.0;

/// Something in the metrics that deserves attention.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// `low_reduction`, `high_cost` or `cost_limit`.
    pub code: &'static str,
    /// What it is about, for a person.
    pub message: String,
    /// The provider, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The profile, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_id: Option<String>,
}

/// The alerts of some metrics. `cost_alert`: dollars above which one condensation is reported; `None` for never.
pub(super) fn of(metrics: &Metrics, budget: &Budget, cost_alert: Option<f64>) -> Vec<Alert> {
    let mut alerts = Vec::new();
    for (kind, by_id) in [("provider", &metrics.providers), ("profile", &metrics.profiles)] {
        for (id, totals) in by_id {
            let average = totals.average_reduction_percent;
            if totals.successes > 0 && average < LOW_REDUCTION_PERCENT {
                let own = |of: &str| (kind == of).then(|| id.clone());
                alerts.push(Alert {
                    code: "low_reduction",
                    message: format!(
                        "{kind} \"{id}\" removes {average:.1}% of the tokens on average, under {LOW_REDUCTION_PERCENT}%"
                    ),
                    provider_id: own("provider"),
                    profile_id: own("profile"),
                });
            }
        }
    }
    if let Some(limit) = cost_alert.filter(|limit| metrics.total.highest_cost > *limit) {
        alerts.push(Alert {
            code: "high_cost",
            message: high_cost(metrics.total.highest_cost, limit),
            provider_id: None,
            profile_id: None,
        });
    }
    alerts.extend(over_limit(budget).map(|message| Alert {
        code: "cost_limit",
        message,
        provider_id: None,
        profile_id: None,
    }));
    alerts
}

/// Adds what deserves attention in one result to its warnings.
pub(super) fn warn(report: &mut Report, budget: &Budget, cost_alert: Option<f64>) {
    if let Some(limit) = cost_alert.filter(|limit| report.cost() > *limit) {
        let message = if report.is_preview() {
            let [cost, limit] = apart(report.cost(), limit);
            format!("it would cost about {cost}, more than {limit}")
        } else {
            high_cost(report.cost(), limit)
        };
        report.add_warning(Warning::new(WarningCode::HighCost, message).about("costAlert"));
    }
    let reduction = report.reduction_percent();
    if report.cost() > 0.0 && report.did_condense() && reduction < LOW_REDUCTION_PERCENT {
        let message = format!("{reduction:.1}% of the tokens were removed, under {LOW_REDUCTION_PERCENT}%");
        report.add_warning(Warning::new(WarningCode::LowReduction, message));
    }
    if report.cost() > 0.0
        && let Some(message) = over_limit(budget)
    {
        report.add_warning(Warning::new(WarningCode::CostLimit, message).about("maxCost"));
    }
}

fn high_cost(cost: f64, limit: f64) -> String {
    let [cost, limit] = apart(cost, limit);
    format!("a condensation cost {cost}, more than {limit}")
}

/// An answer may cost more than was estimated, so the limit can be passed by the last one.
fn over_limit(budget: &Budget) -> Option<String> {
    let limit = budget.limit()?;
    let spent = budget.spent();
    (spent > 0.0 && spent >= limit).then(|| format!("${spent:.4} are spent, and the limit is ${limit:.4}"))
}
