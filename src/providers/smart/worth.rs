//! How much is asked of a model: together no more than one summary of the whole would cost, unless the passes are the caller's own.

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

/// The estimate is off by a tenth either way: less than a quarter more is not worth a warning.
const WORTH_TELLING: f64 = 1.25;

/// Tokens of a question about a text beside the text: its prompt, the label and the fence.
const QUESTION: usize = 150;

/// What one call has asked for, and may. Prices are in tokens of questions, so that they need no dollars.
#[derive(Debug)]
pub(super) struct Worth {
    /// What one summary of the whole would cost, less a tenth: a question shows messages with fewer tokens than they have.
    one_summary: usize,
    asked: AtomicUsize,
    /// The caller's own passes ask for what they say, and so does the preset that is for nothing else.
    is_limit: bool,
}

impl Worth {
    pub fn of(request: &Request, config: &SmartConfig) -> Self {
        let is_limit = config.preset.is_some_and(|preset| preset != presets::ASKS_OF_EACH);
        let one_summary = price_in_tokens(told_by_one(request, Native::KEEP), None) * 9 / 10;
        Self { one_summary, asked: AtomicUsize::new(0), is_limit }
    }

    /// Whether there may be a summary of each of these many tokens of messages.
    pub fn may_take(&self, batches: &[usize]) -> bool {
        !self.is_limit || self.asked().saturating_add(price_of(batches)) <= self.one_summary
    }

    /// Counts summaries of so many tokens of messages.
    pub fn take(&self, batches: &[usize]) {
        self.asked.fetch_add(price_of(batches), Ordering::Relaxed);
    }

    /// Which of these texts are asked about: the largest first, because of them a request saves most for its price.
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

    /// For a preview: that one summary of the whole would be cheaper.
    pub fn warning(&self) -> Option<Warning> {
        let times = self.asked() as f64 / self.one_summary.max(1) as f64;
        (times > WORTH_TELLING).then(|| {
            let said = said!("warning.dearSummaries", times: rounded(times, 1));
            Warning::new(WarningCode::DearSummaries, said).about("passes")
        })
    }
}

/// Of summaries of so many tokens of messages each.
fn price_of(batches: &[usize]) -> usize {
    batches.iter().map(|tokens| price_in_tokens(*tokens, None)).fold(0, usize::saturating_add)
}
