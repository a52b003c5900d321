//! The options of a manager and of a call, checked.

use serde_json::Value;

use super::{
    GuardOptions, Profiles,
    economics::Economics,
    profiles::{PER_CONDENSATION, Profile},
    trigger::{MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD, Thresholds},
};
use crate::{
    llm::{ModelPrice, PriceFields},
    options::{
        ConfigError, Either, Given, Off, Options, Table, Unread, any_object, choice, either, flag, host, host_object,
        list, number, object, off, options, record, text, whole, word,
    },
    protect::{FROZEN_MESSAGES, PROTECT, ProtectRules},
    providers::Thinking,
    tokens::{Encoding, Scale, ScaleSetting},
    transcript::{TOOLS, ToolRows, ToolTable},
};

/// A condensation that costs more dollars than this is reported, unless the options say otherwise.
const DEFAULT_COST_ALERT: f64 = 0.1;
/// Default share of the due point, in percent, from which a condensation is prepared.
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

const HANDLER: &str = "httpHandler(…), callbackHandler(…), or an object with createMessage()";
const TOKENS: f64 = f64::MAX;

options! {
    /// The options of a manager as hosts write them.
    struct ManagerFields: Table::titled("Options of a manager")
        .called("options")
        .null_is_absent()
        .interface("ManagerOptions", "Options of a {@link CondensationManager}. Unknown options are an error.");

    /// Id of the provider that is active at first. An id that looks like a misspelt one of a known provider is refused;
    /// any other unknown id may be registered later, and calls reject with `unknown_provider` until then. Default:
    /// `native`; if neither the call nor the manager has a handler, `lossless`, with `truncation` as fallback if the
    /// target is missed.
    provider: Given<String> = text().or(super::DEFAULT_PROVIDER).with_presence().typed_as("ProviderId"),
    /// Custom providers, and built-in ones with a configuration of their own, to register at once. `provider` and
    /// `fallback` may name them. Default: none; see {@link CondensationManager.registerProvider}.
    providers: Unread = host("an array of providers").typed_as("readonly (CondensationProvider<any> | BuiltInProvider)[]"),
    /// The handler of the conversation's own model; see `ProviderCallOptions.handler`. Default: none.
    handler: Unread = host(HANDLER).typed_as("HandlerOption"),
    /// The handler that writes summaries. Default: `handler`.
    condensing_handler: Unread = host(HANDLER).typed_as("HandlerOption"),
    /// Whether a condensation is due when the threshold is reached. If false, it is due only when the window is full;
    /// the oldest messages are then dropped (`truncation`).
    auto_condense_context: bool = flag().or(true),
    /// The threshold, in percent of the context window.
    auto_condense_context_percent: f64 = number(MIN_CONDENSE_THRESHOLD, MAX_CONDENSE_THRESHOLD).or(MAX_CONDENSE_THRESHOLD),
    // Which of them make sense is decided when they are used.
    /// Thresholds by profile, in percent: 5 to 100, or -1 to inherit the global one; any other number warns and
    /// inherits. Default: none.
    profile_thresholds: Vec<(String, f64)> = record(&number(f64::MIN, f64::MAX), "an object of numbers by profile").or_default(),
    /// Settings of profiles, by id. If nothing else decides, the profile named `condensing` writes all summaries, those
    /// of presets included: the place for a cheap model. Default: none.
    profiles: Vec<(String, Profile)> = record(&object(), "an object of profiles by id").or_default(),
    /// Ids of the providers to try, in order, when a provider fails or misses the target; `false` for none. Unknown ids
    /// are treated as in `provider`. Default: `native`, `lossless`, `truncation` after `smart`; `lossless`,
    /// `truncation` after `native`, a strategy or a custom provider; `truncation` after `lossless`; none after
    /// `truncation`.
    fallback: Option<Either<Off, Vec<String>>> =
        either(&off(), &list(&text(), "an array of provider ids")).if_set().typed_as("readonly ProviderId[] | false"),
    /// The store for summaries, so that none is requested twice; `false` for none. Default, and for `true`: up to 8 MiB
    /// of memory.
    cache: Either<bool, Unread> = either(&flag().with(true), &host_object("a store with get(key) and set(key, value)"))
        .or_default()
        .typed_as("SummaryStore | boolean | null"),
    /// Largest total cost of this manager in dollars. A summary that would probably exceed it is not requested:
    /// `cost_limit`. Default: no limit.
    max_cost: Option<f64> = number(0.0, f64::MAX).if_set(),
    max_cost_per_condensation: Option<f64> = PER_CONDENSATION.about(
        "Largest cost of one condensation in dollars, fallbacks included. A request that would probably exceed it is not sent: `cost_limit`. A profile's and a call's own limit win. Default: no limit.",
    ),
    /// Dollars above which one condensation causes a warning and an alert (`high_cost`); `false` for never. Default:
    /// 0.1.
    cost_alert: Either<Off, f64> = either(&off(), &number(0.0, f64::MAX).with(DEFAULT_COST_ALERT)).or_default(),
    /// The profile whose handler and price to use for summaries, for calls without a profile and for profiles that name
    /// none. Default: none.
    condensing_api_config_id: Option<String> = text().if_set().typed_as("string | null"),
    /// The system prompt for summaries, for profiles without one. The call's prompt wins. Default: a built-in prompt.
    custom_condensing_prompt: Option<String> = text().if_set().typed_as("string | null"),
    /// Share of the due point, in percent, from which {@link CondensationManager.prepare} prepares a condensation.
    prepare_from_percent: f64 = number(0.0, 100.0).or(DEFAULT_FROM_PERCENT),
    /// The guard against repeated condensing without gain; `false` for none. Default: see `GuardOptions`.
    guard: Either<Off, GuardOptions> = either(&off(), &object()).or_default(),
    /// The token encoding. Default: `o200k_base`.
    encoding: Option<&'static str> = word(&Encoding::NAMES).if_set().typed_as("Encoding"),
    /// Factor from tokens of that encoding to the model's own. Default: 1.
    scale: Option<Either<f64, &'static str>> =
        either(&number(Scale::MIN, Scale::MAX), &word(&ScaleSetting::NAMES)).if_set().typed_as("Scale"),
    /// How to treat signed thinking after a change, for calls that do not say.
    thinking: Thinking = choice().or_first().typed_as("ThinkingOption"),
    tools: ToolRows = TOOLS.about(
        "Meanings of your own tools, for all providers: their calls can then be followed to files, and are described by what they are about. Default: none; the tools of the known agents are built in.",
    ),
    protect: ProtectRules = PROTECT.typed_as("Protect").about(
        "Content to keep word for word in every condensation, by every provider. Default: nothing.",
    ),
    frozen_messages: Option<usize> = FROZEN_MESSAGES.about(FROZEN),
}

