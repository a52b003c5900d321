//! Follows files line by line, to find which of the shown lines a later event replaced.
//!
//! A line is replaced if an edit replaced the text that contains it, or if the whole file is seen or written later
//! without it. An event may change a file unseen and bring back lines that an edit or write replaced, so these lines
//! are kept. Only a later view of the whole file proves that they are gone. For a file that may have been renamed,
//! nothing proves it. Events are read from the newest to the oldest, because the newest decides.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    events::{Action, Event, Touch, Transcript, Unseen},
    file_answers::Extent,
    outcomes::CallOutcome,
    patches::FileChange,
    place::{Excerpt, Numbering, Place, lines},
};
use crate::{
    by_hash::ByHash,
    maps::HashMap,
    markers::{Gap, NoteLine, may_hold_pointers},
};

/// Lines that an event shows and a later event replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedLines {
    /// The event's index in [`Transcript::events`].
    pub event: usize,
    /// The excerpt's index in [`Event::shown`].
    pub excerpt: usize,
    /// Indices in [`Excerpt::lines`]: the replaced lines, and a few bytes of lines between them that are also shown
    /// below.
    pub lines: Range<usize>,
    /// The event that replaced the last of them.
    pub newer: usize,
}

/// Lines and writes that later events replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Shown lines, in the order of the texts.
    pub lines: Vec<ReplacedLines>,
    /// Overwritten writes and edits, each with the event that overwrote it; in order.
    pub written: Vec<(usize, usize)>,
    /// Writes that are kept although a later write followed, each with that later write; newest first. A command in
    /// between may have restored or moved their content.
    pub unproven: Vec<(usize, usize)>,
}

/// Maximum bytes of lines between replaced ones that are also shown below and are removed with them. Pointers to such
/// lines would cost as much.
const ISLAND_BYTES: usize = 160;

/// Hosts cut longer lines, each in its own way, so a view of the file does not show whether it still contains them.
const LONG_LINE_BYTES: usize = 500;

/// Maximum number of edits with a common line that are compared with each place that shows the line.
const MOST_EDITS: usize = 16;

/// Finds the lines that were shown or written and then replaced. Linear in the length of the conversation.
pub fn replaced(transcript: &Transcript<'_>) -> Replaced {
    let found = Replaced::default();
    let mut follower =
        Follower { transcript, files: HashMap::default(), touched: HashMap::default(), changes: 0, moves: 0, found };
    for index in (0..transcript.events.len()).rev() {
        follower.event(index);
    }
    follower.found.lines.sort_by_key(|found| (found.event, found.excerpt, found.lines.start));
    follower.found.written.reverse();
    follower.found
}

/// A file: its path, and the number of the directory that a relative path refers to.
type File<'a> = (&'a str, u32);

/// Number of times so far that any file may have changed, and may have been renamed.
type Times = (usize, usize);

struct Follower<'t, 'a> {
    transcript: &'t Transcript<'a>,
    files: HashMap<File<'t>, Later<'t>>,
    /// Touched files and folders, with how often each was changed and renamed.
    touched: HashMap<&'t str, Times>,
    /// Number of unseen changes of any file.
    changes: usize,
    /// Number of unseen renames of any file.
    moves: usize,
    found: Replaced,
}

/// The later events of a file.
#[derive(Default)]
struct Later<'t> {
    /// The whole file, when it was last certain.
    whole: Option<Whole>,
    /// The next write that was not undone.
    written: Option<usize>,
    /// The next write, if a command after it makes uncertain what it replaced.
    beyond: Option<usize>,
    /// Edits that were not undone.
    edits: Edits<'t>,
    /// True if something later already decides whether an edit or a write is still in the file.
    is_closed: bool,
    /// The unseen changes taken into account so far.
    seen: Times,
}

/// The lines of a whole file, as hashes.
struct Whole {
    lines: std::collections::HashSet<u64, ByHash>,
    event: usize,
}

/// The old texts of edits, by the hash of the line that is searched for.
#[derive(Default)]
struct Edits<'t>(std::collections::HashMap<u64, Vec<Edit<'t>>, ByHash>);

struct Edit<'t> {
    old: Vec<&'t str>,
    /// True if the last old line is replaced to its end.
    ends_line: bool,
    /// The index of the old line that is searched for.
    anchor: usize,
    /// The new lines, as hashes.
    new: std::collections::HashSet<u64, ByHash>,
    event: usize,
}

/// The fate of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    /// It is also shown below.
    Again,
    /// Replaced by the event with this index.
    Replaced(usize),
}

