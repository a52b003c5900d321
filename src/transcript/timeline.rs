//! The versions of every file that a conversation implies, and which of their lines the model has been shown where.

use std::{collections::HashMap, ops::Range, sync::Arc};

use super::{
    events::{Action, Event, Transcript},
    file_answers::Extent,
    known_lines::{KnownLines, LineRun, LineSource},
    locate::{Found, Search},
    outcomes::CallOutcome,
    patches::FileChange,
    place::{Excerpt, Place, Span},
};

/// Lines that stand together in one text: an excerpt of an answer, what a call writes, or the new lines of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// The event.
    pub event: usize,
    /// Index in [`Transcript::texts`].
    pub text: usize,
    lines: ShownLines,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ShownLines {
    /// This excerpt of the event's [`Event::shown`].
    Excerpt(usize),
    /// What the event writes.
    Written,
    /// The new lines of this change.
    FileChange(usize),
    /// Lines of a text change.
    Own(Vec<Span>),
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The file.
    pub path: Arc<str>,
    /// The event that made it or showed it first.
    pub event: usize,
    /// What made it.
    pub cause: Cause,
    /// How many lines it has, when that is known.
    pub total: Option<u32>,
    /// The lines that are known of it (by the time the next version began), in order, each run with the newest place that shows it.
    /// Empty as well when the versions of the conversation would have become too much to keep.
    pub known: Vec<LineRun>,
}

/// What made a version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It was there when the conversation first came to it.
    Found,
    /// A write set its content.
    Written,
    /// An edit changed the version before.
    Edited,
    /// It is not what the conversation had made of it: something else changed the file.
    ChangedOutside,
    /// It was changed, moved or deleted in a way that the conversation does not show.
    Touched,
}

/// What an event has to do with its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEvent {
    /// The version before; `None` when the event is the first about the file.
    pub before: Option<usize>,
    /// The version that it shows or makes.
    pub after: usize,
    /// Lines of this event that were already visible, at the newest place of each.
    pub echoes: Vec<Echo>,
}

/// Lines of an event that stand, the same, in an earlier event; or, for what an answer shows of an edit, in the call itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Echo {
    /// Which lines of the event.
    pub of: EchoOf,
    /// Their indices there, from 0.
    pub lines: Range<usize>,
    /// Where the first of them stands already; the others follow it.
    pub earlier: LineSource,
    /// The number of the first line in the version that the event shows or replaces.
    pub number: u32,
}

/// Which lines of an event an [`Echo`] speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EchoOf {
    /// Those of this excerpt in [`Event::shown`].
    Shown(usize),
    /// Those that the event writes.
    Written,
    /// The hits of a search.
    Hits,
}

/// The versions of every file. Linear in the length of the conversation: what would take longer is given up, and the versions
/// concerned know fewer lines.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    showings: Vec<Showing>,
    composed: Vec<Box<str>>,
    versions: Vec<Version>,
    files: HashMap<Arc<str>, Vec<usize>>,
    events: Vec<Option<FileEvent>>,
    /// Echoes of searches, which concern several files.
    hits: HashMap<usize, Vec<Echo>>,
}

/// How many bytes may be searched for the places of edits, in all: so much that real histories never reach it (500 edits of a file of
/// 500 KB), and so little that hostile ones stay linear.
const BUDGET: u64 = 256 << 20;
/// The same for every byte of the conversation.
const BUDGET_PER_BYTE: u64 = 128;

/// How many bytes of composed lines are kept for every byte of the conversation.
const COMPOSED_PER_BYTE: u64 = 2;

/// Line numbers above this are not believed.
const LAST_NUMBER: u32 = 1 << 30;

impl Timeline {
    /// Follows the files through a conversation.
    #[must_use]
    pub fn new(transcript: &Transcript<'_>) -> Self {
        let bytes: usize = transcript.texts.iter().map(|text| text.text.len()).sum();
        let timeline = Self { events: vec![None; transcript.events.len()], ..Self::default() };
        let mut builder = Builder {
            transcript,
            timeline,
            open: HashMap::new(),
            budget: BUDGET + BUDGET_PER_BYTE * bytes as u64,
            composed_left: (1 << 20) + COMPOSED_PER_BYTE * bytes as u64,
        };
        for (index, event) in transcript.events.iter().enumerate() {
            builder.event(index, event);
        }
        builder.finish()
    }