/// Comment of the option `frozenMessages` of managers and calls.
const FROZEN: &str = "Number of leading messages to leave unchanged, with nothing inserted between them, even if the target is missed; the prompt cache stays valid that far. The largest of manager, call and configuration wins. Default: 0.";

options! {
    /// The context of a call.
    pub(super) struct ContextFields: Table::titled("context")
        .argument("context")
        .null_is_absent()
        .nullable()
        .interface("ContextFields", "The fields of `ConversationContext` beside the messages. `null` is the same as absent.");

    /// The conversation.
    messages: Unread = host("an array of messages").internal(),
    /// The system prompt: a string, or text blocks like Anthropic's `system`. It counts towards the tokens and never
    /// changes. Default: none.
    system_prompt: Option<String> = text().if_set().typed_as("string | readonly SystemTextBlock[]"),
    /// The host's own request as JSON; made of `tools`, `systemPrompt` and `messages`.
    host_request: Option<String> = text().if_set().internal(),
    // For an inspection it is the text that requests bring.
    /// The tools of your application's own requests, as it sends them to its model. With them and `systemPrompt`, a
    /// summary is requested by appending one message to your own request, so the service can read the rest from its
    /// prompt cache (`NativeConfig.summaryRequest`). Messages are sent with `role` and `content` only, byte for byte.
    /// Default: none; summaries are separate requests.
    tools: Option<String> = text().if_set().typed_as("readonly object[]"),
    /// The handler of the conversation's own model, used if the option `handler` is absent. Default: none.
    api_handler: Unread = host(HANDLER).typed_as("HandlerOption"),
    /// Identifies the conversation for the loop guard. Default: all conversations share one.
    task_id: Option<String> = text().if_set(),
    /// Identifies the user, for strategies that depend on the user (`createPerUser`, `createAbTest`). Default: none.
    user_id: Option<String> = text().if_set(),
    /// Tokens in the context without the last message, as the API reported them. Required for `condenseIfNeeded`.
    total_tokens: Option<f64> = number(0.0, TOKENS).if_set(),
    /// Tokens in the context with the last message, for applications that count so; used if `totalTokens` is absent.
    /// Default: counted locally.
    token_count: Option<f64> = number(0.0, TOKENS).if_set(),
    /// Whether the call is a dry run. It stands in the context of custom providers, which may pass it on; here it has
    /// no effect.
    is_preview: Unread = flag().unread(),
    /// The model's context window in tokens. Required for `condenseIfNeeded`.
    context_window: Option<f64> = number(1.0, TOKENS).if_set(),
    /// Tokens reserved for the response; -1, as vscode-lm reports "unlimited", is the same as absent. Default, and for
    /// 0: 8192.
    max_tokens: Option<f64> = number(0.0, TOKENS).if_set(),
    /// The profile whose threshold, handlers, prompt and price apply, and whose metrics count the call. Default: none.
    profile_id: Option<String> = text().if_set(),
    /// The name of the conversation's model, which decides how its thinking is treated (`CondenseOptions.thinking`).
    /// Default: the model of `handler`, or else the one calibrated last.
    model: Option<String> = text().if_set(),
    /// Whether that model has preserved thinking: it refuses a request if anything before signed thinking has changed.
    /// Default: by the name of the model; Claude Opus, Sonnet and Haiku 5.5, Fable 5.1, Mythos 5.1 and later have it.
    preserved_thinking: Option<bool> = flag().if_set(),
}

