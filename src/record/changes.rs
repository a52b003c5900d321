//! The files that were changed, each told once.

use std::collections::HashMap;

use super::{
    facts::{Fact, in_order},
    recorded::{Recorded, Step, steps},
};
use crate::transcript::{Action, CallOutcome, Touch, Transcript};

/// A file, and what became of it.
struct Changed {
    at: usize,
    path: String,
    written: usize,
    edited: usize,
    is_removed: bool,
    /// Whether it was written before anything else is known of it: then it is new.
    is_new: bool,
}

impl Changed {
    fn new(at: usize, path: String) -> Self {
        Self { at, path, written: 0, edited: 0, is_removed: false, is_new: false }
    }

    /// Once more, as a record tells of it.
    fn add_told(&mut self, how: &str) {
        let times = |what: &str| {
            let told = how.split(", ").find_map(|part| part.strip_prefix(what))?;
            if told.is_empty() { Some(1) } else { told.strip_prefix(' ')?.strip_suffix(" times")?.parse().ok() }
        };
        self.written += times("written").unwrap_or(0);
        self.edited += times("edited").unwrap_or(0);
        self.is_removed = how == REMOVED;
    }

    fn add(&mut self, action: &Action) {
        match action {
            Action::Write(_) => {
                self.is_new |= self.written + self.edited == 0;
                self.written += 1;
                self.is_removed = false;
            }
            Action::Edit(_) | Action::Touch(Touch::Changed) => {
                self.edited += 1;
                self.is_removed = false;
            }
            // It is as it was before.
            Action::Touch(Touch::TakenBack) => (self.written, self.edited, self.is_removed) = (0, 0, false),
            Action::Touch(Touch::Removed) => {
                self.is_removed = !self.is_new;
                (self.written, self.edited) = (0, 0);
            }
            _ => {}
        }
    }

    /// Nothing of a file that is as it was, or of a new one that is gone again.
    fn told(self) -> Option<(usize, Fact)> {
        let times = |what: &str, times: usize| match times {
            0 => None,
            1 => Some(what.to_owned()),
            times => Some(format!("{what} {times} times")),
        };
        let removed = self.is_removed.then(|| REMOVED.to_owned());
        let how = [times("written", self.written), times("edited", self.edited), removed];
        let how = how.into_iter().flatten().collect::<Vec<_>>().join(", ");
        (!how.is_empty()).then_some((self.at, Fact::Changed { path: self.path, how }))
    }
}

const REMOVED: &str = "removed";

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

/// The files that were changed. A file has the place and the path of its newest change.
pub fn changes(recorded: Vec<Recorded>, transcript: &Transcript<'_>) -> Vec<Fact> {
    let mut files: Vec<Changed> = Vec::new();
    let mut by_path: HashMap<String, usize> = HashMap::new();
    // By the last part of the path, which all names of a file have in common, and whether the path is absolute: two of a kind are one only when they are equal.
    let mut by_name: HashMap<(String, bool), Vec<usize>> = HashMap::new();
    let mut change = |at: usize, path: &str, by: &dyn Fn(&mut Changed)| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let is_absolute = is_absolute(path);
        let others = by_name.get(&(name.clone(), !is_absolute)).into_iter().flatten().copied();
        let same = |file: &usize| is_same_file(&files[*file].path, path);
        let known = by_path.get(path).copied().or_else(|| others.into_iter().find(same));
        let place = known.unwrap_or(files.len());
        if by_path.insert(path.to_owned(), place).is_none() {
            by_name.entry((name, is_absolute)).or_default().push(place);
        }
        if place == files.len() {
            files.push(Changed::new(at, path.to_owned()));
        }
        let file = &mut files[place];
        (file.at, file.path) = (at, path.to_owned());
        by(file);
    };
    for (at, step) in steps(recorded, transcript).into_iter().enumerate() {
        match step {
            Step::Told(Fact::Changed { path, how }) => change(at, &path, &|file| file.add_told(&how)),
            Step::Event(event) if event.outcome == CallOutcome::Ok => {
                let is_change = matches!(event.action, Action::Write(_) | Action::Edit(_) | Action::Touch(_));
                if let Some(path) = event.path.as_deref().filter(|_| is_change) {
                    change(at, path, &|file| file.add(&event.action));
                }
            }
            _ => {}
        }
    }
    in_order(files.into_iter().filter_map(Changed::told).collect())
}
