//! Flat configurations: one table of fields gives validation, defaults and JSON Schema.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// A field of a configuration.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it may hold.
    pub kind: FieldKind,
    /// What it does, in a sentence.
    pub description: &'static str,
}

/// What a field may hold, and its default.
#[derive(Debug)]
pub enum FieldKind {
    /// `true` or `false`.
    Flag {
        /// Used when absent.
        default: bool,
    },
    /// A whole number.
    Integer {
        /// Used when absent.
        default: u64,
        /// The smallest allowed.
        min: u64,
        /// The largest allowed.
        max: u64,
    },
    /// Any text; absent is empty.
    Text,
    /// One of some words.
    Choice {
        /// Used when absent.
        default: &'static str,
        /// The words.
        allowed: &'static [&'static str],
    },
}

/// A field with a value that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{path}: {value} is not allowed; allowed: {allowed}")]
pub struct ConfigError {
    /// The field, as a path in the configuration.
    pub path: String,
    /// The value, as JSON.
    pub value: String,
    /// What would have been accepted.
    pub allowed: String,
    /// The type is right, but the value lies outside its range.
    #[serde(skip)]
    pub out_of_range: bool,
}

impl ConfigError {
    /// A value of the wrong kind, or one that is not among the allowed.
    #[must_use]
    pub fn new(path: impl Into<String>, value: &Value, allowed: impl Into<String>) -> Self {
        Self { path: path.into(), value: shown(value), allowed: allowed.into(), out_of_range: false }
    }

    /// A field that has to be there and is not.
    #[must_use]
    pub fn missing(path: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self { path: path.into(), value: "nothing".to_owned(), allowed: allowed.into(), out_of_range: false }
    }

    /// A number outside its range.
    #[must_use]
    pub fn out_of_range(path: impl Into<String>, value: &Value, allowed: impl Into<String>) -> Self {
        Self { out_of_range: true, ..Self::new(path, value, allowed) }
    }

    /// The error code: `out_of_range` or `invalid_config`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        if self.out_of_range { "out_of_range" } else { "invalid_config" }
    }
}

/// A value as an error message shows it: JSON, cut when long.
fn shown(value: &Value) -> String {
    const MAX_SHOWN_CHARS: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A configuration that has been checked: every field is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings(Map<String, Value>);

impl Settings {
    /// Checks `config` (an object, or null for all defaults) against `fields`.
    ///
    /// # Errors
    /// Every field that is wrong or unknown.
    pub fn read(fields: &[Field], config: &Value) -> Result<Self, Vec<ConfigError>> {
        let empty = Map::new();
        let given = match config {
            Value::Null => &empty,
            Value::Object(given) => given,
            other => return Err(vec![ConfigError::new("config", other, "an object")]),
        };
        let mut errors = Vec::new();
        for (name, value) in given {
            if !fields.iter().any(|field| field.name == name) {
                let names: Vec<_> = fields.iter().map(|field| field.name).collect();
                errors.push(ConfigError::new(name, value, format!("the fields {}", names.join(", "))));
            }
        }
        let mut settings = Map::new();
        for field in fields {
            match field.read(given.get(field.name)) {
                Ok(value) => {
                    settings.insert(field.name.to_owned(), value);
                }
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(Self(settings)) } else { Err(errors) }
    }

    /// A flag of the table.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.0[name].as_bool().unwrap_or_default()
    }

    /// A whole number of the table.
    #[must_use]
    pub fn integer(&self, name: &str) -> usize {
        self.0[name].as_u64().and_then(|value| usize::try_from(value).ok()).unwrap_or_default()
    }

    /// A text of the table.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// A choice of the table.
    #[must_use]
    pub fn choice(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }
}

impl Field {
    fn read(&self, value: Option<&Value>) -> Result<Value, ConfigError> {
        let wrong = |value: &Value, allowed: String| Err(ConfigError::new(self.name, value, allowed));
        match (&self.kind, value) {
            (FieldKind::Flag { default }, None) => Ok(json!(default)),
            (FieldKind::Integer { default, .. }, None) => Ok(json!(default)),
            (FieldKind::Choice { default, .. }, None) => Ok(json!(default)),
            (FieldKind::Text, None) => Ok(json!("")),
            (FieldKind::Text, Some(value)) if value.is_string() => Ok(value.clone()),
            (FieldKind::Text, Some(value)) => wrong(value, "a string".into()),
            (FieldKind::Flag { .. }, Some(value)) if value.is_boolean() => Ok(value.clone()),
            (FieldKind::Flag { .. }, Some(value)) => wrong(value, "true or false".into()),
            (FieldKind::Choice { allowed, .. }, Some(value)) => match value.as_str() {
                Some(word) if allowed.contains(&word) => Ok(value.clone()),
                _ => wrong(value, allowed.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")),
            },
            (FieldKind::Integer { min, max, .. }, Some(value)) => {
                let allowed = format!("a whole number from {min} to {max}");
                match (whole_number(value), value.is_number()) {
                    (Some(number), _) if (*min..=*max).contains(&number) => Ok(json!(number)),
                    (_, true) => Err(ConfigError::out_of_range(self.name, value, allowed)),
                    (_, false) => wrong(value, allowed),
                }
            }
        }
    }

    fn schema(&self) -> Value {
        let mut schema = match &self.kind {
            FieldKind::Flag { default } => json!({ "type": "boolean", "default": default }),
            FieldKind::Integer { default, min, max } => {
                json!({ "type": "integer", "default": default, "minimum": min, "maximum": max })
            }
            FieldKind::Text => json!({ "type": "string", "default": "" }),
            FieldKind::Choice { default, allowed } => json!({ "type": "string", "default": default, "enum": allowed }),
        };
        schema["description"] = json!(self.description);
        schema
    }
}

/// JavaScript has one kind of number: 5.0 is 5.
#[must_use]
pub fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n)).map(|n| n as u64))
}

/// JSON Schema 2020-12 of a configuration with these fields.
#[must_use]
pub fn schema(title: &str, fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        Field { name: "on", kind: FieldKind::Flag { default: true }, description: "Switch." },
        Field { name: "count", kind: FieldKind::Integer { default: 5, min: 1, max: 20 }, description: "How many." },
        Field {
            name: "mode",
            kind: FieldKind::Choice { default: "a", allowed: &["a", "b"] },
            description: "Which way.",
        },
    ];

    #[test]
    fn defaults_fill_what_is_absent() {
        let settings = Settings::read(FIELDS, &json!({ "count": 7.0 })).unwrap();
        assert_eq!((settings.flag("on"), settings.integer("count"), settings.choice("mode")), (true, 7, "a"));
    }

    #[test]
    fn every_wrong_field_is_named_with_its_value_and_what_is_allowed() {
        let errors = Settings::read(FIELDS, &json!({ "on": 1, "count": 21, "mode": "c", "extra": null })).unwrap_err();
        let mut texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
        texts.sort();
        assert_eq!(
            texts,
            [
                "count: 21 is not allowed; allowed: a whole number from 1 to 20",
                "extra: null is not allowed; allowed: the fields on, count, mode",
                "mode: \"c\" is not allowed; allowed: \"a\", \"b\"",
                "on: 1 is not allowed; allowed: true or false",
            ]
        );
        let range: Vec<_> = errors.iter().filter(|error| error.out_of_range).map(|error| &error.path).collect();
        assert_eq!(range, ["count"]);
    }

    #[test]
    fn a_configuration_that_is_no_object_is_refused() {
        for config in [json!([]), json!("x"), json!(3)] {
            assert_eq!(Settings::read(FIELDS, &config).unwrap_err()[0].path, "config");
        }
    }
}