options! {
    /// The options of a call as hosts write them.
    struct CallFields: Table::titled("Options of a call")
        .argument("options")
        .null_is_absent()
        .interface("CondenseOptions", "Options of one call of a manager.");

    /// Id of the provider. Default: the active one; if none was chosen, `native` with a handler and `lossless` without.
    provider: Option<String> = text().if_set().typed_as("ProviderId"),
    // JavaScript takes it out.
    /// The format of the messages. Default: what is seen in them. Where they are text alone, `anthropic`, which most
    /// formats look like then.
    format: Unread = text().unread().typed_as("MessageFormat"),
    /// The target: the largest number of tokens to leave, system prompt included. If `newContextTokens` is larger, the
    /// result has the warning `target_not_met`. Counted like `totalTokens` if given, else by the handler's
    /// `countTokens`, else locally. In `condenseIfNeeded` it is capped by the context window minus the reserved
    /// response. Default: none; the provider's configuration decides.
    target_tokens: Option<usize> = whole(0, u64::MAX).if_set(),
    /// Fields of the provider's configuration, for this call only. Fallback providers do not receive them. Default:
    /// none.
    config: Value = any_object().or_default(),
    /// The handler of the conversation's own model. Its `countTokens` decides totals, and it writes summaries if there
    /// is no `condensingHandler`.
    handler: Unread = host(HANDLER).typed_as("HandlerOption"),
    /// The handler that writes summaries. A call's handlers win over its profile's, and those over the manager's.
    /// Default: `handler`.
    condensing_handler: Unread = host(HANDLER).typed_as("HandlerOption"),
    /// The system prompt for summaries. Blank or absent: the profile's, the provider configuration's, or the default.
    custom_condensing_prompt: Option<String> = text().if_set(),
    /// Price of the conversation's own model, for `PromptCacheEffect`, and for summaries if there is no
    /// `condensingHandler`. Default: the price of `handler`, or else of the profile.
    price: Option<ModelPrice> = object().read_as().if_set().typed_as("ModelPrice | null"),
    max_cost_per_condensation: Option<f64> = PER_CONDENSATION.about(
        "Largest cost of this condensation in dollars, fallbacks included (`ManagerOptions.maxCostPerCondensation`). Default: the profile's, or the manager's.",
    ),
    /// How to treat signed thinking after a change. Default: the manager's setting, or `auto`.
    thinking: Option<Thinking> = choice().if_set().typed_as("ThinkingOption"),
    protect: ProtectRules = PROTECT.typed_as("Protect").about(
        "Content to keep word for word, in addition to what the manager and the provider's configuration protect. Default: nothing.",
    ),
    frozen_messages: Option<usize> = FROZEN_MESSAGES.about(FROZEN),
    /// For `condenseIfNeeded` and `decide`: decide by cost. A condensation runs when it pays, whatever the threshold; a
    /// full window always makes it due. `condense` ignores this. Default: the trigger alone decides.
    economics: Option<Economics> = object().if_set(),
    /// Whether the model is offered the tool of {@link createRecall}: the note on messages that were left out then says
    /// how to call it.
    recall: bool = flag().or(false),
    /// Whether your application started the call, not its user. Passed on to custom providers.
    is_automatic: Unread = flag().or(false).unread(),
    /// Aborts the work; the result then has the error `aborted`. The signal's own listeners and `onabort` are left
    /// alone. An object without usable events is `invalid_argument`.
    signal: Unread = host("an AbortSignal").typed_as("AbortSignal"),
    /// Called with progress events, never after the result. If it throws, or its promise rejects by then, the result
    /// has a warning; later rejections are ignored.
    on_progress: Unread = host("a function").typed_as("((event: ProgressEvent) => void)"),
}

