//! The options of a manager and of a call, checked.

use serde_json::Value;

use super::{
    GuardOptions, Profiles,
    economics::{ECONOMICS, Economics},
    profiles::{self, PER_CONDENSATION},
    trigger::{MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD, Thresholds},
};
use crate::{
    llm::{ModelPrice, PRICE},
    options::{ConfigError, Field, Kind, Settings, Table},
    protect::{FROZEN_MESSAGES, PROTECT, ProtectRules},
    providers::Thinking,
    summaries::{CONDENSING_PROFILE, MAX_COST_PER_CONDENSATION},
    tokens::{Encoding, Scale, ScaleSetting},
    transcript::{TOOLS, ToolTable},
};

/// A condensation that costs more dollars than this is reported, unless the options say otherwise.
const DEFAULT_COST_ALERT: f64 = 0.1;
/// The least share of the tokens at which a condensation is due, in percent, from which one is prepared, unless the options say otherwise.
const DEFAULT_FROM_PERCENT: f64 = 80.0;

/// Options of a [`super::Manager`].
#[derive(Debug, Clone)]
pub struct ManagerOptions {
    /// The provider that is active at first; what can work when absent.
    pub provider: Option<String>,
    /// When a condensation is due.
    pub thresholds: Thresholds,
    /// Providers to try when one fails; `None` for the default chain of that provider.
    pub fallback: Option<Vec<String>>,
    /// The settings of the host's profiles.
    pub profiles: Profiles,
    /// Whether summaries are kept; where is for [`super::Manager::with_store`] to say.
    pub cache: bool,
    /// Dollars that may be spent in all.
    pub max_cost: Option<f64>,
    /// Dollars above which one condensation is reported; `None` for never.
    pub cost_alert: Option<f64>,
    /// From how much of the tokens at which one is due a condensation is prepared, in percent.
    pub prepare_from_percent: f64,
    /// The guard against condensing without gain; `None` turns it off.
    pub guard: Option<GuardOptions>,
    /// The vocabulary.
    pub encoding: Encoding,
    /// From its tokens to those of the model.
    pub scale: ScaleSetting,
    /// The treatment of signed thinking behind a change.
    pub thinking: Thinking,
    /// The actions of the tools in its conversations.
    pub tools: ToolTable,
    /// The content that stays word for word.
    pub protect: ProtectRules,
}

const PROVIDER: &str = "The id of the provider that condenses.";
const HANDLER: &str = "httpHandler(…), callbackHandler(…), or an object with createMessage()";
const THINKING: &str = "What is done with signed thinking behind a change; `auto` goes by the model.";
const TOKENS: f64 = f64::MAX;

