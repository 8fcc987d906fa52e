//! Any schedule as the plan of a stage: a family by name, or the lists of a file.
//!
//! 1. The schedule is made or read, for all stages at once, and checked: where they cannot run it
//!    together, nothing is planned.
//! 2. What no program can be made for is refused: parts that lie on two stages, waits, reductions.
//! 3. Where a list has whole backwards beside halves, a whole one becomes its two halves, one after the
//!    other: one program cannot be both.
//! 4. The job types follow from the jobs; the rest is as for every scheduler.
//!
//! The passes under Paddle's names, such as `pipeline_scheduler_1F1B`, are this one with the schedule of
//! that name.

use std::fs;
use std::num::NonZeroUsize;

use pirogue::diagnostic::Diagnostic;
use pirogue::ir::Rewriter;
use pirogue::pass::{Pass, PassContext, PassError, RegisteredPass, Rules, Statistic};
use pirogue_plan::{Plan, PlanOptions, SkipGcRule};
use pirogue_schedule::check::{CheckOptions, check};
use pirogue_schedule::families::{self, Refusal};
use pirogue_schedule::{BackwardMode, Counts, Job, JobKind, JobType, Schedule, Shape, format};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pipeline_scheduler_vpp::cpu;
use crate::stage_jobs::{How, STATISTICS, StageJobs, checked_place, leave, rules, schedule_fault};

/// Cuts a stage's program into the programs of its jobs and makes their list, by any schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = first_of_two_stages())]
pub struct PipelineScheduler {
    /// The name of a family of schedules: `1f1b`, `zb-h1`, `interleaved`, `VPP`, ...
    #[serde(default)]
    pub schedule: String,
    /// A file with the lists of all stages, in any form that is read; in place of a name.
    #[serde(default)]
    pub schedule_file: String,
    /// Pipeline stages (p).
    pub pp_degree: u32,
    /// The stage this program is of, from 0.
    pub pp_stage: u32,
    /// Model chunks on each stage (v).
    #[serde(default = "one")]
    pub vpp_degree: u32,
    /// Micro-batches (m).
    pub num_micro_batches: u32,
    /// Split the backward into gradients of inputs and of weights, where the schedule leaves it open.
    #[serde(default)]
    pub split_backward: bool,
    /// The device of values that cross programs: `cpu`, `"gpu:0"`.
    #[serde(default = "cpu")]
    pub place: String,
    /// Which values a job keeps for later jobs.
    #[serde(default)]
    pub skip_gc: SkipGcRule,
    /// Leave out the product for an input gradient that nobody wants, which Paddle computes.
    #[serde(default)]
    pub drop_dead_products: bool,
}

fn one() -> u32 {
    1
}

fn first_of_two_stages() -> PipelineScheduler {
    PipelineScheduler {
        schedule: "zb-h1".to_owned(),
        pp_degree: 2,
        num_micro_batches: 4,
        ..PipelineScheduler::default()
    }
}

impl Default for PipelineScheduler {
    /// A stage alone, with one chunk and one micro-batch, and no schedule.
    fn default() -> Self {
        Self {
            schedule: String::new(),
            schedule_file: String::new(),
            pp_degree: 1,
            pp_stage: 0,
            vpp_degree: 1,
            num_micro_batches: 1,
            split_backward: false,
            place: cpu(),
            skip_gc: SkipGcRule::Paddle,
            drop_dead_products: false,
        }
    }
}

impl RegisteredPass for PipelineScheduler {
    const NAME: &'static str = "pipeline_scheduler";
}

impl Pass for PipelineScheduler {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, rewriter: &mut Rewriter<'_>, cx: &mut PassContext<'_>) -> Result<(), PassError> {
        leave(self.plan(rewriter, cx.threads()), cx)
    }

    fn rules(&self) -> Rules {
        rules()
    }

    fn statistics(&self) -> &'static [Statistic] {
        STATISTICS
    }
}

