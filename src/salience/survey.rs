//! What there is to choose from: the older part of a conversation as passages, lines and names.

use std::{collections::HashMap, ops::Range};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    by_hash::ByHash,
    lines::{Line, Lines},
    names::for_each_name,
    weights::{NameFacts, Origin, Weights, as_float},
};
use crate::{
    conversation::{Block, ContentKind, Conversation, PathStep, Role, TextAt, answers, calls, is_blank},
    parallel::{divided, each},
    tokens::{Tally, count},
    transcript::{ContentPiece, Meaning, PieceSource, ToolTable, decompose_texts},
};

/// About how many tokens a marker takes.
pub const MARKER_TOKENS: f32 = 8.0;
/// A line number that is left out saves about this many tokens.
const NUMBER_TOKENS: usize = 3;
/// Texts of fewer tokens stay whole: a marker would save nothing.
const MIN_TEXT_TOKENS: usize = 12;
/// What the assistant said in fewer tokens stays whole: it is what holds the calls together for a reader.
const MIN_WORDS_TOKENS: usize = 30;
/// Parameters of fewer tokens stay whole: paths, patterns, short commands.
const MIN_PARAMETER_TOKENS: usize = 40;
/// Texts within both of these bounds are one passage.
const WHOLE_LINES: usize = 48;
const WHOLE_TOKENS: usize = 700;
/// Longer ones are divided into passages of about this many lines.
const PASSAGE_LINES: usize = 24;

/// A text, or the part of a text, of which lines can be left out.
pub struct Passage<'t> {
    /// The message it is in.
    pub message: usize,
    /// The piece it is.
    pub piece: ContentPiece,
    /// The text of the piece.
    pub text: &'t str,
    /// Where it comes from.
    pub origin: Origin,
    /// Its lines.
    pub lines: Vec<LineValue>,
    /// Whether most lines show a number.
    pub numbered: bool,
    /// Tokens of the text.
    pub tokens: usize,
    /// The tool round it belongs to.
    pub round: Option<usize>,
    /// It stays whole.
    pub whole: bool,
    /// Ranges of lines that belong together.
    pub parts: Vec<Range<usize>>,
    /// The value of its lines for each token.
    pub density: f32,
}

impl Passage<'_> {
    /// Characters of one of its lines, without the number it may show.
    pub fn characters(&self, value: &LineValue) -> usize {
        self.text[value.line.content..value.line.range.end].chars().count()
    }
}

/// A line and what it is worth.
pub struct LineValue {
    /// The line.
    pub line: Line,
    /// Tokens it takes.
    pub cost: f32,
    /// Hash of its content without the blanks around it.
    pub hash: u64,
    /// Hash of the line with its neighbours: the same again is worth nothing.
    pub window: u64,
    /// An edit has replaced it since.
    pub replaced: bool,
    /// The names in it, in [`Survey::occurrences`].
    pub names: Range<usize>,
}

/// A tool round (a message with calls and the message with their answers) that can be dropped as a whole.
pub struct ToolRound {
    /// The two messages.
    pub messages: Range<usize>,
    /// The passages in them.
    pub passages: Range<usize>,
    /// Tokens it takes as it is.
    pub tokens: f32,
    /// Tokens it takes when all its passages are cut away.
    pub cost: f32,
}

/// Everything to choose from.
pub struct Survey<'t> {
    /// In order of message and position.
    pub passages: Vec<Passage<'t>>,
    /// In order.
    pub rounds: Vec<ToolRound>,
    /// NameTable by their number, line after line.
    pub occurrences: Vec<u32>,
    /// The probability that each name is used again.
    pub weights: Vec<f32>,
    /// The names.
    pub names: Vec<&'t str>,
}

/// What a survey is about.
pub struct Scope<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Its tokens.
    pub tally: &'a Tally,
    /// What the tools in it do.
    pub tools: &'a ToolTable,
    /// The messages that may be changed.
    pub zone: Range<usize>,
    /// The conversation as it was before others worked on it, and its older messages. It tells better how a name was used: once things are said
    /// only once, names no longer recur.
    pub before: Option<(&'a Conversation, Range<usize>)>,
    /// Whether what the user wrote may be cut.
    pub user_too: bool,
    /// Which signals are in use.
    pub weights: Weights,
}

