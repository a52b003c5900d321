//! What a command of git does to the files that were changed.

use super::commands::{SimpleCommand, name_of};

/// What a command of git does to the files that it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeChange {
    /// What was changed of these files stays.
    Commit(Files),
    /// What was changed of these files is made ready for the next commit.
    Add(Files),
    /// It is not ready any more.
    Unstage(Files),
    /// What was changed of these files is gone: since the last commit, or but for what is ready for the next one.
    TakeBack { files: Files, to_commit: bool },
    /// It is put aside.
    Stash { with_new: bool },
    /// Some of it is, and nobody knows what.
    StashPart,
    /// What was put aside last is there again, and kept aside, too.
    ApplyStash,
    /// What was put aside last is there again.
    PopStash,
    /// What was put aside last is gone.
    DropStash,
    /// All that was put aside is.
    DropStashes,
    /// New files and folders, of these paths, are gone.
    Clean(Vec<String>),
}

/// The words of a command of git behind what is set for all of them, and the folder in which it works; `None` for other programs.
pub fn git_words(command: &SimpleCommand) -> Option<(Vec<&str>, Option<&str>)> {
    let (program, rest) = command.words().split_first()?;
    if name_of(program) != "git" {
        return None;
    }
    let (mut words, mut folder) = (rest, command.folder());
    loop {
        words = match words {
            [flag, named, rest @ ..] if flag == "-C" => {
                folder = Some(named.as_str());
                rest
            }
            [flag, _, rest @ ..] if flag == "-c" => rest,
            [flag, rest @ ..] if flag.starts_with('-') => rest,
            _ => break,
        }
    }
    Some((words.iter().map(String::as_str).collect(), folder))
}

/// Which files are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    All,
    /// Those that git knew before.
    Known,
    /// Those that are ready for the next commit.
    Staged,
    /// These files and folders.
    Of(Vec<String>),
}

impl Files {
    /// Those that these words name: all of them for the folder in which the command works.
    fn named(words: &[&str]) -> Self {
        if words.iter().any(|word| [".", ":/", "*"].contains(word)) {
            return Self::All;
        }
        Self::Of(words.iter().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect())
    }
}

/// What it does to files that git knows, and in which folder; `None` for all else.
pub fn tree_change(command: &SimpleCommand) -> Option<(TreeChange, Option<&str>)> {
    let (words, folder) = git_words(command)?;
    let words = words.as_slice();
    let has_new = |of: &[&str]| of.iter().any(|word| ["-u", "--include-untracked", "-a", "--all"].contains(word));
    let stashes = |of: &[&str]| {
        let named = of.iter().enumerate().filter(|(at, word)| {
            let is_message = at.checked_sub(1).is_some_and(|before| ["-m", "--message"].contains(&of[before]));
            **word == "--" || !(word.starts_with('-') || is_message)
        });
        if named.count() == 0 { TreeChange::Stash { with_new: has_new(of) } } else { TreeChange::StashPart }
    };
    let is_last_stash = |of: &[&str]| of.iter().all(|word| word.starts_with('-') || ["stash@{0}", "0"].contains(word));
    let change = match words {
        ["commit", of @ ..] if !of.contains(&"--dry-run") => TreeChange::Commit(committed(&without_quoted(of))),
        ["add", of @ ..] => TreeChange::Add(added(of)?),
        ["checkout" | "restore", of @ ..] => taken_back(words[0], of)?,
        ["reset", of @ ..] if of.contains(&"--hard") => TreeChange::TakeBack { files: Files::All, to_commit: true },
        ["reset", of @ ..] => TreeChange::Unstage(unstaged(of)?),
        ["stash"] => TreeChange::Stash { with_new: false },
        ["stash", "push", of @ ..] => stashes(&without_quoted(of)),
        ["stash", "save", of @ ..] => TreeChange::Stash { with_new: has_new(of) },
        ["stash", "apply", of @ ..] if is_last_stash(of) => TreeChange::ApplyStash,
        ["stash", "pop", of @ ..] if is_last_stash(of) => TreeChange::PopStash,
        ["stash", "drop", of @ ..] if is_last_stash(of) => TreeChange::DropStash,
        ["stash", "clear"] => TreeChange::DropStashes,
        ["stash", of @ ..] if of[0].starts_with('-') => stashes(&without_quoted(of)),
        ["clean", of @ ..] if of.iter().all(|word| word.starts_with('-')) => {
            let is = |letter: char| of.iter().any(|word| !word.starts_with("--") && word.contains(letter));
            ((is('f') || of.contains(&"--force")) && !is('n')).then_some(TreeChange::Clean(Vec::new()))?
        }
        _ => return None,
    };
    // These two take all files, whatever folder of the repository they run in.
    let is_whole = words[0] == "reset" || words[0] == "stash";
    Some((change, folder.filter(|folder| !is_whole || folder.starts_with(['/', '\\']))))
}

