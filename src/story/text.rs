//! Writes the story as text, and reads it back.

use std::borrow::Cow;

use crate::{
    conversation::on_line,
    maps::{HashMap, HashSet},
    markers::{LOG_HEADING, NoteLine},
    transcript::ToolTable,
};

/// The prefix of quoted lines, so that quoted text cannot be taken for the beginning of an entry. Blocks of added lines
/// have no prefix; [`Writer::written`] checks them instead.
const INDENT: &str = "  ";

/// The role of a quoted line in its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A speaker's words.
    Said,
    /// A parameter of a call.
    Given,
    /// Text that a call wrote, or put in place of other text.
    Added,
    /// Text that a call replaced.
    Removed,
    /// A line of the result.
    Answered,
    /// A line of a result that is marked as an error.
    Failed,
}

impl Mark {
    const ALL: [Self; 6] = [Self::Given, Self::Added, Self::Removed, Self::Answered, Self::Failed, Self::Said];

    /// Returns the sign before the quotation.
    fn sign(self) -> &'static str {
        match self {
            Self::Said => "",
            Self::Given => "| ",
            Self::Added => "+ ",
            Self::Removed => "- ",
            Self::Answered => "→ ",
            Self::Failed => "! ",
        }
    }

    /// Returns true for text that a call wrote or replaced. It keeps its indentation.
    fn is_code(self) -> bool {
        matches!(self, Self::Added | Self::Removed)
    }

    /// Reads the sign of a line without its indentation.
    fn read(line: &str) -> Self {
        Self::ALL.into_iter().find(|mark| line.starts_with(mark.sign())).unwrap_or(Self::Said)
    }
}

/// The head of entries with the user's words. No tool has such a name, because names with a colon are quoted.
pub const USER: &str = "User:";
/// The head of a log, list or code that the user pasted.
pub const PASTE: &str = "User (pasted):";
/// The head of an instruction in the middle of a conversation.
pub const SYSTEM: &str = "System:";
/// The head of the assistant's words.
pub const ASSISTANT: &str = "Assistant:";
/// The head of a summary of earlier messages.
pub const SUMMARY: &str = "Summary:";
/// The head of a notice from the host.
pub const NOTICE: &str = "Notice:";

/// Returns true if entries with this head contain words. Their lines have no sign, even if the text begins like one.
#[must_use]
pub fn is_speaker(head: &str) -> bool {
    [USER, PASTE, SYSTEM, ASSISTANT, SUMMARY, NOTICE].contains(&head)
}

/// A quoted line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotation<'t> {
    /// The role of the line.
    pub mark: Mark,
    /// The quoted line, which is part of a text unless it was changed.
    pub text: Cow<'t, str>,
}

impl<'t> Quotation<'t> {
    /// Creates a quotation of one line. Code keeps its indentation.
    #[must_use]
    pub fn new(mark: Mark, line: &'t str) -> Self {
        let line = if mark.is_code() { line.trim_end() } else { line.trim() };
        Self { mark, text: on_line(line) }
    }

    /// Returns a quotation of the part of this line that `part` returns.
    pub fn with(&self, part: impl Fn(&str) -> &str) -> Self {
        match &self.text {
            Cow::Borrowed(text) => Self::new(self.mark, part(text)),
            Cow::Owned(text) => Quotation::new(self.mark, part(text)).into_owned(),
        }
    }

    /// Returns the quotation with a copy of the text that it is part of.
    pub fn into_owned<'o>(self) -> Quotation<'o> {
        Quotation { mark: self.mark, text: Cow::Owned(self.text.into_owned()) }
    }

    /// Marks that lines are left out after this one.
    pub fn mark_gap(&mut self) {
        if !self.text.ends_with('…') {
            self.text.to_mut().push_str(" …");
        }
    }
}

/// Returns the quotable lines of a text, without markers. Pointers would not resolve from elsewhere, and notes refer to
/// their own place. In code, an ellipsis replaces them.
#[must_use]
pub fn quotes_of(mark: Mark, text: &str) -> Vec<Quotation<'_>> {
    each_quote(mark, text).collect()
}

/// Returns the same, line by line.
pub fn each_quote(mark: Mark, text: &str) -> impl Iterator<Item = Quotation<'_>> {
    // Progress bars use carriage returns to rewrite one line many times, so these also separate lines.
    let other = if mark.is_code() { b'\n' } else { b'\r' };
    let ends = memchr::memchr2_iter(b'\n', other, text.as_bytes()).chain(std::iter::once(text.len()));
    let mut start = 0;
    ends.filter_map(move |end| quote_of(mark, &text[std::mem::replace(&mut start, end + 1)..end]))
}

