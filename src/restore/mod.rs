//! Resolves the pointers in a condensed conversation from that conversation alone, and decides how it is undone.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `rows` | a text divided into lines and pointers, with positions and numbers |
//! | `quotes` | finds the lines that pointers quote |
//! | `decoder` | resolves the pointers of texts |
//! | `expand` | replaces the pointers of a conversation by their lines |
//! | `upkeep` | keeps pointers true, whatever happens to the texts |
//! | `recipes` | recipes for old texts |
//! | `undo` | how a condensation, or single changes, are undone |

mod decoder;
mod expand;
mod quotes;
mod recipes;
mod rows;
mod undo;
mod upkeep;

#[cfg(test)]
pub use self::undo::Refusal;
pub use self::{
    decoder::{Decoder, RowsOf, decode},
    expand::{Expanded, Unresolved, expand},
    quotes::{readings, without_indentation},
    recipes::RecipeSources,
    rows::{NO_EXCERPT, NumberedExcerpt, Row, RowKind, Rows},
    undo::{UndoError, UndoRequest, undo},
    upkeep::{Expansion, Mended, holds_pointers, kept_true, message_holds_pointers},
};