/// Whether a command of git may have brought other content into the files of the work: of another branch or commit, or as it was when all was committed.
/// What is put aside usually comes back.
pub fn brings_changes(command: &SimpleCommand, answer: &str) -> bool {
    let is_undone = |line: &str| {
        ["fatal: ", "Aborting", "Updated 0 paths"].iter().any(|said| line.starts_with(said))
            || line.contains("up to date")
    };
    let brings = match git_words(command).as_ref().and_then(|(words, _)| words.split_first()) {
        Some((&"merge" | &"rebase" | &"pull" | &"cherry-pick" | &"revert" | &"am" | &"apply", _)) => true,
        // A new branch begins where the work is, unless it is said where.
        Some((&"checkout" | &"switch", [flag, named]))
            if ["-b", "-B", "-c", "-C"].contains(flag) && !named.starts_with('-') =>
        {
            false
        }
        Some((&"checkout" | &"switch" | &"restore", _)) => true,
        Some((&"reset", of)) => of.contains(&"--hard"),
        _ => false,
    };
    let is_unstaging = matches!(tree_change(command), Some((TreeChange::Unstage(_), _)));
    brings && !is_unstaging && !answer.lines().any(is_undone)
}

/// Whether git says that there was nothing to do.
pub fn is_nothing(change: &TreeChange, answer: &str) -> bool {
    match change {
        TreeChange::Stash { .. } | TreeChange::StashPart => answer.contains("No local changes to save"),
        TreeChange::TakeBack { .. } => answer.lines().any(|line| line.starts_with("Updated 0 paths")),
        _ => false,
    }
}

/// Whether git says that it could not.
pub fn is_refused(answer: &str) -> bool {
    answer.lines().any(|line| line.starts_with("fatal: ") || line.starts_with("error: "))
}

/// The files and folders that `git clean` says to have removed.
pub fn removed_paths(answer: &str) -> Vec<String> {
    answer.lines().filter_map(|line| line.strip_prefix("Removing ")).map(str::to_owned).collect()
}

/// How many files `git checkout` says to have taken back, where it says so once.
pub fn updated_paths(answer: &str) -> Option<usize> {
    let mut counts = answer.lines().filter_map(|line| {
        let (count, rest) = line.strip_prefix("Updated ")?.split_once(' ')?;
        rest.starts_with("path").then(|| count.parse().ok()).flatten()
    });
    counts.next().filter(|_| counts.next().is_none())
}

/// What `git commit` commits.
fn committed(of: &[&str]) -> Files {
    let is_cluster = |word: &str| word.starts_with('-') && !word.starts_with("--");
    // Nobody sees what is chosen by hand.
    if of.iter().any(|word| ["--interactive", "--patch", "-p", "--pathspec-from-file"].contains(word)) {
        return Files::All;
    }
    let takes_value = |word: &str| {
        ["--message", "--file", "--author", "--date", "--reuse-message", "--fixup", "--squash"].contains(&word)
            || (is_cluster(word) && word.ends_with(['m', 'F', 'C', 'c', 't']))
    };
    let mut paths = Vec::new();
    let mut words = of.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" => {
                paths.extend(words.by_ref().copied());
            }
            word if takes_value(word) => {
                words.next();
            }
            word if word.starts_with('-') => {}
            word => paths.push(word),
        }
    }
    let is_all =
        |word: &&str| *word == "--all" || (is_cluster(word) && word.split('m').next().unwrap_or("").contains('a'));
    match paths.as_slice() {
        [] if of.iter().any(is_all) => Files::Known,
        [] => Files::Staged,
        paths if of.iter().any(|word| ["-i", "--include"].contains(word)) && !paths.is_empty() => Files::All,
        paths => Files::named(paths),
    }
}

