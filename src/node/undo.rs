//! Undoing a condensation, for JavaScript.

use napi::{JsString, bindgen_prelude::Utf16String};
use napi_derive::napi;
use serde_json::value::RawValue;

use super::{
    fingerprints::utf8,
    messages::Messages,
    thrown::{Result, thrown, thrown_about, told, unreadable},
};
use crate::{
    conversation::surrogates,
    restore::{UndoError, UndoRequest, undo},
};

/// Decides how to undo a condensation that left `messages`, or some of its changes. `request` is JSON of the restore
/// data without its values, and of what to undo; `values` is a JSON array of the values. Returns JSON: the edits to
/// make, and the restore data that is left.
#[napi(catch_unwind)]
pub fn undo_changes(messages: JsString<'_>, request: Utf16String, values: JsString<'_>) -> Result<String> {
    let (messages, _room) = Messages::copy(&messages)?.entered()?;
    let (values, _room_for_values) = Messages::copy(&values)?.entered()?;
    let request = utf8(&request)?;
    let request = surrogates::enter(&request);
    let request: UndoRequest<'_> = serde_json::from_str(&request).map_err(unreadable)?;
    let messages: Vec<&RawValue> = serde_json::from_str(&messages).map_err(unreadable)?;
    let values: Vec<&RawValue> = serde_json::from_str(&values).map_err(unreadable)?;
    match undo(&messages, &request, &values) {
        Ok(undone) => told(&undone),
        Err(UndoError::Invalid(invalid)) => {
            Err(thrown_about("invalid_restore_data", Some(&invalid.field), invalid.message()))
        }
        Err(error) => Err(thrown("internal_error", error)),
    }
}
