//! Tables that define the fields of objects.

use serde_json::{Map, Value};

use super::{ConfigError, check::faults, path::Path};
use crate::words::{Said, said};

/// The options of one object: its fields, in the order in which they are listed, and what belongs together.
#[derive(Debug)]
pub struct Table {
    /// The title of its schema; or, of a table that is used in several places, the name under which the schema defines it once.
    pub title: &'static str,
    /// The fields.
    pub fields: &'static [Field],
    /// Fields that have to be there because of others.
    pub needs: &'static [Needs],
    /// The name of its interface in TypeScript, and the comment there; `None` for types written by hand.
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
    /// Its comment: the effect in a sentence, and, in further paragraphs, what readers of the types should know.
    pub doc: &'static str,
    /// The allowed values in messages, if the kind alone does not describe them.
    pub(super) allowed: Option<&'static str>,
    pub(super) is_required: bool,
    /// One of these does instead.
    pub(super) unless: &'static [&'static str],
    pub(super) is_secret: bool,
    /// Its null counts as absent.
    pub(super) takes_null: bool,
    /// The error code of a value that is none of the allowed ones, if it has one of its own.
    pub(super) code: Option<&'static str>,
    /// The package's own JavaScript passes it; no type names it.
    pub(super) is_internal: bool,
    /// Its type in TypeScript, if its kind alone does not say it.
    pub(super) type_name: Option<&'static str>,
}

/// The values that a field, an element of a list or a value of a record may hold. Defaults are used when it is absent.
#[derive(Debug)]
pub enum Kind {
    /// `true` or `false`.
    Flag {
        /// Used when absent; `None` counts as `false`.
        default: Option<bool>,
    },
    /// `false` alone, as one of several.
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
        /// Whether it has to hold more than blanks.
        not_blank: bool,
        /// Texts that mean something else already.
        reserved: &'static [&'static str],
    },
    /// An identifier, such as the id of a provider: a text that holds more than blanks.
    Name {
        /// Used when absent.
        default: Option<&'static str>,
        /// Its type in TypeScript.
        type_name: &'static str,
        /// Names that there are, for those who write configurations.
        examples: &'static [&'static str],
    },
    /// One of some words.
    Choice {
        /// Used when absent.
        default: Option<&'static str>,
        /// The words.
        words: &'static [&'static str],
    },
    /// An object with fields of its own.
    Object(&'static Table),
    /// An object whose fields are checked elsewhere.
    AnyObject,
    /// An array.
    List {
        /// Each element.
        of: &'static Kind,
        /// Its name in messages, such as `an array of provider ids`.
        called: &'static str,
    },
    /// Values by names that the host chooses.
    Record {
        /// Each value.
        of: &'static Kind,
        /// Its name in messages, such as `an object of numbers by profile`.
        called: &'static str,
    },
    /// Either of these.
    Either(&'static Kind, &'static Kind),
    /// Any value that JSON can hold.
    Any,
    /// An object or function of the host, which never comes as JSON: the JavaScript side takes out what can be used, or leaves `{ "$held": true }` in its place;
    /// whatever else is left is wrong.
    Host {
        /// Its name in messages, such as `an AbortSignal`.
        called: &'static str,
    },
}

/// When `field` is the word `is`, one of `any_of` has to be there.
#[derive(Debug)]
pub struct Needs {
    /// The field that decides.
    pub field: &'static str,
    /// Its value.
    pub is: &'static str,
    /// The fields of which one has to be there. The first is named when none is.
    pub any_of: &'static [&'static str],
}

impl Table {
    /// A table without fields, which its definition adds. No others may stand in the object, and null is a value like others.
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

    /// With these fields.
    pub const fn with_fields(self, fields: &'static [Field]) -> Self {
        Self { fields, ..self }
    }

    /// With an interface of this name in the generated types.
    pub const fn interface(self, name: &'static str, about: &'static str) -> Self {
        Self { interface: Some((name, about)), ..self }
    }

    /// With fields that need each other.
    pub const fn with_needs(self, needs: &'static [Needs]) -> Self {
        Self { needs, ..self }
    }

    /// The schema defines it once, under its title, however often it is used.
    pub const fn shared(self) -> Self {
        Self { is_shared: true, ..self }
    }

    /// Other fields may stand in it; they are the host's own.
    pub const fn open(self) -> Self {
        Self { is_open: true, ..self }
    }

    /// Read as a whole, a field that is null counts as absent, here and in all objects inside.
    pub const fn null_is_absent(self) -> Self {
        Self { null_is_absent: true, ..self }
    }

    /// The types of its optional fields say that they may be null, for hosts that hold unset values as null.
    pub const fn nullable(self) -> Self {
        Self { is_nullable: true, ..self }
    }

    /// Sets the name of the whole in messages: `config` unless set.
    pub const fn called(self, root: &'static str) -> Self {
        Self { root, ..self }
    }

    /// Sets the name of one of several arguments, with which every path in it begins.
    pub const fn argument(self, root: &'static str) -> Self {
        Self { root, begins_paths: true, ..self }
    }

    /// Returns all faults of a value as an object with these fields.
    pub fn faults(&self, value: &Value) -> Vec<ConfigError> {
        faults(self, value, self.root())
    }

    /// Returns the defaults of its fields as JSON.
    pub fn defaults(&self) -> Map<String, Value> {
        let of = |field: &Field| Some((field.name.to_owned(), field.kind.default()?));
        self.fields.iter().filter_map(of).collect()
    }

    /// Whether it has the interface of this name.
    pub fn is_interface(&self, name: &str) -> bool {
        self.interface.is_some_and(|(own, _)| own == name)
    }

    /// Returns the beginning of the paths of faults.
    pub(super) fn root(&self) -> Path<'static> {
        if self.begins_paths { Path::argument(self.root) } else { Path::root(self.root) }
    }

    /// The field of this name.
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
    /// A field without a name, which may be absent.
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

/// Any value of JSON, as messages describe it.
pub(super) const JSON_VALUE: &str = "a value that JSON can hold";

/// One of these.
pub(super) fn either(mut all: Vec<Said>) -> Said {
    if all.len() == 1 { all.remove(0) } else { said!("allowed.either", all: all) }
}

impl Kind {
    /// Whether it has a default itself; that of an object is all of its fields'.
    pub(super) fn has_default(&self) -> bool {
        self.default().is_some()
    }

    /// Returns its default itself as JSON.
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
