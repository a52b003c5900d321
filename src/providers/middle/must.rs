//! Finds what a summary must keep of the messages it replaces, and measures how much of that can still be read. Calls
//! no model.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;
use serde::Serialize;
use serde_json::Value;

use crate::{
    conversation::{Block, Conversation, visible},
    maps::HashSet,
    markers::is_summary,
    salience::likely_names,
    story::story_blocks,
    transcript::{self, Action, CallOutcome, Meaning, ToolTable, Voice, decompose, with_texts},
};

/// Maximum number of items per kind: the newest or most likely ones. With more, a summary would not be short.
const MAX_OF_KIND: usize = 20;

/// Minimum length of a sentence, in characters. Shorter sentences mean little without their neighbours.
const MIN_SENTENCE: usize = 12;

/// Number of characters of a sentence that are searched for.
const TELLING: usize = 160;

/// A sentence counts as covered in other words if the summary contains this share of its words of four or more
/// letters. Chosen, not fitted: rewritten sentences keep their nouns and verbs.
const TOLD_SHARE: f64 = 0.7;

/// Words that express a limit, in English and French. `(?:^|\W)` and `(?:$|\W)` replace `\b`, which makes matching a
/// hundred times slower in texts with letters other than ASCII.
static LIMITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|\W)(?:must|never|always|only|do not|don['’]t|cannot|can['’]t|should(?:n['’]t)?|avoid|without|instead of|rather than|keep|make sure|ensure|require[sd]?|exactly|at least|at most|no longer|not allowed|forbidden|prefer|doit|doivent|jamais|toujours|seulement|uniquement|évite[rz]?|sans|interdit|obligatoire|il faut|ne pas)(?:$|\W)",
    )
    .expect("the pattern is a constant, and tested")
});

/// The kind of an item that must be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum MustKind {
    /// A sentence in which the user set a limit.
    Constraint,
    /// Open work: an item of the newest todo list, or the user's last request.
    Task,
    /// A file that was changed.
    File,
    /// A name that the assistant used recently.
    Name,
}

/// An item that must be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Must {
    /// The kind.
    pub kind: MustKind,
    /// The words of the item.
    text: String,
    /// For a name, the line that contained it last.
    line: Option<String>,
}

impl Must {
    fn new(kind: MustKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), line: None }
    }

    /// Returns the words to search for.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the item for a model that is to include it: a name together with the line that contained it last.
    #[must_use]
    pub fn told(&self) -> String {
        match &self.line {
            Some(line) => format!("{} (last seen: {line})", self.text()),
            None => self.text().to_owned(),
        }
    }

    /// Returns true if other words can express the same.
    #[must_use]
    pub fn has_other_words(&self) -> bool {
        matches!(self.kind, MustKind::Constraint | MustKind::Task)
    }

    /// Returns true if the item can be read in `left`, which has single blanks between words, or if `words` express
    /// the same.
    fn is_told(&self, left: &str, words: &HashSet<String>) -> bool {
        let text = squeezed(self.text());
        left.contains(&text)
            || match self.kind {
                MustKind::Name => false,
                MustKind::File => left.contains(tail_of(&text)),
                MustKind::Constraint | MustKind::Task => is_among(&text, words),
            }
    }
}

/// The items that must be kept when messages are removed.
#[derive(Debug, Clone, Default)]
pub struct MustSurvive(Vec<Must>);

