//! Recognises command lines that certainly read or write one file: a single simple command, no globs, no variables.

use std::{ffi::OsStr, ops::Range, path::Path};

use super::{events::Touch, shell_characters::ShellCharacters};

/// A command line's effect on files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellAction {
    /// Shows lines of a file.
    Read { path: String, lines: Lines, numbered: bool },
    /// Sets the content of a file; `content` is its range in the command line.
    Write { path: String, content: Range<usize> },
    /// Appends to a file.
    Append { path: String, content: Range<usize> },
    /// Shows matching lines of one or several files. `path` is set if there is exactly one.
    Search { path: Option<String> },
    /// Changes, moves or deletes files in a way that is not followed further.
    Touch { paths: Vec<(String, Touch)> },
    /// Lists files.
    List,
}

/// The shown lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// All lines.
    All,
    /// The lines from the first to the last, inclusive; `None` for the end of the file.
    From(u32, Option<u32>),
    /// This many last lines.
    Last(u32),
}

/// Returns the effect of a command line; `None` if it is uncertain or not followed.
pub(super) fn action(command: &str) -> Option<ShellAction> {
    // In a longer line only a heredoc's content matters, and its first line is short.
    const MAX_LINE_BYTES: usize = 4096;
    let start = command.len() - command.trim_start().len();
    let first_end = memchr::memchr(b'\n', &command.as_bytes()[start..]).map_or(command.len(), |at| start + at);
    let first = command[start..first_end].trim_end();
    if first.len() > MAX_LINE_BYTES {
        return None;
    }
    let (directory, line) = leave_directory(first)?;
    let located = |path: &str| match &directory {
        Some(directory) if !path.starts_with('/') => format!("{directory}/{path}"),
        _ => path.to_owned(),
    };
    if line.contains("<<") {
        return heredoc(command, first_end, line, located);
    }
    if !command[first_end..].trim().is_empty() {
        return None;
    }
    let parts = pipeline(line)?;
    let first: Vec<&str> = parts[0].iter().map(String::as_str).collect();
    let shown = match parts.get(1) {
        None => None,
        Some(filter) if parts.len() == 2 => Some(range_filter(filter)?),
        Some(_) => return None,
    };
    let read = |path: &str, lines, numbered| {
        let lines = match (lines, shown) {
            (lines, None) => lines,
            (Lines::All, Some(shown)) => shown,
            _ => return None,
        };
        is_plain_path(path).then(|| ShellAction::Read { path: located(path), lines, numbered })
    };
    match first.as_slice() {
        ["cat", path] => read(path, Lines::All, false),
        ["cat", "-n", path] | ["nl", "-ba" | "-b a", path] | ["nl", "-b", "a", path] => read(path, Lines::All, true),
        ["head" | "sed" | "tail", ..] => {
            let words: Vec<String> = first.iter().map(|word| (*word).to_owned()).collect();
            if first[0] == "sed" && first.get(1).is_some_and(|flag| flag.starts_with("-i") || *flag == "--in-place") {
                let scripted = first[2..].iter().any(|word| matches!(*word, "-e" | "-f" | "--expression" | "--file"));
                let files = if scripted { None } else { first[2..].iter().position(|word| !word.starts_with('-')) };
                let files = &first[2 + files? + 1..];
                return shown.is_none().then(|| touched(files, Touch::Changed, located)).flatten();
            }
            let (path, options) = words.split_last()?;
            read(path, range_filter(options)?, false)
        }
        ["grep" | "rg" | "egrep" | "fgrep", rest @ ..] => search(first[0], rest, located),
        ["rm", rest @ ..] => touched(rest, Touch::Removed, located),
        ["mv", rest @ ..] => moved(rest, located),
        ["git", "restore", rest @ ..] => restored(rest, located),
        ["git", "checkout", rest @ ..] => checked_out(rest, located),
        ["truncate", rest @ ..] | ["gofmt" | "goimports", "-w", rest @ ..] => touched(rest, Touch::Changed, located),
        ["ls" | "find" | "tree", ..] => Some(ShellAction::List),
        _ => None,
    }
}

/// Returns the files that a command line certainly changes.
pub fn changed_by(command: &str) -> Vec<String> {
    match action(command) {
        Some(ShellAction::Write { path, .. } | ShellAction::Append { path, .. }) => vec![path],
        Some(ShellAction::Touch { paths }) => paths.into_iter().map(|(path, _)| path).collect(),
        _ => Vec::new(),
    }
}

