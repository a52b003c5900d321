//! Finds the lines that pointers quote.
//!
//! A pointer resolves as a reader would search: from its own position up or down through the texts, to the nearest
//! line that begins with its quote. Indentation and line numbers are ignored.

use std::collections::{HashMap, hash_map::Entry};

use foldhash::fast::RandomState;

use crate::{
    conversation::NumberStyle,
    markers::{Direction, MIN_QUOTE_BYTES},
    parallel::in_parts,
};

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
    numbers: HashMap<&'q [u8], usize, RandomState>,
    /// For each quote, the matching lines in the order of the texts.
    places: Vec<Vec<LinePlace>>,
}

impl<'q> QuotedLines<'q> {
    /// Finds the lines that begin with these quotes. Linear in the length of the texts, whatever the quotes are.
    #[must_use]
    pub fn find(quotes: impl Iterator<Item = &'q str>, texts: &[&str]) -> Self {
        let mut numbers: HashMap<&[u8], usize, RandomState> = HashMap::default();
        // The lengths of the quotes that begin with the same bytes, shortest first.
        let mut lengths: HashMap<[u8; MIN_QUOTE_BYTES], Vec<usize>, RandomState> = HashMap::default();
        for quote in quotes.map(str::as_bytes) {
            let number = numbers.len();
            if let (Entry::Vacant(new), Some(beginning)) = (numbers.entry(quote), quote.first_chunk()) {
                new.insert(number);
                lengths.entry(*beginning).or_default().push(quote.len());
            }
        }
        let mut places = vec![Vec::new(); numbers.len()];
        if numbers.is_empty() {
            return Self::default();
        }
        for lengths in lengths.values_mut() {
            lengths.sort_unstable();
            lengths.dedup();
        }
        // A look at two bytes rules out most lines.
        let two_bytes = |line: &[u8]| line.first_chunk().map(|first| usize::from(u16::from_le_bytes(*first)));
        let mut may_begin = vec![false; 1 << 16];
        lengths.keys().filter_map(|beginning| two_bytes(beginning)).for_each(|first| may_begin[first] = true);
        let found = |text: &&str| {
            let mut found: Vec<(usize, usize)> = Vec::new();
            each_line(text.as_bytes(), |start, line| {
                for reading in readings(line) {
                    if !two_bytes(reading).is_some_and(|first| may_begin[first]) {
                        continue;
                    }
                    let Some(lengths) = reading.first_chunk().and_then(|beginning| lengths.get(beginning)) else {
                        continue;
                    };
                    let quotes = lengths.iter().map_while(|length| reading.get(..*length));
                    found.extend(quotes.filter_map(|quote| numbers.get(quote)).map(|number| (*number, start)));
                }
            });
            found
        };
        let all = in_parts(texts, |text| text.len(), |texts| texts.iter().map(found).collect());
        for (text, found) in all.into_iter().enumerate() {
            found.into_iter().for_each(|(number, start)| places[number].push(LinePlace { text, start }));
        }
        Self { numbers, places }
    }

    /// Returns the line that a pointer at `from` resolves to.
    #[must_use]
    pub fn nearest(&self, quote: &str, from: LinePlace, direction: Direction) -> Option<LinePlace> {
        let places = &self.places[*self.numbers.get(quote.as_bytes())?];
        let before = places.partition_point(|place| *place < from);
        match direction {
            Direction::Above => places[..before].last().copied(),
            Direction::Below => places[before..].iter().find(|place| **place != from).copied(),
        }
    }
}

fn each_line<'a>(text: &'a [u8], mut of: impl FnMut(usize, &'a [u8])) {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
        of(start, &text[start..end]);
        start = end + 1;
    }
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
    use super::*;

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
}