impl<'t> Survey<'t> {
    /// Looks through the conversation.
    pub fn of(scope: &Scope<'_>, texts: &'t [Vec<TextAt<'t>>]) -> Self {
        let pieces = decompose_texts(scope.conversation, texts, scope.tools);
        let rounds = rounds(scope, &pieces);
        let mut round_of = vec![None; scope.conversation.len()];
        for (index, messages) in rounds.iter().enumerate() {
            round_of[messages.clone()].fill(Some(index));
        }
        let mut whole = Reading::of(scope, texts, &round_of);
        for (message, texts) in texts.iter().enumerate() {
            if !scope.zone.contains(&message) {
                texts.iter().for_each(|text| whole.names.stay(&text.text));
            }
        }
        let pieces: Vec<_> =
            pieces.into_iter().enumerate().filter(|(message, _)| scope.zone.contains(message)).collect();
        let bytes = |(_, pieces): &(usize, Vec<ContentPiece>)| pieces.iter().map(|piece| piece.range.len()).sum();
        let mut parts = divided(pieces, bytes).into_iter();
        let first = parts.next().map(|pieces| (whole, pieces));
        let rest = parts.map(|pieces| (Reading::of(scope, texts, &round_of), pieces));
        let readings = each(first.into_iter().chain(rest).collect(), |(mut reading, pieces)| {
            reading.read(pieces);
            reading
        });
        let read = readings.into_iter().reduce(Reading::with);
        let Reading { passages, occurrences, mut names, .. } =
            read.unwrap_or_else(|| Reading::of(scope, texts, &round_of));
        let mut now = scope.conversation.len();
        if let Some((before, zone)) = &scope.before {
            names.learn(before, zone.clone(), scope.tools);
            now = before.len();
        }
        let weights = names.facts.iter().map(|facts| scope.weights.name(facts, now)).collect();
        let mut survey = Self { passages, rounds: Vec::new(), occurrences, weights, names: names.names };
        survey.mark_replaced();
        survey.price_rounds(scope, rounds);
        survey
    }

    /// Lines that stand in the old text of a later edit are no longer in the file.
    fn mark_replaced(&mut self) {
        let mut replaced_in: HashMap<u64, usize, ByHash> = HashMap::default();
        for passage in &mut self.passages {
            let message = passage.message;
            for line in old_text(passage) {
                let value = &mut passage.lines[line];
                value.replaced = true;
                if value.line.range.end - value.line.content > 6 {
                    let at = replaced_in.entry(value.hash).or_default();
                    *at = message.max(*at);
                }
            }
        }
        for passage in &mut self.passages {
            for value in &mut passage.lines {
                let later = replaced_in.get(&value.hash);
                value.replaced |= later.is_some_and(|later| *later > passage.message);
            }
        }
    }

    fn price_rounds(&mut self, scope: &Scope<'_>, rounds: Vec<Range<usize>>) {
        let mut first = 0;
        for (index, messages) in rounds.into_iter().enumerate() {
            while self.passages.get(first).is_some_and(|passage| passage.message < messages.start) {
                first += 1;
            }
            let mut end = first;
            let tokens = as_float(messages.clone().map(|message| scope.tally.message(message)).sum());
            let mut cost = tokens;
            while let Some(passage) = self.passages.get(end).filter(|passage| passage.round == Some(index)) {
                if !passage.whole {
                    cost -= as_float(passage.tokens) - MARKER_TOKENS;
                }
                end += 1;
            }
            self.rounds.push(ToolRound { messages, passages: first..end, tokens, cost: cost.max(1.0) });
            first = end;
        }
    }
}

/// A part of the conversation as it is read. Parts can be read at the same time and put together afterwards.
struct Reading<'a, 't> {
    scope: &'a Scope<'a>,
    texts: &'t [Vec<TextAt<'t>>],
    /// The tool round of each message.
    round_of: &'a [Option<usize>],
    passages: Vec<Passage<'t>>,
    occurrences: Vec<u32>,
    names: NameTable<'t>,
}

