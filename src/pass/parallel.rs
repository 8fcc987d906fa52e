//! Working on several things at a time, with results that do not tell it.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// As many threads as the system has processors for this process.
pub(super) fn default_threads() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// How many threads each of `parts` may use where they share `threads`.
pub(super) fn share(threads: NonZeroUsize, parts: usize) -> NonZeroUsize {
    NonZeroUsize::new(threads.get() / parts.max(1)).unwrap_or(NonZeroUsize::MIN)
}

/// Applies `work` to each item, on up to `threads` threads; results are in the order of the items.
pub(super) fn map_in_parallel<T: Send, R: Send>(
    threads: NonZeroUsize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let workers = threads.get().min(items.len());
    if workers <= 1 {
        return items.into_iter().map(work).collect();
    }
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take_turns = || {
        let turns = std::iter::from_fn(next);
        turns.map(|(index, item)| (index, work(item))).collect::<Vec<(usize, R)>>()
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(take_turns)).collect();
        let done = workers.into_iter().map(|worker| worker.join());
        done.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
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
            let squares = map_in_parallel(threads, (0..100_u64).collect(), |n| n * n);
            assert!(squares.iter().enumerate().all(|(n, &square)| square == (n * n) as u64));
        }
    }

    /// Two threads in step: each does one of every two items, so that neither has a run of them.
    #[test]
    fn results_of_threads_that_take_turns_are_put_in_order() {
        let (two, both) = (NonZeroUsize::new(2).unwrap(), std::sync::Barrier::new(2));
        let results = map_in_parallel(two, (0..20).collect(), |n: usize| {
            both.wait();
            n
        });
        assert_eq!(results, (0..20).collect::<Vec<usize>>());
    }
}
