//! The settings of a manager that apply under a profile, for people.

use serde::Serialize;

use super::Manager;
use crate::{llm::ModelPrice, warning::Warning};

/// The settings that apply under a profile.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EffectiveSettings"))]
#[serde(rename_all = "camelCase")]
pub struct EffectiveConfig {
    /// The profile; `null` for none.
    profile_id: Option<String>,
    /// Id of the active provider.
    #[cfg_attr(test, ts(type = "ProviderId"))]
    provider: String,
    /// Whether a condensation is due when the threshold is reached.
    auto_condense_context: bool,
    /// In percent.
    threshold: f64,
    /// The token encoding.
    #[cfg_attr(test, ts(type = "Encoding"))]
    encoding: &'static str,
    /// The factor in use.
    scale: f64,
    /// Dollars; `null` for no limit.
    max_cost: Option<f64>,
    /// Dollars for one condensation; `null` for no limit.
    max_cost_per_condensation: Option<f64>,
    /// Dollars; `null` for never.
    cost_alert: Option<f64>,
    /// How signed thinking after a change is treated, for calls that do not say.
    #[cfg_attr(test, ts(type = "ThinkingOption"))]
    thinking: &'static str,
    /// The profile that writes summaries; `null` for none.
    condensing_api_config_id: Option<String>,
    /// The system prompt for summaries; `null` for the default.
    custom_condensing_prompt: Option<String>,
    /// Price of the profile that writes summaries, or else of this one; `null` when neither has one. Handlers with a
    /// price of their own keep it.
    #[cfg_attr(test, ts(type = "ModelPrice | null"))]
    price: Option<ModelPrice>,
    /// `invalid_threshold` if the profile's own threshold is invalid.
    warnings: Vec<Warning>,
}

impl Manager {
    /// Returns the settings that apply under a profile.
    pub fn effective_config(&self, profile: Option<&str>) -> EffectiveConfig {
        let thresholds = self.thresholds();
        let (threshold, warning) = thresholds.effective(profile);
        let options = self.options();
        let own = options.profiles.get(profile);
        EffectiveConfig {
            profile_id: profile.map(str::to_owned),
            provider: self.active(),
            auto_condense_context: thresholds.automatic,
            threshold,
            encoding: options.encoding.name(),
            scale: self.scale().factor(),
            max_cost: options.max_cost,
            max_cost_per_condensation: own.max_cost_per_condensation,
            cost_alert: options.cost_alert,
            thinking: options.thinking.word(),
            condensing_api_config_id: own.condensing_api_config_id,
            custom_condensing_prompt: own.custom_condensing_prompt,
            price: options.profiles.price(profile),
            warnings: warning.into_iter().collect(),
        }
    }
}
