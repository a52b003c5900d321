//! The fields of a configuration: types, checks and JSON Schema come from them.

use serde_json::Value;

use super::presets;
use crate::{
    options::{
        Converted, Given, Needs, Options, Table, Unread, WithJson, choice, flag, host, json_of, list, number, object,
        options, some_text_but, text, whole, word, words,
    },
    protect::{FROZEN_MESSAGES, PROTECT},
    providers::{
        PassReport,
        lossless::LosslessConfig,
        middle::{SUMMARY_CHECK, SummaryCheckOption},
    },
    transcript::{TOOLS, ToolRows},
};

/// Default maximum length of a line, in characters, if a text is cut by lines; the same as in the truncation provider.
pub(super) const DEFAULT_LINE_CHARS: u64 = 500;
/// Default maximum length of a text's summary, in tokens, from the published configuration for best quality.
const DEFAULT_SUMMARY_TOKENS: u64 = 150;
/// Maximum of all limits; larger ones would have no further effect.
pub(super) const MAX_LIMIT: u64 = 1_000_000_000;

const INDICES: &str = "allowed.indices";

words! {
    /// The thresholds of the passes of a preset.
    pub(super) enum Thresholds { Fixed = "fixed", Learned = "learned" }
}

options! {
    /// The whole configuration.
    pub(super) struct ConfigOptions: Table::titled("Configuration of the smart provider")
        .interface("SmartSettings", "The fields of `SmartConfig`.");

    /// The configuration that the other fields replace parts of.
    preset: &'static str = word(presets::NAMES).or(presets::DEFAULT).typed_as("PresetName"),
    /// Which thresholds the passes of the preset have: those of its design, or those learned from recorded conversations.
    ///
    /// `learned` exist for `aggressive`, and for `balanced` without a handler. Ignored with `passes` of your own. To learn your own:
    /// `calibrateThresholds`.
    thresholds: Thresholds = choice().or_first(),
    /// The name for people.
    name: Unread = text().unread(),
    /// The description for people.
    description: Unread = text().unread(),
    /// Off leaves every conversation as it is.
    ///
    /// If there is a target, the manager's fallback runs then.
    enabled: bool = flag().or(true),
    /// The lossless step before the passes.
    lossless_prelude: PreludeOptions = object().or_default(),
    /// Done in this order.
    ///
    /// They run until the target is reached. Without a handler, salient truncation replaces summaries of single texts, and batch summaries are skipped.
    passes: Option<Vec<WithJson<PassOptions>>> =
        list(&object().with_json(), "allowed.passes").if_set().typed_as("readonly PassSettings[]"),
    /// Requests for summaries under way at once.
    max_concurrency: usize = whole(1, 32).or(4),
    /// When the whole would save fewer tokens, nothing is changed: a change makes the model provider's prompt cache miss.
    ///
    /// If even the shortest summaries would save fewer, no LLM is called.
    min_reduction_tokens: usize = whole(0, MAX_LIMIT).or(0),
    /// When the passes leave more than the target, salient truncation goes on. Default: as the preset says; false with passes of one's own.
    ///
    /// It also replaces a pass without an LLM that would remove more than the target requires. All presets but `selective` have it.
    meet_target: Option<bool> = flag().if_set(),
    /// The result has no more tokens than this preset would leave. A model is asked for that only where its answers decide.
    ///
    /// Default: the preset's setting.
    no_more_tokens_than: Option<&'static str> = word(presets::NAMES).if_set().typed_as("PresetName"),
    tools: ToolRows = TOOLS,
    protect: Unread = PROTECT.unread(),
    frozen_messages: Unread = FROZEN_MESSAGES.unread(),
}

options! {
    /// The lossless step before the passes.
    pub(super) struct PreludeOptions: Table::titled("prelude")
        .interface("LosslessPrelude", "The lossless step before the passes of the smart provider.");

    /// Whether the lossless provider goes first.
    enabled: bool = flag().or(true),
    /// Its configuration.
    operations: Option<Value> = json_of::<LosslessConfig>().if_set(),
}

words! {
    /// Whether a pass treats texts or messages.
    pub(super) enum PassMode { Individual = "individual", Batch = "batch" }
}

