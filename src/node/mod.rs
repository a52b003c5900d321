//! The Node binding: the only place that names napi.
//!
//! JavaScript hands over messages as JSON, which is copied as the UTF-16 it is (that is what takes the main thread the least time), and gets
//! back JSON that says what to do with its own objects. All else is done off the main thread. The JavaScript side (`js/`) touches the
//! caller's objects; nothing here does.
//!
//! No memory of JavaScript is used outside the function it was handed to: an environment may end at any time, and takes its memory with it.
//! `clippy.toml` forbids the types that would hold such memory.
//!
//! Functions that JavaScript calls at once throw errors with a `code`. Promises are never rejected but for faults of this library:
//! what can go wrong is in the report they resolve to.

// The attribute macro writes functions without doc comments.
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
#[cfg(not(target_family = "wasm"))]
mod own_thread;
mod provider;
mod recall;
mod result;
mod store;
#[cfg_attr(target_family = "wasm", path = "turns.rs")]
mod threads;
mod thrown;
mod tokens;
mod work;

#[cfg(not(target_family = "wasm"))]
use napi::bindgen_prelude::{Object, retain_current_module_for_unload_safety};
use napi_derive::napi;

#[cfg(not(any(target_family = "wasm", system_allocator)))]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator::new();

/// Node unloads an addon when the last environment that has loaded it ends. Our threads go on, so it has to stay.
#[cfg(not(target_family = "wasm"))]
#[napi(module_exports)]
#[allow(clippy::unnecessary_wraps, reason = "napi wants a result")]
pub fn stay(_exports: Object<'_>) -> napi::Result<()> {
    retain_current_module_for_unload_safety();
    Ok(())
}

/// The version of the addon, as in `Cargo.toml`.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
