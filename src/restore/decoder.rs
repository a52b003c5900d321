//! Resolves every pointer from the texts alone.
//!
//! The decoder knows neither the plan nor the earlier conversation, so it returns what a patient reader could
//! restore. The lossless provider has it check every proposal.

use std::{borrow::Cow, ops::Range, sync::Arc};

use memchr::memmem;

use super::{
    quotes::{LinePlace, QuotedLines},
    rows::{NO_EXCERPT, Row, RowKind, Rows, numbered},
};
use crate::{
    conversation::Conversation,
    maps::{HashMap, HashSet},
    markers::{Pointer, may_hold_pointers},
    parallel::in_parts,
};

/// Returns the texts of a conversation with every pointer that resolves expanded, message by message, in the order of
/// [`crate::conversation::Message::texts`]. Text that only looks like a pointer stays as it is.
#[must_use]
pub fn decode(conversation: &Conversation) -> Vec<Vec<String>> {
    let texts = conversation.texts();
    let contents: Vec<&str> = texts.iter().flatten().map(|text| text.text).collect();
    let mut decoder = Decoder::of_conversation(conversation, &contents);
    let mut next = 0..contents.len();
    let decoded = texts.iter().map(|texts| {
        let of_message = next.by_ref().take(texts.len());
        of_message.map(|text| decoder.text(text).into_owned()).collect()
    });
    decoded.collect()
}

/// A range of rows in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsOf {
    /// The index of the text.
    pub text: usize,
    /// The indices of the rows.
    pub rows: Range<usize>,
}

/// Resolves the pointers in some texts. Cheap to copy.
#[derive(Clone)]
pub struct Decoder<'a> {
    texts: &'a [&'a str],
    /// Rows of the texts with pointers, and of texts needed since then.
    rows: Vec<Option<Arc<Rows>>>,
    quoted: Arc<QuotedLines>,
    /// Number of bytes that may still be written. Hostile pointers could otherwise exhaust the memory.
    budget: usize,
}

/// The expanded lines of all texts together have at most this many bytes per byte of the texts, plus
/// [`MIN_EXPANDED_BYTES`], because one line can represent a million. Further pointers stay as they are.
const MAX_EXPANSION: usize = 64;

/// The upper limit of the expanded lines, or twice the bytes of the texts if the texts are larger. JavaScript strings
/// have at most half a gigabyte.
const MAX_EXPANDED_BYTES: usize = 128 << 20;

/// Maximum number of identical lines to examine when looking for the one that the same lines follow.
const MAX_PLACES: usize = 32;

/// See [`MAX_EXPANSION`].
const MIN_EXPANDED_BYTES: usize = 16 << 20;

/// Returns the maximum bytes of expanded lines for texts with this many bytes.
const fn most_expanded(bytes: usize) -> usize {
    let most = if bytes > MAX_EXPANDED_BYTES / 2 { bytes.saturating_mul(2) } else { MAX_EXPANDED_BYTES };
    let wanted = bytes.saturating_mul(MAX_EXPANSION).saturating_add(MIN_EXPANDED_BYTES);
    if wanted < most { wanted } else { most }
}

/// The rows and the quoted lines that a decoder reads before it resolves anything.
struct Base {
    rows: Vec<Option<Arc<Rows>>>,
    quoted: Arc<QuotedLines>,
}

impl Base {
    /// Reads the texts. `rows` returns the rows of a text, if they were read before. `known` was read from other texts;
    /// `same` returns the index there of an equal text.
    fn read(
        texts: &[&str],
        rows: impl Fn(usize) -> Option<Arc<Rows>>,
        known: &QuotedLines,
        same: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let given: Vec<(&str, bool, Option<Arc<Rows>>)> =
            texts.iter().enumerate().map(|(index, text)| (*text, same(index).is_some(), rows(index))).collect();
        let rows: Vec<Option<Arc<Rows>>> = in_parts(
            &given,
            |(text, is_same, rows)| if *is_same || rows.is_some() { 0 } else { text.len() },
            |texts| {
                let read = |text: &str| may_hold_pointers(text).then(|| Arc::new(Rows::read(text)));
                let rows = |(text, is_same, rows): &(&str, bool, Option<Arc<Rows>>)| {
                    rows.clone().or_else(|| if *is_same { None } else { read(text) })
                };
                texts.iter().map(|text| rows(text).filter(|rows| rows.has_pointers)).collect()
            },
        );
        let quotes = texts.iter().zip(&rows).filter_map(|(text, rows)| Some((text, rows.as_ref()?)));
        let quotes = quotes.flat_map(|(text, rows)| {
            rows.pointers().filter_map(|row| match Pointer::read(&text[row.content_range()]) {
                Some(Pointer::Reference(reference)) => Some(reference.quote),
                _ => None,
            })
        });
        let quoted = Arc::new(QuotedLines::find_beside(quotes, texts, known, same));
        Self { rows, quoted }
    }
}