    /// All versions, in the order in which they came up.
    #[must_use]
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// Every file with its versions (indices in [`Timeline::versions`]), in no order.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.files.iter().map(|(path, versions)| (&**path, versions.as_slice()))
    }

    /// The versions of the file, the oldest first (indices in [`Timeline::versions`]).
    #[must_use]
    pub fn versions_of(&self, path: &str) -> &[usize] {
        self.files.get(path).map_or(&[], Vec::as_slice)
    }

    /// What the event of this index has to do with its file; `None` when it has no file or says nothing about it.
    #[must_use]
    pub fn event(&self, event: usize) -> Option<&FileEvent> {
        self.events.get(event)?.as_ref()
    }

    /// The lines of a search that were already visible.
    #[must_use]
    pub fn hits(&self, event: usize) -> &[Echo] {
        self.hits.get(&event).map_or(&[], Vec::as_slice)
    }

    /// The showing that a line stands in; `None` for a composed line.
    #[must_use]
    pub fn showing(&self, source: LineSource) -> Option<&Showing> {
        self.showings.get(source.showing as usize)
    }

    /// Where the line stands; `None` when no text holds it as a whole.
    #[must_use]
    pub fn place(&self, transcript: &Transcript<'_>, source: LineSource) -> Option<Place> {
        let showing = self.showing(source)?;
        let span = showing.lines(transcript).get(source.line as usize)?;
        Some(Place { text: showing.text, range: span.range() })
    }

    /// The lines from `source` on, this many, from the start of the first one to the end of the last; what stands between them
    /// (line breaks, numbers) is inside. `None` when they do not all stand there.
    #[must_use]
    pub fn lines_place(&self, transcript: &Transcript<'_>, source: LineSource, count: usize) -> Option<Place> {
        let showing = self.showing(source)?;
        let first = source.line as usize;
        let lines = showing.lines(transcript).get(first..first.checked_add(count)?)?;
        Some(Place { text: showing.text, range: lines.first()?.range().start..lines.last()?.range().end })
    }

    /// The content of the line.
    #[must_use]
    pub fn line<'t>(&'t self, transcript: &'t Transcript<'_>, source: LineSource) -> &'t str {
        if source.showing == LineSource::COMPOSED {
            return self.composed.get(source.line as usize).map_or("", |line| line);
        }
        let Some(showing) = self.showing(source) else { return "" };
        let span = showing.lines(transcript).get(source.line as usize);
        span.map_or("", |span| &transcript.texts[showing.text].text[span.range()])
    }

    /// Whether the lines `numbers` of the version can all be read inside the place.
    #[must_use]
    pub fn is_visible(&self, transcript: &Transcript<'_>, version: usize, numbers: Range<u32>, place: &Place) -> bool {
        let Some(version) = self.versions.get(version) else { return false };
        let mut next = numbers.start;
        for run in &version.known {
            if run.numbers().end <= next || run.first >= numbers.end {
                continue;
            }
            let inside = |number: u32| {
                self.place(transcript, run.source.forward(number - run.first)).is_some_and(|line| {
                    line.text == place.text
                        && place.range.start <= line.range.start
                        && line.range.end <= place.range.end
                })
            };
            // Lines of a run stand in one text in order, so its ends decide.
            let last = run.numbers().end.min(numbers.end) - 1;
            if run.first > next || !inside(next) || !inside(last) {
                return false;
            }
            next = last + 1;
        }
        next >= numbers.end
    }
}

impl Showing {
    /// The lines as an excerpt, with their number and numbering; `None` for the new lines of a change, which have no number of
    /// their own.
    #[must_use]
    pub fn excerpt<'t>(&self, transcript: &'t Transcript<'_>) -> Option<&'t Excerpt> {
        let event = transcript.events.get(self.event)?;
        match (&self.lines, &event.action) {
            (ShownLines::Excerpt(index), _) => event.shown.get(*index),
            (ShownLines::Written, Action::Write(content)) => Some(content),
            _ => None,
        }
    }

