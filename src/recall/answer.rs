//! Writes the response to a query: whole lines around each place found, as many places as fit.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
    rc::Rc,
};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    entries::Kind,
    index::{Entry, Place, RecallIndex, Within},
    ranking::{Candidate, Ranked, rank},
    words::each_word_at,
};
use crate::{
    by_hash::ByHash,
    tokens::{Encoding, count},
};

/// Lines shown before and after a found line.
const BEFORE: u32 = 1;
const BEHIND: u32 = 2;
/// Entries of at most this many bytes are shown whole.
const WHOLE: usize = 500;
/// Maximum bytes of a line.
const MAX_LINE: usize = 360;
/// Maximum bytes of a call's subject in its title.
const MAX_TITLE: usize = 60;
/// Maximum bytes of words in a title.
const MAX_WORDS: usize = 40;
/// Maximum bytes of a path in a title.
const MAX_PATH: usize = 40;
/// Maximum places shown per entry.
const PER_ENTRY: usize = 2;
/// Maximum bytes of the user's reply shown with the assistant's words.
const MAX_REPLY: usize = 200;
/// Maximum entries with the same text whose keys are listed.
const MAX_ALSO: usize = 2;
/// Shorter lines occur in many entries by chance.
const MIN_SAME: usize = 16;
/// Places worth less than this fraction of the best are left out. On the questions of the public reading test they
/// gave no evidence, and took a sixth of the tokens.
const LEAST: f32 = 0.4;
/// A response that uses this fraction of its budget is full.
const FULL: f32 = 0.92;
/// A response is also full after this many places that did not fit.
const MAX_MISFITS: usize = 8;
/// Maximum entries that did not fit whose keys and titles are listed.
const MAX_FURTHER: usize = 4;
/// Texts with more bytes per token are so rare that larger texts are assumed not to fit, without counting.
const BYTES_PER_TOKEN: usize = 8;

/// How to search.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// Maximum tokens of the response.
    pub max_tokens: usize,
    /// Where to search.
    pub within: Within,
}

/// The result of a search.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Number of entries with a word of the query.
    pub matching: usize,
    /// Number of entries searched.
    pub entries: usize,
    /// Tokens of the hits as text.
    pub tokens: usize,
    /// The best entries that did not fit.
    pub further: Vec<Named>,
}

/// An entry by its key and title.
#[derive(Debug, Clone, Serialize)]
pub struct Named {
    /// The key for reading it.
    pub key: String,
    /// A title such as `Bash npm test`.
    pub title: String,
}

/// An entry that a search found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RecallHit"))]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The key for `read`: 4 characters or more, the same after more messages, another condensation, in another
    /// process.
    pub key: String,
    /// The speaker, or `call` for a tool call and its result.
    #[cfg_attr(
        test,
        ts(type = "\"user\" | \"assistant\" | \"assistant, thinking\" | \"context\" | \"summary\" | \"call\"")
    )]
    pub who: &'static str,
    /// Tool and target of a call, on one line; empty for words.
    pub head: String,
    /// Ranges of lines that the text shows, from 1, both ends included.
    #[cfg_attr(test, ts(type = "[first: number, last: number][]"))]
    pub lines: Vec<(u32, u32)>,
    /// Number of lines of the entry.
    pub total_lines: u32,
    /// Its place in the conversation, 0 to 100 percent.
    pub percent: u32,
    /// The name of its conversation.
    #[cfg_attr(test, ts(skip))]
    pub conversation: String,
    /// Key of the entry that last changed the file which this one is about, if that came later; else null.
    pub changed_since: Option<String>,
    /// Keys of other entries that say the same.
    pub also: Vec<String>,
    /// The line with its title and time.
    #[cfg_attr(test, ts(skip))]
    pub title: String,
    /// That line, and lines of the entry.
    #[cfg_attr(test, ts(skip))]
    pub text: String,
}

/// A hit while it is assembled.
struct Draft {
    entry: u32,
    place: Place,
    /// Notes on newer versions and earlier reads.
    notes: String,
    lines: BTreeSet<u32>,
    windows: usize,
    also: Vec<u32>,
    reply: Option<String>,
}