/// Returns true if a command line shows files or their changes, whatever else it does. The exact lines need not be
/// known, so this is less certain than [`action`].
pub(super) fn shows_files(command: &str) -> bool {
    let line = command.trim_start();
    let line = if line.starts_with("cd ") { line.split_once("&&").map_or(line, |(_, rest)| rest) } else { line };
    // With a heredoc, `cat` writes a file.
    let first = line.lines().next().unwrap_or_default();
    let mut words = first.split_whitespace();
    let (program, argument) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let shows = match program {
        "cat" | "head" | "tail" | "nl" | "bat" => true,
        "sed" => argument.starts_with("-n"),
        "git" => matches!(argument, "diff" | "show"),
        _ => false,
    };
    shows && !first.contains("<<")
}

/// Returns true if a command line shows files and does nothing else: all of its commands show, search or filter.
pub(super) fn only_shows_files(command: &str) -> bool {
    const QUIET: [&str; 20] = [
        "cat", "head", "tail", "nl", "bat", "sed", "git", "cd", "echo", "printf", "ls", "grep", "egrep", "rg", "sort",
        "uniq", "wc", "cut", "tr", "pwd",
    ];
    let line = command.trim();
    if !shows_files(line) {
        return false;
    }
    let mut starts = vec![0];
    for (at, character, is_quoted) in ShellCharacters::new(line) {
        match character {
            '`' | '$' | '<' | '>' if character == '`' || line[at + 1..].starts_with('(') => return false,
            ';' | '&' | '|' | '\n' if !is_quoted => starts.push(at + 1),
            _ => {}
        }
    }
    let mut programs = starts.into_iter().filter_map(|start| line[start..].split_whitespace().next());
    programs.all(|program| QUIET.contains(&program) || program.starts_with(['&', '|', ';']))
}

/// Parses `cd DIRECTORY && REST`.
fn leave_directory(line: &str) -> Option<(Option<String>, &str)> {
    let Some(rest) = line.strip_prefix("cd ") else { return Some((None, line)) };
    let (directory, rest) = rest.split_once("&&")?;
    let words = shlex::split(directory)?;
    let [directory] = words.as_slice() else { return None };
    is_plain_path(directory).then(|| (Some(directory.trim_end_matches('/').to_owned()), rest.trim()))
}

/// Returns the words of every command in a pipeline; `None` if the line contains anything but simple commands and
/// pipes.
fn pipeline(line: &str) -> Option<Vec<Vec<String>>> {
    let mut starts = vec![0];
    let mut ends = Vec::new();
    let mut characters = ShellCharacters::new(line);
    while let Some((at, character, is_quoted)) = characters.next() {
        match character {
            '$' if line[at + 1..]
                .starts_with(|next: char| next.is_alphanumeric() || matches!(next, '{' | '(' | '_')) =>
            {
                return None;
            }
            '`' => return None,
            _ if is_quoted => {}
            '|' => {
                ends.push(at);
                starts.push(at + 1);
            }
            // Discarded or mixed-in errors do not change what a file shows.
            '2' if line[..at].ends_with(' ')
                && (line[at..].starts_with("2>/dev/null") || line[at..].starts_with("2>&1")) =>
            {
                let length = if line[at..].starts_with("2>&1") { 3 } else { 10 };
                for _ in 0..length {
                    characters.next();
                }
            }
            ';' | '&' | '>' | '<' | '(' | ')' | '#' => return None,
            _ => {}
        }
    }
    ends.push(line.len());
    let words = starts.into_iter().zip(ends).map(|(start, end)| {
        let words = shlex::split(line.get(start..end)?)?;
        let words: Vec<String> = words.into_iter().filter(|word| word != "2>/dev/null" && word != "2>&1").collect();
        (!words.is_empty()).then_some(words)
    });
    words.collect()
}

