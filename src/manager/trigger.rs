//! Decides when a conversation is due for condensing. The arithmetic is Roo-Code's, except that half of every window is
//! left to the conversation.

use serde::{Deserialize, Serialize};

use crate::{
    maps::HashMap,
    warning::{Warning, WarningCode},
    words::said,
};

/// Share of the context window that stays free, in percent.
pub const TOKEN_BUFFER_PERCENTAGE: f64 = 10.0;
/// Tokens reserved for the response if the host does not state a maximum.
pub const DEFAULT_RESERVED_TOKENS: f64 = 8192.0;
/// Maximum share of the context window reserved for the response, in percent. Together with the buffer, this leaves
/// half of every window to the conversation. Roo-Code reserves 8192 tokens even in a window of 8192, so that every
/// request is due.
pub const MOST_RESERVED_PERCENTAGE: f64 = 40.0;
/// Lowest threshold, in percent of the context window.
pub const MIN_CONDENSE_THRESHOLD: f64 = 5.0;
/// Highest threshold, in percent of the context window.
pub const MAX_CONDENSE_THRESHOLD: f64 = 100.0;
/// A profile with this threshold uses the global one.
pub const INHERIT: f64 = -1.0;

/// Maximum tokens of a context: the largest integer that JavaScript represents exactly. With it, percentages never
/// become infinite or NaN.
const MAX_TOKENS: f64 = 9_007_199_254_740_991.0;

/// The size of the context and its limits.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// Tokens of the conversation without its last message, as the API reported them.
    pub total_tokens: f64,
    /// Tokens of the last message.
    #[serde(default)]
    pub last_message_tokens: f64,
    /// The model's context window in tokens.
    pub context_window: f64,
    /// Tokens the model may answer with; absent or 0 for `DEFAULT_RESERVED_TOKENS`.
    #[serde(default)]
    pub max_tokens: Option<f64>,
    /// The profile whose threshold applies.
    #[serde(default)]
    pub profile_id: Option<String>,
}

/// Whether a condensation is due, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TriggerDecision {
    /// Whether it is due.
    pub due: bool,
    /// `threshold`: that share of the window is used; `window`: the next response would not fit.
    #[cfg_attr(test, ts(type = "\"threshold\" | \"window\" | \"none\""))]
    pub reason: &'static str,
    /// `totalTokens + lastMessageTokens`
    pub prev_context_tokens: f64,
    /// `contextWindow * 0.9 - reservedTokens`
    pub allowed_tokens: f64,
    /// `maxTokens` above 0, or else 8192; at most 40% of the window, so that half of every window is left to the
    /// conversation.
    pub reserved_tokens: f64,
    /// `100 * prevContextTokens / contextWindow`
    pub context_percent: f64,
    /// The threshold that applied, in percent.
    pub threshold: f64,
    /// `invalid_threshold` if the profile's own threshold is invalid.
    pub warnings: Vec<Warning>,
}

/// The global threshold and those of the profiles, in percent of the context window.
#[derive(Debug, Clone)]
pub struct Thresholds {
    /// Whether reaching the threshold makes a condensation due; if not, only a full window does.
    pub automatic: bool,
    /// The global threshold.
    pub global: f64,
    /// The thresholds by profile.
    pub profiles: HashMap<String, f64>,
}

impl TriggerDecision {
    /// Returns the tokens to leave if `due` tokens make a condensation due: a tenth less.
    pub fn fitting_below(due: f64) -> f64 {
        due * (1.0 - TOKEN_BUFFER_PERCENTAGE / 100.0)
    }

    /// Returns the tokens in the context with which no condensation would be due. If the threshold made it due, the
    /// result is a tenth below the threshold, so that the next message does not make it due again. A tenth is also the
    /// share of the window that Roo-Code leaves free.
    pub fn fitting_tokens(&self) -> f64 {
        if self.reason != "threshold" || self.context_percent <= 0.0 {
            return self.allowed_tokens;
        }
        let at_threshold = self.prev_context_tokens * self.threshold / self.context_percent;
        self.allowed_tokens.min(Self::fitting_below(at_threshold))
    }
}

impl Thresholds {
    /// Returns the tokens in the context with which a condensation is due.
    pub fn due_at(&self, usage: &ContextUsage) -> f64 {
        let allowed = self.decide(usage).allowed_tokens;
        let (threshold, _) = self.effective(usage.profile_id.as_deref());
        if self.automatic { allowed.min(usage.context_window * threshold / 100.0) } else { allowed }
    }

    /// Returns the threshold that applies to a profile, and a warning if the profile's own is invalid.
    pub fn effective(&self, profile_id: Option<&str>) -> (f64, Option<Warning>) {
        let own = profile_id.and_then(|id| Some((id, *self.profiles.get(id)?)));
        match own {
            Some((_, own)) if (MIN_CONDENSE_THRESHOLD..=MAX_CONDENSE_THRESHOLD).contains(&own) => (own, None),
            None | Some((_, INHERIT)) => (self.global, None),
            Some((id, own)) => {
                let field = format!("profileThresholds.{id}");
                let said = said!(
                    "warning.invalidThreshold",
                    field: field.as_str(),
                    value: own,
                    inherit: INHERIT,
                    least: MIN_CONDENSE_THRESHOLD,
                    most: MAX_CONDENSE_THRESHOLD,
                    global: self.global,
                );
                (self.global, Some(Warning::new(WarningCode::InvalidThreshold, said).about(field)))
            }
        }
    }

