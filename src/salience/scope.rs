//! The messages that a selection looks through.

use std::ops::Range;

use super::weights::{Origin, Weights};
use crate::{
    conversation::{ContentKind, Conversation, Entry, Role, TextAt},
    tokens::{Tally, count_inside},
    transcript::{ContentPiece, Stretch, ToolTable, Voice},
};

/// How far the first and the newest messages may be cut. The user's own words in the first message and pinned content
/// always stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// They stay as they are.
    Stay,
    /// Results in the newest messages may be cut, except the last ones, and so may context that a host injected into
    /// the first message.
    Answers,
    /// The last results may be cut too, the parameters of calls before the last, and what the user pasted into the
    /// newest messages.
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
    /// The messages to look through; only these may change.
    pub zone: Range<usize>,
    /// The older messages among them: all their text may change, except the user's words.
    pub older: Range<usize>,
    /// How far the other messages of the zone may be cut.
    pub ends: Ends,
    /// The conversation before other providers worked on it, and its older messages. Uses of names are counted there,
    /// because a deduplicated conversation no longer repeats them.
    pub before: Option<(&'a Conversation, Range<usize>)>,
    /// User text in an older message stays whole up to this many tokens.
    pub most_words: usize,
    /// Assistant text in an older message stays whole up to this many tokens.
    pub most_said: usize,
    /// User text stays whole together with the pastes in it up to this many tokens.
    pub most_shown: usize,
    /// User text in a newest message stays whole up to this many tokens; a longer text was pasted.
    pub most_pasted: usize,
    /// The weights of names and passages.
    pub weights: Weights,
}

impl Scope<'_> {
    /// Returns the piece, or its stretches if it is the user's and too long to stay whole.
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

    /// Returns true if a text of this many tokens may be cut although its message is the first or one of the newest.
    pub fn may_cut_end(&self, message: usize, piece: &ContentPiece, origin: Origin, tokens: usize) -> bool {
        let is_assistants = |entry: &Entry| entry.message.role == Role::Assistant;
        let last = self.conversation.entries().iter().rposition(is_assistants).unwrap_or(0);
        match (self.ends, origin) {
            (Ends::Stay, _) => false,
            // A paste of the user in a newer message; its first and last lines stay.
            (ends, Origin::User) => {
                let is_users = self.conversation.message(message).role == Role::User;
                let is_long = piece.voice == Voice::Paste || tokens > self.most_pasted;
                is_users && ends == Ends::Last && message >= self.older.end && is_long
            }
            _ if message < self.older.start => {
                // A summary that a host put there in the user's role is treated like the assistant's words.
                let is_users = self.conversation.message(message).role == Role::User;
                is_users
                    && (piece.kind == ContentKind::ToolResults || matches!(origin, Origin::Host | Origin::Assistant))
            }
            (_, Origin::Result(_) | Origin::Shown) => self.ends == Ends::Last || message < last,
            (_, Origin::Parameters(_)) => self.ends == Ends::Last && message < last,
            _ => false,
        }
    }
}
