//! An index of names: which ones stood in what is left out, by where each stood last, so that a reader knows where to look again.

use std::collections::HashSet;

use crate::{
    conversation::on_line,
    markers::{
        LOG_HEADING,
        log::{Mark, Quotation},
    },
    tokens::{Encoding, count_inside},
};

/// The first line of the entry that the index is.
pub const INDEX: &str = "Names in what is left out:";

/// A name that can no longer be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutName {
    /// The name.
    pub name: String,
    /// The file, command or other source that it stood in last; empty where that has no name.
    pub of: String,
}

/// Characters of a command or another source that is no path.
const SOURCE: usize = 48;

/// The last parts of a path that tell which file it is. A name in the index is worth less than the room of a long path.
const PARTS: usize = 3;

/// What names stood in that no call has answered.
const WORDS: &str = "what was said";

/// A line of the index.
struct Line<'n> {
    /// What its names stood in.
    of: &'n str,
    /// As a reader sees it.
    source: String,
    /// Tokens of that.
    cost: usize,
    names: Vec<&'n str>,
}

impl Line<'_> {
    fn text(self) -> String {
        if self.names.is_empty() { self.source } else { format!("{}: {}", self.source, self.names.join(", ")) }
    }
}

/// The first of these names that have room, a line for each source, with the head of a log and of the index.
pub fn index_of(names: &[LeftOutName], room: usize, encoding: Encoding) -> Vec<Quotation> {
    let tokens = |text: &str| count_inside(text, encoding).tokens + 1;
    let mut left = room.saturating_sub(tokens(LOG_HEADING) + tokens(INDEX));
    let mut lines: Vec<Line<'_>> = Vec::new();
    let prose = Prose::in_names(names);
    for LeftOutName { name, of } in names {
        if is_context_line(name) || prose.has(name, of) || is_data(name) {
            continue;
        }
        // A path that is likely to be used again is told as a whole.
        let is_whole = is_path(of) && of.contains(name.as_str());
        let short = source(of);
        let same = lines.iter().position(|line| line.of == of);
        // What looks alike in the list, as two commands with the same beginning do, is one line of it.
        let known = same.or_else(|| lines.iter().position(|line| !is_whole && line.source == short));
        let (source, cost) = match known {
            Some(at) if !is_whole => (lines[at].source.clone(), lines[at].cost),
            _ => {
                let source = if is_whole { of.clone() } else { short };
                let cost = tokens(&source) + 3;
                (source, cost)
            }
        };
        if !is_whole && source.contains(name.as_str()) {
            continue;
        }
        let of_name = if is_whole { 0 } else { tokens(name) };
        let of_source = cost.saturating_sub(known.map_or(0, |at| lines[at].cost));
        let Some(rest) = left.checked_sub(of_name + of_source) else { break };
        left = rest;
        let at = known.unwrap_or(lines.len());
        if known.is_none() {
            lines.push(Line { of, source: String::new(), cost: 0, names: Vec::new() });
        }
        (lines[at].source, lines[at].cost) = (source, cost);
        if !is_whole {
            lines[at].names.push(name);
        }
    }
    lines.into_iter().map(|line| Quotation::alone(Mark::Named, &line.text())).collect()
}

/// The first characters of a text on one line.
fn beginning(text: &str, characters: usize) -> String {
    let text = on_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
    text.char_indices().nth(characters).map_or(text.clone(), |(end, _)| text[..end].to_owned())
}

/// What names stood in, short enough for a list.
fn source(of: &str) -> String {
    if !is_path(of) {
        let shown = beginning(if of.is_empty() { WORDS } else { of }, SOURCE);
        return if shown.chars().count() < SOURCE || shown.ends_with('…') { shown } else { format!("{shown}…") };
    }
    let start = of.rmatch_indices('/').nth(PARTS - 1).map_or(0, |(at, _)| at);
    if start > 0 { format!("…{}", &of[start..]) } else { of.to_owned() }
}

fn is_path(of: &str) -> bool {
    of.contains('/') && !of.contains(char::is_whitespace)
}

/// Whether a name is a path with the number of a line beside a hit, as `grep -A` writes it: `src/day.ts-73`.
fn is_context_line(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = name.trim_end_matches(['-', '/']).rsplit_once('-').filter(|(_, number)| is_number(number));
    let extension = numbered.and_then(|(path, _)| path.rsplit(['/', '\\']).next()?.rsplit_once('.'));
    extension.is_some_and(|(_, extension)| (1..=5).contains(&extension.len()) && !is_number(extension))
}

