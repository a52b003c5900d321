//! Finds the lines of a result that report how the call ended. The last line and counts are recognised by position and
//! shape; words are only additional evidence.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use regex::Regex;
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    by_hash::ByHash,
    output::{Failure, constant, failure_in, is_one_well, shape},
};

/// Matches a line with an overall outcome.
static OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b\d+ (?:pass|tests?\b|suites?\b|files? changed)|\bpass(?:ed|ing)\b|\bsuccess|\bok\b|exit[ _]code|\[[\w./-]+ [0-9a-f]{7,}\]",
    )
});

/// Matches a numbered line of a file, and a tag by itself. Neither reports how the call ended.
static SHOWN: LazyLock<Regex> = LazyLock::new(|| constant(r"^\s*(?:\d+\s*(?:\t|→|\|)|</?[\w.-]+>\s*$)"));

/// Returns true for a numbered line of a file, and for a tag by itself.
pub fn is_shown(line: &str) -> bool {
    SHOWN.is_match(line)
}

/// Matches a line that reports where something failed: a place in a file before a colon, as compilers write it, or a
/// severity in capitals, as logs write it.
static POINTS: LazyLock<Regex> =
    LazyLock::new(|| constant(r"^\W*(?:\S+ )?[\w./\\@-]+\.\w+(?::\d+|\(\d+,\d+\)).*?: |\b(?:ERROR|FATAL)\b"));

/// Matches a count by itself, such as `9 passed (22.3s)`.
static COUNT: LazyLock<Regex> = LazyLock::new(|| constant(r"^\s*\d+\s+\p{L}[^:/]{0,40}$"));

/// Number of last lines in which counts belong to the ending.
const TAIL: usize = 8;
/// Maximum number of summary lines of one shape that are quoted together. If there are more, failures are quoted first,
/// then the rarest kinds.
const TOGETHER: usize = 4;
/// Maximum number of lines with the rarest shapes that are quoted in addition, if the budget allows.
const LAST: usize = 3;
const TELLING: usize = 8;

/// The ending of a result, as indices of its lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// Lines that are quoted whenever the call is.
    pub must: Vec<usize>,
    /// Lines that are kept or dropped together, such as counts of passed and failed tests. Only the line in `bad` may
    /// be kept without the others.
    pub together: Vec<usize>,
    /// The last line that reports failure. This line is dropped last.
    pub bad: Option<usize>,
    /// True if a line gives an outcome: a failure, an overall outcome, or the success of a part.
    pub says: bool,
    /// Other lines about the ending, most informative first.
    pub more: Vec<usize>,
}

impl Ending {
    /// Returns the lines that are always kept: those in `must`, and for an error the most informative other line.
    pub fn staying(&self, is_error: bool) -> impl Iterator<Item = usize> {
        self.must.iter().chain(self.more.iter().take(usize::from(is_error))).copied()
    }
}

/// Reads the ending of a result with these lines. The first line of an error usually says what failed.
#[must_use]
pub fn ending(lines: &[&str], is_error: bool) -> Ending {
    let says = |at: &usize| lines[*at].chars().any(char::is_alphanumeric) && !SHOWN.is_match(lines[*at]);
    let all: Vec<usize> = (0..lines.len()).filter(says).collect();
    let last = all.last().copied().or_else(|| (0..lines.len()).rev().find(|at| !lines[*at].trim().is_empty()));
    let Some(last) = last else { return Ending::default() };
    let is_whole = |at: &&usize| !is_one_well(lines[**at]);
    let failed = failures(lines, &all);
    let bad = failed.last().copied();
    let outcome = all.iter().rev().filter(is_whole).find(|at| OUTCOME.is_match(lines[**at])).copied();
    let mut together = of_one_shape(lines, &all, outcome.unwrap_or(last));
    if bad.is_some() {
        together.extend(bad.into_iter().chain(outcome));
    }
    sorted(&mut together);
    let first = all.first().copied().filter(|_| is_error);
    let mut must: Vec<usize> = together.iter().copied().chain(bad.or(first).or(outcome)).chain([last]).collect();
    sorted(&mut must);
    let one_well = all.iter().rev().find(|at| is_one_well(lines[**at])).copied();
    let says = bad.or(outcome).or(one_well).is_some();
    let ranked =
        failed.first().copied().into_iter().chain(first).chain(outcome).chain(one_well.filter(|_| bad.is_none()));
    let points = all.iter().filter(|at| (is_error || bad.is_some()) && POINTS.is_match(lines[**at]));
    let ranked = ranked.chain(failed.iter().rev().copied().take(TELLING)).chain(points.copied().take(TELLING));
    let ranked = ranked.chain(rarest(lines, &all).take(LAST));
    let mut more: Vec<usize> = Vec::new();
    for at in ranked {
        if !must.contains(&at) && !more.contains(&at) {
            more.push(at);
        }
    }
    Ending { must, together, bad, says, more }
}

