//! Working on several things at a time, with results that do not tell it.
//!
//! ```
//! use pirogue::parallel::{default_threads, map};
//! assert_eq!(map(default_threads(), vec![1, 2, 3], |n| n * n), [1, 4, 9]);
//! ```

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// As many threads as the system has processors for this process.
pub fn default_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// How many threads each of `parts` may use where they share `threads`.
pub fn share(threads: NonZeroUsize, parts: usize) -> NonZeroUsize {
    NonZeroUsize::new(threads.get() / parts.max(1)).unwrap_or(NonZeroUsize::MIN)
}

/// Applies `work` to each item, on up to `threads` threads; results are in the order of the items.
/// A panic of `work` goes on in the caller.
pub fn map<T: Send, R: Send>(
    threads: NonZeroUsize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    map_with(threads, items, || (), |(), item| work(item))
}

/// As [`map`]; `work` also has what `state` makes, once for each thread. Results must not depend on
/// what an earlier item left there.
pub fn map_with<T: Send, S, R: Send>(
    threads: NonZeroUsize,
    items: Vec<T>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let workers = threads.get().min(items.len());
    if workers <= 1 {
        let mut state = state();
        return items.into_iter().map(|item| work(&mut state, item)).collect();
    }
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take_turns = || {
        let mut state = state();
        let turns = std::iter::from_fn(next);
        turns.map(|(index, item)| (index, work(&mut state, item))).collect::<Vec<(usize, R)>>()
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(take_turns)).collect();
        let mut results = take_turns();
        for done in others.into_iter().map(|other| other.join()) {
            results.extend(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_with_any_number_of_threads() {
        for threads in 1..9 {
            let threads = NonZeroUsize::new(threads).unwrap();
            let squares = map(threads, (0..100_u64).collect(), |n| n * n);
            assert!(squares.iter().enumerate().all(|(n, &square)| square == (n * n) as u64));
        }
    }

    /// Two threads in step: each does one of every two items, so that neither has a run of them.
    #[test]
    fn results_of_threads_that_take_turns_are_put_in_order() {
        let (two, both) = (NonZeroUsize::new(2).unwrap(), std::sync::Barrier::new(2));
        let results = map(two, (0..20).collect(), |n: usize| {
            both.wait();
            n
        });
        assert_eq!(results, (0..20).collect::<Vec<usize>>());
    }
}
