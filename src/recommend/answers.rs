//! The answers on which a recommendation rests.

use crate::{
    llm::PriceFields,
    options::{Options, Table, Unread, flag, list, number, object, options, text, word},
    words::{Said, said},
};

/// Priorities, of which one matters most.
pub const PRIORITIES: &[&str] = &["simplicity", "zero_loss", "speed", "cost", "quality", "control"];
/// How much is to be configured.
pub const CONFIGURATIONS: &[&str] = &["none", "presets", "some", "custom", "per_message"];
/// Kinds of user.
pub const PROFILES: &[&str] = &["solo_developer", "startup_team", "enterprise_production", "research_compliance"];
/// Uses of the provider.
pub const SCENARIOS: &[&str] = &[
    "standard",
    "limited_budget",
    "critical_quality",
    "long_conversation",
    "local_development",
    "critical_production",
    "prototype",
    "compliance",
    "multi_tenant",
];

/// The options that say how many tokens must be removed.
const PERCENT: &str = "reductionPercent";
const TARGET: &str = "targetTokens";
const WINDOW: &str = "contextWindow";

const MEASURED: &str = "an array of { key, tokens, superseded, lost, names, edits, cost, exact, timeMs }";

options! {
    /// The answers given, and the facts known.
    #[derive(Default)]
    pub struct Answers: Table::titled("Answers")
        .called("answers")
        .null_is_absent()
        .interface("RecommendFields", "The fields of `RecommendAnswers` beside conversation and handler.");

    /// The thing that matters most.
    priority: Option<&'static str> = word(PRIORITIES).if_set(),
    /// Largest cost of one condensation in dollars.
    budget as "budgetPerCondensation": Option<f64> = number(0.0, f64::MAX).if_set(),
    /// Longest time of one condensation in milliseconds.
    latency_ms as "maxLatencyMs": Option<f64> = number(0.0, f64::MAX).if_set(),
    /// Acceptable loss of information in percent.
    loss as "acceptableLoss": Option<f64> = number(0.0, 100.0).if_set(),
    /// Share of the tokens to remove in percent.
    reduction_percent: Option<f64> = number(0.0, 100.0).if_set(),
    /// How much you want to configure.
    configuration: Option<&'static str> = word(CONFIGURATIONS).if_set(),
    /// The kind of user.
    profile as "userProfile": Option<&'static str> = word(PROFILES).if_set(),
    /// The purpose.
    scenario: Option<&'static str> = word(SCENARIOS).if_set(),
    /// Whether there is a handler. Default: whether `handler` is usable; unknown without it.
    has_handler: Option<bool> = flag().if_set(),
    /// The model's context window in tokens. A conversation that fills more than half of it gets a target: half of the
    /// window, with `recall` a tenth, unless removing only what is repeated or was replaced leaves room enough.
    context_window: Option<f64> = number(1.0, f64::MAX).if_set(),
    /// Tokens that the advice leaves of that window (js/advice.js).
    window_target: Option<f64> = number(0.0, f64::MAX).if_set().internal(),
    /// Largest number of tokens to leave.
    target_tokens: Option<f64> = number(0.0, f64::MAX).if_set(),
    /// Tokens of the conversation.
    tokens: Option<f64> = number(0.0, f64::MAX).if_set().internal(),
    /// The price of the conversation's own model, if the handler does not know it.
    price: Unread = object::<PriceFields>().unread().typed_as("ModelPrice"),
    /// The measurements of the conversation.
    measured: Vec<Measured> = list(&object(), MEASURED).or_default().internal(),
}

/// The answers that hosts write.
pub const TABLE: &Table = Answers::TABLE;

options! {
    /// The measurement of a candidate.
    pub struct Measured: Table::titled("measured");

    /// The candidate.
    key: String = text().required(),
    /// Tokens that it leaves.
    tokens: f64 = number(0.0, f64::MAX).required(),
    /// Tokens that newer messages replaced.
    superseded: f64 = number(0.0, f64::MAX).or_default(),
    /// Tokens that can be read nowhere any more.
    lost: f64 = number(0.0, f64::MAX).or_default(),
    /// The share of names used next that can still be read, at cuts of the conversation.
    names: Option<f64> = number(0.0, 1.0).if_set(),
    /// The share of passages edited next that stand whole.
    edits: Option<f64> = number(0.0, 1.0).if_set(),
    /// Dollars; infinite where what a model costs is not known.
    cost: f64 = number(0.0, f64::MAX).or(f64::INFINITY),
    /// Whether all of it was tried.
    exact: bool = flag().or(true),
    /// Milliseconds.
    time_ms: Option<f64> = number(0.0, f64::MAX).if_set(),
}

/// Names the source of the required reduction, for people.
pub fn source_of(option: &str) -> Said {
    match option {
        PERCENT => said!("source.reduction"),
        TARGET => said!("source.target"),
        _ => said!("source.window"),
    }
}

impl Answers {
    /// Returns the percentage of tokens to remove, and the answer from which it follows.
    pub fn reduction(&self) -> Option<(f64, &'static str)> {
        if let Some(percent) = self.reduction_percent {
            return Some((percent, PERCENT));
        }
        let tokens = self.tokens.filter(|tokens| *tokens > 0.0)?;
        let needed = |left: f64| 100.0 * (1.0 - left / tokens).max(0.0);
        if let Some(target) = self.target_tokens {
            return Some((needed(target), TARGET));
        }
        Some((needed(self.window_target?), WINDOW))
    }

    /// Returns the option that sets a target but has no effect, because the conversation's size is not known.
    pub fn unused(&self) -> Option<&'static str> {
        let sizes = [(TARGET, self.target_tokens.is_some()), (WINDOW, self.context_window.is_some())];
        let cannot_apply = |is_set: bool| is_set && self.tokens.is_none() && self.reduction_percent.is_none();
        sizes.into_iter().find(|(_, is_set)| cannot_apply(*is_set)).map(|(name, _)| name)
    }

    /// Returns the measurement of a candidate.
    pub fn measurement(&self, key: &str) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.key == key)
    }

    /// Returns the percentage of tokens that a candidate loses: no longer readable, and not replaced by a newer
    /// message.
    pub fn loses(&self, key: &str) -> Option<f64> {
        let tokens = self.tokens.filter(|tokens| *tokens > 0.0)?;
        Some(100.0 * self.measurement(key)?.lost / tokens)
    }

    /// Returns the percentage of this conversation's tokens that a candidate removes.
    pub fn removes(&self, key: &str) -> Option<f64> {
        let tokens = self.tokens.filter(|tokens| *tokens > 0.0)?;
        Some(100.0 * (1.0 - self.measurement(key)?.tokens / tokens).max(0.0))
    }
}