    /// Whether a condensation is due.
    pub fn decide(&self, usage: &ContextUsage) -> TriggerDecision {
        let reserved = usage.max_tokens.filter(|tokens| *tokens != 0.0).unwrap_or(DEFAULT_RESERVED_TOKENS);
        let reserved = reserved.min(usage.context_window * MOST_RESERVED_PERCENTAGE / 100.0);
        let prev = (usage.total_tokens + usage.last_message_tokens).min(MAX_TOKENS);
        let allowed = usage.context_window * (1.0 - TOKEN_BUFFER_PERCENTAGE / 100.0) - reserved;
        let percent = 100.0 * prev / usage.context_window;
        let (threshold, warning) = self.effective(usage.profile_id.as_deref());
        let reason = if self.automatic && percent >= threshold {
            "threshold"
        } else if prev > allowed {
            "window"
        } else {
            "none"
        };
        TriggerDecision {
            due: reason != "none",
            reason,
            prev_context_tokens: prev,
            allowed_tokens: allowed,
            reserved_tokens: reserved,
            context_percent: percent,
            threshold,
            warnings: warning.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thresholds(profiles: &[(&str, f64)]) -> Thresholds {
        let profiles = profiles.iter().map(|(id, percent)| ((*id).to_owned(), *percent)).collect();
        Thresholds { automatic: true, global: 75.0, profiles }
    }

    fn usage(total_tokens: f64) -> ContextUsage {
        ContextUsage { total_tokens, last_message_tokens: 100.0, context_window: 100_000.0, ..ContextUsage::default() }
    }

    /// `js/roo/trigger.js` does the same for the drop-in, with `withRoom` where the cases say so.
    #[test]
    fn decisions_are_those_of_the_shared_cases() {
        let shared: serde_json::Value =
            serde_json::from_str(include_str!("../../fixtures/shared/trigger.json")).unwrap();
        for case in shared["cases"].as_array().unwrap() {
            let (input, mut expected) = (&case["input"], case["expected"].clone());
            for (name, value) in case["withRoom"].as_object().into_iter().flatten() {
                expected[name] = value.clone();
            }
            let thresholds = Thresholds {
                automatic: input["autoCondenseContext"].as_bool().unwrap(),
                global: input["autoCondenseContextPercent"].as_f64().unwrap(),
                profiles: serde_json::from_value(input["profileThresholds"].clone()).unwrap(),
            };
            let decision = thresholds.decide(&serde_json::from_value(input.clone()).unwrap());
            let found = serde_json::json!({
                "prevContextTokens": decision.prev_context_tokens,
                "overAllowed": decision.prev_context_tokens > decision.allowed_tokens,
                "condenseDue": thresholds.automatic && decision.due,
                "threshold": decision.threshold,
                "warned": !decision.warnings.is_empty(),
            });
            for (name, value) in expected.as_object().unwrap() {
                let is_same =
                    value.as_f64().map_or(*value == found[name], |number| found[name].as_f64() == Some(number));
                assert!(is_same, "{}: {name} is {}", case["name"], found[name]);
            }
        }
    }

    #[test]
    fn the_threshold_makes_it_due() {
        let decision = thresholds(&[]).decide(&usage(74_900.0));
        assert_eq!((decision.due, decision.reason, decision.context_percent), (true, "threshold", 75.0));
        assert!(!thresholds(&[]).decide(&usage(74_899.0)).due);
    }

    #[test]
    fn a_full_window_makes_it_due_whatever_the_threshold() {
        let mut late = thresholds(&[]);
        late.global = 100.0;
        // 100,000 * 0.9 - 8192 = 81,808 allowed.
        assert_eq!(late.decide(&usage(81_709.0)).reason, "window");
        assert_eq!(late.decide(&usage(81_708.0)).reason, "none");
        late.automatic = false;
        assert_eq!(late.decide(&usage(99_900.0)).reason, "window");
        assert!(!late.decide(&usage(80_000.0)).due);
    }

    #[test]
    fn profiles_inherit_or_override() {
        let thresholds = thresholds(&[("own", 40.0), ("inherits", -1.0), ("wrong", 4.0)]);
        assert_eq!(thresholds.effective(Some("own")), (40.0, None));
        assert_eq!(thresholds.effective(Some("inherits")), (75.0, None));
        assert_eq!(thresholds.effective(Some("absent")), (75.0, None));
        assert_eq!(thresholds.effective(None), (75.0, None));
        let (percent, warning) = thresholds.effective(Some("wrong"));
        assert_eq!(percent, 75.0);
        let warning = warning.unwrap();
        assert_eq!(warning.code, WarningCode::InvalidThreshold);
        assert_eq!(warning.field.as_deref(), Some("profileThresholds.wrong"));
        assert!(warning.message.starts_with("profileThresholds.wrong is 4; "), "{warning}");
    }
}
