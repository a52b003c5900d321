//! Fields of options, each with its Rust type, so that code that reads a field as another type does not compile.

use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::{Field, Kind, Options, Readable};

/// A kind of value with its Rust type. Methods such as [`or_default`](Self::or_default) and [`if_set`](Self::if_set)
/// define the meaning of an absent value, and so turn it into a field.
#[derive(Debug)]
pub struct Bare<T> {
    kind: Kind,
    read_as: PhantomData<fn() -> T>,
}

/// A field with its Rust type.
#[derive(Debug)]
pub struct Typed<T> {
    field: Field,
    read_as: PhantomData<fn() -> T>,
}

/// A value, and whether the configuration contains it.
#[derive(Debug, Clone)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// True if the configuration contains the value; false for the default.
    pub is_given: bool,
}

/// A value, and its JSON.
#[derive(Debug, Clone)]
pub struct WithJson<T> {
    /// The value.
    pub value: T,
    /// The JSON.
    pub json: Value,
}

/// One of two kinds of value.
#[derive(Debug, Clone, Copy)]
pub enum Either<A, B> {
    /// A value of the first kind.
    First(A),
    /// A value of the second kind.
    Second(B),
}

/// The literal `false`, as one of two kinds.
#[derive(Debug, Clone, Copy)]
pub struct Off;

/// A value that Rust checks but does not read.
pub type Unread = PhantomData<Value>;

/// An enum whose variants are words in the configuration.
pub trait Words: Copy + 'static {
    /// The words as a configuration contains them.
    const WORDS: &'static [&'static str];
    /// The variants, in the order of [`Self::WORDS`].
    const VALUES: &'static [Self];

    /// Returns the variant of a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().position(|known| *known == word).map(|at| Self::VALUES[at])
    }
}

/// A type that is converted from the type a configuration is read as.
pub trait Converted: Sized {
    /// The type that the configuration is read as.
    type From: Readable;

    /// Converts the value.
    fn convert(from: Self::From) -> Self;
}

/// Creates the kind of `true` and `false`.
pub const fn flag() -> Bare<bool> {
    Bare::new(Kind::Flag { default: None })
}

/// Creates the kind of the literal `false`, as one of two kinds.
pub const fn off() -> Bare<Off> {
    Bare::new(Kind::False)
}

/// Creates the kind of whole numbers from `min` to `max`; `u64::MAX` means no limit.
pub const fn whole(min: u64, max: u64) -> Bare<usize> {
    Bare::new(Kind::Integer { default: None, min: min as i64, max })
}

/// Creates the kind of whole numbers that JavaScript represents exactly.
pub const fn any_whole() -> Bare<i64> {
    const SAFE: i64 = (1 << 53) - 1;
    Bare::new(Kind::Integer { default: None, min: -SAFE, max: SAFE as u64 })
}

/// Creates the kind of numbers from `min` to `max`; `f64::MAX` means no limit.
pub const fn number(min: f64, max: f64) -> Bare<f64> {
    Bare::new(Kind::Number { default: None, min, max })
}

/// Creates the kind of any text.
pub const fn text() -> Bare<String> {
    Bare::new(Kind::Text { default: None, not_blank: false, reserved: &[] })
}

/// Creates the kind of texts that do not consist of blanks only.
pub const fn some_text() -> Bare<String> {
    some_text_but(&[])
}

/// Creates the kind of texts that do not consist of blanks only and are not in `reserved`.
pub const fn some_text_but(reserved: &'static [&'static str]) -> Bare<String> {
    Bare::new(Kind::Text { default: None, not_blank: true, reserved })
}

/// Creates the kind of identifiers. `examples` are existing ones.
pub const fn name(examples: &'static [&'static str]) -> Bare<String> {
    name_as("string", examples)
}

/// Creates the kind of identifiers that have their own TypeScript type.
pub const fn name_as(type_name: &'static str, examples: &'static [&'static str]) -> Bare<String> {
    Bare::new(Kind::Name { default: None, type_name, examples })
}

/// Creates the kind of words that are read as a variant of `T`.
pub const fn choice<T: Words>() -> Bare<T> {
    Bare::new(Kind::Choice { default: None, words: T::WORDS })
}

/// Creates the kind of these words, read as text.
pub const fn word(words: &'static [&'static str]) -> Bare<&'static str> {
    Bare::new(Kind::Choice { default: None, words })
}

