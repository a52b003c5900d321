//! The lines that come before all others: how the call ended, what failed, and what stands around it.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    failures::{Failure, failure_in, went_well},
    shape::shape,
    stamps::Stamps,
    units::{CONTEXT, ENDS, FAILURE, HEAD, MORE_FAILURES, REST, Unit},
};
use crate::{by_hash::ByHash, story::ending, tokens::floor_char_boundary};

/// A text of more lines is asked how it ended by its first and last lines and by those that report a failure.
const MOST_LINES: usize = 20_000;
const LAST_LINES: usize = 2000;
/// Bytes of a line that are asked how the call ended.
const LINE: usize = 2000;
/// Lines in front of a failure, and behind it, that explain it.
const BEFORE: usize = 2;
const BEHIND: usize = 12;
/// Lines right behind a failure, whatever they look like.
const NEXT: usize = 2;
/// Failures of one shape that stay before the lines around them; the others come behind those.
const OF_ONE_SHAPE: usize = 8;
/// Lines that only mention a failure of which so many, the first, stay before the lines around them.
const MENTIONS: usize = 8;
/// Lines with an exit status that are kept, from the end.
const STATUSES: usize = 4;

/// The exit status of a command, as shells and hosts write it.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bexit(?:ed)?\b.{0,24}\b(?:code|status)\b|\b(?:return|exit)[ _-]?(?:code|status)\b|<exit_code>")
        .expect("the pattern is a constant, and tested")
});

/// A place in a file at the beginning of a line or behind one word: `file.c:3:5: …`, `at file.ts(3,5)`, `File "a.py", line 3`.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\W*(?:\p{L}+ )?"?[\w@./\\-]+\.\w+"?(?::\d+|[(\[]\d+|, \p{L}+ \d+)"#)
        .expect("the pattern is a constant, and tested")
});

/// Ranks the units of the output of a call that may have failed.
pub fn rank(text: &str, lines: &[Range<usize>], units: &mut [Unit], stamps: Stamps, is_error: bool) {
    let mut kinds: HashMap<u64, usize, ByHash> = HashMap::default();
    for unit in units.iter_mut() {
        // A word may go on in the next part of a long line.
        let end = unit.range.end.max(floor_char_boundary(text, (unit.range.end + 16).min(lines[unit.lines.start].end)));
        let said = if unit.is_part { &text[unit.range.start..end] } else { stamps.said(&text[unit.range.clone()]) };
        if let Some(failure) = failure_in(said) {
            unit.is_failure = failure == Failure::Reported;
            let kind = match failure {
                Failure::Mentioned => 1,
                Failure::Reported if unit.is_part => 0,
                Failure::Reported => shape(said),
            };
            let times = kinds.entry(kind).or_default();
            *times += 1;
            unit.rank = match failure {
                Failure::Reported if *times > OF_ONE_SHAPE && !unit.is_part => MORE_FAILURES,
                Failure::Mentioned if *times > MENTIONS => unit.rank,
                _ => FAILURE,
            };
        }
        unit.has_place = is_error && !unit.is_part && PLACE.is_match(said);
    }
    rank_endings(text, lines, units, stamps, is_error);
    rank_context(text, units, stamps);
}

/// The first line that says something announces the rest, as the head of a table does; with the rule below it.
pub fn rank_head(text: &str, units: &mut [Unit]) {
    let mut said = units.iter_mut().filter(|unit| !text[unit.range.clone()].trim().is_empty());
    if let Some(first) = said.next() {
        first.rank = first.rank.min(HEAD);
    }
    let is_rule = |line: &str| line.trim().chars().all(|letter| matches!(letter, '-' | '=' | '+' | '|' | ':' | ' '));
    if let Some(second) = said.next().filter(|unit| is_rule(&text[unit.range.clone()])) {
        second.rank = second.rank.min(HEAD);
    }
}

