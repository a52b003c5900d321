//! The pointers that a conversation holds already, left by an earlier condensation: what they lead to has to stay.

use std::{collections::HashMap, ops::Range};

use super::texts::Text;
use crate::{
    markers::{Pointer, Target},
    restore::{RowKind, Rows, TextNames, rows_of},
};

/// Rows of a text that a marker leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointed {
    /// The text.
    pub text: usize,
    /// Its rows.
    pub rows: Range<usize>,
}

/// What the markers in `texts` lead to. `may_hold_pointers` says whether there can be any in the text of an index.
#[must_use]
pub fn pointed_at(
    texts: &[Text<'_>],
    names: &TextNames<'_>,
    may_hold_pointers: impl Fn(usize) -> bool,
) -> Vec<Pointed> {
    let mut pointed = Vec::new();
    let mut others: HashMap<usize, Rows> = HashMap::new();
    for (index, text) in texts.iter().enumerate().filter(|(index, _)| may_hold_pointers(*index)) {
        let rows = Rows::read(&text.text);
        for (at, row) in rows.rows.iter().enumerate().filter(|(_, row)| row.kind == RowKind::Pointer) {
            match Pointer::read(&text.text[row.content_range()]) {
                Some(Pointer::Reference(reference)) => {
                    let target = match &reference.target {
                        Target::Above => Some(index),
                        Target::Text(name) => names.find(name),
                    };
                    let Some(target) = target else { continue };
                    let found = if target == index {
                        rows_of(&rows, at, &reference)
                    } else {
                        let rows = others.entry(target).or_insert_with(|| Rows::read(&texts[target].text));
                        rows_of(rows, rows.rows.len(), &reference)
                    };
                    pointed.extend(found.map(|rows| Pointed { text: target, rows }));
                }
                Some(Pointer::Repeat { .. }) if at > 0 => pointed.push(Pointed { text: index, rows: at - 1..at }),
                _ => {}
            }
        }
    }
    pointed
}
