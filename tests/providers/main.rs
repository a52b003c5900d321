//! The built-in providers that need no model.

#[path = "../common/mod.rs"]
mod common;
mod log;
mod lossless;
mod readable;
mod smart;
mod truncation;
