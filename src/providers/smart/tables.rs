//! What a configuration may hold, as tables: check and JSON Schema come from them.

use super::presets;
use crate::{
    options::{Field, Kind, Needs, Table},
    protect::{FROZEN_MESSAGES, PROTECT},
    providers::{PassReport, lossless, middle::SUMMARY_CHECK},
    transcript::TOOLS,
};

/// The longest line of a text that is cut by lines, in characters, unless the configuration says otherwise: as in the truncation provider.
pub(super) const DEFAULT_LINE_CHARS: u64 = 500;
/// The longest summary of a text in tokens: what the published configuration for best quality has.
const DEFAULT_SUMMARY_TOKENS: u64 = 150;
/// Larger limits than this make no difference.
pub(super) const MAX_LIMIT: u64 = 1_000_000_000;

const FOR_PEOPLE: &str = "For people.";
const INDICES: &str = "allowed.indices";

/// The whole configuration.
pub(super) static CONFIG: Table = Table::new(
    "Configuration of the smart provider",
    &[
        Field::new(
            "preset",
            Kind::Choice { default: Some(presets::DEFAULT), words: presets::NAMES },
            "The configuration that the other fields replace parts of.",
        ),
        Field::choice(
            "thresholds",
            &["fixed", "learned"],
            "Which thresholds the passes of the preset have: those of its design, or those learned from recorded conversations.",
        ),
        Field::text("name", FOR_PEOPLE),
        Field::text("description", FOR_PEOPLE),
        Field::flag("enabled", true, "Off leaves every conversation as it is."),
        Field::object("losslessPrelude", &PRELUDE, "What goes before the passes."),
        Field::new("passes", Kind::List { of: &Kind::Object(&PASS), called: "allowed.passes" }, "Done in this order."),
        Field::integer("maxConcurrency", 4, 1, 32, "Requests for summaries under way at once."),
        Field::integer(
            "minReductionTokens",
            0,
            0,
            MAX_LIMIT,
            "When the whole would save fewer tokens, nothing is changed: a change makes the model provider's prompt cache miss.",
        ),
        Field::new(
            "meetTarget",
            Kind::Flag { default: None },
            "When the passes leave more than the target, salient truncation goes on. Default: as the preset says; false with passes of one's own.",
        ),
        Field::choice_if_set(
            "noMoreTokensThan",
            presets::NAMES,
            "The result has no more tokens than this preset would leave. A model is asked for that only where its answers decide.",
        ),
        TOOLS,
        PROTECT,
        FROZEN_MESSAGES,
    ],
);

static PRELUDE: Table = Table::new(
    "prelude",
    &[
        Field::flag("enabled", true, "Whether the lossless provider goes first."),
        Field::object("operations", &lossless::TABLE, "Its configuration."),
    ],
);

static PASS: Table = Table::new(
    "pass",
    &[
        Field::new(
            "id",
            Kind::Text { default: None, not_blank: true, reserved: &PassReport::RESERVED },
            "What reports call it; no two passes share one.",
        )
        .required(),
        Field::text("name", FOR_PEOPLE),
        Field::text("description", FOR_PEOPLE),
        Field::object("selection", &SELECTION, "The messages that it works on.").required(),
        Field::choice_if_set(
            "mode",
            &["individual", "batch"],
            "Each text on its own, or the selected messages as one.",
        )
        .required(),
        Field::object("batchConfig", &BATCH, "What is done to the selected messages as one."),
        Field::object("individualConfig", &INDIVIDUAL, "What is done to each text."),
        Field::object("execution", &EXECUTION, "When it runs."),
    ],
)
.with_needs(&[
    Needs { field: "mode", is: "batch", any_of: &["batchConfig"] },
    Needs { field: "mode", is: "individual", any_of: &["individualConfig"] },
])
.shared();

static SELECTION: Table = Table::new(
    "selection",
    &[
        Field::choice_if_set(
            "type",
            &["preserve_recent", "preserve_percent", "custom"],
            "The first and the newest message are never selected.",
        )
        .required(),
        Field::integer_if_set("keepRecentCount", 1, MAX_LIMIT, "So many of the newest messages are not selected."),
        Field::number_if_set(
            "keepPercentage",
            0.0,
            100.0,
            "This share of the newest messages, rounded up, is not selected.",
        ),
        Field::integer_if_set(
            "keepRecentTokens",
            0,
            MAX_LIMIT,
            "The newest messages that are not selected have no more tokens than this; the newest one is never selected. For preserve_recent and preserve_percent.",
        ),
        Field::new(
            "messageIndices",
            Kind::List { of: &Kind::Integer { default: None, min: 0, max: MAX_LIMIT }, called: INDICES },
            "Indices in the messages as they were given.",
        ),
        Field::host(
            "customSelector",
            "allowed.function",
            "In JavaScript only: a function that is given the messages and returns some of them.",
        ),
    ],
)
.with_needs(&[
    Needs { field: "type", is: "preserve_recent", any_of: &["keepRecentCount"] },
    Needs { field: "type", is: "preserve_percent", any_of: &["keepPercentage"] },
    Needs { field: "type", is: "custom", any_of: &["messageIndices", "customSelector"] },
]);

static BATCH: Table = Table::new(
    "batch",
    &[
        Field::choice_if_set(
            "operation",
            &["keep", "summarize"],
            "Whether they stay or one summary takes their place.",
        )
        .required(),
        Field::object("summarizationConfig", &BATCH_SUMMARY, "How the summary is written."),
    ],
);

