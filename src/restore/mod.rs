//! Follows the pointers in a condensed conversation, knowing nothing but that conversation.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `rows` | a text cut into lines and pointers, each with its place and number |
//! | `names` | which text a pointer means |
//! | `decoder` | texts with what their pointers stand for |
//! | `recipes` | recipes for old texts |

mod decoder;
mod names;
mod recipes;
mod rows;

pub use self::{
    decoder::{Decoder, decode, first_line, rows_of},
    names::{TextNames, TextPlace},
    recipes::recipes,
    rows::{NO_EXCERPT, NumberedExcerpt, Row, RowKind, Rows},
};
