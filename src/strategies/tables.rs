//! The options of strategies, and the checks of their configurations.

use serde_json::{Value, json};

use crate::{
    options::{
        Bare, ConfigError, Either, FaultKind, Off, Options, Table, Unread, any_object, either, list, name, name_as,
        number, object, off, options, record, text, whole,
    },
    protect::{FROZEN_MESSAGES, PROTECT},
    providers::{self, Native, Smart, with_id},
};

pub const PIPELINE: &str = "pipeline";
pub const ADAPTIVE: &str = "adaptive";
pub const COST_AWARE: &str = "cost_aware";
pub const QUALITY_FIRST: &str = "quality_first";
pub const PER_USER: &str = "per_user";
pub const AB_TEST: &str = "ab_test";
pub const PROGRESSIVE: &str = "progressive";

/// The ids of the providers that come with this crate, strategies included.
pub const BUILT_IN: &[&str] = &ids();

const fn ids() -> [&'static str; providers::DESCRIPTORS.len() + super::DESCRIPTORS.len()] {
    let mut ids = [""; providers::DESCRIPTORS.len() + super::DESCRIPTORS.len()];
    let mut at = 0;
    while at < ids.len() {
        let own = providers::DESCRIPTORS.len();
        ids[at] = if at < own { providers::DESCRIPTORS[at].id } else { super::DESCRIPTORS[at - own].id };
        at += 1;
    }
    ids
}

/// The default of `maxCost` for `cost_aware`, in dollars.
const DEFAULT_MAX_COST: f64 = 0.05;
/// The default of `budget` for `progressive`, in dollars: enough for each of its tiers.
const DEFAULT_BUDGET: f64 = 0.1;

/// The id of any provider.
const fn provider_id() -> Bare<String> {
    name_as("ProviderId", BUILT_IN)
}

const STAGES: &str = "an array of ids of providers and of { provider, config, target }";
const BANDS: &str = "an array of { below, provider, config }";
const VARIANTS: &str = "an array of { name, provider, config, share }";

options! {
    /// Providers, one after the other.
    pub struct PipelineConfig: Table::titled("Configuration of the strategy pipeline").interface("PipelineConfig", "Configuration of the strategy `pipeline`.");

    /// Asked in this order, each on what the one before has left, until the target is reached. Default: lossless, truncation, native.
    stages: Option<Vec<Either<String, Stage>>> = list(&either(&provider_id(), &object()), STAGES).if_set(),
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// A provider of a pipeline, with configuration and target.
    pub struct Stage: Table::titled("stage").interface("PipelineStage", "A stage of a pipeline.").shared();

    /// The id of a provider: of this library, or one that the host has registered.
    provider: String = provider_id().required(),
    /// Overrides fields of its configuration, as `config` of a call does.
    config: Value = any_object().or_default(),
    /// Tokens that this stage may leave, where that is more than the target of the call; `false`: it is not told of any target. Default: the target of the
    /// call.
    ///
    /// It is counted locally.
    target: Option<Either<Off, usize>> = either(&off(), &whole(0, u64::MAX)).if_set(),
}

options! {
    /// Providers by the distance to the target.
    pub struct AdaptiveConfig: Table::titled("Configuration of the strategy adaptive").interface("AdaptiveConfig", "Configuration of the strategy `adaptive`.");

    /// By how many times the target there is, from the smallest ratio up. Default: below 1.2 lossless, below 2 truncation, below 3 native, else smart with
    /// the preset aggressive.
    bands: Option<Vec<Band>> = list(&object(), BANDS).if_set(),
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// A provider for a range of ratios.
    pub struct Band: Table::titled("band").interface("AdaptiveBand", "A provider for a range of ratios of tokens to target.");

    /// For ratios of tokens to target below this; absent in the last band alone, which is for all others.
    below: Option<f64> = number(0.0, f64::MAX).if_set(),
    /// The id of a provider: of this library, or one that the host has registered.
    provider: String = provider_id().required(),
    /// Overrides fields of its configuration, as `config` of a call does.
    config: Value = any_object().or_default(),
}

