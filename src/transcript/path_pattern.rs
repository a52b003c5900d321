//! Matches files by patterns, however pattern and paths are written: `C:\p\src`, `c:/p/src/` and `/mnt/c/p/src` are
//! the same folder.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::paths::{clean, has_drive, is_absolute};

/// A path, or a glob: `*` matches any characters, `**/` any folders or none, `?` one character; everything else
/// matches itself. As in a `.gitignore`, a relative pattern matches below any folder, and a folder includes
/// everything in it.
#[derive(Debug, Clone)]
pub struct PathPattern {
    spellings: Vec<Spelling>,
    directory: Option<String>,
}

/// One way to write the pattern.
#[derive(Debug, Clone)]
struct Spelling {
    /// True if it matches from the root only, not below any folder.
    is_rooted: bool,
    /// True if it ignores case, as Windows does.
    ignores_case: bool,
    exact: Vec<Step>,
    lower: Vec<Step>,
}

/// A step of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    One(char),
    Any,
    /// Any characters or none.
    Star,
    /// Any folders or none.
    Folders,
    /// Within [`Step::Folders`], which it always follows: folders end with a slash.
    InFolders,
}

/// Folders in which systems without drives mount those of Windows.
const DRIVES_BELOW: [&str; 3] = ["/mnt/", "/cygdrive/", "/"];

impl PathPattern {
    /// Creates a pattern. `directory` is the working directory of the conversation, if known.
    pub fn new(pattern: &str, directory: Option<&str>) -> Self {
        let directory = directory.map(normal);
        let path = normal(pattern);
        let mut spellings = other_spellings(&path);
        if let Some(directory) = directory.as_deref().filter(|_| path.starts_with("..")) {
            spellings.push(normal(&format!("{directory}/{path}")));
        }
        spellings.push(path);
        Self { spellings: spellings.iter().map(|path| Spelling::from_path(path)).collect(), directory }
    }

    /// Returns true if it matches a file. `path` is the name that a transcript has for it: clean, and relative to the
    /// working directory if that is known.
    pub fn names(&self, path: &str) -> bool {
        let path = match &self.directory {
            Some(directory) if !is_absolute(path) => normal(&format!("{directory}/{path}")),
            _ => composed(path.into()).into_owned(),
        };
        let lower = path.to_lowercase();
        let has_drive = has_drive(&path);
        self.spellings.iter().any(|spelling| {
            if spelling.ignores_case || has_drive {
                is_within(&spelling.lower, &lower, spelling.is_rooted)
            } else {
                is_within(&spelling.exact, &path, spelling.is_rooted)
            }
        })
    }
}

impl Spelling {
    fn from_path(path: &str) -> Self {
        let on_drive = |below: &&str| path.strip_prefix(*below).is_some_and(|rest| drive_of(rest).is_some());
        Self {
            is_rooted: is_absolute(path),
            ignores_case: has_drive(path) || DRIVES_BELOW.iter().any(on_drive),
            // The pattern "/" is a prefix of every absolute path.
            exact: steps(path.trim_end_matches('/')),
            lower: steps(path.trim_end_matches('/').to_lowercase().as_str()),
        }
    }
}

/// Returns the normal form in which paths are compared.
fn normal(path: &str) -> String {
    composed(clean(path).into()).into_owned()
}

