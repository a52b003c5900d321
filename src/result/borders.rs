//! Divides source files and diffs into lines, and finds the heads of functions, classes, files and hunks.

use std::ops::Range;

use super::units::{HEAD, REST, Unit, lines_of};
use crate::conversation::NumberStyle;

/// Beginnings of lines that start a file or a hunk of a diff.
const DIFF_HEADS: [&str; 6] = ["diff --git ", "Index: ", "--- ", "+++ ", "@@ ", "*** "];
/// Beginnings of other lines outside of hunks, in a diff or between the commits of a log.
const OUTSIDE: [&str; 16] = [
    "diff ",
    "index ",
    "new file",
    "deleted file",
    "old mode",
    "new mode",
    "similarity ",
    "dissimilarity ",
    "rename ",
    "copy ",
    "Binary files ",
    "=====",
    "commit ",
    "Author:",
    "Date:",
    "Merge:",
];

/// Returns true if the whole text is a diff, or a log of commits with diffs, and every hunk has the announced number of
/// lines. Other text before or after it, such as the output of the next command, may be more important, so such a text
/// does not count as a diff.
pub fn is_diff(text: &str) -> bool {
    let mut left = (0_u32, 0_u32);
    let mut has_hunk = false;
    // If a tool numbered the lines of a file, unnumbered lines after them are the tool's own.
    let is_numbered = |line: &&str| NumberStyle::read(line.as_bytes()).is_some();
    let has_numbers = text.lines().next().is_some_and(|line| is_numbered(&line));
    let lines = text.lines().take_while(|line| !has_numbers || is_numbered(line));
    for line in lines.map(|line| if has_numbers { content(line) } else { line }) {
        if left == (0, 0) {
            match hunk(line) {
                Some(lines) => (left, has_hunk) = (lines, true),
                None if is_outside(line) => {}
                None => return false,
            }
            continue;
        }
        let (old, new) = match line.as_bytes().first() {
            None | Some(b' ') => (1, 1),
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') => (0, 0),
            Some(_) => return false,
        };
        let (Some(old), Some(new)) = (left.0.checked_sub(old), left.1.checked_sub(new)) else { return false };
        left = (old, new);
    }
    has_hunk
}

/// Returns a line without the number that a tool wrote before it.
fn content(line: &str) -> &str {
    NumberStyle::read(line.as_bytes()).map_or(line, |(.., start)| &line[start..])
}

/// Returns the numbers of old and new lines in the head of a hunk: `@@ -1,2 +1,3 @@`.
fn hunk(line: &str) -> Option<(u32, u32)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let lines = |range: &str| range.split_once(',').map_or(Some(1), |(_, lines)| lines.parse().ok());
    Some((lines(old)?, lines(new)?))
}

fn is_outside(line: &str) -> bool {
    line.trim().is_empty()
        || line.starts_with([' ', '\\'])
        || DIFF_HEADS[..4].iter().chain(&OUTSIDE).any(|head| line.starts_with(head))
}

/// Returns a unit for each line. In a diff, heads of files and hunks rank before their content. In a source file, heads
/// only have a higher worth than other lines.
pub fn blocks(text: &str, is_diff: bool) -> Vec<Unit> {
    let mut before = None;
    let unit = |(at, range): (usize, Range<usize>)| {
        let line = &text[range.clone()];
        let is_head = before.is_none_or(|before| begins(line, before, is_diff));
        before = Some(line);
        let mut unit = Unit::whole(at..at + 1, range, if is_head && is_diff { HEAD } else { REST });
        unit.is_head = is_head;
        unit
    };
    lines_of(text).enumerate().map(unit).collect()
}

/// Returns true if a function, class, file or hunk begins with this line. In source files, this is a line without
/// indentation after a blank line, an indented one or a closing bracket.
fn begins(line: &str, before: &str, is_diff: bool) -> bool {
    let (line, before) = (content(line), content(before));
    if is_diff {
        return DIFF_HEADS.iter().any(|head| line.starts_with(head));
    }
    let is_inside = |line: &str| line.starts_with([' ', '\t', '}', ')', ']']) || line.trim().is_empty();
    !is_inside(line) && is_inside(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_hunks_have_heads() {
        let source = "use a;\n\nfn one() {\n    1\n}\n\nfn two() {\n    2\n}\n";
        let heads = |units: &[Unit], text: &str| -> Vec<String> {
            units.iter().filter(|unit| unit.is_head).map(|unit| text[unit.range()].to_owned()).collect()
        };
        let units = blocks(source, false);
        assert_eq!(heads(&units, source), ["use a;", "fn one() {", "fn two() {"]);
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n c\n";
        assert!(is_diff(diff) && is_diff(&diff[19..]) && !is_diff(source));
        for other in
            ["--- Expected\n+++ Actual\n@@ @@\n-a\n+b\n", &format!("{diff}error: boom\n"), &format!("x\n{diff}")]
        {
            assert!(!is_diff(other), "{other}");
        }
        let numbered: String = (1..).zip(diff.lines()).map(|(at, line)| format!("{at:>6}→{line}\n")).collect();
        assert!(is_diff(&numbered) && is_diff(&format!("{numbered}\n<system-reminder>\nx\n</system-reminder>\n")));
        let log =
            format!("commit 1a2b\nAuthor: A\nDate:   now\n\n    A title\n\n a | 2 +-\n\n{diff}\ncommit 3c\n\n    B\n");
        assert!(is_diff(&log));
        let units = blocks(diff, true);
        assert_eq!(units.iter().filter(|unit| unit.rank == HEAD).count(), 5);
    }
}
