//! Fields, each with the Rust type it is read as: a reader of another type does not compile.

use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::{Field, Kind, Options, Readable};

/// A kind of value with its Rust type. [`or_default`](Self::or_default), [`if_set`](Self::if_set) and their like say what absence means, which makes a field.
#[derive(Debug)]
pub struct Bare<T> {
    kind: Kind,
    read_as: PhantomData<fn() -> T>,
}

/// A field with the Rust type it is read as.
#[derive(Debug)]
pub struct Typed<T> {
    field: Field,
    read_as: PhantomData<fn() -> T>,
}

/// A value, and whether it is the default.
#[derive(Debug, Clone)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// Whether the configuration has it.
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

/// `false`, as one of two kinds.
#[derive(Debug, Clone, Copy)]
pub struct Off;

/// A value that is checked, and read by nobody in Rust.
pub type Unread = PhantomData<Value>;

/// One of several words.
pub trait Words: Copy + 'static {
    /// The words, as hosts write them.
    const WORDS: &'static [&'static str];
    /// The value of each.
    const VALUES: &'static [Self];

    /// Returns the value of a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().position(|known| *known == word).map(|at| Self::VALUES[at])
    }
}

/// A type that is made from what hosts write.
pub trait Converted: Sized {
    /// The type that is read.
    type From: Readable;

    /// Makes the value.
    fn convert(from: Self::From) -> Self;
}

/// `true` or `false`.
pub const fn flag() -> Bare<bool> {
    Bare::new(Kind::Flag { default: None })
}

/// `false` alone, as one of two kinds.
pub const fn off() -> Bare<Off> {
    Bare::new(Kind::False)
}

/// A whole number from `min` to `max`; `u64::MAX` for no limit.
pub const fn whole(min: u64, max: u64) -> Bare<usize> {
    Bare::new(Kind::Integer { default: None, min: min as i64, max })
}

/// Any whole number that JavaScript holds exactly.
pub const fn any_whole() -> Bare<i64> {
    const SAFE: i64 = (1 << 53) - 1;
    Bare::new(Kind::Integer { default: None, min: -SAFE, max: SAFE as u64 })
}

/// A number from `min` to `max`; `f64::MAX` for no limit.
pub const fn number(min: f64, max: f64) -> Bare<f64> {
    Bare::new(Kind::Number { default: None, min, max })
}

/// Any text.
pub const fn text() -> Bare<String> {
    Bare::new(Kind::Text { default: None, not_blank: false, reserved: &[] })
}

/// A text of more than blanks.
pub const fn some_text() -> Bare<String> {
    some_text_but(&[])
}

/// A text of more than blanks, and none of `reserved`.
pub const fn some_text_but(reserved: &'static [&'static str]) -> Bare<String> {
    Bare::new(Kind::Text { default: None, not_blank: true, reserved })
}

/// An identifier. `examples` are some that exist.
pub const fn name(examples: &'static [&'static str]) -> Bare<String> {
    name_as("string", examples)
}

/// An identifier that has a type of its own in TypeScript.
pub const fn name_as(type_name: &'static str, examples: &'static [&'static str]) -> Bare<String> {
    Bare::new(Kind::Name { default: None, type_name, examples })
}

/// One of the words of a type.
pub const fn choice<T: Words>() -> Bare<T> {
    Bare::new(Kind::Choice { default: None, words: T::WORDS })
}

/// One of some words, read as itself.
pub const fn word(words: &'static [&'static str]) -> Bare<&'static str> {
    Bare::new(Kind::Choice { default: None, words })
}

/// An object of options.
pub const fn object<T: Options>() -> Bare<T> {
    Bare::new(Kind::Object(T::TABLE))
}

/// An object with the options of `T`, handed on as it is.
pub const fn json_of<T: Options>() -> Bare<Value> {
    Bare::new(Kind::Object(T::TABLE))
}

/// Any value that JSON can hold.
pub const fn any() -> Bare<Value> {
    Bare::new(Kind::Any)
}

/// An object that is checked elsewhere.
pub const fn any_object() -> Bare<Value> {
    Bare::new(Kind::AnyObject)
}

/// An array, which messages call `called`.
pub const fn list<T>(of: &'static Bare<T>, called: &'static str) -> Bare<Vec<T>> {
    Bare::new(Kind::List { of: &of.kind, called })
}

/// Values by names that the host chooses, which messages call `called`.
pub const fn record<T>(of: &'static Bare<T>, called: &'static str) -> Bare<Vec<(String, T)>> {
    Bare::new(Kind::Record { of: &of.kind, called })
}

/// One of two kinds. When absent, it is the first if that has a default, else the second.
pub const fn either<A, B>(first: &'static Bare<A>, second: &'static Bare<B>) -> Bare<Either<A, B>> {
    Bare::new(Kind::Either(&first.kind, &second.kind))
}

/// An object or function of the host, which messages call `called`. It never comes as JSON.
pub const fn host_object(called: &'static str) -> Bare<Unread> {
    Bare::new(Kind::Host { called })
}

/// A field for an object or function of the host.
pub const fn host(called: &'static str) -> Typed<Unread> {
    host_object(called).or_default()
}

