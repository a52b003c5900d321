//! Puts together again what markers stand for, from nothing but the condensed conversation.

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
