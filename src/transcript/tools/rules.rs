//! Rules of tools: which of their calls and results stay, apart from what they mean.

use super::table::Rows;
use crate::options::{Field, Kind, Settings};

/// How to treat the calls of a tool. Without a limit, the older calls that `keep` leaves are pruned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolRule {
    /// The number of newest calls kept unchanged with their results. Older ones are limited, or pruned if no limit is
    /// set.
    pub keep: Option<usize>,
    /// The most tokens kept of an older result.
    pub max_tokens: Option<usize>,
    /// True to prune older results.
    pub suppress: bool,
    /// True to change neither calls nor results.
    pub protect: bool,
    /// True to keep failed calls unchanged with their results.
    pub keep_errors: bool,
    /// True to apply the rules for results to long parameters too.
    pub inputs: bool,
}

/// The rule for calls that retrieve content which is elsewhere.
pub(super) const RECALLED: ToolRule =
    ToolRule { keep: None, max_tokens: None, suppress: true, protect: false, keep_errors: false, inputs: false };

/// Rules by name or glob of tools.
pub type ToolRules = Rows<ToolRule>;

// The fields of a row of the option `tools` that say what becomes of calls.
pub(super) const KEEP: Field = Field::integer_if_set(
    "keep",
    0,
    1_000_000,
    "So many of its newest calls stay word for word, whatever the target. Of older answers `maxTokens` stay, or nothing.",
);
pub(super) const MAX_TOKENS: Field =
    Field::integer_if_set("maxTokens", 20, 1_000_000_000, "The most tokens that stay of each of its answers.");
pub(super) const SUPPRESS: Field = flag("suppress", "Whether its answers are left out.");
pub(super) const PROTECT: Field =
    flag("protect", "Whether its calls and their answers stay word for word, whatever the target.");
pub(super) const KEEP_ERRORS: Field =
    flag("keepErrors", "Whether its calls that failed stay word for word, with their answers, whatever the target.");
pub(super) const INPUTS: Field =
    flag("inputs", "Whether what is done to answers is done to long parameters too. Default: false.");

const fn flag(name: &'static str, description: &'static str) -> Field {
    Field::new(name, Kind::Flag { default: None }, description)
}

impl ToolRule {
    /// The rule in a row, where it has one.
    pub(super) fn of(row: &Settings<'_>) -> Option<Self> {
        [KEEP, MAX_TOKENS, SUPPRESS, PROTECT, KEEP_ERRORS].iter().any(|field| row.is_given(field.name)).then(|| Self {
            keep: row.given_integer("keep"),
            max_tokens: row.given_integer("maxTokens"),
            suppress: row.flag("suppress"),
            protect: row.flag("protect"),
            keep_errors: row.flag("keepErrors"),
            inputs: row.flag("inputs"),
        })
    }

    /// Returns the maximum tokens of what is not kept: 0 to leave it out, `None` for no limit.
    #[must_use]
    pub fn limit(&self) -> Option<usize> {
        match self.max_tokens {
            _ if self.suppress => Some(0),
            None if self.keep.is_some() => Some(0),
            limit => limit,
        }
    }

    /// Returns true if the rule keeps anything unchanged.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.protect || self.keep_errors || self.keep.is_some_and(|keep| keep > 0)
    }
}