options! {
    /// The best that a budget pays for.
    pub struct CostAwareConfig: Table::titled("Configuration of the strategy cost_aware").interface("CostAwareConfig", "Configuration of the strategy `cost_aware`.");

    /// Dollars. The most that a request can cost is held against it before it is sent: it is never exceeded.
    max_cost: f64 = number(0.0, f64::MAX).or(DEFAULT_MAX_COST),
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// The most careful provider first.
    pub struct QualityFirstConfig: Table::titled("Configuration of the strategy quality_first").interface("QualityFirstConfig", "Configuration of the strategy `quality_first`.");

    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// Providers without cost first, then models.
    pub struct ProgressiveConfig: Table::titled("Configuration of the strategy progressive").interface("ProgressiveConfig", "Configuration of the strategy `progressive`.");

    /// Dollars. The most that a request can cost is held against it before it is sent: it is never exceeded.
    budget: f64 = number(0.0, f64::MAX).or(DEFAULT_BUDGET),
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// Providers by user.
    pub struct PerUserConfig: Table::titled("Configuration of the strategy per_user").interface("PerUserConfig", "Configuration of the strategy `per_user`.");

    /// The preferences of each user, by `context.userId`.
    ///
    /// Default: none.
    users: Vec<(String, Preferences)> = record(&object(), "an object of preferences by user").or_default(),
    /// For users of whom nothing is known, and where no user is named.
    ///
    /// Default: `smart` with the preset `balanced`.
    default: Preferences = object().or_default(),
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// The preferences of one user.
    pub struct Preferences: Table::titled("preferences").interface("UserPreferences", "The preferences of a user.").shared();

    /// The id of a provider: of this library, or one that the host has registered.
    preferred_provider: String = provider_id().or(Smart::ID),
    /// Dollars. The most that a request can cost is held against it before it is sent: it is never exceeded.
    ///
    /// If the provider could cost more, `cost_aware` runs instead. Default: no limit.
    max_cost_per_condensation: Option<f64> = number(0.0, f64::MAX).if_set(),
    /// For the smart provider: over 0.8 the preset conservative, over 0.5 balanced, else aggressive.
    quality_threshold: f64 = number(0.0, 1.0).or(0.6),
    /// Configuration of the preferred provider; it comes before qualityThreshold.
    custom_config: Option<Value> = any_object().if_set(),
}

options! {
    /// Providers side by side.
    pub struct AbTestConfig: Table::titled("Configuration of the strategy ab_test").interface("AbTestConfig", "Configuration of the strategy `ab_test`.");

    /// The name of the experiment; others assign independently of it.
    ///
    /// `manager.getExperiment` has it by this name.
    experiment: String = name(&[]).or(AB_TEST),
    /// The variants; each user always gets the same one. Default: A, native, and B, smart with the preset balanced.
    variants: Option<Vec<Variant>> = list(&object(), VARIANTS).if_set(),
    /// Another one assigns anew.
    salt: String = text().or(""),
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// One of the providers that an experiment compares.
    pub struct Variant: Table::titled("variant").interface("AbTestVariant", "One of the providers that an experiment compares.");

    /// The name of the variant in reports; no two variants share one.
    name: String = name(&["A", "B"]).required(),
    /// The id of a provider: of this library, or one that the host has registered.
    provider: String = provider_id().or(Native::ID),
    /// Overrides fields of its configuration, as `config` of a call does.
    config: Value = any_object().or_default(),
    /// The prompt that it summarises by; it comes before that of the call.
    custom_condensing_prompt: Option<String> = text().if_set(),
    /// The profile of the manager whose handler, and so whose model, and price are for its summaries.
    ///
    /// It is one of `ManagerOptions.profiles`. Default, and with the warning `handler_missing` if the profile has no handler: those of the call.
    condensing_api_config_id: Option<String> = text().if_set(),
    /// How many get it, in relation to the other variants.
    share: f64 = number(0.0, f64::MAX).or(1.0),
}

/// The configuration of a strategy.
#[derive(Debug)]
pub enum StrategyConfig {
    Pipeline(PipelineConfig),
    Adaptive(AdaptiveConfig),
    CostAware(CostAwareConfig),
    QualityFirst,
    PerUser(PerUserConfig),
    AbTest(AbTestConfig),
    Progressive(ProgressiveConfig),
}

impl StrategyConfig {
    /// Reads the configuration of `strategy`.
    ///
    /// # Errors
    /// Every fault that its table finds.
    pub fn read(strategy: &str, config: &Value) -> Result<Self, Vec<ConfigError>> {
        match strategy {
            PIPELINE => PipelineConfig::read(config).map(Self::Pipeline),
            ADAPTIVE => AdaptiveConfig::read(config).map(Self::Adaptive),
            COST_AWARE => CostAwareConfig::read(config).map(Self::CostAware),
            PER_USER => PerUserConfig::read(config).map(Self::PerUser),
            AB_TEST => AbTestConfig::read(config).map(Self::AbTest),
            PROGRESSIVE => ProgressiveConfig::read(config).map(Self::Progressive),
            _ => QualityFirstConfig::read(config).map(|_| Self::QualityFirst),
        }
    }

