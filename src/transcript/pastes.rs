//! Finds the pastes in a user's text: lists, logs, traces, JSON and code. Structure decides, not length: fences, and
//! runs of lines that are not sentences.

use crate::maps::HashMap;
use std::ops::Range;

/// A run with fewer lines and fewer bytes counts as part of the words around it, because cutting it would save little.
const MIN_LINES: usize = 6;
const MIN_BYTES: usize = 600;

/// A run of at least this many items is a paste: people write shorter lists themselves.
const MIN_ITEMS: usize = 12;

/// Number of consecutive words, separated only by blanks, that make a sentence.
const SENTENCE_WORDS: usize = 3;

/// Number of consecutive letters that make a sentence in scripts without blanks between words.
const SENTENCE_LETTERS: usize = 4;

/// A line with this indentation is not a sentence: it is code, or a frame of a trace.
const INDENT: usize = 4;

/// A longer line is not a record unless it is in brackets, because a paragraph on one line may begin with a number.
const RECORD_BYTES: usize = 300;

/// The shape of a line by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Blank,
    /// Has consecutive words.
    Sentence,
    /// Begins like an item of a list.
    Item,
    /// None of these: code, a record, a row of a table.
    Record,
}

/// A line of a text, with its line break.
#[derive(Debug, Clone)]
struct Line {
    range: Range<usize>,
    shape: Shape,
}

/// Returns the pastes in a user's text, in order. Linear in its length.
pub(super) fn pastes(text: &str) -> Vec<Range<usize>> {
    if text.len() < MIN_BYTES && memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1 < MIN_LINES {
        return Vec::new();
    }
    let lines = lines(text);
    let mut found = Vec::new();
    let mut from = 0;
    for fenced in fences(text, &lines) {
        runs(&lines[from..fenced.start], &mut found);
        from = fenced.end;
        push(&lines[fenced], MIN_LINES, &mut found);
    }
    runs(&lines[from..], &mut found);
    found
}

fn lines(text: &str) -> Vec<Line> {
    let mut start = 0;
    let mut lines: Vec<Line> = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push(Line { range: start..start + line.len(), shape: shape(line) });
        start += line.len();
    }
    again(text, &mut lines);
    repeats(text, &mut lines);
    short_lists(&mut lines);
    lines
}

fn shape(line: &str) -> Shape {
    let trimmed = line.trim();
    let indent = line.len() - line.trim_start().len();
    if trimmed.is_empty() {
        Shape::Blank
    } else if is_item(trimmed) {
        Shape::Item
    } else if indent >= INDENT || line.starts_with('\t') || is_marked(trimmed) || !has_sentence(trimmed) {
        Shape::Record
    } else {
        Shape::Sentence
    }
}

/// Returns true for `- x`, `* x`, `+ x`, `• x`, `12. x`, `12) x`.
fn is_item(line: &str) -> bool {
    let digits = line.len() - line.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•']),
        1..=4 => line[digits..].strip_prefix(['.', ')']),
        _ => None,
    };
    rest.is_some_and(|rest| rest.starts_with(' '))
}

/// Returns true if a line begins or ends with a bracket, a digit or an operator, as code and records do, but sentences
/// hardly ever.
fn is_marked(line: &str) -> bool {
    const BEGINS: &str = "{}[]<>|\\/@$%&=+~^;:,.";
    const ENDS: &str = "{}[;=<>|\\&";
    let is_record = line.starts_with(|first: char| first.is_ascii_digit() || BEGINS.contains(first))
        || line.ends_with(|last: char| ENDS.contains(last));
    is_record && (line.len() <= RECORD_BYTES || line.starts_with(['{', '[', '<', '|']))
}

/// Returns true if a line contains consecutive words, consists only of words, or begins and ends like a sentence.
fn has_sentence(line: &str) -> bool {
    let (mut words, mut all) = (0, 0);
    for word in line.split(' ') {
        all += 1;
        words = if is_word(word) { words + 1 } else { 0 };
        if words == SENTENCE_WORDS {
            return true;
        }
    }
    let is_framed =
        line.starts_with(char::is_uppercase) && line.ends_with(['.', '!', '?', ':']) && all >= SENTENCE_WORDS;
    words == all || is_framed || has_letters_in_a_row(line)
}

