//! Converts tokens to dollars.

use serde::{Deserialize, Serialize};

use super::{Api, TokenUsage};

/// The maximum cost of a request, in dollars. Higher amounts count as this one, so that sums of costs are finite: JSON
/// has no infinity.
pub const MAX_DOLLARS: f64 = 1e12;

/// Returns an amount between 0 and [`MAX_DOLLARS`]; NaN becomes 0.
pub fn as_dollars(amount: f64) -> f64 {
    if amount.is_nan() { 0.0 } else { amount.clamp(0.0, MAX_DOLLARS) }
}

/// Dollars per million tokens of each kind. An absent price counts as 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prices {
    /// `inputPrice`: tokens of the request.
    #[serde(rename = "inputPrice", skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// `outputPrice`: tokens of the response.
    #[serde(rename = "outputPrice", skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// `cacheWritesPrice`: tokens written to the prompt cache.
    #[serde(rename = "cacheWritesPrice", skip_serializing_if = "Option::is_none")]
    pub cache_writes: Option<f64>,
    /// `cacheReadsPrice`: tokens read from the prompt cache.
    #[serde(rename = "cacheReadsPrice", skip_serializing_if = "Option::is_none")]
    pub cache_reads: Option<f64>,
}

/// The price of a model, in dollars per million tokens. The field names in JSON are those of Roo's model information,
/// so a whole model information object can be given as a price.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelPrice {
    /// The prices, written in JSON beside the other fields.
    #[serde(flatten)]
    pub prices: Prices,
    /// Multipliers for long requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_context_pricing: Option<LongContextPricing>,
    /// Other prices by the size of the request, in ascending order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<PriceTier>>,
}

/// Multipliers for requests over a threshold; an absent one means 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LongContextPricing {
    /// The multipliers apply if the whole input, cached tokens included, has more tokens than this.
    pub threshold_tokens: u64,
    /// The multiplier for [`Prices::input`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_price_multiplier: Option<f64>,
    /// The multiplier for [`Prices::output`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_price_multiplier: Option<f64>,
    /// The multiplier for [`Prices::cache_writes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_writes_price_multiplier: Option<f64>,
    /// The multiplier for [`Prices::cache_reads`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_reads_price_multiplier: Option<f64>,
    /// The service tiers to which they apply; absent for all. Our requests name none, which means the tier `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to_service_tiers: Option<Vec<String>>,
}

impl LongContextPricing {
    fn is_for_default_tier(&self) -> bool {
        self.applies_to_service_tiers.as_ref().is_none_or(|tiers| tiers.iter().any(|tier| tier == "default"))
    }
}

/// Prices up to a size of the request. An absent price is the model's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriceTier {
    /// The name of a service tier (`flex`, `priority`) that has to be requested; such tiers are not used here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The largest request, in tokens, to which it applies; `None` for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The prices, written in JSON beside the other fields.
    #[serde(flatten)]
    pub prices: Prices,
}

impl Prices {
    /// Fills in absent prices from `other`.
    fn or(self, other: Self) -> Self {
        Self {
            input: self.input.or(other.input),
            output: self.output.or(other.output),
            cache_writes: self.cache_writes.or(other.cache_writes),
            cache_reads: self.cache_reads.or(other.cache_reads),
        }
    }

    fn times(self, long: &LongContextPricing) -> Self {
        let times = |price: Option<f64>, by: Option<f64>| price.map(|price| by.map_or(price, |by| price * by));
        Self {
            input: times(self.input, long.input_price_multiplier),
            output: times(self.output, long.output_price_multiplier),
            cache_writes: times(self.cache_writes, long.cache_writes_price_multiplier),
            cache_reads: times(self.cache_reads, long.cache_reads_price_multiplier),
        }
    }

