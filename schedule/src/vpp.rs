//! `VPP`: Paddle's interleaved 1F1B schedule, job for job.
//!
//! # The law
//!
//! p stages, v chunks on each, m micro-batches, r the stage. A *step* is one forward or one backward of a
//! chunk on a micro-batch; a stage takes m·v steps of either.
//!
//! 1. **Order of the steps.** Micro-batches go in groups of p (the last group has m mod p if p does not
//!    divide m). Within a group all micro-batches pass chunk 0, then all pass chunk 1, and so on. Backward
//!    goes through the same groups with the chunks from last to first.
//! 2. **Warmup.** Stage r first takes `w` steps forward, with
//!
//!    `w = min(2(p - 1 - r) + (v - 1)p + 1, m·v)`, and `w = m·v` if m = p.
//! 3. **Steady.** Then one step backward and one step forward alternate until all forwards are done. Each
//!    pair is `backward, recv_forward, send_backward, forward`: the receive goes out before the send, so
//!    that neither side of two stages waits to send while the other waits to send too.
//! 4. **Cooldown.** The steps backward that are left, each with its `send_backward`.
//! 5. `optimizer`, once.
//!
//! With **split backward** (only where m = p; Paddle ignores the flag elsewhere, without a word) all
//! forwards run first, then the input halves `backward_b` of all steps backward, then all weight halves
//! `backward_w` by chunk from last to first; receives and sends are inside the jobs.
//!
//! Sources: the interleaved schedule and its warmup `2(p - 1 - r) + (v - 1)p` are those of Narayanan et al.,
//! "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021); the one step
//! more, the special case m = p and the order of a pair are what PaddlePaddle 3.3.1 does, as its own lists
//! show (the tests hold all of them for p up to 8, v up to 4, m up to 24).
//!
//! # What it means
//!
//! The list of a stage depends on (p, v, m, r) alone, so one stage is made without the others. Whether all
//! stages can run together is another question: see [`Vpp::verdict`].

mod steps;
mod verdict;

use crate::counts::{Chunk, Counts, MicroBatch, Stage};
use crate::error::ScheduleError;
use crate::job::{Job, JobKind, JobType};
use crate::placement::Placement;
use crate::schedule::{Schedule, ScheduleBuilder};
use steps::Steps;

/// Whether a backward is one job or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BackwardMode {
    /// One `backward` job computes all gradients.
    #[default]
    Whole,
    /// `backward_b` computes the gradients of the inputs, a later `backward_w` those of the weights.
    Split,
}

/// The generator of `VPP` schedules for given counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vpp {
    counts: Counts,
    requested: BackwardMode,
}

impl Vpp {
    /// The `VPP` schedule for these numbers of stages, of chunks on each stage and of micro-batches.
    ///
    /// # Errors
    /// A count is zero or absurdly large, or there are fewer micro-batches than stages. The answer does not
    /// depend on a stage, so that no stage starts what another refuses.
    pub fn new(
        stages: u64,
        chunks: u64,
        micro_batches: u64,
        backward: BackwardMode,
    ) -> Result<Self, ScheduleError> {
        let counts = Counts::new(stages, chunks, micro_batches)?;
        if counts.micro_batches() < counts.stages() {
            return Err(ScheduleError::TooFewMicroBatches {
                stages: counts.stages(),
                micro_batches: counts.micro_batches(),
            });
        }
        Ok(Self { counts, requested: backward })
    }

    /// The numbers of stages, chunks and micro-batches.
    pub fn counts(self) -> Counts {
        self.counts
    }

    /// The backward mode that was asked for.
    pub fn requested_backward(self) -> BackwardMode {
        self.requested
    }

    /// The backward mode of the lists: split only if asked for and m = p.
    pub fn effective_backward(self) -> BackwardMode {
        if self.has_one_full_group() { self.requested } else { BackwardMode::Whole }
    }

    /// How many steps forward a stage takes before its first step backward.
    ///
    /// # Errors
    /// There is no such stage.
    pub fn warmup(self, stage: Stage) -> Result<u32, ScheduleError> {
        self.require(stage)?;
        Ok(self.warmup_of(stage.0))
    }

