//! Applies a proposal, and enforces the rules for every proposal: no block grows, pointers remain valid, no shape
//! problem is added, and nothing changes without a gain.

use super::{
    condense_error::CondenseError,
    edited::{Place, edited},
    pinned::sparing_pins,
    proposal::{Change, Grade, Note, Proposal, Settled},
    request::Request,
    stubs::{StubNote, astray},
    upkeep::{may_mislead, misled, true_plan},
};
use crate::{
    conversation::{Content, Conversation, Edit, Plan},
    maps::{HashMap, HashSet},
    tokens::Tally,
    words::said,
};

/// Applies the proposal of `provider` to the request's conversation. A proposal that is already settled is returned
/// unchanged.
///
/// # Errors
/// [`CondenseError::InvalidPlan`] if the plan does not fit the conversation, [`CondenseError::BrokenResult`] if it
/// would add a shape problem, [`CondenseError::ContextGrew`] if it adds messages and the whole does not become
/// smaller.
pub fn settle(request: &Request, provider: &str, proposal: &Proposal) -> Result<Settled, CondenseError> {
    if let Some(settled) = &proposal.settled {
        return Ok(settled.clone());
    }
    let before = &request.conversation;
    let invalid = |source| CondenseError::InvalidPlan { provider: provider.to_owned(), source };
    let spared = sparing_pins(&proposal.plan, before);
    // The provider checked its pointers for its whole plan, so the check no longer holds if parts are removed.
    let pointers_checked = proposal.pointers_checked && spared.is_none();
    let mut plan = spared.unwrap_or_else(|| proposal.plan.clone());
    let mut after = before.apply(&plan).map_err(invalid)?;
    let mut tally = request.tally.recount(before, &after, &request.cancel)?;
    let grown = without_gain(&plan, before, &request.tally, &tally);
    if !grown.is_empty() {
        let planned = after.clone();
        let mut left = grown;
        while !left.is_empty() {
            plan.edits.retain(|edit| edited(edit).is_none_or(|place| !left.contains(&place)));
            after = before.apply(&plan).map_err(invalid)?;
            // The provider checked its pointers for all edits; without some of them they may resolve to other lines.
            left = if pointers_checked { misled(&plan, &planned, &after) } else { HashSet::default() };
        }
        tally = request.tally.recount(before, &after, &request.cancel)?;
    }
    let mut notes = Vec::new();
    if !pointers_checked && !plan.is_empty() && may_mislead(before, &after, &plan) {
        for may_grow in [true, false] {
            let Some(mended) = true_plan(request, &plan, &after, &tally, may_grow) else { break };
            if sparing_pins(&mended.plan, before).is_some() {
                // A pointer in pinned content would resolve to other lines, and must not be repaired. Its own target
                // is pinned too, so a newly written line must be the cause.
                if proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. })) {
                    let message = "a line that it writes is what a pointer in protected content quotes".to_owned();
                    let provider = provider.to_owned();
                    return Err(CondenseError::ProviderFailed { provider, message, foreign_cause: None });
                }
                (plan, after, tally) = (Plan::default(), before.clone(), request.tally.clone());
                break;
            }
            let result = before.apply(&mended.plan).map_err(invalid)?;
            let result_tally = request.tally.recount(before, &result, &request.cancel)?;
            let mut grown = without_gain(&mended.plan, before, &request.tally, &result_tally);
            // Lines that replace a pointer again may grow, because they are fewer than in the original conversation.
            grown.retain(|(message, block)| !mended.expanded.contains(&(*message, block.unwrap_or(0))));
            if may_grow && !grown.is_empty() {
                // An edit that repairs made longer is not worth making.
                plan.edits.retain(|edit| edited(edit).is_none_or(|place| !grown.contains(&place)));
                after = before.apply(&plan).map_err(invalid)?;
                tally = request.tally.recount(before, &after, &request.cancel)?;
                continue;
            }
            (plan, after, tally, notes) = (mended.plan, result, result_tally, mended.notes);
            break;
        }
    }
    let stubs = astray(before, &after, &plan, &request.tools);
    let has_stubs = !stubs.is_empty();
    for StubNote { edit, at: (message, block), target } in stubs {
        let grade = grade_of(proposal, target);
        let reason = said!("change.stub");
        notes.push(Note { message, block: Some(block), operation: "pointers", reason, grade });
        plan.edits.push(edit);
    }
    if has_stubs {
        after = before.apply(&plan).map_err(invalid)?;
        tally = request.tally.recount(before, &after, &request.cancel)?;
    }
    if tally.total() >= request.tally.total() {
        let adds = proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. }));
        if adds {
            return Err(CondenseError::ContextGrew {
                before: request.scaled(&request.tally),
                after: request.scaled(&tally),
            });
        }
        let (conversation, tally) = (before.clone(), request.tally.clone());
        return Ok(Settled { conversation, tally, changes: Vec::new(), notes: Vec::new() });
    }
    refuse_new_problems(provider, before, &after)?;
    let told: HashSet<Place> = proposal.notes.iter().map(|note| (note.message, note.block)).collect();
    notes.retain(|note| !told.contains(&(note.message, note.block)));
    let changes = changes(&plan, proposal, &notes, request, &tally);
    Ok(Settled { conversation: after, tally, changes, notes })
}

