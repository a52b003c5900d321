//! Options with which hosts configure providers, passes, managers, calls, profiles and handlers.
//!
//! [`options!`] defines an object once: each field with its comment, name, type, limits and default. It generates the
//! struct that code reads, the check, which finds all errors with their paths, and the JSON Schema. Code that reads a
//! field as another type does not compile. This module uses no other module of the crate.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `define` | the macros that define options |
//! | `typed` | fields with their Rust types |
//! | `readable` | checked values, read as those types |
//! | `table` | the fields of an object, as data |
//! | `check` | checks a value against its table |
//! | `schema` | a table as JSON Schema |
//! | `declarations` | tables as TypeScript interfaces |
//! | `config_error` | one error as a sentence |
//! | `path` | the path of a value: `passes[1].selection.type` |
//! | `near` | finds the intended name for a misspelt one |
//!
//! ```ignore
//! options! {
//!     /// The configuration of an example.
//!     struct Example: Table::titled("Configuration of an example");
//!
//!     /// How many.
//!     count: usize = whole(1, 20).or(5),
//!     /// Whether it is heard.
//!     is_loud: bool = flag().or(false),
//! }
//! assert_eq!(Example::read(&json!({ "isLoud": true })).unwrap().count, 5);
//!
//! let faults = Example::read(&json!({ "count": 0, "isLout": true })).unwrap_err();
//! assert_eq!(faults[0].to_string(), "count must be a whole number from 1 to 20; got 0");
//! assert_eq!(faults[1].to_string(), "isLout is unknown; did you mean isLoud?");
//! ```

mod check;
mod config_error;
mod declarations;
mod define;
mod merged;
mod near;
mod path;
mod readable;
mod schema;
mod table;
#[cfg(test)]
mod tests;
mod typed;

pub(crate) use self::{
    config_error::short,
    declarations::declarations,
    define::{camel_case, camel_case_length, json_name, options, words},
    readable::{Options, Readable, read_word},
    schema::schema,
    table::{Field, Kind, Needs, Table},
    typed::{
        Bare, Converted, Either, Given, Off, Typed, Unread, WithJson, Words, any, any_object, any_whole, choice,
        either, flag, host, host_object, json_of, list, name, name_as, number, object, off, record, some_text,
        some_text_but, text, whole, word,
    },
};

pub use self::{
    config_error::{ConfigError, FaultKind},
    merged::merged,
    near::near,
    path::path_of,
};
