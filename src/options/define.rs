//! The macros that define options: each field once, with its comment, name, type, limits and default.
//!
//! The first paragraph of a comment is the description in the JSON Schema. The TypeScript types (`declarations`)
//! contain all paragraphs, with limits and default. The name in JSON is the Rust name in camel case, or the one after
//! `as`. Existing crates (schemars, garde, serde) do not report all errors of nested objects with their paths.

/// Defines an object of options: the struct, its reader, its checks and its schema. The
/// [module](crate::options) has an example.
macro_rules! options {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident: $table:expr;
        $( $(#[doc = $doc:literal])* $field:ident $(as $json:literal)?: $type:ty = $typed:expr ),* $(,)?
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone)]
        $visible struct $name {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl $crate::options::Options for $name {
            const TABLE: &'static $crate::options::Table = {
                const FIELDS: &[$crate::options::Field] = &[$({
                    const TYPED: $crate::options::Typed<$type> = $typed;
                    TYPED.named($crate::options::json_name!($field $($json)?), concat!($($doc, "\n"),*))
                }),*];
                const TABLE: $crate::options::Table = $table.with_fields(FIELDS);
                &TABLE
            };
        }

        impl $crate::options::Readable for $name {
            fn from_checked(_: &$crate::options::Kind, value: Option<&serde_json::Value>) -> Self {
                let object = value.and_then(serde_json::Value::as_object);
                Self { $( $field: {
                    const TYPED: $crate::options::Typed<$type> = $typed;
                    TYPED.read($crate::options::json_name!($field $($json)?), object)
                } ),* }
            }
        }
    };
}

/// Defines the allowed words of an option.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        $visible:vis enum $name:ident {
            $( $(#[$of_variant:meta])* $variant:ident = $word:literal ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $visible enum $name {
            $( $(#[$of_variant])* $variant, )*
        }

        $crate::options::words! { impl $name { $( $variant = $word ),* } }
    };
    (impl $name:ident { $( $variant:ident = $word:literal ),* $(,)? }) => {
        impl $crate::options::Words for $name {
            const WORDS: &'static [&'static str] = &[$($word),*];
            const VALUES: &'static [Self] = &[$( Self::$variant ),*];
        }

        impl $crate::options::Readable for $name {
            fn from_checked(kind: &$crate::options::Kind, value: Option<&serde_json::Value>) -> Self {
                $crate::options::read_word(kind, value)
            }
        }
    };
}

/// Expands to the name of a field in JSON.
macro_rules! json_name {
    ($field:ident) => {{
        const RUST: &str = stringify!($field);
        const JSON: &[u8] = &$crate::options::camel_case::<{ $crate::options::camel_case_length(RUST) }>(RUST);
        match std::str::from_utf8(JSON) {
            Ok(name) => name,
            Err(_) => RUST,
        }
    }};
    ($field:ident $json:literal) => {
        $json
    };
}

pub(crate) use {json_name, options, words};

/// Returns the length of a name in camel case.
pub const fn camel_case_length(name: &str) -> usize {
    let bytes = name.as_bytes();
    let (mut at, mut length) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b'_' {
            length += 1;
        }
        at += 1;
    }
    length
}

/// Returns a name in camel case.
pub const fn camel_case<const LENGTH: usize>(name: &str) -> [u8; LENGTH] {
    let bytes = name.as_bytes();
    let mut camel = [0; LENGTH];
    let (mut at, mut length) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b'_' {
            let begins_word = at > 0 && bytes[at - 1] == b'_';
            camel[length] = if begins_word { bytes[at].to_ascii_uppercase() } else { bytes[at] };
            length += 1;
        }
        at += 1;
    }
    camel
}
