//! Recall: searches and reads the content of a conversation that is no longer in the context.
//!
//! - `entries`: divides a conversation into words, and calls with their results;
//! - `index`: the entries of growing conversations; `words` and `postings` find words, `keys` identify entries;
//! - `ranking`: the places relevant to a query; `versions`: whether they show the newest version of a file;
//! - `answer`: writes them within a budget; `reading`: lines of one entry; `recall_options`: what hosts say of it.
//!
//! Later messages change neither an entry nor its key. Recall draws no conclusions from a conversation: it only quotes.

mod answer;
mod entries;
mod index;
mod keys;
mod postings;
mod ranking;
mod reading;
mod recall_options;
mod versions;
mod words;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use self::answer::Hit;
pub use self::{
    answer::SearchOptions,
    index::{RecallIndex, Within},
    reading::{LineRange, ReadOptions},
    recall_options::{MAX_READ_TOKENS, MAX_TOKENS, TABLES},
};
