//! The index: the entries of one or more conversations, each text once, and the lines that contain its words.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::Xxh3;

use super::{
    entries::{Draft, Kind, entries, open_from},
    keys,
    postings::{Posting, Postings},
    versions::{changed_files, same_file},
    words::each_word,
};
use crate::{
    by_hash::ByHash,
    formats::Messages,
    parallel::in_parts,
    transcript::{CallOutcome, Meaning, ToolTable, clean_path},
};

/// Maximum bytes of a line that are indexed; people write no longer lines.
const MAX_LINE: usize = 64 * 1024;

/// Maximum lines of a result that may be a stub, which shows no content.
const MOST_OF_STUB: u32 = 2;

/// An index of conversations, which grows with them.
#[derive(Default)]
pub struct RecallIndex {
    pub(super) entries: Vec<Entry>,
    pub(super) conversations: Vec<Told>,
    pub(super) labels: Vec<String>,
    pub(super) postings: Postings,
    /// Number of lines of all entries, including heads.
    pub(super) lines: u32,
    /// Number of words of all lines.
    pub(super) words: u64,
    by_content: HashMap<u64, u32, ByHash>,
    by_key: HashMap<String, u32>,
    tools: ToolTable,
}

/// A text that can be found, stored once for all its places.
pub struct Entry {
    /// The key for reading it.
    pub key: String,
    /// All characters of its key.
    pub all_of_key: String,
    /// The speaker or tool.
    pub kind: Kind,
    /// The tool and the call's subject.
    pub head: String,
    /// The file it concerns, clean; empty if none.
    pub file: String,
    /// The files it changed, clean.
    pub changes: Vec<String>,
    /// Number of lines of a call's result.
    pub result_lines: u32,
    /// The text.
    pub text: Box<str>,
    /// The line number of its head in the index; those of its text follow.
    pub first_line: u32,
    /// Number of lines of its text.
    pub line_count: u32,
    /// Number of words of its text.
    pub words: u32,
    /// Its places, in order.
    pub places: Vec<Place>,
}

impl Entry {
    /// Returns true if it is a state of the todo list, which the next one replaces.
    pub(super) fn is_list(&self) -> bool {
        self.kind == Kind::Call(Meaning::Todo)
    }
}

/// A place of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The index of the conversation.
    pub conversation: u32,
    /// The index of its entry, in the order of the messages.
    pub slot: u32,
}

/// A conversation: its entries, in order.
#[derive(Default)]
pub struct Told {
    /// Its name for people; empty for a single conversation.
    pub name: String,
    /// Number of messages so far.
    pub messages: u32,
    /// Its entries in order.
    pub slots: Vec<Slot>,
}

/// An entry at its place.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// The index of the entry.
    pub entry: u32,
    /// The index of the message in which it begins.
    pub message: u32,
    /// The label of its part of the conversation; 0 for none.
    pub label: u16,
}

/// The result of appending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// Number of last messages to pass again together with the next ones, because those may answer their calls.
    pub open: usize,
    /// Number of entries.
    pub entries: usize,
}

impl RecallIndex {
    /// Creates an index that knows these tools.
    pub fn new(tools: ToolTable) -> Self {
        Self { tools, labels: vec![String::new()], ..Self::default() }
    }

    /// Begins a conversation with this name. Returns its number.
    pub fn begin(&mut self, name: &str) -> u32 {
        self.conversations.push(Told { name: name.to_owned(), ..Told::default() });
        (self.conversations.len() - 1) as u32
    }

