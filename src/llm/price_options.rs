//! A price as hosts write it.

use super::{LongContextPricing, ModelPrice, PriceTier, Prices};
use crate::options::{Field, Kind, Settings, Table};

const MAX_TOKENS: u64 = u32::MAX as u64;

const fn dollars(name: &'static str, description: &'static str) -> Field {
    Field::number_if_set(name, 0.0, f64::MAX, description)
}

const fn factor(name: &'static str) -> Field {
    Field::number_if_set(name, 0.0, f64::MAX, "Times the price; 1 when absent.")
}

/// A price, in dollars per million tokens. Fields that are not prices are left alone: hosts give their whole model information.
pub static PRICE: Table = Table::new(
    "price",
    &[
        dollars("inputPrice", "Tokens of the question."),
        dollars("outputPrice", "Tokens of the answer."),
        dollars("cacheWritesPrice", "Tokens written to the prompt cache."),
        dollars("cacheReadsPrice", "Tokens read from the prompt cache."),
        Field::object("longContextPricing", &LONG_CONTEXT, "Prices multiplied when the question is long."),
        Field::new(
            "tiers",
            Kind::List { of: &Kind::Object(&TIER), called: "an array of prices" },
            "Other prices by the size of the question, in rising order.",
        ),
    ],
)
.open()
.shared()
.null_is_absent();

static LONG_CONTEXT: Table = Table::new(
    "longContextPricing",
    &[
        Field::integer_if_set("thresholdTokens", 0, MAX_TOKENS, "Applies to questions of more tokens.").required(),
        factor("inputPriceMultiplier"),
        factor("outputPriceMultiplier"),
        factor("cacheWritesPriceMultiplier"),
        factor("cacheReadsPriceMultiplier"),
        Field::new(
            "appliesToServiceTiers",
            Kind::List { of: &Kind::TEXT, called: "an array of names of service tiers" },
            "The service tiers that it holds for; absent for all.",
        ),
    ],
)
.open();

static TIER: Table = Table::new(
    "tier",
    &[
        Field::text("name", "A service tier that has to be asked for; such tiers are not used here."),
        Field::integer_if_set(
            "contextWindow",
            0,
            MAX_TOKENS,
            "The largest question it applies to; absent for no limit.",
        ),
        dollars("inputPrice", "Tokens of the question."),
        dollars("outputPrice", "Tokens of the answer."),
        dollars("cacheWritesPrice", "Tokens written to the prompt cache."),
        dollars("cacheReadsPrice", "Tokens read from the prompt cache."),
    ],
)
.open();

impl ModelPrice {
    /// A price that was checked against `PRICE`.
    #[must_use]
    pub fn of(price: &Settings<'_>) -> Self {
        Self {
            prices: Prices::of(price),
            long_context_pricing: price.given_object("longContextPricing").map(|long| LongContextPricing {
                threshold_tokens: long.integer("thresholdTokens") as u64,
                input_price_multiplier: long.given_number("inputPriceMultiplier"),
                output_price_multiplier: long.given_number("outputPriceMultiplier"),
                cache_writes_price_multiplier: long.given_number("cacheWritesPriceMultiplier"),
                cache_reads_price_multiplier: long.given_number("cacheReadsPriceMultiplier"),
                applies_to_service_tiers: long
                    .is_given("appliesToServiceTiers")
                    .then(|| long.texts("appliesToServiceTiers").map(str::to_owned).collect()),
            }),
            tiers: price.is_given("tiers").then(|| price.list("tiers").iter().map(PriceTier::of).collect()),
        }
    }
}

impl PriceTier {
    fn of(tier: &Settings<'_>) -> Self {
        Self {
            name: tier.given_text("name").map(str::to_owned),
            context_window: tier.given_integer("contextWindow").map(|tokens| tokens as u64),
            prices: Prices::of(tier),
        }
    }
}

impl Prices {
    fn of(prices: &Settings<'_>) -> Self {
        Self {
            input: prices.given_number("inputPrice"),
            output: prices.given_number("outputPrice"),
            cache_writes: prices.given_number("cacheWritesPrice"),
            cache_reads: prices.given_number("cacheReadsPrice"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_whole_model_information_is_a_price() {
        let info = json!({
            "inputPrice": 1, "outputPrice": 2.5, "supportsImages": true, "cacheReadsPrice": null,
            "longContextPricing": { "thresholdTokens": 10.0, "inputPriceMultiplier": 2 },
            "tiers": [{ "contextWindow": 5, "inputPrice": 0.5 }, { "contextWindow": null, "name": "flex" }],
        });
        let price = ModelPrice::of(&PRICE.read(&info).unwrap());
        assert_eq!((price.at(4).input, price.at(11).input), (Some(0.5), Some(0.5 * 2.0)));
        assert_eq!(price, serde_json::from_value::<ModelPrice>(serde_json::to_value(&price).unwrap()).unwrap());
    }

    #[test]
    fn wrong_prices_are_named_by_their_paths() {
        let paths = |price: Value| -> Vec<String> {
            PRICE.read(&price).unwrap_err().into_iter().map(|fault| fault.to_string()).collect()
        };
        assert_eq!(
            paths(json!({ "inputPrice": -1, "longContextPricing": {}, "tiers": [{}, { "outputPrice": "free" }, 3] })),
            [
                "inputPrice must be a number, 0 or more; got -1",
                "longContextPricing.thresholdTokens is missing; it must be a whole number from 0 to 4294967295",
                "tiers[1].outputPrice must be a number, 0 or more; got \"free\"",
                "tiers[2] must be an object with name, contextWindow, inputPrice, outputPrice, \
                 cacheWritesPrice, cacheReadsPrice; got 3",
            ]
        );
    }
}
