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
    text: NewValue,
}

impl Expanded {
    /// Returns true if another text has the same lines.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.text, &other.text) {
            (NewValue::Text(one), NewValue::Text(other)) => one == other,
            (NewValue::Json(one), NewValue::Json(other)) => one.get() == other.get(),
            _ => false,
        }
    }

    /// Returns the lines, without their numbers.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let text = if let NewValue::Text(text) = &self.text { Some(bare_lines(text)) } else { None };
        text.into_iter().flatten()
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
    /// True if a pointer does not resolve.
    pub has_unresolved: bool,
}

impl Pointers {
    /// Resolves the pointers in messages.
    pub fn resolve(messages: &Messages) -> Result<Self, NotCarried> {
        let found = expand(messages.conversation());
        let texts = match messages.projection() {
            None => found.plan.edits.into_iter().filter_map(own).collect(),
            Some(projection) => projection.carried(&found.plan)?.edits.into_iter().filter_map(foreign).collect(),
        };
        Ok(Self { texts, has_unresolved: !found.unresolved.is_empty() })
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
    if let Edit::Set { message, path, value, .. } = edit { Some(Expanded { message, path, text: value }) } else { None }
}

fn foreign(edit: ForeignEdit) -> Option<Expanded> {
    if let ForeignEdit::Set { message, path, value, .. } = edit {
        Some(Expanded { message, path, text: value })
    } else {
        None
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
