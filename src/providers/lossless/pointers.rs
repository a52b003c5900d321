//! The pointers that a conversation holds already, left by an earlier condensation: what they lead to has to stay.

use crate::restore::{Decoder, RowKind, RowsOf};

/// What the pointers in the texts lead to.
#[must_use]
pub fn pointed_at(decoder: &mut Decoder<'_>) -> Vec<RowsOf> {
    of_pointers(decoder, Decoder::target)
}

/// What they quote. Where that is too short, what looks like a pointer is none, and would become one if its quote were found elsewhere.
#[must_use]
pub fn quoted_by_pointers(decoder: &mut Decoder<'_>) -> Vec<RowsOf> {
    of_pointers(decoder, Decoder::quoted)
}

fn of_pointers<'a>(
    decoder: &mut Decoder<'a>,
    rows_of: impl Fn(&mut Decoder<'a>, usize, usize) -> Option<RowsOf>,
) -> Vec<RowsOf> {
    let mut found = Vec::new();
    for text in decoder.texts_with_pointers() {
        let rows = decoder.rows(text);
        let pointers = (0..).zip(&rows.rows).filter(|(_, row)| row.kind == RowKind::Pointer);
        found.extend(pointers.filter_map(|(at, _)| rows_of(decoder, text, at)));
    }
    found
}
