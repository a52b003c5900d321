//! What is to be looked through.

use std::ops::Range;

use super::weights::Weights;
use crate::{conversation::Conversation, tokens::Tally, transcript::ToolTable};

/// What a survey is about.
pub struct Scope<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Its tokens.
    pub tally: &'a Tally,
    /// What the tools in it do.
    pub tools: &'a ToolTable,
    /// The messages that may be changed.
    pub zone: Range<usize>,
    /// The conversation as it was before others worked on it, and its older messages. It tells better how a name was used: once things are said
    /// only once, names no longer recur.
    pub before: Option<(&'a Conversation, Range<usize>)>,
    /// Whether what the user wrote may be cut.
    pub user_too: bool,
    /// Which signals are in use.
    pub weights: Weights,
}
