//! Finds the lines that pointers quote.
//!
//! A pointer resolves as a reader would search: from its own position up or down through the texts, to the nearest
//! line that begins with its quote. Indentation and line numbers are ignored.

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

/// The lines that begin with a quote, for some quotes.
#[derive(Default)]
pub struct QuotedLines<'q> {
    /// The quotes, in order of their bytes.
    quotes: Vec<&'q [u8]>,
    /// For each quote, the matching lines in the order of the texts.
    places: Vec<Vec<LinePlace>>,
}

impl<'q> QuotedLines<'q> {
    /// Finds the lines that begin with these quotes. Linear in the length of the texts, whatever the quotes are.
    #[must_use]
    pub fn find(quotes: impl Iterator<Item = &'q str>, texts: &[&str]) -> Self {
        let mut quotes: Vec<&[u8]> = quotes.map(str::as_bytes).filter(|quote| quote.len() >= MIN_QUOTE_BYTES).collect();
        if quotes.is_empty() {
            return Self::default();
        }
        quotes.sort_unstable();
        quotes.dedup();
        let shorter = shorter(&quotes);
        // A look at two bytes rules out most lines, and leaves few quotes for the others.
        let two_bytes = |line: &[u8]| line.first_chunk().map(|first| usize::from(u16::from_be_bytes(*first)));
        let mut starts = vec![0_u32; (1 << 16) + 1];
        quotes.iter().filter_map(|quote| two_bytes(quote)).for_each(|first| starts[first + 1] += 1);
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        let found = |text: &&str| {
            let text = text.as_bytes();
            let mut found: Vec<(usize, usize)> = Vec::new();
            for line in lines(text) {
                for reading in readings(&text[line.clone()]) {
                    let Some(first) = two_bytes(reading) else { continue };
                    let (from, to) = (starts[first] as usize, starts[first + 1] as usize);
                    // All quotes that match are the last one that is not behind the line, or beginnings of that one.
                    let before = quotes[from..to].partition_point(|quote| *quote <= reading);
                    let mut nearest = before.checked_sub(1).map(|before| from + before);
                    while let Some(number) = nearest {
                        if reading.starts_with(quotes[number]) {
                            found.push((number, line.start));
                        }
                        nearest = shorter[number];
                    }
                }
            }
            found
        };
        let mut places = vec![Vec::new(); quotes.len()];
        let all = in_parts(texts, |text| text.len(), |texts| texts.iter().map(found).collect());
        for (text, found) in all.into_iter().enumerate() {
            found.into_iter().for_each(|(number, start)| places[number].push(LinePlace { text, start }));
        }
        Self { quotes, places }
    }

    /// Returns the line that a pointer at `from` resolves to.
    #[must_use]
    pub fn nearest(&self, quote: &str, from: LinePlace, direction: Direction) -> Option<LinePlace> {
        let places = &self.places[self.quotes.binary_search(&quote.as_bytes()).ok()?];
        let before = places.partition_point(|place| *place < from);
        match direction {
            Direction::Above => places[..before].last().copied(),
            Direction::Below => places[before..].iter().find(|place| **place != from).copied(),
        }
    }
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
