//! What there is to tell of messages that go, as entries of a log: who spoke or what was called, and the lines that can be quoted of it.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use serde_json::Value;

use super::{
    endings::ending,
    passage::Passage,
    scope::Scope,
    survey::ToolRound,
    telling::{beside_calls, cost_of, lately, of_head, of_logged},
    weights::{Origin, as_float},
};
use crate::{
    conversation::{Block, ContentKind, PathStep},
    markers::{
        LEFT_OUT_HERE, NoteLine,
        log::{self, LoggedEntry, Mark, Quotation},
    },
    tokens::count_inside,
    transcript::{MAX_HEAD_PARAMETER, MAX_HEAD_TARGET, Meaning, ParameterRole, PieceSource, ToolSource, ToolTable},
};

/// Tokens of the blanks, the mark and the line end around a quote.
const QUOTE_TOKENS: f32 = 3.0;

/// An entry of a log that could be written.
pub struct Entry {
    /// The message in which it began.
    pub message: usize,
    /// What it stands for.
    pub of: Of,
    /// Its first line.
    pub head: String,
    /// The names in that.
    pub names: Range<usize>,
    /// Tokens of that.
    pub cost: f32,
    /// What that tells.
    pub telling: f32,
    /// What can be quoted.
    pub lines: Vec<Quote>,
    /// Those of them that belong together.
    pub parts: Vec<Range<usize>>,
    /// Those without which the others would mislead: how it ended, what the user said when refusing.
    pub must: Vec<usize>,
    /// Whether the first line says something alone.
    pub stands_alone: bool,
    /// The block in which it began.
    block: usize,
    /// Whether it is known how it ended: by a line that is quoted with it, or by what it showed.
    is_answered: bool,
}

/// What an entry stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A tool round: it is told where that goes.
    Round(usize),
    /// The earlier log that this passage is: it is told whatever stays.
    Log(usize),
}

/// A line that can be quoted.
pub struct Quote {
    /// Where it stands.
    pub source: QuoteSource,
    /// The names in it.
    pub names: Range<usize>,
    /// Tokens it takes in a log.
    pub cost: f32,
    /// What it tells.
    pub telling: f32,
}

/// Where a quote stands.
pub enum QuoteSource {
    /// In a passage, by its number, on this line or part of a line.
    Line { passage: usize, line: usize },
    /// As it is quoted.
    Text(Quotation),
}

/// What the lines of a passage are where they are quoted.
pub fn mark_of(
    passage_kind: ContentKind,
    origin: Origin,
    key: &str,
    is_error: bool,
    tools: &ToolTable,
    tool: &str,
) -> Mark {
    match (passage_kind, origin) {
        (ContentKind::ToolResults, _) if is_error => Mark::Failed,
        (ContentKind::ToolResults, _) => Mark::Answered,
        (ContentKind::ToolParameters, Origin::Parameters(Meaning::Write)) => Mark::Added,
        (ContentKind::ToolParameters, Origin::Parameters(Meaning::Edit)) => {
            let has = |role| tools.tool(tool).is_some_and(|tool| tool.parameter(role).any(|name| name == key));
            match () {
                () if has(ParameterRole::Old) => Mark::Removed,
                () if has(ParameterRole::New) || has(ParameterRole::Content) => Mark::Added,
                () => Mark::Given,
            }
        }
        (ContentKind::ToolParameters, _) => Mark::Given,
        (ContentKind::MessageText, _) => Mark::Said,
    }
}

/// The key of the parameter that a text is; empty where it is none.
pub fn key_of(path: &[PathStep]) -> &str {
    let key = path.iter().rev().find_map(|step| if let PathStep::Key(key) = step { Some(key.as_ref()) } else { None });
    key.unwrap_or_default()
}

/// The entries of a conversation, in its order: for each tool round, and of earlier logs.
pub fn entries(scope: &Scope<'_>, passages: &[Passage<'_>], rounds: &[ToolRound]) -> Vec<Entry> {
    let newest_list = newest_list(scope, passages);
    let mut all = Vec::new();
    for (index, round) in rounds.iter().enumerate() {
        let mut reading = OfRound {
            scope,
            passages,
            round: index,
            entries: Vec::new(),
            calls: HashMap::new(),
            answered: HashSet::new(),
            newest_list,
            messages: round.messages.clone(),
        };
        round.passages.clone().for_each(|passage| reading.read(passage));
        reading.entries.retain(|entry| entry.is_answered || !entry.stands_alone);
        // A call without a text is met with its answer.
        reading.entries.sort_by_key(|entry| entry.block);
        all.append(&mut reading.entries);
    }
    for (index, passage) in passages.iter().enumerate().filter(|(_, passage)| passage.origin == Origin::Log) {
        all.extend(of_log(scope, index, passage));
    }
    all.sort_by_key(|entry| entry.message);
    all
}

