//! The figures of one call.

/// The figures of one call, or of one provider within it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallRecord {
    /// True if it ended without an error.
    pub success: bool,
    /// Cost in dollars.
    pub cost: f64,
    /// Tokens before.
    pub tokens_before: usize,
    /// Tokens after.
    pub tokens_after: usize,
    /// Elapsed time in milliseconds.
    pub latency_ms: f64,
}
