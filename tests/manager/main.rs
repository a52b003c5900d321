//! The manager, and the options of a call.

#[path = "../common/mod.rs"]
mod common;
mod frozen;
mod growth;
mod manager;
mod numbers;
mod prepare;
mod tool_rules;
mod wrong_options;
