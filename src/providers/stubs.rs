//! Pointers of hosts: the answer to a call that reads a file again, which says no more than that the file is as it was read before. Whoever reads it is
//! sent to the earlier reading, so it becomes a note where that one goes.

use std::collections::HashMap;

use super::edited::edited;
use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Edit, NumberStyle, PathStep, Plan, TextAt},
    markers::{NoteLine, Suppressed},
    restore::decode,
    transcript::{Meaning, Tool, ToolTable},
};

/// A stub is no longer.
const MAX_STUB_BYTES: usize = 400;

/// How hosts say it whose readings have no line numbers: without these nothing tells such an answer from a file of one line.
const SAID: [&str; 4] = ["file unchanged", "file has not changed", "file content unchanged", "unchanged since"];

/// The answer to a call: its message, and the id of the call.
type Answer<'a> = (usize, &'a str);

/// A stub, and the reading that it leads to.
struct Stub<'a> {
    at: Answer<'a>,
    target: Answer<'a>,
}

/// What `plan`, which makes `after` of `before`, has to do beside: notes in the place of stubs that lead to what it takes away, with the message
/// and block of each, and the message of its target.
pub(super) fn astray(
    before: &Conversation,
    after: &Conversation,
    plan: &Plan,
    tools: &ToolTable,
) -> Vec<(Edit, usize, usize, usize)> {
    let stubs = stubs(before, tools);
    if stubs.is_empty() || plan.is_empty() {
        return Vec::new();
    }
    let places = after.positions();
    let now = |(message, id): Answer<'_>| {
        let at = *places.get(&before.entries()[message].id)?;
        Some((at, answer_texts(after, at, id)))
    };
    let mut read = None;
    let mut is_whole = |target: Answer<'_>| {
        let Some((at, is)) = now(target) else { return false };
        let was = answer_texts(before, target.0, target.1);
        let texts =
            |texts: &[(usize, TextAt<'_>)]| texts.iter().map(|(_, text)| text.text.to_owned()).collect::<Vec<_>>();
        if texts(&was) == texts(&is) {
            return true;
        }
        // Lines that stand elsewhere can be read where a pointer stands for them.
        let (old, new) = read.get_or_insert_with(|| (decode(before), decode(after)));
        was.len() == is.len() && was.iter().zip(&is).all(|((was, _), (is, _))| old[target.0][*was] == new[at][*is])
    };
    let mut found = Vec::new();
    for Stub { at, target } in stubs {
        let Some((_, is)) = now(at) else { continue };
        let texts = answer_texts(before, at.0, at.1);
        let ([(_, text)], [(_, standing)]) = (&texts[..], &is[..]) else { continue };
        let is_edited = plan
            .edits
            .iter()
            .filter_map(edited)
            .any(|place| place == (at.0, Some(text.block)) || place == (at.0, None));
        if is_edited || standing.text != text.text || before.entries()[at.0].pins.holds(text.block) || is_whole(target)
        {
            continue;
        }
        let note = Suppressed::sized(ContentKind::ToolResults, text.text).to_string();
        if note.len() < text.text.len() {
            found.push((Edit::set_text(at.0, text.path.clone(), note), at.0, text.block, target.0));
        }
    }
    found
}

/// The stubs of a conversation. Each answers a call that asks for the same as an earlier one, whose answer is a file's content.
fn stubs<'a>(conversation: &'a Conversation, tools: &ToolTable) -> Vec<Stub<'a>> {
    // The calls of the newest message with calls, and the newest reading that each request got.
    let mut open: HashMap<&str, (&str, &str)> = HashMap::new();
    let mut readings: HashMap<(&str, &str), Answer<'a>> = HashMap::new();
    let mut found = Vec::new();
    for (index, message) in conversation.messages().enumerate() {
        for block in message.content.blocks() {
            match block {
                Block::ToolUse { id, name, input, .. }
                    if matches!(tools.meaning(name), Meaning::Read | Meaning::Editor) =>
                {
                    open.insert(id, (name, input.get()));
                }
                Block::ToolResult { tool_use_id, is_error: false, content, .. } => {
                    let Some(call) = open.remove(tool_use_id.as_str()) else { continue };
                    let answer = (index, tool_use_id.as_str());
                    let text = only_text(content);
                    let is_stub = text.is_some_and(|text| tools.tool(call.0).is_some_and(|tool| is_stub(text, tool)));
                    match readings.get(&call) {
                        Some(target) if is_stub => found.push(Stub { at: answer, target: *target }),
                        _ if !is_stub => drop(readings.insert(call, answer)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
    found
}

fn only_text(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) => Some(text),
        content => match content.blocks() {
            [Block::Text { text, .. }] => Some(text),
            _ => None,
        },
    }
}

/// Whether an answer shows nothing of a file, and says that it need not.
fn is_stub(text: &str, tool: &Tool) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_STUB_BYTES || text.contains('\n') || text.starts_with('<') {
        return false;
    }
    let said = text.to_ascii_lowercase();
    let is_said = SAID.iter().any(|said_so| said.contains(said_so));
    // A tool that numbers every line it shows shows none here.
    let is_unnumbered = tool.numbers_lines && NumberStyle::read(text.as_bytes()).is_none();
    NoteLine::read(text).is_none() && (is_said || is_unnumbered)
}

/// The texts of the answer to a call, each with its number in the message.
fn answer_texts<'c>(conversation: &'c Conversation, message: usize, id: &str) -> Vec<(usize, TextAt<'c>)> {
    let message = conversation.message(message);
    let is_answer = |block: usize| matches!(message.content.blocks().get(block), Some(Block::ToolResult { tool_use_id, .. }) if tool_use_id == id);
    message.texts().into_iter().enumerate().filter(|(_, text)| is_answer(text.block)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::ToolTable;

    #[test]
    fn a_stub_says_that_a_file_is_as_it_was_read() {
        let tools = ToolTable::default();
        let is = |tool: &str, text: &str| is_stub(text, tools.tool(tool).unwrap());
        let stub = "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading.";
        assert!(is("Read", stub) && is("read_file", stub));
        assert!(is("Read", "Same as before, see above."), "whatever its words: it shows no line");
        for text in
            ["     1\tconst a = 1", "<system-reminder>empty</system-reminder>", "", "[Tool result of 1 line left out]"]
        {
            assert!(!is("Read", text), "{text}");
        }
        assert!(!is("read_file", "const a = 1"), "a file of one line");
    }
}