impl PipelineScheduler {
    /// The plan of the program's stage, and what is to be said about it; made on up to `threads`
    /// threads.
    ///
    /// # Errors
    /// All faults of the step that found any. The program may have been changed by then.
    pub fn plan(
        &self,
        rewriter: &mut Rewriter<'_>,
        threads: NonZeroUsize,
    ) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
        let place = checked_place(&self.place)?;
        let stage = self.stage_jobs()?;
        let how = How {
            place,
            threads,
            skip_gc: self.skip_gc,
            drop_dead_products: self.drop_dead_products,
        };
        stage.plan(rewriter, how)
    }

    fn stage_jobs(&self) -> Result<StageJobs, Vec<Diagnostic>> {
        let counts = self.plan_options().counts().map_err(|error| vec![schedule_fault(&error)])?;
        let schedule = match (self.schedule.as_str(), self.schedule_file.as_str()) {
            ("", "") => Err(no_schedule()),
            (name, "") => self.generated(name, counts),
            ("", file) => read(file, counts),
            _ => Err(no_schedule()),
        }?;
        refuse_unsound(&schedule)?;
        let options = self.plan_options();
        let list = schedule.stage(options.stage()).unwrap_or_default();
        refuse_unplannable(&schedule, list)?;
        let (jobs, mut remarks) = unmixed(list);
        remarks.extend(other_placement(&schedule, &options.schedule));
        let has_halves = jobs.iter().any(|job| job.kind() == JobKind::BackwardWeight);
        let backward = if has_halves { BackwardMode::Split } else { BackwardMode::Whole };
        Ok(StageJobs { job_types: job_types(&jobs), options, backward, jobs, remarks })
    }

    fn plan_options(&self) -> PlanOptions {
        let schedule = if self.schedule.is_empty() { &self.schedule_file } else { &self.schedule };
        PlanOptions {
            schedule: schedule.clone(),
            pp_degree: self.pp_degree,
            pp_stage: self.pp_stage,
            vpp_degree: self.vpp_degree,
            num_micro_batches: self.num_micro_batches,
            split_backward: self.split_backward,
        }
    }

    fn generated(&self, name: &str, counts: Counts) -> Result<Schedule, Vec<Diagnostic>> {
        let backward = if self.split_backward { BackwardMode::Split } else { BackwardMode::Whole };
        let request = families::Request { backward, ..families::Request::new(counts) };
        let schedule = families::find(name).and_then(|family| family.generate(&request));
        schedule.map_err(|refusal| vec![refused(&refusal)])
    }
}

fn no_schedule() -> Vec<Diagnostic> {
    let message = "the pass needs either `schedule` or `schedule_file`";
    let help = "name a schedule that `pirogue schedule --list` shows, or a file";
    vec![Diagnostic::error("E0232", message).help(help)]
}

fn refused(refusal: &Refusal) -> Diagnostic {
    let fault = Diagnostic::error(refusal.code(), refusal.to_string()).help(refusal.help());
    refusal.details().into_iter().fold(fault, Diagnostic::remark)
}

/// The schedule of a file, if it is of these counts.
fn read(file: &str, counts: Counts) -> Result<Schedule, Vec<Diagnostic>> {
    let bytes = fs::read(file).map_err(|error| {
        let message = format!("cannot read the schedule `{file}`: {error}");
        vec![Diagnostic::error("E0233", message).help("check the path")]
    })?;
    let read = format::read(&bytes, None).map_err(|error| {
        vec![Diagnostic::error(error.code(), format!("`{file}`: {error}")).help(error.help())]
    })?;
    let schedule = read.schedule;
    if schedule.counts() == counts {
        return Ok(schedule);
    }
    let message = format!("`{file}` holds {}, not {counts}", schedule.counts());
    Err(vec![Diagnostic::error("E0233", message).help("give the counts of the file")])
}

