//! Summaries by a model: which handler is used, with which request, within which budget, and what is cached.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `context` | the handlers, prices and limits of one call |
//! | `client` | one request: cache, budget, cancellation |
//! | `messages` | one summary of many messages, in parts if they do not fit one request |
//! | `mend` | corrects a summary that misses required content |
//! | `each_text` | a summary of each of several texts |
//! | `groups` | small texts that share a request |
//! | `questions` | the request for one text |
//! | `prompt` | the prompts |
//! | `turns` | messages as pieces of plain text with labels |
//! | `fence` | label lines that no piece can imitate |
//! | `parts` | divides a conversation to fit a window |
//! | `estimate` | expected tokens and lengths of responses |
//! | `stand_in` | placeholders for responses in a dry run |
//! | `store` | the cache of summaries |
//! | `budget` | dollars: a limit, and the sum that a call has spent |
//! | `observed` | ratios learned from earlier responses |
//! | `requests` | records of a call's requests |
//! | `summary_error` | the errors |
//!
//! It imports no provider: providers pass a [`SummaryContext`].

mod budget;
mod client;
mod context;
mod each_text;
mod estimate;
mod fence;
mod groups;
mod mend;
mod messages;
mod observed;
mod parts;
mod prompt;
mod questions;
mod requests;
mod stand_in;
mod store;
mod summary_error;
mod turns;

#[cfg(test)]
pub(crate) use self::questions::prompt as text_prompt;
pub use self::{
    budget::{Budget, MAX_COST_PER_CONDENSATION},
    context::{CONDENSING_ROLE, Llm, Preview, ProfileHandler},
    observed::Observed,
    requests::{RequestRecord, Requests},
    store::{MemoryStore, StoreError, SummaryStore, opened, sealed},
    summary_error::SummaryError,
};
pub(crate) use self::{
    client::SummaryClient,
    context::SummaryContext,
    each_text::{WrittenSummary, summarize_texts},
    estimate::{DEFAULT_WINDOW, price_in_tokens},
    mend::{foresee_mending, mend, told_in_other_words},
    messages::{Job, Summary, summarize},
    prompt::DEFAULT_PROMPT,
    questions::SourceText,
    stand_in::in_words,
    turns::{Turn, turns},
};
