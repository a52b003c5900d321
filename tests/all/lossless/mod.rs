//! The lossless provider.

mod operations;
mod properties;
mod snapshots;
mod support;
