//! Views of values inside a JSON text that is known to be valid.

use std::{borrow::Cow, ops::Range};

use serde_json::value::RawValue;

use super::{PathStep, json_text, scan};

/// A value inside a JSON text.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a>(&'a str);

/// The fields of an object, in order.
#[derive(Debug, Clone, Default)]
pub struct JsonObject<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> From<&'a RawValue> for Json<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(raw.get())
    }
}

impl<'a> Json<'a> {
    /// Creates a view of the JSON text `json`, which must be valid.
    pub(super) fn from_text(json: &'a str) -> Self {
        Self(json)
    }

    /// Returns the JSON text.
    pub fn json(self) -> &'a str {
        self.0
    }

    /// Copies the JSON text.
    pub fn to_raw(self) -> Box<RawValue> {
        super::fields::owned(self.0)
    }

    /// Returns the fields; none if it is not an object.
    pub fn object(self) -> JsonObject<'a> {
        if self.is_object() { JsonObject(self.fields()) } else { JsonObject::default() }
    }

    fn fields(self) -> Vec<(Cow<'a, str>, Self)> {
        let fields = scan::fields(self.0).unwrap_or_default();
        fields.into_iter().map(|(name, value)| (name, Self(value))).collect()
    }

    /// Returns true for an object.
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// Returns true for an array.
    pub fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    /// Returns true for null.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// Returns the elements; none if it is not an array.
    pub fn elements(self) -> Vec<Self> {
        if self.is_array() { scan::elements(self.0).into_iter().map(Self).collect() } else { Vec::new() }
    }

    /// Iterates over the elements, or over the keys and values in turn, from the one that begins at this byte or behind
    /// it; 1 is the first.
    pub fn inside(self, at: usize) -> impl Iterator<Item = Self> {
        scan::values(self.0, at).map(Self)
    }

    /// Returns the value that has these bytes inside it.
    pub fn part(self, range: Range<usize>) -> Self {
        Self(&self.0[range])
    }

    /// Returns the unescaped string, or `None` for other values.
    pub fn string(self) -> Option<String> {
        self.0.starts_with('"').then(|| json_text::unescape(self.0))
    }

    /// Returns the value at a path inside it.
    pub fn at(self, path: &[PathStep]) -> Option<Self> {
        path.iter().try_fold(self, |value, step| match step {
            PathStep::Index(index) => value.elements().get(*index).copied(),
            PathStep::Key(key) => value.object().get(key),
        })
    }
}

impl<'a> JsonObject<'a> {
    /// Returns the field with this name.
    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// Returns the field with this name if it is a string.
    pub fn string(&self, name: &str) -> Option<String> {
        self.get(name)?.string()
    }

    /// Returns the field with this name if it is an object, else an empty one.
    pub fn object(&self, name: &str) -> Self {
        self.get(name).map(Json::object).unwrap_or_default()
    }

    /// Iterates over all fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Json<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }
}
