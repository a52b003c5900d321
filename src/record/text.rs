//! The record as text, and read again: headings, and a line for each fact.

use std::sync::LazyLock;

use memchr::memmem::FinderRev;

use super::{
    Rooms,
    facts::{Fact, ItemState},
    must::sets_limit,
    squeeze::squeezed,
};
use crate::tokens::{Encoding, count_inside};

/// Its first line.
const HEAD: &str = "[Record of the work in messages that are left out]";

/// How it stands behind another text. No line of a record has a line feed in it, so none that quotes the first line looks like this.
static BEHIND: LazyLock<FinderRev<'_>> = LazyLock::new(|| FinderRev::new(&format!("\n\n{HEAD}\n")).into_owned());

/// The headings, in the order in which they stand.
const HEADINGS: [&str; 12] = [
    "Still in force:",
    "Plan:",
    "Plan, last changed before a commit and what the user said behind it:",
    "The plan that was agreed on:",
    "Checks, how each ended the last time:",
    "Failed, and not seen to work since:",
    "Files changed:",
    "The user said:",
    "The assistant said:",
    "Failed once, and worked later:",
    "Looked for, and not found or not shown:",
    "Names in what is left out:",
];

/// Behind a check that ran before files were changed, and a failure in one of them: nobody knows how it would end now.
const CHANGED_SINCE: &str = " (files changed since)";

/// Who is given room first when it is short, and of the room that is left the share that each may have before the others had theirs: what limits the
/// work and what is open before what was done and said.
const SHARES: [(Rank, f64); 14] = [
    (Rank::Of(0), 0.3),
    (Rank::Limit, 0.4),
    (Rank::OpenItem, 0.45),
    (Rank::Of(3), 0.3),
    (Rank::Of(4), 0.4),
    (Rank::Of(5), 0.3),
    (Rank::Of(6), 0.35),
    (Rank::Of(7), 0.5),
    (Rank::Of(1), 0.5),
    (Rank::Of(2), 0.5),
    (Rank::Of(8), 0.8),
    (Rank::Of(9), 1.0),
    (Rank::Of(10), 1.0),
    (Rank::Of(11), 1.0),
];

/// So many facts of a rank that have no room are passed over for older ones that have. Of more, the room is all but used.
const MAX_TOO_LONG: usize = 3;

/// Which facts have their room at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// All of a kind, by its heading.
    Of(usize),
    /// Words by which the user limits the work: they hold until they are taken back.
    Limit,
    /// What of the plan is not done.
    OpenItem,
}

impl Rank {
    fn kind(self) -> usize {
        match self {
            Self::Of(kind) => kind,
            Self::Limit => 7,
            Self::OpenItem => 1,
        }
    }

    fn has(self, fact: &Fact) -> bool {
        match (self, fact) {
            (Self::Of(kind), fact) => heading(fact) == kind,
            (Self::Limit, Fact::Asked(words)) => sets_limit(words),
            (Self::OpenItem, Fact::Plan { state, is_older: false, .. }) => *state != Some(ItemState::Done),
            _ => false,
        }
    }
}

/// What reports call them.
const NAMES: [&str; HEADINGS.len()] =
    ["now", "plan", "plan", "design", "checks", "failed", "changed", "said", "answered", "mended", "lookups", "names"];

/// A line of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Told {
    heading: usize,
    line: String,
}

impl Told {
    /// What it is about, in one word: `now`, `plan`, `design`, `checks`, `failed`, `changed`, `said`, `answered`, `mended`, `lookups` or `names`.
    #[must_use]
    pub fn heading(&self) -> &'static str {
        NAMES[self.heading]
    }

    /// Its tokens.
    #[must_use]
    pub fn tokens(&self, encoding: Encoding) -> usize {
        count_inside(&self.line, encoding).tokens + 1
    }
}

/// Tokens of the first line, and of the heading of names.
pub fn head_tokens(encoding: Encoding) -> usize {
    count_inside(HEAD, encoding).tokens + count_inside(HEADINGS[HEADINGS.len() - 1], encoding).tokens + 2
}

/// Whether a text is a record, and nothing else. That nothing stands behind it matters: whoever pastes one and writes on would lose those words with it.
#[must_use]
pub fn is_record(text: &str) -> bool {
    let Some(lines) = text.strip_prefix(HEAD).and_then(|rest| rest.strip_prefix('\n')) else { return false };
    let is_heading = |line: &str| HEADINGS.contains(&line);
    lines.lines().next().is_some_and(is_heading) && lines.lines().all(|line| line.starts_with("- ") || is_heading(line))
}

