//! The candidates for a recommendation, with limits known before anything is measured.

use serde_json::{Value, json};

use crate::words::{Said, said};

/// A candidate for a recommendation. The figures are from the comparison tables: typical costs, times and losses of
/// such providers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Identifies the candidate.
    pub key: &'static str,
    /// The id of the provider.
    pub provider: &'static str,
    /// The code of its title, for people.
    pub title: &'static str,
    /// Whether it needs a model.
    pub model: Model,
    /// The budget in dollars that one condensation needs: at least this much...
    pub budget: f64,
    /// ... or more than this much.
    pub above: bool,
    /// Maximum milliseconds.
    pub latency_ms: f64,
    /// Maximum loss of information, in percent.
    pub loss: f64,
    /// Maximum reduction of tokens, in percent.
    pub reduction: f64,
}

/// Whether a candidate calls a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Never.
    None,
    /// If a model is available.
    Optional,
    /// Always; without a model it does nothing.
    Needed,
}

impl Candidate {
    /// Returns true if both have the same provider, configuration and manager options.
    pub fn is_same(&self, other: &Self) -> bool {
        self.provider == other.provider
            && self.config() == other.config()
            && self.manager_options() == other.manager_options()
    }

    /// Returns its title, for people.
    pub fn title(&self) -> Said {
        said!(self.title)
    }

    /// Returns the configuration of its provider.
    pub fn config(&self) -> Value {
        match self.key {
            // Strict, because content that newer messages replaced would otherwise no longer be readable anywhere.
            "lossless_strict" => json!({ "strict": true }),
            "smart_conservative" => json!({ "preset": "conservative" }),
            "smart_balanced" => json!({ "preset": "balanced" }),
            "smart_aggressive" => json!({ "preset": "aggressive" }),
            "smart_multi_zone" => json!({ "preset": "multi_zone" }),
            "smart_selective" => json!({ "preset": "selective" }),
            // Starts from a preset, whose fields the user replaces one by one.
            "smart_custom" => {
                json!({ "preset": "balanced", "losslessPrelude": { "enabled": true }, "minReductionTokens": 0 })
            }
            "pipeline" => json!({ "stages": ["lossless", "truncation", "native"] }),
            "lossless_native" => json!({ "stages": ["lossless", "native"] }),
            "lossless_conservative" => {
                json!({ "stages": ["lossless", { "provider": "smart", "config": { "preset": "conservative" } }] })
            }
            _ => json!({}),
        }
    }

    /// Returns the manager options that belong to it.
    pub fn manager_options(&self) -> Option<Value> {
        match self.key {
            "native_cheap" => Some(json!({ "condensingApiConfigId": "condensing", "autoCondenseContextPercent": 80 })),
            "smart_fallback" => Some(json!({ "fallback": ["native", "lossless", "truncation"] })),
            "lossless_truncation" => Some(json!({ "fallback": ["truncation"] })),
            _ => None,
        }
    }
}

const fn candidate(key: &'static str, provider: &'static str, title: &'static str, model: Model) -> Candidate {
    Candidate {
        key,
        provider,
        title,
        model,
        budget: 0.0,
        above: false,
        latency_ms: 10_000.0,
        loss: 30.0,
        reduction: 60.0,
    }
}

const fn free(candidate: Candidate, latency_ms: f64, loss: f64, reduction: f64) -> Candidate {
    Candidate { latency_ms, loss, reduction, ..candidate }
}

const fn paid(candidate: Candidate, budget: f64, above: bool, loss: f64, reduction: f64) -> Candidate {
    Candidate { budget, above, loss, reduction, ..candidate }
}

/// All candidates. Latencies, losses, reductions and budgets are from the design's comparison: truncation under 100
/// ms and 80 to 90% smaller, lossless under 500 ms and 20 to 40%, native seconds and 40 to 60%, smart up to 90%.
pub const ALL: &[Candidate] = &[
    Candidate {
        latency_ms: 2000.0,
        ..paid(candidate("native", "native", "title.native", Model::Needed), 0.05, true, 30.0, 60.0)
    },
    Candidate {
        latency_ms: 2000.0,
        ..paid(candidate("native_cheap", "native", "title.nativeCheap", Model::Needed), 0.01, false, 30.0, 60.0)
    },
    free(candidate("lossless_strict", "lossless", "title.strict", Model::None), 500.0, 0.0, 40.0),
    free(candidate("lossless", "lossless", "title.lossless", Model::None), 500.0, 5.0, 40.0),
    free(candidate("truncation", "truncation", "title.truncation", Model::None), 100.0, 50.0, 95.0),
    paid(candidate("smart_conservative", "smart", "title.conservative", Model::Optional), 0.05, true, 10.0, 60.0),
    paid(candidate("smart_balanced", "smart", "title.balanced", Model::Optional), 0.01, false, 30.0, 80.0),
    paid(candidate("smart_fallback", "smart", "title.fallback", Model::Optional), 0.01, false, 30.0, 90.0),
    paid(candidate("smart_aggressive", "smart", "title.aggressive", Model::Optional), 0.0, true, 50.0, 90.0),
    free(candidate("smart_multi_zone", "smart", "title.multiZone", Model::None), 2000.0, 50.0, 90.0),
    paid(candidate("smart_custom", "smart", "title.custom", Model::Optional), 0.0, false, 30.0, 90.0),
    paid(candidate("smart_selective", "smart", "title.selective", Model::Optional), 0.0, true, 30.0, 60.0),
    paid(candidate("pipeline", "pipeline", "title.pipeline", Model::Optional), 0.0, true, 50.0, 95.0),
    paid(candidate("lossless_native", "pipeline", "title.losslessNative", Model::Needed), 0.05, true, 10.0, 60.0),
    paid(
        candidate("lossless_conservative", "pipeline", "title.losslessConservative", Model::Optional),
        0.05,
        true,
        10.0,
        60.0,
    ),
    free(candidate("lossless_truncation", "lossless", "title.losslessTruncation", Model::None), 500.0, 50.0, 95.0),
    paid(candidate("per_user", "per_user", "title.perUser", Model::Optional), 0.0, true, 30.0, 90.0),
];

/// Returns the candidate that does what a manager without configuration does.
pub fn default(has_handler: bool) -> &'static Candidate {
    with_key(if has_handler { "native" } else { "lossless_truncation" }).unwrap_or(&ALL[0])
}

/// Returns the candidate with this key.
pub fn with_key(key: &str) -> Option<&'static Candidate> {
    ALL.iter().find(|candidate| candidate.key == key)
}
