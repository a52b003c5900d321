//! Turns the messages that a custom provider returned into a plan by comparing them with the conversation. Halves of
//! tool rounds that the provider left out are put back.

use super::{
    edited::edited,
    pinned::with_bridges,
    proposal::{Note, Proposal},
    request::Request,
};
use crate::{
    cancel::Cancelled,
    conversation::{Block, Content, Conversation, Edit, Inserted, Message, Plan, Problem, Role, answers, calls},
    maps::{HashMap, HashSet},
    tokens::Tally,
    warning::{Warning, WarningCode},
    words::{Said, said},
};

/// A message that a custom provider returned.
pub enum Returned {
    /// The same object as the request's message with this index.
    Kept(usize),
    /// Another object.
    New(Inserted),
}

/// Returns the proposal that produces the messages `provider` returned. A message that moved is dropped and inserted
/// again.
///
/// # Errors
/// [`Cancelled`] if the caller aborted meanwhile.
pub fn proposal_of(request: &Request, provider: &str, returned: Vec<Returned>) -> Result<Proposal, Cancelled> {
    let before = &request.conversation;
    let mut work = Work { request, provider, proposal: Proposal::default() };
    let mut next = 0;
    let mut new = Vec::new();
    for message in returned {
        match message {
            Returned::New(value) => new.push(value),
            Returned::Kept(index) => {
                work.stretch(next..index, std::mem::take(&mut new))?;
                next = index + 1;
            }
        }
    }
    work.stretch(next..before.len(), new)?;
    let mut proposal = work.proposal;
    let back = complete(before, &mut proposal.plan);
    if let Some(first) = back.iter().min() {
        proposal.notes.retain(|note| !(note.block.is_none() && note.operation == DROP && back.contains(&note.message)));
        let said = said!("warning.pairsCompleted", provider: provider, count: back.len());
        let origin = before.entries()[*first].origin;
        proposal.warnings.push(Warning::new(WarningCode::PairsCompleted, said).at(origin));
    }
    Ok(proposal)
}

const REPLACE: &str = "replace";
const DROP: &str = "drop";
const INSERT: &str = "insert";

struct Work<'a> {
    request: &'a Request,
    provider: &'a str,
    proposal: Proposal,
}

impl Work<'_> {
    /// Compares the messages of `gap`, none of which came back as the same object, with the `new` messages in their
    /// place.
    fn stretch(&mut self, gap: std::ops::Range<usize>, new: Vec<Inserted>) -> Result<(), Cancelled> {
        let before = &self.request.conversation;
        let in_step = gap.len() == new.len();
        let mut at = gap.start;
        let mut dropped = 0;
        let end = gap.end;
        // Each message is compared with many, so hashes rule out most of them.
        let hashes: Vec<u64> = if new.is_empty() {
            Vec::new()
        } else {
            gap.clone().map(|index| before.message(index).content_hash()).collect()
        };
        // An added message goes before the next message that stays.
        let mut added = Vec::new();
        for (offset, value) in new.into_iter().enumerate() {
            let hash = value.message.content_hash();
            let is_it = |index: usize| {
                let message = before.message(index);
                (hashes[index - gap.start] == hash && is_equal(message, &value.message))
                    || is_changed(message, &value.message, in_step && index == gap.start + offset)
            };
            let Some(index) = (at..end).find(|index| is_it(*index)) else {
                added.push(value);
                continue;
            };
            added.drain(..).for_each(|value| self.insert(index, value, gap.len() - dropped));
            (at..index).for_each(|message| self.drop(message));
            dropped += index - at;
            at = index + 1;
            self.change(index, value)?;
        }
        added.into_iter().for_each(|value| self.insert(end, value, gap.len() - dropped));
        (at..end).for_each(|message| self.drop(message));
        Ok(())
    }

    fn drop(&mut self, message: usize) {
        self.proposal.plan.edits.push(Edit::Drop { message });
        self.note(message, None, DROP, said!("change.leftOutBy", provider: self.provider));
    }

    fn insert(&mut self, before: usize, value: Inserted, gap: usize) {
        self.proposal.plan.edits.push(Edit::Insert { before, value });
        // One reason covers all messages inserted before the same message.
        if self.proposal.notes.iter().any(|note| note.message == before && note.block.is_none()) {
            return;
        }
        let why = match gap {
            0 => said!("change.addedBy", provider: self.provider),
            _ => said!("change.addedWhere", provider: self.provider, count: gap),
        };
        self.note(before, None, INSERT, why);
    }

    /// Plans a message that came back with other content: edits of its texts if each got shorter, else a replacement
    /// of the message.
    fn change(&mut self, message: usize, value: Inserted) -> Result<(), Cancelled> {
        let was = self.request.conversation.message(message);
        let edits = Plan::of_message(message, was, &value.message);
        if edits.is_empty() {
            return Ok(());
        }
        let alone = Conversation::new(vec![(*value.message).clone()]);
        let tally = Tally::count(&alone, self.request.tally.encoding(), &self.request.cancel)?;
        let before = self.request.tally.blocks(message);
        let has_blocks = matches!(was.content, Content::Blocks(_));
        let mut changed: Vec<(usize, usize, usize)> = Vec::new();
        for edit in &edits {
            let block = edited(edit).and_then(|(_, block)| block).unwrap_or(0);
            let is_one_text = matches!(edit, Edit::Set { path, .. } if path.len() > 1 || !has_blocks);
            let (was, is) = (before.get(block), tally.blocks(0).get(block));
            match (was, is) {
                (Some(was), Some(is)) if is_one_text && is < was => changed.push((block, *was, *is)),
                _ => {
                    self.proposal
                        .plan
                        .edits
                        .extend([Edit::Drop { message }, Edit::Insert { before: message + 1, value }]);
                    self.note(message, None, REPLACE, said!("change.replaced", provider: self.provider));
                    return Ok(());
                }
            }
        }
        changed.dedup();
        for (block, was_tokens, is_tokens) in changed {
            let content = was.content.blocks().get(block).map_or_else(|| said!("content.words"), kind_of);
            let reason =
                said!("change.shortened", provider: self.provider, content: content, was: was_tokens, is: is_tokens);
            self.note(message, has_blocks.then_some(block), REPLACE, reason);
        }
        self.proposal.plan.edits.extend(edits);
        Ok(())
    }

    fn note(&mut self, message: usize, block: Option<usize>, operation: &'static str, reason: Said) {
        self.proposal.notes.push(Note { message, block, operation, reason, grade: None });
    }
}

