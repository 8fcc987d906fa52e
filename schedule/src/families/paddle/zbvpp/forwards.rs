//! The forwards before the first backward, which fill the time until what a stage waits for can begin.

use super::bench::{Bench, Direction, MESSAGE};
use crate::job::JobKind;

use Direction::Forward;

/// Puts the first micro-batch through all chunks, and before each of its jobs, and before the first input half
/// of chunk 0, forwards that end before it can begin.
pub(super) fn put_all_before_first_backward(bench: &mut Bench) {
    for stage in 0..bench.stages() {
        bench.put(Forward, stage, 0);
    }
    for chunk in 1..bench.chunks() {
        Leg { known: chunk, awaited: JobKind::Forward, awaited_chunk: chunk }.fill(bench);
    }
    let known = bench.chunks();
    Leg { known, awaited: JobKind::BackwardInput, awaited_chunk: 0 }.fill(bench);
}

/// One way over the stages: what each of them waits for, and what it fills the time with.
struct Leg {
    /// Forwards of the chunks below this fill the time.
    known: u32,
    awaited: JobKind,
    awaited_chunk: u32,
}

impl Leg {
    fn fill(&self, bench: &mut Bench) {
        let mut stages: Vec<u32> = (0..bench.stages()).collect();
        if self.goes_down() {
            stages.reverse();
        }
        let first = stages[0];
        let mut begins = bench.free_at(first);
        self.put_awaited(bench, first);
        for &stage in &stages[1..] {
            begins += MESSAGE + bench.takes(self.awaited, stage, self.awaited_chunk);
            self.fill_until(bench, stage, begins);
            self.put_awaited(bench, stage);
        }
    }

    /// The way that the chunk after the known ones takes.
    fn goes_down(&self) -> bool {
        !self.known.is_multiple_of(2)
    }

    /// The first input half is only waited for.
    fn put_awaited(&self, bench: &mut Bench, stage: u32) {
        if self.awaited == JobKind::Forward {
            bench.put(Forward, stage, self.awaited_chunk);
        }
    }

    /// Fills the time of a stage, and for it that of the stages which feed it. Going up, a stage gets at least as
    /// many forwards as stage 0 has, be there time or not.
    fn fill_until(&self, bench: &mut Bench, stage: u32, time: u64) {
        let (feeders, least): (Vec<u32>, usize) = if self.goes_down() {
            ((0..=stage).collect(), 0)
        } else {
            ((stage..bench.stages()).rev().collect(), self.count(bench, 0))
        };
        let can_put = |bench: &Bench, stage, chunk| {
            bench.can_put(Forward, stage, chunk)
                && (self.count(bench, stage) < least
                    || bench.would_end(Forward, stage, chunk) <= time)
        };
        let mut chunk = (bench.last_chunk(stage) + 1) % self.known;
        // Once no chunk can be put on any feeder, nothing changes any more.
        let mut chunks_in_vain = 0;
        while chunks_in_vain < self.known && self.lacks_forwards(bench, stage) {
            chunks_in_vain += 1;
            for &feeder in &feeders {
                if can_put(bench, feeder, chunk) {
                    bench.put(Forward, feeder, chunk);
                    chunks_in_vain = 0;
                }
            }
            chunk = (chunk + 1) % self.known;
        }
    }

    fn lacks_forwards(&self, bench: &Bench, stage: u32) -> bool {
        self.count(bench, stage) < (self.known * bench.micro_batches()) as usize
    }

    fn count(&self, bench: &Bench, stage: u32) -> usize {
        (0..self.known).map(|chunk| bench.count(Forward, stage, chunk)).sum()
    }
}
