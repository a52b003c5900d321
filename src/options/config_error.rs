//! Describes one error in options as a sentence.

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::Value;

use crate::words::{Said, said};

/// Maximum number of errors in one message. An array of wrong elements may have a million.
const MAX_TOLD: usize = 20;

/// Returns a text as messages show it: cut if it is long.
pub fn short(text: &str) -> Cow<'_, str> {
    const MAX_SHOWN_CHARS: usize = 80;
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The kind of an error in options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The value has another type.
    WrongType,
    /// The value has the right type, but is not allowed.
    NotAllowed,
    /// The number is out of range.
    OutOfRange,
    /// A required option is missing.
    Missing,
    /// No option has this name.
    Unknown,
    /// The option belongs to another argument of the call; `near` is its path there.
    Misplaced,
    /// The value is an object or function of the host that cannot be used, or that is not allowed here.
    NotUsable,
}

impl FaultKind {
    fn code(self) -> &'static str {
        match self {
            Self::OutOfRange => "out_of_range",
            Self::NotUsable | Self::Misplaced => "invalid_argument",
            _ => "invalid_config",
        }
    }
}

/// An error in options: the path, the value there, and the allowed values.
///
/// Messages have one of these forms: `path must be …; got value`, `path is missing; it must be …`, or `path is unknown;
/// did you mean …?`.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigError {
    /// The option, as a path: `passes[1].selection.type`.
    pub path: String,
    /// The kind of error.
    pub kind: FaultKind,
    /// The error code for JavaScript: that of the kind, unless the reader of the options sets another.
    pub code: &'static str,
    /// The value as JSON, cut if it is long; only its type if it may be a secret. Empty for missing and unknown
    /// options.
    pub value: String,
    /// The allowed values, or for an unknown option the known names.
    pub allowed: Box<Said>,
    /// Similar names for an unknown option or a word that is not allowed, the most similar first.
    pub near: Vec<String>,
}

impl ConfigError {
    /// Returns the error with `holder` in front of its path: `config.mode` for `mode`.
    pub fn under(mut self, holder: &str) -> Self {
        let separator = if self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{holder}{separator}{}", self.path);
        self
    }

    /// Returns the error with the code for arguments in place of that for configurations.
    pub(crate) fn of_argument(self) -> Self {
        let code = if self.code == "invalid_config" { "invalid_argument" } else { self.code };
        Self { code, ..self }
    }

    /// Creates an error of this kind; `value` is a value as formatted by [`shown`](Self::shown).
    pub fn new(kind: FaultKind, path: impl Into<String>, value: impl Into<String>, allowed: impl Into<Said>) -> Self {
        let (path, value, allowed) = (path.into(), value.into(), Box::new(allowed.into()));
        Self { path, kind, code: kind.code(), value, allowed, near: Vec::new() }
    }

    /// Creates the error for a value that is not allowed.
    pub fn not_allowed(path: impl Into<String>, value: &Value, allowed: impl Into<Said>) -> Self {
        Self::new(FaultKind::NotAllowed, path, Self::shown(value), allowed)
    }

    /// Completes the error for an unknown name: if `other`, the argument called `name`, has an option of this name, the
    /// error says so.
    pub(crate) fn placed(mut self, (other, name): (&super::Table, &str)) -> Self {
        if self.kind != FaultKind::Unknown {
            return self;
        }
        let field = self.path.split_once('.').map_or("", |(_, field)| field);
        if other.field(field).is_some() {
            self.near = vec![format!("{name}.{field}")];
            self.kind = FaultKind::Misplaced;
        }
        self.code = FaultKind::Misplaced.code();
        self
    }

    /// Creates the error for a missing option.
    pub fn missing(path: impl Into<String>, allowed: impl Into<Said>) -> Self {
        Self::new(FaultKind::Missing, path, "", allowed)
    }

    /// Returns the message as a code and values.
    pub fn said(&self) -> Said {
        let (path, allowed) = (self.path.as_str(), Said::clone(&self.allowed));
        match self.kind {
            FaultKind::Missing => said!("config.missing", path: path, allowed: allowed),
            FaultKind::Misplaced => said!("config.misplaced", path: path, near: self.near.join(" or ")),
            FaultKind::Unknown if self.near.is_empty() => said!("config.unknown", path: path, names: allowed),
            FaultKind::Unknown => said!("config.near", path: path, near: self.near.join(" or ")),
            _ if self.near.is_empty() => {
                said!("config.notAllowed", path: path, value: self.value.as_str(), allowed: allowed)
            }
            _ => {
                let near = self.near.join(" or ");
                said!("config.nearValue", path: path, value: self.value.as_str(), allowed: allowed, near: near)
            }
        }
    }

    /// Formats a value for messages: as JSON, cut if it is long.
    pub fn shown(value: &Value) -> String {
        short(&value.to_string()).into_owned()
    }

    /// Returns the errors as sentences. If there are many, the last one says how many more there are.
    pub fn told(faults: &[Self]) -> Vec<Said> {
        let mut told: Vec<Said> = faults.iter().take(MAX_TOLD).map(Self::said).collect();
        if faults.len() > MAX_TOLD {
            told.push(said!("config.more", count: faults.len() - MAX_TOLD));
        }
        told
    }

    /// Returns the errors as one text, one per line, as [`told`](Self::told) does.
    pub fn list(faults: &[Self]) -> String {
        Self::told(faults).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.said())
    }
}

impl std::error::Error for ConfigError {}

impl Serialize for ConfigError {
    /// Serializes the error as `validateConfig()` returns it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ConfigError", 4)?;
        fields.serialize_field("path", &self.path)?;
        fields.serialize_field("code", self.code)?;
        fields.serialize_field("message", &self.to_string())?;
        fields.serialize_field("said", &self.said())?;
        fields.end()
    }
}
