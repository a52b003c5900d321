//! Follows the pointers in a condensed conversation, knowing nothing but that conversation.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `rows` | a text cut into lines and pointers, each with its place and number |
//! | `quotes` | where the lines stand that pointers quote |
//! | `decoder` | texts with what their pointers stand for |
//! | `expand` | a conversation with what its pointers stand for |
//! | `upkeep` | pointers stay true, whatever is done to the texts |
//! | `recipes` | recipes for old texts |

mod decoder;
mod expand;
mod quotes;
mod recipes;
mod rows;
mod upkeep;

pub use self::{
    decoder::{Decoder, RowsOf, decode},
    expand::{Expanded, Unresolved, expand},
    quotes::readings,
    recipes::RecipeSources,
    rows::{NO_EXCERPT, NumberedExcerpt, Row, RowKind, Rows},
    upkeep::{Expansion, Mended, holds_pointers, kept_true, message_holds_pointers},
};