    /// The lines, in order.
    #[must_use]
    pub fn lines<'t>(&'t self, transcript: &'t Transcript<'_>) -> &'t [Span] {
        let event = &transcript.events[self.event];
        match (&self.lines, &event.action) {
            (ShownLines::Excerpt(index), _) => event.shown.get(*index).map_or(&[], |excerpt| &excerpt.lines),
            (ShownLines::Written, Action::Write(content)) => &content.lines,
            (ShownLines::FileChange(index), Action::Edit(changes)) => match changes.get(*index) {
                Some(FileChange::Lines { new, .. } | FileChange::Insert { new, .. }) => new,
                _ => &[],
            },
            (ShownLines::Own(lines), _) => lines,
            _ => &[],
        }
    }
}

/// What became of a change.
enum Applied {
    /// It was made, and the file has this many lines more.
    Longer(i64),
    /// What it replaces is not among the known lines, so it is somewhere between them.
    Elsewhere,
    /// It cannot be told where it was made.
    Unclear,
}

/// The newest version of a file while the conversation is read.
struct Open {
    version: usize,
    known: KnownLines,
}

struct Builder<'t, 'a> {
    transcript: &'t Transcript<'a>,
    timeline: Timeline,
    open: HashMap<Arc<str>, Open>,
    /// Bytes that may still be looked at beyond those of the events themselves.
    budget: u64,
    /// Bytes of composed lines that may still be kept.
    composed_left: u64,
}

impl Builder<'_, '_> {
    fn event(&mut self, index: usize, event: &Event) {
        if let Action::Search(hits) = &event.action {
            if !hits.is_empty() {
                self.hits(index, event);
            }
            return;
        }
        let Some(path) = &event.path else { return };
        let happened = matches!(event.outcome, CallOutcome::Ok | CallOutcome::CutOff);
        match &event.action {
            Action::Read(_) if event.shown.is_empty() => return,
            Action::Read(_) => {}
            Action::Write(_) | Action::Edit(_) | Action::Touch if !happened => return,
            Action::Write(_) | Action::Edit(_) | Action::Touch => {}
            _ => return,
        }
        let before = self.open.get(path).map(|open| open.version);
        let mut echoes = Vec::new();
        match &event.action {
            Action::Write(content) => self.write(index, path, content, &mut echoes),
            Action::Edit(changes) => self.edit(index, event, path, changes),
            Action::Touch => {
                self.start(index, path, Cause::Touched);
            }
            _ => {}
        }
        let whole = matches!(event.action, Action::Read(Extent::Whole)) && event.outcome == CallOutcome::Ok;
        self.observe(index, event, path, whole, &mut echoes);
        let after = self.open.get(path).map_or(0, |open| open.version);
        self.timeline.events[index] = Some(FileEvent { before, after, echoes });
    }

    /// Starts a version about which nothing is known yet, and closes the one before.
    fn start(&mut self, event: usize, path: &Arc<str>, cause: Cause) -> &mut Open {
        let version = self.timeline.versions.len();
        self.timeline.versions.push(Version { path: path.clone(), event, cause, total: None, known: Vec::new() });
        self.timeline.files.entry(path.clone()).or_default().push(version);
        let open = Open { version, known: KnownLines::default() };
        if let Some(before) = self.open.insert(path.clone(), open) {
            self.timeline.versions[before.version].known = before.known.runs().collect();
        }
        // It was put there one line above.
        self.open.entry(path.clone()).or_insert_with(|| Open { version, known: KnownLines::default() })
    }

    fn add_showing(&mut self, event: usize, text: usize, lines: ShownLines) -> u32 {
        let index = u32::try_from(self.timeline.showings.len()).unwrap_or(u32::MAX - 1);
        self.timeline.showings.push(Showing { event, text, lines });
        index
    }

    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.budget.checked_sub(bytes as u64);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    fn write(&mut self, index: usize, path: &Arc<str>, content: &Excerpt, echoes: &mut Vec<Echo>) {
        self.compare(path, EchoOf::Written, 1, content, echoes);
        let showing = self.add_showing(index, content.text, ShownLines::Written);
        let open = self.start(index, path, Cause::Written);
        let count = content.numbers().len() as u32;
        open.known.insert(LineRun { first: 1, count, source: LineSource { showing, line: 0 } });
        let version = open.version;
        self.timeline.versions[version].total = Some(count);
    }

