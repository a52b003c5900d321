//! Tokens to dollars.

use serde::{Deserialize, Serialize};

use super::{Api, TokenUsage};

/// What a model costs, in dollars per million tokens. The field names in JSON are those of Roo's model information, so a
/// whole model information object can be given as a price.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelPrice {
    /// Tokens of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_price: Option<f64>,
    /// Tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_price: Option<f64>,
    /// Tokens written to the prompt cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_writes_price: Option<f64>,
    /// Tokens read from the prompt cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_reads_price: Option<f64>,
    /// Prices multiplied when the question is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_context_pricing: Option<LongContextPricing>,
    /// Other prices by the size of the question, in rising order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<PriceTier>>,
}

/// Multipliers for questions over a threshold; an absent one means 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LongContextPricing {
    /// Applies when the whole input, cached tokens included, has more tokens than this.
    pub threshold_tokens: u64,
    /// For [`ModelPrice::input_price`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_price_multiplier: Option<f64>,
    /// For [`ModelPrice::output_price`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_price_multiplier: Option<f64>,
    /// For [`ModelPrice::cache_writes_price`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_writes_price_multiplier: Option<f64>,
    /// For [`ModelPrice::cache_reads_price`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_reads_price_multiplier: Option<f64>,
}

/// Prices up to a size of the question. An absent price is that of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriceTier {
    /// The name of a service tier (`flex`, `priority`) that has to be asked for; such tiers are not used here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The largest question, in tokens, it applies to; `None` for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Tokens of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_price: Option<f64>,
    /// Tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_price: Option<f64>,
    /// Tokens written to the prompt cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_writes_price: Option<f64>,
    /// Tokens read from the prompt cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_reads_price: Option<f64>,
}

/// The result of a cost calculation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiCost {
    /// All tokens of the question, cached ones included.
    pub total_input_tokens: u64,
    /// Tokens of the answer.
    pub total_output_tokens: u64,
    /// Dollars.
    pub total_cost: f64,
}

impl ModelPrice {
    /// The flat prices for a question of this many tokens: tiers and long-context multipliers are worked in.
    #[must_use]
    pub fn at(&self, total_input_tokens: u64) -> ModelPrice {
        let mut flat = self.without_tiers(total_input_tokens);
        if let Some(long) = &self.long_context_pricing
            && total_input_tokens > long.threshold_tokens
        {
            let times = |price: Option<f64>, by: Option<f64>| price.map(|price| by.map_or(price, |by| price * by));
            flat.input_price = times(flat.input_price, long.input_price_multiplier);
            flat.output_price = times(flat.output_price, long.output_price_multiplier);
            flat.cache_writes_price = times(flat.cache_writes_price, long.cache_writes_price_multiplier);
            flat.cache_reads_price = times(flat.cache_reads_price, long.cache_reads_price_multiplier);
        }
        flat
    }

    fn without_tiers(&self, total_input_tokens: u64) -> ModelPrice {
        let by_size: Vec<_> = self.tiers.iter().flatten().filter(|tier| tier.name.is_none()).collect();
        let fits = |tier: &&&PriceTier| tier.context_window.is_none_or(|window| total_input_tokens <= window);
        // A question larger than every tier is charged like the largest one.
        let tier = by_size.iter().find(fits).or(by_size.last()).map_or_else(PriceTier::default, |tier| (*tier).clone());
        ModelPrice {
            input_price: tier.input_price.or(self.input_price),
            output_price: tier.output_price.or(self.output_price),
            cache_writes_price: tier.cache_writes_price.or(self.cache_writes_price),
            cache_reads_price: tier.cache_reads_price.or(self.cache_reads_price),
            long_context_pricing: None,
            tiers: None,
        }
    }

    /// Dollars for a question and an answer without any caching, by the flat prices.
    pub(super) fn plain_cost(&self, input_tokens: u64, output_tokens: u64) -> f64 {
        dollars(self, input_tokens, output_tokens, 0, 0)
    }

