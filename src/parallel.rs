//! Threads that wait to take over half of a large work.
//!
//! Waking one takes 10 microseconds. A new thread was measured to begin 2 milliseconds late, half of the time: Linux puts it on the core
//! of the one that made it, though another is idle.

use std::{
    sync::{LazyLock, Mutex, PoisonError},
    thread,
};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// More than this many calls at a time share the helpers.
const MAX_HELPERS: usize = 4;

/// None where there is only one core, or the system gives us no thread.
static HELPERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let others = thread::available_parallelism().ok()?.get().checked_sub(1).filter(|others| *others > 0)?;
    let builder = ThreadPoolBuilder::new().num_threads(others.min(MAX_HELPERS));
    builder.thread_name(|index| format!("condense-helper-{index}")).build().ok()
});

/// What both return. `first` runs here and `second` on a helper at the same time, or here afterwards if no helper had time for it.
pub fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    let Some(helpers) = &*HELPERS else { return (first(), second()) };
    let waiting = Mutex::new(Some(second));
    let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (mut there, mut here) = (None, None);
    let first = helpers.in_place_scope(|scope| {
        scope.spawn(|_| there = take().map(|second| second()));
        let first = first();
        here = take().map(|second| second());
        first
    });
    (first, here.or(there).expect("whoever took it has run it, or the scope has panicked"))
}

/// Below this many bytes, the two threads would mostly wait for each other.
const WORTH_TWO: usize = 64 * 1024;

/// What `of` makes of a list, in its order: two parts of the list at the same time where it is large. `bytes` tells the size of an item.
pub fn in_two<'i, T: Sync, R: Send>(
    items: &'i [T],
    bytes: impl Fn(&T) -> usize,
    of: impl Fn(&'i [T]) -> Vec<R> + Sync,
) -> Vec<R> {
    let Some(middle) = middle(items, bytes) else { return of(items) };
    let (first, second) = items.split_at(middle);
    let (mut results, rest) = both(|| of(first), || of(second));
    results.extend(rest);
    results
}

/// Where to divide a list so that both parts have about as many bytes; `None` when it is not large enough to be divided.
pub fn middle<T>(items: &[T], bytes: impl Fn(&T) -> usize) -> Option<usize> {
    let all: usize = items.iter().map(&bytes).sum();
    let mut before = 0;
    let middle = items.iter().position(|item| {
        before += bytes(item);
        before >= all / 2
    })?;
    (all >= WORTH_TWO).then_some(middle + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_run_and_may_borrow() {
        let words = ["one".to_owned(), "two".to_owned()];
        assert_eq!(both(|| words[0].len(), || words[1].as_str()), (3, "two"));
    }

    #[test]
    fn parts_come_back_in_order() {
        for sizes in [vec![], vec![1], vec![WORTH_TWO; 5], vec![9 * WORTH_TWO, 1, 1], vec![1, 1, 9 * WORTH_TWO]] {
            assert_eq!(in_two(&sizes, |size| *size, <[usize]>::to_vec), sizes);
        }
        assert_eq!(middle(&[WORTH_TWO, 1, WORTH_TWO, 1], |size| *size), Some(2));
    }

    #[test]
    fn many_at_a_time_all_get_their_results() {
        thread::scope(|scope| {
            for number in 0..16 {
                scope.spawn(move || assert_eq!(both(|| number, || number * 2), (number, number * 2)));
            }
        });
    }

    #[test]
    fn a_panic_comes_back() {
        // Without the panic hook, which would print.
        let panics = || both(|| 1, || std::panic::resume_unwind(Box::new("lost")));
        let caught = std::panic::catch_unwind(|| panics().1);
        assert!(caught.is_err_and(|panic: Box<dyn std::any::Any + Send>| panic.downcast_ref() == Some(&"lost")));
    }
}