    /// Takes in the lines that an event shows of its file.
    fn observe(&mut self, index: usize, event: &Event, path: &Arc<str>, whole: bool, echoes: &mut Vec<Echo>) {
        if event.shown.is_empty() {
            return;
        }
        let mut contradicted = false;
        let mut firsts = Vec::with_capacity(event.shown.len());
        let total = self.open.get(path).and_then(|open| self.timeline.versions[open.version].total);
        for (at, excerpt) in event.shown.iter().enumerate() {
            let count = excerpt.lines.len() as u32;
            // The end of a file has a place as soon as its length is known.
            let first = match (excerpt.first, total) {
                (0, Some(total)) if count <= total => total - count + 1,
                (first, _) => first,
            };
            firsts.push(first);
            if first == 0 || first > LAST_NUMBER {
                continue;
            }
            let before = echoes.len();
            let differs = self.compare(path, EchoOf::Shown(at), first, excerpt, echoes);
            if excerpt.first == 0 {
                // The number was a guess.
                if differs {
                    echoes.truncate(before);
                    firsts[at] = 0;
                }
                continue;
            }
            contradicted |= differs;
            if let Some(total) = total {
                // A line break at the end may be shown as an empty line.
                let beyond = excerpt.lines.iter().skip((total + 1).saturating_sub(first) as usize);
                let text = &self.transcript.texts[excerpt.text].text;
                contradicted |=
                    beyond.clone().count() > 1 || beyond.into_iter().any(|line| !text[line.range()].trim().is_empty());
            }
        }
        let shown_total = match event.shown.as_slice() {
            [only] if whole => Some(only.lines.len() as u32),
            _ => None,
        };
        if let (Some(shown), Some(open)) = (shown_total, self.open.get(path)) {
            let last_is_empty = event.shown[0].lines.last().is_some_and(|line| line.range().is_empty());
            let longest = open.known.end().saturating_sub(1).max(total.unwrap_or(0));
            contradicted |=
                longest > shown || total.is_some_and(|total| total != shown && !(last_is_empty && total + 1 == shown));
        }
        if contradicted || !self.open.contains_key(path) {
            let cause = if contradicted { Cause::ChangedOutside } else { Cause::Found };
            self.start(index, path, cause);
        }
        for (at, (excerpt, first)) in event.shown.iter().zip(firsts).enumerate() {
            if first == 0 || first > LAST_NUMBER {
                continue;
            }
            let showing = self.add_showing(index, excerpt.text, ShownLines::Excerpt(at));
            if let Some(open) = self.open.get_mut(path) {
                let count = excerpt.lines.len() as u32;
                open.known.insert(LineRun { first, count, source: LineSource { showing, line: 0 } });
            }
        }
        if let (Some(shown), Some(open)) = (shown_total, self.open.get(path)) {
            let known = &mut self.timeline.versions[open.version].total;
            *known = known.or(Some(shown));
        }
    }

    /// Compares lines with what is known of the file's newest version, and notes those that are the same. Returns whether any
    /// is not. Costs as much as there is to compare.
    fn compare(&mut self, path: &Arc<str>, of: EchoOf, first: u32, excerpt: &Excerpt, echoes: &mut Vec<Echo>) -> bool {
        let Some(open) = self.open.get(path) else { return false };
        let text = &self.transcript.texts[excerpt.text].text;
        let end = first.saturating_add(excerpt.lines.len() as u32);
        let mut contradicted = false;
        for run in open.known.within(first..end) {
            for step in 0..run.count {
                let number = run.first + step;
                let line = (number - first) as usize;
                let source = run.source.forward(step);
                let (shown, known) = (&text[excerpt.lines[line].range()], self.timeline.line(self.transcript, source));
                if shown != known {
                    // Some tools leave the `\r` of a line out: the same file, but not the same bytes.
                    contradicted |= shown.trim_end_matches('\r') != known.trim_end_matches('\r');
                    continue;
                }
                if source.showing == LineSource::COMPOSED {
                    continue;
                }
                match echoes.last_mut() {
                    Some(echo)
                        if echo.of == of
                            && echo.lines.end == line
                            && echo.earlier.forward(echo.lines.len() as u32) == source =>
                    {
                        echo.lines.end += 1;
                    }
                    _ => echoes.push(Echo { of, lines: line..line + 1, earlier: source, number }),
                }
            }
        }
        contradicted
    }

