//! Where source files and diffs are cut, if they must be: between the things they consist of.

use std::ops::Range;

use super::units::{HEAD, REST, Unit};
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

/// A unit for the head of each function, class or hunk, and one for all that follows it. Where that is longer than `most` bytes, one for each line.
pub fn blocks(text: &str, lines: &[Range<usize>], is_diff: bool, most: usize) -> Vec<Unit> {
    let unit = |lines_of: Range<usize>, rank| {
        let range = lines[lines_of.start].start..lines[lines_of.end - 1].end;
        Unit::whole(lines_of, range, rank)
    };
    let mut units = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let end = (start + 1..lines.len()).find(|at| begins(text, lines, *at, is_diff)).unwrap_or(lines.len());
        units.push(unit(start..start + 1, HEAD));
        let body = start + 1..end;
        if !body.is_empty() && lines[end - 1].end - lines[body.start].start <= most {
            units.push(unit(body, REST));
        } else {
            units.extend(body.map(|at| unit(at..at + 1, REST)));
        }
        start = end;
    }
    units
}

/// Returns true for a line with which something begins: it is not indented, and stands behind a blank line, an indented one or a closing bracket.
fn begins(text: &str, lines: &[Range<usize>], at: usize, is_diff: bool) -> bool {
    let content = |at: usize| {
        let line = &text[lines[at].clone()];
        NumberStyle::read(line.as_bytes()).map_or(line, |(.., start)| &line[start..])
    };
    if is_diff {
        return DIFF_HEADS.iter().any(|head| text[lines[at].clone()].starts_with(head));
    }
    let (line, before) = (content(at), content(at - 1));
    let is_inside = |line: &str| line.starts_with([' ', '\t', '}', ')', ']']) || line.trim().is_empty();
    !is_inside(line) && is_inside(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::units::lines_of;

    #[test]
    fn functions_and_hunks_are_blocks() {
        let source = "use a;\n\nfn one() {\n    1\n}\n\nfn two() {\n    2\n}\n";
        let lines = lines_of(source);
        let heads = |units: &[Unit], text: &str| -> Vec<String> {
            units.iter().filter(|unit| unit.rank == HEAD).map(|unit| text[unit.range.clone()].to_owned()).collect()
        };
        let units = blocks(source, &lines, false, 1000);
        assert_eq!(heads(&units, source), ["use a;", "fn one() {", "fn two() {"]);
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n@@ -9 +9 @@\n c\n";
        assert!(is_diff(diff) && is_diff(&diff[19..]) && !is_diff(source));
        let units = blocks(diff, &lines_of(diff), true, 1000);
        assert_eq!(units.iter().filter(|unit| unit.rank == REST).count(), 2);
    }
}
