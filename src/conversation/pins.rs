//! The blocks of a message that must not change.

use std::sync::Arc;

use super::Conversation;

/// The pinned blocks of a message. A content that is a string counts as one block. By default none is pinned, which
/// costs nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins(Option<Arc<[bool]>>);

impl Pins {
    /// Creates the pins of a message from one flag per block.
    pub fn new(blocks: &[bool]) -> Self {
        Self(blocks.contains(&true).then(|| blocks.into()))
    }

    /// Returns true if nothing is pinned.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true if the block is pinned.
    pub fn holds(&self, block: usize) -> bool {
        self.0.as_ref().is_some_and(|blocks| blocks.get(block).copied().unwrap_or(false))
    }

    /// Returns true if all blocks are pinned.
    pub fn is_all(&self) -> bool {
        self.0.as_ref().is_some_and(|blocks| !blocks.contains(&false))
    }

    /// Returns the union: blocks pinned in `self` or in `other`.
    pub fn with(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Some(blocks), Some(_)) => {
                let both: Vec<bool> = (0..).zip(blocks.iter()).map(|(at, pinned)| *pinned || other.holds(at)).collect();
                Self::new(&both)
            }
            (None, _) => other.clone(),
            (_, None) => self.clone(),
        }
    }

    /// Returns the pins after these blocks were dropped and others were added before these.
    pub(super) fn moved(&self, dropped: &[usize], added: &[usize]) -> Self {
        let Some(blocks) = &self.0 else { return Self::default() };
        let mut left = Vec::with_capacity(blocks.len());
        for at in 0..=blocks.len() {
            left.extend(added.iter().filter(|before| **before == at).map(|_| false));
            left.extend(blocks.get(at).copied().filter(|_| !dropped.contains(&at)));
        }
        Self::new(&left)
    }
}

impl Conversation {
    /// Returns the conversation with more pins; `pins` returns those of a message, given its index.
    pub fn with_pins(&self, pins: impl Fn(usize) -> Pins) -> Self {
        let mut entries = self.entries().to_vec();
        for (index, entry) in entries.iter_mut().enumerate() {
            entry.pins = entry.pins.with(&pins(index));
        }
        Self { frozen: self.frozen, ..Self::from_entries(entries) }
    }

    /// Returns true if anything is pinned.
    pub fn has_pins(&self) -> bool {
        self.entries().iter().any(|entry| !entry.pins.is_empty())
    }
}
