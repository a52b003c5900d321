//! The options of strategies, and the checks of their configurations.

use serde_json::{Value, json};

use crate::{
    options::{ConfigError, FaultKind, Field, Kind, Settings, Table},
    protect::{FROZEN_MESSAGES, PROTECT},
    providers::{self, Lossless, Native, Smart, Truncation, with_id},
    summaries::CONDENSING_PROFILE,
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

const ID: &str = "The id of a provider: of this library, or one that the host has registered.";
const OVERRIDES: &str = "Overrides fields of its configuration, as `config` of a call does.";
const LIMIT: &str =
    "Dollars. The most that a request can cost is held against it before it is sent: it is never exceeded.";

/// Any provider.
const ANY_PROVIDER: Kind = Kind::Name { default: None, examples: BUILT_IN };

/// The table of a strategy.
pub fn table(strategy: &str) -> Option<&'static Table> {
    Some(match strategy {
        PIPELINE => &PIPELINE_TABLE,
        ADAPTIVE => &ADAPTIVE_TABLE,
        COST_AWARE => &COST_AWARE_TABLE,
        QUALITY_FIRST => &QUALITY_FIRST_TABLE,
        PER_USER => &PER_USER_TABLE,
        AB_TEST => &AB_TEST_TABLE,
        PROGRESSIVE => &PROGRESSIVE_TABLE,
        _ => return None,
    })
}

static PIPELINE_TABLE: Table = Table::new(
    "Configuration of the strategy pipeline",
    &[
        Field::new(
            "stages",
            Kind::List { of: &Kind::Either(&ANY_PROVIDER, &Kind::Object(&STAGE)), called: STAGES },
            "Asked in this order, each on what the one before has left, until the target is reached. Default: lossless, truncation, native.",
        ),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
    ],
);

const STAGES: &str = "an array of ids of providers and of { provider, config, target }";

static STAGE: Table = Table::new(
    "stage",
    &[
        Field::new("provider", ANY_PROVIDER, ID).required(),
        Field::new("config", Kind::AnyObject, OVERRIDES),
        Field::new(
            "target",
            Kind::Either(&Kind::False, &Kind::Integer { default: None, min: 0, max: u64::MAX }),
            "Tokens that this stage may leave, where that is more than the target of the call; `false`: it is not told of any target. Default: the target of the call.",
        ),
    ],
)
.shared();

static ADAPTIVE_TABLE: Table = Table::new(
    "Configuration of the strategy adaptive",
    &[
        Field::new(
            "bands",
            Kind::List { of: &Kind::Object(&BAND), called: "an array of { below, provider, config }" },
            "By how many times the target there is, from the smallest ratio up. Default: below 1.2 lossless, below 2 truncation, below 3 native, else smart with the preset aggressive.",
        ),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
    ],
);

static BAND: Table = Table::new(
    "band",
    &[
        Field::number_if_set(
            "below",
            0.0,
            f64::MAX,
            "For ratios of tokens to target below this; absent in the last band alone, which is for all others.",
        ),
        Field::new("provider", ANY_PROVIDER, ID).required(),
        Field::new("config", Kind::AnyObject, OVERRIDES),
    ],
);

/// The default of `maxCost` for `cost_aware`, in dollars.
const DEFAULT_MAX_COST: f64 = 0.05;
/// The default of `budget` for `progressive`, in dollars: enough for each of its tiers.
const DEFAULT_BUDGET: f64 = 0.1;

static COST_AWARE_TABLE: Table = Table::new(
    "Configuration of the strategy cost_aware",
    &[
        Field::new("maxCost", Kind::Number { default: Some(DEFAULT_MAX_COST), min: 0.0, max: f64::MAX }, LIMIT),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
    ],
);

static QUALITY_FIRST_TABLE: Table = Table::new(
    "Configuration of the strategy quality_first",
    &[PROTECT.named("protect", ""), FROZEN_MESSAGES.named("frozenMessages", "")],
);

static PROGRESSIVE_TABLE: Table = Table::new(
    "Configuration of the strategy progressive",
    &[
        Field::new("budget", Kind::Number { default: Some(DEFAULT_BUDGET), min: 0.0, max: f64::MAX }, LIMIT),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
    ],
);

static PER_USER_TABLE: Table = Table::new(
    "Configuration of the strategy per_user",
    &[
        Field::new(
            "users",
            Kind::Record { of: &Kind::Object(&PREFERENCES), called: "an object of preferences by user" },
            "What each user prefers, by `context.userId`.",
        ),
        Field::object("default", &PREFERENCES, "For users of whom nothing is known, and where no user is named."),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
    ],
);

/// The preferences of one user.
pub static PREFERENCES: Table = Table::new(
    "preferences",
    &[
        Field::new("preferredProvider", Kind::Name { default: Some(Smart::ID), examples: BUILT_IN }, ID),
        Field::number_if_set("maxCostPerCondensation", 0.0, f64::MAX, LIMIT),
        Field::new(
            "qualityThreshold",
            Kind::Number { default: Some(0.6), min: 0.0, max: 1.0 },
            "For the smart provider: over 0.8 the preset conservative, over 0.5 balanced, else aggressive.",
        ),
        Field::new(
            "customConfig",
            Kind::AnyObject,
            "Configuration of the preferred provider; it comes before qualityThreshold.",
        ),
    ],
)
.shared();

