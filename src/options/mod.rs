//! Options: what hosts write to configure providers, passes, managers, calls, profiles and handlers.
//!
//! A [`Table`] says once what may stand in an object: names, values, ranges, defaults, and what belongs together. From it come the check, which finds
//! all faults with their paths, the [`Settings`] that the code reads, and the JSON Schema. Knows nobody.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `table` | what may stand in an object |
//! | `check` | a value held against its table: all faults |
//! | `settings` | a checked value, with the defaults of its table |
//! | `schema` | a table as JSON Schema |
//! | `config_error` | one fault as a sentence |
//! | `path` | where a value stands: `passes[1].selection.type` |
//! | `near` | the name that was meant |
//!
//! ```
//! use roo_condense::{Field, Table};
//! use serde_json::json;
//!
//! static TABLE: Table = Table::new("Configuration of an example", &[
//!     Field::integer("count", 5, 1, 20, "How many."),
//!     Field::flag("loud", false, "Whether it is heard."),
//! ]);
//! assert_eq!(TABLE.read(&json!({ "loud": true })).unwrap().integer("count"), 5);
//!
//! let faults = TABLE.read(&json!({ "count": 0, "lout": true })).unwrap_err();
//! assert_eq!(faults[0].to_string(), "count must be a whole number from 1 to 20; got 0");
//! assert_eq!(faults[1].to_string(), "lout is unknown; did you mean loud?");
//! ```

mod check;
mod config_error;
mod define;
mod merged;
mod near;
mod path;
mod read;
mod readable;
mod schema;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod typed;

pub(crate) use self::{
    define::{camel_case, camel_case_length, json_name, options, words},
    readable::{Options, Readable, read_word},
    typed::{
        Converted, Either, Given, Off, Typed, Unread, WithJson, Words, any_object, choice, either, flag, host, json_of,
        list, name, number, object, off, record, some_text, some_text_but, text, whole, word,
    },
};

pub use self::{
    config_error::{ConfigError, FaultKind},
    merged::merged,
    near::near,
    path::path_of,
    settings::Settings,
    table::{Field, Kind, Needs, Table},
};
