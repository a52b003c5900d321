//! Gives each file one name: `./a`, `a`, `C:\p\a` and `c:/p/a` are the same if the working directory is `C:\p`.

use crate::maps::HashMap;
use std::sync::Arc;

/// Returns the clean form of a path: forward slashes in Windows paths, and no `.` or `..` if they can be resolved.
pub fn clean(path: &str) -> String {
    let path = path.trim();
    let path = path.strip_prefix("file://").unwrap_or(path);
    // Prefixes that Windows writes before long paths, and URLs before drives.
    let path = [r"\\?\", "//?/", "/"]
        .iter()
        .find_map(|prefix| path.strip_prefix(prefix).filter(|rest| has_drive(rest)))
        .unwrap_or(path);
    let windows = is_windows(path);
    let slashed = if windows { path.replace('\\', "/") } else { path.to_owned() };
    let absolute = slashed.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in slashed.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    let mut clean = if absolute { format!("/{joined}") } else { joined };
    if has_drive(&clean) {
        // Windows paths are case-insensitive.
        clean.make_ascii_lowercase();
    }
    clean
}

pub(super) fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && bytes.get(2).is_none_or(|third| matches!(third, b'/' | b'\\'))
}

/// Returns true for a drive, or backslashes without a slash. On other systems a backslash is an ordinary character.
fn is_windows(path: &str) -> bool {
    has_drive(path) || (path.contains('\\') && !path.starts_with('/'))
}

pub(super) fn is_absolute(clean: &str) -> bool {
    clean.starts_with('/') || has_drive(clean)
}

/// Gives the paths of a conversation their final names.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// The directory that the conversation names: clean, without a trailing slash.
    stated: Option<String>,
    /// The directory that its paths reveal.
    guessed: Option<String>,
    names: HashMap<Arc<str>, Arc<str>>,
}

impl Paths {
    /// `stated` is the working directory that the conversation names. Without one, relative paths are names of their
    /// own, and two count as one file only if their absolute paths say so.
    pub(super) fn new<'a>(raw: impl Iterator<Item = &'a str>, stated: Option<&str>) -> Self {
        let stated = stated.map(clean).filter(|path| is_absolute(path));
        let guessed = if stated.is_none() { guess(raw) } else { None };
        Self { stated, guessed, names: HashMap::default() }
    }

    /// Returns the working directory that the conversation names, or else the one below which most relative paths are
    /// also written as absolute ones.
    pub(super) fn working_directory(&self) -> Option<&str> {
        self.stated.as_deref().or(self.guessed.as_deref())
    }

    /// Returns the final name of `raw`.
    pub(super) fn name(&mut self, raw: &Arc<str>) -> Arc<str> {
        if let Some(name) = self.names.get(raw) {
            return name.clone();
        }
        let mut name = clean(raw);
        if let Some(directory) = &self.stated {
            if let Some(below) = name.strip_prefix(directory.as_str()).and_then(|rest| rest.strip_prefix('/')) {
                name = String::from(below);
            } else if has_drive(directory) && !is_absolute(&name) {
                name.make_ascii_lowercase();
            }
        }
        let name: Arc<str> = name.into();
        self.names.insert(raw.clone(), name.clone());
        name
    }
}

/// Returns the directory that turns most relative paths into absolute ones of the list.
fn guess<'a>(raw: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut paths: Vec<String> = raw.map(clean).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut by_name: HashMap<&str, Vec<&str>> = HashMap::default();
    let name = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    for path in paths.iter().filter(|path| is_absolute(path)) {
        let same = by_name.entry(&path[name(path)..]).or_default();
        // A name that occurs everywhere (index.ts) says little and would cost much.
        if same.len() < 32 {
            same.push(path);
        }
    }
    let mut votes: HashMap<&str, usize> = HashMap::default();
    for path in paths.iter().filter(|path| !is_absolute(path) && !path.is_empty()) {
        for absolute in by_name.get(&path[name(path)..]).into_iter().flatten() {
            if let Some(root) = absolute.strip_suffix(path.as_str()).and_then(|root| root.strip_suffix('/')) {
                // A path with a directory is stronger evidence than a bare name.
                *votes.entry(root).or_default() += 1 + path.matches('/').count().min(4);
            }
        }
    }
    votes.into_iter().max_by_key(|(root, votes)| (*votes, std::cmp::Reverse(*root))).map(|(root, _)| root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str], stated: Option<&str>) -> Vec<String> {
        let mut names = Paths::new(paths.iter().copied(), stated);
        paths.iter().map(|path| names.name(&Arc::from(*path)).to_string()).collect()
    }

    #[test]
    fn one_file_has_one_name() {
        assert_eq!(names(&["a/b.ts", "./a//b.ts", "/p/a/b.ts", "a/x/../b.ts"], Some("/p/")), ["a/b.ts"; 4]);
        assert_eq!(names(&["a\\B.ts", "a/b.ts", "C:\\P\\a\\b.ts", "c:/p/A/b.ts"], Some("c:/P")), ["a/b.ts"; 4]);
        assert_eq!(names(&["a/B.ts", "c:/p/A/b.ts"], None), ["a/B.ts", "c:/p/a/b.ts"]);
        assert_eq!(names(&["/odd\\name", "/"], None), ["/odd\\name", "/"]);
    }
    #[test]
    fn paths_that_may_be_of_two_files_have_two_names() {
        let paths = ["/other/src/a.go", "src/a.go", "/home/x/p/src/a.go"];
        assert_eq!(names(&paths, None), paths);
        assert_eq!(names(&paths, Some("/home/x/p")), ["/other/src/a.go", "src/a.go", "src/a.go"]);
        let guessed = |paths: &[&str]| Paths::new(paths.iter().copied(), None).working_directory().map(str::to_owned);
        assert_eq!(guessed(&["/home/x/p/src/a.go", "src/a.go", "b.go"]).as_deref(), Some("/home/x/p"));
    }
}
