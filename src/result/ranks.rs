//! Ranks the lines that are kept before all others: how the call ended, which failures it reports, and the lines around
//! them.

use std::{collections::HashMap, sync::LazyLock};

use regex::Regex;

use super::{
    stamps::Stamps,
    units::{CONTEXT, ENDS, FAILURE, HEAD, MORE_FAILURES, REST, Unit, begins_line, ends_line},
};
use crate::{
    by_hash::ByHash,
    output::{Failure, failure_in, shape, went_well},
    story::ending,
    tokens::floor_char_boundary,
};

/// In a text with more lines, only the first and last lines and those that report a failure are searched for how the
/// call ended.
const MOST_LINES: usize = 20_000;
const LAST_LINES: usize = 2000;
/// Maximum number of bytes of a line that are searched for how the call ended.
const LINE: usize = 2000;
/// Maximum number of lines before and after a failure that explain it.
const BEFORE: usize = 2;
const BEHIND: usize = 12;
/// Number of lines directly after a failure that explain it regardless of their form.
const NEXT: usize = 2;
/// Number of failures of one shape that rank before the lines around failures; further ones rank after these lines.
const OF_ONE_SHAPE: usize = 8;
/// Number of lines that only mention a failure and rank like one that reports it; the first ones do.
const MENTIONS: usize = 8;
/// Number of lines with an exit status that are kept, counted from the end.
const STATUSES: usize = 4;

/// Matches the exit status of a command, as shells and hosts write it.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bexit(?:ed)?\b.{0,24}\b(?:code|status)\b|\b(?:return|exit)[ _-]?(?:code|status)\b|<exit_code>")
        .expect("the pattern is a constant, and tested")
});

/// Matches a place in a file, at the beginning of a line or after one word: `file.c:3:5: …`, `at file.ts(3,5)`, `File
/// "a.py", line 3`.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\W*(?:\p{L}+ )?"?[\w@./\\-]+\.\w+"?(?::\d+|[(\[]\d+|, \p{L}+ \d+)"#)
        .expect("the pattern is a constant, and tested")
});

/// Ranks the units of the output of a call that may have failed.
pub fn rank(text: &str, units: &mut [Unit], stamps: Stamps, is_error: bool) {
    let mut kinds: HashMap<u64, usize, ByHash> = HashMap::default();
    for unit in units.iter_mut() {
        let said = if unit.is_part { with_next_word(text, unit) } else { stamps.said(&text[unit.range()]) };
        if let Some(failure) = failure_in(said) {
            unit.is_failure = failure != Failure::Mentioned;
            let kind = match failure {
                Failure::Mentioned => 1,
                Failure::Verdict | Failure::Reported if unit.is_part => 0,
                Failure::Verdict | Failure::Reported => shape(said),
            };
            let times = kinds.entry(kind).or_default();
            *times += 1;
            unit.rank = match failure {
                Failure::Verdict | Failure::Reported if *times > OF_ONE_SHAPE && !unit.is_part => MORE_FAILURES,
                Failure::Mentioned if *times > MENTIONS => unit.rank,
                _ => FAILURE,
            };
        }
        unit.has_place = is_error && !unit.is_part && PLACE.is_match(said);
    }
    rank_endings(text, units, stamps, is_error);
    rank_context(text, units, stamps);
}

/// Returns a part of a long line with the beginning of the next part, because a word may continue there.
fn with_next_word<'t>(text: &'t str, part: &Unit) -> &'t str {
    let range = part.range();
    let end = floor_char_boundary(text, range.end + 16);
    let line = &text[range.start..end.max(range.end)];
    &line[..memchr::memchr(b'\n', line.as_bytes()).unwrap_or(line.len())]
}

/// Ranks the first line that is not blank as a head, because it often introduces the rest, as in a table; also a rule
/// directly below it.
pub fn rank_head(text: &str, units: &mut [Unit]) {
    let mut said = units.iter_mut().filter(|unit| !text[unit.range()].trim().is_empty());
    if let Some(first) = said.next() {
        first.rank = first.rank.min(HEAD);
    }
    let is_rule = |line: &str| line.trim().chars().all(|letter| matches!(letter, '-' | '=' | '+' | '|' | ':' | ' '));
    if let Some(second) = said.next().filter(|unit| is_rule(&text[unit.range()])) {
        second.rank = second.rank.min(HEAD);
    }
}

fn rank_endings(text: &str, units: &mut [Unit], stamps: Stamps, is_error: bool) {
    let ends = if units.len() > MOST_LINES { LAST_LINES } else { units.len() };
    let from = units.len() - ends;
    let is_asked = |at: &usize| *at >= from || *at < ends || units[*at].is_failure;
    let excess = (0..units.len()).filter(is_asked).count().saturating_sub(MOST_LINES);
    let excess = ends..ends + excess;
    let asked = (0..units.len()).filter(is_asked).enumerate().filter(|(at, _)| !excess.contains(at));
    // A long line is represented by its first and last part, and by the parts that report a failure.
    let stands = |at: &usize| {
        let unit = &units[*at];
        let is_end = || begins_line(text, unit.range().start) || ends_line(text, unit.range().end);
        !unit.is_part || unit.is_failure || is_end()
    };
    let asked: Vec<usize> = asked.map(|(_, at)| at).filter(stands).collect();
    let content = |at: &usize| {
        let line = stamps.said(&text[units[*at].range()]).trim();
        &line[..floor_char_boundary(line, LINE)]
    };
    let contents: Vec<&str> = asked.iter().map(content).collect();
    let ending = ending(&contents, is_error);
    let statuses = (0..contents.len()).rev().filter(|at| STATUS.is_match(contents[*at])).take(STATUSES);
    // Lines of the same form as the last line say how the call ended only if one of them states an outcome: in a log,
    // all lines have one form.
    let last = contents.len().saturating_sub(1);
    let is_ending = |at: &usize| ending.says || *at == last || !ending.together.contains(at);
    for at in ending.staying(is_error).filter(is_ending).chain(statuses) {
        units[asked[at]].rank = ENDS;
    }
}

fn rank_context(text: &str, units: &mut [Unit], stamps: Stamps) {
    let said = |unit: &Unit| stamps.said(&text[unit.range()]);
    let indentation = |unit: &Unit| said(unit).len() - said(unit).trim_start().len();
    let is_blank = |unit: &Unit| said(unit).trim().is_empty();
    // The surroundings of lines that only mention a failure are kept only if no line reports one.
    let is_reported = units.iter().any(|unit| unit.is_failure);
    for at in 0..units.len() {
        let explains = if is_reported {
            units[at].is_failure && units[at].rank != MORE_FAILURES
        } else {
            units[at].rank == FAILURE
        };
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

/// The form of a line that reports a failure, by which the lines that continue it are recognised.
struct Block {
    indentation: usize,
    sign: Option<char>,
}

impl Block {
    /// Returns true for a line that continues the failure: it is further indented, begins as a quotation or with the
    /// same sign, or belongs to the same indented paragraph.
    fn holds(&self, said: &str, indentation: usize, is_one_paragraph: bool) -> bool {
        let is_paragraph = is_one_paragraph && indentation > 0 && indentation == self.indentation;
        let is_signed = self.sign.is_some() && sign(said) == self.sign;
        indentation > self.indentation || is_paragraph || is_signed || said.starts_with(['|', '>', '^', '~'])
    }
}

/// Returns the non-ASCII sign at the beginning of a line, such as the bar of a box around a message. ASCII signs do not
/// count, because they begin items of lists.
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
