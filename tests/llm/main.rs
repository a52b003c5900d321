//! Providers that ask a model: requests over HTTP, summaries, and what must survive in them.

#[path = "../common/mod.rs"]
mod common;
mod hidden_characters;
mod http;
mod injected;
mod native;
mod summary_check;
mod thinking;