/// # Errors
/// All stages together cannot run it: what the check found.
fn refuse_unsound(schedule: &Schedule) -> Result<(), Vec<Diagnostic>> {
    let verdict = check(schedule, &CheckOptions::default());
    let faults: Vec<Diagnostic> = verdict
        .faults
        .iter()
        .map(|fault| {
            let error = Diagnostic::error(fault.code(), fault.to_string()).help(fault.help());
            fault.details().into_iter().fold(error, Diagnostic::remark)
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// # Errors
/// No program can be made for some job (`E0234`).
fn refuse_unplannable(schedule: &Schedule, list: &[Job]) -> Result<(), Vec<Diagnostic>> {
    let refusal =
        |message: String, help: &str| Err(vec![Diagnostic::error("E0234", message).help(help)]);
    if schedule.placement().shape() == Shape::BothWays {
        return refusal(
            "the schedule has each part of the model on two stages, and a program has it on one"
                .into(),
            "take a schedule in one direction, such as `dualpipev`",
        );
    }
    let is_unknown = |job: &&Job| {
        use JobKind::{
            Backward, BackwardInput, BackwardWeight, Forward, Optimizer, RecvForward, SendBackward,
        };
        let known = [
            Forward,
            Backward,
            BackwardInput,
            BackwardWeight,
            Optimizer,
            RecvForward,
            SendBackward,
        ];
        !known.contains(&job.kind())
    };
    match list.iter().find(is_unknown) {
        Some(job) => refusal(
            format!("there is no program for `{job}`"),
            "take a schedule of forwards, backwards, `recv_forward` and `send_backward` alone",
        ),
        None => Ok(()),
    }
}

/// The sends and receives of the program must go the way of the schedule; which way they go, one stage does
/// not tell.
fn other_placement(schedule: &Schedule, name: &str) -> Option<Diagnostic> {
    let shape = schedule.placement().shape();
    (shape != Shape::Looped).then(|| {
        let message =
            format!("`{name}` takes a model that lies over the stages in the shape {shape}");
        Diagnostic::warning("W0232", message)
            .help("see that the model was cut so: else stages send to those who do not receive")
    })
}

/// The list with whole backwards in halves, if any backward is in halves.
fn unmixed(list: &[Job]) -> (Vec<Job>, Vec<Diagnostic>) {
    let count = |kind: JobKind| list.iter().filter(|job| job.kind() == kind).count();
    let whole = count(JobKind::Backward);
    if whole == 0 || count(JobKind::BackwardInput) == 0 {
        return (list.to_vec(), Vec::new());
    }
    let halves = |job: &Job| match job.kind() {
        JobKind::Backward => [JobKind::BackwardInput, JobKind::BackwardWeight]
            .map(|kind| Some(Job::new(JobType::new(kind, job.job_type.chunk()), job.micro_batch))),
        _ => [Some(*job), None],
    };
    let jobs = list.iter().flat_map(halves).flatten().collect();
    let message = format!("{whole} whole backwards of the schedule run as their two halves");
    let remark = Diagnostic::note("N0232", message)
        .help("a stage has one program for a whole backward or two for its halves, not all three");
    (jobs, vec![remark])
}

/// The job types of a list: what a chunk receives and computes forward, chunk by chunk; then backward from
/// the last chunk to the first, with the weight halves after all input halves; the optimizer.
fn job_types(jobs: &[Job]) -> Vec<JobType> {
    let mut types: Vec<JobType> = jobs.iter().map(|job| job.job_type).collect();
    types.push(JobType::OPTIMIZER);
    let place = |job_type: &JobType| {
        let chunk = job_type.chunk().map_or(0, |chunk| i32::from(chunk.0));
        match job_type.kind() {
            JobKind::RecvForward => (0, chunk, 0),
            JobKind::Forward => (0, chunk, 1),
            JobKind::Backward | JobKind::BackwardInput => (1, -chunk, 0),
            JobKind::SendBackward => (1, -chunk, 1),
            JobKind::BackwardWeight => (2, -chunk, 0),
            _ => (3, 0, 0),
        }
    };
    types.sort_by_key(place);
    types.dedup();
    types
}

/// Passes under Paddle's names; the numbers are the chunks and micro-batches of the example.
macro_rules! paddle_schedulers {
    ($($(#[$doc:meta])* $pass:ident = $name:literal, $schedule:literal, $chunks:literal, $micro_batches:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(example = $pass {
            pp_degree: 2,
            vpp_degree: $chunks,
            num_micro_batches: $micro_batches,
            ..$pass::default()
        })]
        pub struct $pass {
            /// Pipeline stages (p).
            pub pp_degree: u32,
            /// The stage this program is of, from 0.
            pub pp_stage: u32,
            /// Model chunks on each stage (v).
            #[serde(default = "one")]
            pub vpp_degree: u32,
            /// Micro-batches (m).
            pub num_micro_batches: u32,
            /// The device of values that cross programs: `cpu`, `"gpu:0"`.
            #[serde(default = "cpu")]
            pub place: String,
            /// Which values a job keeps for later jobs.
            #[serde(default)]
            pub skip_gc: SkipGcRule,
            /// Leave out the product for an input gradient that nobody wants, which Paddle computes.
            #[serde(default)]
            pub drop_dead_products: bool,
        }

        impl Default for $pass {
            /// A stage alone, with one chunk and one micro-batch.
            fn default() -> Self {
                Self {
                    pp_degree: 1,
                    pp_stage: 0,
                    vpp_degree: 1,
                    num_micro_batches: 1,
                    place: cpu(),
                    skip_gc: SkipGcRule::Paddle,
                    drop_dead_products: false,
                }
            }
        }

        impl RegisteredPass for $pass {
            const NAME: &'static str = $name;
        }

        impl Pass for $pass {
            fn name(&self) -> &str {
                Self::NAME
            }

            fn run(
                &self,
                rewriter: &mut Rewriter<'_>,
                cx: &mut PassContext<'_>,
            ) -> Result<(), PassError> {
                let any = PipelineScheduler {
                    schedule: $schedule.to_owned(),
                    schedule_file: String::new(),
                    pp_degree: self.pp_degree,
                    pp_stage: self.pp_stage,
                    vpp_degree: self.vpp_degree,
                    num_micro_batches: self.num_micro_batches,
                    split_backward: false,
                    place: self.place.clone(),
                    skip_gc: self.skip_gc,
                    drop_dead_products: self.drop_dead_products,
                };
                any.run(rewriter, cx)
            }

            fn rules(&self) -> Rules {
                rules()
            }

            fn statistics(&self) -> &'static [Statistic] {
                STATISTICS
            }
        }
    )*};
}

paddle_schedulers! {
    /// The plan of a stage by Paddle's `FThenB`: all forwards, then all backwards.
    PipelineSchedulerFThenB = "pipeline_scheduler_FThenB", "FThenB", 1, 4;
    /// The plan of a stage by Paddle's `1F1B`: a forward and a backward in turn.
    PipelineScheduler1F1B = "pipeline_scheduler_1F1B", "1F1B", 1, 4;
    /// The plan of a stage by Paddle's `Eager1F1B`: 1F1B with twice the forwards ahead.
    PipelineSchedulerEager1F1B = "pipeline_scheduler_Eager1F1B", "Eager1F1B", 1, 4;
    /// The plan of a stage by Paddle's `ZBH1`: 1F1B with backwards in halves at its ends.
    PipelineSchedulerZbh1 = "pipeline_scheduler_ZBH1", "ZBH1", 1, 4;
    /// The plan of a stage by Paddle's `ZBVPP`: a zero bubble schedule over two chunks in a V.
    PipelineSchedulerZbvpp = "pipeline_scheduler_ZBVPP", "ZBVPP", 2, 2;
}
