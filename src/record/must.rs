//! What a summary must not lose of the messages that it is of, and how much of that can still be read. No model is asked.

use std::{
    collections::{BTreeSet, HashSet},
    ops::Range,
    sync::LazyLock,
};

use regex::Regex;
use serde::Serialize;

use super::{
    agenda::agenda,
    calls::calls,
    changes::{Fate, changes},
    facts::{Fact, ItemState, Said, TELLING, beginning, cut_off, said},
    left::Left,
    recorded::recorded,
    squeeze::squeezed,
};
use crate::{
    conversation::{Conversation, Role},
    salience::likely_names,
    transcript::{self, ToolTable},
};

/// Of each kind so many at most, the newest or likeliest: a summary of more would be no summary.
const MAX_OF_KIND: usize = 20;

/// Shorter sentences say nothing without those around them.
const MIN_SENTENCE: usize = 12;

/// A sentence is told in other words when so much of its words of four letters and more stand in the summary. Chosen, not fitted: rewritten
/// sentences keep their nouns and verbs.
const TOLD_SHARE: f64 = 0.7;

// `(?:^|\W)` and `(?:$|\W)` stand where `\b` would: with that, texts with other letters than ASCII are matched a hundred times slower.

/// Words by which somebody sets a limit, in English and French.
static LIMITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|\W)(?:must|never|always|only|do not|don['’]t|cannot|can['’]t|should(?:n['’]t)?|avoid|without|instead of|rather than|keep|make sure|ensure|require[sd]?|exactly|at least|at most|no longer|not allowed|forbidden|prefer|doit|doivent|jamais|toujours|seulement|uniquement|évite[rz]?|sans|interdit|obligatoire|il faut|ne pas)(?:$|\W)",
    )
    .expect("the pattern is a constant, and tested")
});

/// The words of limits that hold whatever stands around them.
static STRICT_LIMITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|\W)(?:must|never|always|do not|don['’]t|not allowed|forbidden|no longer|jamais|toujours|interdit|il faut|ne pas)(?:$|\W)",
    )
    .expect("the pattern is a constant, and tested")
});

/// So many limits of one message are told by themselves.
const MAX_LIMITS: usize = 3;

/// What something is that must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MustKind {
    /// A sentence by which the user set a limit.
    Constraint,
    /// Something to be done that is not done: of the newest plan, or what the user asked for last.
    Task,
    /// A file that was changed.
    File,
    /// A name that the assistant used lately.
    Name,
}

/// Something that must survive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Must {
    /// What it is.
    pub kind: MustKind,
    /// It as a line of the record of work.
    pub(super) fact: Fact,
    /// The line in which a name stood last.
    line: Option<String>,
}

impl Must {
    pub(super) fn new(kind: MustKind, fact: Fact) -> Self {
        Self { kind, fact, line: None }
    }

    /// The words to look for.
    #[must_use]
    pub fn text(&self) -> &str {
        self.fact.proof()
    }

    /// The same for a model that is to tell it: a name with the line in which it stood last.
    #[must_use]
    pub fn told(&self) -> String {
        match &self.line {
            Some(line) => format!("{} (last seen: {line})", self.text()),
            None => self.text().to_owned(),
        }
    }

    /// Whether other words can say the same.
    #[must_use]
    pub fn has_other_words(&self) -> bool {
        matches!(self.kind, MustKind::Constraint | MustKind::Task)
    }

    fn is_told(&self, left: &Left, words: &HashSet<String>) -> bool {
        let text = self.text();
        match self.kind {
            MustKind::Name => left.says(text),
            MustKind::File => left.has_changed(text) || left.says(tail_of(text)),
            MustKind::Constraint | MustKind::Task => left.says(&squeezed(text)) || is_among(text, words),
        }
    }
}

/// What must survive when messages go.
#[derive(Debug, Clone, Default)]
pub struct MustSurvive(Vec<Must>);

