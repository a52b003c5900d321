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
    let added = 1 + usize::from(has_bridge);
    let shown = shown(request, &edits, around.head..around.head + added)?;
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

/// Returns the request for the conversation after `edits`, in which these messages, the summary, must not change.
fn shown(request: &Request, edits: &[Edit], summary: Range<usize>) -> Result<Request, CondenseError> {
    let plan = Plan { edits: edits.to_vec() };
    let whole = request.conversation.apply(&plan).map_err(|error| CondenseError::Internal(error.to_string()))?;
    let pins = |message: usize| if summary.contains(&message) { Pins::new(&[true]) } else { Pins::default() };
    let original = whole.with_pins(pins).as_original();
    let tally = request.tally.recount(&request.conversation, &original, &request.cancel)?;
    Ok(Request { conversation: original.clone(), original, tally, ..request.clone() })
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        cancel::Cancel,
        tokens::{Encoding, Tally},
    };

    /// Earlier providers may have dropped messages, so that origins are greater than the number of messages.
    #[test]
    fn every_message_beside_a_summary_has_an_original() {
        let message =
            |at: usize| json!({ "role": if at.is_multiple_of(2) { "user" } else { "assistant" }, "content": "Words." });
        let messages: Vec<_> = (0..9).map(message).collect();
        let original = Conversation::parse(&json!(messages).to_string()).expect("messages");
        let drop = Plan { edits: (1..7).map(|message| Edit::Drop { message }).collect() };
        let conversation = original.apply(&drop).expect("the plan fits");
        let tally = Tally::count(&conversation, Encoding::default(), &Cancel::new()).expect("not cancelled");
        let request = Request { original, ..Request::new(conversation, tally) };
        let summary = Message::new(Role::User, Content::Text("What happened.".to_owned()));
        let edits = [Edit::Insert { before: 1, value: summary.into() }];
        let shown = shown(&request, &edits, 1..2).expect("the plan fits");
        let origins: Vec<_> = shown.conversation.entries().iter().map(|entry| entry.origin).collect();
        assert_eq!((origins, shown.original.len()), ((0..4).map(Some).collect(), 4));
        assert!(shown.conversation.entries()[1].pins.holds(0));
    }
}
