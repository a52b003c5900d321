//! Requests to a language model: the handler trait, its HTTP implementations, and prices.
//!
//! The rest of the crate sees only [`LlmHandler`]. [`HttpHandler`] implements it for the Anthropic Messages API and
//! for OpenAI-compatible chat completions; a host can implement it with what it already has.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `handler` | the request and its response |
//! | `llm_error` | all errors, with codes |
//! | `config`, `price_options` | the options of handlers and prices, checked |
//! | `http` | one request: attempts, waits, limits, cancellation |
//! | `api`, `protocol` | the two protocols behind one interface |
//! | `anthropic`, `openai` | one protocol each, as pure functions of JSON |
//! | `answer`, `usage` | a response as it is read, and its usage |
//! | `quirks` | how servers deviate from the protocol |
//! | `sse` | turns bytes of a response into events, in bounded memory |
//! | `service_error` | recognises the errors of many services |
//! | `fault` | turns a status and an error body into an error |
//! | `retry` | waits between attempts |
//! | `endpoint`, `proxy`, `tls`, `secret` | addresses, proxies, certificates, keys |
//! | `price` | converts tokens to dollars |
//!
//! WebAssembly has no sockets: there, hosts bring their own handlers, and HTTP code is not compiled.

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
pub use config::{CallbackConfig, HttpConfig, TABLES as HANDLER_TABLES};
pub use handler::{LlmHandler, LlmMessage, LlmProgress, LlmRequest, LlmResponse, LlmRole, ProgressSink, StopReason};
pub use host_request::HostRequest;
#[cfg(not(target_family = "wasm"))]
pub use http::HttpHandler;
pub use llm_error::{CallbackCause, Failure, LlmError, LlmErrorKind, TimeoutPhase};
pub use price::{LongContextPricing, ModelPrice, PriceTier, Prices, as_dollars};
pub use price_options::PriceFields;
pub use secret::ApiKey;
pub use usage::{TokenUsage, Unreported};
