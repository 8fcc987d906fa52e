//! The order in which micro-batches pass the chunks of a stage.
//!
//! Interleaved schedules take the micro-batches in groups: within a group all of them pass chunk 0, then all
//! pass chunk 1, and so on; backward goes through the same groups with the chunks from last to first.

use crate::counts::{Chunk, MicroBatch};
use crate::job::{Job, JobKind};

/// How the micro-batches are grouped: first some groups of one size, then groups of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Groups {
    micro_batches: u32,
    first_size: u32,
    firsts: u32,
    other_size: u32,
}

impl Groups {
    /// Groups of `size`; the last takes the rest if there is one.
    pub(crate) fn of_size(micro_batches: u32, size: u32) -> Self {
        let size = size.min(micro_batches);
        let (firsts, other_size) = (micro_batches / size, micro_batches % size);
        Self { micro_batches, first_size: size, firsts, other_size }
    }

    /// As many groups as `size` goes into the micro-batches, at least one, as equal as can be: no group is
    /// smaller than `size`, unless there are too few micro-batches for one.
    pub(crate) fn balanced(micro_batches: u32, size: u32) -> Self {
        let groups = (micro_batches / size).max(1);
        let (least, longer) = (micro_batches / groups, micro_batches % groups);
        if longer == 0 {
            return Self::of_size(micro_batches, least);
        }
        Self { micro_batches, first_size: least + 1, firsts: longer, other_size: least }
    }

    /// The size of the first group, which is the largest.
    pub(crate) fn first_size(self) -> u32 {
        self.first_size
    }

    /// The size of the last group.
    pub(crate) fn last_size(self) -> u32 {
        if self.other_size == 0 { self.first_size } else { self.other_size }
    }

    fn size(self, group: u32) -> u32 {
        if group < self.firsts { self.first_size } else { self.other_size }
    }
}

/// One forward or backward of a chunk on a micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) chunk: Chunk,
    pub(crate) micro_batch: MicroBatch,
}

impl Step {
    pub(crate) fn job(self, kind: JobKind) -> Job {
        Job::new(kind.in_chunk(self.chunk), self.micro_batch)
    }
}

/// All steps of one direction. Counted up, not divided out: a schedule has millions of them.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    groups: Groups,
    chunks: u32,
    direction: Direction,
    /// The group and how many chunks it has passed.
    group: u32,
    passed: u32,
    group_begin: u32,
    group_end: u32,
    micro_batch: u32,
}

#[derive(Debug, Clone, Copy)]
enum Direction {
    Forward,
    Backward,
}

impl Steps {
    /// The steps forward: in each group from the first chunk to the last.
    pub(crate) fn forward(chunks: u32, groups: Groups) -> Self {
        Self::new(chunks, groups, Direction::Forward)
    }

    /// The steps backward: in each group from the last chunk to the first.
    pub(crate) fn backward(chunks: u32, groups: Groups) -> Self {
        Self::new(chunks, groups, Direction::Backward)
    }

    fn new(chunks: u32, groups: Groups, direction: Direction) -> Self {
        let group_end = groups.size(0);
        Self {
            groups,
            chunks,
            direction,
            group: 0,
            passed: 0,
            group_begin: 0,
            group_end,
            micro_batch: 0,
        }
    }

    fn chunk(&self) -> Chunk {
        let number = match self.direction {
            Direction::Forward => self.passed,
            Direction::Backward => self.chunks - 1 - self.passed,
        };
        // Below the number of chunks, so it fits: see `MAX_CHUNKS`.
        Chunk(number as u16)
    }

    fn begin_next_chunk(&mut self) {
        self.passed += 1;
        if self.passed == self.chunks {
            self.passed = 0;
            self.group += 1;
            self.group_begin = self.group_end;
            let left = self.groups.micro_batches - self.group_end;
            self.group_end += self.groups.size(self.group).min(left);
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
    fn in_groups_of_a_size_the_last_takes_the_rest() {
        let groups = Groups::of_size(3, 2);
        assert_eq!(spelled(Steps::forward(2, groups)), "0.0 0.1 1.0 1.1 0.2 1.2");
        assert_eq!(spelled(Steps::backward(2, groups)), "1.0 1.1 0.0 0.1 1.2 0.2");
        assert_eq!(spelled(Steps::forward(2, Groups::of_size(2, 5))), "0.0 0.1 1.0 1.1");
    }

    #[test]
    fn balanced_groups_differ_by_one_at_most() {
        let sizes = |micro_batches, size| {
            let groups = Groups::balanced(micro_batches, size);
            let mut steps = Steps::forward(1, groups);
            let mut sizes: Vec<u32> = Vec::new();
            loop {
                let group = steps.group as usize;
                if steps.next().is_none() {
                    return sizes;
                }
                sizes.resize(group + 1, 0);
                sizes[group] += 1;
            }
        };
        assert_eq!(sizes(10, 4), [5, 5]);
        assert_eq!(sizes(11, 4), [6, 5]);
        assert_eq!(sizes(3, 4), [3]);
        assert_eq!(sizes(9, 2), [3, 2, 2, 2]);
    }
}
