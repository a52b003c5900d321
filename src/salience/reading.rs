//! Reads older messages into passages: their lines, the cost of each, and the names in them.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    lines::{Line, Lines, Place},
    name_table::NameTable,
    passage::{LineValue, Passage},
    scope::Scope,
    weights::{Origin, as_float},
};
use crate::{
    conversation::{Block, ContentKind, Role, TextAt, is_blank},
    story::{ending, story_blocks},
    tokens::count_inside,
    transcript::{ContentPiece, Meaning, PieceSource, Pieces, Voice, with_texts},
};

/// Approximate tokens saved by leaving out a line number.
const NUMBER_TOKENS: usize = 3;
/// Texts of at most this many tokens are kept whole, because a marker would save nothing.
const MIN_TEXT_TOKENS: usize = 12;
/// Assistant text of at most this many tokens is kept whole, because it connects the calls for a reader.
const MIN_WORDS_TOKENS: usize = 30;
/// Parameters of at most this many tokens are kept whole: paths, patterns, short commands.
const MIN_PARAMETER_TOKENS: usize = 40;
/// Lines of this many tokens or more have no extra worth for reporting how a call ended.
const MAX_ENDING_TOKENS: f32 = 60.0;
/// Texts within both limits are one part.
const WHOLE_LINES: usize = 48;
const WHOLE_TOKENS: usize = 700;
/// Longer texts are divided into parts of about this many lines.
const PASSAGE_LINES: usize = 24;

/// Returns the number of tokens up to which texts of this kind are always kept whole.
pub fn always_whole(kind: ContentKind) -> usize {
    match kind {
        ContentKind::ToolParameters => MIN_PARAMETER_TOKENS,
        ContentKind::ToolResults => MIN_TEXT_TOKENS,
        ContentKind::MessageText => MIN_WORDS_TOKENS,
    }
}

/// The reading of some messages. Several readings can run in parallel and are then joined.
pub struct Reading<'a, 't> {
    scope: &'a Scope<'a>,
    texts: &'a [Vec<TextAt<'t>>],
    /// The passages, by message and position.
    pub passages: Vec<Passage<'t>>,
    /// Numbers of the names in all lines, in order.
    pub occurrences: Vec<u32>,
    /// The names.
    pub names: NameTable<'t>,
}

