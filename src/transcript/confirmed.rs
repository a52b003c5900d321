//! Confirms writes and edits that no result proved by a later view of the whole file.

use crate::maps::HashMap;
use std::sync::Arc;

use super::{
    events::{Action, Event, Transcript, Unseen},
    file_answers::Extent,
    outcomes::CallOutcome,
    patches::FileChange,
    place::Excerpt,
};

/// Minimum lines of a view. A result of fewer lines may be a host's message instead of a file.
const LEAST_LINES: usize = 4;

/// Marks each unproven write and edit as done if the next view of its whole file contains what it was to write.
/// Nothing in between may have changed the file. Linear in the length of the conversation, because each view is
/// compared with one change.
pub(super) fn confirm(transcript: &mut Transcript<'_>) {
    let mut unproven: HashMap<(Arc<str>, u32), (usize, usize)> = HashMap::default();
    let mut changes_unseen = 0;
    let mut proven = Vec::new();
    for (index, event) in transcript.events.iter().enumerate() {
        changes_unseen += usize::from(event.unseen > Unseen::Nothing);
        let Some(path) = &event.path else { continue };
        let file = (Arc::clone(path), event.directory);
        match &event.action {
            Action::Write(_) | Action::Edit(_) if event.outcome == CallOutcome::Unproven => {
                unproven.insert(file, (index, changes_unseen));
            }
            Action::Read(extent) => {
                let [view] = event.shown.as_slice() else { continue };
                let is_whole = *extent == Extent::Whole && event.outcome == CallOutcome::Ok;
                if !is_whole || view.lines.len() < LEAST_LINES {
                    continue;
                }
                if let Some((change, unseen)) = unproven.remove(&file)
                    && unseen == changes_unseen
                    && is_shown(transcript, &transcript.events[change], view)
                {
                    proven.push(change);
                }
            }
            Action::Write(_) | Action::Edit(_) | Action::Touch(_) => drop(unproven.remove(&file)),
            _ => {}
        }
    }
    for change in proven {
        transcript.events[change].outcome = CallOutcome::Ok;
    }
}

/// Returns true if a view of the whole file contains what a call was to write, and nothing of what it was to replace.
fn is_shown(transcript: &Transcript<'_>, change: &Event, view: &Excerpt) -> bool {
    let lines = |excerpt: &Excerpt| -> Vec<&str> {
        let lines = (0..excerpt.lines.len()).map(|line| transcript.line(excerpt, line));
        lines.map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
    };
    match &change.action {
        Action::Write(content) => {
            let trimmed = |mut lines: Vec<&str>| {
                while lines.last().is_some_and(|line| line.is_empty()) {
                    lines.pop();
                }
                lines.join("\n")
            };
            trimmed(lines(content)) == trimmed(lines(view))
        }
        Action::Edit(changes) => {
            let shown = lines(view).join("\n");
            !changes.is_empty()
                && changes.iter().all(|change| {
                    let FileChange::Text { old, new, .. } = change else { return false };
                    let (old, new) = (transcript.text(old).replace('\r', ""), transcript.text(new).replace('\r', ""));
                    !new.trim().is_empty() && shown.contains(&new) && !old.is_empty() && !shown.contains(&old)
                })
        }
        _ => false,
    }
}
