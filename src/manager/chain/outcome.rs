//! The result of a chain.

use std::time::Instant;

use serde::Serialize;

use super::{Restorable, fallback::Ran};
use crate::{
    manager::survival::Survival,
    providers::{Change, Request, SummaryQuality, milliseconds},
};

/// The result of a chain.
#[derive(Default)]
pub struct Outcome {
    /// The turns, without their changes.
    pub ran: Ran,
    /// The plan.
    pub restorable: Restorable,
    /// The changes.
    pub changed: Changed,
    /// The fate of the conversation's content; `None` if nothing changed.
    pub survival: Option<Survival>,
    /// Tokens before and after.
    pub tokens: Tokens,
    /// Time in milliseconds.
    pub elapsed_ms: f64,
}

/// The changes, as the report embeds them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// The changes, by message and block.
    #[cfg_attr(test, ts(type = "Change[]"))]
    pub changes: Vec<Change>,
    /// Index of the first message that differs, where the prompt cache stops being valid; -1 if nothing changed.
    pub first_changed_index: i64,
    /// Number of thinking blocks removed because something before them changed; see `ProviderCallOptions.thinking`.
    pub thinking_removed: usize,
}

impl Default for Changed {
    fn default() -> Self {
        Self { changes: Vec::new(), first_changed_index: -1, thinking_removed: 0 }
    }
}

impl Changed {
    /// Returns the operations, each once, in order of appearance.
    pub fn operations(&self) -> Vec<String> {
        let mut operations: Vec<String> = Vec::new();
        for change in &self.changes {
            if !operations.contains(&change.operation) {
                operations.push(change.operation.clone());
            }
        }
        operations
    }
}

/// A summary, as the report embeds it.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WrittenSummary"))]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The summary; empty if there is none.
    pub summary: String,
    /// How much of what it must keep the summary covers; absent unless a model summarised messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_quality: Option<SummaryQuality>,
}

/// Scaled tokens, system prompt included: the handler's own count if it counts, else the local one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tokens {
    /// Before.
    pub original: usize,
    /// After.
    pub left: usize,
    /// Share of the tokens before the first change, by the local count; 0 if nothing changed.
    pub kept_share: f64,
}

impl Tokens {
    fn count(ran: &Ran, request: &Request, first_changed: Option<usize>) -> Self {
        let (original, left) = (request.scaled(&request.tally), ran.request.scaled(&ran.request.tally));
        let kept = first_changed.map_or(0, |first| {
            let tokens: usize = (0..first).map(|message| request.tally.message(message)).sum();
            request.call.scale.apply(request.call.system_tokens + tokens)
        });
        let kept_share = kept as f64 / original.max(1) as f64;
        match ran.host_count {
            Some(count) => Self { original: count.before as usize, left: count.after as usize, kept_share },
            None => Self { original, left, kept_share },
        }
    }
}

impl Outcome {
    /// Builds the outcome of a call that began with `request` at `started`.
    pub fn complete(mut ran: Ran, request: &Request, started: Instant) -> Self {
        let changes = std::mem::take(&mut ran.turn.changes);
        let (restorable, survival) = match &changes[..] {
            [] => Default::default(),
            changes => {
                let (restorable, survival) = Restorable::describe(&ran.request, &request.tally, changes);
                (restorable, Some(survival))
            }
        };
        let first = restorable.first_changed_index();
        let tokens = Tokens::count(&ran, request, first.or((!changes.is_empty()).then_some(0)));
        let first_changed_index = first.map_or(-1, |index| i64::try_from(index).unwrap_or(-1));
        let changed = Changed { changes, first_changed_index, thinking_removed: ran.thinking_removed };
        Self { ran, restorable, changed, survival, tokens, elapsed_ms: milliseconds(started) }
    }

    /// Returns the outcome of a dry run with texts for people.
    pub fn in_words(self) -> Self {
        Self { restorable: self.restorable.in_words(), ..self }
    }
}
