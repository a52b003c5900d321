//! Estimates how many tokens a model will count, and how long its response will be.

use super::context::SummaryContext;
use crate::tokens::Family;

/// Tokens that a service adds to each message (role and separators; OpenAI documents 3 to 4, others add more).
pub(super) const PER_MESSAGE: usize = 8;

/// The response length if the handler does not state its limit: the number sent to Anthropic's API, which requires
/// one.
pub(super) const DEFAULT_ANSWER: usize = 8192;

/// The context window if neither the handler nor the configuration states it: that of the smaller models of large
/// services.
pub(crate) const DEFAULT_WINDOW: usize = 128_000;

/// Returns the model's tokens per counted token, for typical conversations: between the values measured on code and
/// on English (Claude up to 4.6: 1.26 and 1.06, later ones: 1.64 and 1.50, Gemini: 1.19 and 1.03). A scale set by the
/// caller takes precedence.
pub(super) fn typical_scale(context: SummaryContext<'_>, model: &str) -> f64 {
    let configured = context.scale.factor();
    if configured != 1.0 {
        return configured;
    }
    match Family::of_model(model) {
        Family::Claude47 => 1.57,
        Family::Claude => 1.16,
        Family::Gemini => 1.11,
        Family::Gpt => 1.0,
    }
}

/// Returns the model's tokens per counted token that ordinary text does not exceed: the family's value for code plus
/// 4%; 1.25 for models with an unknown tokenizer.
pub(super) fn safe_scale(context: SummaryContext<'_>, model: &str) -> f64 {
    let family = Family::of_model(model);
    let name = model.to_ascii_lowercase();
    let own_vocabulary = ["gpt", "o1", "o3", "o4"]
        .iter()
        .any(|start| name.rsplit('/').next().is_some_and(|name| name.starts_with(start)));
    let measured = match family {
        Family::Gpt if own_vocabulary => 1.0,
        Family::Gpt => 1.2,
        family => family.scale().factor(),
    };
    measured.max(context.scale.factor()) * 1.04
}

/// Returns the expected length of a summary: 500 tokens plus a fortieth of the request, at most `longest`. For a
/// conversation of 20,000 tokens that is the thousand tokens reported for summaries in Roo-Code.
pub(super) fn answer_tokens(context: SummaryContext<'_>, model: &str, question_tokens: usize, longest: usize) -> usize {
    let expected = (expected_answer(question_tokens) as f64 * context.llm.observed.ratios(model).output) as usize;
    expected.clamp(1, longest.max(1))
}

/// Factor between the prices of output and input tokens, if the price is unknown. It is typical of most models of the
/// large services (2.50 and 10 dollars per million for GPT-4o, 3 and 15 for Claude Sonnet).
pub(super) const TYPICAL_OUTPUT_PRICE: usize = 5;

/// Returns the cost of a request and a response, in tokens of requests; without a length of the response, its expected
/// length counts.
pub(crate) fn price_in_tokens(question: usize, answer: Option<usize>) -> usize {
    question.saturating_add(answer.unwrap_or_else(|| expected_answer(question)).saturating_mul(TYPICAL_OUTPUT_PRICE))
}

/// Returns the expected length before anything was observed.
pub(super) fn expected_answer(question_tokens: usize) -> usize {
    500 + question_tokens / 40
}

/// With a strict limit, a response may have at most this many times its expected length.
pub(super) const ANSWER_MARGIN: usize = 2;
/// With a strict limit, a request is assumed to have at most this many times the counted tokens, or [`safe_scale`]
/// times if that is more.
pub(super) const QUESTION_MARGIN: f64 = 1.25;
/// A host's handler receives no maximum response length. Instead, it is stopped after this many times the counted
/// tokens. The model may count more, and also charges for the last piece.
pub(super) const HOST_ANSWER_MARGIN: f64 = 1.5;
