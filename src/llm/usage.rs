//! The usage of a request: the part that the service reports, and the part that it does not.

use std::fmt;

/// Tokens and dollars of a request, as the service reports them.
///
/// `input_tokens` has the protocol's meaning: Anthropic's excludes tokens written to and read from the prompt cache,
/// OpenAI's includes them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TokenUsage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the response, reasoning included.
    pub output_tokens: u64,
    /// Tokens written to the service's prompt cache.
    pub cache_write_tokens: u64,
    /// Tokens read from the service's prompt cache.
    pub cache_read_tokens: u64,
    /// Dollars: from the configured price, else as the service reports them, else `None`.
    pub total_cost: Option<f64>,
}

impl TokenUsage {
    /// Adds another request's tokens and dollars.
    pub fn add(&mut self, other: &TokenUsage) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(other.cache_read_tokens);
        if let Some(cost) = other.total_cost {
            self.total_cost = Some(self.total_cost.unwrap_or(0.0) + cost);
        }
    }
}

/// Usage that was, or may have been, charged for without a report, because the response was cut short; the caller
/// counts the tokens.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Unreported {
    /// Number of requests that were sent and for which no usage was reported.
    pub questions: u32,
    /// The text the model wrote after the last usage report, reasoning included.
    pub text: String,
}

impl Unreported {
    /// Adds another request's unreported usage.
    pub fn add(&mut self, other: &Self) {
        self.questions = self.questions.saturating_add(other.questions);
        self.text.push_str(&other.text);
    }

    /// Returns true if everything was reported.
    pub fn is_nothing(&self) -> bool {
        self.questions == 0 && self.text.is_empty()
    }
}

impl fmt::Debug for Unreported {
    // The text is not shown, because it belongs to the caller.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unreported({} questions, {} bytes)", self.questions, self.text.len())
    }
}
