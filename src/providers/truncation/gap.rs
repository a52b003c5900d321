//! Adds a note that messages were dropped, if nothing else in the result says so.

use crate::{
    conversation::{Content, Conversation, Edit, Inserted, Message, NewValue, Plan, Role},
    maps::HashSet,
    markers::{LEFT_OUT_HERE, is_about_messages, messages_at_end},
    providers::{Note, Proposal},
    story::is_story,
    words::said,
};

/// Returns the proposal with a note about the dropped messages; `None` if the remaining messages mention them already.
pub fn with_note_of_gap(before: &Conversation, proposal: &Proposal) -> Option<Proposal> {
    let says = |value: &NewValue| matches!(value, NewValue::Text(text) if messages_at_end(text).1 || is_story(text));
    let tells = |edit: &Edit| match edit {
        Edit::Set { value, .. } => says(value),
        Edit::Insert { .. } | Edit::InsertBlock { .. } => true,
        _ => false,
    };
    if proposal.plan.edits.iter().any(tells) {
        return None;
    }
    let dropped = dropped_by(&proposal.plan);
    let stays = dropped.iter().min().and_then(|first| first.checked_sub(1));
    if stays.is_some_and(|message| is_note_of_messages(before.message(message))) {
        return None;
    }
    // The note must not need more messages than are dropped.
    let (place, roles) = in_gap(before, &dropped).filter(|(_, roles)| roles.len() <= dropped.len())?;
    let mut with_note = proposal.clone();
    let next = before.entries().get(place).or(before.entries().last());
    for role in roles {
        let message = Message::new(role, Content::Text(LEFT_OUT_HERE.to_owned()));
        let message = if let Some(next) = next { message.with_time_of(&next.message) } else { message };
        with_note.plan.edits.push(Edit::Insert { before: place, value: Inserted::from(message) });
    }
    if !with_note.notes.iter().any(|note| (note.message, note.block) == (place, None)) {
        let reason = said!("change.note");
        with_note.notes.push(Note { message: place, block: None, operation: "insert", reason, grade: None });
    }
    Some(with_note)
}

/// Returns the messages that a plan drops.
fn dropped_by(plan: &Plan) -> HashSet<usize> {
    plan.edits.iter().filter_map(|edit| if let Edit::Drop { message } = edit { Some(*message) } else { None }).collect()
}

/// Returns where the first dropped messages were, and the roles of the messages to put there so that roles alternate.
fn in_gap(before: &Conversation, dropped: &HashSet<usize>) -> Option<(usize, Vec<Role>)> {
    let start = dropped.iter().copied().min()?;
    let end = (start..before.len()).find(|message| !dropped.contains(message)).unwrap_or(before.len());
    let role = |message: Option<usize>| before.entries().get(message?).map(|entry| entry.message.role.clone());
    let roles = match (role(start.checked_sub(1))?, role(Some(end))) {
        (Role::User, Some(Role::Assistant)) => vec![Role::Assistant, Role::User],
        (Role::User, Some(Role::User) | None) => vec![Role::Assistant],
        (Role::Assistant, Some(Role::User)) => vec![Role::User, Role::Assistant],
        (Role::Assistant, Some(Role::Assistant) | None) => vec![Role::User],
        _ => return None,
    };
    Some((end, roles))
}

/// Returns true if a message only says that others were left out.
fn is_note_of_messages(message: &Message) -> bool {
    let texts = message.texts();
    !texts.is_empty() && texts.iter().all(|text| is_about_messages(text.text))
}
