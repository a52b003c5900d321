//! Asking models over HTTP.

pub mod fake_server;
mod faults;
mod success;
mod tls;
