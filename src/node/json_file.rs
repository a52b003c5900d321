//! JSON files, for the command line.

use napi_derive::napi;

use super::thrown::{Result, unreadable};
use crate::json_file::{
    fault::find_fault,
    rewrite::{Layout, rewrite},
};

/// Returns the first error of a text that is not JSON, as `{ offset, message, begins? }` with offsets in UTF-16
/// units.
#[napi(catch_unwind)]
pub fn json_fault(text: String) -> Option<String> {
    let fault = find_fault(&text)?;
    let units = |offset: usize| text[..offset].encode_utf16().count();
    let mut told = serde_json::json!({ "offset": units(fault.offset), "message": fault.message });
    if let Some(begins) = fault.begins {
        told["begins"] = units(begins).into();
    }
    Some(told.to_string())
}

/// Writes a change into a JSON text, see [`rewrite`]. `unit` is the indentation of one level.
#[napi(catch_unwind)]
pub fn rewrite_json(text: String, change: String, unit: String, newline: String) -> Result<String> {
    rewrite(&text, &change, Layout { unit: &unit, newline: &newline }).map_err(unreadable)
}