/// Returns the lines that give a verdict of failure. If there is none, returns the lines that report a failure.
fn failures(lines: &[&str], all: &[usize]) -> Vec<usize> {
    let (mut verdicts, mut reports) = (Vec::new(), Vec::new());
    for at in all.iter().copied() {
        match failure_in(lines[at]) {
            Some(Failure::Verdict) => verdicts.push(at),
            Some(Failure::Reported) => reports.push(at),
            Some(Failure::Mentioned) | None => {}
        }
    }
    if verdicts.is_empty() { reports } else { verdicts }
}

/// Returns all lines, the rarest shapes first, and later lines before earlier ones of equal rarity. In a long output, a
/// line of a common shape adds nothing to the others.
fn rarest(lines: &[&str], all: &[usize]) -> impl Iterator<Item = usize> {
    let shapes: Vec<u64> = all.iter().map(|at| shape(lines[*at])).collect();
    let mut times: HashMap<u64, usize, ByHash> = HashMap::default();
    shapes.iter().for_each(|shape| *times.entry(*shape).or_default() += 1);
    let mut rarest: Vec<(usize, Reverse<usize>)> =
        all.iter().zip(&shapes).map(|(at, shape)| (times[shape], Reverse(*at))).collect();
    rarest.sort_unstable();
    rarest.into_iter().map(|(_, Reverse(at))| at)
}

fn sorted(places: &mut Vec<usize>) {
    places.sort_unstable();
    places.dedup();
}

/// Returns the summary lines that are like the line `like`: the last line of each kind, at most [`TOGETHER`] of them.
/// Empty if there are fewer than two. A line is like another if both are counts at the end, or both have numbers and
/// share half of their words.
fn of_one_shape(lines: &[&str], all: &[usize], like: usize) -> Vec<usize> {
    let tail = all.len().saturating_sub(TAIL);
    let words = words(lines[like]);
    let is_count = COUNT.is_match(lines[like]);
    let is_like = |(place, at): &(usize, &usize)| {
        let is_other_count = is_count && *place >= tail && COUNT.is_match(lines[**at]);
        is_other_count
            || (has_number(lines[**at]) && has_number(lines[like]) && are_alike(&words, &self::words(lines[**at])))
    };
    let mut kinds: HashMap<String, (usize, usize)> = HashMap::new();
    for (_, at) in all.iter().enumerate().filter(is_like) {
        let kind = kinds.entry(kind(lines[*at])).or_default();
        *kind = (kind.0 + 1, *at);
    }
    let mut found: Vec<(usize, usize)> = kinds.into_values().collect();
    // Kinds that never recur are the items of a list, not an ending.
    let most = found.iter().map(|(times, _)| *times).max().unwrap_or_default();
    if found.len() > TOGETHER && most == 1 && !is_count {
        found.clear();
    }
    found.sort_by_cached_key(|(times, at)| (failure_in(lines[*at]) != Some(Failure::Verdict), *times, usize::MAX - at));
    let together: Vec<usize> = found.into_iter().take(TOGETHER).map(|(_, at)| at).collect();
    if together.len() > 1 { together } else { Vec::new() }
}

