//! The messages to survey, and the limits for texts that are kept whole.

use std::ops::Range;

use super::weights::{Origin, Weights};
use crate::{
    conversation::{ContentKind, Conversation, Entry, Role, TextAt},
    tokens::{Tally, count_inside},
    transcript::{ContentPiece, Stretch, ToolTable, Voice},
};

/// The extent to which the first and the newest messages may be cut. The user's own words in the first message and
/// pinned content are always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// The first and the newest messages are left unchanged.
    Stay,
    /// Results and snapshots of the environment in the newest messages may be cut, except the last ones. Context that a
    /// host injected into the first message may be cut, too.
    Answers,
    /// The last results may also be cut. So may the parameters of calls before the last message of the assistant, and
    /// the user's pastes in the newest messages.
    Last,
}

/// The input of a survey.
pub struct Scope<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Its token counts.
    pub tally: &'a Tally,
    /// The meanings of its tools.
    pub tools: &'a ToolTable,
    /// The messages to survey. No other message may change.
    pub zone: Range<usize>,
    /// The older messages in the zone. All their text may change, except the user's words.
    pub older: Range<usize>,
    /// The extent to which the other messages of the zone may be cut.
    pub ends: Ends,
    /// The conversation before other providers worked on it, and its older messages. Uses of names are counted there,
    /// because a deduplicated conversation no longer repeats them.
    pub before: Option<(&'a Conversation, Range<usize>)>,
    /// User text in an older message is kept whole up to this many tokens.
    pub most_words: usize,
    /// Assistant text in an older message is kept whole up to this many tokens.
    pub most_said: usize,
    /// User text is kept whole, together with its pastes, up to this many tokens.
    pub most_shown: usize,
    /// User text in a newest message is kept whole up to this many tokens. A longer text counts as a paste.
    pub most_pasted: usize,
    /// The weights of names and passages.
    pub weights: Weights,
}

impl Scope<'_> {
    /// Returns the piece. If it is the user's and too long to be kept whole, returns its stretches instead.
    pub fn divided<'w, 't>(&self, piece: ContentPiece, whole: &'w TextAt<'t>) -> Vec<(ContentPiece, &'w TextAt<'t>)> {
        let text = &whole.text[piece.range.clone()];
        // A text has at most as many tokens as bytes.
        let is_long = text.len() > self.most_shown
            && piece.voice == Voice::User
            && count_inside(text, self.tally.encoding()).tokens > self.most_shown;
        if !is_long {
            return vec![(piece, whole)];
        }
        let part = |Stretch { range, voice }| (ContentPiece { range, voice, ..piece.clone() }, whole);
        piece.stretches(whole.text).into_iter().map(part).collect()
    }

    /// Returns true if a text of this many tokens may be cut in the first or one of the newest messages.
    pub fn may_cut_end(&self, message: usize, piece: &ContentPiece, origin: Origin, tokens: usize) -> bool {
        let is_assistants = |entry: &Entry| entry.message.role == Role::Assistant;
        let last = self.conversation.entries().iter().rposition(is_assistants).unwrap_or(0);
        match (self.ends, origin) {
            (Ends::Stay, _) => false,
            // This is the user's paste in a newest message.
            (ends, Origin::User) => {
                let is_users = self.conversation.message(message).role == Role::User;
                let is_long = piece.voice == Voice::Paste || tokens > self.most_pasted;
                is_users && ends == Ends::Last && message >= self.older.end && is_long
            }
            _ if message < self.older.start => {
                // A host may put a summary there in the user's role. It is treated like the assistant's words.
                let is_users = self.conversation.message(message).role == Role::User;
                is_users
                    && (piece.kind == ContentKind::ToolResults || matches!(origin, Origin::Host | Origin::Assistant))
            }
            (_, Origin::Result(_) | Origin::Shown | Origin::Environment) => self.ends == Ends::Last || message < last,
            (_, Origin::Parameters(_)) => self.ends == Ends::Last && message < last,
            _ => false,
        }
    }
}
