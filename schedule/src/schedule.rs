//! A schedule: for every stage the ordered list of its jobs.
//!
//! All lists lie one after the other in one array, with the place where each begins, so that a schedule of
//! millions of jobs is two allocations and one stage of it is a slice.
//!
//! A forward and the backward right after it may be *fused*: they run as one action, each hiding the waits of
//! the other. That is kept beside the jobs, so that a job stays eight bytes.
//!
//! Invariant: every job is within the [`Counts`] of the schedule and on a stage that the [`Placement`] has
//! its chunk on. Lists made elsewhere come in through [`Schedule::from_lists`] and
//! [`Schedule::with_placement`], which take the counts from the jobs themselves. Whether the lists make sense
//! together is not decided here but in [`check`](crate::check).

use std::fmt;

use crate::counts::{Counts, Stage};
use crate::error::ScheduleError;
use crate::job::{Job, JobKind};
use crate::placement::Placement;

/// The job lists of all stages.
#[derive(Clone, PartialEq, Eq)]
pub struct Schedule {
    counts: Counts,
    placement: Placement,
    jobs: Vec<Job>,
    /// Where each stage's list ends in `jobs`; it begins where the one before it ends.
    ends: Vec<usize>,
    /// The index of the first job of each fused pair, in order.
    pairs: Vec<usize>,
}

impl Schedule {
    /// A schedule of the lists of stages 0, 1, ... with looped placement. Its counts are the least that hold
    /// every job.
    ///
    /// # Errors
    /// There is no stage, no job but the optimizer's, or more than [`MAX_JOBS`](crate::MAX_JOBS) jobs could
    /// belong to such counts.
    pub fn from_lists(lists: &[Vec<Job>]) -> Result<Self, ScheduleError> {
        let (chunks, micro_batches) = least_counts(lists);
        let counts = Counts::new(lists.len() as u64, chunks, micro_batches)?;
        Ok(Self::of(counts, Placement::looped(counts), lists))
    }

    /// A schedule of the lists of stages 0, 1, ... with this placement. The number of micro-batches is the
    /// least that holds every job.
    ///
    /// # Errors
    /// As [`from_lists`](Self::from_lists); or the placement is for another number of stages, or has not the
    /// chunk of some job on the job's stage.
    pub fn with_placement(lists: &[Vec<Job>], placement: Placement) -> Result<Self, ScheduleError> {
        if lists.len() as u64 != u64::from(placement.stages()) {
            let (lists, stages) = (lists.len(), placement.stages());
            return Err(ScheduleError::OtherStages { lists, stages });
        }
        let (_, micro_batches) = least_counts(lists);
        let counts =
            Counts::new(placement.stages().into(), placement.chunks().into(), micro_batches)?;
        for (stage, list) in (0..).map(Stage).zip(lists) {
            let is_misplaced = |job: &&Job| !is_at_home(stage, **job, &placement);
            if let Some(&job) = list.iter().find(is_misplaced) {
                return Err(ScheduleError::Misplaced { stage, job });
            }
        }
        Ok(Self::of(counts, placement, lists))
    }

    /// The schedule with these pairs of jobs fused, each given by the index of its first job among all
    /// [`jobs`](Self::jobs). It has no other pairs after that.
    ///
    /// # Errors
    /// A pair is not a forward and a backward right after it on the same stage, or two pairs overlap.
    pub fn with_fused_pairs(mut self, mut pairs: Vec<usize>) -> Result<Self, ScheduleError> {
        pairs.sort_unstable();
        for (place, &index) in pairs.iter().enumerate() {
            let overlaps = place > 0 && pairs[place - 1] + 1 >= index;
            if overlaps || !self.can_fuse(index) {
                return Err(ScheduleError::NotAPair { index });
            }
        }
        self.pairs = pairs;
        Ok(self)
    }

    fn can_fuse(&self, index: usize) -> bool {
        let Some(next) = index.checked_add(1) else { return false };
        let (Some(job), Some(after)) = (self.jobs.get(index), self.jobs.get(next)) else {
            return false;
        };
        job.can_fuse_with(*after) && self.stage_at(index) == self.stage_at(next)
    }

    fn of(counts: Counts, placement: Placement, lists: &[Vec<Job>]) -> Self {
        let jobs = lists.iter().map(Vec::len).sum();
        let mut builder = ScheduleBuilder::with_capacity(counts, placement, jobs);
        for list in lists {
            builder.list().extend_from_slice(list);
            builder.end_stage();
        }
        builder.finish()
    }

    /// The numbers of stages, chunks and micro-batches.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Where the parts of the model lie.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The index among all [`jobs`](Self::jobs) of the first job of each fused pair, in order.
    pub fn fused_pairs(&self) -> &[usize] {
        &self.pairs
    }

