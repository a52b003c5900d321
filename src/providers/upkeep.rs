//! Keeps pointers true after any plan: a pointer is redirected to another copy of its lines, replaced by the lines,
//! or replaced by a gap that says they are left out.

use std::{cell::OnceCell, collections::BTreeMap};

use super::{
    edited::{Place, edited},
    proposal::{Grade, Note},
    request::Request,
};
use crate::{
    conversation::{BlockOrigins, Conversation, Edit, NewValue, PathStep, Plan},
    maps::HashSet,
    restore::{Expansion, Mended, decode, holds_pointers, kept_true, message_holds_pointers},
    tokens::{Tally, count},
    transcript::decompose,
    words::{Said, said},
};

/// A plan after which all pointers are true.
pub struct TruePlan {
    /// The plan.
    pub plan: Plan,
    /// Reasons for changes to texts that the provider left alone.
    pub notes: Vec<Note>,
    /// The blocks, by their message before the plan, in which lines replaced a pointer.
    pub expanded: HashSet<(usize, usize)>,
}

/// Returns true if `plan` may make a pointer wrong.
pub fn may_mislead(before: &Conversation, after: &Conversation, plan: &Plan) -> bool {
    let was_condensed = |edit: &Edit| match edit {
        Edit::Set { message, .. } => message_holds_pointers(before.message(*message)),
        _ => false,
    };
    holds_pointers(after) || plan.edits.iter().any(was_condensed)
}

/// Returns the places that the plan changes and that no longer read as `planned`, because some edits were removed.
/// `after` is the result of the remaining edits; both conversations have the same messages.
pub fn misled(plan: &Plan, planned: &Conversation, after: &Conversation) -> HashSet<Place> {
    let edits: HashSet<Place> = plan.edits.iter().filter_map(edited).collect();
    let mut misled = HashSet::default();
    for (message, (was, is)) in decode(planned).into_iter().zip(decode(after)).enumerate() {
        let written = planned.message(message).texts().into_iter().zip(after.message(message).texts());
        for ((was, is), (planned, text)) in was.iter().zip(&is).zip(written) {
            // A text whose edit was removed reads as it did before.
            if was == is || planned.text != text.text {
                continue;
            }
            let places = [(message, Some(text.block)), (message, None)];
            match places.iter().find(|place| edits.contains(place)) {
                Some(place) => misled.insert(*place),
                // This text has no edit of its own, so the edits around it are the cause.
                None => return edits,
            };
        }
    }
    misled
}

/// Adds to `plan`, which turns the request's conversation into `after`, the edits that keep pointers true. Returns
/// `None` if none are needed. `tally` counts `after`. Unless `may_grow` is true, no text becomes longer.
pub fn true_plan(
    request: &Request,
    plan: &Plan,
    after: &Conversation,
    tally: &Tally,
    may_grow: bool,
) -> Option<TruePlan> {
    let before = &request.conversation;
    // A result must be smaller than the input, and within the target if there is one.
    let most = request.budget().unwrap_or(usize::MAX).min(request.tally.total().saturating_sub(1));
    let mut room = most.saturating_sub(tally.total());
    let mut may_expand = |expansion: Expansion<'_>| {
        let tokens = |text: &str| count(text, tally.encoding()).tokens;
        let numbers = 3 * expansion.lines.split('\n').count();
        let cost = (tokens(expansion.lines) + numbers).saturating_sub(tokens(expansion.pointer));
        let fits = cost <= room && is_shorter_than_original(request, after, &expansion);
        room -= if fits { cost } else { 0 };
        fits
    };
    let origins = BlockOrigins::trace(plan, before);
    let pieces = OnceCell::new();
    let parts = |message: usize, path: &[PathStep]| {
        let pieces = pieces.get_or_init(|| decompose(before, &request.tools));
        pieces[message].iter().filter(|piece| *piece.path == *path).map(|piece| piece.range.clone()).collect()
    };
    let mended = kept_true(before, after, &origins, &parts, if may_grow { Some(&mut may_expand) } else { None });
    if mended.is_empty() {
        return None;
    }
    let places = before.positions();
    let mut result = TruePlan { plan: plan.clone(), notes: Vec::new(), expanded: HashSet::default() };
    let mut inserted: BTreeMap<usize, Vec<Edit>> = BTreeMap::new();
    for mended in mended {
        match places.get(&after.entries()[mended.message].id) {
            Some(message) => result.set(before, *message, &origins, mended),
            None => {
                let edit = Edit::set(mended.message, mended.path, NewValue::Text(mended.text));
                inserted.entry(mended.message).or_default().push(edit);
            }
        }
    }
    for (message, edits) in inserted {
        set_inserted(&mut result.plan, after, message, edits);
    }
    Some(result)
}

/// Returns true if the expanded text is still shorter than the original one, in bytes and in tokens: a long quote may
/// have few tokens.
fn is_shorter_than_original(request: &Request, after: &Conversation, expansion: &Expansion<'_>) -> bool {
    let Some(origin) = after.entries()[expansion.message].origin else { return false };
    let tokens = |text: &str| count(text, request.tally.encoding()).tokens;
    let is_shorter = |text: &str| text.len() > expansion.text.len() && tokens(text) > tokens(expansion.text);
    let texts = request.original.message(origin).texts();
    texts.iter().any(|text| *text.path == *expansion.path && is_shorter(text.text))
}

impl TruePlan {
    fn set(&mut self, before: &Conversation, message: usize, origins: &BlockOrigins, mut mended: Mended) {
        let Some(path) = origins.path(before.entries()[message].id, &mended.path) else { return };
        mended.path = path.into_owned();
        mended.block = mended.path.get(1).and_then(PathStep::index).unwrap_or(mended.block);
        let is_same =
            |edit: &Edit| matches!(edit, Edit::Set { message: of, path, .. } if *of == message && *path == mended.path);
        self.plan.edits.retain(|edit| !is_same(edit));
        let texts = before.message(message).texts();
        if texts.iter().any(|text| *text.path == *mended.path && text.text == mended.text) {
            return;
        }
        if mended.expanded > 0 {
            self.expanded.insert((message, mended.block));
        }
        let grade = (mended.left_out == 0).then_some(Grade::Inline);
        self.notes.push(Note {
            message,
            block: Some(mended.block),
            operation: "pointers",
            reason: reason(&mended),
            grade,
        });
        self.plan.edits.push(Edit::set_text(message, mended.path, mended.text));
    }
}

fn reason(mended: &Mended) -> Said {
    let parts = [
        (mended.aimed, "change.aimed"),
        (mended.expanded, "change.expanded"),
        (mended.left_out, "change.pointersLeftOut"),
    ];
    let done = parts.iter().filter(|(times, _)| *times > 0).map(|(times, code)| said!(code, count: *times));
    let done: Vec<Said> = done.collect();
    if done.is_empty() { said!("change.numbered") } else { said!("change.all", all: done) }
}

/// Changes the texts of a message that the plan inserts, which became this message of `after`.
fn set_inserted(plan: &mut Plan, after: &Conversation, message: usize, edits: Vec<Edit>) {
    let Ok(changed) = after.apply(&Plan { edits }) else { return };
    let (was, is) = (&after.entries()[message], &changed.entries()[message]);
    for edit in &mut plan.edits {
        if let Edit::Insert { value, .. } = edit
            && std::sync::Arc::ptr_eq(&value.message, &was.message)
        {
            (value.message, value.foreign) = (is.message.clone(), None);
            value.estimates.clone_from(&is.estimates);
        }
    }
}