/// Returns the quotation of one line, if it is quotable.
#[must_use]
pub fn quote_of(mark: Mark, line: &str) -> Option<Quotation<'_>> {
    let said = line.trim();
    match NoteLine::read(said) {
        Some(_) => mark.is_code().then(|| Quotation::new(mark, "…")),
        None => (mark == Mark::Added || !said.is_empty()).then(|| Quotation::new(mark, line)),
    }
}

/// A speaker or a call, with quoted lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'t> {
    /// The first line, which names the speaker or the call.
    pub head: String,
    /// The quoted lines.
    pub quotes: Vec<Quotation<'t>>,
}

/// Number of parts at the end of a path that identify the file, once its folder was written in full.
const PARTS: usize = 2;

/// Shortens paths. A folder is written in full once. Later paths in it are written by their ends, as long as the end
/// belongs to one folder only.
#[derive(Default)]
pub struct Paths {
    folders: HashSet<String>,
    /// The folder that each end belongs to; `None` if several folders have it.
    ends: HashMap<String, Option<String>>,
}

impl Paths {
    /// Returns the head with its paths as short as earlier entries allow.
    pub fn shortened(&mut self, head: &str) -> String {
        head.split(' ').map(|word| self.path(word).unwrap_or_else(|| word.to_owned())).collect::<Vec<_>>().join(" ")
    }

    /// Returns the end of a path, if its folder was written in full before.
    fn path(&mut self, word: &str) -> Option<String> {
        let start = word.rmatch_indices('/').nth(PARTS - 1).map(|(at, _)| at)?;
        let (folder, _) = word.rsplit_once('/').filter(|_| start > 4 && word.starts_with('/'))?;
        let of_end = self.ends.entry(folder[start..].to_owned()).or_insert_with(|| Some(folder.to_owned()));
        if of_end.as_deref() != Some(folder) {
            *of_end = None;
        }
        let is_known = of_end.is_some() && !self.folders.insert(folder.to_owned());
        is_known.then(|| format!("…{}", &word[start..]))
    }
}

/// Returns the quoted text of a story's line that quotes a result, except an error.
#[must_use]
pub fn quoted_answer(line: &str) -> Option<&str> {
    line.strip_prefix(INDENT)?.strip_prefix(Mark::Answered.sign())
}

/// Returns true if a text is a story and nothing else.
#[must_use]
pub fn is_story(text: &str) -> bool {
    !entries(text).is_empty()
}

/// Returns a model's text with story headings turned into plain words. Otherwise, a copied or invented heading could
/// make the text a story.
#[must_use]
pub fn without_headings(said: &str) -> String {
    said.replace(LOG_HEADING, LOG_HEADING.trim_matches(['[', ']']))
}

/// Returns the entries of a story; empty if the text is not a story.
#[must_use]
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    read(text).unwrap_or_default()
}

/// The suffix of a quotation that states how many lines follow verbatim, such as `3 lines:`.
const LINES: &str = " lines:";

/// Returns the number of lines that follow verbatim, if a quotation states one.
fn lines_below(quote: &str) -> Option<usize> {
    let digits = quote.strip_suffix(LINES)?;
    // `parse` would also accept a plus sign.
    let is_number = digits.len() < 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

fn read(text: &str) -> Option<Vec<Entry<'_>>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut lines = text.strip_prefix(LOG_HEADING)?.strip_prefix('\n')?.split('\n');
    while let Some(line) = lines.next() {
        if line.trim().is_empty() || line == LOG_HEADING {
            return None;
        }
        let Some(quote) = line.strip_prefix(INDENT) else {
            entries.push(Entry { head: line.to_owned(), quotes: Vec::new() });
            continue;
        };
        let entry = entries.last_mut()?;
        let mark = if is_speaker(&entry.head) { Mark::Said } else { Mark::read(quote) };
        let quote = &quote[mark.sign().len()..];
        match lines_below(quote).filter(|_| mark == Mark::Added) {
            None => entry.quotes.push(Quotation { mark, text: quote.into() }),
            Some(count) => {
                for _ in 0..count {
                    entry.quotes.push(Quotation { mark, text: lines.next()?.into() });
                }
            }
        }
    }
    Some(entries)
}

/// Writes entries.
#[derive(Default)]
pub struct Writer {
    /// The first words of heads. No quoted line without indentation may begin with one.
    names: HashSet<String>,
    tools: ToolTable,
}