options! {
    /// A pass.
    pub(super) struct PassOptions: Table::titled("pass")
        .interface("PassSettings", "The fields of `SmartPass`.")
        .with_needs(&[
            Needs { field: "mode", is: "batch", any_of: &["batchConfig"] },
            Needs { field: "mode", is: "individual", any_of: &["individualConfig"] },
        ])
        .shared();

    /// The name of the pass in reports; no two passes share one.
    ///
    /// It is not one of the built-in steps: `tool_rules`, `lossless_prelude`, `salient_to_target`, `no_more_tokens_than`, `one_summary`.
    id: String = some_text_but(&PassReport::RESERVED).required(),
    /// The name for people.
    ///
    /// Default: the id.
    name: Option<String> = text().if_set(),
    /// The description for people.
    description: Unread = text().unread(),
    /// The messages that it works on.
    ///
    /// The first and the newest are never included.
    selection: SelectionOptions = object().required().typed_as("object"),
    /// Each text on its own, or the selected messages as one.
    ///
    /// They are several groups if other messages stand between them.
    mode: PassMode = choice().required(),
    /// The operation on the selected messages as one.
    ///
    /// Required for `batch`.
    batch_config: Option<BatchOptions> = object().if_set(),
    /// The operations on each text.
    ///
    /// Required for `individual`.
    individual_config: Option<IndividualOptions> = object().if_set(),
    /// When it runs.
    ///
    /// Default: always.
    execution: ExecutionOptions = object().or_default().typed_as("object"),
}

words! {
    /// How messages are selected.
    pub(super) enum SelectionKind { PreserveRecent = "preserve_recent", PreservePercent = "preserve_percent", Custom = "custom" }
}

options! {
    /// The messages that a pass works on.
    #[expect(clippy::doc_markdown, reason = "descriptions of the schema are plain text")]
    pub(super) struct SelectionOptions: Table::titled("selection").with_needs(&[
        Needs { field: "type", is: "preserve_recent", any_of: &["keepRecentCount"] },
        Needs { field: "type", is: "preserve_percent", any_of: &["keepPercentage"] },
        Needs { field: "type", is: "custom", any_of: &["messageIndices", "customSelector"] },
    ]);

    /// The first and the newest message are never selected.
    kind as "type": SelectionKind = choice().required(),
    /// Number of the newest messages that are not selected.
    keep_recent_count: usize = whole(1, MAX_LIMIT).or_default(),
    /// This share of the newest messages, rounded up, is not selected.
    keep_percentage: f64 = number(0.0, 100.0).or_default(),
    /// The newest messages that are not selected have no more tokens than this; the newest one is never selected. For preserve_recent and preserve_percent.
    keep_recent_tokens: Option<usize> = whole(0, MAX_LIMIT).if_set(),
    /// Indices in the messages as they were given.
    message_indices: Vec<usize> = list(&whole(0, MAX_LIMIT), INDICES).or_default(),
    /// In JavaScript only: a function that is given the messages and returns some of them.
    custom_selector: Unread = host("allowed.function"),
}

words! {
    /// An operation on several messages.
    pub(super) enum BatchOperation { Keep = "keep", Summarize = "summarize" }
}

options! {
    /// An operation on the selected messages together.
    pub(super) struct BatchOptions: Table::titled("batch").interface("BatchConfig", "How to treat the selected messages together.");

    /// Whether they stay or one summary takes their place.
    ///
    /// The summary is like the native provider's.
    operation: BatchOperation = choice().required(),
    /// How the summary is written.
    summarization_config: BatchSummary = object().or_default(),
}

options! {
    /// One summary in the place of the selected messages.
    pub(super) struct BatchSummary: Table::titled("batchSummary").interface("BatchSummaryConfig", "One summary in the place of the selected messages.");

    /// The profile whose handler writes the summary.
    ///
    /// It is one of the manager's; its price counts, too. Default: the condensing handler.
    api_profile: Option<String> = text().if_set(),
    /// The system prompt; blank for that of the native provider.
    custom_prompt: String = text().or_default(),
    /// Messages that stay at the start; the first always does.
    keep_first: usize = whole(0, MAX_LIMIT).or(1),
    /// Messages that stay at the end, when the selection leaves fewer.
    keep_last: usize = whole(0, MAX_LIMIT).or(1),
    summary_check: SummaryCheckOption = SUMMARY_CHECK,
}

options! {
    /// Operations on each text.
    pub(super) struct IndividualOptions: Table::titled("individual").interface("IndividualConfig", "How to treat each text of the selected messages.");

    /// For all messages.
    ///
    /// Kinds of content without an operation are kept.
    defaults: ContentOperations = object().required(),
    /// For all messages.
    ///
    /// Content of a kind with fewer tokens in one message is left unchanged. Default: none.
    message_token_thresholds: ContentThresholds = object().or_default(),
    /// Other operations for single messages.
    overrides: Vec<OverrideOptions> = list(&object(), "allowed.overrides").or_default(),
}

