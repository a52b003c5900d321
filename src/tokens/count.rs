//! Counting texts: whole, until a limit, or many on two threads.

use std::{
    iter::Sum,
    ops::{Add, AddAssign},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use super::{
    Encoding, cache, engine, least_tokens,
    pieces::{Piece, pieces},
};
use crate::cancel::{Cancel, Cancelled};

/// Below this many bytes a second thread costs more (starting it, filling its tables) than it saves: measured in `benches/tokens.rs`.
const PARALLEL_BYTES: usize = 512 * 1024;

/// Threads share the work by batches of pieces of about this many bytes.
const BATCH_BYTES: usize = 64 * 1024;

/// The tokens of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// How many.
    pub tokens: usize,
    /// Whether the text holds a run of over 256 KB with no place to cut it, such as a megabyte of blanks: the number may be off by
    /// a few tokens for each 256 KB. Otherwise it is exact.
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

/// Counts a text. Large ones (over 512 KB) are counted on two threads. Text that looks like a special token (`<|endoftext|>`) is
/// ordinary text. Loads the vocabulary if nothing has yet.
pub fn count(text: &str, encoding: Encoding) -> Count {
    if text.len() < PARALLEL_BYTES {
        return pieces(text).map(|piece| count_piece(&piece, encoding)).sum();
    }
    count_many(&[text], encoding, None)
        .map_or_else(|Cancelled| unreachable!("nothing can cancel this"), |counts| counts[0])
}

/// Counts a text on this thread without looking into the cache or adding to it.
pub fn count_uncached(text: &str, encoding: Encoding) -> Count {
    pieces(text).map(|piece| marked(engine::count_guarded(piece.text, encoding), &piece)).sum()
}

/// Counts a text, but stops as soon as it has more than `limit` tokens: `None`. What it costs depends on the limit, not on the text.
pub fn count_until(text: &str, limit: usize, encoding: Encoding) -> Option<Count> {
    if least_tokens(text.len()) > limit {
        return None;
    }
    let mut count = Count::default();
    for piece in pieces(text) {
        count += count_piece(&piece, encoding);
        if count.tokens > limit {
            return None;
        }
    }
    Some(count)
}

/// Counts many texts, in their order, on two threads when there is enough to count (over 512 KB). Stops within a piece (milliseconds)
/// of `cancel`.
pub fn count_all(texts: &[&str], encoding: Encoding, cancel: &Cancel) -> Result<Vec<Count>, Cancelled> {
    cancel.check()?;
    count_many(texts, encoding, Some(cancel))
}

/// Counts a piece, or remembers its count.
pub(super) fn count_piece(piece: &Piece<'_>, encoding: Encoding) -> Count {
    let count = cache::get_or_count(piece.text, encoding, || engine::count_guarded(piece.text, encoding));
    marked(count, piece)
}

/// Whether a piece ends in a forced cut is not in the cache: the same piece may end exactly in another text.
fn marked(count: Count, piece: &Piece<'_>) -> Count {
    Count { approximate: count.approximate || piece.forced, ..count }
}

fn count_many(texts: &[&str], encoding: Encoding, cancel: Option<&Cancel>) -> Result<Vec<Count>, Cancelled> {
    let stopped = || cancel.is_some_and(Cancel::is_cancelled);
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    if bytes < PARALLEL_BYTES || thread::available_parallelism().map_or(1, usize::from) < 2 {
        return count_in_order(texts, encoding, &stopped);
    }
    let jobs: Vec<(usize, Piece<'_>)> =
        texts.iter().enumerate().flat_map(|(index, text)| pieces(text).map(move |piece| (index, piece))).collect();
    let batches: Vec<&[(usize, Piece<'_>)]> = batches(&jobs);
    let tokens: Vec<AtomicUsize> = texts.iter().map(|_| AtomicUsize::new(0)).collect();
    let approximate: Vec<AtomicBool> = texts.iter().map(|_| AtomicBool::new(false)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            for (index, piece) in *batch {
                if stopped() {
                    return;
                }
                let count = count_piece(piece, encoding);
                tokens[*index].fetch_add(count.tokens, Ordering::Relaxed);
                approximate[*index].fetch_or(count.approximate, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        // If the system gives us no second thread, this one does all the work.
        let helper = thread::Builder::new().name("count-tokens".to_owned()).spawn_scoped(scope, work);
        work();
        drop(helper);
    });
    if stopped() {
        return Err(Cancelled);
    }
    let counts = tokens.into_iter().zip(approximate);
    Ok(counts
        .map(|(tokens, approximate)| Count { tokens: tokens.into_inner(), approximate: approximate.into_inner() })
        .collect())
}

fn count_in_order(texts: &[&str], encoding: Encoding, stopped: &dyn Fn() -> bool) -> Result<Vec<Count>, Cancelled> {
    let mut counts = Vec::with_capacity(texts.len());
    for text in texts {
        let mut count = Count::default();
        for piece in pieces(text) {
            if stopped() {
                return Err(Cancelled);
            }
            count += count_piece(&piece, encoding);
        }
        counts.push(count);
    }
    Ok(counts)
}

/// Groups jobs in order, each group of about [`BATCH_BYTES`].
fn batches<'a, 'b>(jobs: &'a [(usize, Piece<'b>)]) -> Vec<&'a [(usize, Piece<'b>)]> {
    let (mut batches, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, (_, piece)) in jobs.iter().enumerate() {
        bytes += piece.text.len();
        if bytes >= BATCH_BYTES {
            batches.push(&jobs[start..=index]);
            (start, bytes) = (index + 1, 0);
        }
    }
    batches.push(&jobs[start..]);
    batches
}
