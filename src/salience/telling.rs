//! What a line tells somebody who goes on with the work, whatever names it has: words, outcomes, what was written. The lines that say how something
//! ended are told from those that only fill an output.
//!
//! The numbers were chosen with the reading test (docs/decisions/0010-salience.md): shares of what a line of the assistant's words is worth, for each token.

use std::{collections::HashSet, sync::LazyLock};

use regex::bytes::Regex;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    passage::LineValue,
    weights::{Origin, as_float},
};
use crate::{
    story::Mark,
    transcript::{HostText, Meaning},
};

/// What has to be known of a passage.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'t> {
    /// Its text.
    pub text: &'t str,
    /// Where it comes from.
    pub origin: Origin,
    /// What its lines are where they are quoted.
    pub mark: Mark,
}

/// Lines that say how something ended.
static OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)error|fail|passed|passing|panic|exception|traceback|warning|assert|expected|refused|denied|not found|no such|cannot|undefined|invalid|unexpected|exit code|\b\d+ (?:tests?|issues?|problems?|files? changed)\b|^ok\b|\[[\w./-]+ [0-9a-f]{7,}\]",
    )
    .expect("the pattern is a constant, and tested")
});

/// Lines that say that one of many was well: the last line says it of all.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)^\s*(?:ok|PASS|PASSED|\xE2\x9C\x93|\xE2\x9C\x94|test .* ok$)(?:\s|$)")
        .expect("the pattern is a constant, and tested")
});

/// So many lines of outcome of one answer count in full, newest first; of more, each counts for less.
const OUTCOMES: usize = 8;

/// What the line tells that says how a call ended.
pub const ENDS: f32 = 2.5;

/// So many lines at the end of an output count though nothing in them says how it ended.
const ENDING: usize = 3;

/// So many lines at the beginning of what an error says count.
const BEGINNING: usize = 4;

/// What each line tells, for each token, as a share of the assistant's words.
pub fn telling(passing: Passing<'_>, lines: &[LineValue]) -> Vec<f32> {
    let Passing { text, origin, mark } = passing;
    let mut told = match (origin, mark) {
        (Origin::Log, _) => vec![0.0; lines.len()],
        (_, Mark::Failed) => of_error(text, lines),
        (Origin::User, _) => of_words(text, lines),
        (Origin::Assistant, _) if HostText::of(text) == Some(HostText::Summary) => vec![0.8; lines.len()],
        (Origin::Assistant, _) => fading(lines, [(150.0, 1.0), (400.0, 0.7), (f32::MAX, 0.45)]),
        (Origin::Parameters(Meaning::Plan | Meaning::Ask), _) => {
            fading(lines, [(400.0, 0.8), (1000.0, 0.5), (f32::MAX, 0.3)])
        }
        (Origin::Parameters(Meaning::Todo | Meaning::Item), _) => vec![0.3; lines.len()],
        (Origin::Parameters(_), Mark::Removed) => fading(lines, [(60.0, 0.12), (f32::MAX, 0.04), (f32::MAX, 0.0)]),
        (Origin::Parameters(Meaning::Write | Meaning::Edit), _) => {
            fading(lines, [(200.0, 0.6), (500.0, 0.35), (f32::MAX, 0.15)])
        }
        (Origin::Parameters(Meaning::Command), _) => fading(lines, [(80.0, 0.4), (200.0, 0.15), (f32::MAX, 0.05)]),
        (Origin::Parameters(_), _) => fading(lines, [(120.0, 0.4), (300.0, 0.2), (f32::MAX, 0.1)]),
        (Origin::Result(Meaning::Command), _) => of_output(text, lines),
        (Origin::Result(Meaning::Ask | Meaning::Plan), _) => vec![2.0; lines.len()],
        (Origin::Result(Meaning::Agent), _) => fading(lines, [(400.0, 0.5), (1000.0, 0.35), (f32::MAX, 0.2)]),
        (Origin::Result(Meaning::Other | Meaning::Web), _) => {
            fading(lines, [(100.0, 0.3), (300.0, 0.12), (f32::MAX, 0.04)])
        }
        (Origin::Result(_) | Origin::Shown, _) => vec![0.04; lines.len()],
        (Origin::Host, _) => fading(lines, [(60.0, 0.2), (f32::MAX, 0.03), (f32::MAX, 0.03)]),
        (Origin::Environment, _) => vec![0.0; lines.len()],
    };
    for (share, value) in told.iter_mut().zip(lines) {
        if value.line.is_gap || is_empty(text, value) {
            *share = 0.0;
        }
    }
    once(text, lines, &mut told);
    told
}