fn kind_of(block: &Block) -> Said {
    match block {
        Block::ToolResult { .. } => said!("content.result"),
        Block::ToolUse { .. } => said!("content.parameters"),
        _ => said!("content.text"),
    }
}

/// Returns true if two messages are equal, including fields that this crate does not read.
fn is_equal(one: &Message, other: &Message) -> bool {
    is_alike(one, other) && serde_json::to_string(&one.content).ok() == serde_json::to_string(&other.content).ok()
}

fn is_alike(one: &Message, other: &Message) -> bool {
    let fields = |message: &Message| {
        let mut fields: Vec<_> = message.extra.iter().map(|(name, raw)| (name.clone(), raw.get().to_owned())).collect();
        fields.sort();
        fields
    };
    !one.is_unreadable() && !other.is_unreadable() && one.role == other.role && fields(one) == fields(other)
}

/// Returns true if `other` is `one` with other texts: they share calls or results, or, without any, the same place.
fn is_changed(one: &Message, other: &Message, in_place: bool) -> bool {
    if !is_alike(one, other) {
        return false;
    }
    match (&one.content, &other.content) {
        (Content::Text(_), Content::Text(_)) => in_place,
        (Content::Blocks(was), Content::Blocks(is)) => {
            let ids = |message| (calls(message), answers(message));
            let is_known = !calls(one).is_empty() || !answers(one).is_empty();
            (in_place || is_known)
                && ids(one) == ids(other)
                && was.len() == is.len()
                && was.iter().zip(is).all(|(was, is)| was.kind() == is.kind())
        }
        _ => false,
    }
}

