//! Condenses the conversations of coding agents, so that they continue to fit the model's context window.
//!
//! Data flows one way: JavaScript → `node` → `manager` → `providers` → a plan of edits → applied in
//! `conversation` → back to JavaScript.
//!
//! | module | what it holds | knows |
//! | --- | --- | --- |
//! | `cancel` | the signal that stops work early | nobody |
//! | `progress` | progress events for listeners | nobody |
//! | `parallel` | large work on all cores | nobody |
//! | `words` | texts for people: a code and values, and English made from them | nobody |
//! | `warning` | warnings about a call that did not fail | `words` |
//! | `options` | options as tables: all errors with their paths, defaults, JSON Schema | nobody |
//! | `conversation` | messages, blocks, content kinds, plans and their application, shape rules, recipes for old texts | `parallel` |
//! | `output` | the form of output lines: failures, and lines of one shape | `conversation`, `tokens` |
//! | `formats` | histories in the formats of other APIs, both ways | `conversation` |
//! | `tokens` | counting and its cache | `conversation` |
//! | `transcript` | what happened: tool calls of every dialect read as events | `conversation`, `options` |
//! | `protect` | the caller's protection rules, and the content that they pin | `transcript`, `options` |
//! | `markers` | writes and recognises the text that replaces left-out or summarised content | `conversation` |
//! | `restore` | resolves pointers, writes recipes for old texts, and decides how a condensation is undone | `conversation`, `formats`, `markers` |
//! | `story` | quotations of messages that are left out | `diff`, `output`, `transcript`, `tokens`, `markers` |
//! | `salience` | selects the content that is likely to be used again | `story`, `transcript`, `tokens`, `markers`, `restore` |
//! | `result` | one new tool result, shortened before it enters a conversation | `salience`, `output`, `story`, `transcript`, `tokens`, `markers`, `restore` |
//! | `inspect` | the composition of a conversation, for people: tokens by kind, tool and file, and content that says nothing new | `transcript`, `tokens`, `markers` |
//! | `recall` | finds and reads content that is no longer in view | `conversation`, `formats`, `markers`, `tokens`, `transcript` |
//! | `statistics` | means, their confidence intervals, and whether two of them differ | nobody |
//! | `dollars` | amounts in sentences that compare them | nobody |
//! | `diff` | line differences between two texts, or two versions of a message | `conversation` |
//! | `json_file` | where a text stops being JSON, and JSON written back with little changed, for the command line | nobody |
//! | `llm` | the handler trait, transports, streams, retries, prices | nobody |
//! | `summaries` | summaries by a model: prompts, parts, cache, budget, estimates | `conversation`, `tokens`, `markers`, `llm` |
//! | `providers` | the algorithms: each turns a conversation into a plan | all above |
//! | `strategies` | providers made of others: which run, in which order, within which budget | all above |
//! | `manager` | registry, trigger, fallback, budget, metrics | all above |
//! | `recommend` | recommends a provider, by rules and measurements | `options` |
//! | `node` | the only place that names napi | all above |

#![cfg_attr(
    any(not(feature = "node"), target_family = "wasm"),
    allow(
        dead_code,
        unused_imports,
        reason = "part of the crate serves the addon alone, or HTTP; with both, the compiler names what nobody uses"
    )
)]

mod by_hash;
mod cancel;
mod conversation;
mod diff;
mod dollars;
mod formats;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod inspect;
#[cfg(any(feature = "node", test, fuzzing))]
mod json_file;
mod llm;
mod manager;
mod maps;
mod markers;
mod options;
mod output;
mod parallel;
mod progress;
mod protect;
mod providers;
mod recall;
mod recommend;
mod restore;
mod result;
mod salience;
mod statistics;
mod story;
mod strategies;
mod summaries;
#[cfg(test)]
mod tests {
    mod result_types;
}
mod tokens;
mod transcript;
mod warning;
mod words;

#[cfg(feature = "node")]
#[cfg_attr(test, allow(dead_code, reason = "napi exports nothing in a test build"))]
mod node;

#[cfg(not(target_family = "wasm"))]
pub use crate::llm::HttpHandler;
// The public interface for Rust programs, including the tests and benchmarks. Everything else is private, so that the
// compiler reports unused code.
pub use crate::{
    cancel::{Cancel, Cancelled},
    conversation::{
        Block, Content, ContentKind, Conversation, Edit, Inserted, Message, NewValue, NotAnArray, PathStep, Plan,
        PlanError, Problem, Role, problems,
    },
    diff::{DiffLimits, DiffLine, Hunk, LineKind, TextDiff, message_diff},
    formats::{Carried, FORMATS, ForeignEdit, Format, NotCarried, Projection, edited, named as format_named},
    inspect::{Anatomy, FileUsage, Kind, KindTokens, LargeBlock, MessageAnatomy, ToolUsage, Waste, WasteItem},
    llm::{
        Api, ApiKey, HttpConfig, LlmError, LlmErrorKind, LlmHandler, LlmMessage, LlmProgress, LlmRequest, LlmResponse,
        LlmRole, ModelPrice, Prices, ProgressSink, StopReason, TimeoutPhase, TokenUsage, Unreported,
    },
    manager::{
        CallOptions, ContextUsage, InForce, InspectOptions, Inspection, Manager, ManagerOptions, Metrics,
        MoneyDecision, Preparation, Report, Trial, Work, condense_with,
    },
    options::ConfigError,
    progress::{Progress, ProgressEvent},
    providers::{
        Binding, Call, Capabilities, Choice, CondenseError, Grade, HostCall, Note, Proposal, Provider, ProviderInfo,
        Registry, Request, Settled, Thinking, ThinkingRule, settle,
    },
    recommend::{Alternative, Recommendation, Told, recommend},
    restore::{Expanded, Unresolved, decode, expand},
    strategies::{BUILT_IN as BUILT_IN_PROVIDERS, UserDirectory, create as create_provider, create_with},
    summaries::{Llm, StoreError, SummaryStore},
    tokens::{
        Encoding, Tally, clear_cache, count as count_tokens, count_all, count_uncached, truncate_start_to_tokens,
        truncate_to_tokens,
    },
    transcript::{
        Action, CallOutcome, Event, Excerpt, FileChange, Meaning, ParameterRole, PieceSource, Place, Span, Tool,
        ToolRows, ToolTable, Transcript, decompose, read as read_transcript,
    },
    warning::{Warning, WarningCode},
    words::Said,
};