/// The options of a manager.
static MANAGER: Table = Table::new(
    "Options of a manager",
    &[
        Field::new(
            "provider",
            Kind::Text { default: Some(super::DEFAULT_PROVIDER), not_blank: false, reserved: &[] },
            PROVIDER,
        ),
        Field::host("providers", "an array of providers", "Custom providers, registered at once."),
        Field::host("handler", HANDLER, "Asks the conversation's own model."),
        Field::host("condensingHandler", HANDLER, "Asks the model that writes summaries."),
        Field::flag("autoCondenseContext", true, "Whether reaching the threshold makes a condensation due."),
        Field::new(
            "autoCondenseContextPercent",
            Kind::Number {
                default: Some(MAX_CONDENSE_THRESHOLD),
                min: MIN_CONDENSE_THRESHOLD,
                max: MAX_CONDENSE_THRESHOLD,
            },
            "The threshold, in percent of the context window.",
        ),
        Field::new(
            "profileThresholds",
            Kind::Record {
                of: &Kind::Number { default: None, min: f64::MIN, max: f64::MAX },
                called: "an object of numbers by profile",
            },
            "Thresholds of profiles. Which of them make sense is decided when they are used.",
        ),
        Field::new(
            "profiles",
            Kind::Record { of: &Kind::Object(&profiles::PROFILE), called: "an object of profiles by id" },
            "How summaries are asked for under profiles.",
        ),
        Field::new(
            "fallback",
            Kind::Either(&Kind::False, &Kind::List { of: &Kind::TEXT, called: "an array of provider ids" }),
            "What to try when a provider fails; absent for the chain that belongs to it.",
        ),
        Field::new(
            "cache",
            Kind::Either(
                &Kind::Flag { default: Some(true) },
                &Kind::Host { called: "a store with get(key) and set(key, value)" },
            ),
            "Where summaries are kept; `false` keeps none.",
        ),
        Field::number_if_set("maxCost", 0.0, f64::MAX, "Dollars that may be spent in all."),
        PER_CONDENSATION,
        Field::new(
            "costAlert",
            Kind::Either(&Kind::False, &Kind::Number { default: Some(DEFAULT_COST_ALERT), min: 0.0, max: f64::MAX }),
            "Dollars above which one condensation is reported; `false` for never.",
        ),
        Field::text(CONDENSING_PROFILE, "The profile whose handler writes summaries, for profiles that name none."),
        Field::text("customCondensingPrompt", "The prompt to summarise by, for profiles that have none."),
        Field::new(
            "prepareFromPercent",
            Kind::Number { default: Some(DEFAULT_FROM_PERCENT), min: 0.0, max: 100.0 },
            "From how much of the tokens at which one is due prepare() prepares a condensation, in percent.",
        ),
        Field::new(
            "guard",
            Kind::Either(&Kind::False, &Kind::Object(&GUARD)),
            "Against condensing again and again without gain.",
        ),
        Field::new("encoding", Kind::Choice { default: None, words: &Encoding::NAMES }, "The vocabulary."),
        Field::new(
            "scale",
            Kind::Either(
                &Kind::Number { default: None, min: Scale::MIN, max: Scale::MAX },
                &Kind::Choice { default: None, words: &ScaleSetting::NAMES },
            ),
            "From tokens of the vocabulary to those of the model.",
        ),
        Field::choice("thinking", Thinking::WORDS, THINKING),
        TOOLS.named("tools", ""),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
    ],
)
.called("options")
.null_is_absent();

/// The guard against condensing without gain.
static GUARD: Table = Table::new(
    "guard",
    &[
        Field::integer(
            "attempts",
            GuardOptions::DEFAULT.attempts as u64,
            1,
            u64::MAX,
            "So many attempts without gain are enough.",
        ),
        Field::integer("windowMs", GuardOptions::DEFAULT.window_ms, 0, u64::MAX, "In so many milliseconds."),
        Field::new(
            "minGainPercent",
            Kind::Number { default: Some(GuardOptions::DEFAULT.min_gain_percent), min: 0.0, max: 100.0 },
            "An attempt that removes a smaller share of the tokens is one without gain.",
        ),
    ],
);

/// The context of a call.
static CONTEXT: Table = Table::new(
    "context",
    &[
        Field::host("messages", "an array of messages", "The conversation."),
        Field::text("systemPrompt", "It counts, and is never changed."),
        Field::text("hostRequest", "The host's own request as JSON; made of `tools`, `systemPrompt` and `messages`."),
        Field::text(
            "tools",
            "The tools of the host's own requests; for an inspection as the text that requests bring.",
        ),
        Field::host("apiHandler", HANDLER, "Asks the conversation's own model, as the option `handler` does."),
        Field::text("taskId", "Which task the conversation belongs to."),
        Field::text("userId", "Whose conversation it is, for strategies that go by the user."),
        Field::number_if_set("totalTokens", 0.0, TOKENS, "Tokens in the context as the API reported them."),
        Field::number_if_set(
            "tokenCount",
            0.0,
            TOKENS,
            "Tokens in the context with its last message; for `totalTokens`.",
        ),
        Field::new(
            "isPreview",
            Kind::Flag { default: None },
            "Stands in the context that custom providers are given, who may hand it on.",
        ),
        Field::number_if_set("contextWindow", 1.0, TOKENS, "The model's context window in tokens."),
        Field::number_if_set("maxTokens", 0.0, TOKENS, "Tokens the model may answer with."),
        Field::text("profileId", "The profile in use."),
        Field::text("model", "The name of the conversation's own model."),
        Field::new(
            "preservedThinking",
            Kind::Flag { default: None },
            "Whether that model refuses thinking behind a change; absent to go by its name.",
        ),
    ],
)
.argument("context")
.null_is_absent();

