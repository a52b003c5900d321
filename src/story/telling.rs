//! Fits entries into a budget: older ones get less.

use std::{collections::HashSet, ops::Range};

use super::{
    form::Form,
    kind::Kind,
    reading::{Told, read},
    shown::ShownLines,
    text::{Paths, Writer, story},
};
use crate::{
    conversation::Conversation,
    tokens::{Encoding, count_inside},
    transcript::ToolTable,
};

/// At this scale everything is quoted in full.
const MOST: f64 = 4.0;
/// An earlier story stays unchanged if the entries after it can be written at this scale.
const CONTINUED: f64 = 0.15;
/// Number of scales tried, because estimates are slightly off.
const TRIES: usize = 5;
/// An earlier story that does not fit unchanged is shortened to this fraction, so that the next entries fit after it:
/// prompt caches keep an unchanged beginning.
const LEEWAY: f64 = 0.8;
/// Minimum characters to which words are cut.
const LEAST_WORDS: usize = 40;

/// The messages to quote.
pub struct Telling<'a> {
    /// The conversation with the messages.
    pub conversation: &'a Conversation,
    /// The meanings of its tools.
    pub tools: &'a ToolTable,
    /// The encoding for counting.
    pub encoding: Encoding,
}

/// An entry that may be included.
struct Candidate {
    form: Form,
    kind: Kind,
    /// True if it comes from an earlier story, in these words.
    is_earlier: bool,
    /// Tokens per byte.
    each: f64,
}

/// Returns the story of these messages in at most `room` tokens; `None` if there is nothing to quote or no room.
/// `is_known` returns true for lines that can be read elsewhere. The lines in `shown` are quoted at any scale.
#[must_use]
pub fn told(
    telling: &Telling<'_>,
    messages: Range<usize>,
    room: usize,
    is_known: impl Fn(&str) -> bool,
    shown: &ShownLines,
) -> Option<String> {
    let count = |text: &str| count_inside(&format!("{text}\n"), telling.encoding).tokens;
    let mut all = read(telling.conversation, telling.tools, messages, shown);
    all.retain(|told| {
        told.kind == Kind::User
            || told.entry.quotes.is_empty()
            || !told.entry.quotes.iter().all(|quote| is_known(&quote.text))
    });
    let heading = count(crate::markers::LOG_HEADING) + 1;
    let room = room.checked_sub(heading)?;
    let writer = &Writer::new(all.iter().map(|told| told.entry.head.as_str()));
    let standing: Vec<String> = all
        .iter()
        .take_while(|told| told.is_earlier)
        .map(|told| writer.written(&told.entry.head, &told.entry.quotes))
        .collect();
    let mut later_heads = HashSet::new();
    let mut again: Vec<bool> = all.iter().rev().map(|told| !later_heads.insert(told.entry.head.clone())).collect();
    again.reverse();
    let candidate = |(told, is_again): (Told, bool)| {
        let form = Form::new(&told, is_again);
        let whole = form.told(writer, 1.0).unwrap_or_default();
        let each = count(&whole) as f64 / whole.len().max(1) as f64;
        Candidate { form, kind: told.kind, is_earlier: told.is_earlier, each }
    };
    let all: Vec<Candidate> = all.into_iter().zip(again).map(candidate).collect();
    let later = &all[standing.len()..];
    let stand: usize = standing.iter().map(|text| count(text)).sum();
    let continued = room.checked_sub(stand).filter(|_| !standing.is_empty()).and_then(|room| {
        let (entries, scale) = chosen(writer, later, room, count)?;
        (scale >= CONTINUED).then_some(entries)
    });
    let entries = match continued {
        Some(later) => standing.into_iter().chain(later).collect(),
        None => {
            let room = if standing.is_empty() { room } else { (room as f64 * LEEWAY) as usize };
            chosen(writer, &all, room, count).map_or_else(|| cut_to(writer, &all, room, count), |(entries, _)| entries)
        }
    };
    story(entries.iter().map(String::as_str))
}

/// Returns as many entries as fit, and their scale; `None` if even those that must be included do not fit.
fn chosen(
    writer: &Writer,
    all: &[Candidate],
    room: usize,
    count: impl Fn(&str) -> usize,
) -> Option<(Vec<String>, f64)> {
    let mut goal = room as f64;
    let mut best = None;
    for _ in 0..TRIES {
        let scale = scale_for(writer, all, goal);
        let entries = written_at(writer, all, scale);
        let tokens: usize = entries.iter().map(|text| count(text)).sum();
        let fits = tokens <= room;
        if fits && best.as_ref().is_none_or(|(_, known)| *known < scale) {
            best = Some((entries, scale));
        }
        if (fits && (tokens * 50 >= room * 49 || scale >= MOST)) || scale <= 0.0 {
            break;
        }
        goal *= (room as f64 / tokens as f64).min(2.0) * if fits { 0.995 } else { 0.985 };
    }
    best
}