    /// Returns the dollars if the input of `usage` excludes tokens written to or read from the cache.
    ///
    /// The order of these operations decides the last bit of the result: first per token, then times tokens, then
    /// summed from cache writes to output.
    fn dollars(&self, usage: &TokenUsage) -> f64 {
        // Zero tokens cost nothing, even at an infinite price.
        let part = |price: Option<f64>, tokens: u64| match tokens {
            0 => 0.0,
            tokens => price.unwrap_or(0.0) / 1_000_000.0 * tokens as f64,
        };
        part(self.cache_writes, usage.cache_write_tokens)
            + part(self.cache_reads, usage.cache_read_tokens)
            + part(self.input, usage.input_tokens)
            + part(self.output, usage.output_tokens)
    }
}

impl From<Prices> for ModelPrice {
    fn from(prices: Prices) -> Self {
        Self { prices, ..Self::default() }
    }
}

impl ModelPrice {
    /// Returns true if the prices of requests and responses are known: if one is absent or not an amount, a budget
    /// cannot be kept. Prices of the prompt cache may be absent, because they are part of the price of requests.
    pub fn is_known(&self) -> bool {
        let is_amount = |price: Option<f64>| price.is_some_and(|price| price.is_finite() && price >= 0.0);
        let is_known = |prices: Prices| is_amount(prices.input) && is_amount(prices.output);
        let mut by_size = self.tiers.iter().flatten().filter(|tier| tier.name.is_none()).peekable();
        if by_size.peek().is_none() {
            return is_known(self.prices);
        }
        by_size.all(|tier| is_known(tier.prices.or(self.prices)))
    }

    /// Returns the prices for a request of this many tokens, with tiers and long-context multipliers applied.
    pub fn at(&self, total_input_tokens: u64) -> Prices {
        let prices = self.of_tier(total_input_tokens);
        match &self.long_context_pricing {
            Some(long) if total_input_tokens > long.threshold_tokens && long.is_for_default_tier() => {
                prices.times(long)
            }
            _ => prices,
        }
    }

    fn of_tier(&self, total_input_tokens: u64) -> Prices {
        let mut by_size = self.tiers.iter().flatten().filter(|tier| tier.name.is_none());
        let fits = |tier: &&PriceTier| tier.context_window.is_none_or(|window| total_input_tokens <= window);
        // A request larger than every tier is charged like the largest one.
        let tier = by_size.clone().find(fits).or(by_size.next_back());
        tier.map_or(self.prices, |tier| tier.prices.or(self.prices))
    }

