//! Mode `window`: drops the oldest messages after the first.

use std::{collections::BTreeSet, ops::Range};

use super::TruncationConfig;
use crate::{
    conversation::{Conversation, Edit},
    providers::{Note, Proposal, Request, seams::Seams},
    tokens::Tally,
    words::said,
};

/// Drops the oldest messages: as many as the target requires, or half of them without a target.
pub fn proposal(request: &Request, config: &TruncationConfig) -> Proposal {
    let conversation = &request.conversation;
    let keep = config.preserve_recent_count;
    let mut proposal = Proposal::default();
    let dropped = match request.budget() {
        Some(budget) => to_fit(conversation, &request.tally, keep, budget),
        None => {
            let half = half(conversation.len());
            if half == 0 { None } else { droppable(conversation, keep, |range| range.end > half) }
        }
    };
    drop_messages(&dropped.unwrap_or_default().collect(), &mut proposal);
    proposal
}

/// Drops the oldest messages that `proposal` leaves; none where the budget is not met by that either.
pub fn after(
    request: &Request,
    mut proposal: Proposal,
    after: &Conversation,
    tally: &Tally,
    keep: usize,
    budget: usize,
) -> Proposal {
    let Some(range) = to_fit(after, tally, keep, budget) else { return proposal };
    if tally.total() - tokens_of(after, tally, range.clone()) > budget {
        return proposal;
    }
    // Messages that the proposal already drops have no place in `after`.
    let place = request.conversation.positions();
    let dropped = after.entries()[range].iter().filter_map(|entry| place.get(&entry.id).copied()).collect();
    drop_messages(&dropped, &mut proposal);
    proposal
}

/// Returns the oldest messages that must be dropped to fit `budget` tokens, or all that can be.
pub fn to_fit(conversation: &Conversation, tally: &Tally, keep: usize, budget: usize) -> Option<Range<usize>> {
    let mut before = Vec::with_capacity(conversation.len() + 1);
    before.push(0);
    for index in 0..conversation.len() {
        before.push(before[index] + tokens_of(conversation, tally, index..index + 1));
    }
    droppable(conversation, keep, |range| tally.total() - (before[range.end] - before[range.start]) <= budget)
}

/// Returns the tokens of these messages without those of pinned blocks.
fn tokens_of(conversation: &Conversation, tally: &Tally, messages: Range<usize>) -> usize {
    messages.map(|index| tally.message(index) - pinned_tokens(conversation, tally, index)).sum()
}

/// Returns the tokens of pinned blocks, which stay although their message is dropped.
fn pinned_tokens(conversation: &Conversation, tally: &Tally, message: usize) -> usize {
    let pins = &conversation.entries()[message].pins;
    if pins.is_empty() {
        return 0;
    }
    let pinned: usize =
        (0..).zip(tally.blocks(message)).filter(|(block, _)| pins.holds(*block)).map(|(_, tokens)| tokens).sum();
    pinned.min(tally.message(message))
}

/// Adds the drop of these messages to `proposal`.
pub fn drop_messages(dropped: &BTreeSet<usize>, proposal: &mut Proposal) {
    let reason = said!("change.oldest", count: dropped.len());
    let is_in = |edit: &Edit| match edit {
        Edit::Set { message, .. } | Edit::InsertBlock { message, .. } => dropped.contains(message),
        _ => false,
    };
    proposal.plan.edits.retain(|edit| !is_in(edit));
    proposal.notes.retain(|note| !dropped.contains(&note.message));
    for message in dropped.iter().copied() {
        proposal.plan.edits.push(Edit::Drop { message });
        proposal.notes.push(Note { message, block: None, operation: "window", reason: reason.clone(), grade: None });
    }
}

/// Returns the oldest messages after the first that can be dropped without breaking anything: as many as `enough`
/// requires, or as many as possible.
///
/// `enough(dropped)` returns true if dropping this range is enough. The newest `preserve_recent` messages stay.
fn droppable(
    conversation: &Conversation,
    preserve_recent: usize,
    enough: impl Fn(&Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let length = conversation.len();
    if length == 0 {
        return None;
    }
    let start = conversation.head();
    let end = length.saturating_sub(preserve_recent);
    let seams = Seams::new(conversation, start);
    let mut best = None;
    for first_kept in start + 1..=end {
        if !seams.is_clean(first_kept) {
            continue;
        }
        let range = start..first_kept;
        let done = enough(&range);
        best = Some(range);
        if done {
            break;
        }
    }
    best
}

/// Returns how many messages Roo-Code's window drops: half of all but the first, rounded down to an even number.
fn half(length: usize) -> usize {
    let half = length.saturating_sub(1) / 2;
    half - half % 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::problems;

    fn conversation(json: &str) -> Conversation {
        Conversation::parse(json).unwrap()
    }

    #[test]
    fn half_is_even_and_spares_the_first() {
        assert_eq!([0, 1, 2, 4, 5, 6, 9, 10, 101].map(half), [0, 0, 0, 0, 2, 2, 4, 4, 50]);
    }

    #[test]
    fn a_tool_pair_is_never_split() {
        let pairs = conversation(
            r#"[{"role":"user","content":"task"},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},
            {"role":"assistant","content":[{"type":"tool_use","id":"b","name":"x","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"}]},
            {"role":"assistant","content":"done"}]"#,
        );
        for wanted in 1..5 {
            let dropped = droppable(&pairs, 1, |range| range.len() >= wanted).unwrap();
            assert!(dropped.end % 2 == 1, "{dropped:?}");
        }
    }

    #[test]
    fn answers_in_messages_of_their_own_stay_with_their_call() {
        let round = |id: usize| {
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"a{id}","name":"x","input":{{}}}},{{"type":"tool_use","id":"b{id}","name":"x","input":{{}}}}]}},
                {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a{id}","content":"1"}}]}},
                {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"b{id}","content":"2"}}]}}"#
            )
        };
        let split =
            conversation(&format!(r#"[{{"role":"user","content":"task"}},{},{},{}]"#, round(0), round(1), round(2)));
        assert_eq!(problems(&split), []);
        for (keep, end) in [(1, 7), (2, 7), (3, 7), (4, 4), (6, 4)] {
            assert_eq!(droppable(&split, keep, |_| false), Some(1..end), "{keep}");
        }
        let cut = split.apply(&crate::conversation::Plan {
            edits: (1..3).map(|message| crate::conversation::Edit::Drop { message }).collect(),
        });
        let found: Vec<_> = cut.unwrap().problems_since(&split).iter().map(|problem| problem.code).collect();
        assert_eq!(found, ["same_role_twice", "orphan_tool_result"]);
    }

    #[test]
    fn nothing_can_be_dropped_from_the_smallest() {
        assert_eq!(droppable(&conversation("[]"), 1, |_| true), None);
        assert_eq!(droppable(&conversation(r#"[{"role":"user","content":"a"}]"#), 1, |_| true), None);
    }
}