impl RecallIndex {
    /// Searches for a query.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Found {
        let ranked = rank(self, query, &options.within);
        let weights = ranked.query.by_hash();
        let mut answer = Answer {
            index: self,
            ranked: &ranked,
            weights: &weights,
            options,
            drafts: Vec::new(),
            lines: HashMap::default(),
            shown: HashMap::default(),
            used: 0,
            misfits: 0,
        };
        let least = LEAST * ranked.candidates.first().map_or(0.0, |best| best.score);
        let worth_showing = || ranked.candidates.iter().take_while(|candidate| candidate.score >= least);
        for candidate in worth_showing() {
            if answer.used as f32 >= FULL * options.max_tokens as f32 || answer.misfits > MAX_MISFITS {
                break;
            }
            answer.add(candidate);
        }
        Found {
            hits: answer.drafts.iter().map(|draft| answer.hit(draft)).collect(),
            tokens: answer.used,
            further: answer.further(worth_showing().map(|candidate| candidate.entry)),
            matching: ranked.entries,
            entries: self.entries.iter().filter(|entry| !entry.places.is_empty()).count(),
        }
    }

    /// Returns an entry's position for people: `36%`, and before which compaction.
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

    /// Returns an entry's key and title.
    pub(super) fn named(&self, entry: u32) -> Named {
        let entry = &self.entries[entry as usize];
        let title = match entry.kind {
            Kind::Call(_) => Self::title(entry, false),
            _ => format!("{}: {}", Self::title(entry, false), clipped(entry.text.trim(), MAX_WORDS)),
        };
        Named { key: entry.key.clone(), title }
    }

    /// Returns an entry's short name, such as `Bash npm test`; only the tool if its parameters are shown anyway.
    pub(super) fn title(entry: &Entry, shows_parameters: bool) -> String {
        if !matches!(entry.kind, Kind::Call(_)) {
            return entry.kind.speaker().to_owned();
        }
        let tool = entry.head.split(' ').next().unwrap_or_default();
        match (shows_parameters, entry.file.is_empty()) {
            (true, _) => tool.to_owned(),
            (false, false) => format!("{tool} {}", end_of_path(&entry.file)),
            (false, true) => clipped(&entry.head, MAX_TITLE),
        }
    }
}

struct Answer<'a> {
    index: &'a RecallIndex,
    ranked: &'a Ranked,
    weights: &'a HashMap<u32, f32>,
    options: &'a SearchOptions,
    drafts: Vec<Draft>,
    /// The lines of entries.
    lines: HashMap<u32, Rc<[&'a str]>>,
    /// The hit that shows a line with this hash.
    shown: HashMap<u64, usize, ByHash>,
    used: usize,
    misfits: usize,
}

impl<'a> Answer<'a> {
    /// Adds a place, unless it is already shown or does not fit.
    fn add(&mut self, candidate: &Candidate) {
        let lines = self.lines(candidate.entry);
        let known = self.drafts.iter().position(|draft| draft.entry == candidate.entry);
        let is_shown = |draft: &Draft| draft.windows >= PER_ENTRY || draft.lines.contains(&candidate.line);
        if known.is_some_and(|at| is_shown(&self.drafts[at]))
            || (known.is_none() && self.is_other_state(candidate.entry))
            || self.stands_elsewhere(candidate, &lines, known)
        {
            return;
        }
        let Some(draft) = self.draft(candidate, &lines, known) else { return };
        let left = self.options.max_tokens - self.used;
        let Some(cost) = self.cost(&draft, &lines, known.is_some(), left) else {
            self.misfits += 1;
            return;
        };
        self.used += cost;
        let at = known.unwrap_or(self.drafts.len());
        for shown in &draft.lines {
            self.shown.entry(xxh3_64(lines[*shown as usize].trim().as_bytes())).or_insert(at);
        }
        match known {
            Some(at) => {
                self.drafts[at].lines.extend(draft.lines);
                self.drafts[at].windows += 1;
            }
            None => self.drafts.push(draft),
        }
    }

    fn lines(&mut self, entry: u32) -> Rc<[&'a str]> {
        let text = &self.index.entries[entry as usize].text;
        Rc::clone(self.lines.entry(entry).or_insert_with(|| text.split('\n').collect()))
    }

    /// Returns true if a hit shows another state of the todo list, which then mentions this one: states differ by a
    /// line or two.
    fn is_other_state(&mut self, entry: u32) -> bool {
        let index = self.index;
        let is_list = |entry: u32| index.entries[entry as usize].is_list();
        let Some(shown) = self.drafts.iter_mut().find(|draft| is_list(entry) && is_list(draft.entry)) else {
            return false;
        };
        if shown.also.len() < MAX_ALSO && !shown.also.contains(&entry) {
            shown.also.push(entry);
        }
        true
    }

    /// Returns true if another hit shows the line, which then mentions this place too.
    fn stands_elsewhere(&mut self, candidate: &Candidate, lines: &[&str], known: Option<usize>) -> bool {
        let Some(line) = lines.get(candidate.line as usize).map(|line| line.trim()) else { return true };
        let Some(at) = self.shown.get(&xxh3_64(line.as_bytes())).filter(|_| line.len() >= MIN_SAME) else {
            return false;
        };
        let also = &mut self.drafts[*at].also;
        if known.is_none() && also.len() < MAX_ALSO && !also.contains(&candidate.entry) {
            also.push(candidate.entry);
        }
        true
    }