/// What `git add` makes ready.
fn added(of: &[&str]) -> Option<Files> {
    let has = |flags: &[&str]| of.iter().any(|word| flags.contains(word));
    if has(&["-n", "--dry-run"]) {
        return None;
    }
    let paths: Vec<&str> = of.iter().filter(|word| !word.starts_with('-')).copied().collect();
    match paths.as_slice() {
        // Nobody sees what is chosen by hand.
        _ if has(&["-p", "--patch", "-i", "--interactive"]) => Some(Files::All),
        [] if has(&["-A", "--all"]) => Some(Files::All),
        [] if has(&["-u", "--update"]) => Some(Files::Known),
        [] => None,
        paths if paths.iter().any(|path| path.contains('*')) => Some(Files::All),
        paths => Some(Files::named(paths)),
    }
}

/// What `git reset` without `--hard` makes not ready: it goes to no other commit.
fn unstaged(of: &[&str]) -> Option<Files> {
    let ends_named = of.iter().position(|word| *word == "--");
    let paths: Vec<&str> = match ends_named {
        Some(at) => of[at + 1..].to_vec(),
        None => of.iter().filter(|word| !word.starts_with('-') && **word != "HEAD").copied().collect(),
    };
    match paths.as_slice() {
        _ if of.iter().any(|word| ["--soft", "--keep", "--merge"].contains(word)) => None,
        [] => Some(Files::All),
        paths if ends_named.is_some() || paths.iter().all(|path| *path == "." || has_extension(path)) => {
            Some(Files::named(paths))
        }
        _ => None,
    }
}

/// `git checkout` or `git restore` of files: they are as they were committed last, or made ready for the next commit. `None` where they are as in another
/// commit.
fn taken_back(command: &str, of: &[&str]) -> Option<TreeChange> {
    let has = |flags: &[&str]| of.iter().any(|word| flags.contains(word));
    if has(&["--ours", "--theirs", "--merge", "-b", "-B", "--orphan", "--source", "-s", "-p", "--patch"]) {
        return None;
    }
    let ends_named = of.iter().position(|word| *word == "--");
    let (before, paths) = ends_named.map_or((&[][..], of), |at| (&of[..at], &of[at + 1..]));
    let is_flag = |word: &&&str| word.starts_with('-');
    if before.iter().any(|word| !is_flag(&word) && *word != "HEAD") {
        return None;
    }
    // The names of branches have slashes, but seldom an extension.
    let is_path = |word: &&str| {
        command == "restore"
            || ends_named.is_some()
            || [".", ":/"].contains(word)
            || word.ends_with('/')
            || has_extension(word)
    };
    let paths: Vec<&str> = paths.iter().filter(|word| !is_flag(word) && **word != "HEAD").copied().collect();
    if paths.is_empty() || !paths.iter().all(is_path) {
        return None;
    }
    let files = Files::named(&paths);
    let is_staged = has(&["--staged", "-S"]);
    if is_staged && !has(&["--worktree", "-W"]) {
        return Some(TreeChange::Unstage(files));
    }
    Some(TreeChange::TakeBack { files, to_commit: is_staged || of.contains(&"HEAD") })
}

