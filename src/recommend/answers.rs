//! The answers on which a recommendation rests.

use serde_json::Value;

use crate::{
    llm::PRICE,
    options::{ConfigError, Field, Kind, Settings, Table},
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
const WINDOW_TARGET: &str = "windowTarget";

static ANSWERS: Table = Table::new(
    "Answers",
    &[
        Field::choice_if_set("priority", PRIORITIES, "What matters most."),
        Field::number_if_set("budgetPerCondensation", 0.0, f64::MAX, "Dollars that one condensation may cost."),
        Field::number_if_set("maxLatencyMs", 0.0, f64::MAX, "Milliseconds that it may take."),
        Field::number_if_set("acceptableLoss", 0.0, 100.0, "Percent of the information that may be lost."),
        Field::number_if_set(PERCENT, 0.0, 100.0, "Percent of the tokens that have to go."),
        Field::choice_if_set("configuration", CONFIGURATIONS, "How much is to be configured."),
        Field::choice_if_set("userProfile", PROFILES, "Who asks."),
        Field::choice_if_set("scenario", SCENARIOS, "What it is for."),
        Field::new(
            "hasHandler",
            Kind::Flag { default: None },
            "Whether there is a model to ask; absent where that is not known.",
        ),
        Field::number_if_set(WINDOW, 1.0, f64::MAX, "The model's context window in tokens."),
        Field::number_if_set(
            WINDOW_TARGET,
            0.0,
            f64::MAX,
            "Tokens that the advice leaves of that window (js/advice.js).",
        ),
        Field::number_if_set(TARGET, 0.0, f64::MAX, "Tokens that may be left."),
        Field::number_if_set("tokens", 0.0, f64::MAX, "Tokens of the conversation."),
        Field::object("price", &PRICE, "What the model costs that is measured with."),
        Field::new(
            "measured",
            Kind::List {
                of: &Kind::Object(&MEASURED),
                called: "an array of { key, tokens, superseded, lost, names, edits, cost, exact, timeMs }",
            },
            "What was measured on the conversation.",
        ),
    ],
)
.called("answers")
.null_is_absent();

static MEASURED: Table = Table::new(
    "measured",
    &[
        Field::text("key", "The candidate.").required(),
        Field::number_if_set("tokens", 0.0, f64::MAX, "Tokens that it leaves.").required(),
        Field::number_if_set("superseded", 0.0, f64::MAX, "Tokens that newer messages replaced."),
        Field::number_if_set("lost", 0.0, f64::MAX, "Tokens that can be read nowhere any more."),
        Field::number_if_set("names", 0.0, 1.0, "The share of names used next that can still be read."),
        Field::number_if_set("edits", 0.0, 1.0, "The share of passages edited next that stand whole."),
        Field::number_if_set("cost", 0.0, f64::MAX, "Dollars; absent where what a model costs is not known."),
        Field::flag("exact", true, "Whether all of it was tried."),
        Field::number_if_set("timeMs", 0.0, f64::MAX, "Milliseconds."),
    ],
);

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
        let answers = ANSWERS.read(answers)?;
        let text = |name: &str| answers.given_text(name).map(str::to_owned);
        let measured = |settings: Settings<'_>| Measured {
            key: settings.text("key").to_owned(),
            tokens: settings.number("tokens"),
            superseded: settings.given_number("superseded").unwrap_or_default(),
            lost: settings.given_number("lost").unwrap_or_default(),
            names: settings.given_number("names"),
            edits: settings.given_number("edits"),
            cost: settings.given_number("cost").unwrap_or(f64::INFINITY),
            exact: settings.flag("exact"),
            time_ms: settings.given_number("timeMs"),
        };
        let tokens = answers.given_number("tokens");
        Ok(Self {
            priority: text("priority"),
            budget: answers.given_number("budgetPerCondensation"),
            latency_ms: answers.given_number("maxLatencyMs"),
            loss: answers.given_number("acceptableLoss"),
            configuration: text("configuration"),
            profile: text("userProfile"),
            scenario: text("scenario"),
            has_handler: answers.is_given("hasHandler").then(|| answers.flag("hasHandler")),
            reduction: reduction(&answers, tokens),
            unused: [TARGET, WINDOW]
                .into_iter()
                .find(|name| tokens.is_none() && answers.is_given(name) && !answers.is_given(PERCENT)),
            tokens,
            measured: answers.list("measured").into_iter().map(measured).collect(),
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

fn reduction(answers: &Settings<'_>, tokens: Option<f64>) -> Option<(f64, &'static str)> {
    if let Some(percent) = answers.given_number(PERCENT) {
        return Some((percent, PERCENT));
    }
    let tokens = tokens.filter(|tokens| *tokens > 0.0)?;
    let needed = |left: f64| 100.0 * (1.0 - left / tokens).max(0.0);
    if let Some(target) = answers.given_number(TARGET) {
        return Some((needed(target), TARGET));
    }
    Some((needed(answers.given_number(WINDOW_TARGET)?), WINDOW))
}
