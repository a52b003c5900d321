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
    Capabilities, CondenseError, Descriptor, Proposal, Provider, ProviderInfo, Request, Speed, State,
    pinned::{sparing_pins, with_bridges},
    tool_rules::limited,
};
use crate::{
    conversation::{Conversation, Edit, Plan, answers, calls},
    markers,
    options::{ConfigError, Field, Settings, Table, merged},
    protect::{FROZEN_MESSAGES, PROTECT, ProtectRules},
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

static TABLE: Table = Table::new(
    "Configuration of the truncation provider",
    &[
        Field::choice(
            "mode",
            &["content", "window"],
            "`content` cuts old tool results and parameters, `window` drops the oldest messages.",
        ),
        Field::choice(
            "strategy",
            &["auto", "salient", "head", "head_tail"],
            "Which lines stay: those most likely to be used again, the first ones, or the first and the last. `auto` is \
                      `salient` when there is a target and no limit of the other strategies is set, `head` otherwise.",
        ),
        Field::choice(
            "truncationMode",
            &["truncate", "suppress"],
            "Whether old results and parameters are cut or replaced by a note.",
        ),
        Field::integer("preserveRecentCount", 5, 1, 1000, "The newest messages that are never touched."),
        Field::integer(
            "maxToolResultLines",
            5,
            1,
            100_000,
            "Lines that stay of an old tool result. With a target and no value of its own, as many as fit.",
        ),
        Field::integer("maxLineChars", 500, 20, 1_000_000, "Characters that stay of each of those lines."),
        Field::integer(
            "maxToolParamChars",
            100,
            1,
            1_000_000,
            "Characters that stay of a long string in tool parameters. With a target and no value of its own, as many as fit.",
        ),
        Field::flag("preserveUserMessages", true, "Whether what the user wrote stays whole."),
        Field::flag("preserveAssistantText", true, "Whether what the assistant wrote stays whole."),
        Field::integer("minTokensForTruncation", 100, 0, 1_000_000, "Texts of fewer tokens are not touched."),
        TOOLS,
        PROTECT,
        FROZEN_MESSAGES,
    ],
);

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
    presets: &[],
    make: |config| Ok(Arc::new(Truncation::new(config)?)),
};

impl Truncation {
    /// The id it is registered under.
    pub const ID: &'static str = "truncation";

    /// Creates a provider with this configuration.
    ///
    /// # Errors
    /// Every wrong field.
    pub fn new(config: &Value) -> Result<Self, Vec<ConfigError>> {
        TABLE.read(config)?;
        Ok(Self { config: config.clone() })
    }
}

#[async_trait]
impl Provider for Truncation {
    fn info(&self) -> ProviderInfo {
        DESCRIPTOR.info()
    }

    fn config_schema(&self) -> Value {
        TABLE.schema()
    }

    fn validate_config(&self, config: &Value) -> Result<(), Vec<ConfigError>> {
        TABLE.read(config).map(drop)
    }

    fn may_repeat(&self) -> bool {
        true
    }

    fn protects(&self, config: &Value) -> ProtectRules {
        ProtectRules::in_config(&merged(&self.config, config))
    }

    fn tools(&self, config: &Value) -> ToolRows {
        ToolRows::in_config(&merged(&self.config, config))
    }

    async fn propose(&self, request: &Request) -> Result<Proposal, CondenseError> {
        let config = merged(&self.config, &request.config);
        let settings = TABLE.read(&config)?;
        if request.target_tokens.is_some() && request.meets_target(&request.tally) {
            return Ok(Proposal::default());
        }
        let request = &*request.with_tools(&ToolRows::of(&settings));
        let rules = limited(request, settings.integer("preserveRecentCount"));
        if rules.plan.is_empty() {
            return truncated(request, &settings);
        }
        let mut state = State::new(request.clone());
        state.apply(Self::ID, rules)?;
        let mut warnings = Vec::new();
        if !state.meets_target() {
            let mut rest = truncated(&state.request, &settings)?;
            warnings.append(&mut rest.warnings);
            state.apply(Self::ID, rest)?;
        }
        Ok(Proposal { warnings, ..state.into_proposal(request) })
    }
}

/// Applies the mode and strategy, and adds a note about dropped messages if nothing else mentions them.
fn truncated(request: &Request, settings: &Settings<'_>) -> Result<Proposal, CondenseError> {
    let proposal = cut(request, settings)?;
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
/// missed in any case, summaries stay, because they cover all that is dropped, and a note says that messages were
/// dropped.
fn beyond_target(request: &Request, mut proposal: Proposal) -> Result<Proposal, CondenseError> {
    let conversation = &request.conversation;
    // A message with a call or a result would stay there without the other half.
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
    // Everything that can go has gone before, and more work would only rewrite what is left.
    let is_smaller = measured(request, &proposal.plan)?.total() < request.tally.total();
    let mut proposal = if is_smaller { proposal } else { Proposal::default() };
    proposal.warnings.extend(target_missed(request, &proposal.plan)?);
    Ok(proposal)
}

fn meets_target(request: &Request, plan: &Plan) -> Result<bool, CondenseError> {
    Ok(request.target_tokens.is_none() || request.meets_target(&measured(request, plan)?))
}

/// Runs one mode or strategy.
fn cut(request: &Request, settings: &Settings<'_>) -> Result<Proposal, CondenseError> {
    match (settings.text("mode"), strategy(settings, request.target_tokens)) {
        ("window", _) => Ok(window::proposal(request, settings)),
        (_, "salient") => salient::proposal(request, settings),
        _ => ContentCut::new(request, &request.conversation.texts(), settings).propose(),
    }
}

/// Settings that limit how far `head` and `head_tail` cut and what they spare. A limit that the user sets must hold.
const LIMITS: &[&str] = &[
    "truncationMode",
    "maxToolResultLines",
    "maxLineChars",
    "maxToolParamChars",
    "preserveUserMessages",
    "preserveAssistantText",
];

/// Returns the strategy that a configuration selects.
fn strategy<'a>(settings: &Settings<'a>, target: Option<usize>) -> &'a str {
    // A suppressed text has no lines to choose from.
    let suppresses = settings.text("truncationMode") == "suppress";
    match settings.text("strategy") {
        "salient" if suppresses => "head",
        "auto" if target.is_some() && !LIMITS.iter().any(|limit| settings.is_given(limit)) => "salient",
        "auto" => "head",
        chosen => chosen,
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
