//! What is to be looked through.

use std::ops::Range;

use super::weights::{Origin, Weights};
use crate::{
    conversation::{ContentKind, Conversation, Entry, Role, TextAt},
    tokens::{Tally, count_inside},
    transcript::{ContentPiece, Stretch, ToolTable, Voice},
};

/// How far the first message and the newest ones give way. Whatever is said of them, the user's own words in the first message and what is pinned stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// They stay as they are.
    Stay,
    /// What was answered in the newest messages is cut, but for the answers to the last calls; and what a host has put into the first message.
    Answers,
    /// The last answers too, what calls before the last were given, and what the user pasted into the newest messages.
    Last,
}

/// What a survey is about.
pub struct Scope<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Its tokens.
    pub tally: &'a Tally,
    /// What the tools in it do.
    pub tools: &'a ToolTable,
    /// The messages that are looked through, and of which something may be changed.
    pub zone: Range<usize>,
    /// Those of them that are older: all of it may be changed but what the user wrote.
    pub older: Range<usize>,
    /// How far what is not older gives way.
    pub ends: Ends,
    /// The conversation as it was before others worked on it, and its older messages. It tells better how a name was used: once things are said
    /// only once, names no longer recur.
    pub before: Option<(&'a Conversation, Range<usize>)>,
    /// What the user wrote in an older message stays whole where it has no more tokens.
    pub most_words: usize,
    /// The assistant's text in an older message stays whole where it has no more tokens.
    pub most_said: usize,
    /// It stays whole with what was pasted into it where both together have no more.
    pub most_shown: usize,
    /// What the user wrote in a newest message stays whole where it has no more tokens: longer texts were pasted.
    pub most_pasted: usize,
    /// Which signals are in use.
    pub weights: Weights,
}

impl Scope<'_> {
    /// A piece, or its stretches where it is of the user and too long to stay whole.
    pub fn divided<'w, 't>(&self, piece: ContentPiece, whole: &'w TextAt<'t>) -> Vec<(ContentPiece, &'w TextAt<'t>)> {
        let text = &whole.text[piece.range.clone()];
        // A text has no more tokens than bytes.
        let is_long = text.len() > self.most_shown
            && piece.voice == Voice::User
            && count_inside(text, self.tally.encoding()).tokens > self.most_shown;
        if !is_long {
            return vec![(piece, whole)];
        }
        let part = |Stretch { range, voice }| (ContentPiece { range, voice, ..piece.clone() }, whole);
        piece.stretches(whole.text).into_iter().map(part).collect()
    }

    /// Whether a text of so many tokens may be cut though its message is the first or one of the newest.
    pub fn may_cut_end(&self, message: usize, piece: &ContentPiece, origin: Origin, tokens: usize) -> bool {
        let is_assistants = |entry: &Entry| entry.message.role == Role::Assistant;
        let last = self.conversation.entries().iter().rposition(is_assistants).unwrap_or(0);
        match (self.ends, origin) {
            (Ends::Stay, _) => false,
            // What the user pasted into a newer message, of which beginning and end stay.
            (ends, Origin::User) => {
                let is_users = self.conversation.message(message).role == Role::User;
                let is_long = piece.voice == Voice::Paste || tokens > self.most_pasted;
                is_users && ends == Ends::Last && message >= self.older.end && is_long
            }
            _ if message < self.older.start => {
                // A summary that a host put there in the user's role is told like the assistant's words.
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
