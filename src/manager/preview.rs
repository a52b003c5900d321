//! Results of a dry run: whether they are exact, and a few messages as they would become.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    Work,
    chain::{Outcome, Restorable},
};
use crate::{
    conversation::Edit,
    maps::HashSet,
    providers::Change,
    summaries::{Llm, Preview},
    tokens::Scale,
};

/// Maximum number of sample messages.
const MAX_SAMPLES: usize = 5;

/// The purpose of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    /// To show the changes, with samples.
    Preview,
    /// To know savings and costs.
    Estimate,
}

impl Trial {
    /// Returns the work as a dry run, which sends no requests to a model.
    pub(super) fn without_model(work: Work) -> Work {
        let llm = Llm { preview: Some(Preview::Expected), ..work.llm };
        Work { llm, ..work }
    }
}

/// The certainty of a dry run, and samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewReport {
    /// False if a model would be called: the tokens and dollars of its responses are estimates, and so are all numbers
    /// derived from them.
    exact: bool,
    /// False if a model with an unknown price would be called: the report's cost is then not an estimate.
    priced: bool,
    /// 1 if the whole condensation was run, and 0 if it failed. With summaries by a model, 1 minus the ratio of their
    /// expected tokens to the tokens removed, at least 0.
    confidence: f64,
    /// Some of the messages that would be changed, in order.
    samples: Vec<PreviewSample>,
}

/// A message that would be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewSample {
    /// Its index in the original conversation; for an added message, the index of the message that it precedes.
    message_index: usize,
    /// True if the message would be added.
    added: bool,
    /// Its index in the condensed conversation; `null` if it would be removed.
    after: Option<usize>,
    /// False if it contains a placeholder for a model's words.
    exact: bool,
    /// The operations that would change it.
    operations: Vec<String>,
    /// Unscaled tokens that these operations would save.
    tokens_saved: usize,
}

impl PreviewReport {
    /// Translates the message indices of the samples: `before` for the original messages, `after` for the condensed
    /// ones.
    pub(super) fn place(&mut self, before: impl Fn(usize) -> usize, after: impl Fn(usize) -> Option<usize>) {
        for sample in &mut self.samples {
            sample.message_index = before(sample.message_index);
            sample.after = sample.after.and_then(&after);
        }
    }

    /// Describes the outcome of a dry run.
    pub(super) fn describe(outcome: &Outcome, scale: Scale, trial: Trial) -> Self {
        let Outcome { ran, restorable, tokens: counted, .. } = outcome;
        let spent = &ran.request.llm.spent;
        let (exact, priced) = (!spent.would_ask(), !spent.is_unpriced());
        if restorable.plan.is_empty() {
            let confidence = if ran.error.is_some() { 0.0 } else { 1.0 };
            return Self { exact, priced, confidence, samples: Vec::new() };
        }
        let estimates = restorable.conversation.entries().iter().flat_map(|entry| &entry.estimates);
        let tokens: usize = estimates.map(|estimate| estimate.tokens).sum();
        let removed = counted.original.saturating_sub(counted.left).max(1);
        Self {
            exact: tokens == 0 && exact,
            priced,
            confidence: (1.0 - scale.apply(tokens) as f64 / removed as f64).max(0.0),
            samples: if trial == Trial::Preview { samples(outcome) } else { Vec::new() },
        }
    }
}

