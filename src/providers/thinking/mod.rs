//! Thinking that is signed, after something before it has changed. The one place where it is decided what becomes of it, whatever provider made the
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

/// What is to be done with thinking behind a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    /// It goes where the model would refuse it, and stays where the model would not or nothing is known of it.
    #[default]
    Auto,
    /// It stays.
    Keep,
    /// It goes.
    Drop,
}

words! { impl Thinking { Auto = "auto", Keep = "keep", Drop = "drop" } }

impl Thinking {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Keep => "keep",
            Self::Drop => "drop",
        }
    }
}

/// What is to be done with thinking behind a change, and what is known of the model that gets it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThinkingRule {
    /// What the caller wants.
    pub wish: Thinking,
    /// Of the conversation's own model.
    pub binding: Binding,
}

/// What became of thinking behind a change.
pub enum ThinkingOutcome {
    /// Nothing has to be done or said.
    Untouched,
    /// So many signed blocks stay, and nobody knows that they may.
    Kept(usize),
    /// Blocks went.
    Removed(WithoutThinking),
}

/// A conversation without the thinking behind a change.
pub struct WithoutThinking {
    /// The conversation.
    pub conversation: Conversation,
    /// Its tokens.
    pub tally: Tally,
    /// What was removed.
    pub changes: Vec<Change>,
    /// How many blocks.
    pub blocks: usize,
}

const OPERATION: &str = "drop_thinking";

impl ThinkingRule {
    /// Whether thinking goes.
    fn drops(self) -> bool {
        self.wish == Thinking::Drop || (self.wish == Thinking::Auto && self.binding == Binding::Prefix)
    }

    /// Whether thinking that stays is worth a warning: the service may refuse it.
    fn warns(self) -> bool {
        self.wish == Thinking::Keep || self.binding == Binding::Unknown
    }

    /// Applies the rule to the conversation of `request`, which descends from the one that came in.
    ///
    /// # Errors
    /// [`Cancelled`] when the caller gave up meanwhile.
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

/// Where the two begin to differ, in the second; `None` where they do not.
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

/// The blocks at or behind a place that are what is looked for.
fn behind(conversation: &Conversation, (first, block): Place, is_wanted: fn(&Block) -> bool) -> Vec<Place> {
    let mut found = Vec::new();
    for (message, entry) in conversation.entries().iter().enumerate().skip(first) {
        let from = if message == first { block } else { 0 };
        let blocks = entry.message.content.blocks().iter().enumerate().skip(from);
        found.extend(blocks.filter(|(_, block)| is_wanted(block)).map(|(block, _)| (message, block)));
    }
    found
}

/// The first message of the tool loop under way: what follows the user's newest message that answers no call. Without a loop that is the end.
fn tool_loop(conversation: &Conversation) -> usize {
    let is_users_own = |at: &usize| {
        let message = conversation.message(*at);
        message.role == Role::User && answers(message).is_empty()
    };
    (0..conversation.len()).rev().find(is_users_own).map_or(0, |newest| newest + 1)
}

/// The edits that remove blocks. A message of nothing else goes with them, unless two messages of one role would meet: then a note takes their place.
fn removal(conversation: &Conversation, places: &[Place]) -> Plan {
    let mut edits = Vec::new();
    // The role of what stands before a message in the end.
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

/// What takes the place of thinking where something has to stand.
fn note() -> Box<RawValue> {
    let note = Suppressed { kind: ContentKind::MessageText, size: None };
    serde_json::value::to_raw_value(&Content::Blocks(vec![Block::text(note.to_string())])).unwrap_or_default()
}

fn told(request: &Request, (message, block): Place) -> Change {
    // A message that was added since has none: the one it stands before is named.
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
