//! Limits the cost of requests to a model: together they cost no more than one summary of the whole, unless the
//! caller wrote the passes.

use std::{
    cmp::Reverse,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{config::SmartConfig, presets};
use crate::{
    dollars::rounded,
    providers::{Native, Request, middle::told_by_one},
    summaries::{SourceText, price_in_tokens},
    warning::{Warning, WarningCode},
    words::said,
};

/// Minimum factor for a warning: estimates are wrong by up to a tenth in both directions.
const WORTH_TELLING: f64 = 1.25;

/// Tokens of a request besides the text: prompt, label and fence.
const QUESTION: usize = 150;

/// The requests of one call so far, and their limit. Prices are in tokens, so that they need no dollars.
#[derive(Debug)]
pub(super) struct Worth {
    /// The price of one summary of the whole, minus a tenth, because messages have fewer tokens in a request for a
    /// summary than in the conversation.
    one_summary: usize,
    asked: AtomicUsize,
    /// False for the caller's own passes, and for the preset that summarises each text: they send all their requests,
    /// whatever the price.
    is_limit: bool,
}

impl Worth {
    pub fn new(request: &Request, config: &SmartConfig) -> Self {
        let is_limit = config.preset.is_some_and(|preset| preset != presets::ASKS_OF_EACH);
        let one_summary = price_in_tokens(told_by_one(request, Native::KEEP), None) * 9 / 10;
        Self { one_summary, asked: AtomicUsize::new(0), is_limit }
    }

    /// Returns true if summaries of these many tokens of messages are within the limit.
    pub fn may_take(&self, batches: &[usize]) -> bool {
        !self.is_limit || self.asked().saturating_add(price_of(batches)) <= self.one_summary
    }

    /// Counts summaries of these many tokens of messages.
    pub fn take(&self, batches: &[usize]) {
        self.asked.fetch_add(price_of(batches), Ordering::Relaxed);
    }

    /// Returns which texts to summarise. The largest are chosen first, because they save most for their price.
    pub fn take_texts(&self, texts: &[SourceText<'_>]) -> Vec<bool> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|index| Reverse(texts[*index].tokens));
        let mut taken = vec![false; texts.len()];
        for index in order {
            let SourceText { tokens, max_tokens, .. } = &texts[index];
            let price = price_in_tokens(tokens + QUESTION, Some(*max_tokens));
            taken[index] = !self.is_limit || self.asked().saturating_add(price) <= self.one_summary;
            if taken[index] {
                self.asked.fetch_add(price, Ordering::Relaxed);
            }
        }
        taken
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns the warning, for a preview, that one summary of the whole would be cheaper.
    pub fn warning(&self) -> Option<Warning> {
        let times = self.asked() as f64 / self.one_summary.max(1) as f64;
        (times > WORTH_TELLING).then(|| {
            let said = said!("warning.dearSummaries", times: rounded(times, 1));
            Warning::new(WarningCode::DearSummaries, said).about("passes")
        })
    }
}

/// Returns the price of summaries of these many tokens of messages each.
fn price_of(batches: &[usize]) -> usize {
    batches.iter().map(|tokens| price_in_tokens(*tokens, None)).fold(0, usize::saturating_add)
}