impl<A, B> Either<A, B> {
    /// The value of the second kind.
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

    /// Reads the value as another type that is made from it.
    pub const fn read_as<U: Converted<From = T>>(self) -> Bare<U> {
        Bare::new(self.kind)
    }

    /// Reads it with its JSON.
    pub const fn with_json(self) -> Bare<WithJson<T>> {
        Bare::new(self.kind)
    }

    /// Absence is the default of its kind: an object's defaults, an empty list.
    pub const fn or_default(self) -> Typed<T> {
        Typed::new(self.kind)
    }

    /// Absence is `None`.
    pub const fn if_set(self) -> Typed<Option<T>> {
        Typed::new(self.kind)
    }

    /// Absence is a fault.
    pub const fn required(self) -> Typed<T> {
        let field = Field { is_required: true, ..Field::bare(self.kind) };
        Typed { field, read_as: PhantomData }
    }

    /// Absence is a fault unless one of these is there.
    pub const fn required_unless(self, unless: &'static [&'static str]) -> Typed<Option<T>> {
        let field = Field { is_required: true, unless, ..Field::bare(self.kind) };
        Typed { field, read_as: PhantomData }
    }

    /// It is checked, and read by nobody in Rust.
    pub const fn unread(self) -> Typed<Unread> {
        Typed::new(self.kind)
    }
}

impl Bare<bool> {
    /// With a default.
    pub const fn with(self, default: bool) -> Self {
        match self.kind {
            Kind::Flag { .. } => Self::new(Kind::Flag { default: Some(default) }),
            kind => Self::new(kind),
        }
    }

    /// Absence is `default`.
    pub const fn or(self, default: bool) -> Typed<bool> {
        self.with(default).or_default()
    }
}

impl Bare<usize> {
    /// Absence is `default`.
    pub const fn or(self, default: u64) -> Typed<usize> {
        match self.kind {
            Kind::Integer { min, max, .. } => Typed::new(Kind::Integer { default: Some(default), min, max }),
            kind => Typed::new(kind),
        }
    }
}

impl Bare<f64> {
    /// With a default.
    pub const fn with(self, default: f64) -> Self {
        match self.kind {
            Kind::Number { min, max, .. } => Self::new(Kind::Number { default: Some(default), min, max }),
            kind => Self::new(kind),
        }
    }

    /// Absence is `default`.
    pub const fn or(self, default: f64) -> Typed<f64> {
        self.with(default).or_default()
    }
}

impl Bare<String> {
    /// Absence is `default`.
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
    /// Absence is `default`.
    pub const fn or(self, default: &'static str) -> Typed<&'static str> {
        match self.kind {
            Kind::Choice { words, .. } => Typed::new(Kind::Choice { default: Some(default), words }),
            kind => Typed::new(kind),
        }
    }
}

impl<T: Words> Bare<T> {
    /// Absence is the first of the words.
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

    /// Its values may be secrets, and so may all inside them: messages show types, not values.
    pub const fn secret(self) -> Self {
        Self { field: Field { is_secret: true, ..self.field }, ..self }
    }

    /// Null counts as absent.
    pub const fn or_null(self) -> Self {
        Self { field: Field { takes_null: true, ..self.field }, ..self }
    }

    /// Sets the error code of a value that is none of the allowed ones.
    pub const fn failing_as(self, code: &'static str) -> Self {
        Self { field: Field { code: Some(code), ..self.field }, ..self }
    }

    /// It is passed by the package's own JavaScript; the types do not name it.
    pub const fn internal(self) -> Self {
        Self { field: Field { is_internal: true, ..self.field }, ..self }
    }

    /// Sets the allowed values as messages describe them.
    pub const fn allowing(self, allowed: &'static str) -> Self {
        Self { field: Field { allowed: Some(allowed), ..self.field }, ..self }
    }

    /// Sets its type in TypeScript.
    pub const fn typed_as(self, type_name: &'static str) -> Self {
        Self { field: Field { type_name: Some(type_name), ..self.field }, ..self }
    }

    /// Sets the comment of a field that stands in several objects.
    pub const fn about(self, doc: &'static str) -> Self {
        Self { field: Field { doc, ..self.field }, ..self }
    }

    /// It is checked, and read elsewhere or by nobody in Rust.
    pub const fn unread(self) -> Typed<Unread> {
        Typed { field: self.field, read_as: PhantomData }
    }

    /// Reads it with the fact whether it is given.
    pub const fn with_presence(self) -> Typed<Given<T>> {
        Typed { field: self.field, read_as: PhantomData }
    }

    /// Returns the field as it stands in the table of an object, under its name there.
    pub const fn named(self, name: &'static str, doc: &'static str) -> Field {
        let doc = if doc.is_empty() { self.field.doc } else { doc };
        Field { name, doc, ..self.field }
    }
}

impl<T: Readable> Typed<T> {
    /// Reads the field from an object that was checked.
    pub fn read(&self, name: &str, object: Option<&Map<String, Value>>) -> T {
        // After the check a null is one that counts as absent.
        let value = object.and_then(|object| object.get(name)).filter(|value| !value.is_null());
        T::from_checked(&self.field.kind, value)
    }
}
