//! The characters of a command line that a shell may act on.

use std::{iter::Peekable, str::CharIndices};

/// The characters that are neither in single quotes nor behind a backslash, without the quotation marks: where each stands, and whether it is in double quotes.
pub(super) struct ShellCharacters<'l> {
    characters: Peekable<CharIndices<'l>>,
    quote: Option<char>,
}

impl<'l> ShellCharacters<'l> {
    pub(super) fn of(line: &'l str) -> Self {
        Self { characters: line.char_indices().peekable(), quote: None }
    }

    /// Whether a quotation is still open here.
    pub(super) const fn is_quoted(&self) -> bool {
        self.quote.is_some()
    }

    /// Passes over the next ones that are among these.
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