/// Composes letters with their accents into one character, because macOS decomposes them.
fn composed(path: Cow<'_, str>) -> Cow<'_, str> {
    if is_nfc_quick(path.chars()) == IsNormalized::Yes { path } else { path.nfc().collect::<String>().into() }
}

/// Returns the drive letter of `c/p`, and the rest.
fn drive_of(path: &str) -> Option<(char, &str)> {
    let letter = path.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = &path[1..];
    (rest.is_empty() || rest.starts_with('/')).then_some((letter, rest))
}

/// Returns the same path on a Windows drive as Windows, Git Bash, Cygwin and WSL write it.
fn other_spellings(path: &str) -> Vec<String> {
    let windows = has_drive(path).then(|| (path.chars().next().unwrap_or('c'), &path[2..]));
    let below = || DRIVES_BELOW.iter().find_map(|below| drive_of(path.strip_prefix(below)?));
    let Some((letter, rest)) = windows.or_else(below) else { return Vec::new() };
    let others = DRIVES_BELOW.iter().map(|below| format!("{below}{letter}{rest}"));
    others.chain([format!("{letter}:{rest}")]).collect()
}

fn steps(pattern: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut begins_folder = true;
    let mut rest = pattern;
    while let Some(next) = rest.chars().next() {
        if begins_folder && let Some(behind) = rest.strip_prefix("**/") {
            steps.extend([Step::Folders, Step::InFolders]);
            rest = behind;
            continue;
        }
        steps.push(match next {
            '*' => Step::Star,
            '?' => Step::Any,
            other => Step::One(other),
        });
        begins_folder = next == '/';
        rest = &rest[next.len_utf8()..];
    }
    steps
}

/// Returns true if the steps match the path or a folder that contains it. All alternatives are followed at once, so
/// that no pattern takes long.
fn is_within(steps: &[Step], path: &str, is_rooted: bool) -> bool {
    let end = steps.len();
    if end == 0 && !is_rooted {
        return true;
    }
    let mut live = vec![false; end + 1];
    let mut is_start = true;
    for next in path.chars() {
        if is_start {
            enter(&mut live, steps, 0);
        }
        if live[end] && next == '/' {
            return true;
        }
        let mut then = vec![false; end + 1];
        for at in (0..end).filter(|at| live[*at]) {
            match steps[at] {
                Step::One(wanted) if wanted == next => enter(&mut then, steps, at + 1),
                Step::Any => enter(&mut then, steps, at + 1),
                Step::Star => enter(&mut then, steps, at),
                Step::InFolders => {
                    then[at] = true;
                    if next == '/' {
                        enter(&mut then, steps, at + 1);
                    }
                }
                Step::One(_) | Step::Folders => {}
            }
        }
        live = then;
        is_start = !is_rooted && next == '/';
    }
    live[end]
}

/// Marks a step as reachable, with all steps that it may skip to.
fn enter(live: &mut [bool], steps: &[Step], mut at: usize) {
    while !live[at] {
        live[at] = true;
        match steps.get(at) {
            Some(Step::Star) => at += 1,
            Some(Step::Folders) => {
                live[at + 1] = true;
                at += 2;
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pattern: &str, path: &str, directory: Option<&str>) -> bool {
        PathPattern::new(pattern, directory).names(path)
    }

    #[test]
    fn however_it_is_written() {
        for path in ["c:/proj/src/parser.ts", "/c/proj/src/parser.ts", "/mnt/c/proj/src/parser.ts"] {
            for pattern in [
                r"C:\proj\src\parser.ts",
                "C:/proj/src/parser.ts",
                r"c:\Proj\src\.\Parser.ts",
                r"C:\proj\src\*.ts",
                r"C:\proj\**",
                r"C:\proj\",
                r"C:\",
                r"\\?\C:\proj\src\parser.ts",
                "file:///C:/proj/src/parser.ts",
                "/c/proj/src/parser.ts",
                "/mnt/c/proj/src",
                r"src\parser.ts",
                r".\src\parser.ts",
                "./src//x/../parser.ts",
            ] {
                assert!(names(pattern, path, None), "{pattern} {path}");
            }
            for pattern in
                [r"D:\proj\src\parser.ts", r"C:\src\parser.ts", r"C:\proj\src\pars", "/proj/src/parser.ts", "arser.ts"]
            {
                assert!(!names(pattern, path, None), "{pattern} {path}");
            }
        }
        assert!(names(r"C:\proj\SRC\a.ts", "src/a.ts", Some("c:/proj")));
        assert!(names("SRC/A.ts", "src/a.ts", Some("c:/proj")), "Windows does not tell cases apart");
        assert!(!names("SRC/A.ts", "src/a.ts", Some("/proj")));
        assert!(names("../lib/a.ts", "/home/lib/a.ts", Some("/home/proj")));
        assert!(names("docs/e\u{301}te\u{301}.md", "docs/\u{e9}t\u{e9}.md", None));
        assert!(names("docs/\u{e9}t\u{e9}.md", "docs/e\u{301}te\u{301}.md", None));
        assert!(names(r"/odd\name", r"/odd\name", None));
    }

    #[test]
    fn folders_and_globs() {
        for (pattern, yes, no) in [
            ("src/**/*.ts", &["src/parser.ts", "a/src/x/y/z.ts"][..], &["src.ts", "asrc/parser.ts"][..]),
            ("**/a.ts", &["a.ts", "x/y/a.ts"], &["xa.ts"]),
            ("**", &["a.ts", "/x/a.ts"], &[]),
            ("src/**/**/a.ts", &["src/a.ts", "src/x/a.ts"], &["src/xa.ts"]),
            ("src", &["src", "src/a.ts", "x/src/y/a.ts"], &["src.ts", "asrc/a.ts"]),
            ("src/", &["src", "src/a.ts", "x/src/y/a.ts"], &["src.ts", "asrc/a.ts"]),
            ("/src", &["/src/a.ts"], &["src/a.ts", "/x/src/a.ts"]),
            ("/", &["/a", "/x/y"], &["a", "c:/a"]),
            (".", &["a", "/x/y"], &[]),
            ("a?c", &["a\u{e9}c", "abc/d"], &["ac", "abbc"]),
            ("*", &["a"], &[]),
            ("src/[id]/page.tsx", &["src/[id]/page.tsx"], &["src/i/page.tsx"]),
        ] {
            for path in yes {
                assert!(names(pattern, path, None), "{pattern} {path}");
            }
            for path in no {
                assert!(!names(pattern, path, None), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        let pattern = "**/*a".repeat(2000);
        assert!(!names(&pattern, &"a".repeat(300), None));
    }
}