/// Returns a sample of the changed messages, in order. Added messages are chosen first. Then each operation contributes
/// the message in which it saves most, beginning with the operation that saves most in total. The remaining places go
/// to the messages that save most.
fn samples(outcome: &Outcome) -> Vec<PreviewSample> {
    let savings = Savings::by_message(&outcome.changed.changes);
    let mut all: Vec<(PreviewSample, bool)> = changed_messages(&outcome.restorable)
        .into_iter()
        .map(|sample| {
            let is_chosen = sample.added;
            (savings.told(sample), is_chosen)
        })
        .collect();
    let mut left = MAX_SAMPLES.min(all.len()).saturating_sub(all.iter().filter(|(_, is_chosen)| *is_chosen).count());
    let mut choose = |value: &dyn Fn(&PreviewSample) -> usize| {
        // Reversed: `max_by_key` returns the last of equal ones.
        let best = all.iter_mut().rev().filter(|(_, is_chosen)| !is_chosen).max_by_key(|(sample, _)| value(sample));
        if let Some((_, is_chosen)) = best.filter(|_| left > 0) {
            *is_chosen = true;
            left -= 1;
        }
        left > 0
    };
    for operation in savings.operations() {
        choose(&|sample| savings.by_operation(sample.message_index, operation));
    }
    while choose(&|sample| sample.tokens_saved) {}
    all.into_iter().filter(|(_, is_chosen)| *is_chosen).map(|(sample, _)| sample).take(MAX_SAMPLES).collect()
}

/// Returns every changed, dropped and added message, in order.
fn changed_messages(restorable: &Restorable) -> Vec<PreviewSample> {
    let set: HashSet<usize> = restorable
        .plan
        .edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::Set { message, .. } | Edit::DropBlock { message, .. } | Edit::InsertBlock { message, .. } => {
                Some(*message)
            }
            Edit::Drop { .. } | Edit::Insert { .. } => None,
        })
        .collect();
    let sample = |message_index, after: Option<usize>, exact| PreviewSample {
        message_index,
        added: false,
        after,
        exact,
        operations: Vec::new(),
        tokens_saved: 0,
    };
    let mut found = Vec::new();
    let mut next = 0;
    for (at, entry) in restorable.conversation.entries().iter().enumerate() {
        let exact = entry.estimates.is_empty();
        match entry.origin {
            None => found.push(PreviewSample { added: true, ..sample(next, Some(at), exact) }),
            Some(origin) => {
                found.extend((next..origin).map(|message| sample(message, None, true)));
                found.extend(set.contains(&origin).then(|| sample(origin, Some(at), exact)));
                next = origin + 1;
            }
        }
    }
    found.extend((next..restorable.original.len()).map(|message| sample(message, None, true)));
    found
}

/// The tokens that the changes save: by message, then by operation in order of appearance.
struct Savings<'a>(BTreeMap<usize, Vec<(&'a str, usize)>>);

impl<'a> Savings<'a> {
    fn by_message(changes: &'a [Change]) -> Self {
        let mut by_message: BTreeMap<usize, Vec<(&str, usize)>> = BTreeMap::new();
        for change in changes {
            add(
                by_message.entry(change.message_index).or_default(),
                &change.operation,
                change.tokens_before.saturating_sub(change.tokens_after),
            );
        }
        Self(by_message)
    }

    fn of_message(&self, message: usize) -> &[(&'a str, usize)] {
        self.0.get(&message).map_or(&[], Vec::as_slice)
    }

    fn by_operation(&self, message: usize, operation: &str) -> usize {
        self.of_message(message).iter().find(|(known, _)| *known == operation).map_or(0, |(_, tokens)| *tokens)
    }

    /// Returns the operations in descending order of their savings.
    fn operations(&self) -> Vec<&'a str> {
        let mut totals = Vec::new();
        self.0.values().flatten().for_each(|(operation, tokens)| add(&mut totals, operation, *tokens));
        totals.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
        totals.into_iter().map(|(operation, _)| operation).collect()
    }

    /// Returns the sample with the operations on its message and their savings.
    fn told(&self, sample: PreviewSample) -> PreviewSample {
        let done = self.of_message(sample.message_index);
        let tokens_saved = if sample.added { 0 } else { done.iter().map(|(_, tokens)| tokens).sum() };
        let operations = done.iter().map(|(operation, _)| (*operation).to_owned()).collect();
        PreviewSample { operations, tokens_saved, ..sample }
    }
}

fn add<'a>(sums: &mut Vec<(&'a str, usize)>, operation: &'a str, tokens: usize) {
    match sums.iter_mut().find(|(known, _)| *known == operation) {
        Some((_, sum)) => *sum += tokens,
        None => sums.push((operation, tokens)),
    }
}