impl<'a> Decoder<'a> {
    /// Creates a decoder for these texts, in the order of the conversation.
    #[must_use]
    pub fn new(texts: &'a [&'a str]) -> Self {
        Self::with_rows(texts, |_| None)
    }

    /// Creates a decoder. `rows` returns the rows of a text, if they were read before.
    #[must_use]
    pub fn with_rows(texts: &'a [&'a str], rows: impl Fn(usize) -> Option<Arc<Rows>>) -> Self {
        Self::on(texts, Base::read(texts, rows, &QuotedLines::default(), |_| None))
    }

    /// Creates a decoder for all texts of a conversation. What it reads is kept with the conversation.
    #[must_use]
    pub fn of_conversation(conversation: &Conversation, texts: &'a [&'a str]) -> Self {
        Self::kept(conversation, texts, || Base::read(texts, |_| None, &QuotedLines::default(), |_| None))
    }

    /// Creates a decoder for texts of which some are equal to others: `same` returns the index of the equal text in
    /// `known`, which is not read again.
    #[must_use]
    pub fn beside(texts: &'a [&'a str], known: &Decoder<'_>, same: impl Fn(usize) -> Option<usize>) -> Self {
        Self::on(texts, known.base_beside(texts, same))
    }

    /// Works as [`Decoder::beside`] for all texts of a conversation. What it reads is kept with the conversation.
    #[must_use]
    pub fn of_conversation_beside(
        conversation: &Conversation,
        texts: &'a [&'a str],
        known: &Decoder<'_>,
        same: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        Self::kept(conversation, texts, || known.base_beside(texts, same))
    }

    fn base_beside(&self, texts: &[&str], same: impl Fn(usize) -> Option<usize>) -> Base {
        Base::read(texts, |text| self.rows[same(text)?].clone(), &self.quoted, &same)
    }

    fn kept(conversation: &Conversation, texts: &'a [&'a str], read: impl FnOnce() -> Base) -> Self {
        let base = conversation.reading(read);
        Self::on(texts, Base { rows: base.rows.clone(), quoted: Arc::clone(&base.quoted) })
    }

    fn on(texts: &'a [&'a str], Base { rows, quoted }: Base) -> Self {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        Self { texts, rows, quoted, budget: most_expanded(bytes) }
    }

    /// Returns true if a text contains a pointer, or a line that looks like one.
    #[must_use]
    pub fn has_pointers(&self, text: usize) -> bool {
        self.rows[text].as_ref().is_some_and(|rows| rows.has_pointers)
    }

    /// Returns the indices of texts that contain pointers, or lines that look like pointers, in order.
    #[must_use]
    pub fn texts_with_pointers(&self) -> Vec<usize> {
        (0..self.texts.len()).filter(|text| self.has_pointers(*text)).collect()
    }

    /// Returns the rows of a text, if they were read.
    #[must_use]
    pub fn known_rows(&self, text: usize) -> Option<Arc<Rows>> {
        self.rows[text].clone()
    }

    /// Returns the rows of a text, reading them if necessary.
    pub fn rows(&mut self, text: usize) -> Arc<Rows> {
        self.rows[text].get_or_insert_with(|| Arc::new(Rows::read(self.texts[text]))).clone()
    }

    /// Returns the lines that the pointer in row `at` of a text represents; for a repeated line, that line. `None` if
    /// it does not resolve.
    pub fn target(&mut self, text: usize, at: usize) -> Option<RowsOf> {
        Some(self.resolved(text, at)?.0)
    }

    /// Returns the rows that the pointer in row `at` of a text quotes, even if too few lines follow.
    pub fn quoted(&mut self, text: usize, at: usize) -> Option<RowsOf> {
        Some(self.pointed(text, at)?.0)
    }

    /// Returns [`Decoder::quoted`], and how often the pointer represents those rows.
    fn pointed(&mut self, text: usize, at: usize) -> Option<(RowsOf, u32)> {
        let row = *self.rows(text).rows.get(at).filter(|row| row.kind == RowKind::Pointer)?;
        match Pointer::read(&self.texts[text][row.content_range()])? {
            Pointer::Sparse { .. } => None,
            Pointer::Repeat { times } => Some((RowsOf { text, rows: at.checked_sub(1)?..at }, times)),
            Pointer::Reference(reference) => {
                let from = LinePlace { text, start: row.start as usize };
                let place = self.quoted.nearest(reference.quote, from, reference.direction)?;
                let rows = self.rows(place.text);
                let first = rows.rows.partition_point(|row| (row.start as usize) < place.start);
                Some((RowsOf { text: place.text, rows: first..first + reference.lines as usize }, 1))
            }
        }
    }

    /// Returns [`Decoder::target`], and how often the pointer represents those lines.
    fn resolved(&mut self, text: usize, at: usize) -> Option<(RowsOf, u32)> {
        let (target, times) = self.pointed(text, at)?;
        self.rows(target.text).are_lines(&target.rows).then_some((target, times))
    }

    /// Applies `rows_of` ([`Decoder::target`] or [`Decoder::quoted`]) to all pointers.
    pub fn of_pointers(&mut self, rows_of: impl Fn(&mut Self, usize, usize) -> Option<RowsOf>) -> Vec<RowsOf> {
        let mut found = Vec::new();
        for text in self.texts_with_pointers() {
            let rows = self.rows(text);
            let pointers = (0..rows.rows.len()).filter(|at| rows.rows[*at].kind == RowKind::Pointer);
            found.extend(pointers.filter_map(|at| rows_of(self, text, at)));
        }
        found
    }

    /// Returns a text with its pointers expanded.
    pub fn text(&mut self, index: usize) -> Cow<'a, str> {
        self.text_and_dead(index).0
    }

    /// Returns a text with its pointers expanded, and the rows of pointers that do not resolve.
    pub fn text_and_dead(&mut self, index: usize) -> (Cow<'a, str>, Vec<usize>) {
        let text = self.texts[index];
        let mut dead = Vec::new();
        if !self.has_pointers(index) {
            return (Cow::Borrowed(text), dead);
        }
        let mut out = String::with_capacity(2 * text.len());
        let mut first = true;
        let rows = self.rows(index);
        for (at, row) in rows.rows.iter().enumerate() {
            if row.kind == RowKind::Heading {
                continue;
            }
            let expanded = if row.kind == RowKind::Pointer { self.contents(index, at) } else { None };
            let excerpt = (row.excerpt != NO_EXCERPT).then(|| &rows.excerpts[row.excerpt as usize]);
            let Some(lines) = expanded else {
                if row.kind == RowKind::Pointer {
                    dead.push(at);
                }
                line_break(&mut first, &mut out);
                if let Some(excerpt) =
                    excerpt.filter(|excerpt| excerpt.sparse && row.content == row.start && row.kind != RowKind::Gap)
                {
                    excerpt.style.write(excerpt.number_of(row.line), &mut out);
                }
                out.push_str(&text[row.range()]);
                continue;
            };
            let before = out.len();
            for (offset, content) in (0..).zip(lines) {
                line_break(&mut first, &mut out);
                if let Some(excerpt) = excerpt {
                    excerpt.style.write(excerpt.number_of(row.line + offset), &mut out);
                }
                out.push_str(content);
            }
            self.budget = self.budget.saturating_sub(out.len() - before);
        }
        (Cow::Owned(out), dead)
    }

    /// Checks a text whose pointers all resolve and that reads `said` when they are expanded, against the text `old`,
    /// which reads `expanded`. Returns true if everything in it is also in `old`: each pointer represents lines of
    /// `old`, in order, and no line changed its number.
    pub fn says_again(&mut self, index: usize, said: &str, old: &str, expanded: &str) -> bool {
        if said == expanded {
            return true;
        }
        let content = |line| numbered(line).map_or(line, |(_, content)| content);
        let (text, rows) = (self.texts[index], self.rows(index));
        let is_marker = |row: &Row| row.kind != RowKind::Line || Pointer::read(content(&text[row.range()])).is_some();
        let is_new = |row: &Row| memmem::find(old.as_bytes(), text[row.content_range()].as_bytes()).is_none();
        if !rows.rows.iter().any(|row| is_marker(row) && is_new(row)) {
            return false;
        }
        let said: Vec<&str> = said.split('\n').collect();
        let old: Vec<&str> = expanded.split('\n').collect();
        let mut places: HashMap<&str, Vec<usize>> = HashMap::default();
        let mut numbered = HashSet::default();
        for (at, line) in old.iter().enumerate() {
            places.entry(line).or_default().push(at);
            numbered.insert(content(line));
        }
        let (mut at, mut next) = (0, 0);
        rows.rows.iter().all(|row| {
            let lines = match row.kind {
                RowKind::Heading => 0,
                RowKind::Line | RowKind::Gap => 1,
                RowKind::Pointer => row.lines as usize,
            };
            let Some(said) = said.get(at..at + lines) else { return false };
            at += lines;
            // The heading claims more lines than there are.
            if row.kind == RowKind::Line && Pointer::read(content(&text[row.range()])).is_some() {
                return old.contains(&&text[row.range()]);
            }
            let is_sparse = || row.excerpt != NO_EXCERPT && rows.excerpts[row.excerpt as usize].sparse;
            let Some(first) = said.first().filter(|_| row.kind == RowKind::Pointer || is_sparse()) else { return true };
            let places = places.get(first).map_or(&[][..], |places| &places[places.partition_point(|at| *at < next)..]);
            match places.iter().take(MAX_PLACES).find(|at| old[**at..].starts_with(said)) {
                Some(at) => next = at + lines,
                // The line was changed, but its neighbours were not.
                None => {
                    return row.kind != RowKind::Pointer && !numbered.contains(&text[row.content_range()]);
                }
            }
            true
        })
    }

    /// Returns the lines that the pointer in row `at` of a text represents, and how often. `None` if it does not
    /// resolve, or represents too much.
    pub fn found(&mut self, text: usize, at: usize) -> Option<(RowsOf, u32)> {
        let (target, times) = self.resolved(text, at)?;
        let rows = self.rows(target.text);
        let rows = &rows.rows[target.rows.clone()];
        let bytes = rows.last()?.end as usize - rows.first()?.start as usize + 16 * rows.len();
        (bytes.checked_mul(times as usize)? <= self.budget).then_some((target, times))
    }

    /// Returns the contents of the lines that the pointer in row `at` of a text represents. `None` if it does not
    /// resolve, or represents too much.
    fn contents(&mut self, text: usize, at: usize) -> Option<Vec<&'a str>> {
        let (target, times) = self.found(text, at)?;
        let there = self.texts[target.text];
        let rows = self.rows(target.text);
        let contents: Vec<&str> = rows.rows[target.rows].iter().map(|row| &there[row.content_range()]).collect();
        Some(if times == 1 { contents } else { contents.repeat(times as usize) })
    }
}

