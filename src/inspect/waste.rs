//! Content that adds nothing new: repeated, stale or superseded.
//!
//! No token is counted twice. Content is superseded if a later snapshot, todo list, read or write of the same kind
//! replaced it. Of the rest, lines of files that have changed since are stale. Of the rest, content that occurred
//! before is repeated.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use serde::Serialize;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{
    kinds::scaled,
    usage::{EventTokens, Usage},
};
use crate::{
    tokens::Scale,
    transcript::{Action, CallOutcome, Event, Extent, Transcript, replaced},
};

/// Minimum size of a result that is reported as repeated.
const MIN_REPEATED_BYTES: usize = 80;

/// Content that says nothing new. No token counts in two kinds of waste.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Waste {
    /// Tokens of all of it.
    pub tokens: usize,
    /// Number of places.
    pub count: usize,
    /// The largest items, in order.
    pub items: Vec<WasteItem>,
}

/// A place with waste.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WasteItem {
    /// The index of the message.
    pub message_index: usize,
    /// The index of the block.
    pub block_index: usize,
    /// The file, or else the tool; `environment` for a snapshot.
    pub label: String,
    /// Tokens. For lines shown again, their share of the result by bytes.
    pub tokens: usize,
}

impl Waste {
    fn add(&mut self, at: (usize, usize), label: &str, tokens: usize) {
        self.tokens += tokens;
        self.count += 1;
        self.items.push(WasteItem { message_index: at.0, block_index: at.1, label: label.to_owned(), tokens });
    }

    pub(super) fn told(&self, most: usize, scale: Scale) -> Self {
        let mut items = self.items.clone();
        items.sort_by_key(|item| Reverse(item.tokens));
        items.truncate(most);
        items.iter_mut().for_each(|item| item.tokens = scaled(scale, item.tokens));
        Self { tokens: scaled(scale, self.tokens), count: self.count, items }
    }
}

/// All waste of a conversation.
#[derive(Default)]
pub(super) struct Wastes {
    pub(super) repeated: Waste,
    pub(super) stale: Waste,
    pub(super) superseded: Waste,
    /// Tokens wasted by each event.
    by_event: Vec<usize>,
}

/// Whether a file is written, or read completely, later in the conversation.
#[derive(Default, Clone, Copy)]
struct Later {
    is_written: bool,
    is_read_whole: bool,
}

impl Wastes {
    pub(super) fn find(transcript: &Transcript<'_>, usage: &Usage<'_>) -> Self {
        let superseded = superseded(&usage.events);
        let stale = stale_bytes(transcript);
        let mut wastes = Self { by_event: vec![0; superseded.len()], ..Self::default() };
        let mut seen = Seen::default();
        for (index, (used, is_superseded)) in usage.events.iter().zip(superseded).enumerate() {
            let answered: usize = used.event.answers.iter().map(|place| place.range.len()).sum();
            let replaced = stale.get(&index).map_or(0, |bytes| used.answers * bytes / answered.max(1));
            let wasted = match used.event.action {
                Action::Write(_) | Action::Todo if is_superseded => used.call,
                _ if is_superseded => used.answers,
                _ if replaced > 0 => replaced,
                _ => seen.again(transcript, used),
            };
            let is_call = matches!(used.event.action, Action::Write(_) | Action::Todo);
            let Some(at) = (if is_call { used.at } else { used.answer_at.or(used.at) }) else { continue };
            if wasted == 0 {
                continue;
            }
            wastes.by_event[index] = wasted;
            let kind = match (is_superseded, replaced) {
                (true, _) => &mut wastes.superseded,
                (false, 0) => &mut wastes.repeated,
                (false, _) => &mut wastes.stale,
            };
            kind.add(at, label_of(used.event), wasted);
        }
        wastes
    }

    /// Returns the tokens wasted by an event.
    pub(super) fn of_event(&self, index: usize) -> usize {
        self.by_event[index]
    }
}

fn label_of(event: &Event) -> &str {
    match (&event.path, &event.action) {
        (Some(path), _) => path,
        (None, Action::Environment) => "environment",
        (None, _) => &event.tool,
    }
}

/// Returns the bytes of lines that were replaced after they were shown, by event.
fn stale_bytes(transcript: &Transcript<'_>) -> HashMap<usize, usize> {
    let mut bytes = HashMap::new();
    for lines in replaced(transcript).lines {
        let excerpt = &transcript.events[lines.event].shown[lines.excerpt];
        let range = excerpt.lines[lines.lines.start].range().start..excerpt.lines[lines.lines.end - 1].range().end;
        *bytes.entry(lines.event).or_default() += range.len();
    }
    bytes
}

/// Returns, for each event, whether a later event repeats all of its content in newer form.
fn superseded(events: &[EventTokens<'_>]) -> Vec<bool> {
    let mut files: HashMap<&str, Later> = HashMap::new();
    let (mut has_snapshot, mut has_list) = (false, false);
    let mut superseded: Vec<_> = events
        .iter()
        .rev()
        .map(|used| {
            let event = used.event;
            match &event.action {
                Action::Environment => std::mem::replace(&mut has_snapshot, true),
                Action::Todo if event.outcome == CallOutcome::Ok => std::mem::replace(&mut has_list, true),
                _ => event.path.as_deref().is_some_and(|path| is_said_anew(event, files.entry(path).or_default())),
            }
        })
        .collect();
    superseded.reverse();
    superseded
}

fn is_said_anew(event: &Event, later: &mut Later) -> bool {
    match &event.action {
        Action::Read(extent) if matches!(event.outcome, CallOutcome::Ok | CallOutcome::CutOff) => {
            let is_whole = *extent == Extent::Whole && event.outcome == CallOutcome::Ok;
            let is_read_again = later.is_read_whole;
            later.is_read_whole |= is_whole;
            is_read_again && !event.shown.is_empty()
        }
        Action::Write(_) if event.outcome == CallOutcome::Ok => std::mem::replace(&mut later.is_written, true),
        _ => false,
    }
}

/// The tool results and lines seen so far.
#[derive(Default)]
struct Seen {
    answers: HashSet<u128>,
    /// Hashes of lines, with their file.
    lines: HashSet<(u64, u64)>,
}

impl Seen {
    /// Returns the tokens of an event's results that were seen before, and records all of them as seen.
    fn again(&mut self, transcript: &Transcript<'_>, used: &EventTokens<'_>) -> usize {
        let event = used.event;
        let bytes: usize = event.answers.iter().map(|place| place.range.len()).sum();
        if bytes < MIN_REPEATED_BYTES {
            return 0;
        }
        let is_known = event.answers.iter().all(|place| {
            let text = transcript.text(place);
            !self.answers.insert(xxh3_128(text.as_bytes()))
        });
        let repeated = self.lines_again(transcript, event);
        if is_known {
            return used.answers;
        }
        if repeated < MIN_REPEATED_BYTES { 0 } else { used.answers * repeated.min(bytes) / bytes }
    }

    /// Returns the bytes of lines that were seen before.
    fn lines_again(&mut self, transcript: &Transcript<'_>, event: &Event) -> usize {
        let Some(path) = &event.path else { return 0 };
        let file = xxh3_64(path.as_bytes());
        let mut bytes = 0;
        for excerpt in &event.shown {
            for line in 0..excerpt.lines.len() {
                let text = transcript.line(excerpt, line).trim();
                // Lines such as `}` occur everywhere.
                if text.len() > 3 && !self.lines.insert((file, xxh3_64(text.as_bytes()))) {
                    bytes += text.len();
                }
            }
        }
        bytes
    }
}