/// Whether a name is a number, or a place in a dump, which begins with zeros, rather than a hash.
fn is_data(name: &str) -> bool {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    is_number || (name.starts_with("000") && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// What looks like two words with a slash between them, such as `and/or`, in prose, and is no part of a longer path: nobody looks for that again.
struct Prose<'n> {
    /// The parts of all longer paths that stand next to each other.
    in_paths: HashSet<(&'n str, &'n str)>,
}

impl<'n> Prose<'n> {
    fn in_names(names: &'n [LeftOutName]) -> Self {
        let mut in_paths = HashSet::new();
        for path in names.iter().flat_map(|LeftOutName { name, of }| [name.as_str(), of.as_str()]) {
            let parts = || path.split('/');
            if parts().nth(2).is_some() {
                in_paths.extend(parts().zip(parts().skip(1)));
            }
        }
        Self { in_paths }
    }

    fn has(&self, name: &str, of: &str) -> bool {
        let is_prose = of.is_empty() || [".md", ".mdx", ".rst", ".txt"].iter().any(|extension| of.ends_with(extension));
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let words = name.split_once('/').filter(|(one, other)| is_word(one) && is_word(other));
        words.is_some_and(|words| is_prose && !self.in_paths.contains(&words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_tokens() -> usize {
        [LOG_HEADING, INDEX].iter().map(|text| count_inside(text, Encoding::default()).tokens + 1).sum()
    }

    fn name(name: &str, of: &str) -> LeftOutName {
        LeftOutName { name: name.to_owned(), of: of.to_owned() }
    }

    fn lines(names: &[LeftOutName], room: usize) -> Vec<String> {
        let lines = index_of(names, room, Encoding::default());
        lines.into_iter().map(|line| line.text).collect()
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
            name("src/hooks.go-952-/", "grep"),
            name("and/or", "docs/a.md"),
            name("Write/Edit", "docs/a.md"),
            name("and/or", ""),
            name("origin/main", "git status"),
            name("src/record", "ls src"),
            name("/p/src/record/text", "ls src"),
            name("0000020", "od a"),
            name("0000a3f0", "xxd a"),
        ];
        assert_eq!(
            lines(&names, 100),
            [
                "src/day.ts: parseDay, isLeapYear",
                "what was said: format_week",
                "npm test: runAll",
                "git status: origin/main",
                "ls src: src/record, /p/src/record/text"
            ]
        );
        assert_eq!(lines(&names, head_tokens() + 11), ["src/day.ts: parseDay"]);
        assert!(lines(&names, 5).is_empty());
    }

    #[test]
    fn long_paths_are_told_by_their_end_and_whole_where_they_are_likely_themselves() {
        let path = "/home/mara/tidemark/packages/core/src/day.ts";
        let of_path = |of: &str| [name("parseDay", of), name("formatDay", of)];
        assert_eq!(lines(&of_path(path), 100), ["…/core/src/day.ts: parseDay, formatDay"]);
        let both = [name("parseDay", path), name(path, path), name("formatDay", path)];
        assert_eq!(lines(&both, 100), [format!("{path}: parseDay, formatDay")]);
        assert_eq!(lines(&[name(path, path)], 100), [path]);
        let elsewhere = "/srv/tidemark/packages/core/src/day.ts";
        assert_eq!(
            lines(&[name("parseDay", path), name("formatDay", elsewhere)], 100),
            ["…/core/src/day.ts: parseDay, formatDay"]
        );
        assert_eq!(lines(&[name("5717497", "ls"), name("df4c638f", "ls")], 100), ["ls: df4c638f"]);
        let command = "npm run build -- --with-a-long-option=of-something --and-another";
        assert_eq!(
            lines(&[name("runAll", command)], 100),
            ["npm run build -- --with-a-long-option=of-somethi…: runAll"]
        );
    }

    #[test]
    fn the_index_has_no_more_tokens_than_its_room() {
        let names: Vec<LeftOutName> =
            (0..200).map(|at| name(&format!("someName{at}"), &format!("src/f{}.ts", at % 17))).collect();
        for room in (0..600).step_by(37) {
            let told = lines(&names, room);
            let tokens: usize =
                told.iter().map(|line| count_inside(&format!("- {line}\n"), Encoding::default()).tokens).sum();
            assert!(tokens == 0 || tokens + head_tokens() <= room, "{tokens} of {room}");
        }
    }
}