    /// Whether the job with this index among all [`jobs`](Self::jobs) runs as one with the job after it.
    pub fn is_fused_with_next(&self, index: usize) -> bool {
        self.pairs.binary_search(&index).is_ok()
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

/// The least numbers of chunks and micro-batches that hold every job of the lists.
fn least_counts(lists: &[Vec<Job>]) -> (u64, u64) {
    let mut chunks = 0;
    let mut micro_batches = 0;
    for job in lists.iter().flatten() {
        if job.kind() == JobKind::Optimizer {
            continue;
        }
        chunks = chunks.max(u64::from(job.job_type.chunk_or_first().0) + 1);
        micro_batches = micro_batches.max(u64::from(job.micro_batch.0) + 1);
    }
    (chunks, micro_batches)
}

/// Whether the placement has the chunk of a job on its stage, for its micro-batch where it is for one.
fn is_at_home(stage: Stage, job: Job, placement: &Placement) -> bool {
    let chunk = job.job_type.chunk_or_first();
    match job.kind() {
        JobKind::Optimizer => true,
        kind if kind.is_per_micro_batch() => placement.runs(stage, chunk, job.micro_batch),
        _ => placement.part(stage, chunk).is_some(),
    }
}

/// Fills a schedule stage by stage. The caller keeps every job within `counts` and at home.
pub(crate) struct ScheduleBuilder(Schedule);

impl ScheduleBuilder {
    /// An empty schedule with room for `jobs` jobs.
    pub(crate) fn with_capacity(counts: Counts, placement: Placement, jobs: usize) -> Self {
        Self(Schedule {
            counts,
            placement,
            jobs: Vec::with_capacity(jobs),
            ends: Vec::with_capacity(counts.stages() as usize),
            pairs: Vec::new(),
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
        self.finish_with_pairs(Vec::new())
    }

    /// The filled schedule with these fused pairs, in order.
    pub(crate) fn finish_with_pairs(self, pairs: Vec<usize>) -> Schedule {
        debug_assert_eq!(self.0.ends.len(), self.0.counts.stages() as usize);
        Schedule { pairs, ..self.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(text: &str) -> Vec<Vec<Job>> {
        let read = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        text.lines().map(read).collect()
    }

    fn v(stages: u64, micro_batches: u64) -> Placement {
        Placement::v(Counts::new(stages, 2, micro_batches).unwrap())
    }

    #[test]
    fn a_job_where_its_chunk_is_not_is_refused() {
        let counts = Counts::new(2, 2, 2).unwrap();
        let both_ways = Placement::both_ways(counts).unwrap();
        let refused = Schedule::with_placement(&lists("forward0:0\nforward1:0"), both_ways);
        assert_eq!(
            refused.unwrap_err().to_string(),
            "stage 1: `forward1:0` does not belong there: \
             the placement has no such chunk on the stage for this micro-batch"
        );
        let uneven = Placement::of_stages(2, &[0, 1, 0].map(Stage)).unwrap();
        let refused = Schedule::with_placement(&lists("forward1:0\nforward1:0"), uneven.clone());
        assert_eq!(refused.unwrap_err().code(), "E0336");
        let schedule = Schedule::with_placement(&lists("forward1:0\nforward0:0"), uneven).unwrap();
        assert_eq!(schedule.counts(), Counts::new(2, 2, 1).unwrap());
        let refused = Schedule::with_placement(&lists("forward0:0"), v(2, 1));
        assert_eq!(refused.unwrap_err().code(), "E0335");
    }

    #[test]
    fn a_stage_may_have_nothing_to_do() {
        let placement = Placement::of_stages(3, &[0, 2].map(Stage)).unwrap();
        let lists = [lists("forward0:0"), vec![Vec::new()], lists("forward0:0")].concat();
        let schedule = Schedule::with_placement(&lists, placement).unwrap();
        assert_eq!(schedule.stage(Stage(1)), Some([].as_slice()));
    }

    #[test]
    fn only_a_forward_and_the_backward_after_it_are_fused() {
        let text = "forward0:0 forward1:0 backward1:0 backward0:0\nforward0:0 forward1:0";
        let schedule = Schedule::with_placement(&lists(text), v(2, 1)).unwrap();
        let fused = schedule.clone().with_fused_pairs(vec![1]).unwrap();
        assert!(fused.is_fused_with_next(1) && !fused.is_fused_with_next(0));
        assert_ne!(fused, schedule);
        for wrong in [vec![0], vec![2], vec![3], vec![5], vec![usize::MAX], vec![1, 1]] {
            let refused = schedule.clone().with_fused_pairs(wrong.clone()).unwrap_err();
            assert_eq!(refused.code(), "E0337", "{wrong:?}");
        }
    }
}
