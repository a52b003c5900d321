//! Finds the characters of a command line that a shell may interpret.

use std::{iter::Peekable, str::CharIndices};

/// Iterates over the characters that are neither in single quotes nor escaped, without the quotation marks: the
/// position of each, and whether it is in double quotes.
pub(super) struct ShellCharacters<'l> {
    characters: Peekable<CharIndices<'l>>,
    quote: Option<char>,
}

impl<'l> ShellCharacters<'l> {
    pub(super) fn new(line: &'l str) -> Self {
        Self { characters: line.char_indices().peekable(), quote: None }
    }

    /// Returns true inside a quotation.
    pub(super) const fn is_quoted(&self) -> bool {
        self.quote.is_some()
    }

    /// Skips following characters that are in `these`.
    pub(super) fn pass(&mut self, these: &[char]) {
        while self.characters.next_if(|(_, next)| these.contains(next)).is_some() {}
    }
}

impl Iterator for ShellCharacters<'_> {
    type Item = (usize, char, bool);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (at, character) = self.characters.next()?;
            match (self.quote, character) {
                (Some('\''), '\'') | (Some('"'), '"') => self.quote = None,
                (Some('\''), _) => {}
                (_, '\\') => {
                    self.characters.next();
                }
                (None, '\'' | '"') => self.quote = Some(character),
                _ => return Some((at, character, self.quote.is_some())),
            }
        }
    }
}
