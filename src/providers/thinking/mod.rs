//! Decides what happens to signed thinking after a change of the messages before it, whichever provider made the
//! change.

mod models;

use serde_json::value::RawValue;

pub use self::models::Binding;
use super::{proposal::Change, request::Request};
use crate::{
    cancel::Cancelled,
    conversation::{Block, Content, ContentKind, Conversation, Edit, NewValue, Plan, Role, answers},
    markers::Suppressed,
    options::words,
    tokens::Tally,
    words::said,
};

/// The treatment of thinking after a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    /// It is removed if the model would refuse it, and kept if the model would accept it or is unknown.
    #[default]
    Auto,
    /// It is kept.
    Keep,
    /// It is removed.
    Drop,
}

words! { impl Thinking { Auto = "auto", Keep = "keep", Drop = "drop" } }

impl Thinking {
    /// Returns the treatment's word in options.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Keep => "keep",
            Self::Drop => "drop",
        }
    }
}

/// The wanted treatment, with what is known of the model that receives the thinking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThinkingRule {
    /// The treatment that the caller wants.
    pub wish: Thinking,
    /// The rule of the conversation's own model.
    pub binding: Binding,
}

/// The outcome for thinking after a change.
pub enum ThinkingOutcome {
    /// Nothing to do or to report.
    Untouched,
    /// This many signed blocks are kept, although the service may refuse them.
    Kept(usize),
    /// Blocks were removed.
    Removed(WithoutThinking),
}

/// A conversation without the thinking after a change.
pub struct WithoutThinking {
    /// The conversation.
    pub conversation: Conversation,
    /// Its token counts.
    pub tally: Tally,
    /// The removals.
    pub changes: Vec<Change>,
    /// Number of removed blocks.
    pub blocks: usize,
}

const OPERATION: &str = "drop_thinking";

impl ThinkingRule {
    /// Returns true if thinking is to be removed.
    fn drops(self) -> bool {
        self.wish == Thinking::Drop || (self.wish == Thinking::Auto && self.binding == Binding::Prefix)
    }

    /// Returns true if kept thinking deserves a warning, because the service may refuse it.
    fn warns(self) -> bool {
        self.wish == Thinking::Keep || self.binding == Binding::Unknown
    }

    /// Applies the rule to the request's conversation, which results from the original one.
    pub fn apply(self, request: &Request) -> Result<ThinkingOutcome, Cancelled> {
        let condensed = &request.conversation;
        let Some(change) = first_difference(&request.original, condensed) else {
            return Ok(ThinkingOutcome::Untouched);
        };
        if !self.drops() {
            let signed = if self.warns() { behind(condensed, change, Block::is_signed_thinking).len() } else { 0 };
            return Ok(if signed > 0 { ThinkingOutcome::Kept(signed) } else { ThinkingOutcome::Untouched });
        }
        let mut places = behind(condensed, change, Block::is_thinking);
        if self.binding == Binding::Loop {
            let under_way = tool_loop(condensed);
            places.retain(|(message, _)| *message < under_way);
        }
        if places.is_empty() {
            return Ok(ThinkingOutcome::Untouched);
        }
        let plan = removal(condensed, &places);
        let Ok(conversation) = condensed.apply(&plan) else { return Ok(ThinkingOutcome::Untouched) };
        let tally = request.tally.recount(condensed, &conversation, &request.cancel)?;
        let changes = places.iter().map(|place| told(request, *place)).collect();
        Ok(ThinkingOutcome::Removed(WithoutThinking { conversation, tally, changes, blocks: places.len() }))
    }
}

/// A block of a message of the condensed conversation.
type Place = (usize, usize);

/// Returns the place in `condensed` of the first difference; `None` if there is none.
fn first_difference(original: &Conversation, condensed: &Conversation) -> Option<Place> {
    let message = (0..original.len().max(condensed.len())).find(|at| {
        match (original.entries().get(*at), condensed.entries().get(*at)) {
            (Some(was), Some(is)) => !std::sync::Arc::ptr_eq(&was.message, &is.message),
            _ => true,
        }
    })?;
    let block = match (original.entries().get(message), condensed.entries().get(message)) {
        (Some(was), Some(is)) if was.id == is.id => {
            let (was, is) = (was.message.content.blocks(), is.message.content.blocks());
            was.iter().zip(is).take_while(|(was, is)| json(was) == json(is)).count()
        }
        _ => 0,
    };
    Some((message, block))
}

fn json(block: &Block) -> String {
    serde_json::to_string(block).unwrap_or_default()
}

/// Returns the blocks at or after a place for which `is_wanted` returns true.
fn behind(conversation: &Conversation, (first, block): Place, is_wanted: fn(&Block) -> bool) -> Vec<Place> {
    let mut found = Vec::new();
    for (message, entry) in conversation.entries().iter().enumerate().skip(first) {
        let from = if message == first { block } else { 0 };
        let blocks = entry.message.content.blocks().iter().enumerate().skip(from);
        found.extend(blocks.filter(|(_, block)| is_wanted(block)).map(|(block, _)| (message, block)));
    }
    found
}

/// Returns the index of the first message of the current tool loop: the message after the user's newest one that
/// contains no tool result. Without a loop, the end.
fn tool_loop(conversation: &Conversation) -> usize {
    let is_users_own = |at: &usize| {
        let message = conversation.message(*at);
        message.role == Role::User && answers(message).is_empty()
    };
    (0..conversation.len()).rev().find(is_users_own).map_or(0, |newest| newest + 1)
}

/// Returns the edits that remove blocks. A message that consists of them is dropped, unless two messages of one role
/// would meet; then a note replaces them.
fn removal(conversation: &Conversation, places: &[Place]) -> Plan {
    let mut edits = Vec::new();
    // The role of the message before, after the removal.
    let mut previous = None;
    let mut places = places.iter().copied().peekable();
    for (message, entry) in conversation.entries().iter().enumerate() {
        let mut gone = Vec::new();
        while let Some((_, block)) = places.next_if(|(of, _)| *of == message) {
            gone.push(block);
        }
        let role = &entry.message.role;
        let is_left_empty = !gone.is_empty() && gone.len() == entry.message.content.blocks().len();
        if !is_left_empty {
            edits.extend(gone.into_iter().map(|block| Edit::DropBlock { message, block }));
            previous = Some(role);
            continue;
        }
        let next = conversation.entries().get(message + 1).map(|entry| &entry.message.role);
        let roles_meet = next.is_some() && (next == previous || (previous.is_none() && next != Some(&Role::User)));
        if roles_meet {
            edits.push(Edit::set(message, vec!["content".into()], NewValue::Json(note())));
            previous = Some(role);
        } else {
            edits.push(Edit::Drop { message });
        }
    }
    Plan { edits }
}

/// Returns the content that replaces thinking if a message must remain.
fn note() -> Box<RawValue> {
    let note = Suppressed { kind: ContentKind::MessageText, size: None };
    serde_json::value::to_raw_value(&Content::Blocks(vec![Block::text(note.to_string())])).unwrap_or_default()
}

fn told(request: &Request, (message, block): Place) -> Change {
    // A message added in this call has no origin, so the index of the message after it is used.
    let origin = request.conversation.entries()[message..].iter().find_map(|entry| entry.origin);
    let why = said!("change.thinking");
    Change {
        id: String::new(),
        message_index: origin.unwrap_or(request.original.len()),
        block_index: Some(block),
        operation: OPERATION.to_owned(),
        tokens_before: request.tally.blocks(message).get(block).copied().unwrap_or_default(),
        tokens_after: 0,
        reason: why.to_string(),
        said: Some(why),
        grade: None,
    }
}
