//! The rules that make a conversation valid for the Anthropic Messages API.

use crate::maps::{HashMap, HashSet};
use std::hash::Hash;

use serde::Serialize;

use super::{Block, Content, Conversation, Message, Role};

/// A violation of the shape that the Anthropic Messages API accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Index of the message.
    pub message_index: usize,
    /// Index of the block, if the problem is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_index: Option<usize>,
    /// The problem as a fixed word.
    #[cfg_attr(test, ts(type = "ProblemCode"))]
    pub code: &'static str,
    /// The problem for people.
    pub message: String,
    /// The id of the call, where calls and results do not pair up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
}

/// The role with which a host instructs the model in the middle of a conversation.
const SYSTEM: &str = "system";

/// The code for a system message where the service does not accept one.
const MISPLACED_SYSTEM: &str = "misplaced_system";

/// The code for two adjacent messages of one role.
const SAME_ROLE: &str = "same_role_twice";

impl Problem {
    /// Returns true if two messages of one role are adjacent.
    pub fn is_same_role(&self) -> bool {
        self.code == SAME_ROLE
    }

    /// Returns the path of the message or block.
    pub fn place(&self) -> String {
        let block = self.block_index.map(|block| format!(".content[{block}]")).unwrap_or_default();
        format!("messages[{}]{block}", self.message_index)
    }

    /// Returns the identity of a problem. One about a call or a system message is the same wherever it is reported,
    /// because only the next message reveals it.
    fn identity<P>(&self, place: P) -> (&'static str, Option<String>, Option<P>) {
        let is_of_place = self.tool_id.is_none() && self.code != MISPLACED_SYSTEM;
        (self.code, self.tool_id.clone(), is_of_place.then_some(place))
    }
}

/// Returns every problem, in order. Calls in the last message may be unanswered, because an agent may condense
/// between a call and its result.
pub fn problems(conversation: &Conversation) -> Vec<Problem> {
    let answered = answered(conversation);
    let mut found = Vec::new();
    let mut previous: Option<&Message> = None;
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in conversation.messages().enumerate() {
        let (of, next) = (answered[index], answered.get(index + 1).copied().flatten());
        let goes_on = of.is_some() && previous.is_some_and(|previous| previous.role == Role::User);
        if !goes_on {
            open = previous.map_or_else(Vec::new, calls);
        }
        let mut report = Report { index, found: &mut found };
        // The API merges adjacent messages of one role.
        report.message(message, previous, goes_on);
        report.blocks(message, &mut open);
        if of.is_none() || next != of {
            report.unanswered(&open);
        }
        previous = Some(message);
    }
    found
}

/// Returns, for each message, the message whose calls it answers. That is the user's message directly after the
/// calls, and further ones that continue to answer, if several tools answer in their own messages.
pub fn answered(conversation: &Conversation) -> Vec<Option<usize>> {
    let mut of = None;
    let mut open: HashSet<&str> = HashSet::default();
    let answered = conversation.messages().enumerate().map(|(index, message)| {
        if message.role != Role::User {
            open = calls(message).into_iter().collect();
            of = Some(index);
            return None;
        }
        let before = open.len();
        if before > 0 {
            answers(message).iter().for_each(|id| {
                open.remove(id);
            });
        }
        if open.len() == before {
            open.clear();
            return None;
        }
        of
    });
    answered.collect()
}

/// Returns every problem that `message` would have at `index`, directly after `previous` or as the first one;
/// problems depend on nothing else.
pub fn problems_after(previous: Option<&Message>, index: usize, message: &Message) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut report = Report { index, found: &mut found };
    report.message(message, previous, false);
    let mut open = previous.map_or_else(Vec::new, calls);
    report.blocks(message, &mut open);
    report.unanswered(&open);
    found
}

/// Returns the problems in `found` that are not in `known`: each known one accounts for one with the same code at the
/// same place. So an existing problem may stay or disappear, but never be exchanged for another. Each place
/// identifies a message in a form that has the same meaning for both.
pub fn new_problems<P: Eq + Hash>(
    known: impl IntoIterator<Item = (P, Problem)>,
    found: impl IntoIterator<Item = (P, Problem)>,
) -> Vec<Problem> {
    let mut left: HashMap<_, usize> = HashMap::default();
    for (place, problem) in known {
        *left.entry(problem.identity(place)).or_default() += 1;
    }
    let mut account_for = |place, problem: &Problem| {
        left.get_mut(&problem.identity(place)).filter(|left| **left > 0).map(|left| *left -= 1)
    };
    found.into_iter().filter_map(|(place, problem)| account_for(place, &problem).is_none().then_some(problem)).collect()
}