impl<'a, 't> Reading<'a, 't> {
    /// Starts a reading without messages.
    pub fn new(scope: &'a Scope<'a>, texts: &'a [Vec<TextAt<'t>>]) -> Self {
        Self { scope, texts, passages: Vec::new(), occurrences: Vec::new(), names: NameTable::default() }
    }

    /// Reads messages, each with its index and its pieces.
    pub fn read(&mut self, messages: Vec<(usize, Pieces)>) {
        for (message, pieces) in messages {
            let mut next = 1;
            let stories = story_blocks(self.scope.conversation, message);
            let pieces = with_texts(&pieces, &self.texts[message]);
            for (piece, whole) in pieces.flat_map(|(piece, whole)| self.scope.divided(piece.clone(), whole)) {
                // The pieces of one text are numbered continuously: a piece begins on the line on which the previous
                // piece ends.
                let first = if piece.range.start == 0 { 1 } else { next };
                let place = Place::within(whole.text, &piece.range, first);
                let text = &whole.text[piece.range.clone()];
                let is_pinned = self.scope.conversation.entries()[message].pins.holds(whole.block);
                let is_log = piece.source == PieceSource::Words && stories.contains(&piece.block);
                let passage = self.passage(message, piece, text, place, (is_pinned, is_log));
                next = passage.1;
                self.passages.push(passage.0);
            }
        }
    }

    /// Reads one passage. Returns it with the number of its last line.
    fn passage(
        &mut self,
        message: usize,
        piece: ContentPiece,
        text: &'t str,
        place: Place,
        (is_pinned, is_log): (bool, bool),
    ) -> (Passage<'t>, usize) {
        let scope = self.scope;
        let origin = if is_log { Origin::Log } else { origin(&piece, &scope.conversation.message(message).role) };
        let block = scope.conversation.message(message).content.blocks().get(piece.block);
        let is_error = matches!(block, Some(Block::ToolResult { is_error: true, .. }));
        let is_answer = matches!(block, Some(Block::ToolResult { .. }));
        let kind = if is_answer { ContentKind::ToolResults } else { piece.kind };
        let tokens = count_inside(text, scope.tally.encoding()).tokens;
        let smallest = match origin {
            Origin::Parameters(Meaning::Todo) => MIN_TEXT_TOKENS,
            Origin::Parameters(_) => MIN_PARAMETER_TOKENS,
            Origin::Assistant => MIN_WORDS_TOKENS,
            _ => MIN_TEXT_TOKENS,
        };
        let most = match origin {
            Origin::User if piece.voice != Voice::Paste => scope.most_words,
            Origin::Assistant => scope.most_said,
            _ => 0,
        };
        // The text that announces a call or a result is kept. Without it, a reader could not identify the text below.
        let announces = piece.kind == ContentKind::MessageText && matches!(piece.source, PieceSource::Tool(_));
        let whole = is_pinned
            || is_log
            || tokens <= smallest
            || announces
            || tokens <= most
            || (!scope.older.contains(&message) && !scope.may_cut_end(message, &piece, origin, tokens))
            || is_blank(text);
        let Lines { lines, numbered, last } = Lines::split(text, place);
        let hashes: Vec<u64> = lines.iter().map(|line| hash_of(text, line)).collect();
        let costs = costs(&lines, numbered, tokens);
        let around = |index: usize| {
            let at = |index: Option<usize>| index.and_then(|index| hashes.get(index)).copied().unwrap_or_default();
            let window = [at(index.checked_sub(1)), hashes[index], at(Some(index + 1))];
            xxh3_64(window.map(u64::to_le_bytes).as_flattened())
        };
        let age = scope.conversation.len() - message;
        // Only the last snapshot of the environment is current. It may precede the last words of the assistant.
        let is_outdated = origin == Origin::Environment && message + 2 < scope.conversation.len();
        let is_newest = message >= scope.older.end && !is_outdated;
        let newest = if is_newest { scope.weights.newest() } else { 0.0 };
        let density = scope.weights.passage(origin, age) + newest;
        let is_use = matches!(origin, Origin::Parameters(_));
        let mut lines: Vec<LineValue> = lines
            .into_iter()
            .zip(costs)
            .enumerate()
            .map(|(index, (line, cost))| {
                let first = self.occurrences.len();
                if !line.is_gap {
                    self.names.add(&text[line.content..line.range.end], message, is_use, &mut self.occurrences);
                }
                LineValue {
                    hash: hashes[index],
                    line,
                    cost,
                    window: around(index),
                    density,
                    ends: false,
                    tells: false,
                    together: false,
                    replaced: false,
                    names: first..self.occurrences.len(),
                }
            })
            .collect();
        // Without these lines, the other kept lines could suggest a different ending of the call.
        if kind == ContentKind::ToolResults && !whole && says_how_it_ended(origin, is_error) {
            let ending = ending(&lines.iter().map(|value| content(text, value)).collect::<Vec<_>>(), is_error);
            for at in ending.must.iter().chain(&ending.more) {
                lines[*at].tells = lines[*at].cost < MAX_ENDING_TOKENS;
            }
            for at in ending.staying(is_error) {
                lines[at].ends = lines[at].cost < MAX_ENDING_TOKENS;
            }
            ending.together.into_iter().for_each(|at| lines[at].together = true);
            if let Some(at) = ending.bad {
                lines[at].line.stays |= lines[at].ends;
            }
        }
        // A message's first line introduces the rest, so it is kept if the assistant's text is cut.
        if origin == Origin::Assistant && !whole {
            let first = lines.iter_mut().find(|value| !value.line.is_gap && !is_blank(&text[value.line.range.clone()]));
            if let Some(first) = first {
                first.ends = first.cost < MAX_ENDING_TOKENS;
            }
        }
        // Without its first and last line, a host's text would read as the user's words.
        if matches!(origin, Origin::Environment | Origin::Host) && !whole {
            let said = |value: &LineValue| !value.line.is_gap && !is_blank(&text[value.line.range.clone()]);
            for at in [lines.iter().position(said), lines.iter().rposition(said)].into_iter().flatten() {
                lines[at].line.stays = true;
            }
        }
        let parts = if whole { Vec::new() } else { parts(text, &lines, tokens) };
        let goes_on = place.goes_on;
        let passage =
            Passage { message, piece, text, origin, lines, goes_on, is_pinned, numbered, tokens, whole, parts };
        (passage, last)
    }

    /// Adds the reading of later messages.
    pub fn with(mut self, later: Self) -> Self {
        let numbers = self.names.append(later.names);
        let before = self.occurrences.len();
        self.occurrences.extend(later.occurrences.into_iter().map(|name| numbers[name as usize]));
        self.passages.extend(later.passages.into_iter().map(|mut passage| {
            for value in &mut passage.lines {
                value.names = value.names.start + before..value.names.end + before;
            }
            passage
        }));
        self
    }
}

/// Returns true for results whose lines report how a call ended, rather than show a file.
fn says_how_it_ended(origin: Origin, is_error: bool) -> bool {
    let shows = matches!(origin, Origin::Result(Meaning::Read | Meaning::Search | Meaning::List) | Origin::Shown);
    is_error || (matches!(origin, Origin::Result(_)) && !shows)
}

fn origin(piece: &ContentPiece, role: &Role) -> Origin {
    let meaning = || piece.source.meaning();
    match (piece.kind, &piece.source) {
        (_, PieceSource::EnvironmentDetails) => Origin::Environment,
        (ContentKind::ToolParameters, _) => Origin::Parameters(meaning()),
        (ContentKind::ToolResults, source) if source.is_showing_command() => Origin::Shown,
        (ContentKind::ToolResults, _) => Origin::Result(meaning()),
        (ContentKind::MessageText, _) => match piece.voice {
            Voice::Assistant | Voice::Summary => Origin::Assistant,
            // A system message is an instruction, wherever it occurs.
            Voice::Host if *role == Role::User => Origin::Host,
            Voice::User | Voice::Paste | Voice::Tool | Voice::Host => Origin::User,
        },
    }
}

