//! An index of names: which ones stood in what is left out, by where each stood last, so that a reader knows where to look again.

use super::{
    facts::{Fact, beginning},
    must::{Must, MustKind},
    text::head_tokens,
};
use crate::{
    salience::LeftOutName,
    tokens::{Encoding, count_inside},
};

/// Characters of what names stood in.
const SOURCE: usize = 80;

/// What names stood in that no call has answered.
const WORDS: &str = "what was said";

/// The first of these names that have room, a line for each source, with the head and the heading of a record.
pub fn index_of(names: &[LeftOutName], room: usize, encoding: Encoding) -> Vec<Must> {
    let tokens = |text: &str| count_inside(text, encoding).tokens + 1;
    let mut left = room.saturating_sub(head_tokens(encoding));
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for LeftOutName { name, of } in names {
        let source = beginning(if of.is_empty() { WORDS } else { of }, SOURCE);
        if source.contains(name.as_str()) || is_context_line(name) || is_prose(name) || is_offset(name) {
            continue;
        }
        let known = lines.iter().position(|(known, _)| *known == source);
        let cost = tokens(name) + if known.is_some() { 0 } else { tokens(&source) + 2 };
        let Some(rest) = left.checked_sub(cost) else { break };
        left = rest;
        match known {
            Some(line) => lines[line].1.push(name),
            None => lines.push((source, vec![name])),
        }
    }
    // A record takes the newest of a kind first, which is its last.
    let facts = lines.into_iter().rev().map(|(source, names)| Fact::Named(format!("{source}: {}", names.join(", "))));
    facts.map(|fact| Must::new(MustKind::Name, fact)).collect()
}

/// Whether a name is a path with the number of a line beside a hit, as `grep -A` writes it: `src/day.ts-73`.
fn is_context_line(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = name.trim_end_matches('-').rsplit_once('-').filter(|(_, number)| is_number(number));
    let extension = numbered.and_then(|(path, _)| path.rsplit(['/', '\\']).next()?.rsplit_once('.'));
    extension.is_some_and(|(_, extension)| (1..=5).contains(&extension.len()) && !is_number(extension))
}

/// Whether a name is a place in a dump, which begins with zeros, rather than a hash or the number of a run.
fn is_offset(name: &str) -> bool {
    name.starts_with("000") && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Words that a slash stands between in prose: nobody looks for them again.
const WORDS_OF_PROSE: [&str; 20] = [
    "and", "or", "he", "she", "his", "her", "him", "they", "yes", "no", "not", "on", "off", "in", "out", "up", "down",
    "true", "false", "with",
];

/// Whether a name is no path but words, such as `and/or`.
fn is_prose(name: &str) -> bool {
    name.split('/').all(|word| WORDS_OF_PROSE.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str, of: &str) -> LeftOutName {
        LeftOutName { name: name.to_owned(), of: of.to_owned() }
    }

    fn lines(names: &[LeftOutName], room: usize) -> Vec<String> {
        index_of(names, room, Encoding::default()).iter().rev().map(|must| must.text().to_owned()).collect()
    }

    #[test]
    fn names_stand_by_their_source_and_the_likeliest_have_the_room() {
        let names = [
            name("parseDay", "src/day.ts"),
            name("format_week", ""),
            name("isLeapYear", "src/day.ts"),
            name("src/day.ts", "src/day.ts"),
            name("runAll", "npm\n test"),
            name("src/week.ts-73", "grep"),
            name("/a/b.go-5-", "grep"),
            name("and/or", "docs/a.md"),
            name("0000020", "od a"),
            name("0000a3f0", "xxd a"),
        ];
        assert_eq!(
            lines(&names, 100),
            ["src/day.ts: parseDay, isLeapYear", "what was said: format_week", "npm test: runAll"]
        );
        assert_eq!(lines(&names, head_tokens(Encoding::default()) + 9), ["src/day.ts: parseDay"]);
        assert!(lines(&names, 5).is_empty());
    }

    #[test]
    fn the_index_has_no_more_tokens_than_its_room() {
        let names: Vec<LeftOutName> =
            (0..200).map(|at| name(&format!("someName{at}"), &format!("src/f{}.ts", at % 17))).collect();
        for room in (0..600).step_by(37) {
            let told = lines(&names, room);
            let tokens: usize =
                told.iter().map(|line| count_inside(&format!("- {line}\n"), Encoding::default()).tokens).sum();
            assert!(tokens == 0 || tokens + head_tokens(Encoding::default()) <= room, "{tokens} of {room}");
        }
    }
}