static BATCH_SUMMARY: Table = Table::new(
    "batchSummary",
    &[
        Field::text("apiProfile", "The profile whose handler writes the summary."),
        Field::text("customPrompt", "The system prompt; blank for that of the native provider."),
        Field::integer("keepFirst", 1, 0, MAX_LIMIT, "Messages that stay at the start; the first always does."),
        Field::integer("keepLast", 1, 0, MAX_LIMIT, "Messages that stay at the end, when the selection leaves fewer."),
        SUMMARY_CHECK,
    ],
);

static INDIVIDUAL: Table = Table::new(
    "individual",
    &[
        Field::object("defaults", &OPERATIONS, "For all messages.").required(),
        Field::object("messageTokenThresholds", &THRESHOLDS, "For all messages."),
        Field::new(
            "overrides",
            Kind::List { of: &Kind::Object(&OVERRIDE), called: "allowed.overrides" },
            "Other operations for single messages.",
        ),
    ],
);

static OVERRIDE: Table = Table::new(
    "override",
    &[
        Field::integer_if_set("messageIndex", 0, MAX_LIMIT, "Index in the messages as they were given.").required(),
        Field::object("operations", &OPERATIONS, ""),
        Field::object("messageTokenThresholds", &THRESHOLDS, ""),
    ],
);

/// What is done to each kind of content; it is kept where nothing is said.
static OPERATIONS: Table = Table::new(
    "operations",
    &[
        Field::object("messageText", &OPERATION, "What the user and the assistant wrote; kept when absent."),
        Field::object("toolParameters", &OPERATION, "What the assistant called tools with; kept when absent."),
        Field::object("toolResults", &OPERATION, "What tools answered; kept when absent."),
    ],
)
.shared();

/// Content of a kind with fewer tokens in a message is left as it is.
static THRESHOLDS: Table = Table::new(
    "thresholds",
    &[
        Field::integer("messageText", 0, 0, MAX_LIMIT, "With fewer tokens it is left as it is."),
        Field::integer("toolParameters", 0, 0, MAX_LIMIT, "With fewer tokens they are left as they are."),
        Field::integer("toolResults", 0, 0, MAX_LIMIT, "With fewer tokens they are left as they are."),
    ],
)
.shared();

static OPERATION: Table = Table::new(
    "operation",
    &[
        Field::choice_if_set("operation", &["keep", "suppress", "truncate", "summarize"], "What is done to a text.")
            .required(),
        Field::object("params", &PARAMETERS, "How."),
    ],
)
.shared();

static PARAMETERS: Table = Table::new(
    "parameters",
    &[
        Field::object("truncate", &TRUNCATE, "For the operation truncate."),
        Field::object("summarize", &SUMMARIZE, "For the operation summarize."),
    ],
);

static TRUNCATE: Table = Table::new(
    "truncate",
    &[
        Field::integer_if_set("maxChars", 1, MAX_LIMIT, "Characters that stay."),
        Field::integer_if_set(
            "maxLines",
            1,
            MAX_LIMIT,
            "Lines that stay. With neither, 5 lines, and 100 characters of parameters.",
        ),
        Field::integer_if_set(
            "averageTokens",
            1,
            MAX_LIMIT,
            "In place of limits for each text: all texts of the pass that are truncated so keep as many tokens together as there are texts times this, and the salient ones more of them.",
        ),
        Field::integer_if_set(
            "keepPrefix",
            1,
            MAX_LIMIT,
            "Characters that stay at the beginning of a text. With this or keepSuffix, a text longer than maxChars keeps its ends, whatever the strategy.",
        ),
        Field::integer_if_set("keepSuffix", 1, MAX_LIMIT, "Characters that stay at the end of a text."),
        Field::integer("maxLineChars", DEFAULT_LINE_CHARS, 20, MAX_LIMIT, "Characters that stay of each line."),
        Field::flag("addEllipsis", true, "Whether a marker says what is missing."),
        Field::choice(
            "strategy",
            &["salient", "head", "head_tail"],
            "Which part stays: what is most likely to be used again, the first lines, or the first and the last.",
        ),
    ],
);

static SUMMARIZE: Table = Table::new(
    "summarize",
    &[
        Field::text("apiProfile", "The profile whose handler writes the summary."),
        Field::integer(
            "maxTokens",
            DEFAULT_SUMMARY_TOKENS,
            16,
            MAX_LIMIT,
            "The longest summary. Texts of no more tokens are left as they are.",
        ),
        Field::integer("minChars", 0, 0, MAX_LIMIT, "Texts of fewer characters are left as they are."),
        Field::text("customPrompt", "The system prompt; blank for one that fits the kind of content."),
    ],
);

static EXECUTION: Table = Table::new(
    "execution",
    &[
        Field::choice("type", &["always", "conditional"], "Whether it runs in any case."),
        Field::object("condition", &CONDITION, "What has to hold for it to run."),
    ],
)
.with_needs(&[Needs { field: "type", is: "conditional", any_of: &["condition"] }]);

static CONDITION: Table = Table::new(
    "condition",
    &[
        Field::integer_if_set("tokenThreshold", 0, MAX_LIMIT, "It runs when there are more tokens than this.")
            .required_unless(&["executeIf", "messageIndices"]),
        Field::host(
            "executeIf",
            "allowed.function",
            "In JavaScript only: a function that is given { message, messageIndex, messageAge } and returns whether the pass works on the message.",
        ),
        Field::new(
            "messageIndices",
            Kind::List { of: &Kind::Integer { default: None, min: 0, max: MAX_LIMIT }, called: INDICES },
            "Indices in the messages as they were given: of the selected messages it works on these alone.",
        ),
    ],
);
