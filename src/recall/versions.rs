//! Determines which version of a file an entry shows or changes.

use super::entries::{Draft, Kind};
use crate::transcript::{CallOutcome, Meaning, changed_by_command, clean_path, files_of_patch};

/// Returns the files that a call changed, clean. A failed call changed none.
pub fn changed_files(draft: &Draft) -> Vec<String> {
    let Kind::Call(meaning) = draft.kind else { return Vec::new() };
    if matches!(draft.outcome, CallOutcome::Failed | CallOutcome::Denied) {
        return Vec::new();
    }
    let files: Vec<String> = match meaning {
        Meaning::Write | Meaning::Edit | Meaning::Touch => {
            let mut files = files_of_patch(&draft.text);
            files.push(draft.file.clone());
            files
        }
        Meaning::Command => changed_by_command(command(&draft.text)),
        _ => Vec::new(),
    };
    let mut files: Vec<String> = files.iter().map(|file| clean_path(file)).filter(|file| !file.is_empty()).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// Returns the command line in the text of a call that runs one.
fn command(text: &str) -> &str {
    let value = ["command:", "cmd:"].iter().find_map(|name| text.strip_prefix(name)).unwrap_or_default();
    let value = value.trim_start();
    value.find("\n→").map_or(value, |end| &value[..end])
}

/// Returns true if two clean paths name one file: they are equal, or one is the other without the agent's working
/// directory.
pub fn same_file(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    let rest = long.strip_suffix(short);
    !short.is_empty() && rest.is_some_and(|rest| rest.is_empty() || (rest.ends_with('/') && !short.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_with_or_without_its_directory() {
        assert!(same_file("src/a.rs", "/home/me/p/src/a.rs") && same_file("src/a.rs", "src/a.rs"));
        assert!(!same_file("a.rs", "aa.rs") && !same_file("", "a") && !same_file("/a.rs", "/b/a.rs"));
    }
}