options! {
    /// Operations on the texts of one message.
    pub(super) struct OverrideOptions: Table::titled("override").interface("MessageOverride", "Operations on the texts of one message.");

    /// Index in the messages as they were given.
    message_index: usize = whole(0, MAX_LIMIT).required(),
    /// In place of those for all messages.
    operations: ContentOperations = object().or_default(),
    /// In place of those for all messages.
    message_token_thresholds: ContentThresholds = object().or_default(),
}

options! {
    /// An operation for each content kind; kinds without one are kept.
    pub(super) struct ContentOperations: Table::titled("operations").shared().interface("ContentOperations", "An operation for each content kind; kinds without one are kept.");

    /// The words of the user and the assistant; kept when absent.
    message_text: Option<ContentOperation> = object().read_as().if_set(),
    /// The parameters of tool calls; kept when absent.
    tool_parameters: Option<ContentOperation> = object().read_as().if_set(),
    /// The results of tools; kept when absent.
    tool_results: Option<ContentOperation> = object().read_as().if_set(),
}

options! {
    /// The fewest tokens of each content kind in a message that are changed.
    pub(super) struct ContentThresholds: Table::titled("thresholds").shared().interface("ContentThresholds", "Tokens for each content kind.");

    /// With fewer tokens it is left as it is.
    message_text: Given<usize> = whole(0, MAX_LIMIT).or(0).with_presence(),
    /// With fewer tokens they are left as they are.
    tool_parameters: Given<usize> = whole(0, MAX_LIMIT).or(0).with_presence(),
    /// With fewer tokens they are left as they are.
    tool_results: Given<usize> = whole(0, MAX_LIMIT).or(0).with_presence(),
}

words! {
    /// An operation on a text.
    pub(super) enum OperationKind { Keep = "keep", Suppress = "suppress", Truncate = "truncate", Summarize = "summarize" }
}

options! {
    /// An operation on a text, and how it is done.
    pub(super) struct OperationOptions: Table::titled("operation").shared().interface("ContentOperation", "An operation on a text. A text is never replaced by one with as many tokens or more.");

    /// The operation on a text.
    ///
    /// `suppress` leaves a note; in parameters it keeps texts of up to 100 characters, which say what a call was about.
    operation: OperationKind = choice().required(),
    /// How.
    ///
    /// Parameters of other operations are ignored.
    params: OperationParams = object().or_default(),
}

options! {
    /// The parameters of operations.
    pub(super) struct OperationParams: Table::titled("parameters");

    /// For the operation truncate.
    truncate: Truncate = object().or_default(),
    /// For the operation summarize.
    summarize: Summarize = object().or_default(),
}

words! {
    /// The part of a text that stays.
    pub(super) enum Strategy { Salient = "salient", Head = "head", HeadTail = "head_tail" }
}

options! {
    /// How a text is truncated.
    #[derive(PartialEq)]
    pub(super) struct Truncate: Table::titled("truncate").interface("TruncateParams", "How to truncate a text. Without a limit: to 5 lines, and parameters to 100 characters.");

    /// Characters that stay.
    max_chars: Option<usize> = whole(1, MAX_LIMIT).if_set(),
    /// Lines that stay. With neither, 5 lines, and 100 characters of parameters.
    max_lines: Option<usize> = whole(1, MAX_LIMIT).if_set(),
    /// In place of limits for each text: all texts of the pass that are truncated so keep as many tokens together as there are texts times this, and the
    /// salient ones more of them.
    average_tokens: Option<usize> = whole(1, MAX_LIMIT).if_set(),
    /// Characters that stay at the beginning of a text. With this or keepSuffix, a text longer than maxChars keeps its ends, whatever the strategy.
    ///
    /// Without `maxChars`, texts longer than both ends together do. A note stands between the ends. Default: 0 with `keepSuffix`.
    keep_prefix: Option<usize> = whole(1, MAX_LIMIT).if_set(),
    /// Characters that stay at the end of a text.
    ///
    /// Default: 0 with `keepPrefix`.
    keep_suffix: Option<usize> = whole(1, MAX_LIMIT).if_set(),
    /// Characters that stay of each line.
    max_line_chars: usize = whole(20, MAX_LIMIT).or(DEFAULT_LINE_CHARS),
    /// Whether a marker says what is missing.
    ///
    /// Without one, `salient` works like `head`.
    add_ellipsis: bool = flag().or(true),
    /// Which part stays: what is most likely to be used again, the first lines, or the first and the last.
    strategy: Strategy = choice().or_first(),
}

