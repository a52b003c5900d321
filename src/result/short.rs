//! Shortens one text to a budget.

use serde::Serialize;

use super::{
    CallOf, ResultParts, ResultSettings, above, borders, choice, json, ranks,
    screen::Screen,
    stamps::Stamps,
    units::{DATA_RANK, ENDS, LONGEST, Pointers, Unit, count_lines, units_of},
    worth::Worth,
    written::{Written, with_small_gaps, written},
};
use crate::{
    conversation::Json,
    markers::ResultNote,
    salience::ExpectedNames,
    tokens::{Encoding, count_inside, is_nearer},
    transcript::Meaning,
};

/// A source file or a diff is kept whole up to this many times the budget.
const WHOLE_TIMES: usize = 10;
/// The search stops at a text that uses at least this share of the budget.
const CLOSE_ENOUGH: f64 = 0.93;
const MAX_TRIES: usize = 8;
/// Units are ordered up to this many times the budget, because their tokens are estimated. The search then takes as many
/// of the first ones as fit.
const MARGIN: f32 = 1.3;

/// The kind of a result: what must not be torn apart in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ResultKind {
    /// Output of any kind.
    Text,
    /// A file of a program that was read.
    Source,
    /// Changes of files.
    Diff,
    /// One JSON value.
    Json,
    /// Data that is no text, such as base64.
    Data,
}

/// A text to shorten, with its context.
pub struct Given<'a> {
    pub text: &'a str,
    /// Number of lines in earlier texts of the same result, which is stored as one text; line numbers in gaps include
    /// them. `None` if the stored text differs.
    pub lines_before: Option<usize>,
    pub tokens: usize,
    pub budget: usize,
    pub call: CallOf<'a>,
    pub is_error: bool,
    pub settings: &'a ResultSettings<'a>,
    /// The expected names; `None` if no text has to be shortened.
    pub expected: Option<&'a ExpectedNames>,
    /// The texts of the conversation before the result.
    pub before: &'a [&'a str],
    /// True for a string in a JSON value, which gets no note: the whole value has one.
    pub is_part: bool,
}

impl Given<'_> {
    /// Returns true if the tool or the exit code reports a failure.
    fn has_failed(&self) -> bool {
        self.is_error || self.settings.exit_code.is_some_and(|code| code != 0)
    }
}

/// A shortened text, or an unchanged one.
pub struct Short {
    /// The new text; `None` if it is unchanged.
    pub text: Option<String>,
    pub tokens: usize,
    pub left_out: usize,
    pub of: usize,
    pub failures_left_out: usize,
    pub kind: ResultKind,
}

/// Shortens a text that has more tokens than its budget.
pub fn shorten(given: &Given<'_>) -> Short {
    // Recalled content has its own limit, and the model would request a shortened part again.
    let may_go = given.tokens > given.budget && given.call.meaning != Meaning::Recall && given.text.len() <= LONGEST;
    let Some(expected) = given.expected.filter(|_| may_go) else {
        return whole(given, ResultKind::Text);
    };
    let kind = kind(given);
    if matches!(kind, ResultKind::Source | ResultKind::Diff) && given.tokens <= given.budget.saturating_mul(WHOLE_TIMES)
    {
        return whole(given, kind);
    }
    let short = match json::parse(given.text) {
        Some(value) if kind == ResultKind::Json => short_json(given, Json::from(value), expected),
        _ => Text::read(given, kind, expected).shorten(),
    };
    // If the notes take more tokens than they save, the text is kept whole.
    if short.tokens >= given.tokens { whole(given, kind) } else { short }
}

fn whole(given: &Given<'_>, kind: ResultKind) -> Short {
    Short { text: None, tokens: given.tokens, left_out: 0, of: count_lines(given.text), failures_left_out: 0, kind }
}

/// Extensions of files that contain data or logs, not source code.
const NO_SOURCE: [&str; 14] =
    ["log", "txt", "out", "err", "json", "jsonl", "ndjson", "csv", "tsv", "lock", "map", "min.js", "min.css", "svg"];

/// Returns true for the path of a source file: its extension begins with a letter and is not that of data or a log.
/// `syslog` and `build.log.1` have no such extension.
fn is_source(path: &str) -> bool {
    let path = path.trim_matches(['"', '\'']).to_lowercase();
    let ending =
        path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
    ending.starts_with(char::is_alphabetic) && !NO_SOURCE.iter().any(|no| path.ends_with(&format!(".{no}")))
}

