//! One fault as a sentence.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::Value;

use crate::words::{Said, said};

/// The kind of fault in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// It is of another type.
    WrongType,
    /// It is of the right type, but none of the values that are allowed.
    NotAllowed,
    /// It is a number outside its range.
    OutOfRange,
    /// It has to be there and is not.
    Missing,
    /// There is no option of this name.
    Unknown,
    /// It belongs to another argument of the call; `near` is its place there.
    Misplaced,
    /// It is an object or a function of the host that cannot be used, or one that stands where none can.
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

/// A fault in options: where, what stands there, and what may.
///
/// Every message has one of these forms: `path must be …; got value`, `path is missing; it must be …`, or `path is unknown; did you mean …?`.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigError {
    /// The option, as a path: `passes[1].selection.type`.
    pub path: String,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The error code under which JavaScript sees it: that of its kind, unless what reads the options says otherwise.
    pub code: &'static str,
    /// The value as JSON, cut when long; only its type where it may be a secret. Empty for what is missing or unknown.
    pub value: String,
    /// The values accepted, or, for an unknown option, the names known there.
    pub allowed: Box<Said>,
    /// Names that may have been meant by an unknown option, or by a word that is none of those allowed; the nearest first.
    pub near: Vec<String>,
}

impl ConfigError {
    /// The same fault of options that stand at `holder`: `config.mode` for `mode`.
    pub fn under(mut self, holder: &str) -> Self {
        let separator = if self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{holder}{separator}{}", self.path);
        self
    }

    /// The same fault of an argument, not of a configuration.
    pub(crate) fn of_argument(self) -> Self {
        let code = if self.code == "invalid_config" { "invalid_argument" } else { self.code };
        Self { code, ..self }
    }

    /// A fault of this kind; `value` as [`shown`](Self::shown) has it.
    pub fn new(kind: FaultKind, path: impl Into<String>, value: impl Into<String>, allowed: impl Into<Said>) -> Self {
        let (path, value, allowed) = (path.into(), value.into(), Box::new(allowed.into()));
        Self { path, kind, code: kind.code(), value, allowed, near: Vec::new() }
    }

    /// A value of another type, or one that is none of the allowed.
    pub fn not_allowed(path: impl Into<String>, value: &Value, allowed: impl Into<Said>) -> Self {
        Self::new(FaultKind::NotAllowed, path, Self::shown(value), allowed)
    }

    /// The same fault, if it is a name that is unknown in this argument: where it belongs, if that is to `other`, the argument of that name.
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

    /// An option that has to be there and is not.
    pub fn missing(path: impl Into<String>, allowed: impl Into<Said>) -> Self {
        Self::new(FaultKind::Missing, path, "", allowed)
    }

    /// The fault as a code and values.
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

    /// A value as messages show it: JSON, cut when long.
    pub fn shown(value: &Value) -> String {
        const MAX_SHOWN_CHARS: usize = 80;
        let text = value.to_string();
        match text.char_indices().nth(MAX_SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// All faults as one text, a line each.
    pub fn list(faults: &[Self]) -> String {
        faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.said())
    }
}

impl std::error::Error for ConfigError {}

impl Serialize for ConfigError {
    /// As `validateConfig()` gives it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ConfigError", 4)?;
        fields.serialize_field("path", &self.path)?;
        fields.serialize_field("code", self.code)?;
        fields.serialize_field("message", &self.to_string())?;
        fields.serialize_field("said", &self.said())?;
        fields.end()
    }
}