/// Returns the lines that `head`, `tail` or `sed -n` pass, without a file argument.
fn range_filter(words: &[String]) -> Option<Lines> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let count = |text: &str| text.parse::<u32>().ok();
    let counted = |tail: &str| count(tail.strip_prefix('-').or_else(|| tail.strip_prefix("-n")).unwrap_or(tail));
    match words.as_slice() {
        ["head"] => Some(Lines::From(1, Some(10))),
        ["tail"] => Some(Lines::Last(10)),
        ["head", "-n", lines] => Some(Lines::From(1, Some(count(lines)?))),
        ["tail", "-n", lines] | ["tail", lines] if lines.trim_start_matches("-n").starts_with('+') => {
            Some(Lines::From(count(lines.trim_start_matches("-n").trim_start_matches('+'))?.max(1), None))
        }
        ["tail", "-n", lines] => Some(Lines::Last(count(lines)?)),
        ["head", lines] if lines.starts_with('-') => {
            Some(Lines::From(1, Some(counted(lines).or_else(|| count(lines.strip_prefix("-n")?))?)))
        }
        ["tail", lines] if lines.starts_with('-') => {
            Some(Lines::Last(counted(lines).or_else(|| count(lines.strip_prefix("-n")?))?))
        }
        ["sed", "-n" | "-ne", range] | ["sed", "-n", "-e", range] => {
            let range = range.strip_suffix('p')?;
            match range.split_once(',') {
                None => count(range).map(|line| Lines::From(line, Some(line))),
                Some((first, "$")) => Some(Lines::From(count(first)?, None)),
                Some((first, last)) => Some(Lines::From(count(first)?, Some(count(last)?))),
            }
        }
        _ => None,
    }
    .filter(|lines| !matches!(lines, Lines::From(0, _) | Lines::From(_, Some(0)) | Lines::Last(0)))
}

fn search(tool: &str, words: &[&str], located: impl Fn(&str) -> String) -> Option<ShellAction> {
    let takes_value = |flag: &str| {
        matches!(flag, "-A" | "-B" | "-C" | "-e" | "-m" | "--include" | "-g" | "-t" | "--glob" | "-f" | "--type")
    };
    let mut plain = Vec::new();
    let mut pattern_given = false;
    let mut many = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "-e" {
            pattern_given = true;
        }
        if takes_value(word) {
            words.next();
        } else if let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.is_empty()) {
            many |= !flags.starts_with('-') && flags.contains(['r', 'R', 'l', 'c', 'o']) && tool != "rg";
        } else {
            plain.push(*word);
        }
    }
    let files = if pattern_given { &plain[..] } else { plain.get(1..)? };
    let only = match files {
        [file] if !many && file.contains('.') && is_plain_path(file) => Some(located(file)),
        _ => None,
    };
    Some(ShellAction::Search { path: only })
}

/// Returns the action on the named files; `None` if a word may expand to other files.
fn touched(words: &[&str], touch: Touch, located: impl Fn(&str) -> String) -> Option<ShellAction> {
    let named = words.iter().filter(|word| !word.starts_with('-'));
    let is_certain = |word: &&str| is_plain_path(word) && !matches!(*word, "." | "..");
    let paths = named.map(|word| is_certain(word).then(|| (located(word), touch)));
    let paths = paths.collect::<Option<Vec<(String, Touch)>>>()?;
    (!paths.is_empty()).then_some(ShellAction::Touch { paths })
}

