//! The pointers that a conversation holds already, left by an earlier condensation: what they lead to has to stay.

use crate::restore::{Decoder, RowKind, RowsOf};

/// What the pointers in the texts lead to.
#[must_use]
pub fn pointed_at(decoder: &mut Decoder<'_>) -> Vec<RowsOf> {
    let mut pointed = Vec::new();
    for text in decoder.texts_with_pointers() {
        let rows = decoder.rows(text);
        let pointers = (0..).zip(&rows.rows).filter(|(_, row)| row.kind == RowKind::Pointer);
        pointed.extend(pointers.filter_map(|(at, _)| decoder.target(text, at)));
    }
    pointed
}