impl MustSurvive {
    /// Of the messages of a conversation that go.
    #[must_use]
    pub fn of(conversation: &Conversation, gone: Range<usize>, tools: &ToolTable) -> Self {
        let transcript = transcript::read(conversation, tools);
        let said = said(conversation, &conversation.texts(), tools);
        let users: Vec<&Said> =
            said.iter().filter(|said| said.role == Role::User && gone.contains(&said.message)).collect();
        // What an earlier record tells of is as good as gone with it, too.
        let mut recorded = recorded(conversation, tools);
        recorded.retain(|recorded| gone.contains(&recorded.message));
        let asked = recorded.iter().map(|recorded| &recorded.fact).filter(|fact| matches!(fact, Fact::Asked(_)));
        let asked: Vec<String> = asked.map(|fact| fact.proof().to_owned()).collect();
        let words = asked.iter().chain(users.iter().map(|said| &said.words)).map(String::as_str);
        let mut all = newest(constraints(words));
        let listed = recorded.iter().filter(|recorded| matches!(recorded.fact, Fact::Plan { .. })).cloned().collect();
        all.extend(newest(tasks(agenda(conversation, &transcript, tools, listed), &users)));
        let mut files = changes(recorded, &calls(&transcript, tools), &transcript);
        files.retain(|fact| !matches!(fact, Fact::Changed { how, .. } if Fate::told(how) == Some(Fate::TakenBack)));
        let paths: HashSet<String> = files.iter().map(|file| file.proof().to_owned()).collect();
        all.extend(newest(files.into_iter().map(|fact| Must::new(MustKind::File, fact)).collect()));
        let names = likely_names(conversation, gone.clone(), tools, MAX_OF_KIND + paths.len());
        let is_in_path = |name: &String| paths.iter().any(|path| path.contains(name.as_str()));
        let names: Vec<String> = names.into_iter().filter(|name| !is_in_path(name)).take(MAX_OF_KIND).collect();
        let lines = |name: &str| {
            let texts = transcript.texts.iter().rev().filter(|text| gone.contains(&text.message));
            let line = texts.filter(|text| text.text.contains(name)).find_map(|text| {
                text.text.lines().rev().find(|line| line.contains(name)).map(|line| around(line, name))
            });
            line.filter(|line| line != name)
        };
        all.extend(names.into_iter().map(|name| Must {
            kind: MustKind::Name,
            line: lines(&name),
            fact: Fact::Named(name),
        }));
        Self(all)
    }

    /// Everything that must survive.
    #[must_use]
    pub fn all(&self) -> Vec<&Must> {
        self.0.iter().collect()
    }

    /// What of it cannot be read in `after`, where `summary` stands in the place of what went.
    #[must_use]
    pub fn missing(&self, after: &Conversation, summary: &str, tools: &ToolTable) -> Vec<&Must> {
        let left = Left::of(after, tools);
        let words = words_of(summary).collect();
        self.0.iter().filter(|must| !must.is_told(&left, &words)).collect()
    }

    /// How much is told when these are missing, 0 to 1: the share of each kind that there is, and of those the mean. 1 where nothing must survive.
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

/// Whether these words of the user set a limit.
pub(super) fn sets_limit(words: &str) -> bool {
    LIMITS.is_match(words)
}

/// The last sentences of these words that set a limit, in words that leave no doubt. More of them are a text that was pasted.
pub(super) fn limits_in(words: &str) -> Vec<String> {
    if !sets_limit(words) {
        return Vec::new();
    }
    let is_said = |sentence: &&str| {
        STRICT_LIMITS.is_match(sentence)
            && !sentence.ends_with('?')
            && !sentence.contains(['{', '}', '=', '<', '>'])
            && sentence.split_whitespace().nth(2).is_some()
    };
    let mut limits: Vec<String> = sentences(words).filter(is_said).map(|sentence| cut_off(sentence, TELLING)).collect();
    limits.split_off(limits.len().saturating_sub(MAX_LIMITS))
}

fn newest(mut all: Vec<Must>) -> Vec<Must> {
    all.split_off(all.len().saturating_sub(MAX_OF_KIND))
}

/// The sentences by which the user set limits, each once.
fn constraints<'t>(words: impl Iterator<Item = &'t str>) -> Vec<Must> {
    let mut found: Vec<Must> = Vec::new();
    for sentence in words.flat_map(sentences) {
        let text = beginning(sentence, TELLING);
        if text.len() < MIN_SENTENCE || !sets_limit(&text) {
            continue;
        }
        found.retain(|known| known.text() != text);
        found.push(Must::new(MustKind::Constraint, Fact::Asked(text)));
    }
    found
}

/// The sentences of a text: they end with their line, or with a mark before a blank.
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

/// What is open: of the newest plan, and what the user asked for last.
fn tasks(plan: Vec<Fact>, users: &[&Said]) -> Vec<Must> {
    let is_open = |fact: &Fact| !matches!(fact, Fact::Plan { state: Some(ItemState::Done), .. });
    let asked =
        users.iter().rev().map(|said| beginning(&said.words, TELLING)).find(|words| words.len() >= MIN_SENTENCE);
    let task = |fact| Must::new(MustKind::Task, fact);
    plan.into_iter().filter(is_open).chain(asked.map(Fact::Asked)).map(task).collect()
}

/// Of a path the last two parts, which name a file in a summary as well.
fn tail_of(path: &str) -> &str {
    let mut parts = path.rmatch_indices(['/', '\\']);
    parts.nth(1).map_or(path, |(at, _)| &path[at + 1..])
}

/// The part of a line in which a name stands.
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
        let must = MustSurvive::of(&history(), 1..7, &ToolTable::default());
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
        let must = MustSurvive::of(&history(), 1..7, &ToolTable::default());
        let missing = |summary: &str| {
            let messages = json!([{ "role": "user", "content": "Make the parser faster." }, { "role": "assistant", "content": summary }]);
            let after = Conversation::parse(&messages.to_string()).unwrap();
            let missing = must.missing(&after, summary, &ToolTable::default());
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
        let must = MustSurvive::of(&empty, 1..2, &ToolTable::default());
        assert_eq!((must.all().len(), must.score(&[])), (0, 1.0));
    }
}
