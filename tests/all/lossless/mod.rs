//! The lossless provider.

mod histories;
mod operations;
mod properties;
mod snapshots;
mod speed;
mod support;
