//! What a smart provider is told to do, checked as a whole.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::{
    presets,
    reading::{Faults, Object, integer},
};
use crate::{
    conversation::ContentKind,
    providers::{ConfigError, Lossless, PassReport, Provider},
};

/// What the smart provider is registered under.
pub(super) const ID: &str = "smart";

/// A whole configuration.
#[derive(Debug, Clone)]
pub(super) struct SmartConfig {
    pub enabled: bool,
    /// The configuration of the lossless provider that goes first; `None` when nothing goes first.
    pub prelude: Option<Value>,
    pub passes: Vec<Pass>,
    /// Requests for summaries under way at once.
    pub max_concurrency: usize,
    /// Tokens, scaled, below which the whole is not worth a missed prompt cache.
    pub min_reduction_tokens: usize,
    /// When the passes leave more than the target, salient truncation goes on with what they leave.
    pub meet_target: bool,
    /// Without a model, the result has no more tokens than this preset leaves.
    pub no_more_tokens_than: Option<&'static str>,
}

/// One step of the work.
#[derive(Debug, Clone)]
pub(super) struct Pass {
    pub id: String,
    pub name: String,
    pub selection: MessageSelection,
    pub mode: Mode,
    /// It runs only when there are more tokens than this.
    pub token_threshold: Option<usize>,
    /// Tells passes apart by what they do: their JSON.
    pub key: String,
}

/// Which messages a pass works on. The first and the newest message are never among them.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MessageSelection {
    /// All but this many of the newest.
    PreserveRecent(usize),
    /// All but this share of the newest, in percent, rounded up.
    PreservePercent(f64),
    /// Those with these indices in the conversation that came in.
    Custom(BTreeSet<usize>),
}

