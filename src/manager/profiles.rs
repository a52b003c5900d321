//! The settings of a host's profile, apart from its threshold.

use crate::{
    llm::ModelPrice,
    maps::HashMap,
    options::{Table, Typed, Unread, host, number, object, options, text},
    summaries::CONDENSING_ROLE,
};

options! {
    /// How summaries are asked for under a profile. Its handlers are the host's objects and come with each call.
    #[derive(Default, PartialEq)]
    pub struct Profile: Table::titled("profile").interface("ProfileOptions", "Settings of a profile, besides its threshold.");

    /// The profile whose handler and price to use for summaries under this one. If it has no handler, the result has
    /// the warning `handler_missing`.
    condensing_api_config_id: Option<String> = text().if_set().typed_as("string | null"),
    /// The system prompt for summaries. The call's prompt wins. Default: the manager's.
    custom_condensing_prompt: Option<String> = text().if_set().typed_as("string | null"),
    max_cost_per_condensation: Option<f64> = PER_CONDENSATION,
    /// The handler for conversations under this profile.
    handler: Unread = host("httpHandler(…), callbackHandler(…), or an object with createMessage()").typed_as("HandlerOption"),
    /// The price of handlers that have none of their own.
    price: Option<ModelPrice> = object().read_as().if_set().typed_as("ModelPrice | null"),
}

/// The profiles by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profiles {
    by_id: HashMap<String, Profile>,
    /// Defaults for the prompt, the limit on cost and the profile that writes summaries; not for handlers and prices.
    global: Profile,
}

impl Profiles {
    /// Profiles by id, and defaults for those that lack a setting.
    pub(super) fn new(profiles: Vec<(String, Profile)>, global: Profile) -> Self {
        Self { by_id: profiles.into_iter().collect(), global }
    }

    /// Returns a profile, with the global settings in place of absent ones.
    pub fn get(&self, id: Option<&str>) -> Profile {
        let (own, global) = (self.own(id), self.global.clone());
        Profile {
            condensing_api_config_id: own.condensing_api_config_id.or(global.condensing_api_config_id),
            custom_condensing_prompt: own.custom_condensing_prompt.or(global.custom_condensing_prompt),
            max_cost_per_condensation: own.max_cost_per_condensation.or(global.max_cost_per_condensation),
            ..own
        }
    }

    /// Returns the settings a profile has itself; all absent if it is not known.
    fn own(&self, id: Option<&str>) -> Profile {
        id.and_then(|id| self.by_id.get(id)).cloned().unwrap_or_default()
    }

    /// Returns the price of summaries under a profile, which is that of the profile that writes them.
    pub fn price(&self, id: Option<&str>) -> Option<ModelPrice> {
        let profile = self.get(id);
        let writer = self.own(Some(profile.condensing_api_config_id.as_deref().unwrap_or(CONDENSING_ROLE)));
        writer.price.or(profile.price)
    }
}

/// The limit on the cost of one condensation.
pub(super) const PER_CONDENSATION: Typed<Option<f64>> = number(0.0, f64::MAX)
    .if_set()
    .about("Largest cost of one condensation under this profile, in dollars. Default: the manager's.");

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
