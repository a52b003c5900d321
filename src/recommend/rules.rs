//! The decision tree, the questions, the profiles and the scenarios: the candidates that each answer recommends, the
//! first choice first.

use super::answers::Answers;

use crate::words::{Said, said};

/// The candidates that one answer recommends.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// The answer.
    pub answer: Said,
    /// Keys of candidates, first choice first.
    pub keys: Vec<&'static str>,
}

/// A reduction above this percentage is more than lossless usually achieves.
const MUCH: f64 = 40.0;
/// A budget up to this many dollars counts as limited.
const LIMITED_BUDGET: f64 = 0.05;

/// Returns the recommendations of all answers, the weightiest first: priority, use, user, and then the numbers.
pub fn wishes(answers: &Answers) -> Vec<Wish> {
    let mut wishes = Vec::new();
    let mut add = |answer: Said, keys: &[&'static str]| wishes.push(Wish { answer, keys: keys.to_vec() });
    let much = answers.reduction().is_some_and(|(percent, _)| percent > MUCH);
    if let Some(priority) = answers.priority {
        add(priority_of(priority), by_priority(priority, much, answers.budget));
    }
    if let Some(scenario) = answers.scenario {
        add(said!("answer.scenario", word: scenario), by_scenario(scenario));
    }
    if let Some(profile) = answers.profile {
        add(said!("answer.profile", word: profile), by_profile(profile));
    }
    if let Some(configuration) = answers.configuration {
        add(said!("answer.configuration", word: configuration), by_configuration(configuration));
    }
    if let Some(loss) = answers.loss {
        add(said!("answer.loss", percent: loss), by_loss(loss));
    }
    if let Some(budget) = answers.budget {
        add(said!("answer.budget", dollars: budget), by_budget(budget));
    }
    if let Some(latency) = answers.latency_ms {
        add(said!("answer.latency", ms: latency), by_latency(latency));
    }
    wishes
}

/// Returns the priority as an answer.
pub fn priority_of(priority: &str) -> Said {
    let word = match priority {
        "zero_loss" => said!("priority.zero_loss"),
        "speed" => said!("priority.speed"),
        "cost" => said!("priority.cost"),
        "quality" => said!("priority.quality"),
        "control" => said!("priority.control"),
        _ => said!("priority.simplicity"),
    };
    said!("answer.priority", word: word)
}

/// Returns the candidates for a priority, by the decision tree.
fn by_priority(priority: &str, much: bool, budget: Option<f64>) -> &'static [&'static str] {
    match priority {
        "zero_loss" => &["lossless_strict"],
        "speed" => &["truncation"],
        "cost" if much => &["truncation"],
        "cost" => &["lossless"],
        "quality" if budget.is_some_and(|budget| budget <= LIMITED_BUDGET) => &["pipeline"],
        "quality" => &["smart_conservative"],
        "control" => &["smart_custom"],
        _ => &["native", "lossless_truncation"],
    }
}

fn by_scenario(scenario: &str) -> &'static [&'static str] {
    match scenario {
        "limited_budget" => &["truncation", "smart_aggressive"],
        "critical_quality" => &["lossless_conservative", "smart_conservative"],
        "long_conversation" => &["smart_multi_zone"],
        "local_development" => &["truncation"],
        "critical_production" => &["smart_fallback"],
        "compliance" => &["lossless_strict"],
        "multi_tenant" => &["per_user"],
        _ => &["native", "lossless_truncation"],
    }
}

fn by_profile(profile: &str) -> &'static [&'static str] {
    match profile {
        "startup_team" => &["native_cheap", "smart_balanced"],
        "enterprise_production" => &["smart_multi_zone"],
        "research_compliance" => &["lossless_strict"],
        _ => &["native", "truncation"],
    }
}

fn by_configuration(configuration: &str) -> &'static [&'static str] {
    match configuration {
        "presets" => &["smart_balanced"],
        "some" => &["native_cheap", "truncation"],
        "custom" => &["smart_custom"],
        "per_message" => &["smart_selective"],
        _ => &["native", "lossless_truncation"],
    }
}

fn by_budget(budget: f64) -> &'static [&'static str] {
    if budget <= 0.0 {
        &["lossless", "truncation"]
    } else if budget < 0.001 {
        // Hardly any budget for a model: lossless first, then truncation.
        &["lossless_truncation", "truncation"]
    } else if budget < 0.01 {
        &["smart_aggressive", "truncation"]
    } else if budget <= LIMITED_BUDGET {
        &["native_cheap", "smart_balanced"]
    } else {
        &["native", "smart_conservative"]
    }
}

fn by_latency(milliseconds: f64) -> &'static [&'static str] {
    if milliseconds <= 100.0 {
        &["truncation"]
    } else if milliseconds <= 500.0 {
        &["lossless", "truncation"]
    } else if milliseconds <= 2000.0 {
        &["native", "smart_multi_zone"]
    } else if milliseconds <= 10_000.0 {
        &["native", "smart_balanced"]
    } else {
        &["smart_conservative"]
    }
}

fn by_loss(percent: f64) -> &'static [&'static str] {
    if percent <= 0.0 {
        &["lossless_strict"]
    } else if percent <= 10.0 {
        &["smart_conservative", "lossless_native"]
    } else if percent < 20.0 {
        &["smart_conservative"]
    } else if percent <= 30.0 {
        &["native", "smart_balanced"]
    } else if percent <= 50.0 {
        &["smart_aggressive", "truncation"]
    } else {
        &["truncation"]
    }
}

/// The bounds of the answers about loss, in percent: an answer accepts losses up to the next bound.
const LOSSES: [f64; 5] = [0.0, 10.0, 20.0, 30.0, 50.0];
/// The bounds of the answers about time, in milliseconds.
const LATENCIES: [f64; 4] = [100.0, 500.0, 2000.0, 10_000.0];

/// Returns the loss accepted by the answer `percent`.
pub fn accepted_loss(percent: f64) -> f64 {
    // The answer before 20 is "less than 20".
    let is_next = percent.total_cmp(&LOSSES[2]).is_eq();
    if is_next { LOSSES[3] } else { up_to(percent, &LOSSES) }
}

/// Returns the time accepted by the answer `milliseconds`.
pub fn accepted_latency(milliseconds: f64) -> f64 {
    up_to(milliseconds, &LATENCIES)
}

fn up_to(value: f64, bounds: &[f64]) -> f64 {
    bounds.iter().copied().find(|bound| value <= *bound).unwrap_or(f64::INFINITY)
}

/// Candidates in fallback order: those that lose least first.
pub const BY_CARE: &[&str] = &[
    "lossless",
    "lossless_strict",
    "smart_conservative",
    "lossless_native",
    "native",
    "native_cheap",
    "smart_balanced",
    "smart_aggressive",
    "pipeline",
    "smart_multi_zone",
    "lossless_truncation",
    "truncation",
];
