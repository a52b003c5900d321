//! Condenses the conversations of coding agents so that they keep fitting the model's context window.
//!
//! Data flows one way: JavaScript → [`node`](crate) → [`manager`] → [`providers`] → a plan of edits → applied in
//! [`conversation`] → back to JavaScript.
//!
//! | module | what it holds | knows |
//! | --- | --- | --- |
//! | [`cancel`] | the signal that stops work early | nobody |
//! | [`progress`] | tells whoever listens how the work goes | nobody |
//! | [`parallel`] | large work on all cores | nobody |
//! | [`warning`] | what the caller should know of a call that did not fail | nobody |
//! | [`options`] | what may stand in options, as tables: all faults with their paths, defaults, JSON Schema | nobody |
//! | [`conversation`] | messages, blocks, content kinds, plans and how they are applied, shape rules, recipes for old texts | `parallel` |
//! | [`tokens`] | counting and its cache | `conversation` |
//! | [`transcript`] | what happened: tool calls of every dialect read as events | `conversation` |
//! | [`markers`] | what a model reads where something was left out or summarised, written and recognised | `conversation` |
//! | [`restore`] | what pointers stand for, and recipes for old texts, found by following them | `conversation`, `markers` |
//! | `salience` | what is likely to be used again | `transcript`, `tokens`, `markers` |
//! | `json_file` | where a text stops being JSON, and JSON written back with little changed, for the command line | nobody |
//! | [`llm`] | the handler trait, transports, streams, retries, prices | nobody |
//! | [`summaries`] | asking a model for summaries: questions, parts, store, budget, estimates | `conversation`, `tokens`, `markers`, `llm` |
//! | [`providers`] | strategies, each turns a conversation into a plan | all above |
//! | [`manager`] | registry, trigger, fallback, budget, metrics | `providers` |
//! | `node` | the only place that names napi | all above |

pub mod cancel;
pub mod conversation;
#[cfg(any(feature = "node", test))]
mod json_file;
pub mod llm;
pub mod manager;
pub mod markers;
pub mod options;
pub mod parallel;
pub mod progress;
pub mod providers;
pub mod restore;
mod salience;
pub mod summaries;
pub mod tokens;
pub mod transcript;
pub mod warning;

#[cfg(feature = "node")]
#[cfg_attr(test, allow(dead_code, reason = "napi exports nothing in a test build"))]
mod node;
