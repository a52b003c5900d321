//! The files that were changed, each told once.

use std::collections::HashMap;

use super::{
    commands::may_be_inside,
    facts::{Fact, answer_of, commands_of, has_failed, has_run, in_order},
    git::{TreeChange, is_nothing, is_refused, is_seen, removed_paths, tree_change},
    recorded::{Recorded, Step, steps},
};
use crate::transcript::{Action, CallOutcome, Event, Touch, Transcript};

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
    /// Whether it was written before anything else is known of it, so that it may be new.
    may_be_new: bool,
    /// Whether the answer says that it was.
    is_new: bool,
}

impl Changed {
    fn new(at: usize, path: String) -> Self {
        Self { at, path, state: State::default(), committed: None, is_told: false, may_be_new: false, is_new: false }
    }

    /// An action that worked, and what it answered.
    fn add(&mut self, action: &Action, answer: impl FnOnce() -> String) {
        match action {
            Action::Write(_) => {
                let answer = answer();
                let is_there = ["updated", "overwritten", "modified"].iter().any(|word| answer.contains(word));
                self.may_be_new |= !self.state.is_changed() && !is_there;
                self.is_new |= self.may_be_new && answer.contains("created");
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
                let is_as_it_was = self.is_new && self.is_untracked();
                self.state = if is_as_it_was { State::default() } else { State::default().with(Fate::Removed) };
            }
            _ => {}
        }
    }

    /// Whether git may know nothing of it, so that it stays where changes are taken back.
    fn is_untracked(&self) -> bool {
        self.may_be_new && self.committed.is_some_and(|committed| !committed.is_changed())
    }

    /// Whether a record told that its changes are put aside.
    fn is_told_stashed(&self) -> bool {
        self.is_told && self.state.fate == Some(Fate::Stashed)
    }

