//! Reads nested configurations: every fault is collected and named by its path, such as `passes[1].selection.type`.

use std::cell::RefCell;

use serde_json::{Map, Value};

use crate::providers::{ConfigError, whole_number};

/// Faults found so far.
pub(super) type Faults = RefCell<Vec<ConfigError>>;

/// An object of the configuration whose fields are read one after the other; what is left at the end is unknown.
pub(super) struct Object<'a> {
    path: String,
    fields: Option<&'a Map<String, Value>>,
    known: Vec<&'static str>,
    faults: &'a Faults,
}

impl<'a> Object<'a> {
    /// Opens the value at `path`; absent counts as an object without fields, anything else is a fault.
    pub fn open(value: Option<&'a Value>, path: impl Into<String>, faults: &'a Faults) -> Self {
        let path = path.into();
        let fields = match value {
            None => None,
            Some(Value::Object(fields)) => Some(fields),
            Some(other) => {
                let name = if path.is_empty() { "config" } else { &path };
                faults.borrow_mut().push(ConfigError::new(name, other, "an object"));
                None
            }
        };
        Self { path, fields, known: Vec::new(), faults }
    }

    /// The path of a field.
    pub fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The value of a field.
    pub fn take(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.fields?.get(name)
    }

    /// The object in a field.
    pub fn object(&mut self, name: &'static str) -> Object<'a> {
        let value = self.take(name);
        Object::open(value, self.path(name), self.faults)
    }

    /// The object in a field that has to be there.
    pub fn required_object(&mut self, name: &'static str, why: &str) -> Object<'a> {
        if self.take(name).is_none() {
            self.missing(name, format!("an object{why}"));
        }
        self.object(name)
    }

    /// The elements of a list with their paths; absent is `None`.
    pub fn list(&mut self, name: &'static str, allowed: &str) -> Option<Vec<(String, &'a Value)>> {
        match self.take(name)? {
            Value::Array(values) => {
                let path = self.path(name);
                Some(values.iter().enumerate().map(|(index, value)| (format!("{path}[{index}]"), value)).collect())
            }
            other => {
                self.fault(name, other, allowed);
                None
            }
        }
    }

    pub fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text.clone()),
            other => {
                self.fault(name, other, "a string");
                None
            }
        }
    }

    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        match self.take(name)? {
            Value::Bool(flag) => Some(*flag),
            other => {
                self.fault(name, other, "true or false");
                None
            }
        }
    }

    /// A whole number from `min` to `max`.
    pub fn integer(&mut self, name: &'static str, min: usize, max: usize) -> Option<usize> {
        let value = self.take(name)?;
        let number = integer(value, &self.path(name), min, max);
        number.map_err(|fault| self.faults.borrow_mut().push(fault)).ok()
    }

    /// A number from `min` to `max`.
    pub fn number(&mut self, name: &'static str, min: f64, max: f64) -> Option<f64> {
        let value = self.take(name)?;
        match value.as_f64() {
            Some(number) if (min..=max).contains(&number) => Some(number),
            Some(_) => {
                let fault = ConfigError::out_of_range(self.path(name), value, format!("a number from {min} to {max}"));
                self.faults.borrow_mut().push(fault);
                None
            }
            None => {
                self.fault(name, value, format!("a number from {min} to {max}"));
                None
            }
        }
    }

    /// One of some words; absent is `None`.
    pub fn choice(&mut self, name: &'static str, allowed: &[&'static str]) -> Option<&'static str> {
        let value = self.take(name)?;
        let word = value.as_str().and_then(|word| allowed.iter().find(|known| **known == word));
        if word.is_none() {
            self.fault(name, value, words(allowed));
        }
        word.copied()
    }

    /// One of some words, which has to be there; `None` when it is not, or is none of them.
    pub fn required_choice(&mut self, name: &'static str, allowed: &[&'static str]) -> Option<&'static str> {
        if self.take(name).is_none() {
            self.missing(name, words(allowed));
        }
        self.choice(name, allowed)
    }

    /// Says that a field has to be there. Of an object that is not there itself, that is not worth saying.
    pub fn missing(&self, name: &str, allowed: impl Into<String>) {
        if self.fields.is_none() {
            return;
        }
        self.faults.borrow_mut().push(ConfigError::missing(self.path(name), allowed));
    }

    pub fn fault(&self, name: &str, value: &Value, allowed: impl Into<String>) {
        self.faults.borrow_mut().push(ConfigError::new(self.path(name), value, allowed));
    }

    /// Adds a fault that was found elsewhere.
    pub fn push(&self, fault: ConfigError) {
        self.faults.borrow_mut().push(fault);
    }

    /// The object at `path`, for elements of lists.
    pub fn at(&self, value: &'a Value, path: String) -> Object<'a> {
        Object::open(Some(value), path, self.faults)
    }

    /// The value of a field, right or wrong.
    pub fn value_of(&self, name: &str) -> Option<&'a Value> {
        self.fields?.get(name)
    }

    /// Whether a field is there, right or wrong.
    pub fn has(&self, name: &str) -> bool {
        self.value_of(name).is_some()
    }

    /// Whether there is no object to read.
    pub fn is_missing(&self) -> bool {
        self.fields.is_none()
    }

    /// Names every field that was not asked for.
    pub fn finish(self) {
        let Some(fields) = self.fields else { return };
        for (name, value) in fields.iter().filter(|(name, _)| !self.known.contains(&name.as_str())) {
            let mut known: Vec<&str> = Vec::new();
            for name in &self.known {
                if !known.contains(name) {
                    known.push(name);
                }
            }
            self.fault(name, value, format!("the fields {}", known.join(", ")));
        }
    }
}

/// A whole number from `min` to `max`.
pub(super) fn integer(value: &Value, path: &str, min: usize, max: usize) -> Result<usize, ConfigError> {
    let allowed = if max == usize::MAX {
        format!("a whole number, {min} or more")
    } else {
        format!("a whole number from {min} to {max}")
    };
    match whole_number(value).and_then(|number| usize::try_from(number).ok()) {
        Some(number) if (min..=max).contains(&number) => Ok(number),
        _ if value.is_number() => Err(ConfigError::out_of_range(path, value, allowed)),
        _ => Err(ConfigError::new(path, value, allowed)),
    }
}

fn words(allowed: &[&str]) -> String {
    allowed.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}
