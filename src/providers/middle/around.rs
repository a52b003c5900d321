//! Keeps shortened messages around a summary: the summarised messages that a reader needs most beside it, up to the
//! target.

use std::ops::Range;

use crate::{
    conversation::{Content, Conversation, Edit, Message, Pins, Plan, Role, answered},
    markers::{SUMMARY_ABOVE, SUMMARY_OF_BELOW, without_way_back},
    providers::{
        CondenseError, Native, Note, Request,
        fold::{Fold, folded},
        middle::told_by_summary,
    },
};

/// Factor for the token budget of the story beside a summary, which covers most of the story's content.
const BESIDE_SUMMARY: f64 = 0.4;

/// The summarised messages, and the summary.
pub struct Around<'a> {
    /// The first summarised message.
    pub head: usize,
    /// The first message after them, which is kept.
    pub start: usize,
    /// The earlier summary, if one is among them. The new summary repeats its content.
    pub earlier: Option<usize>,
    /// The summary as a message.
    pub summary: &'a Edit,
}

/// Edits, and the reason for each.
pub type Shortened = (Vec<Edit>, Vec<Note>);

/// Returns the edits that shorten the summarised messages, with reasons. `None` if only the summary fits, or if no
/// target says how many tokens may remain.
pub fn shortened(request: &Request, around: &Around<'_>) -> Result<Option<Shortened>, CondenseError> {
    let Some(budget) = request.budget().filter(|_| !request.call.is_limit) else { return Ok(None) };
    let conversation = &request.conversation;
    let gone = gone(conversation, around);
    let mut edits: Vec<Edit> = gone.clone().map(|message| Edit::Drop { message }).collect();
    let Edit::Insert { value, .. } = around.summary else { return Ok(None) };
    edits.push(Edit::Insert { before: around.head, value: value.clone() });
    let speaks = |message: usize| conversation.entries().get(message).map(|entry| &entry.message.role);
    let has_bridge = speaks(gone.end) == Some(&value.message.role);
    if has_bridge {
        let role = if value.message.role == Role::Assistant { Role::User } else { Role::Assistant };
        let bridge = Message::new(role, Content::Text(SUMMARY_OF_BELOW.to_owned())).with_time_of(&value.message);
        edits.push(Edit::Insert { before: around.head, value: bridge.into() });
    }
    let internal = |error: &dyn std::fmt::Display| CondenseError::Internal(error.to_string());
    let whole = conversation.apply(&Plan { edits: edits.clone() }).map_err(|error| internal(&error))?;
    let added = 1 + usize::from(has_bridge);
    let is_summary = |message: usize| (around.head..around.head + added).contains(&message);
    let pinned = whole.with_pins(|message| if is_summary(message) { Pins::new(&[true]) } else { Pins::default() });
    let tally = request.tally.recount(conversation, &pinned, &request.cancel)?;
    let shown = Request { conversation: pinned.clone(), original: pinned, tally, ..request.clone() };
    let told = value.message.texts().iter().map(|text| text.text.to_owned()).collect::<Vec<_>>().join("\n");
    let preserve_recent = conversation.len() - around.start;
    let fold =
        Fold { provider: Native::ID, preserve_recent, part: BESIDE_SUMMARY, is_known: &|line| told.contains(line) };
    let (kept, fits) = folded(&shown, &fold, budget)?;
    if !fits {
        return Ok(None);
    }
    // Translates indices back to the conversation without the summary.
    let dropped = gone.len();
    let place = |message: usize| if message < around.head { message } else { message + dropped - added };
    // Content inserted before the summary's place follows the summary, as the edit that inserts it comes later.
    let behind = |message: usize| message.max(around.head + added);
    let moved = |edit: Edit| match edit {
        Edit::Set { message, path, value, estimates } => Edit::Set { message: place(message), path, value, estimates },
        Edit::Drop { message } => Edit::Drop { message: place(message) },
        Edit::Insert { before, value } => Edit::Insert { before: place(behind(before)), value },
        Edit::DropBlock { message, block } => Edit::DropBlock { message: place(message), block },
        Edit::InsertBlock { message, before, value } => Edit::InsertBlock { message: place(message), before, value },
    };
    let at_start = |edit: &mut Edit| {
        if let Edit::Insert { before, .. } = edit {
            *before = gone.end;
        }
    };
    edits.iter_mut().for_each(at_start);
    edits.extend(kept.plan.edits.into_iter().map(moved));
    let moved_note = |note: Note| {
        let is_added = note.block.is_none() && note.operation != "drop";
        Note { message: place(if is_added { behind(note.message) } else { note.message }), grade: None, ..note }
    };
    let mut notes: Vec<Note> = gone.clone().map(told_by_summary).collect();
    notes.extend(kept.notes.into_iter().map(moved_note));
    // The summary is inserted directly before this message.
    if !notes.iter().any(|note| note.message == gone.end && note.block.is_none()) {
        notes.push(Note { operation: "insert", ..told_by_summary(gone.end) });
    }
    Ok(Some((edits, notes)))
}

/// Returns the messages that are always removed: an earlier summary, the messages before it, and results of its calls.
fn gone(conversation: &Conversation, around: &Around<'_>) -> Range<usize> {
    let Some(earlier) = around.earlier.filter(|earlier| *earlier >= around.head) else {
        return around.head..around.head;
    };
    let says = |message: usize| match &conversation.message(message).content {
        Content::Text(text) => [SUMMARY_ABOVE, SUMMARY_OF_BELOW].contains(&without_way_back(text)),
        _ => false,
    };
    let bridge = earlier + 1 < around.start && says(earlier + 1);
    let mut end = earlier + 1 + usize::from(bridge);
    // A host may mark any message as a summary, even one with calls. The results of removed calls are removed, too.
    let answered = answered(conversation);
    while end < around.start && answered[end].is_some_and(|call| call <= earlier) {
        end += 1;
    }
    around.head..end
}
