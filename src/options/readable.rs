//! Checked values, read as Rust types.

use std::marker::PhantomData;

use serde_json::Value;

use super::{
    ConfigError, Kind, Table,
    check::{own_fault, whole_number},
    typed::{Converted, Either, Given, Off, Unread, WithJson, Words},
};

/// A type that a checked value is read as.
pub trait Readable: Sized {
    /// Reads a value that was checked against `kind`. For an absent value, returns the default of `kind` or of the
    /// type.
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self;
}

/// An object of options. [`options!`](crate::options::options) defines its fields, reader and table at once.
pub trait Options: Readable {
    /// The fields, for checks and schema.
    const TABLE: &'static Table;

    /// Checks and reads `value`: an object, or null for all defaults.
    ///
    /// # Errors
    /// Every fault: of the fields in their order, then of unknown ones.
    fn read(value: &Value) -> Result<Self, Vec<ConfigError>> {
        let faults = Self::TABLE.faults(value);
        if faults.is_empty() { Ok(Self::from_checked(&Kind::Object(Self::TABLE), Some(value))) } else { Err(faults) }
    }

    /// Returns the options of an empty object.
    fn defaults() -> Self {
        Self::from_checked(&Kind::Object(Self::TABLE), None)
    }
}

impl Readable for bool {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        value.and_then(Value::as_bool).unwrap_or(matches!(kind, Kind::Flag { default: Some(true) }))
    }
}

impl Readable for usize {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        let default = if let Kind::Integer { default, .. } = kind { *default } else { None };
        let number = value.and_then(whole_number).or(default.map(Into::into)).unwrap_or_default();
        Self::try_from(number).unwrap_or(Self::MAX)
    }
}

impl Readable for i64 {
    fn from_checked(_: &Kind, value: Option<&Value>) -> Self {
        value.and_then(whole_number).and_then(|number| Self::try_from(number).ok()).unwrap_or_default()
    }
}

impl Readable for f64 {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        let default = if let Kind::Number { default, .. } = kind { *default } else { None };
        value.and_then(Value::as_f64).or(default).unwrap_or_default()
    }
}

impl Readable for String {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        let default = if let Kind::Text { default, .. } | Kind::Name { default, .. } = kind { *default } else { None };
        value.and_then(Value::as_str).or(default).unwrap_or_default().to_owned()
    }
}

impl Readable for &'static str {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        let Kind::Choice { default, words } = kind else { return "" };
        let word = value.and_then(Value::as_str);
        words.iter().copied().find(|known| Some(*known) == word).or(*default).unwrap_or_default()
    }
}

/// Reads a word; without one and without a default it is the first.
pub fn read_word<T: Words>(kind: &Kind, value: Option<&Value>) -> T {
    let default = if let Kind::Choice { default, .. } = kind { *default } else { None };
    value.and_then(Value::as_str).or(default).and_then(T::from_word).unwrap_or(T::VALUES[0])
}

impl Readable for Value {
    fn from_checked(_: &Kind, value: Option<&Value>) -> Self {
        value.cloned().unwrap_or_default()
    }
}

impl Readable for Off {
    fn from_checked(_: &Kind, _: Option<&Value>) -> Self {
        Self
    }
}

impl Readable for Unread {
    fn from_checked(_: &Kind, _: Option<&Value>) -> Self {
        PhantomData
    }
}

impl<T: Readable> Readable for Option<T> {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        value.map(|value| T::from_checked(kind, Some(value)))
    }
}

impl<T: Readable> Readable for Given<T> {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        Self { value: T::from_checked(kind, value), is_given: value.is_some() }
    }
}

impl<T: Readable> Readable for WithJson<T> {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        Self { value: T::from_checked(kind, value), json: value.cloned().unwrap_or_default() }
    }
}

impl<T: Readable> Readable for Vec<T> {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        let Kind::List { of, .. } = kind else { return Self::new() };
        value.and_then(Value::as_array).into_iter().flatten().map(|value| T::from_checked(of, Some(value))).collect()
    }
}

impl<T: Readable> Readable for Vec<(String, T)> {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        let Kind::Record { of, .. } = kind else { return Self::new() };
        let there = value.and_then(Value::as_object).into_iter().flatten().filter(|(_, value)| !value.is_null());
        there.map(|(name, value)| (name.clone(), T::from_checked(of, Some(value)))).collect()
    }
}

impl<A: Readable, B: Readable> Readable for Either<A, B> {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        let (first, second) = if let Kind::Either(first, second) = kind { (*first, *second) } else { (kind, kind) };
        if value.map_or(first.has_default(), |value| own_fault(first, value).is_none()) {
            Self::First(A::from_checked(first, value))
        } else {
            Self::Second(B::from_checked(second, value))
        }
    }
}

impl<T: Converted> Readable for T {
    fn from_checked(kind: &Kind, value: Option<&Value>) -> Self {
        Self::convert(T::From::from_checked(kind, value))
    }
}
