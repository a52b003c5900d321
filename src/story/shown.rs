//! Lines of results that are quoted at any scale.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::conversation::NumberStyle;

/// Lines of results, by their message and content.
#[derive(Debug, Clone, Default)]
pub struct ShownLines(HashSet<(usize, u64)>);

impl ShownLines {
    /// Adds a line of a result in this message.
    pub fn insert(&mut self, message: usize, line: &str) {
        self.0.insert((message, xxh3_64(content(line).as_bytes())));
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a line of a result in this message out, if it is one of them: it is told once.
    pub fn take(&mut self, message: usize, line: &str) -> bool {
        self.0.remove(&(message, xxh3_64(content(line).as_bytes())))
    }
}

/// A line of a result without the number that a read tool put before it.
#[must_use]
pub fn content(line: &str) -> &str {
    NumberStyle::read(line.as_bytes()).map_or(line, |(_, _, start)| &line[start..]).trim()
}
