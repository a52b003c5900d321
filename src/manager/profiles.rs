//! What belongs to a profile of the host besides its threshold.

use std::collections::HashMap;

use serde_json::Value;

use crate::{llm::ModelPrice, providers::ConfigError};

/// How summaries are asked for under a profile. Its handlers are the host's objects and come with each call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// The profile whose handler writes summaries.
    pub condensing_api_config_id: Option<String>,
    /// The prompt to summarise by.
    pub custom_condensing_prompt: Option<String>,
    /// Dollars per million tokens, for a handler of this profile that has no price of its own.
    pub price: Option<ModelPrice>,
}

/// The profiles by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profiles(HashMap<String, Profile>);

impl Profiles {
    /// Reads `{id: {condensingApiConfigId?, customCondensingPrompt?, price?}}`.
    ///
    /// # Errors
    /// The first field that is wrong or unknown.
    pub fn read(value: &Value) -> Result<Self, Vec<ConfigError>> {
        let Value::Object(profiles) = value else {
            return Err(vec![ConfigError::new("profiles", value, "an object of profiles by id")]);
        };
        let profiles = profiles.iter().map(|(id, value)| Ok((id.clone(), Profile::read(id, value)?)));
        profiles.collect::<Result<_, _>>().map(Self)
    }

    /// A profile; all defaults when it is not known.
    #[must_use]
    pub fn get(&self, id: Option<&str>) -> Profile {
        id.and_then(|id| self.0.get(id)).cloned().unwrap_or_default()
    }

    /// The price of summaries under a profile: that of the profile that writes them.
    #[must_use]
    pub fn price(&self, id: Option<&str>) -> Option<ModelPrice> {
        let profile = self.get(id);
        let writer = self.get(profile.condensing_api_config_id.as_deref());
        writer.price.or(profile.price)
    }
}

impl Profile {
    fn read(id: &str, value: &Value) -> Result<Self, Vec<ConfigError>> {
        const FIELDS: &str = "the fields condensingApiConfigId, customCondensingPrompt, handler, price";
        let path = format!("profiles.{id}");
        let Value::Object(fields) = value else { return Err(vec![ConfigError::new(path, value, "an object")]) };
        let mut profile = Self::default();
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let field = format!("{path}.{name}");
            let text = || match value {
                Value::String(text) => Ok(Some(text.clone())),
                other => Err(vec![ConfigError::new(field.clone(), other, "a string")]),
            };
            match name.as_str() {
                "condensingApiConfigId" => profile.condensing_api_config_id = text()?,
                "customCondensingPrompt" => profile.custom_condensing_prompt = text()?,
                "price" => profile.price = Some(read_price(&field, value)?),
                _ => return Err(vec![ConfigError::new(field, value, FIELDS)]),
            }
        }
        Ok(profile)
    }
}

/// The price at `path`.
///
/// # Errors
/// The first field that is wrong.
pub(super) fn read_price(path: &str, value: &Value) -> Result<ModelPrice, Vec<ConfigError>> {
    ModelPrice::from_json(value).map_err(|error| {
        let field = error.field.strip_prefix("price").unwrap_or(&error.field);
        let mut wrong = ConfigError::new(format!("{path}{field}"), value, error.allowed.clone());
        wrong.value.clone_from(&error.value);
        wrong.out_of_range = error.is_range();
        vec![wrong]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_price_is_that_of_the_profile_that_writes() {
        let profiles = Profiles::read(&json!({
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
        for (profiles, start) in [
            (json!([]), "profiles: []"),
            (json!({ "a": 1 }), "profiles.a: 1"),
            (json!({ "a": { "prompt": "x" } }), "profiles.a.prompt: \"x\""),
            (json!({ "a": { "customCondensingPrompt": 5 } }), "profiles.a.customCondensingPrompt: 5"),
            (json!({ "a": { "price": { "inputPrice": -1 } } }), "profiles.a.price.inputPrice: -1"),
        ] {
            let errors = Profiles::read(&profiles).unwrap_err();
            assert!(errors[0].to_string().starts_with(start), "{}", errors[0]);
        }
    }
}