impl<'a, 't> Reading<'a, 't> {
    fn of(scope: &'a Scope<'a>, texts: &'t [Vec<TextAt<'t>>], round_of: &'a [Option<usize>]) -> Self {
        Self { scope, texts, round_of, passages: Vec::new(), occurrences: Vec::new(), names: NameTable::default() }
    }

    fn read(&mut self, messages: Vec<(usize, Vec<ContentPiece>)>) {
        for (message, pieces) in messages {
            let texts = &self.texts[message];
            let mut at = 0;
            for piece in pieces {
                // Texts and their pieces come in the same order.
                while texts.get(at).is_some_and(|text| *text.path != *piece.path) {
                    at += 1;
                }
                let Some(whole) = texts.get(at) else { break };
                let text = &whole.text[piece.range.clone()];
                let passage = self.passage(message, piece, text);
                self.passages.push(passage);
            }
        }
    }

    fn passage(&mut self, message: usize, piece: ContentPiece, text: &'t str) -> Passage<'t> {
        let scope = self.scope;
        let role = &scope.conversation.message(message).role;
        let origin = origin(&piece, role);
        let tokens = count(text, scope.tally.encoding()).tokens;
        let smallest = match origin {
            Origin::Parameters(Meaning::Todo) => MIN_TEXT_TOKENS,
            Origin::Parameters(_) => MIN_PARAMETER_TOKENS,
            Origin::Assistant => MIN_WORDS_TOKENS,
            _ => MIN_TEXT_TOKENS,
        };
        let users = origin == Origin::User;
        // What announces a call or an answer in text has to stay, or nobody knows any more what it was.
        let announces = piece.kind == ContentKind::MessageText && matches!(piece.source, PieceSource::Tool(_));
        let whole = tokens <= smallest || announces || (users && !scope.user_too) || is_blank(text);
        let Lines { lines, numbered } = Lines::of(text);
        let hashes: Vec<u64> = lines.iter().map(|line| hash_of(text, line)).collect();
        let costs = costs(&lines, numbered, tokens);
        let around = |index: usize| {
            let at = |index: Option<usize>| index.and_then(|index| hashes.get(index)).copied().unwrap_or_default();
            let window = [at(index.checked_sub(1)), hashes[index], at(Some(index + 1))];
            xxh3_64(&window.map(u64::to_le_bytes).concat())
        };
        let lines: Vec<LineValue> = lines
            .into_iter()
            .zip(costs)
            .enumerate()
            .map(|(index, (line, cost))| {
                let first = self.occurrences.len();
                if line.gap.is_none() {
                    self.names.add(&text[line.content..line.range.end], message, origin, &mut self.occurrences);
                }
                LineValue {
                    hash: hashes[index],
                    line,
                    cost,
                    window: around(index),
                    replaced: false,
                    names: first..self.occurrences.len(),
                }
            })
            .collect();
        let parts = if whole { Vec::new() } else { parts(text, &lines, tokens) };
        let density = scope.weights.passage(origin, scope.conversation.len() - message);
        Passage {
            message,
            piece,
            text,
            origin,
            lines,
            numbered,
            tokens,
            round: self.round_of[message],
            whole,
            parts,
            density,
        }
    }

    /// With what was read of later messages.
    fn with(mut self, later: Self) -> Self {
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

/// Numbers names and collects what is known of them.
#[derive(Default)]
struct NameTable<'t> {
    /// By hash. Two names with the same one would count as one, which no conversation is large enough for.
    numbers: HashMap<u64, u32, ByHash>,
    names: Vec<&'t str>,
    facts: Vec<NameFacts>,
}

impl<'t> NameTable<'t> {
    fn number(&mut self, name: &'t str) -> u32 {
        *self.numbers.entry(xxh3_64(name.as_bytes())).or_insert_with(|| {
            self.names.push(name);
            self.facts.push(NameFacts::default());
            u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// Takes over the names of later messages. Returns their new numbers.
    fn append(&mut self, later: Self) -> Vec<u32> {
        let names = later.names.into_iter().zip(later.facts);
        names
            .map(|(name, more)| {
                let number = self.number(name);
                let facts = &mut self.facts[number as usize];
                facts.messages += more.messages;
                facts.uses += more.uses;
                facts.last = facts.last.max(more.last);
                facts.last_use = facts.last_use.max(more.last_use);
                number
            })
            .collect()
    }

    fn stay(&mut self, text: &'t str) {
        for_each_name(text, |name| {
            let number = self.number(name);
            self.facts[number as usize].stays = true;
        });
    }

    fn add(&mut self, text: &'t str, message: usize, origin: Origin, occurrences: &mut Vec<u32>) {
        for_each_name(text, |name| {
            let number = self.number(name);
            self.facts[number as usize].note(message, matches!(origin, Origin::Parameters(_)));
            occurrences.push(number);
        });
    }

    /// Knows the names from then on as the older messages of another conversation use them. Those that do not stand there stay as they are.
    fn learn(&mut self, conversation: &Conversation, older: Range<usize>, tools: &ToolTable) {
        let texts = conversation.texts();
        let pieces = decompose_texts(conversation, &texts, tools);
        let mut learned = vec![NameFacts::default(); self.facts.len()];
        for message in older {
            let texts: HashMap<&[PathStep], &str> =
                texts[message].iter().map(|text| (&*text.path, text.text.as_ref())).collect();
            for piece in &pieces[message] {
                let Some(text) = texts.get(&*piece.path) else { continue };
                for_each_name(&text[piece.range.clone()], |name| {
                    if let Some(number) = self.numbers.get(&xxh3_64(name.as_bytes())) {
                        learned[*number as usize].note(message, piece.kind == ContentKind::ToolParameters);
                    }
                });
            }
        }
        for (facts, learned) in self.facts.iter_mut().zip(learned).filter(|(_, learned)| learned.messages > 0) {
            *facts = NameFacts { stays: facts.stays, ..learned };
        }
    }
}

fn origin(piece: &ContentPiece, role: &Role) -> Origin {
    let meaning = || piece.source.meaning();
    match (piece.kind, &piece.source) {
        (_, PieceSource::EnvironmentDetails) => Origin::Environment,
        (ContentKind::ToolParameters, _) => Origin::Parameters(meaning()),
        (ContentKind::ToolResults, _) => Origin::Result(meaning()),
        (ContentKind::MessageText, _) if *role == Role::Assistant => Origin::Assistant,
        (ContentKind::MessageText, _) => Origin::User,
    }
}

/// The hash of a line's content without the blanks around it.
fn hash_of(text: &str, line: &Line) -> u64 {
    xxh3_64(text[line.content..line.range.end].trim().as_bytes())
}

/// Tokens of each line, in proportion to its bytes.
fn costs(lines: &[Line], numbered: bool, tokens: usize) -> Vec<f32> {
    let length = |line: &Line| line.range.end - line.content + 1;
    let bytes: usize = lines.iter().map(length).sum();
    let tokens = if numbered { tokens.saturating_sub(NUMBER_TOKENS * lines.len()) } else { tokens };
    let each = as_float(tokens) / as_float(bytes.max(1));
    lines.iter().map(|line| (as_float(length(line)) * each).max(1.0)).collect()
}

/// Divides a long text where its structure does: at blank lines and where the indentation is least.
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

/// The lines of a passage that are the old text of an edit.
fn old_text(passage: &Passage<'_>) -> Vec<usize> {
    if !matches!(passage.origin, Origin::Parameters(Meaning::Edit)) {
        return Vec::new();
    }
    const OLD: [&str; 5] = ["old_string", "old_str", "old_text", "oldText", "search"];
    let is_old = matches!(passage.piece.path.last(), Some(PathStep::Key(key)) if OLD.contains(&&**key));
    if is_old {
        return (0..passage.lines.len()).collect();
    }
    let mut found = Vec::new();
    let mut inside = false;
    for (index, value) in passage.lines.iter().enumerate() {
        let line = &passage.text[value.line.range.clone()];
        match line.trim_end() {
            "<<<<<<< SEARCH" | "------- SEARCH" => inside = true,
            "=======" => inside = false,
            _ if inside => found.push(index),
            _ => {}
        }
    }
    found
}

/// The tool rounds that can be dropped without making the conversation worse: a message of the assistant with calls, answered by a
/// message with their answers and nothing else.
fn rounds(scope: &Scope<'_>, pieces: &[Vec<ContentPiece>]) -> Vec<Range<usize>> {
    let conversation = scope.conversation;
    let role = |index: usize| conversation.entries().get(index).map(|entry| &entry.message.role);
    let mut found = Vec::new();
    let mut index = scope.zone.start;
    while index + 1 < scope.zone.end {
        let roles = [index.wrapping_sub(1), index, index + 1, index + 2].map(role);
        let fits = roles == [Some(&Role::User), Some(&Role::Assistant), Some(&Role::User), Some(&Role::Assistant)];
        if fits && is_tool_round(conversation, pieces, index) {
            found.push(index..index + 2);
            index += 2;
        } else {
            index += 1;
        }
    }
    found
}

fn is_tool_round(conversation: &Conversation, pieces: &[Vec<ContentPiece>], index: usize) -> bool {
    let (call, answer) = (conversation.message(index), conversation.message(index + 1));
    // The calls before must be answered before, and not by the message that would go.
    let sorted = |mut ids: Vec<&'_ str>| -> Vec<String> {
        ids.sort_unstable();
        ids.iter().map(|id| (*id).to_owned()).collect()
    };
    if sorted(calls(call)) != sorted(answers(answer)) {
        return false;
    }
    let answers_only =
        answer.content.blocks().iter().all(|block| matches!(block, Block::ToolResult { .. } | Block::Text { .. }));
    let words = |piece: &ContentPiece| {
        piece.source == PieceSource::Words && piece.kind == ContentKind::MessageText && !piece.range.is_empty()
    };
    let calls_something = pieces[index].iter().any(|piece| matches!(piece.source, PieceSource::Tool(_)));
    answers_only && !answer.content.blocks().is_empty() && !pieces[index + 1].iter().any(words) && calls_something
}
