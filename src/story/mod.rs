//! The story: quotations of messages that are left out, as one text in the order of the conversation. Writing a story
//! calls no model and draws no conclusions.
//!
//! The story replaces the messages: a heading, then entries. An entry quotes a speaker's words, or a call with its
//! result. Its first line names the speaker or the call. Its other lines are quotes, each after a sign for its role;
//! words have no sign:
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
//! | `text` | writes entries, and reads them back |
//! | `standing` | recognises stories, and no content that looks like one |
//! | `reading` | reads messages into entries |
//! | `written` | the lines that a call adds or removes |
//! | `endings` | finds the lines of a result that report how the call ended |
//! | `shown` | the lines of results that are quoted at any scale |
//! | `kind` | the kinds of entries |
//! | `form` | an entry at any length |
//! | `telling` | fits entries into a budget: older ones get less |

mod endings;
mod form;
mod kind;
mod reading;
mod shown;
mod standing;
mod telling;
mod text;
mod written;

pub use self::{
    endings::ending,
    shown::{ShownLines, content},
    standing::{stories, story_blocks},
    telling::Telling,
    text::{
        ASSISTANT, Entry, Mark, NOTICE, PASTE, SUMMARY, SYSTEM, USER, entries, is_story, quoted_answer,
        without_headings,
    },
};