/// The newest call that set the list of things to do: message and block.
fn newest_list(scope: &Scope<'_>, passages: &[Passage<'_>]) -> Option<(usize, usize)> {
    let is_list =
        |block: &Block| matches!(block, Block::ToolUse { name, .. } if scope.tools.meaning(name) == Meaning::Todo);
    let in_message = |message: usize| {
        let block = scope.conversation.message(message).content.blocks().iter().rposition(is_list)?;
        Some((message, block))
    };
    let native = (0..scope.conversation.len()).rev().find_map(in_message);
    let in_text = passages.iter().rev().find(|passage| passage.origin == Origin::Parameters(Meaning::Todo));
    native.max(in_text.map(|passage| (passage.message, passage.piece.block)))
}

struct OfRound<'a, 's, 't> {
    scope: &'a Scope<'s>,
    passages: &'a [Passage<'t>],
    round: usize,
    entries: Vec<Entry>,
    /// The entries of calls, by what their pieces share.
    calls: HashMap<*const ToolSource, usize>,
    /// Calls that have an answer in plain text.
    answered: HashSet<usize>,
    newest_list: Option<(usize, usize)>,
    messages: Range<usize>,
}

impl OfRound<'_, '_, '_> {
    fn read(&mut self, index: usize) {
        let passage = &self.passages[index];
        match (&passage.piece.source, passage.origin) {
            (_, Origin::Log | Origin::Environment) => {}
            (PieceSource::Words, Origin::Assistant) => {
                let entry = match self.entries.last() {
                    Some(entry) if entry.head == ASSISTANT => self.entries.len() - 1,
                    _ => self.begin(passage.piece.block, ASSISTANT.to_owned(), 0.2),
                };
                self.quote(entry, index);
            }
            (PieceSource::Tool(source), _) => {
                let entry = self.entry_of(source, passage);
                let is_answer = passage.message > self.messages.start;
                let text = passage.text.trim();
                let is_short = text.len() <= MAX_HEAD_PARAMETER && !text.contains('\n');
                let is_parameter = passage.piece.kind == ContentKind::ToolParameters;
                if is_parameter && (is_short || self.entries[entry].head.contains(text)) {
                    self.entries[entry].names = self.names_of_head(entry, index);
                    return;
                }
                // The line that announces an answer in plain text says what the head says.
                if passage.origin == Origin::User && passage.mark == Mark::Said && text.starts_with('[') {
                    return;
                }
                // Where lines were shown, they were read.
                let looks = matches!(source.meaning, Meaning::Read | Meaning::Search | Meaning::List);
                let was_shown = passage.numbered || (looks && NoteLine::read(text).is_some());
                self.entries[entry].is_answered |= is_answer && passage.mark != Mark::Failed && was_shown;
                let is_list = is_parameter && matches!(source.meaning, Meaning::Todo | Meaning::Item);
                if passage.piece.kind == ContentKind::MessageText && passage.origin == Origin::Assistant || is_list {
                    // The tags of a call in XML; and a list, which is quoted as a whole.
                    if is_list && passage.piece.path.len() <= 4 {
                        self.quote(entry, index);
                    }
                    return;
                }
                self.quote(entry, index);
            }
            (PieceSource::Words, _) if passage.piece.kind == ContentKind::MessageText => {
                // Notes of hosts among the answers.
                if let Some(entry) = self.entries.len().checked_sub(1) {
                    self.quote(entry, index);
                }
            }
            _ => {}
        }
    }

    /// The names of the parameters that a head tells, which stand next to each other.
    fn names_of_head(&self, entry: usize, index: usize) -> Range<usize> {
        let names = |passage: &Passage<'_>| {
            let first = passage.lines.first().map_or(0, |line| line.names.start);
            first..passage.lines.last().map_or(first, |line| line.names.end)
        };
        let (known, more) = (self.entries[entry].names.clone(), names(&self.passages[index]));
        match () {
            () if known.is_empty() => more,
            () if known.end == more.start => known.start..more.end,
            () => known,
        }
    }

    fn begin(&mut self, block: usize, head: String, telling: f32) -> usize {
        let message = self.messages.start;
        let cost = cost_of(count_inside(&head, self.scope.tally.encoding()).tokens);
        let telling = telling * cost * self.lately(message);
        let stands_alone = head != ASSISTANT;
        self.entries.push(Entry {
            message,
            of: Of::Round(self.round),
            head,
            names: 0..0,
            cost,
            telling,
            lines: Vec::new(),
            parts: Vec::new(),
            must: Vec::new(),
            stands_alone,
            block,
            is_answered: false,
        });
        self.entries.len() - 1
    }

    /// The block of the call that a passage belongs to.
    fn block_of(&self, passage: &Passage<'_>) -> usize {
        let blocks = |message: usize| self.scope.conversation.message(message).content.blocks();
        if passage.message == self.messages.start {
            return passage.piece.block;
        }
        let Some(Block::ToolResult { tool_use_id, .. }) = blocks(passage.message).get(passage.piece.block) else {
            return usize::MAX;
        };
        let is_called = |block: &Block| matches!(block, Block::ToolUse { id, .. } if id == tool_use_id);
        blocks(self.messages.start).iter().position(is_called).unwrap_or(usize::MAX)
    }

    fn lately(&self, message: usize) -> f32 {
        lately(as_float(message) / as_float(self.scope.conversation.len().max(1)))
    }

    fn entry_of(&mut self, source: &Arc<ToolSource>, passage: &Passage<'_>) -> usize {
        if let Some(entry) = self.calls.get(&Arc::as_ptr(source)) {
            return *entry;
        }
        // In plain text, an answer follows the call of its name; natively it has the call's id.
        let blocks = self.scope.conversation.message(passage.message).content.blocks();
        let is_native = matches!(blocks.get(passage.piece.block), Some(Block::ToolResult { .. }));
        let is_answer = !is_native && passage.message > self.messages.start;
        let unanswered = || {
            let is_open = |at: &usize| {
                let of = &self.entries[*at];
                of.head.split(' ').next() == source.head.split(' ').next() && !self.answered.contains(at)
            };
            let open = || (0..self.entries.len()).filter(is_open);
            let about = source.head.trim_end_matches('…');
            open().find(|at| self.entries[*at].head.starts_with(about)).or_else(|| open().next())
        };
        let entry = match is_answer.then(unanswered).flatten() {
            Some(entry) => entry,
            None => {
                let head = if source.head.is_empty() { source.label.clone() } else { source.head.clone() };
                let head = if head.is_empty() { UNKNOWN.to_owned() } else { head };
                let block = self.block_of(passage);
                let entry = self.begin(block, head, of_head(source.meaning));
                if self.newest_list.is_some_and(|(message, _)| message == passage.message)
                    && source.meaning == Meaning::Todo
                {
                    self.list(entry, passage);
                }
                entry
            }
        };
        self.calls.insert(Arc::as_ptr(source), entry);
        if is_answer {
            self.answered.insert(entry);
        }
        entry
    }

    /// The newest list of things to do, item by item, as the call has them.
    fn list(&mut self, entry: usize, passage: &Passage<'_>) {
        self.entries[entry].telling *= 4.0;
        let blocks = self.scope.conversation.message(passage.message).content.blocks();
        let Some(Block::ToolUse { input, .. }) = blocks.get(passage.piece.block) else { return };
        let Ok(Value::Object(input)) = serde_json::from_str(input.get()) else { return };
        let items = input.values().filter_map(Value::as_array).flatten().filter_map(Value::as_object);
        for item in items {
            // The state before the words: `completed: Find the parser`.
            let is_words = |key: &str| !matches!(key, "activeForm" | "id" | "status" | "state");
            let state = ["status", "state"].iter().filter_map(|key| item.get(*key)?.as_str());
            let words = item.iter().filter(|(key, _)| is_words(key)).filter_map(|(_, value)| value.as_str());
            let told: Vec<&str> = state.chain(words).collect();
            let text = Quotation::alone(Mark::Given, &told.join(": "));
            let cost = cost_of(count_inside(&text.text, self.scope.tally.encoding()).tokens) + QUOTE_TOKENS;
            let telling = 1.5 * cost;
            self.entries[entry].lines.push(Quote { source: QuoteSource::Text(text), names: 0..0, cost, telling });
        }
    }

    /// What can be quoted of a passage.
    fn quote(&mut self, entry: usize, index: usize) {
        let passage = &self.passages[index];
        let is_list = passage.origin == Origin::Parameters(Meaning::Todo);
        let more = match passage.origin {
            _ if is_list && self.newest_list == Some((passage.message, passage.piece.block)) => 5.0,
            Origin::Assistant => beside_calls(passage.tokens),
            _ => 1.0,
        };
        let told = &self.entries[entry].head;
        let lines = passage.lines.iter().enumerate().filter(|(line, value)| {
            let text = passage.text[value.line.content..value.line.range.end].trim();
            let is_in_head = *line == 0 && !text.is_empty() && text.len() <= MAX_HEAD_TARGET && told.contains(text);
            // A pointer leads nowhere from another place, and a note is about its own.
            !value.line.is_gap && !is_in_head && text != LEFT_OUT_HERE && NoteLine::read(text).is_none()
        });
        let quotes = lines.map(|(line, value)| Quote {
            source: QuoteSource::Line { passage: index, line },
            names: value.names.clone(),
            cost: value.cost + QUOTE_TOKENS,
            telling: value.telling * value.cost * more,
        });
        let quotes: Vec<Quote> = quotes.collect();
        let first = self.entries[entry].lines.len();
        let line_of = |quote: &Quote| if let QuoteSource::Line { line, .. } = quote.source { line } else { 0 };
        for part in &passage.parts {
            let start = quotes.partition_point(|quote| line_of(quote) < part.start);
            let end = quotes.partition_point(|quote| line_of(quote) < part.end);
            if end > start + 1 {
                self.entries[entry].parts.push(first + start..first + end);
            }
        }
        // Without it, the call reads as if it had worked.
        let is_refusal = passage.piece.kind == ContentKind::MessageText && passage.mark == Mark::Failed;
        let musts = quotes.iter().enumerate().filter(|(at, quote)| match quote.source {
            QuoteSource::Line { line, .. } => passage.lines[line].ends || (is_refusal && *at < MAX_REFUSAL),
            QuoteSource::Text(_) => false,
        });
        let musts: Vec<usize> = musts.map(|(at, _)| first + at).collect();
        // The line is of an answer, not of the parameters.
        self.entries[entry].is_answered |= passage.message > self.messages.start && !musts.is_empty();
        self.entries[entry].must.extend(musts);
        self.entries[entry].lines.extend(quotes);
    }
}

