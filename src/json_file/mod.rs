//! JSON in the user's files: finds where a text stops being JSON, and writes back only what changed.
//!
//! Both use `serde_json`, which knows the grammar; no code here parses JSON itself.

pub mod fault;
pub mod rewrite;
