//! Places in a conversation.

use std::{ops::Range, sync::Arc};

use crate::conversation::{ContentKind, PathStep, near_bytes};

/// A text of the conversation with its address.
#[derive(Debug, Clone)]
pub struct ConversationText<'a> {
    /// The index of the message.
    pub message: usize,
    /// The index of the block; 0 if the content is a string.
    pub block: usize,
    /// The path from the message to the text, as in [`crate::conversation::Message::texts`].
    pub path: Arc<[PathStep]>,
    /// The kind of the whole text.
    pub kind: ContentKind,
    /// The text.
    pub text: &'a str,
}

/// A byte range in a text of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index in [`super::Transcript::texts`].
    pub text: usize,
    /// The bytes in that text.
    pub range: Range<usize>,
}

/// A byte range in a text. Small, because there is one per line; texts of 4 GiB or more are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Creates a span of `range`, which must be below 4 GiB.
    pub(super) fn new(range: Range<usize>) -> Self {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: clip(range.start), end: clip(range.end) }
    }

    /// Returns the byte range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The style in which a file's lines are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Numbering {
    /// Without numbers.
    None,
    /// `     1⇥text` (`cat -n`, `nl`, Claude Code).
    Tab,
    /// `     1→text` (Claude Code).
    Arrow,
    /// ` 1 | text` (Roo).
    Pipe,
    /// `00001| text` (OpenCode).
    Bar,
}

/// Consecutive lines of a file, as a text shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line, from 1; 0 if it is unknown (for example at the end of a file).
    pub first: u32,
    /// Index in [`super::Transcript::texts`].
    pub text: usize,
    /// The bytes from the first line's number to the end of the last line, without its line break.
    pub range: Range<usize>,
    /// The content of every line: without number and `\n`, with `\r` if there is one.
    pub lines: Vec<Span>,
    /// The style of the line numbers.
    pub numbering: Numbering,
}

impl Excerpt {
    /// Creates an excerpt of lines without numbers. A trailing line break starts no line.
    pub(super) fn plain(text: &str, index: usize, range: Range<usize>, first: u32) -> Self {
        let lines = lines(text, range.clone()).map(Span::new).collect();
        let end = range.end - usize::from(text[range.clone()].ends_with('\n'));
        Self { first, text: index, range: range.start..end.max(range.start), lines, numbering: Numbering::None }
    }

    /// Returns the numbers of the lines; starts with 0 if they are unknown.
    pub fn numbers(&self) -> Range<u32> {
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        self.first..self.first.saturating_add(count)
    }
}

/// Returns the lines in `range`, without their `\n`. A trailing line break starts no line.
pub(super) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    let bytes = text.as_bytes();
    std::iter::from_fn(move || {
        if at >= range.end {
            return None;
        }
        let end = near_bytes::find(b'\n', &bytes[at..range.end]).map_or(range.end, |step| at + step);
        let line = at..end;
        at = end + 1;
        Some(line)
    })
}

/// Returns the line that starts at `at`, without its `\n`, and the start of the next one.
pub(super) fn line_at(text: &str, at: usize, end: usize) -> (Range<usize>, usize) {
    let line_end = near_bytes::find(b'\n', &text.as_bytes()[at..end]).map_or(end, |step| at + step);
    (at..line_end, (line_end + 1).min(end))
}
