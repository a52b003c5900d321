//! The fields of a JSON object in their order, each value still the text it came as.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;

/// Fields that nobody here reads; they are carried through as they are.
pub type Fields = Vec<(String, Box<RawValue>)>;

/// An object's fields, borrowed from its JSON text.
pub(super) struct RawFields<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> RawFields<'a> {
    /// The fields of `raw`; `None` when it is not an object.
    pub(super) fn read(raw: &'a RawValue) -> Option<Self> {
        if !raw.get().starts_with('{') {
            return None;
        }
        serde_json::from_str(raw.get()).ok()
    }

    /// Takes the field `name` out.
    pub(super) fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let index = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(index).1)
    }

    /// Takes the field `name` out if it is a string; anything else stays where it is.
    pub(super) fn take_string(&mut self, name: &str) -> Option<String> {
        let index = self.0.iter().position(|(key, raw)| key == name && raw.get().starts_with('"'))?;
        Some(super::json_text::unescape(self.0.remove(index).1.get()))
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw)
    }

    pub(super) fn into_owned(self) -> Fields {
        self.0.into_iter().map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect()
    }
}

struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;
            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(8);
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    fields.push((key, map.next_value()?));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(FieldsVisitor).map(RawFields)
    }
}

/// Writes `fields` behind what `map` already holds.
pub(super) fn serialize_into<M: SerializeMap>(map: &mut M, fields: &Fields) -> Result<(), M::Error> {
    fields.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))
}

/// The JSON text of `value`.
pub(super) fn to_raw(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}
