//! How commands ended, by what they wrote.

use std::sync::LazyLock;

use regex::Regex;

// `(?:^|\W)` and `(?:$|\W)` stand where `\b` would: with that, lines with other letters than ASCII are matched a hundred times slower.

/// What says how a check ended: counts of what passed, failed and was found, exit codes, and the words that runners begin their last lines with.
static VERDICTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|\W)(?:\d+ (?:tests? |specs? |checks? )?(?:passed|passing|failed|failing|failures?|errors?|warnings?|problems?|issues?)(?:$|\W)|exit(?:ed)?(?: with)?(?: code| status)?:? ?\d|error ts\d|tests?:? +\d|test result:)|^(?:ok|not ok|pass|fail|--- fail|error(?:\[|:))|found \d|build (?:successful|failed|succeeded)",
    )
    .expect("the pattern is a constant, and tested")
});

/// How much passed and failed.
static COUNTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|\W)\d+ (?:tests? |specs? |checks? )?(?:passed|passing|failed|failing|failures?|errors?|warnings?|problems?|issues?)(?:$|\W)",
    )
    .expect("the pattern is a constant, and tested")
});

/// The last line of an output that says how a check ended, and before it the last that counts what passed and failed, where that is another.
pub type Verdict<'o> = (Option<&'o str>, &'o str);

/// Whether one of the lines says that something failed.
pub fn is_bad((counts, last): &Verdict<'_>) -> bool {
    counts.iter().chain([last]).any(|line| BAD.is_match(line))
}

/// The [`Verdict`] of an output.
pub fn verdict(output: &str) -> Option<Verdict<'_>> {
    let tells = |line: &&str| line.len() > 3 && line.len() < 2000 && VERDICTS.is_match(line);
    let mut lines = output.lines().rev().map(str::trim).filter(tells);
    let last = lines.next()?;
    // Runners count in the last few lines.
    let counts = if COUNTS.is_match(last) { None } else { lines.take(20).find(|line| COUNTS.is_match(line)) };
    Some((counts, last))
}

/// That something failed, or is wrong, in the line that says how it ended.
static BAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|\W)(?:[1-9]\d* (?:tests? |specs? |checks? )?(?:failed|failing|failures?|errors?|problems?|issues?)(?:$|\W)|exit(?:ed)?(?: with)?(?: code| status)?:? ?[1-9]|error ts\d|test result: failed)|^(?:not ok|fail|--- fail|error(?:\[|:))|build failed",
    )
    .expect("the pattern is a constant, and tested")
});

/// How many failed, and that tests did.
static FAILURES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|\W)(?:[1-9]\d* (?:tests? |specs? |checks? )?(?:failed|failing|failures?|errors?|problems?)(?:$|\W)|test result: failed)|^(?:--- )?FAIL(?:$|\W)",
    )
    .expect("the pattern is a constant, and tested")
});

/// The last line of an output that counts what failed.
pub fn counted_failures(output: &str) -> Option<&str> {
    output.lines().rev().map(str::trim).find(|line| line.len() < 2000 && FAILURES.is_match(line))
}

