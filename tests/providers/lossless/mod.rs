//! The lossless provider.

mod files;
mod operations;
mod properties;
mod snapshots;
mod support;
