//! The log: what stood in messages that are left out, in quotations, in the order of the conversation. No model is asked, and nothing is concluded.
//!
//! A log stands where the messages stood, in a text of its own: a heading, then entries. An entry begins with a line that says who spoke or what was called,
//! and goes on with lines of what was said, written or answered, each behind a mark that says which of these it is:
//!
//! ```text
//! [Log of the messages left out here, in quotes]
//! Assistant:
//!   The parser drops the last day.
//! Edit src/day.ts
//!   - return days.slice(1)
//!   + return days
//! Bash npm test
//!   → Tests  1 failed | 12 passed (13)
//! ```
//!
//! Nothing that is quoted can pass for the beginning of an entry: quotes are on one line each and stand behind two blanks. Which entries and lines there are is
//! decided by whoever weighs them (`salience`); here is how they are written and read again, and where a log is known to be one.

mod standing;
mod text;

pub use self::{
    standing::{is_log_block, logs},
    text::{LoggedEntry, Mark, Quotation, entries, is_log, without_headings, write},
};
