//! Answers from a language model: the handler trait, its HTTP implementations, and prices.
//!
//! [`LlmHandler`] is all the rest of the crate sees. [`HttpHandler`] implements it for the Anthropic Messages API and for
//! OpenAI-compatible chat completions; a host can implement it on top of whatever it already has.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `handler` | what is asked and what comes back |
//! | `error` | everything that can go wrong, coded |
//! | `config` | the options of an HTTP handler, checked |
//! | `http` | one question: attempts, waiting, limits, cancellation |
//! | `protocol`, `anthropic`, `openai` | the two protocols, as pure functions of JSON |
//! | `sse` | bytes of a response to events, in bounded memory |
//! | `fault` | a status or an error body to an error |
//! | `retry` | how long to wait |
//! | `endpoint`, `tls`, `secret` | addresses, certificates, keys |
//! | `price` | tokens to dollars |

mod anthropic;
mod config;
mod endpoint;
mod error;
mod fault;
mod handler;
mod http;
mod openai;
mod price;
mod protocol;
mod retry;
mod secret;
mod sse;
mod tls;

pub use config::{Api, ConfigError, ConfigProblem, HttpConfig};
pub use error::{CallbackCause, Failure, LlmError, TimeoutPhase};
pub use handler::{
    LlmHandler, LlmMessage, LlmProgress, LlmRequest, LlmResponse, LlmRole, ProgressSink, StopReason, TokenUsage,
};
pub use http::HttpHandler;
pub use price::{
    ApiCost, LongContextPricing, ModelPrice, PriceTier, calculate_api_cost_anthropic, calculate_api_cost_openai,
};
pub use secret::ApiKey;