/// Returns true if a text is white space only, as JavaScript's `trim` defines it, because hosts and the API check
/// with that.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| (c.is_whitespace() && c != '\u{85}') || c == '\u{FEFF}')
}

/// Returns the ids of the calls that the next message has to answer.
pub fn calls(message: &Message) -> Vec<&str> {
    if message.role != Role::Assistant {
        return Vec::new();
    }
    let ids = message.content.blocks().iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(id.as_str()),
        _ => None,
    });
    ids.collect()
}

/// Returns the ids of the calls that this message answers.
pub fn answers(message: &Message) -> Vec<&str> {
    let ids = message.content.blocks().iter().filter_map(|block| match block {
        Block::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
        _ => None,
    });
    ids.collect()
}

fn is_system(message: &Message) -> bool {
    matches!(&message.role, Role::Other(role) if role == SYSTEM)
}

fn may_be_followed_by_system(message: &Message) -> bool {
    is_system(message) || message.role == Role::User || ends_in_server_tool(message)
}

/// Returns true if a message ends with a call that the service itself made, or with its result.
fn ends_in_server_tool(message: &Message) -> bool {
    let is_of_service = |kind: &str| kind == "server_tool_use" || kind.ends_with("_tool_result");
    matches!(message.content.blocks().last(), Some(Block::Other { kind, .. }) if is_of_service(kind))
}

struct Report<'a> {
    index: usize,
    found: &'a mut Vec<Problem>,
}

