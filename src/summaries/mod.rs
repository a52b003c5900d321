//! Summaries by a model: who is asked, what, what it may cost, and what is known already.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `context` | what is needed to ask a model within one call |
//! | `client` | one question: cache, budget, cancellation |
//! | `messages` | one summary of many messages, in parts where they do not fit one request |
//! | `mend` | a summary that leaves out what it must not, written again |
//! | `each_text` | a summary for each of many texts |
//! | `groups` | small texts that are asked for together |
//! | `questions` | what is asked for one text |
//! | `prompt` | what the model is told about messages |
//! | `turns` | messages as pieces of plain text, each with what it is |
//! | `fence` | the lines above the pieces of a question, which no piece can have |
//! | `parts` | what fits a window |
//! | `estimate` | tokens and length of answers, before asking |
//! | `stand_in` | what a preview has in the place of an answer |
//! | `store` | summaries already paid for |
//! | `budget` | dollars: a limit, and what a call has spent |
//! | `observed` | what earlier answers tell about the next |
//! | `requests` | what was asked within one call, for those who watch |
//! | `summary_error` | what can keep a summary from being written |
//!
//! It knows no provider: a provider hands over a [`SummaryContext`].

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