    /// What was put aside is gone.
    fn drop_stashed(&mut self) {
        if self.state.fate == Some(Fate::Stashed) {
            self.state.fate = Some(Fate::TakenBack);
        }
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

    /// What a command of git does to the files of a folder, or to all.
    fn apply(&mut self, change: TreeChange, folder: Option<&str>, files: &mut [Changed]) {
        let is_meant = |file: &Changed| is_in(folder, &file.path);
        match change {
            TreeChange::Commit => self.changed.drain(..).for_each(|place| files[place].committed = None),
            TreeChange::TakeBack => {
                let places = self.leave(files, |file| is_meant(file) && !file.is_untracked());
                places.into_iter().for_each(|place| files[place].take_back());
            }
            TreeChange::TakeBackOf(paths) => {
                for path in paths {
                    let named = named(&path, folder, files);
                    let places = self.leave(files, |file| named.contains(&&*file.path));
                    places.into_iter().for_each(|place| files[place].take_back());
                }
            }
            TreeChange::Stash { with_new } => {
                let places = self.leave(files, |file| is_meant(file) && (with_new || !file.is_untracked()));
                let stashed = places.into_iter().map(|place| {
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
            TreeChange::StashPart => self.stashes.push(Vec::new()),
            TreeChange::ApplyStash | TreeChange::PopStash => {
                let is_left = change == TreeChange::ApplyStash;
                let stashed = if is_left { self.stashes.last().cloned() } else { self.stashes.pop() };
                let Some(stashed) = stashed else {
                    // It was put aside before anything else that is known.
                    files.iter_mut().filter(|file| file.is_told_stashed()).for_each(|file| file.state.fate = None);
                    return;
                };
                for Stashed { place, state, left, committed } in stashed {
                    if files[place].state == left {
                        self.add(place, &mut files[place]);
                        (files[place].state, files[place].committed) = (state, committed);
                    }
                }
            }
            TreeChange::DropStash => match self.stashes.pop() {
                Some(stashed) => stashed.iter().for_each(|stashed| files[stashed.place].drop_stashed()),
                None => files.iter_mut().filter(|file| file.is_told_stashed()).for_each(Changed::drop_stashed),
            },
            TreeChange::DropStashes => {
                self.stashes.clear();
                files.iter_mut().for_each(Changed::drop_stashed);
            }
            TreeChange::Clean(paths) => {
                for path in paths {
                    let named = named(&path, folder, files);
                    for place in self.leave(files, |file| named.contains(&&*file.path)) {
                        (files[place].state, files[place].committed) = (State::default(), None);
                    }
                }
            }
        }
    }

    /// The changed files that are meant, which are not changed any more.
    fn leave(&mut self, files: &[Changed], is_meant: impl Fn(&Changed) -> bool) -> Vec<usize> {
        self.changed.extract_if(.., |file| is_meant(&files[*file])).collect()
    }
}

/// The paths of the files that a path names, or that are in it. Where it does not say from where on, those are meant that it names nearest to the root.
fn named<'f>(path: &str, folder: Option<&str>, files: &'f [Changed]) -> Vec<&'f str> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let path = match folder.filter(|_| !is_absolute(path)) {
        Some(folder) => format!("{}/{path}", folder.trim_start_matches("./").trim_end_matches('/')),
        None => path.to_owned(),
    };
    let known = files.iter().map(|file| &*file.path);
    // A file by a relative path, where the command names it from the root on, is one that ends so.
    let before = |file: &str| -> Option<usize> {
        let file = file.trim_start_matches("./");
        if is_absolute(&path) && !is_absolute(file) {
            return path.ends_with(&format!("/{file}")).then_some(0);
        }
        if may_be_inside(Some(file), Some(&path)) {
            return Some(0);
        }
        let at = (!is_absolute(&path) && is_absolute(file)).then(|| file.find(&format!("/{path}")))??;
        matches!(file.as_bytes().get(at + 1 + path.len()), None | Some(b'/')).then_some(at + 1)
    };
    let found: Vec<(usize, &str)> = known.filter_map(|file| Some((before(file)?, file))).collect();
    let nearest = found.iter().map(|(before, _)| *before).min();
    found.into_iter().filter(|(before, _)| Some(*before) == nearest).map(|(_, file)| file).collect()
}

/// Whether a file may be in the folder that a line names. A relative path is one of the folder in which the agent works, which is the one that a line goes to,
/// as a rule; a relative folder is one in it.
fn is_in(folder: Option<&str>, path: &str) -> bool {
    let Some(folder) = folder.map(|folder| folder.trim_start_matches("./").trim_end_matches('/')) else { return true };
    match (is_absolute(folder), is_absolute(path)) {
        (true, false) => true,
        (false, true) => path.contains(&format!("/{folder}/")),
        _ => may_be_inside(Some(path.trim_start_matches("./")), Some(folder)),
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

/// What a command line has git do. Of one that failed, or may not have run, only what git says of is done.
fn git_changes(event: &Event, transcript: &Transcript<'_>, tree: &mut Tree, files: &mut [Changed]) {
    let commands = commands_of(event, transcript);
    let mut changes = commands.iter().filter_map(|command| Some((command, tree_change(command)?))).peekable();
    if changes.peek().is_none() {
        return;
    }
    let answer = answer_of(event, transcript);
    for (command, (change, folder)) in changes {
        let is_unsure = command.is_alternative || has_failed(event) || is_refused(&answer);
        if !is_nothing(&change, &answer) && (!is_unsure || is_seen(&change, &answer)) {
            let change =
                if matches!(change, TreeChange::Clean(_)) { TreeChange::Clean(removed_paths(&answer)) } else { change };
            tree.apply(change, folder, files);
        }
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
                    if *action == Action::Touch(Touch::TakenBack) {
                        // What is named may be a folder.
                        tree.apply(TreeChange::TakeBackOf(vec![path.to_owned()]), None, &mut files);
                    } else {
                        tree.add(place, &mut files[place]);
                    }
                    files[place].add(action, || answer_of(event, transcript));
                }
                Action::Command => git_changes(event, transcript, &mut tree, &mut files),
                _ => {}
            },
            Step::Event(event) if event.action == Action::Command && has_run(event) => {
                git_changes(event, transcript, &mut tree, &mut files);
            }
            _ => {}
        }
    }
    in_order(files.into_iter().filter_map(Changed::told).collect())
}