/// An entry of an earlier log keeps the line by which it ended.
fn must_of_logged(quotes: &[Quotation]) -> Vec<usize> {
    let with = |mark| (0..quotes.len()).filter(move |at| quotes[*at].mark == mark);
    let answered: Vec<usize> = with(Mark::Answered).collect();
    let lines: Vec<&str> = answered.iter().map(|at| quotes[*at].text.as_str()).collect();
    let ending = ending(&lines).must.into_iter().map(|at| answered[at]);
    with(Mark::Failed).take(MAX_REFUSAL).chain(ending).collect()
}

/// Lines of a refusal that are told with the call.
const MAX_REFUSAL: usize = 6;

/// The first line of an entry of the assistant's words.
const ASSISTANT: &str = "Assistant:";

/// The first line of an answer to nobody knows what.
const UNKNOWN: &str = "Answer:";

/// The entries of an earlier log.
fn of_log(scope: &Scope<'_>, index: usize, passage: &Passage<'_>) -> Vec<Entry> {
    let encoding = scope.tally.encoding();
    let tokens = |text: &str| as_float(count_inside(text, encoding).tokens);
    let all = log::entries(passage.text);
    let count = as_float(all.len().max(1));
    // Names by the line of the text: long lines are read in parts.
    let mut names: Vec<Range<usize>> = Vec::new();
    for value in &passage.lines {
        match names.last_mut() {
            Some(last) if value.line.continues => last.end = value.names.end,
            _ => names.push(value.names.clone()),
        }
    }
    let mut line = 0;
    let mut next = || {
        line += 1;
        names.get(line).cloned().unwrap_or(0..0)
    };
    let place = as_float(passage.message) / as_float(scope.conversation.len().max(1));
    let entry = |(at, logged): (usize, LoggedEntry)| {
        let lately = lately(place * as_float(at + 1) / count);
        let is_said = logged.head == ASSISTANT;
        let names = next();
        let cost = tokens(&logged.head) + 1.0;
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut lines: Vec<Quote> = Vec::new();
        for (at, quotation) in logged.quotes.iter().enumerate() {
            // The line that says how many follow.
            let begins = !quotation.follows && logged.quotes.get(at + 1).is_some_and(|next| next.follows);
            if begins {
                next();
                parts.push(at..at + 1);
            } else if quotation.follows
                && let Some(part) = parts.last_mut()
            {
                part.end = at + 1;
            }
            let cost = tokens(&quotation.text) + 2.0;
            let telling = of_logged(quotation.mark, is_said) * cost * lately;
            lines.push(Quote { source: QuoteSource::Text(quotation.clone()), names: next(), cost, telling });
        }
        let telling = 0.4 * cost * lately;
        let must = must_of_logged(&logged.quotes);
        let stands_alone = !is_said;
        let (message, of, head) = (passage.message, Of::Log(index), logged.head);
        Entry { message, of, head, names, cost, telling, lines, parts, must, stands_alone, block: 0, is_answered: true }
    };
    all.into_iter().enumerate().map(entry).collect()
}