/// The record at the end of a text that begins with something else.
#[must_use]
pub fn record_behind(text: &str) -> Option<&str> {
    let at = BEHIND.rfind(text.as_bytes())?;
    let record = &text[at + 2..];
    is_record(record).then_some(record)
}

/// How many kinds of facts there are.
pub const KINDS: usize = HEADINGS.len();

/// The kind of a fact, by its heading.
pub fn heading(fact: &Fact) -> usize {
    match fact {
        Fact::Now(_) => 0,
        Fact::Plan { is_older: false, .. } => 1,
        Fact::Plan { is_older: true, .. } => 2,
        Fact::Design(_) => 3,
        Fact::Check { .. } => 4,
        Fact::Failed { is_lookup: false, .. } => 5,
        Fact::Changed { .. } => 6,
        Fact::Asked(_) => 7,
        Fact::Answered(_) => 8,
        Fact::Mended { .. } => 9,
        Fact::Failed { is_lookup: true, .. } => 10,
        Fact::Named(_) => 11,
    }
}

/// One line, whatever a path or a command has in it: a second one could be taken for another fact.
fn line(fact: &Fact) -> String {
    let line = written_line(fact);
    if line.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) { squeezed(&line) } else { line }
}

fn written_line(fact: &Fact) -> String {
    match fact {
        Fact::Plan { item, state, .. } => match state {
            Some(ItemState::Done) => format!("- [x] {item}"),
            Some(ItemState::UnderWay) => format!("- [-] {item}"),
            Some(ItemState::Open) => format!("- [ ] {item}"),
            None => format!("- {item}"),
        },
        Fact::Check { command: call, verdict: line, is_older } | Fact::Failed { call, line, is_older, .. } => {
            format!("- {call} → {line}{}", if *is_older { CHANGED_SINCE } else { "" })
        }
        Fact::Mended { call, line } => format!("- {call} → {line}"),
        Fact::Changed { path, how } => format!("- {path} ({how})"),
        Fact::Now(text) | Fact::Design(text) | Fact::Asked(text) | Fact::Answered(text) | Fact::Named(text) => {
            format!("- {text}")
        }
    }
}

/// The record of these facts: of each kind the newest that have room, in their order, those that are `marked` before all others, with a room of their
/// own. `None` when there is nothing to say, or no room for it.
pub fn written(facts: &[Fact], marked: &[bool], rooms: Rooms, encoding: Encoding) -> Option<String> {
    let mut lines = Lines::of(facts, encoding);
    let head = lines.tokens(HEAD);
    if let Some(mut left) = rooms.missing.checked_sub(head) {
        (0..HEADINGS.len()).for_each(|kind| left -= lines.take(Rank::Of(kind), left, |index| marked[index]));
    }
    let mut left = if lines.is_empty() { rooms.record.checked_sub(head)? } else { rooms.record };
    // First each has its share, then whoever comes first what is over.
    for (rank, share) in SHARES.into_iter().chain(SHARES.map(|(rank, _)| (rank, 1.0))) {
        left -= lines.take(rank, (left as f64 * share) as usize, |_| true);
    }
    (!lines.is_empty()).then(|| lines.text())
}

/// The lines that there could be, and those that are taken.
struct Lines<'f> {
    facts: &'f [Fact],
    lines: Vec<String>,
    taken: Vec<bool>,
    used: [bool; HEADINGS.len()],
    encoding: Encoding,
}

impl<'f> Lines<'f> {
    fn of(facts: &'f [Fact], encoding: Encoding) -> Self {
        let lines = facts.iter().map(line).collect();
        Self { facts, lines, taken: vec![false; facts.len()], used: [false; HEADINGS.len()], encoding }
    }

    fn tokens(&self, text: &str) -> usize {
        count_inside(text, self.encoding).tokens + 1
    }

    fn is_empty(&self) -> bool {
        !self.used.contains(&true)
    }

