//! Finds the lines that pointers quote.
//!
//! A pointer resolves as a reader would search: from its own position up or down through the texts, to the nearest
//! line that begins with its quote. Indentation and line numbers are ignored.

use std::sync::Arc;

use crate::{
    conversation::NumberStyle,
    markers::{Direction, MIN_QUOTE_BYTES},
    parallel::in_parts,
};

use super::rows::lines;

/// The position of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinePlace {
    /// The index of the text.
    pub text: usize,
    /// The line's first byte in the text.
    pub start: usize,
}

/// Some quotes, sorted, for a search that takes the same time however many they are.
#[derive(Default)]
struct Quotes {
    /// The quotes, in order of their bytes.
    sorted: Vec<Box<[u8]>>,
    /// For each quote, the longest other one with which it begins.
    shorter: Vec<Option<usize>>,
    /// For each pair of bytes, the number of quotes that begin with an earlier pair.
    starts: Vec<u32>,
}

/// The lines of a text that begin with a quote: the index of the quote, and the first byte of the line. `None` if there
/// are none.
type Found = Option<Arc<[(usize, usize)]>>;

/// The lines that begin with a quote, for some quotes.
#[derive(Default)]
pub struct QuotedLines {
    quotes: Arc<Quotes>,
    /// For each text, its lines.
    found: Vec<Found>,
    /// For each quote, the matching lines in the order of the texts.
    places: Vec<Vec<LinePlace>>,
}

impl QuotedLines {
    /// Finds the lines that begin with these quotes. Linear in the length of the texts, because quotes are short.
    #[must_use]
    pub fn find<'q>(quotes: impl Iterator<Item = &'q str>, texts: &[&str]) -> Self {
        Self::find_beside(quotes, texts, &Self::default(), |_| None)
    }

    /// Works as [`QuotedLines::find`]. `known` are lines found in other texts; `same` returns the index there of an equal
    /// text, which is not searched again if all quotes are known.
    #[must_use]
    pub fn find_beside<'q>(
        quotes: impl Iterator<Item = &'q str>,
        texts: &[&str],
        known: &Self,
        same: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let mut quotes: Vec<&[u8]> = quotes.map(str::as_bytes).filter(|quote| quote.len() >= MIN_QUOTE_BYTES).collect();
        if quotes.is_empty() {
            return Self::default();
        }
        quotes.sort_unstable();
        quotes.dedup();
        let are_known = quotes.iter().all(|quote| known.quotes.index(quote).is_some());
        let quotes = if are_known { Arc::clone(&known.quotes) } else { Arc::new(Quotes::new(&quotes)) };
        let known = |text: usize| same(text).filter(|_| are_known).map(|text| &known.found[text]);
        let texts: Vec<(&str, Option<&Found>)> =
            texts.iter().enumerate().map(|(index, text)| (*text, known(index))).collect();
        let found = |(text, known): &(&str, Option<&Found>)| match known {
            Some(known) => (*known).clone(),
            None => quotes.lines_in(text.as_bytes()),
        };
        let found: Vec<Found> = in_parts(
            &texts,
            |(text, known)| if known.is_some() { 0 } else { text.len() },
            |texts| texts.iter().map(found).collect(),
        );
        let mut places = vec![Vec::new(); quotes.sorted.len()];
        for (text, found) in found.iter().enumerate() {
            let found = found.iter().flat_map(|found| found.iter());
            found.for_each(|(quote, start)| places[*quote].push(LinePlace { text, start: *start }));
        }
        Self { quotes, found, places }
    }

    /// Returns the lines that begin with any of the quotes, each once, in the order of the texts.
    #[must_use]
    pub fn all(&self) -> Vec<LinePlace> {
        let mut all: Vec<LinePlace> = self.places.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the lines that begin with a quote, in the order of the texts; none if the quote was not searched.
    #[must_use]
    pub fn places(&self, quote: &str) -> &[LinePlace] {
        self.quotes.index(quote.as_bytes()).map_or(&[], |quote| &self.places[quote])
    }

    /// Returns the line that a pointer at `from` resolves to.
    #[must_use]
    pub fn nearest(&self, quote: &str, from: LinePlace, direction: Direction) -> Option<LinePlace> {
        let places = self.places(quote);
        let before = places.partition_point(|place| *place < from);
        match direction {
            Direction::Above => places[..before].last().copied(),
            Direction::Below => places[before..].iter().find(|place| **place != from).copied(),
        }
    }
}

impl Quotes {
    fn new(sorted: &[&[u8]]) -> Self {
        let mut starts = vec![0_u32; (1 << 16) + 1];
        sorted.iter().filter_map(|quote| two_bytes(quote)).for_each(|first| starts[first + 1] += 1);
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        Self { shorter: shorter(sorted), sorted: sorted.iter().map(|quote| (*quote).into()).collect(), starts }
    }

    fn index(&self, quote: &[u8]) -> Option<usize> {
        self.sorted.binary_search_by(|other| (**other).cmp(quote)).ok()
    }

    fn lines_in(&self, text: &[u8]) -> Found {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for line in lines(text) {
            for reading in readings(&text[line.clone()]) {
                // A look at two bytes rules out most lines, and leaves few quotes for the others.
                let Some(first) = two_bytes(reading) else { continue };
                let (from, to) = (self.starts[first] as usize, self.starts[first + 1] as usize);
                // All quotes that match are the last one that is not behind the line, or beginnings of that one.
                let before = self.sorted[from..to].partition_point(|quote| **quote <= *reading);
                let mut nearest = before.checked_sub(1).map(|before| from + before);
                while let Some(quote) = nearest {
                    if reading.starts_with(&self.sorted[quote]) {
                        found.push((quote, line.start));
                    }
                    nearest = self.shorter[quote];
                }
            }
        }
        (!found.is_empty()).then(|| found.into())
    }
}

