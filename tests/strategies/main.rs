//! Strategies, and decisions by money.

#[path = "../common/mod.rs"]
mod common;
mod economics;
mod strategies;