impl Report<'_> {
    fn add(&mut self, block_index: Option<usize>, code: &'static str, message: impl Into<String>) {
        self.push(None, block_index, code, message.into());
    }

    fn add_about(&mut self, tool_id: &str, block_index: Option<usize>, code: &'static str, message: String) {
        self.push(Some(tool_id.to_owned()), block_index, code, message);
    }

    fn push(&mut self, tool_id: Option<String>, block_index: Option<usize>, code: &'static str, message: String) {
        self.found.push(Problem { message_index: self.index, block_index, code, message, tool_id });
    }

    fn message(&mut self, message: &Message, previous: Option<&Message>, goes_on: bool) {
        if message.is_unreadable() {
            return self.add(None, "not_a_message", "is not an object with a role");
        }
        self.role(message, previous);
        match previous {
            None if message.role != Role::User => {
                self.add(None, "first_not_user", "the first message is not the user's");
            }
            Some(previous) if previous.role == message.role && !goes_on => {
                self.add(None, SAME_ROLE, "has the same role as the message before");
            }
            _ => {}
        }
        match &message.content {
            Content::Text(text) if is_blank(text) => self.add(None, "empty_content", "content is blank"),
            Content::Blocks(blocks) if blocks.is_empty() => self.add(None, "empty_content", "content has no blocks"),
            Content::Other(_) | Content::Missing => {
                self.add(None, "empty_content", "content is neither a string nor an array of blocks");
            }
            _ => {}
        }
    }

    /// Checks the role. A system message is accepted only between a user's and an assistant's message. Source:
    /// <https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>.
    fn role(&mut self, message: &Message, previous: Option<&Message>) {
        match (&message.role, previous) {
            (Role::Other(role), None) if role == SYSTEM => self.add(
                None,
                "unknown_role",
                "role is \"system\" in the first message; the Messages API takes the prompt as `system`, beside the messages",
            ),
            (Role::Other(role), Some(previous)) if role == SYSTEM && !may_be_followed_by_system(previous) => {
                self.add(None, MISPLACED_SYSTEM, "a message of the system that is not behind one of the user");
            }
            (Role::Other(role), Some(_)) if role == SYSTEM => {}
            (Role::Other(role), _) => {
                let text = format!("role is {role:?}; allowed: \"user\", \"assistant\", and \"system\" behind a user's message");
                self.add(None, "unknown_role", text);
            }
            // The system prompt in the first message is followed by the user.
            (role, Some(previous)) if is_system(previous) && *role != Role::Assistant && self.index > 1 => {
                self.add(None, MISPLACED_SYSTEM, "behind a message of the system comes one of the assistant, or none");
            }
            _ => {}
        }
    }

    /// Checks the blocks, and removes the calls that they answer from `open`.
    fn blocks(&mut self, message: &Message, open: &mut Vec<&str>) {
        let open_ids: HashSet<&str> = open.iter().copied().collect();
        let mut answered = HashSet::default();
        for (index, block) in message.content.blocks().iter().enumerate() {
            let at = Some(index);
            match block {
                Block::Text { text, .. } if is_blank(text) => self.add(at, "empty_text", "text block is blank"),
                Block::ToolUse { id, name, input, .. } => {
                    if message.role != Role::Assistant {
                        self.add(at, "misplaced_tool_use", "tool_use in a message that is not the assistant's");
                    }
                    if !input.get().starts_with('{') {
                        self.add(at, "invalid_tool_input", "tool_use.input is not an object");
                    }
                    if id.is_empty() || name.is_empty() {
                        self.add(at, "unnamed_tool_use", "tool_use without id or name");
                    }
                }
                Block::ToolResult { tool_use_id, .. } => {
                    if message.role != Role::User {
                        self.add(at, "misplaced_tool_result", "tool_result in a message that is not the user's");
                    }
                    if !open_ids.contains(tool_use_id.as_str()) {
                        let text = format!("tool_result {tool_use_id:?} answers nothing in the message before");
                        self.add_about(tool_use_id, at, "orphan_tool_result", text);
                    }
                    if !answered.insert(tool_use_id.as_str()) {
                        let text = format!("tool_result {tool_use_id:?} stands twice");
                        self.add_about(tool_use_id, at, "repeated_tool_result", text);
                    }
                }
                Block::Other { kind, .. } if matches!(kind.as_str(), "text" | "tool_use" | "tool_result" | "") => {
                    self.add(at, "unreadable_block", format!("block of type {kind:?} lacks a field of its type"));
                }
                _ => {}
            }
        }
        open.retain(|id| !answered.contains(id));
    }

    /// Reports the calls that nothing answers; `open` has their ids.
    fn unanswered(&mut self, open: &[&str]) {
        let mut missing = HashSet::default();
        for id in open {
            if missing.insert(*id) {
                let text = format!("tool_use {id:?} of the message before has no tool_result");
                self.add_about(id, None, "unanswered_tool_use", text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `u` user, `a` assistant, `s` system, `d` developer, `t` assistant message that ends with a service's tool.
    fn conversation(shape: &str) -> Conversation {
        let message = |who| match who {
            'u' => r#"{"role":"user","content":"words"}"#,
            'a' => r#"{"role":"assistant","content":"words"}"#,
            's' => r#"{"role":"system","content":"words"}"#,
            'd' => r#"{"role":"developer","content":"words"}"#,
            _ => r#"{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"x","content":[]}]}"#,
        };
        Conversation::parse(&format!("[{}]", shape.chars().map(message).collect::<Vec<_>>().join(","))).unwrap()
    }

    fn told(shape: &str) -> Vec<(&'static str, usize)> {
        problems(&conversation(shape)).into_iter().map(|problem| (problem.code, problem.message_index)).collect()
    }

    #[test]
    fn the_system_speaks_between_the_user_and_the_assistant() {
        for legal in ["usaus", "usauau", "uts", "us"] {
            assert_eq!(told(legal), [], "{legal}");
        }
        assert_eq!(told("uas"), [("misplaced_system", 2)]);
        assert_eq!(told("usu"), [("misplaced_system", 2)]);
        assert_eq!(told("ussa"), [("same_role_twice", 2)]);
        assert_eq!(told("ud"), [("unknown_role", 1)]);
        assert_eq!(told("sua"), [("unknown_role", 0), ("first_not_user", 0)]);
    }

    #[test]
    fn a_misplaced_message_of_the_system_is_the_same_wherever_it_shows() {
        let placed = |shape: &str| {
            problems(&conversation(shape))
                .into_iter()
                .map(|problem| (problem.message_index, problem))
                .collect::<Vec<_>>()
        };
        assert_eq!(new_problems(placed("uasau"), placed("usu")), []);
        assert_eq!(new_problems(placed("usa"), placed("usu")).len(), 1);
    }
}
