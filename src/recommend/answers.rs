//! The answers on which a recommendation rests.

use serde_json::Value;

use crate::{
    llm::PriceFields,
    options::{ConfigError, Converted, Options, Table, Unread, flag, list, number, object, options, text, word},
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
    /// The answers as hosts write them.
    struct AnswerFields: Table::titled("Answers")
        .called("answers")
        .null_is_absent()
        .interface("RecommendFields", "The fields of `RecommendAnswers` beside conversation and handler.");

    /// The thing that matters most.
    priority: Option<&'static str> = word(PRIORITIES).if_set(),
    /// Largest cost of one condensation in dollars.
    budget_per_condensation: Option<f64> = number(0.0, f64::MAX).if_set(),
    /// Longest time of one condensation in milliseconds.
    max_latency_ms: Option<f64> = number(0.0, f64::MAX).if_set(),
    /// Acceptable loss of information in percent.
    acceptable_loss: Option<f64> = number(0.0, 100.0).if_set(),
    /// Share of the tokens to remove in percent.
    reduction_percent: Option<f64> = number(0.0, 100.0).if_set(),
    /// How much you want to configure.
    configuration: Option<&'static str> = word(CONFIGURATIONS).if_set(),
    /// The kind of user.
    user_profile: Option<&'static str> = word(PROFILES).if_set(),
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
    measured: Vec<Measured> = list(&object().read_as(), MEASURED).or_default().internal(),
}

/// The answers that hosts write.
pub const TABLE: &Table = AnswerFields::TABLE;

options! {
    /// The measurement of a candidate as hosts write it.
    pub struct MeasuredFields: Table::titled("measured");

    /// The candidate.
    key: String = text().required(),
    /// Tokens that it leaves.
    tokens: f64 = number(0.0, f64::MAX).required(),
    /// Tokens that newer messages replaced.
    superseded: f64 = number(0.0, f64::MAX).or_default(),
    /// Tokens that can be read nowhere any more.
    lost: f64 = number(0.0, f64::MAX).or_default(),
    /// The share of names used next that can still be read.
    names: Option<f64> = number(0.0, 1.0).if_set(),
    /// The share of passages edited next that stand whole.
    edits: Option<f64> = number(0.0, 1.0).if_set(),
    /// Dollars; absent where what a model costs is not known.
    cost: Option<f64> = number(0.0, f64::MAX).if_set(),
    /// Whether all of it was tried.
    exact: bool = flag().or(true),
    /// Milliseconds.
    time_ms: Option<f64> = number(0.0, f64::MAX).if_set(),
}

/// The answers given, and the facts known.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    pub priority: Option<String>,
    pub budget: Option<f64>,
    pub latency_ms: Option<f64>,
    pub loss: Option<f64>,
    pub configuration: Option<String>,
    pub profile: Option<String>,
    pub scenario: Option<String>,
    pub has_handler: Option<bool>,
    /// Percent of the tokens that have to go, and where that is known from.
    pub reduction: Option<(f64, &'static str)>,
    /// The option that sets a target but cannot apply, because the conversation's size is not known.
    pub unused: Option<&'static str>,
    pub tokens: Option<f64>,
    pub measured: Vec<Measured>,
}

/// A candidate's result on the conversation.
#[derive(Debug, Clone)]
pub struct Measured {
    pub key: String,
    pub tokens: f64,
    pub superseded: f64,
    pub lost: f64,
    /// Shares of what came next, at cuts of the conversation; `None` where nothing is known of them.
    pub names: Option<f64>,
    pub edits: Option<f64>,
    /// Dollars; infinite where what a model costs is not known.
    pub cost: f64,
    pub exact: bool,
    pub time_ms: Option<f64>,
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
    /// Reads them from JSON.
    ///
    /// # Errors
    /// Every fault.
    pub fn read(answers: &Value) -> Result<Self, Vec<ConfigError>> {
        let answers = AnswerFields::read(answers)?;
        let AnswerFields { tokens, reduction_percent, target_tokens, context_window, .. } = answers;
        let cannot_apply = |is_set: bool| is_set && tokens.is_none() && reduction_percent.is_none();
        let sizes = [(TARGET, target_tokens.is_some()), (WINDOW, context_window.is_some())];
        Ok(Self {
            reduction: reduction(&answers),
            unused: sizes.into_iter().find(|(_, is_set)| cannot_apply(*is_set)).map(|(name, _)| name),
            priority: answers.priority.map(str::to_owned),
            budget: answers.budget_per_condensation,
            latency_ms: answers.max_latency_ms,
            loss: answers.acceptable_loss,
            configuration: answers.configuration.map(str::to_owned),
            profile: answers.user_profile.map(str::to_owned),
            scenario: answers.scenario.map(str::to_owned),
            has_handler: answers.has_handler,
            tokens,
            measured: answers.measured,
        })
    }

    /// Returns the measurement of a candidate.
    pub fn measurement(&self, key: &str) -> Option<&Measured> {
        self.measured.iter().find(|measured| measured.key == key)
    }

    /// Percent of the tokens that can be read nowhere after a candidate, and were not replaced by newer.
    pub fn loses(&self, key: &str) -> Option<f64> {
        let tokens = self.tokens.filter(|tokens| *tokens > 0.0)?;
        Some(100.0 * self.measurement(key)?.lost / tokens)
    }

    /// Percent of the tokens that a candidate removes of this conversation.
    pub fn removes(&self, key: &str) -> Option<f64> {
        let tokens = self.tokens.filter(|tokens| *tokens > 0.0)?;
        Some(100.0 * (1.0 - self.measurement(key)?.tokens / tokens).max(0.0))
    }
}

fn reduction(answers: &AnswerFields) -> Option<(f64, &'static str)> {
    if let Some(percent) = answers.reduction_percent {
        return Some((percent, PERCENT));
    }
    let tokens = answers.tokens.filter(|tokens| *tokens > 0.0)?;
    let needed = |left: f64| 100.0 * (1.0 - left / tokens).max(0.0);
    if let Some(target) = answers.target_tokens {
        return Some((needed(target), TARGET));
    }
    Some((needed(answers.window_target?), WINDOW))
}

impl Converted for Measured {
    type From = MeasuredFields;

    fn convert(measured: MeasuredFields) -> Self {
        let MeasuredFields { key, tokens, superseded, lost, names, edits, cost, exact, time_ms } = measured;
        Self { key, tokens, superseded, lost, names, edits, cost: cost.unwrap_or(f64::INFINITY), exact, time_ms }
    }
}
