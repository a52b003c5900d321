//! Selects the messages that a summary replaces.
//!
//! The result is `[first, summary, ...tail]`; results of calls in the first message stay with it. The result has to be
//! valid: roles alternate, and the tail contains no result of a removed call. The summary has the role that the first
//! message does not have (nearly always the assistant). So the tail should begin with the other role, the user:
//!
//! - The tail begins at the newest user message that keeps the wanted number, and at most [`LOOK_BACK`] more.
//! - If all the user's messages are tool results, there is no such message. The tail then begins with the assistant's
//!   call, and a short user message (the bridge) separates it from the summary.

use crate::{
    conversation::{Conversation, Role, answered},
    markers::is_summary,
    providers::CondenseError,
};

/// Up to this many messages more than wanted are kept to avoid a bridge.
const LOOK_BACK: usize = 2;

/// The messages to summarise, and those to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SummaryRange {
    /// The newest earlier summary, which covers all messages before it.
    pub earlier: Option<usize>,
    /// Number of messages kept at the beginning.
    pub head: usize,
    /// The first message of the kept tail.
    pub start: usize,
    /// The role of the summary.
    pub role: Role,
    /// True if a message in the other role is needed between summary and tail.
    pub bridge: bool,
}

/// Selects the messages to summarise so that at least the newest `keep` messages are kept.
///
/// # Errors
/// [`CondenseError::NotEnoughMessages`], [`CondenseError::CondensedRecently`] and
/// [`CondenseError::SummarizedByThisCall`].
pub(super) fn select(conversation: &Conversation, keep: usize) -> Result<SummaryRange, CondenseError> {
    let messages = conversation.len();
    let head = conversation.head();
    let not_enough = || CondenseError::NotEnoughMessages { messages, needed: keep + head + 1 };
    let wanted = messages.checked_sub(keep).filter(|start| *start > head).ok_or_else(not_enough)?;
    let earlier = (0..messages).rev().find(|index| is_summary(conversation.message(*index)));
    // A message that this call added has no origin.
    let is_own = earlier.is_some_and(|summary| conversation.entries()[summary].origin.is_none());
    let nothing_new = if is_own { CondenseError::SummarizedByThisCall } else { CondenseError::CondensedRecently };
    if earlier.is_some_and(|summary| summary >= wanted) {
        return Err(nothing_new);
    }
    let role = match conversation.message(head - 1).role {
        Role::Assistant => Role::User,
        _ => Role::Assistant,
    };
    let (start, bridge) = tail(conversation, head, wanted, &role).ok_or_else(not_enough)?;
    match earlier {
        // The first message may be a summary itself.
        Some(summary) if start <= summary + 1 + head => Err(nothing_new),
        None if start <= head => Err(not_enough()),
        _ => Ok(SummaryRange { earlier, head, start, role, bridge }),
    }
}