fn two_bytes(line: &[u8]) -> Option<usize> {
    line.first_chunk().map(|first| usize::from(u16::from_be_bytes(*first)))
}

/// Returns, for each of these sorted quotes, the longest other one with which it begins.
fn shorter(quotes: &[&[u8]]) -> Vec<Option<usize>> {
    let mut shorter: Vec<Option<usize>> = Vec::with_capacity(quotes.len());
    for (number, quote) in quotes.iter().enumerate() {
        let mut nearest = number.checked_sub(1);
        while let Some(before) = nearest.filter(|before| !quote.starts_with(quotes[*before])) {
            nearest = shorter[before];
        }
        shorter.push(nearest);
    }
    shorter
}

/// Returns the beginnings of a line that a quote may match: behind its indentation, and behind its number.
pub fn readings(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = without_indentation(line);
    // A first byte that is no digit rules out a number in most lines.
    let number = if whole.first().is_some_and(u8::is_ascii_digit) { NumberStyle::read(line) } else { None };
    std::iter::once(whole).chain(number.map(|(_, _, content)| without_indentation(&line[content..])))
}

/// Returns a line without its leading blanks and tabs.
#[must_use]
pub fn without_indentation(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::rows::numbered, *};

    #[test]
    fn a_pointer_leads_to_the_first_line_that_a_reader_meets() {
        let texts = ["alpha one\n  alpha two\nbeta", "     3→alpha three\nalpha two", "beta"];
        let quoted = QuotedLines::find(["alpha", "alpha two", "beta", "gamma"].into_iter(), &texts);
        let second = texts[1].rfind("alpha").unwrap();
        let nearest = |quote: &str, text: usize, start: usize, direction| {
            quoted.nearest(quote, LinePlace { text, start }, direction).map(|place| (place.text, place.start))
        };
        for (quote, from, above, below) in [
            ("alpha", (0, 0), None, Some((0, 10))),
            ("alpha", (0, 10), Some((0, 0)), Some((1, 0))),
            ("alpha", (1, 0), Some((0, 10)), Some((1, second))),
            ("alpha", (2, 0), Some((1, second)), None),
            ("alpha two", (1, 0), Some((0, 10)), Some((1, second))),
            ("beta", (1, 0), Some((0, 22)), Some((2, 0))),
            ("gamma", (1, 0), None, None),
            ("nobody looked for this", (1, 0), None, None),
        ] {
            let found = [Direction::Above, Direction::Below].map(|direction| nearest(quote, from.0, from.1, direction));
            assert_eq!(found, [above, below], "{quote} from {from:?}");
        }
    }

    /// Searches line by line, as a reader does.
    fn met(quote: &str, lines: &[(LinePlace, &str)], from: LinePlace, direction: Direction) -> Option<LinePlace> {
        let mut places = lines.iter().filter_map(|(place, line)| {
            let contents = [Some(*line), numbered(line).map(|(_, content)| content)];
            let begins = |content: &str| content.trim_start_matches([' ', '\t']).starts_with(quote);
            contents.into_iter().flatten().any(begins).then_some(*place)
        });
        match direction {
            Direction::Above => places.rfind(|place| *place < from),
            Direction::Below => places.find(|place| *place > from),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn lines_known_from_equal_texts_are_the_lines_found(
            texts in prop::collection::vec("(((\t|    1→)?[ab]{0,6})\n){0,4}[ab]{0,6}", 1..5),
            changed in prop::collection::vec(prop::option::of("([ab]{0,6}\n){0,3}"), 5),
            quotes in prop::collection::vec("[ab]{4,5}", 1..6),
            others in prop::collection::vec("[ab]{4,5}", 0..3),
        ) {
            let old: Vec<&str> = texts.iter().map(String::as_str).collect();
            // A new text at the beginning moves all others.
            let new: Vec<&str> = std::iter::once("aaaa\nbaba")
                .chain(old.iter().zip(&changed).map(|(text, changed)| changed.as_deref().unwrap_or(text)))
                .collect();
            let known = QuotedLines::find(quotes.iter().map(String::as_str), &old);
            let wanted = || quotes.iter().skip(1).chain(&others).map(String::as_str);
            let same = |text: usize| text.checked_sub(1).filter(|old| changed[*old].is_none());
            let (beside, alone) = (QuotedLines::find_beside(wanted(), &new, &known, same), QuotedLines::find(wanted(), &new));
            for quote in wanted() {
                prop_assert_eq!(beside.places(quote), alone.places(quote));
            }
        }

        #[test]
        fn lines_are_found_as_by_reading_line_by_line(
            texts in prop::collection::vec("(((\t|  |    1→|2 \\| )?[ab]{0,8}|[1-3]{4,5})\n){0,5}[ab]{0,6}", 1..4),
            quotes in prop::collection::vec("[ab]{4,6}|[1-3]{4}", 1..6),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = QuotedLines::find(quotes.iter().map(String::as_str), &texts);
            let mut lines = Vec::new();
            for (text, content) in texts.iter().enumerate() {
                let mut start = 0;
                for line in content.split('\n') {
                    lines.push((LinePlace { text, start }, line));
                    start += line.len() + 1;
                }
            }
            for quote in &quotes {
                for (from, _) in &lines {
                    for direction in [Direction::Above, Direction::Below] {
                        prop_assert_eq!(found.nearest(quote, *from, direction), met(quote, &lines, *from, direction));
                    }
                }
            }
        }
    }
}
