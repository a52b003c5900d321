//! Follows the pointers in a condensed conversation, knowing nothing but that conversation.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `rows` | a text cut into lines and pointers, each with its place and number |
//! | `quotes` | where the lines stand that pointers quote |
//! | `decoder` | texts with what their pointers stand for |
//! | `recipes` | recipes for old texts |

mod decoder;
mod quotes;
mod recipes;
mod rows;

pub use self::{
    decoder::{Decoder, RowsOf, decode},
    quotes::readings,
    recipes::recipes,
    rows::{NO_EXCERPT, NumberedExcerpt, Row, RowKind, Rows},
};
