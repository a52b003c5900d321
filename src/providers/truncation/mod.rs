//! The truncation provider: cuts old tool results and parameters, or drops the oldest messages. Calls no model.

mod content;
pub(super) mod cut;
mod gap;
mod salient;
mod search;
mod window;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use self::{content::ContentCut, gap::with_note_of_gap};
use super::{
    Capabilities, CondenseError, Descriptor, Proposal, Provider, Request, Speed, State,
    pinned::{sparing_pins, with_bridges},
    tool_rules::limited,
};
use crate::{
    conversation::{Conversation, Edit, Plan, answers, calls},
    markers,
    options::{ConfigError, Given, Options, Table, Unread, choice, flag, merged, options, whole, words},
    protect::{FROZEN_MESSAGES, PROTECT},
    tokens::Tally,
    transcript::{TOOLS, ToolRows},
    warning::{Warning, WarningCode},
    words::said,
};

/// Cuts old content. Between the first message and the newest ones, it cuts tool results to some lines and long
/// strings in tool parameters to some characters (`mode: "content"`), or drops the oldest half (`mode: "window"`).
pub struct Truncation {
    config: Value,
}

words! {
    /// A way to truncate.
    enum Mode { Content = "content", Window = "window" }
}

words! {
    /// Which lines are kept.
    enum Strategy { Auto = "auto", Salient = "salient", Head = "head", HeadTail = "head_tail" }
}

words! {
    /// A treatment of old results and parameters.
    enum TruncationMode { Truncate = "truncate", Suppress = "suppress" }
}

options! {
    /// The configuration.
    struct TruncationConfig: Table::titled("Configuration of the truncation provider").interface("TruncationConfig", "Configuration of the truncation provider.");

    /// `content` cuts old tool results and parameters, `window` drops the oldest messages.
    mode: Mode = choice().or_first(),
    /// Which lines stay: those most likely to be used again, the first ones, or the first and the last. `auto` is `salient` when there is a target and no
    /// limit of the other strategies is set, `head` otherwise.
    ///
    /// The limits of the others are `truncationMode`, `maxToolResultLines`, `maxLineChars`, `maxToolParamChars`, `preserveUserMessages` and
    /// `preserveAssistantText`. With `truncationMode: "suppress"`, `salient` means `head`.
    strategy: Strategy = choice().or_first(),
    /// Whether old results and parameters are cut or replaced by a note.
    ///
    /// Not for `salient`.
    truncation_mode: Given<TruncationMode> = choice().or_first().with_presence(),
    /// The newest messages that stay whole; with a target, they are cut if it cannot be met otherwise.
    preserve_recent_count: usize = whole(1, 1000).or(5),
    /// Lines that stay of an old tool result. With a target and no value of its own, as many as fit.
    ///
    /// `salient` uses it only without a target.
    max_tool_result_lines: Given<usize> = whole(1, 100_000).or(5).with_presence(),
    /// Characters that stay of each of those lines.
    ///
    /// Not for `salient`.
    max_line_chars: Given<usize> = whole(20, 1_000_000).or(500).with_presence(),
    /// Characters that stay of a long string in tool parameters. With a target and no value of its own, as many as fit.
    ///
    /// Not for `salient`, which shortens parameters only if a target requires it.
    max_tool_param_chars: Given<usize> = whole(1, 1_000_000).or(100).with_presence(),
    /// Whether what the user wrote stays whole.
    ///
    /// Not for `salient`, which shortens it only if a target cannot be met otherwise.
    preserve_user_messages: Given<bool> = flag().or(true).with_presence(),
    /// Whether what the assistant wrote stays whole.
    ///
    /// Not for `salient`, which shortens it only if there is a target.
    preserve_assistant_text: Given<bool> = flag().or(true).with_presence(),
    /// Texts of fewer tokens are not touched.
    ///
    /// `salient` uses it only without a target.
    min_tokens_for_truncation: usize = whole(0, 1_000_000).or(100),
    tools: ToolRows = TOOLS,
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

/// The descriptor of this provider.
pub const DESCRIPTOR: Descriptor = Descriptor {
    id: Truncation::ID,
    name: "called.truncation",
    about: "does.truncation",
    factory: "createTruncationProvider",
    capabilities: Capabilities {
        supports_lossy: true,
        supports_truncation: true,
        supports_fallback: true,
        is_free: true,
        estimated_speed: Speed::Fast,
        ..Capabilities::NONE
    },
    table: || TruncationConfig::TABLE,
    presets: &[],
    make: |config| Ok(Arc::new(Truncation::new(config)?)),
};

impl Truncation {
    /// The id it is registered under.
    pub const ID: &'static str = "truncation";

    /// Creates a provider with this configuration.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        TruncationConfig::read(config)?;
        Ok(Self { config: config.clone() })
    }
}

#[async_trait]
impl Provider for Truncation {
    fn built_in(&self) -> Option<(&'static Descriptor, &Value)> {
        Some((&DESCRIPTOR, &self.config))
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        TruncationConfig::read(config).map(drop)
    }

    fn may_repeat(&self) -> bool {
        true
    }

