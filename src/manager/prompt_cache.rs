//! The effect of a change on the prompt cache.

use serde::Serialize;

use crate::llm::{ModelPrice, Prices, as_dollars};

/// The effect of a change on the prompt cache, which stays valid up to the first difference. Costs use the price of
/// the conversation's model (`ProviderCallOptions.price`), are absent without one, and assume that the whole
/// conversation was cached; a missing cache price counts as `inputPrice`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "PromptCacheEffect"))]
#[serde(rename_all = "camelCase")]
pub struct PromptCache {
    /// Tokens before the first change, system prompt included; they are still read from the cache. With
    /// `rewrittenTokens` they make up `newContextTokens`.
    pub kept_tokens: usize,
    /// Tokens from the first change on, which the next request must write to the cache.
    pub rewritten_tokens: usize,
    /// Dollars to write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewrite_cost: Option<f64>,
    /// Extra dollars of the next request, compared with no change; negative if it costs less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_cost: Option<f64>,
    /// Dollars saved by each later request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_per_request: Option<f64>,
}

impl PromptCache {
    /// Returns the effect of a change that leaves `after` of `before` tokens, `kept` of them before the first change.
    /// For a model without cache prices, all tokens cost the input price.
    pub fn compare(kept: usize, before: usize, after: usize, price: Option<&ModelPrice>) -> Self {
        let rewritten = after.saturating_sub(kept);
        let unpriced = Self { kept_tokens: kept, rewritten_tokens: rewritten, ..Self::default() };
        let Some(price) = price else { return unpriced };
        let (was, is) = (price.at(before as u64), price.at(after as u64));
        let dollars =
            |tokens: usize, per_million: Option<f64>| as_dollars(tokens as f64 * per_million.unwrap_or(0.0) / 1e6);
        let read = |prices: &Prices| prices.cache_reads.or(prices.input);
        let rewrite_cost = dollars(rewritten, is.cache_writes.or(is.input));
        let without = dollars(before, read(&was));
        Self {
            rewrite_cost: Some(rewrite_cost),
            extra_cost: Some(dollars(kept, read(&is)) + rewrite_cost - without),
            saved_per_request: Some(without - dollars(after, read(&is))),
            ..unpriced
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_first_change_is_written_anew() {
        // Claude Sonnet's prices.
        let price = ModelPrice::from(Prices {
            input: Some(3.0),
            output: Some(15.0),
            cache_writes: Some(3.75),
            cache_reads: Some(0.3),
        });
        let effect = PromptCache::compare(10_000, 100_000, 40_000, Some(&price));
        assert_eq!((effect.kept_tokens, effect.rewritten_tokens), (10_000, 30_000));
        let near =
            |found: Option<f64>, wanted: f64| assert!((found.unwrap() - wanted).abs() < 1e-9, "{found:?} {wanted}");
        near(effect.rewrite_cost, 0.1125);
        // 0.003 and 0.1125 in place of 0.03.
        near(effect.extra_cost, 0.0855);
        near(effect.saved_per_request, 0.018);
    }

    #[test]
    fn without_a_cache_less_is_cheaper_at_once_and_without_a_price_nothing_is_said() {
        let price = ModelPrice::from(Prices { input: Some(1.0), ..Prices::default() });
        let effect = PromptCache::compare(0, 1_000_000, 400_000, Some(&price));
        assert_eq!((effect.rewrite_cost, effect.extra_cost), (Some(0.4), Some(-0.6)));
        assert_eq!(PromptCache::compare(5, 10, 8, None).rewrite_cost, None);
        assert_eq!(PromptCache::compare(5, 10, 8, None).rewritten_tokens, 3);
    }
}