/// Returns the content of a line without a closing tag. A number that marks it as a line of a file is included.
fn content<'t>(text: &'t str, value: &LineValue) -> &'t str {
    let line = &value.line;
    if line.is_gap {
        return "";
    }
    let start = if line.content > line.range.start { line.range.start } else { line.content };
    let said = text[start..line.range.end].trim();
    said.rfind("</").filter(|_| said.ends_with('>')).map_or(said, |tag| &said[..tag])
}

/// Returns the hash of a line's content without surrounding blanks.
fn hash_of(text: &str, line: &Line) -> u64 {
    xxh3_64(text[line.content..line.range.end].trim().as_bytes())
}

/// Estimates the tokens of each line in proportion to its bytes.
fn costs(lines: &[Line], numbered: bool, tokens: usize) -> Vec<f32> {
    let length = |line: &Line| line.range.end - line.content + 1;
    let bytes: usize = lines.iter().map(length).sum();
    let tokens = if numbered { tokens.saturating_sub(NUMBER_TOKENS * lines.len()) } else { tokens };
    let each = as_float(tokens) / as_float(bytes.max(1));
    lines.iter().map(|line| (as_float(length(line)) * each).max(1.0)).collect()
}

/// Divides a long text into parts, at blank lines or where the indentation is smallest.
fn parts(text: &str, lines: &[LineValue], tokens: usize) -> Vec<Range<usize>> {
    if lines.len() <= WHOLE_LINES && tokens <= WHOLE_TOKENS {
        return std::iter::once(0..lines.len()).collect();
    }
    let weight = |index: usize| {
        let content = |index: usize| {
            let line: &Line = &lines[index].line;
            &text[line.content..line.range.end]
        };
        if is_blank(content(index - 1)) {
            return 0;
        }
        1 + content(index).len() - content(index).trim_start().len()
    };
    let mut parts = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let (earliest, latest) = (start + PASSAGE_LINES - 8, start + PASSAGE_LINES + 8);
        let end = if latest >= lines.len() {
            lines.len()
        } else {
            (earliest..=latest).rev().min_by_key(|index| weight(*index)).unwrap_or(latest)
        };
        parts.push(start..end);
        start = end;
    }
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{
        cancel::Cancel,
        conversation::Conversation,
        salience::{History, Salience},
        tokens::{Encoding, Tally},
        transcript::{ToolTable, Voice, decompose},
    };

    /// Returns a snapshot of the environment with a list of files.
    fn snapshot(round: usize) -> String {
        let files: String = (0..60).map(|file| format!("src/part{file}/module{round}.ts\n")).collect();
        format!("<environment_details>\n# Open Tabs\n{files}# Time\n{round}\n</environment_details>")
    }

    /// A host adds a snapshot to each request. Only the last one is current, and none becomes the user's words.
    #[test]
    fn outdated_snapshots_are_cut_inside_their_tags() {
        let text = |text: String| json!({ "type": "text", "text": text });
        let mut messages = vec![json!({ "role": "user", "content": [text("Fix it.".into()), text(snapshot(0))] })];
        for round in 1..6 {
            messages.push(json!({ "role": "assistant", "content": format!("I fixed part {round} of it.") }));
            let reminder = format!("<system-reminder>\n{}</system-reminder>", "Reminded of this and that.\n".repeat(9));
            let words = format!("Now fix part {round}, too.");
            messages.push(json!({ "role": "user", "content": [text(words), text(reminder), text(snapshot(round))] }));
        }
        let conversation = Conversation::parse(&json!(messages).to_string()).unwrap();
        let tools = ToolTable::default();
        let tally = Tally::count(&conversation, Encoding::default(), &Cancel::new()).unwrap();
        let of = |share: usize| {
            let history = History {
                conversation: &conversation,
                original: &conversation,
                tally: &tally,
                tools: &tools,
                cancel: &Cancel::new(),
            };
            let kept = Salience::all_signals(4).within(history, tally.total() * share / 100).unwrap();
            assert!(kept.tally.total() <= tally.total() * share / 100, "{share}: {}", kept.tally.total());
            conversation.apply(&kept.plan).unwrap()
        };
        let files = |conversation: &Conversation, message: usize| {
            conversation
                .message(message)
                .content
                .blocks()
                .last()
                .map_or(0, |block| json!(block).to_string().matches("module").count())
        };
        let after = of(25);
        assert!(files(&after, 10) > 10, "the last snapshot is current: {}", files(&after, 10));
        assert!(files(&after, 8) < files(&after, 10), "a snapshot before it is outdated");
        for share in [60, 40, 25, 20] {
            let after = of(share);
            let texts = after.texts();
            for (message, pieces) in decompose(&after, &tools).iter().enumerate() {
                for piece in pieces.iter().filter(|piece| piece.voice == Voice::User) {
                    let whole = texts[message].iter().find(|text| *text.path == *piece.path).unwrap();
                    let words = &whole.text[piece.range.clone()];
                    assert!(words.contains("ix "), "{share}: {words}");
                }
            }
        }
    }
}