    /// Returns the dollars of a request, with tiers and long-context multipliers applied.
    ///
    /// For prices without those, the number is the same, bit for bit, as that of Roo-Code's
    /// `calculateApiCostAnthropic` and `calculateApiCostOpenAI`.
    pub fn cost(&self, api: Api, usage: &TokenUsage) -> f64 {
        let cached = usage.cache_write_tokens.saturating_add(usage.cache_read_tokens);
        let (total, uncached) = match api {
            Api::Anthropic => (usage.input_tokens.saturating_add(cached), usage.input_tokens),
            Api::OpenAi => (usage.input_tokens, usage.input_tokens.saturating_sub(cached)),
        };
        as_dollars(self.at(total).dollars(&TokenUsage { input_tokens: uncached, ..*usage }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sonnet() -> Prices {
        Prices { input: Some(3.0), output: Some(15.0), cache_writes: Some(3.75), cache_reads: Some(0.3) }
    }

    fn used(input_tokens: u64, output_tokens: u64, cache_write_tokens: u64, cache_read_tokens: u64) -> TokenUsage {
        TokenUsage { input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, total_cost: None }
    }

    /// `js/roo/cost.js` computes the same for the drop-in.
    #[test]
    fn costs_are_those_of_the_shared_cases_to_the_last_bit() {
        let shared: serde_json::Value = serde_json::from_str(include_str!("../../fixtures/shared/cost.json")).unwrap();
        for case in shared["cases"].as_array().unwrap() {
            let price: ModelPrice = serde_json::from_value(case["price"].clone()).unwrap();
            let count = |name: &str| case["usage"][name].as_u64().unwrap();
            let usage =
                used(count("inputTokens"), count("outputTokens"), count("cacheWriteTokens"), count("cacheReadTokens"));
            let api = if case["api"] == "openai" { Api::OpenAi } else { Api::Anthropic };
            let cost = price.cost(api, &usage);
            assert_eq!(cost.to_bits(), case["cost"].as_f64().unwrap().to_bits(), "{case}: {cost}");
        }
    }

    #[test]
    fn anthropic_counts_cached_tokens_on_top_and_openai_within() {
        let price = ModelPrice::from(sonnet());
        let anthropic = price.cost(Api::Anthropic, &used(1000, 500, 2000, 3000));
        assert!((anthropic - 0.0189).abs() < 1e-12, "{anthropic}");
        assert_eq!(price.cost(Api::OpenAi, &used(6000, 500, 2000, 3000)), anthropic);
    }

    /// Dividing once at the end, or summing in another order, would give 0.13565354999999998.
    #[test]
    fn the_last_bit_is_that_of_the_stated_order() {
        let cost = ModelPrice::from(sonnet()).cost(Api::Anthropic, &used(35, 7298, 6387, 7091));
        assert_eq!(cost.to_bits(), 0.135_653_55_f64.to_bits(), "{cost}");
    }

    #[test]
    fn a_price_with_a_part_that_is_no_amount_is_unknown() {
        assert!(ModelPrice::from(sonnet()).is_known());
        assert!(ModelPrice::from(Prices { input: Some(0.0), output: Some(0.0), ..Prices::default() }).is_known());
        for amount in [None, Some(f64::NAN), Some(f64::INFINITY), Some(-1.0)] {
            assert!(!ModelPrice::from(Prices { input: amount, ..sonnet() }).is_known(), "{amount:?}");
            assert!(!ModelPrice::from(Prices { output: amount, ..sonnet() }).is_known(), "{amount:?}");
        }
        let tier = |input| PriceTier { prices: Prices { input, ..Prices::default() }, ..PriceTier::default() };
        let tiered = |prices: Prices, tiers| ModelPrice { tiers: Some(tiers), ..prices.into() };
        assert!(tiered(sonnet(), vec![tier(None), tier(Some(1.0))]).is_known());
        assert!(!tiered(Prices { input: None, ..sonnet() }, vec![tier(Some(1.0)), tier(None)]).is_known());
    }

    #[test]
    fn absent_prices_are_free_and_more_cached_than_input_is_no_negative_cost() {
        assert_eq!(ModelPrice::default().cost(Api::Anthropic, &used(10, 10, 0, 0)), 0.0);
        let cost = ModelPrice::from(sonnet()).cost(Api::OpenAi, &used(100, 0, 80, 80));
        assert!((cost - (80.0 * 3.75 + 80.0 * 0.3) / 1e6).abs() < 1e-15, "{cost}");
    }

    #[test]
    fn a_cost_is_always_a_number() {
        let long = LongContextPricing {
            threshold_tokens: 1,
            input_price_multiplier: Some(f64::MAX),
            output_price_multiplier: Some(f64::MAX),
            ..LongContextPricing::default()
        };
        let dear = Prices { input: Some(f64::MAX), output: Some(f64::MAX), ..Prices::default() };
        let price = ModelPrice { long_context_pricing: Some(long), ..dear.into() };
        for usage in [used(2, 0, 0, 0), used(2, 2, 0, 0), used(u64::MAX, u64::MAX, u64::MAX, u64::MAX)] {
            assert_eq!(price.cost(Api::Anthropic, &usage), MAX_DOLLARS);
        }
        assert_eq!((as_dollars(f64::NAN), as_dollars(-1.0), as_dollars(f64::INFINITY)), (0.0, 0.0, MAX_DOLLARS));
    }

    #[test]
    fn long_context_begins_one_token_over_the_threshold() {
        let long = LongContextPricing {
            threshold_tokens: 200_000,
            input_price_multiplier: Some(2.0),
            output_price_multiplier: Some(1.5),
            ..LongContextPricing::default()
        };
        let price = ModelPrice { long_context_pricing: Some(long), ..sonnet().into() };
        for api in [Api::Anthropic, Api::OpenAi] {
            assert!((price.cost(api, &used(200_000, 0, 0, 0)) - 0.6).abs() < 1e-12);
            assert!((price.cost(api, &used(200_001, 0, 0, 0)) - 1.200_006).abs() < 1e-12);
        }
        let cost = price.cost(Api::Anthropic, &used(150_000, 0, 0, 60_000));
        assert!((cost - (0.15 * 6.0 + 0.06 * 0.3)).abs() < 1e-12, "cached tokens count for the threshold: {cost}");
    }

    #[test]
    fn a_tier_is_chosen_by_the_size_of_the_question() {
        let tier = |context_window, input| PriceTier {
            context_window,
            prices: Prices { input: Some(input), ..Prices::default() },
            ..PriceTier::default()
        };
        let flex = PriceTier { name: Some("flex".into()), ..tier(None, 0.1) };
        let tiered = |tiers| ModelPrice { tiers: Some(tiers), ..sonnet().into() };
        let price = tiered(vec![flex, tier(Some(200_000), 1.25), tier(None, 2.5)]);
        assert_eq!(price.at(200_000).input, Some(1.25));
        assert_eq!(price.at(200_001).input, Some(2.5));
        assert_eq!(price.at(200_001).output, Some(15.0), "an absent price is that of the model");
        assert_eq!(tiered(vec![tier(Some(10), 9.0)]).at(11).input, Some(9.0));
    }

    #[test]
    fn in_json_prices_stand_beside_the_other_fields() {
        let price = serde_json::json!({
            "inputPrice": 3.0,
            "longContextPricing": { "thresholdTokens": 9, "inputPriceMultiplier": 2.0 },
            "tiers": [{ "contextWindow": 7, "outputPrice": 1.5 }],
        });
        let read: ModelPrice = serde_json::from_value(price.clone()).unwrap();
        assert_eq!((read.prices.input, read.tiers.as_ref().unwrap()[0].prices.output), (Some(3.0), Some(1.5)));
        assert_eq!(serde_json::to_value(read).unwrap(), price);
    }

    /// Recorded calls of Roo-Code's functions: the 2025 version returns a number, the 2026 version an object.
    #[test]
    fn equal_to_recorded_calls_bit_for_bit() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let required = std::env::var_os("ROO_CONDENSE_SHARED").filter(|folder| !folder.is_empty());
        let folder = root.join(required.as_deref().unwrap_or("../shared".as_ref())).join("vectors");
        let mut checked = 0;
        for file in ["roo-oct.jsonl", "roo-head.jsonl"] {
            let Ok(lines) = std::fs::read_to_string(folder.join(file)) else {
                let missing = format!("there is no {file} in {}", folder.display());
                assert!(required.is_none(), "{missing}, and ROO_CONDENSE_SHARED requires it");
                eprintln!("skipped: {missing}");
                continue;
            };
            for line in lines.lines() {
                let case: serde_json::Value = serde_json::from_str(line).unwrap();
                let given: ModelPrice = serde_json::from_value(case["input"]["price"].clone()).unwrap_or_default();
                // Roo's functions ignore tiers, and Anthropic's also the long context.
                let (api, price) = match case["fn"].as_str() {
                    Some("calculateApiCostAnthropic") => (Api::Anthropic, given.prices.into()),
                    Some("calculateApiCostOpenAI") => (Api::OpenAi, ModelPrice { tiers: None, ..given }),
                    _ => continue,
                };
                assert!(case["input"]["price"].is_object(), "{line}");
                let tokens = |at: usize| case["input"]["use"][at].as_u64().unwrap_or(0);
                let cost = price.cost(api, &used(tokens(0), tokens(1), tokens(2), tokens(3)));
                let output = &case["output"];
                let expected = output.as_f64().or(output["totalCost"].as_f64()).unwrap();
                assert_eq!(cost.to_bits(), expected.to_bits(), "{line}");
                checked += 1;
            }
        }
        eprintln!("{checked} recorded calls compared");
        assert!(checked == 0 || checked == 160, "all or none: {checked}");
    }
}