impl MustSurvive {
    /// Finds the items of the messages `gone`.
    #[must_use]
    pub fn find(conversation: &Conversation, gone: Range<usize>, tools: &ToolTable) -> Self {
        let users = users_words(conversation, &gone, tools);
        let mut all = newest(constraints(users.iter().map(String::as_str)));
        let asked = users.iter().rev().map(|words| beginning(words, TELLING)).find(|words| words.len() >= MIN_SENTENCE);
        let open = open_items(conversation, &gone, tools).into_iter().chain(asked);
        all.extend(newest(open.map(|text| Must::new(MustKind::Task, text)).collect()));
        let paths = changed_files(conversation, &gone, tools);
        all.extend(newest(paths.iter().map(|path| Must::new(MustKind::File, path)).collect()));
        let names = likely_names(conversation, gone.clone(), tools, MAX_OF_KIND + paths.len());
        let is_in_path = |name: &String| paths.iter().any(|path| path.contains(name.as_str()));
        let texts = conversation.texts();
        let line_of = |name: &str| {
            let mut texts = texts[gone.clone()].iter().rev().flat_map(|texts| texts.iter().rev());
            let text = texts.find(|text| text.text.contains(name))?;
            let line = text.text.lines().rev().find(|line| line.contains(name)).map(|line| around(line, name));
            line.filter(|line| line != name)
        };
        let names = names.into_iter().filter(|name| !is_in_path(name)).take(MAX_OF_KIND);
        all.extend(names.map(|name| Must { kind: MustKind::Name, line: line_of(&name), text: name }));
        Self(all)
    }

    /// Returns all items.
    #[must_use]
    pub fn all(&self) -> Vec<&Must> {
        self.0.iter().collect()
    }

    /// Returns the items that cannot be read in `after`, where `summary` replaces the removed messages.
    #[must_use]
    pub fn missing(&self, after: &Conversation, summary: &str) -> Vec<&Must> {
        let texts = after.texts();
        let left: Vec<String> = texts.iter().flatten().map(|text| squeezed(text.text)).collect();
        let (left, words) = (left.join("\n"), words_of(summary).collect());
        self.0.iter().filter(|must| !must.is_told(&left, &words)).collect()
    }

    /// Returns the share that is covered if these items are missing, from 0 to 1: the mean of the shares of each kind
    /// that occurs. 1 if there are no items.
    #[must_use]
    pub fn score(&self, missing: &[&Must]) -> f64 {
        let kinds: BTreeSet<MustKind> = self.0.iter().map(|must| must.kind).collect();
        let told = |kind: &MustKind| {
            let of_kind = self.0.iter().filter(|must| must.kind == *kind).count();
            let missing = missing.iter().filter(|must| must.kind == *kind).count();
            (of_kind - missing.min(of_kind)) as f64 / of_kind as f64
        };
        if kinds.is_empty() { 1.0 } else { kinds.iter().map(told).sum::<f64>() / kinds.len() as f64 }
    }
}

/// Returns the user's own texts in these messages, wherever the host put them.
fn users_words(conversation: &Conversation, gone: &Range<usize>, tools: &ToolTable) -> Vec<String> {
    let texts = conversation.texts();
    let pieces = decompose(conversation, tools);
    let mut words = Vec::new();
    for (message, pieces) in pieces.into_iter().enumerate().filter(|(message, _)| gone.contains(message)) {
        let (is_summary, stories) = (is_summary(conversation.message(message)), story_blocks(conversation, message));
        for (piece, text) in with_texts(&pieces, &texts[message]) {
            if is_summary || stories.contains(&piece.block) || piece.source.asks_user() {
                continue;
            }
            let said = piece.stretches(text.text).into_iter();
            let said = said.filter(|stretch| matches!(stretch.voice, Voice::User | Voice::Paste));
            words.extend(
                said.map(|stretch| text.text[stretch.range].trim().to_owned()).filter(|words| !words.is_empty()),
            );
        }
    }
    words
}

