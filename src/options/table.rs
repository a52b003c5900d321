//! Tables that define the fields of objects.

use serde_json::{Map, Value};

use super::{ConfigError, check::faults, path::Path};
use crate::words::{Said, said};

/// The definition of one options object: its fields in order, and which fields require others.
#[derive(Debug)]
pub struct Table {
    /// The title of its schema. For a shared table, the name under which the schema defines it once.
    pub title: &'static str,
    /// The fields.
    pub fields: &'static [Field],
    /// Fields that are required if another field has a certain value.
    pub needs: &'static [Needs],
    /// The name and comment of its generated TypeScript interface; `None` if the type is written by hand.
    pub(super) interface: Option<(&'static str, &'static str)>,
    is_shared: bool,
    is_open: bool,
    null_is_absent: bool,
    is_nullable: bool,
    root: &'static str,
    begins_paths: bool,
}

/// One field.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The kind of value.
    pub kind: Kind,
    /// Its comment: the effect in one sentence, then paragraphs that only the generated types contain.
    pub doc: &'static str,
    /// The allowed values as error messages describe them, if the kind alone does not.
    pub(super) allowed: Option<&'static str>,
    pub(super) is_required: bool,
    /// Fields that replace this one: if one of them is present, this field is not required.
    pub(super) unless: &'static [&'static str],
    pub(super) is_secret: bool,
    /// True if null counts as absent.
    pub(super) takes_null: bool,
    /// The error code for a value that is not allowed, if it differs from the usual one.
    pub(super) code: Option<&'static str>,
    /// True if only the package's own JavaScript passes it, so that no type declares it.
    pub(super) is_internal: bool,
    /// Its TypeScript type, if the kind alone does not determine it.
    pub(super) type_name: Option<&'static str>,
}

/// The allowed values of a field, of a list's elements or of a record's values. Defaults replace absent values.
#[derive(Debug)]
pub enum Kind {
    /// `true` or `false`.
    Flag {
        /// Used when absent; `None` counts as `false`.
        default: Option<bool>,
    },
    /// The literal `false`, as an alternative to another kind.
    False,
    /// A whole number. JavaScript has one kind of number: 5.0 is 5.
    Integer {
        /// Used when absent.
        default: Option<u64>,
        /// The smallest allowed; below zero for no limit.
        min: i64,
        /// The largest allowed; `u64::MAX` for no limit.
        max: u64,
    },
    /// Any number.
    Number {
        /// Used when absent.
        default: Option<f64>,
        /// The smallest allowed; `f64::MIN` for no limit.
        min: f64,
        /// The largest allowed; `f64::MAX` for no limit.
        max: f64,
    },
    /// A text.
    Text {
        /// Used when absent.
        default: Option<&'static str>,
        /// True if the text must contain a character other than a blank.
        not_blank: bool,
        /// Texts that are not allowed, because they have another meaning.
        reserved: &'static [&'static str],
    },
    /// An identifier, such as the id of a provider: a text that does not consist of blanks only.
    Name {
        /// Used when absent.
        default: Option<&'static str>,
        /// Its type in TypeScript.
        type_name: &'static str,
        /// Existing names, which the schema offers to people who write configurations.
        examples: &'static [&'static str],
    },
    /// One of several words.
    Choice {
        /// Used when absent.
        default: Option<&'static str>,
        /// The words.
        words: &'static [&'static str],
    },
    /// An object with the fields of this table.
    Object(&'static Table),
    /// An object whose fields are checked elsewhere.
    AnyObject,
    /// An array.
    List {
        /// The kind of each element.
        of: &'static Kind,
        /// Its name in messages, such as `an array of provider ids`.
        called: &'static str,
    },
    /// Values by names that the host chooses.
    Record {
        /// The kind of each value.
        of: &'static Kind,
        /// Its name in messages, such as `an object of numbers by profile`.
        called: &'static str,
    },
    /// A value of either kind.
    Either(&'static Kind, &'static Kind),
    /// Any value that JSON can hold.
    Any,
    /// An object or function of the host, which JSON cannot contain. The JavaScript side removes a usable value, or
    /// replaces it by `{ "$held": true }`. Any other value that arrives here is invalid.
    Host {
        /// Its name in messages, such as `an AbortSignal`.
        called: &'static str,
    },
}

/// A dependency: if `field` has the value `is`, one of `any_of` is required.
#[derive(Debug)]
pub struct Needs {
    /// The deciding field.
    pub field: &'static str,
    /// The value of the deciding field.
    pub is: &'static str,
    /// The fields of which at least one is required. If all are missing, the error names the first.
    pub any_of: &'static [&'static str],
}

impl Table {
    /// Creates a table without fields; its definition adds them. By default, unknown fields are errors, and null is an
    /// ordinary value.
    pub const fn titled(title: &'static str) -> Self {
        Self {
            title,
            fields: &[],
            needs: &[],
            interface: None,
            is_shared: false,
            is_open: false,
            null_is_absent: false,
            is_nullable: false,
            root: "config",
            begins_paths: false,
        }
    }

    /// Sets the fields.
    pub const fn with_fields(self, fields: &'static [Field]) -> Self {
        Self { fields, ..self }
    }

    /// Sets the name and comment of the generated TypeScript interface.
    pub const fn interface(self, name: &'static str, about: &'static str) -> Self {
        Self { interface: Some((name, about)), ..self }
    }

    /// Sets the dependencies between fields.
    pub const fn with_needs(self, needs: &'static [Needs]) -> Self {
        Self { needs, ..self }
    }

    /// Makes the schema define the table once, under its title, however often it is used.
    pub const fn shared(self) -> Self {
        Self { is_shared: true, ..self }
    }