    /// Adds messages to a conversation. The first `again` of them were passed before. `label` names their part of the
    /// conversation.
    pub fn append(&mut self, conversation: u32, read: &Messages, again: usize, label: &str) -> Appended {
        let own = read.conversation();
        let message = |index: usize| read.projection().map_or(index, |projection| projection.message(index));
        let count = read.projection().map_or(own.len(), |projection| projection.messages().len());
        let drafts = entries(own, &self.tools);
        let open = message(open_from(own)).min(count);
        let is_pending = |draft: &Draft| draft.outcome == CallOutcome::Unanswered && message(draft.message) >= open;
        let drafts: Vec<Draft> = drafts.into_iter().filter(|draft| !is_pending(draft)).collect();
        let label = self.label(label);
        let base = self.take_back(conversation, again);
        let hashes = in_parts(&drafts, |draft| draft.text.len(), |drafts| drafts.iter().map(content_hash).collect());
        self.add(&drafts, &hashes);
        for (draft, hash) in drafts.iter().zip(&hashes) {
            let Some(entry) = self.by_content.get(hash).copied() else { continue };
            let told = &mut self.conversations[conversation as usize];
            let slot = told.slots.len() as u32;
            told.slots.push(Slot { entry, message: base + message(draft.message) as u32, label });
            self.entries[entry as usize].places.push(Place { conversation, slot });
        }
        self.conversations[conversation as usize].messages = base + count as u32;
        Appended { open: count - open, entries: self.entries.len() }
    }

    fn label(&mut self, label: &str) -> u16 {
        let known = self.labels.iter().position(|known| known == label);
        let at = known.unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        u16::try_from(at).unwrap_or(0)
    }

    /// Removes the places of the last `again` messages of a conversation. Returns the number of remaining messages.
    fn take_back(&mut self, conversation: u32, again: usize) -> u32 {
        let told = &mut self.conversations[conversation as usize];
        let base = told.messages.saturating_sub(again as u32);
        let kept = told.slots.partition_point(|slot| slot.message < base);
        let gone: Vec<Slot> = told.slots.drain(kept..).collect();
        for slot in gone {
            let places = &mut self.entries[slot.entry as usize].places;
            places.retain(|place| place.conversation != conversation || (place.slot as usize) < kept);
        }
        base
    }

    /// Adds entries for new texts.
    fn add(&mut self, drafts: &[Draft], hashes: &[u64]) {
        let mut seen = HashSet::<u64, ByHash>::default();
        let is_new = |hash: &u64| !self.by_content.contains_key(hash) && seen.insert(*hash);
        let is_new: Vec<bool> = hashes.iter().map(is_new).collect();
        let new: Vec<(&Draft, u64)> = drafts
            .iter()
            .zip(hashes)
            .zip(is_new)
            .filter(|(_, is_new)| *is_new)
            .map(|((draft, hash), _)| (draft, *hash))
            .collect();
        let read = in_parts(
            &new,
            |(draft, _)| draft.text.len(),
            |new| new.iter().map(|(draft, _)| read_words(draft)).collect(),
        );
        for ((draft, hash), words) in new.into_iter().zip(read) {
            let first_line = self.lines;
            let count = words.postings.len() as u32;
            self.postings.extend(words.postings.into_iter().map(|(word, line)| (word, first_line + line)).collect());
            self.lines = first_line + words.lines + 1;
            self.words += u64::from(count);
            self.by_content.insert(hash, self.entries.len() as u32);
            let all_of_key = keys::characters(hash);
            let length =
                (keys::SHORTEST..all_of_key.len()).find(|length| !self.by_key.contains_key(&all_of_key[..*length]));
            let key = all_of_key[..length.unwrap_or(all_of_key.len())].to_owned();
            self.by_key.insert(key.clone(), self.entries.len() as u32);
            self.entries.push(Entry {
                key,
                all_of_key,
                kind: draft.kind,
                head: draft.head.clone(),
                file: clean_path(&draft.file),
                changes: changed_files(draft),
                result_lines: draft.result_lines(),
                text: draft.text.as_str().into(),
                first_line,
                line_count: words.lines,
                words: count,
                places: Vec::new(),
            });
        }
    }

    /// Returns the entry of a key, if one of these conversations contains it.
    pub fn entry(&self, key: &str, within: &Within) -> Option<u32> {
        let key = keys::read(key);
        let stands = |entry: u32| self.place(entry, within).is_some();
        let known = self.by_key.get(&key).copied().filter(|entry| stands(*entry));
        // Another process may have used more or fewer characters of the key.
        let begins = || {
            let begins = |entry: &Entry| key.len() >= keys::SHORTEST && entry.all_of_key.starts_with(&key);
            (0..self.entries.len() as u32).find(|at| begins(&self.entries[*at as usize]) && stands(*at))
        };
        known.or_else(begins)
    }