    /// Dollars of a request, tiers and long-context multipliers worked in, whatever the protocol.
    pub(super) fn cost(&self, api: Api, usage: &TokenUsage) -> f64 {
        let (write, read) = (Some(usage.cache_write_tokens), Some(usage.cache_read_tokens));
        match api {
            Api::Anthropic => {
                let cached = usage.cache_write_tokens.saturating_add(usage.cache_read_tokens);
                let total = usage.input_tokens.saturating_add(cached);
                calculate_api_cost_anthropic(&self.at(total), usage.input_tokens, usage.output_tokens, write, read)
            }
            Api::OpenAi => calculate_api_cost_openai(
                &self.at(usage.input_tokens),
                usage.input_tokens,
                usage.output_tokens,
                write,
                read,
            ),
        }
        .total_cost
    }
}

/// Cost where the input count excludes cached tokens, as Anthropic reports it.
///
/// Same numbers, bit for bit, as Roo-Code's function of that name; like it, it ignores `longContextPricing` and `tiers`.
#[must_use]
pub fn calculate_api_cost_anthropic(
    price: &ModelPrice,
    input_tokens: u64,
    output_tokens: u64,
    cache_write_tokens: Option<u64>,
    cache_read_tokens: Option<u64>,
) -> ApiCost {
    let (write, read) = (cache_write_tokens.unwrap_or(0), cache_read_tokens.unwrap_or(0));
    ApiCost {
        total_input_tokens: input_tokens.saturating_add(write).saturating_add(read),
        total_output_tokens: output_tokens,
        total_cost: dollars(price, input_tokens, output_tokens, write, read),
    }
}

/// Cost where the input count includes cached tokens, as OpenAI reports it; applies `longContextPricing`.
///
/// Same numbers, bit for bit, as Roo-Code's function of that name; like it, it ignores `tiers`.
#[must_use]
pub fn calculate_api_cost_openai(
    price: &ModelPrice,
    input_tokens: u64,
    output_tokens: u64,
    cache_write_tokens: Option<u64>,
    cache_read_tokens: Option<u64>,
) -> ApiCost {
    let (write, read) = (cache_write_tokens.unwrap_or(0), cache_read_tokens.unwrap_or(0));
    let flat = ModelPrice { tiers: None, ..price.clone() }.at(input_tokens);
    let uncached = input_tokens.saturating_sub(write).saturating_sub(read);
    ApiCost {
        total_input_tokens: input_tokens,
        total_output_tokens: output_tokens,
        total_cost: dollars(&flat, uncached, output_tokens, write, read),
    }
}

