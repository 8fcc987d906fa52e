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
//! `backward_w` by chunk from last to first; receives and sends are inside the jobs. With an *overlapped
//! sharding reduce* the weight half of each chunk's last micro-batch is `backward_w{c}_reduce`.
//!
//! The **legacy form** has no jobs that only receive or only send. There `w = min(2(p-1-r) + (v-1)p, m·v)`, one
//! less, and the steady phase is forward, backward: the computations are in the same order.
//!
//! To **regroup** is not Paddle's: where p does not divide m there are m div p groups all the same, the first
//! of them larger by one, and p in the warmup is the size of the first group.
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

mod verdict;

use crate::counts::{Counts, Stage};
use crate::error::ScheduleError;
use crate::families::Remainder;
use crate::job::{Job, JobKind, JobType};
use crate::placement::Placement;
use crate::schedule::{Schedule, ScheduleBuilder};
use crate::steps::{Groups, Steps};

/// Whether a backward is one job or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BackwardMode {
    /// One `backward` job computes all gradients.
    #[default]
    Whole,
    /// `backward_b` computes the gradients of the inputs, a later `backward_w` those of the weights.
    Split,
}

/// Which jobs the lists have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// As PaddlePaddle 3.3.1 lists them: `recv_forward` and `send_backward` are jobs of their own.
    #[default]
    Current,
    /// As older ones did: receives and sends are inside the computations.
    Legacy,
}

/// When the reduction of gradients among data parallel ranks that share parameters begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ShardingReduce {
    /// After the last backward.
    #[default]
    AtTheEnd,
    /// Each chunk's in the last weight half of that chunk.
    Overlapped,
}

