//! The condensation algorithms. Each turns a conversation into a plan.
//!
//! A new provider is a file here with a type that implements [`Provider`], and a [`Descriptor`] listed in
//! [`DESCRIPTORS`]. Strategies, which are made of providers, are in `src/strategies`.

mod call_record;
mod choices;
mod condense_error;
mod descriptor;
mod edited;
mod fold;
mod host_result;
mod lossless;
mod middle;
mod native;
mod pass_report;
mod pinned;
mod proposal;
mod provider;
mod request;
mod runner;
mod seams;
mod settle;
mod smart;
mod stubs;
mod thinking;
mod tool_rules;
mod truncation;
mod turn;
mod upkeep;

pub use self::{
    call_record::CallRecord,
    choices::Choice,
    condense_error::CondenseError,
    descriptor::{Descriptor, Make, with_id},
    host_result::{Returned, proposal_of},
    lossless::Lossless,
    middle::quality::SummaryQuality,
    native::Native,
    pass_report::{PassReport, PassTimer},
    proposal::{Change, Grade, Note, Proposal, Settled},
    provider::{Capabilities, Provider, ProviderInfo, Registry, Speed},
    request::{Call, HostCall, Refusal, Request, Subject},
    runner::{State, Step},
    settle::settle,
    smart::{CALIBRATE_TABLE, Smart},
    thinking::{Binding, Thinking, ThinkingOutcome, ThinkingRule, WithoutThinking},
    truncation::Truncation,
    turn::{
        AcceptAll, Acceptance, CallTimer, Task, Turn, look_again, milliseconds, panic_message, take_over, take_turn,
    },
};

/// The descriptors of the providers in this module.
pub const DESCRIPTORS: &[Descriptor] =
    &[native::DESCRIPTOR, smart::DESCRIPTOR, lossless::DESCRIPTOR, truncation::DESCRIPTOR];