/// How many packages or tests were well by themselves, where each has a line that begins with `ok`; 0 where one was not, or the last line that tells is another.
pub fn well_ones(output: &str) -> usize {
    // `ok  <tab>package` of Go, `ok 12 - name` of the Test Anything Protocol; what is indented is part of another.
    let is_well = |line: &str| {
        let rest = line.strip_prefix("ok").filter(|rest| rest.starts_with([' ', '\t']));
        rest.is_some_and(|rest| rest.contains('\t') || rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_one = |line: &&str| is_well(line) || ["FAIL", "not ok"].iter().any(|word| line.starts_with(word));
    let ones: Vec<&str> = output.lines().filter(is_one).collect();
    let ends_well = verdict(output).is_some_and(|(_, last)| is_well(last));
    if ends_well && ones.iter().all(|line| is_well(line)) { ones.len() } else { 0 }
}

/// The task of which a line of its runner says that it failed: `[lint] ERROR task failed`.
pub fn failed_task(line: &str) -> Option<&str> {
    let (task, rest) = line.trim().strip_prefix('[')?.split_once(']')?;
    rest.trim_start().strip_prefix("ERROR task failed").map(|_| task)
}

/// Notes of hosts that a command has not ended yet.
const STILL_RUNNING: [&str; 3] = ["running in background", "running in the background", "still running"];

/// Whether an answer says that its command goes on.
pub fn goes_on(answer: &str) -> bool {
    let beginning = answer.lines().next().unwrap_or_default();
    STILL_RUNNING.iter().any(|words| beginning.contains(words))
}

/// Whether the output of a command whose exit code is not known says that it did what it was asked to.
pub fn says_well(answer: &str) -> bool {
    match verdict(answer) {
        Some(verdict) => !is_bad(&verdict),
        None => failure(answer).is_none(),
    }
}

/// The line of an answer that says what failed: the first that says more than that something did.
pub fn failure(answer: &str) -> Option<&str> {
    let tells = |line: &&str| tells_of_failure(&line.to_ascii_lowercase());
    let lines: Vec<&str> = answer.lines().take(2000).map(str::trim).collect();
    let told = || (0..lines.len()).filter(|at| !is_quoted(&lines, *at)).map(|at| lines[at]).filter(tells);
    // What raises an error in the source is not yet the error, and a heading not yet what follows.
    let is_said = |line: &&str| !line.ends_with(':') && !line.starts_with("raise ") && !line.starts_with("throw ");
    told().find(is_said).or_else(|| told().next())
}

/// The line of an answer that says why something failed, where the first that tells of it, [`failure`], does not: one that runners, compilers and hosts
/// write around it.
pub fn cause(answer: &str) -> Option<&str> {
    let tells = |line: &str| tells_of_failure(&line.to_ascii_lowercase().replace("xfail", ""));
    let lines: Vec<&str> = answer.lines().take(2000).map(str::trim).collect();
    let mut told = (0..lines.len()).filter(|at| tells(lines[*at]) && !is_quoted(&lines, *at) && !is_well(lines[*at]));
    // What raises an error in the source is not yet the error, a heading not yet what follows, and that a task failed not yet why.
    let is_said = |line: &&str| {
        !line.ends_with([':', '{'])
            && !["raise ", "throw ", "File \""].iter().any(|word| line.starts_with(word))
            && !line.to_ascii_lowercase().ends_with("task failed")
    };
    let is_tag = |line: &str| line.starts_with('<') && line.ends_with('>') && !line.contains(' ');
    let first = told.next()?;
    let below = || lines[first + 1..].iter().copied().find(|line| !line.is_empty() && !is_tag(line));
    let said = std::iter::once(first).chain(told).map(|at| lines[at]).find(is_said);
    let found = || lines.iter().copied().find(|line| FINDING.is_match(line));
    let headed = || below().filter(|_| lines[first].ends_with(':'));
    said.or_else(found).or_else(headed).or(Some(lines[first]))
}

/// Whether a line, in small letters, says more than that something failed.
fn tells_of_failure(line: &str) -> bool {
    const WORDS: [&str; 10] =
        ["error", "fail", "not found", "cannot", "denied", "no such", "invalid", "unexpected", "undefined", "panicked"];
    line.len() > 12 && WORDS.iter().any(|word| line.contains(word))
}

/// Where a checker found something, and what: `src/a.ts:12:5: …`.
static FINDING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[^\s:]+\.\w+:\d+(?::\d+)?:? \S").expect("the pattern is a constant, and tested"));

/// Whether a line tells of what went well, or is under way, whatever its name is.
fn is_well(line: &str) -> bool {
    ["✓", "✔", "PASS", "ok ", "Compiling ", "Downloading ", "Downloaded ", "Checking "]
        .iter()
        .any(|word| line.starts_with(word))
        || (line.ends_with("%]") && !line.contains(" F") && !line.contains("FAIL") && !line.contains("ERROR"))
}

/// Whether a line is source that a checker shows, with a mark under the place it speaks of.
fn is_quoted(lines: &[&str], at: usize) -> bool {
    let is_mark = |line: &&str| line.contains('^') && line.chars().all(|letter| " ^~|-".contains(letter));
    lines.get(at + 1).is_some_and(is_mark)
}

/// The command that a line shows before it runs: package managers and runners of tasks begin with that. `None` for other lines.
pub fn shown_command(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let label = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let line = label.map_or(line, |(_, rest)| rest);
    ["> ", "$ ", "+ "].iter().find_map(|mark| line.strip_prefix(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_tells_is_the_verdict() {
        assert_eq!(
            verdict("a\n Tests  3 failed | 12 passed (15)\nDuration 2s\n"),
            Some((None, "Tests  3 failed | 12 passed (15)"))
        );
        assert_eq!(
            verdict("Tests  3 failed | 12 passed (15)\nDuration 2s (tests 132ms)\n"),
            Some((Some("Tests  3 failed | 12 passed (15)"), "Duration 2s (tests 132ms)"))
        );
        let cargo = "test result: ok. 4 passed; 0 failed";
        assert_eq!(verdict(&format!("{cargo}\n\n")), Some((None, cargo)));
        assert_eq!(verdict("src/a.ts\nsrc/b.ts"), None);
        assert_eq!(failure("compiling\nerror[E0308]: mismatched types\nmore"), Some("error[E0308]: mismatched types"));
        assert_eq!(failure("all is well"), None);
        let packages =
            |last: &str| well_ones(&format!("? \ta\t[no test files]\nok  \tb\t0.6s\nok  \tc\t(cached)\n{last}\n"));
        assert_eq!(["ok  \td\t1s", "FAIL\td\t1s", "3 passed", "oking"].map(packages), [3, 0, 0, 0]);
        let roo = "The tool execution failed with the following error:\n<error>\nNo sufficiently similar match found\n</error>";
        assert_eq!(cause(roo), Some("No sufficiently similar match found"));
        for (output, expected) in [
            (
                "✓ src/errors.test.ts (4 tests) 3ms\nAssertionError: expected 1 to be 2",
                "AssertionError: expected 1 to be 2",
            ),
            ("tests/test_errors.py ........ [ 20%]\nE   KeyError: 'day'", "E   KeyError: 'day'"),
            ("Compiling thiserror v1.0.0\nerror[E0425]: no value", "error[E0425]: no value"),
            ("File \"/p/errors.py\", line 3, in main\nKeyError: 'day'", "KeyError: 'day'"),
            ("reproduce.py DEBUG: xfailed=None\nTypeError: no len()", "TypeError: no len()"),
            ("hooks.go:956:5: G (typecheck)\n[lint] ERROR task failed", "hooks.go:956:5: G (typecheck)"),
        ] {
            assert_eq!(cause(output), Some(expected));
        }
        let lint = "a_test.go:9:2: Fatalf may not run\n\tt.Fatalf(\"error = %v\", err)\n\t^\nwrapcheck: 19\n[lint] ERROR task failed";
        assert_eq!(failure(lint), Some("[lint] ERROR task failed"));
        assert_eq!(cause(lint), Some("a_test.go:9:2: Fatalf may not run"));
        assert_eq!(["[lint] ERROR task failed", "[lint] 0 issues."].map(failed_task), [Some("lint"), None]);
        assert_eq!(verdict("0 issues.\n[lint] $ golangci-lint run ./...").map(|(_, last)| last), Some("0 issues."));
        assert_eq!(
            ["[fmt] $ gofmt -w .", "> app@1.0.0 test", "$ make", "+ set -e", "[x] done", "$5"].map(shown_command),
            [Some("gofmt -w ."), Some("app@1.0.0 test"), Some("make"), Some("set -e"), None, None]
        );
        let well =
            ["", "test result: ok. 4 passed; 0 failed", "0 issues.", "Found 0 errors", "Success: no issues found"];
        assert_eq!(well.map(says_well), [true; 5]);
        let bad = [
            "Exit code 1",
            "a\n3 failed | 12 passed\nDuration 2s (tests 132ms)",
            "error TS2304: no name",
            "sh: x: not found",
        ];
        assert_eq!(bad.map(says_well), [false; 4]);
    }
}
