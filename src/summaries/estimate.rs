//! How many tokens a model will count, and how long its answer will be.

use super::context::SummaryContext;
use crate::tokens::Family;

/// Tokens that a service adds to each message (role and separators; OpenAI documents 3 to 4, others add more).
pub(super) const PER_MESSAGE: usize = 8;

/// The answer when the handler does not say how long it may be: what is sent to Anthropic's API, which wants a number.
pub(super) const DEFAULT_ANSWER: usize = 8192;

/// Assumed for the window when neither the handler nor the configuration says: what the smaller models of the large services have.
pub(crate) const DEFAULT_WINDOW: usize = 128_000;

/// Tokens of the model for each of ours, for typical conversations: between what was measured on code and on English (Claude up to 4.6 1.26
/// and 1.06, later ones 1.64 and 1.50, Gemini 1.19 and 1.03). A scale that the caller set wins.
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

/// Tokens of the model for each of ours that are not exceeded on ordinary text: the family's figure for code and 4% more; 1.25 for
/// models whose tokenizer is not known.
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

/// The length of a summary of this many tokens: 500 and a fortieth of them, which is the thousand tokens for a conversation of 20,000 that
/// summaries in Roo-Code were reported to have; at most `longest`.
pub(super) fn answer_tokens(context: SummaryContext<'_>, model: &str, question_tokens: usize, longest: usize) -> usize {
    let expected = (expected_answer(question_tokens) as f64 * context.llm.observed.ratios(model).output) as usize;
    expected.clamp(1, longest.max(1))
}

/// Tokens of answers cost about so many times what tokens of questions do, where the price is not known: so it is for most models of the
/// large services (2.50 and 10 dollars per million for GPT-4o, 3 and 15 for Claude Sonnet).
pub(super) const TYPICAL_OUTPUT_PRICE: usize = 5;

/// Returns the cost of a request and a response, in tokens of requests; without a length of the response, its expected
/// length counts.
pub(crate) fn price_in_tokens(question: usize, answer: Option<usize>) -> usize {
    question.saturating_add(answer.unwrap_or_else(|| expected_answer(question)).saturating_mul(TYPICAL_OUTPUT_PRICE))
}

/// Before anything was observed.
pub(super) fn expected_answer(question_tokens: usize) -> usize {
    500 + question_tokens / 40
}

/// Under a limit that is never exceeded an answer may be so many times as long as expected, and no longer.
pub(super) const ANSWER_MARGIN: usize = 2;
/// Under such a limit a question is taken to have at most so many times the tokens that we count: [`safe_scale`] where that is more.
pub(super) const QUESTION_MARGIN: f64 = 1.25;
/// A handler of the host is not told how long an answer may be: it is stopped after so many of our tokens, which may be more of the model's, and the
/// piece that arrives last is charged for, too.
pub(super) const HOST_ANSWER_MARGIN: f64 = 1.5;
