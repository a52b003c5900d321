//! What an edit changes.

use crate::conversation::{Edit, PathStep};

/// A block of a message; no block when the whole content is set.
pub type Place = (usize, Option<usize>);

/// What an edit changes; `None` for a message that comes or goes.
pub fn edited(edit: &Edit) -> Option<Place> {
    match edit {
        Edit::Set { message, path, .. } => match path.get(1) {
            Some(PathStep::Index(block)) => Some((*message, Some(*block))),
            _ => Some((*message, None)),
        },
        Edit::Drop { .. } | Edit::Insert { .. } | Edit::DropBlock { .. } | Edit::InsertBlock { .. } => None,
    }
}
