//! The files that were changed, each told once.

use std::collections::HashMap;

use super::{
    commands::{SimpleCommand, TreeChange},
    facts::{Fact, commands_of, has_failed, in_order},
    recorded::{Recorded, Step, steps},
};
use crate::transcript::{Action, CallOutcome, Touch, Transcript};

/// What became of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct State {
    written: usize,
    edited: usize,
    /// Why what was written and edited is not there.
    fate: Option<Fate>,
}

/// What became of changes that are not there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Removed,
    /// As it was when all was committed last.
    TakenBack,
    /// Put aside by git.
    Stashed,
}

impl Fate {
    const ALL: [Self; 3] = [Self::Removed, Self::TakenBack, Self::Stashed];

    fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::TakenBack => "taken back",
            Self::Stashed => "stashed",
        }
    }

    /// The fate that a record tells of a file, last.
    pub fn told(how: &str) -> Option<Self> {
        let last = how.rsplit(BETWEEN_PARTS).next()?;
        Self::ALL.into_iter().find(|fate| fate.name() == last)
    }
}

/// Stands between what was done to a file.
const BETWEEN_PARTS: &str = ", ";

impl State {
    fn is_changed(self) -> bool {
        self.written + self.edited > 0 || self.fate == Some(Fate::Removed)
    }

    /// As it is before another change: what is not there any more does not count.
    fn current(self) -> Self {
        if self.fate.is_some() { Self::default() } else { self }
    }

    fn with(self, fate: Fate) -> Self {
        Self { fate: Some(fate), ..self }
    }

    /// Once more, as a record tells of it.
    fn and_told(self, how: &str) -> Self {
        let times = |what: &str| {
            let told = how.split(BETWEEN_PARTS).find_map(|part| part.strip_prefix(what))?;
            if told.is_empty() { Some(1) } else { told.strip_prefix(' ')?.strip_suffix(" times")?.parse().ok() }
        };
        let Self { written, edited, .. } = self.current();
        Self {
            written: written.saturating_add(times("written").unwrap_or(0)),
            edited: edited.saturating_add(times("edited").unwrap_or(0)),
            fate: Fate::told(how),
        }
    }

    /// Nothing of a file that is as it was.
    fn told(self) -> Option<String> {
        let times = |what: &str, times: usize| match times {
            0 => None,
            1 => Some(what.to_owned()),
            times => Some(format!("{what} {times} times")),
        };
        let fate = self.fate.map(|fate| fate.name().to_owned());
        let how = [times("written", self.written), times("edited", self.edited), fate];
        let how = how.into_iter().flatten().collect::<Vec<_>>().join(BETWEEN_PARTS);
        (!how.is_empty()).then_some(how)
    }
}

/// A file, and what became of it.
struct Changed {
    at: usize,
    path: String,
    state: State,
    /// As it was when all was committed last, where it was changed since.
    committed: Option<State>,
    /// Whether all that is known of it was told by a record.
    is_told: bool,
    /// Whether it was written before anything else is known of it: then it is new.
    is_new: bool,
}

impl Changed {
    fn new(at: usize, path: String) -> Self {
        Self { at, path, state: State::default(), committed: None, is_told: false, is_new: false }
    }

    fn add(&mut self, action: &Action) {
        match action {
            Action::Write(_) => {
                self.is_new |= !self.state.is_changed();
                self.state = self.state.current();
                self.state.written += 1;
            }
            Action::Edit(_) | Action::Touch(Touch::Changed) => {
                self.state = self.state.current();
                self.state.edited += 1;
            }
            Action::Touch(Touch::TakenBack) => self.take_back(),
            // A new one that is gone again is as it was.
            Action::Touch(Touch::Removed) => {
                self.state = if self.is_new { State::default() } else { State::default().with(Fate::Removed) };
            }
            _ => {}
        }
    }

    /// Whether git knows nothing of it, so that it stays where changes are taken back.
    fn is_untracked(&self) -> bool {
        self.is_new && self.committed.is_some_and(|committed| !committed.is_changed())
    }

    /// What was changed since all was committed.
    fn take_back(&mut self) {
        // Of what a record tells nobody knows whether it was committed; who names the file means it.
        let Some(committed) = self.committed.take().or(self.is_told.then(State::default)) else { return };
        self.state = match self.state.fate {
            None if !committed.is_changed() && self.state.is_changed() => self.state.with(Fate::TakenBack),
            _ => committed,
        };
    }

