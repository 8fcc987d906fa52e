//! What all generators write into: the list of one stage after the other.

use crate::counts::{Chunk, Counts, MicroBatch};
use crate::job::{Job, JobKind};
use crate::placement::Placement;
use crate::schedule::{Schedule, ScheduleBuilder};

/// How many jobs a list has for each chunk and micro-batch: what room is made for.
#[derive(Debug, Clone, Copy)]
pub(super) enum JobsPerStep {
    /// A forward and a backward.
    Two = 2,
    /// A forward and the halves of a backward.
    Three = 3,
    /// A receive, a forward, a backward, a send.
    Four = 4,
}

/// The schedule in which `write` writes the list of each stage; each ends with the optimizer.
///
/// `write` keeps every job within the counts and at home.
pub(super) fn schedule_of(
    counts: Counts,
    placement: Placement,
    jobs_per_step: JobsPerStep,
    mut write: impl FnMut(u32, &mut List<'_>),
) -> Schedule {
    let per_stage = jobs_per_step as usize * counts.steps() as usize + 1;
    let jobs = per_stage * counts.stages() as usize;
    let mut builder = ScheduleBuilder::with_capacity(counts, placement, jobs);
    let mut pairs = Vec::new();
    for stage in 0..counts.stages() {
        write(stage, &mut List { jobs: builder.list(), pairs: &mut pairs });
        builder.list().push(Job::OPTIMIZER);
        builder.end_stage();
    }
    builder.finish_with_pairs(pairs)
}

/// The list of one stage, to write to its end.
pub(super) struct List<'a> {
    jobs: &'a mut Vec<Job>,
    pairs: &'a mut Vec<usize>,
}

impl List<'_> {
    /// A job of this kind, by the number of its chunk (less than there are) and its micro-batch.
    #[inline]
    pub(super) fn push(&mut self, kind: JobKind, chunk: u32, micro_batch: u32) {
        let job_type = kind.in_chunk(Chunk(chunk as u16));
        self.jobs.push(Job::new(job_type, MicroBatch(micro_batch)));
    }

    /// Jobs that are made already.
    #[inline]
    pub(super) fn extend(&mut self, jobs: impl IntoIterator<Item = Job>) {
        self.jobs.extend(jobs);
    }

    /// A job of a list without chunks.
    #[inline]
    pub(super) fn without_chunk(&mut self, kind: JobKind, micro_batch: u32) {
        self.jobs.push(Job::new(kind.without_chunk(), MicroBatch(micro_batch)));
    }

    /// The next two jobs, a forward and a backward, are to run as one.
    pub(super) fn fuse_next_two(&mut self) {
        self.pairs.push(self.jobs.len());
    }
}