impl Follower<'_, '_> {
    fn event(&mut self, index: usize) {
        let transcript = self.transcript;
        let event = &transcript.events[index];
        self.changes += usize::from(event.unseen >= Unseen::Changes);
        self.moves += usize::from(event.unseen == Unseen::Moves);
        let Some(path) = event.path.as_deref() else { return };
        let is_done = matches!(event.outcome, CallOutcome::Ok | CallOutcome::CutOff);
        if let Action::Touch(touch) = event.action {
            if event.outcome != CallOutcome::Denied {
                let (changes, moves) = self.touched.entry(path.trim_end_matches('/')).or_default();
                *changes += 1;
                *moves += usize::from(touch == Touch::Removed);
            }
            return;
        }
        let times = self.times(path);
        let later = self.files.entry((path, event.directory)).or_default();
        later.notice(times);
        for (excerpt, shown) in event.shown.iter().enumerate() {
            let ranges = ranges(transcript, shown, &later.fates(transcript, shown)).into_iter();
            self.found.lines.extend(ranges.map(|(lines, newer)| ReplacedLines { event: index, excerpt, lines, newer }));
        }
        let is_view = matches!(event.action, Action::Read(_));
        if let Some(whole) = whole(transcript, event).filter(|_| is_view || !later.is_closed) {
            later.is_seen(whole, transcript, index);
        }
        match &event.action {
            // The file may have its old content again.
            Action::Write(_) | Action::Edit(_)
                if matches!(event.outcome, CallOutcome::Unproven | CallOutcome::Unanswered) =>
            {
                later.is_closed = true;
            }
            Action::Write(_) | Action::Edit(_) if is_done => {
                match (later.written, later.beyond) {
                    (Some(newer), _) => self.found.written.push((index, newer)),
                    (None, Some(newer)) => self.found.unproven.push((index, newer)),
                    (None, None) => {}
                }
                let is_there = !later.is_closed || later.whole.is_some();
                match &event.action {
                    Action::Write(content) if is_there => {
                        later.is_seen(content, transcript, index);
                        later.written = Some(index);
                    }
                    Action::Write(_) if later.seen.0 > 0 => later.beyond = Some(index),
                    Action::Edit(changes) if !later.is_closed => later.edits.add(transcript, changes, index),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Returns how often a file may have been changed and renamed unseen so far.
    fn times(&self, path: &str) -> Times {
        let ancestors = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
        ancestors
            .filter_map(|path| self.touched.get(path))
            .fold((self.changes, self.moves), |(changes, moves), (more, moved)| (changes + more, moves + moved))
    }
}

impl Later<'_> {
    fn notice(&mut self, times: Times) {
        let (changes, moves) = std::mem::replace(&mut self.seen, times);
        self.is_closed |= changes < times.0;
        if moves < times.1 {
            // The former file may have another name now, whichever file has this one.
            let beyond = self.written.or(self.beyond);
            *self = Self { is_closed: true, seen: times, beyond, ..Self::default() };
        }
    }

    /// Records that the whole file consists of these lines.
    fn is_seen(&mut self, content: &Excerpt, transcript: &Transcript<'_>, event: usize) {
        self.is_closed = true;
        if self.whole.is_none() {
            let lines = (0..content.lines.len()).map(|line| hash(transcript.line(content, line))).collect();
            self.whole = Some(Whole { lines, event });
        }
    }

    fn fates(&self, transcript: &Transcript<'_>, shown: &Excerpt) -> Vec<Fate> {
        let line = |at: usize| transcript.line(shown, at);
        if self.whole.is_none() && self.edits.0.is_empty() {
            return Vec::new();
        }
        let hashes: Vec<u64> = (0..shown.lines.len()).map(|at| hash(line(at))).collect();
        let in_whole = |(at, hash): (usize, &u64)| match &self.whole {
            Some(whole) if whole.lines.contains(hash) => Fate::Again,
            // A note in place of lines is not a line of the file.
            _ if NoteLine::read(line(at)).is_some() => Fate::Stays,
            Some(whole) if line(at).len() < LONG_LINE_BYTES => Fate::Replaced(whole.event),
            _ => Fate::Stays,
        };
        let mut fates: Vec<Fate> = hashes.iter().enumerate().map(in_whole).collect();
        if !self.edits.0.is_empty() {
            for at in 0..hashes.len() {
                let edits = self.edits.0.get(&hashes[at]).into_iter().flatten();
                edits.take(MOST_EDITS).for_each(|edit| edit.mark(at, line, &hashes, &mut fates));
            }
        }
        fates
    }
}

impl<'t> Edits<'t> {
    fn add(&mut self, transcript: &'t Transcript<'_>, changes: &[FileChange], event: usize) {
        for change in changes {
            // Other changes do not say which of several equal places they changed.
            let FileChange::Text { old, new, .. } = change else { continue };
            let read = |place: &Place| -> Vec<&'t str> {
                let text = transcript.texts[place.text].text;
                lines(text, place.range.clone()).map(|line| &text[line]).collect()
            };
            let ends_line = transcript.text(old).ends_with('\n');
            let (old, new) = (read(old), read(new).into_iter().map(hash).collect());
            let Some(anchor) = (0..old.len()).max_by_key(|line| old[*line].len()) else { continue };
            self.0.entry(hash(old[anchor])).or_default().push(Edit { old, ends_line, anchor, new, event });
        }
    }
}

impl Edit<'_> {
    /// Marks the lines that the edit replaced, if line `at` is the one searched for and the others surround it.
    fn mark<'l>(&self, at: usize, line: impl Fn(usize) -> &'l str, hashes: &[u64], fates: &mut [Fate]) {
        let Some(first) = at.checked_sub(self.anchor).filter(|first| first + self.old.len() <= hashes.len()) else {
            return;
        };
        let last = self.old.len() - 1;
        let stands = |(index, old): (usize, &&str)| {
            let (line, old) = (without_return(line(first + index)), without_return(old));
            // An edit may begin and end within a line.
            let is_begun = index == 0 && last > 0 && line.ends_with(old);
            let is_ended = index == last && last > 0 && !self.ends_line && line.starts_with(old);
            line == old || is_begun || is_ended
        };
        if !self.old.iter().enumerate().all(stands) {
            return;
        }
        for (index, old) in self.old.iter().enumerate() {
            if without_return(line(first + index)) == without_return(old) {
                let is_again = self.new.contains(&hashes[first + index]);
                fates[first + index] = if is_again { Fate::Again } else { Fate::Replaced(self.event) };
            }
        }
    }
}

