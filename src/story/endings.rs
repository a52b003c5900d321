//! The lines of an answer that say how a call ended. The last line says it of any answer; words add to that, and decide nothing.

use std::sync::LazyLock;

use regex::Regex;

/// A line that says that something went wrong.
static BAD: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)fail|error|panic|exception|traceback|✗|✘|✖|❌|refused|rejected|denied|forbidden|not found|no such|cannot|unable|invalid|unexpected|fatal|abort|killed|timed out|timeout|did not run|exit(?:ed)?(?: with)?(?: code| status)?:? ?[1-9]",
    )
});

/// A count that says that nothing did.
static NONE_BAD: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(?:0|no|without)(?: \w+)? (?:fail\w*|errors?|exceptions?|problems?)|\b(?:fail\w*|errors?|exceptions?)(?: count)?\s*[:=]\s*0\b",
    )
});

/// A count of what went wrong, or the verdict on all: what such a line says, no other does.
static VERDICT: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b[1-9]\d* (?:\w+ )?(?:fail|errors?\b|problems?\b)|\bfail\w*\s*[:=]\s*[1-9]|^\W*(?:FAIL|FAILED|ERROR|FATAL)\b|\b(?:FAILED|FAILURE)\b|exit(?:ed)?(?: with)?(?: code| status)?:? ?[1-9]|\berror:|\berror\[",
    )
});

/// A line that says how all of it went.
static GOOD: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b\d+ (?:pass|tests?\b|suites?\b|files? changed|insertions?)|\bpass(?:ed|ing)\b|success|test result: ok|^ok\b|\bdone\b|\[[\w./-]+ [0-9a-f]{7,}\]|exit code:? ?0",
    )
});

/// A line that says that one of many was well.
static ONE_WELL: LazyLock<Regex> = LazyLock::new(|| constant(r"^\s*(?:ok|PASS|PASSED|✓|✔|√|test .* ok$)(?:\s|$)"));

/// A line that shows a line of a file by its number, or nothing but tags.
static SHOWN: LazyLock<Regex> = LazyLock::new(|| constant(r"^\s*\d+\s*(?:\t|→|\|)|^\s*(?:</?[\w-]+>\s*)+$"));

fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant, and tested")
}

/// How the lines of an answer rank, by their places.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// Lines without which the answer is not told: the last one and, where something went wrong, the line that says so.
    pub must: Vec<usize>,
    /// Other lines that say how it ended, the most telling first.
    pub more: Vec<usize>,
}

/// So many lines at the end of an answer are told though no word in them says how it ended.
const LAST: usize = 3;
/// So many lines that say that something went wrong, or how all of it went.
const TELLING: usize = 8;

/// Ranks the lines of an answer. The beginning of an error says what failed.
#[must_use]
pub fn ending(lines: &[&str], is_error: bool) -> Ending {
    let says = |at: &usize| lines[*at].chars().any(char::is_alphanumeric) && !SHOWN.is_match(lines[*at]);
    let all: Vec<usize> = (0..lines.len()).filter(says).collect();
    // Where every line shows a file, its last is the end.
    let last = all.last().copied().or_else(|| (0..lines.len()).rev().find(|at| !lines[*at].trim().is_empty()));
    let Some(last) = last else { return Ending::default() };
    let is_bad = |at: &usize| {
        !ONE_WELL.is_match(lines[*at])
            && BAD.is_match(lines[*at])
            && BAD.is_match(&NONE_BAD.replace_all(lines[*at], ""))
    };
    let is_verdict = |at: &usize| VERDICT.is_match(&NONE_BAD.replace_all(lines[*at], ""));
    let bad: Vec<usize> = all.iter().copied().filter(is_bad).collect();
    let verdict = bad.iter().copied().rfind(is_verdict);
    let first = all.first().copied().filter(|_| is_error);
    let mut must: Vec<usize> = verdict.or(bad.last().copied()).or(first).into_iter().collect();
    if !must.contains(&last) {
        must.push(last);
    }
    let good = all.iter().copied().rev().filter(|at| GOOD.is_match(lines[*at]) && !ONE_WELL.is_match(lines[*at]));
    let ranked = bad
        .first()
        .copied()
        .into_iter()
        .chain(first)
        .chain(good.take(TELLING / 2))
        .chain(bad.iter().rev().copied().take(TELLING));
    let mut more: Vec<usize> = Vec::new();
    for at in ranked.chain(all.iter().rev().copied().take(LAST)) {
        if !must.contains(&at) && !more.contains(&at) {
            more.push(at);
        }
    }
    Ending { must, more }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn must(text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        ending(&lines, false).must.into_iter().map(|at| lines[at].trim()).collect()
    }

    #[test]
    fn the_bad_line_of_an_ending_comes_first_and_the_last_line_is_told_always() {
        assert_eq!(must("x\n\n  1 failed\n    a.spec.ts:3\n  9 passed (22.3s)"), ["1 failed", "9 passed (22.3s)"]);
        assert_eq!(
            must("test result: FAILED. 1 failed\nrunning\ntest result: ok. 30 passed; 0 failed"),
            ["test result: FAILED. 1 failed", "test result: ok. 30 passed; 0 failed"]
        );
        assert_eq!(
            must("error: process \"migrate\" exited with code 3\nBuild finished\nDone."),
            ["error: process \"migrate\" exited with code 3", "Done."]
        );
        assert_eq!(must("✓ throws an error on bad input\n12 passed, 0 failed"), ["12 passed, 0 failed"]);
        assert_eq!(must("pas de droit\nabandon"), ["abandon"], "in any language the last line");
        assert_eq!(must("\n \n"), [""; 0]);
    }

    #[test]
    fn the_beginning_of_an_error_is_told() {
        let lines = ["nicht erlaubt", "b", "c", "d", "e"];
        assert_eq!(ending(&lines, true), Ending { must: vec![0, 4], more: vec![3, 2] });
    }
}
