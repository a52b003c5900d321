//! Lines of results that are quoted at any scale.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::conversation::NumberStyle;

/// Lines of results, by their message and content.
#[derive(Debug, Clone, Default)]
pub struct ShownLines(HashMap<usize, HashSet<u64>>);

impl ShownLines {
    /// Adds a line of a result in this message.
    pub fn insert(&mut self, message: usize, line: &str) {
        self.0.entry(message).or_default().insert(xxh3_64(content(line).as_bytes()));
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if there are lines of this message.
    #[must_use]
    pub fn is_of(&self, message: usize) -> bool {
        self.0.contains_key(&message)
    }

    /// Takes a line of a result in this message out, if it is one of them: it is told once.
    pub fn take(&mut self, message: usize, line: &str) -> bool {
        let Some(lines) = self.0.get_mut(&message) else { return false };
        let is_shown = lines.remove(&xxh3_64(content(line).as_bytes()));
        if lines.is_empty() {
            self.0.remove(&message);
        }
        is_shown
    }
}

/// A line of a result without the number that a read tool put before it.
#[must_use]
pub fn content(line: &str) -> &str {
    NumberStyle::read(line.as_bytes()).map_or(line, |(_, _, start)| &line[start..]).trim()
}