/// Creates the kind of objects with the options of `T`.
pub const fn object<T: Options>() -> Bare<T> {
    Bare::new(Kind::Object(T::TABLE))
}

/// Creates the kind of objects with the options of `T` that are checked and kept as JSON.
pub const fn json_of<T: Options>() -> Bare<Value> {
    Bare::new(Kind::Object(T::TABLE))
}

/// Creates the kind of any JSON value.
pub const fn any() -> Bare<Value> {
    Bare::new(Kind::Any)
}

/// Creates the kind of objects whose fields are checked elsewhere.
pub const fn any_object() -> Bare<Value> {
    Bare::new(Kind::AnyObject)
}

/// Creates the kind of arrays; error messages name it `called`.
pub const fn list<T>(of: &'static Bare<T>, called: &'static str) -> Bare<Vec<T>> {
    Bare::new(Kind::List { of: &of.kind, called })
}

/// Creates the kind of objects whose keys the host chooses; error messages name it `called`.
pub const fn record<T>(of: &'static Bare<T>, called: &'static str) -> Bare<Vec<(String, T)>> {
    Bare::new(Kind::Record { of: &of.kind, called })
}

/// Creates the kind of values of either kind. An absent value is the default of the first kind if it has one, else of
/// the second.
pub const fn either<A, B>(first: &'static Bare<A>, second: &'static Bare<B>) -> Bare<Either<A, B>> {
    Bare::new(Kind::Either(&first.kind, &second.kind))
}

/// Creates the kind of objects or functions of the host, which JSON cannot contain; error messages name it `called`.
pub const fn host_object(called: &'static str) -> Bare<Unread> {
    Bare::new(Kind::Host { called })
}

/// Creates a field for an object or function of the host.
pub const fn host(called: &'static str) -> Typed<Unread> {
    host_object(called).or_default()
}

impl<A, B> Either<A, B> {
    /// Returns the value if it is of the second kind.
    pub fn second(self) -> Option<B> {
        match self {
            Self::First(_) => None,
            Self::Second(value) => Some(value),
        }
    }
}

impl<T> Bare<T> {
    const fn new(kind: Kind) -> Self {
        Self { kind, read_as: PhantomData }
    }

    /// Reads the value as a type that is converted from it.
    pub const fn read_as<U: Converted<From = T>>(self) -> Bare<U> {
        Bare::new(self.kind)
    }

    /// Reads the value with its JSON.
    pub const fn with_json(self) -> Bare<WithJson<T>> {
        Bare::new(self.kind)
    }

    /// Creates a field whose absent value is the default of its kind: an object's defaults, an empty list.
    pub const fn or_default(self) -> Typed<T> {
        Typed::new(self.kind)
    }

    /// Creates a field whose absent value is `None`.
    pub const fn if_set(self) -> Typed<Option<T>> {
        Typed::new(self.kind)
    }

    /// Creates a required field.
    pub const fn required(self) -> Typed<T> {
        let field = Field { is_required: true, ..Field::bare(self.kind) };
        Typed { field, read_as: PhantomData }
    }

    /// Creates a field that is required unless one of these fields is present.
    pub const fn required_unless(self, unless: &'static [&'static str]) -> Typed<Option<T>> {
        let field = Field { is_required: true, unless, ..Field::bare(self.kind) };
        Typed { field, read_as: PhantomData }
    }

    /// Creates a field that Rust checks but does not read.
    pub const fn unread(self) -> Typed<Unread> {
        Typed::new(self.kind)
    }
}

impl Bare<bool> {
    /// Sets the default.
    pub const fn with(self, default: bool) -> Self {
        match self.kind {
            Kind::Flag { .. } => Self::new(Kind::Flag { default: Some(default) }),
            kind => Self::new(kind),
        }
    }

    /// Creates a field whose absent value is `default`.
    pub const fn or(self, default: bool) -> Typed<bool> {
        self.with(default).or_default()
    }
}

