//! The settings of a host's profile, apart from its threshold.

use std::collections::HashMap;

use crate::{
    llm::{ModelPrice, PRICE},
    options::{Field, Settings, Table},
    summaries::{CONDENSING_PROFILE, CONDENSING_ROLE, MAX_COST_PER_CONDENSATION},
};

/// How summaries are asked for under a profile. Its handlers are the host's objects and come with each call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// The profile whose handler writes summaries.
    pub condensing_api_config_id: Option<String>,
    /// Dollars that one condensation may cost.
    pub max_cost_per_condensation: Option<f64>,
    /// The prompt to summarise by.
    pub custom_condensing_prompt: Option<String>,
    /// Dollars per million tokens, for a handler of this profile that has no price of its own.
    pub price: Option<ModelPrice>,
}

/// The profiles by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profiles {
    by_id: HashMap<String, Profile>,
    /// Defaults for the prompt, the limit on cost and the profile that writes summaries; not for handlers and prices.
    global: Profile,
}

impl Profiles {
    /// Reads the profiles from the options of a manager.
    pub(super) fn of(options: &Settings<'_>) -> Self {
        let by_id = options.record("profiles").map(|(id, profile)| (id.to_owned(), Profile::of(&profile)));
        let text = |name| options.given_text(name).map(str::to_owned);
        let global = Profile {
            condensing_api_config_id: text(CONDENSING_PROFILE),
            custom_condensing_prompt: text("customCondensingPrompt"),
            max_cost_per_condensation: options.given_number(MAX_COST_PER_CONDENSATION),
            price: None,
        };
        Self { by_id: by_id.collect(), global }
    }

    /// A profile, with the global settings where it has none of its own.
    #[must_use]
    pub fn get(&self, id: Option<&str>) -> Profile {
        let Profile { condensing_api_config_id, custom_condensing_prompt, max_cost_per_condensation, price } =
            self.own(id);
        let global = self.global.clone();
        Profile {
            condensing_api_config_id: condensing_api_config_id.or(global.condensing_api_config_id),
            custom_condensing_prompt: custom_condensing_prompt.or(global.custom_condensing_prompt),
            max_cost_per_condensation: max_cost_per_condensation.or(global.max_cost_per_condensation),
            price,
        }
    }

    /// Returns the settings a profile has itself; all absent if it is not known.
    fn own(&self, id: Option<&str>) -> Profile {
        id.and_then(|id| self.by_id.get(id)).cloned().unwrap_or_default()
    }

    /// The price of summaries under a profile: that of the profile that writes them.
    #[must_use]
    pub fn price(&self, id: Option<&str>) -> Option<ModelPrice> {
        let profile = self.get(id);
        let writer = self.own(Some(profile.condensing_api_config_id.as_deref().unwrap_or(CONDENSING_ROLE)));
        writer.price.or(profile.price)
    }
}

impl Profile {
    fn of(profile: &Settings<'_>) -> Self {
        let text = |name| profile.given_text(name).map(str::to_owned);
        Self {
            condensing_api_config_id: text(CONDENSING_PROFILE),
            max_cost_per_condensation: profile.given_number(MAX_COST_PER_CONDENSATION),
            custom_condensing_prompt: text("customCondensingPrompt"),
            price: profile.given_object("price").map(|price| ModelPrice::of(&price)),
        }
    }
}

/// The limit on the cost of one condensation.
pub(super) const PER_CONDENSATION: Field =
    Field::number_if_set(MAX_COST_PER_CONDENSATION, 0.0, f64::MAX, "Dollars that one condensation may cost.");

/// A profile.
pub(super) static PROFILE: Table = Table::new(
    "profile",
    &[
        Field::text(CONDENSING_PROFILE, "The profile whose handler writes summaries."),
        Field::text("customCondensingPrompt", "The prompt to summarise by."),
        PER_CONDENSATION,
        Field::host(
            "handler",
            "httpHandler(…), callbackHandler(…), or an object with createMessage()",
            "Asks the model of this profile.",
        ),
        Field::object("price", &PRICE, "Dollars per million tokens, for a handler of this profile without a price."),
    ],
);

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::ManagerOptions, *};
    use crate::options::ConfigError;

    fn read(profiles: &Value) -> Result<Profiles, Vec<ConfigError>> {
        ManagerOptions::read(&json!({ "profiles": profiles })).map(|options| options.profiles)
    }

    #[test]
    fn the_price_is_that_of_the_profile_that_writes() {
        let profiles = read(&json!({
            "main": { "condensingApiConfigId": "cheap", "price": { "inputPrice": 3 } },
            "cheap": { "customCondensingPrompt": "Be brief.", "price": { "inputPrice": 0.15 } },
        }))
        .unwrap();
        let input = |id| profiles.price(id).and_then(|price| price.prices.input);
        assert_eq!(
            (input(Some("main")), input(Some("cheap")), input(Some("none")), input(None)),
            (Some(0.15), Some(0.15), None, None)
        );
    }

    #[test]
    fn wrong_fields_are_named() {
        for (profiles, path) in [
            (json!([]), "profiles"),
            (json!({ "a": 1 }), "profiles.a"),
            (json!({ "a": { "prompt": "x" } }), "profiles.a.prompt"),
            (json!({ "a": { "customCondensingPrompt": 5 } }), "profiles.a.customCondensingPrompt"),
            (json!({ "a": { "price": { "inputPrice": -1 } } }), "profiles.a.price.inputPrice"),
        ] {
            let errors = read(&profiles).unwrap_err();
            assert_eq!(errors[0].path, path, "{}", errors[0]);
        }
    }
}