static AB_TEST_TABLE: Table = Table::new(
    "Configuration of the strategy ab_test",
    &[
        Field::new(
            "experiment",
            Kind::Name { default: Some(AB_TEST), examples: &[] },
            "What the experiment is called; others assign independently of it.",
        ),
        Field::new(
            "variants",
            Kind::List { of: &Kind::Object(&VARIANT), called: "an array of { name, provider, config, share }" },
            "Of which everybody gets always the same. Default: A, native, and B, smart with the preset balanced.",
        ),
        Field::new(
            "salt",
            Kind::Text { default: Some(""), not_blank: false, reserved: &[] },
            "Another one assigns anew.",
        ),
        PROTECT.named("protect", ""),
        FROZEN_MESSAGES.named("frozenMessages", ""),
    ],
);

static VARIANT: Table = Table::new(
    "variant",
    &[
        Field::new(
            "name",
            Kind::Name { default: None, examples: &["A", "B"] },
            "What reports call it; no two variants share one.",
        )
        .required(),
        Field::new("provider", Kind::Name { default: Some(Native::ID), examples: BUILT_IN }, ID),
        Field::new("config", Kind::AnyObject, OVERRIDES),
        Field::text("customCondensingPrompt", "The prompt that it summarises by; it comes before that of the call."),
        Field::text(
            CONDENSING_PROFILE,
            "The profile of the manager whose handler, and so whose model, and price are for its summaries.",
        ),
        Field::new(
            "share",
            Kind::Number { default: Some(1.0), min: 0.0, max: f64::MAX },
            "How many get it, in relation to the other variants.",
        ),
    ],
);

/// Returns the default of the list that `strategy` takes.
pub fn default_list(strategy: &str) -> Value {
    match strategy {
        PIPELINE => json!([Lossless::ID, Truncation::ID, Native::ID]),
        ADAPTIVE => json!([
            { "below": 1.2, "provider": Lossless::ID },
            { "below": 2.0, "provider": Truncation::ID },
            { "below": 3.0, "provider": Native::ID },
            { "provider": Smart::ID, "config": { "preset": "aggressive" } },
        ]),
        AB_TEST => json!([
            { "name": "A", "provider": Native::ID },
            { "name": "B", "provider": Smart::ID, "config": { "preset": "balanced" } },
        ]),
        _ => Value::Null,
    }
}

/// Everything that is wrong with a configuration of `strategy`, also in the configurations of those that it asks.
pub fn faults(strategy: &'static str, config: &Value) -> Vec<ConfigError> {
    faults_within(&mut vec![], strategy, config)
}

fn faults_within(outer: &mut Vec<&'static str>, strategy: &'static str, config: &Value) -> Vec<ConfigError> {
    let Some(table) = table(strategy) else { return Vec::new() };
    let mut faults = match table.read(config) {
        Ok(settings) => of_lists(strategy, &settings),
        Err(faults) => faults,
    };
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

/// The fault of a strategy that would be asked within itself, and so without end.
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

/// Checks lists for faults that a table cannot express.
fn of_lists(strategy: &str, settings: &Settings<'_>) -> Vec<ConfigError> {
    let empty = |name: &str, called: &str| {
        let is_empty = settings.is_given(name) && settings.elements(name).is_empty();
        is_empty.then(|| ConfigError::not_allowed(name, &json!([]), format!("{called}, at least one")))
    };
    match strategy {
        PIPELINE => empty("stages", STAGES).into_iter().collect(),
        ADAPTIVE => {
            empty("bands", "an array of { below, provider, config }").into_iter().chain(of_bands(settings)).collect()
        }
        AB_TEST => empty("variants", "an array of { name, provider, config, share }")
            .into_iter()
            .chain(of_variants(settings))
            .collect(),
        _ => Vec::new(),
    }
}

fn of_bands(settings: &Settings<'_>) -> Vec<ConfigError> {
    let bands = settings.list("bands");
    let mut before = None;
    let mut faults = Vec::new();
    for (index, band) in bands.iter().enumerate() {
        let path = format!("bands[{index}].below");
        match band.given_number("below") {
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

fn of_variants(settings: &Settings<'_>) -> Vec<ConfigError> {
    let variants = settings.list("variants");
    let mut faults = Vec::new();
    for (index, variant) in variants.iter().enumerate() {
        let name = variant.text("name");
        if variants[..index].iter().any(|known| known.text("name") == name) {
            let path = format!("variants[{index}].name");
            faults.push(ConfigError::not_allowed(path, &Value::from(name), "a name that no other variant has"));
        }
    }
    if !variants.is_empty() && variants.iter().all(|variant| variant.number("share") <= 0.0) {
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
            for name in ["stages", "bands", "variants"] {
                if table(strategy).unwrap().field(name).is_some() {
                    assert_eq!(faults(strategy, &json!({ name: default_list(strategy) })), [], "{strategy}");
                }
            }
        }
    }
}
