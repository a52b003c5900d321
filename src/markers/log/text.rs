//! A log as text, and read again.

use std::{collections::HashSet, fmt::Write as _};

use crate::{conversation::on_line, markers::LOG_HEADING};

/// What every line of an entry but its first begins with.
const INDENT: &str = "  ";

/// What a quoted line is of the entry that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// What somebody said.
    Said,
    /// What a call was given.
    Given,
    /// What a call wrote, or put in the place of something.
    Added,
    /// What a call put something in the place of.
    Removed,
    /// What was answered.
    Answered,
    /// What was answered with the flag of an error.
    Failed,
    /// Names that stood there, each for itself.
    Named,
}

impl Mark {
    const ALL: [Self; 7] =
        [Self::Named, Self::Given, Self::Added, Self::Removed, Self::Answered, Self::Failed, Self::Said];

    /// What stands before the quote.
    fn sign(self) -> &'static str {
        match self {
            Self::Said => "",
            Self::Given => "| ",
            Self::Added => "+ ",
            Self::Removed => "- ",
            Self::Answered => "→ ",
            Self::Failed => "! ",
            Self::Named => "… ",
        }
    }

    /// What a line of an entry, without its indentation, is.
    #[must_use]
    pub fn of(line: &str) -> Self {
        Self::ALL.into_iter().find(|mark| line.starts_with(mark.sign())).unwrap_or(Self::Said)
    }
}

/// A line that is quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotation {
    /// What it is.
    pub mark: Mark,
    /// The line.
    pub text: String,
    /// It stands right behind the one before, where both come from.
    pub follows: bool,
}

impl Quotation {
    /// Of a line that stands by itself: on one line, whatever it holds.
    #[must_use]
    pub fn alone(mark: Mark, text: &str) -> Self {
        let text = if matches!(mark, Mark::Added | Mark::Removed) { text.trim_end() } else { text.trim() };
        Self { mark, text: on_line(text), follows: false }
    }
}

/// The parts of a path that tell which file it is to somebody who has read it.
const PARTS: usize = 2;