/// What a line says: without the number before it, and the tag that closes the answer.
fn content<'t>(text: &'t str, value: &LineValue) -> &'t str {
    let line = text[value.line.content..value.line.range.end].trim();
    line.rfind("</").filter(|_| line.ends_with('>')).map_or(line, |tag| &line[..tag])
}

/// Whether a line says nothing: brackets, rules, fences.
fn is_empty(text: &str, value: &LineValue) -> bool {
    !content(text, value).chars().any(char::is_alphanumeric)
}

/// Shares that fall with the tokens that stand before a line: each holds up to so many.
fn fading(lines: &[LineValue], steps: [(f32, f32); 3]) -> Vec<f32> {
    let mut before = 0.0;
    let share = |value: &LineValue| {
        let (_, share) = steps.into_iter().find(|(until, _)| before < *until).unwrap_or(steps[2]);
        before += value.cost;
        share
    };
    lines.iter().map(share).collect()
}

/// The user's words: all of short ones, and of long ones, which hold something that was pasted, the beginning and the end.
fn of_words(text: &str, lines: &[LineValue]) -> Vec<f32> {
    let mut told = fading(lines, [(250.0, 3.0), (500.0, 0.8), (f32::MAX, 0.3)]);
    let says = |index: &usize| !is_empty(text, &lines[*index]);
    for index in (0..lines.len()).rev().filter(says).take(2 * ENDING) {
        told[index] = 3.0;
    }
    told
}

fn of_output(text: &str, lines: &[LineValue]) -> Vec<f32> {
    let mut told = vec![0.03; lines.len()];
    let says = |index: &usize| !is_empty(text, &lines[*index]);
    for index in (0..lines.len()).rev().filter(says).take(ENDING) {
        told[index] = 0.5;
    }
    let outcomes = (0..lines.len()).rev().filter(|index| {
        let value = &lines[*index];
        // A line number in front is no number of tests.
        value.line.content == value.line.range.start && OUTCOME.is_match(content(text, value).as_bytes())
    });
    for (place, index) in outcomes.enumerate() {
        told[index] = match place {
            0 => ENDS,
            _ if PASSING.is_match(content(text, &lines[index]).as_bytes()) => 0.12,
            1..OUTCOMES => 0.8,
            _ => 0.25,
        };
    }
    told
}

/// The line of an error that says what failed: the first that looks so, or the first there is.
fn failed_line(text: &str, lines: &[LineValue]) -> Option<usize> {
    let says = |index: &usize| !lines[*index].line.is_gap && !is_empty(text, &lines[*index]);
    let of_failure = |index: &usize| says(index) && OUTCOME.is_match(content(text, &lines[*index]).as_bytes());
    (0..lines.len()).find(of_failure).or_else(|| (0..lines.len()).find(says))
}

fn of_error(text: &str, lines: &[LineValue]) -> Vec<f32> {
    let mut told = of_output(text, lines);
    let says = |index: &usize| !is_empty(text, &lines[*index]);
    for index in (0..lines.len()).filter(says).take(BEGINNING) {
        told[index] = told[index].max(0.8);
    }
    if let Some(first) = failed_line(text, lines) {
        told[first] = ENDS;
    }
    told
}

/// Lines that differ in nothing but numbers, such as those of progress and of lists of tests, tell it once: the last of them.
fn once(text: &str, lines: &[LineValue], told: &mut [f32]) {
    let mut seen = HashSet::new();
    for index in (0..lines.len()).rev().filter(|index| told[*index] >= 0.1).collect::<Vec<_>>() {
        let shape: String = content(text, &lines[index]).chars().filter(|letter| !letter.is_ascii_digit()).collect();
        if !seen.insert(xxh3_64(shape.as_bytes())) {
            told[index] *= 0.15;
        }
    }
}

/// What the assistant's words are worth, for each token, where this share of the conversation may stay: most where little may, because names, of which most
/// values are made, are readable anyway where much may. Twice as much wins readers no more answers than chance does, and costs six hundredths of the names at a
/// tenth (docs/decisions/0010-salience.md).
pub fn worth_of_words(share: f32) -> f32 {
    const FROM_A_QUARTER: f32 = 0.009;
    const MOST: f32 = 0.1;
    (FROM_A_QUARTER * (0.25 / share.max(0.01)).max(1.0)).min(MOST)
}
