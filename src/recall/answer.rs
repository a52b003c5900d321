//! What is said of what was found: whole lines around each place, as many places as fit.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    entries::Kind,
    index::{Entry, Place, RecallIndex, Within},
    ranking::{Candidate, rank},
    words::each_word_at,
};
use crate::{
    by_hash::ByHash,
    tokens::{Encoding, count},
};

/// Lines before one that was found, and behind it, that are shown with it.
const BEFORE: u32 = 1;
const BEHIND: u32 = 2;
/// Entries of at most so many bytes are shown whole.
const WHOLE: usize = 500;
/// Bytes of a line that are shown.
const MAX_LINE: usize = 360;
/// Places of one entry that are shown.
const PER_ENTRY: usize = 2;
/// Bytes of what the user answered that are shown with words of the assistant.
const MAX_REPLY: usize = 200;
/// Entries that say the same, of which the keys are told.
const MAX_ALSO: usize = 2;
/// Shorter lines stand in many entries by chance.
const MIN_SAME: usize = 16;
/// An answer that has used so much of its budget is full.
const FULL: f32 = 0.92;

/// How to search.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// Tokens of the answer at most.
    pub max_tokens: usize,
    /// Where to search.
    pub within: Within,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The hits as text; empty if there are none.
    pub text: String,
    /// The hits, the best first.
    pub hits: Vec<Hit>,
    /// Entries that have a word of the query.
    pub matching: usize,
    /// Entries that were searched.
    pub entries: usize,
    /// Tokens of the text.
    pub tokens: usize,
}

/// An entry that was found.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// What it is read by.
    pub key: String,
    /// Who says it: `user`, `assistant`, `context`, `summary`, or `call`.
    pub who: &'static str,
    /// The call, on one line.
    pub head: String,
    /// The ranges of lines that are shown, from 1, both ends included.
    pub lines: Vec<(u32, u32)>,
    /// Lines of the entry.
    pub total_lines: u32,
    /// Its place in the conversation, in percent.
    pub percent: u32,
    /// The name of its conversation.
    pub conversation: String,
    /// The entry that last changed the file that this one is about, if that came later.
    pub changed_since: Option<String>,
    /// Other entries that say the same.
    pub also: Vec<String>,
}

/// A hit under work.
struct Draft {
    entry: u32,
    place: Place,
    lines: BTreeSet<u32>,
    windows: usize,
    also: Vec<u32>,
    reply: Option<String>,
}

impl RecallIndex {
    /// What a query finds.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Found {
        let ranked = rank(self, query, &options.within);
        let weights = ranked.query.by_hash();
        let mut answer =
            Answer { index: self, weights: &weights, drafts: Vec::new(), shown: HashMap::default(), used: 0 };
        for candidate in &ranked.candidates {
            if answer.used as f32 >= FULL * options.max_tokens as f32 {
                break;
            }
            answer.add(candidate, options);
        }
        let text = answer.text();
        Found {
            hits: answer.drafts.iter().map(|draft| answer.hit(draft)).collect(),
            tokens: tokens(&text),
            text,
            matching: ranked.entries,
            entries: self.entries.iter().filter(|entry| !entry.places.is_empty()).count(),
        }
    }

    /// Where an entry stands, for people: `36%`, and before which compaction.
    pub(super) fn when(&self, place: Place) -> String {
        let told = &self.conversations[place.conversation as usize];
        let slot = self.slot(place);
        let mut when = format!("{}%", self.percent(place));
        let is_summary = |slot: &&super::index::Slot| self.entries[slot.entry as usize].kind == Kind::Summary;
        let (before, behind) = told.slots.split_at(place.slot as usize + 1);
        if behind.iter().any(|slot| is_summary(&slot)) {
            write!(when, ", before compaction {}", before.iter().filter(is_summary).count() + 1).unwrap_or_default();
        }
        if slot.label > 0 {
            write!(when, ", {}", self.labels[usize::from(slot.label)]).unwrap_or_default();
        }
        if self.conversations.len() > 1 && !told.name.is_empty() {
            write!(when, ", in {}", told.name).unwrap_or_default();
        }
        when
    }

    pub(super) fn percent(&self, place: Place) -> u32 {
        let told = &self.conversations[place.conversation as usize];
        (100 * u64::from(self.slot(place).message) / u64::from(told.messages.max(1))) as u32
    }

    /// What an entry is, in short: `Bash npm test`.
    pub(super) fn title(entry: &Entry) -> String {
        match entry.kind {
            Kind::Call(_) => clipped(&entry.head, 80),
            kind => kind.speaker().to_owned(),
        }
    }
}

