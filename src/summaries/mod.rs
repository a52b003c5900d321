//! Summaries by a model: who is asked, what, what it may cost, and what is known already.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `context` | what is needed to ask a model within one call |
//! | `client` | one question: cache, budget, cancellation |
//! | `messages` | one summary of many messages, in parts where they do not fit one request |
//! | `texts` | a summary for each of many texts |
//! | `groups` | small texts that are asked for together |
//! | `questions` | what is asked for one text |
//! | `prompt` | what the model is told about messages |
//! | `turns` | messages as plain text |
//! | `parts` | what fits a window |
//! | `estimate` | tokens and length of answers, before asking |
//! | `store` | summaries already paid for |
//! | `budget` | a limit on dollars |

mod budget;
mod client;
mod context;
mod estimate;
mod groups;
mod messages;
mod parts;
mod prompt;
pub(crate) mod questions;
mod store;
mod texts;
mod turns;

pub use self::{
    budget::{Budget, OverBudget, Reservation},
    context::{Llm, Observed, Preview, ProfileHandler, Ratios, Spent},
    store::{DEFAULT_CACHE_BYTES, MemoryStore, StoreError, SummaryStore, cache_key},
};
pub(crate) use self::{
    client::SummaryClient,
    messages::{DEFAULT_WINDOW, Job, Summary, summarize},
    parts::cut,
    prompt::DEFAULT_PROMPT,
    texts::summarize as summarize_texts,
    turns::{Turn, turns},
};