    /// Takes the first of a rank that have room, among those that may be. Returns the tokens that they take.
    fn take(&mut self, rank: Rank, room: usize, may_be: impl Fn(usize) -> bool) -> usize {
        let (mut left, kind, mut too_long) = (room, rank.kind(), 0);
        let of_kind = |index: &usize| rank.has(&self.facts[*index]) && !self.taken[*index] && may_be(*index);
        let mut order: Vec<usize> = (0..self.facts.len()).rev().filter(of_kind).collect();
        // What is not done yet comes first, and a plan from its beginning.
        order.sort_by_key(|index| match &self.facts[*index] {
            Fact::Plan { state, .. } => usize::from(*state == Some(ItemState::Done)),
            Fact::Design(_) => *index,
            _ => 0,
        });
        for index in order {
            let is_said = self.lines.iter().zip(&self.taken).any(|(line, taken)| *taken && *line == self.lines[index]);
            if is_said {
                continue;
            }
            let cost = self.tokens(&self.lines[index]) + if self.used[kind] { 0 } else { self.tokens(HEADINGS[kind]) };
            let Some(rest) = left.checked_sub(cost) else {
                too_long += 1;
                if too_long > MAX_TOO_LONG {
                    break;
                }
                continue;
            };
            left = rest;
            (self.taken[index], self.used[kind]) = (true, true);
        }
        room - left
    }

    fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (kind, heading_of_kind) in HEADINGS.iter().enumerate().filter(|(kind, _)| self.used[*kind]) {
            text.push('\n');
            text.push_str(heading_of_kind);
            let of_kind =
                (0..self.facts.len()).filter(|index| self.taken[*index] && heading(&self.facts[*index]) == kind);
            of_kind.for_each(|index| {
                text.push('\n');
                text.push_str(&self.lines[index]);
            });
        }
        text
    }
}

/// The facts of a record. What a line says and nobody wrote is told on as it is.
pub fn read(record: &str) -> Vec<Fact> {
    told(record).iter().filter_map(|told| fact(told.heading, told.line.strip_prefix("- ")?)).collect()
}

/// The lines of a record.
pub fn told(record: &str) -> Vec<Told> {
    let mut heading = None;
    let mut lines = Vec::new();
    for line in record.lines().skip(1) {
        if let Some(known) = HEADINGS.iter().position(|heading| *heading == line) {
            heading = Some(known);
        } else if let Some(heading) = heading {
            lines.push(Told { heading, line: line.to_owned() });
        }
    }
    lines
}