    /// Returns the first of these entries that no hit shows or mentions.
    fn further(&self, entries: impl Iterator<Item = u32>) -> Vec<Named> {
        let mut told: Vec<u32> = Vec::new();
        let is_told = |draft: &Draft, entry| draft.entry == entry || draft.also.contains(&entry);
        for entry in entries {
            if told.len() < MAX_FURTHER
                && !told.contains(&entry)
                && !self.drafts.iter().any(|draft| is_told(draft, entry))
            {
                told.push(entry);
            }
        }
        told.into_iter().map(|entry| self.index.named(entry)).collect()
    }

    /// Returns the lines around a place that are not shown yet.
    fn draft(&self, candidate: &Candidate, lines: &[&str], known: Option<usize>) -> Option<Draft> {
        let entry = &self.index.entries[candidate.entry as usize];
        let place = self.index.place(candidate.entry, &self.options.within)?;
        let last = lines.len() as u32 - 1;
        let range = if entry.text.len() <= WHOLE {
            0..=last
        } else {
            let (first, end) = self.ranked.span(entry, candidate.line);
            first.saturating_sub(BEFORE)..=last.min(end + BEHIND)
        };
        let is_new = |line: &u32| known.is_none_or(|at| !self.drafts[at].lines.contains(line));
        let (notes, reply) = match known {
            Some(_) => Default::default(),
            None => (self.notes(candidate.entry, place), self.reply(entry, place)),
        };
        let lines = range.filter(is_new).collect();
        Some(Draft { entry: candidate.entry, place, notes, lines, windows: 1, also: Vec::new(), reply })
    }

    /// Returns the tokens of a hit, or of lines added to one; `None` if they do not fit.
    fn cost(&self, draft: &Draft, lines: &[&str], is_known: bool, left: usize) -> Option<usize> {
        let text = if is_known { self.body(draft, lines) } else { self.section(draft, lines) };
        let cost = if text.len() > left * BYTES_PER_TOKEN { None } else { Some(tokens(&text) + 1) };
        cost.filter(|cost| *cost <= left)
    }

    /// Returns notes on newer versions and earlier reads of an entry.
    fn notes(&self, entry: u32, place: Place) -> String {
        let key = |place: Place| &self.index.entries[self.index.slot(place).entry as usize].key;
        let changed = self.index.changed_since(entry, place).map(|newer| format!(" · changed since: {}", key(newer)));
        let shown = self.index.shown_before(entry, place).map(|shown| format!(" · shown before: {}", key(shown)));
        changed.into_iter().chain(shown).collect()
    }

    /// Returns the user's reply to the assistant's words.
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

    /// Returns a hit as text: a line with title and time, and the lines.
    fn section(&self, draft: &Draft, lines: &[&str]) -> String {
        let mut text = format!("{}\n{}", self.title(draft), self.body(draft, lines));
        if let Some(reply) = &draft.reply {
            text.push_str(&format!("user answered: {reply}\n"));
        }
        text
    }

    /// Returns the title of a hit: its name, its time, and notes on other versions.
    fn title(&self, draft: &Draft) -> String {
        let index = self.index;
        let entry = &index.entries[draft.entry as usize];
        let mut text = format!(
            "[{}] {} · {}",
            entry.key,
            RecallIndex::title(entry, draft.lines.contains(&0)),
            index.when(draft.place)
        );
        if draft.lines.len() < entry.line_count as usize {
            let shown: Vec<String> = ranges(&draft.lines).into_iter().map(range_text).collect();
            text.push_str(&format!(" · lines {}/{}", shown.join(", "), entry.line_count));
        }
        text.push_str(&draft.notes);
        let times = (entry.places.len() > 1).then(|| format!("{} times", entry.places.len()));
        let keys = draft.also.iter().map(|other| index.entries[*other as usize].key.clone());
        let also: Vec<String> = times.into_iter().chain(keys).collect();
        if !also.is_empty() {
            text.push_str(&format!(" · also {}", also.join(", ")));
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
        let lines: Vec<&str> = index.entries[draft.entry as usize].text.split('\n').collect();
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
            title: self.title(draft),
            text: self.section(draft, &lines),
        }
    }
}

/// Returns ranges of consecutive lines, from 1.
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

/// Returns the beginning of a text on one line.
pub(super) fn clipped(text: &str, bytes: usize) -> String {
    let line = text.split('\n').next().unwrap_or_default();
    if line.len() <= bytes && line.len() == text.len() {
        return line.to_owned();
    }
    let end = boundary(line, bytes.min(line.len()));
    format!("{}…", &line[..end])
}

/// Returns the end of a path, which says more than its beginning.
fn end_of_path(path: &str) -> String {
    if path.len() <= MAX_PATH {
        return path.to_owned();
    }
    let from = boundary(path, path.len() - MAX_PATH);
    let end = &path[from..];
    format!("…{}", end.find('/').map_or(end, |at| &end[at..]))
}

/// Returns the last character boundary at or before `at`.
pub(super) fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns a line, or the part of a long one with the most worth for the query.
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
