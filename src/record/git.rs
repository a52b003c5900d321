//! What a command of git does to the files that were changed.

use super::commands::{SimpleCommand, name_of};

/// What a command of git does to the files that it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeChange {
    /// What was changed stays.
    Commit,
    /// What was changed since the last commit is gone.
    TakeBack,
    /// The same, of these files and folders.
    TakeBackOf(Vec<String>),
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

/// What it does to files that git knows, and in which folder; `None` for all else.
pub fn tree_change(command: &SimpleCommand) -> Option<(TreeChange, Option<&str>)> {
    let words: Vec<&str> = command.words().iter().map(String::as_str).collect();
    let (program, mut words) = words.split_first()?;
    if name_of(program) != "git" {
        return None;
    }
    let mut folder = command.folder();
    loop {
        words = match words {
            ["-C", named, rest @ ..] => {
                folder = Some(named);
                rest
            }
            ["-c", _, rest @ ..] => rest,
            [flag, rest @ ..] if flag.starts_with('-') => rest,
            _ => break,
        }
    }
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
        ["commit", of @ ..] if !of.contains(&"--dry-run") => TreeChange::Commit,
        ["checkout" | "restore", of @ ..] => taken_back(words[0], of)?,
        ["reset", of @ ..] if of.contains(&"--hard") => TreeChange::TakeBack,
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

/// Whether git says that there was nothing to do.
pub fn is_nothing(change: &TreeChange, answer: &str) -> bool {
    match change {
        TreeChange::Stash { .. } | TreeChange::StashPart => answer.contains("No local changes to save"),
        TreeChange::TakeBack | TreeChange::TakeBackOf(_) => {
            answer.lines().any(|line| line.starts_with("Updated 0 paths"))
        }
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

/// `git checkout` or `git restore` of files: they are as they were committed last. `None` where they are as in another commit, or only the index changes.
fn taken_back(command: &str, of: &[&str]) -> Option<TreeChange> {
    let has = |flags: &[&str]| of.iter().any(|word| flags.contains(word));
    if has(&["--ours", "--theirs", "--merge", "-b", "-B", "--orphan", "--source", "-s"])
        || (has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]))
    {
        return None;
    }
    let ends_named = of.iter().position(|word| *word == "--");
    let (before, paths) = ends_named.map_or((&[][..], of), |at| (&of[..at], &of[at + 1..]));
    let is_flag = |word: &&&str| word.starts_with('-');
    if before.iter().any(|word| !is_flag(&word) && *word != "HEAD") {
        return None;
    }
    // The names of branches have slashes, but seldom an extension.
    let is_path = |word: &&&str| {
        command == "restore"
            || ends_named.is_some()
            || [".", ":/"].contains(word)
            || word.ends_with('/')
            || has_extension(word)
    };
    let paths: Vec<&&str> = paths.iter().filter(|word| !is_flag(word) && **word != "HEAD").collect();
    if paths.is_empty() || !paths.iter().all(is_path) {
        return None;
    }
    let is_all = paths.iter().any(|path| [".", ":/", "*"].contains(path));
    Some(if is_all {
        TreeChange::TakeBack
    } else {
        TreeChange::TakeBackOf(paths.into_iter().map(|path| path.trim_matches(['"', '\'']).to_owned()).collect())
    })
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
        TreeChange::Commit => return true,
        TreeChange::TakeBack | TreeChange::TakeBackOf(_) => &["HEAD is now at ", "Updated "],
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
        let of = |paths: &[&str]| TreeChange::TakeBackOf(paths.iter().map(|path| (*path).to_owned()).collect());
        let stash = |with_new| TreeChange::Stash { with_new };
        for (line, change) in [
            ("git restore .", Some(TreeChange::TakeBack)),
            ("git checkout -f -- :/", Some(TreeChange::TakeBack)),
            ("git --no-pager -c a=b checkout HEAD -- .", Some(TreeChange::TakeBack)),
            ("git restore --staged --worktree .", Some(TreeChange::TakeBack)),
            ("git reset --hard origin/main", Some(TreeChange::TakeBack)),
            ("git checkout a.py 'c.py' && npm test", Some(of(&["a.py", "c.py"]))),
            ("git checkout -- src/", Some(of(&["src/"]))),
            ("git restore src", Some(of(&["src"]))),
            ("git commit -m 'reset --hard'", Some(TreeChange::Commit)),
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
            ("git restore --staged .", None),
            ("git checkout main", None),
            ("git checkout main -- .", None),
            ("git checkout -b a.b", None),
            ("git checkout feature/x.y z", None),
            ("git reset HEAD~1", None),
            ("ls .", None),
        ] {
            let all = simple_commands(line);
            assert_eq!(tree_change(&all[0]).map(|(change, _)| change), change, "{line}");
        }
        for (line, folder) in [
            ("git -C /srv checkout -- . 2>&1", Some("/srv")),
            ("cd \"/srv\" && git restore .", Some("/srv")),
            ("git restore .", None),
        ] {
            assert_eq!(tree_change(&simple_commands(line)[0]), Some((TreeChange::TakeBack, folder)), "{line}");
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
