//! The order in which micro-batches pass the chunks of a stage.

use super::{Chunk, Counts, Job, JobKind, MicroBatch};

/// One forward or backward of a chunk on a micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    chunk: Chunk,
    micro_batch: MicroBatch,
}

impl Step {
    pub(super) fn job(self, kind: JobKind) -> Job {
        Job::new(kind.in_chunk(self.chunk), self.micro_batch)
    }
}

/// All steps of one direction. Counted up, not divided out: a schedule has millions of them.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    counts: Counts,
    /// How many chunks the current group has passed.
    passed: u32,
    group_begin: u32,
    group_end: u32,
    micro_batch: u32,
    direction: Direction,
}

#[derive(Debug, Clone, Copy)]
enum Direction {
    Forward,
    Backward,
}

impl Steps {
    /// The steps forward: in each group from the first chunk to the last.
    pub(super) fn forward(counts: Counts) -> Self {
        Self::new(counts, Direction::Forward)
    }

    /// The steps backward: in each group from the last chunk to the first.
    pub(super) fn backward(counts: Counts) -> Self {
        Self::new(counts, Direction::Backward)
    }

    fn new(counts: Counts, direction: Direction) -> Self {
        Self {
            counts,
            passed: 0,
            group_begin: 0,
            group_end: counts.stages().min(counts.micro_batches()),
            micro_batch: 0,
            direction,
        }
    }

    fn chunk(&self) -> Chunk {
        let number = match self.direction {
            Direction::Forward => self.passed,
            Direction::Backward => self.counts.chunks() - 1 - self.passed,
        };
        // Below the number of chunks, so it fits: see `MAX_CHUNKS`.
        Chunk(number as u16)
    }

    fn begin_next_chunk(&mut self) {
        self.passed += 1;
        if self.passed == self.counts.chunks() {
            self.passed = 0;
            self.group_begin = self.group_end;
            let left = self.counts.micro_batches() - self.group_end;
            self.group_end += self.counts.stages().min(left);
        }
        self.micro_batch = self.group_begin;
    }
}

impl Iterator for Steps {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        if self.group_begin == self.group_end {
            return None;
        }
        let step = Step { chunk: self.chunk(), micro_batch: MicroBatch(self.micro_batch) };
        self.micro_batch += 1;
        if self.micro_batch == self.group_end {
            self.begin_next_chunk();
        }
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(steps: Steps) -> String {
        let spelled: Vec<String> =
            steps.map(|step| format!("{}.{}", step.chunk, step.micro_batch)).collect();
        spelled.join(" ")
    }

    #[test]
    fn groups_are_as_large_as_there_are_stages_and_the_last_takes_the_rest() {
        let counts = Counts::new(2, 2, 3).unwrap();
        assert_eq!(spelled(Steps::forward(counts)), "0.0 0.1 1.0 1.1 0.2 1.2");
        assert_eq!(spelled(Steps::backward(counts)), "1.0 1.1 0.0 0.1 1.2 0.2");
    }
}
