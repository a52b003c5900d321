//! Fingerprints of texts, values and messages, which JavaScript compares before an edit is made and after it was
//! undone.

use napi::{JsString, bindgen_prelude::Utf16String};
use napi_derive::napi;
use serde_json::value::RawValue;

use super::{
    messages::{Messages, format_of},
    thrown::{Result, thrown, unreadable},
};
use crate::conversation::{Contents, Fingerprint, surrogates, utf16};

/// Returns JSON from JavaScript as UTF-8.
pub fn utf8(json: &Utf16String) -> Result<String> {
    utf16::utf8(json).ok_or_else(|| thrown("invalid_argument", "not UTF-16"))
}

/// Returns the fingerprint of a text.
#[napi(catch_unwind)]
pub fn fingerprint_text(text: Utf16String) -> String {
    Fingerprint::of_units(&text).to_string()
}

/// Returns the fingerprint of each value in a JSON array.
#[napi(catch_unwind)]
pub fn fingerprint_values(json: Utf16String) -> Result<Vec<String>> {
    let json = utf8(&json)?;
    let json = surrogates::enter(&json);
    let values: Vec<&RawValue> = serde_json::from_str(&json).map_err(unreadable)?;
    Ok(values.into_iter().map(|value| Fingerprint::of_json(value.get()).to_string()).collect())
}

/// Returns the contents of the messages in a JSON array, eight digits each.
#[napi(catch_unwind)]
pub fn contents_of(messages: JsString<'_>, format: Option<String>) -> Result<String> {
    Ok(contents(&messages, format)?.to_string())
}

/// Returns the number of messages in a JSON array, with a hash of their contents.
#[napi(catch_unwind)]
pub fn fingerprint_messages(messages: JsString<'_>, format: Option<String>) -> Result<String> {
    Ok(contents(&messages, format)?.whole().to_string())
}

fn contents(messages: &JsString<'_>, format: Option<String>) -> Result<Contents> {
    let messages = Messages::copy(messages)?;
    let (read, _room) = messages.parse(format_of(format)?).map_err(|error| thrown("invalid_messages", error))?;
    Ok(read.contents())
}
