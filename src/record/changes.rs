//! The files that were changed, each told once.

use std::collections::HashMap;

use super::facts::{Fact, in_order};
use crate::transcript::{Action, CallOutcome, Transcript};

/// A file, and how often it was written and edited.
struct Changed {
    at: usize,
    path: String,
    written: usize,
    edited: usize,
}

impl Changed {
    /// One that an earlier record tells of.
    fn recorded(at: usize, fact: &Fact) -> Option<Self> {
        let Fact::Changed { path, how } = fact else { return None };
        let times = |what: &str| {
            let told = how.split(", ").find_map(|part| part.strip_prefix(what))?;
            if told.is_empty() { Some(1) } else { told.strip_prefix(' ')?.strip_suffix(" times")?.parse().ok() }
        };
        let (written, edited) = (times("written"), times("edited"));
        (written.is_some() || edited.is_some()).then(|| Self {
            at,
            path: path.clone(),
            written: written.unwrap_or(0),
            edited: edited.unwrap_or(0),
        })
    }

    fn told(self) -> (usize, Fact) {
        let times = |what: &str, times: usize| match times {
            0 => None,
            1 => Some(what.to_owned()),
            times => Some(format!("{what} {times} times")),
        };
        let how = [times("written", self.written), times("edited", self.edited)];
        (self.at, Fact::Changed { path: self.path, how: how.into_iter().flatten().collect::<Vec<_>>().join(", ") })
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

/// Whether two paths name one file: where only one says from where on, the other may be the end of it.
pub fn is_same_file(one: &str, other: &str) -> bool {
    let ends = |whole: &str, end: &str| {
        let before = whole.strip_suffix(end.strip_prefix("./").unwrap_or(end));
        before.is_some_and(|before| before.ends_with(['/', '\\']))
    };
    match (is_absolute(one), is_absolute(other)) {
        (true, false) => ends(one, other),
        (false, true) => ends(other, one),
        _ => one == other,
    }
}

/// The files that were changed; those that an earlier record tells of were before all others. A file has the place and the path of its newest change.
pub fn changes(recorded: Vec<Fact>, transcript: &Transcript<'_>) -> Vec<Fact> {
    let before = recorded.len();
    let told = recorded.iter().enumerate().filter_map(|(at, fact)| Changed::recorded(at, fact));
    let mut files: Vec<Changed> = Vec::new();
    let mut by_path: HashMap<String, usize> = HashMap::new();
    // By the last part of the path, which all names of a file have in common, and whether the path is absolute: two of a kind are one only when they are equal.
    let mut by_name: HashMap<(String, bool), Vec<usize>> = HashMap::new();
    let mut add = |change: Changed| {
        let name = change.path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let is_absolute = is_absolute(&change.path);
        let others = by_name.get(&(name.clone(), !is_absolute)).into_iter().flatten().copied();
        let same = |file: &usize| is_same_file(&files[*file].path, &change.path);
        let known = by_path.get(&change.path).copied().or_else(|| others.into_iter().find(same));
        let place = known.unwrap_or(files.len());
        if by_path.insert(change.path.clone(), place).is_none() {
            by_name.entry((name, is_absolute)).or_default().push(place);
        }
        if let Some(file) = files.get_mut(place) {
            (file.at, file.path) = (change.at, change.path);
            (file.written, file.edited) = (file.written + change.written, file.edited + change.edited);
        } else {
            files.push(change);
        }
    };
    told.for_each(&mut add);
    for (at, event) in transcript.events.iter().enumerate().filter(|(_, event)| event.outcome == CallOutcome::Ok) {
        let Some(path) = event.path.as_deref() else { continue };
        let (written, edited) = match event.action {
            Action::Write(_) => (1, 0),
            Action::Edit(_) | Action::Touch => (0, 1),
            _ => continue,
        };
        add(Changed { at: before + at, path: path.to_owned(), written, edited });
    }
    in_order(files.into_iter().map(Changed::told).collect())
}
