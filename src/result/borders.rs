//! Source files and diffs as lines, with the heads of the things they consist of.

use std::ops::Range;

use super::units::{HEAD, REST, Unit, lines_of};
use crate::conversation::NumberStyle;

/// Begins a file or a hunk of a diff.
const DIFF_HEADS: [&str; 6] = ["diff --git ", "Index: ", "--- ", "+++ ", "@@ ", "*** "];

/// Returns true for a text with files and hunks of a diff.
pub fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().take(200);
    text.starts_with("diff --git ")
        || lines.by_ref().any(|line| line.starts_with("--- "))
            && lines.next().is_some_and(|line| line.starts_with("+++ "))
            && lines.next().is_some_and(|line| line.starts_with("@@ "))
}

/// A unit for each line. Of a diff, the heads of files and hunks stay before what they contain; a head in a source is a line that tells more than others.
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

/// Returns true for a line with which something begins: it is not indented, and stands behind a blank line, an indented one or a closing bracket.
fn begins(line: &str, before: &str, is_diff: bool) -> bool {
    if is_diff {
        return DIFF_HEADS.iter().any(|head| line.starts_with(head));
    }
    let content = |line| NumberStyle::read(str::as_bytes(line)).map_or(line, |(.., start)| &line[start..]);
    let (line, before) = (content(line), content(before));
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
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n@@ -9 +9 @@\n c\n";
        assert!(is_diff(diff) && is_diff(&diff[19..]) && !is_diff(source));
        let units = blocks(diff, true);
        assert_eq!(units.iter().filter(|unit| unit.rank == HEAD).count(), 5);
    }
}
