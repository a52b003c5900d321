//! What ties a plan to the messages that it was made for.

use crate::conversation::{Contents, Conversation, Plan, Replaced};

/// What ties a plan to the messages that it was made for.
#[derive(Debug, Default)]
pub struct Ties {
    /// What the messages said.
    pub(super) original: Contents,
    /// What they say after it.
    pub(super) condensed: Contents,
    /// What its edits replace.
    pub(super) replaced: Replaced,
}

impl Ties {
    /// Of a plan that makes `after` of `before`.
    #[must_use]
    pub fn of(plan: &Plan, before: &Conversation, after: &Conversation) -> Self {
        Self::with(Contents::of(before), plan, before, after)
    }

    /// The same, where somebody knows what `before` says: `original`.
    #[must_use]
    pub fn with(original: Contents, plan: &Plan, before: &Conversation, after: &Conversation) -> Self {
        let condensed = original.of_later(before, after);
        let replaced = Replaced::of(plan, before, &original);
        Self { original, condensed, replaced }
    }
}