/// Removes drops from a plan if other messages need the dropped message. It may be the other half of a tool round,
/// separate two messages of one role, or be the user message that has to come first. Returns the messages that are kept
/// for that reason.
fn complete(before: &Conversation, plan: &mut Plan) -> HashSet<usize> {
    let mut back = HashSet::default();
    let replaced = replaced(before, plan);
    let mut dropped: HashSet<usize> = plan
        .edits
        .iter()
        .filter_map(|edit| if let Edit::Drop { message } = edit { Some(*message) } else { None })
        .filter(|message| !replaced.contains(message))
        .collect();
    let given = plan.edits.clone();
    while let Ok(after) = before.apply(plan) {
        let problems = after.problems_since(before);
        if problems.is_empty() {
            return back;
        }
        let wanted = Wanted { before, after: &after, dropped: &dropped }.by(&problems);
        if wanted.is_empty() {
            // If an added message would follow or precede a kept message of its role, a short message separates them.
            let places = before.positions();
            let is_added = |at: usize| after.entries().get(at).is_some_and(|entry| !places.contains_key(&entry.id));
            let meets = |problem: &Problem| {
                let at = problem.message_index;
                problem.is_same_role() && at > 0 && is_added(at - 1) != is_added(at)
            };
            let bridged = problems.iter().all(meets).then(|| with_bridges(plan.clone(), before));
            let is_legal = |plan: &Plan| before.apply(plan).is_ok_and(|after| after.problems_since(before).is_empty());
            if let Some(bridged) = bridged.filter(is_legal) {
                *plan = bridged;
                return back;
            }
            break;
        }
        plan.edits.retain(|edit| !matches!(edit, Edit::Drop { message } if wanted.contains(message)));
        dropped.retain(|message| !wanted.contains(message));
        back.extend(wanted);
        // An added message is inserted before the restored messages: in the place of the message that it replaces, or
        // else not between a call and its result.
        for edit in &mut plan.edits {
            if let Edit::Insert { before: place, value } = edit {
                let is_its = |message: &usize| has_ids_of(&value.message, before.message(*message));
                let own = replaced.iter().copied().filter(is_its).min().map(|message| message + 1);
                *place = match own.filter(|own| (*own..*place).any(|message| back.contains(&message))) {
                    Some(own) => own,
                    None => before_all(&back, *place),
                };
            }
        }
    }
    // A plan that cannot be repaired remains as it was, and is refused later.
    plan.edits = given;
    HashSet::default()
}

/// Returns the first place before `place` and all messages of `back` directly before it.
fn before_all(back: &HashSet<usize>, place: usize) -> usize {
    (0..=place).rev().find(|place| place.checked_sub(1).is_none_or(|last| !back.contains(&last))).unwrap_or(place)
}

/// Returns true if a message contains a call or a result that also occurs in the other.
fn has_ids_of(one: &Message, other: &Message) -> bool {
    calls(one).iter().any(|id| calls(other).contains(id)) || answers(one).iter().any(|id| answers(other).contains(id))
}

/// Returns the dropped messages that an added message replaces, because it contains their calls or results.
fn replaced(before: &Conversation, plan: &Plan) -> HashSet<usize> {
    let added = plan.edits.iter().filter_map(|edit| match edit {
        Edit::Insert { value, .. } => Some(&*value.message),
        _ => None,
    });
    let (called, answered): (Vec<_>, Vec<_>) = added.map(|message| (calls(message), answers(message))).unzip();
    let (called, answered): (HashSet<&str>, HashSet<&str>) =
        (called.into_iter().flatten().collect(), answered.into_iter().flatten().collect());
    let is_replaced = |message: &usize| {
        let message = before.message(*message);
        calls(message).iter().any(|id| called.contains(id)) || answers(message).iter().any(|id| answered.contains(id))
    };
    let dropped =
        plan.edits.iter().filter_map(|edit| if let Edit::Drop { message } = edit { Some(*message) } else { None });
    dropped.filter(is_replaced).collect()
}

/// Finds dropped messages that would repair problems.
struct Wanted<'a> {
    before: &'a Conversation,
    after: &'a Conversation,
    dropped: &'a HashSet<usize>,
}

