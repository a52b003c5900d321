//! The blocks of a message that must stay word for word, whatever is done to the conversation.

use std::sync::Arc;

use super::Conversation;

/// The pinned blocks of a message; the only one where its content is a text. None pinned is the default, and costs nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins(Option<Arc<[bool]>>);

impl Pins {
    /// Creates the pins of a message from one flag per block.
    #[must_use]
    pub fn of(blocks: &[bool]) -> Self {
        Self(blocks.contains(&true).then(|| blocks.into()))
    }

    /// Whether nothing is pinned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a block is pinned.
    #[must_use]
    pub fn holds(&self, block: usize) -> bool {
        self.0.as_ref().is_some_and(|blocks| blocks.get(block).copied().unwrap_or(false))
    }

    /// Whether all of the blocks are.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.as_ref().is_some_and(|blocks| !blocks.contains(&false))
    }

    /// Returns the union: blocks pinned in `self` or in `other`.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Some(blocks), Some(_)) => {
                let both: Vec<bool> = (0..).zip(blocks.iter()).map(|(at, pinned)| *pinned || other.holds(at)).collect();
                Self::of(&both)
            }
            (None, _) => other.clone(),
            (_, None) => self.clone(),
        }
    }

    /// After blocks have gone, and others have been added before these.
    pub(super) fn moved(&self, dropped: &[usize], added: &[usize]) -> Self {
        let Some(blocks) = &self.0 else { return Self::default() };
        let mut left = Vec::with_capacity(blocks.len());
        for at in 0..=blocks.len() {
            left.extend(added.iter().filter(|before| **before == at).map(|_| false));
            left.extend(blocks.get(at).copied().filter(|_| !dropped.contains(&at)));
        }
        Self::of(&left)
    }
}

impl Conversation {
    /// The same with more of it pinned: `pins` is asked for each message by its index.
    #[must_use]
    pub fn with_pins(&self, pins: impl Fn(usize) -> Pins) -> Self {
        let mut entries = self.entries().to_vec();
        for (index, entry) in entries.iter_mut().enumerate() {
            entry.pins = entry.pins.with(&pins(index));
        }
        Self { frozen: self.frozen, ..Self::of(entries) }
    }

    /// Whether anything is pinned.
    #[must_use]
    pub fn has_pins(&self) -> bool {
        self.entries().iter().any(|entry| !entry.pins.is_empty())
    }
}
