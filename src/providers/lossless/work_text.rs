//! The texts of a conversation as the operations see them: the ranges that may change, and the files that they show.

use std::{borrow::Cow, ops::Range, sync::Arc};

use crate::{
    conversation::{ContentKind, PathStep},
    transcript::{Action, CallOutcome, Event, FileChange, Place, Transcript},
};

/// A text that the operations work on.
pub struct Text<'a> {
    /// The index of the message.
    pub message: usize,
    /// The index of the block.
    pub block: usize,
    /// The path from the message to the text.
    pub path: Arc<[PathStep]>,
    /// The kind of the whole text.
    pub kind: ContentKind,
    /// The text as it is now.
    pub text: Cow<'a, str>,
    /// Its parts, in order.
    pub parts: Vec<Part>,
    /// The byte ranges that may change, in order.
    pub may_change: Vec<Range<usize>>,
}

/// A part of a text that a tool wrote or received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The byte range in the text.
    pub range: Range<usize>,
    /// The file of which it shows all or part.
    pub file: Option<Arc<str>>,
}

impl Text<'_> {
    /// Returns true if a byte range may change.
    pub fn may_change(&self, range: &Range<usize>) -> bool {
        let behind = self.may_change.partition_point(|part| part.start <= range.start);
        self.may_change[..behind].last().is_some_and(|part| range.end <= part.end)
    }

    /// Returns the part that contains a byte range.
    pub fn part(&self, range: &Range<usize>) -> Option<&Part> {
        let behind = self.parts.partition_point(|part| part.range.start <= range.start);
        self.parts[..behind].last().filter(|part| range.end <= part.range.end)
    }
}

/// The assistant wrote the parameters itself, so only long ones are worth a marker.
const LONG_PARAMETER: usize = 400;

/// Returns the texts of a conversation. The first `task` messages contain the task, to which everything else relates;
/// `parameters` says whether parameters of tool calls may change.
pub fn texts<'a>(transcript: &Transcript<'a>, task: usize, parameters: bool) -> Vec<Text<'a>> {
    let mut texts: Vec<Text<'a>> = transcript
        .texts
        .iter()
        .map(|text| Text {
            message: text.message,
            block: text.block,
            path: text.path.clone(),
            kind: text.kind,
            text: Cow::Borrowed(text.text),
            parts: Vec::new(),
            may_change: Vec::new(),
        })
        .collect();
    let mut untouchable = vec![0; texts.len()];
    for event in &transcript.events {
        let file = file(event);
        for place in &event.answers {
            if event.asks_user {
                untouchable[place.text] = usize::MAX;
            } else if !matches!(event.outcome, CallOutcome::Ok | CallOutcome::CutOff) {
                // An error message stays readable where it occurred.
                let answer = &transcript.texts[place.text].text[place.range.clone()];
                let line =
                    memchr::memchr(b'\n', answer.as_bytes()).map_or(place.range.end, |end| place.range.start + end + 1);
                untouchable[place.text] = untouchable[place.text].max(line);
            }
            let text = &mut texts[place.text];
            if text.kind == ContentKind::MessageText {
                text.may_change.push(place.range.clone());
            }
            text.parts.push(Part { range: place.range.clone(), file: file.clone() });
        }
        for place in given(event) {
            let text = &mut texts[place.text];
            if parameters && place.range.len() >= LONG_PARAMETER {
                text.may_change.push(place.range.clone());
            }
            text.parts.push(Part { range: place.range, file: file.clone() });
        }
    }
    for (text, untouchable) in texts.iter_mut().zip(untouchable) {
        let whole = 0..text.text.len();
        match text.kind {
            ContentKind::ToolResults => text.may_change = vec![whole],
            ContentKind::ToolParameters if text.parts.is_empty() && parameters && whole.len() >= LONG_PARAMETER => {
                text.may_change = vec![whole];
            }
            _ => {}
        }
        if text.message < task {
            text.may_change.clear();
        }
        text.may_change.iter_mut().for_each(|range| range.start = range.start.max(untouchable));
        // Parts may repeat or overlap if one result concerns several files.
        text.may_change.sort_by_key(|range| (range.start, range.end));
        text.parts.sort_by_key(|part| (part.range.start, part.range.end));
        without_overlaps(&mut text.may_change, Range::clone);
        without_overlaps(&mut text.parts, |part| part.range.clone());
    }
    texts
}

fn without_overlaps<T>(items: &mut Vec<T>, range: impl Fn(&T) -> Range<usize>) {
    let mut end = 0;
    items.retain(|item| {
        let range = range(item);
        let fits = range.start >= end && !range.is_empty();
        end = if fits { range.end } else { end };
        fits
    });
}

/// Returns the parameters of a call that contain a file's content: what it writes, and the old and new texts of its
/// edits.
pub fn given(event: &Event) -> Vec<Place> {
    match &event.action {
        Action::Write(content) => vec![Place { text: content.text, range: content.range.clone() }],
        Action::Edit(changes) => changes.iter().flat_map(changed).collect(),
        _ => Vec::new(),
    }
}

fn changed(change: &FileChange) -> Vec<Place> {
    match change {
        FileChange::Text { old, new, .. } => vec![old.clone(), new.clone()],
        FileChange::Lines { text, old, new, .. } => [old, new]
            .into_iter()
            .filter_map(|lines| {
                let range = lines.first()?.range().start..lines.last()?.range().end;
                Some(Place { text: *text, range })
            })
            .collect(),
        FileChange::Insert { .. } => Vec::new(),
    }
}

/// Returns the file that an event shows.
fn file(event: &Event) -> Option<Arc<str>> {
    let is_shown = matches!(event.action, Action::Read(_) | Action::Write(_) | Action::Edit(_));
    event.path.as_deref().filter(|_| is_shown).map(Arc::from)
}
