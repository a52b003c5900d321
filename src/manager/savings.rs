//! Calculates savings.

use crate::providers::CallRecord;

/// Returns `part` as a percentage of `whole`; 0 if `whole` is 0.
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// Returns the tokens that a call removed.
pub fn saved(call: &CallRecord) -> usize {
    call.tokens_before.saturating_sub(call.tokens_after)
}

/// Returns the share of the tokens that a call removed, in percent.
pub fn reduction_percent(call: &CallRecord) -> f64 {
    percent(saved(call), call.tokens_before)
}