fn line_break(first: &mut bool, out: &mut String) {
    if !std::mem::take(first) {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const OLD: &str = "const alpha = read(one);\nconst beta = read(two);\nconst gamma = read(three);\nconst delta = read(four);\nconst omega = read(five);";

    /// Returns true if the text `now`, placed after [`OLD`], is accepted as a version of `old`.
    fn says_again(now: &str, old: &str) -> bool {
        let texts = [OLD, now];
        let mut decoder = Decoder::new(&texts);
        let (said, dead) = decoder.text_and_dead(1);
        assert_eq!(dead, [0; 0], "{now}");
        decoder.says_again(1, &said, old, old)
    }

    fn above(lines: usize, name: &str) -> String {
        format!("[{lines} lines as above from \"const {name} =\"]")
    }

    #[test]
    fn a_text_says_again_what_its_pointers_represent_in_order() {
        let (first, last) = (above(2, "alpha"), above(2, "gamma"));
        let whole = OLD.rsplit_once('\n').unwrap().0;
        assert!(says_again(&format!("{first}\n{last}"), whole));
        assert!(says_again(&format!("{first}\n[…]\n{last}"), OLD), "a note between them");
        assert!(says_again(&format!("{first}\n{last}"), &format!("before\n{OLD}")));
        assert!(!says_again(&format!("{last}\n{first}"), OLD), "in another order");
        assert!(!says_again(&first, "const alpha = read(one);\nconst other = read(two);"), "other lines follow");
        assert!(!says_again(&first, "const beta = read(two);"), "not there");
        assert!(!says_again(&format!("{first}\n{first}"), OLD), "once, not twice");
        let twice = format!("{OLD}\nbetween\n{OLD}");
        assert!(says_again(&format!("{first}\n[…]\n{first}"), &twice));
        // A pointer that the text had before may represent other lines now.
        assert!(!says_again(&format!("{first}\nnew"), &format!("{first}\nold")));
    }

    #[test]
    fn a_line_below_a_heading_keeps_its_number_or_is_another() {
        let numbered = |contents: &[&str]| {
            let lines = contents.iter().enumerate().map(|(at, content)| format!("{:>6}→{content}", at + 1));
            lines.collect::<Vec<_>>().join("\n")
        };
        let old = numbered(&["one line", "two lines", "three lines", "four lines"]);
        let headed = |contents: &[&str]| {
            format!("     1→[{} lines, every 10th numbered:]\n{}", contents.len(), contents.join("\n"))
        };
        assert!(says_again(&headed(&["one line", "two lines", "three lines", "four lines"]), &old));
        assert!(says_again(&headed(&["one line", "two lines", "three lines"]), &old), "the end is cut");
        assert!(says_again(&headed(&["one line", "edited", "three lines", "four lines"]), &old));
        assert!(!says_again(&headed(&["two lines", "three lines", "four lines"]), &old), "numbers changed");
        assert!(!says_again(&headed(&["one line", "three lines", "four lines"]), &old), "numbers changed");
    }

    /// Below a heading, a line that looks like a pointer but does not resolve gets its number back.
    #[test]
    fn what_does_not_resolve_stays_as_it_is_with_its_number() {
        let dead = "[2 lines as above from \"what stands nowhere\"]";
        let text = format!("     1→[4 lines, every 10th numbered:]\none line\n{dead}\nfour lines");
        let texts = [&*text];
        let (said, rows) = Decoder::new(&texts).text_and_dead(0);
        assert_eq!((&*said, rows), (&*format!("     1→one line\n     2→{dead}\n     4→four lines"), vec![2]));
    }

    #[test]
    fn lines_that_would_fill_the_memory_stay_pointers() {
        let dead = |texts: &[&str]| Decoder::new(texts).text_and_dead(0).1;
        assert_eq!(dead(&["line\n[The line above 9999999 more times]"]), [1]);
        // A line costs its bytes and sixteen more, and half of the lines fit.
        let (line, half) = ("x".repeat(1008), "[The line above 8400 more times]");
        assert_eq!(dead(&[&format!("{line}\n[The line above 16800 more times]")]), [1]);
        assert_eq!(dead(&[&format!("{line}\n[The line above 16400 more times]")]), [0; 0]);
        assert_eq!(dead(&[&format!("{line}\n{half}\n{half}")]), [2], "a pointer is no line to repeat");
        assert_eq!(dead(&[&format!("{line}\n{half}\n{line}\n{half}")]), [3], "the first one leaves too little");
    }

    #[test]
    fn texts_are_decoded_message_by_message() {
        let pointer = above(2, "alpha");
        let block = |text: &str| json!({ "type": "text", "text": text });
        let messages = json!([
            { "role": "user", "content": OLD },
            { "role": "assistant", "content": [block("so"), block(&pointer)] },
            { "role": "user", "content": [] },
            { "role": "user", "content": format!("[The line above 2 more times]\nx\n[The line above 2 more times]") },
        ]);
        let two = "const alpha = read(one);\nconst beta = read(two);";
        let expected = [vec![OLD], vec!["so", two], vec![], vec!["[The line above 2 more times]\nx\nx\nx"]];
        assert_eq!(decode(&Conversation::parse(&messages.to_string()).unwrap()), expected);
    }

    #[test]
    fn lines_below_a_heading_get_the_numbers_that_they_lost() {
        let text = "x\n     8→[6 lines, every 10th numbered:]\na\nb\n    10→c\n[… 2 lines left out]\nd\nx";
        let whole = "x\n     8→a\n     9→b\n    10→c\n[… 2 lines left out]\n    13→d\nx";
        assert_eq!(Decoder::new(&[text]).text(0), whole);
    }

    #[test]
    fn a_pointer_quotes_lines_that_may_be_too_few() {
        let texts = [OLD, &above(2, "beta"), &format!("x\n{}\n[The line above 3 more times]", above(9, "gamma"))];
        let mut decoder = Decoder::new(&texts);
        let rows_of = |text: usize, rows: Range<usize>| RowsOf { text, rows };
        assert_eq!(decoder.of_pointers(Decoder::target), [rows_of(0, 1..3)]);
        assert_eq!(decoder.of_pointers(Decoder::quoted), [rows_of(0, 1..3), rows_of(0, 2..11), rows_of(2, 1..2)]);
        assert_eq!(decoder.texts_with_pointers(), [1, 2]);
    }
}