options! {
    /// A provider to try in an inspection.
    struct TrialFields: Table::titled("trial").interface("ProviderTrial", "A provider to try in a dry run.");

    /// The id of the provider.
    provider: Unread = text().required().unread().typed_as("ProviderId"),
    /// Fields of its configuration, such as `{ preset: "balanced" }`. Default: none.
    config: Unread = any_object().or_default().unread(),
    /// Providers that are tried next if it fails or leaves more than the target. Default: none.
    fallback: Unread = list(&text(), "an array of provider ids").or_default().unread().typed_as("readonly ProviderId[]"),
    /// The id of the result. Default: the id of the provider.
    id: Unread = text().if_set().unread(),
}

options! {
    /// The options of an inspection as hosts write them.
    pub(super) struct InspectFields: Table::titled("Options of an inspection")
        .argument("options")
        .null_is_absent()
        .interface("ManagerInspectOptions", "Options of an inspection by a manager.");

    // JavaScript takes it out.
    /// The format of the messages. Default: what is seen in them. Where they are text alone, `anthropic`, which most
    /// formats look like then.
    format: Unread = text().unread().typed_as("MessageFormat"),
    /// A target in tokens: reported as a line, and passed to `providers`. Default: none.
    target_tokens: Option<usize> = whole(0, u64::MAX).if_set(),
    /// Number of largest blocks, and of items of each kind of waste, to report.
    largest: usize = whole(0, u64::MAX).or(20),
    /// Providers to try in a dry run, one after the other, without fallbacks; `true` for all that are not made of
    /// others, `smart` with the presets `conservative`, `balanced` and `aggressive`. No LLM is called: summaries are
    /// estimated. Default: none.
    providers: Unread = either(&flag(), &list(&object::<TrialFields>(), "true, or an array of { provider, config?, fallback?, id? }"))
        .if_set()
        .unread(),
    /// For `providers`: see `ProviderCallOptions`.
    handler: Unread = host(HANDLER).typed_as("HandlerOption"),
    /// For `providers`: see `ProviderCallOptions`.
    condensing_handler: Unread = host(HANDLER).typed_as("HandlerOption"),
    /// For `providers`: see `ProviderCallOptions`.
    price: Unread = object::<PriceFields>().unread().typed_as("ModelPrice | null"),
    /// Aborts the dry runs, which then have the error `aborted`.
    signal: Unread = host("an AbortSignal").typed_as("AbortSignal"),
}

