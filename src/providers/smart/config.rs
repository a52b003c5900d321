//! The configuration of a smart provider, checked as a whole.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

pub(super) use super::tables::{BatchSummary, ContentOperation, Strategy, Summarize, Truncate};
use super::{
    presets,
    tables::{
        BatchOperation, BatchOptions, ConfigOptions, ContentOperations, ContentThresholds, ExecutionKind,
        IndividualOptions, PassMode, PassOptions, SelectionKind, SelectionOptions, Thresholds,
    },
};
use crate::{
    conversation::ContentKind,
    maps::HashMap,
    options::{ConfigError, Options},
    transcript::ToolRows,
    words::said,
};

/// The id of the smart provider.
pub(super) const ID: &str = "smart";

/// A complete configuration.
#[derive(Debug, Clone)]
pub(super) struct SmartConfig {
    pub enabled: bool,
    /// The preset whose passes are used; `None` if the configuration has its own passes.
    pub preset: Option<&'static str>,
    /// The configuration of the lossless provider that runs first; `None` if there is no prelude.
    pub prelude: Option<Value>,
    pub passes: Vec<Pass>,
    /// Maximum number of requests for summaries at the same time.
    pub max_concurrency: usize,
    /// Minimum scaled tokens to save. A smaller saving is not worth rewriting the prompt cache.
    pub min_reduction_tokens: usize,
    /// True if salient truncation continues when the passes leave more than the target.
    pub meet_target: bool,
    /// Without a model, the result has no more tokens than this preset leaves.
    pub no_more_tokens_than: Option<&'static str>,
    /// Tools of the host.
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

#[derive(Debug, Clone)]
pub(super) struct Individual {
    defaults: ContentOperations,
    thresholds: ContentThresholds,
    overrides: HashMap<usize, Override>,
}

#[derive(Debug, Clone)]
struct Override {
    operations: ContentOperations,
    thresholds: ContentThresholds,
}

/// The characters kept at both ends of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    pub prefix: usize,
    pub suffix: usize,
    /// Texts with at most this many characters stay whole.
    pub over: usize,
}

impl SmartConfig {
    /// Reads a configuration. Null and an empty object mean the preset `balanced`; given fields replace the preset's.
    pub fn read(config: &Value) -> Result<Self, Vec<ConfigError>> {
        Self::read_over_preset(config, false)
    }

    /// Reads a configuration for a call without a model, on which learned thresholds can depend.
    pub fn read_alone(config: &Value) -> Result<Self, Vec<ConfigError>> {
        Self::read_over_preset(config, true)
    }

    fn read_over_preset(config: &Value, alone: bool) -> Result<Self, Vec<ConfigError>> {
        let shared = shared_ids(config);
        let given = match ConfigOptions::read(config) {
            Ok(given) if shared.is_empty() => given,
            given => return Err(given.err().into_iter().flatten().chain(shared).collect()),
        };
        let preset = given.passes.is_none().then_some(given.preset);
        Ok(Self { preset, ..Self::of_checked(ConfigOptions::read(&over_preset(&given, config, alone))?) })
    }

    /// Returns the configuration of a preset, or `None` for an unknown name.
    pub fn preset(name: &str) -> Option<Self> {
        Self::read(&json!({ "preset": name })).ok()
    }

    fn of_checked(config: ConfigOptions) -> Self {
        let prelude = config.lossless_prelude;
        Self {
            enabled: config.enabled,
            preset: None,
            prelude: prelude.enabled.then(|| prelude.operations.unwrap_or_else(|| json!({}))),
            passes: config.passes.into_iter().flatten().map(|pass| Pass::new(pass.value, &pass.json)).collect(),
            max_concurrency: config.max_concurrency,
            min_reduction_tokens: config.min_reduction_tokens,
            meet_target: config.meet_target.unwrap_or(false),
            no_more_tokens_than: config.no_more_tokens_than,
            tools: config.tools,
        }
    }
}