impl Wanted<'_> {
    /// Returns, for each problem, the dropped messages that would repair it.
    fn by(&self, problems: &[Problem]) -> HashSet<usize> {
        let places = self.before.positions();
        let place = |at: usize| self.after.entries().get(at).and_then(|entry| places.get(&entry.id)).copied();
        // The dropped messages by the ids of their calls and results.
        let mut halves: HashMap<&str, Vec<usize>> = HashMap::default();
        for message in self.dropped {
            let of = self.before.message(*message);
            calls(of).into_iter().chain(answers(of)).for_each(|id| halves.entry(id).or_default().push(*message));
        }
        let role_of = |message: &usize| &self.before.message(*message).role;
        let mut wanted = HashSet::default();
        for problem in problems {
            let at = problem.message_index;
            match problem.code {
                "orphan_tool_result" | "unanswered_tool_use" => {
                    let id = problem.tool_id.as_deref().unwrap_or_default();
                    wanted.extend(halves.get(id).into_iter().flatten().copied());
                }
                "first_not_user" => {
                    let end = place(at).unwrap_or(self.before.len());
                    let is_users = |message: &usize| self.dropped.contains(message) && *role_of(message) == Role::User;
                    wanted.extend((0..end).find(is_users));
                }
                "same_role_twice" if at.checked_sub(1).and_then(place).is_some() && place(at).is_some() => {
                    let end = (at..self.after.len()).find_map(place).unwrap_or(self.before.len());
                    let start = (0..at).rev().find_map(place).map_or(0, |before| before + 1);
                    let role = &self.after.message(at).role;
                    let is_other = |message: &usize| self.dropped.contains(message) && role_of(message) != role;
                    wanted.extend((start..end).rev().find(is_other));
                }
                _ => {}
            }
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        cancel::Cancel,
        providers::{Change, settle},
        tokens::Encoding,
    };

    fn conversation(messages: &Value) -> Conversation {
        Conversation::parse(&messages.to_string()).unwrap()
    }

    fn history(rounds: usize) -> Value {
        let mut messages = vec![json!({ "role": "user", "content": "Fix the parser, please.", "ts": 0 })];
        for round in 0..rounds {
            let id = format!("t{round}");
            messages.push(json!({ "role": "assistant", "ts": 2 * round + 1, "content": [
                { "type": "text", "text": format!("I look at file {round}, because it may be the one.") },
                { "type": "tool_use", "id": id, "name": "read_file", "input": { "path": format!("f{round}") } },
            ] }));
            messages.push(json!({ "role": "user", "ts": 2 * round + 2, "content": [
                { "type": "tool_result", "tool_use_id": id, "content": "a line of the file\n".repeat(9) },
            ] }));
        }
        json!(messages)
    }

    /// The result of a provider that returns `returned`, where numbers are indices of messages in the history.
    fn settled(history: &Value, returned: Vec<Value>) -> (Conversation, Vec<Change>, Proposal) {
        let before = conversation(history);
        let tally = Tally::count(&before, Encoding::default(), &Cancel::new()).unwrap();
        let request = Request::new(before, tally);
        let returned = returned.into_iter().map(|message| match message.as_u64() {
            Some(index) => Returned::Kept(usize::try_from(index).unwrap()),
            None => Returned::New(Message::read(&serde_json::value::to_raw_value(&message).unwrap()).into()),
        });
        let proposal = proposal_of(&request, "mine", returned.collect()).unwrap();
        let settled = settle(&request, "mine", &proposal).unwrap();
        (settled.conversation, settled.changes, proposal)
    }

    fn told(changes: &[Change]) -> Vec<(usize, Option<usize>, &str, &str)> {
        changes
            .iter()
            .map(|change| (change.message_index, change.block_index, change.operation.as_str(), change.reason.as_str()))
            .collect()
    }

    #[test]
    fn the_newest_messages_of_a_real_history_are_completed() {
        let history = history(9);
        for newest in 1..18_u64 {
            let returned = (19 - newest..19).map(Value::from).collect();
            let (after, _, proposal) = settled(&history, returned);
            assert_eq!(crate::conversation::problems(&after), [], "{newest}");
            assert_eq!(after.message(0).role, Role::User);
            let warning = &proposal.warnings[0];
            assert_eq!((&warning.code, proposal.warnings.len()), (&WarningCode::PairsCompleted, 1));
            assert!(after.len() as u64 <= newest + 2, "{newest}: {}", after.len());
        }
    }

    #[test]
    fn what_changed_is_found_by_comparing() {
        let mut messages = history(3);
        let whole = messages.clone();
        messages[2]["content"][0]["content"] = json!("cut");
        let returned = vec![json!(0), json!(1), messages[2].clone(), json!(3), messages[4].clone(), json!(5), json!(6)];
        let (after, changes, proposal) = settled(&whole, returned);
        let reason = "\"mine\" shortened a tool result from 54 to 1 tokens";
        assert_eq!(told(&changes), [(2, Some(0), "replace", reason)], "an equal copy is no change");
        assert_eq!(serde_json::to_value(&after).unwrap(), messages);
        assert_eq!(proposal.plan.edits.len(), 1);
    }

    #[test]
    fn what_was_left_out_and_added_has_a_reason() {
        let whole = history(3);
        let summary = json!({ "role": "assistant", "content": "In short: nothing." });
        let go_on = json!({ "role": "user", "content": "Go on." });
        let (after, changes, _) = settled(&whole, vec![json!(0), summary, go_on, json!(5), json!(6)]);
        let left_out = "\"mine\" left the message out";
        let added = "\"mine\" added it in place of 4 messages";
        assert_eq!(after.len(), 5);
        assert_eq!(
            told(&changes),
            [
                (1, None, "drop", left_out),
                (2, None, "drop", left_out),
                (3, None, "drop", left_out),
                (4, None, "drop", left_out),
                (5, None, "insert", added),
                (5, None, "insert", added),
            ]
        );
    }

    #[test]
    fn a_summary_in_a_tool_loop_stands_where_it_is_put() {
        let whole = history(9);
        for newest in 1..16_u64 {
            let summary = json!({ "role": "assistant", "content": "In short: nothing." });
            let returned = [json!(0), summary.clone()].into_iter().chain((19 - newest..19).map(Value::from)).collect();
            let (after, ..) = settled(&whole, returned);
            assert_eq!(crate::conversation::problems(&after), [], "{newest}");
            assert_eq!(serde_json::to_value(after.message(1)).unwrap(), summary);
            assert!(after.len() as u64 <= newest + 4, "{newest}: {}", after.len());
        }
    }

    #[test]
    fn a_message_that_grew_is_another_one() {
        let mut messages = history(6);
        let whole = messages.clone();
        messages[1]["content"][0]["text"] =
            json!("I look at all the files, one after the other, because any of them may be the one, and tell.");
        let (after, changes, _) = settled(&whole, vec![json!(0), messages[1].clone(), json!(2), json!(11), json!(12)]);
        assert_eq!(serde_json::to_value(after.message(1)).unwrap(), messages[1]);
        let operations: Vec<_> = changes.iter().map(|change| change.operation.as_str()).collect();
        assert_eq!(operations[0], "replace");
    }

    #[test]
    fn what_is_added_keeps_its_place_before_what_stays() {
        let history = history(4);
        let note = json!({ "role": "user", "content": "Mind the quotes." });
        let (asked, shortened) = (json!({ "role": "assistant", "content": "I do." }), |round: usize| {
            let mut message = history[2 * round + 2].clone();
            message["content"][0]["content"] = json!("a line of the file");
            message
        });
        let returned =
            vec![json!(0), json!(1), shortened(0), asked, note, history[5].clone(), shortened(2), json!(7), json!(8)];
        let expected: Vec<Value> = returned
            .iter()
            .map(|message| {
                message
                    .as_u64()
                    .map_or_else(|| message.clone(), |index| history[usize::try_from(index).unwrap()].clone())
            })
            .collect();
        let (after, _, _) = settled(&history, returned);
        assert_eq!(serde_json::to_value(&after).unwrap(), json!(expected));
    }

    #[test]
    fn a_call_that_was_left_out_comes_back_to_its_edited_answer() {
        let whole = history(5);
        for (dropped, edited) in [(1, 2), (3, 4), (2, 1), (4, 3), (9, 10)] {
            let mut messages = whole.clone();
            let longer = "It was edited, and is longer than what it was before. ".repeat(9);
            messages[edited]["content"].as_array_mut().unwrap().push(json!({ "type": "text", "text": longer }));
            // The whole has to become smaller as well.
            let returned: Vec<Value> = (0..11_usize)
                .filter(|at| *at != dropped && !(5..9).contains(at))
                .map(|at| if at == edited { messages[at].clone() } else { json!(at) })
                .collect();
            let (after, _, proposal) = settled(&whole, returned);
            assert_eq!(crate::conversation::problems(&after), [], "{dropped} {edited}");
            assert_eq!(proposal.warnings[0].code, WarningCode::PairsCompleted);
            let values: Vec<Value> = after.messages().map(|message| serde_json::to_value(message).unwrap()).collect();
            assert!(values.contains(&messages[edited]) && values.contains(&whole[dropped]), "{dropped} {edited}");
        }
    }

    #[test]
    fn what_cannot_be_mended_is_left_to_be_refused() {
        let whole = history(2);
        let mut other = whole[2].clone();
        other["content"][0]["tool_use_id"] = json!("other");
        let before = conversation(&whole);
        let tally = Tally::count(&before, Encoding::default(), &Cancel::new()).unwrap();
        let request = Request::new(before, tally);
        let other = Message::read(&serde_json::value::to_raw_value(&other).unwrap());
        let returned = vec![Returned::Kept(0), Returned::Kept(1), Returned::New(other.into())];
        let proposal = proposal_of(&request, "mine", returned).unwrap();
        assert!(settle(&request, "mine", &proposal).is_err());
    }
}
