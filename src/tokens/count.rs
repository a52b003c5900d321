//! Counts texts: one at a time, or many on all cores.

use std::{
    iter::Sum,
    ops::{Add, AddAssign},
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    Encoding,
    cache::{self, Key},
    engine,
    pieces::{Segment, pieces},
};
use crate::{
    cancel::{Cancel, Cancelled},
    conversation::surrogates,
    parallel::{each, parts_for},
};

/// With fewer bytes, starting other threads costs as much as it saves.
const PARALLEL_BYTES: usize = 128 * 1024;

/// Threads divide the work into batches of pieces with about this many bytes.
const BATCH_BYTES: usize = 32 * 1024;

/// The tokens of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// The number of tokens.
    pub tokens: usize,
    /// True if the text contains a run of over 256 KB without a place to cut it, such as a megabyte of blanks. The
    /// number may then be off by a few tokens per 256 KB. Otherwise it is exact.
    pub approximate: bool,
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { tokens: self.tokens + other.tokens, approximate: self.approximate || other.approximate }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// Counts a text. If over 128 KB of it are not in the cache, it is counted on all cores. Text that looks like a
/// special token (`<|endoftext|>`) is ordinary text. Loads the vocabulary if necessary.
///
/// # Examples
/// ```
/// use roo_condense::{Encoding, count_tokens};
///
/// assert_eq!(count_tokens("Read package.json first.", Encoding::O200kBase).tokens, 5);
/// ```
pub fn count(text: &str, encoding: Encoding) -> Count {
    if text.len() < PARALLEL_BYTES {
        return pieces(text).map(|piece| count_piece(&piece, encoding)).sum();
    }
    count_many(&[text], encoding, None)
        .map_or_else(|Cancelled| unreachable!("nothing can cancel this"), |counts| counts[0])
}

/// Counts a text of a conversation in its outside form, so stand-ins for unpaired surrogates make no difference.
pub fn count_inside(text: &str, encoding: Encoding) -> Count {
    count(&surrogates::leave_text(text), encoding)
}

/// Counts a text on this thread, without using the cache.
pub fn count_uncached(text: &str, encoding: Encoding) -> Count {
    pieces(text).map(|piece| marked(engine::count_guarded(piece.text, encoding), &piece)).sum()
}

/// Counts many texts, and returns the counts in their order. It uses all cores if over 128 KB of them are not in the
/// cache. It stops within a piece (milliseconds) of `cancel`.
pub fn count_all(texts: &[&str], encoding: Encoding, cancel: &Cancel) -> Result<Vec<Count>, Cancelled> {
    cancel.check()?;
    count_many(texts, encoding, Some(cancel))
}

/// Counts a piece, or returns its cached count.
pub(super) fn count_piece(piece: &Segment<'_>, encoding: Encoding) -> Count {
    let count = cache::get(piece.text, encoding).unwrap_or_else(|key| {
        let count = engine::count_guarded(piece.text, encoding);
        cache::insert(key, count);
        count
    });
    marked(count, piece)
}

/// Marks the count of a piece that ends in a forced cut. The cache does not store this, because the same piece may
/// end exactly in another text.
fn marked(count: Count, piece: &Segment<'_>) -> Count {
    Count { approximate: count.approximate || piece.forced, ..count }
}

/// A piece that is not in the cache.
struct Job<'a> {
    /// The index of its text.
    index: usize,
    piece: Segment<'a>,
    key: Key,
}

impl Job<'_> {
    fn count(&self, encoding: Encoding) -> (usize, Count) {
        let count = engine::count_guarded(self.piece.text, encoding);
        cache::insert(self.key, count);
        (self.index, marked(count, &self.piece))
    }
}

/// Looks up all pieces on this thread, then counts the missing ones, on all cores if they are many.
fn count_many(texts: &[&str], encoding: Encoding, cancel: Option<&Cancel>) -> Result<Vec<Count>, Cancelled> {
    let check = || cancel.map_or(Ok(()), Cancel::check);
    let mut counts = vec![Count::default(); texts.len()];
    let mut jobs = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        for piece in pieces(text) {
            check()?;
            match cache::get(piece.text, encoding) {
                Ok(count) => counts[index] += marked(count, &piece),
                Err(key) => jobs.push(Job { index, piece, key }),
            }
        }
    }
    let batches = batches(&jobs);
    let next = AtomicUsize::new(0);
    let work = |()| {
        let mut done = Vec::new();
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            for job in *batch {
                check()?;
                done.push(job.count(encoding));
            }
        }
        Ok(done)
    };
    let bytes: usize = jobs.iter().map(|job| job.piece.text.len()).sum();
    let threads = if bytes < PARALLEL_BYTES { 1 } else { parts_for(bytes) };
    for done in each(vec![(); threads], work) {
        for (index, count) in done? {
            counts[index] += count;
        }
    }
    Ok(counts)
}

/// Groups jobs, in order, into batches of about [`BATCH_BYTES`].
fn batches<'a, 'b>(jobs: &'a [Job<'b>]) -> Vec<&'a [Job<'b>]> {
    let (mut batches, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, job) in jobs.iter().enumerate() {
        bytes += job.piece.text.len();
        if bytes >= BATCH_BYTES {
            batches.push(&jobs[start..=index]);
            (start, bytes) = (index + 1, 0);
        }
    }
    batches.push(&jobs[start..]);
    batches
}