/// Returns the items of the newest todo list that are not marked as done.
fn open_items(conversation: &Conversation, gone: &Range<usize>, tools: &ToolTable) -> Vec<String> {
    let blocks =
        conversation.entries()[gone.clone()].iter().rev().flat_map(|entry| entry.message.content.blocks().iter().rev());
    let input = blocks.filter_map(|block| match block {
        Block::ToolUse { name, input, .. } if tools.meaning(name) == Meaning::Todo => {
            serde_json::from_str(input.get()).ok()
        }
        _ => None,
    });
    let Some(Value::Object(input)) = input.into_iter().next() else { return Vec::new() };
    let is_open = |state: Option<&str>| !matches!(state, Some("completed" | "done" | "cancelled"));
    let mut items = Vec::new();
    for value in input.values() {
        match value {
            Value::Array(all) => {
                items.extend(all.iter().filter(|item| is_open(item["status"].as_str())).filter_map(|item| {
                    ["content", "step", "text", "title"].iter().find_map(|key| item[*key].as_str()).map(str::to_owned)
                }));
            }
            Value::String(list) => items.extend(list.lines().filter_map(|line| {
                let line = line.trim().trim_start_matches(['-', '*', ' ']);
                ["[ ] ", "[-] "].iter().find_map(|open| line.strip_prefix(open)).map(str::to_owned)
            })),
            _ => {}
        }
    }
    items
}

/// Returns the files that these messages' calls wrote or changed, unless a result says otherwise; the newest last.
fn changed_files(conversation: &Conversation, gone: &Range<usize>, tools: &ToolTable) -> Vec<String> {
    let transcript = transcript::read(conversation, tools);
    let mut paths: Vec<String> = Vec::new();
    for event in &transcript.events {
        let is_here = event.call.as_ref().is_some_and(|call| gone.contains(&call.message));
        let is_done = matches!(event.outcome, CallOutcome::Ok | CallOutcome::Unproven);
        let changes = matches!(event.action, Action::Write(_) | Action::Edit(_)) && is_done;
        if let Some(path) = event.path.as_deref().filter(|_| is_here && changes) {
            paths.retain(|known| known != path);
            paths.push(path.to_owned());
        }
    }
    paths
}

/// Returns the text with single blanks between words and with invisible characters spelled out, as a model reads it.
fn squeezed(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first characters of a text on one line; the whole text if it has no more.
fn beginning(text: &str, characters: usize) -> String {
    let text = squeezed(text);
    text.char_indices().nth(characters).map_or(text.clone(), |(end, _)| text[..end].to_owned())
}

fn newest(mut all: Vec<Must>) -> Vec<Must> {
    all.split_off(all.len().saturating_sub(MAX_OF_KIND))
}

/// Returns the sentences in which the user set limits, each once.
fn constraints<'t>(words: impl Iterator<Item = &'t str>) -> Vec<Must> {
    let mut found: Vec<Must> = Vec::new();
    for sentence in words.flat_map(sentences) {
        let text = beginning(sentence, TELLING);
        if text.len() < MIN_SENTENCE || !LIMITS.is_match(&text) {
            continue;
        }
        found.retain(|known| known.text() != text);
        found.push(Must::new(MustKind::Constraint, text));
    }
    found
}

/// Splits a text into sentences, which end with their line, or with a punctuation mark before a blank.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut start = 0;
        let ends = line.match_indices(['.', '!', '?', ';']).map(|(at, mark)| at + mark.len());
        let ends: Vec<usize> = ends.filter(|end| line[*end..].starts_with(' ')).chain([line.len()]).collect();
        ends.into_iter().map(move |end| {
            let sentence = &line[start..end];
            start = end;
            sentence.trim().trim_start_matches(['-', '*', '•', ' '])
        })
    })
}

/// Returns the last two parts of a path, by which a summary names a file too.
fn tail_of(path: &str) -> &str {
    let mut parts = path.rmatch_indices(['/', '\\']);
    parts.nth(1).map_or(path, |(at, _)| &path[at + 1..])
}

/// Returns the part of a line around a name.
fn around(line: &str, name: &str) -> String {
    let at = line.find(name).unwrap_or(0);
    let start = line[..at].char_indices().rev().nth(TELLING / 2).map_or(0, |(start, _)| start);
    beginning(&line[start..], TELLING)
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.filter(|word| word.chars().count() >= 4).map(str::to_lowercase)
}

