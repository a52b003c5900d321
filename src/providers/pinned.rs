//! Removes from plans whatever would change pinned content.

use std::sync::Arc;

use crate::{
    conversation::{Content, Conversation, Edit, Inserted, Message, PathStep, Plan, Problem, Role},
    markers::{LEFT_OUT_HERE, without_way_back},
};

/// Returns the part of `plan` that leaves pinned and frozen content unchanged; `None` if the whole plan does.
/// Messages inserted among frozen ones go after them instead. If the plan drops a message with pinned blocks, only
/// its other blocks are dropped. If two messages of one role would then meet, another message separates them.
pub fn sparing_pins(plan: &Plan, before: &Conversation) -> Option<Plan> {
    if !before.has_pins() {
        return None;
    }
    let frozen = before.frozen();
    let mut spared = false;
    let mut edits = Vec::with_capacity(plan.edits.len());
    for edit in plan.edits.iter().cloned() {
        let message = match &edit {
            Edit::Set { message, .. } | Edit::Drop { message } | Edit::DropBlock { message, .. } => *message,
            Edit::Insert { before: place, value } if *place < frozen => {
                spared = true;
                edits.push(Edit::Insert { before: frozen, value: value.clone() });
                continue;
            }
            Edit::InsertBlock { message, .. } if *message < frozen => {
                spared = true;
                continue;
            }
            Edit::Insert { .. } | Edit::InsertBlock { .. } => before.len(),
        };
        let Some(entry) = before.entries().get(message).filter(|entry| !entry.pins.is_empty()) else {
            edits.push(edit);
            continue;
        };
        let pins = &entry.pins;
        match &edit {
            Edit::Set { path, .. } => match path.get(1) {
                Some(PathStep::Index(block)) if !pins.holds(*block) => edits.push(edit),
                _ => spared = true,
            },
            Edit::DropBlock { block, .. } if !pins.holds(*block) => edits.push(edit),
            Edit::Drop { .. } => {
                spared = true;
                let blocks = 0..entry.message.content.blocks().len();
                if !pins.is_all() {
                    let others = blocks.filter(|block| !pins.holds(*block));
                    edits.extend(others.map(|block| Edit::DropBlock { message, block }));
                }
            }
            _ => spared = true,
        }
    }
    spared.then(|| with_bridges(Plan { edits }, before))
}

/// Adds a message wherever the plan makes two messages of one role meet.
pub fn with_bridges(mut plan: Plan, before: &Conversation) -> Plan {
    let Ok(after) = before.apply(&plan) else { return plan };
    let places = before.positions();
    for problem in after.problems_since(before).into_iter().filter(Problem::is_same_role) {
        let entry = &after.entries()[problem.message_index];
        let role = if entry.message.role == Role::User { Role::Assistant } else { Role::User };
        let value = Inserted::from(Message::new(role, Content::Text(LEFT_OUT_HERE.to_owned())));
        match places.get(&entry.id) {
            Some(index) => {
                // A separator from an earlier condensation that the plan would drop serves as well, so it stays.
                let dropped = |at: &usize| {
                    plan.edits.iter().position(|edit| matches!(edit, Edit::Drop { message } if message == at))
                };
                let gone = (0..*index).rev().map_while(|at| Some((at, dropped(&at)?)));
                let says_so = |at: usize| {
                    let message = before.message(at);
                    message.role == value.message.role
                        && matches!(&message.content, Content::Text(text) if without_way_back(text) == LEFT_OUT_HERE)
                };
                match gone.into_iter().find(|(at, _)| says_so(*at)) {
                    Some((_, edit)) => drop(plan.edits.remove(edit)),
                    None => plan.edits.push(Edit::Insert { before: *index, value }),
                }
            }
            None => {
                let is_it = |edit: &Edit| matches!(edit, Edit::Insert { value, .. } if Arc::ptr_eq(&value.message, &entry.message));
                let Some(at) = plan.edits.iter().position(is_it) else { continue };
                let Edit::Insert { before, .. } = plan.edits[at] else { continue };
                plan.edits.insert(at, Edit::Insert { before, value });
            }
        }
    }
    plan
}
