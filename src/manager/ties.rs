//! Hashes that bind a plan to the messages it was made for.

use crate::conversation::{Contents, Conversation, Plan, Replaced};

/// Hashes that bind a plan to the messages it was made for.
#[derive(Debug, Default)]
pub struct Ties {
    /// Hashes of the messages before.
    pub(super) original: Contents,
    /// Hashes of the messages after.
    pub(super) condensed: Contents,
    /// The old values that its edits replace.
    pub(super) replaced: Replaced,
}

impl Ties {
    /// Binds a plan that turns `before` into `after`.
    #[must_use]
    pub fn of(plan: &Plan, before: &Conversation, after: &Conversation) -> Self {
        Self::with(Contents::hash(before), plan, before, after)
    }

    /// Likewise, if the hashes of `before` are known: `original`.
    #[must_use]
    pub fn with(original: Contents, plan: &Plan, before: &Conversation, after: &Conversation) -> Self {
        let condensed = original.of_later(before, after);
        let replaced = Replaced::record(plan, before, &original);
        Self { original, condensed, replaced }
    }
}