/// The options of a call.
static CALL: Table = Table::new(
    "Options of a call",
    &[
        Field::text("provider", PROVIDER),
        Field::text("format", "The format of the messages; JavaScript takes it out."),
        Field::integer_if_set("targetTokens", 0, u64::MAX, "How many tokens there may be afterwards."),
        Field::new("config", Kind::AnyObject, "Overrides fields of the provider's configuration, which checks it."),
        Field::host("handler", HANDLER, "Asks the conversation's own model."),
        Field::host("condensingHandler", HANDLER, "Asks the model that writes summaries."),
        Field::text("customCondensingPrompt", "The prompt to summarise by."),
        Field::object("price", &PRICE, "What the conversation's own model costs."),
        PER_CONDENSATION,
        Field::choice_if_set("thinking", Thinking::WORDS, THINKING),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
        Field::object(
            "economics",
            &ECONOMICS,
            "What a decision by money goes by; without it the trigger alone decides.",
        ),
        Field::flag(
            "recall",
            false,
            "Whether the model has the tool recall, which the note on messages that were left out then names.",
        ),
        Field::flag(
            "isAutomatic",
            false,
            "Whether the host, not its user, wanted it. Handed to providers of the host.",
        ),
        Field::host("signal", "an AbortSignal", "Ends the work."),
        Field::host("onProgress", "a function", "Is told how it goes."),
    ],
)
.argument("options")
.null_is_absent();

impl ManagerOptions {
    /// Reads options from JSON; an empty object means all defaults.
    ///
    /// # Errors
    /// Every field that is wrong or unknown.
    pub fn read(options: &Value) -> Result<Self, Vec<ConfigError>> {
        let options = MANAGER.read(options)?;
        let tools = options.typed("tools", &TOOLS);
        let fallback = options.is_given("fallback").then(|| options.texts("fallback").map(str::to_owned).collect());
        Ok(Self {
            provider: options.given_text("provider").map(str::to_owned),
            thresholds: Thresholds {
                automatic: options.flag("autoCondenseContext"),
                global: options.number("autoCondenseContextPercent"),
                profiles: options.numbers("profileThresholds").map(|(id, percent)| (id.to_owned(), percent)).collect(),
            },
            fallback,
            profiles: Profiles::of(&options),
            cache: options.flag("cache"),
            max_cost: options.given_number("maxCost"),
            cost_alert: (options.value("costAlert") != Some(&Value::Bool(false))).then(|| options.number("costAlert")),
            prepare_from_percent: options.number("prepareFromPercent"),
            guard: GuardOptions::of(&options),
            encoding: options.text("encoding").parse().unwrap_or_default(),
            scale: match options.value("scale") {
                Some(Value::Number(_)) => ScaleSetting::number(options.number("scale")).unwrap_or_default(),
                _ => options.text("scale").parse().unwrap_or_default(),
            },
            thinking: Thinking::of(options.text("thinking")),
            protect: options
                .typed("protect", &PROTECT)
                .with_frozen(options.typed("frozenMessages", &FROZEN_MESSAGES))
                .with_calls(&tools),
            tools: ToolTable::default().with(&tools),
        })
    }
}

impl GuardOptions {
    /// `None` when `guard` is `false`.
    fn of(options: &Settings<'_>) -> Option<Self> {
        let guard = options.object("guard");
        (options.value("guard") != Some(&Value::Bool(false))).then(|| Self {
            attempts: guard.integer("attempts"),
            window_ms: guard.integer("windowMs") as u64,
            min_gain_percent: guard.number("minGainPercent"),
        })
    }
}

