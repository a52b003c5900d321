//! Rules of tools: which calls and results are kept, regardless of their meaning.

use super::table::Rows;

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

impl ToolRule {
    /// Returns the maximum tokens of content that the rule does not keep: 0 to leave it out, `None` for no limit.
    pub fn limit(&self) -> Option<usize> {
        match self.max_tokens {
            _ if self.suppress => Some(0),
            None if self.keep.is_some() => Some(0),
            limit => limit,
        }
    }

    /// Returns true if the rule keeps anything unchanged.
    pub fn keeps(&self) -> bool {
        self.protect || self.keep_errors || self.keep.is_some_and(|keep| keep > 0)
    }
}