/// Returns the largest scale at which entries have about `goal` tokens.
fn scale_for(writer: &Writer, all: &[Candidate], goal: f64) -> f64 {
    let estimate = |scale: f64| -> f64 {
        let tokens = |(at, entry): (usize, &Candidate)| {
            at_scale(writer, all.len(), at, entry, scale).map_or(0.0, |text| (text.len() + 1) as f64 * entry.each)
        };
        all.iter().enumerate().map(tokens).sum()
    };
    if estimate(MOST) <= goal {
        return MOST;
    }
    let (mut low, mut high) = (0.0, MOST);
    while high - low > 0.004 {
        let middle = f64::midpoint(low, high);
        if estimate(middle) <= goal { low = middle } else { high = middle }
    }
    low
}

fn at_scale(writer: &Writer, all: usize, at: usize, entry: &Candidate, scale: f64) -> Option<String> {
    let age = at as f64 / all.max(1) as f64;
    entry.form.told(writer, entry.kind.share(age, scale))
}

fn written_at(writer: &Writer, all: &[Candidate], scale: f64) -> Vec<String> {
    let mut paths = Paths::default();
    let write = |(at, entry): (usize, &Candidate)| {
        let text = at_scale(writer, all.len(), at, entry, scale)?;
        let (head, rest) = text.split_at(text.find('\n').unwrap_or(text.len()));
        let short = paths.shortened(head);
        Some(if entry.is_earlier { text } else { format!("{short}{rest}") })
    };
    all.iter().enumerate().filter_map(write).collect()
}

/// Returns the words that must be included, cut to the budget: the longest are cut first, and the oldest are dropped
/// last.
fn cut_to(writer: &Writer, all: &[Candidate], room: usize, count: impl Fn(&str) -> usize) -> Vec<String> {
    let words: Vec<&Form> = all.iter().map(|entry| &entry.form).filter(|form| form.is_always_told()).collect();
    let at = |most: usize| -> Vec<String> { words.iter().map(|form| form.cut_words(writer, most)).collect() };
    let tokens = |texts: &[String]| texts.iter().map(|text| count(text)).sum::<usize>();
    let (mut low, mut high) = (LEAST_WORDS, 8000);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if tokens(&at(middle)) <= room { low = middle } else { high = middle }
    }
    let mut texts = at(low);
    let mut left = tokens(&texts);
    texts.retain(|text| {
        let goes = left > room;
        left -= if goes { count(text) } else { 0 };
        !goes
    });
    texts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_that_are_shown_stand_under_their_call_in_order_and_again_in_the_next_story() {
        let read =
            json!({ "type": "tool_use", "id": "a", "name": "Read", "input": { "file_path": "/app/src/day.rs" } });
        let run = json!({ "type": "tool_use", "id": "b", "name": "Bash", "input": { "command": "npm test" } });
        let result = |id: &str, text: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        let messages = json!([
            { "role": "user", "content": "Fix it." },
            { "role": "assistant", "content": [read, run] },
            { "role": "user", "content": [
                result("a", "     7\tfn parse_due_date() {\n     8\t}\n     9\tfn other() {"),
                result("b", "listing src/week.rs\nnoise\n 3 passed"),
            ] },
        ]);
        let tools = ToolTable::default();
        let tell = |messages: &serde_json::Value, range: Range<usize>, lines: &[(usize, &str)]| {
            let conversation = Conversation::parse(&messages.to_string()).unwrap();
            let telling = Telling { conversation: &conversation, tools: &tools, encoding: Encoding::default() };
            let mut shown = ShownLines::default();
            lines.iter().for_each(|(message, line)| shown.insert(*message, line));
            told(&telling, range, 400, |_| false, &shown).unwrap()
        };
        let story = tell(&messages, 1..3, &[(2, "fn parse_due_date() {"), (2, "listing src/week.rs")]);
        let expected = "[Log of the messages left out here, in quotes]\nRead /app/src/day.rs\n  → fn parse_due_date() {\nBash npm test\n  → listing src/week.rs\n  → noise\n  → 3 passed";
        assert_eq!(story, expected);
        assert!(!tell(&messages, 1..3, &[]).contains("Read"), "a look is told for its lines alone");
        let next = json!([{ "role": "user", "content": "Fix it." }, { "role": "assistant", "content": crate::markers::LEFT_OUT_HERE }, { "role": "user", "content": story }]);
        assert_eq!(tell(&next, 2..3, &[(2, "fn parse_due_date() {")]), story, "an earlier story stands as it is");
    }
}
