//! A checked value, with the defaults of its table.

use serde_json::{Map, Value};

use super::{Kind, Table};

/// An object that was checked: every field can be read, given or not. Made by [`Table::read`].
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    table: &'static Table,
    given: Option<&'a Map<String, Value>>,
}

impl<'a> Settings<'a> {
    pub(super) fn new(table: &'static Table, value: Option<&'a Value>) -> Self {
        Self { table, given: value.and_then(Value::as_object) }
    }

    /// A field as its type.
    #[must_use]
    pub fn typed<T: super::Readable>(&self, name: &str, field: &super::Typed<T>) -> T {
        field.read(name, self.given)
    }

    /// A flag; `false` without a default.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        let default = self.kinds(name).iter().any(|kind| matches!(kind, Kind::Flag { default: Some(true) }));
        self.value(name).and_then(Value::as_bool).unwrap_or(default)
    }

    /// A whole number; 0 without a default.
    #[must_use]
    pub fn integer(&self, name: &str) -> usize {
        let default = self.kinds(name).iter().find_map(|kind| match kind {
            Kind::Integer { default, .. } => *default,
            _ => None,
        });
        self.given_integer(name).unwrap_or_else(|| usize::try_from(default.unwrap_or_default()).unwrap_or(usize::MAX))
    }

    /// A whole number, if it is given.
    #[must_use]
    pub fn given_integer(&self, name: &str) -> Option<usize> {
        usize::try_from(whole_number(self.value(name)?)?).ok()
    }

    /// A number; 0 without a default.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        let default = self.kinds(name).iter().find_map(|kind| match kind {
            Kind::Number { default, .. } => *default,
            _ => None,
        });
        self.given_number(name).or(default).unwrap_or_default()
    }

    /// A number, if it is given.
    #[must_use]
    pub fn given_number(&self, name: &str) -> Option<f64> {
        self.value(name)?.as_f64()
    }

    /// A text or a word; empty without a default.
    #[must_use]
    pub fn text(&self, name: &str) -> &'a str {
        let default = self.kinds(name).iter().find_map(|kind| match kind {
            Kind::Text { default, .. } | Kind::Name { default, .. } | Kind::Choice { default, .. } => *default,
            _ => None,
        });
        self.given_text(name).or(default).unwrap_or_default()
    }

    /// A text or a word, if it is given.
    #[must_use]
    pub fn given_text(&self, name: &str) -> Option<&'a str> {
        self.value(name)?.as_str()
    }

    /// The object in a field; all defaults when it is not given.
    #[must_use]
    pub fn object(&self, name: &str) -> Self {
        self.inner(name, self.value(name))
    }

    /// The object in a field, if it is given.
    #[must_use]
    pub fn given_object(&self, name: &str) -> Option<Self> {
        self.value(name).filter(|value| value.is_object()).map(|value| self.inner(name, Some(value)))
    }

    /// The objects in a list.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<Self> {
        self.elements(name).iter().map(|value| self.inner(name, Some(value))).collect()
    }

    /// The elements of a list.
    #[must_use]
    pub fn elements(&self, name: &str) -> &'a [Value] {
        self.value(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The whole numbers of a list.
    pub fn integers(&self, name: &str) -> impl Iterator<Item = usize> + use<'a> {
        self.elements(name).iter().filter_map(|value| usize::try_from(whole_number(value)?).ok())
    }

    /// The texts of a list.
    pub fn texts(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.elements(name).iter().filter_map(Value::as_str)
    }

    /// The objects of a record, by name.
    pub fn record(&self, name: &str) -> impl Iterator<Item = (&'a str, Self)> {
        self.entries(name).map(|(key, value)| (key, self.inner(name, Some(value)))).collect::<Vec<_>>().into_iter()
    }

    /// The texts of a record, by name.
    pub fn strings(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.entries(name).filter_map(|(key, value)| Some((key, value.as_str()?)))
    }

    /// The numbers of a record, by name.
    pub fn numbers(&self, name: &str) -> impl Iterator<Item = (&'a str, f64)> + use<'a> {
        self.entries(name).filter_map(|(key, value)| Some((key, value.as_f64()?)))
    }

    /// The values of a record, by name.
    fn entries(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        let values = self.value(name).and_then(Value::as_object);
        values.into_iter().flatten().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.as_str(), value))
    }

    /// Whether a field is given.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns the value; `None` if absent or null.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        debug_assert!(self.table.field(name).is_some(), "{name} is not in the table {:?}", self.table.title);
        // After the check a null is one that counts as absent.
        self.given?.get(name).filter(|value| !value.is_null())
    }

    /// Returns the kinds of value that a field may hold.
    fn kinds(&self, name: &str) -> Vec<&'static Kind> {
        match self.table.field(name).map(|field| &field.kind) {
            Some(Kind::Either(first, second)) => vec![first, second],
            Some(kind) => vec![kind],
            None => Vec::new(),
        }
    }

    fn inner(&self, name: &str, value: Option<&'a Value>) -> Self {
        static NOTHING: Table = Table::new("", &[]);
        Self::new(self.kinds(name).into_iter().find_map(Kind::table).unwrap_or(&NOTHING), value)
    }
}

/// JavaScript has one kind of number: 5.0 is 5.
pub(super) fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n)).map(|n| n as u64))
}
