//! How much was saved.

use crate::providers::CallRecord;

/// `part` of `whole` in percent; 0 of nothing is 0.
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// Tokens that a call removed.
pub fn saved(call: &CallRecord) -> usize {
    call.tokens_before.saturating_sub(call.tokens_after)
}

/// Share of the tokens that a call removed, in percent.
pub fn reduction_percent(call: &CallRecord) -> f64 {
    percent(saved(call), call.tokens_before)
}