/// Returns true for letters, possibly joined by an apostrophe or hyphen and surrounded by punctuation, and for code
/// in backticks, which people use within sentences.
fn is_word(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '"', '“', '«', '‘', '\'', '*']);
    let word = word.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '"', '”', '»', '’', '\'', '*', '…']);
    word.starts_with('`')
        || word.ends_with('`')
        || !word.is_empty() && word.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '\'' | '’' | '-'))
}

/// Returns true for consecutive letters in Chinese, Japanese or Thai, which do not separate words.
fn has_letters_in_a_row(line: &str) -> bool {
    let is_unparted = |letter: char| {
        letter.is_alphabetic()
            && matches!(letter, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
    };
    let mut letters = 0;
    line.chars().any(|letter| {
        letters = if is_unparted(letter) { letters + 1 } else { 0 };
        letters == SENTENCE_LETTERS
    })
}

/// Turns lines that occur a dozen times word for word into records, because people do not write like this.
fn again(text: &str, lines: &mut [Line]) {
    let mut times: HashMap<&str, usize> = HashMap::default();
    for line in lines.iter().filter(|line| line.shape == Shape::Sentence) {
        *times.entry(text[line.range.clone()].trim()).or_default() += 1;
    }
    let is_record =
        |line: &&mut Line| line.shape == Shape::Sentence && times[text[line.range.clone()].trim()] >= MIN_ITEMS;
    lines.iter_mut().filter(is_record).for_each(|line| line.shape = Shape::Record);
}

/// Turns lines that begin with the same word as the line before into items: the records of a log begin with their
/// level.
fn repeats(text: &str, lines: &mut [Line]) {
    let first = |line: &Line| text[line.range.clone()].split_whitespace().next().unwrap_or_default();
    let mut from = 0;
    for at in 1..=lines.len() {
        let goes_on = at < lines.len() && lines[at].shape != Shape::Blank && first(&lines[at]) == first(&lines[from]);
        if !goes_on {
            if at - from >= MIN_ITEMS {
                lines[from..at]
                    .iter_mut()
                    .filter(|line| line.shape == Shape::Sentence)
                    .for_each(|line| line.shape = Shape::Item);
            }
            from = at;
        }
    }
}

/// Turns the items of a short list into sentences.
fn short_lists(lines: &mut [Line]) {
    for list in lines.chunk_by_mut(|one, next| one.shape == next.shape) {
        if list[0].shape == Shape::Item && list.len() < MIN_ITEMS {
            list.iter_mut().for_each(|line| line.shape = Shape::Sentence);
        }
    }
}

/// Returns the blocks between fences of backticks or tildes, by their lines. An unclosed fence does not count.
fn fences(text: &str, lines: &[Line]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        let line = text[line.range.clone()].trim();
        let Some(sign) = line.chars().next().filter(|sign| matches!(sign, '`' | '~')) else { continue };
        let signs = line.len() - line.trim_start_matches(sign).len();
        match open {
            Some((start, of, least)) if of == sign && signs >= least && signs == line.len() => {
                found.push(start..at + 1);
                open = None;
            }
            None if signs >= 3 => open = Some((at, sign, signs)),
            _ => {}
        }
    }
    found
}

/// Returns the runs of lines that are not sentences.
fn runs(lines: &[Line], found: &mut Vec<Range<usize>>) {
    for run in lines.split(|line| line.shape == Shape::Sentence) {
        let blanks = run.iter().take_while(|line| line.shape == Shape::Blank).count();
        let end = run.iter().rposition(|line| line.shape != Shape::Blank).map_or(blanks, |last| last + 1);
        let run = &run[blanks..end];
        let is_list = run.iter().all(|line| line.shape != Shape::Record);
        push(run, if is_list { MIN_ITEMS } else { MIN_LINES }, found);
    }
}