/// A result of fewer lines may be a host's message instead of a file.
const LEAST_WHOLE_LINES: usize = 4;

/// Words with which hosts say that they show only a part, in the first and last lines or on lines of their own. One
/// word is enough for doubt.
const CUT: [&str; 14] = [
    "truncat",
    "omitted",
    "more line",
    "not shown",
    "skipped",
    "cut off",
    "timed out",
    "denied",
    "unchanged",
    "too large",
    "too long",
    "limit",
    "cancel",
    "showing",
];

fn says_one_of(text: &str, words: &[&str]) -> bool {
    let text = text.to_ascii_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// Returns the whole file if an event shows it beyond doubt.
fn whole<'e>(transcript: &Transcript<'_>, event: &'e Event) -> Option<&'e Excerpt> {
    let only = whole_by_its_form(event)?;
    let count = only.lines.len();
    let is_spoken = |at: usize| {
        let line = transcript.line(only, at).trim_start();
        let is_note = line.starts_with(['[', '(', '.', '…', '<', '*', '-', '=']);
        (at < 3 || at + 3 >= count || is_note) && says_one_of(line, &CUT)
    };
    let holds_markers = || {
        let text = &transcript.texts[only.text].text[only.range.clone()];
        may_hold_pointers(text) || Gap::may_be_in(text)
    };
    let is_certain = count >= LEAST_WHOLE_LINES && !(0..count).any(is_spoken) && !holds_markers();
    is_certain.then_some(only)
}

fn whole_by_its_form(event: &Event) -> Option<&Excerpt> {
    let [only] = event.shown.as_slice() else { return None };
    let is_whole = match event.action {
        Action::Read(extent) => extent == Extent::Whole,
        Action::Write(_) | Action::Edit(_) => only.numbering == Numbering::None && only.first == 1,
        _ => false,
    };
    (is_whole && event.outcome == CallOutcome::Ok).then_some(only)
}

/// Returns the ranges of lines to leave out, each with the event that replaced its last line.
fn ranges(transcript: &Transcript<'_>, shown: &Excerpt, fates: &[Fate]) -> Vec<(Range<usize>, usize)> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    // Bytes of lines also shown below, since the last replaced line.
    let mut island = None;
    for (at, fate) in fates.iter().enumerate() {
        match fate {
            Fate::Stays => island = None,
            Fate::Again => {
                island =
                    island.map(|bytes| bytes + transcript.line(shown, at).len()).filter(|bytes| *bytes <= ISLAND_BYTES);
            }
            Fate::Replaced(newer) => {
                match (island, found.last_mut()) {
                    (Some(_), Some((range, last))) => (range.end, *last) = (at + 1, *newer),
                    _ => found.push((at..at + 1, *newer)),
                }
                island = Some(0);
            }
        }
    }
    found
}

fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

fn hash(line: &str) -> u64 {
    xxh3_64(without_return(line).as_bytes())
}
