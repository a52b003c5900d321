//! Compares the lines that pointers represent by their hashes.

use xxhash_rust::xxh3::xxh3_64;

use crate::restore::decoder::{Decoder, RowsOf};

/// The lines that a pointer represents.
#[derive(Clone)]
pub(super) struct Meaning {
    pub(super) target: RowsOf,
    /// The number of repetitions.
    pub(super) times: u32,
    pub(super) hash: u64,
}

impl Meaning {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.times, self.target.rows.len(), self.hash) == (other.times, other.target.rows.len(), other.hash)
    }
}

/// The lines of some texts, with hashes that make any ranges of them comparable.
pub(super) struct Lines<'a> {
    pub(super) decoder: Decoder<'a>,
    pub(super) contents: &'a [&'a str],
    /// For each text needed so far, the hashes of its first n lines for each n from 0.
    hashes: Vec<Option<Vec<u64>>>,
}

/// The hash of several lines is a number whose digits are the lines' hashes, to this base and modulo a prime.
const BASE: u64 = 0x09A3_5C77_51D4_E2B1;
const PRIME: u64 = (1 << 61) - 1;

fn times(one: u64, other: u64) -> u64 {
    (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64
}

impl<'a> Lines<'a> {
    pub(super) fn new(decoder: Decoder<'a>, contents: &'a [&'a str]) -> Self {
        Self { decoder, contents, hashes: vec![None; contents.len()] }
    }

    pub(super) fn hash(&mut self, place: &RowsOf) -> u64 {
        let rows = self.decoder.rows(place.text);
        let content = self.contents[place.text].as_bytes();
        let hashes = self.hashes[place.text].get_or_insert_with(|| {
            let mut hash = 0;
            let next = rows.rows.iter().map(|row| {
                hash = (times(hash, BASE) + xxh3_64(&content[row.content_range()]) % PRIME) % PRIME;
                hash
            });
            std::iter::once(0).chain(next).collect()
        });
        let mut power = 1;
        let (mut base, mut left) = (BASE, place.rows.len());
        while left > 0 {
            power = if left % 2 == 1 { times(power, base) } else { power };
            base = times(base, base);
            left /= 2;
        }
        (hashes[place.rows.end] + PRIME - times(hashes[place.rows.start], power)) % PRIME
    }

    /// Returns the lines that the pointer in row `at` of a text represents; `None` if it does not resolve.
    pub(super) fn meaning(&mut self, text: usize, at: usize) -> Option<Meaning> {
        let (target, times) = self.decoder.found(text, at)?;
        let hash = self.hash(&target);
        Some(Meaning { target, times, hash })
    }

    /// Returns the contents of rows.
    pub(super) fn contents(&mut self, place: &RowsOf) -> Vec<&'a str> {
        let (rows, text) = (self.decoder.rows(place.text), self.contents[place.text]);
        rows.rows[place.rows.clone()].iter().map(|row| &text[row.content_range()]).collect()
    }

    /// Estimates the bytes of rows.
    pub(super) fn bytes(&mut self, place: &RowsOf) -> usize {
        let rows = self.decoder.rows(place.text);
        let rows = &rows.rows[place.rows.clone()];
        rows.first().zip(rows.last()).map_or(0, |(first, last)| (last.end - first.start) as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_rows_have_equal_hashes_wherever_they_stand() {
        let contents = ["a\nb\nc\nd\na\nb\nc", "x\na\nb\nc"];
        let mut lines = Lines::new(Decoder::new(&contents), &contents);
        let mut hash = |text: usize, rows: Range<usize>| lines.hash(&RowsOf { text, rows });
        let all = hash(0, 0..3);
        assert_eq!((hash(0, 4..7), hash(1, 1..4)), (all, all));
        assert_eq!(hash(0, 5..7), hash(1, 2..4));
        assert_eq!(hash(0, 2..2), hash(1, 0..0));
        let others = [hash(0, 0..2), hash(0, 1..4), hash(0, 0..4), hash(1, 0..3)];
        assert!(!others.contains(&all));
    }

    proptest! {
        #[test]
        fn hashes_are_equal_if_and_only_if_the_lines_are(lines in prop::collection::vec("[ab]?", 1..12), from in 0_usize..12, to in 0_usize..12, other in 0_usize..12) {
            let text = lines.join("\n");
            let contents = [&*text, "a\nb\n\na\nb\nb"];
            let mut known = Lines::new(Decoder::new(&contents), &contents);
            let rows = from.min(to).min(lines.len())..from.max(to).min(lines.len());
            let place = RowsOf { text: 0, rows: rows.clone() };
            for start in 0..=6 {
                let end = (start + rows.len().min(other)).min(6);
                let there = RowsOf { text: 1, rows: start..end };
                let is_equal = known.contents(&place) == known.contents(&there);
                prop_assert_eq!(known.hash(&place) == known.hash(&there), is_equal);
            }
            let bytes = known.contents(&place).join("\n").len();
            prop_assert_eq!(known.bytes(&place), bytes);
        }
    }
}