fn push(run: &[Line], least: usize, found: &mut Vec<Range<usize>>) {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
    let range = first.range.start..last.range.end;
    let is_list = least == MIN_ITEMS;
    if run.iter().filter(|line| line.shape != Shape::Blank).count() >= least || (range.len() >= MIN_BYTES && !is_list) {
        found.push(range);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pasted(text: &str) -> Vec<&str> {
        pastes(text).into_iter().map(|range| text[range].trim_end()).collect()
    }

    fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
        (0..count).map(row).collect::<Vec<_>>().join("\n")
    }

    /// Writes lines of one kind, given their number.
    type Kind = fn(usize) -> String;

    const KINDS: [(&str, Kind); 8] = [
        ("list", |i| format!("- alpha number {i}: use the helper alpha_{i} for case {i}")),
        ("log", |i| format!("2026-11-26T15:{i}:01 alpha worker[{i}] the request has been taken after {i} ms")),
        ("levels", |i| format!("INFO Starting the web server for the {i}th time")),
        ("json", |i| format!("  \"alpha_{i}\": {{ \"id\": {i}, \"kind\": \"x\" }},")),
        ("trace", |i| format!("    at alpha{i} (/repo/src/m{i}.ts:{i}:3)")),
        ("code", |i| format!("const alpha_{i} = load(\"alpha\", {i});")),
        ("tests", |i| format!("test_api.py::test_{i} FAILED [ {i}%]")),
        ("table", |i| format!("| alpha {i} | the number of the row | {i} |")),
    ];

    #[test]
    fn pastes_of_every_kind_are_told_from_the_words_between_them() {
        let words = [
            "Never touch the table payments; it belongs to team Blue.",
            "Ne touche jamais à la table payments ; elle est à l'équipe bleue.",
            "绝对不要修改 payments 表,它属于蓝队。",
            "Always run `npm test` first,\nand then wait for me.",
            "- Never push.\n- Use tabs.\n- Ask me before you delete anything.",
        ];
        for (kind, row) in KINDS {
            for words in words {
                for (open, close) in [("", ""), ("```\n", "\n```"), ("~~~~ts\n", "\n~~~~")] {
                    let paste = format!("{open}{}{close}", rows(20, row));
                    let text = format!("Here is the log:\n{paste}\n\n{words}\n\nAnd the second one:\n{paste}");
                    let is_list_beside = kind == "list" && words.starts_with('-') && open.is_empty();
                    if is_list_beside {
                        continue;
                    }
                    assert_eq!(pasted(&text), [&*paste, &*paste], "{kind} {words}");
                }
            }
        }
    }

    #[test]
    fn lines_that_stand_a_dozen_times_are_pasted() {
        let trace = rows(12, |_| "TypeError: x is undefined\n  in foo".to_owned());
        assert_eq!(pasted(&format!("Please fix this:\n{trace}\nbut only on Linux, not on a Mac.")), [trace]);
        let few = rows(MIN_ITEMS - 1, |i| format!("Say it once more, please.\nThis is the request {i}."));
        assert_eq!(pasted(&few), Vec::<&str>::new());
    }

    #[test]
    fn what_somebody_writes_is_no_paste() {
        let list = rows(MIN_ITEMS - 1, |i| format!("{i}. Never do the thing with the number {i}."));
        let order = ["First", "Then", "After that"];
        let prose = rows(40, |i| format!("{} I would like you to keep {i} of the old names.", order[i % 3]));
        for text in
            ["", "Fix it.", "Use `a`.\n```\nx\n```\nThanks.", &list, &prose, "```\nnever closed, but said by me\n"]
        {
            assert_eq!(pasted(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn code_with_blank_lines_and_comments_is_one_paste() {
        let code =
            "fn a() {\n    // Adds one to the number of things.\n    let x = 1;\n}\n\n#[test]\nfn b() {\n    a();\n}";
        assert_eq!(pasted(&format!("Why does this fail?\n\n{code}\n\nTell me what you think.")), [code]);
    }

    #[test]
    fn a_line_of_a_whole_file_is_one() {
        let line = format!("{{{}}}", rows(200, |i| format!("\"a{i}\":{i}")).replace('\n', ","));
        assert_eq!(pasted(&format!("Look at this:\n{line}\nWhat is wrong with it?")), [line]);
    }
}
