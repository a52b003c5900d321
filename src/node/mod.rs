//! The Node binding: the only place that names napi.

use napi_derive::napi;

/// The version of the addon, as in `Cargo.toml`.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
