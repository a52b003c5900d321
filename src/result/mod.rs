//! Shortens one new tool result before it enters a conversation.
//!
//! Lines that say how the call ended or report a failure are kept first, word for word. The others are chosen by how
//! likely the current work is to use their names next, and by how rare they are. No line is rewritten: all shown text
//! is quoted, and notes state what is missing.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `incoming` | a text that arrives in parts |
//! | `screen` | a text as a terminal shows it |
//! | `units` | lines, and parts of long lines, that are kept or removed |
//! | `borders` | where source files and diffs are cut |
//! | `ranks` | the lines kept before all others |
//! | `stamps` | the time before each line of a log |
//! | `worth` | the worth of a unit |
//! | `choice` | the order in which units are taken |
//! | `above` | lines that the conversation already contains |
//! | `written` | the text of the kept units |
//! | `json` | JSON that keeps its shape |
//! | `short` | one text within a budget |
//! | `result_options` | the options |

mod above;
mod borders;
mod choice;
mod incoming;
mod json;
#[cfg(test)]
mod logs;
mod ranks;
mod result_options;
mod screen;
mod short;
mod stamps;
#[cfg(test)]
mod tests;
mod units;
mod worth;
mod written;

use serde::Serialize;
use serde_json::json;

use self::short::{Given, Short, shorten};
pub use self::{
    incoming::{IncomingText, digest},
    result_options::{A_BUDGET, A_STORE, CallGiven, ResultOptions, TABLE},
    short::ResultKind,
};
use crate::{
    conversation::{Block, Content, ContentKind, Conversation, Edit, Message, Plan, TextAt, answers, calls},
    markers::ResultParts,
    salience::ExpectedNames,
    tokens::{Encoding, count_beside_texts, count_inside},
    transcript::{ContentPiece, Meaning, ToolTable, decompose},
};

/// The settings for shortening a result.
#[derive(Debug, Clone, Copy)]
pub struct ResultSettings<'a> {
    /// Token budget of the whole result. At least half of it is left to the texts, whatever images, JSON and files
    /// take.
    pub budget: usize,
    /// The exit code of the command, if the caller knows it.
    pub exit_code: Option<i64>,
    /// How to get the whole result, in one line.
    pub whole: Option<&'a str>,
    /// The encoding in which tokens are counted.
    pub encoding: Encoding,
}

/// Figures of a result that was shortened, or not.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ShortenedResult"))]
#[serde(rename_all = "camelCase")]
pub struct ShortResult {
    /// The edits on its message; none where it stays as it is.
    #[serde(skip)]
    pub plan: Plan,
    /// Tokens before: of its texts, and of images, JSON and files beside them, by their kind.
    pub tokens_before: usize,
    /// Tokens now.
    pub tokens_after: usize,
    /// Number of lines, or of values of JSON, of which nothing is shown.
    pub left_out: usize,
    /// Number of lines, or of values of JSON, before.
    pub of: usize,
    /// Number of those left out that report a failure; more than 0 only where there was no room for all failures.
    pub failures_left_out: usize,
    /// The kind of its largest text. Source files that were read and diffs stay whole up to ten times the budget.
    #[cfg_attr(test, ts(inline))]
    pub kind: ResultKind,
    /// The result has no more tokens than the budget. False where it stays whole, and where the lines that say how the
    /// call ended take more.
    pub fits: bool,
}

/// Returns the conversation with this call before its last message, and whether the call was added: it is not if the
/// conversation already contains it.
#[must_use]
pub fn with_call(conversation: &Conversation, call: Option<&CallGiven>) -> (Conversation, bool) {
    let last = conversation.len().saturating_sub(1);
    let is_known = |id: &str| conversation.messages().take(last).any(|message| calls(message).contains(&id));
    let given = call.zip(conversation.messages().last().and_then(|message| answers(message).first().copied()));
    let Some((call, id)) = given.filter(|(_, id)| !is_known(id)) else { return (conversation.clone(), false) };
    let block = json!({ "type": "tool_use", "id": id, "name": call.name, "input": call.input });
    let Ok(made) = Conversation::parse(&json!([{ "role": "assistant", "content": [block] }]).to_string()) else {
        return (conversation.clone(), false);
    };
    let ending = [&made.entries()[0], &conversation.entries()[last]];
    (conversation.ending_with(ending.map(|entry| entry.message.clone()).into()), true)
}

/// Returns the conversation with this text as the content of the empty result in its last message.
#[must_use]
pub fn with_text(conversation: &Conversation, text: String) -> Conversation {
    let Some(mut message) = conversation.messages().last().cloned() else { return conversation.clone() };
    if let Content::Blocks(blocks) = &mut message.content
        && let Some(Block::ToolResult { content, .. }) = blocks.first_mut()
    {
        *content = Content::Text(text);
    }
    conversation.ending_with(vec![message.into()])
}

