//! The configuration of a smart provider, checked as a whole.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::{presets, tables};
use crate::{
    conversation::ContentKind,
    options::{ConfigError, Settings},
    providers::middle::SummaryCheck,
    transcript::ToolRows,
    words::said,
};

/// The id of the smart provider.
pub(super) const ID: &str = "smart";

/// A complete configuration.
#[derive(Debug, Clone)]
pub(super) struct SmartConfig {
    pub enabled: bool,
    /// The preset from which the passes come.
    pub preset: Option<String>,
    /// The configuration of the lossless prelude; `None` for no prelude.
    pub prelude: Option<Value>,
    pub passes: Vec<Pass>,
    /// Maximum number of requests for summaries at the same time.
    pub max_concurrency: usize,
    /// Minimum scaled tokens to save. A smaller saving is not worth rewriting the prompt cache.
    pub min_reduction_tokens: usize,
    /// True if salient truncation continues when the passes leave more than the target.
    pub meet_target: bool,
    /// The preset whose result, without a model, is the upper limit for this configuration's result.
    pub no_more_tokens_than: Option<String>,
    /// The host's own tools.
    pub tools: ToolRows,
}

/// A pass.
#[derive(Debug, Clone)]
pub(super) struct Pass {
    pub id: String,
    pub name: String,
    pub selection: MessageSelection,
    pub mode: Mode,
    /// The pass runs only if there are more tokens than this.
    pub token_threshold: Option<usize>,
    /// The pass as JSON, to compare what passes do.
    pub key: String,
}

/// The messages that a pass works on. The first and the newest message are never selected.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MessageSelection {
    /// All but this many of the newest, as far as these have no more tokens than the limit.
    PreserveRecent(usize, Option<usize>),
    /// All but this percentage of the newest, rounded up, as far as these have no more tokens than the limit.
    PreservePercent(f64, Option<usize>),
    /// The messages with these indices in the call's input.
    Custom(BTreeSet<usize>),
    /// The messages of another selection that also have these indices in the call's input.
    Among(Box<Self>, BTreeSet<usize>),
}

/// The way a pass works.
#[derive(Debug, Clone)]
pub(super) enum Mode {
    /// Changes nothing.
    BatchKeep,
    /// Replaces the selected messages with one summary.
    BatchSummarize(BatchSummary),
    /// Works on each text separately.
    Individual(Box<Individual>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct BatchSummary {
    pub prompt: String,
    pub keep_first: usize,
    pub keep_last: usize,
    pub api_profile: Option<String>,
    pub check: Option<SummaryCheck>,
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

/// A setting per content kind; `None` if not set.
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

/// The operation on a text.
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
    /// Characters to keep at both ends of texts longer than a limit.
    pub ends: Option<Ends>,
    pub max_lines: Option<usize>,
    /// Average number of tokens to keep per text of the pass, instead of a limit for each.
    pub average_tokens: Option<usize>,
    /// Maximum characters per line.
    pub max_line_chars: usize,
    pub add_ellipsis: bool,
    pub strategy: Strategy,
}

/// The characters to keep at both ends of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    pub prefix: usize,
    pub suffix: usize,
    /// Texts with at most this many characters stay whole.
    pub over: usize,
}

/// The part of a text to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    Salient,
    Head,
    HeadTail,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summarize {
    /// Maximum length of a summary in tokens.
    pub max_tokens: usize,
    /// Texts of fewer characters stay as they are.
    pub min_chars: usize,
    pub prompt: Option<String>,
    pub api_profile: Option<String>,
}

impl SmartConfig {
    /// Reads a configuration. Null and an empty object mean the preset `balanced`; given fields replace the preset's.
    ///
    /// # Errors
    /// Every wrong or unknown field.
    pub fn read(config: &Value) -> Result<Self, Vec<ConfigError>> {
        Self::of(config, false)
    }

    /// Reads a configuration for a call without a model, on which learned thresholds can depend.
    ///
    /// # Errors
    /// The errors of [`Self::read`].
    pub fn read_alone(config: &Value) -> Result<Self, Vec<ConfigError>> {
        Self::of(config, true)
    }

    fn of(config: &Value, alone: bool) -> Result<Self, Vec<ConfigError>> {
        let shared = shared_ids(config);
        let given = match tables::CONFIG.read(config) {
            Ok(given) if shared.is_empty() => given,
            given => return Err(given.err().into_iter().flatten().chain(shared).collect()),
        };
        let merged = over_preset(given.text("preset"), config, alone);
        let preset = (!given.is_given("passes")).then(|| given.text("preset").to_owned());
        Ok(Self { preset, ..Self::of_checked(&tables::CONFIG.read(&merged)?) })
    }

