//! The files that were changed, each told once.

use std::collections::BTreeSet;

use super::{
    calls::Call,
    facts::{Fact, has_failed, has_run, in_order},
    git::{Files, TreeChange, is_nothing, is_refused, is_seen, removed_paths, tree_change, updated_paths},
    paths::{Paths, is_ignored, is_in},
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
#[derive(Default)]
struct Changed {
    at: usize,
    state: State,
    /// As it was when all was committed last, where it was changed since.
    committed: Option<State>,
    /// As it is ready for the next commit, where that is known.
    staged: Option<State>,
    /// Whether all that is known of it was told by a record.
    is_told: bool,
    /// Whether it was written before anything else is known of it, so that it may be new.
    may_be_new: bool,
    /// Whether the answer says that it was.
    is_new: bool,
}

impl Changed {
    /// An action that worked, and what it answered.
    fn add<'a>(&mut self, action: &Action, answer: impl FnOnce() -> &'a str) {
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
        self.may_be_new && self.staged.is_none() && self.committed.is_some_and(|committed| !committed.is_changed())
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

    /// What was changed since all was committed, or since it was made ready for that.
    fn take_back(&mut self, to_commit: bool) {
        match self.staged {
            Some(staged) if !to_commit => self.state = staged,
            _ => self.take_back_all(),
        }
    }

    fn take_back_all(&mut self) {
        self.staged = None;
        // Of what a record tells nobody knows whether it was committed; who names the file means it.
        let Some(committed) = self.committed.take().or(self.is_told.then(State::default)) else { return };
        self.state = match self.state.fate {
            None if !committed.is_changed() && self.state.is_changed() => self.state.with(Fate::TakenBack),
            _ => committed,
        };
    }

    /// What is ready for it is committed. Whether more was changed since.
    fn commit_staged(&mut self) -> bool {
        let staged = self.staged.take();
        if staged.is_some() {
            self.committed = staged.filter(|staged| *staged != self.state);
        }
        self.committed.is_some()
    }
}

/// The files that were changed since all was committed, and those whose changes are put aside.
#[derive(Default)]
struct Tree {
    files: Vec<Changed>,
    paths: Paths,
    changed: BTreeSet<usize>,
    stashes: Vec<Vec<Stashed>>,
}

/// A file whose changes are put aside.
#[derive(Clone, Copy)]
struct Stashed {
    file: usize,
    /// As it was, and as it was left.
    state: State,
    left: State,
    committed: Option<State>,
}

impl Tree {
    /// The file that a path names, which has its newest change here.
    fn file(&mut self, at: usize, path: &str) -> usize {
        let file = self.paths.add(path);
        if file == self.files.len() {
            self.files.push(Changed::default());
        }
        self.files[file].at = at;
        file
    }

    fn add(&mut self, file: usize) {
        let known = &mut self.files[file];
        known.is_told = false;
        if known.committed.is_none() {
            known.committed = Some(known.state);
            self.changed.insert(file);
        }
    }

    /// What a command of git does to the files of a folder, or to all. `most`: it says that it took back so many.
    fn apply(&mut self, change: &TreeChange, folder: Option<&str>, most: Option<usize>) {
        match change {
            TreeChange::Commit(files) => self.commit(files, folder),
            TreeChange::Add(files) => {
                let is_meant = |file: usize| *files != Files::Known || !self.files[file].is_untracked();
                let meant = self.changed_of(files, folder).into_iter().map(|(file, _)| file);
                for file in meant.filter(|file| is_meant(*file)).collect::<Vec<_>>() {
                    self.files[file].staged = Some(self.files[file].state);
                }
            }
            TreeChange::Unstage(files) => {
                self.changed_of(files, folder).into_iter().for_each(|(file, _)| self.files[file].staged = None);
            }
            TreeChange::TakeBack { files, to_commit } => {
                // Of folders, those that git is known to know.
                let is_known = |file: usize| !self.files[file].is_untracked() && !is_ignored(self.paths.newest(file));
                let changed = self.changed_of(files, folder).into_iter();
                let mut meant: Vec<usize> =
                    changed.filter(|(file, is_alone)| *is_alone || is_known(*file)).map(|(file, _)| file).collect();
                let told = self
                    .named(files, folder)
                    .into_iter()
                    .filter(|(file, is_alone)| *is_alone && self.files[*file].is_told);
                meant.extend(told.map(|(file, _)| file));
                meant.sort_unstable();
                meant.dedup();
                // Where git took back fewer, nobody knows which.
                if most.is_none_or(|most| meant.len() <= most) {
                    meant.into_iter().for_each(|file| self.take_back(file, *to_commit));
                }
            }
            TreeChange::Stash { with_new } => self.stash(*with_new, folder),
            TreeChange::StashPart => self.stashes.push(Vec::new()),
            TreeChange::ApplyStash | TreeChange::PopStash => self.bring_back(*change == TreeChange::ApplyStash),
            TreeChange::DropStash => match self.stashes.pop() {
                Some(stashed) => stashed.iter().for_each(|stashed| self.files[stashed.file].drop_stashed()),
                None => self.files.iter_mut().filter(|file| file.is_told_stashed()).for_each(Changed::drop_stashed),
            },
            TreeChange::DropStashes => {
                self.stashes.clear();
                self.files.iter_mut().for_each(Changed::drop_stashed);
            }
            TreeChange::Clean(paths) => {
                for (file, _) in self.named(&Files::Of(paths.clone()), folder) {
                    if self.changed.remove(&file) {
                        (self.files[file].state, self.files[file].committed) = (State::default(), None);
                    }
                }
            }
        }
    }

    /// The files that these paths name, and whether they name them alone.
    fn named(&self, files: &Files, folder: Option<&str>) -> Vec<(usize, bool)> {
        match files {
            Files::Of(paths) => paths.iter().flat_map(|path| self.paths.named(path, folder)).collect(),
            _ => Vec::new(),
        }
    }

    /// The changed files that are meant, or that are in a folder that is, and whether they are named alone.
    fn changed_of(&self, files: &Files, folder: Option<&str>) -> Vec<(usize, bool)> {
        if let Files::Of(_) = files {
            return self.named(files, folder).into_iter().filter(|(file, _)| self.changed.contains(file)).collect();
        }
        let inside = self.changed.iter().filter(|file| is_in(folder, self.paths.newest(**file)));
        inside.map(|file| (*file, false)).collect()
    }

    fn take_back(&mut self, file: usize, to_commit: bool) {
        self.files[file].take_back(to_commit);
        if self.files[file].committed.is_none() {
            self.changed.remove(&file);
        }
    }

    /// What may be committed counts as that: of the rest it is sure that it can be taken back.
    fn commit(&mut self, files: &Files, folder: Option<&str>) {
        let is_any_staged = self.changed.iter().any(|file| self.files[*file].staged.is_some());
        let committed: Vec<usize> = match files {
            Files::Staged if is_any_staged => {
                self.changed.retain(|file| self.files[*file].commit_staged());
                return;
            }
            // Nobody saw what was made ready.
            Files::All | Files::Staged => self.changed.iter().copied().collect(),
            Files::Known => self.changed.iter().copied().filter(|file| !self.files[*file].is_untracked()).collect(),
            Files::Of(_) => self.named(files, folder).into_iter().map(|(file, _)| file).collect(),
        };
        for file in committed {
            (self.files[file].committed, self.files[file].staged) = (None, None);
            self.changed.remove(&file);
        }
    }

    fn stash(&mut self, with_new: bool, folder: Option<&str>) {
        let is_meant = |file: &usize| {
            let path = self.paths.newest(*file);
            is_in(folder, path) && (with_new || !self.files[*file].is_untracked()) && !is_ignored(path)
        };
        let meant: Vec<usize> = self.changed.iter().copied().filter(is_meant).collect();
        let stashed = meant.into_iter().map(|file| {
            self.changed.remove(&file);
            let known = &mut self.files[file];
            let (state, committed) = (known.state, known.committed);
            known.take_back_all();
            if known.state.fate == Some(Fate::TakenBack) {
                known.state.fate = Some(Fate::Stashed);
            }
            Stashed { file, state, left: known.state, committed }
        });
        let stashed = stashed.collect();
        self.stashes.push(stashed);
    }

    /// What was put aside last is there again.
    fn bring_back(&mut self, is_left: bool) {
        let stashed = if is_left { self.stashes.last().cloned() } else { self.stashes.pop() };
        let Some(stashed) = stashed else {
            // It was put aside before anything else that is known.
            self.files.iter_mut().filter(|file| file.is_told_stashed()).for_each(|file| file.state.fate = None);
            return;
        };
        for Stashed { file, state, left, committed } in stashed {
            if self.files[file].state == left {
                self.add(file);
                (self.files[file].state, self.files[file].committed) = (state, committed);
            }
        }
    }

    /// What a command line has git do. Of one that failed, or may not have run, only what git says of is done.
    fn run(&mut self, call: &Call<'_>, transcript: &Transcript<'_>) {
        for (command, (change, folder)) in
            call.commands.iter().filter_map(|command| Some((command, tree_change(command)?)))
        {
            let answer = call.answer(transcript);
            let is_unsure = command.is_alternative || has_failed(call.event) || is_refused(answer);
            if is_nothing(&change, answer) || (is_unsure && !is_seen(&change, answer)) {
                continue;
            }
            let removed = matches!(change, TreeChange::Clean(_)).then(|| TreeChange::Clean(removed_paths(answer)));
            self.apply(&removed.unwrap_or(change), folder, updated_paths(answer));
        }
    }

    /// A call that did something to a file.
    fn change(&mut self, at: usize, call: &Call<'_>, transcript: &Transcript<'_>) {
        let (action, Some(path)) = (&call.event.action, call.event.path.as_deref()) else { return };
        let file = self.file(at, path);
        if *action == Action::Touch(Touch::TakenBack) {
            // What is named may be a folder.
            let to_commit = call.line.is_some_and(|line| line.contains(" HEAD "));
            let files = Files::Of(vec![path.to_owned()]);
            let answer = call.answer(transcript);
            return self.apply(&TreeChange::TakeBack { files, to_commit }, None, updated_paths(answer));
        }
        self.add(file);
        self.files[file].add(action, || call.answer(transcript));
    }
}

/// The files that were changed. A file has the place and the path of its newest change.
pub fn changes(recorded: Vec<Recorded>, calls: &[Call<'_>], transcript: &Transcript<'_>) -> Vec<Fact> {
    let mut tree = Tree::default();
    for (at, step) in steps(recorded, calls).into_iter().enumerate() {
        match step {
            Step::Told(Fact::Changed { path, how }) => {
                let file = tree.file(at, &path);
                tree.files[file].state = tree.files[file].state.and_told(&how);
                tree.files[file].is_told = true;
            }
            Step::Call(call) if has_run(call.event) => {
                let changes = call.changes_files();
                if changes && call.event.outcome == CallOutcome::Ok {
                    tree.change(at, call, transcript);
                }
                tree.run(call, transcript);
            }
            _ => {}
        }
    }
    let Tree { files, paths, .. } = tree;
    let told = files.into_iter().enumerate().filter_map(|(file, changed)| {
        let how = changed.state.told()?;
        Some((changed.at, Fact::Changed { path: paths.newest(file).to_owned(), how }))
    });
    in_order(told.collect())
}