/// A head in which a path that stood in an earlier one is told by its end.
fn shortened(head: &str, paths: &mut HashSet<String>) -> String {
    let end_of = |word: &str| {
        let start = word.rmatch_indices('/').nth(PARTS - 1).map(|(at, _)| at)?;
        (start > 4 && word.starts_with('/')).then(|| format!("…{}", &word[start..]))
    };
    let words = head.split(' ').map(|word| match end_of(word) {
        Some(end) if !paths.insert(word.to_owned()) => end,
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What stands behind the number of lines that follow word for word.
const LINES: &str = " lines:";
/// The same of lines that follow behind [`DEEPER`], because one of them looks like a line of a log.
const INDENTED_LINES: &str = " indented lines:";

/// The blanks before each of them.
const DEEPER: &str = "    ";

/// The number of lines that follow word for word, and what stands before each, if that is what a quote says.
fn lines_below(quote: &str) -> Option<(usize, &'static str)> {
    let (digits, before) = match quote.strip_suffix(INDENTED_LINES) {
        Some(digits) => (digits, DEEPER),
        None => (quote.strip_suffix(LINES)?, ""),
    };
    // `parse` takes a sign too.
    let is_number = digits.len() < 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Some((digits.parse().ok()?, before)) } else { None }
}

/// The first word of a line: in the head of an entry, what was called.
fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Whether a line could be taken for one of a log where nothing stands before it: its heading, the head of an entry, or a quote. `is_called` says what heads
/// begin with.
fn looks_like_ours(line: &str, is_called: impl Fn(&str) -> bool) -> bool {
    let is_quote = || line.strip_prefix(INDENT).is_some_and(|quote| Mark::of(quote) != Mark::Said);
    let is_head = || {
        !line.starts_with(char::is_whitespace) && (SPEAKERS.contains(&first_word(line)) || is_called(first_word(line)))
    };
    line.trim_start().starts_with(LOG_HEADING) || is_head() || is_quote()
}

/// The first lines of entries of words.
const SPEAKERS: [&str; 2] = ["Assistant:", "User:"];

/// An entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEntry {
    /// Who spoke, or what was called.
    pub head: String,
    /// Its quotes.
    pub quotes: Vec<Quotation>,
}

/// Whether a text is a log, and nothing else. Whoever pastes one and writes on keeps those words.
#[must_use]
pub fn is_log(text: &str) -> bool {
    read(text).is_some()
}

/// What a model says, with the headings of logs in it as plain words: what it copies or makes up is no log.
#[must_use]
pub fn without_headings(said: &str) -> String {
    said.replace(LOG_HEADING, LOG_HEADING.trim_matches(['[', ']']))
}

/// The entries of a log.
#[must_use]
pub fn entries(log: &str) -> Vec<LoggedEntry> {
    read(log).unwrap_or_default()
}

fn read(text: &str) -> Option<Vec<LoggedEntry>> {
    let mut lines = text.strip_prefix(LOG_HEADING)?.strip_prefix('\n')?.split('\n');
    let mut entries: Vec<LoggedEntry> = Vec::new();
    while let Some(line) = lines.next() {
        let Some(quote) = line.strip_prefix(INDENT) else {
            if line.trim().is_empty() || line == LOG_HEADING {
                return None;
            }
            entries.push(LoggedEntry { head: line.to_owned(), quotes: Vec::new() });
            continue;
        };
        let quotes = &mut entries.last_mut()?.quotes;
        let mark = Mark::of(quote);
        let quote = &quote[mark.sign().len()..];
        match lines_below(quote) {
            None if quote.trim().is_empty() => return None,
            None => quotes.push(Quotation { mark, text: quote.to_owned(), follows: false }),
            Some((count, before)) => {
                for index in 0..count {
                    let text = lines.next()?.strip_prefix(before)?.to_owned();
                    quotes.push(Quotation { mark, text, follows: index > 0 });
                }
            }
        }
    }
    (!entries.is_empty()).then_some(entries)
}

/// The log of these entries; `None` where there are none. Lines that follow each other stand below their number, word for word; whoever reads a log counts them,
/// so that nothing in them can pass for another entry; where one of them looks like a line of a log, which is where the name of a tool or of a caller in this
/// log begins it, they are indented.
#[must_use]
pub fn write<'e>(
    entries: impl IntoIterator<Item = (&'e str, &'e [Quotation])>,
    is_tool: impl Fn(&str) -> bool,
) -> Option<String> {
    let mut log = LOG_HEADING.to_owned();
    let mut is_empty = true;
    let mut paths = HashSet::new();
    let entries: Vec<_> = entries.into_iter().collect();
    let called: HashSet<String> = entries.iter().map(|(head, _)| on_line(first_word(head))).collect();
    let mut entries = entries.into_iter().peekable();
    // Writing into a string cannot fail.
    while let Some((head, quotes)) = entries.next() {
        is_empty = false;
        // The same again says it once.
        while quotes.is_empty() && entries.next_if(|(next, quotes)| *next == head && quotes.is_empty()).is_some() {}
        let head = shortened(on_line(head).trim(), &mut paths);
        let _ = write!(log, "\n{}", if head.is_empty() { "…" } else { &head });
        for run in quotes.chunk_by(|one, next| next.follows && one.mark == next.mark) {
            let [Quotation { mark, text, .. }, rest @ ..] = run else { continue };
            let sign = mark.sign();
            let is_plain = rest.is_empty()
                && lines_below(text).is_none()
                && !(*mark == Mark::Said && Mark::of(text) != Mark::Said);
            if is_plain && text.trim().is_empty() {
                continue;
            }
            if is_plain {
                let _ = write!(log, "\n{INDENT}{sign}{}", on_line(text));
                continue;
            }
            let is_ours = |text: &str| looks_like_ours(text, |word| called.contains(&on_line(word)) || is_tool(word));
            let is_indented = run.iter().any(|quote| is_ours(&quote.text));
            let (lines, before) = if is_indented { (INDENTED_LINES, DEEPER) } else { (LINES, "") };
            let _ = write!(log, "\n{INDENT}{sign}{}{lines}", run.len());
            for Quotation { text, .. } in run {
                let _ = write!(log, "\n{before}{}", text.replace(['\n', '\r'], " "));
            }
        }
    }
    (!is_empty).then_some(log)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn no_tool(_: &str) -> bool {
        false
    }

    fn any_mark() -> impl Strategy<Value = Mark> {
        prop::sample::select(Mark::ALL.to_vec())
    }

    fn quote(mark: Mark, text: &str, follows: bool) -> Quotation {
        Quotation { mark, text: text.to_owned(), follows }
    }

    #[test]
    fn a_log_is_what_it_says_from_beginning_to_end() {
        let ran =
            [Quotation::alone(Mark::Answered, " Tests  1 failed"), Quotation::alone(Mark::Failed, "ENOENT\nno file")];
        let edited = [
            quote(Mark::Removed, "\treturn 1", false),
            quote(Mark::Added, "\tif (a) {", false),
            quote(Mark::Added, "", true),
            quote(Mark::Added, "Bash rm -rf /", true),
        ];
        let said = [Quotation::alone(Mark::Said, "- I see 3 lines:"), Quotation::alone(Mark::Said, "3 lines:")];
        let log = write([("Bash npm test", &ran[..]), ("Edit a.ts", &edited), ("Assistant:", &said)], no_tool).unwrap();
        insta::assert_snapshot!(log, @"
        [Log of the messages left out here, in quotes]
        Bash npm test
          → Tests  1 failed
          ! ENOENT no file
        Edit a.ts
          - 	return 1
          + 3 indented lines:
            	if (a) {
            
            Bash rm -rf /
        Assistant:
          1 lines:
        - I see 3 lines:
          1 lines:
        3 lines:
        ");
        assert!(is_log(&log));
        let read = entries(&log);
        assert_eq!((read.len(), &read[1].quotes[..], &read[2].quotes[..]), (3, &edited[..], &said[..]));
        assert!(
            !is_log(&format!("Look:\n{log}")) && !is_log(&format!("{log}\n\nAnd do this.")) && !is_log(LOG_HEADING)
        );
        assert_eq!(write([], no_tool), None);
    }

    #[test]
    fn lines_that_look_like_a_log_are_indented_and_read_as_they_were() {
        for (ours, is_so) in [
            ("Edit b.ts", true),
            ("shell rm -rf /", true),
            ("Assistant:", true),
            ("  ! refused", true),
            (LOG_HEADING, true),
            ("Editor b.ts", false),
            ("  Edit b.ts", false),
            ("def f():", false),
        ] {
            let quotes = [quote(Mark::Added, "  a", false), quote(Mark::Added, ours, true)];
            let log = write([("Edit a.ts", &quotes[..])], |word| word == "shell").unwrap();
            let expected = if is_so {
                format!("2 indented lines:\n      a\n    {ours}")
            } else {
                format!("2 lines:\n  a\n{ours}")
            };
            assert_eq!(log, format!("{LOG_HEADING}\nEdit a.ts\n  + {expected}"));
            assert_eq!(entries(&log)[0].quotes, quotes);
        }
    }

    #[test]
    fn what_nobody_sees_is_written_in_lines_of_ours_and_stays_in_lines_that_are_word_for_word() {
        let hidden = "a\u{202e}b\u{200b}c";
        let quotes =
            [quote(Mark::Said, hidden, false), quote(Mark::Added, hidden, false), quote(Mark::Added, hidden, true)];
        let log = write([(hidden, &quotes[..])], no_tool).unwrap();
        let seen = "a<U+202E>b<U+200B>c";
        assert_eq!(log, format!("{LOG_HEADING}\n{seen}\n  {seen}\n  + 2 indented lines:\n    {hidden}\n    {hidden}"));
        let again = entries(&log);
        assert_eq!(write(again.iter().map(|entry| (entry.head.as_str(), &entry.quotes[..])), no_tool), Some(log));
    }

    #[test]
    fn a_path_is_told_in_full_once_and_then_by_its_end() {
        let heads = [
            "Read /home/mara/tidemark/src/day.ts",
            "Edit /home/mara/tidemark/src/day.ts",
            "Edit /home/mara/tidemark/src/week.ts",
            "Read /src/day.ts",
            "Edit /src/day.ts",
            "Read /lib/src/day.ts",
            "Edit /lib/src/day.ts",
            "Read packages/core/src/day.ts",
            "Edit packages/core/src/day.ts",
        ];
        let log = write(heads.map(|head| (head, &[][..])), no_tool).unwrap();
        let told: Vec<&str> = log.lines().skip(1).collect();
        let once = [heads[0], "Edit …/src/day.ts", heads[2]];
        assert_eq!(
            told,
            [&once[..], &heads[3..]].concat(),
            "what is short, or stands for itself alone, is told in full"
        );
    }

    #[test]
    fn what_happened_again_without_a_quote_is_told_once() {
        let quotes = [Quotation::alone(Mark::Answered, "ok")];
        let all =
            [("ls", &[][..]), ("ls", &[]), ("ls", &quotes), ("ls", &quotes), ("ls", &[]), ("pwd", &[]), ("ls", &[])];
        let log = write(all, no_tool).unwrap();
        assert_eq!(log.lines().skip(1).collect::<Vec<_>>(), ["ls", "ls", "  → ok", "ls", "  → ok", "ls", "pwd", "ls"]);
    }

    #[test]
    fn what_is_said_stays_on_its_line_and_code_keeps_its_indentation() {
        assert_eq!(Quotation::alone(Mark::Said, "  one \n").text, "one");
        for mark in [Mark::Added, Mark::Removed] {
            assert_eq!(Quotation::alone(mark, "  one \n").text, "  one");
        }
        assert_eq!(
            without_headings(&format!("{LOG_HEADING} it says")),
            "Log of the messages left out here, in quotes it says"
        );
    }

    #[test]
    fn what_no_log_says_makes_a_text_none() {
        for (text, is_one) in [
            ("ls\n  → ok", true),
            ("ls\n\n  → ok", false),
            ("ls\n  ", false),
            ("ls\n  → ", false),
            ("  → ok", false),
            ("ls\n  + 2 lines:\n\n  x", true),
            ("ls\n  + 2 lines:\nx", false),
            ("ls\n   lines:", true),
            ("ls\n  12345678 lines:", true),
            ("ls\n  | +5 lines:", true),
            (LOG_HEADING, false),
        ] {
            assert_eq!(is_log(&format!("{LOG_HEADING}\n{text}")), is_one, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            all in prop::collection::vec(("[A-Z][a-zA-Z0-9 é.:=-]{0,20}", prop::collection::vec((any_mark(), "[\\PC\t]{0,20}|[0-9] lines:|[0-9] indented lines:|Bash rm|  → ok|Assistant:", any::<bool>()), 0..6)), 1..5),
        ) {
            let all: Vec<(String, Vec<Quotation>)> = all
                .into_iter()
                .map(|(head, quotes)| {
                    let mut before = None;
                    let quotes = quotes.into_iter().map(|(mark, text, follows)| {
                        let text = on_line(&text);
                        let follows = follows && before == Some(mark);
                        before = Some(mark);
                        Quotation { mark, text, follows }
                    });
                    (head.trim().to_owned(), quotes.collect())
                })
                .collect();
            let log = write(all.iter().map(|(head, quotes)| (head.as_str(), &quotes[..])), no_tool).unwrap();
            prop_assert!(is_log(&log), "{log}");
            let again = entries(&log);
            prop_assert_eq!(write(again.iter().map(|entry| (entry.head.as_str(), &entry.quotes[..])), no_tool), Some(log));
            for (entry, (head, quotes)) in again.iter().zip(&all) {
                prop_assert_eq!(&entry.head, head);
                let said = |quotes: &[Quotation]| -> Vec<(Mark, String)> {
                    quotes.iter().filter(|quote| !quote.text.trim().is_empty()).map(|quote| (quote.mark, quote.text.clone())).collect()
                };
                prop_assert_eq!(said(&entry.quotes), said(quotes));
            }
        }
    }
}
