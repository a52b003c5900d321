//! Generators, recorded histories, scripted models and checks that the integration tests share. Each program of tests compiles them.

#![allow(dead_code, unused_imports, reason = "no program uses all of them")]

pub mod cases;
pub mod checks;
pub mod configurations;
pub mod histories;
pub mod real_histories;
pub mod scripted;