/// Describes a proposal whose parts were settled one by one.
pub(super) fn described(request: &Request, proposal: &Proposal, conversation: Conversation, tally: Tally) -> Settled {
    let changes = changes(&proposal.plan, proposal, &[], request, &tally);
    Settled { conversation, tally, changes, notes: Vec::new() }
}

/// Returns the grade of a message that its notes give together: `Superseded` if each note has a grade.
fn grade_of(proposal: &Proposal, message: usize) -> Option<Grade> {
    let mut grades = proposal.notes.iter().filter(|note| note.message == message).map(|note| note.grade).peekable();
    grades.peek()?;
    grades.all(|grade| grade.is_some()).then_some(Grade::Superseded)
}

/// Returns the tokens at a place.
fn tokens_at(tally: &Tally, message: usize, block: Option<usize>) -> usize {
    match block {
        Some(block) => tally.blocks(message).get(block).copied().unwrap_or_default(),
        None => tally.message(message),
    }
}

/// Returns the places that the plan changes without making them smaller (invariant "never grows").
fn without_gain(plan: &Plan, before: &Conversation, tally_before: &Tally, tally_after: &Tally) -> HashSet<Place> {
    let places = Places::after(plan, before.len());
    let changed = plan.edits.iter().filter_map(edited).filter(|(message, block)| {
        places.of_message[*message].is_some_and(|at| {
            let block_after = block.map(|block| places.of_block(*message, block));
            tokens_at(tally_after, at, block_after) >= tokens_at(tally_before, *message, *block)
        })
    });
    changed.collect()
}

/// The positions of messages after a plan was applied to `length` of them.
struct Places {
    /// For each message, its index afterwards; `None` if it was dropped.
    of_message: Vec<Option<usize>>,
    /// For each insert of the plan, in order, the index of the added message.
    of_insert: Vec<usize>,
    /// Insertions (1) and removals (-1) of blocks: message, block, change.
    shifts: Vec<(usize, usize, isize)>,
}

impl Places {
    fn after(plan: &Plan, length: usize) -> Self {
        let mut dropped = vec![false; length];
        // The sort is stable, so inserts before the same message keep their order.
        let mut inserts: Vec<(usize, usize)> = Vec::new();
        let mut shifts = Vec::new();
        for edit in &plan.edits {
            match edit {
                Edit::Drop { message } => dropped[*message] = true,
                Edit::Insert { before, .. } => inserts.push((*before, inserts.len())),
                Edit::DropBlock { message, block } => shifts.push((*message, *block + 1, -1)),
                Edit::InsertBlock { message, before, .. } => shifts.push((*message, *before, 1)),
                Edit::Set { .. } => {}
            }
        }
        inserts.sort_by_key(|(before, _)| *before);
        let mut of_insert = vec![0; inserts.len()];
        let mut inserts = inserts.into_iter().peekable();
        let mut of_message = Vec::with_capacity(length);
        let mut at = 0;
        for index in 0..=length {
            while let Some((_, number)) = inserts.next_if(|(before, _)| *before <= index) {
                of_insert[number] = at;
                at += 1;
            }
            if let Some(dropped) = dropped.get(index) {
                of_message.push((!dropped).then_some(at));
                at += usize::from(!dropped);
            }
        }
        Self { of_message, of_insert, shifts }
    }

