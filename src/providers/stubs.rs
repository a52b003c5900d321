//! Finds stubs: results of a repeated read in which the host only says that the file is unchanged since the earlier
//! read. If that earlier read is removed, the stub becomes a note.

use std::ops::Range;

use super::edited::{Place, edited};
use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Edit, NumberStyle, Plan, TextAt},
    maps::{HashMap, HashSet},
    markers::{NoteLine, Suppressed},
    restore::decode,
    transcript::{Meaning, Tool, ToolTable},
};

/// Stubs have at most this many bytes.
const MAX_STUB_BYTES: usize = 400;

/// Phrases of hosts whose reads have no line numbers. Without the phrases, such a stub could not be distinguished from
/// a one-line file.
const SAID: [&str; 4] = ["file unchanged", "file has not changed", "file content unchanged", "unchanged since"];

/// A result: its message and block.
type Answer = (usize, usize);

/// A stub, and the read that it refers to.
struct Stub {
    at: Answer,
    target: Answer,
}

/// A note that replaces a stub.
pub(super) struct StubNote {
    /// The edit that writes the note.
    pub(super) edit: Edit,
    /// The message and block of the stub.
    pub(super) at: (usize, usize),
    /// The message of the removed read.
    pub(super) target: usize,
}

/// Returns the edits that `plan`, which turns `before` into `after`, needs in addition: notes in place of stubs whose
/// read it removes.
pub(super) fn astray(before: &Conversation, after: &Conversation, plan: &Plan, tools: &ToolTable) -> Vec<StubNote> {
    let stubs = if plan.is_empty() { Vec::new() } else { stubs(before, tools) };
    if stubs.is_empty() {
        return Vec::new();
    }
    let (was, is) = (before.texts(), after.texts());
    let (positions, now) = (after.positions(), answers(after));
    let edits: HashSet<Place> = plan.edits.iter().filter_map(edited).collect();
    let mut read = None;
    // The texts of a result before and after, as ranges among the texts of its message.
    let sides = |(message, block): Answer| {
        let at = *positions.get(&before.entries()[message].id)?;
        let Some(Block::ToolResult { tool_use_id, .. }) = before.message(message).content.blocks().get(block) else {
            return None;
        };
        let now = *now.get(&(at, tool_use_id.as_str()))?;
        Some(((message, of_block(&was[message], block)), (at, of_block(&is[at], now))))
    };
    let mut is_readable = |target: Answer| {
        let Some(((message, old), (at, new))) = sides(target) else { return false };
        let same = old.len() == new.len();
        let pairs = || old.clone().zip(new.clone());
        // A text that became a pointer still reads the same when the pointer is resolved.
        same && (pairs().all(|(old, new)| was[message][old].text == is[at][new].text) || {
            let (old, new) = read.get_or_insert_with(|| (decode(before), decode(after)));
            pairs().all(|(before, now)| old[message][before] == new[at][now])
        })
    };
    let mut found = Vec::new();
    for Stub { at, target } in stubs {
        let (message, block) = at;
        let is_edited = edits.contains(&(message, Some(block))) || edits.contains(&(message, None));
        let is_fixed = is_edited || before.entries()[message].pins.holds(block) || sides(at).is_none();
        if is_fixed || is_readable(target) {
            continue;
        }
        let Some(text) = of_block(&was[message], block).next().map(|text| &was[message][text]) else { continue };
        let note = Suppressed::sized(ContentKind::ToolResults, text.text).to_string();
        if note.len() < text.text.len() {
            found.push(StubNote { edit: Edit::set_text(message, &text.path, note), at, target: target.0 });
        }
    }
    found
}

/// Returns the range of a block's texts among those of its message.
fn of_block(texts: &[TextAt<'_>], block: usize) -> Range<usize> {
    texts.partition_point(|text| text.block < block)..texts.partition_point(|text| text.block <= block)
}

/// Returns the block of each result, by its message and the id of its call.
fn answers(conversation: &Conversation) -> HashMap<(usize, &str), usize> {
    let mut found = HashMap::default();
    for (index, message) in conversation.messages().enumerate() {
        for (at, block) in message.content.blocks().iter().enumerate() {
            if let Block::ToolResult { tool_use_id, .. } = block {
                found.entry((index, tool_use_id.as_str())).or_insert(at);
            }
        }
    }
    found
}

/// Finds the stubs of a conversation. Each answers the same call as an earlier result that shows the file.
fn stubs(conversation: &Conversation, tools: &ToolTable) -> Vec<Stub> {
    // The calls of the newest message with calls, and the newest read for each call.
    let mut open: HashMap<&str, (&str, &str)> = HashMap::default();
    let mut readings: HashMap<(&str, &str), Answer> = HashMap::default();
    let mut found = Vec::new();
    for (index, message) in conversation.messages().enumerate() {
        for (number, block) in message.content.blocks().iter().enumerate() {
            match block {
                Block::ToolUse { id, name, input, .. }
                    if matches!(tools.meaning(name), Meaning::Read | Meaning::Editor) =>
                {
                    open.insert(id, (name, input.get()));
                }
                Block::ToolResult { tool_use_id, is_error: false, content, .. } => {
                    let Some(call) = open.remove(tool_use_id.as_str()) else { continue };
                    let answer = (index, number);
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

/// Returns true if the result shows nothing of a file, and says that it does not need to.
fn is_stub(text: &str, tool: &Tool) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_STUB_BYTES || text.contains('\n') || text.starts_with('<') {
        return false;
    }
    let said = text.to_ascii_lowercase();
    let is_said = SAID.iter().any(|said_so| said.contains(said_so));
    // The tool numbers every line of a file, and this result has no numbers.
    let is_unnumbered = tool.numbers_lines && NumberStyle::read(text.as_bytes()).is_none();
    NoteLine::read(text).is_none() && (is_said || is_unnumbered)
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