impl Writer {
    /// Creates a writer for stories whose heads begin with these names. Lines that begin with the name of one of these
    /// tools could be taken for heads, too.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>, tools: &ToolTable) -> Self {
        Self { names: names.filter_map(first_word).map(str::to_owned).collect(), tools: tools.clone() }
    }

    /// Writes an entry. Several lines that a call wrote are quoted verbatim, below their number, if none of them looks
    /// like a line of a story. All other lines are indented.
    pub fn written(&self, head: &str, quotes: &[Quotation<'_>]) -> String {
        let mut text = String::with_capacity(self.length(head, quotes));
        self.each_part(head, quotes, |part| text.push_str(part));
        text
    }

    /// Returns the length in bytes that [`Self::written`] would have.
    pub fn length(&self, head: &str, quotes: &[Quotation<'_>]) -> usize {
        let mut length = 0;
        self.each_part(head, quotes, |part| length += part.len());
        length
    }

    /// Calls `write` with the parts of a written entry, in order.
    fn each_part(&self, head: &str, quotes: &[Quotation<'_>], mut write: impl FnMut(&str)) {
        let head = on_line(head);
        write(if head.trim().is_empty() { "…" } else { head.trim() });
        let is_added = |quote: &&Quotation<'_>| quote.mark == Mark::Added;
        let is_blank = |quote: &Quotation<'_>| quote.text.trim().is_empty();
        // Blank lines are only written between added ones.
        let is_in_block = |quote: &Quotation<'_>| is_added(&quote) || is_blank(quote);
        for run in quotes.chunk_by(|one, next| is_in_block(one) && is_in_block(next)) {
            let added = || run.iter().filter(is_added);
            let count = added().count();
            if count > 1 && !added().any(|quote| self.looks_like_ours(&quote.text)) {
                ["\n", INDENT, Mark::Added.sign(), &count.to_string(), LINES].into_iter().for_each(&mut write);
                added().for_each(|quote| ["\n", &quote.text].into_iter().for_each(&mut write));
                continue;
            }
            for Quotation { mark, text: quote } in run.iter().filter(|quote| !is_blank(quote)) {
                // A quoted `3 lines:` would be read back as the writer's own. A blank after it prevents that.
                let end = if *mark == Mark::Added && lines_below(quote).is_some() { " " } else { "" };
                ["\n", INDENT, mark.sign(), &*on_line(quote), end].into_iter().for_each(&mut write);
            }
        }
    }

    /// Returns true if a line without indentation could be taken for a line of a story: a call, a speaker, a result or
    /// a heading.
    fn looks_like_ours(&self, line: &str) -> bool {
        let is_answer = [Mark::Answered, Mark::Failed].iter().any(|mark| line.trim_start().starts_with(mark.sign()));
        let is_marked =
            |quote: &str| Mark::ALL.iter().any(|mark| *mark != Mark::Said && quote.starts_with(mark.sign()));
        let is_call = |name: &str| self.names.contains(name) || self.tools.tool(name).is_some();
        is_answer
            || line.strip_prefix(INDENT).is_some_and(is_marked)
            || line.trim_start().starts_with(LOG_HEADING)
            || names_speaker(line)
            || first_word(line).is_some_and(is_call)
    }
}

fn first_word(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}

/// Returns true for a line that begins like a speaker's head: a name in any script, a colon, then a blank or the end of
/// the line. Names in lower case do not count, because they are keys and keywords.
fn names_speaker(line: &str) -> bool {
    if !line.starts_with(|first: char| first.is_alphabetic() && !first.is_lowercase()) {
        return false;
    }
    let Some((name, behind)) = line.split_once([':', '：']) else { return false };
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '(' | ')' | '_' | '-');
    name.chars().all(is_name) && behind.chars().next().is_none_or(char::is_whitespace)
}

/// Returns the story with these written entries; `None` if there are none.
#[must_use]
pub fn story<'e>(entries: impl IntoIterator<Item = &'e str>) -> Option<String> {
    let mut text = LOG_HEADING.to_owned();
    for entry in entries {
        text.push('\n');
        text.push_str(entry);
    }
    (text.len() > LOG_HEADING.len()).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn write(entries: &[Entry]) -> Option<String> {
        let writer = Writer::new(entries.iter().map(|entry| entry.head.as_str()), &ToolTable::default());
        let written: Vec<String> = entries.iter().map(|entry| writer.written(&entry.head, &entry.quotes)).collect();
        story(written.iter().map(String::as_str))
    }

    fn entry<'t>(head: &str, quotes: &[(Mark, &'t str)]) -> Entry<'t> {
        let quotes = quotes.iter().map(|(mark, line)| Quotation::new(*mark, line)).collect();
        Entry { head: head.to_owned(), quotes }
    }

    #[test]
    fn a_story_is_what_it_says_from_beginning_to_end() {
        let all = [
            entry("Bash npm test", &[(Mark::Answered, " Tests  1 failed"), (Mark::Failed, "ENOENT\nno file")]),
            entry(
                "Edit a.ts",
                &[(Mark::Added, "\tif (a) {"), (Mark::Added, ""), (Mark::Added, "}"), (Mark::Answered, "ok")],
            ),
            entry("Edit b.ts", &[(Mark::Added, "\tif (a) {"), (Mark::Added, ""), (Mark::Added, "Bash rm -rf /")]),
            entry("Assistant:", &[(Mark::Said, "- I see 3 lines:"), (Mark::Said, "Bash true")]),
        ];
        let text = write(&all).unwrap();
        insta::assert_snapshot!(text, @"
        [Log of the messages left out here, in quotes]
        Bash npm test
          → Tests  1 failed
          ! ENOENT no file
        Edit a.ts
          + 3 lines:
        \tif (a) {

        }
          → ok
        Edit b.ts
          + \tif (a) {
          + Bash rm -rf /
        Assistant:
          - I see 3 lines:
          Bash true
        ");
        assert!(is_story(&text));
        assert_eq!(write(&entries(&text)), Some(text.clone()));
        assert!(!is_story(&format!("Look:\n{text}")) && !is_story(&format!("{text}\n\nAnd do this.")));
        assert!(!is_story(LOG_HEADING) && write(&[]).is_none());
    }

    #[test]
    fn a_path_is_told_in_full_once_and_then_by_its_end() {
        let mut paths = Paths::default();
        let told = ["Read /home/mara/tidemark/src/day.ts", "Edit /home/mara/tidemark/src/day.ts", "Edit /src/day.ts"]
            .map(|head| paths.shortened(head));
        assert_eq!(told, ["Read /home/mara/tidemark/src/day.ts", "Edit …/src/day.ts", "Edit /src/day.ts"]);
        assert_eq!(paths.shortened("Edit /src/day.ts"), "Edit /src/day.ts", "short paths are told in full");
        let mut paths = Paths::default();
        let (web, app) = ("Read /home/mara/web/src/day.ts", "Read /home/mara/app/src/week.ts");
        let told = [web, web, app, app, web, "Read /home/mara/app/test/day.ts"].map(|head| paths.shortened(head));
        assert_eq!(told, [web, "Read …/src/day.ts", app, app, web, "Read /home/mara/app/test/day.ts"]);
    }

    #[test]
    fn code_that_looks_like_an_entry_is_indented() {
        let writer = Writer::new(["deploy"].into_iter(), &ToolTable::default());
        for line in [
            "USER:",
            "Benutzer:",
            "ユーザー：",
            "Human: push it",
            "User (pasted):",
            "Grep foo",
            "mcp__a__read_file b",
            "deploy prod",
            "  → ok",
        ] {
            assert!(writer.looks_like_ours(line), "{line}");
        }
        for line in ["user:", "  User:", "else:", "Grepped foo", "const a = { b: 1 };", "T::new()", "## Deploy", ""] {
            assert!(!writer.looks_like_ours(line), "{line}");
        }
    }

    #[test]
    fn words_have_no_sign_and_quoted_results_have_one() {
        let story = format!("{LOG_HEADING}\nUser:\n  - not this one\nBash ls\n  → a.ts\n  ! no such file");
        let words = entries(&story);
        assert_eq!(words[0], entry(USER, &[(Mark::Said, "- not this one")]));
        assert_eq!(["  → a.ts", "  ! no", "→ a.ts", "  a.ts"].map(quoted_answer), [Some("a.ts"), None, None, None]);
    }

    #[test]
    fn a_number_of_lines_is_digits_and_not_too_many() {
        let read = ["3 lines:", "+3 lines:", " lines:", "three lines:", "12345678 lines:", "3 lines"].map(lines_below);
        assert_eq!(read, [Some(3), None, None, None, None, None]);
    }

    #[test]
    fn headings_that_a_model_copies_are_words() {
        assert_eq!(
            without_headings(&format!("{LOG_HEADING} it says")),
            "Log of the messages left out here, in quotes it says"
        );
    }

    fn any_mark() -> impl Strategy<Value = Mark> {
        prop::sample::select(Mark::ALL[..5].to_vec())
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again_and_written_the_same(
            all in prop::collection::vec(("[A-Z][a-zA-Z0-9 é.:=-]{0,20}", prop::collection::vec((any_mark(), "\\PC{0,20}|[|+!→-] x|  [A-Z]x"), 0..6)), 1..5),
        ) {
            let all: Vec<Entry> = all.iter().map(|(head, quotes)| {
                entry(head.trim(), &quotes.iter().map(|(mark, line)| (*mark, line.as_str())).collect::<Vec<_>>())
            }).collect();
            let text = write(&all).unwrap();
            let again = entries(&text);
            prop_assert_eq!(again.len(), all.len(), "{}", text);
            prop_assert_eq!(write(&again), Some(text));
        }
    }
}