fn has_number(line: &str) -> bool {
    line.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns the hashes of a line's words in lower case.
fn words(line: &str) -> HashSet<u64, ByHash> {
    let words = line.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
    let hash = |word: &str| {
        let is_lower = word.bytes().all(|byte| byte.is_ascii_lowercase());
        xxh3_64(if is_lower { Cow::Borrowed(word) } else { word.to_lowercase().into() }.as_bytes())
    };
    words.map(hash).collect()
}

/// Returns true if two lines have at least half of their words in common.
fn are_alike(one: &HashSet<u64, ByHash>, other: &HashSet<u64, ByHash>) -> bool {
    let same = one.intersection(other).count();
    same >= 2 && 2 * same >= one.len() + other.len() - same
}

/// Returns the line with each number replaced by `0` if it is `0`, else by `#`.
fn kind(line: &str) -> String {
    let mut kind = String::new();
    let numeral = |letter: char| letter.is_ascii_digit() || letter == '.';
    let mut rest = line.trim();
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let end = rest[start..].find(|letter| !numeral(letter)).map_or(rest.len(), |length| start + length);
        kind.push_str(&rest[..start]);
        kind.push(if rest[start..end].bytes().all(|digit| matches!(digit, b'0' | b'.')) { '0' } else { '#' });
        rest = &rest[end..];
    }
    kind + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        ending(&lines, false).must.into_iter().map(|at| lines[at].trim()).collect()
    }

    #[test]
    fn a_count_of_passes_never_stands_without_the_failures() {
        assert_eq!(
            told("x\n\n  1 failed\n    [c] a.spec.ts:3:5 > Bob\n  11 did not run\n  9 passed (22.3s)"),
            ["1 failed", "11 did not run", "9 passed (22.3s)"]
        );
        let (bad, good) =
            ("test result: FAILED. 3 passed; 1 failed; 0 ignored", "test result: ok. 30 passed; 0 failed; 0 ignored");
        assert_eq!(told(&format!("{good}\nrunning\n{bad}\nrunning\n{good}\n{good}")), [bad, good]);
        assert_eq!(told(&format!("{good}\n{good}")), [good]);
        let maven = ["Tests run: 20, Failures: 1", "Tests run: 12, Failures: 0"];
        assert_eq!(told(&maven.join("\nnoise\n")), maven);
        let packages = ["pkg-a test: Tests  1 failed | 20 passed (21)", "pkg-b test: Tests  12 passed (12)"];
        assert_eq!(
            told(&format!("{}\npkg-b test: Done", packages.join("\n"))),
            [packages[0], packages[1], "pkg-b test: Done"]
        );
        let five = ["1 interrupted", "2 flaky", "9 did not run", "3 skipped", "75 passed (2.1m)"];
        assert!(told(&five.join("\n")).len() >= 4, "counts at the end are no list");
        assert_eq!(
            told("error: process \"migrate\" exited with code 3\nBuilt\nDone."),
            ["error: process \"migrate\" exited with code 3", "Done."]
        );
    }

    #[test]
    fn in_any_language_the_last_line_and_counts_beside_it_say_it() {
        assert_eq!(told("pas de droit\nabandon"), ["abandon"]);
        assert_eq!(told("x\n 1 échoué\n 9 réussis"), ["1 échoué", "9 réussis"]);
        assert_eq!(told("Edited a.ts:\n 1→a\n 2→b"), ["Edited a.ts:"], "lines of a file say nothing of it");
        assert_eq!(told("\n \n"), [""; 0]);
    }

    #[test]
    fn of_a_failure_the_places_are_told_that_it_points_to() {
        let lint = "[lint] $ run\n[lint] ERROR task failed\n[lint] src/a.go:131:16: not checked (errcheck)\n  x, _ := a()\n  ^\n1 issues:\n* errcheck: 1";
        let lines: Vec<&str> = lint.lines().collect();
        let ending = ending(&lines, false);
        assert_eq!((ending.must, ending.bad), (vec![1, 6], Some(1)));
        assert!(ending.more.contains(&2) && !ending.more.contains(&4), "{:?}", ending.more);
        assert!(!super::ending(&lines[2..], false).more.contains(&0), "nothing says that it failed");
    }

    #[test]
    fn of_no_verdict_the_lines_that_report_a_failure_are_told() {
        for (failure, last) in [
            ("make: *** [Makefile:3: all] Error 2", "cleaned up"),
            ("npm ERR! code 1", "bye"),
            ("INTERNALERROR> teardown", "9 passed"),
            ("TypeError: teardown is not a function", "Done in 3s"),
        ] {
            assert_eq!(told(&format!("cc a.c\n{failure}\nrestoring the backup\n{last}")), [failure, last]);
        }
        let verdict = told("TypeError: x\nTests  1 failed | 2 passed (3)\nbye");
        assert_eq!(verdict, ["Tests  1 failed | 2 passed (3)", "bye"], "a verdict tells it for all");
    }

    /// In any language, a line that is rare among many lines of one shape is informative.
    #[test]
    fn of_a_long_output_the_rare_lines_are_told() {
        let noise = |from: usize| {
            (from..from + 20).map(|at| format!("  job_{at} = queue({at}, {at}) // done\n")).collect::<String>()
        };
        let output = format!("{}Ошибка: 3 теста не прошли\n{}Готово", noise(0), noise(20));
        let lines: Vec<&str> = output.lines().collect();
        let ending = ending(&lines, false);
        assert_eq!((ending.must, ending.more[0]), (vec![41], 20));
        let list = "?   a/b\t[no test files]\nok  \ta/c\t0.4s\nok  \ta/d\t0.6s\n[test] $ go test ./...";
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(super::ending(&lines, false).more, [2, 0], "a part that went well speaks for all");
    }

    #[test]
    fn the_beginning_of_an_error_is_told() {
        let ending = ending(&["nicht erlaubt", "b", "c", "d", "e"], true);
        assert_eq!((ending.must, ending.more), (vec![0, 4], vec![3, 2]));
    }

    #[test]
    fn what_differs_in_names_alone_is_a_list() {
        let list: Vec<String> =
            ('a'..='j').map(|name| format!("src/part/file_{name}{name}.ts has 3 lines in all")).collect();
        assert_eq!(told(&list.join("\n")), [&list[9]]);
    }

    #[test]
    fn lines_are_alike_by_half_of_their_words() {
        let are = |one: &str, other: &str| are_alike(&words(one), &words(other));
        assert!(are("Tests: 3 passed", "tests 4 passed") && are("a b c", "a b d") && are("a b c d", "a b"));
        assert!(!are("a b c d", "a b e") && !are("a", "a") && !are("a b", "c d"));
        assert!(has_number("3 passed") && !has_number("passed"));
        assert_eq!(kind(" 0 failed, 12.5 s, 0.00%"), "0 failed, # s, 0%");
    }

    /// Lines without numbers, or with other words, are not counts of the ending.
    #[test]
    fn an_ending_has_the_lines_of_its_shape_and_no_others() {
        let packages =
            ["alpha tests: 3 passed", "Building the next package", "beta tests: 0 passed", "alpha tests: passed"];
        assert_eq!(told(&packages.join("\n")), ["alpha tests: passed"], "it has no number");
        let lines = ["alpha tests: 3 passed", "something else: 3", "beta tests: 0 passed"];
        assert_eq!(told(&lines.join("\n")), ["alpha tests: 3 passed", "beta tests: 0 passed"]);
        let lines = ["alpha has 3 parts", "beta is built", "8 passed"];
        assert_eq!(told(&lines.join("\n")), ["8 passed"], "other numbers are no counts");
    }
}