    fn hits(&mut self, index: usize, event: &Event) {
        let Action::Search(hits) = &event.action else { return };
        let Some(text) = event.answers.first().map(|place| place.text) else { return };
        let mut echoes: Vec<Echo> = Vec::new();
        for (at, hit) in hits.iter().enumerate() {
            let known = self.open.get(&hit.path).and_then(|open| open.known.get(hit.line));
            let Some(source) = known.filter(|source| source.showing != LineSource::COMPOSED && hit.line > 0) else {
                continue;
            };
            if self.transcript.texts[text].text[hit.span.range()] != *self.timeline.line(self.transcript, source) {
                continue;
            }
            match echoes.last_mut() {
                Some(echo) if echo.lines.end == at && echo.earlier.forward(echo.lines.len() as u32) == source => {
                    echo.lines.end += 1
                }
                _ => echoes.push(Echo { of: EchoOf::Hits, lines: at..at + 1, earlier: source, number: hit.line }),
            }
        }
        if !echoes.is_empty() {
            self.timeline.hits.insert(index, echoes);
        }
    }

    // Edits ------------------------------------------------------------------------------------------------------------------

    fn edit(&mut self, index: usize, event: &Event, path: &Arc<str>, changes: &[FileChange]) {
        let (mut known, mut total) = match self.open.get(path) {
            None => (KnownLines::default(), None),
            Some(open) => {
                let total = self.timeline.versions[open.version].total;
                let known = open.known.clone();
                if self.spend(known.runs().len() * 64) { (known, total) } else { (KnownLines::default(), None) }
            }
        };
        // How far the lines behind the changes so far have moved.
        let mut moved: i64 = 0;
        for (at, change) in changes.iter().enumerate() {
            let complete = total.is_some_and(|total| known.is_complete(total));
            let applied = match change {
                FileChange::Text { old, new, everywhere } => {
                    self.change_text(index, event, &mut known, old, new, *everywhere, complete)
                }
                FileChange::Lines { text, old, new, start } => {
                    let near = start.map(|start| i64::from(start) + moved);
                    self.change_lines(index, at, &mut known, *text, old, new, near, complete)
                }
                FileChange::Insert { text, before, new } => {
                    let number = before.or(total.map(|total| total + 1));
                    let showing = self.add_showing(index, *text, ShownLines::FileChange(at));
                    if let Some(number) = number.filter(|number| *number <= LAST_NUMBER) {
                        known.splice(number, 0, new.len() as u32);
                        known.insert(LineRun {
                            first: number,
                            count: new.len() as u32,
                            source: LineSource { showing, line: 0 },
                        });
                    }
                    if number.is_some() { Applied::Longer(new.len() as i64) } else { Applied::Unclear }
                }
            };
            let longer = match applied {
                Applied::Longer(longer) => Some(longer),
                Applied::Elsewhere => self.longer(change),
                Applied::Unclear => None,
            };
            total = total.and_then(|total| u32::try_from(i64::from(total) + longer?).ok());
            match (applied, longer) {
                (Applied::Longer(longer), _) => moved += longer,
                (Applied::Elsewhere, Some(0)) => {}
                // Nobody knows which lines have moved.
                _ => known = KnownLines::default(),
            }
        }
        let open = self.start(index, path, Cause::Edited);
        open.known = known;
        let version = open.version;
        self.timeline.versions[version].total = total;
    }