/// Returns the preset with its fields replaced by the given ones. A configuration with its own passes does only what
/// they specify.
fn over_preset(options: &ConfigOptions, config: &Value, alone: bool) -> Value {
    let empty = Map::new();
    let given = config.as_object().unwrap_or(&empty);
    let own = match options.thresholds {
        Thresholds::Learned => presets::learned(options.preset, alone),
        Thresholds::Fixed => presets::json(options.preset),
    };
    let mut merged = match own {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    if options.passes.is_some() {
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
    fn new(pass: PassOptions, json: &Value) -> Self {
        let PassOptions { id, name, selection, mode, batch_config, individual_config, execution, .. } = pass;
        let condition = execution.condition.filter(|_| execution.kind == ExecutionKind::Conditional);
        let (token_threshold, among) =
            condition.map_or((None, None), |condition| (condition.token_threshold, condition.message_indices));
        let selection = MessageSelection::new(selection);
        let selection = match among {
            Some(indices) => MessageSelection::Among(Box::new(selection), indices.into_iter().collect()),
            None => selection,
        };
        let mode = match mode {
            PassMode::Batch => Mode::batch(batch_config),
            PassMode::Individual => Mode::Individual(Box::new(Individual::new(individual_config))),
        };
        Self { name: name.unwrap_or_else(|| id.clone()), id, selection, mode, token_threshold, key: json.to_string() }
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
        let own = origin.and_then(|origin| self.overrides.get(&origin)).and_then(|own| own.thresholds.set(kind));
        own.or_else(|| self.thresholds.set(kind)).unwrap_or(0)
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
    fn new(selection: SelectionOptions) -> Self {
        let tokens = selection.keep_recent_tokens;
        match selection.kind {
            SelectionKind::PreservePercent => Self::PreservePercent(selection.keep_percentage, tokens),
            SelectionKind::Custom => Self::Custom(selection.message_indices.into_iter().collect()),
            SelectionKind::PreserveRecent => Self::PreserveRecent(selection.keep_recent_count, tokens),
        }
    }
}

impl Mode {
    fn batch(batch: Option<BatchOptions>) -> Self {
        match batch {
            Some(BatchOptions { operation: BatchOperation::Summarize, summarization_config }) => {
                Self::BatchSummarize(summarization_config)
            }
            _ => Self::BatchKeep,
        }
    }
}

impl ContentOperations {
    fn get(&self, kind: ContentKind) -> Option<&ContentOperation> {
        match kind {
            ContentKind::MessageText => self.message_text.as_ref(),
            ContentKind::ToolParameters => self.tool_parameters.as_ref(),
            ContentKind::ToolResults => self.tool_results.as_ref(),
        }
    }
}

impl ContentThresholds {
    /// Returns the threshold set for a kind, if there is one.
    fn set(&self, kind: ContentKind) -> Option<usize> {
        let threshold = match kind {
            ContentKind::MessageText => &self.message_text,
            ContentKind::ToolParameters => &self.tool_parameters,
            ContentKind::ToolResults => &self.tool_results,
        };
        threshold.is_given.then_some(threshold.value)
    }
}

impl Individual {
    fn new(individual: Option<IndividualOptions>) -> Self {
        let IndividualOptions { defaults, message_token_thresholds: thresholds, overrides } =
            individual.unwrap_or_else(IndividualOptions::defaults);
        let overrides = overrides.into_iter().map(|own| {
            (own.message_index, Override { operations: own.operations, thresholds: own.message_token_thresholds })
        });
        Self { defaults, thresholds, overrides: overrides.collect() }
    }
}

impl Truncate {
    /// Returns the characters kept at both ends of a text that is longer than the limit.
    pub fn ends(&self) -> Option<Ends> {
        let (prefix, suffix) = (self.keep_prefix, self.keep_suffix);
        prefix.or(suffix)?;
        let (prefix, suffix) = (prefix.unwrap_or(0), suffix.unwrap_or(0));
        Some(Ends { prefix, suffix, over: self.max_chars.unwrap_or(prefix + suffix) })
    }
}

impl Summarize {
    /// Returns the system prompt; `None` if it is blank.
    pub fn prompt(&self) -> Option<&str> {
        self.custom_prompt.as_deref().filter(|prompt| !prompt.trim().is_empty())
    }
}