    /// Returns the index of a block in its message afterwards.
    fn of_block(&self, message: usize, block: usize) -> usize {
        let shifts = self.shifts.iter().filter(|(of, from, _)| *of == message && *from <= block);
        block.saturating_add_signed(shifts.map(|(_, _, by)| by).sum())
    }
}

fn refuse_new_problems(provider: &str, before: &Conversation, after: &Conversation) -> Result<(), CondenseError> {
    match after.problems_since(before).into_iter().next() {
        None => Ok(()),
        Some(problem) => Err(CondenseError::BrokenResult { provider: provider.to_owned(), problem }),
    }
}

fn changes(plan: &Plan, proposal: &Proposal, more: &[Note], request: &Request, tally: &Tally) -> Vec<Change> {
    let before = &request.conversation;
    let places = Places::after(plan, before.len());
    let mut notes: HashMap<Place, Vec<(&Note, usize)>> = HashMap::default();
    for (index, note) in proposal.notes.iter().enumerate() {
        let share = proposal.shares.get(index).copied().unwrap_or(1);
        notes.entry((note.message, note.block)).or_default().push((note, share));
    }
    for note in more {
        notes.entry((note.message, note.block)).or_default().push((note, 1));
    }
    // A message added earlier in this call has no origin, so the index of the message after it is used.
    let origin = |message: usize| {
        let mut rest = before.entries()[message..].iter();
        rest.find_map(|entry| entry.origin).unwrap_or(request.original.len())
    };
    let described = |message: usize, block: Option<usize>, was: usize, is: usize, fallback: &str| -> Vec<Change> {
        // If only the pinned blocks of a message stay, the others are removed for the message's reason.
        let notes = notes.get(&(message, block)).or_else(|| notes.get(&(message, None))).map_or(&[][..], Vec::as_slice);
        let change = |note: Option<&Note>, tokens_before, tokens_after| Change {
            id: String::new(),
            message_index: origin(message),
            block_index: block,
            operation: note.map_or(fallback, |note| note.operation).to_owned(),
            tokens_before,
            tokens_after,
            reason: note.map_or_else(String::new, |note| note.reason.to_string()),
            said: note.map(|note| note.reason.clone()),
            grade: note.and_then(|note| note.grade),
        };
        if notes.len() < 2 {
            return vec![change(notes.first().map(|(note, _)| *note), was, is)];
        }
        // The total saved is exact; each change begins where the one before ended.
        let all: usize = notes.iter().map(|(_, share)| share).sum::<usize>().max(1);
        let mut shares = 0;
        let mut from = was;
        notes
            .iter()
            .map(|(note, share)| {
                shares += share;
                let to = was - was.saturating_sub(is) * shares / all;
                let change = change(Some(note), from, to);
                from = to;
                change
            })
            .collect()
    };
    let mut seen = HashSet::default();
    let mut inserted = places.of_insert.iter();
    let mut changes: Vec<Change> = Vec::new();
    for edit in &plan.edits {
        match edit {
            Edit::Set { message, .. } => {
                let (Some((_, block)), Some(at)) = (edited(edit), places.of_message[*message]) else { continue };
                if seen.insert((*message, block)) {
                    let block_after = block.map(|block| places.of_block(*message, block));
                    let (was, is) = (tokens_at(&request.tally, *message, block), tokens_at(tally, at, block_after));
                    // The single block of a content that is a string.
                    let single = matches!(before.message(*message).content, Content::Text(_)).then_some(0);
                    changes.extend(described(*message, block.or(single), was, is, "replace"));
                }
            }
            Edit::Drop { message } => {
                if seen.insert((*message, None)) {
                    changes.extend(described(*message, None, request.tally.message(*message), 0, "drop"));
                }
            }
            Edit::Insert { before, .. } => {
                let tokens = inserted.next().map_or(0, |at| tally.message(*at));
                changes.extend(described(*before, None, 0, tokens, "insert"));
            }
            Edit::DropBlock { message, block } => {
                let was = tokens_at(&request.tally, *message, Some(*block));
                changes.extend(described(*message, Some(*block), was, 0, "drop"));
            }
            Edit::InsertBlock { message, before, .. } => {
                let at = places.of_message[*message].unwrap_or_default();
                let is = tokens_at(tally, at, Some(places.of_block(*message, *before).saturating_sub(1)));
                changes.extend(described(*message, Some(*before), 0, is, "insert"));
            }
        }
    }
    changes.sort_by_key(|change| (change.message_index, change.block_index));
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        cancel::Cancel,
        conversation::{Message, PathStep, Role},
        protect::ProtectRules,
        restore::decode,
        tokens::{Encoding, count},
        words::said,
    };

    /// Creates a conversation in which the user and the assistant alternate with these texts.
    fn conversation(texts: &[&str]) -> Conversation {
        let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
        let message = |(at, text): (usize, &&str)| json!({ "role": role(at), "content": text });
        Conversation::parse(&texts.iter().enumerate().map(message).collect::<Value>().to_string()).unwrap()
    }

    fn request(conversation: Conversation) -> Request {
        let tally = Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap();
        Request::new(conversation, tally)
    }

    /// Creates a proposal that sets the texts of these messages.
    fn setting(texts: &[(usize, &str)]) -> Proposal {
        let set =
            |(message, text): &(usize, &str)| Edit::set_text(*message, vec!["content".into()], (*text).to_owned());
        Proposal { plan: Plan { edits: texts.iter().map(set).collect() }, ..Proposal::default() }
    }

    fn settled(request: &Request, proposal: &Proposal) -> Settled {
        settle(request, "test", proposal).unwrap()
    }

    /// Returns the texts as stored.
    fn written(conversation: &Conversation) -> Vec<String> {
        conversation.texts().iter().flatten().map(|text| text.text.to_owned()).collect()
    }

    /// Returns the texts with pointers resolved.
    fn read(conversation: &Conversation) -> Vec<String> {
        decode(conversation).into_iter().flatten().collect()
    }

    /// A text that is always longer than `SHORT`.
    const LONG: &str = "Whoever reads this long text learns nothing from it, and would not miss it.";
    const SHORT: &str = "Nothing.";

    #[test]
    fn no_block_is_replaced_by_one_with_as_many_tokens() {
        let words = |word: &str, tokens: usize| {
            let text = vec![word; tokens].join(" ");
            assert_eq!(count(&text, Encoding::default()).tokens, tokens);
            text
        };
        let old = words("old", 20);
        for tokens in [1, 19, 20, 21, 22, 25, 30] {
            let request = request(conversation(&[LONG, &old]));
            let settled = settled(&request, &setting(&[(0, SHORT), (1, &words("new", tokens))]));
            let is_replaced = written(&settled.conversation)[1] != old;
            assert_eq!(is_replaced, tokens < 20, "{tokens} tokens in the place of 20");
            assert_eq!(settled.changes.len(), 1 + usize::from(is_replaced));
        }
    }

    #[test]
    fn what_gains_nothing_changes_nothing() {
        let request = request(conversation(&[SHORT, LONG, SHORT]));
        let insert = |text: &str| {
            let message = Message::new(Role::Assistant, Content::Text(text.to_owned()));
            Plan { edits: vec![Edit::Drop { message: 1 }, Edit::Insert { before: 1, value: message.into() }] }
        };
        let settle = |plan| settle(&request, "test", &Proposal { plan, ..Proposal::default() });
        assert!(matches!(settle(insert(LONG)), Err(CondenseError::ContextGrew { .. })));
        let settled = settle(insert(SHORT)).unwrap();
        assert_eq!(written(&settled.conversation), [SHORT; 3]);
        let told = |change: &Change| (change.operation.clone(), change.tokens_before > 0, change.tokens_after > 0);
        assert_eq!(
            settled.changes.iter().map(told).collect::<Vec<_>>(),
            [("drop".to_owned(), true, false), ("insert".to_owned(), false, true)]
        );
    }

    /// Blocks shift if others of their message are added or removed, and messages likewise.
    #[test]
    fn a_block_is_held_against_what_became_of_it() {
        let words = |word: &str, tokens: usize| vec![word; tokens].join(" ");
        let block = |text: &str| json!({ "type": "text", "text": text });
        let of = |texts: [&str; 3]| texts.map(block).to_vec();
        let messages = json!([
            { "role": "user", "content": of([LONG, &words("old", 20), SHORT]) },
            { "role": "assistant", "content": of([SHORT, &words("old", 30), LONG]) },
        ]);
        let request = request(Conversation::parse(&messages.to_string()).unwrap());
        let set = |message, block: usize, tokens| {
            let path = vec!["content".into(), PathStep::Index(block), "text".into()];
            Edit::set_text(message, path, words("new", tokens))
        };
        let value = serde_json::value::to_raw_value(&block(SHORT)).unwrap();
        let added = |role, text: &str| {
            let message = Message::new(role, Content::Text(text.to_owned()));
            Edit::Insert { before: 1, value: message.into() }
        };
        let edits = vec![
            Edit::DropBlock { message: 0, block: 0 },
            set(0, 1, 5),
            added(Role::Assistant, SHORT),
            added(Role::User, &words("new", 9)),
            Edit::InsertBlock { message: 1, before: 0, value },
            set(1, 1, 7),
            Edit::DropBlock { message: 1, block: 2 },
        ];
        let settled = settled(&request, &Proposal { plan: Plan { edits }, ..Proposal::default() });
        let (long, short) = (count(LONG, Encoding::default()).tokens, count(SHORT, Encoding::default()).tokens);
        let told =
            |change: &Change| (change.message_index, change.block_index, change.tokens_before, change.tokens_after);
        assert_eq!(
            settled.changes.iter().map(told).collect::<Vec<_>>(),
            [
                (0, Some(0), long, 0),
                (0, Some(1), 20, 5),
                (1, None, 0, short),
                (1, None, 0, 9),
                (1, Some(0), 0, short),
                (1, Some(1), 30, 7),
                (1, Some(2), long, 0)
            ]
        );
    }

    #[test]
    fn a_result_that_no_service_takes_is_refused() {
        let messages = json!([
            { "role": "user", "content": LONG },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "Read", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": LONG }] },
        ]);
        let request = request(Conversation::parse(&messages.to_string()).unwrap());
        let plan = Plan { edits: vec![Edit::Drop { message: 1 }] };
        let settled = settle(&request, "test", &Proposal { plan, ..Proposal::default() });
        assert!(matches!(settled, Err(CondenseError::BrokenResult { provider, .. }) if provider == "test"));
    }

    #[test]
    fn what_a_block_saved_is_shared_out_as_its_notes_say() {
        let request = request(conversation(&[&vec!["old"; 100].join(" "), "Well."]));
        let note =
            |operation| Note { message: 0, block: Some(0), operation, reason: said!("change.note"), grade: None };
        let saved = |shares: &[usize]| {
            let proposal = Proposal {
                notes: vec![note("one"), note("other")],
                shares: shares.to_vec(),
                ..setting(&[(0, &vec!["new"; 20].join(" "))])
            };
            let changes = settled(&request, &proposal).changes;
            changes.iter().map(|change| (change.tokens_before, change.tokens_after)).collect::<Vec<_>>()
        };
        assert_eq!(saved(&[30, 10]), [(100, 40), (40, 20)]);
        assert_eq!(saved(&[0, 10]), [(100, 100), (100, 20)]);
        assert_eq!(saved(&[]), [(100, 60), (60, 20)], "alike where nothing says how much");
    }

    /// Returns a line that differs from all others.
    fn line(name: &str) -> String {
        format!("const {name} = read(\"{name}\", settings);")
    }

    /// Returns a pointer to lines above; the first is [`line`].
    fn above(lines: usize, name: &str) -> String {
        format!("[{lines} lines as above from \"const {name} =\"]")
    }

    fn lines(names: &[&str]) -> String {
        names.iter().map(|name| line(name)).collect::<Vec<_>>().join("\n")
    }

    /// The provider checked its pointers together with a change that saves nothing, and so is undone. Pointers that
    /// depend on this change to resolve are undone with it, and so are pointers that depend on those.
    #[test]
    fn every_pointer_reads_as_it_was_planned_or_goes_when_a_change_is_taken_back() {
        let texts = [
            lines(&["alpha", "beta", "gamma", "delta"]),
            lines(&["alpha", "other"]),
            lines(&["alpha", "beta", "gamma", "other"]),
            lines(&["gamma", "delta", "epsilon"]),
            LONG.to_owned(),
        ];
        let request = request(conversation(&texts.each_ref().map(String::as_str)));
        let plan = [(1, &*lines(&["omega", "other"])), (2, &*above(2, "alpha")), (3, &*above(2, "gamma")), (4, SHORT)];
        let proposal = Proposal { pointers_checked: true, ..setting(&plan) };
        let result = settled(&request, &proposal).conversation;
        assert_eq!(written(&result), [&texts[..4], &[SHORT.to_owned()]].concat());
        // Without the change that saves nothing, the pointers are kept.
        let proposal = Proposal { pointers_checked: true, ..setting(&[&[(1, "Well.")], &plan[1..]].concat()) };
        let result = settled(&request, &proposal).conversation;
        assert_eq!(read(&result)[2..4], [lines(&["alpha", "beta"]), lines(&["gamma", "delta"])]);
    }

    /// A change must not alter the meaning of an unchanged text.
    #[test]
    fn a_pointer_in_a_text_that_nobody_changes_reads_as_it_did_when_a_change_is_taken_back() {
        let texts = [
            lines(&["alpha", "beta"]),
            lines(&["alpha", "gamma", "delta", "epsilon"]),
            "What it says.".to_owned(),
            above(2, "alpha"),
        ];
        let request = request(conversation(&texts.each_ref().map(String::as_str)));
        // To keep the pointer true, its lines would have to be written into another text, which would grow.
        let proposal = setting(&[(1, &*line("delta")), (2, &*lines(&["alpha", "gamma"]))]);
        let settled = settled(&request, &Proposal { pointers_checked: true, ..proposal });
        assert_eq!((written(&settled.conversation), settled.changes.len()), (texts.to_vec(), 0));
    }

    /// Returns the reported operation on each message.
    fn operations(settled: &Settled) -> Vec<(usize, &str)> {
        settled.changes.iter().map(|change| (change.message_index, change.operation.as_str())).collect()
    }

    /// Creates a condensed conversation whose pointers may be expanded, because the original texts were longer.
    fn condensed(texts: &[&str]) -> Request {
        let now = conversation(texts);
        let original: Vec<String> = read(&now).iter().map(|text| format!("{text}\n{LONG}")).collect();
        let original = conversation(&original.iter().map(String::as_str).collect::<Vec<_>>());
        Request { original, ..request(now) }
    }

    /// The lines that replace one pointer are nearer to another pointer than that pointer's own target.
    #[test]
    fn every_pointer_of_the_result_leads_to_the_lines_it_stood_for() {
        let first = format!("{}\n{}", lines(&["alpha", "beta", "gamma"]), [LONG; 9].join("\n"));
        let texts = [&*first, &lines(&["beta", "delta"]), &above(3, "alpha"), &above(2, "beta"), "Done."];
        let request = condensed(&texts);
        let settled = settled(&request, &setting(&[(0, SHORT)]));
        assert_eq!(written(&settled.conversation)[0], SHORT);
        assert_eq!(read(&settled.conversation)[1..], read(&request.conversation)[1..]);
        assert_eq!(operations(&settled), [(0, "replace"), (2, "pointers"), (3, "pointers")]);
    }

    #[test]
    fn a_pointer_that_a_provider_wrote_never_leads_to_lines_it_was_not_for() {
        let first = format!("{}\n{}", lines(&["alpha", "beta", "gamma"]), [LONG; 9].join("\n"));
        let texts = [&*first, &lines(&["beta", "delta"]), &above(3, "alpha"), &lines(&["beta", "delta"]), "Done."];
        let request = condensed(&texts);
        let note = Note { message: 3, block: Some(0), operation: "mine", reason: said!("change.note"), grade: None };
        let plan = setting(&[(0, SHORT), (3, &above(2, "beta"))]);
        let settled = settled(&request, &Proposal { notes: vec![note], ..plan });
        assert_eq!(operations(&settled), [(0, "replace"), (2, "pointers"), (3, "mine")], "told once");
        let read = read(&settled.conversation);
        assert_eq!(read[2], lines(&["alpha", "beta", "gamma"]));
        assert!([lines(&["beta", "delta"]), "[… 2 lines left out]".to_owned()].contains(&read[3]), "{}", read[3]);
    }

    /// Returns the texts of a conversation. If its first text is cut, two pointers lose their lines, and the cut saves
    /// enough tokens to expand one of them.
    fn two_pointers() -> [String; 5] {
        let first = format!("{}\n{LONG}", lines(&["alpha", "beta", "gamma"]));
        [first, above(3, "alpha"), "What it says.".to_owned(), above(3, "alpha"), "Done.".to_owned()]
    }

    const GAP: &str = "[… 3 lines left out]";

    #[test]
    fn lines_take_the_place_of_pointers_as_far_as_there_is_room() {
        let request = condensed(&two_pointers().each_ref().map(String::as_str));
        let plan = setting(&[(0, SHORT)]);
        let expected = [SHORT, GAP, "What it says.", &lines(&["alpha", "beta", "gamma"]), "Done."];
        let result = settled(&request, &plan);
        assert_eq!(written(&result.conversation), expected);
        assert!(result.tally.total() < request.tally.total());
        // With a target, pointers expand only up to that.
        let target_tokens = Some(result.tally.total() - 1);
        let result = settled(&Request { target_tokens, ..request }, &plan);
        assert_eq!(written(&result.conversation), [SHORT, GAP, "What it says.", GAP, "Done."]);
    }

    /// A second check would take as long as the provider's.
    #[test]
    fn a_provider_that_has_seen_to_its_pointers_is_believed() {
        let texts = two_pointers();
        let request = condensed(&texts.each_ref().map(String::as_str));
        let settled = settled(&request, &Proposal { pointers_checked: true, ..setting(&[(0, SHORT)]) });
        assert_eq!(written(&settled.conversation)[1..], texts[1..]);
    }

    /// A provider has checked its pointers together with a change of protected content, which is not made.
    #[test]
    fn pointers_are_looked_at_again_when_protected_content_stays() {
        let texts = [format!("{}\n{LONG}", lines(&["alpha", "gamma"])), lines(&["alpha", "beta"]), "Done.".to_owned()];
        let mut request = request(conversation(&texts.each_ref().map(String::as_str)));
        let plan = setting(&[(0, &*lines(&["alpha", "beta"])), (1, &*above(2, "alpha"))]);
        let proposal = Proposal { pointers_checked: true, ..plan };
        assert_eq!(written(&settled(&request, &proposal).conversation)[1], above(2, "alpha"));
        let rules = ProtectRules::in_config(&json!({ "protect": { "text": ["const gamma"] } }));
        assert_eq!(request.pin(&rules), []);
        let result = settled(&request, &proposal).conversation;
        assert_eq!(written(&result)[0], texts[0]);
        assert_ne!(read(&result)[1], lines(&["alpha", "gamma"]));
        assert!([&*texts[1], "[… 2 lines left out]"].contains(&&*read(&result)[1]), "{:?}", read(&result));
    }

    #[test]
    fn no_text_becomes_longer_than_it_was_before_anybody_condensed_it() {
        let request = request(conversation(&two_pointers().each_ref().map(String::as_str)));
        let result = settled(&request, &setting(&[(0, SHORT)])).conversation;
        assert_eq!(written(&result), [SHORT, GAP, "What it says.", GAP, "Done."]);
    }

    /// Lines whose heading no longer applies would get their numbers back. The pointers in other changes are still
    /// repaired.
    #[test]
    fn a_change_that_makes_a_text_longer_once_it_is_true_again_is_not_made() {
        let names = ["epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "sigma", "tau"];
        let numbered = format!("     1→[9 lines, every 10th numbered:]\n{}", lines(&names));
        let [first, pointer, ..] = two_pointers();
        let request = request(conversation(&[&first, &numbered, &pointer]));
        let cut = numbered.replace(&line("iota"), "const iota = …;");
        let result = settled(&request, &setting(&[(0, SHORT), (1, &cut)])).conversation;
        assert_eq!(written(&result), [SHORT, &numbered, GAP]);
    }

    /// The inserted block takes the index of the dropped one.
    #[test]
    fn a_block_put_in_the_place_of_another_is_reported_with_its_own_tokens() {
        let words = |word: &str, tokens: usize| vec![word; tokens].join(" ");
        let block = |text: &str| json!({ "type": "text", "text": text });
        let content = [block(&words("old", 40)), block(&words("old", 20)), block(LONG)];
        let messages = json!([{ "role": "user", "content": content }]);
        let request = request(Conversation::parse(&messages.to_string()).unwrap());
        let value = serde_json::value::to_raw_value(&block(&words("new", 7))).unwrap();
        let edits = vec![Edit::DropBlock { message: 0, block: 1 }, Edit::InsertBlock { message: 0, before: 1, value }];
        let settled = settled(&request, &Proposal { plan: Plan { edits }, ..Proposal::default() });
        let told = settled.changes.iter().map(|change| (change.block_index, change.tokens_before, change.tokens_after));
        assert_eq!(told.collect::<Vec<_>>(), [(Some(1), 20, 0), (Some(1), 0, 7)]);
    }

    /// A stub is superseded if each note on the read it refers to has a grade.
    #[test]
    fn a_stub_whose_read_goes_becomes_a_note_with_a_grade_from_the_notes_on_the_read() {
        let stub = "File unchanged since last read. The content from the earlier Read tool_result in this conversation \
                    is still current — refer to that instead of re-reading.";
        let file: String =
            (1..=40).map(|number| format!("{number:>6}\t{}\n", line(&format!("name_{number}")))).collect();
        let call =
            |id: &str| json!([{ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": "/a.ts" } }]);
        let result = |id: &str, text: &str| json!([{ "type": "tool_result", "tool_use_id": id, "content": text }]);
        let messages = json!([
            { "role": "user", "content": LONG },
            { "role": "assistant", "content": call("a") },
            { "role": "user", "content": result("a", &file) },
            { "role": "assistant", "content": call("b") },
            { "role": "user", "content": result("b", stub) },
            { "role": "assistant", "content": "Done." },
        ]);
        let request = request(Conversation::parse(&messages.to_string()).unwrap());
        let path = vec!["content".into(), PathStep::Index(0), "content".into()];
        let plan = Plan { edits: vec![Edit::set_text(2, path, SHORT.to_owned())] };
        let note =
            |message, grade| Note { message, block: Some(0), operation: "cut", reason: said!("change.note"), grade };
        let superseded = Some(Grade::Superseded);
        for (grades, expected) in [
            (&[][..], None),
            (&[Some(Grade::Inline)], superseded),
            (&[Some(Grade::Inline), superseded], superseded),
            (&[superseded, None], None),
        ] {
            let notes =
                [None].map(|grade| note(0, grade)).into_iter().chain(grades.iter().map(|grade| note(2, *grade)));
            let proposal = Proposal { plan: plan.clone(), notes: notes.collect(), ..Proposal::default() };
            let settled = settled(&request, &proposal);
            let text = written(&settled.conversation).into_iter().rev().nth(1).unwrap();
            assert!(text.starts_with("[Tool result"), "{text}");
            let of_stub = settled.changes.iter().find(|change| change.message_index == 4).unwrap();
            assert_eq!((of_stub.operation.as_str(), of_stub.grade), ("pointers", expected), "{grades:?}");
            assert_eq!(
                settled.tally.total(),
                Tally::count(&settled.conversation, Encoding::default(), &Cancel::new()).unwrap().total()
            );
        }
    }
}