fn has_extension(word: &str) -> bool {
    let extension = name_of(word).rsplit_once('.').filter(|(name, _)| !name.is_empty());
    extension.is_some_and(|(_, extension)| extension.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Words without those that are in quotes with others.
fn without_quoted<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut open: Option<char> = None;
    let is_single = |word: &&&str| {
        let is_inside = open.is_some();
        for c in word.chars().filter(|c| matches!(c, '"' | '\'')) {
            open = match open {
                None => Some(c),
                Some(quote) if quote == c => None,
                other => other,
            };
        }
        !is_inside
    };
    words.iter().filter(is_single).copied().collect()
}

/// Whether git says that it did this, whatever else the command line did.
pub fn is_seen(change: &TreeChange, answer: &str) -> bool {
    let words: &[&str] = match change {
        // What may be committed is not told as taken back.
        TreeChange::Commit(_) | TreeChange::Add(_) => return true,
        TreeChange::Unstage(_) => &["Unstaged changes after reset"],
        TreeChange::TakeBack { .. } => &["HEAD is now at ", "Updated "],
        TreeChange::Stash { .. } | TreeChange::StashPart => &["Saved working directory"],
        TreeChange::PopStash | TreeChange::ApplyStash | TreeChange::DropStash | TreeChange::DropStashes => {
            &["Dropped refs/stash", "Dropped stash@"]
        }
        TreeChange::Clean(_) => &["Removing "],
    };
    words.iter().any(|words| answer.lines().any(|line| line.starts_with(words)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::commands::simple_commands, *};

    #[test]
    fn what_git_does_to_files_is_known_and_where() {
        let files = |paths: &[&str]| Files::Of(paths.iter().map(|path| (*path).to_owned()).collect());
        let of = |paths: &[&str]| TreeChange::TakeBack { files: files(paths), to_commit: false };
        let all = |to_commit| TreeChange::TakeBack { files: Files::All, to_commit };
        let stash = |with_new| TreeChange::Stash { with_new };
        for (line, change) in [
            ("git restore .", Some(all(false))),
            ("git checkout -f -- :/", Some(all(false))),
            ("git --no-pager -c a=b checkout HEAD -- .", Some(all(true))),
            ("git restore --staged --worktree .", Some(all(true))),
            ("git reset --hard origin/main", Some(all(true))),
            ("git checkout a.py 'c.py' && npm test", Some(of(&["a.py", "c.py"]))),
            ("git checkout -- src/", Some(of(&["src/"]))),
            ("git restore src", Some(of(&["src"]))),
            ("git commit -m 'reset --hard'", Some(TreeChange::Commit(Files::Staged))),
            ("git commit -am 'a b' --no-verify", Some(TreeChange::Commit(Files::Known))),
            ("git commit --amend --no-edit", Some(TreeChange::Commit(Files::Staged))),
            ("git commit -m 'a b' a.py", Some(TreeChange::Commit(files(&["a.py"])))),
            ("git commit -qm x -- a.py b", Some(TreeChange::Commit(files(&["a.py", "b"])))),
            ("git add -A", Some(TreeChange::Add(Files::All))),
            ("git add -u", Some(TreeChange::Add(Files::Known))),
            ("git add a.py src/", Some(TreeChange::Add(files(&["a.py", "src/"])))),
            ("git add -p a.py", Some(TreeChange::Add(Files::All))),
            ("git reset -q", Some(TreeChange::Unstage(Files::All))),
            ("git reset HEAD a.py", Some(TreeChange::Unstage(files(&["a.py"])))),
            ("git restore --staged .", Some(TreeChange::Unstage(Files::All))),
            ("git stash -u", Some(stash(true))),
            ("git stash push -m 'a b c'", Some(stash(false))),
            ("git stash save work on it", Some(stash(false))),
            ("git stash push -m x a.py", Some(TreeChange::StashPart)),
            ("git stash push -- a.py", Some(TreeChange::StashPart)),
            ("git stash pop --index stash@{0}", Some(TreeChange::PopStash)),
            ("git stash clear", Some(TreeChange::DropStashes)),
            ("git clean -fd", Some(TreeChange::Clean(Vec::new()))),
            ("git clean -nfd", None),
            ("git commit --dry-run", None),
            ("git stash pop stash@{1}", None),
            ("git stash list", None),
            ("git checkout main", None),
            ("git checkout main -- .", None),
            ("git checkout -b a.b", None),
            ("git checkout feature/x.y z", None),
            ("git reset HEAD~1", None),
            ("ls .", None),
        ] {
            let command = &simple_commands(line)[0];
            assert_eq!(tree_change(command).map(|(change, _)| change), change, "{line}");
        }
        for (line, folder) in [
            ("git -C /srv checkout -- . 2>&1", Some("/srv")),
            ("cd \"/srv\" && git restore .", Some("/srv")),
            ("git restore .", None),
        ] {
            assert_eq!(tree_change(&simple_commands(line)[0]), Some((all(false), folder)), "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_words_are_survived(words in "git( (-C|-c|stash|push|checkout|restore|reset|clean|commit|--|-m|--hard|\\.|['\"a-z/.@{}0-9-]{1,5})){0,6}") {
            for command in simple_commands(&words) {
                tree_change(&command);
            }
        }
    }
}