    /// Every job type of a stage, in the order in which Paddle lists the programs. They are the same on all
    /// stages, a first stage with nothing to receive included.
    pub fn job_types(self) -> Vec<JobType> {
        let chunks = self.counts.each_chunk();
        let mut types = Vec::new();
        match self.effective_backward() {
            BackwardMode::Whole => {
                for chunk in chunks.clone() {
                    types.push(JobKind::RecvForward.in_chunk(chunk));
                    types.push(JobKind::Forward.in_chunk(chunk));
                }
                for chunk in chunks.rev() {
                    types.push(JobKind::Backward.in_chunk(chunk));
                    types.push(JobKind::SendBackward.in_chunk(chunk));
                }
            }
            BackwardMode::Split => {
                types.extend(chunks.clone().map(|chunk| JobKind::Forward.in_chunk(chunk)));
                for kind in [JobKind::BackwardInput, JobKind::BackwardWeight] {
                    types.extend(chunks.clone().rev().map(|chunk| kind.in_chunk(chunk)));
                }
            }
        }
        types.push(JobType::OPTIMIZER);
        types
    }

    /// The jobs of one stage, in order. The other stages are not made for it.
    ///
    /// # Errors
    /// There is no such stage.
    pub fn jobs(self, stage: Stage) -> Result<Vec<Job>, ScheduleError> {
        self.require(stage)?;
        let mut jobs = Vec::with_capacity(self.jobs_per_stage());
        self.append_stage(stage.0, &mut jobs);
        Ok(jobs)
    }

    /// The jobs of all stages.
    pub fn schedule(self) -> Schedule {
        let stages = self.counts.stages();
        let jobs = self.jobs_per_stage() * stages as usize;
        let mut builder =
            ScheduleBuilder::with_capacity(self.counts, Placement::looped(self.counts), jobs);
        for stage in 0..stages {
            self.append_stage(stage, builder.list());
            builder.end_stage();
        }
        builder.finish()
    }

    /// m = p: the case that Paddle treats on its own.
    fn has_one_full_group(self) -> bool {
        self.counts.micro_batches() == self.counts.stages()
    }

    fn require(self, stage: Stage) -> Result<(), ScheduleError> {
        let stages = self.counts.stages();
        if stage.0 < stages { Ok(()) } else { Err(ScheduleError::NoSuchStage { stage, stages }) }
    }

    fn warmup_of(self, stage: u32) -> u32 {
        let steps = self.counts.steps();
        if self.has_one_full_group() {
            return steps;
        }
        let stages = self.counts.stages();
        let in_flight = 2 * (stages - 1 - stage) + (self.counts.chunks() - 1) * stages + 1;
        in_flight.min(steps)
    }

    fn jobs_per_stage(self) -> usize {
        let jobs_per_step = match self.effective_backward() {
            BackwardMode::Whole => 4,
            BackwardMode::Split => 3,
        };
        jobs_per_step * self.counts.steps() as usize + 1
    }

    fn append_stage(self, stage: u32, jobs: &mut Vec<Job>) {
        match self.effective_backward() {
            BackwardMode::Whole => self.append_whole(stage, jobs),
            BackwardMode::Split => self.append_split(jobs),
        }
        jobs.push(Job::OPTIMIZER);
    }

    fn append_whole(self, stage: u32, jobs: &mut Vec<Job>) {
        let mut forwards = Steps::forward(self.counts);
        let mut backwards = Steps::backward(self.counts);
        for step in forwards.by_ref().take(self.warmup_of(stage) as usize) {
            jobs.extend([step.job(JobKind::RecvForward), step.job(JobKind::Forward)]);
        }
        // The forwards come first in the zip: when they run out, no backward has been taken for nothing.
        for (forward, backward) in forwards.zip(backwards.by_ref()) {
            jobs.extend([
                backward.job(JobKind::Backward),
                forward.job(JobKind::RecvForward),
                backward.job(JobKind::SendBackward),
                forward.job(JobKind::Forward),
            ]);
        }
        for step in backwards {
            jobs.extend([step.job(JobKind::Backward), step.job(JobKind::SendBackward)]);
        }
    }

    fn append_split(self, jobs: &mut Vec<Job>) {
        let forwards = Steps::forward(self.counts);
        let backwards = Steps::backward(self.counts);
        jobs.extend(forwards.map(|step| step.job(JobKind::Forward)));
        jobs.extend(backwards.clone().map(|step| step.job(JobKind::BackwardInput)));
        // One full group, so the steps backward are already by chunk from last to first.
        jobs.extend(backwards.map(|step| step.job(JobKind::BackwardWeight)));
    }
}
