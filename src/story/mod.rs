//! The story: what stood in messages that are left out, in quotations, in one text, in the order of the conversation. No model is asked, and nothing is concluded.
//!
//! It stands where the messages stood: a heading, then entries. An entry quotes one block: its first line says who spoke or what was called, the others are lines of
//! what was said, written or answered, each behind a sign that says which of these it is:
//!
//! ```text
//! [Log of the messages left out here, in quotes]
//! User:
//!   The last day is missing. Fix it, but leave week.ts alone.
//! Edit src/day.ts
//!   + return days
//!   → The file … has been updated.
//! Bash npm test
//!   → Tests  1 failed | 12 passed (13)
//! ```
//!
//! | module | its one idea |
//! | --- | --- |
//! | `text` | how entries are written, and read again |
//! | `standing` | where a text is a story, and not content that looks like one |
//! | `reading` | messages read into entries |
//! | `endings` | the lines of an answer that say how it ended |
//! | `shown` | lines of results that are told at any scale |
//! | `form` | an entry at any length |
//! | `telling` | entries in the room there is: the older, the shorter |

mod endings;
mod form;
mod reading;
mod shown;
mod standing;
mod telling;
mod text;

pub use self::{
    endings::{ending, reports_failure},
    shown::{ShownLines, content},
    standing::{is_story_block, stories},
    telling::{Telling, told},
    text::{Entry, Mark, entries, is_speaker, is_story, quoted_answer, without_headings},
};
