//! The pointers in messages, and the lines to which each resolves.

use crate::{
    conversation::{Edit, NewValue, PathStep},
    formats::{ForeignEdit, Messages, NotCarried},
    maps::HashMap,
    restore::expand,
};

/// A text with pointers, and the same text with their lines.
pub(super) struct Expanded {
    pub message: usize,
    pub path: Vec<PathStep>,
    text: String,
}

impl Expanded {
    /// Returns true if another text has the same lines.
    pub fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
    }

    /// Returns the lines, without their numbers.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        bare_lines(&self.text)
    }
}

/// Returns the lines of a text without leading numbers, because the target of a pointer may have other numbers or
/// none.
pub(super) fn bare_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| without_number(line).trim())
}

fn without_number(line: &str) -> &str {
    let digits = line.trim_start();
    let rest = digits.trim_start_matches(|digit: char| digit.is_ascii_digit());
    if rest.len() == digits.len() {
        return line;
    }
    let marked = rest.strip_prefix('→').or_else(|| rest.strip_prefix('\t'));
    let piped = || rest.strip_prefix(' ').unwrap_or(rest).strip_prefix('|');
    marked.or_else(|| piped().map(|rest| rest.strip_prefix(' ').unwrap_or(rest))).unwrap_or(line)
}

/// The place of a text.
pub(super) type Place<'a> = (usize, &'a [PathStep]);

/// The texts with pointers in some messages.
pub(super) struct Pointers {
    pub texts: Vec<Expanded>,
}

impl Pointers {
    /// Resolves the pointers in messages.
    pub fn resolve(messages: &Messages) -> Result<Self, NotCarried> {
        let found = expand(messages.conversation());
        let texts = match messages.projection() {
            None => found.plan.edits.into_iter().filter_map(own).collect(),
            Some(projection) => projection.carried(&found.plan)?.edits.into_iter().filter_map(foreign).collect(),
        };
        Ok(Self { texts })
    }

    /// Returns the texts by their places.
    pub fn by_place(&self) -> HashMap<Place<'_>, &Expanded> {
        self.texts.iter().map(|text| ((text.message, &*text.path), text)).collect()
    }

    /// Returns the texts of each message.
    pub fn by_message(&self) -> HashMap<usize, Vec<&Expanded>> {
        let mut texts: HashMap<usize, Vec<&Expanded>> = HashMap::default();
        for text in &self.texts {
            texts.entry(text.message).or_default().push(text);
        }
        texts
    }
}

fn own(edit: Edit) -> Option<Expanded> {
    match edit {
        Edit::Set { message, path, value: NewValue::Text(text), .. } => Some(Expanded { message, path, text }),
        _ => None,
    }
}

/// Returns a text in the caller's messages. A value that is not written as a text, such as JSON, holds no pointers.
fn foreign(edit: ForeignEdit) -> Option<Expanded> {
    match edit {
        ForeignEdit::Set { message, path, value: NewValue::Text(text), .. } => Some(Expanded { message, path, text }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_lines_make_no_difference() {
        let text = "    10→one\n11\ttwo\n 12 | three\n13|four\n  five \n14 six\n";
        let lines: Vec<&str> = bare_lines(text).collect();
        assert_eq!(lines, ["one", "two", "three", "four", "five", "14 six", ""]);
    }
}