    /// Allows unknown fields, which belong to the host.
    pub const fn open(self) -> Self {
        Self { is_open: true, ..self }
    }

    /// Makes null count as absent in fields of this object and of all objects inside it, if the object is read as a
    /// whole.
    pub const fn null_is_absent(self) -> Self {
        Self { null_is_absent: true, ..self }
    }

    /// Makes the generated types allow null in optional fields, for hosts that store unset values as null.
    pub const fn nullable(self) -> Self {
        Self { is_nullable: true, ..self }
    }

    /// Sets the name of the whole object in error messages. Default: `config`.
    pub const fn called(self, root: &'static str) -> Self {
        Self { root, ..self }
    }

    /// Sets the name of the argument that this object is, with which every path in error messages begins.
    pub const fn argument(self, root: &'static str) -> Self {
        Self { root, begins_paths: true, ..self }
    }

    /// Returns all errors in a value that should be an object with these fields.
    pub fn faults(&self, value: &Value) -> Vec<ConfigError> {
        faults(self, value, self.root())
    }

    /// Returns the defaults of its fields as JSON.
    pub fn defaults(&self) -> Map<String, Value> {
        let of = |field: &Field| Some((field.name.to_owned(), field.kind.default()?));
        self.fields.iter().filter_map(of).collect()
    }

    /// Returns true if its TypeScript interface has this name.
    pub fn is_interface(&self, name: &str) -> bool {
        self.interface.is_some_and(|(own, _)| own == name)
    }

    /// Returns the beginning of the paths in errors.
    pub(super) fn root(&self) -> Path<'static> {
        if self.begins_paths { Path::argument(self.root) } else { Path::root(self.root) }
    }

    /// Returns the field with this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|field| field.name)
    }

    pub(super) const fn is_shared(&self) -> bool {
        self.is_shared
    }

    pub(super) const fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) const fn is_nullable(&self) -> bool {
        self.is_nullable
    }

    pub(super) const fn takes_null_for_absent(&self) -> bool {
        self.null_is_absent
    }
}

impl Field {
    /// Creates an optional field without a name.
    pub(super) const fn bare(kind: Kind) -> Self {
        Self {
            name: "",
            kind,
            doc: "",
            allowed: None,
            is_required: false,
            unless: &[],
            is_secret: false,
            takes_null: false,
            code: None,
            is_internal: false,
            type_name: None,
        }
    }

    /// Returns the paragraphs of its comment, each on one line.
    pub(super) fn paragraphs(&self) -> impl Iterator<Item = String> {
        let lines = |paragraph: &str| paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        self.doc.split("\n\n").map(lines).filter(|paragraph| !paragraph.is_empty())
    }

    /// Returns the allowed values as messages describe them.
    pub(super) fn allowed(&self) -> Said {
        self.allowed.map_or_else(|| self.kind.allowed(), Said::own)
    }
}

/// The description of any JSON value in error messages.
pub(super) const JSON_VALUE: &str = "a value that JSON can hold";

/// Joins descriptions of alternatives into one.
pub(super) fn either(mut all: Vec<Said>) -> Said {
    if all.len() == 1 { all.remove(0) } else { said!("allowed.either", all: all) }
}

impl Kind {
    /// Returns true if the kind itself has a default. The default of an object comes from its fields.
    pub(super) fn has_default(&self) -> bool {
        self.default().is_some()
    }

    /// Returns the kind's own default as JSON.
    pub(super) fn default(&self) -> Option<Value> {
        match self {
            Self::Flag { default } => default.map(Value::from),
            Self::Integer { default, .. } => default.map(Value::from),
            Self::Number { default, .. } => default.map(Value::from),
            Self::Text { default, .. } | Self::Name { default, .. } | Self::Choice { default, .. } => {
                default.map(Value::from)
            }
            _ => None,
        }
    }

    /// Describes the allowed values for messages.
    pub(super) fn allowed(&self) -> Said {
        match self {
            Self::Flag { .. } => said!("allowed.flag"),
            Self::False => said!("allowed.false"),
            Self::Integer { min, max, .. } => match (*min, *max) {
                (i64::MIN..0, _) => said!("allowed.anyWhole"),
                (min, u64::MAX) => said!("allowed.wholeFrom", least: min as f64),
                (min, max) => said!("allowed.whole", least: min as f64, most: max as f64),
            },
            Self::Number { min, max, .. } => match (*min, *max) {
                (f64::MIN, _) => said!("allowed.anyNumber"),
                (min, f64::MAX) => said!("allowed.numberFrom", least: min),
                (min, max) => said!("allowed.number", least: min, most: max),
            },
            Self::Text { not_blank: false, reserved: [], .. } => said!("allowed.text"),
            Self::Text { reserved: [], .. } | Self::Name { .. } => said!("allowed.someText"),
            Self::Text { reserved, .. } => said!("allowed.otherText", names: reserved.join(", ")),
            Self::Choice { words, .. } => {
                let names = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
                if words.len() == 1 { Said::own(&names) } else { said!("allowed.oneOf", names: names) }
            }
            Self::Object(table) => {
                const MAX_LISTED: usize = 6;
                let names: Vec<_> = table.names().collect();
                if (1..=MAX_LISTED).contains(&names.len()) {
                    said!("allowed.objectWith", names: names.join(", "))
                } else {
                    said!("allowed.object")
                }
            }
            Self::AnyObject => said!("allowed.object"),
            Self::Any => Said::own(JSON_VALUE),
            Self::List { called, .. } | Self::Record { called, .. } | Self::Host { called } => {
                Said::known_or_own(called)
            }
            Self::Either(first, second) => either(vec![first.allowed(), second.allowed()]),
        }
    }
}
