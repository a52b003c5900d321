//! Divides large work among all cores, and returns the results in the order of the work.
//!
//! The threads wait for work, because a new one starts too late: half of the time that took 2 milliseconds (Linux
//! places it on the core of the thread that created it, even if another is idle), while waking one takes 10
//! microseconds.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use self::Either::{Second, Third};

/// With more threads, parts would be too small to be worth it: the largest conversations have a few megabytes.
const MAX_HELPERS: usize = 15;

/// A part with fewer bytes takes no longer than waking a thread for it and waiting for it.
const MIN_PART_BYTES: usize = 32 * 1024;

/// Parts that are processed in the order of the work are divided further.
const PARTS_PER_THREAD: usize = 4;

/// One thread per core except the caller's. `None` if there is only one core, or if the system allows no thread.
static HELPERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let others = thread::available_parallelism().ok()?.get().checked_sub(1).filter(|others| *others > 0)?;
    let builder = ThreadPoolBuilder::new().num_threads(others.min(MAX_HELPERS));
    builder.thread_name(|index| format!("condense-helper-{index}")).build().ok()
});

/// Number of helpers that have work, or are about to.
static CLAIMED: AtomicUsize = AtomicUsize::new(0);

/// A helper reserved for one caller. Waiting for a busy one would mean waiting for another caller's work.
struct Claim(());