/// How a pass works.
#[derive(Debug, Clone)]
pub(super) enum Mode {
    /// Leaves everything as it is.
    BatchKeep,
    /// One summary takes the place of the selected messages.
    BatchSummarize(BatchSummary),
    /// Each text on its own.
    Individual(Box<Individual>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct BatchSummary {
    pub prompt: String,
    pub keep_first: usize,
    pub keep_last: usize,
    pub api_profile: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Individual {
    defaults: ByKind<ContentOperation>,
    thresholds: ByKind<usize>,
    overrides: HashMap<usize, Override>,
}

#[derive(Debug, Clone)]
struct Override {
    operations: ByKind<ContentOperation>,
    thresholds: ByKind<usize>,
}

/// What is set for each content kind; `None` where nothing is.
#[derive(Debug, Clone)]
struct ByKind<T> {
    message_text: Option<T>,
    tool_parameters: Option<T>,
    tool_results: Option<T>,
}

impl<T> ByKind<T> {
    fn get(&self, kind: ContentKind) -> Option<&T> {
        match kind {
            ContentKind::MessageText => self.message_text.as_ref(),
            ContentKind::ToolParameters => self.tool_parameters.as_ref(),
            ContentKind::ToolResults => self.tool_results.as_ref(),
        }
    }
}

/// What is done to a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ContentOperation {
    Keep,
    Suppress,
    Truncate(Truncate),
    Summarize(Summarize),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Truncate {
    pub max_chars: Option<usize>,
    pub max_lines: Option<usize>,
    /// Characters of each line.
    pub max_line_chars: usize,
    pub add_ellipsis: bool,
    pub strategy: Strategy,
}

/// Which part of a text stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    Salient,
    Head,
    HeadTail,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summarize {
    /// The longest summary, in tokens.
    pub max_tokens: usize,
    /// Texts of fewer characters are left as they are.
    pub min_chars: usize,
    pub prompt: Option<String>,
    pub api_profile: Option<String>,
}

/// The longest line of a text that is cut by lines, in characters, unless the configuration says otherwise: as in the truncation provider.
pub(super) const DEFAULT_LINE_CHARS: usize = 500;
/// The longest summary of a text in tokens: what the published configuration for best quality has.
pub(super) const DEFAULT_SUMMARY_TOKENS: usize = 150;
pub(super) const DEFAULT_CONCURRENCY: usize = 4;
pub(super) const MAX_CONCURRENCY: usize = 32;
/// Larger limits than this make no difference.
pub(super) const MAX_LIMIT: usize = 1_000_000_000;

pub(super) const SELECTIONS: &[&str] = &["preserve_recent", "preserve_percent", "custom"];
pub(super) const MODES: &[&str] = &["individual", "batch"];
pub(super) const EXECUTIONS: &[&str] = &["always", "conditional"];
pub(super) const BATCH_OPERATIONS: &[&str] = &["keep", "summarize"];
pub(super) const OPERATIONS: &[&str] = &["keep", "suppress", "truncate", "summarize"];
pub(super) const STRATEGIES: &[&str] = &["salient", "head", "head_tail"];

impl SmartConfig {
    /// Reads a configuration; null and an empty object mean the preset `balanced`. Fields that are given replace those of the preset.
    ///
    /// # Errors
    /// Every field that is wrong or unknown.
    pub fn read(config: &Value) -> Result<Self, Vec<ConfigError>> {
        let faults = Faults::default();
        let given = Some(config).filter(|config| !config.is_null());
        let preset = Object::open(given, "", &faults).choice("preset", presets::NAMES).unwrap_or(presets::DEFAULT);
        // A wrong preset is told once: with the whole.
        let merged = over_preset(preset, config);
        let told = if merged.get("preset").is_some() { Faults::default() } else { faults };
        let config = Self::whole(Object::open(Some(&merged), "", &told));
        let faults = told.into_inner();
        if faults.is_empty() { Ok(config) } else { Err(faults) }
    }

    /// The configuration of a preset; `None` for a name that none has.
    pub fn preset(name: &str) -> Option<Self> {
        Self::read(&json!({ "preset": name })).ok()
    }

    fn whole(mut config: Object<'_>) -> Self {
        config.choice("preset", presets::NAMES);
        config.text("name");
        config.text("description");
        let read = Self {
            enabled: config.flag("enabled").unwrap_or(true),
            prelude: prelude(config.object("losslessPrelude")),
            passes: passes(&mut config),
            max_concurrency: config.integer("maxConcurrency", 1, MAX_CONCURRENCY).unwrap_or(DEFAULT_CONCURRENCY),
            min_reduction_tokens: config.integer("minReductionTokens", 0, MAX_LIMIT).unwrap_or(0),
            meet_target: config.flag("meetTarget").unwrap_or(false),
            no_more_tokens_than: config.choice("noMoreTokensThan", presets::NAMES),
        };
        config.finish();
        read
    }
}

/// The preset with the given fields in place of its own. A configuration with passes of its own does what they say and no more.
fn over_preset(preset: &str, config: &Value) -> Value {
    let empty = Map::new();
    let given = config.as_object().unwrap_or(&empty);
    let mut merged = match presets::json(preset) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    if given.contains_key("passes") {
        merged.remove("noMoreTokensThan");
        merged.remove("meetTarget");
    }
    merged.extend(given.clone());
    Value::Object(merged)
}

fn prelude(mut prelude: Object<'_>) -> Option<Value> {
    let enabled = prelude.flag("enabled").unwrap_or(true);
    let operations = prelude.take("operations").cloned().unwrap_or_else(|| json!({}));
    if let Err(errors) = Lossless::new(&operations) {
        let path = prelude.path("operations");
        for error in errors {
            // Without a name of its own, a fault is about the object as a whole.
            let path = if error.path == "config" { path.clone() } else { format!("{path}.{}", error.path) };
            prelude.push(ConfigError { path, ..error });
        }
    }
    prelude.finish();
    enabled.then_some(operations)
}

fn passes(config: &mut Object<'_>) -> Vec<Pass> {
    let mut ids = BTreeSet::new();
    let listed = config.list("passes", "an array of passes").unwrap_or_default();
    let read = listed.into_iter().map(|(path, value)| {
        let mut pass = config.at(value, path);
        let id = pass.text("id").unwrap_or_default();
        let reserved = PassReport::RESERVED.join(", ");
        let allowed = format!("a string that no other pass has, not empty and none of {reserved}");
        match pass.value_of("id") {
            None if value.is_object() => pass.missing("id", allowed),
            Some(Value::String(_))
                if id.is_empty() || PassReport::RESERVED.contains(&&*id) || !ids.insert(id.clone()) =>
            {
                pass.fault("id", &json!(id), allowed);
            }
            _ => {}
        }
        Pass::read(pass, id, value.to_string())
    });
    read.collect()
}

impl Pass {
    fn read(mut pass: Object<'_>, id: String, key: String) -> Self {
        let name = pass.text("name").unwrap_or_else(|| id.clone());
        pass.text("description");
        let selection = selection(pass.required_object("selection", ""));
        let mode = mode(&mut pass);
        let token_threshold = execution(pass.object("execution"));
        pass.finish();
        Self { id, name, selection, mode, token_threshold, key }
    }

    /// Of each summary that it asks for, the profile under which that is; `None` for the handler of the call.
    pub fn asked_under(&self) -> Vec<Option<&str>> {
        match &self.mode {
            Mode::BatchKeep => Vec::new(),
            Mode::BatchSummarize(summary) => vec![summary.api_profile.as_deref()],
            Mode::Individual(individual) => individual
                .operations()
                .filter_map(|operation| match operation {
                    ContentOperation::Summarize(summarize) => Some(summarize.api_profile.as_deref()),
                    _ => None,
                })
                .collect(),
        }
    }

    /// Whether all it does is to leave out the less salient lines, or to have summaries written.
    pub fn is_salient(&self) -> bool {
        match &self.mode {
            Mode::BatchKeep | Mode::BatchSummarize(_) => false,
            Mode::Individual(individual) => individual.operations().all(|operation| match operation {
                ContentOperation::Keep | ContentOperation::Summarize(_) => true,
                ContentOperation::Suppress => false,
                ContentOperation::Truncate(truncate) => truncate.strategy == Strategy::Salient,
            }),
        }
    }
}

impl Individual {
    /// What is done to content of this kind in the message that had this index when it came in.
    pub fn operation(&self, origin: Option<usize>, kind: ContentKind) -> &ContentOperation {
        let own = origin.and_then(|origin| self.overrides.get(&origin)).and_then(|own| own.operations.get(kind));
        own.or_else(|| self.defaults.get(kind)).unwrap_or(&ContentOperation::Keep)
    }

    /// Content of this kind with fewer tokens in this message is left as it is.
    pub fn threshold(&self, origin: Option<usize>, kind: ContentKind) -> usize {
        let own = origin.and_then(|origin| self.overrides.get(&origin)).and_then(|own| own.thresholds.get(kind));
        own.or_else(|| self.thresholds.get(kind)).copied().unwrap_or(0)
    }

    fn operations(&self) -> impl Iterator<Item = &ContentOperation> {
        std::iter::once(&self.defaults)
            .chain(self.overrides.values().map(|own| &own.operations))
            .flat_map(|operations| [&operations.message_text, &operations.tool_parameters, &operations.tool_results])
            .flatten()
    }
}

fn selection(mut selection: Object<'_>) -> MessageSelection {
    let kind = selection.required_choice("type", SELECTIONS);
    let recent = selection.integer("keepRecentCount", 1, MAX_LIMIT);
    let percent = selection.number("keepPercentage", 0.0, 100.0);
    let listed = selection.list("messageIndices", "an array of indices, or a function `customSelector` in JavaScript");
    let mut indices = BTreeSet::new();
    for (path, value) in listed.iter().flatten() {
        match integer(value, path, 0, MAX_LIMIT) {
            Ok(index) => drop(indices.insert(index)),
            Err(fault) => selection.push(fault),
        }
    }
    let missing = |name: &str, allowed: &str| {
        selection.missing(name, format!("{allowed}, because type is {:?}", kind.unwrap_or_default()))
    };
    match kind.unwrap_or_default() {
        "preserve_recent" if recent.is_none() && !selection.has("keepRecentCount") => {
            missing("keepRecentCount", "a whole number")
        }
        "preserve_percent" if percent.is_none() && !selection.has("keepPercentage") => {
            missing("keepPercentage", "a number from 0 to 100")
        }
        "custom" if listed.is_none() && !selection.has("messageIndices") => {
            missing("messageIndices", "an array of indices, or a function `customSelector` in JavaScript");
        }
        _ => {}
    }
    selection.finish();
    match kind.unwrap_or_default() {
        "preserve_percent" => MessageSelection::PreservePercent(percent.unwrap_or(100.0)),
        "custom" => MessageSelection::Custom(indices),
        _ => MessageSelection::PreserveRecent(recent.unwrap_or(MAX_LIMIT)),
    }
}

fn mode(pass: &mut Object<'_>) -> Mode {
    match pass.required_choice("mode", MODES) {
        None => {
            individual(pass.object("individualConfig"));
            batch(pass.object("batchConfig"))
        }
        Some("batch") => {
            // Not used, but checked: what is wrong in it is no less wrong.
            individual(pass.object("individualConfig"));
            batch(pass.required_object("batchConfig", ", because mode is \"batch\""))
        }
        Some(_) => {
            batch(pass.object("batchConfig"));
            individual(pass.required_object("individualConfig", ", because mode is \"individual\""))
        }
    }
}

fn batch(mut batch: Object<'_>) -> Mode {
    let operation = if batch.is_missing() { None } else { batch.required_choice("operation", BATCH_OPERATIONS) };
    let mut summary = batch.object("summarizationConfig");
    let read = BatchSummary {
        prompt: summary.text("customPrompt").unwrap_or_default(),
        keep_first: summary.integer("keepFirst", 0, MAX_LIMIT).unwrap_or(1),
        keep_last: summary.integer("keepLast", 0, MAX_LIMIT).unwrap_or(1),
        api_profile: summary.text("apiProfile"),
    };
    summary.finish();
    batch.finish();
    if operation == Some("summarize") { Mode::BatchSummarize(read) } else { Mode::BatchKeep }
}

fn individual(mut individual: Object<'_>) -> Mode {
    let defaults = if individual.is_missing() {
        individual.object("defaults")
    } else {
        individual.required_object("defaults", " with an operation for each content kind")
    };
    let defaults = operations(defaults);
    let thresholds = thresholds(individual.object("messageTokenThresholds"));
    let mut overrides = HashMap::new();
    for (path, value) in individual.list("overrides", "an array of { messageIndex, operations }").unwrap_or_default() {
        let mut own = individual.at(value, path);
        let index = own.integer("messageIndex", 0, MAX_LIMIT);
        if index.is_none() && !own.has("messageIndex") {
            own.missing("messageIndex", "a whole number, 0 or more");
        }
        let read = Override {
            operations: operations(own.object("operations")),
            thresholds: self::thresholds(own.object("messageTokenThresholds")),
        };
        own.finish();
        overrides.extend(index.map(|index| (index, read)));
    }
    individual.finish();
    Mode::Individual(Box::new(Individual { defaults, thresholds, overrides }))
}

fn thresholds(mut thresholds: Object<'_>) -> ByKind<usize> {
    let read = ByKind {
        message_text: thresholds.integer("messageText", 0, MAX_LIMIT),
        tool_parameters: thresholds.integer("toolParameters", 0, MAX_LIMIT),
        tool_results: thresholds.integer("toolResults", 0, MAX_LIMIT),
    };
    thresholds.finish();
    read
}

fn operations(mut operations: Object<'_>) -> ByKind<ContentOperation> {
    let mut of_kind = |name| {
        operations.take(name)?;
        Some(operation(operations.object(name)))
    };
    let read = ByKind {
        message_text: of_kind("messageText"),
        tool_parameters: of_kind("toolParameters"),
        tool_results: of_kind("toolResults"),
    };
    operations.finish();
    read
}

fn operation(mut operation: Object<'_>) -> ContentOperation {
    let kind = operation.required_choice("operation", OPERATIONS);
    let mut parameters = operation.object("params");
    let truncate = truncate(parameters.object("truncate"));
    let summarize = summarize(parameters.object("summarize"));
    parameters.finish();
    operation.finish();
    match kind {
        Some("suppress") => ContentOperation::Suppress,
        Some("truncate") => ContentOperation::Truncate(truncate),
        Some("summarize") => ContentOperation::Summarize(summarize),
        _ => ContentOperation::Keep,
    }
}

fn truncate(mut truncate: Object<'_>) -> Truncate {
    let read = Truncate {
        max_chars: truncate.integer("maxChars", 1, MAX_LIMIT),
        max_lines: truncate.integer("maxLines", 1, MAX_LIMIT),
        max_line_chars: truncate.integer("maxLineChars", 20, MAX_LIMIT).unwrap_or(DEFAULT_LINE_CHARS),
        add_ellipsis: truncate.flag("addEllipsis").unwrap_or(true),
        strategy: match truncate.choice("strategy", STRATEGIES) {
            Some("head") => Strategy::Head,
            Some("head_tail") => Strategy::HeadTail,
            _ => Strategy::Salient,
        },
    };
    truncate.finish();
    read
}

fn summarize(mut summarize: Object<'_>) -> Summarize {
    let read = Summarize {
        max_tokens: summarize.integer("maxTokens", 16, MAX_LIMIT).unwrap_or(DEFAULT_SUMMARY_TOKENS),
        min_chars: summarize.integer("minChars", 0, MAX_LIMIT).unwrap_or(0),
        prompt: summarize.text("customPrompt").filter(|prompt| !prompt.trim().is_empty()),
        api_profile: summarize.text("apiProfile"),
    };
    summarize.finish();
    read
}

fn execution(mut execution: Object<'_>) -> Option<usize> {
    let kind = execution.choice("type", EXECUTIONS).unwrap_or("always");
    let mut condition = execution.object("condition");
    let threshold = condition.integer("tokenThreshold", 0, MAX_LIMIT);
    if kind == "conditional" && threshold.is_none() && !condition.has("tokenThreshold") {
        let allowed = "a whole number of tokens, because type is \"conditional\"";
        condition.push(ConfigError::missing(condition.path("tokenThreshold"), allowed));
    }
    condition.finish();
    execution.finish();
    threshold.filter(|_| kind == "conditional")
}

/// Checks that the lossless provider knows what a prelude may be told.
pub(super) fn prelude_schema() -> Value {
    Lossless::new(&Value::Null).map_or(Value::Null, |lossless| lossless.config_schema())
}
