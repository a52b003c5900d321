//! The fields of a JSON object in order, with each value as its original text.

use serde::{Serialize, ser::SerializeMap};
use serde_json::value::RawValue;

use super::scan::{self, KeysAndValues, Scanner};

/// Fields that this crate does not read, carried through unchanged.
pub type Fields = Vec<(String, Box<RawValue>)>;

/// An object's fields, borrowed from the JSON text.
pub(super) struct RawFields<'a>(KeysAndValues<'a>);

impl<'a> RawFields<'a> {
    /// Reads the fields of `json`; `None` if it is not an object.
    pub(super) fn read(json: &'a str) -> Option<Self> {
        if !json.starts_with('{') {
            return None;
        }
        scan::fields(json).map(Self)
    }

    /// Reads the next value, and its fields if it is an object.
    pub(super) fn read_next(scanner: &mut Scanner<'a>) -> (&'a str, Option<Self>) {
        let (json, fields) = scanner.value_and_fields();
        (json, fields.map(Self))
    }

    /// Removes and returns the field `name`.
    pub(super) fn take(&mut self, name: &str) -> Option<&'a str> {
        let index = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(index).1)
    }

    /// Removes and returns the field `name` if it is a string; any other value stays.
    pub(super) fn take_string(&mut self, name: &str) -> Option<String> {
        let index = self.0.iter().position(|(key, json)| key == name && json.starts_with('"'))?;
        Some(super::json_text::unescape(self.0.remove(index).1))
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, json)| *json)
    }

    pub(super) fn into_owned(self) -> Fields {
        self.0.into_iter().map(|(key, json)| (key.into_owned(), owned(json))).collect()
    }
}

/// Writes `fields` after the entries that `map` already has.
pub(super) fn serialize_into<M: SerializeMap>(map: &mut M, fields: &Fields) -> Result<(), M::Error> {
    fields.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))
}

/// Returns the JSON text of `value`.
pub(super) fn to_raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}

/// Copies JSON text that is known to be valid.
pub(super) fn owned(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap_or_default()
}
