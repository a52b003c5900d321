//! Places in a conversation.

use std::{ops::Range, sync::Arc};

use crate::conversation::{ContentKind, PathStep};

/// A text of the conversation with its address.
#[derive(Debug, Clone)]
pub struct ConversationText<'a> {
    /// The message.
    pub message: usize,
    /// The block; 0 when the content is a string.
    pub block: usize,
    /// From the message to the text, as in [`crate::conversation::Message::texts`].
    pub path: Arc<[PathStep]>,
    /// The kind of content it is as a whole.
    pub kind: ContentKind,
    /// The text.
    pub text: &'a str,
}

/// A byte range in a text of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index in [`super::Transcript::texts`].
    pub text: usize,
    /// Bytes of that text.
    pub range: Range<usize>,
}

/// A byte range of a text, small, because there is one for every line. Texts of 4 GiB and more are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The span of `range`, which must lie below 4 GiB.
    pub(super) fn new(range: Range<usize>) -> Self {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: clip(range.start), end: clip(range.end) }
    }

    /// The byte range.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// How the lines of a file are numbered where they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Numbering {
    /// Not at all.
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

/// Successive lines of a file as a text shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line, from 1; 0 when it is not known (the end of a file, say).
    pub first: u32,
    /// Index in [`super::Transcript::texts`].
    pub text: usize,
    /// From the number of the first line to the end of the last line, without its line break.
    pub range: Range<usize>,
    /// The content of every line: without number, without `\n`, with `\r` where there is one.
    pub lines: Vec<Span>,
    /// How the lines are numbered.
    pub numbering: Numbering,
}

impl Excerpt {
    /// The lines of a range without numbers. A line break at the end starts no line.
    pub(super) fn plain(text: &str, index: usize, range: Range<usize>, first: u32) -> Self {
        let lines = lines(text, range.clone()).map(Span::new).collect();
        let end = range.end - usize::from(text[range.clone()].ends_with('\n'));
        Self { first, text: index, range: range.start..end.max(range.start), lines, numbering: Numbering::None }
    }

    /// The numbers of the lines; starts with 0 when they are not known.
    #[must_use]
    pub fn numbers(&self) -> Range<u32> {
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        self.first..self.first.saturating_add(count)
    }
}

/// The lines in `range`, without their `\n`. A line break at the end starts no line.
pub(super) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    let bytes = text.as_bytes();
    std::iter::from_fn(move || {
        if at >= range.end {
            return None;
        }
        let end = memchr::memchr(b'\n', &bytes[at..range.end]).map_or(range.end, |step| at + step);
        let line = at..end;
        at = end + 1;
        Some(line)
    })
}

/// Returns the line that starts at `at`, without its `\n`, and the start of the next one.
pub(super) fn line_at(text: &str, at: usize, end: usize) -> (Range<usize>, usize) {
    let line_end = memchr::memchr(b'\n', &text.as_bytes()[at..end]).map_or(end, |step| at + step);
    (at..line_end, (line_end + 1).min(end))
}