options! {
    /// How a text is summarised.
    #[derive(PartialEq)]
    pub(super) struct Summarize: Table::titled("summarize").interface("SummarizeParams", "How to summarise a text.");

    /// The profile whose handler writes the summary.
    ///
    /// It is one of `ManagerOptions.profiles`; its price counts, too. Default, and with the warning `handler_missing` if the profile has no handler: the
    /// condensing handler. Presets name `condensing`, the role of a cheap profile; they cause no warning, and a condensing handler wins over it.
    api_profile: Option<String> = text().if_set(),
    /// The longest summary. Texts of no more tokens are left as they are.
    ///
    /// The rest of a longer one is cut off.
    max_tokens: usize = whole(16, MAX_LIMIT).or(DEFAULT_SUMMARY_TOKENS),
    /// Texts of fewer characters are left as they are.
    min_chars: usize = whole(0, MAX_LIMIT).or(0),
    /// The system prompt; blank for one that fits the kind of content.
    ///
    /// With the built-in one, one request asks for up to eight texts of up to 600 tokens each, if that costs less.
    custom_prompt: Option<String> = text().if_set(),
}

words! {
    /// Whether a pass has a condition.
    pub(super) enum ExecutionKind { Always = "always", Conditional = "conditional" }
}

options! {
    /// When a pass runs.
    pub(super) struct ExecutionOptions: Table::titled("execution").with_needs(&[Needs { field: "type", is: "conditional", any_of: &["condition"] }]);

    /// Whether it runs in any case.
    kind as "type": ExecutionKind = choice().or_first(),
    /// The condition for it to run.
    condition: Option<ConditionOptions> = object().if_set(),
}

options! {
    /// The condition of a pass.
    pub(super) struct ConditionOptions: Table::titled("condition");

    /// It runs when there are more tokens than this.
    token_threshold: Option<usize> = whole(0, MAX_LIMIT).required_unless(&["executeIf", "messageIndices"]),
    /// In JavaScript only: a function that is given { message, messageIndex, messageAge } and returns whether the pass works on the message.
    execute_if: Unread = host("allowed.function"),
    /// Indices in the messages as they were given: of the selected messages it works on these alone.
    message_indices: Option<Vec<usize>> = list(&whole(0, MAX_LIMIT), INDICES).if_set(),
}

/// The operation on a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ContentOperation {
    Keep,
    Suppress,
    Truncate(Truncate),
    Summarize(Summarize),
}

impl Converted for ContentOperation {
    type From = OperationOptions;

    fn convert(OperationOptions { operation, params }: OperationOptions) -> Self {
        match operation {
            OperationKind::Keep => Self::Keep,
            OperationKind::Suppress => Self::Suppress,
            OperationKind::Truncate => Self::Truncate(params.truncate),
            OperationKind::Summarize => Self::Summarize(params.summarize),
        }
    }
}

options! {
    /// The options of learning thresholds, which JavaScript reads.
    struct CalibrateFields: Table::titled("Options of learning thresholds")
        .argument("options")
        .interface("CalibrateOptions", "Options for learning thresholds.");

    /// The preset to learn for, one with passes that call no LLM: `aggressive`, `multi_zone`, or `balanced`, whose
    /// thresholds are then those for work without a model.
    preset: Unread = text().or("aggressive").unread().typed_as("PresetName"),
    /// The share of tokens to remove, in percent, above 0 and below 100. Default: as much as the preset's own
    /// thresholds remove.
    goal: Unread = object::<GoalFields>().unread(),
    /// Number of cut histories to condense for each try, evenly spread over all.
    max_cuts: Unread = whole(1, 1000).or(24).unread(),
    /// The format of the messages. Default: recognised from each history.
    format: Unread = host("a format").typed_as("MessageFormat"),
    /// Aborts the work; the promise then rejects with the code `aborted`.
    signal: Unread = host("an AbortSignal").or_null().typed_as("AbortSignal"),
    /// Called after each try with the number of tries so far, and the largest number that there may be.
    on_progress: Unread = host("a function").or_null().typed_as("((progress: { tried: number; most: number }) => void)"),
}

options! {
    /// The goal of learning thresholds.
    struct GoalFields: Table::titled("goal");

    /// The share of tokens to remove.
    reduction_percent: Unread = number(0f64.next_up(), 100f64.next_down()).unread().allowing("a number above 0 and below 100"),
}

/// The options of learning thresholds.
pub const CALIBRATE_TABLE: &Table = CalibrateFields::TABLE;