impl Claim {
    /// Returns `None` if all helpers are busy.
    fn new() -> Option<Self> {
        let all = HELPERS.as_ref()?.current_num_threads();
        let claim = |claimed| (claimed < all).then_some(claimed + 1);
        CLAIMED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim).ok().map(|_| Self(()))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIMED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the best number of parts for work of this many bytes: one per thread, the caller's included, unless they
/// would be too small.
pub fn parts_for(bytes: usize) -> usize {
    match bytes / MIN_PART_BYTES {
        0 | 1 => 1,
        large => large.min(HELPERS.as_ref().map_or(1, |helpers| helpers.current_num_threads() + 1)),
    }
}

/// Calls `of` with each part and returns the results in order. This thread and the helpers that have time take one part
/// after the other.
///
/// # Panics
/// If `of` panics.
pub fn each<P: Send, R: Send>(parts: Vec<P>, of: impl Fn(P) -> R + Sync) -> Vec<R> {
    if parts.len() < 2 {
        return parts.into_iter().map(of).collect();
    }
    each_beside(parts, of, || ()).1
}

/// Works as [`each`], while this thread first calls `first`.
///
/// # Panics
/// If `of` or `first` panics.
pub fn each_beside<P: Send, R: Send, F>(
    parts: Vec<P>,
    of: impl Fn(P) -> R + Sync,
    first: impl FnOnce() -> F,
) -> (F, Vec<R>) {
    let claims: Vec<Claim> = (0..parts.len()).map_while(|_| Claim::new()).collect();
    let Some(helpers) = HELPERS.as_ref().filter(|_| !claims.is_empty()) else {
        return (first(), parts.into_iter().map(of).collect());
    };
    let waiting: Vec<Mutex<Option<P>>> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
    let results: Vec<Mutex<Option<R>>> = waiting.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = waiting.get(index).and_then(take) else { return };
            let result = of(part);
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let first = helpers.in_place_scope(|scope| {
        for claim in claims {
            scope.spawn(|_| {
                work();
                drop(claim);
            });
        }
        let first = first();
        work();
        first
    });
    // The scope has panicked if any of them did not finish.
    (first, results.iter().filter_map(take).collect())
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Calls both and returns their results: a thread that has time does `second` while this one does `first`, or this one
/// does both. `bytes` is the amount of work.
///
/// # Panics
/// If one of them panics.
pub fn both<F, S: Send>(bytes: usize, first: impl FnOnce() -> F, second: impl FnOnce() -> S + Send) -> (F, S) {
    let (first, second, ()) = all_three(bytes, first, second, || ());
    (first, second)
}

/// Calls all three and returns their results: a thread that has time does `second` and `third` while this one does
/// `first`, or this one does all. `bytes` is the amount of work.
///
/// # Panics
/// If one of them panics.
pub fn all_three<F, S: Send, T: Send>(
    bytes: usize,
    first: impl FnOnce() -> F,
    second: impl FnOnce() -> S + Send,
    third: impl FnOnce() -> T + Send,
) -> (F, S, T) {
    if parts_for(bytes) < 2 {
        return (first(), second(), third());
    }
    let (first, results) = each_beside(vec![Second(second), Third(third)], Either::done, first);
    match <[_; 2]>::try_from(results) {
        Ok([Second(second), Third(third)]) => (first, second, third),
        _ => unreachable!("results come in the order of their parts"),
    }
}

/// Work, or its result.
enum Either<S, T> {
    Second(S),
    Third(T),
}

impl<S, T> Either<S, T> {
    fn done<A, B>(self) -> Either<A, B>
    where
        S: FnOnce() -> A,
        T: FnOnce() -> B,
    {
        match self {
            Second(second) => Second(second()),
            Third(third) => Third(third()),
        }
    }
}

/// Work that arrives in pieces: a waiting thread begins with each piece while the next is still being produced.
pub struct Ahead<P, R>(Arc<Pieces<P, R>>);

struct Pieces<P, R> {
    of: fn(P) -> R,
    state: Mutex<PiecesState<P, R>>,
    /// Notified when a piece is done.
    done: Condvar,
}

struct PiecesState<P, R> {
    waiting: VecDeque<(usize, P)>,
    results: Vec<Option<thread::Result<R>>>,
    /// Number of pieces without a result.
    missing: usize,
}

impl<P: Send + 'static, R: Send + 'static> Ahead<P, R> {
    /// Creates an empty queue; `of` is applied to each piece.
    pub fn new(of: fn(P) -> R) -> Self {
        let state = PiecesState { waiting: VecDeque::new(), results: Vec::new(), missing: 0 };
        Self(Arc::new(Pieces { of, state: Mutex::new(state), done: Condvar::new() }))
    }

    /// Adds a piece, waking a helper for it.
    pub fn add(&mut self, piece: P) {
        self.add_late(piece);
        if let Some((helpers, claim)) = HELPERS.as_ref().zip(Claim::new()) {
            let pieces = Arc::clone(&self.0);
            helpers.spawn(move || {
                while pieces.work() {}
                drop(claim);
            });
        }
    }

    /// Adds the last piece, without waking a helper for it.
    pub fn add_late(&mut self, piece: P) {
        let mut state = self.0.state();
        let index = state.results.len();
        state.waiting.push_back((index, piece));
        state.results.push(None);
        state.missing += 1;
    }

    /// Returns the results in the order of the pieces. This thread does the pieces that no helper has begun.
    ///
    /// # Panics
    /// If the work on a piece panicked.
    pub fn finish(self) -> Vec<R> {
        while self.0.work() {}
        let mut state = self.0.state();
        while state.missing > 0 {
            state = self.0.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let results = std::mem::take(&mut state.results);
        drop(state);
        results.into_iter().flatten().map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    }
}

impl<P, R> Drop for Ahead<P, R> {
    fn drop(&mut self) {
        // The results are no longer needed.
        self.0.state().waiting.clear();
    }
}

impl<P, R> Pieces<P, R> {
    fn state(&self) -> MutexGuard<'_, PiecesState<P, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the next piece; returns false if there is none.
    fn work(&self) -> bool {
        let Some((index, piece)) = self.state().waiting.pop_front() else { return false };
        let result = catch_unwind(AssertUnwindSafe(|| (self.of)(piece)));
        let mut state = self.state();
        state.results[index] = Some(result);
        state.missing -= 1;
        self.done.notify_one();
        true
    }
}

/// Applies `of` to a list, and returns the results in order: to parts of it at the same time if it is large. `bytes`
/// returns the size of an item.
pub fn in_parts<'i, T: Sync, R: Send>(
    items: &'i [T],
    bytes: impl Fn(&T) -> usize,
    of: impl Fn(&'i [T]) -> Vec<R> + Sync,
) -> Vec<R> {
    in_parts_beside(items, bytes, of, || ()).1
}

/// Works as [`in_parts`], while this thread does something else, as in [`each_beside`].
pub fn in_parts_beside<'i, T: Sync, R: Send, F>(
    items: &'i [T],
    bytes: impl Fn(&T) -> usize,
    of: impl Fn(&'i [T]) -> Vec<R> + Sync,
    first: impl FnOnce() -> F,
) -> (F, Vec<R>) {
    // Several parts per thread: the helpers begin late, and this thread does more of the parts until then.
    let ends = part_ends(items, bytes, |bytes| match parts_for(bytes) {
        1 => 1,
        threads => (bytes / MIN_PART_BYTES).min(PARTS_PER_THREAD * threads),
    });
    if ends.len() < 2 {
        return (first(), of(items));
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let parts = starts.zip(&ends).map(|(start, end)| &items[start..*end]).collect();
    let (first, results) = each_beside(parts, of, first);
    (first, results.into_iter().flatten().collect())
}

/// Divides a list for [`each_beside`] into owned parts, whose results are then joined: two parts per thread.
pub fn divided<T>(mut items: Vec<T>, bytes: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
    let ends = part_ends(&items, bytes, |bytes| match parts_for(bytes) {
        1 => 1,
        threads => (bytes / MIN_PART_BYTES).min(2 * threads),
    });
    let mut parts: Vec<Vec<T>> = ends.iter().rev().skip(1).map(|end| items.split_off(*end)).collect();
    parts.push(items);
    parts.reverse();
    parts
}

/// Divides a list into parts of about as many bytes each, and returns their ends; `parts_for` limits the number of
/// parts.
fn part_ends<T>(items: &[T], bytes: impl Fn(&T) -> usize, parts_for: impl Fn(usize) -> usize) -> Vec<usize> {
    let sizes: Vec<usize> = items.iter().map(bytes).collect();
    let all: usize = sizes.iter().sum();
    let parts = parts_for(all);
    let mut ends = Vec::with_capacity(parts);
    let mut before = 0;
    for (index, size) in sizes.into_iter().enumerate() {
        before += size;
        // A large item may exceed the share of one part.
        if ends.len() + 1 < parts && before >= all * (ends.len() + 1) / parts {
            ends.push(index + 1);
        }
    }
    if ends.last() != Some(&items.len()) {
        ends.push(items.len());
    }
    ends
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn results_come_in_order_and_parts_may_borrow() {
        let words: Vec<String> = (0..100).map(|number| format!("word {number}")).collect();
        let parts: Vec<&String> = words.iter().collect();
        assert_eq!(each(parts, std::string::String::as_str), words);
        assert!(each(Vec::<u8>::new(), |byte| byte).is_empty());
        let (first, results) = each_beside((0..100).collect(), |number| number + 1, || "first");
        assert_eq!((first, results), ("first", (1..101).collect()));
        for bytes in [0, usize::MAX] {
            assert_eq!(all_three(bytes, || 1, || 2, || "3"), (1, 2, "3"));
        }
        assert_eq!(each(vec![(); 3], |()| 1), [1; 3]);
    }

    #[test]
    fn lists_come_back_in_order() {
        let large = MIN_PART_BYTES;
        for sizes in [vec![], vec![1], vec![large; 50], vec![9 * large, 1, 1], vec![1, 1, 9 * large]] {
            assert_eq!(in_parts(&sizes, |size| *size, <[usize]>::to_vec), sizes);
            assert_eq!(in_parts_beside(&sizes, |size| *size, <[usize]>::to_vec, || 1), (1, sizes.clone()));
            assert_eq!(divided(sizes.clone(), |size| *size).concat(), sizes);
        }
    }

    #[test]
    fn little_work_is_not_divided() {
        assert_eq!((parts_for(0), parts_for(2 * MIN_PART_BYTES - 1)), (1, 1));
        assert!(parts_for(usize::MAX) <= MAX_HELPERS + 1);
    }

    proptest! {
        #[test]
        fn parts_are_of_about_the_same_size(sizes in prop::collection::vec(0_usize..100, 0..60), parts in 1_usize..20) {
            let ends = part_ends(&sizes, |size| *size, |_| parts);
            prop_assert!(ends.is_sorted() && ends.len() <= parts);
            prop_assert_eq!(ends.last(), Some(&sizes.len()));
            let share = sizes.iter().sum::<usize>() / parts;
            let starts = std::iter::once(0).chain(ends.iter().copied());
            for (start, end) in starts.zip(&ends) {
                // The last item of a part may exceed its share, and so may that of the previous part.
                prop_assert!(sizes[start..*end].iter().sum::<usize>() <= share + 200);
            }
        }
    }

    #[test]
    fn many_at_a_time_all_get_their_results() {
        thread::scope(|scope| {
            for number in 0..16 {
                scope.spawn(move || {
                    let doubled = each((0..20).collect(), |part| part * number);
                    assert_eq!(doubled, (0..20).map(|part| part * number).collect::<Vec<_>>());
                });
            }
        });
    }

    #[test]
    fn what_is_begun_ahead_comes_in_order_and_its_panic_comes_back() {
        let mut ahead = Ahead::new(|number: usize| number * 2);
        (0..100).for_each(|number| ahead.add(number));
        ahead.add_late(7);
        assert_eq!(ahead.finish(), (0..100).chain([7]).map(|number| number * 2).collect::<Vec<_>>());
        assert!(Ahead::new(|()| ()).finish().is_empty());
        let mut ahead = Ahead::new(|number: usize| if number == 1 { resume_unwind(Box::new("lost")) } else { number });
        (0..3).for_each(|number| ahead.add(number));
        let caught = catch_unwind(AssertUnwindSafe(|| ahead.finish()));
        assert!(caught.is_err_and(|panic| panic.downcast_ref() == Some(&"lost")));
    }

    #[test]
    fn a_panic_comes_back() {
        // Without the panic hook, which would print.
        let panics =
            || each(vec![1, 2, 3], |part| if part == 3 { std::panic::resume_unwind(Box::new("lost")) } else { part });
        let caught = std::panic::catch_unwind(panics);
        assert!(caught.is_err_and(|panic: Box<dyn std::any::Any + Send>| panic.downcast_ref() == Some(&"lost")));
    }
}