/// Returns true if a command line names files, all of them sources.
fn names_sources(command: &str) -> bool {
    let command = command.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")).map_or(command, |(_, rest)| rest);
    let mut paths = command.split_whitespace().filter(|word| word.contains(['.', '/'])).peekable();
    paths.peek().is_some() && paths.all(is_source)
}

fn kind(given: &Given<'_>) -> ResultKind {
    let CallOf { meaning, shows_files, place } = given.call;
    if json::parse(given.text).is_some() {
        return ResultKind::Json;
    }
    if borders::is_diff(given.text) {
        return ResultKind::Diff;
    }
    let shows_source = match meaning {
        Meaning::Read => is_source(place),
        Meaning::Command => shows_files && names_sources(place),
        _ => false,
    };
    let has_long_lines = given.text.len() > 1000 * given.text.bytes().filter(|byte| *byte == b'\n').count().max(1);
    if shows_source && !has_long_lines && !given.has_failed() {
        return ResultKind::Source;
    }
    ResultKind::Text
}

fn note(
    given: &Given<'_>,
    parts: ResultParts,
    (count, of_count): (usize, usize),
    failures: usize,
    tokens: usize,
) -> String {
    let note = ResultNote {
        parts,
        count,
        of_count,
        tokens: given.tokens.saturating_sub(tokens),
        of_tokens: given.tokens,
        failures,
        exit_code: given.settings.exit_code,
        whole: given.settings.whole,
    };
    note.to_string()
}

fn tokens_of(text: &str, encoding: Encoding) -> usize {
    count_inside(text, encoding).tokens
}

/// Returns the text with the note as its last line, and the tokens of both. A part of a JSON value gets no note.
fn with_note(given: &Given<'_>, text: &str, note: impl Fn(usize) -> String) -> (String, usize) {
    let encoding = given.settings.encoding;
    let shown = tokens_of(text, encoding);
    if given.is_part {
        return (text.to_owned(), shown);
    }
    let noted = if text.is_empty() { note(shown) } else { format!("{text}\n{}", note(shown)) };
    let tokens = tokens_of(&noted, encoding);
    (noted, tokens)
}

fn short_json(given: &Given<'_>, value: Json<'_>, expected: &ExpectedNames) -> Short {
    let bytes_per_token = given.text.len() as f64 / given.tokens.max(1) as f64;
    let mut room = given.budget as f64 * bytes_per_token * 0.9;
    let mut best: Option<Short> = None;
    let cut_text = |text: &str, room: usize| {
        let budget = (room as f64 / bytes_per_token) as usize;
        let tokens = tokens_of(text, given.settings.encoding);
        let part = Given { text, lines_before: None, tokens, budget, before: &[], is_part: true, ..*given };
        let short = Text::read(&part, ResultKind::Text, expected).shorten();
        (short.text.unwrap_or_default(), short.failures_left_out)
    };
    let mut reader = json::JsonReader::new(value, expected, &cut_text);
    for _ in 0..MAX_TRIES {
        let json = reader.shorten(room as usize);
        let counts = (json.left_out, json.values);
        let (text, tokens) =
            with_note(given, &json.text, |shown| note(given, ResultParts::Values, counts, json.failures, shown));
        let short = Short {
            text: Some(text),
            tokens,
            left_out: json.left_out,
            of: json.values,
            failures_left_out: json.failures,
            kind: ResultKind::Json,
        };
        let fits = tokens <= given.budget;
        if best.as_ref().is_none_or(|best| is_nearer(tokens, best.tokens, given.budget)) {
            best = Some(short);
        }
        if fits && tokens as f64 >= given.budget as f64 * CLOSE_ENOUGH {
            break;
        }
        room *= given.budget as f64 * 0.97 / tokens.max(1) as f64;
    }
    best.unwrap_or_else(|| whole(given, ResultKind::Json))
}

/// A text divided into ranked units.
struct Text<'a> {
    given: &'a Given<'a>,
    kind: ResultKind,
    expected: &'a ExpectedNames,
    screen: Screen<'a>,
    units: Vec<Unit>,
    pointers: Pointers,
    stamps: Stamps,
}

