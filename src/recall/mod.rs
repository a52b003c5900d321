//! Recall: finding and reading what was said, shown and done, in a conversation that is no longer in view.
//!
//! - `entries`: a conversation as a reader takes it, words of somebody and calls with their results;
//! - `index`: the entries of conversations, which grow; `words` and `postings` say where which word stands, `keys` what an entry is read by;
//! - `ranking`: the places that a query is about; `versions`: whether they are of the newest version of a file;
//! - `answer`: what is said of them, within a budget; `reading`: lines of one entry.
//!
//! An entry is the same, and has the same key, whatever stands behind it. Nothing here is concluded from a conversation: everything that is said is quoted.

mod answer;
mod entries;
mod index;
mod keys;
mod postings;
mod ranking;
mod reading;
mod versions;
mod words;

#[cfg(test)]
mod tests;

pub use self::{
    answer::SearchOptions,
    index::{RecallIndex, Within},
    reading::{LineRange, ReadOptions},
};