    async fn propose(&self, request: &Request, config: &Value) -> Result<Proposal, CondenseError> {
        let config = TruncationConfig::read(&merged(&self.config, config))?;
        if request.target_tokens.is_some() && request.meets_target(&request.tally) {
            return Ok(Proposal::default());
        }
        let request = &*request.with_tools(&config.tools);
        // Pointers that are repaired when the plan settles may take more tokens than were estimated.
        let unfinished = request.target_tokens.is_some();
        let rules = limited(request, config.preserve_recent_count);
        if rules.plan.is_empty() {
            return Ok(Proposal { unfinished, ..truncated(request, &config)? });
        }
        let mut state = State::new(request.clone());
        state.apply(Self::ID, rules)?;
        let mut warnings = Vec::new();
        if !state.meets_target() {
            let mut rest = truncated(&state.request, &config)?;
            warnings.append(&mut rest.warnings);
            state.apply(Self::ID, rest)?;
        }
        Ok(Proposal { warnings, unfinished, ..state.into_proposal(request) })
    }
}

/// Applies mode and strategy, and notes what they leave out if nothing else says so.
fn truncated(request: &Request, config: &TruncationConfig) -> Result<Proposal, CondenseError> {
    let proposal = cut(request, config)?;
    if request.target_tokens.is_none() || proposal.plan.is_empty() {
        return Ok(proposal);
    }
    if !meets_target(request, &proposal.plan)? {
        return beyond_target(request, proposal);
    }
    let with_note = with_note_of_gap(&request.conversation, &proposal);
    Ok(match with_note {
        Some(with_note) if meets_target(request, &with_note.plan)? => with_note,
        _ => proposal,
    })
}

/// Truncates when the first message, the newest ones and the system prompt alone exceed the target. As the target is
/// missed in any case, summaries are kept, because they cover the dropped messages. A note says that messages were
/// dropped.
fn beyond_target(request: &Request, mut proposal: Proposal) -> Result<Proposal, CondenseError> {
    let conversation = &request.conversation;
    // A message with a call or a result would remain without its other half.
    let is_summary = |message: usize| {
        let message = conversation.message(message);
        markers::is_summary(message) && calls(message).is_empty() && answers(message).is_empty()
    };
    if (0..conversation.len()).any(is_summary) {
        let touches = |edit: &Edit| matches!(edit, Edit::Set { message, .. } | Edit::Drop { message } | Edit::DropBlock { message, .. } if is_summary(*message));
        proposal.plan.edits.retain(|edit| !touches(edit));
        proposal.notes.retain(|note| !is_summary(note.message));
        proposal.pointers_checked = false;
    }
    proposal.plan = with_bridges(proposal.plan, conversation);
    proposal = with_note_of_gap(conversation, &proposal).unwrap_or(proposal);
    // Everything that can be removed was removed before, and further work would only rewrite the rest.
    let is_smaller = measured(request, &proposal.plan)?.total() < request.tally.total();
    let mut proposal = if is_smaller { proposal } else { Proposal::default() };
    proposal.warnings.extend(target_missed(request, &proposal.plan)?);
    Ok(proposal)
}

fn meets_target(request: &Request, plan: &Plan) -> Result<bool, CondenseError> {
    Ok(request.target_tokens.is_none() || request.meets_target(&measured(request, plan)?))
}

/// Returns the proposal of the configured mode and strategy.
fn cut(request: &Request, config: &TruncationConfig) -> Result<Proposal, CondenseError> {
    match (config.mode, config.effective_strategy(request.target_tokens)) {
        (Mode::Window, _) => Ok(window::proposal(request, config)),
        (Mode::Content, Strategy::Salient) => salient::proposal(request, config),
        _ => ContentCut::new(request, &request.conversation.texts(), config).propose(),
    }
}

impl TruncationConfig {
    /// Returns true if the configuration sets a limit of `head` and `head_tail`, which then applies.
    fn limits(&self) -> bool {
        self.truncation_mode.is_given
            || self.max_tool_result_lines.is_given
            || self.max_line_chars.is_given
            || self.max_tool_param_chars.is_given
            || self.preserve_user_messages.is_given
            || self.preserve_assistant_text.is_given
    }

    fn suppresses(&self) -> bool {
        self.truncation_mode.value == TruncationMode::Suppress
    }

    /// Returns the effective strategy.
    fn effective_strategy(&self, target: Option<usize>) -> Strategy {
        match self.strategy {
            // A suppressed text has no lines to choose from.
            Strategy::Salient if self.suppresses() => Strategy::Head,
            Strategy::Auto if target.is_some() && !self.limits() => Strategy::Salient,
            Strategy::Auto => Strategy::Head,
            chosen => chosen,
        }
    }
}

/// Returns a warning if a plan leaves more than the target.
fn target_missed(request: &Request, plan: &Plan) -> Result<Option<Warning>, CondenseError> {
    let Some(target) = request.target_tokens else { return Ok(None) };
    let left = measured(request, plan)?;
    if request.meets_target(&left) {
        return Ok(None);
    }
    let said = said!("warning.leastLeaves", tokens: request.scaled(&left), target: target);
    Ok(Some(Warning::new(WarningCode::TargetNotMet, said)))
}

/// Returns the tally after the part of `plan` that pins allow.
fn measured(request: &Request, plan: &Plan) -> Result<Tally, CondenseError> {
    let spared = sparing_pins(plan, &request.conversation);
    let after = apply(&request.conversation, spared.as_ref().unwrap_or(plan))?;
    Ok(request.tally.recount(&request.conversation, &after, &request.cancel)?)
}

fn apply(conversation: &Conversation, plan: &Plan) -> Result<Conversation, CondenseError> {
    conversation.apply(plan).map_err(|source| CondenseError::InvalidPlan { provider: Truncation::ID.into(), source })
}
