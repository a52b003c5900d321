//! Markers for missing elements or fields in JSON.

use std::fmt::{self, Display};

use super::words::counted;
#[cfg(test)]
use super::words::uncounted;

/// `[… 498 items left out: {id: number}]`, `[… 12 keys left out]`: a string in place of array elements, or a key in
/// place of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemsGap<'a> {
    /// The number of elements or fields.
    pub count: usize,
    /// True for fields of an object, false for elements of an array.
    pub is_keys: bool,
    /// The shape of the elements; empty if not given.
    pub shape: &'a str,
}

const OPENING: &str = "[… ";
const LEFT_OUT: &str = " left out";

fn word(is_keys: bool) -> &'static str {
    if is_keys { "key" } else { "item" }
}

#[cfg(test)]
impl<'a> ItemsGap<'a> {
    /// Parses `content` as a whole.
    pub fn read(content: &'a str) -> Option<Self> {
        let (count, rest) = content.strip_prefix(OPENING)?.strip_suffix(']')?.split_once(LEFT_OUT)?;
        let shape = if rest.is_empty() { rest } else { rest.strip_prefix(": ").filter(|shape| !shape.is_empty())? };
        let read = |is_keys| uncounted(count, word(is_keys)).map(|count| Self { count, is_keys, shape });
        read(false).or_else(|| read(true))
    }
}

impl Display for ItemsGap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPENING}{}{LEFT_OUT}", counted(self.count, word(self.is_keys)))?;
        if !self.shape.is_empty() {
            write!(f, ": {}", self.shape)?;
        }
        f.write_str("]")
    }
}