    /// Whether the file's lines end with `\r\n`, which models leave out of their edits.
    fn has_returns(&self, known: &KnownLines) -> bool {
        known.runs().next().is_some_and(|run| self.timeline.line(self.transcript, run.source).ends_with('\r'))
    }

    /// By how many lines a change makes the file longer, when that does not depend on the file.
    fn longer(&self, change: &FileChange) -> Option<i64> {
        let ends = |place: &Place| self.transcript.text(place).ends_with('\n');
        match change {
            FileChange::Text { old, new, .. } if ends(old) != ends(new) => None,
            FileChange::Text { old, new, everywhere: false } => {
                let breaks =
                    |place: &Place| self.transcript.text(place).bytes().filter(|byte| *byte == b'\n').count() as i64;
                let (old, new) = (breaks(old), breaks(new));
                // What becomes of the line break behind a deletion is up to the tool.
                (new > 0 || old == 0).then(|| new - old)
            }
            FileChange::Text { .. } => None,
            FileChange::Lines { old, new, .. } => Some(new.len() as i64 - old.len() as i64),
            FileChange::Insert { new, .. } => Some(new.len() as i64),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn change_lines(
        &mut self,
        index: usize,
        at: usize,
        known: &mut KnownLines,
        text: usize,
        old: &[Span],
        new: &[Span],
        near: Option<i64>,
        complete: bool,
    ) -> Applied {
        let source = &self.transcript.texts[text].text;
        let parts: Vec<&str> = old.iter().map(|line| &source[line.range()]).collect();
        let mut search =
            Search { transcript: self.transcript, timeline: &self.timeline, known, budget: &mut self.budget };
        let Some(found) = search.lines(&parts) else { return Applied::Unclear };
        let number = match (found.as_slice(), near) {
            ([], _) if complete || self.has_returns(known) => return Applied::Unclear,
            ([], _) => return Applied::Elsewhere,
            ([only], _) => *only,
            (_, None) => return Applied::Unclear,
            (_, Some(near)) => {
                found.iter().copied().min_by_key(|number| (i64::from(*number) - near).abs()).unwrap_or(1)
            }
        };
        let showing = self.add_showing(index, text, ShownLines::FileChange(at));
        let moved = known.splice(number, old.len() as u32, new.len() as u32);
        self.spend(moved * 64);
        known.insert(LineRun { first: number, count: new.len() as u32, source: LineSource { showing, line: 0 } });
        Applied::Longer(new.len() as i64 - old.len() as i64)
    }

    #[allow(clippy::too_many_arguments)]
    fn change_text(
        &mut self,
        index: usize,
        event: &Event,
        known: &mut KnownLines,
        old: &Place,
        new: &Place,
        everywhere: bool,
        complete: bool,
    ) -> Applied {
        let (old_text, new_text) = (self.transcript.text(old), self.transcript.text(new));
        let mut old_parts: Vec<&str> = old_text.split('\n').collect();
        let mut new_parts: Vec<Range<usize>> = Vec::new();
        let mut from = new.range.start;
        for part in new_text.split('\n') {
            new_parts.push(from..from + part.len());
            from += part.len() + 1;
        }
        // Both end with a line break: whole lines are exchanged, and the line behind them does not matter.
        let mut to_line_end = old_text.ends_with('\n') && (new_text.ends_with('\n') || new_text.is_empty());
        if to_line_end {
            old_parts.pop();
            new_parts.pop();
        } else if old_text.ends_with('\n') {
            // Two lines are joined, or the file loses the line break at its end.
            return Applied::Unclear;
        }
        let mut search =
            Search { transcript: self.transcript, timeline: &self.timeline, known, budget: &mut self.budget };
        let mut found = None;
        // Claude Code takes the line break along when a text is deleted that stands before one.
        if new_text.is_empty() && !to_line_end && matches!(&*event.tool, "Edit" | "MultiEdit") {
            match search.text(&old_parts, true) {
                None => return Applied::Unclear,
                Some(before_break) => found = Some(before_break).filter(|found| !found.is_empty()),
            }
            to_line_end = found.is_some();
        }
        let Some(found) = found.or_else(|| search.text(&old_parts, to_line_end)) else { return Applied::Unclear };
        if found.is_empty() {
            let as_long = !everywhere || new_parts.len() == old_parts.len();
            return if as_long && !complete && !self.has_returns(known) {
                Applied::Elsewhere
            } else {
                Applied::Unclear
            };
        }
        if found.len() > 1 && !everywhere {
            return Applied::Unclear;
        }
        if new_text.is_empty() && to_line_end {
            if found.iter().any(|found| found.column > 0) {
                return Applied::Unclear;
            }
            new_parts.clear();
        }
        // Between the known lines there may be more places.
        if everywhere && !complete && new_parts.len() != old_parts.len() {
            return Applied::Unclear;
        }
        let lines: Vec<Span> = new_parts.iter().cloned().map(Span::new).collect();
        let showing = self.add_showing(index, new.text, ShownLines::Own(lines));
        let mut longer = 0;
        // From the end, so that the numbers of the others stay.
        for found in found.iter().rev() {
            let count = old_parts.len() as u32;
            match self.exchange(known, found, count, new.text, &new_parts, showing, to_line_end, old_parts[0].len()) {
                Some(more) => longer += more,
                None => return Applied::Unclear,
            }
        }
        Applied::Longer(longer)
    }

    /// Puts the new lines in the place of `count` old ones.
    #[allow(clippy::too_many_arguments)]
    fn exchange(
        &mut self,
        known: &mut KnownLines,
        found: &Found,
        count: u32,
        text: usize,
        new: &[Range<usize>],
        showing: u32,
        to_line_end: bool,
        old_length: usize,
    ) -> Option<i64> {
        let first = known.get(found.number)?;
        let last = known.get(found.number + count - 1)?;
        let prefix_whole = self.timeline.line(self.transcript, first);
        let suffix_whole = self.timeline.line(self.transcript, last);
        let prefix = prefix_whole.get(..found.column)?;
        // A place before in the same line was counted in the line as it was; what stands before a place does not move.
        let behind = if count == 1 { found.column + old_length } else { suffix_whole.len().checked_sub(found.rest)? };
        let suffix = if to_line_end { "" } else { suffix_whole.get(behind..)? };
        let added = new.len() as u32;
        let source = &self.transcript.texts[text].text;
        let mut composed: Vec<(u32, String)> = Vec::new();
        let mut kept: Vec<(u32, LineSource)> = Vec::new();
        for (line, range) in new.iter().enumerate().filter(|(line, _)| *line == 0 || *line + 1 == new.len()) {
            let before = if line == 0 { prefix } else { "" };
            let after = if line + 1 == new.len() { suffix } else { "" };
            let middle = &source[range.clone()];
            let number = found.number + line as u32;
            if before.is_empty() && after.is_empty() {
                continue;
            }
            if middle.is_empty() && before.is_empty() && after.len() == suffix_whole.len() {
                kept.push((number, last));
            } else if middle.is_empty() && after.is_empty() && before.len() == prefix_whole.len() {
                kept.push((number, first));
            } else {
                composed.push((number, [before, middle, after].concat()));
            }
        }
        let run = LineRun { first: found.number, count: added, source: LineSource { showing, line: 0 } };
        let cost: usize = composed.iter().map(|(_, line)| line.len()).sum();
        let moved = known.splice(found.number, count, added);
        self.composed_left = self.composed_left.checked_sub(cost as u64)?;
        if !self.spend(cost + moved * 64) {
            return None;
        }
        known.insert(run);
        for (number, source) in kept {
            known.insert(LineRun { first: number, count: 1, source });
        }
        for (number, line) in composed {
            let index = u32::try_from(self.timeline.composed.len()).ok()?;
            self.timeline.composed.push(line.into());
            let source = LineSource { showing: LineSource::COMPOSED, line: index };
            known.insert(LineRun { first: number, count: 1, source });
        }
        Some(i64::from(added) - i64::from(count))
    }

    fn finish(mut self) -> Timeline {
        for open in self.open.into_values() {
            self.timeline.versions[open.version].known = open.known.runs().collect();
        }
        self.timeline
    }
}