impl<'a> Text<'a> {
    fn read(given: &'a Given<'a>, kind: ResultKind, expected: &'a ExpectedNames) -> Self {
        let mut screen = Screen::show(given.text);
        screen.lines_before = given.lines_before;
        let stamps = Stamps::of_text(&screen.text);
        let is_in_blocks = matches!(kind, ResultKind::Source | ResultKind::Diff);
        let mut units =
            if is_in_blocks { borders::blocks(&screen.text, kind == ResultKind::Diff) } else { units_of(&screen.text) };
        let shows = matches!(given.call.meaning, Meaning::Search | Meaning::List);
        let is_error = given.has_failed();
        if !is_in_blocks && (!shows || is_error) {
            ranks::rank(&screen.text, &mut units, stamps, is_error);
        }
        if !is_in_blocks {
            ranks::rank_head(&screen.text, &mut units);
        }
        let is_data =
            kind == ResultKind::Text && units.iter().filter(|unit| unit.rank == DATA_RANK).count() * 2 > units.len();
        let kind = if is_data { ResultKind::Data } else { kind };
        Self { given, kind, expected, screen, units, pointers: Pointers::default(), stamps }
    }

    /// Shortens the text to the budget, or as far as possible. Lines that the conversation already contains become
    /// pointers, if these resolve to them.
    fn shorten(mut self) -> Short {
        if let Some((pointed, pointers)) = above::pointed(&self.screen.text, &self.units, self.given.before) {
            let plain = std::mem::replace(&mut self.units, pointed);
            self.pointers = pointers;
            let (short, stays) = self.within();
            let text = short.text.as_deref().unwrap_or_default();
            let expanded = self.text(&stays, true).text;
            let noted = text.rsplit_once('\n').map_or(text, |(_, note)| note);
            if above::leads_back(self.given.before, text, &format!("{expanded}\n{noted}")) {
                return short;
            }
            self.units = plain;
        }
        self.within().0
    }

    fn text(&self, stays: &[bool], is_expanded: bool) -> Written {
        written(&self.screen, &self.units, &self.pointers, stays, is_expanded)
    }

    fn within(&self) -> (Short, Vec<bool>) {
        let budget = self.given.budget;
        let is_file = matches!(self.kind, ResultKind::Source | ResultKind::Diff);
        let worth = Worth::read(&self.screen.text, &self.units, self.stamps, is_file, self.expected);
        let tokens_per_byte = self.given.tokens as f32 / self.given.text.len().max(1) as f32;
        let least = self.units.iter().filter(|unit| unit.rank == ENDS).count();
        let order = choice::order(&self.units, &self.pointers, &worth, tokens_per_byte, budget as f32 * MARGIN);
        drop(worth);
        // `low` units fit, or are the minimum; `high` or more do not fit, or do not exist.
        let (mut low, mut high) = (least.min(order.len()), order.len() + 1);
        let mut tried = self.with_first(&order, low);
        let mut correction = 1.0;
        for _ in 0..MAX_TRIES {
            if tried.0.tokens as f64 >= budget as f64 * CLOSE_ENOUGH || low + 1 >= high {
                break;
            }
            let fits = |(_, used): &(usize, f32)| *used * correction <= budget as f32;
            let guess = order.partition_point(fits).clamp(low + 1, high - 1);
            let next = self.with_first(&order, guess);
            let used = order[guess - 1].1;
            correction = next.0.tokens as f32 / used.max(1.0);
            if next.0.tokens <= budget {
                (low, tried) = (guess, next);
            } else {
                high = guess;
            }
        }
        tried
    }

    /// Returns the text of the first `count` units in the order of taking.
    fn with_first(&self, order: &[(usize, f32)], count: usize) -> (Short, Vec<bool>) {
        let mut stays = vec![false; self.units.len()];
        order[..count].iter().for_each(|(unit, _)| stays[*unit] = true);
        let stays = with_small_gaps(&self.screen, &self.units, stays);
        let written = self.text(&stays, false);
        let failures = self.failures_without(&stays);
        let of = self.lines_of_original();
        let counts = (written.lines_left_out, of);
        let (text, tokens) =
            with_note(self.given, &written.text, |shown| note(self.given, ResultParts::Lines, counts, failures, shown));
        let short =
            Short { text: Some(text), tokens, left_out: counts.0, of, failures_left_out: failures, kind: self.kind };
        (short, stays)
    }

    /// Returns the number of lines that report a failure and whose reporting part is left out.
    fn failures_without(&self, stays: &[bool]) -> usize {
        let mut count = 0;
        let mut last = None;
        for (unit, _) in self.units.iter().zip(stays).filter(|(unit, stays)| unit.is_failure && !**stays) {
            if last != Some(unit.line()) {
                count += 1 + unit.repeats();
            }
            last = Some(unit.line());
        }
        count
    }

    fn lines_of_original(&self) -> usize {
        self.screen.number(count_lines(&self.screen.text) - 1)
    }
}
