//! A schedule: for every stage the ordered list of its jobs.
//!
//! All lists lie one after the other in one array, with the place where each begins, so that a schedule of
//! millions of jobs is two allocations and one stage of it is a slice.
//!
//! Invariant: every job is within the [`Counts`] of the schedule. Lists made elsewhere come in through
//! [`Schedule::from_lists`], which takes the counts from the jobs themselves. Whether the lists make sense
//! together is not decided here but in [`check`](crate::check).

use std::fmt;

use crate::counts::{Counts, Stage};
use crate::error::ScheduleError;
use crate::job::{Job, JobKind};

/// The job lists of all stages.
#[derive(Clone, PartialEq, Eq)]
pub struct Schedule {
    counts: Counts,
    jobs: Vec<Job>,
    /// Where each stage's list ends in `jobs`; it begins where the one before it ends.
    ends: Vec<usize>,
}

impl Schedule {
    /// A schedule of the lists of stages 0, 1, ... Its counts are the least that hold every job.
    ///
    /// # Errors
    /// There is no stage, no job but the optimizer's, or more than [`MAX_JOBS`](crate::MAX_JOBS) jobs could
    /// belong to such counts.
    pub fn from_lists(lists: &[Vec<Job>]) -> Result<Self, ScheduleError> {
        let counts = counts_of(lists)?;
        let mut builder = ScheduleBuilder::with_capacity(counts, lists.iter().map(Vec::len).sum());
        for list in lists {
            builder.list().extend_from_slice(list);
            builder.end_stage();
        }
        Ok(builder.finish())
    }

    /// The numbers of stages, chunks and micro-batches.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The jobs of one stage in order, or none where there is no such stage.
    pub fn stage(&self, stage: Stage) -> Option<&[Job]> {
        let index = stage.0 as usize;
        let end = *self.ends.get(index)?;
        let begin = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        Some(&self.jobs[begin..end])
    }

    /// Every stage with its jobs, in order of stages.
    pub fn stages(&self) -> impl ExactSizeIterator<Item = (Stage, &[Job])> {
        (0..self.counts.stages()).map(|stage| (Stage(stage), self.list(stage)))
    }

    /// The jobs of all stages, one list after the other.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The list of a stage that is known to exist.
    pub(crate) fn list(&self, stage: u32) -> &[Job] {
        self.stage(Stage(stage)).expect("the stage is below the count of stages")
    }

    /// Where the list of a stage begins among all [`jobs`](Self::jobs).
    pub(crate) fn begin(&self, stage: u32) -> usize {
        match stage {
            0 => 0,
            _ => self.ends[stage as usize - 1],
        }
    }

    /// The stage whose list holds the job with this index among all [`jobs`](Self::jobs).
    pub(crate) fn stage_at(&self, index: usize) -> u32 {
        self.ends.partition_point(|&end| end <= index) as u32
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schedule({}, {} jobs)", self.counts, self.jobs.len())
    }
}

/// The least counts that hold every job of the lists.
fn counts_of(lists: &[Vec<Job>]) -> Result<Counts, ScheduleError> {
    let mut chunks = 0;
    let mut micro_batches = 0;
    for job in lists.iter().flatten() {
        if job.kind() == JobKind::Optimizer {
            continue;
        }
        chunks = chunks.max(u64::from(job.job_type.chunk_or_first().0) + 1);
        micro_batches = micro_batches.max(u64::from(job.micro_batch.0) + 1);
    }
    Counts::new(lists.len() as u64, chunks, micro_batches)
}

/// Fills a schedule stage by stage. The caller keeps every job within `counts`.
pub(crate) struct ScheduleBuilder(Schedule);

impl ScheduleBuilder {
    /// An empty schedule with room for `jobs` jobs.
    pub(crate) fn with_capacity(counts: Counts, jobs: usize) -> Self {
        Self(Schedule {
            counts,
            jobs: Vec::with_capacity(jobs),
            ends: Vec::with_capacity(counts.stages() as usize),
        })
    }

    /// The array to append the jobs of the next stage to.
    pub(crate) fn list(&mut self) -> &mut Vec<Job> {
        &mut self.0.jobs
    }

    /// Ends the list of the stage.
    pub(crate) fn end_stage(&mut self) {
        self.0.ends.push(self.0.jobs.len());
    }

    /// The filled schedule.
    pub(crate) fn finish(self) -> Schedule {
        debug_assert_eq!(self.0.ends.len(), self.0.counts.stages() as usize);
        self.0
    }
}