struct Answer<'a> {
    index: &'a RecallIndex,
    weights: &'a HashMap<u32, f32>,
    drafts: Vec<Draft>,
    /// Which hit shows a line of this hash.
    shown: HashMap<u64, usize, ByHash>,
    used: usize,
}

impl Answer<'_> {
    fn add(&mut self, candidate: &Candidate, options: &SearchOptions) {
        let entry = &self.index.entries[candidate.entry as usize];
        let lines: Vec<&str> = entry.text.split('\n').collect();
        let of_entry = self.drafts.iter().position(|draft| draft.entry == candidate.entry);
        if let Some(at) = of_entry {
            let draft = &self.drafts[at];
            if draft.windows >= PER_ENTRY || draft.lines.contains(&candidate.line) {
                return;
            }
        }
        let Some(line) = lines.get(candidate.line as usize).map(|line| line.trim()) else { return };
        if let Some(at) = self.shown.get(&xxh3_64(line.as_bytes())).filter(|_| line.len() >= MIN_SAME) {
            let also = &mut self.drafts[*at].also;
            if of_entry.is_none() && also.len() < MAX_ALSO && !also.contains(&candidate.entry) {
                also.push(candidate.entry);
            }
            return;
        }
        let last = lines.len() as u32 - 1;
        let range = if entry.text.len() <= WHOLE {
            0..=last
        } else {
            candidate.line.saturating_sub(BEFORE)..=last.min(candidate.line + BEHIND)
        };
        let Some(place) = self.index.place(candidate.entry, &options.within) else { return };
        let mut draft =
            Draft { entry: candidate.entry, place, lines: BTreeSet::new(), windows: 1, also: Vec::new(), reply: None };
        let is_new = |line: &u32| of_entry.is_none_or(|at| !self.drafts[at].lines.contains(line));
        draft.lines = range.filter(is_new).collect();
        if of_entry.is_none() {
            draft.reply = self.reply(entry, place);
        }
        let cost =
            if of_entry.is_some() { tokens(&self.body(&draft, &lines)) + 4 } else { tokens(&self.section(&draft)) };
        if self.used + cost > options.max_tokens {
            return;
        }
        self.used += cost;
        let at = of_entry.unwrap_or(self.drafts.len());
        for shown in &draft.lines {
            self.shown.entry(xxh3_64(lines[*shown as usize].trim().as_bytes())).or_insert(at);
        }
        match of_entry {
            Some(at) => {
                self.drafts[at].lines.append(&mut draft.lines);
                self.drafts[at].windows += 1;
            }
            None => self.drafts.push(draft),
        }
    }

    /// What the user said to words of the assistant.
    fn reply(&self, entry: &Entry, place: Place) -> Option<String> {
        if entry.kind != Kind::Assistant {
            return None;
        }
        let told = &self.index.conversations[place.conversation as usize];
        let next = told.slots.get(place.slot as usize + 1)?;
        let reply = &self.index.entries[next.entry as usize];
        let is_shown = self.drafts.iter().any(|draft| draft.entry == next.entry);
        (reply.kind == Kind::User && !is_shown)
            .then(|| format!("[{}] {}", reply.key, clipped(reply.text.trim(), MAX_REPLY)))
    }

    fn text(&self) -> String {
        let sections: Vec<String> = self.drafts.iter().map(|draft| self.section(draft)).collect();
        sections.join("\n")
    }

    /// A hit as text: a line that says what it is and when, and the lines.
    fn section(&self, draft: &Draft) -> String {
        let index = self.index;
        let entry = &index.entries[draft.entry as usize];
        let lines: Vec<&str> = entry.text.split('\n').collect();
        let mut text = format!("[{}] {} · {}", entry.key, RecallIndex::title(entry), index.when(draft.place));
        if draft.lines.len() < lines.len() {
            let shown: Vec<String> = ranges(&draft.lines).into_iter().map(range_text).collect();
            write!(text, " · lines {} of {}", shown.join(", "), lines.len()).unwrap_or_default();
        }
        if let Some(newer) = index.changed_since(draft.entry, draft.place) {
            let newer = &index.entries[index.slot(newer).entry as usize];
            write!(text, " · file changed since: {}", newer.key).unwrap_or_default();
        }
        let mut also: Vec<String> = Vec::new();
        if entry.places.len() > 1 {
            also.push(format!("{} times", entry.places.len()));
        }
        also.extend(draft.also.iter().map(|other| index.entries[*other as usize].key.clone()));
        if !also.is_empty() {
            write!(text, " · also {}", also.join(", ")).unwrap_or_default();
        }
        text.push('\n');
        text.push_str(&self.body(draft, &lines));
        if let Some(reply) = &draft.reply {
            write!(text, "user answered: {reply}\n").unwrap_or_default();
        }
        text
    }

    fn body(&self, draft: &Draft, lines: &[&str]) -> String {
        let mut text = String::new();
        let mut before = None;
        for at in &draft.lines {
            if before.is_some_and(|before| before + 1 < *at) {
                text.push_str("…\n");
            }
            before = Some(*at);
            text.push_str(&best_part(lines[*at as usize], self.weights));
            text.push('\n');
        }
        text
    }

    fn hit(&self, draft: &Draft) -> Hit {
        let index = self.index;
        let entry = &index.entries[draft.entry as usize];
        let key = |entry: u32| index.entries[entry as usize].key.clone();
        let is_call = matches!(entry.kind, Kind::Call(_));
        Hit {
            key: entry.key.clone(),
            who: if is_call { "call" } else { entry.kind.speaker() },
            head: entry.head.clone(),
            lines: ranges(&draft.lines),
            total_lines: entry.line_count,
            percent: index.percent(draft.place),
            conversation: index.conversations[draft.place.conversation as usize].name.clone(),
            changed_since: index.changed_since(draft.entry, draft.place).map(|newer| key(index.slot(newer).entry)),
            also: draft.also.iter().map(|other| key(*other)).collect(),
        }
    }
}