/// Parses `git checkout PATH…`, which restores the last commit. From another commit, or one side of a merge, the file
/// has that version.
fn checked_out(words: &[&str], located: impl Fn(&str) -> String) -> Option<ShellAction> {
    let ends_named = words.iter().position(|word| *word == "--");
    let (of, paths) = ends_named.map_or((&[][..], words), |at| (&words[..at], &words[at + 1..]));
    let is_side = |word: &&str| ["--ours", "--theirs", "--merge"].contains(word);
    let is_other = words.iter().any(is_side) || of.iter().any(|word| !word.starts_with('-') && *word != "HEAD");
    // Branch names contain slashes, but rarely an extension.
    let is_file = |word: &&&str| {
        let extension = Path::new(word).extension().and_then(OsStr::to_str);
        ends_named.is_some()
            || extension.is_some_and(|extension| extension.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let paths: Vec<&str> = paths.iter().filter(is_file).copied().collect();
    touched(&paths, if is_other { Touch::Changed } else { Touch::TakenBack }, located)
}

/// Parses `git restore PATH…`, which restores the staged or committed version; from another source, the file has that
/// version. Unstaging alone leaves the file as it is.
fn restored(words: &[&str], located: impl Fn(&str) -> String) -> Option<ShellAction> {
    let has = |options: [&str; 2]| words.iter().any(|word| options.contains(word));
    if has(["--staged", "-S"]) && !has(["--worktree", "-W"]) {
        return None;
    }
    let is_other = words.iter().any(|word| word.starts_with("--source") || word.starts_with("-s"));
    touched(words, if is_other { Touch::Changed } else { Touch::TakenBack }, located)
}

/// Parses `mv FROM… TO`; the last path is the destination.
fn moved(words: &[&str], located: impl Fn(&str) -> String) -> Option<ShellAction> {
    if words.iter().any(|word| word.starts_with("-t") || word.starts_with("--target")) {
        return None;
    }
    let Some(ShellAction::Touch { mut paths }) = touched(words, Touch::Removed, located) else { return None };
    if paths.len() > 1 {
        paths.last_mut()?.1 = Touch::Changed;
    }
    Some(ShellAction::Touch { paths })
}

/// Parses `cat > PATH << 'EOF'`, `cat << EOF > PATH`, `tee PATH << EOF` and their bodies.
fn heredoc(command: &str, first_end: usize, line: &str, located: impl Fn(&str) -> String) -> Option<ShellAction> {
    let (before, after) = line.split_once("<<")?;
    if after.starts_with('<') {
        return None;
    }
    // `<<-` strips leading tabs, so the written lines differ from those here.
    let after = after.trim_start();
    if after.starts_with('-') {
        return None;
    }
    let (mark, rest) = match after.chars().next()? {
        quote @ ('\'' | '"') => after[1..].split_once(quote)?,
        _ => after.split_once([' ', '>']).map_or((after, ""), |(mark, _)| (mark, &after[mark.len()..])),
    };
    let quoted = after.starts_with(['\'', '"']) || after.starts_with('\\');
    let mark = mark.strip_prefix('\\').unwrap_or(mark);
    let redirects = format!("{} {}", before.trim(), rest.trim());
    let words = shlex::split(
        &redirects.replace(">>", " >> ").replace("> >", ">>").replace('>', " > ").replace(" >  > ", " >> "),
    )?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (path, append) = match words.as_slice() {
        ["cat", ">", path] => (*path, false),
        ["cat", ">>", path] => (*path, true),
        ["tee", path] | ["tee", path, ">", "/dev/null"] => (*path, false),
        ["tee", "-a", path] => (*path, true),
        _ => return None,
    };
    let body_start = (first_end + 1).min(command.len());
    let body = &command[body_start..];
    let close =
        if body.starts_with(mark) && body[mark.len()..].trim_end_matches(' ').starts_with(['\n']) || body == mark {
            0
        } else {
            closing_mark(body, mark)?
        };
    let content = &body[..close];
    // Without quotes, the shell expands variables and commands.
    if !is_plain_path(path) || (!quoted && content.contains(['$', '`', '\\'])) {
        return None;
    }
    let content = body_start..body_start + close;
    let path = located(path);
    // Commands after the closing mark may read or change the file, but the write itself is certain.
    Some(if append { ShellAction::Append { path, content } } else { ShellAction::Write { path, content } })
}

/// Returns the start of the line that is `mark`.
fn closing_mark(body: &str, mark: &str) -> Option<usize> {
    if mark.is_empty() {
        return None;
    }
    let needle = format!("\n{mark}");
    let found = memchr::memmem::find_iter(body.as_bytes(), &needle).find(|at| {
        let rest = &body[at + needle.len()..];
        rest.is_empty() || rest.starts_with('\n')
    });
    found.map(|at| at + 1)
}

fn is_plain_path(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['-', '~', '='])
        && !path.contains(['*', '?', '$', '{', '`', '\n', '<', '>', '|', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "what it is compared with is one")]
    fn read(path: &str, lines: Lines, numbered: bool) -> Option<ShellAction> {
        Some(ShellAction::Read { path: path.to_owned(), lines, numbered })
    }

    #[test]
    fn command_lines_that_show_files() {
        for shows in [
            "cat a.ts | grep x",
            "cd /w && sed -n '1,9p' a.ts",
            "git diff HEAD~1",
            "  head -5 $FILE",
            "tail -n 3 a; ls",
        ] {
            assert!(shows_files(shows), "{shows}");
        }
        for other in
            ["cat <<'EOF' > a.ts\nx\nEOF", "sed -i s/a/b/ a.ts", "git status", "npm test | tail -5", "", "cd /w"]
        {
            assert!(!shows_files(other), "{other}");
        }
    }

    #[test]
    fn command_lines_that_do_nothing_but_show_files() {
        for shows in
            ["cat a.ts | grep x", "cd /w && sed -n '1,9p' a.ts", "git show HEAD:a.ts", "tail -n 3 a; ls", "cat 'a;b'"]
        {
            assert!(only_shows_files(shows), "{shows}");
        }
        for other in [
            "cat a && npm test",
            "head -5 x; cargo test",
            "git diff --stat; npm test",
            "cat a | ./run",
            "cat x | xargs npm test",
            "cat <(npm test)",
            "cat $(npm test)",
            "cat a\nnpm test",
            "npm test",
        ] {
            assert!(!only_shows_files(other), "{other}");
        }
    }

    #[test]
    fn reads() {
        assert_eq!(action("cat a.py"), read("a.py", Lines::All, false));
        assert_eq!(action("cd /p && cat 'a b.py' 2>/dev/null"), read("/p/a b.py", Lines::All, false));
        assert_eq!(action("sed -n '10,20p' a.py"), read("a.py", Lines::From(10, Some(20)), false));
        assert_eq!(action("sed -n \"5,\\$p\" a.py"), read("a.py", Lines::From(5, None), false));
        assert_eq!(action("sed -n 7p a.py"), read("a.py", Lines::From(7, Some(7)), false));
        assert_eq!(action("nl -ba a.py | sed -n '3,4p'"), read("a.py", Lines::From(3, Some(4)), true));
        assert_eq!(action("head -n 5 a.py"), read("a.py", Lines::From(1, Some(5)), false));
        assert_eq!(action("cat a.py | head -20"), read("a.py", Lines::From(1, Some(20)), false));
        assert_eq!(action("tail -n 3 a.py"), read("a.py", Lines::Last(3), false));
        assert_eq!(action("tail -n +3 a.py"), read("a.py", Lines::From(3, None), false));
    }

    #[test]
    fn writes() {
        let written = |command: &str| match action(command) {
            Some(ShellAction::Write { path, content } | ShellAction::Append { path, content }) => {
                Some((path, command[content].to_owned()))
            }
            _ => None,
        };
        let expected = |path: &str, content: &str| Some((path.to_owned(), content.to_owned()));
        assert_eq!(written("cat > a.py << 'EOF'\nx = $1\nEOF\npython a.py"), expected("a.py", "x = $1\n"));
        assert_eq!(written("cat <<'EOF' > a.py\nEOF"), expected("a.py", ""));
        assert_eq!(written("cat <<EOF >> a.py\nplain\nEOF"), expected("a.py", "plain\n"));
        assert_eq!(written("cat > a.py << EOF\n$HOME\nEOF"), None);
        assert_eq!(written("cat > a.py << 'EOF'\ncut off"), None);
    }

    #[test]
    fn what_is_not_certain_is_left_alone() {
        for command in [
            "cat a.py b.py",
            "cat *.py",
            "cat $FILE",
            "cat a.py; rm a.py",
            "cat a.py | wc -l",
            "cat `x`",
            "cat a > b",
            "sed -n '/a/,/b/p' a.py",
            "cat",
            "head",
            "",
            "cat 'a",
            "echo \"$(cat a)\"",
            "cat a.py &",
            "cd /p",
        ] {
            assert_eq!(action(command), None, "{command}");
        }
        let touches = |touched: &[(&str, Touch)]| {
            let paths = touched.iter().map(|(path, touch)| ((*path).to_owned(), *touch)).collect();
            Some(ShellAction::Touch { paths })
        };
        assert_eq!(action("sed -i 's/a/b/' a.py"), touches(&[("a.py", Touch::Changed)]));
        assert_eq!(action("git checkout -- a.py"), touches(&[("a.py", Touch::TakenBack)]));
        assert_eq!(action("git checkout src/a.py"), touches(&[("src/a.py", Touch::TakenBack)]));
        assert_eq!(
            action("git checkout HEAD -- a.py src/b"),
            touches(&[("a.py", Touch::TakenBack), ("src/b", Touch::TakenBack)])
        );
        assert_eq!(action("git checkout main -- a.py"), touches(&[("a.py", Touch::Changed)]));
        assert_eq!(action("git checkout --theirs a.py"), touches(&[("a.py", Touch::Changed)]));
        for branch in [
            "git checkout origin/main",
            "git checkout -b me/v1.2",
            "git checkout .",
            "git restore .",
            "git checkout release/1.2",
        ] {
            assert_eq!(action(branch), None, "{branch}");
        }
        assert_eq!(action("git restore a.py"), touches(&[("a.py", Touch::TakenBack)]));
        assert_eq!(action("git restore --staged a.py"), None, "the file stays as it is");
        assert_eq!(action("git restore -S -W a.py"), touches(&[("a.py", Touch::TakenBack)]));
        assert_eq!(action("git restore --source=HEAD~2 a.py"), touches(&[("a.py", Touch::Changed)]));
        assert_eq!(action("rm -f a.py b.py"), touches(&[("a.py", Touch::Removed), ("b.py", Touch::Removed)]));
        assert_eq!(action("mv a.py b.py"), touches(&[("a.py", Touch::Removed), ("b.py", Touch::Changed)]));
        assert_eq!(action("grep -n 'x y' a.py"), Some(ShellAction::Search { path: Some("a.py".to_owned()) }));
        assert_eq!(action("grep -rn x src"), Some(ShellAction::Search { path: None }));
    }
}
