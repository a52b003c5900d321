//! Answers from a language model: the handler trait, its HTTP implementations, and prices.
//!
//! [`LlmHandler`] is all the rest of the crate sees. [`HttpHandler`] implements it for the Anthropic Messages API and for
//! OpenAI-compatible chat completions; a host can implement it on top of whatever it already has.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `handler` | what is asked and what comes back |
//! | `llm_error` | everything that can go wrong, coded |
//! | `config`, `price_options` | the options of handlers and prices, checked |
//! | `http` | one question: attempts, waiting, limits, cancellation |
//! | `api`, `protocol` | the two protocols behind one face |
//! | `anthropic`, `openai` | one protocol each, as pure functions of JSON |
//! | `answer`, `usage` | what has come of an answer, and what it used |
//! | `quirks` | how servers depart from the protocol |
//! | `sse` | bytes of a response to events, in bounded memory |
//! | `service_error` | errors in the words of many services |
//! | `fault` | a status and an error body to an error |
//! | `retry` | how long to wait |
//! | `endpoint`, `proxy`, `tls`, `secret` | addresses, proxies, certificates, keys |
//! | `price` | tokens to dollars |
//!
//! WebAssembly has no sockets: there, hosts bring their own handlers, and what speaks HTTP is left out.

#[cfg(not(target_family = "wasm"))]
mod answer;
#[cfg(not(target_family = "wasm"))]
mod anthropic;
mod api;
mod config;
mod endpoint;
#[cfg(not(target_family = "wasm"))]
mod fault;
#[cfg(any(test, fuzzing))]
mod fuzzing;
mod handler;
mod host_request;
#[cfg(not(target_family = "wasm"))]
mod http;
mod llm_error;
#[cfg(not(target_family = "wasm"))]
mod openai;
mod price;
mod price_options;
#[cfg(not(target_family = "wasm"))]
mod protocol;
#[cfg(not(target_family = "wasm"))]
mod proxy;
#[cfg(not(target_family = "wasm"))]
mod quirks;
#[cfg(not(target_family = "wasm"))]
mod retry;
mod secret;
mod service_error;
#[cfg(not(target_family = "wasm"))]
mod sse;
#[cfg(not(target_family = "wasm"))]
mod tls;
mod usage;

#[cfg(any(test, fuzzing))]
pub(crate) use fuzzing::{take_in_stream, take_in_whole};

pub use api::Api;
pub use config::{CallbackConfig, HttpConfig};
pub use handler::{LlmHandler, LlmMessage, LlmProgress, LlmRequest, LlmResponse, LlmRole, ProgressSink, StopReason};
pub use host_request::HostRequest;
#[cfg(not(target_family = "wasm"))]
pub use http::HttpHandler;
pub use llm_error::{CallbackCause, Failure, LlmError, LlmErrorKind, TimeoutPhase};
pub use price::{LongContextPricing, ModelPrice, PriceTier, Prices, as_dollars};
pub use price_options::PriceFields;
pub use secret::ApiKey;
pub use usage::{TokenUsage, Unreported};
