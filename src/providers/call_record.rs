//! A call in numbers.

/// The numbers of one call, or of one provider within it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallRecord {
    /// It ended without an error.
    pub success: bool,
    /// Dollars.
    pub cost: f64,
    /// Tokens before.
    pub tokens_before: usize,
    /// Tokens after.
    pub tokens_after: usize,
    /// Time it took.
    pub latency_ms: f64,
}