fn is_among(text: &str, words: &HashSet<String>) -> bool {
    let own: Vec<String> = words_of(text).collect();
    let told = own.iter().filter(|word| words.contains(*word)).count();
    own.len() >= 3 && told as f64 >= TOLD_SHARE * own.len() as f64
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn history() -> Conversation {
        let call =
            |id: &str, name: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": name, "input": input });
        let answer = |id: &str, text: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        let edit = json!({ "file_path": "/home/u/app/src/due_date.ts", "old_string": "a", "new_string": "parseDueDate(input, time_zone)" });
        Conversation::parse(
            &json!([
                { "role": "user", "content": "Make the parser faster." },
                { "role": "assistant", "content": "Which one?" },
                { "role": "user", "content": "The one for due dates. Never push to main; the old format has to work without a flag." },
                { "role": "assistant", "content": [
                    call("a", "TodoWrite", json!({ "todos": [{ "content": "Find the parser", "status": "completed" }, { "content": "Measure the slow cases", "status": "pending" }] })),
                    call("b", "Edit", edit),
                ] },
                { "role": "user", "content": [answer("a", "ok"), answer("b", "The file has been updated.")] },
                { "role": "assistant", "content": [call("c", "Bash", json!({ "command": "grep -rn max_due_days src" }))] },
                { "role": "user", "content": [answer("c", "src/limits.ts:4: const max_due_days = 30")] },
                { "role": "assistant", "content": "Found it." },
            ])
            .to_string(),
        )
        .unwrap()
    }

    fn texts(all: &[&Must]) -> Vec<(MustKind, String)> {
        all.iter().map(|must| (must.kind, must.text().to_owned())).collect()
    }

    #[test]
    fn constraints_open_tasks_changed_files_and_names_in_use_must_survive() {
        let must = MustSurvive::find(&history(), 1..7, &ToolTable::default());
        let expected = [
            (MustKind::Constraint, "Never push to main;"),
            (MustKind::Constraint, "the old format has to work without a flag."),
            (MustKind::Task, "Measure the slow cases"),
            (MustKind::Task, "The one for due dates. Never push to main; the old format has to work without a flag."),
            (MustKind::File, "/home/u/app/src/due_date.ts"),
            (MustKind::Name, "max_due_days"),
            (MustKind::Name, "parseDueDate"),
            (MustKind::Name, "time_zone"),
        ];
        assert_eq!(texts(&must.all()), expected.map(|(kind, text)| (kind, text.to_owned())));
        assert_eq!(must.0[5].told(), "max_due_days (last seen: src/limits.ts:4: const max_due_days = 30)");
    }

    #[test]
    fn what_is_said_in_other_words_or_by_the_end_of_a_path_is_told() {
        let must = MustSurvive::find(&history(), 1..7, &ToolTable::default());
        let missing = |summary: &str| {
            let messages = json!([{ "role": "user", "content": "Make the parser faster." }, { "role": "assistant", "content": summary }]);
            let after = Conversation::parse(&messages.to_string()).unwrap();
            let missing = must.missing(&after, summary);
            (must.score(&missing), texts(&missing))
        };
        let (score, all) = missing("Nothing worth telling.");
        assert_eq!((score, all.len()), (0.0, 8));
        let good = "The parser of due dates, src/due_date.ts, was changed: parseDueDate takes time_zone. max_due_days is 30.\n\
                    The user never wants a push to main, and the old format has to work, without any flag. Open: measure the slow cases.";
        assert_eq!(missing(good), (1.0, Vec::new()));
        let (score, left) = missing("src/due_date.ts and parseDueDate, time_zone, max_due_days. Never push to main;");
        assert_eq!((score, left.len()), ((0.5 + 0.0 + 1.0 + 1.0) / 4.0, 3));
    }

    #[test]
    fn a_conversation_in_which_nothing_must_survive_has_lost_nothing() {
        let empty =
            Conversation::parse(r#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]"#).unwrap();
        let must = MustSurvive::find(&empty, 1..2, &ToolTable::default());
        assert_eq!((must.all().len(), must.score(&[])), (0, 1.0));
    }
}