    /// Returns the newest place of an entry within these conversations.
    pub(super) fn place(&self, entry: u32, within: &Within) -> Option<Place> {
        self.entries[entry as usize].places.iter().copied().rfind(|place| within.holds(place.conversation))
    }

    pub(super) fn slot(&self, place: Place) -> Slot {
        self.conversations[place.conversation as usize].slots[place.slot as usize]
    }

    /// Returns the entry that contains a line.
    pub(super) fn entry_of_line(&self, line: u32) -> u32 {
        (self.entries.partition_point(|entry| entry.first_line <= line) - 1) as u32
    }

    /// Returns the newest change of the entry's file or todo list, if it is newer than the entry.
    pub(super) fn changed_since(&self, entry: u32, place: Place) -> Option<Place> {
        let known = &self.entries[entry as usize];
        let is_about = |file: &String| same_file(&known.file, file);
        if !matches!(known.kind, Kind::Call(_)) || (known.file.is_empty() && !known.is_list()) {
            return None;
        }
        let slots = &self.conversations[place.conversation as usize].slots;
        let later = slots.iter().enumerate().skip(place.slot as usize + 1).rev();
        let changes = |slot: &Slot| {
            let other = &self.entries[slot.entry as usize];
            if known.is_list() { other.is_list() } else { other.changes.iter().any(is_about) }
        };
        let newest = later.filter(|(_, slot)| changes(slot) && slot.entry != entry).map(|(at, _)| at as u32).next();
        newest.map(|slot| Place { slot, ..place })
    }

    /// If a read shows hardly anything, returns the newest earlier entry that shows more of its file: hosts may say
    /// that a file is unchanged since.
    pub(super) fn shown_before(&self, entry: u32, place: Place) -> Option<Place> {
        let known = &self.entries[entry as usize];
        let is_reading = |kind: Kind| matches!(kind, Kind::Call(Meaning::Read | Meaning::Write));
        if known.kind != Kind::Call(Meaning::Read) || known.file.is_empty() || known.result_lines > MOST_OF_STUB {
            return None;
        }
        let slots = &self.conversations[place.conversation as usize].slots[..place.slot as usize];
        let shows = |slot: &Slot| {
            let other = &self.entries[slot.entry as usize];
            is_reading(other.kind) && other.line_count > known.line_count && same_file(&other.file, &known.file)
        };
        slots.iter().rposition(shows).map(|slot| Place { slot: slot as u32, ..place })
    }
}

/// The conversations to search.
#[derive(Debug, Clone, Default)]
pub struct Within(pub Option<Vec<u32>>);

impl Within {
    pub(super) fn holds(&self, conversation: u32) -> bool {
        self.0.as_ref().is_none_or(|these| these.contains(&conversation))
    }
}

/// The words of an entry, with its head as line 0.
struct EntryWords {
    postings: Vec<Posting>,
    lines: u32,
}

fn read_words(draft: &Draft) -> EntryWords {
    let mut postings = Vec::with_capacity(draft.text.len() / 6);
    let mut add = |line: u32, text: &str| {
        let mut cut = text.len().min(MAX_LINE);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        each_word(&text[..cut], |word| postings.push((word, line)));
    };
    add(0, draft.kind.speaker());
    add(0, &draft.head);
    let mut lines = 0;
    for line in draft.text.split('\n') {
        lines += 1;
        add(lines, line);
    }
    EntryWords { postings, lines }
}

/// Hashes the identity of an entry: the speaker or tool, and every word.
fn content_hash(draft: &Draft) -> u64 {
    let mut hash = Xxh3::new();
    let is_call = matches!(draft.kind, Kind::Call(_));
    hash.update(if is_call { "call" } else { draft.kind.speaker() }.as_bytes());
    let tool = draft.head.split(' ').next().unwrap_or_default();
    hash.update(tool.as_bytes());
    hash.update(b"\0");
    hash.update(draft.text.as_bytes());
    hash.digest()
}
