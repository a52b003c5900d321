//! The invariants of every provider, and the tests of their tests.

#[path = "../common/mod.rs"]
mod common;
mod configurations;
mod faulty_providers;
mod invariants;
