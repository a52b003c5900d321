//! Conversations: read from every format and dialect, changed by plans, with pointers that stay true.

#[path = "../common/mod.rs"]
mod common;
mod formats;
mod plans;
mod pointers;
mod transcript;
