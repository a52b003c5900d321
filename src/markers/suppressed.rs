//! Markers in place of a text that was left out as a whole.

use std::fmt::{self, Display};

use super::{
    Gap, NoteLine, characters_of, messages_at_end,
    words::{counted, uncounted},
};
use crate::conversation::ContentKind;

/// A left-out text: with its size if the truncation provider wrote it, without if the smart provider did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suppressed {
    /// The kind of text.
    pub kind: ContentKind,
    /// The size: characters of a parameter, lines of anything else. `None` if not given.
    pub size: Option<usize>,
}

const LEFT_OUT: &str = " left out]";

/// Parameters of at most this many characters are kept: paths, patterns and short commands say what a call did.
const SHORT_PARAMETER: usize = 100;

impl Suppressed {
    /// Returns true if the text is kept even where texts of its kind are left out.
    pub fn spares(kind: ContentKind, text: &str) -> bool {
        kind == ContentKind::ToolParameters && text.chars().nth(SHORT_PARAMETER).is_none()
    }

    /// Creates the marker for `text`, with its size before anything was left out of it, if that size is known.
    pub fn sized(kind: ContentKind, text: &str) -> Self {
        let (text, _) = messages_at_end(text);
        let mut notes = text.split('\n').filter_map(NoteLine::read);
        let size = match kind {
            // The length of the missing lines in characters is unknown.
            ContentKind::ToolParameters => notes.next().is_none().then(|| characters_of(text)),
            ContentKind::ToolResults | ContentKind::MessageText => {
                let is_known = !notes.any(|note| note == NoteLine::Unknown);
                let lines = || text.split('\n').map(NoteLine::lines_of).fold(0_usize, usize::saturating_add);
                is_known.then(lines)
            }
        };
        Self { kind, size }
    }

    /// Returns the replacement for `text`: this note, and any note in `text` about messages missing after it.
    pub fn in_place_of(self, text: &str) -> String {
        match messages_at_end(text) {
            (_, false) => self.to_string(),
            (_, true) => format!("{self}\n{}", Gap::Messages),
        }
    }

    /// Returns true if `text` is such a marker already: a marker in place of another marker would be useless.
    pub fn fills(text: &str) -> bool {
        let (text, messages) = messages_at_end(text);
        Self::read(text).is_some() || (text.is_empty() && messages)
    }

    /// Returns the number of lines left out, if given.
    pub(super) fn lines(self) -> Option<usize> {
        self.size.filter(|_| self.kind != ContentKind::ToolParameters)
    }

    /// Parses `content` as a whole.
    pub fn read(content: &str) -> Option<Self> {
        let kinds = [ContentKind::ToolResults, ContentKind::ToolParameters, ContentKind::MessageText];
        if let Some(kind) = kinds.into_iter().find(|kind| unsized_note(*kind) == content) {
            return Some(Self { kind, size: None });
        }
        let inner = content.strip_prefix('[')?.strip_suffix(LEFT_OUT)?;
        let (kind, size) = if let Some(lines) = inner.strip_prefix(RESULT) {
            (ContentKind::ToolResults, uncounted(lines, "line")?)
        } else if let Some(lines) = inner.strip_prefix(TEXT) {
            (ContentKind::MessageText, uncounted(lines, "line")?)
        } else {
            (ContentKind::ToolParameters, uncounted(inner, "character")?)
        };
        Some(Self { kind, size: Some(size) })
    }
}

const RESULT: &str = "Tool result of ";
const TEXT: &str = "Text of ";

fn unsized_note(kind: ContentKind) -> &'static str {
    match kind {
        ContentKind::ToolResults => "[Tool result suppressed]",
        ContentKind::ToolParameters => "[Tool parameter suppressed]",
        ContentKind::MessageText => "[Message text suppressed]",
    }
}

impl Display for Suppressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(size) = self.size else { return f.write_str(unsized_note(self.kind)) };
        match self.kind {
            ContentKind::ToolParameters => write!(f, "[{}{LEFT_OUT}", counted(size, "character")),
            ContentKind::ToolResults => write!(f, "[{RESULT}{}{LEFT_OUT}", counted(size, "line")),
            ContentKind::MessageText => write!(f, "[{TEXT}{}{LEFT_OUT}", counted(size, "line")),
        }
    }
}