/// Everything about one call but the messages.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// The provider; the active one when absent.
    pub provider: Option<String>,
    /// How many tokens there may be afterwards.
    pub target_tokens: Option<usize>,
    /// Overrides fields of the provider's configuration.
    pub config: Value,
    /// The system prompt: it counts, and is never changed.
    pub system_prompt: String,
    /// The host's own request to the conversation's model, as JSON, where it gives its tools.
    pub host_request: Option<String>,
    /// Which task the conversation belongs to.
    pub task_id: String,
    /// The user whose conversation it is.
    pub user_id: Option<String>,
    /// Tokens in the context as the API reported them.
    pub total_tokens: Option<f64>,
    /// Whether these include the last message.
    pub counts_last_message: bool,
    /// The model's context window in tokens.
    pub context_window: Option<f64>,
    /// Tokens the model may answer with.
    pub max_tokens: Option<f64>,
    /// The profile in use.
    pub profile_id: Option<String>,
    /// The prompt to summarise by.
    pub custom_condensing_prompt: Option<String>,
    /// The price of the conversation's own model.
    pub price: Option<ModelPrice>,
    /// Dollars that this condensation may cost.
    pub max_cost_per_condensation: Option<f64>,
    /// The name of that model, if no handler reports it.
    pub model: Option<String>,
    /// Whether that model refuses thinking behind a change; if absent, its name decides.
    pub preserved_thinking: Option<bool>,
    /// The treatment of signed thinking behind a change.
    pub thinking: Option<Thinking>,
    /// Whether the model has the tool `recall`.
    pub recall: bool,
    /// Content that stays word for word, in addition to the manager's rules.
    pub protect: ProtectRules,
    /// The facts for a decision by money; without them the trigger alone decides.
    pub economics: Option<Economics>,
}

impl CallOptions {
    /// Reads the options of a call: of `context` what is there beside the messages, and `options`. Null for all defaults.
    ///
    /// # Errors
    /// Every field that is wrong or unknown.
    pub fn read(context: &Value, options: &Value) -> Result<Self, Vec<ConfigError>> {
        let options = CALL.read(options).map_err(|faults| placed(faults, (&CONTEXT, "context")));
        let (context, options) = both(read_context(context), options)?;
        Ok(Self {
            provider: options.given_text("provider").map(str::to_owned),
            target_tokens: options.given_integer("targetTokens"),
            config: options.value("config").cloned().unwrap_or_default(),
            system_prompt: context.text("systemPrompt").to_owned(),
            host_request: context.given_text("hostRequest").map(str::to_owned),
            task_id: context.text("taskId").to_owned(),
            user_id: context.given_text("userId").map(str::to_owned),
            total_tokens: context.given_number("totalTokens").or_else(|| context.given_number("tokenCount")),
            counts_last_message: !context.is_given("totalTokens") && context.is_given("tokenCount"),
            context_window: context.given_number("contextWindow"),
            max_tokens: context.given_number("maxTokens"),
            profile_id: context.given_text("profileId").map(str::to_owned),
            custom_condensing_prompt: options.given_text("customCondensingPrompt").map(str::to_owned),
            price: options.given_object("price").map(|price| ModelPrice::of(&price)),
            max_cost_per_condensation: options.given_number(MAX_COST_PER_CONDENSATION),
            model: context.given_text("model").map(str::to_owned),
            preserved_thinking: context.is_given("preservedThinking").then(|| context.flag("preservedThinking")),
            thinking: options.given_text("thinking").map(Thinking::of),
            recall: options.flag("recall"),
            protect: options.typed("protect", &PROTECT).with_frozen(options.typed("frozenMessages", &FROZEN_MESSAGES)),
            economics: options.given_object("economics").map(|economics| Economics::of(&economics)),
        })
    }
}

/// The context of a call, checked.
///
/// # Errors
/// Every field that is wrong or unknown, and every one that belongs into the options.
pub(super) fn read_context(context: &Value) -> Result<Settings<'_>, Vec<ConfigError>> {
    CONTEXT.read(context).map_err(|faults| placed(faults, (&CALL, "options")))
}

fn placed(faults: Vec<ConfigError>, other: (&Table, &str)) -> Vec<ConfigError> {
    faults.into_iter().map(|fault| fault.placed(other)).collect()
}