/// The order of these operations decides the last bit of the result: per token first, then times tokens, then summed
/// from cache writes to output.
fn dollars(price: &ModelPrice, uncached: u64, output: u64, write: u64, read: u64) -> f64 {
    let part = |price: Option<f64>, tokens: u64| price.unwrap_or(0.0) / 1_000_000.0 * tokens as f64;
    part(price.cache_writes_price, write)
        + part(price.cache_reads_price, read)
        + part(price.input_price, uncached)
        + part(price.output_price, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sonnet() -> ModelPrice {
        ModelPrice {
            input_price: Some(3.0),
            output_price: Some(15.0),
            cache_writes_price: Some(3.75),
            cache_reads_price: Some(0.3),
            ..ModelPrice::default()
        }
    }

    #[test]
    fn anthropic_counts_cached_tokens_on_top_and_openai_within() {
        let anthropic = calculate_api_cost_anthropic(&sonnet(), 1000, 500, Some(2000), Some(3000));
        assert_eq!(anthropic.total_input_tokens, 6000);
        assert!((anthropic.total_cost - 0.0189).abs() < 1e-12, "{}", anthropic.total_cost);
        let openai = calculate_api_cost_openai(&sonnet(), 6000, 500, Some(2000), Some(3000));
        assert_eq!(openai, anthropic);
    }

    /// Dividing once at the end, or summing in another order, gives 0.13565354999999998.
    #[test]
    fn the_last_bit_is_that_of_the_stated_order() {
        let cost = calculate_api_cost_anthropic(&sonnet(), 35, 7298, Some(6387), Some(7091));
        assert_eq!(cost.total_cost.to_bits(), 0.135_653_55_f64.to_bits(), "{}", cost.total_cost);
    }

    #[test]
    fn absent_prices_are_free_and_more_cached_than_input_is_no_negative_cost() {
        assert_eq!(calculate_api_cost_anthropic(&ModelPrice::default(), 10, 10, None, None).total_cost, 0.0);
        let cost = calculate_api_cost_openai(&sonnet(), 100, 0, Some(80), Some(80)).total_cost;
        assert!((cost - (80.0 * 3.75 + 80.0 * 0.3) / 1e6).abs() < 1e-15, "{cost}");
    }

    #[test]
    fn long_context_begins_one_token_over_the_threshold() {
        let long = LongContextPricing {
            threshold_tokens: 200_000,
            input_price_multiplier: Some(2.0),
            output_price_multiplier: Some(1.5),
            ..LongContextPricing::default()
        };
        let price = ModelPrice { long_context_pricing: Some(long), ..sonnet() };
        assert!((calculate_api_cost_openai(&price, 200_000, 0, None, None).total_cost - 0.6).abs() < 1e-12);
        assert!((calculate_api_cost_openai(&price, 200_001, 0, None, None).total_cost - 1.200_006).abs() < 1e-12);
        assert!((calculate_api_cost_anthropic(&price, 200_001, 0, None, None).total_cost - 0.600_003).abs() < 1e-12);
        let usage = TokenUsage { input_tokens: 150_000, cache_read_tokens: 60_000, ..TokenUsage::default() };
        let cost = price.cost(Api::Anthropic, &usage);
        assert!((cost - (0.15 * 6.0 + 0.06 * 0.3)).abs() < 1e-12, "the handler's own cost applies it: {cost}");
    }

    #[test]
    fn a_tier_is_chosen_by_the_size_of_the_question() {
        let tier =
            |window, input| PriceTier { context_window: window, input_price: Some(input), ..PriceTier::default() };
        let flex = PriceTier { name: Some("flex".into()), ..tier(None, 0.1) };
        let price = ModelPrice { tiers: Some(vec![flex, tier(Some(200_000), 1.25), tier(None, 2.5)]), ..sonnet() };
        assert_eq!(price.at(200_000).input_price, Some(1.25));
        assert_eq!(price.at(200_001).input_price, Some(2.5));
        assert_eq!(price.at(200_001).output_price, Some(15.0), "an absent price is that of the model");
        let bounded = ModelPrice { tiers: Some(vec![tier(Some(10), 9.0)]), ..sonnet() };
        assert_eq!(bounded.at(11).input_price, Some(9.0));
    }

    /// Recorded calls of Roo-Code's functions: 2025 gives a number, 2026 an object.
    #[test]
    fn equal_to_recorded_calls_bit_for_bit() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors");
        let mut checked = 0;
        for file in ["roo-oct.jsonl", "roo-head.jsonl"] {
            let Ok(lines) = std::fs::read_to_string(folder.join(file)) else {
                eprintln!("skipped: ../shared/vectors/{file} is not there");
                continue;
            };
            for line in lines.lines() {
                let case: serde_json::Value = serde_json::from_str(line).unwrap();
                let calculate = match case["fn"].as_str() {
                    Some("calculateApiCostAnthropic") => calculate_api_cost_anthropic,
                    Some("calculateApiCostOpenAI") => calculate_api_cost_openai,
                    _ => continue,
                };
                let price: ModelPrice = serde_json::from_value(case["input"]["price"].clone()).unwrap();
                let tokens = &case["input"]["use"];
                let cost = calculate(
                    &price,
                    tokens[0].as_u64().unwrap(),
                    tokens[1].as_u64().unwrap(),
                    tokens[2].as_u64(),
                    tokens[3].as_u64(),
                );
                let output = &case["output"];
                if let Some(expected) = output.as_f64() {
                    assert_eq!(cost.total_cost.to_bits(), expected.to_bits(), "{line}");
                } else {
                    assert_eq!(cost.total_cost.to_bits(), output["totalCost"].as_f64().unwrap().to_bits(), "{line}");
                    assert_eq!(cost.total_input_tokens, output["totalInputTokens"].as_u64().unwrap(), "{line}");
                    assert_eq!(cost.total_output_tokens, output["totalOutputTokens"].as_u64().unwrap(), "{line}");
                }
                checked += 1;
            }
        }
        eprintln!("{checked} recorded calls compared");
        assert!(checked == 0 || checked == 160, "all or none: {checked}");
    }
}