fn fact(kind: usize, line: &str) -> Option<Fact> {
    let pair = || line.split_once(" → ").map(|(one, other)| (one.to_owned(), other.to_owned()));
    let aged = || {
        pair().map(|(one, told)| {
            let since = told.strip_suffix(CHANGED_SINCE);
            (one, since.unwrap_or(&told).to_owned(), since.is_some())
        })
    };
    Some(match kind {
        0 => Fact::Now(line.to_owned()),
        1 | 2 => {
            let states = [("[x] ", ItemState::Done), ("[-] ", ItemState::UnderWay), ("[ ] ", ItemState::Open)];
            let found = states.iter().find_map(|(mark, state)| Some((line.strip_prefix(mark)?, *state)));
            let (item, state) = (found.map_or(line, |(item, _)| item).to_owned(), found.map(|(_, state)| state));
            Fact::Plan { item, state, is_older: kind == 2 }
        }
        3 => Fact::Design(line.to_owned()),
        4 => {
            let (command, verdict, is_older) = aged()?;
            Fact::Check { command, verdict, is_older }
        }
        5 | 10 => aged().map(|(call, line, is_older)| Fact::Failed { call, line, is_older, is_lookup: kind == 10 })?,
        6 => {
            let (path, how) = line.strip_suffix(')')?.rsplit_once(" (")?;
            Fact::Changed { path: path.to_owned(), how: how.to_owned() }
        }
        7 => Fact::Asked(line.to_owned()),
        8 => Fact::Answered(line.to_owned()),
        9 => pair().map(|(call, line)| Fact::Mended { call, line })?,
        _ => Fact::Named(line.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn failed(call: &str, line: &str, is_older: bool, is_lookup: bool) -> Fact {
        Fact::Failed { call: call.into(), line: line.into(), is_older, is_lookup }
    }

    fn facts() -> Vec<Fact> {
        vec![
            Fact::Now("mode: code".into()),
            Fact::Plan { item: "Mend the parser".into(), state: Some(ItemState::Done), is_older: false },
            Fact::Plan { item: "Write a test".into(), state: Some(ItemState::UnderWay), is_older: false },
            Fact::Plan { item: "Tell the user".into(), state: None, is_older: false },
            Fact::Plan { item: "Look at it".into(), state: Some(ItemState::Open), is_older: true },
            Fact::Design("1. Read the grammar first".into()),
            Fact::Check { command: "npm test".into(), verdict: "Tests 3 failed | 12 passed".into(), is_older: false },
            Fact::Check { command: "npm run lint".into(), verdict: "0 errors".into(), is_older: true },
            failed("Bash cargo build", "error: no such file", false, false),
            failed("Bash make", "a.c:1:1: error: no x", true, false),
            Fact::Changed { path: "src/parser (old).ts".into(), how: "edited 3 times".into() },
            Fact::Asked("Please mend the parser, it is broken".into()),
            Fact::Answered("The parser is mended, but a test fails".into()),
            Fact::Mended { call: "Edit src/a.ts".into(), line: "String to replace not found".into() },
            failed("Read src/nosuch.ts", "File does not exist", false, true),
            Fact::Named("parse_due_date".into()),
        ]
    }

    fn recorded(facts: &[Fact], room: usize) -> Option<String> {
        written(facts, &vec![false; facts.len()], Rooms { missing: 0, record: room }, Encoding::default())
    }

    #[test]
    fn what_is_marked_has_room_of_its_own() {
        let facts = facts();
        let marked: Vec<bool> = facts.iter().map(|fact| matches!(fact, Fact::Named(_) | Fact::Asked(_))).collect();
        let rooms = Rooms { missing: 60, record: 0 };
        let text = written(&facts, &marked, rooms, Encoding::default()).unwrap();
        assert_eq!(
            read(&text),
            facts.iter().filter(|fact| matches!(fact, Fact::Named(_) | Fact::Asked(_))).cloned().collect::<Vec<_>>()
        );
        assert!(count_inside(&text, Encoding::default()).tokens <= 60);
        assert_eq!(written(&facts, &marked, Rooms { missing: 12, record: 0 }, Encoding::default()), None);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = recorded(&facts(), 1000).unwrap();
        insta::assert_snapshot!(text, @"
        [Record of the work in messages that are left out]
        Still in force:
        - mode: code
        Plan:
        - [x] Mend the parser
        - [-] Write a test
        - Tell the user
        Plan, last changed before a commit and what the user said behind it:
        - [ ] Look at it
        The plan that was agreed on:
        - 1. Read the grammar first
        Checks, how each ended the last time:
        - npm test → Tests 3 failed | 12 passed
        - npm run lint → 0 errors (files changed since)
        Failed, and not seen to work since:
        - Bash cargo build → error: no such file
        - Bash make → a.c:1:1: error: no x (files changed since)
        Files changed:
        - src/parser (old).ts (edited 3 times)
        The user said:
        - Please mend the parser, it is broken
        The assistant said:
        - The parser is mended, but a test fails
        Failed once, and worked later:
        - Edit src/a.ts → String to replace not found
        Looked for, and not found or not shown:
        - Read src/nosuch.ts → File does not exist
        Names in what is left out:
        - parse_due_date
        ");
        assert_eq!(read(&text), facts());
        assert!(is_record(&text));
        let behind = format!("A summary.\n\n{text}");
        assert_eq!((is_record(&behind), record_behind(&behind)), (false, Some(text.as_str())));
        assert_eq!(recorded(&[], 1000), None);
    }

    #[test]
    fn what_is_too_long_keeps_no_older_one_out() {
        let long = "many words ".repeat(30);
        let facts = [Fact::Asked("Mend the parser".into()), Fact::Asked(long), Fact::Asked("And the tests".into())];
        let text = recorded(&facts, 60).unwrap();
        assert_eq!(read(&text), [facts[0].clone(), facts[2].clone()]);
    }

    proptest! {
        #[test]
        fn it_has_room(room in 0_usize..200, count in 0_usize..60) {
            let facts: Vec<Fact> = (0..count).map(|index| Fact::Asked(format!("The user says number {index:02} of many words"))).collect();
            if let Some(text) = recorded(&facts, room) {
                prop_assert!(count_inside(&text, Encoding::default()).tokens <= room);
                let told = read(&text);
                prop_assert_eq!(&told[..], &facts[count - told.len()..], "the newest, in order");
            }
        }
    }
}