/// Shortens tool results in the last message of a conversation: those in the blocks for which `is_new` returns true.
/// The rest of the conversation shows the current work.
#[must_use]
pub fn condense_result(
    conversation: &Conversation,
    tools: &ToolTable,
    settings: &ResultSettings<'_>,
    is_new: impl Fn(usize) -> bool,
) -> ShortResult {
    let texts = conversation.texts();
    let last = texts.len().saturating_sub(1);
    let is_result = |message: usize, text: &TextAt<'_>| message == last && is_of_result(text, &is_new);
    let all = || texts.iter().enumerate().flat_map(|(message, texts)| texts.iter().map(move |text| (message, text)));
    // Pointers lead upwards, so texts after the result do not count.
    let before: Vec<&str> = all().take_while(|(at, text)| !is_result(*at, text)).map(|(_, text)| text.text).collect();
    let results: Vec<&TextAt<'_>> = all().filter(|(at, text)| is_result(*at, text)).map(|(_, text)| text).collect();
    let pieces = decompose(conversation, tools).pop().unwrap_or_default();
    let counts: Vec<usize> = results.iter().map(|text| count_inside(text.text, settings.encoding).tokens).collect();
    let beside = beside_texts(conversation, settings.encoding, &is_new);
    let budgets = budgets(&counts, settings.budget.saturating_sub(beside).max(settings.budget / 2));
    let largest = (0..counts.len()).max_by_key(|at| counts[*at]);
    let mut result = ShortResult::of_tokens(beside, counts.iter().sum());
    let expected = (result.tokens_before > settings.budget).then(|| ExpectedNames::after(conversation, last, tools));
    let mut lines_before = 0;
    for (at, text) in results.iter().enumerate() {
        let given = Given {
            text: text.text,
            lines_before: Some(lines_before),
            tokens: counts[at],
            budget: budgets[at],
            call: call_of(&pieces, text),
            is_error: is_error(conversation, text),
            settings,
            expected: expected.as_ref(),
            before: &before,
            is_part: false,
        };
        let short = shorten(&given);
        result.add(&short, largest == Some(at));
        if let Some(new) = short.text {
            result.plan.edits.push(Edit::set_text(last, &text.path, new));
        }
        lines_before += text.text.split('\n').count();
    }
    result.fits = result.tokens_after <= settings.budget;
    result
}

fn is_of_result(text: &TextAt<'_>, is_new: &impl Fn(usize) -> bool) -> bool {
    text.kind == ContentKind::ToolResults && is_new(text.block)
}

/// Returns the texts that [`condense_result`] would shorten, joined to one text, in which lines are numbered.
#[must_use]
pub fn whole_result(conversation: &Conversation, is_new: impl Fn(usize) -> bool) -> String {
    let texts = conversation.messages().last().map(Message::texts).unwrap_or_default();
    let texts = texts.iter().filter(|text| is_of_result(text, &is_new)).map(|text| text.text);
    texts.collect::<Vec<_>>().join("\n")
}

impl ShortResult {
    fn of_tokens(beside: usize, texts: usize) -> Self {
        Self {
            plan: Plan::default(),
            tokens_before: beside + texts,
            tokens_after: beside,
            left_out: 0,
            of: 0,
            failures_left_out: 0,
            kind: ResultKind::Text,
            fits: false,
        }
    }

    fn add(&mut self, short: &Short, is_largest: bool) {
        self.tokens_after += short.tokens;
        self.left_out += short.left_out;
        self.of += short.of;
        self.failures_left_out += short.failures_left_out;
        if is_largest {
            self.kind = short.kind;
        }
    }
}

/// Returns the tokens of images, JSON and files in the new results, which are not shortened.
fn beside_texts(conversation: &Conversation, encoding: Encoding, is_new: impl Fn(usize) -> bool) -> usize {
    let blocks = conversation.messages().last().map_or(&[][..], |message| message.content.blocks()).iter().enumerate();
    blocks.filter(|(at, _)| is_new(*at)).map(|(_, block)| count_beside_texts(block, encoding)).sum()
}

/// Divides a budget evenly among texts. Texts that need less than their share leave the rest to the others.
fn budgets(counts: &[usize], budget: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|at| counts[*at]);
    let mut budgets = vec![0; counts.len()];
    let mut left = budget;
    for (done, at) in order.iter().enumerate() {
        budgets[*at] = counts[*at].min(left / (order.len() - done));
        left -= budgets[*at];
    }
    budgets
}

/// The call of a result: its meaning, whether it is a command that only shows files, and the file or command line.
#[derive(Debug, Clone, Copy)]
pub struct CallOf<'a> {
    meaning: Meaning,
    shows_files: bool,
    place: &'a str,
}

fn call_of<'a>(pieces: &'a [ContentPiece], text: &TextAt<'_>) -> CallOf<'a> {
    let piece = pieces.iter().find(|piece| *piece.path == *text.path);
    piece.map_or(CallOf { meaning: Meaning::Other, shows_files: false, place: "" }, |piece| CallOf {
        meaning: piece.source.meaning(),
        shows_files: piece.source.only_shows_files(),
        place: piece.source.place(),
    })
}

fn is_error(conversation: &Conversation, text: &TextAt<'_>) -> bool {
    let last = conversation.message(conversation.len() - 1);
    matches!(last.content.blocks().get(text.block), Some(Block::ToolResult { is_error: true, .. }))
}
