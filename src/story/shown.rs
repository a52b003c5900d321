//! Lines of results that are quoted at any scale.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::{by_hash::ByHash, conversation::NumberStyle};

/// Lines of results, by their message and their content.
#[derive(Debug, Clone, Default)]
pub struct ShownLines(HashMap<usize, HashSet<u64, ByHash>>);

impl ShownLines {
    /// Adds a line of a result in this message.
    pub fn insert(&mut self, message: usize, line: &str) {
        self.0.entry(message).or_default().insert(xxh3_64(content(line).as_bytes()));
    }

    /// Returns true if it contains no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if it contains lines of this message.
    #[must_use]
    pub fn is_of(&self, message: usize) -> bool {
        self.0.contains_key(&message)
    }

    /// Removes a line of a result in this message. Returns true if it was there. Each line is quoted only once.
    pub fn take(&mut self, message: usize, line: &str) -> bool {
        let Some(lines) = self.0.get_mut(&message) else { return false };
        let is_shown = lines.remove(&xxh3_64(content(line).as_bytes()));
        if lines.is_empty() {
            self.0.remove(&message);
        }
        is_shown
    }
}

/// Returns a result's line without the number that a read tool put before it, and without surrounding blanks.
#[must_use]
pub fn content(line: &str) -> &str {
    NumberStyle::read(line.as_bytes()).map_or(line, |(_, _, start)| &line[start..]).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_taken_once() {
        let mut shown = ShownLines::default();
        assert!(shown.is_empty());
        shown.insert(3, "    12\tlet day = 1;");
        assert!(!shown.is_empty() && shown.is_of(3) && !shown.is_of(2));
        assert!(!shown.take(2, "let day = 1;") && shown.take(3, "let day = 1;") && !shown.take(3, "let day = 1;"));
        assert!(shown.is_empty() && !shown.is_of(3));
    }
}