/// The generator of `VPP` schedules for given counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vpp {
    counts: Counts,
    requested: BackwardMode,
    form: Form,
    sharding_reduce: ShardingReduce,
    remainder: Remainder,
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
        Self::of(Counts::new(stages, chunks, micro_batches)?, backward)
    }

    /// The `VPP` schedule for these counts.
    ///
    /// # Errors
    /// There are fewer micro-batches than stages.
    pub fn of(counts: Counts, backward: BackwardMode) -> Result<Self, ScheduleError> {
        if counts.micro_batches() < counts.stages() {
            return Err(ScheduleError::TooFewMicroBatches {
                stages: counts.stages(),
                micro_batches: counts.micro_batches(),
            });
        }
        Ok(Self {
            counts,
            requested: backward,
            form: Form::default(),
            sharding_reduce: ShardingReduce::default(),
            remainder: Remainder::default(),
        })
    }

    /// The same schedule with these jobs.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The same schedule with this reduction of gradients. It counts only with a split backward.
    #[must_use]
    pub fn with_sharding_reduce(self, sharding_reduce: ShardingReduce) -> Self {
        Self { sharding_reduce, ..self }
    }

    /// The same schedule with the micro-batches that are left over in these groups.
    #[must_use]
    pub fn with_remainder(self, remainder: Remainder) -> Self {
        Self { remainder, ..self }
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
        match (self.effective_backward(), self.form) {
            (BackwardMode::Whole, form) => {
                let (before, after) = match form {
                    Form::Current => (Some(JobKind::RecvForward), Some(JobKind::SendBackward)),
                    Form::Legacy => (None, None),
                };
                for chunk in chunks.clone() {
                    let kinds = before.into_iter().chain([JobKind::Forward]);
                    types.extend(kinds.map(|kind| kind.in_chunk(chunk)));
                }
                for chunk in chunks.rev() {
                    let kinds = [JobKind::Backward].into_iter().chain(after);
                    types.extend(kinds.map(|kind| kind.in_chunk(chunk)));
                }
            }
            (BackwardMode::Split, _) => {
                types.extend(chunks.clone().map(|chunk| JobKind::Forward.in_chunk(chunk)));
                for kind in [JobKind::BackwardInput, JobKind::BackwardWeight] {
                    types.extend(chunks.clone().rev().map(|chunk| kind.in_chunk(chunk)));
                }
                if self.has_reduce() {
                    let kind = JobKind::BackwardWeightReduce;
                    types.extend(chunks.rev().map(|chunk| kind.in_chunk(chunk)));
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

    /// Whether the last weight half of a chunk is a job of another type.
    fn has_reduce(self) -> bool {
        self.effective_backward() == BackwardMode::Split
            && self.sharding_reduce == ShardingReduce::Overlapped
    }

    fn groups(self) -> Groups {
        let (stages, micro_batches) = (self.counts.stages(), self.counts.micro_batches());
        match self.remainder {
            Remainder::Keep => Groups::of_size(micro_batches, stages),
            Remainder::Regroup => Groups::balanced(micro_batches, stages),
        }
    }

    fn warmup_of(self, stage: u32) -> u32 {
        let steps = self.counts.steps();
        if self.has_one_full_group() {
            return steps;
        }
        let group = self.groups().first_size();
        let turn = match self.form {
            Form::Current => 1,
            Form::Legacy => 0,
        };
        let in_flight =
            2 * (self.counts.stages() - 1 - stage) + (self.counts.chunks() - 1) * group + turn;
        in_flight.min(steps)
    }

    fn jobs_per_stage(self) -> usize {
        let jobs_per_step = match (self.effective_backward(), self.form) {
            (BackwardMode::Whole, Form::Current) => 4,
            (BackwardMode::Whole, Form::Legacy) => 2,
            (BackwardMode::Split, _) => 3,
        };
        jobs_per_step * self.counts.steps() as usize + 1
    }

    fn append_stage(self, stage: u32, jobs: &mut Vec<Job>) {
        let warmup = self.warmup_of(stage) as usize;
        let forwards = Steps::forward(self.counts.chunks(), self.groups());
        let backwards = Steps::backward(self.counts.chunks(), self.groups());
        match (self.effective_backward(), self.form) {
            (BackwardMode::Whole, Form::Current) => {
                append_with_messages(warmup, forwards, backwards, jobs);
            }
            (BackwardMode::Whole, Form::Legacy) => {
                append_computations(warmup, forwards, backwards, jobs);
            }
            (BackwardMode::Split, _) => self.append_split(forwards, backwards, jobs),
        }
        jobs.push(Job::OPTIMIZER);
    }

    fn append_split(self, forwards: Steps, backwards: Steps, jobs: &mut Vec<Job>) {
        jobs.extend(forwards.map(|step| step.job(JobKind::Forward)));
        jobs.extend(backwards.clone().map(|step| step.job(JobKind::BackwardInput)));
        let last = self.has_reduce().then(|| self.counts.micro_batches() - 1);
        // One full group, so the steps backward are already by chunk from last to first.
        jobs.extend(backwards.map(|step| {
            let is_reduced = Some(step.micro_batch.0) == last;
            step.job(if is_reduced {
                JobKind::BackwardWeightReduce
            } else {
                JobKind::BackwardWeight
            })
        }));
    }
}

/// The lists in which a receive and a send are jobs of their own.
fn append_with_messages(
    warmup: usize,
    mut forwards: Steps,
    mut backwards: Steps,
    jobs: &mut Vec<Job>,
) {
    for step in forwards.by_ref().take(warmup) {
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

/// The lists in which receives and sends are inside the computations.
fn append_computations(
    warmup: usize,
    mut forwards: Steps,
    mut backwards: Steps,
    jobs: &mut Vec<Job>,
) {
    jobs.extend(forwards.by_ref().take(warmup).map(|step| step.job(JobKind::Forward)));
    for (forward, backward) in forwards.zip(backwards.by_ref()) {
        jobs.extend([forward.job(JobKind::Forward), backward.job(JobKind::Backward)]);
    }
    jobs.extend(backwards.map(|step| step.job(JobKind::Backward)));
}
