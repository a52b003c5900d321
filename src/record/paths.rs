//! Which of the known files a path names, whether it says from where on or not.

use std::{borrow::Cow, collections::HashMap};

use super::commands::may_be_inside;

/// The files that are known by paths, each by its number.
#[derive(Default)]
pub struct Paths {
    /// The newest path of each.
    newest: Vec<String>,
    by_path: HashMap<String, usize>,
    /// By the last part of the path, which all names of a file have in common, and whether the path is absolute: two of a kind are one only when they are equal.
    by_name: HashMap<(String, bool), Vec<usize>>,
    /// By each part of a path.
    by_part: HashMap<String, Vec<usize>>,
}

impl Paths {
    /// The number of the file that a path names, which is its newest from now on.
    pub fn add(&mut self, path: &str) -> usize {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let is_absolute = is_absolute(path);
        let same = |file: &usize| is_same_file(&self.newest[*file], path);
        let others = || self.by_name.get(&(name.clone(), !is_absolute)).into_iter().flatten().copied().find(same);
        let known = self.by_path.get(path).copied().or_else(others);
        let file = known.unwrap_or(self.newest.len());
        if self.by_path.insert(path.to_owned(), file).is_none() {
            self.by_name.entry((name, is_absolute)).or_default().push(file);
            for part in parts(path) {
                let of_part = self.by_part.entry(part.to_owned()).or_default();
                if of_part.last() != Some(&file) {
                    of_part.push(file);
                }
            }
        }
        match self.newest.get_mut(file) {
            Some(newest) => path.clone_into(newest),
            None => self.newest.push(path.to_owned()),
        }
        file
    }

    /// The newest path of a file.
    pub fn newest(&self, file: usize) -> &str {
        &self.newest[file]
    }

    /// The files that a path names, or that are in it, and whether it names them alone. Where it does not say from where on, those are meant that it names
    /// nearest to the root.
    pub fn named(&self, path: &str, folder: Option<&str>) -> Vec<(usize, bool)> {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let path: Cow<'_, str> = match folder.filter(|_| !is_absolute(path)) {
            Some(folder) => format!("{}/{path}", folder.trim_start_matches("./").trim_end_matches('/')).into(),
            None => path.into(),
        };
        let found = self.candidates(&path).into_iter().filter_map(|file| {
            let at = place_in(&self.newest[file], &path)?;
            Some((at, file, at + path.len() >= self.newest[file].trim_start_matches("./").len()))
        });
        let found: Vec<(usize, usize, bool)> = found.collect();
        let nearest = found.iter().map(|(at, ..)| *at).min();
        found.into_iter().filter(|(at, ..)| Some(*at) == nearest).map(|(_, file, is_it)| (file, is_it)).collect()
    }

    /// The files that a path may name: they have all of its parts, or are the end of it.
    fn candidates(&self, path: &str) -> Vec<usize> {
        const NONE: &[usize] = &[];
        let of_part = |part: &str| self.by_part.get(part).map_or(NONE, Vec::as_slice);
        let Some(rarest) = parts(path).map(of_part).min_by_key(|files| files.len()) else {
            return (0..self.newest.len()).collect();
        };
        let mut files = rarest.to_vec();
        let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]).filter(|_| is_absolute(path));
        files.extend(ends.filter_map(|end| self.by_path.get(end).or_else(|| self.by_path.get(&format!("./{end}")))));
        files.sort_unstable();
        files.dedup();
        files
    }
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// Where in the path of a file another path stands that names it, or a folder in which it is.
fn place_in(file: &str, path: &str) -> Option<usize> {
    let file = file.trim_start_matches("./");
    // A file by a relative path, where the command names it from the root on, is one that ends so.
    if is_absolute(path) && !is_absolute(file) {
        return path.strip_suffix(file).is_some_and(|before| before.ends_with('/')).then_some(0);
    }
    if may_be_inside(Some(file), Some(path)) {
        return Some(0);
    }
    let at = (!is_absolute(path) && is_absolute(file)).then(|| file.find(&format!("/{path}")))??;
    matches!(file.as_bytes().get(at + 1 + path.len()), None | Some(b'/')).then_some(at + 1)
}

/// Whether a file may be in the folder that a line names. A relative path is one of the folder in which the agent works, which is the one that a line goes to,
/// as a rule; a relative folder is one in it.
pub fn is_in(folder: Option<&str>, path: &str) -> bool {
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

/// Folders and files that repositories leave out, as a rule: what git takes back, it leaves there.
pub fn is_ignored(path: &str) -> bool {
    const FOLDERS: [&str; 14] = [
        "node_modules",
        "target",
        "dist",
        "build",
        "out",
        "tmp",
        "coverage",
        "venv",
        ".venv",
        ".git",
        ".cache",
        ".next",
        "__pycache__",
        ".pytest_cache",
    ];
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    name == ".env"
        || name.starts_with(".env.")
        || [".log", ".pyc", ".tmp", ".swp"].iter().any(|end| name.ends_with(end))
        || parts.any(|part| FOLDERS.contains(&part))
}