impl Bare<usize> {
    /// Creates a field whose absent value is `default`.
    pub const fn or(self, default: u64) -> Typed<usize> {
        match self.kind {
            Kind::Integer { min, max, .. } => Typed::new(Kind::Integer { default: Some(default), min, max }),
            kind => Typed::new(kind),
        }
    }
}

impl Bare<f64> {
    /// Sets the default.
    pub const fn with(self, default: f64) -> Self {
        match self.kind {
            Kind::Number { min, max, .. } => Self::new(Kind::Number { default: Some(default), min, max }),
            kind => Self::new(kind),
        }
    }

    /// Creates a field whose absent value is `default`.
    pub const fn or(self, default: f64) -> Typed<f64> {
        self.with(default).or_default()
    }
}

impl Bare<String> {
    /// Creates a field whose absent value is `default`.
    pub const fn or(self, default: &'static str) -> Typed<String> {
        let default = Some(default);
        Typed::new(match self.kind {
            Kind::Text { not_blank, reserved, .. } => Kind::Text { default, not_blank, reserved },
            Kind::Name { type_name, examples, .. } => Kind::Name { default, type_name, examples },
            kind => kind,
        })
    }
}

impl Bare<&'static str> {
    /// Creates a field whose absent value is `default`.
    pub const fn or(self, default: &'static str) -> Typed<&'static str> {
        match self.kind {
            Kind::Choice { words, .. } => Typed::new(Kind::Choice { default: Some(default), words }),
            kind => Typed::new(kind),
        }
    }
}

impl<T: Words> Bare<T> {
    /// Creates a field whose absent value is the first of the words.
    pub const fn or_first(self) -> Typed<T> {
        match self.kind {
            Kind::Choice { words, .. } => Typed::new(Kind::Choice { default: Some(words[0]), words }),
            kind => Typed::new(kind),
        }
    }
}

impl<T> Typed<T> {
    const fn new(kind: Kind) -> Self {
        Self { field: Field::bare(kind), read_as: PhantomData }
    }

    /// Marks its values, and all values inside them, as possible secrets: error messages show only their types.
    pub const fn secret(self) -> Self {
        Self { field: Field { is_secret: true, ..self.field }, ..self }
    }

    /// Makes null count as absent.
    pub const fn or_null(self) -> Self {
        Self { field: Field { takes_null: true, ..self.field }, ..self }
    }

    /// Sets the error code for a value that is not allowed.
    pub const fn failing_as(self, code: &'static str) -> Self {
        Self { field: Field { code: Some(code), ..self.field }, ..self }
    }

    /// Marks the field as passed only by the package's own JavaScript, so that no type declares it.
    pub const fn internal(self) -> Self {
        Self { field: Field { is_internal: true, ..self.field }, ..self }
    }

    /// Sets the description of the allowed values in error messages.
    pub const fn allowing(self, allowed: &'static str) -> Self {
        Self { field: Field { allowed: Some(allowed), ..self.field }, ..self }
    }

    /// Sets its TypeScript type.
    pub const fn typed_as(self, type_name: &'static str) -> Self {
        Self { field: Field { type_name: Some(type_name), ..self.field }, ..self }
    }

    /// Sets the comment of a field that several objects have.
    pub const fn about(self, doc: &'static str) -> Self {
        Self { field: Field { doc, ..self.field }, ..self }
    }

    /// Makes the field checked here but not read; other code may read it.
    pub const fn unread(self) -> Typed<Unread> {
        Typed { field: self.field, read_as: PhantomData }
    }

    /// Reads the value together with whether it is present.
    pub const fn with_presence(self) -> Typed<Given<T>> {
        Typed { field: self.field, read_as: PhantomData }
    }

    /// Returns the field for an object's table, with its name and comment there.
    pub const fn named(self, name: &'static str, doc: &'static str) -> Field {
        let doc = if doc.is_empty() { self.field.doc } else { doc };
        Field { name, doc, ..self.field }
    }
}

impl<T: Readable> Typed<T> {
    /// Reads the field from a checked object.
    pub fn read(&self, name: &str, object: Option<&Map<String, Value>>) -> T {
        // The check has rejected every null that does not count as absent.
        let value = object.and_then(|object| object.get(name)).filter(|value| !value.is_null());
        T::from_checked(&self.field.kind, value)
    }
}
