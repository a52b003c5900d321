//! Decides how a condensation is undone: all of it exactly or not at all, or single changes on which no others depend.
//!
//! JavaScript applies the answer to the caller's own objects. Both the values to restore and the messages that they go
//! into are compared with their fingerprints first.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `answer` | the decision, and the reasons for refusals |
//! | `data` | reads restore data, from wherever a host kept it |
//! | `values` | the values that edits restore |
//! | `back` | makes some edits |
//! | `pointers` | the lines that pointers resolve to |
//! | `work` | which pointers would resolve to other lines |
//! | `choice` | which of the requested changes can be undone |

use crate::maps::HashMap;
mod answer;
mod back;
mod choice;
mod data;
mod pointers;
#[cfg(test)]
mod tests;
mod values;
mod work;

use serde::Deserialize;
use serde_json::value::RawValue;

#[cfg(test)]
pub use self::answer::Refusal;
pub use self::answer::UndoError;
use self::{
    answer::{Invalid, Undone},
    choice::Choice,
    data::Form,
    values::Values,
    work::{Work, check_messages},
};
/// The changes to undo, and the restore data without its values.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoRequest<'a> {
    /// The restore data; each edit has `true` in the place of its value.
    #[serde(borrow)]
    data: Form<'a>,
    /// The ids of the changes to undo; all changes if there are none.
    only: Option<Vec<String>>,
    /// True to undo the changes that depend on these, too.
    with_dependants: bool,
    /// The edits whose value has no JSON, each with the reason.
    unwritten: HashMap<usize, String>,
}

/// Decides how to undo a condensation that left `messages`. `values` has the value of each edit, null where there is
/// none.
///
/// # Errors
/// [`UndoError::Invalid`] if the data is damaged, or belongs to other messages.
pub fn undo(messages: &[&RawValue], request: &UndoRequest<'_>, values: &[&RawValue]) -> Result<Undone, UndoError> {
    let data = request.data.read(values)?;
    let values = Values::new(&data, messages, values, &request.unwritten);
    if let Some(only) = &request.only {
        let work = Work::new(messages, &data, &values);
        return Ok(if request.with_dependants {
            Choice::with_dependants(&work, only)?
        } else {
            Choice::make(&work, only)?.undone()
        });
    }
    if data.edits.is_empty() {
        return Ok(Undone::default());
    }
    check_messages(messages, &data)?;
    let mut taken = Vec::with_capacity(data.edits.len());
    for edit in 0..data.edits.len() {
        let restored = values.restored(edit).map_err(Invalid::clone)?;
        taken.push((edit, restored.rebuilt().map(str::to_owned)));
    }
    Ok(Undone { taken, ..Undone::default() })
}