fn rank_endings(text: &str, lines: &[Range<usize>], units: &mut [Unit], stamps: Stamps, is_error: bool) {
    let mut asked: Vec<usize> = (0..units.len()).collect();
    if asked.len() > MOST_LINES {
        let from = asked.len() - LAST_LINES;
        asked.retain(|at| *at >= from || *at < LAST_LINES || units[*at].is_failure);
        let excess = asked.len().saturating_sub(MOST_LINES);
        asked.drain(LAST_LINES..LAST_LINES + excess);
    }
    // The ends of a long line stand for it, and the parts that report a failure.
    asked.retain(|at| {
        let unit = &units[*at];
        !unit.is_part
            || unit.is_failure
            || unit.range.start == lines[unit.lines.start].start
            || unit.range.end == lines[unit.lines.start].end
    });
    let content = |at: &usize| {
        let line = stamps.said(&text[units[*at].range.clone()]).trim();
        &line[..floor_char_boundary(line, LINE)]
    };
    let contents: Vec<&str> = asked.iter().map(content).collect();
    let ending = ending(&contents, is_error);
    let statuses = (0..contents.len()).rev().filter(|at| STATUS.is_match(contents[*at])).take(STATUSES);
    for at in ending.staying(is_error).chain(statuses) {
        units[asked[at]].rank = ENDS;
    }
}

fn rank_context(text: &str, units: &mut [Unit], stamps: Stamps) {
    let said = |unit: &Unit| stamps.said(&text[unit.range.clone()]);
    let indentation = |unit: &Unit| said(unit).len() - said(unit).trim_start().len();
    let is_blank = |unit: &Unit| said(unit).trim().is_empty();
    for at in 0..units.len() {
        let explains = units[at].rank == FAILURE || (units[at].is_failure && units[at].rank != MORE_FAILURES);
        if !explains {
            continue;
        }
        let failure = Block { indentation: indentation(&units[at]), sign: sign(said(&units[at])) };
        let mut distance = 0;
        for before in (0..at).rev().take(BEFORE) {
            if is_blank(&units[before]) || units[before].rank < CONTEXT {
                break;
            }
            distance += 1;
            raise(&mut units[before], distance);
        }
        distance = 0;
        let mut is_one_paragraph = true;
        for behind in &mut units[at + 1..] {
            if behind.is_failure || distance == BEHIND || went_well(said(behind)) {
                break;
            }
            if is_blank(behind) {
                is_one_paragraph = false;
                continue;
            }
            distance += 1;
            let is_inside = failure.holds(said(behind), indentation(behind), is_one_paragraph);
            if distance > NEXT && (behind.is_part || !is_inside) {
                break;
            }
            raise(behind, distance);
        }
    }
}

/// The form of a line that reports a failure: lines behind it that go on with it are recognised by it.
struct Block {
    indentation: usize,
    sign: Option<char>,
}

impl Block {
    /// Returns true for a line that is further indented, quotes, has the same sign before it, or stands in the same indented paragraph.
    fn holds(&self, said: &str, indentation: usize, is_one_paragraph: bool) -> bool {
        let is_paragraph = is_one_paragraph && indentation > 0 && indentation == self.indentation;
        let is_signed = self.sign.is_some() && sign(said) == self.sign;
        indentation > self.indentation || is_paragraph || is_signed || said.starts_with(['|', '>', '^', '~'])
    }
}

/// The sign that a line begins with, such as the bar of a box around a message. ASCII has none that says so: its signs begin items of lists.
fn sign(said: &str) -> Option<char> {
    said.chars().next().filter(|first| !first.is_ascii() && !first.is_alphanumeric() && !first.is_whitespace())
}

fn raise(unit: &mut Unit, distance: usize) {
    if unit.rank == REST {
        unit.rank = CONTEXT + distance as u8;
    } else if unit.rank > CONTEXT && unit.rank < REST {
        unit.rank = unit.rank.min(CONTEXT + distance as u8);
    }
}
