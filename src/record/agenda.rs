//! What is to be done, and how far it is: the newest list of things to do, whichever way an agent keeps one.
//!
//! Four ways are known: a call with the whole list (`todo`), calls that add or change one item (`item`), a list that goes along in the calls of other
//! tools (`task_progress`), and the list in an earlier record.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::Value;

use super::{
    facts::{Fact, ItemState, beginning},
    input::{Input, inside},
    recorded::{Recorded, message_of},
};
use crate::{
    conversation::{Block, Content, Conversation, Role},
    transcript::{Action, CallOutcome, Event, Meaning, ParameterRole, ToolTable, Transcript},
};

/// Of an item: it is to be told word for word.
const ITEM: usize = 1000;

/// The names of parameters that hold a list which goes along, and how they are found.
static PROGRESS: LazyLock<Vec<(&str, Finder<'_>)>> =
    LazyLock::new(|| ParameterRole::Todos.common_names().iter().map(|name| (*name, Finder::new(name))).collect());

/// The items of the newest list, which may be that of an earlier record.
pub fn agenda(
    conversation: &Conversation,
    transcript: &Transcript<'_>,
    tools: &ToolTable,
    recorded: Vec<Recorded>,
) -> Vec<Fact> {
    let lists = [newest_list(conversation, transcript), newest_progress(conversation, tools)];
    let newest = lists.into_iter().flatten().max_by_key(|(message, _)| *message);
    let is_item = |event: &&Event| tools.meaning(&event.tool) == Meaning::Item && event.outcome == CallOutcome::Ok;
    let items: Vec<&Event> = transcript.events.iter().filter(is_item).collect();
    let told = recorded.last().map(|recorded| recorded.message);
    let last = items.last().map(|event| message_of(event, transcript)).max(told);
    match newest {
        Some((message, list)) if last.is_none_or(|last| last < message) => list,
        _ => with_items(recorded, &items, conversation, transcript),
    }
}

type Listed = (usize, Vec<Fact>);

/// The newest call with a whole list, and its message.
fn newest_list(conversation: &Conversation, transcript: &Transcript<'_>) -> Option<Listed> {
    let lists =
        transcript.events.iter().rev().filter(|event| event.action == Action::Todo && event.outcome == CallOutcome::Ok);
    let items = |event: &Event| {
        let call = event.call.as_ref()?;
        let items = match conversation.message(call.message).content.blocks().get(call.block) {
            Some(Block::ToolUse { input, .. }) => {
                let input = serde_json::from_str(input.get()).ok()?;
                if is_cleared(&input) {
                    return Some((call.message, Vec::new()));
                }
                items_in(&input)
            }
            _ => items_of_text(transcript.text(call.place.as_ref()?)),
        };
        (!items.is_empty()).then_some((call.message, items))
    };
    lists.take(8).find_map(items)
}

/// The newest list that goes along in a call of another tool, and its message.
fn newest_progress(conversation: &Conversation, tools: &ToolTable) -> Option<Listed> {
    let in_text = |text: &str| {
        let mut lists = PROGRESS.iter().filter(|(_, finder)| finder.find(text.as_bytes()).is_some());
        lists.find_map(|(name, _)| inside(text, name).map(items_of_text).filter(|items| !items.is_empty()))
    };
    let in_block = |block: &Block| match block {
        Block::Text { text, .. } => in_text(text),
        Block::ToolUse { name, input, .. } => {
            let json = input.get();
            if !PROGRESS.iter().any(|(_, finder)| finder.find(json.as_bytes()).is_some())
                || matches!(tools.meaning(name), Meaning::Todo | Meaning::Item)
            {
                return None;
            }
            let object: Value = serde_json::from_str(json).ok()?;
            let lists = PROGRESS.iter().filter_map(|(name, _)| object.get(*name)?.as_str());
            lists.map(items_of_text).find(|items| !items.is_empty())
        }
        _ => None,
    };
    let messages = (0..conversation.len()).rev().map(|index| (index, conversation.message(index)));
    let mut lists = messages.filter(|(_, message)| message.role == Role::Assistant).filter_map(|(index, message)| {
        let items = match &message.content {
            Content::Text(text) => in_text(text),
            content => content.blocks().iter().rev().find_map(in_block),
        };
        items.map(|items| (index, items))
    });
    lists.next()
}

/// A list after items were added to it and changed. Their numbers stand before what they say, so that later changes find them in a record too. What a
/// record tells of an item is newer than the changes before it that still stand.
fn with_items(
    recorded: Vec<Recorded>,
    events: &[&Event],
    conversation: &Conversation,
    transcript: &Transcript<'_>,
) -> Vec<Fact> {
    let numbered = |item: &str| {
        let (id, text) = item.strip_prefix('#')?.split_once(' ')?;
        Some((id.to_owned(), text.to_owned()))
    };
    // A list without numbers is told as a whole, and nothing changes single items of it: it stands until newer items are made.
    let is_numbered = |recorded: &Recorded| matches!(&recorded.fact, Fact::Plan { item, .. } if item.starts_with('#'));
    let is_newest = events.last().is_none_or(|event| {
        let message = message_of(event, transcript);
        recorded.last().is_some_and(|recorded| message <= recorded.message)
    });
    if events.is_empty() || (is_newest && !recorded.iter().any(is_numbered)) {
        return recorded.into_iter().map(|recorded| recorded.fact).collect();
    }
    let mut items: Vec<(String, String, Option<ItemState>)> = Vec::new();
    let mut told = recorded.into_iter().peekable();
    let tell = |items: &mut Vec<(String, String, Option<ItemState>)>, fact: Fact| {
        let Fact::Plan { item, state, .. } = fact else { return };
        let Some((id, text)) = numbered(&item) else { return };
        match items.iter_mut().find(|(known, ..)| *known == id) {
            Some(known) => (known.1, known.2) = (text, state),
            None => items.push((id, text, state)),
        }
    };
    for event in events {
        let message = message_of(event, transcript);
        while let Some(recorded) = told.next_if(|recorded| recorded.message < message) {
            tell(&mut items, recorded.fact);
        }
        let Some(input) = Input::of(event, conversation, transcript) else { continue };
        let given = |names: &[&str]| input.text(names.iter().copied());
        let text = given(&["subject", "title", "content", "text", "step"]).map(|text| beginning(&text, ITEM));
        let status = given(&["status", "state"]);
        let state = status.as_deref().and_then(state_of);
        match given(&["taskId", "task_id", "id"]) {
            Some(id) if status.as_deref() == Some("deleted") => items.retain(|(known, ..)| *known != id),
            Some(id) => {
                if let Some(known) = items.iter_mut().find(|(known, ..)| *known == id) {
                    known.1 = text.unwrap_or_else(|| std::mem::take(&mut known.1));
                    known.2 = state.or(known.2);
                }
            }
            None => {
                let answer = event.answers.iter().map(|place| transcript.text(place)).collect::<String>();
                let id = number_in(&answer).unwrap_or_else(|| (items.len() + 1).to_string());
                // A list is told as a whole, so a record may know an item already that was made among the messages behind it.
                if !items.iter().any(|(known, ..)| *known == id) {
                    items.extend(text.map(|text| (id, text, Some(state.unwrap_or(ItemState::Open)))));
                }
            }
        }
    }
    told.for_each(|recorded| tell(&mut items, recorded.fact));
    items
        .into_iter()
        .map(|(id, text, state)| Fact::Plan { item: format!("#{id} {text}"), state, is_older: false })
        .collect()
}

/// The number that an answer gives to a new item: the first behind `#`.
fn number_in(answer: &str) -> Option<String> {
    let digits: String = answer.split_once('#')?.1.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// Whether a call says that there is nothing to do any more: all it has is an empty list.
fn is_cleared(input: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Array(items) => Some(items.is_empty()),
        Value::String(text) => Some(matches!(text.trim(), "" | "[]")),
        _ => None,
    };
    let mut lists = input.as_object().into_iter().flat_map(|object| object.values()).filter_map(is_empty).peekable();
    lists.peek().is_some() && lists.all(|is_empty| is_empty)
}

/// The items of a call's input: in the first list of objects with a text, or of lines with boxes in a text.
fn items_in(input: &Value) -> Vec<Fact> {
    let fields = input.as_object().into_iter().flat_map(|object| object.values());
    let lists = fields.map(|value| match value {
        Value::Array(items) => items.iter().filter_map(item).collect(),
        Value::String(text) => items_of_text(text),
        _ => Vec::new(),
    });
    lists.into_iter().find(|items| !items.is_empty()).unwrap_or_default()
}

fn item(value: &Value) -> Option<Fact> {
    let text =
        ["content", "step", "text", "title", "subject"].into_iter().find_map(|name| value.get(name)?.as_str())?;
    let state = value.get("status").or_else(|| value.get("state")).and_then(Value::as_str).and_then(state_of);
    Some(Fact::Plan { item: beginning(text, ITEM), state, is_older: false })
}

fn state_of(word: &str) -> Option<ItemState> {
    match word {
        "completed" | "done" | "complete" => Some(ItemState::Done),
        "in_progress" | "in progress" | "doing" | "active" => Some(ItemState::UnderWay),
        "pending" | "open" | "todo" | "not_started" => Some(ItemState::Open),
        _ => None,
    }
}

/// `[x] done`, `- [ ] open`, `[-] under way`.
fn items_of_text(text: &str) -> Vec<Fact> {
    let item = |line: &str| {
        let rest = line.trim().trim_start_matches(['-', '*']).trim_start().strip_prefix('[')?;
        let (mark, item) = rest.split_once(']')?;
        let state = match mark {
            "x" | "X" => ItemState::Done,
            "-" | "~" | ">" => ItemState::UnderWay,
            "" | " " => ItemState::Open,
            _ => return None,
        };
        let item = beginning(item, ITEM);
        (!item.is_empty()).then_some(Fact::Plan { item, state: Some(state), is_older: false })
    };
    text.lines().filter_map(item).collect()
}