    /// Checks lists for faults that a table cannot express.
    fn faults_of_lists(&self) -> Vec<ConfigError> {
        match self {
            Self::Pipeline(config) => empty("stages", STAGES, config.stages.as_deref()).into_iter().collect(),
            Self::Adaptive(config) => {
                let faults = of_bands(config.bands.as_deref().unwrap_or_default());
                empty("bands", BANDS, config.bands.as_deref()).into_iter().chain(faults).collect()
            }
            Self::AbTest(config) => {
                let faults = of_variants(config.variants.as_deref().unwrap_or_default());
                empty("variants", VARIANTS, config.variants.as_deref()).into_iter().chain(faults).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns all errors in a configuration of `strategy`, including the configurations of its providers.
pub fn faults(strategy: &'static str, config: &Value) -> Vec<ConfigError> {
    faults_within(&mut vec![], strategy, config)
}

fn faults_within(outer: &mut Vec<&'static str>, strategy: &'static str, config: &Value) -> Vec<ConfigError> {
    let mut faults =
        StrategyConfig::read(strategy, config).map_or_else(|faults| faults, |config| config.faults_of_lists());
    outer.push(strategy);
    for (place, provider, config) in asked(strategy, config) {
        if outer.contains(&provider) {
            faults.push(asks_itself(&place, provider));
            continue;
        }
        let Some(config) = config else { continue };
        let of_config = match (with_id(super::DESCRIPTORS, provider), with_id(providers::DESCRIPTORS, provider)) {
            (Some(inner), _) => faults_within(outer, inner.id, config),
            (_, Some(known)) => (known.make)(config).err().unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        let field = if strategy == PER_USER { "customConfig" } else { "config" };
        faults.extend(of_config.into_iter().map(|fault| fault.under(&format!("{place}.{field}"))));
    }
    outer.pop();
    faults
}

/// Creates the error for a strategy that would run within itself, and so endlessly.
pub fn asks_itself(place: &str, provider: &str) -> ConfigError {
    let field = if place.ends_with(']') || place.is_empty() { "" } else { ".preferredProvider" };
    let allowed = "a provider that is not asked within itself";
    ConfigError::not_allowed(format!("{place}{field}"), &Value::from(provider), allowed)
}

/// Lists the places in a configuration that name a provider: place, provider, and its configuration if that is an
/// object.
fn asked<'a>(strategy: &str, config: &'a Value) -> Vec<(String, &'a str, Option<&'a Value>)> {
    let in_list = |name: &str, default: Option<&'a str>| {
        let each = config[name].as_array().into_iter().flatten().enumerate();
        each.filter_map(|(index, part)| {
            let provider = part.as_str().or_else(|| part["provider"].as_str()).or(default)?;
            Some((format!("{name}[{index}]"), provider, part.get("config").filter(|config| config.is_object())))
        })
        .collect::<Vec<_>>()
    };
    match strategy {
        PIPELINE => in_list("stages", None),
        ADAPTIVE => in_list("bands", None),
        AB_TEST => in_list("variants", Some(Native::ID)),
        PER_USER => {
            let of = |place: String, preferences: &'a Value| {
                let provider = preferences["preferredProvider"].as_str().unwrap_or(Smart::ID);
                (place, provider, preferences.get("customConfig").filter(|config| config.is_object()))
            };
            let users = config["users"].as_object().into_iter().flatten();
            let users = users.map(|(id, user)| of(crate::options::path_of("users", id), user));
            users.chain(config.get("default").map(|user| of("default".to_owned(), user))).collect()
        }
        _ => Vec::new(),
    }
}

fn empty<T>(name: &str, called: &str, list: Option<&[T]>) -> Option<ConfigError> {
    let is_empty = list.is_some_and(<[T]>::is_empty);
    is_empty.then(|| ConfigError::not_allowed(name, &json!([]), format!("{called}, at least one")))
}

fn of_bands(bands: &[Band]) -> Vec<ConfigError> {
    let mut before = None;
    let mut faults = Vec::new();
    for (index, band) in bands.iter().enumerate() {
        let path = format!("bands[{index}].below");
        match band.below {
            None if index + 1 < bands.len() => {
                faults.push(ConfigError::missing(path, "a number, because other bands follow"));
            }
            Some(below) if before.is_some_and(|before| below <= before) => {
                let allowed = format!("a number above {}, that of the band before", before.unwrap_or_default());
                faults.push(ConfigError::new(FaultKind::OutOfRange, path, below.to_string(), allowed));
            }
            below => before = below.or(before),
        }
    }
    faults
}

fn of_variants(variants: &[Variant]) -> Vec<ConfigError> {
    let mut faults = Vec::new();
    for (index, variant) in variants.iter().enumerate() {
        let name = variant.name.as_str();
        if variants[..index].iter().any(|known| known.name == name) {
            let path = format!("variants[{index}].name");
            faults.push(ConfigError::not_allowed(path, &Value::from(name), "a name that no other variant has"));
        }
    }
    if !variants.is_empty() && variants.iter().all(|variant| variant.share <= 0.0) {
        faults.push(ConfigError::not_allowed("variants[0].share", &json!(0), "more than 0 for at least one variant"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(strategy: &'static str, config: Value) -> Vec<String> {
        faults(strategy, &config).into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn all_faults_are_told_with_their_paths_also_of_those_that_are_asked() {
        let stages = json!({ "stages": [
            "lossless",
            { "provider": "truncation", "config": { "mode": "windw", "maxToolResultLines": 0 } },
            { "provider": "adaptive", "config": { "bands": [{ "provider": "smart", "config": { "preset": "fast" } }] } },
            { "provider": "of the host", "config": { "anything": 1 } },
        ] });
        assert_eq!(
            paths(PIPELINE, stages),
            ["stages[1].config.mode", "stages[1].config.maxToolResultLines", "stages[2].config.bands[0].config.preset"]
        );
        assert_eq!(
            paths(PIPELINE, json!({ "stages": [{ "target": -1 }], "stage": 1 })),
            ["stages[0].provider", "stages[0].target", "stage"]
        );
        assert_eq!(paths(PIPELINE, json!({ "stages": [] })), ["stages"]);
        assert_eq!(
            paths(
                ADAPTIVE,
                json!({ "bands": [{ "provider": "a" }, { "below": 2, "provider": "b" }, { "below": 2, "provider": "c" }] })
            ),
            ["bands[0].below", "bands[2].below"]
        );
        assert_eq!(paths(COST_AWARE, json!({ "maxCost": -1 })), ["maxCost"]);
        assert_eq!(paths(PROGRESSIVE, json!({ "budget": "much" })), ["budget"]);
        assert_eq!(
            paths(
                PER_USER,
                json!({ "users": { "a b": { "preferredProvider": "lossless", "customConfig": { "strict": 1 } } }, "default": { "qualityThreshold": 2 } })
            ),
            ["default.qualityThreshold", r#"users["a b"].customConfig.strict"#]
        );
        assert_eq!(
            paths(
                PER_USER,
                json!({ "users": { "a b": { "preferredProvider": "lossless", "customConfig": { "strict": 1 } } } })
            ),
            [r#"users["a b"].customConfig.strict"#]
        );
        let variants =
            json!([{ "name": "A", "share": 0 }, { "name": "A", "share": 0, "config": { "maxMessagesToKeep": 0 } }]);
        assert_eq!(
            paths(AB_TEST, json!({ "variants": variants })),
            ["variants[1].name", "variants[0].share", "variants[1].config.maxMessagesToKeep"]
        );
    }

    #[test]
    fn no_strategy_asks_itself() {
        assert_eq!(paths(PIPELINE, json!({ "stages": ["pipeline"] })), ["stages[0]"]);
        let inner =
            json!({ "variants": [{ "name": "A", "provider": "pipeline", "config": { "stages": ["ab_test"] } }] });
        let fault = &faults(AB_TEST, &inner)[0];
        assert_eq!(fault.path, "variants[0].config.stages[0]");
        assert_eq!(
            fault.to_string(),
            "variants[0].config.stages[0] must be a provider that is not asked within itself; got \"ab_test\""
        );
        assert_eq!(
            paths(PER_USER, json!({ "default": { "preferredProvider": "per_user" } })),
            ["default.preferredProvider"]
        );
    }

    #[test]
    fn defaults_are_right() {
        for strategy in super::super::DESCRIPTORS.iter().map(|known| known.id) {
            assert_eq!(faults(strategy, &Value::Null), []);
        }
    }
}