/// Two results, or the faults of both.
fn both<A, B>(a: Result<A, Vec<ConfigError>>, b: Result<B, Vec<ConfigError>>) -> Result<(A, B), Vec<ConfigError>> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (a, b) => Err(a.err().into_iter().chain(b.err()).flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn absent_options_have_the_documented_defaults() {
        let options = ManagerOptions::read(&json!({})).unwrap();
        assert_eq!(options.provider, None);
        assert!(options.thresholds.automatic);
        assert_eq!(options.thresholds.global, 100.0);
        assert_eq!(options.guard, Some(GuardOptions { attempts: 3, window_ms: 60_000, min_gain_percent: 5.0 }));
        assert_eq!((options.fallback, options.encoding, options.cache), (None, Encoding::O200kBase, true));
    }

    #[test]
    fn all_faults_are_told_at_once() {
        let errors =
            ManagerOptions::read(&json!({ "guard": { "attempts": 0 }, "provider": 1, "scale": 0 })).unwrap_err();
        let paths: Vec<_> = errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(paths, ["provider", "guard.attempts", "scale"]);
    }

    #[test]
    fn every_kind_of_wrong_option_is_named() {
        let cases = [
            (json!([]), "options"),
            (json!({ "provder": "x" }), "provder"),
            (json!({ "provider": 1 }), "provider"),
            (json!({ "autoCondenseContextPercent": 4 }), "autoCondenseContextPercent"),
            (json!({ "autoCondenseContextPercent": "50" }), "autoCondenseContextPercent"),
            (json!({ "profileThresholds": { "a": "b" } }), "profileThresholds.a"),
            (json!({ "fallback": "lossless" }), "fallback"),
            (json!({ "guard": { "attempt": 1 } }), "guard.attempt"),
            (json!({ "guard": { "attempts": 0 } }), "guard.attempts"),
            (json!({ "encoding": "gpt2" }), "encoding"),
            (json!({ "scale": 0 }), "scale"),
            (json!({ "scale": "lama" }), "scale"),
        ];
        for (options, path) in cases {
            let errors = ManagerOptions::read(&options).unwrap_err();
            assert_eq!(errors[0].path, path, "{options}");
        }
    }

    #[test]
    fn call_options_are_checked_too() {
        let read = |call: Value| CallOptions::read(&Value::Null, &call);
        assert_eq!(read(json!({ "targetTokens": 40_000.0 })).unwrap().target_tokens, Some(40_000));
        for (call, code) in [
            (json!({ "targetTokens": -1 }), "out_of_range"),
            (json!({ "targetTokens": 1.5 }), "out_of_range"),
            (json!({ "targetTokens": "50%" }), "invalid_config"),
            (json!({ "config": [] }), "invalid_config"),
            (json!({ "target": 5 }), "invalid_argument"),
        ] {
            assert_eq!(read(call.clone()).unwrap_err()[0].code, code, "{call}");
        }
    }

    #[test]
    fn what_belongs_to_the_other_argument_is_told_its_place() {
        let told = |context: Value, options: Value| {
            let faults = CallOptions::read(&context, &options).unwrap_err();
            faults.into_iter().map(|fault| (fault.code, fault.to_string())).collect::<Vec<_>>()
        };
        let misplaced = |sentence: &str| ("invalid_argument", sentence.to_owned());
        assert_eq!(
            told(json!({ "targetTokens": true }), json!({ "systemPrompt": "x", "messages": [] })),
            [
                misplaced("context.targetTokens belongs to the other argument: give it as options.targetTokens"),
                misplaced("options.messages belongs to the other argument: give it as context.messages"),
                misplaced("options.systemPrompt belongs to the other argument: give it as context.systemPrompt"),
            ]
        );
        assert_eq!(
            told(json!({ "taskid": "x" }), Value::Null),
            [misplaced("context.taskid is unknown; did you mean taskId?")]
        );
    }

    #[test]
    fn the_tokens_of_a_conversation_may_be_those_that_were_counted() {
        let read = |context: Value| {
            let call = CallOptions::read(&context, &Value::Null).unwrap();
            (call.total_tokens, call.counts_last_message)
        };
        assert_eq!(read(json!({ "tokenCount": 500 })), (Some(500.0), true));
        assert_eq!(read(json!({ "tokenCount": 500, "totalTokens": 400 })), (Some(400.0), false));
        assert_eq!(read(json!({ "tokenCount": null })), (None, false));
    }
}
