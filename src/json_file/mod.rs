//! JSON in files of the user's: where a text stops being JSON, and writing back only what changed.
//!
//! Both rest on `serde_json`, which knows the grammar; nothing here reads JSON by itself.

pub mod fault;
pub mod rewrite;
