//! Working on several things at a time, with results that do not tell it.

use std::iter;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies `work` to each item, on up to `threads` threads; results are in the order of the items.
pub fn map<T: Sync, R: Send>(
    threads: NonZeroUsize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let workers = threads.get().min(items.len());
    if workers <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take_turns = || {
        let turns = iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, work(item)))
        });
        turns.collect::<Vec<(usize, R)>>()
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(take_turns)).collect();
        let done = workers.into_iter().map(|worker| worker.join());
        done.flat_map(|done| done.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items_with_any_number_of_threads() {
        let items: Vec<usize> = (0..50).collect();
        let squares: Vec<usize> = items.iter().map(|n| n * n).collect();
        for threads in 1..6 {
            let threads = NonZeroUsize::new(threads).expect("it begins at 1");
            assert_eq!(map(threads, &items, |n| n * n), squares);
        }
    }

    /// Two threads in step: each has every other item, so that results come in an order of their own.
    #[test]
    fn results_of_threads_that_take_turns_are_put_in_order() {
        let both = std::sync::Barrier::new(2);
        let items: Vec<usize> = (0..20).collect();
        let results = map(NonZeroUsize::new(2).unwrap(), &items, |&n| {
            both.wait();
            n
        });
        assert_eq!(results, items);
    }
}
