//! The Node binding: the only place that names napi.
//!
//! JavaScript hands over messages as the UTF-16 bytes of their JSON (what copies fastest) and gets back JSON that says what to do with its own objects; it is
//! parsed and worked on off the main thread. The JavaScript side (`js/`) touches the caller's objects; nothing here does.
//!
//! Functions that JavaScript calls at once throw errors with a `code`. Promises are never rejected but for faults of this library:
//! what can go wrong is in the report they resolve to.

// The attribute macro writes functions without doc comments.
#![allow(missing_docs)]

mod cancel;
mod error;
mod handler;
mod host_provider;
mod json_file;
mod manager;
mod provider;
mod store;
mod tokens;
mod work;

use napi_derive::napi;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The version of the addon, as in `Cargo.toml`.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