    fn told(self) -> Option<(usize, Fact)> {
        let how = self.state.told()?;
        Some((self.at, Fact::Changed { path: self.path, how }))
    }
}

/// The files that were changed since all was committed, and those whose changes are put aside.
#[derive(Default)]
struct Tree {
    changed: Vec<usize>,
    stashes: Vec<Vec<Stashed>>,
}

/// A file whose changes are put aside.
#[derive(Clone, Copy)]
struct Stashed {
    place: usize,
    /// As it was, and as it was left.
    state: State,
    left: State,
    committed: Option<State>,
}

impl Tree {
    fn add(&mut self, place: usize, file: &mut Changed) {
        file.is_told = false;
        if file.committed.is_none() {
            file.committed = Some(file.state);
            self.changed.push(place);
        }
    }

    /// What a command of git does to all files.
    fn apply(&mut self, change: TreeChange, files: &mut [Changed]) {
        match change {
            TreeChange::Commit => self.changed.drain(..).for_each(|place| files[place].committed = None),
            TreeChange::TakeBack => self.leave_untracked(files).into_iter().for_each(|place| files[place].take_back()),
            TreeChange::Stash => {
                let stashed = self.leave_untracked(files).into_iter().map(|place| {
                    let (state, committed) = (files[place].state, files[place].committed);
                    files[place].take_back();
                    if files[place].state.fate == Some(Fate::TakenBack) {
                        files[place].state.fate = Some(Fate::Stashed);
                    }
                    Stashed { place, state, left: files[place].state, committed }
                });
                let stashed = stashed.collect();
                self.stashes.push(stashed);
            }
            TreeChange::ApplyStash | TreeChange::PopStash => {
                let is_left = change == TreeChange::ApplyStash;
                let stashed = if is_left { self.stashes.last().cloned() } else { self.stashes.pop() };
                for Stashed { place, state, left, committed } in stashed.into_iter().flatten() {
                    if files[place].state == left {
                        self.add(place, &mut files[place]);
                        (files[place].state, files[place].committed) = (state, committed);
                    }
                }
            }
            TreeChange::DropStash => {
                for Stashed { place, .. } in self.stashes.pop().into_iter().flatten() {
                    if files[place].state.fate == Some(Fate::Stashed) {
                        files[place].state.fate = Some(Fate::TakenBack);
                    }
                }
            }
        }
    }

    /// The files that were changed, without those that stay so.
    fn leave_untracked(&mut self, files: &[Changed]) -> Vec<usize> {
        self.changed.extract_if(.., |file| !files[*file].is_untracked()).collect()
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

/// The files that were changed. A file has the place and the path of its newest change.
pub fn changes(recorded: Vec<Recorded>, transcript: &Transcript<'_>) -> Vec<Fact> {
    let mut files: Vec<Changed> = Vec::new();
    let mut tree = Tree::default();
    let mut by_path: HashMap<String, usize> = HashMap::new();
    // By the last part of the path, which all names of a file have in common, and whether the path is absolute: two of a kind are one only when they are equal.
    let mut by_name: HashMap<(String, bool), Vec<usize>> = HashMap::new();
    let mut file = |at: usize, path: &str, files: &mut Vec<Changed>| {
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
        (files[place].at, files[place].path) = (at, path.to_owned());
        place
    };
    for (at, step) in steps(recorded, transcript).into_iter().enumerate() {
        match step {
            Step::Told(Fact::Changed { path, how }) => {
                let file = file(at, &path, &mut files);
                files[file].state = files[file].state.and_told(&how);
                files[file].is_told = true;
            }
            Step::Event(event) if event.outcome == CallOutcome::Ok => match &event.action {
                action @ (Action::Write(_) | Action::Edit(_) | Action::Touch(_)) => {
                    let Some(path) = event.path.as_deref() else { continue };
                    let place = file(at, path, &mut files);
                    if *action != Action::Touch(Touch::TakenBack) {
                        tree.add(place, &mut files[place]);
                    }
                    files[place].add(action);
                }
                Action::Command if !has_failed(event) => {
                    let commands = commands_of(event, transcript);
                    let changes = commands.iter().filter_map(SimpleCommand::tree_change);
                    changes.for_each(|change| tree.apply(change, &mut files));
                }
                _ => {}
            },
            _ => {}
        }
    }
    in_order(files.into_iter().filter_map(Changed::told).collect())
}
