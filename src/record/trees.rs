//! Which commands ran on the work, and which on something else that git has put in its place: another branch, the last commit while the work is stashed,
//! another working tree.

use std::collections::{HashMap, HashSet};

use super::{
    calls::Call,
    commands::SimpleCommand,
    facts::{has_failed, has_run},
    git::{TreeChange, git_words, is_nothing, is_refused, is_seen, tree_change},
};
use crate::transcript::{Action, CallOutcome, Touch, Transcript};

/// What a command of git puts in the place of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch<'w> {
    /// Another branch, or another commit.
    To(&'w str),
    /// The branch before.
    Back,
    /// A new branch with what is there.
    New(&'w str),
    /// Nothing: it makes another working tree, in this folder.
    AddTree(&'w str),
}

/// What a command of git puts in the place of the files, as far as it is known to.
fn switch<'w>(words: &[&'w str]) -> Option<Switch<'w>> {
    let (command, of) = words.split_first()?;
    let plain: Vec<&'w str> = of.iter().filter(|word| !word.starts_with('-') || **word == "-").copied().collect();
    match (*command, plain.as_slice()) {
        ("worktree", ["add", ..]) => {
            let is_named = |at: usize| at.checked_sub(1).is_some_and(|before| ["-b", "-B"].contains(&of[before]));
            let mut paths = of.iter().enumerate().skip(1).filter(|(at, word)| !word.starts_with('-') && !is_named(*at));
            paths.next().map(|(_, path)| Switch::AddTree(path.trim_matches(['"', '\''])))
        }
        ("checkout" | "switch", _) if of.contains(&"--") => None,
        ("checkout" | "switch", ["-"]) => Some(Switch::Back),
        ("checkout" | "switch", [name, start @ ..]) => {
            let is_new = of.iter().any(|word| ["-b", "-B", "--orphan", "-c", "-C", "--create"].contains(word));
            match start {
                [] | ["HEAD"] if is_new => Some(Switch::New(name)),
                _ if is_new => Some(Switch::To(name)),
                [] if *name != "HEAD" => Some(Switch::To(name)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Files that a command may run on: those of a branch, with what is stashed left out of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Tree {
    branch: usize,
    stash: usize,
}

/// Where a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Main(Tree),
    /// Another working tree, by its number.
    Other(usize),
    Unknown,
}

/// Another working tree.
struct OtherTree {
    /// The end of its path.
    path: String,
    is_changed: bool,
}

impl OtherTree {
    fn new(path: &str) -> Self {
        let path = path.trim_start_matches("../").trim_start_matches("./").trim_end_matches('/');
        Self { path: path.to_owned(), is_changed: false }
    }

    /// Whether a file or folder is in it.
    fn has(&self, path: &str) -> bool {
        let mut found = memchr::memmem::find_iter(path.as_bytes(), &self.path);
        found.any(|at| {
            let ends = path.as_bytes().get(at + self.path.len()).is_none_or(|byte| *byte == b'/');
            ends && at.checked_sub(1).is_none_or(|before| path.as_bytes()[before] == b'/')
        })
    }
}

/// What stands in the place of the files, while what happened is followed.
struct Trees {
    now: Tree,
    before: usize,
    /// The branch on which all began, until its name is known.
    unnamed: Option<usize>,
    branches: HashMap<String, usize>,
    stashes: Vec<Tree>,
    others: Vec<OtherTree>,
    /// Those in which something was changed.
    changed: HashSet<Tree>,
    next: usize,
}

impl Trees {
    fn new() -> Self {
        Self {
            now: Tree { branch: 0, stash: 0 },
            before: 0,
            unnamed: Some(0),
            branches: HashMap::new(),
            stashes: Vec::new(),
            others: Vec::new(),
            changed: HashSet::new(),
            next: 1,
        }
    }

    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// A name that nobody has heard yet is that of the branch on which all began, where that was left.
    fn branch(&mut self, name: &str) -> usize {
        let name = name.trim_matches(['"', '\'']);
        if let Some(known) = self.branches.get(name) {
            return *known;
        }
        let unnamed = self.unnamed.take_if(|unnamed| *unnamed != self.now.branch);
        let branch = unnamed.unwrap_or_else(|| self.number());
        self.branches.insert(name.to_owned(), branch);
        branch
    }

    fn switch(&mut self, switch: Switch<'_>) {
        let branch = self.now.branch;
        match switch {
            Switch::To(name) => (self.now.branch, self.before) = (self.branch(name), branch),
            Switch::Back => (self.now.branch, self.before) = (self.before, branch),
            Switch::New(name) => {
                // The work goes along, and what was there stays behind without it.
                let left = self.number();
                self.branches.values_mut().filter(|known| **known == branch).for_each(|known| *known = left);
                self.unnamed = self.unnamed.map(|unnamed| if unnamed == branch { left } else { unnamed });
                self.branches.insert(name.to_owned(), branch);
                self.before = left;
            }
            Switch::AddTree(path) => self.others.push(OtherTree::new(path)),
        }
    }

    fn apply(&mut self, change: &TreeChange) {
        match change {
            TreeChange::Commit(_) => {
                self.changed.insert(self.now);
            }
            TreeChange::Stash { .. } => {
                self.stashes.push(self.now);
                self.now.stash = self.number();
            }
            TreeChange::StashPart => self.stashes.push(self.now),
            TreeChange::PopStash => {
                if let Some(stashed) = self.stashes.pop() {
                    self.bring_back(stashed);
                }
            }
            TreeChange::ApplyStash => {
                if let Some(stashed) = self.stashes.last().copied() {
                    self.bring_back(stashed);
                }
            }
            // What is gone is not the work any more.
            TreeChange::DropStash => {
                if let Some(stashed) = self.stashes.pop() {
                    self.go_on_without(stashed);
                }
            }
            TreeChange::DropStashes => {
                std::mem::take(&mut self.stashes).into_iter().for_each(|stashed| self.go_on_without(stashed));
            }
            _ => {}
        }
    }

    fn bring_back(&mut self, stashed: Tree) {
        let is_changed = self.changed.contains(&self.now) || self.changed.contains(&stashed);
        self.now.stash = stashed.stash;
        if is_changed {
            self.changed.insert(self.now);
        }
    }

    fn go_on_without(&mut self, stashed: Tree) {
        if self.changed.contains(&stashed) {
            self.changed.insert(self.now);
        }
    }

    fn change(&mut self, path: Option<&str>) {
        match path.and_then(|path| self.others.iter_mut().find(|other| other.has(path))) {
            Some(other) => other.is_changed = true,
            None => {
                self.changed.insert(self.now);
            }
        }
    }

    fn place(&self, folder: Option<&str>) -> Place {
        let other = folder.and_then(|folder| self.others.iter().position(|other| other.has(folder)));
        other.map_or(Place::Main(self.now), Place::Other)
    }

    /// Whether something ran elsewhere than on the work: where anything was changed, or where all ended if nothing was.
    fn is_elsewhere(&self, place: Place) -> bool {
        match place {
            Place::Main(tree) if self.changed.is_empty() => tree != self.now,
            Place::Main(tree) => !self.changed.contains(&tree),
            Place::Other(other) => !self.others[other].is_changed,
            Place::Unknown => true,
        }
    }
}

/// Marks the commands that ran elsewhere than on the work.
pub fn mark_elsewhere(calls: &mut [Call<'_>], transcript: &Transcript<'_>) {
    let switches = |command: &SimpleCommand| {
        git_words(command).is_some_and(|(words, _)| {
            matches!(words.first(), Some(&("checkout" | "switch" | "stash" | "worktree"))) && words.len() < MAX_WORDS
        })
    };
    // As a rule nothing is put in the place of the work.
    if !calls.iter().any(|call| call.commands.iter().any(switches)) {
        return;
    }
    let mut trees = Trees::new();
    let mut places: Vec<(usize, usize, Place)> = Vec::new();
    for (at, call) in calls.iter().enumerate().filter(|(_, call)| has_run(call.event)) {
        let is_change = match call.event.action {
            Action::Write(_) | Action::Edit(_) => true,
            Action::Touch(touch) => touch != Touch::TakenBack,
            _ => false,
        };
        if is_change && call.event.outcome == CallOutcome::Ok {
            trees.change(call.event.path.as_deref());
        }
        follow(call, transcript, &mut trees, |command, place| places.push((at, command, place)));
    }
    for (at, command, place) in places {
        calls[at].commands[command].is_elsewhere = trees.is_elsewhere(place);
    }
}

/// More words than a command has that switches.
const MAX_WORDS: usize = 12;

/// Goes through the commands of a line and tells where each ran.
fn follow(call: &Call<'_>, transcript: &Transcript<'_>, trees: &mut Trees, mut ran: impl FnMut(usize, Place)) {
    let has_failed = has_failed(call.event);
    // In a line that failed, nobody knows whether what stands behind a command that may have failed was run, unless git says so.
    let (mut may_be_left_out, mut is_unknown) = (false, false);
    for (index, command) in call.commands.iter().enumerate() {
        let words = git_words(command).map(|(words, _)| words).unwrap_or_default();
        let change = tree_change(command).map(|(change, _)| change);
        let switched = if change.is_none() { switch(&words) } else { None };
        if change.is_none() && switched.is_none() {
            ran(index, if is_unknown { Place::Unknown } else { trees.place(command.folder()) });
            may_be_left_out |= has_failed && !command.hides_its_end;
            if matches!(words.first(), Some(&("merge" | "cherry-pick" | "rebase" | "pull" | "revert" | "am"))) {
                trees.change(None);
            }
            continue;
        }
        let answer = call.answer(transcript);
        let says_so = match &change {
            Some(change) => !matches!(change, TreeChange::Commit(_)) && is_seen(change, answer),
            None => SWITCHED.iter().any(|words| answer.lines().any(|line| line.starts_with(words))),
        };
        let is_done = says_so || !(command.is_alternative || may_be_left_out || is_refused(answer));
        if !is_done {
            is_unknown |= command.is_alternative;
            continue;
        }
        match (change, switched) {
            (Some(change), _) if !is_nothing(&change, answer) => trees.apply(&change),
            // A file without an extension looks like a branch.
            (None, Some(switched)) if !answer.lines().any(|line| line.starts_with("Updated ")) => {
                trees.switch(switched);
            }
            _ => {}
        }
    }
}

/// How git says that it switched.
const SWITCHED: [&str; 4] = ["Switched to ", "Already on ", "HEAD is now at ", "Preparing worktree "];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::commands::simple_commands;

    #[test]
    fn what_git_puts_in_the_place_of_the_work_is_known() {
        for (line, expected) in [
            ("git checkout main", Some(Switch::To("main"))),
            ("git switch -q feature/x", Some(Switch::To("feature/x"))),
            ("git checkout --detach v1.2.3", Some(Switch::To("v1.2.3"))),
            ("git checkout -", Some(Switch::Back)),
            ("git checkout -b fix", Some(Switch::New("fix"))),
            ("git switch -c fix origin/main", Some(Switch::To("fix"))),
            ("git worktree add -b fix ../base main", Some(Switch::AddTree("../base"))),
            ("git worktree list", None),
            ("git checkout -- a.py", None),
            ("git checkout main a.py", None),
            ("git checkout HEAD", None),
        ] {
            let all = simple_commands(line);
            assert_eq!(switch(&git_words(&all[0]).unwrap().0), expected, "{line}");
        }
    }

    #[test]
    fn files_of_another_tree_are_known_by_its_path() {
        let tree = OtherTree::new("../base");
        assert_eq!(
            ["../base", "/w/base", "/w/base/a.rs", "base/a.rs", "/w/baseline/a.rs", "/w/database"]
                .map(|path| tree.has(path)),
            [true, true, true, true, false, false]
        );
    }
}
