//! Finds lines by the hashes of their words.
//!
//! There is no table of words. Lines are in buckets by the first bits of the hash, about sixty per bucket, with the
//! next bits beside each line: six bytes per word, built by counting and one pass. A search reads a few buckets.

/// Up to this many recent words are searched one by one; then they become a segment.
const MAX_RECENT: usize = 32 * 1024;

/// Approximate words per bucket.
const PER_BUCKET: usize = 64;

/// A word: its hash, and the line that contains it.
pub type Posting = (u32, u32);

/// The words of all lines.
#[derive(Default)]
pub struct Postings {
    segments: Vec<Segment>,
    recent: Vec<Posting>,
}

/// Words in buckets.
struct Segment {
    bits: u32,
    /// The start of each bucket; one more at the end.
    starts: Vec<u32>,
    /// The bits of the hashes after those of the bucket.
    rest: Vec<u16>,
    lines: Vec<u32>,
}

impl Postings {
    /// Adds words of lines that follow all existing lines.
    pub fn extend(&mut self, words: Vec<Posting>) {
        self.recent.extend(words);
        if self.recent.len() >= MAX_RECENT {
            self.segments.push(Segment::new(&std::mem::take(&mut self.recent)));
        }
    }

    /// Returns the lines that contain each of these words, in order, without duplicates.
    pub fn lines(&self, hashes: &[u32]) -> Vec<Vec<u32>> {
        let mut found: Vec<Vec<u32>> = hashes.iter().map(|hash| self.settled(*hash)).collect();
        for (word, line) in &self.recent {
            if let Some(at) = hashes.iter().position(|hash| hash == word) {
                found[at].push(*line);
            }
        }
        found.iter_mut().for_each(Vec::dedup);
        found
    }

    fn settled(&self, hash: u32) -> Vec<u32> {
        let mut lines = Vec::new();
        self.segments.iter().for_each(|segment| segment.find(hash, &mut lines));
        lines
    }

    /// Returns the bytes of memory used.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let of_segment = |segment: &Segment| 4 * segment.starts.len() + 6 * segment.lines.len();
        8 * self.recent.capacity() + self.segments.iter().map(of_segment).sum::<usize>()
    }
}

impl Segment {
    fn new(words: &[Posting]) -> Self {
        let bits = (words.len() / PER_BUCKET).max(2).ilog2().min(20);
        let bucket = |hash: u32| (hash >> (32 - bits)) as usize;
        let mut starts = vec![0_u32; (1 << bits) + 1];
        words.iter().for_each(|(hash, _)| starts[bucket(*hash) + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let (mut rest, mut lines) = (vec![0_u16; words.len()], vec![0_u32; words.len()]);
        for (hash, line) in words {
            let slot = &mut next[bucket(*hash)];
            rest[*slot as usize] = Self::rest(*hash, bits);
            lines[*slot as usize] = *line;
            *slot += 1;
        }
        Self { bits, starts, rest, lines }
    }

    fn rest(hash: u32, bits: u32) -> u16 {
        (hash.rotate_left(bits) >> 16) as u16
    }

    fn find(&self, hash: u32, lines: &mut Vec<u32>) {
        let bucket = (hash >> (32 - self.bits)) as usize;
        let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        let rest = Self::rest(hash, self.bits);
        let found = self.rest[range.clone()].iter().zip(&self.lines[range]).filter(|(other, _)| **other == rest);
        lines.extend(found.map(|(_, line)| *line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: u32) -> u32 {
        (xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes()) >> 32) as u32
    }

    #[test]
    fn words_are_found_in_segments_and_among_recent_ones() {
        let mut postings = Postings::default();
        for part in 0..4_u32 {
            let lines = part * 20_000..(part + 1) * 20_000;
            postings.extend(lines.flat_map(|line| [(word(line % 7_000), line), (word(9_999), line)]).collect());
        }
        assert_eq!(postings.segments.len(), 4);
        let expected: Vec<u32> = (0..80_000).filter(|line| line % 7_000 == 12).collect();
        let found = postings.lines(&[word(12), word(9_999), word(123_456)]);
        assert_eq!(found, [expected, (0..80_000).collect(), vec![]]);
        assert!(postings.bytes() < 8 * 160_000);
    }
}