    /// Returns the configuration of a preset, or `None` for an unknown name.
    pub fn preset(name: &str) -> Option<Self> {
        Self::read(&json!({ "preset": name })).ok()
    }

    fn of_checked(config: &Settings<'_>) -> Self {
        let prelude = config.object("losslessPrelude");
        let operations = || prelude.value("operations").cloned().unwrap_or_else(|| json!({}));
        Self {
            enabled: config.flag("enabled"),
            preset: None,
            prelude: prelude.flag("enabled").then(operations),
            passes: config.list("passes").iter().zip(config.elements("passes")).map(Pass::read).collect(),
            max_concurrency: config.integer("maxConcurrency"),
            min_reduction_tokens: config.integer("minReductionTokens"),
            meet_target: config.flag("meetTarget"),
            no_more_tokens_than: config.given_text("noMoreTokensThan").map(str::to_owned),
            tools: ToolRows::of(config),
        }
    }
}

/// Returns the preset with the given fields in place of its own. A configuration with its own passes does only what
/// those say.
fn over_preset(preset: &str, config: &Value, alone: bool) -> Value {
    let empty = Map::new();
    let given = config.as_object().unwrap_or(&empty);
    let is_learned = given.get("thresholds").is_some_and(|thresholds| thresholds == "learned");
    let own = if is_learned { presets::learned(preset, alone) } else { presets::json(preset) };
    let mut merged = match own {
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

/// Returns an error for each id that several passes share, because reports identify passes by their ids. Also
/// examines a configuration that has other errors.
fn shared_ids(config: &Value) -> Vec<ConfigError> {
    let mut ids = BTreeSet::new();
    let passes = config["passes"].as_array().into_iter().flatten().enumerate();
    let shared =
        passes.filter_map(|(index, pass)| Some((index, pass["id"].as_str()?))).filter(|(_, id)| !ids.insert(*id));
    let fault = |(index, id): (usize, &str)| {
        ConfigError::not_allowed(format!("passes[{index}].id"), &json!(id), said!("allowed.ownId"))
    };
    shared.map(fault).collect()
}

impl Pass {
    fn read((pass, json): (&Settings<'_>, &Value)) -> Self {
        let id = pass.text("id").to_owned();
        let name = pass.given_text("name").map_or_else(|| id.clone(), str::to_owned);
        let execution = pass.object("execution");
        let condition = execution.object("condition");
        let is_conditional = execution.text("type") == "conditional";
        let threshold = condition.given_integer("tokenThreshold").filter(|_| is_conditional);
        let selection = MessageSelection::read(&pass.object("selection"));
        let selection = if is_conditional && condition.is_given("messageIndices") {
            MessageSelection::Among(Box::new(selection), condition.integers("messageIndices").collect())
        } else {
            selection
        };
        Self {
            id,
            name,
            selection,
            mode: match pass.text("mode") {
                "batch" => batch(&pass.object("batchConfig")),
                _ => Mode::Individual(Box::new(Individual::read(&pass.object("individualConfig")))),
            },
            token_threshold: threshold,
            key: json.to_string(),
        }
    }

    /// Returns, for each summary that the pass requests, its profile; `None` for the call's handler.
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

    /// Returns true if the pass only leaves out the less salient lines, or only requests summaries.
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
    /// Returns the operation on content of this kind in the message with this index in the call's input.
    pub fn operation(&self, origin: Option<usize>, kind: ContentKind) -> &ContentOperation {
        let own = origin.and_then(|origin| self.overrides.get(&origin)).and_then(|own| own.operations.get(kind));
        own.or_else(|| self.defaults.get(kind)).unwrap_or(&ContentOperation::Keep)
    }

    /// Returns the threshold for this kind in this message: with fewer tokens, the content stays as it is.
    pub fn threshold(&self, origin: Option<usize>, kind: ContentKind) -> usize {
        let own = origin.and_then(|origin| self.overrides.get(&origin)).and_then(|own| own.thresholds.get(kind));
        own.or_else(|| self.thresholds.get(kind)).copied().unwrap_or(0)
    }

    /// Returns the messages with their own settings, in order.
    pub fn overridden(&self) -> impl Iterator<Item = usize> {
        let messages: BTreeSet<usize> = self.overrides.keys().copied().collect();
        messages.into_iter()
    }

    fn operations(&self) -> impl Iterator<Item = &ContentOperation> {
        std::iter::once(&self.defaults)
            .chain(self.overrides.values().map(|own| &own.operations))
            .flat_map(|operations| [&operations.message_text, &operations.tool_parameters, &operations.tool_results])
            .flatten()
    }
}

impl MessageSelection {
    fn read(selection: &Settings<'_>) -> Self {
        let tokens = selection.given_integer("keepRecentTokens");
        match selection.text("type") {
            "preserve_percent" => Self::PreservePercent(selection.number("keepPercentage"), tokens),
            "custom" => Self::Custom(selection.integers("messageIndices").collect()),
            _ => Self::PreserveRecent(selection.integer("keepRecentCount"), tokens),
        }
    }
}

fn batch(batch: &Settings<'_>) -> Mode {
    let summary = batch.object("summarizationConfig");
    match batch.text("operation") {
        "summarize" => Mode::BatchSummarize(BatchSummary {
            prompt: summary.text("customPrompt").to_owned(),
            keep_first: summary.integer("keepFirst"),
            keep_last: summary.integer("keepLast"),
            check: SummaryCheck::of(&summary),
            api_profile: summary.given_text("apiProfile").map(str::to_owned),
        }),
        _ => Mode::BatchKeep,
    }
}

impl<T> ByKind<T> {
    fn of<'a>(settings: &Settings<'a>, read: impl Fn(&Settings<'a>, &str) -> Option<T>) -> Self {
        Self {
            message_text: read(settings, "messageText"),
            tool_parameters: read(settings, "toolParameters"),
            tool_results: read(settings, "toolResults"),
        }
    }
}

fn thresholds(settings: &Settings<'_>) -> ByKind<usize> {
    ByKind::of(&settings.object("messageTokenThresholds"), Settings::given_integer)
}

fn operations(settings: &Settings<'_>) -> ByKind<ContentOperation> {
    ByKind::of(settings, |operations, kind| operations.given_object(kind).map(|it| ContentOperation::read(&it)))
}

impl Individual {
    fn read(individual: &Settings<'_>) -> Self {
        let overrides = individual.list("overrides").into_iter().map(|own| {
            let operations = operations(&own.object("operations"));
            (own.integer("messageIndex"), Override { operations, thresholds: thresholds(&own) })
        });
        Self {
            defaults: operations(&individual.object("defaults")),
            thresholds: thresholds(individual),
            overrides: overrides.collect(),
        }
    }
}

impl ContentOperation {
    fn read(operation: &Settings<'_>) -> Self {
        let parameters = operation.object("params");
        match operation.text("operation") {
            "suppress" => Self::Suppress,
            "truncate" => Self::Truncate(Truncate::read(&parameters.object("truncate"))),
            "summarize" => Self::Summarize(Summarize::read(&parameters.object("summarize"))),
            _ => Self::Keep,
        }
    }
}

impl Truncate {
    fn read(truncate: &Settings<'_>) -> Self {
        Self {
            max_chars: truncate.given_integer("maxChars"),
            ends: Ends::read(truncate),
            max_lines: truncate.given_integer("maxLines"),
            average_tokens: truncate.given_integer("averageTokens"),
            max_line_chars: truncate.integer("maxLineChars"),
            add_ellipsis: truncate.flag("addEllipsis"),
            strategy: match truncate.text("strategy") {
                "head" => Strategy::Head,
                "head_tail" => Strategy::HeadTail,
                _ => Strategy::Salient,
            },
        }
    }
}

impl Ends {
    fn read(truncate: &Settings<'_>) -> Option<Self> {
        let (prefix, suffix) = (truncate.given_integer("keepPrefix"), truncate.given_integer("keepSuffix"));
        prefix.or(suffix)?;
        let of_both = || prefix.unwrap_or(0) + suffix.unwrap_or(0);
        Some(Self {
            prefix: prefix.unwrap_or(0),
            suffix: suffix.unwrap_or(0),
            over: truncate.given_integer("maxChars").unwrap_or_else(of_both),
        })
    }
}

impl Summarize {
    fn read(summarize: &Settings<'_>) -> Self {
        Self {
            max_tokens: summarize.integer("maxTokens"),
            min_chars: summarize.integer("minChars"),
            prompt: summarize.given_text("customPrompt").filter(|prompt| !prompt.trim().is_empty()).map(str::to_owned),
            api_profile: summarize.given_text("apiProfile").map(str::to_owned),
        }
    }
}
