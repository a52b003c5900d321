//! A price as hosts write it.

use super::{LongContextPricing, ModelPrice, PriceTier, Prices};
use crate::options::{Converted, Table, Typed, list, number, object, options, text, whole};

const MAX_TOKENS: u64 = u32::MAX as u64;

const DOLLARS: Typed<Option<f64>> = number(0.0, f64::MAX).if_set();
const FACTOR: Typed<Option<f64>> = DOLLARS.about("Factor of the price. Default: 1.");

options! {
    /// A price, in dollars per million tokens. Fields that are not prices are left alone: hosts give their whole model information.
    pub struct PriceFields: Table::titled("price").open().shared().null_is_absent().nullable().interface(
        "ModelPrice",
        "The price of a model, in dollars per million tokens. The fields are those of Roo-Code's model information, which can be passed as it is: other fields are ignored. A missing price counts as 0.",
    );

    /// Price of request tokens.
    input_price: Option<f64> = DOLLARS,
    /// Price of response tokens.
    output_price: Option<f64> = DOLLARS,
    /// Price of tokens written to the prompt cache.
    cache_writes_price: Option<f64> = DOLLARS,
    /// Price of tokens read from the prompt cache.
    cache_reads_price: Option<f64> = DOLLARS,
    /// Multipliers for requests above a number of tokens; a missing one is 1.
    long_context_pricing: Option<LongContextPricing> = object().read_as().if_set(),
    /// Other prices by the size of the request, in rising order.
    tiers: Option<Vec<PriceTier>> = list(&object().read_as(), "an array of prices").if_set(),
}

options! {
    /// Prices multiplied when the request is long.
    pub struct LongContextFields: Table::titled("longContextPricing")
        .open()
        .interface("LongContextPricing", "Multipliers for requests above a number of tokens.");

    /// That number of tokens, including cached ones.
    threshold_tokens: usize = whole(0, MAX_TOKENS).required(),
    input_price_multiplier: Option<f64> = FACTOR,
    output_price_multiplier: Option<f64> = FACTOR,
    cache_writes_price_multiplier: Option<f64> = FACTOR,
    cache_reads_price_multiplier: Option<f64> = FACTOR,
    /// The service tiers they apply to. Default: all. Requests for summaries use the tier `default`.
    applies_to_service_tiers: Option<Vec<String>> = list(&text(), "an array of names of service tiers").if_set(),
}

options! {
    /// Prices for requests of a size.
    pub struct TierFields: Table::titled("tier").open().interface("PriceTier", "Prices for requests up to a size.");

    /// A service tier (`flex`, `priority`) that must be requested; such tiers are ignored.
    name: Option<String> = text().if_set(),
    /// The largest request it applies to, in tokens; `null` or `Infinity` for no limit.
    context_window: Option<usize> = whole(0, MAX_TOKENS).if_set().typed_as("number | null"),
    /// Price of request tokens.
    input_price: Option<f64> = DOLLARS,
    /// Price of response tokens.
    output_price: Option<f64> = DOLLARS,
    /// Price of tokens written to the prompt cache.
    cache_writes_price: Option<f64> = DOLLARS,
    /// Price of tokens read from the prompt cache.
    cache_reads_price: Option<f64> = DOLLARS,
}

impl Converted for ModelPrice {
    type From = PriceFields;

    fn convert(price: PriceFields) -> Self {
        Self {
            prices: Prices {
                input: price.input_price,
                output: price.output_price,
                cache_writes: price.cache_writes_price,
                cache_reads: price.cache_reads_price,
            },
            long_context_pricing: price.long_context_pricing,
            tiers: price.tiers,
        }
    }
}

impl Converted for LongContextPricing {
    type From = LongContextFields;

    fn convert(long: LongContextFields) -> Self {
        Self {
            threshold_tokens: long.threshold_tokens as u64,
            input_price_multiplier: long.input_price_multiplier,
            output_price_multiplier: long.output_price_multiplier,
            cache_writes_price_multiplier: long.cache_writes_price_multiplier,
            cache_reads_price_multiplier: long.cache_reads_price_multiplier,
            applies_to_service_tiers: long.applies_to_service_tiers,
        }
    }
}

impl Converted for PriceTier {
    type From = TierFields;

    fn convert(tier: TierFields) -> Self {
        Self {
            name: tier.name,
            context_window: tier.context_window.map(|tokens| tokens as u64),
            prices: Prices {
                input: tier.input_price,
                output: tier.output_price,
                cache_writes: tier.cache_writes_price,
                cache_reads: tier.cache_reads_price,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::options::Options;

    #[test]
    fn a_whole_model_information_is_a_price() {
        let info = json!({
            "inputPrice": 1, "outputPrice": 2.5, "supportsImages": true, "cacheReadsPrice": null,
            "longContextPricing": { "thresholdTokens": 10.0, "inputPriceMultiplier": 2 },
            "tiers": [{ "contextWindow": 5, "inputPrice": 0.5 }, { "contextWindow": null, "name": "flex" }],
        });
        let price = ModelPrice::convert(PriceFields::read(&info).unwrap());
        assert_eq!((price.at(4).input, price.at(11).input), (Some(0.5), Some(0.5 * 2.0)));
        assert_eq!(price, serde_json::from_value::<ModelPrice>(serde_json::to_value(&price).unwrap()).unwrap());
    }

    #[test]
    fn wrong_prices_are_named_by_their_paths() {
        let paths = |price: Value| -> Vec<String> {
            PriceFields::read(&price).unwrap_err().into_iter().map(|fault| fault.to_string()).collect()
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
