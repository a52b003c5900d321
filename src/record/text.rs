//! The record as text, and read again: headings, and a line for each fact.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::facts::{Fact, ItemState};
use crate::tokens::{Encoding, count_inside};

/// Its first line.
const HEAD: &str = "[Record of the work in messages that are left out]";

static HEAD_FINDER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(HEAD));

/// The headings, in the order in which they stand. What is under the first is told first when room is short.
const HEADINGS: [&str; 7] = [
    "Plan:",
    "Checks, how each ended the last time:",
    "Failed, and not seen to work since:",
    "Files changed:",
    "The user said:",
    "The assistant said:",
    "Failed once, and worked later:",
];

/// Of the room that is left, the share that each of them may have before the others had theirs.
const SHARES: [f64; 7] = [0.4, 0.4, 0.3, 0.35, 0.5, 0.8, 1.0];

/// What reports call them.
const NAMES: [&str; HEADINGS.len()] = ["plan", "checks", "failed", "changed", "said", "answered", "mended"];

/// A line of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Told {
    heading: usize,
    line: String,
}

impl Told {
    /// What it is about, in one word: `plan`, `checks`, `failed`, `changed`, `said`, `answered` or `mended`.
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

/// Whether a text is a record, and nothing else.
#[must_use]
pub fn is_record(text: &str) -> bool {
    text.starts_with(HEAD)
}

fn heading(fact: &Fact) -> usize {
    match fact {
        Fact::Plan { .. } => 0,
        Fact::Check { .. } => 1,
        Fact::Failed { .. } => 2,
        Fact::Changed { .. } => 3,
        Fact::Asked(_) => 4,
        Fact::Answered(_) => 5,
        Fact::Mended { .. } => 6,
    }
}

fn line(fact: &Fact) -> String {
    match fact {
        Fact::Plan { item, state } => match state {
            Some(ItemState::Done) => format!("- [x] {item}"),
            Some(ItemState::UnderWay) => format!("- [-] {item}"),
            Some(ItemState::Open) => format!("- [ ] {item}"),
            None => format!("- {item}"),
        },
        Fact::Check { command, verdict } => format!("- {command} → {verdict}"),
        Fact::Failed { call, line } | Fact::Mended { call, line } => format!("- {call} → {line}"),
        Fact::Changed { path, how } => format!("- {path} ({how})"),
        Fact::Asked(text) | Fact::Answered(text) => format!("- {text}"),
    }
}

/// The record of these facts within `room` tokens: of each kind the newest, in their order. `None` when there is nothing to say, or no room for it.
pub fn written(facts: &[Fact], room: usize, encoding: Encoding) -> Option<String> {
    let tokens = |text: &str| count_inside(text, encoding).tokens + 1;
    let mut left = room.checked_sub(tokens(HEAD))?;
    let lines: Vec<String> = facts.iter().map(line).collect();
    let mut taken = vec![false; facts.len()];
    let mut used = [false; HEADINGS.len()];
    // First each kind has its share, then whoever comes first what is over.
    for shares in [SHARES, [1.0; HEADINGS.len()]] {
        for (kind, share) in shares.into_iter().enumerate() {
            let mut of_kind = (left as f64 * share) as usize;
            for index in (0..facts.len()).rev().filter(|index| heading(&facts[*index]) == kind) {
                let is_said = lines.iter().zip(&taken).any(|(line, taken)| *taken && *line == lines[index]);
                if taken[index] || is_said {
                    continue;
                }
                let cost = tokens(&lines[index]) + if used[kind] { 0 } else { tokens(HEADINGS[kind]) };
                let Some(rest) = of_kind.checked_sub(cost) else { break };
                (of_kind, left) = (rest, left - cost);
                (taken[index], used[kind]) = (true, true);
            }
        }
    }
    let mut text = HEAD.to_owned();
    for (kind, heading_of_kind) in HEADINGS.iter().enumerate().filter(|(kind, _)| used[*kind]) {
        text.push('\n');
        text.push_str(heading_of_kind);
        let of_kind = (0..facts.len()).filter(|index| taken[*index] && heading(&facts[*index]) == kind);
        of_kind.for_each(|index| {
            text.push('\n');
            text.push_str(&lines[index]);
        });
    }
    used.contains(&true).then_some(text)
}

/// The facts of the record in a text; none when there is none. What a line says and nobody wrote is told on as it is.
pub fn read(text: &str) -> Vec<Fact> {
    told(text).iter().filter_map(|told| fact(told.heading, told.line.strip_prefix("- ")?)).collect()
}

/// The lines of the record in a text.
pub fn told(text: &str) -> Vec<Told> {
    let Some(at) = HEAD_FINDER.find(text.as_bytes()) else { return Vec::new() };
    let mut heading = None;
    let mut lines = Vec::new();
    for line in text[at..].lines().skip(1) {
        if let Some(known) = HEADINGS.iter().position(|heading| *heading == line) {
            heading = Some(known);
            continue;
        }
        let Some(heading) = heading.filter(|_| line.starts_with("- ")) else { break };
        lines.push(Told { heading, line: line.to_owned() });
    }
    lines
}

fn fact(kind: usize, line: &str) -> Option<Fact> {
    let pair = || line.split_once(" → ").map(|(one, other)| (one.to_owned(), other.to_owned()));
    Some(match kind {
        0 => {
            let states = [("[x] ", ItemState::Done), ("[-] ", ItemState::UnderWay), ("[ ] ", ItemState::Open)];
            let found = states.iter().find_map(|(mark, state)| Some((line.strip_prefix(mark)?, *state)));
            Fact::Plan { item: found.map_or(line, |(item, _)| item).to_owned(), state: found.map(|(_, state)| state) }
        }
        1 => pair().map(|(command, verdict)| Fact::Check { command, verdict })?,
        2 => pair().map(|(call, line)| Fact::Failed { call, line })?,
        3 => {
            let (path, how) = line.strip_suffix(')')?.rsplit_once(" (")?;
            Fact::Changed { path: path.to_owned(), how: how.to_owned() }
        }
        4 => Fact::Asked(line.to_owned()),
        5 => Fact::Answered(line.to_owned()),
        _ => pair().map(|(call, line)| Fact::Mended { call, line })?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn facts() -> Vec<Fact> {
        vec![
            Fact::Plan { item: "Mend the parser".into(), state: Some(ItemState::Done) },
            Fact::Plan { item: "Write a test".into(), state: Some(ItemState::UnderWay) },
            Fact::Plan { item: "Tell the user".into(), state: None },
            Fact::Check { command: "npm test".into(), verdict: "Tests 3 failed | 12 passed".into() },
            Fact::Failed { call: "Bash cargo build".into(), line: "error: no such file".into() },
            Fact::Changed { path: "src/parser (old).ts".into(), how: "edited 3 times".into() },
            Fact::Asked("Please mend the parser, it is broken".into()),
            Fact::Answered("The parser is mended, but a test fails".into()),
            Fact::Mended { call: "Edit src/a.ts".into(), line: "String to replace not found".into() },
        ]
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = written(&facts(), 1000, Encoding::default()).unwrap();
        insta::assert_snapshot!(text, @"
        [Record of the work in messages that are left out]
        Plan:
        - [x] Mend the parser
        - [-] Write a test
        - Tell the user
        Checks, how each ended the last time:
        - npm test → Tests 3 failed | 12 passed
        Failed, and not seen to work since:
        - Bash cargo build → error: no such file
        Files changed:
        - src/parser (old).ts (edited 3 times)
        The user said:
        - Please mend the parser, it is broken
        The assistant said:
        - The parser is mended, but a test fails
        Failed once, and worked later:
        - Edit src/a.ts → String to replace not found
        ");
        assert_eq!(read(&format!("A summary.\n\n{text}\n\nMore words.")), facts());
        assert_eq!(read("no record"), []);
        assert_eq!(written(&[], 1000, Encoding::default()), None);
    }

    proptest! {
        #[test]
        fn it_has_room(room in 0_usize..200, count in 0_usize..60) {
            let facts: Vec<Fact> = (0..count).map(|index| Fact::Asked(format!("The user says number {index} of many words"))).collect();
            if let Some(text) = written(&facts, room, Encoding::default()) {
                prop_assert!(count_inside(&text, Encoding::default()).tokens <= room);
                let told = read(&text);
                prop_assert_eq!(&told[..], &facts[count - told.len()..], "the newest, in order");
            }
        }
    }
}
