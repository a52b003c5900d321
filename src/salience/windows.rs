//! Knows the lines that are kept together with both neighbours, so that a copy of them is worth nothing.

use std::collections::HashMap;

use crate::by_hash::ByHash;

/// The kept windows. A window is the hash of a line with its neighbours.
pub struct Windows {
    counts: HashMap<u64, u32, ByHash>,
    /// A Bloom filter with one bit per window that was ever added, chosen by the low bits of the hash. Most look-ups
    /// find nothing, and the filter answers them in a fraction of the time and memory.
    added: Vec<u64>,
}

impl Windows {
    /// Creates an empty set, with a filter for `lines` lines in all.
    pub fn for_lines(lines: usize) -> Self {
        Self { counts: HashMap::default(), added: vec![0; (lines / 8).next_power_of_two()] }
    }

    fn bit(&self, window: u64) -> (usize, u64) {
        let word = (window >> 6) as usize & (self.added.len() - 1);
        (word, 1 << (window & 63))
    }

    /// Adds a kept window.
    pub fn add(&mut self, window: u64) {
        let (word, bit) = self.bit(window);
        self.added[word] |= bit;
        *self.counts.entry(window).or_default() += 1;
    }

    /// Removes a kept window.
    pub fn remove(&mut self, window: u64) {
        if let Some(count) = self.counts.get_mut(&window) {
            *count = count.saturating_sub(1);
        }
    }

    /// Returns true if an equal window is kept.
    pub fn contain(&self, window: u64) -> bool {
        let (word, bit) = self.bit(window);
        self.added[word] & bit != 0 && self.counts.get(&window).is_some_and(|count| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_as_often_as_it_was_added_and_not_removed() {
        let mut windows = Windows::for_lines(100);
        let hash = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..100).for_each(|number| windows.add(hash(number)));
        windows.add(hash(7));
        (0..50).for_each(|number| windows.remove(hash(number)));
        windows.remove(hash(1));
        windows.remove(hash(200));
        for number in 0..300 {
            assert_eq!(windows.contain(hash(number)), number == 7 || (50..100).contains(&number), "{number}");
        }
    }
}