/// Ranges of lines that follow each other, from 1.
fn ranges(lines: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in lines.iter().map(|line| line + 1) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    ranges
}

fn range_text((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

pub(super) fn tokens(text: &str) -> usize {
    count(text, Encoding::default()).tokens
}

/// The beginning of a text on one line.
pub(super) fn clipped(text: &str, bytes: usize) -> String {
    let line = text.split('\n').next().unwrap_or_default();
    if line.len() <= bytes && line.len() == text.len() {
        return line.to_owned();
    }
    let end = boundary(line, bytes.min(line.len()));
    format!("{}…", &line[..end])
}

/// The last border of a character at or before `at`.
pub(super) fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A line, or of a long one the part in which most of the query stands.
fn best_part(line: &str, weights: &HashMap<u32, f32>) -> String {
    if line.len() <= MAX_LINE {
        return line.to_owned();
    }
    let mut found: Vec<(usize, u32, f32)> = Vec::new();
    each_word_at(line, |at, hash| found.extend(weights.get(&hash).map(|weight| (at, hash, *weight))));
    let worth = |from: usize| {
        let mut seen: Vec<u32> = Vec::new();
        let inside = found.iter().filter(|(at, ..)| (from..from + MAX_LINE).contains(at));
        inside.fold(0.0, |sum, (_, hash, weight)| {
            if seen.contains(hash) {
                return sum;
            }
            seen.push(*hash);
            sum + weight
        })
    };
    let starts = found.iter().take(200).map(|(at, ..)| at.saturating_sub(MAX_LINE / 4));
    let best = starts.map(|start| (worth(start), start)).reduce(|best, next| if next.0 > best.0 { next } else { best });
    let start = best.map_or(0, |(_, start)| start.min(line.len() - MAX_LINE));
    let (start, end) = (boundary(line, start), boundary(line, start + MAX_LINE));
    let (before, behind) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    format!("{before}{}{behind}", &line[start..end])
}
