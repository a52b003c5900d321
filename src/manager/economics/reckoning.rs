//! Calculates the costs and savings of a rewritten prompt, in dollars.

use crate::llm::{ModelPrice, as_dollars};

/// The effect of a condensation on later requests. All tokens are as the caller counts them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rewrite {
    /// Tokens of the next request without the condensation.
    pub before: f64,
    /// Tokens of the next request after the condensation.
    pub after: f64,
    /// Tokens of the last request that are still cached; 0 if the cache is cold.
    pub cached: f64,
    /// Tokens before the first changed message, which remain cached.
    pub kept: f64,
    /// Cost of the condensation itself, such as summaries, in dollars.
    pub condensing: f64,
}

impl Rewrite {
    /// Returns the immediate cost in dollars: summaries, and the extra cost of the next request. Negative if the next
    /// request becomes so much cheaper that the condensation saves at once.
    pub fn costs_at_once(&self, price: &ModelPrice) -> f64 {
        let without = request(price, self.before, self.cached);
        let with = request(price, self.after, self.kept.min(self.cached));
        self.condensing + with - without
    }

    /// Returns the dollars saved by each request after the next one.
    pub fn saves_per_request(&self, price: &ModelPrice) -> f64 {
        reading(price, self.before) - reading(price, self.after)
    }

    /// Returns the dollars saved over this many requests, minus the immediate cost.
    pub fn saves(&self, price: &ModelPrice, requests: f64) -> f64 {
        if requests < 1.0 {
            return -self.condensing;
        }
        (requests - 1.0) * self.saves_per_request(price) - self.costs_at_once(price)
    }

    /// Returns the dollars that earlier requests of these sizes paid to read the tokens that the condensation removes.
    pub fn carried(&self, price: &ModelPrice, sizes: impl Iterator<Item = f64>) -> f64 {
        sizes.filter(|size| *size > self.after).map(|size| reading(price, size) - reading(price, self.after)).sum()
    }
}

/// Returns the cost in dollars of a request of `tokens`: `cached` of them are read from the prompt cache, and the rest
/// is written to it. An absent cache price is replaced by the input price.
fn request(price: &ModelPrice, tokens: f64, cached: f64) -> f64 {
    let prices = price.at(tokens as u64);
    let (read, write) = (prices.cache_reads.or(prices.input), prices.cache_writes.or(prices.input));
    let dollars = |tokens: f64, per_million: Option<f64>| as_dollars(tokens * per_million.unwrap_or(0.0) / 1e6);
    dollars(cached, read) + dollars((tokens - cached).max(0.0), write)
}

/// Returns the cost in dollars of a request that is read from the prompt cache as a whole.
fn reading(price: &ModelPrice, tokens: f64) -> f64 {
    request(price, tokens, tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Prices;

    fn sonnet() -> ModelPrice {
        Prices { input: Some(3.0), output: Some(15.0), cache_writes: Some(3.75), cache_reads: Some(0.3) }.into()
    }

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }

    #[test]
    fn a_warm_cache_makes_rewriting_cost_and_later_requests_pay_it_back() {
        let rewrite =
            Rewrite { before: 100_000.0, after: 50_000.0, cached: 98_000.0, kept: 10_000.0, condensing: 0.02 };
        // The next request reads 10,000 and writes 40,000, instead of 98,000 and 2,000. Later ones read 50,000 less
        // each.
        let costs = 0.02 + (0.003 + 0.15) - (0.0294 + 0.0075);
        near(rewrite.costs_at_once(&sonnet()), costs);
        near(rewrite.saves_per_request(&sonnet()), 0.015);
        near(rewrite.saves(&sonnet(), 1.0), -costs);
        near(rewrite.saves(&sonnet(), 11.0), 0.15 - costs);
        near(rewrite.saves(&sonnet(), 0.0), -0.02);
    }

    #[test]
    fn a_cold_cache_is_written_anyway_and_what_was_not_sent_costs_nothing_to_change() {
        let cold = Rewrite { before: 100_000.0, after: 50_000.0, cached: 0.0, kept: 10_000.0, condensing: 0.0 };
        near(cold.costs_at_once(&sonnet()), -0.1875);
        let tail = Rewrite { before: 100_000.0, after: 99_000.0, cached: 90_000.0, kept: 90_000.0, condensing: 0.0 };
        near(tail.saves(&sonnet(), 3.0), 0.00375 + 2.0 * 0.0003);
    }

    #[test]
    fn without_a_price_for_caching_every_token_costs_what_a_question_does() {
        let price: ModelPrice = Prices { input: Some(1.0), ..Prices::default() }.into();
        let rewrite = Rewrite { before: 1000.0, after: 400.0, cached: 900.0, kept: 0.0, condensing: 0.0 };
        near(rewrite.saves(&price, 2.0), 2.0 * 0.0006);
    }

    #[test]
    fn carried_is_what_was_read_beyond_what_would_be_left() {
        let rewrite = Rewrite { before: 60_000.0, after: 40_000.0, cached: 0.0, kept: 0.0, condensing: 0.0 };
        near(rewrite.carried(&sonnet(), [30_000.0, 40_000.0, 50_000.0, 60_000.0].into_iter()), 0.3 * 30_000.0 / 1e6);
    }

    /// If a conversation grows evenly, the cheapest time to rewrite is when carrying the removable tokens has cost as
    /// much as the rewrite.
    #[test]
    fn rewriting_when_carrying_has_cost_as_much_is_cheapest_for_even_growth() {
        const LEFT: f64 = 40_000.0;
        const GROWTH: f64 = 1_000.0;
        let per_request = |requests: usize| {
            let sizes = (1..=requests).map(|request| LEFT + GROWTH * request as f64);
            let rewrite = Rewrite {
                before: LEFT + GROWTH * requests as f64,
                after: LEFT,
                cached: LEFT + GROWTH * requests as f64,
                kept: 0.0,
                condensing: 0.0,
            };
            let carried = rewrite.carried(&sonnet(), sizes);
            let costs = request(&sonnet(), LEFT, 0.0) - reading(&sonnet(), LEFT);
            ((carried + costs) / requests as f64, carried >= costs)
        };
        let all: Vec<_> = (1..200).map(per_request).collect();
        let ruled = all.iter().find(|(_, is_time)| *is_time).unwrap().0;
        let cheapest = all.iter().map(|(dollars, _)| *dollars).fold(f64::INFINITY, f64::min);
        assert!(ruled <= cheapest * 1.001, "{ruled} {cheapest}");
    }
}