/// The options of managers, calls and inspections.
pub const TABLES: [&Table; 4] = [ManagerFields::TABLE, ContextFields::TABLE, CallFields::TABLE, InspectFields::TABLE];

impl ManagerOptions {
    /// Reads options from JSON; an empty object means all defaults.
    pub fn read(options: &Value) -> Result<Self, Vec<ConfigError>> {
        let options = ManagerFields::read(options)?;
        let global = Profile {
            condensing_api_config_id: options.condensing_api_config_id,
            custom_condensing_prompt: options.custom_condensing_prompt,
            max_cost_per_condensation: options.max_cost_per_condensation,
            ..Profile::default()
        };
        Ok(Self {
            provider: options.provider.is_given.then_some(options.provider.value),
            thresholds: Thresholds {
                automatic: options.auto_condense_context,
                global: options.auto_condense_context_percent,
                profiles: options.profile_thresholds.into_iter().collect(),
            },
            fallback: options.fallback.map(|fallback| fallback.second().unwrap_or_default()),
            profiles: Profiles::new(options.profiles, global),
            cache: matches!(options.cache, Either::First(true)),
            max_cost: options.max_cost,
            cost_alert: options.cost_alert.second(),
            prepare_from_percent: options.prepare_from_percent,
            guard: options.guard.second(),
            encoding: options.encoding.and_then(|name| name.parse().ok()).unwrap_or_default(),
            scale: match options.scale {
                Some(Either::First(factor)) => ScaleSetting::number(factor).ok(),
                Some(Either::Second(name)) => name.parse().ok(),
                None => None,
            }
            .unwrap_or_default(),
            thinking: options.thinking,
            protect: options.protect.with_frozen(options.frozen_messages).with_calls(&options.tools),
            tools: ToolTable::default().with(&options.tools),
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
    /// Reads the options of a call from `context` (its fields other than the messages) and `options`. Null means all
    /// defaults.
    pub fn read(context: &Value, options: &Value) -> Result<Self, Vec<ConfigError>> {
        let (context, options) = read_call::<CallFields>(context, options)?;
        Ok(Self {
            provider: options.provider,
            target_tokens: options.target_tokens,
            config: options.config,
            system_prompt: context.system_prompt.unwrap_or_default(),
            host_request: context.host_request,
            task_id: context.task_id.unwrap_or_default(),
            user_id: context.user_id,
            total_tokens: context.total_tokens.or(context.token_count),
            counts_last_message: context.total_tokens.is_none() && context.token_count.is_some(),
            context_window: context.context_window,
            max_tokens: context.max_tokens,
            profile_id: context.profile_id,
            custom_condensing_prompt: options.custom_condensing_prompt,
            price: options.price,
            max_cost_per_condensation: options.max_cost_per_condensation,
            model: context.model,
            preserved_thinking: context.preserved_thinking,
            thinking: options.thinking,
            recall: options.recall,
            protect: options.protect.with_frozen(options.frozen_messages),
            economics: options.economics,
        })
    }
}

/// Checks and reads the context and the options of a call.
///
/// # Errors
/// All fields that are invalid, unknown or belong to the other argument.
pub(super) fn read_call<Fields: Options>(
    context: &Value,
    options: &Value,
) -> Result<(ContextFields, Fields), Vec<ConfigError>> {
    let context = ContextFields::read(context).map_err(|faults| placed(faults, (CallFields::TABLE, "options")));
    let options = Fields::read(options).map_err(|faults| placed(faults, (ContextFields::TABLE, "context")));
    both(context, options)
}

fn placed(faults: Vec<ConfigError>, other: (&Table, &str)) -> Vec<ConfigError> {
    faults.into_iter().map(|fault| fault.placed(other)).collect()
}

/// Returns both results, or the errors of both.
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
