//! Finds the place that an edit changes.

use crate::conversation::{Edit, PathStep};

/// A message and a block of it; no block if the edit sets the whole content.
pub type Place = (usize, Option<usize>);

/// Returns the place that an edit changes; `None` for an edit that drops or inserts a message.
pub fn edited(edit: &Edit) -> Option<Place> {
    match edit {
        Edit::Set { message, path, .. } => match path.get(1) {
            Some(PathStep::Index(block)) => Some((*message, Some(*block))),
            _ => Some((*message, None)),
        },
        Edit::Drop { .. } | Edit::Insert { .. } | Edit::DropBlock { .. } | Edit::InsertBlock { .. } => None,
    }
}
