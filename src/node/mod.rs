//! The Node binding: the only place that names napi.
//!
//! JavaScript passes messages as JSON, which is copied in UTF-16 because that takes the main thread the least time,
//! and receives JSON that says what to do with its own objects. Everything else is done off the main thread. Only the
//! JavaScript side (`js/`) touches the caller's objects.
//!
//! No function keeps memory of JavaScript after it returns: an environment may end at any time, and its memory with
//! it. `clippy.toml` forbids the types that would hold such memory.
//!
//! Synchronous functions throw errors with a `code`. Promises are rejected only for bugs in this library; other
//! errors are in the report to which they resolve.

// The attribute macro generates functions without doc comments.
#![allow(missing_docs)]

#[cfg(not(any(target_family = "wasm", system_allocator)))]
mod allocator;
mod callback;
mod cancel;
mod directory;
mod environment;
mod fingerprints;
mod handler;
mod host_provider;
mod json;
mod json_file;
mod manager;
mod memory;
mod messages;
mod options;
#[cfg(not(target_family = "wasm"))]
mod own_thread;
mod piece_options;
mod provider;
mod recall;
mod result;
mod store;
#[cfg_attr(target_family = "wasm", path = "turns.rs")]
mod threads;
mod thrown;
mod tokens;
mod undo;
mod work;

#[cfg(not(target_family = "wasm"))]
use napi::bindgen_prelude::{Object, retain_current_module_for_unload_safety};
use napi_derive::napi;

#[cfg(not(any(target_family = "wasm", system_allocator)))]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator::new();

/// Node unloads an addon when the last environment that loaded it ends. Our threads continue, so the addon has to
/// stay loaded.
#[cfg(not(target_family = "wasm"))]
#[napi(module_exports)]
#[allow(clippy::unnecessary_wraps, reason = "napi wants a result")]
pub fn stay(_exports: Object<'_>) -> napi::Result<()> {
    retain_current_module_for_unload_safety();
    Ok(())
}

/// Returns the version of the addon, as in `Cargo.toml`.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
