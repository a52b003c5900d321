//! Reports on single passes.

use std::{collections::BTreeSet, time::Instant};

use serde::Serialize;

use crate::words::Said;

/// The report of one pass of the smart provider.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PassReport {
    /// The id of the pass. Steps that are not passes: `tool_rules` and `lossless_prelude` run first,
    /// `salient_to_target` last; `one_summary` replaces all passes; `no_more_tokens_than` means that the result of
    /// that preset replaced theirs.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Whether it ran: its condition was met, and the target was not reached before.
    pub ran: bool,
    /// Why it did not run, or did nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// The reason as a code and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// Tokens before, system prompt included.
    pub tokens_before: usize,
    /// Tokens after.
    pub tokens_after: usize,
    /// Tokens removed.
    pub tokens_saved: usize,
    /// 0 to 100.
    pub reduction_percentage: f64,
    /// False if it includes estimates of summaries that a model would write.
    pub exact: bool,
    /// Dollars.
    pub cost: f64,
    /// Milliseconds.
    pub time_elapsed: f64,
    /// Number of messages changed or removed.
    pub messages_changed: usize,
    /// Index of the first of them in the input messages; -1 if there is none.
    pub first_changed_index: i64,
    /// Operations on them, each once; see `Change.operation`.
    pub operations_applied: Vec<String>,
}

impl PassReport {
    /// Names the passes that changed something: those of the user by their ids after `pass_`.
    pub fn applied(passes: &[Self]) -> impl Iterator<Item = String> {
        passes.iter().filter(|pass| pass.messages_changed > 0).map(|pass| {
            if Self::RESERVED.contains(&pass.id.as_str()) { pass.id.clone() } else { format!("pass_{}", pass.id) }
        })
    }

    /// The id of the step that applies tool rules, which runs first.
    pub const RULES: &'static str = "tool_rules";
    /// The id of the lossless prelude.
    pub const PRELUDE: &'static str = "lossless_prelude";
    /// The id of the truncation that continues if the passes leave more than the target.
    pub const TARGET: &'static str = "salient_to_target";
    /// The id of another preset whose result replaces that of the passes because it is smaller.
    pub const PRESET: &'static str = "no_more_tokens_than";
    /// The id of the single summary that replaces a preset's passes when the target is small.
    pub const SUMMARY: &'static str = "one_summary";
    /// Ids that no pass may have.
    pub const RESERVED: [&'static str; 5] = [Self::RULES, Self::PRELUDE, Self::TARGET, Self::PRESET, Self::SUMMARY];

    /// Creates the report of a pass that changes nothing.
    pub(super) fn unchanged(id: &str, name: &str, tokens: usize, exact: bool) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            ran: true,
            skipped: None,
            said: None,
            tokens_before: tokens,
            tokens_after: tokens,
            tokens_saved: 0,
            reduction_percentage: 0.0,
            exact,
            cost: 0.0,
            time_elapsed: 0.0,
            messages_changed: 0,
            first_changed_index: -1,
            operations_applied: Vec::new(),
        }
    }

    /// Turns it into the report of a pass that did not run, with the reason.
    pub fn skipped(self, why: Said) -> Self {
        Self { ran: false, skipped: Some(why.to_string()), said: Some(why), ..self }
    }

    /// Adds another run of the same pass.
    pub(super) fn add(&mut self, other: Self) {
        if !other.ran {
            return;
        }
        if !self.ran {
            *self = other;
            return;
        }
        self.tokens_after = self.tokens_after.saturating_sub(other.tokens_saved);
        self.cost += other.cost;
        self.time_elapsed += other.time_elapsed;
        self.messages_changed += other.messages_changed;
        self.first_changed_index = match (self.first_changed_index, other.first_changed_index) {
            (-1, index) | (index, -1) => index,
            (one, another) => one.min(another),
        };
        for operation in other.operations_applied {
            if !self.operations_applied.contains(&operation) {
                self.operations_applied.push(operation);
            }
        }
        self.sum_up();
    }

    fn sum_up(&mut self) {
        self.tokens_saved = self.tokens_before.saturating_sub(self.tokens_after);
        self.reduction_percentage = self.tokens_saved as f64 * 100.0 / self.tokens_before.max(1) as f64;
    }
}

/// A pass in progress.
pub struct PassTimer {
    report: PassReport,
    begun: Instant,
}

impl PassTimer {
    /// Begins a pass with this many scaled tokens; `exact` is false if they are estimated.
    pub fn begin(id: &str, name: &str, tokens: usize, exact: bool) -> Self {
        Self { report: PassReport::unchanged(id, name, tokens, exact), begun: Instant::now() }
    }

    /// Ends the pass with this many tokens left. `done` lists each operation with its message.
    pub fn end<'a>(self, tokens: usize, exact: bool, done: impl Iterator<Item = (usize, &'a str)>) -> PassReport {
        let mut messages = BTreeSet::new();
        let mut operations: Vec<String> = Vec::new();
        for (message, operation) in done {
            messages.insert(message);
            if !operations.iter().any(|known| known == operation) {
                operations.push(operation.to_owned());
            }
        }
        let mut report = PassReport {
            tokens_after: tokens,
            exact,
            time_elapsed: self.begun.elapsed().as_secs_f64() * 1000.0,
            messages_changed: messages.len(),
            first_changed_index: messages.first().and_then(|index| i64::try_from(*index).ok()).unwrap_or(-1),
            operations_applied: operations,
            ..self.report
        };
        report.sum_up();
        report
    }
}