fn tail(conversation: &Conversation, head: usize, wanted: usize, summary: &Role) -> Option<(usize, bool)> {
    let other = if *summary == Role::Assistant { Role::User } else { Role::Assistant };
    let answered = answered(conversation);
    let fits = |index: &usize| conversation.message(*index).role == other && answered[*index].is_none();
    if let Some(start) = (wanted.saturating_sub(LOOK_BACK).max(head)..=wanted).rev().find(fits) {
        return Some((start, false));
    }
    let same = |index: &usize| conversation.message(*index).role == *summary && answered[*index].is_none();
    let bridged = (head..=wanted).rev().find(same).map(|start| (start, true));
    bridged.or_else(|| (head..=wanted).rev().find(fits).map(|start| (start, false)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{Edit, Plan};

    /// `u` user, `a` assistant, `c` assistant calling a tool, `r` its result, `S` a summary.
    fn conversation(shape: &str) -> Conversation {
        let messages: Vec<String> = shape
            .chars()
            .enumerate()
            .map(|(index, kind)| match kind {
                'u' => r#"{"role":"user","content":"words"}"#.to_owned(),
                'a' => r#"{"role":"assistant","content":"words"}"#.to_owned(),
                'S' => r#"{"role":"assistant","content":"words","isSummary":true}"#.to_owned(),
                'c' => format!(r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t{index}","name":"read","input":{{}}}}]}}"#),
                _ => format!(r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{}","content":"x"}}]}}"#, index - 1),
            })
            .collect();
        Conversation::parse(&format!("[{}]", messages.join(","))).unwrap()
    }

    fn start(shape: &str) -> Result<(usize, bool), &'static str> {
        select(&conversation(shape), 3).map(|found| (found.start, found.bridge)).map_err(|error| error.code())
    }

    #[test]
    fn the_tail_begins_with_words_of_the_user_where_it_can() {
        assert_eq!(start("uauauau"), Ok((4, false)));
        assert_eq!(start("uauauaua"), Ok((4, false)), "one more is kept, so that roles alternate");
        assert_eq!(start("uauaucru"), Ok((4, false)));
    }

    #[test]
    fn among_tool_calls_it_begins_with_a_call() {
        assert_eq!(start("ucrcrcrcr"), Ok((5, true)));
        assert_eq!(start("ucrcrcrc"), Ok((5, true)));
    }

    #[test]
    fn answers_in_messages_of_their_own_stay_with_their_call() {
        let result = |id: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "x" }] });
        let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "read", "input": {} });
        let mut messages = vec![json!({ "role": "user", "content": "words" })];
        for round in ["a", "b", "c", "d"] {
            let (one, other) = (format!("{round}1"), format!("{round}2"));
            messages.push(json!({ "role": "assistant", "content": [call(&one), call(&other)] }));
            messages.extend([result(&one), result(&other)]);
        }
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        for (keep, start) in [(1, 10), (3, 10), (4, 7), (5, 7), (6, 7), (7, 4)] {
            let found = select(&conversation, keep).unwrap();
            assert_eq!((found.start, found.bridge), (start, true), "{keep}");
        }
    }

    #[test]
    fn refusals() {
        for short in ["", "u", "uau", "uaua"] {
            assert_eq!(start(short), Err("not_enough_messages"), "{short}");
        }
        assert_eq!(start("uauau"), Ok((2, false)), "one message between is enough");
        assert_eq!(start("ucrcr"), Err("not_enough_messages"), "the tail begins with the first call");
        assert_eq!(start("uauauS"), Err("condensed_recently"));
        assert_eq!(start("uSuau"), Err("condensed_recently"));
        assert_eq!(start("uSuaua"), Err("condensed_recently"));
        assert_eq!(start("uSuauau"), Ok((4, false)));
    }

    #[test]
    fn a_summary_of_this_call_is_not_told_as_an_earlier_one() {
        let before = conversation("uauauau");
        let summary = conversation("S").message(0).clone();
        let edits =
            (1..5).map(|message| Edit::Drop { message }).chain([Edit::Insert { before: 1, value: summary.into() }]);
        let after = before.apply(&Plan { edits: edits.collect() }).unwrap();
        let error = select(&after, 2).unwrap_err();
        assert_eq!(error.code(), "not_enough_messages");
        assert!(error.to_string().contains("this call"), "{error}");
    }

    #[test]
    fn answers_stay_with_the_calls_of_the_first_message() {
        let shape = conversation("crcrcrcrcr");
        let found = select(&shape, 3).unwrap();
        assert_eq!((found.head, found.start, found.role), (2, 6, Role::Assistant));
    }

    #[test]
    fn what_is_not_legal_is_no_reason_to_fail() {
        assert_eq!(start("uuuuuuu"), Ok((4, false)));
        assert_eq!(start("uaaaaaaa"), Ok((5, true)));
        assert_eq!(select(&conversation("auauauau"), 3).unwrap().role, Role::User);
    }
}
